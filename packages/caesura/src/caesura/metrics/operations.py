"""The operations of flexible similarity that turn one annotation into the other, as a record, a table and a confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import Table
from caesura.errors import CaesuraError, import_extra
from caesura.files import atomic_write
from caesura.kernels.edits import FlexibleRule, align_flexible
from caesura.metrics.batch import Side
from caesura.metrics.confusion import Confusion
from caesura.metrics.edit import Edit, EditKind
from caesura.metrics.flexible import (
    FlexibleEdits,
    Moved,
    NamedTypes,
    Ties,
    TracksLike,
    flexible_metric,
    named_tracks,
    paired_tracks,
    track_row,
)  # fmt: skip
from caesura.metrics.similarity import NONE, Moves, Similarity, SimilarityLike
from caesura.model import Segmentation
from caesura.validation import validate_range

#: The kinds of operations from the reference to the hypothesis.
KINDS: tuple[EditKind, ...] = (
    "match", "substitution", "transposition", "transposition + substitution", "deletion", "addition",
)  # fmt: skip

#: Columns of the table -> attributes of :class:`~caesura.metrics.edit.Edit`.
_COLUMNS = {
    "kind": "kind", "track": "track", "old_position": "reference", "new_position": "hypothesis",
    "old_type": "reference_type", "new_type": "hypothesis_type", "cost": "weight",
}  # fmt: skip


@dataclass(frozen=True)
class Operations(Sequence[Edit]):
    """All operations between two annotations, in the order of the text, track after track.

    Attributes
    ----------
    rows : tuple of Edit
        The operations.
    types : tuple of str
        The boundary types, in the order of the matrix.
    potential : int
        N, the number of potential boundaries.
    signature : str
        The metric with all its parameters.

    Examples
    --------
    >>> first = Segmentation.from_labels_at(["p", "", "r", "", "q"])
    >>> second = Segmentation.from_labels_at(["q", "r", "", "p", "r"])
    >>> edits = flexible_operations(first, second)
    >>> for each in edits:
    ...     print(each.kind, each.reference, each.hypothesis, each.reference_type, each.hypothesis_type, each.weight)
    substitution 1 1 p q 1.0
    transposition 3 2 r r 0.5
    addition None 4 None p 1.0
    substitution 5 5 q r 1.0
    >>> edits.cost, edits.boundaries
    (3.5, 4)
    """

    rows: tuple[Edit, ...]
    types: tuple[str, ...]
    potential: int
    signature: str

    @overload
    def __getitem__(self, index: int) -> Edit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Edit, ...]: ...
    def __getitem__(self, index: int | slice) -> Edit | tuple[Edit, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        """Return the number of operations, matches included."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Edit]:
        return iter(self.rows)

    @property
    def cost(self) -> float:
        """C, the least cost."""
        return float(sum(row.weight for row in self.rows))

    @property
    def boundaries(self) -> int:
        """Edits plus correct boundaries, the divisor of S_f^B."""
        return len(self.rows)

    def counts(self) -> dict[EditKind, int]:
        """Return the number of operations of each kind."""
        counts = Counter(row.kind for row in self.rows)
        return {kind: counts[kind] for kind in KINDS}

    def fates(self) -> dict[str, dict[str, int]]:
        """Return what happened to each type of the first annotator (figure 6 of Lai, Li & Zhang 2023).

        For every type: "match", the types that replaced it, "tr" (moved), "tr+type" (moved and replaced) and "del".
        """
        table: dict[str, dict[str, int]] = {name: {} for name in self.types}
        for row in self.rows:
            if row.reference_type is not None:
                fates, fate = table[str(row.reference_type)], _fate(row)
                fates[fate] = fates.get(fate, 0) + 1
        order = ["match", *self.types, "tr", *(f"tr+{t}" for t in self.types), "del"]
        return {name: {f: fates[f] for f in order if f in fates} for name, fates in table.items()}

    def confusion(self) -> Confusion:
        """Return the confusion matrix of types and ∅: rows the second annotator, columns the first; moved pairs count too.

        The last cell counts the positions that neither annotator marked.
        """
        at: dict[str | int | None, int] = {name: i for i, name in enumerate((*self.types, None))}
        matrix = np.zeros((len(at), len(at)))
        places = set()
        for row in self.rows:
            matrix[at[row.hypothesis_type], at[row.reference_type]] += 1
            places |= {(row.track, p) for p in (row.reference, row.hypothesis) if p is not None}
        matrix[-1, -1] = self.potential - len(places)
        return Confusion((*self.types, NONE), matrix, float(len(self.rows)))

    # ------------------------------------------------------------------ as a table

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per operation."""
        return [{column: getattr(row, name) for column, name in _COLUMNS.items()} for row in self.rows]

    def to_polars(self) -> Any:
        """Return a polars DataFrame."""
        polars = import_extra("polars", "parquet", "a table as a DataFrame")
        kinds = {
            "kind": polars.String, "track": polars.String, "old_position": polars.Int64, "new_position": polars.Int64,
            "old_type": polars.String, "new_type": polars.String, "cost": polars.Float64,
        }  # fmt: skip
        return polars.DataFrame(self.as_dicts(), schema=kinds)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        pandas = import_extra("pandas", "", "a table as a pandas DataFrame")
        return pandas.DataFrame(self.as_dicts(), columns=list(_COLUMNS))

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the operations as CSV, and write them to a file if one is given.

        Parameters
        ----------
        path : str or Path, optional
            The file.
        """
        text = Table("", tuple(_COLUMNS), tuple(tuple(row.values()) for row in self.as_dicts())).csv()
        if path is not None:
            atomic_write(Path(path), text)
        return text


