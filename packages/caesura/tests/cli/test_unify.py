"""``caesura unify`` through the command line."""

from __future__ import annotations

import json

import pytest

import caesura as cs
from cli.command import caesura, refused

CODERS = {
    "ann": {"length": 6, "segments": [{"first": 1, "last": 4, "segments": [{"first": 1, "last": 2}]}]},
    "ben": {"length": 6, "segments": [{"first": 1, "last": 4}, {"first": 5, "last": 6}]},
    "eve": {"length": 6, "segments": [{"first": 3, "last": 6}]},
}


@pytest.fixture
def talk(tmp_path):
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"talk": CODERS}))
    return file


def test_gold_is_written_and_read_again(talk, tmp_path) -> None:
    target, votes = tmp_path / "gold.json", tmp_path / "votes.json"
    done = caesura(
        "unify", talk, "--method", "conflict-free-union", "--embeddedness", "flat", "-o", target, "--provenance", votes
    )
    assert done.returncode == 0, done.stderr
    assert "how well conflict-free-union (flat) represents each coder" in done.stdout
    assert f"wrote {target}" in done.stdout
    assert cs.read(target)["talk", "gold"].spans == [(1, 4, 1), (5, 6, 1), (1, 2, 2)]
    assert json.loads(votes.read_text())[0]["rejected"] == [{"first": 3, "last": 6, "level": None, "voters": ["eve"]}]


def test_conflicts_are_listed(talk) -> None:
    done = caesura("unify", talk, "-M", "conflict-free-union", "-e", "flat", "--conflicts")
    assert "(1, 4) and (3, 6) cross: ann, ben and eve" in done.stdout
    listed = json.loads(caesura("unify", talk, "-e", "flat", "--conflicts", "--json").stdout)
    assert listed["items"][0]["conflicts"][0]["kind"] == "cross"
    assert set(listed["representation"]["coders"]) == {"ann", "ben", "eve"}


def test_all_methods_side_by_side() -> None:
    done = caesura("unify", "sample:walk", "--all")
    assert done.returncode == 0, done.stderr
    for word in ("flat: segments, and means over 3 annotations", "full:", "conflict-free-union", "best-annotator", "κ"):
        assert word in done.stdout
    rows = json.loads(caesura("unify", "sample:stargazer", "--all", "-m", "F", "--json").stdout)
    assert {row["method"] for row in rows} >= {"consensus", "majority", "best-annotator"}
    assert all(set(row["mean"]) == {"F"} for row in rows)


def test_thresholds_of_linear_votes() -> None:
    answer = json.loads(caesura("unify", "sample:stargazer", "--threshold", "4/7", "--json").stdout)
    assert answer["items"][0]["provenance"]["rule"] == "at least 4/7 of the coders: 4 of 7"
    plain = json.loads(caesura("unify", "sample:stargazer", "--json").stdout)
    assert plain["items"][0]["gold"] == answer["items"][0]["gold"]


def test_coder_may_be_named_gold(tmp_path) -> None:
    file = tmp_path / "kubla.json"
    items = {"kubla": {"gold": [2, 5, 4], "unified": [2, 9], "eve": [7, 4]}}
    file.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    done = caesura("unify", file, "--draw", "segmentations")
    assert done.returncode == 0, done.stderr
    drawn = done.stdout.split("\nkubla\n")[1].splitlines()
    assert [line[:9].strip() for line in drawn[1:5]] == ["unified 2", "gold", "unified", "eve"]


def test_the_gold_is_drawn_above_its_coders(talk) -> None:
    done = caesura("unify", talk, "-M", "conflict-free-union", "-e", "flat", "--draw", "nested-bars")
    assert done.returncode == 0, done.stderr
    drawn = done.stdout.splitlines()
    assert [line.split()[0] for line in drawn if line.split()[1:2] == ["1"]][:4] == ["gold", "ann", "ben", "eve"]
    linear = caesura("unify", "sample:dialogue", "-e", "flat", "--draw", "segmentations")
    assert linear.returncode == 0, linear.stderr
    assert "gold" in linear.stdout


