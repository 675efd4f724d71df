"""Measuring a table's antennas with reference cards: guide, figures, judgement, comparison with the last time, picture."""
