"""Ratings: one label, or a set of labels, per unit and coder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation, Spans

#: A label, or a set of labels.
Label: TypeAlias = str | int | float | frozenset[str]

#: The label of a gap without a boundary, and of a unit that no span covers.
NONE = "(none)"
#: The label of a gap with a boundary, where boundaries have no types.
BOUNDARY = "boundary"


@dataclass(frozen=True, eq=False)
class Ratings:
    """The labels of units by coders.

    Attributes
    ----------
    codes : array of int, shape (units, coders)
        The index of the label in ``categories``; -1 if the coder did not rate the unit.
    categories : tuple
        The labels, in their order if they have one: strings, numbers or sets of strings.
    coders : tuple of str
        The coders.
    item_of : array of int
        The item of every unit.
    items : tuple of str
        The items.
    of : str
        What a unit is: "units" or "gaps".
    """

    codes: NDArray[np.int64]
    categories: tuple[Label, ...]
    coders: tuple[str, ...]
    item_of: NDArray[np.int64]
    items: tuple[str, ...]
    of: str = "units"

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Any]],
        *,
        coders: Sequence[str] | None = None,
        categories: Sequence[Any] | None = None,
        items: Sequence[str] | None = None,
    ) -> Ratings:
        """Build ratings from one row per unit with one label per coder.

        Parameters
        ----------
        rows : iterable of sequences
            Labels: strings, numbers, sets of strings, or None if the coder did not rate the unit.
        coders : sequence of str, default None
            The names of the coders; numbers if None.
        categories : sequence, default None
            All possible labels in their order; by default those that occur, sorted.
        items : sequence of str, default None
            The item of every unit; every unit is an item of its own if None.

        Returns
        -------
        Ratings

        Examples
        --------
        >>> Ratings.from_rows([["a", "a"], ["a", "b"], ["b", None]]).codes.tolist()
        [[0, 0], [0, 1], [1, -1]]
        """
        table = [[frozenset(v) if isinstance(v, (set, frozenset, list, tuple)) else v for v in row] for row in rows]
        sizes = {len(row) for row in table}
        if len(sizes) > 1:
            raise CaesuraError(
                f"every unit needs one rating per coder (None if missing); found rows of {sorted(sizes)[0]} and {sorted(sizes)[-1]}."
            )
        width = sizes.pop() if sizes else 0
        seen = {value for row in table for value in row if value is not None and value == value}
        known = (
            _order(seen)
            if categories is None
            else tuple(frozenset(c) if isinstance(c, (set, list, tuple)) else c for c in categories)
        )
        code = {value: number for number, value in enumerate(known)}
        if (unknown := next((value for value in seen if value not in code), None)) is not None:
            raise CaesuraError(
                f"the label {unknown!r} is not among the categories, which are {', '.join(map(str, known))}."
            )
        codes = np.array([[-1 if v is None or v != v else code[v] for v in row] for row in table], np.int64).reshape(
            -1, width
        )
        names = tuple(map(str, range(1, width + 1))) if coders is None else tuple(coders)
        if items is None:
            return cls(codes, known, names, np.arange(len(codes)), tuple(map(str, range(1, len(codes) + 1))))
        listed = tuple(dict.fromkeys(items))
        return cls(codes, known, names, np.array([listed.index(item) for item in items], np.int64), listed)

    @classmethod
    def of_corpus(cls, corpus: Corpus, categories: Sequence[Any] | None = None) -> Ratings:
        """Take the labels of units from a corpus.

        Segments with names label their units; spans of units label the units they cover, with sets where they overlap; boundaries
        without names label every gap with their type, or as a boundary or none.

        Parameters
        ----------
        corpus : Corpus
            The annotations.
        categories : sequence, default None
            All possible labels in their order; by default those that occur.

        Returns
        -------
        Ratings

        Examples
        --------
        >>> Ratings.of_corpus(Corpus.from_dict({"x": {"ann": [2, 2], "ben": [1, 3]}})).codes.tolist()
        [[0, 1], [1, 0], [0, 0]]
        """
        if corpus.timed or corpus.kind == "nested":
            what = "seconds, which cannot be counted" if corpus.timed else "nested segments, which have several levels"
            raise CaesuraError(f"this coefficient compares one label per unit; these are annotations of {what}.")
        named = corpus.kind == "units" and len(corpus.names) == len(corpus)
        columns: dict[tuple[str, str], dict[str, list[Any]]] = {}
        for number, (item, coder, marks, track) in enumerate(corpus):
            labels = (
                _unit_labels(marks)
                if named or corpus.kind == "spans"
                else _gap_labels(marks, _is_closed(corpus, number))
            )
            columns.setdefault((item, track), {})[coder] = labels
        rows, items = [], []
        for (item, _), coded in columns.items():
            size = max(map(len, coded.values()))
            rows += [
                [coded[coder][unit] if coder in coded else None for coder in corpus.coders] for unit in range(size)
            ]
            items += [item] * size
        if categories is None:
            categories = _categories(corpus, rows, gaps=not named and corpus.kind == "units")
        ratings = cls.from_rows(rows, coders=corpus.coders, categories=categories, items=items)
        return cls(
            ratings.codes,
            ratings.categories,
            tuple(corpus.coders),
            ratings.item_of,
            ratings.items,
            "units" if named or corpus.kind == "spans" else "gaps",
        )

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How many coders gave every unit each label."""
        return np.stack([(self.codes == k).sum(axis=1) for k in range(len(self.categories))], axis=1).astype(np.float64)

    @property
    def values(self) -> NDArray[np.float64]:
        """The labels as numbers; 1, 2, 3 … in their order if they are not numbers."""
        try:
            return np.array([float(label) for label in self.categories])  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return np.arange(1.0, len(self.categories) + 1)


