"""Generalised Hamming distance against the textbook programme and NLTK's examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.metrics import metric
from metrics.naive_boundary import hamming
from shared_data import oracle_json

prices = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 7.5])


@given(
    st.integers(1, 30).flatmap(lambda n: st.tuples(*[st.text("01", min_size=n, max_size=n)] * 2)),
    prices,
    prices,
    prices,
)
def test_against_the_textbook(strings, insert, delete, shift) -> None:
    ref, hyp = ([i for i, c in enumerate(s, 1) if c == "1"] for s in strings)
    expected = hamming(ref, hyp, insert, delete, shift)
    assert cs.generalized_hamming(*strings, insert, delete, shift) == pytest.approx(expected, abs=1e-9)
    assert metric("GHD", insert=insert, delete=delete, shift=shift)(*strings) == pytest.approx(expected, abs=1e-9)


def test_oracle() -> None:
    for pair in oracle_json("boundary/random_single_type.json")["pairs"]:
        assert cs.generalized_hamming(pair["ref"], pair["hyp"]) == pytest.approx(pair["GHD"], abs=1e-9)


def test_nltks_examples() -> None:
    assert cs.generalized_hamming("1100100000", "1100000001", 1.0, 1.0, 0.5) == 2.0
    assert cs.generalized_hamming("011", "110", 1.0, 1.0, 0.5) == 1.0
    assert cs.generalized_hamming("111", "000", 1.0, 1.0, 0.5) == 3.0
    assert cs.generalized_hamming("000", "111", 1.0, 2.0, 0.5) == 6.0


def test_nothing_costs_nothing_and_bad_prices_are_refused() -> None:
    assert cs.generalized_hamming([7], [7]) == 0.0
    assert not metric("GHD", insert=1.0).symmetric
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(cs.CaesuraError, match="expected a number, 0 or more"):
            cs.generalized_hamming([7], [7], shift=wrong)
        with pytest.raises(cs.CaesuraError, match="expected a number, 0 or more"):
            metric("GHD", insert=wrong)
