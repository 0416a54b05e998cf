"""The reproduction of Ocampo Diaz and Ouyang (2022), through Python and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.papers import Reproduction, diaz2022, reproduce
from caesura.papers.diaz2022 import _UNEQUAL_9, FIGURES, PLAIN
from caesura.papers.diaz2022_windows import HYPOTHESIS, REFERENCE, K, windows
from cli.command import caesura, refused
from shared_data import oracle_json


@pytest.fixture(scope="module")
def short() -> Reproduction:
    return reproduce("diaz2022", max_length=9, metric=["F"])


def test_all_printed_numbers_but_figure_9_agree(short: Reproduction) -> None:
    lines = [x for t in short.sections if "padded" not in t.title for x in t.lines]
    odd = [x for x in lines if x.agrees is False]
    assert {x.what for x in odd} == {"r, h1 (four merged): A", "r, h2 (two, two, two): A"}
    assert {x.status for x in odd} == {"authors' error"}
    assert sum(x.agrees is True for x in lines) == 36 + 3 + 4 + 5 + 4 + 3 + 4 + 6, (
        "figures 10 to 16, 1 and 2, 3, 6 and 8, section 5.1, votes, figure 9, what the text says of the examples"
    )


def test_figure_9_with_directed_edges_and_unequal_masses() -> None:
    reference, *candidates = _UNEQUAL_9
    printed = [round(metric("A", edges="directed")(reference, masses), 2) for masses in candidates]
    assert printed == [0.58, 0.58]
    for name in ("B:n_t=2", "WD:minimum=1"):
        first, second = (metric(name)(reference, masses) for masses in candidates)
        assert first == second, f"{name}: the text says that it cannot tell the candidates apart"


def test_figure_3_and_the_spanning_tree(short: Reproduction) -> None:
    shifts = next(t for t in short.sections if t.title.startswith("Figure 3: what"))
    values = {row[0]: row[1:] for row in shifts.rows}
    assert values["A"] == pytest.approx((0.75, 0.8875))
    assert values["B (n_t = 2)"] == pytest.approx((5 / 6, 5 / 6))
    assert values["WD, k = 1"] == pytest.approx((0.2, 0.2))
    assert values["WD, k = 2"] == pytest.approx((1 / 9, 2 / 9))
    assert values["Pk, k = 2"] == pytest.approx((0, 2 / 9))
    tree = next(t for t in short.sections if "Spanning Tree" in t.title)
    assert [row[2] for row in tree.rows] == pytest.approx([0.667, 0.6215, 0.5764], abs=5e-4)


def test_only_a_agrees_with_all_votes(short: Reproduction) -> None:
    ranked = next(t for t in short.sections if t.title.endswith("agreement with the readers"))
    assert [row[0] for row in ranked.rows if row[4] == 18] == ["A", "A:alignment=global"]


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
    votes = next(t for t in short.sections if t.title.startswith("Appendix A: which"))
    assert [(x.printed, x.computed) for x in votes.lines] == [("H2", "H2"), ("H1", "H1"), ("H1", "H1")]


def test_requested_metrics_are_added_to_those_of_the_paper(short: Reproduction) -> None:
    for rates in [t for t in short.sections if t.title.startswith(("Section 5: references", "Ours"))]:
        assert [row[0] for row in rates.rows] == ["A", "B", "WD padded", "WD plain", "F"]
    assert short.data["study"]["cross ties"]["columns"][3:] == ["A", "B", "WD padded", "WD plain", "F"]
    assert len(short.data["study"]["cross inversions"]["rows"]) == sum(n - 2 for n in range(5, 10))


def test_figures_are_saved(short: Reproduction, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers import save_figures

    files = save_figures(short, tmp_path / "figures")
    assert [f.name for f in files if f.suffix == ".svg"] == [
        f"diaz2022-{name}.svg"
        for name in (
            *(
                "figure-4",
                "figure-3",
                "figures-6-and-8",
                "figure-9",
                "figure-10",
                "figure-11",
                "figure-12",
                "figure-16",
            ),
            *("figure-13", "figure-14", "figure-15"),
        )
    ]
    assert all(f.stat().st_size > 5000 for f in files)


def test_command_line_prints_the_study() -> None:
    done = caesura("reproduce", "diaz2022", "--max-length", "8", "--metric", "A:weight=dice", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["paper"] == "diaz2022"
    assert next(t for t in data["tables"] if t["title"].startswith("Ours"))["rows"][-1][0] == "A:weight=dice"


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


def test_figures_6_and_8_draw_the_edges_of_the_alignment() -> None:
    """From the middle of one segment to the middle of the other."""
    assert diaz2022._edges((3, 3, 4), (7, 3)) == [(1.5, 3.5, ""), (4.5, 3.5, ""), (8.0, 8.5, "")]


def test_windows_of_figure_4_are_those_of_the_metrics(short: Reproduction) -> None:
    section = next(each for each in short.sections if each.title.startswith("Figure 4"))
    for column, name in ((3, "Pk"), (4, "WD")):
        counted = sum(row[column] == "counts" for row in section.rows)
        assert counted / len(section.rows) == metric(name, k=K)(REFERENCE, HYPOTHESIS)
        assert f"{counted} of {len(section.rows)}" in section.note
    random = np.random.default_rng(0)
    for _ in range(50):
        n, k = int(random.integers(6, 20)), int(random.integers(2, 5))
        pair = [cs.Segmentation(n, np.flatnonzero(random.random(n - 1) < 0.3) + 1).masses for _ in range(2)]
        found = windows(*pair, k)
        for at, name in enumerate(("Pk", "WD")):
            assert np.mean([each.penalized[at] for each in found]) == pytest.approx(metric(name, k=k)(*pair))
