"""The columns of a corpus: built from annotations or one by one, with types on one ordinal scale, and validated together.

Errors name the item and the coder of the annotation.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation, LengthMismatch
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import NO_LABEL, Spans
from caesura.text import describe_location

if TYPE_CHECKING:
    from caesura.model.corpus import Annotation, Corpus, Kind


#: What an error about different texts advises.
ANCHOR_ADVICE = "to compare altered texts, anchor them (compare, evaluate and agree: anchor=True, --anchor; otherwise: caesura anchor)"

_text_resolver: ContextVar[Callable[[list[Annotation]], list[Annotation]] | None] = ContextVar(
    "text resolver", default=None
)


@contextmanager
def texts_resolved_by(resolve: Callable[[list[Annotation]], list[Annotation]]) -> Iterator[None]:
    """While files are read, let a function make annotations of one text out of annotations whose texts differ."""
    token = _text_resolver.set(resolve)
    try:
        yield
    finally:
        _text_resolver.reset(token)


def resolve_texts(listed: list[Annotation]) -> list[Annotation]:
    """Apply the function of :func:`texts_resolved_by`, if there is one."""
    resolve = _text_resolver.get()
    return listed if resolve is None else resolve(listed)


def build_columns(kind: Kind, listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    """Concatenate the marks of annotations of one kind."""
    if kind == "nested":
        return _nested_columns(listed)
    return _span_columns(listed, labels) if kind == "spans" else _flat_columns(listed, labels)


def collect_texts(listed: list[Annotation]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Collect the text of every track; raise an error if two coders have different words."""
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    owner: dict[tuple[str, str], str] = {}
    for a in listed:
        if a.marks.units is None:
            continue
        key = (a.item, a.track)
        known = texts.setdefault(key, a.marks.units)
        owner.setdefault(key, a.coder)
        if known is not a.marks.units and known != a.marks.units:
            pairs = enumerate(zip(known, a.marks.units, strict=False), 1)
            differs = next(((i, x, y) for i, (x, y) in pairs if x != y), None)
            what = (
                f"token {differs[0]} is {differs[1]!r} for coder {owner[key]!r} but {differs[2]!r} for coder {a.coder!r}"
                if differs
                else f"coder {owner[key]!r} has {len(known)} tokens, coder {a.coder!r} {len(a.marks.units)}"
            )
            raise LengthMismatch(f"{describe_location(a.item, a.track)}: the texts differ: {what}; {ANCHOR_ADVICE}.")
    return texts


