"""CHAT, the transcripts of CHILDES and TalkBank.

``level`` chooses what is read: ``words`` (units are words, with a track per speaker; the type of a boundary is the utterance terminator),
``utterances`` (units are utterances; segments are turns, named by their speaker) or ``time`` (spans between time bullets, with a track per
speaker). Headers and dependent tiers (%mor …) become attributes of the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, zip_longest
from typing import Any, Literal

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.speech.cues import Cue, corpus_of_cues
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Annotation, Corpus, Segmentation

ChatLevel = Literal["words", "utterances", "time"]

#: Utterance terminators, the longest first, because some end with others.
TERMINATORS = ("+//?", "+//.", "+//!", '+"/.', "+...", "+..?", "+/?", "+/.", "+!?", '+".', "+.", ".", "?", "!")
#: The type of the end of an utterance without a terminator.
UNMARKED = "unmarked"

_HEADER = re.compile(r"@([^:\t]+)(?::\s*(.*))?", re.DOTALL)
_TIER = re.compile(r"([*%])([^\s:]+):\s*(.*)", re.DOTALL)
# The group is atomic: if no bullet closes after the first pair of times, none closes after a later pair, and trying all of them would
# take quadratic time.
BULLET = re.compile(r"[\x15•](?>[^\x15•]*?(?<!\d)(\d{1,12})_(\d{1,12})(?!\d))[^\x15•]*+[\x15•]")
# An unclosed code matches to the end, see _blank_code; if it did not match, every "[" would be tried up to the end of the line.
_CODE = re.compile(r"\[[^\]]*+\]?|[<>]")
_TOKEN = re.compile(r"\S+")
_PAUSE = re.compile(r"\((?:\.+|[\d.:]+)\)")
_SEPARATORS = frozenset([",", ";", ":", "„", "‡", "0"])
_FILE_HEADERS = ("UTF8", "Begin", "End")
_UNKNOWN_SPEAKER = "UNK"
_MOST_TIERS = (
    256  # kinds of dependent tiers; each becomes a list with a cell per utterance, so their product must stay small
)


@dataclass
class Utterance:
    """An utterance: speaker, content with codes and time bullets, line, and dependent tiers."""

    speaker: str
    content: str
    line: int
    tiers: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The utterance with its codes, without time bullets."""
        return " ".join(BULLET.sub(" ", self.content).split())

    @property
    def words(self) -> list[tuple[str, str]]:
        """All words, each with the terminator after it, or ""."""
        return [(word, end) for word, end, _ in words_with_places(self.text)]

    @property
    def cues(self) -> Iterator[Cue]:
        """The text before each time bullet, as cues."""
        at = 0
        for bullet in BULLET.finditer(self.content):
            text = " ".join(self.content[at : bullet.start()].split())
            yield Cue(int(bullet[1]) / 1000, int(bullet[2]) / 1000, text, self.speaker, self.line)
            at = bullet.end()


def words_with_places(text: str) -> list[tuple[str, str, int]]:
    """Return the words of an utterance, each with the terminator after it, or "", and the place of its first character."""
    words: list[tuple[str, str, int]] = []
    plain = _CODE.sub(_blank_code, BULLET.sub(_blank, text))
    for token in _TOKEN.finditer(plain):
        if token[0] in TERMINATORS:
            if words:
                words[-1] = (words[-1][0], token[0], words[-1][2])
        elif not (token[0] in _SEPARATORS or token[0].startswith(("&=", "+")) or _PAUSE.fullmatch(token[0])):
            words.append((token[0], "", token.start()))
    if words and not words[-1][1]:
        words[-1] = (*_split_terminator(words[-1][0]), words[-1][2])
    return words


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _blank_code(code: re.Match[str]) -> str:
    """Return blanks in place of a code, or the text itself without < and > if the code is not closed."""
    closed = not code[0].startswith("[") or code[0].endswith("]")
    return " " * len(code[0]) if closed else code[0].replace("<", " ").replace(">", " ")


def sniff(head: str) -> bool:
    """Recognise the first lines of a transcript."""
    return re.search(r"^@(?:UTF8|Begin)[ \t]*$", head, re.MULTILINE) is not None


