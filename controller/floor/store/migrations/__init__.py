"""Migrations of the floor's store."""
