"""The hand state machine of seven card stud, stud eight-or-better and razz: pure, without I/O, clock or randomness."""