def read(source: Source, *, level: ChatLevel = "words", length: float | None = None) -> Corpus:
    """Read one conversation.

    Parameters
    ----------
    level : {'words', 'utterances', 'time'}, default 'words'
        Whether to read words, utterances or times.
    length : float, default None
        The length of the recording, for ``time``; None: to the last bullet.
    """
    if length is not None and level != "time":
        raise source.error(None, f"length= has no effect with level={level}; it is the length of a recording.")
    headers, utterances = _parse(source)
    if not utterances:
        raise source.error(None, "the transcript contains no utterance.")
    if level == "time":
        return _in_time(source, headers, utterances, length)
    if level == "utterances":
        turns = [(speaker, len(list(turn))) for speaker, turn in groupby(u.speaker for u in utterances)]
        ends, names = list(accumulate(size for _, size in turns)), [speaker for speaker, _ in turns]
        marks = Segmentation(len(utterances), ends[:-1], units=[u.text for u in utterances], names=names)
        return _corpus([Annotation(source.stem, "", marks)], headers, utterances, turns=False)
    return _of_words(source, headers, utterances)


def write(corpus: Corpus, *, level: ChatLevel | None = None) -> Iterator[str]:
    """Write one conversation.

    Parameters
    ----------
    level : {'words', 'utterances', 'time'}, default None
        The level at which it will be read; None: the one that fits the corpus.
    """
    item = corpus.items[0] if corpus.items else ""
    known = corpus.attributes.get(item, {})
    if level is None:
        level = "time" if corpus.kind != "units" else "words" if corpus.typed else "utterances"
    lines = {"time": _lines_in_time, "utterances": _lines_of_turns, "words": _lines_of_words}[level](corpus)
    yield "@UTF8\n@Begin\n"
    given = {name for name in known if name.startswith(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))}
    for name, value in _usual_headers(corpus).items():
        if name not in given:
            yield f"@{name}:\t{value}\n"
    for name in given:
        values = known[name] if isinstance(known[name], list | tuple) else [known[name]]
        yield from (f"@{name}:\t{value}\n" if value else f"@{name}\n" for value in values)
    tiers = {name: value for name, value in known.items() if name.startswith("%")}
    for number, (speaker, text) in enumerate(_in_order(lines, known.get("speakers"))):
        yield f"*{speaker or _UNKNOWN_SPEAKER}:\t{text}\n"
        for name, values in tiers.items():
            if isinstance(values, list | tuple) and number < len(values) and values[number]:
                yield f"{name}:\t{values[number]}\n"
    yield "@End\n"


# ---------------------------------------------------------------------- reading


def _parse(source: Source) -> tuple[dict[str, Any], list[Utterance]]:
    headers: dict[str, list[str]] = {}
    utterances: list[Utterance] = []
    kinds: set[str] = set()
    for number, line in _joined_lines(source):
        if header := _HEADER.fullmatch(line):
            headers.setdefault(header[1].strip(), []).append(" ".join((header[2] or "").split()))
        elif not (tier := _TIER.fullmatch(line)):
            why = f"expected a header (@), an utterance (*WHO:) or a dependent tier (%NAME:), found {line.strip()[:60]!r}."
            raise source.error(number, why)
        elif tier[1] == "*":
            if "\x15" in BULLET.sub("", tier[3]):
                raise source.error(number, "a time bullet is damaged; expected milliseconds such as 1200_3400.")
            utterances.append(Utterance(tier[2], tier[3], number))
        elif not utterances:
            raise source.error(number, f"the tier %{tier[2]} precedes all utterances.")
        else:
            utterances[-1].tiers[f"%{tier[2]}"] = " ".join(tier[3].split())
            kinds.add(tier[2])
            if len(kinds) > _MOST_TIERS:
                raise source.error(number, f"the transcript has more than {_MOST_TIERS} kinds of dependent tiers.")
    known = {
        name: values[0] if len(values) == 1 else values for name, values in headers.items() if name not in _FILE_HEADERS
    }
    return known, utterances


