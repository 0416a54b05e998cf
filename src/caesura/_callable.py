"""Rooms that share their name with the function people call: ``caesura.agreement`` is a package, and can be called.

Python binds a subpackage to its parent under its own name as soon as anybody imports it, so a function of that name would
come and go with the order of imports. A package that can be called is both, always.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["callable_as"]


def callable_as(module: str, function: str) -> None:
    """Let a call of ``module`` call its ``function``."""

    class CallableModule(ModuleType):
        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            return getattr(self, function)(*arguments, **keywords)

    sys.modules[module].__class__ = CallableModule