def flexible_operations(
    reference: TracksLike,
    hypothesis: TracksLike,
    similarity: SimilarityLike = None,
    transposition: Moves = None,
    *,
    labels: Sequence[str] | None = None,
    moved: Moved = "cheaper",
    ties: Ties = "most",
    forced: bool = True,
    closing: bool | None = None,
) -> Operations:
    """List the operations of least cost that turn the first annotation into the second.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list or dict of Segmentation
        The annotations, as for :func:`caesura.flexible_similarity`.
    similarity : Similarity, DataFrame, dict, array or path, optional
        The similarities of types; None: the identity.
    transposition : float, list or dict, optional
        The cost of moving a boundary by one position; None: half the deletion cost.
    labels : sequence of str, optional
        The types of the rows of an array.
    moved : {"cheaper", "second", "later"}, default "cheaper"
        Whose cost applies to a move between two types.
    ties : {"most", "fewest"}, default "most"
        Which alignment of least cost is taken.
    forced : bool, default True
        Whether boundaries at one position are always the same boundary.
    closing : bool, optional
        Whether the end of the text is a potential boundary; None: if boundaries have types.

    Returns
    -------
    Operations
        Their costs sum to C, and their number is the divisor of S_f^B. If several alignments are equally good, the same one is always
        returned.
    """
    measure = flexible_metric(
        similarity=similarity, transposition=transposition, moved=moved, ties=ties, forced=forced, closing=closing,
        labels=labels,
    )  # fmt: skip
    family = measure.family
    assert isinstance(family, FlexibleEdits)
    pairs = paired_tracks(reference, hypothesis)
    names = [NamedTypes.of(s.types, s.labels).names for pair in pairs for s in pair]
    scale = family.similarity_for(*names)
    tracks = list(named_tracks(reference)) if len(pairs) > 1 or not isinstance(reference, Segmentation) else [""]
    rows: list[Edit] = []
    potential = 0
    for track, (ref, hyp) in zip(tracks or [""], pairs, strict=True):
        potential += int(track_row(measure, ref, hyp)[2])  # raises an error if it cannot be counted
        rows += _track_operations(family, track, ref, hyp, scale)
    return Operations(tuple(rows), scale.labels, potential, measure.signature)


