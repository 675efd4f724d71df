"""Whether the floor's copy is what the tables told: for people at the floor, and for who verifies it."""
