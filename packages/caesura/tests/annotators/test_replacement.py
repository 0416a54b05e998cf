"""The alternative annotator test against the authors' notebook, and its refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import caesura as cs
from caesura.annotators.replacement import Contest, _signed_ranks, compare_with_humans
from caesura.errors import CaesuraError
from shared_data import oracle_json

CASES = oracle_json("annotators/alternative_annotator.json")["cases"]
#: Humans of all cases with an item on which the mean of their scores is 6e-17 below the candidate's. The exact means are equal, and
#: we count a tie; the figures do not.
TIED = 1


def contests(case: Any) -> dict[str, Contest]:
    humans, candidate = case["humans"], case["candidate"]
    who: dict[str, list[str]] = {}
    for human, own in humans.items():
        for item in own:
            who.setdefault(item, []).append(human)

    def score(value: float, rest: list[float]) -> float:
        if case["metric"] == "accuracy":
            return float(np.mean([value == other for other in rest]))
        return -float(np.sqrt(np.mean([(value - other) ** 2 for other in rest])))

    found = {}
    for human, own in humans.items():
        items = [item for item in own if len(who[item]) >= 2 and item in candidate]
        rest = [[humans[other][item] for other in who[item] if other != human] for item in items]
        ours = [score(candidate[item], others) for item, others in zip(items, rest, strict=True)]
        theirs = [score(own[item], others) for item, others in zip(items, rest, strict=True)]
        found[human] = Contest(np.array(ours), np.array(theirs), tuple(items))
    return found


def run_case(case: Any) -> Any:
    options = {"q": case["q"], "min_items": case["min_items"]}
    if case["metric"] in ("accuracy", "negative RMSE"):
        return compare_with_humans(contests(case), "gpt", case["epsilon"], **options)
    everyone = {**case["humans"], "gpt": case["candidate"]}
    rows = [
        (item, coder, cs.Segmentation.from_positions(marks, length=16))
        for coder, own in everyone.items()
        for item, marks in own.items()
    ]
    metric = "B" if case["metric"].startswith("B") else "F"
    return cs.alternative_annotator(cs.Corpus.from_annotations(rows), "gpt", metric, case["epsilon"], **options)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_authors_numbers(number: int) -> None:
    case = CASES[number]
    result, expected = run_case(case), case["expected"]
    assert result.winning_rate == pytest.approx(expected["winning_rate"], abs=1e-9)
    assert result.advantage == pytest.approx(expected["average_advantage"], abs=1e-9)
    assert sorted(name for name, each in result.humans.items() if each.beaten) == sorted(expected["rejected"])
    for human, each in result.humans.items():
        assert each.advantage == pytest.approx(expected["advantage"][human], abs=1e-9)
        tied = case["metric"].startswith("F") and abs(each.mean_difference - expected["mean_difference"][human]) > 1e-9
        if tied:
            assert each.mean_difference == pytest.approx(expected["mean_difference"][human] + 1 / each.items, abs=1e-9)
        elif expected["p"][human] is not None:
            assert each.p_value == pytest.approx(expected["p"][human], abs=1e-9)


def test_only_one_human_of_all_cases_is_tied_within_rounding() -> None:
    differing = 0
    for case in CASES:
        result = run_case(case)
        differing += sum(
            abs(each.mean_difference - case["expected"]["mean_difference"][h]) > 1e-9
            for h, each in result.humans.items()
        )
    assert differing == TIED


def texts(number: int, **coders: list[int]) -> dict[str, dict[str, list[int]]]:
    return {f"text {n}": dict(coders) for n in range(number)}


def test_a_copy_of_a_human_beats_them_for_any_epsilon_above_zero() -> None:
    result = cs.alternative_annotator(texts(30, ann=[2, 3], ben=[2, 3], eve=[1, 4], gpt=[2, 3]), "gpt", epsilon=0.01)
    assert result.passes
    assert result.winning_rate == 1.0
    assert result.curve[0] == (0.0, pytest.approx(1 / 3))


def test_a_constant_difference_at_epsilon_is_not_beaten() -> None:
    ones = Contest(np.zeros(40), np.ones(40), tuple(map(str, range(40))))
    result = compare_with_humans({"a": ones, "b": ones}, "gpt", 1.0)
    assert result.winning_rate == 0.0


def test_too_few_items_or_humans_are_refused_with_their_names() -> None:
    with pytest.raises(CaesuraError, match=r"two humans with enough items.*ann: 12 items"):
        cs.alternative_annotator(texts(12, ann=[2, 3], ben=[2, 3], gpt=[2, 3]), "gpt")
    with pytest.raises(CaesuraError, match="no annotator 'llama'"):
        cs.alternative_annotator(texts(30, ann=[2, 3], ben=[2, 3]), "llama")
    with pytest.raises(CaesuraError, match="epsilon is 2"):
        cs.alternative_annotator(texts(30, ann=[2, 3], ben=[2, 3]), "ben", epsilon=2)


def test_the_fallback_for_few_items_is_marked() -> None:
    result = cs.alternative_annotator(texts(12, ann=[2, 3], ben=[2, 3], gpt=[2, 3]), "gpt", small="wilcoxon")
    assert any("Wilcoxon" in sentence for sentence in result.warnings)
    assert any("only two humans" in sentence for sentence in result.warnings)


def test_signed_ranks_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for _ in range(5):
        values = rng.integers(-1, 2, 20) - 0.2
        theirs = stats.wilcoxon(values, alternative="less", method="asymptotic", correction=False).pvalue
        assert _signed_ranks(values) == pytest.approx(theirs, abs=1e-9)


def test_items_of_one_document_are_tested_together() -> None:
    corpus = texts(60, ann=[2, 3], ben=[2, 3], eve=[1, 4], gpt=[2, 3])
    groups = {item: f"document {number % 30}" for number, item in enumerate(corpus)}
    result = cs.alternative_annotator(corpus, "gpt", epsilon=0.1, cluster=groups)
    assert {each.items for each in result.humans.values()} == {30}
    assert "clustered" in result.signature


def test_any_metric_of_the_catalogue_and_functions() -> None:
    corpus = texts(30, ann=[2, 3], ben=[3, 2], eve=[1, 4], gpt=[2, 3])
    for metric in ("WD", "Pk", "S", lambda a, b: float(a == b)):
        assert 0 <= cs.alternative_annotator(corpus, "gpt", metric, epsilon=0.2).advantage <= 1