def _order(seen: Iterable[Any]) -> tuple[Any, ...]:
    """Sort labels: numbers by size, strings by name, sets by their members."""
    return tuple(
        sorted(
            seen,
            key=lambda v: (
                (0, v, "") if isinstance(v, (int, float)) else (1, 0, str(sorted(v)) if isinstance(v, frozenset) else v)
            ),
        )
    )


def _categories(corpus: Corpus, rows: Sequence[Sequence[Any]], gaps: bool) -> tuple[Any, ...]:
    seen = {value for row in rows for value in row if value is not None}
    if gaps and corpus.types is None:
        return NONE, BOUNDARY
    scale: Sequence[Any] = corpus.labels or ()
    first = [label for label in (NONE, *scale) if label in seen or (label == NONE and gaps)]
    return (*first, *_order(seen - set(first)))


def _is_closed(corpus: Corpus, number: int) -> bool:
    """Whether any coder closes this track with a typed boundary, so that its end is a place for all of them."""
    if corpus.types is None:
        return False
    same = np.flatnonzero((corpus.item_of == corpus.item_of[number]) & (corpus.track_of == corpus.track_of[number]))
    ends = [
        corpus.positions[corpus.offsets[row + 1] - 1] for row in same if corpus.offsets[row + 1] > corpus.offsets[row]
    ]
    return corpus.lengths[number] in ends


def _gap_labels(marks: Any, closed: bool) -> list[Any]:
    """Return the label of every gap; several types at one gap are a set."""
    labels: list[Any] = [NONE] * (max(int(marks.length) - 1, 0) + closed)
    if not marks.typed:
        for position in marks.positions.tolist():
            labels[position - 1] = BOUNDARY
        return labels
    found: dict[int, set[str]] = {}
    for position, kind in marks.marks:
        found.setdefault(int(position), set()).add(str(kind))
    for position, kinds in found.items():
        labels[position - 1] = next(iter(kinds)) if len(kinds) == 1 else frozenset(kinds)
    return labels


def _unit_labels(marks: Segmentation | Spans | Any) -> list[Any]:
    """Return the label of every unit: the name of its segment, or the labels of the spans that cover it."""
    if isinstance(marks, Segmentation):
        return [name for name, mass in zip(marks.names or (), marks.masses, strict=True) for _ in range(int(mass))]
    covering: list[set[str]] = [set() for _ in range(int(marks.length))]
    for start, end, label in marks.rows:
        for unit in range(int(start), int(end)):
            covering[unit].add(BOUNDARY if label is None else label)
    return [
        NONE if not labels else next(iter(labels)) if len(labels) == 1 else frozenset(labels) for labels in covering
    ]


def as_sets(categories: Mapping[Any, int] | Sequence[Any]) -> list[frozenset[str]]:
    """Return every label as a set: no label is the empty set.

    >>> [sorted(each) for each in as_sets([NONE, "a", frozenset("ab")])]
    [[], ['a'], ['a', 'b']]
    """
    return [
        label if isinstance(label, frozenset) else frozenset() if label == NONE else frozenset({str(label)})
        for label in categories
    ]
