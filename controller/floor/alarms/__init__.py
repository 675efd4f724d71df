"""What persons do about alarms at the floor, what is told of them afterwards, and who else is called."""
