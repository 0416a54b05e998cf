"""Spans of one text or recording by one coder, which may leave gaps, overlap, nest and occur twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation
from caesura.model.conversion import (
    abbreviate,
    as_list,
    shift_times,
    validate_length,
    validate_positions,
    validate_start,
    validate_types,
)
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import ImmutableAnnotation, Segmentation
from caesura.text import pluralize
from caesura.validation import validate_choice

#: The code of a span without a label.
NO_LABEL = -1
#: Start, end (excluded) and label of a span.
SpanRow: TypeAlias = tuple[int, int, str | None] | tuple[float, float, str | None]

#: How spans are written as one tag per token.
TagScheme: TypeAlias = Literal["IOB2", "IOBES", "BILOU"]

_SHOWN = 6  # spans in a repr before the ellipsis
_PREFIXES = ("O", "B", "I", "E", "L", "S", "U")


class Spans(ImmutableAnnotation):
    """Labelled spans ``[start, end)`` of one text of units, or of one recording in seconds.

    Spans may leave gaps, overlap and nest; a span that occurs twice counts twice. They are kept in reading order: by start, the
    longest first, then by label.

    Parameters
    ----------
    length : int or float
        The number of units (an int), or the duration in seconds (a float).
    starts, ends : sequence of int or float, default ()
        Where each span begins and ends. Units count from 0 and the end is excluded, as in Python slices.
    types : sequence of int, default None
        The code of each span's label, -1 for no label; None if no span has a label.
    labels : sequence of str, default None
        The labels that the codes are indices of, in the order of their scale if they have one.
    units : sequence of str, default None
        The text, one string per unit. It is shown and never compared.
    start : float, default 0.0
        The time at which a recording begins, in seconds; positions are absolute.

    Raises
    ------
    InvalidSegmentation
        If a span is empty or lies outside the text.

    Examples
    --------
    >>> spans = Spans.from_rows([(0, 2, "person"), (5, 9, "place"), (5, 7, None)], length=10)
    >>> spans.rows
    [(0, 2, 'person'), (5, 9, 'place'), (5, 7, None)]
    >>> spans
    Spans(10 units, 3 spans: 0–2 person, 5–9 place, 5–7)
    """

    _fields = ("length", "starts", "ends", "types", "labels", "units", "start")
    __slots__ = tuple(sorted(_fields))

    length: int | float
    starts: NDArray[Any]
    ends: NDArray[Any]
    types: NDArray[np.int64] | None
    labels: tuple[str, ...] | None
    units: tuple[str, ...] | None
    start: float

    def __init__(
        self,
        length: int | float,
        starts: Sequence[float] | NDArray[Any] = (),
        ends: Sequence[float] | NDArray[Any] = (),
        types: Sequence[int] | NDArray[Any] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        start: float = 0.0,
    ) -> None:
        size = validate_length(length)
        timed = isinstance(size, float)
        begin = validate_start(start, timed=timed)
        first, last = validate_positions(starts, timed=timed), validate_positions(ends, timed=timed)
        if len(first) != len(last):
            raise InvalidSegmentation(f"{len(first)} starts were given for {len(last)} ends.")
        check_inside(size, *((shift_times(first, -begin), shift_times(last, -begin)) if begin else (first, last)))
        codes = None if types is None else _validate_codes(types, labels, len(first))
        order = reading_order(first, last, codes)
        self._fill(size, first[order], last[order], None if codes is None else codes[order], labels, units, begin)

    def _fill(
        self,
        length: int | float,
        starts: NDArray[Any],
        ends: NDArray[Any],
        types: NDArray[np.int64] | None = None,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        start: float = 0.0,
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
        put(self, "start", start)
        if self.units is not None and len(self.units) != length:
            raise InvalidSegmentation(f"the text has {len(self.units)} units, the spans are of {length}.")

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        *,
        length: int | float | None = None,
        time: bool = False,
        labels: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        start: float = 0.0,
    ) -> Spans:
        """Build spans from rows of start, end and label.

        Parameters
        ----------
        rows : iterable of (start, end) or (start, end, label)
            Positions count units from 0 with the end excluded, or are seconds; a label is a name or None.
        length : int or float, default None
            The number of units or the duration; None takes the length of ``units``, or the end of the last span.
        time : bool, default False
            Whether positions are seconds.
        labels : sequence of str, default None
            The labels in the order of their scale; None orders them alphabetically.
        units : sequence of str, default None
            The text, one string per unit.
        start : float, default 0.0
            The time at which the recording begins; the length counts from there.

        Returns
        -------
        Spans

        Examples
        --------
        >>> Spans.from_rows([(0.5, 1.25, "speech")], length=2, time=True)
        Spans(2 s, 1 span: 0.5–1.25 speech)
        """
        listed = [_validate_row(row) for row in as_list(rows, "spans")]
        starts, ends = [row[0] for row in listed], [row[1] for row in listed]
        names = [row[2] for row in listed]
        timed = time or isinstance(length, float)
        if not timed and (odd := [p for p in (*starts, *ends) if p != int(p)]):
            raise InvalidSegmentation(f"position {odd[0]:g} is not a whole number of units; use time=True for seconds.")
        size = validate_length(
            max(ends, default=0) if length is None and units is None else len(units or ()) if length is None else length
        )
        codes, scale = encode_labels(names, labels)
        return cls(float(size) if timed else int(size), starts, ends, codes, scale, units, start)

    @classmethod
    def from_iob(
        cls,
        tags: Iterable[str],
        *,
        strict: bool = False,
        scheme: TagScheme | None = None,
        units: Sequence[str] | None = None,
    ) -> Spans:
        """Build spans from one IOB tag per token.

        ``B-`` begins a span, ``I-`` continues it, ``O`` is outside; ``E-`` or ``L-`` ends a span, ``S-`` or ``U-`` is a span of one token.

        Parameters
        ----------
        tags : iterable of str
            One tag per token.
        strict : bool, default False
            Whether to ignore whatever the scheme does not allow, as seqeval's strict mode does: an ``I-`` that follows no span of its
            label, and in IOBES and BILOU a ``B-`` that no ``E-`` or ``L-`` closes. By default an ``I-`` begins a span, as in conlleval
            and seqeval.
        scheme : {"IOB2", "IOBES", "BILOU"}, default None
            The scheme of strict tags; None: IOBES if there is an ``E-`` or ``S-``, BILOU if there is an ``L-`` or ``U-``, else IOB2.
        units : sequence of str, default None
            The tokens.

        Returns
        -------
        Spans

        Examples
        --------
        >>> Spans.from_iob(["B-PER", "I-PER", "O", "I-LOC"]).rows
        [(0, 2, 'PER'), (3, 4, 'LOC')]
        >>> Spans.from_iob(["B-PER", "I-PER", "O", "I-LOC"], strict=True).rows
        [(0, 2, 'PER')]
        """
        listed = as_list(tags, "tags")
        if scheme is not None and not strict:
            raise InvalidSegmentation("scheme= is for strict tags; add strict=True.")
        rows = spans_from_tags(listed, strict)
        if strict and (chosen := scheme or _scheme_of(listed)) != "IOB2":
            rows = list(_closed_spans(listed, chosen))
        return cls.from_rows(rows, length=len(listed), units=units)

    @classmethod
    def from_segmentation(cls, marks: Segmentation) -> Spans:
        """Build spans from the segments of a segmentation; names of segments become labels.

        The types of boundaries are lost. A segment without a name ("") becomes a span without a label.

        Parameters
        ----------
        marks : Segmentation
            The segmentation.

        Returns
        -------
        Spans

        Examples
        --------
        >>> Spans.from_segmentation(Segmentation.from_masses([2, 3])).rows
        [(0, 2, None), (2, 5, None)]
        """
        names = marks.names or [""] * len(marks)
        first = 0 if marks.timed else 1  # units of a segment count from 1
        rows = [(a - first, b, name or None) for (a, b), name in zip(marks.spans, names, strict=True)]
        return cls.from_rows(rows, length=marks.length, units=marks.units)

    @classmethod
    def from_hierarchy(cls, segments: Hierarchy) -> Spans:
        """Build spans from nested segments, labelled by level: ``level1``, ``level2`` … Nothing is lost.

        Parameters
        ----------
        segments : Hierarchy
            The hierarchy.

        Returns
        -------
        Spans

        Examples
        --------
        >>> Spans.from_hierarchy(Hierarchy.from_brackets("[[a] b]")).rows
        [(0, 2, 'level1'), (0, 1, 'level2')]
        """
        rows = [(first - 1, last, f"level{level}") for first, last, level in segments.spans]
        scale = [f"level{level}" for level in range(1, segments.depth + 1)]
        return cls.from_rows(rows, length=segments.length, labels=scale, units=segments.units)

    # ------------------------------------------------------------------ views

    @property
    def timed(self) -> bool:
        """Whether positions are seconds (True) or units (False)."""
        return isinstance(self.length, float)

    @property
    def typed(self) -> bool:
        """Whether spans may have labels."""
        return self.types is not None

    @property
    def names(self) -> list[str | None]:
        """The label of every span, in reading order; None for a span without a label."""
        if self.types is None or self.labels is None:
            return [None] * len(self)
        known = (*self.labels, None)  # code -1 is the last entry
        return [known[code] for code in self.types.tolist()]

    @property
    def rows(self) -> list[SpanRow]:
        """Every span as (start, end, label), in reading order; the inverse of :meth:`from_rows`."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), self.names, strict=True))

    def boundaries(self, types: Literal["none", "edges"] = "none") -> Segmentation:
        """Return a segmentation with a boundary wherever a span begins or ends.

        Labels are lost, and so is which start belongs to which end. A start at 0 is no boundary.

        Parameters
        ----------
        types : {"none", "edges"}, default "none"
            ``"edges"`` gives boundaries the types ``start`` and ``end``, so that gaps and spans can be distinguished if spans do not overlap.

        Returns
        -------
        Segmentation

        Examples
        --------
        >>> spans = Spans.from_rows([(0, 2), (5, 9)], length=10)
        >>> spans.boundaries().masses
        [2, 3, 4, 1]
        >>> spans.boundaries("edges").marks
        [(2, 'end'), (5, 'start'), (9, 'end')]
        """
        validate_choice("types", types, ("none", "edges"))
        first, last = np.unique(self.starts), np.unique(self.ends)
        units = None if self.timed else self.units
        if types == "none":
            cuts = np.union1d(first, last)
            inner = (cuts > self.start) & (cuts < self.end)
            return Segmentation(self.length, cuts[inner], units=units, start=self.start)
        first = first[first > self.start]
        codes = np.repeat([0, 1], [len(last), len(first)])
        where = np.concatenate((last, first))
        order = np.lexsort((codes, where))
        return Segmentation(self.length, where[order], codes[order], ("end", "start"), units, start=self.start)

    def hierarchy(self) -> Hierarchy:
        """Return the spans as nested segments, with levels from the nesting; labels and duplicates are lost.

        Returns
        -------
        Hierarchy

        Raises
        ------
        InvalidSegmentation
            If two spans cross, or if positions are seconds.

        Examples
        --------
        >>> Spans.from_rows([(0, 4), (0, 2)], length=5).hierarchy().spans
        [(1, 4, 1), (1, 2, 2)]
        """
        if isinstance(self.length, float):
            raise InvalidSegmentation(
                "spans of a recording cannot be nested, because segments of a hierarchy are made of units."
            )
        rows = sorted({(int(start) + 1, int(end)) for start, end, _ in self.rows})
        return Hierarchy.from_spans(rows, length=self.length, units=self.units)

    def only(self, *labels: str | None) -> Spans:
        """Return only the spans with these labels.

        Parameters
        ----------
        *labels : str or None
            The labels to keep; None keeps spans without a label.

        Returns
        -------
        Spans

        Examples
        --------
        >>> Spans.from_rows([(0, 2, "x"), (1, 3, "y")], length=4).only("y").rows
        [(1, 3, 'y')]
        """
        keep = np.array([name in labels for name in self.names], dtype=bool)
        codes = None if self.types is None else self.types[keep]
        return self._trusted(
            self.length, self.starts[keep], self.ends[keep], codes, self.labels, self.units, self.start
        )

    @property
    def end(self) -> int | float:
        """The end of the recording, start + length; the number of units of a text."""
        return float(shift_times(self.length, self.start)) if self.start else self.length

    def relative(self) -> Spans:
        """Return the same spans with times that count from the start of the recording.

        Returns
        -------
        Spans
        """
        if not self.start:
            return self
        first, last = shift_times(self.starts, -self.start), shift_times(self.ends, -self.start)
        return self._trusted(self.length, first, last, self.types, self.labels, self.units)

    def starting_at(self, start: float) -> Spans:
        """Return the same spans, moved in time so that the recording begins at another time.

        Parameters
        ----------
        start : float
            The new start in seconds.

        Returns
        -------
        Spans
        """
        if start == self.start:
            return self
        own = self.relative()
        first, last = shift_times(own.starts, start), shift_times(own.ends, start)
        return self._trusted(self.length, first, last, self.types, self.labels, self.units, float(start))

    def with_labels(self, labels: Sequence[str]) -> Spans:
        """Return the same spans with their labels on another scale.

        Parameters
        ----------
        labels : sequence of str
            The labels in their new order; it must have all labels that occur.

        Returns
        -------
        Spans
        """
        codes, scale = encode_labels(self.names, labels)
        return Spans(self.length, self.starts, self.ends, codes, scale, self.units, self.start)

    # ------------------------------------------------------------------ equality and display

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.starts)

    def __iter__(self) -> Iterator[SpanRow]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spans):
            return NotImplemented
        if (
            self.length != other.length
            or self.start != other.start
            or self.timed != other.timed
            or len(self) != len(other)
        ):
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
        return f"Spans({self.length:g} {unit}, {pluralize(len(self), 'span')}{listed})"

    def _repr_html_(self) -> str:
        """Draw the spans as bars, in as many rows as they overlap."""
        bars: list[str] = []
        row_ends: list[float] = []  # where the last bar of each row ends
        for start, end, name in self.rows[:500]:
            row = next((i for i, taken in enumerate(row_ends) if taken <= start), len(row_ends))
            row_ends[row : row + 1] = [end]
            title = escape(f"{start:g}–{end:g} {name or ''}".rstrip())
            bars.append(
                f'<span title="{title}" dir="auto" style="position:absolute;top:{1.3 * row:g}em;left:{100 * (start - self.start) / self.length:.3f}%;'
                f"width:{100 * (end - start) / self.length:.3f}%;border:1px solid;box-sizing:border-box;height:1.2em;"
                f'overflow:hidden;font-size:.7em;text-align:center;white-space:nowrap">{escape(name or "")}</span>'
            )
        return f'<div role="img" style="position:relative;height:{max(1, len(row_ends)):g}em">{"".join(bars)}</div>'


