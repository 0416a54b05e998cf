"""Convert objects of other packages to a corpus."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.files import Source
from caesura.formats.catalog import format_options
from caesura.formats.speech.intervals import (
    IntervalRules,
    IntervalSpanOptions,
    spans_of_intervals,
    turns_of_tiers,
)
from caesura.formats.speech.praat import Tier, marks_of_tiers, parse_grid, quote
from caesura.formats.standoff import CharacterSpan, MarkedText, read_standoff
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

# ---------------------------------------------------------------------- rows
# Rows of Hugging Face's ``datasets``, or dicts like them: tokens with tags, texts with spans, recordings with times.

#: The meaning of one label per unit: a part of a span (BIO, BIOES), the start or the end of a segment, or the name of a segment.
LabelMeaning: TypeAlias = Literal["spans", "starts", "ends", "segments"]

_UNITS = ("tokens", "words", "sentences", "units", "utterances")
_LABELS = ("ner_tags", "tags", "labels", "label", "boundaries", "entities", "spans")
_ITEM, _CODER = ("item", "id", "doc_id", "document_id", "uri", "file"), ("coder", "annotator")
_TIMES = ("timestamps_start", "timestamps_end", "speakers")  # in datasets for diarization
_PREFIXES = ("B-", "I-", "E-", "S-", "L-", "U-")


def are_rows(thing: Any) -> bool:
    """Tell whether an object is a row with known columns, or several such rows."""
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
    mean: LabelMeaning | None = None,
    features: Any = None,
) -> Iterator[Annotation]:
    """Read every row as an item.

    Parameters
    ----------
    units : str, default None
        The column with the units, or with the text as one string; None: tokens, words, sentences, units, utterances or text.
    labels : str, default None
        The column with one label per unit, or with the spans of a text.
    mean : {'spans', 'starts', 'ends', 'segments'}, default None
        The meaning of one label per unit: a part of ``spans`` (``B-place``), 1 where a segment ``starts`` or ``ends``, or the name of
        ``segments``.
    features : Any, default None
        The features of the dataset that contains the row; they give the names of integer labels.
    """
    known = features if features is not None else getattr(thing, "features", None)
    rows = [thing] if isinstance(thing, Mapping) else list(thing)
    for number, row in enumerate(rows, 1):
        item = next((str(row[name]) for name in _ITEM if row.get(name) is not None), str(number))
        coder = next((str(row[name]) for name in _CODER if row.get(name) is not None), "")
        try:
            marks = _marks_of_row(row, units, labels, mean, known)
        except CaesuraError as error:
            raise FormatError(None, None, f"row {number}: {error}") from None
        yield Annotation(item, coder, marks)


def _is_row(row: Mapping[Any, Any]) -> bool:
    return any(name in row for name in (*_UNITS, "text", "segments", "masses", *_TIMES[:2]))


def _marks_of_row(
    row: Mapping[str, Any], units: str | None, labels: str | None, mean: LabelMeaning | None, features: Any
) -> Marks:
    if units is None and labels is None and all(name in row for name in _TIMES[:2]):
        return _spans_in_time(
            zip(row[_TIMES[0]], row[_TIMES[1]], row.get(_TIMES[2]) or [""] * len(row[_TIMES[0]]), strict=True)
        )
    if units is None and labels is None and _is_timed(row.get("segments")):
        return _spans_in_time((part["start"], part["end"], _label(part)) for part in row["segments"])
    if units is None and labels is None and "masses" in row:
        return Segmentation.from_masses(row["masses"])
    column = units or next((name for name in (*_UNITS, "text") if name in row), None)
    if column is None:
        alone = next((name for name in (labels, *_LABELS) if name in row), None)
        use = f"; if {alone} is all you have, give that column alone: data[{alone!r}]" if alone else ""
        raise CaesuraError(
            f"none of the columns {', '.join(map(str, row))} holds units; name it with cs.from_object(rows, units=…){use}."
        )
    if column not in row:
        raise CaesuraError(f"there is no column {column!r}; the columns are {', '.join(map(str, row))}.")
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


def _marks_of_labels(units: list[str], labels: list[Any], mean: LabelMeaning | None) -> Marks:
    if mean is None:
        if labels and all(isinstance(label, str) and (label == "O" or label.startswith(_PREFIXES)) for label in labels):
            mean = "spans"
        else:
            raise CaesuraError(
                "the meaning of the labels is unclear; say it with cs.from_object(rows, mean='ends'), or 'starts', 'segments' (their names) or 'spans'."
            )
    if mean == "segments":
        return Segmentation.from_labels(labels, units=units)
    if mean == "spans":
        return Spans.from_rows(list(_spans_of_tags(labels)), length=len(units), units=units)
    if wrong := [label for label in labels if label not in (0, 1)]:
        raise CaesuraError(f"a label is {wrong[0]!r}; expected 1 where a segment starts or ends, else 0.")
    cuts = [at + (mean == "ends") for at, label in enumerate(labels) if label]
    return Segmentation(len(units), [cut for cut in cuts if 0 < cut < len(units)], units=units)


def _spans_of_tags(tags: Sequence[Any]) -> Iterator[tuple[int, int, str]]:
    """Iterate over the spans of BIO and BIOES tags: B, S and U begin a span, I, E and L continue one with the same label."""
    start, label = 0, ""
    for at, tag in enumerate([*map(str, tags), "O"]):
        kind, _, name = tag.partition("-")
        continues = kind in ("I", "E", "L") and name == label and label
        if label and not continues:
            yield start, at, label
        if not continues:
            start, label = at, name if kind != "O" else ""


def _spans_of_text(text: str, parts: Any) -> Marks:
    """Read labelled spans of characters, dicts or triples."""
    if not isinstance(parts, Iterable) or isinstance(parts, str):
        raise CaesuraError(
            "expected spans of the text: {'start': 0, 'end': 3, 'label': 'person'}, or [0, 3, 'person']."
        )
    spans: list[CharacterSpan] = []
    for part in parts:
        offsets = (part.get("start"), part.get("end")) if isinstance(part, Mapping) else tuple(part[:2])
        match offsets:
            case (int(start), int(end)) if 0 <= start <= end <= len(text):
                label = _label(part) if isinstance(part, Mapping) else str([*part, ""][2])
                spans.append((start, end, label or "segment"))
            case _:
                why = f"a span is {part!r}, expected start and end inside the text of {len(text)} characters."
                raise CaesuraError(why)
    marked = MarkedText("", "", text, spans, lambda why: FormatError(None, None, why))
    return read_standoff([marked], as_="spans").annotation(0).marks


def _spans_in_time(parts: Iterable[tuple[Any, Any, Any]]) -> Spans:
    rows = sorted((float(start), float(end), str(label or "")) for start, end, label in parts)
    length = max((row[1] for row in rows), default=0.0)
    return spans_of_intervals(
        rows, length=length, error=lambda i, why: FormatError(None, None, f"segment {i + 1}: {why}")
    )


def _is_timed(parts: Any) -> bool:
    return isinstance(parts, (list, tuple)) and all(
        isinstance(part, Mapping) and "start" in part and "end" in part for part in parts
    )


def _label(part: Mapping[str, Any]) -> str:
    return next((str(part[name]) for name in ("label", "speaker", "type", "text") if part.get(name) is not None), "")


def _names_of(features: Any, column: str) -> list[str] | None:
    """Return the names of the integer labels of a column, if the dataset declares them."""
    feature = features.get(column) if isinstance(features, Mapping) else None
    names = getattr(getattr(feature, "feature", feature), "names", None)
    return None if names is None else [str(name) for name in names]


# ---------------------------------------------------------------------- objects
# pyannote's ``Annotation`` and ``Timeline``, spaCy's ``Doc``, TextGrids of Parselmouth, praatIO, tgt and textgrid, and rows of Hugging Face's
# ``datasets``. Objects are recognised by their attributes, so that none of these packages has to be installed.

#: Attribute names for the parts of a TextGrid in other packages.
_ENTRIES = ("entries", "intervals", "points")
_START, _END, _TIME = ("start", "start_time", "minTime"), ("end", "end_time", "maxTime"), ("time",)
_LABEL, _LAST = ("label", "text", "mark"), ("maxTimestamp", "end_time", "maxTime")

Read: TypeAlias = Callable[..., Iterable[Annotation]]


class _ObjectKind(NamedTuple):
    """A kind of object: its title, a function that recognises it and one that reads it."""

    title: str
    recognises: Callable[[Any], bool]
    read: Read


def from_object(thing: Any, *, item: str | None = None, coder: str = "", **options: Any) -> Corpus:
    """Convert an object of another package to a corpus.

    Parameters
    ----------
    thing : object
        pyannote's Annotation or Timeline (labelled spans in time); spaCy's Doc (sentences, entities or a span group, see ``layer``);
        a TextGrid of Parselmouth, praatIO, tgt or textgrid; a row of ``datasets``, or several rows (a Dataset, a list of dicts).
        A list of objects has an item each; the keys of a dict of objects are the coders.
    item : str, default None
        The name of the item; None: the name that the object has.
    coder : str, default ""
        The name of the coder, if the object has none.
    **options
        ``length`` (pyannote: the length of the recording); ``layer`` (spaCy); ``tier`` and the other options of TextGrids; ``units``,
        ``labels``, ``mean`` and ``features`` (rows).

    Returns
    -------
    Corpus

    Examples
    --------
    >>> row = {"tokens": ["Ann", "saw", "New", "York"], "tags": ["B-person", "O", "B-place", "I-place"]}
    >>> from_object(row)["1", ""].rows
    [(0, 1, 'person'), (2, 4, 'place')]
    """
    if isinstance(thing, Mapping) and not are_rows(thing) and _are_known(thing.values()):
        if type(thing).__name__ in ("DatasetDict", "IterableDatasetDict"):
            listed = ", ".join(map(str, thing))
            raise CaesuraError(
                f"this is a DatasetDict with the splits {listed}; choose one, as in data[{min(thing)!r}]."
            )
        return _join_coders(thing, item, options)
    if isinstance(thing, (list, tuple)) and not are_rows(thing) and _are_known(thing):
        return Corpus.join(
            from_object(each, item=_name(each) or str(number), coder=coder, **options)
            for number, each in enumerate(thing, 1)
        )
    kind = _kind_of(thing)
    if kind is None:
        raise CaesuraError(
            f"a {type(thing).__module__}.{type(thing).__name__} cannot be converted; expected {', '.join(k.title for k in _KINDS)}. "
            "Build a Segmentation, Spans or Hierarchy from it."
        )
    annotations = kind.read(thing, **format_options(kind.read, options, kind.title))
    return Corpus.from_annotations(
        a._replace(item=item if item is not None else a.item or _name(thing), coder=a.coder or coder)
        for a in annotations
    )


def is_object(thing: Any) -> bool:
    """Tell whether :func:`from_object` converts an object: one of another package, rows of a dataset, or a list of such objects."""
    if type(thing).__name__ in ("DatasetDict", "IterableDatasetDict"):
        return True
    if isinstance(thing, (list, tuple)):
        return bool(thing) and (are_rows(thing) or (_are_known(thing[:1]) and not isinstance(thing[0], Mapping)))
    return not isinstance(thing, str) and _kind_of(thing) is not None


def _join_coders(things: Mapping[Any, Any], item: str | None, options: Mapping[str, Any]) -> Corpus:
    """Join the objects of several coders; a recording is as long as the longest of them."""
    corpora = [from_object(each, item=item, coder=str(coder), **options) for coder, each in things.items()]
    lengths = {float(size) for corpus in corpora if corpus.timed for size in corpus.lengths.tolist()}
    if len(lengths) > 1 and all(_is_timeline(each) for each in things.values()):
        longest = {**options, "length": max(lengths)}
        corpora = [from_object(each, item=item, coder=str(coder), **longest) for coder, each in things.items()]
    return Corpus.join(corpora)


def _name(thing: Any) -> str:
    """Return the name of an object: pyannote's uri, Praat's name."""
    return str(getattr(thing, "uri", None) or getattr(thing, "name", None) or "")


# ---------------------------------------------------------------------- pyannote


def _is_timeline(thing: Any) -> bool:
    return hasattr(thing, "itertracks") or (
        hasattr(thing, "extent") and hasattr(thing, "support") and hasattr(thing, "uri")
    )


def _read_timeline(thing: Any, *, length: float | None = None) -> Iterator[Annotation]:
    if hasattr(thing, "itertracks"):
        listed = [(each, "" if label is None else str(label)) for each, _, label in thing.itertracks(yield_label=True)]
    else:
        listed = [(each, "") for each in thing]
    rows = [(float(each.start), float(each.end), label) for each, label in listed]
    end = max((row[1] for row in rows), default=0.0) if length is None else length

    def error(i: int, why: str) -> FormatError:
        return FormatError(None, None, f"segment {i + 1}: {why}")

    yield Annotation("", "", spans_of_intervals(rows, length=end, error=error))


# ---------------------------------------------------------------------- spaCy


def _is_document(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("ents", "spans", "has_annotation", "text_with_ws"))


def _read_document(thing: Any, *, layer: str | None = None) -> Iterator[Annotation]:
    layers: dict[str, Any] = {}
    if thing.has_annotation("SENT_START"):
        layers["sents"] = thing.sents
    if thing.ents:
        layers["ents"] = thing.ents
    layers |= {str(name): group for name, group in thing.spans.items()}
    if layer is not None and layer not in layers:
        raise CaesuraError(
            f"this Doc has no {layer!r}; it has {', '.join(layers) or 'no sentences, entities or spans'}."
        )
    if layer is None and len(layers) != 1:
        why = f"has {', '.join(layers)}; choose one with layer=" if layers else "has no sentences, entities or spans"
        raise CaesuraError(f"this Doc {why}.")
    chosen = layer or next(iter(layers))
    spans = [(each.start, each.end, str(each.label_)) for each in layers[chosen]]
    units = [token.text for token in thing]
    if chosen == "sents":
        marks = Segmentation(len(units), [end for _, end, _ in spans if end < len(units)], units=units)
        yield Annotation("1", "", marks)
        return
    rows = [(start, end, label or None) for start, end, label in spans]
    yield Annotation("1", "", Spans.from_rows(rows, length=len(units), units=units))


# ---------------------------------------------------------------------- TextGrids


def _is_text_grid(thing: Any) -> bool:
    if hasattr(thing, "save_as_text_file"):  # an object of Praat
        return getattr(thing, "class_name", "") == "TextGrid"
    tiers = getattr(thing, "tiers", None)
    return isinstance(tiers, (list, tuple)) and _has(thing, _LAST) and all(_has(tier, _ENTRIES) for tier in tiers)


def _read_text_grid(
    thing: Any, *, tier: str | int | None = None, **intervals: Unpack[IntervalSpanOptions]
) -> Iterator[Annotation]:
    source = Source(Path(_name(thing) or "TextGrid"), None, b"")
    if hasattr(thing, "save_as_text_file"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "object.TextGrid"
            thing.save_as_text_file(str(path))
            source = Source(source.path, None, path.read_bytes())
            tiers = parse_grid(source)
    else:
        tiers = [_tier(each, float(_of(thing, _LAST))) for each in thing.tiers]
    turns = intervals.get("as_") == "turns"
    read = marks_of_tiers(
        source, tiers, "*" if turns and tier is None else tier, IntervalRules.from_options(**intervals)
    )
    annotations = [Annotation("", coder, marks, track) for coder, track, marks in read]
    yield from turns_of_tiers(Corpus.from_annotations(annotations)) if turns else annotations


def _tier(tier: Any, length: float) -> Tier:
    entries = list(_of(tier, _ENTRIES))
    points = "Interval" not in type(tier).__name__ if not entries else _has(entries[0], _TIME)
    of = (_TIME,) if points else (_START, _END)
    times = [[repr(float(_of(entry, names))) for entry in entries] for names in of]
    labels = [quote(str(_of(entry, _LABEL))) for entry in entries]
    return Tier(str(tier.name), points, length, 0.0, (*times, labels), ())


def _has(thing: Any, names: tuple[str, ...]) -> bool:
    return any(hasattr(thing, name) for name in names)


def _of(thing: Any, names: tuple[str, ...]) -> Any:
    return next(getattr(thing, name) for name in names if hasattr(thing, name))


# ---------------------------------------------------------------------- layers of mir_eval


def _is_layers(thing: Any) -> bool:
    """Tell whether an object is a list of arrays of intervals, or such a list with a list of labels, as mir_eval.hierarchy has them."""
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[1], (list, tuple)):
        thing = thing[0]
    return (
        isinstance(thing, (list, tuple))
        and bool(thing)
        and all(isinstance(layer, np.ndarray) and layer.ndim == 2 and layer.shape[1] == 2 for layer in thing)
    )


def _read_layers(thing: Any, *, frame: float = 0.1) -> Iterator[Annotation]:
    """Read layers of intervals in seconds, from coarse to fine, as one hierarchy of frames.

    Parameters
    ----------
    frame : float, default 0.1
        The length of a frame in seconds, the unit of the hierarchy.
    """
    intervals, labels = thing if isinstance(thing, tuple) else (thing, None)
    if labels is not None and [len(each) for each in labels] != [len(each) for each in intervals]:
        raise FormatError(None, None, "the layers have other numbers of intervals than of labels.")
    named = labels if labels is not None else [[None] * len(layer) for layer in intervals]
    layers = [
        [(float(start), float(end), name) for (start, end), name in zip(layer, names, strict=True)]
        for layer, names in zip(intervals, named, strict=True)
    ]
    yield Annotation("1", "", Hierarchy.from_layers(layers, frame=frame))


_KINDS = (
    _ObjectKind("layers of mir_eval", _is_layers, _read_layers),
    _ObjectKind("an Annotation or Timeline of pyannote", _is_timeline, _read_timeline),
    _ObjectKind("a Doc of spaCy", _is_document, _read_document),
    _ObjectKind("a TextGrid", _is_text_grid, _read_text_grid),
    _ObjectKind("rows of a dataset", are_rows, read_rows),
)


def _are_known(things: Iterable[Any]) -> bool:
    kinds = [_kind_of(each) for each in things]
    return bool(kinds) and None not in kinds


def _kind_of(thing: Any) -> _ObjectKind | None:
    return next((kind for kind in _KINDS if kind.recognises(thing)), None)
