"""One module per paper: its tables and figures, what was printed beside what we compute."""

from caesura.papers.base import Figure, Line, Reproduction, Section
from caesura.papers.catalog import PAPERS, citation, reproduce

__all__ = ["PAPERS", "Figure", "Line", "Reproduction", "Section", "citation", "reproduce"]
