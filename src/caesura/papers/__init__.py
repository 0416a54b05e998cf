"""One module per paper: its tables and figures, what was printed beside what we compute."""

from caesura.papers.base import Figure, Line, Reproduction, Table
from caesura.papers.catalog import PAPERS, citation, reproduce

__all__ = ["PAPERS", "Figure", "Line", "Reproduction", "Table", "citation", "reproduce"]
