"""docs/what-is-a-good-value.md: every family and coefficient has simulated values that fall with the error rate, and published values or a note."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.agreement import COEFFICIENTS, SPAN_COEFFICIENTS
from cases import ALL

ROOT = Path(__file__).parents[2]
#: Signed metrics, or metrics that do not measure quality.
NOT_MONOTONIC = {
    "over-segmentation",
    "density-ratio",
    "displacement-bias",
    "bias",
    "diarization-confusion",
    "diarization-false-alarm",
} | {f"{what}-bias" for what in ("onset", "offset", "duration")}


@pytest.fixture(scope="module")
def good_values() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "good_values.py"))


def test_simulated_values_fall_with_the_error_rate(good_values: dict[str, Any]) -> None:
    tables = [*good_values["simulated_values"]().values()]
    assert {name for table in tables for name in table} == set(cs.metric_names())
    agreement = {kind: good_values["simulated_agreement"](kind) for kind in ("units", "spans")}
    assert set(agreement["units"]) == set(COEFFICIENTS)
    assert set(agreement["spans"]) == set(SPAN_COEFFICIENTS)
    for name, values in [pair for table in [*tables, *agreement.values()] for pair in table.items()]:
        equal, careful, fair, poor, chance = map(float, values)
        if name in NOT_MONOTONIC:
            continue
        sign = 1 if name in {*COEFFICIENTS, *SPAN_COEFFICIENTS} or cs.metric(name).higher_is_better else -1
        steps = [sign * value for value in (equal, careful, fair, poor)]
        assert steps == sorted(steps, reverse=True), name
        assert equal == (sign > 0) * (100 if name == "hit-rate" else 1), name
        assert sign * chance <= sign * fair, name


def test_every_family_has_published_values_or_a_note(good_values: dict[str, Any]) -> None:
    published = good_values["PUBLISHED"]
    assert set(published) == {*good_values["families"](), "Coefficients of boundaries", "Coefficients of spans"}
    for key, known in published.items():
        names = good_values["families"]().get(key, [*COEFFICIENTS, *SPAN_COEFFICIENTS])
        assert known.get("printed") or known.get("missing"), key
        assert {each["metric"] for each in known.get("printed", [])} <= set(names), key


def test_markers_are_replaced(good_values: dict[str, Any]) -> None:
    page = good_values["fill_in"](good_values["PAGE"].read_text("utf-8"))
    assert "<!--" not in page
    assert not re.search(r"\{[\w-]+ \w+\}", page)
    assert "### Windows: WD, Pk, WinPR\n" in page  # found first by the site's search


@pytest.mark.skipif(not ALL, reason="slow; set CAESURA_EXHAUSTIVE=1")
def test_page_shows_the_numbers_of_the_example() -> None:
    example = [sys.executable, str(ROOT / "examples" / "good_value.py")]
    printed = subprocess.run(example, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    page = (ROOT / "docs" / "what-is-a-good-value.md").read_text("utf-8").partition("## Two traps")[2]
    shown = re.findall(r"(?<![\d.])\.\d{3}", page.partition("### Recommendations")[0])
    assert len(shown) > 25
    assert [number for number in shown if f"0{number}" not in printed and number not in {".904", ".993"}] == []
