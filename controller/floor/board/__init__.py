"""What the floor knows of each table, pure: no I/O, no clock; the time is passed in."""
