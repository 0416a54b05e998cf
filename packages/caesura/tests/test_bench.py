"""Benchmarks against other packages."""

from __future__ import annotations

import pytest

from caesura.bench import PEERS, BenchmarkInput, Peer, run_benchmark


def test_input_has_every_form() -> None:
    given = BenchmarkInput.random(200)
    reference, hypothesis = given.segmentations
    assert reference.length == hypothesis.length == 200
    assert given.strings[0] == reference.string
    assert given.times[0].tolist() == (reference.positions / 10).tolist()
    assert given.ends[0][-1] == 200


def test_benchmark_times_both_and_compares_values() -> None:
    peer = Peer("json", "a stand-in", lambda given: (lambda: 0.5, lambda: 0.5))
    (result,) = run_benchmark([50], peers=[peer])
    assert result.agrees
    assert result.ratio > 0


def test_peers_that_cannot_run_are_skipped_with_a_reason() -> None:
    missing = Peer("no_such_package", "x", lambda given: (lambda: 0.0, lambda: 0.0))
    slow = Peer("json", "x", lambda given: (lambda: 0.0, lambda: 0.0), largest=10)

    def broken() -> float:
        raise TypeError("old")

    old = Peer("json", "x", lambda given: (broken, lambda: 0.0))
    reasons = [r.skipped for r in run_benchmark([50], peers=[missing, slow, old])]
    assert reasons == ["no_such_package is not installed", "too slow at this size", "raises TypeError"]


@pytest.mark.parametrize("peer", [p for p in PEERS if p.package == "nltk"], ids=lambda p: p.what)
def test_nltk_gives_the_same_values(peer: Peer) -> None:
    pytest.importorskip("nltk", reason="a peer for benchmarks, not needed otherwise")
    (result,) = run_benchmark([100], peers=[peer])
    assert result.agrees, (result.their_value, result.our_value)
