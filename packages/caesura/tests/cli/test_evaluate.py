"""Several systems through the command line: tables, tests, bounds, groups, gates, large files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.formats import write
from caesura.model import DEFAULT_METRICS, Corpus, Hierarchy, Segmentation, Spans
from cli.command import caesura, refused, written


def run(*words: str) -> str:
    done = caesura(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    random = np.random.default_rng(0)
    gold = {f"i{n}": {"c": random.integers(1, 6, size=8)} for n in range(12)}
    near = {item: {"c": np.concatenate((m["c"][:4], m["c"][4:][::-1]))} for item, m in gold.items()}
    lazy = {item: {"c": [int(m["c"].sum())]} for item, m in gold.items()}
    paths = []
    for name, data in (("gold", gold), ("near", near), ("lazy", lazy)):
        path = tmp_path / f"{name}.json"
        write(Corpus.from_dict(data), path, "segeval-json")
        paths.append(str(path))
    return paths


def test_several_systems_are_tested_against_each_other(files: list[str]) -> None:
    shown = run("evaluate", *files, "-m", "F", "--bounds")
    assert "near – lazy" in shown
    assert "(random sizes)" in shown
    assert "F|beta:1|v:" in shown
    data = json.loads(run("evaluate", *files, "-m", "F", "--bounds", "--json"))
    assert data["systems"]["lazy"]["F"]["micro"] == 0.0
    assert data["comparisons"][0]["difference"] == data["systems"]["near"]["F"]["micro"]
    assert set(data["bounds"]) >= {"none", "all"}
    assert any("ranks the baseline" in sentence for sentence in data["warnings"])


def test_a_table_for_a_paper(files: list[str]) -> None:
    assert run("evaluate", *files, "-m", "F", "--table", "latex").startswith(r"\begin{tabular}{lr}")
    assert "no table style 'word'" in refused("evaluate", *files, "-m", "F", "--table", "word")


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("md", b"| system | F |"), ("tex", rb"\begin"), ("csv", b"kind,"), ("json", b"["), ("parquet", b"PAR1")],
)
def test_a_table_in_a_file(files: list[str], tmp_path: Path, suffix: str, start: bytes) -> None:
    target = tmp_path / f"table.{suffix}"
    assert run("evaluate", *files, "-m", "F", "--table", str(target)) == f"wrote {target}\n"
    assert target.read_bytes().startswith(start)


def test_ranks_of_three_systems(files: list[str]) -> None:
    three = [*files, files[0]]
    shown = run("evaluate", *three, "-m", "F", "--test", "friedman")
    assert "F: Friedman test " in shown
    assert "p (Nemenyi)" in shown
    assert re.search(r"gold +1\.000", shown), "the reference itself ranks first"
    data = json.loads(run("evaluate", *three, "-m", "F", "--test", "kruskal", "--json"))["comparisons"][0]
    assert data["method"] == "kruskal"
    assert [(pair["first"], pair["second"]) for pair in data["pairs"]] == [
        ("near", "lazy"),
        ("near", "gold"),
        ("lazy", "gold"),
    ]
    other = run("evaluate", *three, "-m", "F", "--test", "kruskal:post_hoc=siegel-castellan")
    assert "p (Siegel & Castellan)" in other
    assert "three or more systems" in refused("evaluate", *files, "-m", "F", "--test", "friedman")
    assert "'nemenyi' or 'siegel-castellan'" in refused("evaluate", *three, "--test", "kruskal:post_hoc=dunn")
    assert "post_hoc" in refused("evaluate", *three, "--test", "permutation:post_hoc=nemenyi")


def test_one_item_has_no_interval(files: list[str]) -> None:
    assert "nothing to resample" not in run("evaluate", *files[:2], "-m", "F")
    shown = run("evaluate", *files[:2], "-m", "F", "--item", "i0")
    assert shown.startswith("near against c\n")
    assert "! a single item cannot be resampled, so there are no intervals and no tests." in shown


def test_missing_items_are_skipped_or_filled_and_listed(files: list[str], tmp_path: Path) -> None:
    fewer = tmp_path / "fewer.json"
    data = json.loads(Path(files[1]).read_text())
    del data["items"]["i3"]
    fewer.write_text(json.dumps(data))
    sentences = {
        "skip": "! 1 item (i3) was left out because one side lacks it.",
        "empty": "! 1 item (i3) was treated as unmarked by",
    }
    for missing, sentence in sentences.items():
        assert sentence in run("evaluate", files[0], str(fewer), "-m", "F", "--missing", missing)
        assert sentence in run("evaluate", *files, str(fewer), "-m", "F", "--missing", missing)


def test_rows_of_every_item(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    target = tmp_path / "rows.csv"
    run("evaluate", *files, "-m", "F", "--rows", str(target))
    assert len(target.read_text().splitlines()) == 1 + 2 * 12 * 3
    assert "written as .csv or .parquet" in refused("evaluate", *files, "-m", "F", "--rows", str(tmp_path / "rows.txt"))


def test_fail_under_names_the_system(files: list[str]) -> None:
    done = caesura("evaluate", *files, "-m", "F", "--fail-under", "F=0.1")
    assert done.returncode == 1
    assert done.stderr == "caesura: F of 'lazy' is 0.000, below 0.1.\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return written(tmp_path, "gold.json", {"a": {"gold": [2, 3, 6]}, "b": {"gold": [4, 4, 4]}})


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return written(tmp_path, "system.json", {"a": {"sys": [2, 3, 6]}, "b": {"sys": [4, 8]}})


def test_fail_under_exits_with_1_and_one_sentence(gold, system) -> None:
    good = caesura("evaluate", gold, system, "--fail-under", "recall=0.7")
    assert (good.returncode, good.stderr) == (0, "")
    bad = caesura("evaluate", gold, system, "--fail-under", "recall=0.8", "--json")
    assert bad.returncode == 1
    assert bad.stderr.strip() == "caesura: recall is 0.750, below 0.8."
    assert json.loads(bad.stdout)["systems"]["system"]["recall"]["micro"] == 0.75


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--fail-under", "F"], "--fail-under takes METRIC=NUMBER, not F."),
        (["--fail-under", "F=high"], "--fail-under takes METRIC=NUMBER, not F=high."),
        (["-m", "F", "--fail-under", "Q=1"], "there is no score 'Q'. Known: F."),
        (["--missing", "guess"], "'guess' is not one of 'error', 'skip', 'empty'"),
        (["--test", "friedman"], "--test has no effect: tests compare systems, and there is one."),
    ],
)
def test_impossible_limits_and_choices_are_refused(gold: Path, system: Path, words: list[str], sentence: str) -> None:
    assert sentence in refused("evaluate", gold, system, *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--by", "genre"], "has no attribute 'genre'"),
        (["--interval", "t"], "'t' is not one of 'percentile', 'bca', 'expanded'"),
        (["--references", "all"], "'all' is not one of 'pooled', 'mean', 'best'"),
        (["--checkpoint", "x"], "streams Parquet files only"),
        (["-m", "Bee"], "there is no metric 'Bee'; did you mean"),
    ],
)
def test_errors_are_one_sentence(files: list[str], words: list[str], sentence: str) -> None:
    assert sentence in refused("evaluate", *files, *words)


def test_large_files_are_streamed(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    parquet = []
    for path in files:
        parquet.append(str(Path(path).with_suffix(".parquet")))
        run("convert", path, parquet[-1])
    data = json.loads(run("evaluate", *parquet, "-m", "F", "--checkpoint", str(tmp_path / "run"), "--json"))
    whole = json.loads(run("evaluate", *files, "-m", "F", "--json"))
    for system in ("near", "lazy"):
        assert data["systems"][system]["F"]["micro"] == whole["systems"][system]["F"]["micro"]
        assert data["systems"][system]["F"]["interval"] == whole["systems"][system]["F"]["interval"]
    assert data["comparisons"] == whole["comparisons"]
    words = ["evaluate", *parquet, "-m", "F"]
    assert run(*words, "--engine", "local", "--table", "csv") == run(*words, "--table", "csv")
    assert "--by has no effect with --engine" in refused(*words, "--engine", "local", "--by", "genre")
    again = run("evaluate", *parquet, "-m", "F", "--checkpoint", str(tmp_path / "run"))
    assert "12 items" in again


def test_damaged_file_is_reported_in_one_line(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    run("convert", files[0], str(good))
    bad.write_bytes(good.read_bytes()[:-20])
    for words in ([], ["--engine", "local"], ["--keep-going"]):
        done = caesura("evaluate", str(good), str(bad), "-m", "F", *words)
        assert done.returncode == 2
        assert re.fullmatch(rf"caesura: {bad}: [^\n]+\.\n", done.stderr), done.stderr


HEARD = """
import os, sys
from caesura.cli.io import suppress_rust_panics
with suppress_rust_panics():
    os.write(2, sys.argv[1].encode() + b"\\n")
    print("seen at once", file=sys.stderr)
    print(os.fstat(2).st_size, file=sys.stderr)
