"""Running a room: who waits for which game, and which dealer goes to which table."""
