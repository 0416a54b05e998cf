"""Simulated annotators with a known truth: for planning, and to see when a method fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.annotators.territory import Floats
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.validation import validate_integer, validate_range


@dataclass(frozen=True)
class SimulatedAnnotator:
    """The true rates of a simulated annotator.

    Attributes
    ----------
    hit_rate, false_alarm_rate : float
        As in :class:`~caesura.annotators.profiles.AnnotatorProfile`.
    displacement : tuple of float
        The probability of each displacement.
    """

    hit_rate: float
    false_alarm_rate: float
    displacement: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Simulation:
    """Annotations with their truth.

    Attributes
    ----------
    corpus : Corpus
        The annotations.
    truth : Corpus
        The true boundaries, by the coder "truth".
    annotators : mapping of str to SimulatedAnnotator
        The true rates.
    """

    corpus: Corpus
    truth: Corpus
    annotators: Mapping[str, SimulatedAnnotator]


def simulate_annotators(
    annotators: int = 5,
    items: int = 20,
    units: int = 201,
    *,
    n_t: int = 2,
    segment: float = 10.0,
    spammers: int = 1,
    copiers: int = 0,
    late: float = 0.0,
    hard: float = 0.0,
    seed: int = 0,
) -> Simulation:
    """Draw texts and annotators with different hit rates (0.5 to 0.95), false alarms (0.002 to 0.03) and displacements.

    Segments have negative binomial lengths. Displacements ignore neighbouring boundaries, so that the territory model is slightly wrong.

    Parameters
    ----------
    annotators : int, default 5
        The number of annotators.
    items, units : int, default 20 and 201
        The number of texts, and their length.
    n_t : int, default 2
        Marks are at most n_t - 1 units away from the true boundary.
    segment : float, default 10
        The mean length of a segment.
    spammers : int, default 1
        How many of the annotators mark gaps at random, at the density of true boundaries.
    copiers : int, default 0
        How many of them copy from the first annotator, except for one mark in ten.
    late : float, default 0
        The probability that all annotators see a boundary one unit too late.
    hard : float, default 0
        The share of items on which everyone's hit rate is a third of the usual.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> simulation = simulate_annotators(3, items=2, seed=1)
    >>> simulation.corpus
    Corpus(2 items × 3 coders, 6 annotations of units)
    >>> round(simulation.annotators["c3"].hit_rate, 2)  # the spammer
    0.0
    """
    validate_integer("annotators", annotators, 1)
    validate_integer("n_t", n_t, 1, most=21)
    validate_range("hard", hard, 0, 1)
    validate_range("late", late, 0, 1)
    if spammers + copiers > annotators:
        raise CaesuraError(f"{spammers} spammers and {copiers} copiers are more than {annotators} annotators.")
    rng, reach = np.random.default_rng([seed, 36]), n_t - 1
    rates = [_draw_rates(rng, reach) for _ in range(annotators)]
    for j in range(annotators - spammers, annotators):
        rates[j] = SimulatedAnnotator(0.0, 1 / segment, rates[j].displacement)
    names = [f"c{j + 1}" for j in range(annotators)]
    copying = set(names[1 : 1 + copiers])
    rows, true = [], []
    for number in range(items):
        item, gaps = f"text {number + 1}", units - 1
        places = _true_places(rng, gaps, segment)
        true.append(Annotation(item, "truth", Segmentation(units, places + 1)))
        seen = places + (rng.random(len(places)) < late) if late else places
        seen = np.unique(seen[seen < gaps])
        factor = 1 / 3 if rng.random() < hard else 1.0
        first: NDArray[np.int64] | None = None
        for name, own in zip(names, rates, strict=True):
            marks = mark_places(
                rng, seen, gaps, factor * own.hit_rate, own.false_alarm_rate, np.array(own.displacement)
            )
            if name in copying and first is not None:
                kept = first[rng.random(len(first)) < 0.9]
                marks = np.unique(np.concatenate((kept, marks[rng.random(len(marks)) < 0.1])))
            first = marks if first is None else first
            rows.append(Annotation(item, name, Segmentation(units, marks + 1)))
    known = dict(zip(names, rates, strict=True))
    return Simulation(Corpus.from_annotations(rows), Corpus.from_annotations(true), known)


def _draw_rates(rng: np.random.Generator, reach: int) -> SimulatedAnnotator:
    hit, false_alarm, exact = rng.uniform(0.5, 0.95), rng.uniform(0.002, 0.03), rng.uniform(0.4, 0.95)
    away = np.abs(np.arange(-reach, reach + 1))
    tail = np.where(away > 0, 0.5**away, 0.0)
    displacement = np.where(away == 0, exact, (1 - exact) * tail / max(tail.sum(), 1e-12))
    return SimulatedAnnotator(float(hit), float(false_alarm), tuple((displacement / displacement.sum()).tolist()))


def _true_places(rng: np.random.Generator, gaps: int, segment: float, shape: float = 2.0) -> NDArray[np.int64]:
    """Draw boundaries with negative binomial distances."""
    number = int(3 * gaps / segment) + 10
    steps = 1 + rng.poisson(rng.gamma(shape, (segment - 1) / shape, number))
    places = np.cumsum(steps) - 1
    return places[places < gaps].astype(np.int64)


def mark_places(
    rng: np.random.Generator, places: NDArray[np.int64], gaps: int, hit: float, false_alarm: float, displacement: Floats
) -> NDArray[np.int64]:
    """Draw the marks of one annotator: hits that are displaced freely, and false alarms."""
    reach = len(displacement) // 2
    answered = places[rng.random(len(places)) < hit]
    moved = answered + rng.choice(np.arange(-reach, reach + 1), size=len(answered), p=displacement)
    marks = np.concatenate((moved[(moved >= 0) & (moved < gaps)], np.flatnonzero(rng.random(gaps) < false_alarm)))
    return np.unique(marks).astype(np.int64)


def draw_like(
    rng: np.random.Generator, gaps: Sequence[int], rate: float, rates: Sequence[SimulatedAnnotator]
) -> tuple[Corpus, Corpus]:
    """Draw texts with these numbers of gaps, boundaries at a rate per gap, and marks of annotators with these rates; also the truth."""
    rows, true = [], []
    for number, size in enumerate(gaps):
        places = np.flatnonzero(rng.random(size) < rate)
        item = str(number)
        true.append(Annotation(item, "truth", Segmentation(size + 1, places + 1)))
        for j, own in enumerate(rates):
            marks = mark_places(rng, places, size, own.hit_rate, own.false_alarm_rate, np.array(own.displacement))
            rows.append(Annotation(item, f"c{j + 1}", Segmentation(size + 1, marks + 1)))
    return Corpus.from_annotations(rows), Corpus.from_annotations(true)
