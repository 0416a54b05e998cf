"""Learning the number of segments, streams, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.segmenters.text import C99, DCM, U00, Supervised, TextTiling, load
from caesura.segmenters.text.fitting import Example, calibration_error, choose_number, examples_of
from caesura.segmenters.text.supervised import fit_logistic

TOPICS = [["ship", "sea", "sail", "storm"], ["bread", "flour", "oven", "yeast"], ["judge", "court", "jury", "law"]]


def topical_text(seed: int, size: int = 5, topics: int = 6) -> Segmentation:
    """A text that changes its topic every few units."""
    random = np.random.default_rng(seed)
    masses = random.integers(size - 2, size + 3, topics)
    units = [" ".join(random.choice(TOPICS[t % 3], 4)) for t, mass in enumerate(masses) for _ in range(mass)]
    return Segmentation.from_masses(masses.tolist(), units=units)


CORPUS = Corpus.from_annotations(Annotation(f"t{i}", "gold", topical_text(i)) for i in range(4))
OTHER = [topical_text(i) for i in range(10, 16)]


def mean_b(segmenter) -> float:
    return float(
        np.mean(
            [cs.boundary_similarity(m.with_units(None), segmenter.segment(m.units).with_units(None)) for m in OTHER]
        )
    )


@pytest.mark.parametrize("start", [DCM(penalty=30.0), U00(penalty=40.0)])
def test_a_learnt_penalty_serves_other_texts(start) -> None:
    learnt = start.fit(CORPUS, metric="B")
    assert mean_b(start) < 0.1
    assert mean_b(learnt) > 0.7
    assert "log N" in learnt.penalty
    counts = start.fit(CORPUS, metric=None)
    numbers = [len(counts.segment(m.units)) for m in OTHER]
    assert np.mean(numbers) == pytest.approx(6, abs=1.5)


def test_other_methods_learn_too() -> None:
    assert mean_b(C99(threshold=9.0).fit(CORPUS)) > mean_b(C99(threshold=9.0))
    with pytest.raises(CaesuraError, match="carries no texts"):
        DCM().fit(Corpus.from_dict({"a": {"x": [2, 3]}}))


def test_the_temperature_follows_what_is_certain() -> None:
    """Where coders draw boundaries at random, posteriors must cool down to the base rate."""
    random = np.random.default_rng(0)
    careless = Corpus.from_annotations(
        Annotation(a.item, "x", Segmentation(a.marks.length, np.sort(random.choice(a.marks.length - 1, 5, False) + 1), units=a.marks.units))
        for a in CORPUS
    )  # fmt: skip
    assert DCM(penalty=3.0).fit(careless, None).temperature > DCM(penalty=3.0).fit(CORPUS, None).temperature


def test_calibration_error() -> None:
    assert calibration_error(np.array([0.95, 0.95, 0.05, 0.05]), np.array([True, True, False, False])) == pytest.approx(
        0.05
    )
    assert calibration_error(np.array([0.5, 0.5]), np.array([True, False])) == 0.0
    example = examples_of(CORPUS)[0]
    assert isinstance(example, Example)
    assert example.marks.sum() == 5


@pytest.mark.parametrize("segmenter", [DCM(vocabulary=40, penalty=2.0), U00(penalty=3.0)])
def test_a_stream_gives_what_the_whole_text_gives(segmenter) -> None:
    for marks in OTHER:
        whole = segmenter.with_parameters(max_length=9).segment(marks.units).positions.tolist()
        stream = segmenter.stream(max_length=9)
        reported = [p for unit in marks.units for p in stream.push(unit)]
        assert reported, "some boundaries are final before the end"
        if isinstance(segmenter, DCM):
            assert [*reported, *stream.finish()] == whole == stream.final
        all_at_once = segmenter.stream(max_length=len(marks.units))
        assert not [p for unit in marks.units for p in all_at_once.push(unit)]
        assert all_at_once.finish() == segmenter.segment(marks.units).positions.tolist()


def test_streams_of_nothing_and_after_the_end() -> None:
    stream = DCM().stream()
    assert stream.finish() == []
    with pytest.raises(CaesuraError, match="this stream is finished"):
        stream.push("more")
    with pytest.raises(CaesuraError, match="cannot segment a stream"):
        C99().stream()


def test_saved_and_loaded(tmp_path: Path) -> None:
    for segmenter in (
        DCM(prior=0.3, penalty="2 log N", stopwords={"b", "a"}, duration=(4.0, 2.0)),
        C99(mask=5),
        TextTiling(block=3),
    ):
        segmenter.save(tmp_path / "s.json")
        again = load(tmp_path / "s.json")
        assert type(again) is type(segmenter)
        assert again.signature == segmenter.signature
        assert again.segment(OTHER[0].units) == segmenter.segment(OTHER[0].units)
    with pytest.raises(CaesuraError, match="tokens is a function"):
        DCM(tokens=str.split).save(tmp_path / "s.json")
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(CaesuraError, match="this is no saved segmenter"):
        load(tmp_path / "x.json")


def text_with_cues(seed: int) -> Segmentation:
    """A text whose words say nothing but for the one that opens a segment."""
    random = np.random.default_rng(seed)
    masses = random.integers(2, 7, 8)
    units = []
    for mass in masses.tolist():
        for place in range(mass):
            words = random.choice(["stone", "river", "cloud", "tree", "bird", "grass"], 4)
            units.append(" ".join(["next" if place == 0 else "and", *words]))
    return Segmentation.from_masses(masses.tolist(), units=units)


def test_supervised_learns_what_opens_a_segment(tmp_path: Path) -> None:
    corpus = Corpus.from_annotations(Annotation(f"t{i}", "gold", text_with_cues(i)) for i in range(8))
    other = [text_with_cues(i) for i in range(20, 26)]

    def score(segmenter, known: bool) -> float:
        return float(
            np.mean(
                [
                    cs.boundary_similarity(m.with_units(None), segmenter.segment(m.units, len(m) if known else None).with_units(None))
                    for m in other
                ]
            )
        )  # fmt: skip

    learnt = Supervised().fit(corpus)
    assert score(DCM(), True) < 0.6
    assert score(learnt, True) > 0.95
    assert score(learnt, False) > 0.9
    marks = Example(other[0].units, other[0]).marks
    assert calibration_error(np.array(learnt.explain(other[0].units).posterior), marks) < 0.1
    learnt.save(tmp_path / "learnt.json")
    assert load(tmp_path / "learnt.json").segment(other[0].units) == learnt.segment(other[0].units)
    assert learnt.segment(other[0].units, forced=[1]).positions[0] == 1
    with pytest.raises(CaesuraError, match="has learnt nothing yet"):
        Supervised().segment(other[0].units)


def test_the_regression_ends_at_the_top() -> None:
    """Features of very different sizes: whole steps of Newton's method overshoot, and never come back."""
    random = np.random.default_rng(0)
    rows, marks = random.lognormal(0, 2, (200, 100)), random.random(200) < 0.15
    coefficients = fit_logistic(rows, marks, ridge=3.0)
    design = np.column_stack((np.ones(200), rows))
    slope = design.T @ (marks - 1 / (1 + np.exp(-(design @ coefficients)))) - 3.0 * np.append(0, coefficients[1:])
    assert np.abs(slope).max() < 1e-5


