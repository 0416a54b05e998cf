"""One module a paper: its tables and figures, what was printed beside what we compute."""

from caesura.papers.base import Figure, Line, Reproduction, Table
from caesura.papers.registry import PAPERS, reproduce

__all__ = ["PAPERS", "Figure", "Line", "Reproduction", "Table", "reproduce"]
