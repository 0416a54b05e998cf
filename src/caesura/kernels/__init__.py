"""Compiled loops: plain functions on NumPy arrays, the same numbers with or without the compiler."""

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["load"]


@cache
def load(module: str) -> Any:
    """Import a module of kernels once: an import statement inside a function costs as much as a short kernel runs."""
    return import_module(f"caesura.kernels.{module}")
