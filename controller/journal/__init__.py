"""The append-only journal: canonical JSON in SQLite, hash chain, sealed cards, verification."""
