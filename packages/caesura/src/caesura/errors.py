"""Exceptions and warnings.

Every message is one sentence that says what was found, where, and what was expected. All exceptions are subclasses of
``ValueError``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

#: Characters of input that an error message quotes at most.
LONGEST_QUOTE = 200

_LONGEST_MESSAGE = 2000
# Inside quotes repr() escapes the quote, so that a backslash and the character after it belong together; apostrophes follow a letter.
_QUOTED = re.compile(rf"(?<!\w)(['\"])((?:\\.|(?!\1)[^\\]){{{LONGEST_QUOTE + 1},}})\1", re.DOTALL)
_LONG_WORD = re.compile(rf"[^\s/\\'\"]{{{LONGEST_QUOTE + 1},}}")  # parts of a path are words of their own


class CaesuraError(ValueError):
    """Invalid input; the base class of all exceptions. The command line prints the message and exits with status 2.

    Messages quote at most 200 characters of the input, see :func:`shorten_quotes`.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten_quotes(each) if isinstance(each, str) else each for each in args))


class InvalidSegmentation(CaesuraError):
    """Invalid boundaries or segments: a negative mass, a position outside the text, crossing segments."""


class LengthMismatch(CaesuraError):
    """Two annotations of the same text that differ in length, tokens or tracks."""


class UncountablePairs(CaesuraError):
    """Pairs of annotations that a metric cannot count, such as texts shorter than its window.

    Parameters
    ----------
    why : str
        The reason for the first of them, without a full stop.
    pairs : sequence of int
        Their indices in the batch.
    """

    def __init__(self, why: str, pairs: Sequence[int]) -> None:
        self.why, self.pairs = why, tuple(pairs)
        super().__init__(f"{why}.")

    def __reduce__(self) -> tuple[type[UncountablePairs], tuple[str, tuple[int, ...]]]:
        return type(self), (self.why, self.pairs)


class FormatError(CaesuraError):
    """A file that does not follow its format.

    Parameters
    ----------
    path : str, path or None
        The file, or a name for a stream.
    line : int or None
        The line, counted from 1, where reading stopped; None if lines do not apply.
    why : str
        What was found and what was expected.
    """

    def __init__(self, path: str | PathLike[str] | None, line: int | None, why: str) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.why = shorten_quotes(why)
        place = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(_one_line(place + self.why))

    def __reduce__(self) -> tuple[type[FormatError], tuple[str | None, int | None, str]]:
        return type(self), (self.path, self.line, self.why)


def _one_line(text: str, limit: int = 600) -> str:
    """Make text from a damaged file fit for a one-line message: no line ends, no control characters, limited length."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)
    shown = " ".join(shown.split())
    return _shorten(shown, limit)


def shorten_quotes(message: str) -> str:
    """Shorten quoted texts and words of more than 200 characters in a message, and the message to some 2,000.

    >>> len(shorten_quotes(f"there is no metric {'b' * 1_000_000!r}; expected B."))
    234
    """
    if len(message) <= LONGEST_QUOTE:
        return message
    # The start says what is wrong, the end what was expected. Cutting first bounds the time of the searches below, too.
    if len(message) > 2 * _LONGEST_MESSAGE:
        first, last = _outside_escape(message, _LONGEST_MESSAGE), _outside_escape(message, -_LONGEST_MESSAGE)
        message = message[:first] + "…" + message[last:]
    message = _QUOTED.sub(lambda quote: quote[1] + _shorten(quote[2], LONGEST_QUOTE) + quote[1], message)
    message = _LONG_WORD.sub(lambda word: _shorten(word[0], LONGEST_QUOTE), message)
    return _shorten(message, _LONGEST_MESSAGE)


def _outside_escape(text: str, at: int) -> int:
    """Return a position, or the next one if it lies between a backslash and the character that it escapes."""
    before = text[:at]
    return at + (len(before) - len(before.rstrip("\\"))) % 2


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


_LONGEST_LIST = 1500  # characters; of longer lists of names, a message has the nearest ones only
_NEAREST = 12


class AmbiguousFile(FormatError):
    """A file with two readings that give different numbers; the message shows both."""


class UnknownName(CaesuraError):
    """An unknown metric, format, paper or method; the message suggests the nearest name.

    Parameters
    ----------
    kind : str
        What was looked up, such as "metric".
    name : str
        The unknown name.
    known : list of str
        The known names.
    titles : mapping of str to str, default None
        Titles of known names, which users may have typed instead.

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
        near = get_close_matches(_shorten(name.lower(), LONGEST_QUOTE), lowered, n=1, cutoff=0.4)
        longer = [each for each in known if each.lower().startswith(f"{name.lower()}-")]
        if len(longer) > 1:  # the first word of several names, of which the first is the main one
            near = [longer[0].lower()]
        hint = f"; did you mean {lowered[near[0]]!r}?" if near else "."
        listed = ", ".join(self.known) or "none"
        if len(listed) > _LONGEST_LIST:
            nearest = get_close_matches(_shorten(name, LONGEST_QUOTE), self.known, n=_NEAREST, cutoff=0)
            listed = f"{', '.join(nearest)} and {len(self.known) - len(nearest)} others"
        super().__init__(f"there is no {kind} {name!r}{hint} Known: {listed}.")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str], dict[str, str]]]:
        return type(self), (self.kind, self.name, self.known, self.titles)


class MissingExtra(CaesuraError, ImportError):
    """A feature needs an optional library that is not installed.

    Parameters
    ----------
    library : str
        The missing distribution.
    extra : str
        The extra of ``caesura`` that installs it, "" if no extra does.
    what : str
        The feature.
    """

    def __init__(self, library: str, extra: str, what: str) -> None:
        self.library, self.extra, self.what = library, extra, what
        install = f"'caesura[{extra}]'" if extra else library
        super().__init__(f"{what} needs {library}, which is not installed: pip install {install}.")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        return type(self), (self.library, self.extra, self.what)


def import_extra(module: str, extra: str, what: str, library: str = "") -> Any:
    """Import an optional library, or raise an error that says what to install.

    Parameters
    ----------
    module : str
        The module to import.
    extra : str
        The extra of ``caesura`` that installs it.
    what : str
        The feature that needs it.
    library : str, default ""
        The name of the distribution, if it differs from the module.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(library or module.partition(".")[0], extra, what) from None


class UndefinedScore(UserWarning):
    """A score is undefined, such as a hit rate without reference boundaries; its value is NaN."""
