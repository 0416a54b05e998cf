"""Rows of Hugging Face's ``datasets``, or plain dicts like them: tokens with tags, texts with spans, recordings with times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from caesura.errors import CaesuraError, FormatError
from caesura.formats.speech.intervals import spans_of_intervals
from caesura.formats.standoff import Marked, Span, read_standoff
from caesura.model import Annotation, Segmentation, Spans
from caesura.model.corpus import Marks

#: What one label per unit says: parts of spans (BIO, BIOES), that a segment starts or ends here, or the segment's name.
Meaning: TypeAlias = Literal["spans", "starts", "ends", "segments"]

_UNITS = ("tokens", "words", "sentences", "units", "utterances")
_LABELS = ("ner_tags", "tags", "labels", "label", "boundaries", "entities", "spans")
_ITEM, _CODER = ("item", "id", "doc_id", "document_id", "uri", "file"), ("coder", "annotator")
_TIMES = ("timestamps_start", "timestamps_end", "speakers")  # as datasets of speakers have them
_PREFIXES = ("B-", "I-", "E-", "S-", "L-", "U-")


def are_rows(thing: Any) -> bool:
    """Tell whether a thing is a row with columns that are known, or several of them."""
    if isinstance(thing, Mapping):
        return _is_row(thing)
    if hasattr(thing, "column_names") and hasattr(thing, "features"):
        return True
    return (
        isinstance(thing, (list, tuple))
        and bool(thing)
        and all(isinstance(row, Mapping) and _is_row(row) for row in thing)
    )


def read_rows(
    thing: Any,
    *,
    units: str | None = None,
    labels: str | None = None,
    mean: Meaning | None = None,
    features: Any = None,
) -> Iterator[Annotation]:
    """Read every row as an item.

    Parameters
    ----------
    units
        The column with the units (default: tokens, words, sentences, units or utterances), or with the text as one string.
    labels
        The column with one label per unit, or with the spans of a text.
    mean
        What one label per unit says: parts of ``spans`` (``B-place``), that a segment ``starts`` or ``ends`` here (1), or the names of ``segments``.
    features
        The features of the dataset a row was taken from, which say what the numbers of a label mean.
    """
    known = features if features is not None else getattr(thing, "features", None)
    rows = [thing] if isinstance(thing, Mapping) else list(thing)
    for number, row in enumerate(rows, 1):
        item = next((str(row[name]) for name in _ITEM if row.get(name) is not None), str(number))
        coder = next((str(row[name]) for name in _CODER if row.get(name) is not None), "")
        try:
            marks = _marks_of_row(row, units, labels, mean, known)
        except CaesuraError as fault:
            raise FormatError(None, None, f"row {number}: {fault}") from None
        yield Annotation(item, coder, marks)


def _is_row(row: Mapping[Any, Any]) -> bool:
    return any(name in row for name in (*_UNITS, "text", "segments", *_TIMES[:2]))


def _marks_of_row(
    row: Mapping[str, Any], units: str | None, labels: str | None, mean: Meaning | None, features: Any
) -> Marks:
    if units is None and labels is None and all(name in row for name in _TIMES[:2]):
        return _spans_in_time(
            zip(row[_TIMES[0]], row[_TIMES[1]], row.get(_TIMES[2]) or [""] * len(row[_TIMES[0]]), strict=True)
        )
    if units is None and labels is None and _is_timed(row.get("segments")):
        return _spans_in_time((part["start"], part["end"], _label(part)) for part in row["segments"])
    column = units or next((name for name in (*_UNITS, "text") if name in row), None)
    if column is None or column not in row:
        raise CaesuraError(f"there is no column {column or 'of units'!r}; the columns are {', '.join(map(str, row))}.")
    marked = labels or next((name for name in _LABELS if name in row and name != column), None)
    if marked is None or marked not in row:
        raise CaesuraError(f"there is no column {marked or 'of labels'!r}; the columns are {', '.join(map(str, row))}.")
    if isinstance(row[column], str):
        return _spans_of_text(row[column], row[marked])
    values, names = list(row[marked]), _names_of(features, marked)
    if len(values) != len(row[column]):
        raise CaesuraError(
            f"{column} has {len(row[column])} entries and {marked} {len(values)}; expected one label per unit."
        )
    listed = [names[value] if names is not None and isinstance(value, int) else value for value in values]
    return _marks_of_labels([str(unit) for unit in row[column]], listed, mean)


def _marks_of_labels(units: list[str], labels: list[Any], mean: Meaning | None) -> Marks:
    if mean is None:
        if labels and all(isinstance(label, str) and (label == "O" or label.startswith(_PREFIXES)) for label in labels):
            mean = "spans"
        else:
            raise CaesuraError(
                "say what a label means: mean='starts' or 'ends' of a segment, its name ('segments'), or 'spans'."
            )
    if mean == "segments":
        return Segmentation.from_labels(labels, units=units)
    if mean == "spans":
        return Spans.from_rows(list(_spans_of_tags(labels)), length=len(units), units=units)
    if odd := [label for label in labels if label not in (0, 1)]:
        raise CaesuraError(f"a label is {odd[0]!r}; where segments start or end it is 1, elsewhere 0.")
    cuts = [at + (mean == "ends") for at, label in enumerate(labels) if label]
    return Segmentation(len(units), [cut for cut in cuts if 0 < cut < len(units)], units=units)


def _spans_of_tags(tags: Sequence[Any]) -> Iterator[tuple[int, int, str]]:
    """Join what BIO and BIOES tags say: B, S and U begin a span, I, E and L go on with one of the same label."""
    start, label = 0, ""
    for at, tag in enumerate([*map(str, tags), "O"]):
        kind, _, name = tag.partition("-")
        goes_on = kind in ("I", "E", "L") and name == label and label
        if label and not goes_on:
            yield start, at, label
        if not goes_on:
            start, label = at, name if kind != "O" else ""


def _spans_of_text(text: str, parts: Any) -> Marks:
    """Read labelled spans of characters, dicts or triples."""
    if not isinstance(parts, Iterable) or isinstance(parts, str):
        raise CaesuraError(
            "expected spans of the text: {'start': 0, 'end': 3, 'label': 'person'}, or [0, 3, 'person']."
        )
    spans: list[Span] = []
    for part in parts:
        places = (part.get("start"), part.get("end")) if isinstance(part, Mapping) else tuple(part[:2])
        match places:
            case (int(start), int(end)) if 0 <= start <= end <= len(text):
                label = _label(part) if isinstance(part, Mapping) else str([*part, ""][2])
                spans.append((start, end, label or "segment"))
            case _:
                why = f"a span is {part!r}, expected start and end inside the text of {len(text)} characters."
                raise CaesuraError(why)
    marked = Marked("", "", text, spans, lambda why: FormatError(None, None, why))
    return read_standoff([marked], as_="spans").annotation(0).marks


def _spans_in_time(parts: Iterable[tuple[Any, Any, Any]]) -> Spans:
    rows = sorted((float(start), float(end), str(label or "")) for start, end, label in parts)
    length = max((row[1] for row in rows), default=0.0)
    return spans_of_intervals(
        rows, length=length, fault=lambda i, why: FormatError(None, None, f"segment {i + 1}: {why}")
    )


def _is_timed(parts: Any) -> bool:
    return isinstance(parts, (list, tuple)) and all(
        isinstance(part, Mapping) and "start" in part and "end" in part for part in parts
    )


def _label(part: Mapping[str, Any]) -> str:
    return next((str(part[name]) for name in ("label", "speaker", "type", "text") if part.get(name) is not None), "")


def _names_of(features: Any, column: str) -> list[str] | None:
    """The names of a column's numbers, where the dataset says them."""
    feature = features.get(column) if isinstance(features, Mapping) else None
    names = getattr(getattr(feature, "feature", feature), "names", None)
    return None if names is None else [str(name) for name in names]
