"""How a word is read: one normalisation for all that is written differently and means the same, which keeps what was written.

A word comes apart into letters. Each says what the model reads (composed as NFC would, presentation forms and ligatures as the letters they
show, letters of neighbouring keyboards as those of the language) and holds the characters as they stand, so that marks can be put on the
user's own text. Nothing else is normalised: NFC would put marks into an order no font expects.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caesura.vowels.scripts import Script

#: Where compatibility characters stand for letters and marks in a certain shape; only there are they taken apart.
_SHAPES = re.compile("[\ufb1d-\ufdfb\ufe70-\ufefc]")

#: Yiddish digraphs, which Hebrew keyboards offer as well.
_DIGRAPHS = {"\u05f0": "\u05d5\u05d5", "\u05f1": "\u05d5\u05d9", "\u05f2": "\u05d9\u05d9"}

_TATWEEL, _HAMZA, _MADDAH = "\u0640", "\u0621", "\u0653"
_HAMZA_SIGNS = "\u0654\u0655"
_SEEN_ORDER = "\u0651\u064b\u064c\u064d\u064e\u064f\u0650\u0652\u0670\u05f3\u05f4".index
_CARRIER = f"{_TATWEEL}[\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06ed\u08f0-\u08f2]*[{_HAMZA_SIGNS}]"


class Letter(NamedTuple):
    """One letter of a word: what the model reads, the marks on it that are targets, and the characters as they stand.

    Of a ligature, the first letter holds the character; the others hold only the marks behind it that are theirs.
    """

    read: str
    marks: str
    raw: str


@lru_cache(maxsize=1 << 18)
def split_word(script: Script, word: str) -> tuple[Letter, ...]:
    """Take a word apart, letter by letter; targets come in canonical order."""
    return tuple(letter for raw in _clusters(script)(word) for letter in _letters_of(script, raw))


def letters_in(script: Script, words: Iterable[str]) -> Iterator[Letter]:
    """Give the letters of words, as :func:`split_word` does, each way to write one only once."""
    for raw in set(chain.from_iterable(map(_clusters(script), words))):
        yield from _letters_of(script, raw)


def write_out(char: str) -> str:
    """The letters and marks that one character shows; a tatweel that only carries marks is left out.

    >>> [len(write_out(c)) for c in "א\ufb2a\ufb4f\ufefb\u05f2"]
    [1, 2, 2, 2, 2]
    """
    return "".join(_DIGRAPHS.get(c, c) for c in unshape(char))


def unshape(char: str) -> str:
    """The common characters for one that prescribes a shape; others as they are."""
    if not _SHAPES.match(char):
        return char
    plain = unicodedata.normalize("NFKD", char)
    return plain.replace(_TATWEEL, "") or plain


def insert_marks(raw: str, new: str, order: Mapping[str, int]) -> str:
    """Put new marks behind a letter and its earlier marks, in front of later ones and of what is no mark; the rest stays in its order."""
    if len(raw) < 2 or not new:
        return raw + new
    out = raw
    for mark in new:
        at = next((i for i in range(1, len(out)) if _rank(out[i], order) > order[mark]), len(out))
        out = out[:at] + mark + out[at:]
    return out


def _rank(char: str, order: Mapping[str, int]) -> int:
    """Place of a character behind its letter: signs that we do not know stay where they are, quotes are not part of the letter."""
    return order.get(
        char, -1 if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Lm", "Mn") else 99
    )


@lru_cache(maxsize=1 << 16)
def _letters_of(script: Script, raw: str) -> tuple[Letter, ...]:
    """Read one character and what stands behind it: one letter, or those of a ligature."""
    written = write_out(raw[0])
    if len(written) == 1 or not _is_letter(script)(written[1]):
        return (_letter(script, written, raw[1:], raw),)
    return _ligature(script, written, raw)


def _letter(script: Script, written: str, behind: str, raw: str) -> Letter:
    """Read one letter from what its character shows and what stands behind it."""
    base = script.folds.get(written[0], written[0])
    signs = [script.folds.get(c, c) for char in (*written[1:], *behind) for c in unshape(char)]
    marks = "".join(sorted({c for c in signs if c in script.targets}, key=script.order.__getitem__))
    if base == _TATWEEL:
        base, signs = _HAMZA, [c for c in signs if c not in _HAMZA_SIGNS]
    composing = "".join(c for c in signs if c in _HAMZA_SIGNS or c == _MADDAH)
    base = unicodedata.normalize("NFC", base + composing).replace(_MADDAH, "") if composing else base
    seen = "".join(sorted((c for c in signs if c in script.seen and c not in _HAMZA_SIGNS), key=_SEEN_ORDER))
    return Letter(base + seen, marks, raw)


def _ligature(script: Script, written: str, raw: str) -> tuple[Letter, ...]:
    """Read the letters of a ligature; marks behind it are the first letter's until one of the same slot follows."""
    shown = [c for c in written if _is_letter(script)(c)]
    signs, held = [""] * len(shown), [raw[0], *[""] * (len(shown) - 1)]
    at, taken = 0, set[int]()
    inside = [(c, "") for c in written if c not in shown]
    for char, stands in (*inside, *zip(raw[1:], raw[1:], strict=True)):
        slots = {script.slot_of[c] for c in unshape(char) if c in script.slot_of}
        if slots & taken and at + 1 < len(shown):
            at, taken = at + 1, set()
        taken |= slots
        signs[at] += char
        held[at] += stands
    return tuple(_letter(script, *each) for each in zip(shown, signs, held, strict=True))


@lru_cache
def _clusters(script: Script) -> Callable[[str], list[str]]:
    """What cuts a word before every letter; tatweel is a letter only where it carries a hamza."""
    behind = f"[^{script.letters}{_TATWEEL}]+|(?!{_CARRIER}){_TATWEEL}"
    return re.compile(f".(?:{behind})*", re.DOTALL).findall


@lru_cache
def _is_letter(script: Script) -> Callable[[str], re.Match[str] | None]:
    return re.compile(f"[{script.letters}]").match
