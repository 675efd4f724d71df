"""Devices of a table: what they are to the controller, and the protocols they speak."""
