from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.model import Segmentation

PAIRS = st.tuples(st.sets(st.integers(1, 19)), st.sets(st.integers(1, 19)))


@given(PAIRS)
def test_against_sets(pair: tuple[set[int], set[int]]) -> None:
    ref, hyp = pair
    reference, hypothesis = (Segmentation.from_positions(sorted(side), length=20) for side in pair)
    hits = len(ref & hyp)
    expected = {
        "precision": hits / len(hyp) if hyp else float(not ref),
        "recall": hits / len(ref) if ref else float(not hyp),
        "F": 2 * hits / (len(ref) + len(hyp)) if ref or hyp else 1.0,
    }
    for name, value in expected.items():
        assert metric(name)(reference, hypothesis) == pytest.approx(value)


def test_types_must_agree_where_both_sides_have_them() -> None:
    ref = Segmentation.from_labels_at(["", ",", "", "."])
    hyp = Segmentation.from_labels_at(["", "?", "", "."])
    assert metric("F")(ref, hyp) == 0.5
    assert metric("F")(ref, Segmentation.from_masses([2, 2])) == 1.0, "an untyped side asks only where"


def test_nothing_on_either_side_is_perfect() -> None:
    assert [metric(name)([5], [5]) for name in ("precision", "recall", "F")] == [1.0, 1.0, 1.0]


def test_more_than_256_segments_are_equal_to_themselves() -> None:
    assert metric("F")([1] * 1000, [1] * 1000) == 1.0


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan")])
def test_beta_must_be_positive(beta: float) -> None:
    with pytest.raises(CaesuraError, match="beta is"):
        metric("F", beta=beta)
