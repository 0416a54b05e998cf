"""Each method on texts with an obvious answer; trees, baselines and explanations."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.kernels.text_segmenters import rank
from caesura.model import Annotation, Corpus, Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.text import C99, DCM, U00, Human, Random, TextTiling, Vectors
from caesura.segmenters.text.dynamic_programming import split_greedily
from caesura.segmenters.text.explanation import Explanation, GapChart

SEA = [
    "the ship sailed the sea",
    "sailors sail ships on the sea",
    "a storm at sea broke the ship",
    "the sailors lost the ship",
]
OVEN = [
    "bread needs flour and an oven",
    "the baker kneads flour for bread",
    "bake bread in the oven",
    "flour, yeast and an oven",
]
COURT = [
    "the judge heard the court",
    "a lawyer spoke to the judge",
    "the court and the jury",
    "the jury, the judge, the lawyer",
]
TEXT = [*SEA, *OVEN, *COURT]


@pytest.mark.parametrize("method", ["dcm", "u00", "c99", "mincut", "aps", "vectors"])
def test_method_finds_three_topics(method: str) -> None:
    assert segmenter(method, **({"parts": 3} if method == "mincut" else {})).segment(TEXT, 3).positions.tolist() == [
        4,
        8,
    ]


def test_texttiling_finds_three_topics() -> None:
    tiling = TextTiling(width="unit", block=3, smoothing=0)
    assert tiling.segment(TEXT, 3).positions.tolist() == [4, 8]
    assert tiling.segment(TEXT).positions.tolist() == [4, 8]
    assert len(TextTiling(width=5, block=3).segment(TEXT, 7)) == 7


@pytest.mark.parametrize("method", ["dcm", "u00"])
def test_open_number_of_segments_is_found(method: str) -> None:
    assert segmenter(method, penalty=1.0).segment(TEXT * 1).positions.tolist() == [4, 8]
    assert len(segmenter(method, mean_length=4).segment(TEXT)) == 3
    assert len(segmenter(method, density=2 / 11).segment(TEXT)) == 3


def test_tree_nests_levels() -> None:
    for order in ("top", "bottom", "joint"):
        tree = DCM().tree(TEXT, [2, 3], order=order)
        assert [s for s in tree.spans if s[2] == 2] == [(1, 4, 2), (5, 8, 2), (9, 12, 2)] or order == "top"
    assert C99().tree(TEXT, [1, 3]).spans[1:] == [(1, 4, 2), (5, 8, 2), (9, 12, 2)]
    assert len({s[2] for s in DCM(penalty=1.0).tree(TEXT, 2).spans}) == 2
    with pytest.raises(CaesuraError, match="from the coarsest to the finest"):
        DCM().tree(TEXT, [4, 2])
    with pytest.raises(CaesuraError, match="texttiling gives no nested segments"):
        TextTiling().tree(TEXT, [2, 3])


def test_joint_levels_have_the_least_cost() -> None:
    units = tuple(f"{a} {b}" for a, b in np.random.default_rng(1).choice(list("abcdefg"), (24, 2)))
    keep = DCM(tokens=str.split)

    def total(order: str) -> float:
        tree = keep.tree(units, [3, 7], order=order)
        ends = [[last for _, last, level in tree.spans if level == wanted][:-1] for wanted in (1, 2)]
        assert set(ends[0]) <= set(ends[1])
        return sum(keep.cost_of(units, e, len(e) + 1) for e in ends)

    assert total("joint") <= min(total("top"), total("bottom")) + 1e-9


def test_greedy_splits_find_the_topics() -> None:
    segmenter = U00(penalty=1.0)
    splits = split_greedily(segmenter.cost(tuple(TEXT), 12), segmenter._constraints(12), 3)
    assert sorted(s.position for s in splits) == [4, 8]
    assert U00(recursive=True).segment(TEXT, 3).positions.tolist() == [4, 8]


def test_random_boundaries_are_repeatable() -> None:
    assert Random(seed=1).segment(TEXT, 4) == Random(seed=1).segment(TEXT, 4)
    drawn = {tuple(Random(seed=s).segment(TEXT, 4).positions.tolist()) for s in range(20)}
    assert len(drawn) > 5
    assert all(len(d) == 3 for d in drawn)
    assert set(Random(sizes=[2, 3]).segment(TEXT).masses[:-1]) <= {2, 3}
    numbers = [len(Random(density=0.25, seed=s).segment(["x"] * 101)) - 1 for s in range(200)]
    assert np.mean(numbers) == pytest.approx(25, abs=3 * np.sqrt(100 * 0.25 * 0.75 / 200))
    with pytest.raises(CaesuraError, match="random needs a number of segments"):
        Random().segment(TEXT)


def test_random_boundaries_match_at_the_expected_rate() -> None:
    """5 positions drawn from 40, of which 8 match: the hypergeometric mean is 5 · 8 / 40; three standard errors of 2,000 draws."""
    right = set(range(3, 40, 5))
    draws = [Random(seed=s).segment(["x"] * 41, 6).positions.tolist() for s in range(2000)]
    matches = [len(right.intersection(draw)) for draw in draws]
    spread = np.sqrt(5 * (8 / 40) * (32 / 40) * (35 / 39))
    assert np.mean(matches) == pytest.approx(1.0, abs=3 * spread / np.sqrt(2000))


def test_human_returns_a_coders_boundaries() -> None:
    corpus = Corpus.from_annotations(
        Annotation("a", coder, Segmentation.from_masses(masses, units=TEXT))
        for coder, masses in (("x", [4, 8]), ("y", [6, 6]))
    )
    assert Human(corpus=corpus, coder="y").segment(TEXT).masses == [6, 6]
    assert {tuple(Human(corpus=corpus, seed=s).segment(TEXT).masses) for s in range(9)} == {(4, 8), (6, 6)}
    with pytest.raises(CaesuraError, match="no coder of the corpus"):
        Human(corpus=corpus).segment(["other"])


def test_segment_takes_a_corpus_and_a_file(tmp_path) -> None:
    corpus = Corpus.from_annotations([Annotation("a", "x", Segmentation.from_masses([12], units=TEXT))])
    assert cs.segment(corpus, "dcm", segments=3)["a", "dcm"].masses == [4, 4, 4]
    (tmp_path / "a.txt").write_text("\n".join(TEXT), encoding="utf-8")
    assert cs.segment(tmp_path / "a.txt", segments=3, unit="line").masses == [4, 4, 4]
    assert cs.segment(str(tmp_path / "a.txt"), "u00", segments=3, unit="line").units == tuple(TEXT)


def test_vectors_take_arrays_and_encoders() -> None:
    rows = np.repeat(np.eye(3), 4, axis=0) + np.random.default_rng(0).normal(0, 0.05, (12, 3))
    for objective in ("cvs", "l2", "cosine"):
        assert Vectors(objective=objective).segment(rows, 3).positions.tolist() == [4, 8]
    assert Vectors(expected=4).segment(rows).positions.tolist() == [4, 8]
    assert Vectors(encode=lambda units: rows).segment(TEXT, 3).units == tuple(TEXT)


def test_methods_that_need_a_number_raise_an_error() -> None:
    for method in ("mincut", "aps"):
        with pytest.raises(CaesuraError, match="need"):
            segmenter(method).segment(TEXT)


def test_signature_names_parameters_that_are_not_defaults() -> None:
    assert DCM().signature.startswith("dcm|tok:plain|stop:en")
    assert "prior:0.3" in DCM(prior=0.3).signature
    assert U00(tokens="choi", stopwords={"a"}).signature.startswith("u00|tok:choi|stop:own1|stem:porter|v:")


COHESION = [0.5, 0.0, 1.0, -0.2, 0.25, 0.125]
EXPLAINED = Explanation(tuple("abcdefg"), [2, 5], None, None, [0.0, 1.0, 0.01, 0.0, 0.5, 0.0], COHESION, "x")


def test_chart_aligns_bars_with_boundaries() -> None:
    assert str(GapChart(EXPLAINED)).splitlines() == [
        "position       5",
        "posterior   █  ▄",
        "cohesion   ▄ █ ▂▁",
        "boundary   ·┃··┃·",
        "bars from 0 to 1",
    ]


def test_chart_of_a_long_text_has_several_blocks() -> None:
    long = Explanation(tuple("a" * 26), [12], None, None, None, [0.5] * 25, "x")
    lines = GapChart(long).terminal(21).plain.splitlines()
    assert [line for line in lines if "boundary" in line] == [
        f"boundary   {marks}" for marks in ("·" * 10, "·┃" + "·" * 8, "·" * 5)
    ]
    assert not any("posterior" in line for line in lines)


def test_chart_as_svg_has_tips() -> None:
    tips = [tip.text for tip in ET.fromstring(GapChart(EXPLAINED).svg()).iter("{http://www.w3.org/2000/svg}title")]
    assert {"posterior after unit 2: 1.000", "cohesion after unit 6: 0.125", "after unit 5: f"} <= set(tips)


def test_c99_smooths_gains_by_the_published_weights() -> None:
    """Worked by hand: 1 2 4 8 4 2 1, divided by the weights inside the list; splits before the first at or below mean + deviations."""
    gains = np.array([9.0, 1.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    weights = {0: 8, 1: 4, 2: 2, 3: 1}
    smoothed = []
    for i in range(len(gains)):
        near = [(weights[abs(i - j)], gains[j]) for j in range(len(gains)) if abs(i - j) <= 3]
        smoothed.append(sum(w * g for w, g in near) / sum(w for w, _ in near))
    for threshold in (-0.5, 0.0, 0.5, 1.2):
        limit = np.mean(smoothed) + threshold * np.std(smoothed)
        expected = next((i for i, value in enumerate(smoothed) if value <= limit), len(gains))
        assert C99(threshold=threshold)._count_splits(gains) == expected
    assert C99(threshold=0.5)._count_splits(gains) == 3, "without smoothing the second gain would end it"


def test_c99_ranks_by_the_given_mask() -> None:
    cosine = np.random.default_rng(0).random((9, 9)).astype(np.float32)
    cosine = (cosine + cosine.T) / 2
    for reach in (1, 2, 5):
        ranks = rank(cosine, reach)
        for i, j in ((0, 0), (4, 4), (2, 7), (8, 3)):
            near = cosine[max(0, i - reach) : i + reach + 1, max(0, j - reach) : j + reach + 1]
            assert ranks[i, j] == pytest.approx((near < cosine[i, j]).sum() / (near.size - 1), abs=1e-6)
    random = np.random.default_rng(2)
    text = tuple(" ".join(random.choice(list("abcdefghklmnopqrst"), 6)) for _ in range(40))
    found = {tuple(C99(mask=mask, language="none").segment(text, 6).positions.tolist()) for mask in (3, 7, 15)}
    assert len(found) > 1
