"""The version, equal to that of the package caesura."""

__version__ = "0.2.0"
