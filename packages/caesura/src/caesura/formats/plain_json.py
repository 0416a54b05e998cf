"""JSON of other programs: masses, sentences with labels, QMSum's meetings and Prodigy's annotations."""

from __future__ import annotations

import json
import re
from collections import Counter
from types import SimpleNamespace
from typing import Any, Literal

from caesura.errors import CaesuraError
from caesura.files import Source, load_json
from caesura.formats.caesura_json import parse_lines
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.conversion import are_flags
from caesura.model.provenance import MARKS, add_note

# ---------------------------------------------------------------------- masses-json
# ``[[2, 3, 5], [4, 6]]``, ``["0100", "0010"]``, ``[2, 3, 5]`` (one item), ``{"a": [2, 3, 5]}`` or ``{"a": {"ann": [2, 3, 5]}}``. Lists of 0 and
# 1, of which at least one is 0, hold one mark per potential boundary, as in NLTK's strings. Items without names are numbered.

_MASSES = r'(?:\[\s*(?:\d+(?:\.0)?|true|false)\s*[,\]]|"[01]+"\s*[,\]}])'
_START = re.compile(
    rf'\s*(?:\[\s*{_MASSES}|\[\s*(?:\d+(?:\.0)?|true|false)\s*[,\]]|\{{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\{{\s*"(?:[^"\\]|\\.)*"\s*:\s*)?{_MASSES})'
)


def sniff(head: str) -> bool:
    """Recognise a list of masses, a list of such lists or of strings of 0 and 1, or an object of them."""
    return _START.match(head) is not None and not re.search(r'"(segmentation_type|segments|format)"', head[:2000])


def read(source: Source) -> Corpus:
    """Read the masses, or the strings of 0 and 1, of every item."""
    data = load_json(source)
    if isinstance(data, list) and data and not any(isinstance(each, (list, str)) for each in data):
        data = {source.stem: data}
    elif isinstance(data, list):
        strings = all(isinstance(each, str) for each in data)
        marks = strings or are_flags(data)
        what = "strings of 0 and 1 of items" if strings else "marks of 0 and 1 of items" if marks else "masses of items"
        add_note(
            "numbered",
            f"{source.path}: a list of {len(data)} was read as the {what} 1 to {len(data)}"
            f"{'' if marks else '; for nested segments of one text add --format nested-json'}.",
            count=len(data),
            others=() if marks else ("--format nested-json",),
        )
        data = {str(number): each for number, each in enumerate(data, 1)}
    if not isinstance(data, dict) or not data:
        raise source.error(None, "expected lists of masses, such as [[2, 3, 5], [4, 6]], or {item: masses}.")
    unnamed = [item for item, each in data.items() if not isinstance(each, dict)]
    if unnamed and len(unnamed) < len(data):
        named = next(item for item, each in data.items() if isinstance(each, dict))
        raise source.error(
            None, f"item {named!r} has coders and item {unnamed[0]!r} has none; write {{item: {{coder: masses}}}}."
        )
    nested = {item: each if isinstance(each, dict) else {"": each} for item, each in data.items()}
    flags = are_flags(marks for coders in nested.values() for marks in coders.values())
    annotations = []
    for item, coders in nested.items():
        for coder, marks in coders.items():
            try:
                annotations.append(Annotation(item, coder, _segmentation(marks, flags)))
            except CaesuraError as error:
                raise source.error(None, f"item {item!r}{f', coder {coder!r}' if coder else ''}: {error}") from None
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus) -> str:
    """Write ``{item: masses}``, or ``{item: {coder: masses}}`` if coders have names."""
    named = corpus.coders != ("",)
    items: dict[str, Any] = {}
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        if named:
            items.setdefault(item, {})[coder] = marks.masses
        else:
            items[item] = marks.masses
    return json.dumps(items, ensure_ascii=False) + "\n"