def check_inside(length: int | float, starts: NDArray[Any], ends: NDArray[Any]) -> None:
    """Raise an error about the first span that is empty, ends before it begins, or lies outside the text."""
    bad = np.flatnonzero((starts < 0) | (ends <= starts) | (ends > length))
    if not len(bad):
        return
    start, end = starts[bad[0]], ends[bad[0]]
    span = f"the span {start:g}–{end:g}"
    if end == start:
        raise InvalidSegmentation(f"{span} is empty; its end must be after its start.")
    if end < start:
        raise InvalidSegmentation(f"{span} ends before it begins.")
    what = f"a recording of {length:g} s" if isinstance(length, float) else f"a text of {pluralize(length, 'unit')}"
    raise InvalidSegmentation(f"{span} lies outside {what}.")


def reading_order(
    starts: NDArray[Any],
    ends: NDArray[Any],
    types: NDArray[np.int64] | None,
    annotation: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the order in which the spans of each annotation are kept: by start, the longest first, then by label."""
    keys = (types, -ends, starts, annotation)
    return np.lexsort(tuple(key for key in keys if key is not None))


def encode_labels(
    names: Sequence[str | None], labels: Sequence[str] | None
) -> tuple[NDArray[np.int64] | None, tuple[str, ...] | None]:
    """Replace names by indices into the labels (alphabetical by default) and None by -1; return (None, None) without names and labels."""
    used = {name for name in names if name is not None}
    if labels is None and not used:
        return None, None
    scale = tuple(sorted(used)) if labels is None else tuple(labels)
    if len(set(scale)) != len(scale):
        raise InvalidSegmentation(f"the labels {abbreviate(list(scale))} hold a name twice.")
    if unknown := sorted(used - set(scale)):
        raise InvalidSegmentation(f"label {unknown[0]!r} is not among the labels {abbreviate(list(scale))}.")
    code: dict[str | None, int] = {name: i for i, name in enumerate(scale)} | {None: NO_LABEL}
    return np.array([code[name] for name in names], dtype=np.int64), scale


def spans_from_tags(tags: Sequence[str], strict: bool) -> list[tuple[int, int, str | None]]:
    """Parse tags; see :meth:`Spans.from_iob`."""
    rows: list[tuple[int, int, str | None]] = []
    open_label: str | None = None  # the label of a span that the next token may continue
    for at, tag in enumerate(tags):
        prefix, dash, label = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        if prefix not in _PREFIXES or (prefix == "O" and dash):
            raise InvalidSegmentation(
                f"tag {at + 1} is {abbreviate(repr(tag))}; expected O, or B-, I-, E-, L-, S- or U- and a label."
            )
        inside = prefix in "IEL" and open_label == label
        if inside:
            start, _, name = rows[-1]
            rows[-1] = (start, at + 1, name)
        elif prefix != "O" and (prefix in "BSU" or not strict):
            rows.append((at, at + 1, label or None))
        stays_open = prefix == "B" or (prefix == "I" and (inside or not strict))
        open_label = label if stays_open else None
    return rows


def _scheme_of(tags: Sequence[str]) -> TagScheme:
    prefixes = {tag.partition("-")[0] for tag in tags}
    ended, closed = prefixes & {"E", "S"}, prefixes & {"L", "U"}
    if ended and closed:
        raise InvalidSegmentation(
            f"the tags have {min(ended)}- of IOBES and {min(closed)}- of BILOU; expected one scheme."
        )
    return "IOBES" if ended else "BILOU" if closed else "IOB2"


def _closed_spans(tags: Sequence[str], scheme: TagScheme) -> Iterator[tuple[int, int, str | None]]:
    """Iterate over the spans of strict IOBES or BILOU tags: B I … E of one label, or S; anything else is no span."""
    last, single = ("E", "S") if scheme == "IOBES" else ("L", "U")
    if scheme not in ("IOBES", "BILOU"):
        raise InvalidSegmentation(f"the scheme is {scheme!r}; expected IOB2, IOBES or BILOU.")
    begin, label = None, ""
    for at, tag in enumerate(tags):
        prefix, _, name = tag.partition("-")
        if prefix not in ("O", "B", "I", last, single):
            raise InvalidSegmentation(f"tag {at + 1} is {abbreviate(repr(tag))}, which {scheme} does not have.")
        if prefix == single:
            yield at, at + 1, name or None
        elif prefix == last and begin is not None and name == label:
            yield begin, at + 1, name or None
        if prefix == "B":
            begin, label = at, name
        elif prefix != "I" or name != label:
            begin = None


_MAX_POSITION = 2**62  # larger positions are errors in the data


def _codes_of(spans: Spans) -> NDArray[np.int64]:
    return np.full(len(spans), NO_LABEL) if spans.types is None else spans.types


def _validate_row(row: Any) -> tuple[Any, Any, str | None]:
    if not isinstance(row, (tuple, list, np.ndarray)) or len(row) not in (2, 3):
        raise InvalidSegmentation(f"a span must be (start, end) or (start, end, label), not {abbreviate(repr(row))}.")
    start, end, name = (*row, None)[:3]
    for position in (start, end):
        if isinstance(position, (bool, np.bool_)) or not isinstance(position, (int, float, np.integer, np.floating)):
            raise InvalidSegmentation(f"start and end of a span must be numbers, not {abbreviate(repr(position))}.")
        if not -_MAX_POSITION < position < _MAX_POSITION:
            raise InvalidSegmentation(
                f"the span {abbreviate(repr(start))}–{abbreviate(repr(end))} has no finite start and end."
            )
    if name is not None and not isinstance(name, str):
        raise InvalidSegmentation(
            f"the label of the span {start:g}–{end:g} must be a name or None, not {abbreviate(repr(name))}."
        )
    return start, end, name


def _validate_codes(types: Any, labels: Sequence[str] | None, spans: int) -> NDArray[np.int64]:
    if labels is None:
        raise InvalidSegmentation(
            "types of spans are indices of labels; give labels= too, or use from_rows with names."
        )
    codes = np.array(types) if isinstance(types, (list, tuple)) and len(types) else types
    shifted = validate_types(np.asarray(codes) + 1 if len(codes) else codes, ("", *labels), spans)
    return shifted - 1  # shifted by 1, so that -1 (no label) is a valid index
