"""Spans: stretches of one text or recording by one coder, which may leave gaps, overlap, nest and stand twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import checked_length, checked_positions, checked_types, members, short
from caesura.model.segmentation import Frozen, Segmentation
from caesura.words import check_choice, number_of

#: The code of a span without a label.
UNNAMED = -1
#: Start, end (excluded) and label of a span.
SpanRow: TypeAlias = tuple[int, int, str | None] | tuple[float, float, str | None]

_SHOWN = 6
_PREFIXES = ("O", "B", "I", "E", "L", "S", "U")


class Spans(Frozen):
    """Labelled stretches ``[start, end)`` of one text of units, or of one recording in seconds.

    Nothing is asked of them but that they lie inside: they may leave gaps, overlap, nest, and stand twice (then they count twice).

    Parameters
    ----------
    length
        Number of units (an int) or duration in seconds (a float).
    starts, ends
        Where each span begins and ends. Units count from 0 and the end is excluded, as Python slices are.
    types
        For each span the code of its label, -1 where it has none; None where no span has a label.
    labels
        The labels behind those codes, in the order of their scale where they have one.
    units
        The text itself, one string per unit. It is shown, never compared.

    Attributes
    ----------
    starts, ends, types
        The spans in reading order: by start, the longest first, then by label.

    Examples
    --------
    >>> spans = Spans.from_rows([(0, 2, "person"), (5, 9, "place"), (5, 7, None)], length=10)
    >>> spans.rows
    [(0, 2, 'person'), (5, 9, 'place'), (5, 7, None)]
    >>> spans
    Spans(10 units, 3 spans: 0–2 person, 5–9 place, 5–7)
    """

    _fields = ("length", "starts", "ends", "types", "labels", "units")
    __slots__ = tuple(sorted(_fields))

    length: int | float
    starts: NDArray[Any]
    ends: NDArray[Any]
    types: NDArray[np.int64] | None
    labels: tuple[str, ...] | None
    units: tuple[str, ...] | None

    def __init__(
        self,
        length: int | float,
        starts: Sequence[float] | NDArray[Any] = (),
        ends: Sequence[float] | NDArray[Any] = (),
        types: Sequence[int] | NDArray[Any] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> None:
        size = checked_length(length)
        timed = isinstance(size, float)
        first, last = checked_positions(starts, timed=timed), checked_positions(ends, timed=timed)
        if len(first) != len(last):
            raise InvalidSegmentation(f"{len(first)} starts were given for {len(last)} ends.")
        check_inside(size, first, last)
        codes = None if types is None else _checked_codes(types, labels, len(first))
        order = reading_order(first, last, codes)
        self._fill(size, first[order], last[order], None if codes is None else codes[order], labels, units)

    def _fill(
        self,
        length: int | float,
        starts: NDArray[Any],
        ends: NDArray[Any],
        types: NDArray[np.int64] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> None:
        for column in (starts, ends, types):
            if column is not None:
                column.flags.writeable = False
        put = object.__setattr__
        put(self, "length", length)
        put(self, "starts", starts)
        put(self, "ends", ends)
        put(self, "types", types)
        put(self, "labels", None if labels is None or types is None else tuple(labels))
        put(self, "units", None if units is None else tuple(units))
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the spans are of {length}.")

    # ------------------------------------------------------------------ made from what people have

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        *,
        length: int | float | None = None,
        time: bool = False,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
    ) -> Spans:
        """Build from (start, end, label), or (start, end); a label is a name or None.

        Positions count units from 0 with the end excluded, or are seconds with ``time=True``. Without a length the text has as many
        units as ``units``, or ends with its last span. ``labels`` puts the names on a scale; by default they stand in alphabetical order.

        >>> Spans.from_rows([(0.5, 1.25, "speech")], length=2, time=True)
        Spans(2 s, 1 span: 0.5–1.25 speech)
        """
        listed = [_checked_row(row) for row in members(rows, "spans")]
        starts, ends = [row[0] for row in listed], [row[1] for row in listed]
        names = [row[2] for row in listed]
        timed = time or isinstance(length, float)
        if not timed and (odd := [p for p in (*starts, *ends) if p != int(p)]):
            raise InvalidSegmentation(f"position {odd[0]:g} is not a whole number of units; say time=True for seconds.")
        size = checked_length(
            max(ends, default=0) if length is None and units is None else len(units or ()) if length is None else length
        )
        codes, scale = code_labels(names, labels)
        return cls(float(size) if timed else int(size), starts, ends, codes, scale, units)

    @classmethod
    def from_iob(cls, tags: Iterable[str], *, strict: bool = False, units: Sequence[str] | None = None) -> Spans:
        """Build from one tag per token: B- begins a span, I- goes on, O is outside; E- or L- ends one, S- or U- is one of a single token.

        As conlleval and seqeval do, an I- that follows no span of its label begins one; ``strict`` passes over it, as seqeval's strict mode does.

        >>> Spans.from_iob(["B-PER", "I-PER", "O", "I-LOC"]).rows
        [(0, 2, 'PER'), (3, 4, 'LOC')]
        >>> Spans.from_iob(["B-PER", "I-PER", "O", "I-LOC"], strict=True).rows
        [(0, 2, 'PER')]
        """
        listed = members(tags, "tags")
        return cls.from_rows(spans_of_tags(listed, strict), length=len(listed), units=units)

    @classmethod
    def from_segmentation(cls, marks: Segmentation) -> Spans:
        """Take every segment for a span; names of segments become labels.

        Lost: the types of boundaries, which lie between spans. A segment without a name ("") becomes a span without a label.

        >>> Spans.from_segmentation(Segmentation.from_masses([2, 3])).rows
        [(0, 2, None), (2, 5, None)]
        """
        names = marks.names or [""] * len(marks)
        first = 0 if marks.timed else 1  # units of a segment count from 1
        rows = [(a - first, b, name or None) for (a, b), name in zip(marks.spans, names, strict=True)]
        return cls.from_rows(rows, length=marks.length, units=marks.units)

    @classmethod
    def from_hierarchy(cls, segments: Hierarchy) -> Spans:
        """Take every nested segment for a span whose label is its level: ``level1``, ``level2`` …; nothing is lost.

        >>> Spans.from_hierarchy(Hierarchy.from_brackets("[[a] b]")).rows
        [(0, 2, 'level1'), (0, 1, 'level2')]
        """
        rows = [(first - 1, last, f"level{level}") for first, last, level in segments.spans]
        scale = [f"level{level}" for level in range(1, segments.depth + 1)]
        return cls.from_rows(rows, length=segments.length, labels=scale, units=segments.units)

    # ------------------------------------------------------------------ seen as people need it

    @property
    def timed(self) -> bool:
        """Whether positions are seconds rather than units."""
        return isinstance(self.length, float)

    @property
    def typed(self) -> bool:
        """Whether any span may carry a label."""
        return self.types is not None

    @property
    def names(self) -> list[str | None]:
        """The label of every span, in reading order, None where it has none."""
        if self.types is None or self.labels is None:
            return [None] * len(self)
        known = (*self.labels, None)  # code -1 reads the last
        return [known[code] for code in self.types.tolist()]

    @property
    def rows(self) -> list[SpanRow]:
        """Every span as (start, end, label), in reading order; the inverse of :meth:`from_rows`."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), self.names, strict=True))

    def boundaries(self, types: Literal["none", "edges"] = "none") -> Segmentation:
        """Keep only where spans begin and end: a boundary at every such place inside the text.

        Lost: labels, which end belongs to which start, what is gap and what is span, and how many edges meet at a place; with
        ``types="edges"`` boundaries are typed ``start`` and ``end``, which keeps what is gap where spans do not overlap.
        A start at the very beginning is no boundary.

        >>> spans = Spans.from_rows([(0, 2), (5, 9)], length=10)
        >>> spans.boundaries().masses
        [2, 3, 4, 1]
        >>> spans.boundaries("edges").marks
        [(2, 'end'), (5, 'start'), (9, 'end')]
        """
        check_choice("types", types, ("none", "edges"))
        first, last = np.unique(self.starts), np.unique(self.ends)
        units = None if self.timed else self.units
        if types == "none":
            cuts = np.union1d(first, last)
            return Segmentation(self.length, cuts[(cuts > 0) & (cuts < self.length)], units=units)
        first = first[first > 0]
        codes = np.repeat([0, 1], [len(last), len(first)])
        where = np.concatenate((last, first))
        order = np.lexsort((codes, where))
        return Segmentation(self.length, where[order], codes[order], ("end", "start"), units)

    def hierarchy(self) -> Hierarchy:
        """Nest them: spans as segments of a hierarchy, levels from the nesting. Refused where two cross; lost: labels, duplicates.

        >>> Spans.from_rows([(0, 4), (0, 2)], length=5).hierarchy().spans
        [(1, 4, 1), (1, 2, 2)]
        """
        if isinstance(self.length, float):
            raise InvalidSegmentation("a recording has no units to nest; segments of a hierarchy are runs of units.")
        rows = sorted({(int(start) + 1, int(end)) for start, end, _ in self.rows})
        return Hierarchy.from_spans(rows, length=self.length, units=self.units)

    def only(self, *labels: str | None) -> Spans:
        """Keep the spans with these labels (None: those without one).

        >>> Spans.from_rows([(0, 2, "x"), (1, 3, "y")], length=4).only("y").rows
        [(1, 3, 'y')]
        """
        keep = np.array([name in labels for name in self.names], dtype=bool)
        codes = None if self.types is None else self.types[keep]
        return self._trusted(self.length, self.starts[keep], self.ends[keep], codes, self.labels, self.units)

    def with_labels(self, labels: Sequence[str]) -> Spans:
        """Place the same labels on another scale."""
        codes, scale = code_labels(self.names, labels)
        return Spans(self.length, self.starts, self.ends, codes, scale, self.units)

    # ------------------------------------------------------------------ a value like any other

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.starts)

    def __iter__(self) -> Iterator[SpanRow]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spans):
            return NotImplemented
        if self.length != other.length or self.timed != other.timed or len(self) != len(other):
            return False
        if not (np.array_equal(self.starts, other.starts) and np.array_equal(self.ends, other.ends)):
            return False
        if self.labels == other.labels:
            return np.array_equal(_codes_of(self), _codes_of(other))
        return Counter(self.rows) == Counter(other.rows)

    def __hash__(self) -> int:
        return hash((self.length, self.starts.tobytes(), self.ends.tobytes()))

    def __repr__(self) -> str:
        unit = "s" if self.timed else "unit" if self.length == 1 else "units"
        shown = [f"{a:g}–{b:g}{'' if name is None else ' ' + name}" for a, b, name in self.rows[:_SHOWN]]
        more = ["…"] * (len(self) > _SHOWN)
        listed = ": " + ", ".join([*shown, *more]) if shown else ""
        return f"Spans({self.length:g} {unit}, {number_of(len(self), 'span')}{listed})"

    def _repr_html_(self) -> str:
        """Draw bars, in as many rows as spans overlap."""
        bars: list[str] = []
        free: list[float] = []  # where the last bar of each row ends
        for start, end, name in self.rows[:500]:
            row = next((i for i, taken in enumerate(free) if taken <= start), len(free))
            free[row : row + 1] = [end]
            title = escape(f"{start:g}–{end:g} {name or ''}".rstrip())
            bars.append(
                f'<span title="{title}" dir="auto" style="position:absolute;top:{1.3 * row:g}em;left:{100 * start / self.length:.3f}%;'
                f"width:{100 * (end - start) / self.length:.3f}%;border:1px solid;box-sizing:border-box;height:1.2em;"
                f'overflow:hidden;font-size:.7em;text-align:center;white-space:nowrap">{escape(name or "")}</span>'
            )
        return f'<div role="img" style="position:relative;height:{max(1, len(free)):g}em">{"".join(bars)}</div>'


