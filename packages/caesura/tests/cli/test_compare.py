"""``caesura compare`` through the command line."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import FrameType

import pytest

import caesura as cs
from caesura.formats import write
from caesura.model import Corpus
from cli.command import caesura, refused, written


@pytest.fixture
def gold(tmp_path):
    return written(tmp_path, "gold.json", {"a": {"gold": [2, 3, 6]}, "b": {"gold": [4, 4, 4]}})


@pytest.fixture
def system(tmp_path):
    return written(tmp_path, "system.json", {"a": {"sys": [2, 3, 6]}, "b": {"sys": [4, 8]}})


def test_two_files(gold, system) -> None:
    done = caesura("compare", gold, system, "-m", "recall")
    assert done.returncode == 0, done.stderr
    assert "recall" in done.stdout
    assert "0.750" in done.stdout
    assert "largest difference: b" in done.stdout
    assert "\x1b" not in done.stdout


def test_two_coders_of_one_file() -> None:
    first = json.loads(caesura("compare", "sample:kubla", "-m", "F", "--json").stdout)
    assert first["metrics"]["F"]["micro"] == pytest.approx(2 / 3)
    chosen = json.loads(caesura("compare", "sample:kubla", "-m", "F", "--coders", "manual,cluster", "--json").stdout)
    assert chosen["metrics"]["F"]["micro"] == pytest.approx(2 / 3)
    recall = json.loads(
        caesura("compare", "sample:kubla", "-m", "recall", "--coders", "cluster,manual", "--json").stdout
    )
    assert recall["metrics"]["recall"]["micro"] == pytest.approx(0.5)


def test_the_drawing_is_written_as_svg(gold, system, tmp_path) -> None:
    target = tmp_path / "difference.svg"
    assert caesura("compare", gold, system, "--svg", target).returncode == 0
    assert "gold, sys" in ET.parse(target).getroot().get("aria-label")


def test_same_coder_on_both_sides_is_distinguished(gold) -> None:
    done = caesura("compare", gold, gold, "-i", "a")
    assert "gold (reference)" in done.stdout
    assert "gold (hypothe" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sample:kubla", "--coders", "manual"], "--coders takes two names, A,B, not 'manual'."),
        (["sample:kubla", "--coders", "manual,x"], "this corpus has no coder 'x'"),
        (["sample:kubla", "sample:kubla", "--coders", "a,b"], "--coders has no effect with HYPOTHESIS"),
        (["sample:kubla", "--fail-under", "F=1"], "compare has no option --fail-under, evaluate has it"),
        (["sample:kubla"] * 3, "to score several systems, use caesura evaluate REF SYSTEM…"),
        (["sample:kubla", "-m", "F:gamma=1"], "F has no parameter 'gamma'; it takes beta."),
        (["sample:kubla", "-m", "F", "--n-t", "3"], "--n-t belongs to no metric chosen here."),
        (["sample:kubla", "sample:stargazer"], "the two sides share no item: the reference has kubla"),
        (["sample:kubla", "--draw", "x"], "there is no drawing 'x'"),
    ],
)
def test_errors_are_one_sentence(words: list[str], sentence: str) -> None:
    assert sentence in refused("compare", *words)


def test_compare_needs_two_coders(tmp_path) -> None:
    file = written(tmp_path, "one.json", {"a": {"gold": [2, 3, 6]}})
    assert refused("compare", file).startswith("compare needs two coders, and this file has 1")


@pytest.mark.parametrize(("words", "most"), [(["-m", "B"], 26), ([], 30)])
def test_a_comparison_enters_few_files(tmp_path, words: list[str], most: int) -> None:
    """The number of files that a reader has to follow from two files to a score and a drawing; see docs/architecture.md."""
    files = [tmp_path / "gold.json", tmp_path / "system.json"]
    for file, masses in zip(files, ([2, 3, 6], [5, 6]), strict=True):
        write(Corpus.from_dict({"kubla": {file.stem: masses}}), file)
    caesura("compare", *files, *words)  # import-time calls and caches are not part of the path
    package, entered = str(Path(cs.__file__).parent), set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            entered.add(frame.f_code.co_filename[len(package) + 1 :])

    sys.setprofile(note)
    try:
        done = caesura("compare", *files, *words)
    finally:
        sys.setprofile(None)
    assert done.returncode == 0, done.stderr
    assert len(entered) <= most, sorted(entered)


def test_compare_reports_which_coders_it_chose() -> None:
    done = caesura("compare", "sample:kubla", "-m", "F", "--json")
    assert done.returncode == 0
    assert "the first two of" in done.stderr
    assert "--coders A,B" in done.stderr
    assert "the first two" not in caesura("compare", "sample:kubla", "-m", "F", "--coders", "manual,cluster").stderr


def test_only_shared_tiers_are_compared(tmp_path) -> None:
    for coder in ("ann", "ben"):
        tiers = [
            cs.Annotation("x", "", cs.Segmentation.from_times([1.0], length=3.0), t) for t in ("IU", f"words {coder}")
        ]
        cs.write(cs.Corpus.from_annotations(tiers), tmp_path / f"{coder}.eaf", lossy=True)
    files = tmp_path / "ann.eaf", tmp_path / "ben.eaf"
    done = caesura("compare", *files)
    assert done.returncode == 0
    assert "only one side has the tiers words ann, words ben, which are not scored." in done.stderr
    assert caesura("compare", *files, "-O", "tier=IU").stdout.startswith("ben against ann\n")
