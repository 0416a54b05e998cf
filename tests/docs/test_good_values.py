"""docs/what-is-a-good-value.md: every family and coefficient has simulated values that fall as mistakes grow, and printed ones or the word that none were found."""

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
#: Signed, or no measure of how good something is.
NO_LADDER = {"over-segmentation", "displacement-bias", "bias"}


@pytest.fixture(scope="module")
def good_values() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "good_values.py"))


def test_every_metric_and_coefficient_has_values_that_fall_as_mistakes_grow(good_values: dict[str, Any]) -> None:
    tables = [*good_values["simulated_values"]().values()]
    assert {name for table in tables for name in table} == set(cs.metric_names())
    agreement = {kind: good_values["simulated_agreement"](kind) for kind in ("units", "spans")}
    assert set(agreement["units"]) == set(COEFFICIENTS)
    assert set(agreement["spans"]) == set(SPAN_COEFFICIENTS)
    for name, values in [pair for table in [*tables, *agreement.values()] for pair in table.items()]:
        equal, careful, fair, poor, chance = map(float, values)
        if name in NO_LADDER:
            continue
        sign = 1 if name in {*COEFFICIENTS, *SPAN_COEFFICIENTS} or cs.metric(name).higher_is_better else -1
        ladder = [sign * value for value in (equal, careful, fair, poor)]
        assert ladder == sorted(ladder, reverse=True), name
        assert equal == (sign > 0) * (100 if name == "hit-rate" else 1), name
        assert sign * chance <= sign * fair, name


def test_every_family_has_printed_values_or_says_that_none_were_found(good_values: dict[str, Any]) -> None:
    published = good_values["PUBLISHED"]
    assert set(published) == {*good_values["families"](), "Coefficients of boundaries", "Coefficients of spans"}
    for key, known in published.items():
        names = good_values["families"]().get(key, [*COEFFICIENTS, *SPAN_COEFFICIENTS])
        assert known.get("printed") or known.get("missing"), key
        assert {each["metric"] for each in known.get("printed", [])} <= set(names), key


def test_the_page_is_filled_in(good_values: dict[str, Any]) -> None:
    page = good_values["fill_in"](good_values["PAGE"].read_text("utf-8"))
    assert "<!--" not in page
    assert not re.search(r"\{[\w-]+ \w+\}", page)
    assert "### Windows: WD, Pk, WinPR\n" in page  # what the site's search finds first


@pytest.mark.skipif(not ALL, reason="a quarter of a minute; CAESURA_EXHAUSTIVE=1 asks for it")
def test_the_traps_are_what_the_example_prints() -> None:
    example = [sys.executable, str(ROOT / "examples" / "good_value.py")]
    printed = subprocess.run(example, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    page = (ROOT / "docs" / "what-is-a-good-value.md").read_text("utf-8").partition("## Two traps")[2]
    shown = re.findall(r"(?<![\d.])\.\d{3}", page.partition("### So")[0])
    assert len(shown) > 25
    assert [number for number in shown if f"0{number}" not in printed and number not in {".904", ".993"}] == []
