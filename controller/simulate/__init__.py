"""Deterministic simulation: the whole controller with simulated devices, broker, people, disk and clock, one seed for everything.

A run draws its game, people and faults from its seed, plays hands on virtual time while the faults strike, compares every commit,
every published byte and every open gate with the simulated world, and must come to its end after the last fault.
"""
