"""Gates: a stored evaluation as a baseline, and assertions for tests."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.statistics.against_baseline import compare_with_baseline
from caesura.testing import assert_segmentation
from cli.command import caesura, refused

GOLD = {f"i{n}": [2, 3, 6] for n in range(12)}
GOOD = {f"i{n}": [2, 3, 6] if n % 4 else [2, 9] for n in range(12)}
BAD = {f"i{n}": [5, 6] if n % 3 else [11] for n in range(12)}


def corpus(data) -> cs.Corpus:
    return cs.Corpus.from_dict({item: {"sys": marks} for item, marks in data.items()})


def stored(system, metrics=("B", "WD")):
    return cs.evaluate(GOLD, {"sys": corpus(system)}, list(metrics), resamples=0).as_dict()


def test_a_worse_system_fails() -> None:
    found = compare_with_baseline(cs.evaluate(GOLD, {"sys": corpus(BAD)}, ["B", "WD"], resamples=0), stored(GOOD))
    assert found.items == 12
    assert found.tests["sys", "B"].difference < 0 < found.tests["sys", "WD"].difference
    sentences = list(found.failures(0.05))
    assert [sentence.split(" ")[0] for sentence in sentences] == ["B", "WD"]
    assert "worse than the baseline by" in sentences[0]
    assert not list(found.failures(1e-6))
    better = compare_with_baseline(cs.evaluate(GOLD, {"sys": corpus(GOOD)}, ["B", "WD"], resamples=0), stored(BAD))
    assert not list(better.failures(1.0))
    assert "difference from the baseline" in str(found)


def test_far_below_the_best_is_worse_than_a_little_above() -> None:
    """An over-segmentation of -40 % is lower than +20 %, and worse."""

    def recordings(number: int) -> cs.Corpus:
        times = [float(t) for t in range(1, 1 + number)]
        return cs.Corpus.from_dict(
            {f"r{n}": {"sys": cs.Segmentation.from_times(times, length=20.0)} for n in range(12)}
        )

    def evaluated(number: int) -> cs.statistics.Evaluation:
        return cs.evaluate(recordings(5), {"sys": recordings(number)}, ["over-segmentation"], resamples=0)

    found = compare_with_baseline(evaluated(3), evaluated(6).as_dict())
    assert found.tests["sys", "over-segmentation"].difference == pytest.approx(20)  # 40 instead of 20 from the best
    assert "over-segmentation of 'sys' is worse" in next(found.failures(0.05))
    assert "distances from 0 are compared" in str(found)
    assert not list(compare_with_baseline(evaluated(6), evaluated(3).as_dict()).failures(1.0))


@pytest.mark.parametrize(
    ("baseline", "sentence"),
    [
        (stored(GOOD, ["B"]), "has no metric 'WD'"),
        ({"items": ["x"], "systems": {"sys": {}}}, "shares 0 items"),
        ({"systems": {}}, "not a result of caesura evaluate --json"),
        ({**stored(GOOD), "systems": {"a": {}, "b": {}}}, "has no system 'sys'"),
        (stored(GOOD, ["B:n_t=3", "WD"]), "computed with other settings|has no metric"),
    ],
)
def test_baselines_that_do_not_fit(baseline, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        compare_with_baseline(cs.evaluate(GOLD, {"sys": corpus(BAD)}, ["B", "WD"], resamples=0), baseline)


def test_the_command_exits_with_1_if_worse(tmp_path) -> None:
    files = {}
    for name, data in (("gold", GOLD), ("good", GOOD), ("bad", BAD)):
        files[name] = tmp_path / f"{name}.json"
        cs.write(cs.Corpus.from_dict({item: {name: marks} for item, marks in data.items()}), files[name])
    before = tmp_path / "main.json"
    before.write_text(caesura("evaluate", files["gold"], files["good"], "-m", "B", "--json").stdout)
    gate = "--baseline", before, "--fail-if-worse", "0.05"
    worse = caesura("evaluate", files["gold"], files["bad"], "-m", "B", *gate)
    assert worse.returncode == 1
    assert "B of 'bad' is worse than the baseline" in worse.stderr
    same = caesura("evaluate", files["gold"], files["good"], "-m", "B", *gate, "--json")
    assert same.returncode == 0
    assert json.loads(same.stdout)["baseline"]["tests"][0]["difference"] == 0
    assert "has no effect" in refused("evaluate", files["gold"], files["bad"], "--fail-if-worse", "0.05")
    never = refused("evaluate", files["gold"], files["bad"], "-m", "B", *gate[:-1], "nan")
    assert "--fail-if-worse is nan; expected a number from 0 to 1" in never
    assert "missing.json" in refused("evaluate", files["gold"], files["bad"], "--baseline", tmp_path / "missing.json")


def test_assertions() -> None:
    assert_segmentation([2, 3, 6], [2, 3, 6], B=0.8, WD=0.0)
    with pytest.raises(AssertionError, match=r"B is 0.500, below 0.8; WD is 0.\d+, above 0.1"):
        assert_segmentation([2, 3, 6], [5, 6], B=0.8, WD=0.1)
    with pytest.raises(AssertionError, match=r"B:n_t=3 is 0.500, below 0.9"):
        assert_segmentation([2, 3, 6], [5, 6], limits={"B:n_t=3": 0.9})
    with pytest.raises(AssertionError, match="worst item: i"):
        assert_segmentation(GOLD, BAD, B=0.9)
    with pytest.raises(CaesuraError, match="give a threshold"):
        assert_segmentation([2], [2])
    with pytest.raises(CaesuraError, match="the threshold of 'B' is nan"):
        assert_segmentation([2], [2], B=float("nan"))
    words = [cs.Segmentation(2, [1], units=text.split()) for text in ("a b", "a c")]
    with pytest.raises(CaesuraError, match=r"^the texts differ: token 2 is 'b'.*--anchor"):
        assert_segmentation(*words, B=1)
    assert_segmentation(*words, B=1, anchor={"max_altered": 0.5})


def test_the_plug_in_offers_the_assertion() -> None:
    from caesura import pytest_plugin

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"caesura": "caesura.pytest_plugin"}
    fixture = pytest_plugin.assert_segmentation
    assert getattr(fixture, "__wrapped__", None) or getattr(fixture, "_get_wrapped_function", None)
