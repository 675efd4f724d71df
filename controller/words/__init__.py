"""Every text that people read, in English and French."""
