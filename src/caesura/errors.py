"""What can be wrong with the data people bring, each kind with its own name.

Every message is one sentence that says what was found, where, and what was expected.
All are ``ValueError``s, so code that already guards against bad values keeps working.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any


class CaesuraError(ValueError):
    """Anything that is wrong with what the user gave; the command line shows it and exits with 2."""


class InvalidSegmentation(CaesuraError):
    """Marks that no text can carry: a negative mass, a position outside the text, crossing segments."""


class LengthMismatch(CaesuraError):
    """Two annotations that should cover the same text but differ in length, tokens or tracks."""


class UncountablePairs(CaesuraError):
    """Pairs of annotations that a metric cannot count, such as texts shorter than its window; it counts the others.

    ``pairs`` are their numbers in the batch, ``why`` is said about the first of them, without a full stop.
    """

    def __init__(self, why: str, pairs: Sequence[int]) -> None:
        self.why, self.pairs = why, tuple(pairs)
        super().__init__(f"{why}.")

    def __reduce__(self) -> tuple[type[UncountablePairs], tuple[str, tuple[int, ...]]]:
        return type(self), (self.why, self.pairs)


class FormatError(CaesuraError):
    """A file that is not what its format says.

    Parameters
    ----------
    path
        The file, or a name for a stream.
    line
        The line (counted from 1) where reading stopped, or None where lines mean nothing.
    why
        What was found and what was expected, without the place.
    """

    def __init__(self, path: str | PathLike[str] | None, line: int | None, why: str) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.why = why
        place = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(_one_line(place + why))

    def __reduce__(self) -> tuple[type[FormatError], tuple[str | None, int | None, str]]:
        return type(self), (self.path, self.line, self.why)


def _one_line(text: str, limit: int = 600) -> str:
    """Keep what a broken file holds from breaking the sentence about it: no line ends, no control characters, no end."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


class UnknownName(CaesuraError):
    """A metric, format, paper or method that nobody registered; suggests the nearest one.

    ``titles`` are what known names are called in words, which people try too.

    Examples
    --------
    >>> str(UnknownName("metric", "Bb", ["B", "S", "Pk"]))
    "there is no metric 'Bb'; did you mean 'B'? Known: B, Pk, S."
    >>> str(UnknownName("metric", "windowdif", ["B", "WD"], {"WindowDiff": "WD"}))
    "there is no metric 'windowdif'; did you mean 'WD'? Known: B, WD."
    """

    def __init__(self, kind: str, name: str, known: list[str], titles: Mapping[str, str] | None = None) -> None:
        from difflib import get_close_matches

        self.kind, self.name, self.known, self.titles = kind, name, sorted(known), dict(titles or {})
        lowered = {**{title.lower(): k for title, k in self.titles.items()}, **{k.lower(): k for k in self.known}}
        near = get_close_matches(name.lower(), lowered, n=1, cutoff=0.4)
        hint = f"; did you mean {lowered[near[0]]!r}?" if near else "."
        super().__init__(f"there is no {kind} {name!r}{hint} Known: {', '.join(self.known) or 'none'}.")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str], dict[str, str]]]:
        return type(self), (self.kind, self.name, self.known, self.titles)


class MissingExtra(CaesuraError):
    """An optional library that a feature needs and that is not installed."""

    def __init__(self, library: str, extra: str, what: str) -> None:
        self.library, self.extra, self.what = library, extra, what
        super().__init__(f"{what} needs {library}, which is not installed: pip install 'caesura[{extra}]'.")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        return type(self), (self.library, self.extra, self.what)


def import_extra(module: str, extra: str, what: str, library: str = "") -> Any:
    """Import an optional library, or say what to install; its name where it is not the module's."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(library or module.partition(".")[0], extra, what) from None


class UndefinedScore(UserWarning):
    """A score that divides by nothing, such as a hit rate without reference boundaries; its value is NaN."""
