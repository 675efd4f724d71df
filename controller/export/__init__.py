"""Finished hands of a journal for other programs: PHH, text in the PokerStars shape, and the format that ``replay`` reads."""
