"""Kernels: loops over NumPy arrays that Numba compiles when it pays; the results are the same with and without it."""

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["load"]


@cache
def load(module: str) -> Any:
    """Import a module of kernels and keep it: an import statement inside a function takes as long as a short kernel."""
    return import_module(f"caesura.kernels.{module}")
