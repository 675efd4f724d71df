"""The electronic shoe over TSP/1, host and device role."""
