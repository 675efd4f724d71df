"""Orders from the floor to its tables: signed for one person, passed on over HTTP, on record with their answers."""
