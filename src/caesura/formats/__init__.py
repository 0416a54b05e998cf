"""Reading and writing: one module a file format, found by suffix or by looking inside."""

from caesura.formats.registry import read, write

__all__ = ["read", "write"]
