"""What is known about annotators and about the gold standard: profiles, gold marks, disputed places, dependence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.annotators.estimates import Estimate, Estimates
from caesura.display.plain import to_plain

#: An annotator is informative if the lower 5 % bound of the hit rate is above this.
INFORMATIVE = 0.2
#: Annotators whose joint misses exceed the expected number by this factor depend on each other …
DEPENDENT = 2.0
#: … if there are at least this many.
JOINT_MISSES = 10


@dataclass(frozen=True, eq=False)
class AnnotatorProfile:
    """What the model says about one annotator.

    Attributes
    ----------
    name : str
        The annotator.
    items, marks : int
        How many items they annotated, and how many marks they made.
    hit_rate : Estimate
        The probability of answering a true boundary or span (a true label: of giving it).
    false_alarm_rate : Estimate
        The probability of marking a gap that nothing accounts for; per second in recordings, per unit for spans; NaN for labels.
    displacement : Estimates or None
        The probability of each displacement of an answer; of starts for spans. None for labels.
    offsets : tuple of float
        The displacements, in units or seconds.
    bias, spread : float
        The mean and the standard deviation of the displacement, in units or seconds.
    confusion : Estimates or None
        ``confusion[true, given]``: the probability of each type or label given the true one; None if there is only one.
    labels : tuple
        The types or labels of ``confusion``.
    informative : bool
        Whether the lower 5 % bound of the hit rate is above 0.2.
    notes : tuple of str
        Such as "marks everything".
    end_displacement : Estimates or None
        For spans, the displacement of ends.
    """

    name: str
    items: int
    marks: int
    hit_rate: Estimate
    false_alarm_rate: Estimate
    displacement: Estimates | None = None
    offsets: tuple[float, ...] = ()
    confusion: Estimates | None = None
    labels: tuple[Any, ...] = ()
    informative: bool = True
    notes: tuple[str, ...] = ()
    end_displacement: Estimates | None = None

    @property
    def bias(self) -> float:
        """The mean displacement; positive if marks come late."""
        return float("nan") if self.displacement is None else float(np.dot(self.offsets, self.displacement.values))

    @property
    def spread(self) -> float:
        """The standard deviation of the displacement."""
        if self.displacement is None:
            return float("nan")
        away = np.asarray(self.offsets) - self.bias
        return float(np.sqrt(np.dot(away**2, self.displacement.values)))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        arrays = {
            name: None if each is None else {"values": each.values.tolist(), "interval": each.interval}
            for name, each in (("displacement", self.displacement), ("confusion", self.confusion))
        }
        data = {
            "items": self.items,
            "marks": self.marks,
            "hit_rate": {"value": float(self.hit_rate), "interval": self.hit_rate.interval},
            "false_alarm_rate": {"value": float(self.false_alarm_rate), "interval": self.false_alarm_rate.interval},
            "offsets": list(self.offsets),
            "bias": self.bias,
            "spread": self.spread,
            "labels": list(self.labels),
            "informative": self.informative,
            "notes": list(self.notes),
            **arrays,
        }
        if self.end_displacement is not None:
            data["end_displacement"] = {"values": self.end_displacement.values.tolist(), "interval": None}
        plain: dict[str, Any] = to_plain(data)
        return plain


@dataclass(frozen=True)
class GoldMark:
    """A boundary, span or label of the gold standard with its probabilities.

    Attributes
    ----------
    position : float
        After unit ``position``; the start of a span; the number of a unit; or a time in seconds.
    type : str, int or None
        Its type or label.
    probability : float
        The posterior of exactly this mark.
    nearby : float
        The posterior of a boundary at most w gaps away; for a span, of any span of its cluster.
    voters : mapping of str to float
        Who marked it, with the displacement of their marks.
    end : float or None
        The end of a span.
    """

    position: float
    type: str | int | None
    probability: float
    nearby: float
    voters: Mapping[str, float] = field(default_factory=dict)
    end: float | None = None

    def __str__(self) -> str:
        kind = "" if self.type is None else f" ({self.type})"
        if self.end is not None:
            return f"{self.position:g}–{self.end:g}{kind}"
        return f"{f'at {self.position:.3f} s' if isinstance(self.position, float) else f'after unit {self.position}'}{kind}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = to_plain(vars(self))
        return data


@dataclass(frozen=True)
class Dispute:
    """A place whose settling would improve the gold standard.

    Attributes
    ----------
    item, track : str
        Where it is.
    position : float
        The most probable gap, start of a span, or unit.
    in_gold : bool
        Whether the gold standard has it.
    probability, nearby : float
        As in :class:`GoldMark`.
    gain : float
        The expected gain of the self-assessed F if someone settled it.
    voters : tuple of str
        Who marked it.
    """

    item: str
    track: str
    position: float
    in_gold: bool
    probability: float
    nearby: float
    gain: float
    voters: tuple[str, ...]


@dataclass(frozen=True)
class Dependence:
    """Two annotators who miss the same boundaries more often than the model expects."""

    first: str
    second: str
    observed: int
    expected: float

    @property
    def ratio(self) -> float:
        """Observed joint misses over expected ones."""
        return self.observed / self.expected if self.expected > 0 else float("inf")

    @property
    def flagged(self) -> bool:
        """Whether the ratio is above 2 with at least 10 joint misses."""
        return self.observed >= JOINT_MISSES and self.ratio > DEPENDENT


def expected_f(gold: Sequence[float], everything: float) -> float:
    """Return the self-assessed F: 2 Σ posterior of the gold marks / (number of gold marks + expected number of true ones).

    >>> expected_f([1.0, 0.5], 2.0)
    0.75
    """
    total = len(gold) + everything
    return 2 * float(sum(gold)) / total if total > 0 else float("nan")


def gain_of_settling(
    hits: float, size: float, everything: float, *, probability: float, nearby: float, in_gold: bool
) -> float:
    """Return how much the self-assessed F is expected to gain if someone settles one place.

    A gold mark turns out right with ``probability``, belongs elsewhere nearby with ``nearby - probability`` and is corrected, or is removed. A
    place without a gold mark gets one with probability ``nearby``.
    """
    before = 2 * hits / max(size + everything, 1e-12)
    if in_gold:
        elsewhere = max(nearby - probability, 0.0)
        after = 2 * (hits + elsewhere) / max(size - max(1 - nearby, 0.0) + everything, 1e-12)
    else:
        after = 2 * (hits + nearby) / max(size + nearby + everything, 1e-12)
    return after - before