def similarity_from_confusion(
    confusion: Confusion | Iterable[Confusion], *, symmetric: bool = True, smoothing: float = 0.0
) -> Similarity:
    r"""Derive an empirical matrix M_T from confusions of experts, for judging novices (section 3.1).

    Two types are as similar as they are confused, relative to how often each is recognised:

    .. math:: s_{pq} = \min\Bigl(1, \frac{n_{pq} + n_{qp}}{2 \sqrt{n_{pp}\, n_{qq}}}\Bigr), \qquad
              s_{p∅} = \min\Bigl(1, \frac{n_{p∅} + n_{∅p}}{2\, n_{pp}}\Bigr)

    The number of unmarked positions says nothing about how easily p is missed, so ∅ is measured against p only.

    Parameters
    ----------
    confusion : Confusion or iterable of Confusion
        From :meth:`Operations.confusion`, of one text or of several, which are added.
    symmetric : bool, default True
        If False, keep the direction from first to second: n_pq / n_pp, n_p∅ / n_pp and n_∅q / n_qq.
    smoothing : float, default 0.0
        Added to every count, for rare types; a type that is never recognised and never confused is similar to nothing.

    Returns
    -------
    Similarity
        The matrix.

    Examples
    --------
    >>> heard = Confusion((",", ".", "∅"), np.array([[30.0, 6, 2], [4, 20, 1], [4, 1, 100]]), 68.0)
    >>> made = similarity_from_confusion(heard)
    >>> [[round(value, 3) for value in row] for row in made.matrix]
    [[1.0, 0.204, 0.1], [0.204, 1.0, 0.05], [0.1, 0.05, 1.0]]
    """
    given = confusion if isinstance(confusion, Confusion) else sum(confusion, start=0)
    if not isinstance(given, Confusion):
        raise CaesuraError("there is no confusion matrix to derive similarities from.")
    validate_range("smoothing", smoothing, 0)
    counts = given.matrix.T + smoothing  # first annotator in rows
    if symmetric:
        counts = (counts + counts.T) / 2
    known = np.diag(counts)[:-1]
    below = np.sqrt(np.outer(known, known)) if symmetric else np.repeat(known[:, None], len(known), axis=1)
    matrix = np.eye(len(counts))
    matrix[:-1, :-1] = _shares(counts[:-1, :-1], below)
    matrix[:-1, -1] = _shares(counts[:-1, -1], known)
    matrix[-1, :-1] = _shares(counts[-1, :-1], known)
    np.fill_diagonal(matrix, 1.0)
    return Similarity(given.types, tuple(map(tuple, matrix.tolist())))


def _shares(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return part / whole, at most 1; 1 if a type was confused but never recognised."""
    return np.where(whole > 0, np.minimum(part / np.where(whole > 0, whole, 1), 1.0), (part > 0).astype(np.float64))


def _fate(row: Edit) -> str:
    kind = row.kind
    if kind in ("match", "deletion"):
        return "match" if kind == "match" else "del"
    if kind == "substitution":
        return str(row.hypothesis_type)
    return "tr" if kind == "transposition" else f"tr+{row.hypothesis_type}"


def _track_operations(
    family: FlexibleEdits, track: str, ref: Segmentation, hyp: Segmentation, scale: Similarity
) -> Iterator[Edit]:
    rule, none = family.rule(scale), np.empty(0, np.int64)
    sides = [
        Side(s.positions, none, none, NamedTypes.of(s.types, s.labels).code_types(s.positions, scale)).columns
        for s in (ref, hyp)
    ]
    partner = np.empty(len(ref.positions), np.int64)
    align_flexible(sides[0], sides[1], rule, partner)
    at, codes = [side.positions.tolist() for side in sides], [side.types.tolist() for side in sides]
    pending = 0
    edits: list[tuple[int, Edit]] = []
    for i, j in enumerate(partner.tolist()):
        p, here = codes[0][i], at[0][i]
        if j < 0:
            cost = float(rule.costs[p, -1])
            edits.append((here, Edit("deletion", here, None, scale.labels[p], None, cost, track)))
            continue
        edits += [_addition(track, at[1][k], codes[1][k], scale, rule) for k in range(pending, j)]
        pending = j + 1
        q, there = codes[1][j], at[1][j]
        step = float(rule.steps[0 if here > there else 1, p, q])
        cost = float(rule.costs[p, q]) + abs(here - there) * step
        kind = _pair_kind(p == q, here == there)
        edits.append((min(here, there), Edit(kind, here, there, scale.labels[p], scale.labels[q], cost, track)))
    edits += [_addition(track, at[1][k], codes[1][k], scale, rule) for k in range(pending, len(at[1]))]
    yield from (edit for _, edit in sorted(edits, key=lambda each: each[0]))


def _addition(track: str, at: int, code: int, scale: Similarity, rule: FlexibleRule) -> tuple[int, Edit]:
    cost = float(rule.costs[-1, code])
    return at, Edit("addition", None, at, None, scale.labels[code], cost, track)


def _pair_kind(same_type: bool, same_place: bool) -> EditKind:
    if same_place:
        return "match" if same_type else "substitution"
    return "transposition" if same_type else "transposition + substitution"
