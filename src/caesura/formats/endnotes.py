"""Utterances with endnotes: the signs that end an intonation unit, standing as tokens among the words.

Shared by transcripts, tables of turns and Rezonator projects. A speaker's tokens, in order of the turns, are one track; an endnote
is a typed boundary after the token before it, the closing one included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from caesura.errors import FormatError
from caesura.formats.signatures import parse_list, parse_table
from caesura.model import Annotation, Corpus, Segmentation

#: Rising, falling, continuing, truncated, unclassified (Du Bois and others).
ENDNOTES = "? . , -- ;"

#: Signs that stand for another endnote.
ALIASES = "—=--"


class EndnoteOptions(TypedDict, total=False):
    """What every reader of utterances takes beside its own options: what :meth:`Convention.of` takes."""

    endnotes: Sequence[str] | str
    aliases: Mapping[str, str] | str
    attached: bool
    unmarked: str | None


@dataclass(frozen=True)
class Convention:
    """Which tokens are endnotes, what stands for them, and how a line without one ends."""

    endnotes: frozenset[str]
    aliases: Mapping[str, str]
    attached: bool
    unmarked: str | None

    @classmethod
    def of(
        cls,
        *,
        endnotes: Sequence[str] | str = ENDNOTES,
        aliases: Mapping[str, str] | str = ALIASES,
        attached: bool = False,
        unmarked: str | None = None,
    ) -> Convention:
        """Take the options as a reader gets them."""
        known = frozenset(parse_list(endnotes, None))
        if not known:
            raise FormatError(None, None, "endnotes= names no endnote.")
        return cls(known, parse_table(aliases), attached, unmarked)

    def endnote(self, token: str) -> str | None:
        """Return the endnote that a token is, or None for a word."""
        meant = self.aliases.get(token, token)
        return meant if meant in self.endnotes else None

    def tokens(self, utterance: str) -> list[str]:
        """Split an utterance; where endnotes hang on words (``attached``), take them off."""
        words = utterance.split()
        return [part for word in words for part in self._part_word(word)] if self.attached else words

    def _part_word(self, word: str) -> list[str]:
        signs = sorted({*self.endnotes, *self.aliases}, key=len, reverse=True)
        for sign in signs:
            if word.endswith(sign) and word != sign:
                return [word[: -len(sign)], sign]
        return [word]


@dataclass
class Speech:
    """One text by one annotator, as it is put together utterance by utterance."""

    convention: Convention
    path: Path
    words: dict[str, list[str]] = field(default_factory=dict)
    marks: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def say(self, speaker: str, utterance: str, line: int | None) -> None:
        """Add what a speaker says next."""
        self.add(speaker, self.convention.tokens(utterance), line)

    def add(self, speaker: str, tokens: Iterable[str], line: int | None) -> None:
        """Add a speaker's next tokens, endnotes among them."""
        words, marks = self.words.setdefault(speaker, []), self.marks.setdefault(speaker, [])
        before = len(words)
        for token in tokens:
            if (sign := self.convention.endnote(token)) is None:
                words.append(token)
            else:
                self.end(speaker, sign, line)
        if self.convention.unmarked is not None and len(words) > before and not (marks and marks[-1][0] == len(words)):
            marks.append((len(words), self.convention.unmarked))

    def end(self, speaker: str, sign: str, line: int | None) -> None:
        """Put an endnote after the speaker's last token."""
        words, marks = self.words.setdefault(speaker, []), self.marks.setdefault(speaker, [])
        if not words:
            raise FormatError(self.path, line, f"the endnote {sign!r} stands before the first word of {_who(speaker)}.")
        if marks and marks[-1][0] == len(words):
            raise FormatError(
                self.path,
                line,
                f"token {len(words)} of {_who(speaker)}, {words[-1]!r}, has two endnotes, {marks[-1][1]!r} and {sign!r}; "
                "expected one.",
            )
        marks.append((len(words), sign))

    def annotations(self, item: str, coder: str) -> Iterator[Annotation]:
        """Give one annotation per speaker, in order of first words."""
        for speaker, words in self.words.items():
            at = [""] * len(words)
            for position, sign in self.marks[speaker]:
                at[position - 1] = sign
            yield Annotation(item, coder, Segmentation.from_labels_at(at, units=words), speaker)


def utterances(corpus: Corpus, item: str, coder: str) -> Iterator[tuple[str, str]]:
    """Write one coder's text back as (speaker, utterance), an utterance up to every endnote, speaker after speaker."""
    for a in corpus:
        if (a.item, a.coder) != (item, coder) or not isinstance(a.marks, Segmentation):
            continue
        words = a.marks.units or ()
        signs = {int(p): str(t) for p, t in a.marks.marks}
        if not words:
            yield a.track, ""
        edges = [0, *sorted(signs), len(words)]
        for start, end in pairwise(edges):
            if start < end:
                yield a.track, " ".join([*words[start:end], *([signs[end]] if end in signs else [])])


def _who(speaker: str) -> str:
    return f"speaker {speaker!r}" if speaker else "the text"
