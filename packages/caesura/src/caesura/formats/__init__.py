"""Read and write files: formats are detected by suffix and content; related formats share a module."""

from caesura.formats.reading import read
from caesura.formats.writing import write

__all__ = ["read", "write"]
