"""The floor's copy of what the tables published, in SQLite or PostgreSQL. Nothing else speaks to that database."""
