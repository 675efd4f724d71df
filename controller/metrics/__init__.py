"""What a program tells Prometheus of itself: declarations as data, adapters that read what the parts count anyway, exposition."""