def check_inside(length: int | float, starts: NDArray[Any], ends: NDArray[Any]) -> None:
    """Refuse a span that is empty, runs backwards or leaves the text, and name the first one."""
    bad = np.flatnonzero((starts < 0) | (ends <= starts) | (ends > length))
    if not len(bad):
        return
    start, end = starts[bad[0]], ends[bad[0]]
    span = f"the span {start:g}–{end:g}"
    if end == start:
        raise InvalidSegmentation(f"{span} is empty; a span covers something, so its end lies behind its start.")
    if end < start:
        raise InvalidSegmentation(f"{span} ends before it begins.")
    what = f"a recording of {length:g} s" if isinstance(length, float) else f"a text of {number_of(length, 'unit')}"
    raise InvalidSegmentation(f"{span} lies outside {what}.")


def reading_order(
    starts: NDArray[Any],
    ends: NDArray[Any],
    types: NDArray[np.int64] | None,
    annotation: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The order in which the spans of each annotation are kept: by start, the longest first, then by label."""
    keys = (types, -ends, starts, annotation)
    return np.lexsort(tuple(key for key in keys if key is not None))


def code_labels(
    names: Sequence[str | None], labels: Sequence[str] | None
) -> tuple[NDArray[np.int64] | None, tuple[str, ...] | None]:
    """Give every name its place among the labels (default: in alphabetical order), -1 to None; no codes where nothing has a name."""
    used = {name for name in names if name is not None}
    if labels is None and not used:
        return None, None
    scale = tuple(sorted(used)) if labels is None else tuple(labels)
    if len(set(scale)) != len(scale):
        raise InvalidSegmentation(f"the labels {short(list(scale))} hold a name twice.")
    if unknown := sorted(used - set(scale)):
        raise InvalidSegmentation(f"label {unknown[0]!r} is not among the labels {short(list(scale))}.")
    code: dict[str | None, int] = {name: i for i, name in enumerate(scale)} | {None: UNNAMED}
    return np.array([code[name] for name in names], dtype=np.int64), scale


def spans_of_tags(tags: Sequence[str], strict: bool) -> list[tuple[int, int, str | None]]:
    """Read spans off tags; see :meth:`Spans.from_iob`."""
    rows: list[tuple[int, int, str | None]] = []
    going_on: str | None = None  # the label of a span that the next token may belong to
    for at, tag in enumerate(tags):
        prefix, dash, label = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        if prefix not in _PREFIXES or (prefix == "O" and dash):
            raise InvalidSegmentation(
                f"tag {at + 1} is {short(repr(tag))}; expected O, or B-, I-, E-, L-, S- or U- and a label."
            )
        inside = prefix in "IEL" and going_on == label
        if inside:
            start, _, name = rows[-1]
            rows[-1] = (start, at + 1, name)
        elif prefix != "O" and (prefix in "BSU" or not strict):
            rows.append((at, at + 1, label or None))
        goes_on = prefix == "B" or (prefix == "I" and (inside or not strict))
        going_on = label if goes_on else None
    return rows


_FARTHEST = 2**62  #: no text or recording reaches as far; a number beyond it is damage


def _codes_of(spans: Spans) -> NDArray[np.int64]:
    return np.full(len(spans), UNNAMED) if spans.types is None else spans.types


def _checked_row(row: Any) -> tuple[Any, Any, str | None]:
    if not isinstance(row, (tuple, list, np.ndarray)) or len(row) not in (2, 3):
        raise InvalidSegmentation(f"a span is (start, end) or (start, end, label), not {short(repr(row))}.")
    start, end, name = (*row, None)[:3]
    for position in (start, end):
        if isinstance(position, (bool, np.bool_)) or not isinstance(position, (int, float, np.integer, np.floating)):
            raise InvalidSegmentation(f"a span begins and ends at numbers, not {short(repr(position))}.")
        if not -_FARTHEST < position < _FARTHEST:
            raise InvalidSegmentation(f"the span {short(repr(start))}–{short(repr(end))} has no finite start and end.")
    if name is not None and not isinstance(name, str):
        raise InvalidSegmentation(
            f"the label of the span {start:g}–{end:g} is a name or None, not {short(repr(name))}."
        )
    return start, end, name


def _checked_codes(types: Any, labels: Sequence[str] | None, spans: int) -> NDArray[np.int64]:
    if labels is None:
        raise InvalidSegmentation("types of spans are codes of labels; give labels= too, or names through from_rows.")
    codes = np.array(types) if isinstance(types, (list, tuple)) and len(types) else types
    shifted = checked_types(np.asarray(codes) + 1 if len(codes) else codes, ("", *labels), spans)
    return shifted - 1  # -1, no label, is code 0 of the shifted ones
