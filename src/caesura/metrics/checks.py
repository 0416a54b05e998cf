"""Parameters refused in one sentence: what was given, what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.errors import CaesuraError

__all__ = ["check_above_zero", "check_choice", "check_flag", "check_whole_number"]


def check_choice(name: str, given: Any, known: Sequence[str]) -> None:
    """Refuse a word that is not one of these."""
    if given not in known:
        listed = " or ".join(filter(None, (", ".join(map(repr, known[:-1])), repr(known[-1]))))
        raise CaesuraError(f"{name} is {given!r}; expected {listed}.")


def check_whole_number(name: str, given: Any, what: str, most: int | None = None) -> None:
    """Refuse anything but a whole number from 1 to ``most``."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise CaesuraError(f"{name} is {given!r}; expected a whole number of {what}, 1 or more.")
    if most is not None and given > most:
        raise CaesuraError(f"{name} is {given}; expected at most {most} {what}.")


def check_above_zero(name: str, given: Any) -> None:
    """Refuse anything but a number above 0."""
    if not isinstance(given, (int, float, np.number)) or not (np.isfinite(given) and given > 0):
        raise CaesuraError(f"{name} is {given!r}; expected a number above 0.")


def check_flag(name: str, given: Any) -> None:
    """Refuse anything but True and False: any word is true to Python, "false" too."""
    if not isinstance(given, (bool, np.bool_)):
        raise CaesuraError(f"{name} is {given!r}; expected True or False.")
