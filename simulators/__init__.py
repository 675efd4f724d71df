"""Simulated devices, felt and people: they speak the device's side of the real messages."""
