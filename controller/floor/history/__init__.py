"""Hands that were played: found again, drawn step by step from the public copy, and exported."""