def _segmentation(marks: Any, flags: bool) -> Segmentation:
    if isinstance(marks, str):
        if marks.strip("01"):
            raise CaesuraError(f"expected a string of 0 and 1, found {marks[:40]!r}.")
        return Segmentation.from_string(marks)
    if not isinstance(marks, list):
        raise CaesuraError(f"expected masses, or a string of 0 and 1, found {json.dumps(marks)[:40]}.")
    return Segmentation.from_marks([int(mark) for mark in marks]) if flags else Segmentation.from_masses(marks)


MASSES = SimpleNamespace(read=read, write=write, sniff=sniff)


# ---------------------------------------------------------------------- sentences-jsonl
# One text per line: ``{"sentences": ["…", "…"], "labels": [0, 1]}``, as datasets for text segmentation are shared. What 1 means is said as for
# tables of labels; labels other than 0 and 1 name the segment of each sentence.


def sniff_sentences(head: str) -> bool:
    """Recognise sentences and labels on the first line."""
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"sentences"' in first and '"labels"' in first


def read_sentences(source: Source, *, mean: Literal["segments", "starts", "ends"] | None = None) -> Corpus:
    """Read every line as an item, named by its ``item`` or ``id``.

    Parameters
    ----------
    mean : {'segments', 'starts', 'ends'}, default None
        The meaning of the labels: names of ``segments``, or 1 where a segment ``starts`` or ``ends``. None: names, unless all labels are 0 and 1;
        then 1 starts a segment if every text begins with 1, and else ends one.
    """
    rows: list[tuple[str, list[str], list[Any]]] = []
    with source.stream() as stream:
        for line, entry in parse_lines(source, stream):
            units, labels = (
                (entry.get(key) for key in ("sentences", "labels")) if isinstance(entry, dict) else (None, None)
            )
            if not isinstance(units, list) or not isinstance(labels, list) or len(units) != len(labels) or not units:
                raise source.error(line, 'expected "sentences" and as many "labels".')
            rows.append((str(entry.get("item", entry.get("id", line))), [str(unit) for unit in units], labels))
    if not rows:
        raise source.error(None, "the file contains no text.")
    flags = all(label in (0, 1) and not isinstance(label, str) for _, _, labels in rows for label in labels)
    if mean is None and flags:
        mean = "starts" if all(labels[0] == 1 for _, _, labels in rows) else "ends"
        other = "ends" if mean == "starts" else "starts"
        text = f"{source.path}: the labels are 0 and 1, so 1 is assumed to {mean[:-1]} a segment; if it {other} one, add -O mean={other}."
        add_note(
            MARKS,
            text,
            count=len(rows),
            example=mean,
            chosen={"mean": mean},
            others=(f"-O mean={other}", "-O mean=segments"),
        )
    elif mean in ("starts", "ends") and not flags:
        raise source.error(None, f"labels must be 0 and 1 with mean={mean}.")
    return Corpus.from_annotations(
        Annotation(item, "", _from_labels(units, labels, mean)) for item, units, labels in rows
    )


def _from_labels(units: list[str], labels: list[Any], mean: str | None) -> Segmentation:
    if mean in (None, "segments"):
        return Segmentation.from_labels([str(label) for label in labels], units=units)
    shift = 1 if mean == "ends" else 0
    cuts = [at + shift for at, label in enumerate(labels) if label]
    return Segmentation(len(units), [cut for cut in cuts if 0 < cut < len(units)], units=units)


# ---------------------------------------------------------------------- qmsum
# A meeting of QMSum: turns are units, topics are spans of turns, which may overlap.


def sniff_qmsum(head: str) -> bool:
    """Recognise the list of topics."""
    return head.lstrip().startswith("{") and '"topic_list"' in head


