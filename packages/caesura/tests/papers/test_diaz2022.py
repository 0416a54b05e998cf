"""The reproduction of Ocampo Diaz and Ouyang (2022), through Python and the command line."""

from __future__ import annotations

import json

import pytest

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.papers import Reproduction, reproduce
from caesura.papers.diaz2022 import AUTHORS, FIGURES, PLAIN
from cli.command import caesura, refused
from shared_data import oracle_json


@pytest.fixture(scope="module")
def short() -> Reproduction:
    return reproduce("diaz2022", max_length=9, metric=["F"])


def test_all_printed_numbers_but_figure_9_agree(short: Reproduction) -> None:
    odd = {(t.title, x.what) for t in short.sections for x in t.lines if x.agrees is False}
    assert {what for _, what in odd} == {"r, h1 (four merged): A", "r, h2 (two, two, two): A"}
    assert all(title.startswith("Figure 9") for title, _ in odd)
    assert sum(x.agrees is True for t in short.sections for x in t.lines) == 36 + 3


def test_masses_equal_the_oracle() -> None:
    theirs = {
        (str(c["figure"]), tuple(c["ref"]), tuple(c["hyp"])): (c["A"], c["B"], c["one_minus_WD"])
        for c in oracle_json("alignment/figures.json")
        if c["printed"] is not None
    }
    measures = [metric(spelled) for spelled in PLAIN.values()]
    ours = {}
    for title, pairs in FIGURES.items():
        for pair in pairs:
            scores = [measure(pair.ref, pair.hyp) for measure in measures]
            ours[title.split(":")[0].removeprefix("Figure "), pair.ref, pair.hyp] = (*scores[:2], 1 - scores[2])
    assert ours.keys() == theirs.keys()
    for key, values in ours.items():
        assert values == pytest.approx(theirs[key], abs=1e-9), key


def test_votes_agree_with_a(short: Reproduction) -> None:
    (votes,) = [t for t in short.sections if t.title.startswith("Appendix A")]
    assert [(x.printed, x.computed) for x in votes.lines] == [("H2", "H2"), ("H1", "H1"), ("H1", "H1")]


def test_requested_metrics_are_added_to_those_of_the_paper(short: Reproduction) -> None:
    for rates in short.sections[-2:]:
        assert [row[0] for row in rates.rows] == ["A", "B", "WD padded", "F"]
    assert short.data["study"]["cross ties"]["columns"][3:] == ["A", "B", "WD padded", "F"]
    assert len(short.data["study"]["cross inversions"]["rows"]) == sum(n - 2 for n in range(5, 10))


@pytest.mark.slow
def test_sums_of_the_authors_program_are_compared_at_twenty_units() -> None:
    tables = reproduce("diaz2022").sections
    (sums,) = [t for t in tables if "authors' program" in t.title]
    assert len(sums.lines) == 9
    assert all(line.agrees for line in sums.lines)
    assert sums.lines[1].computed == AUTHORS["cross"]["B"]


def test_figures_are_saved(short: Reproduction, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers import save_figures

    files = save_figures(short, tmp_path / "figures")
    assert [f.name for f in files if f.suffix == ".svg"] == [
        "diaz2022_figure13_cross.svg",
        "diaz2022_figure14_constant.svg",
        "diaz2022_figure15_vanishing.svg",
    ]
    assert all(f.stat().st_size > 5000 for f in files)


def test_command_line_prints_the_study() -> None:
    done = caesura("reproduce", "diaz2022", "--max-length", "8", "--metric", "A:weight=dice", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["paper"] == "diaz2022"
    assert data["tables"][-1]["rows"][-1][0] == "A:weight=dice"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_length": 3}, "expected 5 to 28 units"),
        ({"metric": ["Bb"]}, "there is no metric 'Bb'"),
        ({"seed": 3}, "diaz2022 takes no --seed"),
    ],
)
def test_bad_options_raise_an_error(options: dict, words: str) -> None:
    with pytest.raises(CaesuraError, match=words):
        reproduce("diaz2022", **options)


def test_bad_options_on_the_command_line_raise_an_error() -> None:
    assert "lengths are 5 to 99; expected 5 to 28 units" in refused("reproduce", "diaz2022", "--max-length", "99")
    assert "there is no metric 'Bb'" in refused("reproduce", "diaz2022", "--metric", "Bb")
