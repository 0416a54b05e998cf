"""Plain and compiled loops give the same bits: the look of every test at this, and a workload of its own over all metrics."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
import twins
from caesura.kernels import jit
from caesura.vowels.field_scores import _Field  # they count without loops
from metrics.test_harness import batches, countable


@jit.kernel
def wrap_around(value):
    return np.uint8(value) + np.uint8(250)


@jit.kernel
def leave_cube(values):
    values[0] = values[1] * values[1] * values[1]


def test_a_loop_that_returns_something_else_is_found() -> None:
    with pytest.raises(AssertionError, match="wrap_around returns other bits plainly"):
        twins.both_ways(wrap_around.twins, (10,))


def test_a_loop_thatleave_cube_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(leave_cube.twins._twins, "plain", lambda values: None)
    with pytest.raises(AssertionError, match="leave_cube leaves other bits in argument 0"):
        twins.both_ways(leave_cube.twins, (np.array([1.0, 0.1]),))


@pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")
@pytest.mark.parametrize("name", [name for name in cs.metric_names() if not isinstance(cs.metric(name).family, _Field)])
def test_every_metric_counts_the_same_both_ways(name: str) -> None:
    metric = cs.metric(name)
    twins.compare_again()
    for batch in batches(metric):
        metric.rows(batch.take(np.flatnonzero(countable(metric, batch))[:15]))
    assert twins.compared.total()
