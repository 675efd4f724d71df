"""What a machine needs around the program: configuration files, units, device names, accounts, database, time, firewall."""
