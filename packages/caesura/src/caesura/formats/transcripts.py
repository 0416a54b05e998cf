"""Transcripts whose intonation units end with an endnote: plain text (``transcript``), CSV of turns, and Rezonator projects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypedDict, Unpack

from caesura.errors import FormatError
from caesura.files import Source, load_json
from caesura.formats.columns import parse_header
from caesura.formats.tables import read_table, write_table
from caesura.model import Annotation, Corpus, Segmentation
from caesura.model.provenance import add_note
from caesura.options import parse_list, parse_mapping
from caesura.text import pluralize

# ---------------------------------------------------------------------- endnotes
# An endnote is a token that ends an intonation unit. The tokens of a speaker, in the order of the turns, are one track; an endnote is a
# typed boundary after the token before it, also at the end of the text.

#: Rising, falling, continuing, truncated, unclassified (Du Bois et al.).
ENDNOTES = "? . , -- ;"

#: The endnote of units that have none, in segsimflex and here.
UNCLASSIFIED = ";"

#: The last token of a unit that is no boundary, so that our own files can be read back.
NO_BOUNDARY = "∅"

#: Tokens that are read as another endnote.
ALIASES = "—=--"


class EndnoteOptions(TypedDict, total=False):
    """Options that all readers of utterances share, see :meth:`EndnoteConvention.from_options`."""

    endnotes: Sequence[str] | str
    aliases: Mapping[str, str] | str
    attached: bool
    unmarked: str | None


@dataclass(frozen=True)
class EndnoteConvention:
    """Which tokens are endnotes or aliases of endnotes, and which type a line without one gets."""

    endnotes: frozenset[str]
    aliases: Mapping[str, str]
    attached: bool
    unmarked: str | None

    @classmethod
    def from_options(
        cls,
        *,
        endnotes: Sequence[str] | str = ENDNOTES,
        aliases: Mapping[str, str] | str = ALIASES,
        attached: bool = False,
        unmarked: str | None = None,
    ) -> EndnoteConvention:
        """Return the convention for the options of a reader; ``unmarked="none"`` is no boundary."""
        known = frozenset(parse_list(endnotes, None))
        if not known:
            raise FormatError(None, None, "endnotes= is empty; expected endnotes separated by spaces.")
        return cls(known, parse_mapping(aliases), attached, None if unmarked in (None, "", "none") else unmarked)

    def endnote(self, token: str) -> str | None:
        """Return the endnote that a token stands for, or None for a word."""
        resolved = self.aliases.get(token, token)
        return resolved if resolved in self.endnotes else None

    def tokens(self, utterance: str) -> list[str]:
        """Split an utterance into tokens; with ``attached`` also split endnotes from the end of words."""
        words = utterance.split()
        return [part for word in words for part in self._split_word(word)] if self.attached else words

    def _split_word(self, word: str) -> list[str]:
        for endnote in sorted({*self.endnotes, *self.aliases}, key=len, reverse=True):
            if word.endswith(endnote) and word != endnote:
                return [word[: -len(endnote)], endnote]
        return [word]


@dataclass
class TranscriptBuilder:
    """Builds the annotations of one item and coder, utterance by utterance."""

    convention: EndnoteConvention
    path: Path
    words: dict[str, list[str]] = field(default_factory=dict)
    marks: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    unmarked: list[int | None] = field(default_factory=list)
    read_as_words: list[tuple[int | None, str]] = field(default_factory=list)

    def add_utterance(self, speaker: str, utterance: str, line: int | None) -> None:
        """Add the next utterance of a speaker."""
        self.add_tokens(speaker, self.convention.tokens(utterance), line)

    def add_unit(self, speaker: str, tokens: Sequence[str], line: int | None) -> None:
        """Add one intonation unit, as a row of turns or a unit of Rezonator: endnotes at its beginning end nothing, so they are words; ``∅`` at its end is no boundary."""
        words = self.words.setdefault(speaker, [])
        self.marks.setdefault(speaker, [])
        if len(tokens) > 1 and tokens[-1] == NO_BOUNDARY and NO_BOUNDARY not in self.convention.endnotes:
            words.extend(tokens[:-1])
            return
        start = 0
        while start < len(tokens) - 1 and self.convention.endnote(tokens[start]) is not None:
            words.append(tokens[start])
            self.read_as_words.append((line, tokens[start]))
            start += 1
        self.add_tokens(speaker, tokens[start:], line, new=start)

    def add_tokens(self, speaker: str, tokens: Iterable[str], line: int | None, new: int = 0) -> None:
        """Add the next words and endnotes of a speaker, of which ``new`` words of the same utterance were added already."""
        words, marks = self.words.setdefault(speaker, []), self.marks.setdefault(speaker, [])
        before = len(words) - new
        for token in tokens:
            if (endnote := self.convention.endnote(token)) is None:
                words.append(token)
            else:
                self._add_endnote(speaker, endnote, line)
        if len(words) > before and not (marks and marks[-1][0] == len(words)):
            self.unmarked.append(line)
            if self.convention.unmarked is not None:
                marks.append((len(words), self.convention.unmarked))

    def note(self, unit: str, given: bool) -> None:
        """Note units without an endnote, unless the user said how to read them, and endnotes read as words."""
        if self.unmarked and not given:
            add_note(
                "no endnote",
                f"{self.path}: {pluralize(len(self.unmarked), unit)} without an endnote{_at(self.unmarked[0])} got the endnote "
                f"{self.convention.unmarked!r}, as in segsimflex; choose another with unmarked=, or unmarked=none for no boundary.",
                count=len(self.unmarked),
                file=str(self.path),
                chosen={"unmarked": self.convention.unmarked or "none"},
                others=("-O unmarked=none",),
            )
        if self.read_as_words:
            line, token = self.read_as_words[0]
            count = pluralize(len(self.read_as_words), "endnote")
            text = f"{self.path}: {count} at the beginning of a {unit} ({token!r}{_at(line)}) read as words."
            add_note("endnotes as words", text, count=len(self.read_as_words), example=token, file=str(self.path))

    def _add_endnote(self, speaker: str, endnote: str, line: int | None) -> None:
        words, marks = self.words[speaker], self.marks[speaker]
        whose = f"speaker {speaker!r}" if speaker else "the text"
        if not words:
            raise FormatError(self.path, line, f"the endnote {endnote!r} precedes the first word of {whose}.")
        if marks and marks[-1][0] == len(words):
            raise FormatError(
                self.path,
                line,
                f"token {len(words)} of {whose}, {words[-1]!r}, has two endnotes, {marks[-1][1]!r} and {endnote!r}; "
                "expected one.",
            )
        marks.append((len(words), endnote))

    def annotations(self, item: str, coder: str) -> Iterator[Annotation]:
        """Iterate over the annotations, one per speaker, in the order in which they first speak."""
        for speaker, words in self.words.items():
            labels = [""] * len(words)
            for position, endnote in self.marks[speaker]:
                labels[position - 1] = endnote
            yield Annotation(item, coder, Segmentation.from_labels_at(labels, units=words), speaker)


def _at(line: int | None) -> str:
    return "" if line is None else f", first in line {line}"


def utterances(corpus: Corpus, item: str, coder: str, unended: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Iterate over (speaker, utterance) of one coder, speaker after speaker; every endnote ends an utterance.

    ``unended`` are tokens that are added to an utterance without an endnote.
    """
    for a in corpus:
        if (a.item, a.coder) != (item, coder) or not isinstance(a.marks, Segmentation):
            continue
        words = a.marks.units or ()
        endnotes = {int(p): str(t) for p, t in a.marks.marks}
        if not words:
            yield a.track, ""
        edges = [0, *sorted(endnotes), len(words)]
        for start, end in pairwise(edges):
            if start < end:
                yield a.track, " ".join([*words[start:end], *([endnotes[end]] if end in endnotes else unended)])


