"""``caesura agree --metric Sf``: chance models, matrices, parameters behind the name, many coders, bad input."""

from __future__ import annotations

import json

import pytest

import caesura as cs
from cli.command import caesura, refused


def agree(*arguments) -> dict:
    done = caesura("agree", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kappa_of_the_dialogue(tmp_path) -> None:
    from caesura.samples import load

    kappa = agree("sample:dialogue", "-m", "Sf", "--chance", "kappa")["kappa"]
    assert kappa["value"] == pytest.approx(cs.flexible_agreement(load("dialogue")).value)
    assert kappa["details"]["method"] == "exact"
    shown = caesura("agree", "sample:dialogue", "-m", "Sf", "--chance", "kappa").stdout
    assert "kappa, exact chance" in shown


def test_all_models_and_the_options(tmp_path) -> None:
    assert set(agree("sample:dialogue", "-m", "SfB")) == {"kappa", "pi", "bennett", "bennett-boundaries"}
    given = agree("sample:dialogue", "-m", "Sf:ties=fewest", "--chance", "pi", "--transposition", "2")
    assert "ties:fewest" in given["pi"]["signature"]
    drawn = agree("sample:dialogue", "-m", "SfB", "--chance", "kappa", "--precision", "0.01")
    assert drawn["kappa"]["standard_error"] <= 0.01


def test_three_coders(tmp_path) -> None:
    marks = [cs.Segmentation.from_labels_at(list(text)) for text in ("abcabc", "abcacb", "abbabc")]
    marks = [cs.Segmentation.from_labels_at(["", *s.labels_at, ""], labels=["a", "b", "c"]) for s in marks]
    corpus = cs.Corpus.from_annotations(("t", coder, m) for coder, m in zip("xyz", marks, strict=True))
    cs.write(corpus, tmp_path / "t.json")
    data = agree(tmp_path / "t.json", "-m", "Sf", "--chance", "kappa")["kappa"]
    assert set(data["details"]["pairs"]) == {"x – y", "x – z", "y – z"}
    shown = caesura("agree", tmp_path / "t.json", "-m", "Sf", "--chance", "kappa").stdout
    assert "kappa, mean of 3 pairs" in shown


def test_a_check_that_fails() -> None:
    bad = caesura("agree", "sample:dialogue", "-m", "Sf", "--chance", "kappa", "--fail-under", "kappa=0.99")
    assert bad.returncode == 1


def test_what_is_refused() -> None:
    assert "there is no model of chance 'alpha'" in refused("agree", "sample:dialogue", "-m", "Sf", "--chance", "alpha")
    assert "it is for the metrics Sf and SfB" in refused("agree", "sample:dialogue", "-m", "B", "--chance", "kappa")
    assert "there is no such file" in refused("agree", "sample:dialogue", "-m", "Sf", "--similarity", "nowhere.csv")
