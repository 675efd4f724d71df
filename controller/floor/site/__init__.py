"""The floor's pages: all tables on a desktop or a phone, and one table by itself."""