def test_unify_prints_notes(tmp_path) -> None:
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps({"talk": {"ann": CODERS["ann"]}}))
    assert "only 'ann' annotated this text" in caesura("unify", alone).stdout
    apart = tmp_path / "apart.json"
    apart.write_text(json.dumps({"talk": {"ann": CODERS["ann"], "eve": CODERS["eve"]}}))
    assert "no segment has enough votes: the gold standard is empty." in caesura("unify", apart).stdout


@pytest.mark.slow
def test_bad_input(talk, tmp_path) -> None:
    def file(name: str, content: str):
        path = tmp_path / name
        path.write_text(content)
        return path

    crossing = {"length": 6, "segments": [{"first": 1, "last": 4}, {"first": 3, "last": 6}]}
    crossing = file("crossing.json", json.dumps({"talk": {"ann": crossing}}))
    assert "(1, 4) and (3, 6) cross" in refused("unify", crossing)
    outside = file("outside.json", json.dumps({"talk": {"ann": {"length": 3, "segments": [{"first": 2, "last": 4}]}}}))
    assert "(2, 4) lies outside the text: expected 1 to 3" in refused("unify", outside)
    levels = file("levels.csv", "par,level1,level2\n1,0,1\n2,1,0\n3,1,1\n")
    assert "level 2 ends after unit 1 but not after unit 2" in refused("unify", levels)
    spans = file("spans.csv", "first,last,level,coder,item\n1,5,2,ann,x\n2,3,1,ann,x\n")
    assert "level 1 but lies inside (1, 5) of level 2" in refused("unify", spans)
    texts = file("texts.json", json.dumps({"talk": {"ann": CODERS["ann"], "ben": {"length": 5, "segments": []}}}))
    assert "5 units, but coder 'ann' has 6" in refused("unify", texts)
    assert "did you mean 'majority'" in refused("unify", talk, "-M", "majorty")
    assert "takes no threshold" in refused("unify", talk, "-M", "consensus", "-t", "0.5")
    assert "expected a number" in refused("unify", talk, "-t", "most")
    assert "--output has no effect with --all" in refused("unify", talk, "--all", "-o", tmp_path / "x.json")
    assert "no coder 'zoe'" in refused("unify", talk, "--coder", "zoe")
    assert caesura("unify", talk, "-e", "half").returncode == 2


def test_unused_level_is_refused() -> None:
    assert caesura("unify", "sample:walk", "--level", "2", "-m", "B").returncode == 0
    assert refused("unify", "sample:walk", "--level", "99", "-m", "B").endswith("the deepest level is 4.")


def test_recordings_are_unified_within_a_tolerance(tmp_path) -> None:
    target = tmp_path / "gold.json"
    done = caesura("unify", "sample:phones", "--tolerance", "30ms", "-o", target, "--json")
    assert done.returncode == 0, done.stderr
    (item,) = json.loads(done.stdout)["items"]
    assert item["provenance"]["rule"].endswith("2 of 3, within 0.03 s")
    narrow = json.loads(caesura("unify", "sample:phones", "--tolerance", "1ms", "--json").stdout)["items"][0]
    assert len(narrow["provenance"]["accepted"]) < len(item["provenance"]["accepted"]), "the tolerance counts"
    assert len(cs.read(target)["margin", "gold"].positions) == len(item["provenance"]["accepted"])
    assert "tolerance applies to recordings" in refused("unify", "sample:walk", "--tolerance", "30ms")


def test_format_for_one_item_names_items_left_out(tmp_path) -> None:
    coded = cs.Corpus.from_annotations(
        cs.Annotation(item, coder, cs.Segmentation.from_times([1.0], length=3.0))
        for item in ("news", "talk")
        for coder in ("ann", "ben")
    )
    cs.write(coded, tmp_path / "coded.json")
    done = caesura("unify", tmp_path / "coded.json", "-o", tmp_path / "gold.TextGrid", "--lossy")
    assert done.returncode == 0
    assert done.stderr.endswith("gold.TextGrid holds only 'news'; 1 item was left out.\n")
