"""The texts of the general networks: read, brought to one convention of writing marks, without lines that test sets contain.

A text is a list of lines with the kind of text they are. Sources and licences: NOTICE.md beside the shipped models.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from modern_words import modern_lines

from caesura_vowels.corpora import load_corpus, split_random
from caesura_vowels.scripts import ARABIC, HEBREW, Script

#: The kinds of text that a network is told, in the order of its control symbols.
KINDS = {
    "hebrew": ("biblical", "medieval", "modern", "poetry"),
    "arabic": ("quranic", "bible", "modern", "hadith"),
}


@dataclass
class Text:
    """Lines of one kind: ``repeat`` is how often a pass over all texts reads them; ``listed`` marks lists of words in full spelling and modern pointing."""

    kind: str
    repeat: int
    lines: list[str]
    held: list[str] = field(default_factory=list)
    listed: bool = False


def hebrew_texts(folder: Path, tests: Iterable[str]) -> list[Text]:
    """Read Project Ben-Yehuda's pointed texts and the training verses of the Bible."""
    bible, held, verses = _split_verses("hebrew-bible", 0.02)
    tested = _passages([*verses, *tests], HEBREW)
    texts = [Text("biblical", 4, bible, held)]
    for kind, name in (("medieval", "medieval"), ("modern", "modern-prose"), ("poetry", "verse")):
        lines = [_tidy_hebrew(line) for line in _read(folder / f"hebrew-benyehuda-{name}.txt.xz")]
        texts.append(_hold_out(Text(kind, 1, _without_passages(lines, tested, HEBREW)), 40, 0.012))
    return [*texts, Text("modern", 2, modern_lines(), listed=True)]


def arabic_texts(folder: Path, tests: Iterable[str]) -> list[Text]:
    """Read the free vowelled texts and the training verses of the Qur'an."""
    quran, held, verses = _split_verses("quran", 0.025)
    tested = _passages([*verses, *tests], ARABIC)
    texts = [Text("quranic", 5, quran, held)]
    for kind, repeat, name in (
        ("bible", 2, "van-dyck-PD"),
        ("bible", 1, "van-dyck-PD-without-hamza"),
        ("modern", 3, "common-voice"),
        ("hadith", 1, "hadith-mit"),
        ("hadith", 1, "hadith-bysa"),
    ):
        lines = [
            normalize_arabic(line) for line in _read(folder / f"arabic-{name}.txt.xz") if not _FOREIGN.search(line)
        ]
        texts.append(_hold_out(Text(kind, repeat, _without_passages(lines, tested, ARABIC)), 20, 0.02))
    return texts


_FOREIGN = re.compile("[\u0900-\u0dff]")  # the translation in one of the sources


def _read(path: Path) -> list[str]:
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        return [line.strip() for line in stream.read().splitlines()[1:] if line.strip()]


def _split_verses(name: str, share: float) -> tuple[list[str], list[str], list[str]]:
    """Return training, held-out and test verses, as for the networks of these texts alone."""
    corpus = load_corpus(name)
    train, test = split_random(len(corpus), test=0.1, seed=0)
    training, held = split_random(len(train), test=share, seed=0)
    return (
        [corpus.lines[train[i]] for i in training],
        [corpus.lines[train[i]] for i in held],
        [corpus.lines[i] for i in test],
    )


