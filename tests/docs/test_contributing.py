"""CONTRIBUTING.md describes the registries as they are, and its example is a working metric."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli.main import COMMANDS
from caesura.drawings.catalog import DRAWINGS
from caesura.formats.catalog import FORMATS
from caesura.metrics.catalog import FAMILIES
from caesura.metrics.family import Metric
from caesura.papers.catalog import PAPERS
from caesura.registry import Registry
from caesura.report.tour import STOPS
from caesura.samples import SAMPLES
from caesura.segmenters.catalog import SEGMENTERS

PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
REGISTRIES: list[Registry[Any]] = [FAMILIES, FORMATS, SEGMENTERS, DRAWINGS, PAPERS, COMMANDS, SAMPLES, STOPS]


def documented_facts() -> dict[str, list[str]]:
    """The table of the manifest's facts: kind -> facts."""
    table: dict[str, list[str]] = {}
    for kind, fact in re.findall(r"^\| (?:`(\w+)`)? ?\| `(\w+)` \|", PAGE, re.MULTILINE):
        if kind:
            table[kind] = []
        table[list(table)[-1]].append(fact)
    return table


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.group)
def test_manifest_table_lists_every_fact(registry: Registry[Any]) -> None:
    facts = registry.facts(next(iter(registry)))
    assert sorted(documented_facts()[registry.group.removeprefix("caesura.")]) == sorted(facts)
    assert f"`{registry.group}`" in PAGE


def test_example_manifest_describes_the_example_metric() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    points, manifest = map(tomllib.loads, re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
    scope: dict[str, Any] = {"__name__": "my_package.counts"}
    exec(code, scope)
    (family,) = (
        scope[location.rpartition(":")[2]] for location in points["project"]["entry-points"]["caesura.metrics"].values()
    )
    for name, facts in manifest["metrics"].items():
        assert facts["title"] == family.scores[name].title
        assert set(facts["kinds"]) == family.kinds
        assert f'{{"{name}": "{facts["title"]}"}}' in PAGE  # the line for metrics/catalog.py
        metric = Metric(family(), name)
        assert metric([2, 3, 6], [2, 3, 6]) == 1.0
        assert metric([2, 3, 6], [5, 6]) == pytest.approx(1 - 1 / 3)
        assert metric(cs.Segmentation(5, []), cs.Segmentation(5, [])) == 1.0
