"""What each reader may see of the table, built from allow-lists; pure."""
