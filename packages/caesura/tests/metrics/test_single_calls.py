"""Single calls have their own kernels, which must give the same counts as a batch of one pair, for every input type."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.kernels.boundaries import count_common, count_windows
from caesura.kernels.edits import count_adjacent
from caesura.metrics import Batch, metric, metric_names
from caesura.metrics.catalog import FAMILIES
from caesura.metrics.displacement import Displacement
from caesura.metrics.family import Score
from caesura.metrics.regions import region_scores
from caesura.model import Hierarchy, Segmentation

MASSES = [([2, 3, 6], [5, 6]), ([4, 1, 1, 5, 2], [1, 4, 6, 2]), ([13], [13]), ([1, 12], [12, 1])]
TIMES = [([0.1, 0.13, 0.13, 0.5], [0.09, 0.112, 0.48]), ([0.2], [0.25, 0.3, 1.0]), ([0.0, 0.4], [0.4])]
BRACKETS = [
    ("[[a b c] [d e [f g]]] [h]", "[[a b] [c d e [f g]]] [h]"),
    ("[a] [b c] d", "[[a b] c] [d]"),
    ("a b c", "[a b c]"),
]
SPELLED = ("B:n_t=3", "B:n_t=4,matching=optimal", "A:weight=dice", "A:alignment=global", "A:scorer=best,ties=both", "nested-kappa:embeddedness=flat", "nested-F:embeddedness=flat", "nested-B:n_t=3", "R:matching=lenient,edges=in", "WD:edges=padded")  # fmt: skip


def _pairs(kind: str) -> list[tuple[object, object]]:
    if kind == "units":
        return [tuple(map(Segmentation.from_masses, pair)) for pair in MASSES]
    if kind == "time":
        return [tuple(Segmentation.from_times(times, length=1.0) for times in pair) for pair in TIMES]
    return [tuple(map(Hierarchy.from_brackets, pair)) for pair in BRACKETS]


#: Families that sweep over time, compare every two moments or align names: their work outweighs laying out a batch. Counts of windows
#: per side are for studies of corpora.
SWEEPS = (
    "IntervalErrors", "PhoneErrors", "FrameOrders", "LabelOrders", "RankedBoundaries", "WindowSides", "NormalizedWindows",
    "AlignmentByLevel",
)  # fmt: skip


def is_sweep(score: Score, kind: str) -> bool:
    name = type(score.family).__name__
    return name in SWEEPS or (name == "FlexibleEdits" and kind == "time")


OURS = [name for name in metric_names() if FAMILIES.source(name) == "caesura"]
BY_NAMES = {
    "label-agreement",
    "label-kappa",
    "labelled-R",
    "time-agreement",
    "time-kappa",
    *Displacement.scores,
}  # which no loop could look up


@pytest.mark.parametrize("name", [*(name for name in OURS if name not in BY_NAMES), *SPELLED])
def test_single_call_equals_batch(name: str) -> None:
    score = metric(name)
    for kind in score.kinds - {"spans"}:  # whose matching costs more than laying them out
        assert (
            score.family.single(kind) is not None or name in ("nested-B:n_t=3", *SPELLED[2:5]) or is_sweep(score, kind)
        )
        for pair in _pairs(kind):
            batch = Batch.of_pair(*pair)
            if not score.applies_to(batch):
                continue
            row = score.rows(batch)[0].tolist()
            assert list(score.counts_of(*pair)) == row
            if kind == "units":
                masses = [side.masses for side in pair]
                flags = ["".join("01"[p in side.positions] for p in range(1, side.length)) for side in pair]
                assert list(score.counts_of(*masses)) == list(score.counts_of(*flags)) == row


TYPED = [
    [(2, "a"), (5, "b"), (5, "c"), (9, "a"), (12, "c")],
    [(2, "b"), (6, "b"), (9, "a"), (12, "c")],
    [(3, "a"), (5, "b"), (9, "a"), (10, "b")],
    [],
]


@pytest.mark.parametrize(
    "name", ["F", "precision", "B", "S", "B:n_t=3,matching=optimal", "Sf", "SfB", "WD", "PA", "A", "GHD"]
)
def test_single_call_with_types_equals_batch(name: str) -> None:
    """Also if the sides have different labels, two types at one position, or one at the end."""
    score = metric(name)
    sides = [Segmentation.from_positions(marks, length=12, labels=["a", "b", "c"]) for marks in TYPED]
    sides += [Segmentation.from_positions(marks, length=12) for marks in TYPED[1:3]]  # whose names are those that occur
    assert score.family.single("units", ("a", "b", "c")) is not None
    counted = 0
    for pair in product(sides, repeat=2):
        batch = Batch.of_pair(*pair)
        if score.applies_to(batch):
            assert list(score.counts_of(*pair)) == score.rows(batch)[0].tolist()
            counted += 1
        else:
            with pytest.raises(CaesuraError, match="carries two types"):
                score.counts_of(*pair)
    assert counted >= 25


def test_unsorted_times_take_general_path() -> None:
    given = [0.1, 0.2, 0.3], [0.31, 0.11]
    assert region_scores(*given) == region_scores(*map(sorted, given))
    with pytest.raises(CaesuraError, match="must be finite"):
        region_scores([0.1, np.nan], [0.1])
    with pytest.raises(CaesuraError, match="does not fit a grid"):
        region_scores([0.1], [0.1], length=1e12)


def test_all_inputs_share_one_compiled_kernel() -> None:
    """Kernels would be compiled again for every other layout of the columns."""
    lists, ready = MASSES[0], _pairs("units")[0]
    batch = Batch.of_pair(*ready)
    for name, loop in (("B", count_adjacent), ("WD", count_windows), ("PA", count_common)):
        score = metric(name)
        rows = score.rows(batch)
        assert list(score.counts_of(*lists)) == list(score.counts_of(*ready)) == rows[0].tolist()
        np.testing.assert_array_equal(score.rows(pickle.loads(pickle.dumps(batch))), rows)
        sides = {columns for signature in loop.lazy_kernel.compiled.overloads for columns in signature[:2]}
        assert all(not column.mutable for columns in sides for column in columns.types), sides
