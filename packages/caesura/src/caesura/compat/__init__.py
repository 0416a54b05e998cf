"""Drop-in replacements for other packages: their function names and arguments, computed by Caesura."""
