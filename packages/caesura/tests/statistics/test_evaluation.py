"""Evaluate one or more systems: input forms, missing and uncountable items, spans."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cs
from caesura import Spans
from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import metric
from caesura.model import Corpus, Pairs, Segmentation
from caesura.statistics import CountedPairs, evaluate
from caesura.statistics.engine import evaluate_files
from cli.command import caesura, refused, written


def corpus(coder: str = "c", **masses: list[int]) -> Corpus:
    return Corpus.from_dict({item: {coder: m} for item, m in masses.items()})


def test_micro_pools_and_macro_averages_items() -> None:
    result = evaluate(corpus(a=[2, 3, 6], b=[4, 4]), corpus(a=[2, 9], b=[4, 4]), ["recall"])["recall"]
    assert result.micro == pytest.approx(2 / 3)
    assert result.macro == pytest.approx(3 / 4)
    assert result.per_item == [0.5, 1.0]


def test_scores_do_not_depend_on_the_order_of_items() -> None:
    evaluation = evaluate(corpus(a=[2, 3], b=[4, 4]), corpus(b=[3, 5], a=[2, 3]), ["F"])
    assert evaluation["F"].per_item == [1.0, 0.0]


def test_tracks_and_coders_are_pooled_per_item() -> None:
    reference = Corpus.from_annotations(
        ("t", coder, Segmentation.from_masses(m), track)
        for coder, track, m in (("x", "A", [2, 2]), ("x", "B", [1, 5]), ("y", "A", [1, 3]), ("y", "B", [1, 5]))
    )
    system = Corpus.from_annotations(
        ("t", "s", Segmentation.from_masses(m), track) for track, m in (("A", [2, 2]), ("B", [6]))
    )
    pairs = Pairs.between(reference, system)
    assert len(pairs) == 4
    assert CountedPairs(pairs).by_item(metric("recall")).tolist() == [[1.0, 2.0, 4.0]]


def test_items_on_one_side_only_are_reported() -> None:
    with pytest.raises(CaesuraError, match="1 of 2 items are on one side only: b"):
        evaluate(corpus(a=[2], b=[2]), corpus(a=[2]), ["F"])
    result = evaluate(corpus(a=[2], b=[2]), corpus(a=[2]), ["F"], missing="skip")
    assert result.items == ("a",)
    assert result.pairs.skipped == ("b",)


def test_no_common_item_is_an_error() -> None:
    with pytest.raises(CaesuraError, match="move or rename them, ann_u1 as ann/u1"):
        evaluate(corpus(**{"ann/u1": [2]}), corpus(ann_u1=[2]))
    with pytest.raises(CaesuraError, match="share no item: the reference has a, the hypothesis b"):
        evaluate(corpus(a=[2]), corpus(b=[2]), missing="skip")


def test_different_lengths_are_an_error() -> None:
    with pytest.raises(LengthMismatch, match="item 'a'"):
        evaluate(corpus(a=[2]), corpus(a=[3]))


def test_single_item_has_no_interval() -> None:
    assert evaluate(corpus(a=[2, 2]), corpus(a=[1, 3]), ["F"])["F"].interval is None


def test_seed_zero_is_reproducible() -> None:
    many = {f"i{n}": [1] * (n + 2) for n in range(20)}
    other = {f"i{n}": [*[1] * (n // 2), n - n // 2 + 2] for n in range(20)}
    runs = [
        evaluate(corpus(**many), corpus(**other), ["F"], seed=seed, resamples=50)["F"].interval for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


# ---------------------------------------------------------------------- dicts and lists as input


GOLD = {"a": {"ann": [2, 3, 6], "ben": [5, 6]}, "b": {"ann": [4, 4]}}
OURS = {"a": {"sys": [2, 9]}, "b": {"sys": [1, 7]}}
THEIRS = {"a": {"sys": "0000100000"}, "b": {"sys": cs.Segmentation.from_masses([4, 4])}}


def test_evaluate_takes_dicts_as_from_dict_does() -> None:
    expected = cs.evaluate(Corpus.from_dict(GOLD), Corpus.from_dict(OURS), ["B", "F"])
    assert cs.evaluate(GOLD, OURS, ["B", "F"]).as_dict() == expected.as_dict()


def test_evaluate_takes_several_systems_as_dicts() -> None:
    expected = cs.evaluate(
        Corpus.from_dict(GOLD), {"ours": Corpus.from_dict(OURS), "theirs": Corpus.from_dict(THEIRS)}, ["B"]
    )
    assert cs.evaluate(GOLD, {"ours": OURS, "theirs": THEIRS}, ["B"]).as_dict() == expected.as_dict()
    assert cs.evaluate(GOLD, {"ours": OURS, "theirs": Corpus.from_dict(THEIRS)}, ["B"]).as_dict() == expected.as_dict()


def test_evaluate_takes_one_annotation_per_item() -> None:
    alone = cs.evaluate({"a": [2, 3, 6], "b": [4, 4]}, {"a": [2, 9], "b": [1, 7]}, ["B"])
    assert alone.items == ("a", "b")
    listed = cs.evaluate([[2, 3, 6], [4, 4]], [[2, 9], [1, 7]], ["B"])
    assert listed.items == ("1", "2")
    named = cs.evaluate({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}}, OURS, ["B"])
    assert alone["B"].micro == listed["B"].micro == named["B"].micro


def test_agree_takes_dicts_and_lists() -> None:
    expected = cs.agree(Corpus.from_dict({"x": {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]}}))
    for given in (
        {"x": {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]}},
        {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]},
        [[2, 3, 6], [5, 6], [2, 9]],
    ):
        assert cs.agree(given).value == expected.value
    assert cs.agree(GOLD).value == cs.agree(Corpus.from_dict(GOLD)).value


@pytest.mark.parametrize("given", [None, 3, [2, 3], {}, [], "0100", {"x": None}, {"x": {"ann": None}}])
def test_input_that_is_no_corpus_is_rejected(given) -> None:
    with pytest.raises(cs.CaesuraError):
        cs.agree(given)
    with pytest.raises(cs.CaesuraError):
        cs.evaluate(given, OURS)


# ---------------------------------------------------------------------- spans


def random_spans(coder: str, seed: int) -> Corpus:
    random = np.random.default_rng(seed)
    annotations = []
    for item in range(12):
        starts = random.integers(0, 40, 5)
        ends = np.minimum(starts + random.integers(1, 20, 5), 50)
        annotations.append((f"i{item}", coder, Spans(50, starts, ends, random.integers(-1, 2, 5), ["a", "b"])))
    return Corpus.from_annotations(annotations)


def test_streamed_spans_equal_evaluation_in_memory(tmp_path) -> None:
    gold, system = random_spans("g", 1), random_spans("h", 2)
    whole = cs.evaluate(gold, system, metrics=["span-partial-F", "token-F"], resamples=50)
    cs.write(gold, tmp_path / "g.parquet")
    cs.write(system, tmp_path / "h.parquet")
    run = caesura(
        "evaluate", tmp_path / "g.parquet", tmp_path / "h.parquet", "--engine", "local", "-m", "token-F", "--json"
    )
    assert run.returncode == 0, run.stderr
    (streamed,) = json.loads(run.stdout)["systems"].values()
    (counted,) = whole.as_dict()["systems"].values()
    assert streamed["token-F"]["micro"] == pytest.approx(counted["token-F"]["micro"])
    low, high = counted["span-partial-F"]["interval"]
    assert low < counted["span-partial-F"]["micro"] < high
    for limit, status in (("0.01", 0), ("0.99", 1)):
        files = (tmp_path / "g.parquet", tmp_path / "h.parquet")
        limited = caesura("evaluate", *files, "-m", "token-F", "--fail-under", f"token-F={limit}")
        assert limited.returncode == status, limited.stderr
        assert ("below 0.99" in limited.stderr) == bool(status)


def test_span_systems_are_tested_pairwise() -> None:
    gold = random_spans("g", 1)
    compared = cs.evaluate(
        gold,
        {"near": random_spans("h", 2), "far": random_spans("h", 3), "same": random_spans("g", 1)},
        ["span-F"],
        resamples=100,
    )
    scores = {name: answer["span-F"]["micro"] for name, answer in compared.as_dict()["systems"].items()}
    assert scores["same"] == 1.0 > scores["near"]
    assert compared.ranks("span-F").tables()


# ---------------------------------------------------------------------- items that a metric cannot count


LONG_AND_SHORT = {f"t{i}": [3, 4, 5 + i] for i in range(6)} | {"short": [1, 1]}
SYSTEM = {f"t{i}": [4, 3, 5 + i] for i in range(6)} | {"short": [2]}
WHY = (
    "WD cannot count item 'short', coder 'sys' against 'ann': windows span k + 1 units, but the text has n = 2 units and k = 2; "
    "n must exceed k"
)


def corpora() -> tuple[cs.Corpus, cs.Corpus]:
    sides = ((LONG_AND_SHORT, "ann"), (SYSTEM, "sys"))
    return tuple(cs.Corpus.from_dict({item: {coder: marks} for item, marks in side.items()}) for side, coder in sides)


def test_uncountable_text_is_named_with_advice() -> None:
    with pytest.raises(cs.CaesuraError) as refusal:
        cs.evaluate(*corpora(), ["B", "WD", "Pk"], resamples=0)
    advice = "leave out such items with missing='skip' (caesura evaluate --missing skip)."
    assert str(refusal.value) == f"{WHY}; {advice}"
    with pytest.raises(cs.CaesuraError, match="WD cannot count item 'short', coder 'sys' against 'ann'"):
        cs.agree(cs.Corpus.join(corpora()), "WD:k=2")


def test_skipped_uncountable_items_are_listed() -> None:
    evaluation = cs.evaluate(*corpora(), ["B", "WD", "Pk"], missing="skip", bounds=True, resamples=100)
    assert evaluation.items == tuple(f"t{i}" for i in range(6))
    alone = [corpus.select(items=evaluation.items) for corpus in corpora()]
    expected = cs.evaluate(*alone, ["B", "WD", "Pk"], bounds=True, resamples=100)
    assert evaluation["WD"].as_dict() == expected["WD"].as_dict()
    assert evaluation.bounds["random density"]["B"].micro > 0
    assert evaluation.uncounted == {"short": WHY}
    assert evaluation.sentences()[0] == f"1 item (short) was left out: {WHY}."
    assert evaluation.as_dict()["uncounted"] == {"short": WHY}
    with pytest.raises(cs.CaesuraError, match="no item is left to count: WD cannot count item 'short'"):
        cs.evaluate({"short": [1, 1]}, {"short": [2]}, ["WD"], missing="skip")


def test_omitted_default_metrics_are_reported() -> None:
    evaluation = cs.evaluate(*corpora(), resamples=0)
    assert "WD" not in evaluation.measured
    assert set(evaluation.omitted) == {"WD", "Pk"}
    assert any(
        sentence.startswith(f"WD, Pk left out: {WHY}; to leave out such items instead")
        for sentence in evaluation.warnings()
    )
    assert cs.evaluate({"short": [1, 1]}, {"short": [2]}, resamples=0).omitted == {}, "no item could be scored"


def test_streaming_skips_the_same_items(tmp_path) -> None:
    paths = [tmp_path / "gold.parquet", tmp_path / "system.parquet"]
    for corpus, path in zip(corpora(), paths, strict=True):
        cs.write(corpus, path)
    whole = cs.evaluate(*corpora(), ["B", "WD"], missing="skip", resamples=100)
    run = {"items_per_fragment": 2, "resamples": 100, "checkpoint": tmp_path / "kept", "missing": "skip"}
    for _ in range(2):  # the second time out of the checkpoint
        streamed = evaluate_files(paths[0], {"hypothesis": paths[1]}, ["B", "WD"], **run)
        assert streamed.count == 6
        assert streamed["WD"].micro == whole["WD"].micro
        assert streamed["WD"].interval == pytest.approx(whole["WD"].interval)
        assert streamed.sentences() == whole.sentences()
    with pytest.raises(cs.CaesuraError, match=r"WD cannot count item 'short'.*--missing skip"):
        evaluate_files(paths[0], {"hypothesis": paths[1]}, ["WD"])


def test_command_line_skips_uncountable_items(tmp_path) -> None:
    files = [
        written(tmp_path, f"{coder}.json", {item: {coder: marks} for item, marks in side.items()})
        for side, coder in ((LONG_AND_SHORT, "ann"), (SYSTEM, "sys"))
    ]
    assert refused("evaluate", *files, "-m", "WD").startswith(WHY)
    assert refused("compare", *files, "-m", "WD").endswith("(caesura evaluate --missing skip).")
    done = caesura("evaluate", *files, "-m", "WD", "--missing", "skip")
    assert done.returncode == 0, done.stderr
    assert f"! 1 item (short) was left out: {WHY}." in done.stdout
    assert json.loads(caesura("evaluate", *files, "-m", "WD", "--missing", "skip", "--json").stdout)["count"] == 6
    unnamed = caesura("evaluate", *files)
    assert unnamed.stderr.startswith(f"caesura: WD, Pk left out: {WHY};")
