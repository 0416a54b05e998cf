"""``caesura agree`` of spans: coefficients by kind, parameters behind their names, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura as cs
from cli.command import caesura, refused

ROWS = {
    "ann": [(0, 4, "person"), (6, 9, "place"), (12, 15, "person")],
    "ben": [(0, 4, "person"), (6, 10, "place")],
    "cy": [],
}


@pytest.fixture
def spans_file(tmp_path: Path) -> Path:
    path = tmp_path / "marked.json"
    texts = {coder: cs.Spans.from_rows(rows, length=20) for coder, rows in ROWS.items()}
    cs.write(cs.Corpus.from_dict({"one": texts, "two": texts}), path)
    return path


def test_spans_have_their_own_coefficients(spans_file: Path) -> None:
    done = caesura("agree", spans_file, "--coefficient", "gamma", "--coefficient", "u-alpha", "--resamples", "20")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("spans: γ, Krippendorff's uα;"), "it says what it chose"
    assert lines[3].startswith("γ ")
    assert lines[4].startswith("Krippendorff's uα ")
    assert "sampler:statistical" in lines[5]
    assert "marked nothing, and are included: cy in one, cy in two" in done.stdout
    assert "labels one by one: γ-k" in done.stdout
    everything = json.loads(caesura("agree", spans_file, "--json").stdout)
    assert list(everything) == ["gamma", "gamma-cat", "alpha-u", "u-alpha", "bar-u-alpha", "cu-alpha"]
    assert everything["gamma"]["details"]["alignments"][0]["coders"] == ["ann", "ben", "cy"]


def test_coefficient_parameters_follow_a_colon(spans_file: Path) -> None:
    name = "gamma:sampler=shift,samples=20,alpha=3"
    result = json.loads(caesura("agree", spans_file, "--coefficient", name, "--json").stdout)[name]
    assert result["signature"].startswith("gamma|a:3|b:1|empty:1|names:nominal|sampler:shift|samples:20|seed:0")
    assert result["value"] == cs.agree(cs.read(spans_file), coefficient=name).value
    done = caesura("agree", spans_file, "--coefficient", "gamma", "--fail-under", "gamma=0.99")
    assert done.returncode == 1
    done = caesura("agree", spans_file, "--coefficient", "gamma-cat", "--fail-under", "gamma-cat=2")
    assert "gamma-cat is 1.000, below 2" in done.stderr


def test_spans_refuse_density(spans_file: Path) -> None:
    assert "--density and --n-t have no effect on coefficients of spans" in refused(
        "agree", spans_file, "--density", "mean"
    )
    assert "did you mean 'gamma'" in refused("agree", spans_file, "--coefficient", "gama")
    assert "has no parameter 'sampels'" in refused("agree", spans_file, "--coefficient", "gamma:sampels=3")
    assert "samples is 'few'" in refused("agree", spans_file, "--coefficient", "gamma:samples=few")
