"""``caesura show`` through the command line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from cli.command import caesura, refused
from drawings.golden_files import check_golden


@pytest.fixture
def coders(tmp_path):
    file = tmp_path / "coders.json"
    items = {f"t{i}": {"ann": [2, 3], "ben": [4, 1]} for i in range(8)}
    file.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    return file


def test_show_draws_without_colours_in_a_pipe() -> None:
    done = caesura("show", "sample:stargazer", CAESURA_BIDI="us")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    check_golden(
        "stargazer-stargazer-80.txt", "\n".join(line.rstrip() for line in done.stdout.rstrip("\n").split("\n"))
    )


def test_width_items_and_coders_are_chosen(coders) -> None:
    done = caesura("show", coders, "--item", "t3", "--coder", "ben", "--width", 40)
    assert done.stdout.splitlines()[0] == "t3"
    assert "ann" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 40


def test_show_draws_five_items_by_default(coders) -> None:
    assert "… and 3 more items" in caesura("show", coders).stdout
    everything = caesura("show", coders, "--all").stdout
    assert "t7" in everything
    assert "more items" not in everything


def test_svg_is_written_whole(coders, tmp_path) -> None:
    target = tmp_path / "drawn.svg"
    done = caesura("show", coders, "--svg", target)
    assert done.stdout.strip() == f"wrote {target}"
    root = ET.parse(target).getroot()
    assert root.get("role") == "img"
    assert "prefers-color-scheme:dark" in target.read_text()


def test_json_names_places_and_agreement() -> None:
    answer = json.loads(caesura("show", "sample:kubla", "--json").stdout)
    track = answer["tracks"][0]
    assert track["coders"]["manual"] == [2, 5]
    assert track["places"][1] == {
        "position": 2,
        "coders": ["manual", "near miss", "false positive", "cluster"],
        "agreement": "most",
    }
    nested = json.loads(caesura("show", "sample:walk", "--json").stdout)
    assert nested["nested"][0]["segments"][0] == [1, 16, 1]


def test_drawings_are_chosen_by_name() -> None:
    done = caesura("show", "sample:stargazer", "--draw", "density")
    assert "together" in done.stdout
    zoomed = caesura("show", "sample:stargazer", "--draw-option", "zoom=density")
    assert zoomed.stdout == done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.json"], "missing.json: there is no such file."),
        (["sample:nix"], "there is no sample 'nix'. Known: dialogue, kubla, moonstone, nccu, phones, scripts, stargazer, walk."),
        (["sample:kubla", "--item", "x"], "this corpus has no item 'x'; it has 'kubla'."),
        (["sample:kubla", "--coder", "x"], "this corpus has no coder 'x'; it has 'manual', 'false negative', 'near miss'"),
        (["sample:kubla", "--draw", "densty"], "there is no drawing 'densty'; did you mean 'density'?"),
        (["sample:kubla", "--draw-option", "zoom=near"], "zoom is 'near'; expected auto, full or density."),
        (["sample:kubla", "--draw-option", "zoom"], "--draw-option takes KEY=VALUE, not 'zoom'."),
        (["sample:kubla", "--svg", "no/such/folder/a.svg"], "no/such/folder/a.svg: the folder 'no/such/folder' does not exist."),
    ],
)  # fmt: skip
def test_errors_are_one_sentence(words: list[str], sentence: str) -> None:
    assert refused("show", *words).startswith(sentence)


def test_closed_pipe_is_no_error() -> None:
    import subprocess
    import sys

    from cli.command import SOURCE

    command = f"{sys.executable} -m caesura show sample:kubla --all | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)}, check=False
    )  # fmt: skip
    assert done.stdout.strip() == "kubla"
    assert done.stderr == ""


def test_text_without_units_is_reported(tmp_path) -> None:
    corpus = '{"format": "caesura-corpus", "version": 1, "kind": "units", "annotations": [%s]}'
    (tmp_path / "empty.json").write_text(corpus % '{"item": "empty", "coder": "", "length": 0, "positions": []}')
    done = caesura("show", tmp_path / "empty.json")
    assert done.returncode == 2
    assert "there is nothing to draw: empty holds no unit." in done.stderr
