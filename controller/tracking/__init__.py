"""From evidence to observations: which card a tag is, where an antenna lies, whether a card is present, where all 52 are."""
