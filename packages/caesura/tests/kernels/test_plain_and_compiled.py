"""Plain and compiled kernels return the same bits: the comparison itself, and every metric on random batches."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
import plain_and_compiled
from caesura import kernels
from caesura.kernels import dynamic_program, jit
from caesura.kernels.text_segmenters import rank
from caesura.warm_up import warm_up
from metrics.test_harness import OURS, batches, countable


@jit.kernel
def wrap_around(value):
    return value * 2**62  # plain Python does not wrap around


@jit.kernel
def write_cube(values):
    values[0] = values[1] * values[1] * values[1]


def test_comparison_detects_different_results() -> None:
    with pytest.raises(AssertionError, match="wrap_around returns other bits plainly"):
        plain_and_compiled.run_both(wrap_around.lazy_kernel, (10,))


def test_comparison_detects_different_output_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(write_cube.lazy_kernel._versions, "plain", lambda values: None)
    with pytest.raises(AssertionError, match="write_cube leaves other bits in argument 0"):
        plain_and_compiled.run_both(write_cube.lazy_kernel, (np.array([1.0, 0.1]),))


@pytest.mark.parametrize("units", [1, 2, 5, 30])
@pytest.mark.parametrize("reach", [0, 1, 5])
def test_ranks_are_the_same_without_compiling(units: int, reach: int) -> None:
    cosine = np.random.default_rng(units).integers(0, 4, (units, units)).astype(np.float32) / np.float32(3)
    cosine = np.maximum(cosine, cosine.T)
    lazy = rank.lazy_kernel
    plain, compiled = (
        lazy.plain(cosine, reach),
        lazy.compiled(cosine, reach),
    )  # the plain version itself, which run_plain may replace
    assert plain.dtype == compiled.dtype == np.float32
    np.testing.assert_array_equal(plain, compiled)


@pytest.mark.parametrize("known", [False, True])
def test_sums_over_segmentations_are_the_same_without_compiling(known: bool) -> None:
    draw = np.random.default_rng(3)
    block, places = draw.random((12, 13)) * 20, np.append(0.0, draw.random(12))
    lowest, highest = np.zeros(13, np.int64), np.arange(13) - 1
    scores = np.full((5, 13) if known else 13, -np.inf)
    scores[(0, 0) if known else 0] = 0.0
    sums = dynamic_program.sum_known if known else dynamic_program.sum_free
    given = (block, 0, lowest, highest, places, *(() if known else (0.5,)), 0.7, scores)
    plain_and_compiled.run_both(sums.lazy_kernel, given)
    assert np.isfinite(scores[..., -1]).any()


#: Metrics that work on whole arrays, without a kernel.
WITHOUT_KERNELS = {
    "evHDS",
    "organisation",
    *(f"linked-{what}" for what in ("kappa", "kappa-max", "agreement", "share")),
}


@pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")
@pytest.mark.parametrize("name", sorted({*OURS} - WITHOUT_KERNELS))
def test_metric_counts_are_the_same_plain_and_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = cs.metric(name)
    monkeypatch.setattr(plain_and_compiled, "WORK", 200_000)
    plain_and_compiled.compare_again()
    for batch in batches(metric):
        metric.rows(batch.take(np.flatnonzero(countable(metric, batch))[:15]))
    assert plain_and_compiled.compared.total()


#: Called for texts whose best alignment takes minutes to find, and compared in agreement/test_unitizing.py.
NOT_WARMED_UP = {"merge_annotators"}


def test_warm_up_calls_every_kernel_plainly_and_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that only kernels call are compared with their callers."""
    monkeypatch.setattr(plain_and_compiled, "WORK", 200_000)
    warm_up()
    known = plain_and_compiled.kernels_of(kernels)
    called = {each for each in known if plain_and_compiled.compared[each]}
    called |= {each for each in known if not each.may_be_plain and "compiled" in each._versions}
    reached = set().union(*map(plain_and_compiled.with_helpers, called))
    assert len(known) > 200
    assert {each.function.__name__ for each in known - reached} == NOT_WARMED_UP
