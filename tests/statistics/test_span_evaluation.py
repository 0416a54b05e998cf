"""Spans through the statistics that every family gets for nothing: intervals, tests, and the engine on files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cs
from caesura import Corpus, Spans
from cli.command import caesura


def random_spans(coder: str, seed: int) -> Corpus:
    random = np.random.default_rng(seed)
    annotations = []
    for item in range(12):
        starts = random.integers(0, 40, 5)
        ends = np.minimum(starts + random.integers(1, 20, 5), 50)
        annotations.append((f"i{item}", coder, Spans(50, starts, ends, random.integers(-1, 2, 5), ["a", "b"])))
    return Corpus.from_annotations(annotations)


def test_the_engine_counts_what_memory_counts(tmp_path) -> None:
    gold, system = random_spans("g", 1), random_spans("h", 2)
    whole = cs.evaluate(gold, system, metrics=["span-partial-F", "token-F"], resamples=50)
    cs.write(gold, tmp_path / "g.parquet")
    cs.write(system, tmp_path / "h.parquet")
    run = caesura(
        "evaluate", tmp_path / "g.parquet", tmp_path / "h.parquet", "--engine", "local", "-m", "token-F", "--json"
    )
    assert run.returncode == 0, run.stderr
    (streamed,) = json.loads(run.stdout)["systems"].values()
    (counted,) = whole.as_dict()["systems"].values()
    assert streamed["token-F"]["micro"] == pytest.approx(counted["token-F"]["micro"])
    low, high = counted["span-partial-F"]["interval"]
    assert low < counted["span-partial-F"]["micro"] < high
    for limit, status in (("0.01", 0), ("0.99", 1)):
        files = (tmp_path / "g.parquet", tmp_path / "h.parquet")
        limited = caesura("evaluate", *files, "-m", "token-F", "--fail-under", f"token-F={limit}")
        assert limited.returncode == status, limited.stderr
        assert ("below 0.99" in limited.stderr) == bool(status)


def test_systems_are_tested_against_each_other() -> None:
    gold = random_spans("g", 1)
    compared = cs.evaluate(
        gold,
        {"near": random_spans("h", 2), "far": random_spans("h", 3), "same": random_spans("g", 1)},
        ["span-F"],
        resamples=100,
    )
    scores = {name: answer["span-F"]["micro"] for name, answer in compared.as_dict()["systems"].items()}
    assert scores["same"] == 1.0 > scores["near"]
    assert compared.ranks("span-F").tables()