def _hold_out(text: Text, block: int, share: float) -> Text:
    """Hold out blocks of consecutive lines, evenly spaced."""
    every = max(2, round(1 / share))
    kept: list[str] = []
    for start in range(0, len(text.lines), block):
        part = text.lines[start : start + block]
        (text.held if (start // block) % every == every // 2 else kept).extend(part)
    text.lines = kept
    return text


_RUN = 5  # words


def _passages(lines: Iterable[str], script: Script) -> set[str]:
    """Return all runs of five bare words of the test lines."""
    found = set()
    for line in lines:
        words = [script.read(word) for word in script.word.findall(line)]
        found.update(" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1))
    return found


def _without_passages(lines: Sequence[str], tested: set[str], script: Script) -> list[str]:
    """Drop lines of which at least a third of the runs of five words occur in test lines."""
    kept = []
    for line in lines:
        words = [script.read(word) for word in script.word.findall(line)]
        runs = [" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)]
        if not runs or 3 * sum(run in tested for run in runs) < len(runs):
            kept.append(line)
    return kept


def _tidy_hebrew(line: str) -> str:
    """Remove footnote arrows and stray combining dots."""
    return line.replace("↩", "").replace("\u0307", "").replace("\u0358", "")


# ---------------------------------------------------------------------- Arabic conventions

_MARK = "[\u064b-\u0652]"
_LETTER = "[\u0621-\u063a\u0641-\u064a]"
_MOON = "\u0623\u0625\u0621\u0628\u062c\u062d\u062e\u0639\u063a\u0641\u0642\u0643\u0645\u0647\u0648\u064a"
_CONSONANT = "[\u0621\u0623-\u0626\u0628-\u063a\u0641-\u0647]"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (f"({_MARK})\u0651", "\u0651\\1"),  # shadda first
        ("\u0644\u0627\u064e", "\u0644\u064e\u0627"),  # lam-alef with the mark after the alef
        ("\u0644\u0627\u0651\u064e", "\u0644\u0651\u064e\u0627"),
        ("([\u0627\u0649])\u064b", "\u064b\\1"),  # tanwin on the letter before the alef
        (f"^\u0627[\u064e\u0650\u064f](?={_LETTER})", "\u0627"),  # alef wasla has no vowel
        ("\u0625(?!\u0651?[\u064b-\u0650])", "\u0625\u0650"),  # hamza below is always read with i
        # A fatha is written before every alef of length, but not on the waw of plural verbs.
        (f"(?<={_MARK})((?![\u0648\u0627]){_LETTER})\u0627(?!{_MARK})", "\\1\u064e\u0627"),
        (f"^((?![\u0648\u0627]){_LETTER})\u0627(?![\u064b-\u0652\u0644])", "\\1\u064e\u0627"),
        (f"([\u0628-\u063a\u0641-\u0647])\u064a(?!{_MARK})(?!\u0627)", "\\1\u0650\u064a"),
        ("\u064f\u0648\u0652", "\u064f\u0648"),
        ("\u0650\u064a\u0652", "\u0650\u064a"),
        # The article: sukun before moon letters.
        (f"^((?:[\u0648\u0641]\u064e)?(?:[\u0628\u0643][\u0650\u064e])?\u0627\u0644)(?=\u0622|[{_MOON}]{_MARK})", "\\1\u0652"),
        (f"(?<!^)(?!\u0644[\u0623\u0625])({_CONSONANT})(?={_CONSONANT}[\u064b-\u0650\u0652])(?<!^\u0627\u0644)", "\\1\u0652"),
        ("\u0644\u0650?\u0644\u0652?(\u0647[\u064e\u064f\u0650]?)$", "\u0644\u0644\u0651\u064e\\1"),  # the name of God
        ("^((?:[\u0648\u0641]\u064e)?)\u0644(?=\u0644\u0651\u064e\u0647)", "\\1\u0644\u0650"),
    )
)  # fmt: skip
_UNMARKED = {
    "\u0644\u0627": "\u0644\u064e\u0627",
    "\u0645\u0627": "\u0645\u064e\u0627",
    "\u064a\u0627": "\u064a\u064e\u0627",
    "\u0641\u064a": "\u0641\u0650\u064a",
}


def normalize_arabic(line: str) -> str:
    """Write marks as most of the texts do: fatha before every alef, tanwin before its alef, sukun on the article, nothing on alef wasla.

    Tatweel and dagger alef are removed, since standard spelling has neither. Words without any mark stay as they are.
    """
    line = line.replace("\u0640", "").replace("\u0670", "").replace("\u0671", "\u0627")
    return ARABIC.word.sub(lambda word: _normalize_word(word[0]), line)


@cache
def _normalize_word(word: str) -> str:
    if not re.search(_MARK, word):
        return _UNMARKED.get(word, word)
    for pattern, new in _RULES:
        word = pattern.sub(new, word)
    return word