print("and after", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "shown"), [("thread 'x' panicked at y.rs:1:", ""), ("a word of warning", "a word of warning\n")]
)
def test_suppress_rust_panics_hides_panics_only(words: str, shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HEARD, words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"seen at once\n{len(words) + 1}\n{shown}and after\n"


@pytest.mark.parametrize("kind", sorted(DEFAULT_METRICS))
def test_streamed_files_have_default_metrics(kind: str, tmp_path: Path) -> None:
    marks = {
        "units": Segmentation.from_masses([2, 3]),
        "time": Segmentation.from_times([0.5], length=2.0),
        "nested": Hierarchy.from_brackets("[[a b] c]"),
        "spans": Spans.from_rows([(0, 2, "place")], length=5),
    }[kind]
    file = tmp_path / "marks.parquet"
    write(Corpus.from_annotations([("text", "ann", marks)]), file)
    answer = json.loads(run("evaluate", str(file), str(file), "--engine", "local", "--json"))
    assert next(iter(answer["systems"]["marks"])) == DEFAULT_METRICS[kind]


@pytest.mark.parametrize(("rows", "streamed"), [(250_000, False), (250_001, True)])
def test_many_short_texts_are_streamed_even_if_the_file_is_small(tmp_path: Path, rows: int, streamed: bool) -> None:
    """A million texts of one boundary have half a megabyte, and took 650 MB of memory."""
    one = np.ones(rows, np.int64)
    columns = {"item_of": np.arange(rows), "coder_of": one - 1, "lengths": 2 * one, "offsets": np.arange(rows + 1)}
    corpus = Corpus(kind="units", items=list(map(str, range(rows))), coders=["a"], positions=one, **columns)
    write(corpus, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 2**20
    done = caesura("evaluate", str(tmp_path / "a.parquet"), str(tmp_path / "a.parquet"), "-m", "F")
    assert ("are streamed" in done.stderr) == streamed
    assert "1.000" in done.stdout