def read_qmsum(source: Source) -> Corpus:
    """Read the topics of one meeting as spans of turns."""
    data = load_json(source)
    turns = data.get("meeting_transcripts") if isinstance(data, dict) else None
    topics = data.get("topic_list") if isinstance(data, dict) else None
    if not isinstance(turns, list) or not isinstance(topics, list) or not turns:
        raise source.error(None, 'expected "topic_list" and "meeting_transcripts".')
    rows: list[tuple[int, int, str]] = []
    try:
        units = [f"{turn.get('speaker', '')}: {turn['content']}" for turn in turns]
        for topic in topics:
            rows += [(int(first), int(last) + 1, str(topic["topic"])) for first, last in topic["relevant_text_span"]]
        marks = Spans.from_rows(rows, length=len(units), units=units)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise source.error(None, f"a topic or turn is malformed: {error}.") from None
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


# ---------------------------------------------------------------------- prodigy
# One text per line with ``spans`` of characters and, usually, ``tokens``; a rejected or ignored text is left out.


_PRODIGY_SPANS = re.compile(r'"spans"\s*:\s*\[\s*\{[^{}]*"start"')
_PRODIGY_KEYS = ('"tokens"', '"answer"', '"_annotator_id"', '"_session_id"')


def sniff_prodigy(head: str) -> bool:
    """Recognise Prodigy's hashes, or a text with spans and tokens, an answer, an annotator, or the ends of the spans."""
    first = head.lstrip().split("\n", 1)[0]
    if not first.startswith("{") or '"text"' not in first:
        return False
    if '"_input_hash"' in first or ('"spans"' in first and any(key in first for key in _PRODIGY_KEYS)):
        return True
    return _PRODIGY_SPANS.search(first) is not None


def read_prodigy(source: Source) -> Corpus:
    """Read every accepted text as an item of spans of its tokens, or of characters if there are no tokens."""
    annotations, left_out = [], 0
    seen: Counter[tuple[str, str]] = Counter()
    with source.stream() as stream:
        for line, entry in parse_lines(source, stream):
            if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                raise source.error(line, 'expected an object with "text".')
            if entry.get("answer", "accept") != "accept":
                left_out += 1
                continue
            about = entry.get("meta")
            meta: dict[str, Any] = about if isinstance(about, dict) else {}
            item = str(meta.get("id", entry.get("id", entry.get("_input_hash", line))))
            coder = str(entry.get("_annotator_id", entry.get("_session_id")) or "")
            seen[item, coder] += 1
            if seen[item, coder] > 1:
                raise source.error(line, f"the text {item!r} is annotated twice by {coder or 'the same annotator'}.")
            try:
                annotations.append(Annotation(item, coder, _prodigy_spans(entry)))
            except (TypeError, KeyError, CaesuraError) as error:
                raise source.error(line, f"a span or token is malformed: {error}") from None
    if left_out:
        add_note("rejected", f"{source.path}: {left_out} texts that were not accepted are left out.", count=left_out)
    if not annotations:
        raise source.error(None, "the file contains no accepted text.")
    return Corpus.from_annotations(annotations)


def _prodigy_spans(entry: dict[str, Any]) -> Spans:
    tokens, spans = entry.get("tokens"), entry.get("spans") or []
    if not tokens:
        rows = [(span["start"], span["end"], span.get("label")) for span in spans]
        return Spans.from_rows(rows, length=len(entry["text"]), units=list(entry["text"]))
    starts = {token["start"]: i for i, token in enumerate(tokens)}
    ends = {token["end"]: i + 1 for i, token in enumerate(tokens)}
    for span in spans:
        if span["start"] not in starts or span["end"] not in ends:
            raise CaesuraError(f"the span {span['start']}–{span['end']} does not begin and end with tokens.")
    rows = [(starts[span["start"]], ends[span["end"]], span.get("label")) for span in spans]
    return Spans.from_rows(rows, length=len(tokens), units=[token["text"] for token in tokens])


SENTENCES = SimpleNamespace(read=read_sentences, sniff=sniff_sentences)
QMSUM = SimpleNamespace(read=read_qmsum, sniff=sniff_qmsum)
PRODIGY = SimpleNamespace(read=read_prodigy, sniff=sniff_prodigy)