def _flat_columns(listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    marks = [a.marks for a in listed if isinstance(a.marks, Segmentation)]
    offsets = np.concatenate(([0], np.cumsum([len(m.positions) for m in marks]))) if marks else [0]
    positions = np.concatenate([m.positions for m in marks]) if marks else np.empty(0, np.int64)
    if not any(m.typed for m in marks):
        return {"offsets": offsets, "positions": positions}
    for a, m in zip(listed, marks, strict=True):
        if not m.typed and len(m.positions):
            raise InvalidSegmentation(
                f"coder {a.coder!r} gave no types on item {a.item!r} while others did; give types to all boundaries, or to none."
            )
    named = [m.labels for m in marks if m.labels is not None]
    if named and any(m.labels is None and len(m.positions) for m in marks):
        raise InvalidSegmentation(
            "boundary types are names in one annotation and integers in another; use one of the two."
        )
    scale = tuple(labels) if labels is not None and named else None
    for each in dict.fromkeys(named) if scale is None else ():
        scale = each if scale is None else merge_labels(scale, each)
    recoded = [m if scale is None or m.labels in (None, scale) else m.with_labels(scale) for m in marks]
    positions = np.concatenate([m.positions for m in recoded])
    types = np.concatenate([m.types if m.types is not None else np.empty(0, np.int64) for m in recoded])
    return {"offsets": offsets, "positions": positions, "types": types, "labels": scale}


def _nested_columns(listed: list[Annotation]) -> dict[str, Any]:
    segments = [a.marks.segments for a in listed if isinstance(a.marks, Hierarchy)]
    rows = np.concatenate(segments)
    offsets = np.concatenate(([0], np.cumsum([len(s) for s in segments])))
    return {"offsets": offsets, "positions": rows[:, 0], "ends": rows[:, 1], "types": rows[:, 2]}


def _span_columns(listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    spans = [a.marks for a in listed if isinstance(a.marks, Spans)]
    if len({s.timed for s in spans}) > 1:
        raise InvalidSegmentation("spans are of units in one annotation and of seconds in another; use one of the two.")
    scale = None if labels is None else tuple(labels)
    for each in dict.fromkeys(s.labels for s in spans if s.labels is not None) if scale is None else ():
        scale = each if scale is None else merge_labels(scale, each)
    recoded = [s if scale is None or s.labels in (None, scale) else s.with_labels(scale) for s in spans]
    nameless = [np.full(len(s), NO_LABEL) if s.types is None else s.types for s in recoded]
    return {
        "offsets": np.concatenate(([0], np.cumsum([len(s) for s in recoded]))),
        "positions": np.concatenate([s.starts for s in recoded]),
        "ends": np.concatenate([s.ends for s in recoded]),
        "types": None if scale is None else np.concatenate(nameless),
        "labels": scale,
    }


def merge_labels(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Merge two ordinal scales into one that keeps the order of both, or raise an error.

    Examples
    --------
    >>> merge_labels(["a", "c"], ["a", "b", "c"])
    ('a', 'b', 'c')
    """
    ours, theirs = tuple(first), tuple(second)
    if ours == theirs:
        return ours
    for small, large in ((ours, theirs), (theirs, ours)):
        if [name for name in large if name in set(small)] == list(small):
            return large
    if list(ours) == sorted(ours) and list(theirs) == sorted(theirs):
        return tuple(sorted({*ours, *theirs}))
    shared = set(ours) & set(theirs)
    if [n for n in ours if n in shared] == [n for n in theirs if n in shared]:
        return ours + tuple(n for n in theirs if n not in shared)
    raise InvalidSegmentation(
        f"the boundary types are ordered {preview_names(ours)} on one side and {preview_names(theirs)} on the other; give one order with labels=."
    )


def _triples(segments: list[Any], read: Hierarchy) -> list[tuple[int, int, int]]:
    """Return segments as given, with their levels, which may follow from the nesting."""
    levels = {(first, last): level for first, last, level in read.spans}
    return [(s[0], s[1], s[2] if len(s) == 3 else levels[s[0], s[1]]) for s in segments]


def preview_names(names: Sequence[str], limit: int = 8) -> str:
    """List the first names, for an error message."""
    return ", ".join(map(repr, names[:limit])) + (" …" if len(names) > limit else "")


# ---------------------------------------------------------------------- annotations one by one

_LARGEST = 2**62  # positions of spans are below it


class CorpusBuilder:
    """Collects annotations in flat arrays until the corpus is built, for files with millions of them."""

    def __init__(
        self, kind: Kind, *, typed: bool, labels: Sequence[str] | None = None, seconds: bool | None = None
    ) -> None:
        self.kind, self.typed = kind, typed
        self.ended = kind in ("nested", "spans")  # marks have ends
        self.seconds = kind == "time" if seconds is None else seconds
        number = "d" if self.seconds else "q"
        self.labels = None if labels is None else {name: i for i, name in enumerate(labels)}
        self.codes: dict[str, dict[str, int]] = {"item": {}, "track": {}, "coder": {}}
        self.of: dict[str, array[int]] = {name: array("q") for name in self.codes}
        self.lengths: array[Any] = array(number)
        self.offsets = array("q", [0])
        self.positions: array[Any] = array(number)
        self.types = array("q")
        self.ends: array[Any] = array(number)
        self.names: dict[int, Sequence[str]] = {}
        self.begins: dict[tuple[str, str], float] = {}  # the start of recordings that do not begin at 0

    def start(self, item: str, coder: str, track: str, length: Any, names: Sequence[str] | None = None) -> None:
        """Start an annotation; its marks are added next."""
        for name, value in (("item", item), ("track", track), ("coder", coder)):
            codes = self.codes[name]
            self.of[name].append(codes.setdefault(value, len(codes)))
        self.lengths.append(_number(length, self.seconds))
        if names is not None:
            self.names[len(self.lengths) - 1] = names

    def add_boundaries(self, positions: list[Any], types: list[Any] | None) -> None:
        """Add the boundaries of the annotation started last."""
        numbers = {int, float} if self.kind == "time" else {int}
        if not set(map(type, positions)) <= numbers:
            what = "numbers" if self.kind == "time" else "whole numbers"
            odd = next(p for p in positions if type(p) not in numbers)
            raise InvalidSegmentation(f"positions must be {what}, found {odd!r}.")
        if self.typed:
            if types is None or len(types) != len(positions):
                raise InvalidSegmentation(
                    f"{len(positions)} boundaries need as many types, found {'none' if types is None else len(types)}."
                )
            codes = self._type_codes(types)
            if any(a >= b and p == q for a, b, p, q in zip(codes, codes[1:], positions, positions[1:], strict=False)):
                order = sorted(range(len(positions)), key=lambda i: (positions[i], codes[i]))
                if positions == sorted(positions):
                    codes = [codes[i] for i in order]
            self.types.extend(codes)
        self.positions.extend(positions)
        self.offsets.append(len(self.positions))

    @property
    def plain_keys(self) -> tuple[str, ...]:
        """The keys of annotations that can be added many at a time; none if each has to be checked alone."""
        if self.kind == "nested" or (self.ended and self.typed and self.labels is None):
            return ()
        marks = ("spans",) if self.ended else ("positions", "types") if self.typed else ("positions",)
        return ("item", "coder", "length", *marks)

    def add_plain(self, entries: list[dict[str, Any]]) -> bool:
        """Add many annotations at once, which have the plain keys and nothing else.

        Return False, and add nothing, if there is anything else or anything wrong; they must then be added one by one.
        """
        keys = self.plain_keys
        if not keys or set(map(type, entries)) != {dict} or set(map(len, entries)) != {len(keys)}:
            return False
        try:
            items, coders, lengths, *marks = zip(*map(itemgetter(*keys), entries), strict=True)
        except KeyError:
            return False
        if not set(map(type, items)) == set(map(type, coders)) == {str}:
            return False
        if any(set(map(type, each)) != {list} for each in marks):
            return False
        numbers: Iterable[Any] = chain.from_iterable(marks[0])
        if self.ended:
            spans = list(numbers)
            if not (set(map(type, spans)) <= {list} and set(map(len, spans)) <= {3}):
                return False
            numbers = chain.from_iterable(span[:2] for span in spans)
        elif self.typed and not set(map(type, chain.from_iterable(marks[1]))) <= {int if self.labels is None else str}:
            return False
        if not set(map(type, chain(lengths, numbers))) <= ({int, float} if self.seconds else {int}):
            return False
        return self.add_rows(items, coders, lengths, *marks)

    def add_rows(
        self,
        items: Sequence[str],
        coders: Sequence[str],
        lengths: Sequence[Any],
        marks: Sequence[Sequence[Any]],
        types: Sequence[list[Any]] | None = None,
    ) -> bool:
        """Add many annotations with the plain keys, whose Python types are right.

        Return False, and add nothing, if a number is too large, a label unknown, or the marks are not in order.
        """
        flat: list[Any] = list(chain.from_iterable(marks))
        counts, number = list(map(len, marks)), self.positions.typecode
        ends: list[Any] = []
        names: list[Any] = []
        if self.ended and flat:
            flat, ends, names = map(list, zip(*flat, strict=True))
        elif types is not None:
            names = list(chain.from_iterable(types))
            if list(map(len, types)) != counts:
                return False
        try:
            codes = names if self.labels is None and not self.ended else self._codes_of(names)
            added: list[array[Any]] = [
                array(number, flat), array(number, ends), array("q", codes), array(number, lengths)
            ]  # fmt: skip
        except (KeyError, TypeError, OverflowError):  # they can be added one by one
            return False
        if names and not _are_ordered([_array(column) for column in added], np.array(counts)):
            return False
        for column, more in zip((self.positions, self.ends, self.types, self.lengths), added, strict=True):
            if column is not self.types or self.typed:
                column.extend(more)
        for name, values in (("item", items), ("coder", coders)):
            known = self.codes[name]
            self.of[name].fromlist([known.setdefault(value, len(known)) for value in values])
        self.of["track"].fromlist([self.codes["track"].setdefault("", len(self.codes["track"]))] * len(items))
        self.offsets.fromlist(list(islice(accumulate(counts, initial=self.offsets[-1]), 1, None)))
        return True

    def _codes_of(self, names: list[Any]) -> list[int]:
        """Return the codes of labels; spans may have none. An unknown label raises a KeyError."""
        known: dict[Any, int] = {**(self.labels or {}), None: NO_LABEL} if self.ended else self.labels or {}
        return list(map(known.__getitem__, names))

    def add_segments(self, length: Any, segments: list[Any]) -> None:
        """Add the nested segments of the annotation started last."""
        read = Hierarchy.from_spans([tuple(segment) for segment in segments], length=length)
        row, rows = len(self.lengths) - 1, read.segments
        if row in self.names:  # names follow their segments, which are kept in another order
            self.names[row] = Hierarchy(length, _triples(segments, read), names=self.names[row]).names or ()
        self.positions.extend(rows[:, 0].tolist())
        self.ends.extend(rows[:, 1].tolist())
        self.types.extend(rows[:, 2].tolist())
        self.offsets.append(len(self.positions))

    def add_spans(self, length: Any, spans: list[Any]) -> None:
        """Add the spans of the annotation started last: start, end, and label or None."""
        scale = list(self.labels) if self.labels is not None else None
        read = Spans.from_rows(spans, length=length, time=self.seconds, labels=scale)
        if read.typed and not self.typed:
            raise InvalidSegmentation("spans have labels that the header does not list.")
        self.positions.extend(read.starts.tolist())
        self.ends.extend(read.ends.tolist())
        self.types.extend(read.types.tolist() if read.types is not None else [])
        self.offsets.append(len(self.positions))

    def fields(self) -> dict[str, Any]:
        """Return the arguments of :class:`Corpus`, which validates whole columns."""
        nested = self.kind == "nested"
        return {
            "kind": self.kind,
            "items": tuple(self.codes["item"]),
            "tracks": tuple(self.codes["track"]) or ("",),
            "coders": tuple(self.codes["coder"]),
            **{f"{name}_of": _array(codes) for name, codes in self.of.items()},
            "lengths": _array(self.lengths),
            "offsets": _array(self.offsets),
            "positions": _array(self.positions),
            "types": _array(self.types) if self.typed or nested else None,
            "ends": _array(self.ends) if self.ended else None,
            "labels": None if self.labels is None or not self.typed else tuple(self.labels),
            "names": self.names,
            "starts": self._starts(),
        }

    def _starts(self) -> NDArray[np.float64] | None:
        if not self.begins:
            return None
        items, tracks = list(self.codes["item"]), list(self.codes["track"])
        rows = zip(self.of["item"], self.of["track"], strict=True)
        return np.array([self.begins.get((items[item], tracks[track]), 0.0) for item, track in rows])

    def _type_codes(self, types: list[Any]) -> list[int]:
        if self.labels is None:
            if not all(type(t) is int for t in types):
                raise InvalidSegmentation(
                    f"types without labels are integers, found {next(t for t in types if type(t) is not int)!r}."
                )
            return types
        try:
            return [self.labels[t] for t in types]
        except (KeyError, TypeError):
            odd = next(t for t in types if not isinstance(t, str) or t not in self.labels)
            raise InvalidSegmentation(f"type {odd!r} is not among the labels.") from None


def _are_ordered(columns: list[NDArray[Any]], counts: NDArray[Any]) -> bool:
    """Whether boundaries with types ascend by type where they share a position, or spans are in reading order and inside their text."""
    first, last, types, lengths = columns
    tied = first[1:] == first[:-1]
    if len(last):
        top = np.repeat(lengths, counts)
        if not ((first >= 0) & (last > first) & (last <= top) & (last < _LARGEST)).all():
            return False
        alike = last[1:] == last[:-1]
        right = (first[1:] > first[:-1]) | (tied & ((last[1:] < last[:-1]) | (alike & (types[1:] >= types[:-1]))))
    elif not tied.any():
        return True
    else:
        right = ~tied | (types[1:] > types[:-1])
    starts = np.cumsum(counts)[:-1]
    right[starts[(starts > 0) & (starts < len(first))] - 1] = True  # the last mark of a row and the first of the next
    return bool(right.all())


def _array(values: array[Any]) -> NDArray[Any]:
    kind = np.float64 if values.typecode == "d" else np.int64
    return np.frombuffer(values, kind) if len(values) else np.empty(0, kind)


def _number(value: Any, seconds: bool) -> Any:
    if type(value) not in ((int, float) if seconds else (int,)):
        what = "seconds" if seconds else "a whole number of units"
        raise InvalidSegmentation(f"the length must be {what}, found {value!r}.")
    if not seconds and not -(2**63) <= value < 2**63:
        raise CaesuraError(f"the length {value} exceeds 2**63 - 1.")
    return value


# ---------------------------------------------------------------------- checks


def check_columns(corpus: Corpus) -> None:
    """Validate the columns of a corpus; errors name the item and the coder."""
    rows = len(corpus.item_of)
    if len(corpus.offsets) != rows + 1 or len(corpus.lengths) != rows or len(corpus.coder_of) != rows:
        raise InvalidSegmentation("the columns of a corpus must have one entry per annotation, and offsets one more.")
    if rows and (
        corpus.offsets[0] != 0 or corpus.offsets[-1] != len(corpus.positions) or (np.diff(corpus.offsets) < 0).any()
    ):
        raise InvalidSegmentation("the offsets of a corpus must ascend from 0 to the number of marks.")
    if corpus.kind in ("nested", "spans") and (corpus.ends is None or len(corpus.ends) != len(corpus.positions)):
        raise InvalidSegmentation(f"{corpus.kind} marks need an end each; {len(corpus.positions)} have none.")
    for what, of, known in (
        ("item", corpus.item_of, corpus.items),
        ("track", corpus.track_of, corpus.tracks),
        ("coder", corpus.coder_of, corpus.coders),
    ):
        if rows and not (of.min() >= 0 and of.max() < len(known)):
            raise InvalidSegmentation(f"an annotation has {what} number {of.max()}, but there are {len(known)}.")
    if corpus.timed and rows and not np.isfinite(corpus.lengths).all():
        row = int(np.flatnonzero(~np.isfinite(corpus.lengths))[0])
        raise InvalidSegmentation(
            f"{_describe_row(corpus, row)}: the length is {corpus.lengths[row]} s, expected a number."
        )
    if rows and corpus.lengths.min() < 0:
        row = int(corpus.lengths.argmin())
        raise InvalidSegmentation(
            f"{_describe_row(corpus, row)}: the length is {corpus.lengths[row]:g}, expected 0 or more."
        )
    _check_tracks(corpus)
    _check_marks(corpus)
    _check_labels_and_texts(corpus)


def _check_labels_and_texts(corpus: Corpus) -> None:
    """Check that codes are within the labels, and that texts and segment names have the right length."""
    types = corpus.types
    if corpus.kind != "nested" and types is not None and len(types) != len(corpus.positions):
        raise InvalidSegmentation(f"{len(types)} types were given for {len(corpus.positions)} boundaries.")
    if corpus.typed and types is not None and corpus.labels is not None and len(types):
        lowest = -1 if corpus.kind == "spans" else 0  # -1: a span without a label
        bad = np.flatnonzero((types < lowest) | (types >= len(corpus.labels)))
        if len(bad):
            row = int(np.searchsorted(corpus.offsets, bad[0], side="right") - 1)
            raise InvalidSegmentation(
                f"{_describe_row(corpus, row)}: a type code lies outside the {len(corpus.labels)} labels."
            )
    rows = range(len(corpus)) if corpus.texts else sorted(corpus.names)
    for row in rows:
        if not 0 <= row < len(corpus):
            raise InvalidSegmentation(
                f"there are segment names for annotation {row}, but only {len(corpus)} annotations."
            )
        try:
            corpus.annotation(row)
        except InvalidSegmentation as fault:
            raise InvalidSegmentation(f"{_describe_row(corpus, row)}: {fault}") from None


def _describe_row(corpus: Corpus, row: int) -> str:
    where = describe_location(corpus.items[corpus.item_of[row]], corpus.tracks[corpus.track_of[row]])
    return f"{where}, coder {corpus.coders[corpus.coder_of[row]]!r}"


def _check_tracks(corpus: Corpus) -> None:
    if not len(corpus):
        return
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    if (stream[1:] > stream[:-1]).all():  # one annotation per text, as in large files: nothing can repeat
        return
    key = stream * len(corpus.coders) + corpus.coder_of
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        raise InvalidSegmentation(f"{_describe_row(corpus, int(order[again[0] + 1]))}: annotated twice.")
    ordered, lengths = stream[order], corpus.lengths[order]
    if corpus.starts is not None:
        begins = corpus.starts[order]
        moved = np.flatnonzero((np.diff(ordered) == 0) & (np.diff(begins) != 0))
        if len(moved):
            first, second = int(order[moved[0]]), int(order[moved[0] + 1])
            raise LengthMismatch(
                f"{_describe_row(corpus, second)}: starts at {corpus.starts[second]:g} s, but coder "
                f"{corpus.coders[corpus.coder_of[first]]!r} at {corpus.starts[first]:g} s; read with start=shift to let each start at 0, or "
                "with start=absolute to compare the common stretch."
            )
    apart = np.flatnonzero((np.diff(ordered) == 0) & (np.diff(lengths) != 0))
    if len(apart):
        first, second = int(order[apart[0]]), int(order[apart[0] + 1])
        unit = "s" if corpus.timed else "units"
        raise LengthMismatch(
            f"{_describe_row(corpus, second)}: {corpus.lengths[second]:g} {unit}, but coder "
            f"{corpus.coders[corpus.coder_of[first]]!r} has {corpus.lengths[first]:g}; all coders of a text share its length."
        )


def _check_marks(corpus: Corpus) -> None:
    if not len(corpus.positions):
        return
    if corpus.timed and not all(
        np.isfinite(column).all() for column in (corpus.positions, corpus.ends) if column is not None
    ):
        raise InvalidSegmentation("a time is not a finite number.")
    bad = _outside(corpus) if corpus.ends is not None else _out_of_order(corpus)
    if len(bad):
        _raise_row_error(corpus, int(bad[0]))


def _outside(corpus: Corpus) -> NDArray[np.int64]:
    """Find rows with nested segments or spans that are empty or lie outside their text."""
    assert corpus.ends is not None
    top = np.repeat(corpus.lengths, np.diff(corpus.offsets))
    before = (
        0 if corpus.kind == "spans" else 1
    )  # spans have starts and excluded ends, nested segments first and last units
    ok = (corpus.positions >= before) & (corpus.ends > corpus.positions - before) & (corpus.ends <= top)
    return np.searchsorted(corpus.offsets, np.flatnonzero(~ok), side="right") - 1


def _out_of_order(corpus: Corpus) -> NDArray[np.int64]:
    """Find rows whose marks do not ascend, or whose first or last mark lies outside the text.

    If marks ascend, checking the first and the last is enough; so no limit is repeated for every mark, which saves memory.
    """
    where, types = corpus.positions, corpus.types
    repeatable = corpus.kind == "time" or types is not None  # two marks may share a position
    back = where[1:] < where[:-1] if repeatable else where[1:] <= where[:-1]
    if types is not None:
        back |= (where[1:] == where[:-1]) & (types[1:] <= types[:-1])
    ends = corpus.offsets[1:-1]
    back[ends[(ends > 0) & (ends < len(where))] - 1] = (
        False  # the first mark of a row need not be above the last of the row before
    )
    sizes = np.diff(corpus.offsets)
    full = slice(None) if sizes.all() else np.flatnonzero(sizes)  # a slice copies nothing
    highest = corpus.lengths if corpus.kind == "time" or types is not None else corpus.lengths - 1
    first, last = where[corpus.offsets[:-1][full]], where[corpus.offsets[1:][full] - 1]
    outside = (first < (0 if corpus.kind == "time" else 1)) | (last > highest[full])
    if not (outside.any() or back.any()):
        return np.empty(0, np.int64)
    disordered = np.searchsorted(corpus.offsets, np.flatnonzero(back), side="right") - 1
    return np.sort(np.concatenate((np.arange(len(sizes))[full][outside], disordered)))


def check_hierarchy(corpus: Corpus, row: int) -> None:
    """Raise an error if segments cross or contradict their levels; segments added one by one were checked before."""
    assert corpus.ends is not None
    assert corpus.types is not None
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    try:
        Hierarchy(
            int(corpus.lengths[row]), np.stack((corpus.positions[here], corpus.ends[here], corpus.types[here]), 1)
        )
    except InvalidSegmentation as fault:
        raise InvalidSegmentation(f"{_describe_row(corpus, row)}: {fault}") from None


def _raise_row_error(corpus: Corpus, row: int) -> None:
    """Raise the error of the constructor of a single annotation, which describes what is wrong."""
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    try:
        if corpus.ends is not None and corpus.kind == "spans":
            Spans(corpus.lengths[row].item(), corpus.positions[here], corpus.ends[here])
        elif corpus.ends is not None and corpus.types is not None:
            Hierarchy(
                int(corpus.lengths[row]),
                np.stack((corpus.positions[here], corpus.ends[here], corpus.types[here]), 1),
            )
        else:
            length = float(corpus.lengths[row]) if corpus.kind == "time" else int(corpus.lengths[row])
            Segmentation(
                length,
                corpus.positions[here],
                None if corpus.types is None else corpus.types[here],
                corpus.labels,
            )
    except InvalidSegmentation as fault:
        raise InvalidSegmentation(f"{_describe_row(corpus, row)}: {fault}") from None
    raise InvalidSegmentation(f"{_describe_row(corpus, row)}: types that share a position must ascend.")
