"""Who signs in at the floor, on record."""
