"""The table's HTTP address: snapshot, event stream and commands of the dealer's console."""
