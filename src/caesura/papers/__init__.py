"""One module per paper: its tables and figures, what was printed beside what we compute."""

from caesura.papers.catalog import PAPERS, citation, reproduce
from caesura.papers.reproduction import Figure, Line, Reproduction, Section

__all__ = ["PAPERS", "Figure", "Line", "Reproduction", "Section", "citation", "reproduce"]
