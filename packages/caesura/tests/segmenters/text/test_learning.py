"""Fitting, the supervised segmenter, EM, streams, saving and loading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.segmenters.text import C99, DCM, U00, Supervised, TextTiling, load
from caesura.segmenters.text.supervised import (
    SegmentedText,
    calibration_error,
    choose_candidate,
    fit_logistic,
    segmented_texts,
)

TOPICS = [["ship", "sea", "sail", "storm"], ["bread", "flour", "oven", "yeast"], ["judge", "court", "jury", "law"]]


def topical_text(seed: int, size: int = 5, topics: int = 6) -> Segmentation:
    """Return a text that changes its topic every few units."""
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
def test_fitted_penalty_works_on_other_texts(start) -> None:
    learned = start.fit(CORPUS, metric="B")
    assert mean_b(start) < 0.1
    assert mean_b(learned) > 0.7
    assert "log N" in learned.penalty
    counts = start.fit(CORPUS, metric=None)
    numbers = [len(counts.segment(m.units)) for m in OTHER]
    assert np.mean(numbers) == pytest.approx(6, abs=1.5)


def test_fit_improves_other_methods() -> None:
    assert mean_b(C99(threshold=9.0).fit(CORPUS)) > mean_b(C99(threshold=9.0))
    with pytest.raises(CaesuraError, match="this corpus has no texts"):
        DCM().fit(Corpus.from_dict({"a": {"x": [2, 3]}}))


def test_fitted_temperature_is_higher_for_random_references() -> None:
    """If coders place boundaries at random, posteriors must approach the base rate."""
    random = np.random.default_rng(0)
    careless = Corpus.from_annotations(
        Annotation(a.item, "x", Segmentation(a.marks.length, np.sort(random.choice(a.marks.length - 1, 5, False) + 1), units=a.marks.units))
        for a in CORPUS
    )  # fmt: skip
    assert DCM(penalty=3.0).fit(careless, None).temperature > DCM(penalty=3.0).fit(CORPUS, None).temperature


def test_calibration_error_compares_predicted_and_observed_frequency() -> None:
    assert calibration_error(np.array([0.95, 0.95, 0.05, 0.05]), np.array([True, True, False, False])) == pytest.approx(
        0.05
    )
    assert calibration_error(np.array([0.5, 0.5]), np.array([True, False])) == 0.0
    example = segmented_texts(CORPUS)[0]
    assert isinstance(example, SegmentedText)
    assert example.boundaries.sum() == 5


@pytest.mark.parametrize("segmenter", [DCM(vocabulary=40, penalty=2.0), U00(penalty=3.0)])
def test_stream_equals_the_whole_text(segmenter) -> None:
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


def test_empty_and_finished_streams() -> None:
    stream = DCM().stream()
    assert stream.finish() == []
    with pytest.raises(CaesuraError, match="this stream is finished"):
        stream.push("more")
    with pytest.raises(CaesuraError, match="cannot segment a stream"):
        C99().stream()


def test_segmenter_survives_saving_and_loading(tmp_path: Path) -> None:
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
    with pytest.raises(CaesuraError, match="not a saved segmenter"):
        load(tmp_path / "x.json")


def text_with_cues(seed: int) -> Segmentation:
    """Return a text in which only the first word of a segment is informative."""
    random = np.random.default_rng(seed)
    masses = random.integers(2, 7, 8)
    units = []
    for mass in masses.tolist():
        for place in range(mass):
            words = random.choice(["stone", "river", "cloud", "tree", "bird", "grass"], 4)
            units.append(" ".join(["next" if place == 0 else "and", *words]))
    return Segmentation.from_masses(masses.tolist(), units=units)


def test_supervised_learns_cue_words(tmp_path: Path) -> None:
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

    learned = Supervised().fit(corpus)
    assert score(DCM(), True) < 0.6
    assert score(learned, True) > 0.95
    assert score(learned, False) > 0.9
    marks = SegmentedText(other[0].units, other[0]).boundaries
    assert calibration_error(np.array(learned.explain(other[0].units).posterior), marks) < 0.1
    learned.save(tmp_path / "learned.json")
    assert load(tmp_path / "learned.json").segment(other[0].units) == learned.segment(other[0].units)
    assert learned.segment(other[0].units, forced=[1]).positions[0] == 1
    with pytest.raises(CaesuraError, match="has not been fitted"):
        Supervised().segment(other[0].units)


def test_logistic_regression_reaches_the_maximum() -> None:
    """With features of very different scales, full Newton steps overshoot and diverge."""
    random = np.random.default_rng(0)
    rows, marks = random.lognormal(0, 2, (200, 100)), random.random(200) < 0.15
    coefficients = fit_logistic(rows, marks, ridge=3.0)
    design = np.column_stack((np.ones(200), rows))
    slope = design.T @ (marks - 1 / (1 + np.exp(-(design @ coefficients)))) - 3.0 * np.append(0, coefficients[1:])
    assert np.abs(slope).max() < 1e-5


def test_em_recovers_the_prior_of_simulated_texts() -> None:
    """Words are drawn from the model with prior 0.3; EM finds it from a distant start, and the dispersion of the lengths."""
    random = np.random.default_rng(5)
    texts, numbers = [], []
    for _ in range(30):
        masses = 1 + random.poisson(9, 6)
        words = [[f"w{w}" for w in random.choice(40, 12, p=share)] for mass in masses for share in [random.dirichlet(np.full(40, 0.3))] for _ in range(mass)]  # fmt: skip
        texts.append(tuple(map(" ".join, words)))
        numbers.append(len(masses))
    start = DCM(tokens=str.split, vocabulary=40, prior=5.0, duration="mean")
    learned = start.estimate(texts, numbers)
    assert learned.prior == pytest.approx(0.3, rel=0.15)
    mean, dispersion = learned.duration
    assert mean == "mean"
    assert dispersion > 3.0  # lengths of little more variance than Poisson's
    alone = DCM(tokens=str.split, vocabulary=40, prior=5.0, duration="mean", em=True)
    assert alone.segment(texts[0], numbers[0]) == start.estimate(texts[:1], numbers[0]).segment(texts[0], numbers[0])
    with pytest.raises(CaesuraError, match="2 texts were given with 1 numbers"):
        start.estimate(texts[:2], [3])


def test_duration_mean_is_the_mean_of_the_text() -> None:
    units = OTHER[0].units
    by_hand = DCM(duration=(len(units) / 4, 7.0)).segment(units, 4)
    assert DCM(duration=("mean", 7.0)).segment(units, 4) == by_hand
    with pytest.raises(CaesuraError, match="needs the number of segments; give segments=, or a mean length"):
        DCM(duration="mean").segment(units)
    with pytest.raises(CaesuraError, match="em needs the whole text"):
        DCM(em=True).stream()
    with pytest.raises(CaesuraError, match="expected a mean length in units"):
        DCM(duration="long")


def test_choose_candidate_avoids_no_and_too_many_boundaries() -> None:
    """Ten texts of ten gaps, one boundary each: no boundary scores as well by WD as one that is slightly off."""
    references = [Segmentation(11, [5])] * 10
    nothing, near, every = Segmentation(11, []), Segmentation(11, [6]), Segmentation(11, list(range(1, 11)))
    mixed = [near] * 5 + [Segmentation(11, [1])] * 5
    assert choose_candidate(references, [[nothing] * 10, mixed, [every] * 10], "WD") == 1
    assert choose_candidate(references, [[nothing] * 10, [every] * 10], "WD") == 0
    assert choose_candidate(references, [[every] * 10, [nothing] * 10, mixed], None) == 2
    assert choose_candidate(references, [references, mixed], "B") == 0
