"""Objects of other packages as a corpus, known by what they offer and not by their class: none of those packages is needed here.

pyannote's ``Annotation`` and ``Timeline``, spaCy's ``Doc``, TextGrids of Parselmouth, praatIO, tgt and textgrid, and rows of Hugging Face's ``datasets``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, Unpack

from caesura.errors import CaesuraError, FormatError
from caesura.files import Source
from caesura.formats.dataset_rows import are_rows, read_rows
from caesura.formats.signatures import check_options
from caesura.formats.speech.intervals import Rule, SpanOptions, spans_of_intervals
from caesura.formats.speech.praat import Tier, quote, tiers_of_grid
from caesura.formats.speech.textgrid import marks_of_tiers
from caesura.model import Annotation, Corpus, Segmentation, Spans

#: What other packages call the parts of a TextGrid.
_ENTRIES = ("entries", "intervals", "points")
_START, _END, _TIME = ("start", "start_time", "minTime"), ("end", "end_time", "maxTime"), ("time",)
_LABEL, _LAST = ("label", "text", "mark"), ("maxTimestamp", "end_time", "maxTime")

Read: TypeAlias = Callable[..., Iterable[Annotation]]


class _Kind(NamedTuple):
    """What is known of a kind of object: its name, whether a thing is one, and how it is read."""

    title: str
    recognises: Callable[[Any], bool]
    read: Read


def from_object(thing: Any, *, item: str | None = None, coder: str = "", **options: Any) -> Corpus:
    """Make a corpus of an object of another package.

    Parameters
    ----------
    thing
        pyannote's Annotation or Timeline (spans in time, labelled); spaCy's Doc (sentences, entities or a group of spans: ``layer=``);
        a TextGrid of Parselmouth, praatIO, tgt or textgrid (as the file would be read); a row of ``datasets``, or several of them
        (a Dataset, a list of dicts). A list of objects gives an item each; a dict of objects gives its keys as coders.
    item, coder
        What the item and the coder are called, where the object does not say.
    options
        ``length`` (pyannote: how long the recording is); ``layer`` (spaCy); ``tier`` and the options of TextGrids; ``units``, ``labels``,
        ``mean`` and ``features`` (rows).

    Examples
    --------
    >>> row = {"tokens": ["Ann", "saw", "New", "York"], "tags": ["B-person", "O", "B-place", "I-place"]}
    >>> from_object(row)["1", ""].rows
    [(0, 1, 'person'), (2, 4, 'place')]
    """
    if isinstance(thing, Mapping) and not are_rows(thing) and _are_known(thing.values()):
        return _of_coders(thing, item, options)
    if isinstance(thing, (list, tuple)) and not are_rows(thing) and _are_known(thing):
        return Corpus.join(
            from_object(each, item=_name(each) or str(number), coder=coder, **options)
            for number, each in enumerate(thing, 1)
        )
    kind = _kind_of(thing)
    if kind is None:
        raise CaesuraError(
            f"a {type(thing).__module__}.{type(thing).__name__} is none of the objects that are known: {', '.join(k.title for k in _KINDS)}; "
            "build a Segmentation, Spans or a Hierarchy of it."
        )
    annotations = kind.read(thing, **check_options(kind.read, options, kind.title))
    return Corpus.from_annotations(
        a._replace(item=item if item is not None else a.item or _name(thing), coder=a.coder or coder)
        for a in annotations
    )


def _of_coders(things: Mapping[Any, Any], item: str | None, options: Mapping[str, Any]) -> Corpus:
    """Put the objects of several coders into one corpus; recordings last as long as the longest of them says."""
    corpora = [from_object(each, item=item, coder=str(coder), **options) for coder, each in things.items()]
    lengths = {float(size) for corpus in corpora if corpus.timed for size in corpus.lengths.tolist()}
    if len(lengths) > 1 and all(_is_timeline(each) for each in things.values()):
        longest = {**options, "length": max(lengths)}
        corpora = [from_object(each, item=item, coder=str(coder), **longest) for coder, each in things.items()]
    return Corpus.join(corpora)


def _name(thing: Any) -> str:
    """What an object calls itself: pyannote's uri, Praat's name."""
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

    def fault(i: int, why: str) -> FormatError:
        return FormatError(None, None, f"segment {i + 1}: {why}")

    yield Annotation("", "", spans_of_intervals(rows, length=end, fault=fault))


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
    thing: Any, *, tier: str | int | None = None, **intervals: Unpack[SpanOptions]
) -> Iterator[Annotation]:
    source = Source(Path(_name(thing) or "TextGrid"))
    if hasattr(thing, "save_as_text_file"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "object.TextGrid"
            thing.save_as_text_file(str(path))
            tiers = tiers_of_grid(Source.open(path))
    else:
        tiers = [_tier(each, float(_of(thing, _LAST))) for each in thing.tiers]
    for coder, track, marks in marks_of_tiers(source, tiers, tier, Rule.of(**intervals)):
        yield Annotation("", coder, marks, track)


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


_KINDS = (
    _Kind("an Annotation or Timeline of pyannote", _is_timeline, _read_timeline),
    _Kind("a Doc of spaCy", _is_document, _read_document),
    _Kind("a TextGrid", _is_text_grid, _read_text_grid),
    _Kind("rows of a dataset", are_rows, read_rows),
)


def _are_known(things: Iterable[Any]) -> bool:
    kinds = [_kind_of(each) for each in things]
    return bool(kinds) and None not in kinds


def _kind_of(thing: Any) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.recognises(thing)), None)
