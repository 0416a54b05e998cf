"""Reading and writing: one module per file format, found by suffix or by looking inside."""

from caesura.formats.catalog import read
from caesura.formats.writing import write

__all__ = ["read", "write"]
