"""Characters that names and texts may not contain: a database refuses some, and others show a name as what it is not."""

from __future__ import annotations

import re

from caesura.errors import CaesuraError
from caesura.model import Corpus

#: Characters of the name of a project, an item, a coder, a track or a person.
MAX_NAME_LENGTH = 500
#: Control characters, line separators, invisible characters, and marks that reverse what follows; the marks of single letters' direction are allowed.
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff]")
_NOT_IN_TEXTS = re.compile("\x00")


def check_name(name: str) -> str:
    """Return a name unchanged, or raise an error if it contains a character that cannot be seen or that reverses others.

    >>> check_name("Ada\u202enosliW")
    Traceback (most recent call last):
    ValueError: names cannot contain the character U+202E
    """
    return _refuse(name, _NOT_IN_NAMES, "names")


def check_characters(text: str) -> str:
    """Return a text unchanged, or raise an error if it contains a zero character, which PostgreSQL does not store."""
    return _refuse(text, _NOT_IN_TEXTS, "texts")


def check_names_in(corpus: Corpus) -> None:
    """Raise an error if an item, a coder or a track of a corpus has a name that is too long, or that `check_name` refuses."""
    for what, names in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks)):
        for name in names:
            if len(name) > MAX_NAME_LENGTH:
                raise CaesuraError(
                    f"the {what} {name[:50]!r}… has a name of {len(name):,} characters; the limit is {MAX_NAME_LENGTH}."
                )
            try:
                check_name(name)
            except ValueError as error:
                raise CaesuraError(f"the {what} {name!r} has a name that cannot be used: {error}.") from None


def _refuse(text: str, refused: re.Pattern[str], what: str) -> str:
    found = refused.search(text)
    if found:
        raise ValueError(f"{what} cannot contain the character U+{ord(found.group()):04X}")
    return text
