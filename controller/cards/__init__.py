"""Cards on paper for dealers, the floor and players: one page each, of the words and tables that the screens are made of."""