# ---------------------------------------------------------------------- transcript
# One turn per line, ``JOHN: Hello , how are you ?``. A line without a speaker continues the turn before. Tokens are separated by spaces;
# endnotes are tokens of their own.

_CHAT = re.compile(r"^@(?:UTF8|Begin)[ \t]*$", re.MULTILINE)
_TURN = re.compile(r"\s*([^\s:][^:]{0,40}?)\s*:(?:\s+(.*)|$)")


def sniff_transcript(head: str) -> bool:
    """Recognise a file in which most lines name a speaker and some end with an endnote; CHAT too, for a better error."""
    if _CHAT.search(head):
        return True
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    turns = [turn for line in lines if (turn := _TURN.fullmatch(line))]
    ended = sum(bool(re.search(r"(?:[?.,;]|--|—)\s*$", line)) for line in lines)
    return bool(lines) and len(turns) * 2 >= len(lines) and ended > 0


def read_transcript(source: Source, *, speakers: bool = True, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read one text by one annotator; one track per speaker.

    Parameters
    ----------
    endnotes : sequence of str or str, default '? . , -- ;'
        The tokens that are endnotes, separated by spaces.
    aliases : mapping of str to str or str, default '—=--'
        Tokens that are read as an endnote, ``OLD=NEW``: ``—=--`` reads an em dash as a truncation.
    attached : bool, default False
        Whether endnotes are attached to the word before (``are you?``).
    unmarked : str, default None
        The type of the end of a line without an endnote; None: it is no boundary.
    speakers : bool, default True
        Whether lines begin with a speaker; otherwise all lines are one track, and colons are part of the text.
    """
    if chat := _CHAT.search(source.text):
        raise source.error(
            source.text.count("\n", 0, chat.start()) + 1,
            f"this is a CHAT transcript ({chat[0].strip()}); read it with format=chat (--format chat).",
        )
    speech = TranscriptBuilder(EndnoteConvention.from_options(**conventions), source.path)
    speaker = ""
    for number, line in source.lines:
        turn = _TURN.fullmatch(line) if speakers else None
        if turn is not None:
            speaker = turn[1]
        words = (turn[2] or "") if turn is not None else line
        if words.strip() or turn is not None:
            speech.add_utterance(speaker, words, number)
    if not any(speech.words.values()):
        raise source.error(None, "the transcript contains no words.")
    return Corpus.from_annotations(speech.annotations(source.stem, ""))


def write_transcript(corpus: Corpus) -> str:
    """Write one line per endnote, speaker after speaker, because a corpus does not store the order of turns."""
    first = corpus.annotation(0)
    return "".join(
        f"{speaker}: {words}\n" if speaker else f"{words}\n"
        for speaker, words in utterances(corpus, first.item, first.coder)
    )


# ---------------------------------------------------------------------- turns
# CSV with the columns Turn, Speaker and Utterance, as segsimflex reads it; endnotes are tokens of the utterance. Item and Coder are
# optional columns.


def sniff_turns(head: str) -> bool:
    """Recognise the columns 'speaker' and 'utterance'."""
    return {"speaker", "utterance"} <= set(parse_header(head))


def _units_end(conventions: EndnoteOptions) -> EndnoteOptions:
    """Return the options with ``;`` as the default for units without an endnote."""
    return EndnoteOptions(**{"unmarked": UNCLASSIFIED, **conventions})


def read_turns(source: Source, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read one track per speaker, with the options of transcripts.

    A row is an intonation unit: one without an endnote ends with ``;`` (unclassified), as in segsimflex, unless ``unmarked`` says otherwise.
    """
    given, convention = "unmarked" in conventions, EndnoteConvention.from_options(**_units_end(conventions))
    texts: dict[tuple[str, str], TranscriptBuilder] = {}
    for row in read_table(source, needs=("speaker", "utterance")):
        key = row.get("item", source.stem), row.get("coder")
        speech = texts.setdefault(key, TranscriptBuilder(convention, source.path))
        speech.add_unit(row["speaker"].strip(), convention.tokens(row["utterance"]), row.line)
    if not any(words for speech in texts.values() for words in speech.words.values()):
        raise source.error(None, "the utterances contain no words.")
    for speech in texts.values():
        speech.note("row", given)
    return Corpus.from_annotations(a for key, speech in texts.items() for a in speech.annotations(*key))


def write_turns(corpus: Corpus) -> str:
    """Write one row per utterance, speaker after speaker."""
    keys = dict.fromkeys((a.item, a.coder) for a in corpus)
    rows = [
        (item, coder, turn, speaker, words)
        for item, coder in keys
        for turn, (speaker, words) in enumerate(utterances(corpus, item, coder, [NO_BOUNDARY]), 1)
    ]
    return write_table(("Item", "Coder", "Turn", "Speaker", "Utterance"), rows)


# ---------------------------------------------------------------------- rezonator
# JSON with a map of nodes: units, their entries, and the tokens to which entries point. A unit is an intonation unit of one participant;
# its endnote is its last token or the tag ``endNote`` of its last token.

#: Tags that may hold the words of a token and the speaker of a unit, the most common first.
_TEXT_TAGS = ("text", "Utterance", "word", "Word", "transcript")
_SPEAKER_TAGS = ("participant", "Participant", "Speaker", "speaker")


def sniff_rezonator(head: str) -> bool:
    """Recognise the root of a Rezonator project."""
    return head.lstrip().startswith("{") and '"ROOT"' in head[:200]


def read_rezonator(source: Source, *, text: str | None = None, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read one track per participant; the other options are those of transcripts, and ``unmarked`` is ``;`` by default as in turns.

    Parameters
    ----------
    text : str, default None
        The tag that holds the words of a token; None: the first of ``text``, ``Utterance``, ``word`` and ``transcript`` that exists.
    """
    nodes, given = _nodes(source), "unmarked" in conventions
    speech = TranscriptBuilder(EndnoteConvention.from_options(**_units_end(conventions)), source.path)
    units = sorted((n for n in nodes.values() if n.get("type") == "unit"), key=_order)
    for unit in units:
        tokens = _tokens(source, nodes, unit)
        spoken: list[str] = []
        for token in tokens:
            tags = token.get("tagMap") or {}
            spoken += speech.convention.tokens(_tag(source, tags, (text,) if text else _TEXT_TAGS))
            if endnote := str(tags.get("endNote") or "").strip():
                spoken.append(endnote)
        speech.add_unit(_speaker(unit), spoken, None)
    if not any(speech.words.values()):
        raise source.error(None, "the project contains no unit with words.")
    speech.note("unit", given)
    return Corpus.from_annotations(speech.annotations(source.stem, ""))


def write_rezonator(corpus: Corpus) -> str:
    """Write the node map of a project: a document, its units, entries and tokens."""
    first = corpus.annotation(0)
    nodes: dict[str, Any] = {"doc": {"type": "doc", "unitList": []}}
    for u, (speaker, words) in enumerate(utterances(corpus, first.item, first.coder, [NO_BOUNDARY]), 1):
        unit = f"unit{u}"
        entries = []
        for t, word in enumerate(words.split(), 1):
            token, entry = f"token{u}_{t}", f"entry{u}_{t}"
            tags = {"text": word, "endNote": ""}
            nodes[token] = {"type": "token", "unit": unit, "doc": "doc", "tokenOrder": t, "tagMap": tags}
            nodes[entry] = {"type": "entry", "unit": unit, "token": token}
            entries.append(entry)
        tags = {"unitSeq": str(u), "participant": speaker}
        nodes[unit] = {"type": "unit", "doc": "doc", "unitSeq": u, "entryList": entries, "tagMap": tags}
        nodes["doc"]["unitList"].append(unit)
    return json.dumps({"ROOT": [{"docNode": "doc", "nodeMap": nodes}]}, ensure_ascii=False, indent=1) + "\n"


def structure_rezonator(source: Source) -> dict[str, int]:
    """Count nodes that are no units, entries or tokens: chains, stacks, trees and others."""
    nodes = _nodes(source).values()
    return {"other node": sum(node.get("type") not in ("doc", "unit", "entry", "token") for node in nodes)}


def _nodes(source: Source) -> dict[str, dict[str, Any]]:
    data = load_json(source)
    root = data.get("ROOT") if isinstance(data, dict) else None
    nodes = root[0].get("nodeMap") if isinstance(root, list) and root and isinstance(root[0], dict) else None
    if not isinstance(nodes, dict):
        raise source.error(None, 'expected a Rezonator project: {"ROOT": [{"nodeMap": …}]}.')
    return {name: node for name, node in nodes.items() if isinstance(node, dict)}


def _tokens(source: Source, nodes: dict[str, dict[str, Any]], unit: dict[str, Any]) -> list[dict[str, Any]]:
    tokens = []
    for name in unit.get("entryList") or unit.get("tokenList") or []:
        entry = nodes.get(str(name))
        token = nodes.get(str(entry.get("token"))) if entry is not None and entry.get("type") == "entry" else entry
        if token is None:
            raise source.error(None, f"a unit refers to the entry {name!r}, which has no token.")
        tokens.append(token)
    return tokens


def _tag(source: Source, tags: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        if name in tags:
            return str(tags[name])
    known = ", ".join(sorted(map(str, tags))) or "none"
    raise source.error(None, f"a token has no tag {names[0]!r}; choose one with text= ({known}).")


def _speaker(unit: dict[str, Any]) -> str:
    tags = unit.get("tagMap") or {}
    named = next((str(tags[name]) for name in _SPEAKER_TAGS if tags.get(name)), str(unit.get("participantID") or ""))
    return named.strip().rstrip(":").strip()


def _order(unit: dict[str, Any]) -> float:
    try:
        return float(unit.get("unitSeq") or 0)
    except (TypeError, ValueError, OverflowError):
        return 0.0


TRANSCRIPT = SimpleNamespace(read=read_transcript, write=write_transcript, sniff=sniff_transcript)
TURNS = SimpleNamespace(read=read_turns, write=write_turns, sniff=sniff_turns)
REZONATOR = SimpleNamespace(
    read=read_rezonator, write=write_rezonator, sniff=sniff_rezonator, structure=structure_rezonator
)
