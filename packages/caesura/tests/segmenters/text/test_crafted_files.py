"""Saved segmenters with wrong numbers, types and sizes: each file is refused with one sentence, or works."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.segmenters.text.base import load
from caesura.segmenters.text.cohesion import DCM, U00
from caesura.segmenters.text.similarity import APS, C99, MinCut, TextTiling
from caesura.segmenters.text.supervised import Supervised

CASES = 4000 if os.environ.get("CAESURA_EXHAUSTIVE") else 250
UNITS = tuple(f"{'sea ship sail' if i < 6 else 'snow hill ski'} and word{i % 3}" for i in range(12))

FITTED = Supervised(
    cues=(("and",), (), ("sea",)), coefficients=(0.1,) * 34, means=(0.0,) * 33, scales=(1.0,) * 33, weight=1.0
)  # fmt: skip
SEGMENTERS = (
    DCM(prior=0.3, penalty="2 log N", stopwords={"b"}, duration=(4.0, 2.0), max_length=8),
    U00(recursive=True),
    C99(mask=5, band=6, threshold=1.5),
    TextTiling(width=3, block=3, smoothing=2),
    MinCut(parts=3, alpha=0.5, horizon=4, cutoff=5),
    APS(preference=0.1, parts=4, horizon=5),
    FITTED,
)
VALUES = (
    None, True, -1, 0, 1, 2, 3, 10**12, -(10**12), 10**400, 0.5, -0.5, 1e308, float("nan"), float("inf"), "", "x", "5", "log N", [], [1], ["a"],
    [[]], [[], [], []], [["a"], [], ["b"]], [0.1] * 34, [float("nan")] * 33, {}, {"a": "b"}, {"a": 1}, "mean", ["mean", 2.0], "messages",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_changed_parameters_are_refused_or_work(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    refused = 0
    for case in range(CASES):
        chance = random.Random(case)
        segmenter = chance.choice(SEGMENTERS)
        segmenter.save(path)
        data = json.loads(path.read_text(encoding="utf-8"))
        names = [*data["parameters"], *segmenter.__dataclass_fields__]
        data["parameters"][chance.choice(names)] = chance.choice(VALUES)
        if chance.random() < 0.05:
            data["method"] = chance.choice(["c99", "random", "human", "spectral", None, 3])
        path.write_text(json.dumps(data), encoding="utf-8")
        try:
            found = load(path).segment(UNITS, 3)
        except CaesuraError:
            refused += 1
            continue
        assert found.length == len(UNITS)
    assert CASES / 4 < refused < CASES


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"coefficients": [0.1] * 5}, "coefficients, means and scales"),
        ({"means": [0.0] * 30}, "coefficients, means and scales"),
        ({"scales": [0.0] * 33}, "scales"),
        ({"means": [1e999] * 33}, "finite"),
        ({"cues": [["and"], ["sea"]]}, "cues"),
        ({"cues": [["and"], [], []]}, "coefficients"),
    ],
)
def test_learned_numbers_must_fit_together(change: dict, sentence: str, tmp_path: Path) -> None:
    FITTED.save(tmp_path / "s.json")
    data = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    data["parameters"] |= change
    (tmp_path / "s.json").write_text(json.dumps(data).replace("Infinity", "1e999"), encoding="utf-8")
    with pytest.raises(CaesuraError, match=sentence):
        load(tmp_path / "s.json").segment(UNITS)
