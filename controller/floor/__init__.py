"""The floor: every table of a venue on one page, what happened kept in a store."""
