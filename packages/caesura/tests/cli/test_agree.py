"""``caesura agree`` and the boundary family's part of ``caesura compare``, through the command line."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET

import pytest

import caesura as cs
from cli.command import caesura, refused, written


@pytest.fixture
def coders(tmp_path):
    return written(
        tmp_path,
        "coded.json",
        {
            "a": {"ann": [2, 3, 6], "ben": [2, 2, 7], "cat": [5, 6]},
            "b": {"ann": [4, 4], "ben": [8], "cat": [4, 4]},
            "c": {"ann": [9, 3], "ben": [9, 3]},
        },
    )


def data(*words) -> dict:
    done = caesura(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_stargazer_as_printed() -> None:
    answer = data("agree", "sample:stargazer", "--coefficient", "pi", "--density", "segments")
    assert answer["pi"]["value"] == pytest.approx(0.4405, abs=5e-5)
    scaled = data("agree", "sample:stargazer", "-m", "S:weights=scaled", "--coefficient", "pi", "--density", "segments")
    assert scaled["pi"]["value"] == pytest.approx(0.7562, abs=5e-5)
    pooled = data("agree", "sample:stargazer")
    assert pooled["pi"]["value"] == pytest.approx(0.4644, abs=5e-5)
    assert set(pooled) == {"pi", "kappa", "bias", "percentage", "alpha", "majority"}
    assert len(pooled["pi"]["details"]["matrix"]) == 7


def test_agree_prints_tables_and_matrix(coders) -> None:
    done = caesura("agree", coders)
    assert done.returncode == 0, done.stderr
    for words in (
        "Fleiss' multi-π",
        "coder by coder",
        "lowest agreement first",
        "95 % interval",
        "density:pooled",
    ):
        assert words in done.stdout
    assert "\x1b" not in done.stdout


def test_agree_selects_items_coders_and_near_miss_distance(coders) -> None:
    of_coders = data("agree", coders, "-c", "ann", "-c", "ben", "--n-t", "3", "--coefficient", "kappa")
    assert list(of_coders) == ["kappa"]
    assert "|nt:3|" in of_coders["kappa"]["signature"]
    assert of_coders["kappa"]["details"]["coders"] == ["ann", "ben"]
    of_item = data("agree", coders, "-i", "c", "--coefficient", "percentage")
    assert of_item["percentage"]["value"] == 1.0
    assert of_item["percentage"]["interval"] is None


def test_intervals_follow_the_seed(coders) -> None:
    ask = ("agree", coders, "--coefficient", "pi", "--resamples", "50")
    first = data(*ask, "--seed", "0")
    assert first == data(*ask, "--seed", "0")
    assert first["pi"]["interval"] != data(*ask, "--seed", "7")["pi"]["interval"]


def test_drawings(coders, tmp_path) -> None:
    target = tmp_path / "matrix.svg"
    assert caesura("agree", coders, "--svg", target).returncode == 0
    assert ET.fromstring(target.read_text(encoding="utf-8")).tag.endswith("svg")


def test_flexible_options_need_a_flexible_metric(coders) -> None:
    answer = data("agree", "sample:dialogue", "-m", "Sf", "--chance", "kappa")
    assert 0 < answer["kappa"]["value"] < 1
    assert "--chance has no effect: it is for the metrics Sf and SfB" in refused("agree", coders, "--chance", "kappa")


def test_failed_check_exits_with_1(coders) -> None:
    bad = caesura("agree", coders, "--fail-under", "pi=0.99", "--json")
    assert bad.returncode == 1
    assert "caesura: pi is" in bad.stderr
    assert caesura("agree", coders, "--fail-under", "pi=0.1", "--json").returncode == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--coefficient", "rho"), "there is no coefficient 'rho'"),
        (("--density", "median"), "density is 'median'"),
        (("-m", "WD"), "WD depends on which side is the reference"),
        (("-m", "Bb"), "there is no metric 'Bb'"),
        (("-c", "ann"), "agreement needs two coders, and --coder selects 'ann' only"),
        (("-c", "zoe"), "no coder 'zoe'"),
        (("--n-t", "0"), "n_t is 0"),
        (("--resamples", "-1"), "resamples is -1"),
        (("--fail-under", "pi"), "NAME=VALUE"),
    ],
)
def test_agree_refuses_bad_options(coders, words, sentence) -> None:
    assert sentence.replace("NAME=VALUE", "") in refused("agree", coders, *words)


# ---------------------------------------------------------------------- compare


def test_compare_lists_edits_and_confusion(tmp_path) -> None:
    gold = written(tmp_path, "gold.json", {"a": {"g": [2, 3, 6]}})
    system = written(tmp_path, "system.json", {"a": {"s": [2, 2, 3, 4]}})
    answer = data("compare", gold, system, "-m", "B", "--edits", "--confusion")
    assert [e["kind"] for e in answer["edits"]] == ["match", "transposition", "addition"]
    assert answer["edits"][2]["side"] == "hypothesis"
    assert answer["confusion"]["matrix"] == [[1.5, 1.0], [0.0, 7.5]]
    shown = caesura("compare", gold, system, "-m", "B", "--edits", "--confusion").stdout
    for words in ("3 boundary edits", "rows predicted, columns", "≈ 1 near miss", "● 1 match", "○ 1 addition"):
        assert words in " ".join(shown.split())


def test_compare_with_optimal_matching(tmp_path) -> None:
    gold = written(tmp_path, "gold.json", {"a": {"g": [1, 3, 4]}})
    system = written(tmp_path, "system.json", {"a": {"s": [3, 3, 2]}})
    greedy = data("compare", gold, system, "-m", "B", "--n-t", "4")
    best = data("compare", gold, system, "-m", "B", "--n-t", "4", "--matching", "optimal")
    assert greedy["metrics"]["B"]["micro"] == 0.25
    assert best["metrics"]["B"]["micro"] == 0.5
    assert "2 near misses" in caesura("compare", gold, system, "--n-t", "4", "--matching", "optimal").stdout


@pytest.mark.parametrize(
    ("gold", "system", "words", "sentence"),
    [
        ([2, 3], [2, 2], (), "5 units, the hypothesis 4"),
        ([2, 0, 3], [5], (), "segment 2 has mass 0"),
        ([2, -1, 4], [5], (), "segment 2 has mass -1"),
        ([2.5, 2.5], [5], (), "whole number"),
        ([2, 3], [2, 3], ("-m", "B", "--n-t", "0"), "n_t is 0"),
        ([2, 3], [2, 3], ("-m", "B", "--matching", "best"), "matching is 'best'"),
        ([2, 3], [2, 3], ("-m", "WD", "--k", "5"), "n = 5 units and k = 5"),
        ([2, 3], [2, 3], ("-m", "Pk", "--k", "0"), "k is 0"),
    ],
)
def test_bad_input_exits_with_2_and_one_sentence(tmp_path, gold, system, words, sentence) -> None:
    gold_file = written(tmp_path, "gold.json", {"a": {"g": gold}})
    system_file = written(tmp_path, "system.json", {"a": {"s": system}})
    assert sentence in refused("compare", gold_file, system_file, *words)


def test_compare_without_boundaries_and_with_wide_windows(tmp_path) -> None:
    gold_file = written(tmp_path, "gold.json", {"a": {"g": [900]}})
    system_file = written(tmp_path, "system.json", {"a": {"s": [900]}})
    answer = data("compare", gold_file, system_file, "-m", "B", "-m", "S", "-m", "Pk", "--k", "300")
    assert answer["metrics"]["B"]["micro"] == answer["metrics"]["S"]["micro"] == 1.0
    assert answer["metrics"]["Pk"]["micro"] == 0.0
    assert not math.isnan(answer["metrics"]["B"]["macro"])


def test_nested_segments_have_no_chance_correction(tmp_path) -> None:
    from caesura.formats import write
    from caesura.model import Corpus, Hierarchy

    spans = {"ann": [(1, 8), (1, 4)], "ben": [(1, 8), (1, 3)], "eve": [(1, 8), (5, 8)]}
    file = tmp_path / "nested.json"
    write(Corpus.from_annotations([("i", c, Hierarchy.from_spans(s, length=8)) for c, s in spans.items()]), file)
    done = caesura("agree", file)
    assert done.returncode == 0, done.stderr
    assert "frequency" not in done.stdout
    assert "boundaries per place" not in done.stdout
    assert "coders: the value without them" in " ".join(done.stdout.split())
    answer = json.loads(caesura("agree", file, "--json").stdout)
    assert "frequency" not in answer["percentage"]["details"]
    assert set(answer["percentage"]["details"]["leave_one_out"]) == set(spans)


def folder_of(path, names: dict[str, str]):
    for name, text in names.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def test_hint_for_tiers_that_may_be_coders(tmp_path) -> None:
    talk = cs.Corpus.from_annotations(
        cs.Annotation("talk", "", cs.Segmentation.from_times(times, length=3.0), tier)
        for tier, times in (("ann_IU", [0.6, 1.4]), ("ben_IU", [0.62]))
    )
    file = tmp_path / "talk.eaf"
    cs.write(talk, file, lossy=True)
    for command in ("agree", "compare"):
        assert refused(command, file).endswith(
            "(ann_IU, ben_IU) were read as the work of one coder. If each tier belongs to one coder, add -O 'coder={coder}_IU'."
        )
        assert refused(command, tmp_path).endswith("-O 'coder={coder}_IU'.")
        assert caesura(command, file, "-O", "coder={coder}_IU").returncode == 0
    assert caesura("unify", file).stderr.endswith("-O 'coder={coder}_IU'.\n")


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (("a/a-ann", "a/a-ben", "b/b-ann", "b/b-eve"), "{item}/{item}-{coder}.txt"),
        (("a_ann", "a_ben", "b_ann"), "{item}_{coder}.txt"),
        (("ann.a", "ben.a", "ann.b", "ben.b"), "{coder}.{item}.txt"),
        (("a/ann", "a/ben", "b/eve", "b/kim"), "{item}/{coder}.txt"),
    ],
)
def test_hint_for_folder_that_needs_a_pattern(tmp_path, names, pattern) -> None:
    texts = {"a": "one two | three four five", "b": "red | green blue"}
    item = {"{coder}.{item}.txt": lambda name: name[-1]}.get(pattern, lambda name: name[0])
    folder = folder_of(tmp_path / "talks", {f"{name}.txt": texts[item(name)] for name in names})
    (folder / "README").write_text("not an annotation")
    for command in ("agree", "compare"):
        sentence = refused(command, folder)
        assert "no text has two coders" in sentence
        assert sentence.endswith(f"-O 'pattern={pattern}'.")
    assert caesura("agree", folder, "-O", f"pattern={pattern}").returncode == 0
    for words in (["report", folder, "-o", tmp_path / "report.html"], ["unify", folder]):
        done = caesura(*words)
        assert done.returncode == 0
        assert f"-O 'pattern={pattern}'.\n" in done.stderr
        assert caesura(*words, "-O", f"pattern={pattern}").stderr == ""


def test_no_hint_if_file_names_follow_no_pattern(tmp_path) -> None:
    folder = folder_of(tmp_path / "talks", {"a-1.txt": "one | two", "a-2.txt": "one | two | three"})
    sentence = refused("agree", folder)  # two lengths: not two coders of one text
    assert "-O" not in sentence
    assert "pattern=" in sentence


def test_recordings_have_a_default_metric(tmp_path) -> None:
    answer = data("agree", "sample:phones")
    assert answer["percentage"]["signature"].startswith("percentage|A|")
    assert answer["percentage"]["value"] == pytest.approx(0.7366, abs=5e-5)
    assert "A for recordings" in refused("agree", "sample:phones", "-m", "R")


def test_coder_without_boundaries_has_no_bar(tmp_path) -> None:
    file = written(tmp_path, "one.json", {"a": {"ann": [4, 4], "ben": [8]}})
    lines = caesura("agree", file).stdout.splitlines()
    assert "█" in next(line for line in lines if line.startswith("ann "))
    assert "█" not in next(line for line in lines if line.startswith("ben"))


def test_each_pair_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    family = type(cs.metric("B").family)
    count, counted = family.count, []
    monkeypatch.setattr(family, "count", lambda self, batch: counted.append(len(batch)) or count(self, batch))
    done = caesura("agree", "sample:stargazer")
    assert done.returncode == 0
    assert "coder by coder" in done.stdout, "the matrix is drawn"
    assert counted == [21], "seven coders of one text"


def test_options_without_effect_are_reported() -> None:
    sentence = "one item cannot be resampled"
    for words in ("--resamples 50", "--level 0.9", "--seed 4"):
        assert sentence in caesura("agree", "sample:stargazer", *words.split()).stderr
    assert sentence not in caesura("agree", "sample:stargazer").stderr
    assert "percentage, which does not depend on boundary density" in refused(
        "agree", "sample:phones", "--density", "segments"
    )
    assert "alpha, which does not depend on boundary density" in refused(
        "agree", "sample:stargazer", "--coefficient", "alpha", "--density", "mean"
    )
