"""Spans on the command line: agreed upon, drawn, compared, evaluated, converted and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.command import caesura

ROWS = """annotator,label,start,end
ann,person,0,9
ann,event,20,45
ann,person,60,75
ben,person,0,9
ben,event,18,45
ben,org,61,75
cy,,,
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "talk.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def side(folder: Path, coder: str) -> Path:
    path = folder / f"{coder}.csv"
    lines = [line for line in ROWS.splitlines() if line.startswith(("annotator", coder))]
    path.write_text(
        "\n".join(lines).replace("annotator,", "item,length,annotator,").replace(f"{coder},", f"talk,80,{coder},")
    )
    return path


def test_agree_chooses_coefficients_by_kind(table: Path) -> None:
    run = caesura("agree", table, "--coefficient", "gamma:samples=4", "--coefficient", "u-alpha")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("spans: γ, Krippendorff's uα; for span-F and other metrics use --metric")
    assert "samples:4" in run.stdout
    assert "cy" in run.stdout
    assert "┄┄┄ alone" not in run.stdout
    assert "joined" in run.stdout  # the alignment is drawn
    answer = json.loads(caesura("agree", table, "--coefficient", "gamma:samples=4", "--json").stdout)
    assert next(iter(answer.values()))["details"]["alignments"][0]["coders"] == ["ann", "ben", "cy"]
    metric = caesura("agree", table, "--metric", "span-F", "--json")
    assert json.loads(metric.stdout)["percentage"]["value"] == pytest.approx(2 / 12)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--density", "mean"], "--density and --n-t have no effect on coefficients of spans"),
        (
            ["--metric", "span-F", "--coefficient", "gamma"],
            "coefficients of spans compare the units themselves",
        ),
        (["--coefficient", "gama"], "did you mean 'gamma'"),
        (["--coefficient", "gamma:sample=3"], "gamma has no parameter 'sample'"),
        (["--coder", "ann"], "agreement needs two coders"),
    ],
)
def test_options_that_do_not_fit_spans_are_refused(table: Path, words: list[str], why: str) -> None:
    run = caesura("agree", table, *words)
    assert run.returncode == 2
    assert why in run.stderr
    assert "Traceback" not in run.stderr


def test_gamma_of_boundaries_is_refused() -> None:
    run = caesura("agree", "sample:kubla", "--coefficient", "gamma")
    assert (run.returncode, "gamma compares spans; these are annotations of units" in run.stderr) == (2, True)


def test_one_annotator_and_no_spans_at_all(tmp_path: Path) -> None:
    lone = tmp_path / "lone.csv"
    lone.write_text("annotator,label,start,end\nann,x,0,9\n")
    nothing = tmp_path / "nothing.csv"
    nothing.write_text("annotator,label,start,end,length\nann,,,,9\nben,,,,9\n")
    for path, why in ((lone, "agreement needs two annotators of one text"), (nothing, "there are no spans")):
        run = caesura("agree", path)
        assert run.returncode == 2
        assert why in run.stderr
    assert caesura("show", nothing).returncode == 0


def test_show_draws_the_alignment(table: Path) -> None:
    run = caesura("show", table, "--coder", "ann", "--coder", "ben")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].startswith("talk · disorder")
    assert "event" in lines[2]
    assert "org" in run.stdout
    data = json.loads(caesura("show", table, "--json").stdout)
    assert data["spans"][0]["spans"] == [[0, 9, "person"], [20, 45, "event"], [60, 75, "person"]]


def test_compare_and_evaluate(tmp_path: Path) -> None:
    ann, ben = side(tmp_path, "ann"), side(tmp_path, "ben")
    run = caesura("compare", ann, ben)
    assert run.returncode == 0, run.stderr
    assert "span-F" in run.stdout
    assert "joined" in run.stdout
    scores = json.loads(caesura("evaluate", ann, ben, "-m", "span-F", "-m", "span-type-F", "--json").stdout)
    (system,) = scores["systems"].values()
    assert system["span-F"]["micro"] == pytest.approx(1 / 3)
    assert system["span-type-F"]["micro"] == pytest.approx(2 / 3)


def test_convert_and_report(table: Path, tmp_path: Path) -> None:
    run = caesura("convert", table, tmp_path / "talk.json")
    assert run.returncode == 0, run.stderr
    run = caesura("report", tmp_path / "talk.json", "-o", tmp_path / "r.html")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Do coders mark the same units?" in page
    assert "spans of talk by ann, ben, cy" in page
