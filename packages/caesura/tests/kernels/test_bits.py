"""Loops on bits count the same as the merging of sorted lists, which plain Python runs."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import samples
from caesura.kernels.arrays import MarkColumns
from caesura.kernels.bits import WIDEST, is_dense
from caesura.kernels.boundaries import count_common, count_common_units, count_windows
from caesura.kernels.edits import count_adjacent
from caesura.metrics import Batch, metric
from caesura.model import Corpus, Pairs, Segmentation
from caesura.statistics.counted import CountedPairs

LENGTHS = (1, 2, 3, 30, 63, 64, 65, 127, 128, 129, 200, 640)


def sides(density: float, seed: int) -> tuple[MarkColumns, MarkColumns, np.ndarray]:
    """Return texts of many lengths, among them lengths at the edges of words; some positions are on both sides."""
    random = np.random.default_rng(seed)
    lengths = np.repeat(LENGTHS, 8)
    marked = [random.random((2, length)) < density for length in lengths]
    for both in marked:
        both[1, : len(both[1]) // 2] |= both[0, : len(both[1]) // 2] & (random.random(len(both[1]) // 2) < 0.5)
        both[:, 0] = False
    columns = []
    for side in range(2):
        positions = [np.flatnonzero(both[side]) for both in marked]
        stops = np.cumsum([len(each) for each in positions])
        columns.append(
            MarkColumns(np.concatenate(positions), np.empty(0, np.int64), np.concatenate(([0], stops[:-1])), stops)
        )
    for array in (*columns[0], *columns[1], lengths):
        array.flags.writeable = False
    return columns[0], columns[1], lengths


def both_ways(kernel, width: int, *args) -> tuple[np.ndarray, np.ndarray]:
    plain, compiled = np.zeros((len(args[2]), width)), np.zeros((len(args[2]), width))
    kernel.lazy_kernel.run_plain(*args, plain)
    kernel.lazy_kernel.compiled(*args, compiled)
    return plain, compiled


@pytest.mark.parametrize("density", [0.05, 0.3, 0.5, 0.9, 1.0])
def test_common_and_adjacent_boundaries(density: float) -> None:
    args = sides(density, int(100 * density))
    np.testing.assert_array_equal(*both_ways(count_adjacent, 8, *args, 0.5))
    np.testing.assert_array_equal(*both_ways(count_common_units, 4, *args))
    np.testing.assert_array_equal(both_ways(count_common, 3, *args)[1], both_ways(count_common_units, 3, *args)[1])


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("k", [0, 1, 2, 5, WIDEST, WIDEST + 1])
def test_windows(k: int, padded: bool) -> None:
    for density in (0.1, 0.5, 1.0):
        args = (*sides(density, k), k, 0, 2, padded)
        np.testing.assert_array_equal(*both_ways(count_windows, 7, *args))


def test_some_pairs_are_compared_as_bits_and_others_are_not() -> None:
    ref, hyp, lengths = sides(0.1, 10)
    marks = (ref.stops - ref.starts + hyp.stops - hyp.starts).tolist()
    found = {is_dense.lazy_kernel.plain(each, length) for each, length in zip(marks, lengths.tolist(), strict=True)}
    assert found == {True, False}


@pytest.mark.parametrize("name", ["F", "precision", "PA"])
@pytest.mark.parametrize("edits", ["B", "B:n_t=3"])
def test_hits_are_derived_from_the_edits_of_b(name: str, edits: str) -> None:
    random = np.random.default_rng(0)
    gold, system = (
        Corpus.from_annotations(
            (f"i{i}", "c", Segmentation.from_positions(np.flatnonzero(random.random(39) < 0.3) + 1, length=40))
            for i in range(50)
        )
        for _ in range(2)
    )
    pairs = CountedPairs(Pairs.between(gold, system))
    pairs.count([metric(edits)])
    rows = pairs.rows(metric(name))
    np.testing.assert_array_equal(rows, metric(name).rows(Batch.of_corpora(gold, system)))
    derived = metric(name).family.derive(pairs.batch, {metric(edits).family: pairs.rows(metric(edits))})
    assert (derived is not None) == (edits == "B")


def test_hits_of_typed_boundaries_are_not_derived() -> None:
    typed = samples.load("dialogue")
    typed = typed.select(coders=typed.coders[:1])
    pairs = CountedPairs(Pairs.between(typed, typed))
    assert metric("F").family.derive(pairs.batch, {metric("B").family: pairs.rows(metric("B"))}) is None
