"""The table controller: the hand state machine and everything that brings cards and wagers to it."""
