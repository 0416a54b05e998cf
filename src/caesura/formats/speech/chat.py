"""CHAT, the transcripts of CHILDES and TalkBank: who says what, how every utterance ends, and when.

``level`` says what is read: ``words`` (units are words, a track per speaker, boundaries typed by what ends the utterance), ``utterances`` (units
are utterances, segments the turns, named by their speaker) or ``time`` (what the time bullets say: spans, a track per speaker). Headers and
dependent tiers (%mor …) become attributes of the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, zip_longest
from typing import Any, Literal

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.speech.cues import Cue, corpus_of_cues
from caesura.formats.speech.intervals import intervals_of, segments
from caesura.model import Annotation, Corpus, Segmentation

Level = Literal["words", "utterances", "time"]

#: What ends an utterance, the longest first, because some end with others.
TERMINATORS = ("+//?", "+//.", "+//!", '+"/.', "+...", "+..?", "+/?", "+/.", "+!?", '+".', "+.", ".", "?", "!")
#: The type of an end without any of them.
UNMARKED = "unmarked"

_HEADER = re.compile(r"@([^:\t]+)(?::\s*(.*))?", re.DOTALL)
_TIER = re.compile(r"([*%])([^\s:]+):\s*(.*)", re.DOTALL)
_BULLET = re.compile(r"[\x15•][^\x15•]*?(?<!\d)(\d{1,12})_(\d{1,12})(?!\d)[^\x15•]*[\x15•]")
_CODE = re.compile(r"\[[^\]]*\]|[<>]")
_PAUSE = re.compile(r"\((?:\.+|[\d.:]+)\)")
_SEPARATORS = frozenset([",", ";", ":", "„", "‡", "0"])
_FRAMES = ("UTF8", "Begin", "End")
_NOBODY = "UNK"


@dataclass
class _Utterance:
    speaker: str
    content: str
    line: int
    tiers: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What was said, codes included, times left out."""
        return " ".join(_BULLET.sub(" ", self.content).split())

    @property
    def words(self) -> list[tuple[str, str]]:
        """Every word with what ends an utterance behind it, or ""."""
        words: list[tuple[str, str]] = []
        for token in _CODE.sub(" ", self.text).split():
            if token in TERMINATORS:
                if words:
                    words[-1] = (words[-1][0], token)
            elif not (token in _SEPARATORS or token.startswith(("&=", "+")) or _PAUSE.fullmatch(token)):
                words.append((token, ""))
        if words and not words[-1][1]:
            words[-1] = _take_off(words[-1][0])
        return words

    @property
    def cues(self) -> Iterator[Cue]:
        """What stands before each time bullet."""
        at = 0
        for bullet in _BULLET.finditer(self.content):
            text = " ".join(self.content[at : bullet.start()].split())
            yield Cue(int(bullet[1]) / 1000, int(bullet[2]) / 1000, text, self.speaker, self.line)
            at = bullet.end()


def sniff(head: str) -> bool:
    """Recognise the lines that open a transcript."""
    return re.search(r"^@(?:UTF8|Begin)[ \t]*$", head, re.MULTILINE) is not None


def read(source: Source, *, level: Level = "words", length: float | None = None) -> Corpus:
    """Read one conversation.

    Parameters
    ----------
    level
        ``words``, ``utterances`` or ``time``.
    length
        How long the recording is, for ``time`` (default: to the last bullet).
    """
    if length is not None and level != "time":
        raise source.fault(None, f"length= is that of a recording and has no effect with level={level}.")
    headers, utterances = _parse(source)
    if not utterances:
        raise source.fault(None, "the transcript holds no utterance.")
    if level == "time":
        return _in_time(source, headers, utterances, length)
    if level == "utterances":
        turns = [(speaker, len(list(turn))) for speaker, turn in groupby(u.speaker for u in utterances)]
        ends, names = list(accumulate(size for _, size in turns)), [speaker for speaker, _ in turns]
        marks = Segmentation(len(utterances), ends[:-1], units=[u.text for u in utterances], names=names)
        return _corpus([Annotation(source.stem, "", marks)], headers, utterances, turns=False)
    return _of_words(source, headers, utterances)


def write(corpus: Corpus, *, level: Level | None = None) -> Iterator[str]:
    """Write one conversation; ``level`` as it will be read, by default what the corpus holds."""
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
        yield f"*{speaker or _NOBODY}:\t{text}\n"
        for name, values in tiers.items():
            if isinstance(values, list | tuple) and number < len(values) and values[number]:
                yield f"{name}:\t{values[number]}\n"
    yield "@End\n"


# ---------------------------------------------------------------------- reading


def _parse(source: Source) -> tuple[dict[str, Any], list[_Utterance]]:
    headers: dict[str, list[str]] = {}
    utterances: list[_Utterance] = []
    for number, line in _joined_lines(source):
        if header := _HEADER.fullmatch(line):
            headers.setdefault(header[1].strip(), []).append(" ".join((header[2] or "").split()))
        elif not (tier := _TIER.fullmatch(line)):
            why = f"expected a header (@), an utterance (*WHO:) or a dependent tier (%NAME:), found {line.strip()[:60]!r}."
            raise source.fault(number, why)
        elif tier[1] == "*":
            if "\x15" in _BULLET.sub("", tier[3]):
                raise source.fault(number, "a time bullet is damaged; expected milliseconds such as 1200_3400.")
            utterances.append(_Utterance(tier[2], tier[3], number))
        elif not utterances:
            raise source.fault(number, f"the tier %{tier[2]} stands before any utterance.")
        else:
            utterances[-1].tiers[f"%{tier[2]}"] = " ".join(tier[3].split())
    known = {name: values[0] if len(values) == 1 else values for name, values in headers.items() if name not in _FRAMES}
    return known, utterances


