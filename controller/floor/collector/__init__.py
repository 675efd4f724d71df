"""Listens to every table of a venue, and keeps what happened: nothing lost, nothing doubled."""
