from __future__ import annotations

import pytest

from caesura.bench import PEERS, Peer, race
from caesura.bench.peers import Pair


def test_the_input_has_every_shape() -> None:
    pair = Pair.random(200)
    reference, hypothesis = pair.segmentations
    assert reference.length == hypothesis.length == 200
    assert pair.strings[0] == reference.string
    assert pair.times[0].tolist() == (reference.positions / 10).tolist()
    assert pair.ends[0][-1] == 200


def test_a_race_times_both_and_compares_values() -> None:
    peer = Peer("json", "a stand-in", lambda pair: (lambda: 0.5, lambda: 0.5))
    (result,) = race([50], peers=[peer])
    assert result.agrees
    assert result.ratio > 0


def test_peers_that_cannot_run_are_named() -> None:
    missing = Peer("no_such_package", "x", lambda pair: (lambda: 0.0, lambda: 0.0))
    slow = Peer("json", "x", lambda pair: (lambda: 0.0, lambda: 0.0), largest=10)

    def broken() -> float:
        raise TypeError("old")

    old = Peer("json", "x", lambda pair: (broken, lambda: 0.0))
    reasons = [r.skipped for r in race([50], peers=[missing, slow, old])]
    assert reasons == ["no_such_package is not installed", "too slow at this size", "raises TypeError"]


@pytest.mark.parametrize("peer", [p for p in PEERS if p.package == "nltk"], ids=lambda p: p.what)
def test_nltk_agrees(peer: Peer) -> None:
    pytest.importorskip("nltk", reason="a peer for benchmarks, not needed otherwise")
    (result,) = race([100], peers=[peer])
    assert result.agrees, (result.their_value, result.our_value)
