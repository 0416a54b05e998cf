"""``caesura convert`` through the command line: what it says, and what it refuses to do."""

from __future__ import annotations

import json
import os

import pytest

import caesura as cs
from cli.command import caesura, refused


@pytest.fixture
def coders(tmp_path):
    file = tmp_path / "coders.json"
    file.write_text(json.dumps({"segmentation_type": "linear", "items": {"a": {"ann": [2, 3], "ben": [4, 1]}}}))
    return file


def test_convert_reports_counts(coders, tmp_path) -> None:
    target = tmp_path / "again.json"
    done = caesura("convert", coders, target, "--to", "segeval-json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"wrote {target}: 2 annotations, 1 item, 2 coders"
    assert cs.read(target) == cs.read(coders)


def test_convert_reports_counts_as_json(coders, tmp_path) -> None:
    target = tmp_path / "again.json"
    done = caesura("convert", coders, target, "--to", "segeval-json", "--json")
    assert json.loads(done.stdout) == {"written": str(target), "annotations": 2, "items": 1, "coders": 2}


def test_samples_convert(tmp_path) -> None:
    target = tmp_path / "stargazer.json"
    assert caesura("convert", "sample:stargazer", target, "--to", "segeval-json", "--lossy").returncode == 0
    assert cs.read(target, "segeval-json")["stargazer", "coder 1"].masses == [2, 3, 3, 1, 3, 6, 3]


def test_convert_refuses_loss(tmp_path) -> None:
    target = tmp_path / "kubla.json"
    sentence = refused("convert", "sample:kubla", target, "--to", "segeval-json")
    assert "would lose the text" in sentence
    assert "--lossy" in sentence
    assert not target.exists()


def test_convert_refuses_to_overwrite_its_input(coders) -> None:
    before = coders.read_text()
    assert "input and output are the same file" in refused("convert", coders, coders)
    assert coders.read_text() == before


def test_an_output_in_a_missing_folder(coders, tmp_path) -> None:
    sentence = refused("convert", coders, tmp_path / "no" / "a.json", "--to", "segeval-json")
    assert sentence.endswith("does not exist.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_in_a_read_only_folder(coders, tmp_path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o500)
    assert "cannot write" in refused("convert", coders, shut / "a.json", "--to", "segeval-json")


def test_options_of_formats_are_checked(coders, tmp_path) -> None:
    assert "--option takes KEY=VALUE" in refused("convert", coders, tmp_path / "a.json", "-O", "x")
    assert "has no parameter 'colour'" in refused("convert", coders, tmp_path / "a.json", "-O", "colour=1")
    sentence = refused("convert", coders, tmp_path / "a.json", "--to", "segeval-json", "-W", "colour=1")
    assert "has no parameter 'colour'" in sentence