def _joined_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Give every line with those that go on with it, which begin with a tab or a blank."""
    waiting: tuple[int, str] | None = None
    for number, line in source.full_lines():
        if line[0] in "\t " and waiting is not None:
            waiting = (waiting[0], f"{waiting[1]} {line.strip()}")
            continue
        if waiting is not None:
            yield waiting
        waiting = (number, line)
    if waiting is not None:
        yield waiting


def _take_off(word: str) -> tuple[str, str]:
    """Part what hangs on the last word of an utterance from it."""
    for end in TERMINATORS:
        if word.endswith(end) and len(word) > len(end):
            return word.removesuffix(end), end
    return word, UNMARKED


def _of_words(source: Source, headers: dict[str, Any], utterances: list[_Utterance]) -> Corpus:
    streams: dict[str, list[tuple[str, str]]] = {}
    for utterance in utterances:
        if utterance.words:
            streams.setdefault(utterance.speaker, []).extend(utterance.words)
    if not streams:
        raise source.fault(None, "the transcript holds no word; read level=utterances.")
    annotations = []
    for speaker, words in streams.items():
        marks = Segmentation.from_labels_at([end for _, end in words], units=[word for word, _ in words])
        annotations.append(Annotation(source.stem, "", marks, speaker))
    stretches = [u for u in utterances for _, end in u.words if end]
    return _corpus(annotations, headers, stretches)


def _in_time(source: Source, headers: dict[str, Any], utterances: list[_Utterance], length: float | None) -> Corpus:
    cues = [cue for utterance in utterances for cue in utterance.cues]
    if not cues:
        raise source.fault(None, "no utterance has a time bullet; read level=words or level=utterances.")
    corpus = corpus_of_cues(source, cues, {} if length is None else {"length": length})
    return _corpus(corpus, headers, [u for u in utterances for cue in u.cues if cue.start != cue.end])


def _corpus(
    annotations: Iterable[Annotation], headers: dict[str, Any], stretches: Sequence[_Utterance], *, turns: bool = True
) -> Corpus:
    """Put headers, dependent tiers and, where speakers take turns, their order beside the annotations.

    An utterance stands among the stretches as often as it was parted; its tiers belong to the last part.
    """
    corpus = Corpus.from_annotations(annotations)
    usual = _usual_headers(corpus)
    known = {name: value for name, value in headers.items() if usual.get(name) != value}
    last = [u is not behind for u, behind in zip_longest(stretches, stretches[1:])]
    for name in dict.fromkeys(name for u in stretches for name in u.tiers):
        known[name] = [u.tiers.get(name, "") if ends else "" for u, ends in zip(stretches, last, strict=True)]
    order = [u.speaker for u in stretches]
    if turns and len(list(groupby(order))) > len(set(order)):
        known["speakers"] = order
    return Corpus.from_annotations(corpus, labels=corpus.labels, attributes={corpus.items[0]: known})


# ---------------------------------------------------------------------- writing


def _usual_headers(corpus: Corpus) -> dict[str, str]:
    """The headers that every transcript needs, where nobody said others."""
    named = {name for a in corpus for name in (getattr(a.marks, "names", None) or ())} if corpus.kind == "units" else ()
    speakers = sorted({a.track for a in corpus if a.track} | set(named)) or [_NOBODY]
    return {"Languages": "und", "Participants": ", ".join(f"{speaker} Participant" for speaker in speakers)}


def _lines_of_words(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for _, _, marks, track in corpus:
        if not isinstance(marks, Segmentation) or marks.units is None:
            raise FormatError(None, None, "words of a transcript are boundaries in a text, and here is none.")
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
            raise FormatError(None, None, "turns of a transcript are segments of a text, and here is none.")
        names = marks.names if marks.names is not None else ("",) * len(marks.spans)
        for (first, last), speaker in zip(marks.spans, names, strict=True):
            yield from ((speaker, unit) for unit in marks.units[int(first) - 1 : int(last)])


def _lines_in_time(corpus: Corpus) -> Iterator[tuple[str, str]]:
    for _, track, _, marks in intervals_of(corpus):
        for start, end, text in segments(marks):
            yield track, f"{text} \x15{round(start * 1000)}_{round(end * 1000)}\x15".strip()


def _in_order(lines: Iterable[tuple[str, str]], order: Any) -> Iterator[tuple[str, str]]:
    """Give utterances in the order in which speakers took turns, where it is known and fits."""
    listed = list(lines)
    waiting: Mapping[str, list[str]] = {speaker: [t for s, t in listed if s == speaker] for speaker, _ in listed}
    if not isinstance(order, list | tuple) or sorted(map(str, order)) != sorted(speaker for speaker, _ in listed):
        yield from listed
        return
    places = {speaker: iter(texts) for speaker, texts in waiting.items()}
    yield from ((str(speaker), next(places[str(speaker)])) for speaker in order)
