"""Reproductions of papers: one module per paper, with its tables and figures, printed and computed."""

from caesura.papers.catalog import PAPERS, citation, reproduce
from caesura.papers.reproduction import Figure, Line, Reproduction, Section, save_figures

__all__ = ["PAPERS", "Figure", "Line", "Reproduction", "Section", "citation", "reproduce", "save_figures"]
