"""Bytes in and out of a port: the only place with device I/O."""
