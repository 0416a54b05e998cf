"""Other packages' names for people who switch: the same calls, our numbers."""
