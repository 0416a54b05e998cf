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
from caesura.model import Corpus
from cli.command import caesura, refused


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
    shown = run("compare", *files, "-m", "F", "--bounds")
    assert "near – lazy" in shown
    assert "(random sizes)" in shown
    assert "F|beta:1|v:" in shown
    data = json.loads(run("compare", *files, "-m", "F", "--bounds", "--json"))
    assert data["systems"]["lazy"]["F"]["micro"] == 0.0
    assert data["tests"]["F"][0]["difference"] == data["systems"]["near"]["F"]["micro"]
    assert set(data["bounds"]) >= {"none", "all"}
    assert any("ranks the baseline" in sentence for sentence in data["warnings"])


def test_a_table_for_a_paper(files: list[str]) -> None:
    assert run("compare", *files, "-m", "F", "--table", "latex").startswith(r"\begin{tabular}{lr}")
    assert "no table style 'word'" in refused("compare", *files, "-m", "F", "--table", "word")


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("md", b"| system | F |"), ("tex", rb"\begin"), ("csv", b"kind,"), ("json", b"["), ("parquet", b"PAR1")],
)
def test_a_table_in_a_file(files: list[str], tmp_path: Path, suffix: str, start: bytes) -> None:
    target = tmp_path / f"table.{suffix}"
    assert run("compare", *files, "-m", "F", "--table", str(target)) == f"wrote {target}\n"
    assert target.read_bytes().startswith(start)


def test_ranks_of_three_systems(files: list[str]) -> None:
    three = [*files, files[0]]
    shown = run("compare", *three, "-m", "F", "--test", "friedman")
    assert "F: Friedman test " in shown
    assert "p (Nemenyi)" in shown
    assert re.search(r"gold +1\.000", shown), "the reference itself ranks first"
    data = json.loads(run("compare", *three, "-m", "F", "--test", "kruskal", "--json"))["tests"]["F"]
    assert data["method"] == "kruskal"
    assert [(pair["first"], pair["second"]) for pair in data["pairs"]] == [
        ("near", "lazy"),
        ("near", "gold"),
        ("lazy", "gold"),
    ]
    assert "three systems or more" in refused("compare", *files, "-m", "F", "--test", "friedman")


def test_one_item_has_no_interval_and_says_why(files: list[str]) -> None:
    assert "nothing to resample" not in run("compare", *files[:2], "-m", "F")
    shown = run("compare", *files[:2], "-m", "F", "--item", "i0")
    assert shown.startswith("1 item\n")
    assert "! one item leaves nothing to resample, so that there are no intervals and no tests." in shown


def test_items_on_one_side_are_left_out_or_filled_and_told(files: list[str], tmp_path: Path) -> None:
    fewer = tmp_path / "fewer.json"
    data = json.loads(Path(files[1]).read_text())
    del data["items"]["i3"]
    fewer.write_text(json.dumps(data))
    told = {
        "skip": "! 1 item (i3) was left out because one side lacks it.",
        "worst": "! 1 item (i3) was taken for unmarked by",
    }
    for missing, sentence in told.items():
        assert sentence in run("compare", files[0], str(fewer), "-m", "F", "--missing", missing)
        assert sentence in run("compare", *files, str(fewer), "-m", "F", "--missing", missing)


def test_rows_of_every_item(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    target = tmp_path / "rows.csv"
    run("compare", *files, "-m", "F", "--rows", str(target))
    assert len(target.read_text().splitlines()) == 1 + 2 * 12 * 3
    assert "written as .csv or .parquet" in refused("compare", *files, "-m", "F", "--rows", str(tmp_path / "rows.txt"))


def test_the_gate_names_the_system(files: list[str]) -> None:
    done = caesura("compare", *files, "-m", "F", "--fail-under", "F=0.1")
    assert done.returncode == 1
    assert done.stderr == "caesura: F of 'lazy' is 0.0000, below 0.1.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--by", "genre"], "has no attribute 'genre'"),
        (["--interval", "t"], "--interval takes percentile or bca or expanded, not 't'"),
        (["--references", "all"], "--references takes pooled or mean or best"),
        (["--checkpoint", "x"], "are for Parquet files"),
        (["-m", "Bee"], "there is no metric 'Bee'; did you mean"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(files: list[str], words: list[str], sentence: str) -> None:
    assert sentence in refused("compare", *files, *words)


def test_large_files_are_streamed(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    parquet = []
    for path in files:
        parquet.append(str(Path(path).with_suffix(".parquet")))
        run("convert", path, parquet[-1])
    data = json.loads(run("compare", *parquet, "-m", "F", "--checkpoint", str(tmp_path / "run"), "--json"))
    whole = json.loads(run("compare", *files, "-m", "F", "--json"))
    for system in ("near", "lazy"):
        assert data["systems"][system]["F"]["micro"] == whole["systems"][system]["F"]["micro"]
        assert data["systems"][system]["F"]["interval"] == whole["systems"][system]["F"]["interval"]
    assert data["tests"] == whole["tests"]
    words = ["compare", *parquet, "-m", "F"]
    assert run(*words, "--engine", "local", "--table", "csv") == run(*words, "--table", "csv")
    assert "--by needs every item in memory" in refused(*words, "--engine", "local", "--by", "genre")
    again = run("compare", *parquet, "-m", "F", "--checkpoint", str(tmp_path / "run"))
    assert "12 items" in again


def test_a_damaged_file_is_told_in_one_line(files: list[str], tmp_path: Path) -> None:
    pytest.importorskip("polars")
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    run("convert", files[0], str(good))
    bad.write_bytes(good.read_bytes()[:-20])
    for words in ([], ["--engine", "local"], ["--keep-going"]):
        done = caesura("compare", str(good), str(bad), "-m", "F", *words)
        assert done.returncode == 2
        assert re.fullmatch(rf"caesura: {bad}: [^\n]+\.\n", done.stderr), done.stderr


HEARD = """
import os, sys
from caesura.cli.output import panics_unheard
with panics_unheard():
    os.write(2, sys.argv[1].encode() + b"\\n")
    print("seen at once", file=sys.stderr)
    print(os.fstat(2).st_size, file=sys.stderr)
print("and after", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "shown"), [("thread 'x' panicked at y.rs:1:", ""), ("a word of warning", "a word of warning\n")]
)
def test_panics_of_compiled_readers_are_kept_off_the_screen(words: str, shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HEARD, words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"seen at once\n{len(words) + 1}\n{shown}and after\n"