def _joined_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Iterate over lines, each joined with its continuation lines, which begin with a tab or a space."""
    start, parts = 0, list[str]()
    for number, line in source.nonblank_lines():
        if line[0] in "\t " and parts:
            parts.append(line.strip())
            continue
        if parts:
            yield start, " ".join(parts)
        start, parts = number, [line]
    if parts:
        yield start, " ".join(parts)


def _split_terminator(word: str) -> tuple[str, str]:
    """Split a terminator from the last word of an utterance."""
    for end in TERMINATORS:
        if word.endswith(end) and len(word) > len(end):
            return word.removesuffix(end), end
    return word, UNMARKED


def _of_words(source: Source, headers: dict[str, Any], utterances: list[Utterance]) -> Corpus:
    streams: dict[str, list[tuple[str, str]]] = {}
    for utterance in utterances:
        if utterance.words:
            streams.setdefault(utterance.speaker, []).extend(utterance.words)
    if not streams:
        raise source.error(None, "the transcript contains no word; read level=utterances.")
    annotations = []
    for speaker, words in streams.items():
        marks = Segmentation.from_labels_at([end for _, end in words], units=[word for word, _ in words])
        annotations.append(Annotation(source.stem, "", marks, speaker))
    parts = [u for u in utterances for _, end in u.words if end]
    return _corpus(annotations, headers, parts)


def _in_time(source: Source, headers: dict[str, Any], utterances: list[Utterance], length: float | None) -> Corpus:
    cues = [cue for utterance in utterances for cue in utterance.cues]
    if not cues:
        raise source.error(None, "no utterance has a time bullet; read level=words or level=utterances.")
    corpus = corpus_of_cues(source, cues, {} if length is None else {"length": length})
    return _corpus(corpus, headers, [u for u in utterances for cue in u.cues if cue.start != cue.end])


def _corpus(
    annotations: Iterable[Annotation], headers: dict[str, Any], parts: Sequence[Utterance], *, turns: bool = True
) -> Corpus:
    """Return the corpus with headers, dependent tiers and the order of speakers as attributes.

    ``parts`` contains an utterance as often as it was split; its tiers belong to the last part.
    """
    corpus = Corpus.from_annotations(annotations)
    usual = _usual_headers(corpus)
    known = {name: value for name, value in headers.items() if usual.get(name) != value}
    last = [u is not following for u, following in zip_longest(parts, parts[1:])]
    for name in dict.fromkeys(name for u in parts for name in u.tiers):
        known[name] = [u.tiers.get(name, "") if ends else "" for u, ends in zip(parts, last, strict=True)]
    order = [u.speaker for u in parts]
    if turns and len(list(groupby(order))) > len(set(order)):
        known["speakers"] = order
    return Corpus.from_annotations(corpus, labels=corpus.labels, attributes={corpus.items[0]: known})


# ---------------------------------------------------------------------- writing


def _usual_headers(corpus: Corpus) -> dict[str, str]:
    """Return the default values of required headers."""
    named = {name for a in corpus for name in (getattr(a.marks, "names", None) or ())} if corpus.kind == "units" else ()
    speakers = sorted({a.track for a in corpus if a.track} | set(named)) or [_UNKNOWN_SPEAKER]
    return {"Languages": "und", "Participants": ", ".join(f"{speaker} Participant" for speaker in speakers)}


def _lines_of_words(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for _, _, marks, track in corpus:
        if not isinstance(marks, Segmentation) or marks.units is None:
            raise FormatError(None, None, "level=words needs a corpus with text.")
        typed = [(int(place), str(end)) for place, end in marks.marks] if marks.typed else []
        ends = dict(typed or [(place, UNMARKED) for place in marks.positions.tolist()])
        if wrong := next((end for end in ends.values() if end not in (*TERMINATORS, UNMARKED)), None):
            listed = " ".join(TERMINATORS)
            raise FormatError(None, None, f"CHAT ends an utterance with one of {listed}, not with {wrong!r}.")
        start = 0
        for place in sorted({*ends, len(marks.units)} - {0}):
            words = [*marks.units[start:place], *([ends[place]] if ends.get(place, UNMARKED) != UNMARKED else [])]
            yield track, " ".join(words)
            start = place


def _lines_of_turns(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for _, _, marks, _ in corpus:
        if not isinstance(marks, Segmentation) or marks.units is None:
            raise FormatError(None, None, "level=utterances needs a corpus with text.")
        names = marks.names if marks.names is not None else ("",) * len(marks.spans)
        for (first, last), speaker in zip(marks.spans, names, strict=True):
            yield from ((speaker, unit) for unit in marks.units[int(first) - 1 : int(last)])


def _lines_in_time(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for _, track, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            yield track, f"{text} \x15{round(start * 1000)}_{round(end * 1000)}\x15".strip()


def _in_order(lines: Iterable[tuple[str, str]], order: Any) -> Iterator[tuple[str, str]]:
    """Iterate over utterances in the order of turns, if it is known and matches the speakers."""
    listed = list(lines)
    waiting: dict[str, list[str]] = {}
    for speaker, text in listed:
        waiting.setdefault(speaker, []).append(text)
    if not isinstance(order, list | tuple) or sorted(map(str, order)) != sorted(speaker for speaker, _ in listed):
        yield from listed
        return
    places = {speaker: iter(texts) for speaker, texts in waiting.items()}
    yield from ((str(speaker), next(places[str(speaker)])) for speaker in order)