def test_em_finds_the_prior_that_made_the_texts() -> None:
    """Words drawn segment by segment from the model with prior 0.3: EM comes back to it from far away, and lengths to their dispersion."""
    random = np.random.default_rng(5)
    texts, numbers = [], []
    for _ in range(30):
        masses = 1 + random.poisson(9, 6)
        words = [[f"w{w}" for w in random.choice(40, 12, p=share)] for mass in masses for share in [random.dirichlet(np.full(40, 0.3))] for _ in range(mass)]  # fmt: skip
        texts.append(tuple(map(" ".join, words)))
        numbers.append(len(masses))
    start = DCM(tokens=str.split, vocabulary=40, prior=5.0, duration="mean")
    learnt = start.estimate(texts, numbers)
    assert learnt.prior == pytest.approx(0.3, rel=0.15)
    mean, dispersion = learnt.duration
    assert mean == "mean"
    assert dispersion > 3.0  # lengths of little more variance than Poisson's
    alone = DCM(tokens=str.split, vocabulary=40, prior=5.0, duration="mean", em=True)
    assert alone.segment(texts[0], numbers[0]) == start.estimate(texts[:1], numbers[0]).segment(texts[0], numbers[0])
    with pytest.raises(CaesuraError, match="2 texts and 1 numbers"):
        start.estimate(texts[:2], [3])


def test_durations_by_the_mean_of_the_text() -> None:
    units = OTHER[0].units
    by_hand = DCM(duration=(len(units) / 4, 7.0)).segment(units, 4)
    assert DCM(duration=("mean", 7.0)).segment(units, 4) == by_hand
    with pytest.raises(CaesuraError, match="give their number, or a mean length"):
        DCM(duration="mean").segment(units)
    with pytest.raises(CaesuraError, match="em looks at the whole text"):
        DCM(em=True).stream()
    with pytest.raises(CaesuraError, match="expected a mean length in units"):
        DCM(duration="long")


def test_a_number_is_learnt_that_is_neither_none_nor_too_many() -> None:
    """Ten texts of ten places, one boundary each: nothing placed scores as well by WD as one boundary a little off."""
    references = [Segmentation(11, [5])] * 10
    nothing, near, every = Segmentation(11, []), Segmentation(11, [6]), Segmentation(11, list(range(1, 11)))
    mixed = [near] * 5 + [Segmentation(11, [1])] * 5
    assert choose_number(references, [[nothing] * 10, mixed, [every] * 10], "WD") == 1
    assert choose_number(references, [[nothing] * 10, [every] * 10], "WD") == 0
    assert choose_number(references, [[every] * 10, [nothing] * 10, mixed], None) == 2
    assert choose_number(references, [references, mixed], "B") == 0
