"""Chance-corrected agreement among any number of coders, with partial credit for near misses (Fournier 2013, section 3.4).

.. math:: \\kappa, \\pi, \\kappa^*, \\pi^* = \\frac{A_a - A_e}{1 - A_e}

A_a is the micro average of the pairwise measure (B by default): the pooled rows of all pairs of coders and all items. A_e is
what coders would agree on who placed boundaries blindly at the rate seen: π lets all coders share one rate (density), κ gives
each their own. A density is the number of boundaries over that of potential boundaries (places times types).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.coding import Coding
from caesura.agreement.places import Decisions, krippendorff, majority
from caesura.agreement.result import Agreement
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Metric, metric
from caesura.metrics.base import ratio
from caesura.model import Corpus
from caesura.model.corpus import expected_corpus
from caesura.words import check_whole

__all__ = ["COEFFICIENTS", "Coefficient", "Density", "agreement", "observed_and_expected"]

Coefficient: TypeAlias = Literal["pi", "kappa", "bennett", "bias", "percentage", "alpha", "majority"]
#: How a density is found: boundaries pooled over annotations, the mean of the annotations' densities, or segments pooled
#: instead of boundaries (the program of 2013).
Density: TypeAlias = Literal["pooled", "mean", "segments"]

#: What each coefficient is called: for two coders, and for any number.
COEFFICIENTS: dict[str, tuple[str, str]] = {
    "pi": ("Scott's π", "Fleiss' multi-π"),
    "kappa": ("Cohen's κ", "Davies & Fleiss' multi-κ"),
    "bennett": ("Bennett's S", "Bennett's S"),
    "bias": ("annotator bias", "annotator bias"),
    "percentage": ("agreement observed", "agreement observed"),
    "alpha": ("Krippendorff's α on boundaries", "Krippendorff's α on boundaries"),
    "majority": ("agreement with the majority", "agreement with the majority"),
}


def agreement(
    corpus: Corpus,
    metric: str | Metric = "B",
    coefficient: Coefficient = "pi",
    density: Density = "pooled",
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Agreement of all coders of a corpus beyond chance.

    Items may have different coders, and coders may have missed items: every two annotations of one text are a pair, and a
    coder's density is taken over what that coder annotated.

    Parameters
    ----------
    metric
        The pairwise measure: any symmetric one that runs from 0 to 1, by name (``"B:n_t=3"``) or made. "S" by name alone has
        scaled weights, as in the paper's section on agreement.
    coefficient
        "pi" (Scott's π; Fleiss' multi-π), "kappa" (Cohen's κ; Davies & Fleiss' multi-κ), "bennett" (density one half), "bias"
        (Artstein & Poesio: A_e of π less A_e of κ), "percentage" (A_a uncorrected), and for comparison, without partial
        credit: "alpha" (Krippendorff's α on boundaries) and "majority" (Gale et al. 1992).
    density
        "pooled" (boundaries over places, all annotations together), "mean" (the mean of the annotations' densities), or
        "segments" (segments counted for boundaries, as the program of 2013 did).
    resamples, level, seed
        Of a percentile bootstrap over items; no interval is made with 0 resamples, or from a single item.

    Returns
    -------
    Agreement
        With ``details``: "matrix" (coder by coder, observed), "leave_one_out", "per_item", "frequency" (of texts; figure 11) and more.

    Examples
    --------
    >>> from caesura import samples
    >>> round(agreement(samples.load("stargazer"), density="segments").value, 4)
    0.4405
    >>> round(agreement(samples.load("stargazer"), "S:weights=scaled").value, 4)
    0.7667
    """
    if coefficient not in COEFFICIENTS:
        raise UnknownName("coefficient", str(coefficient), list(COEFFICIENTS))
    if density not in get_args(Density):
        raise CaesuraError(f"density is {density!r}; expected 'pooled', 'mean' or 'segments'.")
    draws = _Draws(resamples, level, seed)
    made = _made(metric)
    expected_corpus(corpus, "what coders agree on")
    coding = Coding.of(corpus, made)
    if corpus.kind != "units" and coefficient != "percentage":
        raise CaesuraError(
            f"{COEFFICIENTS[coefficient][1]} counts places where a boundary might be, which {corpus.kind} annotations do not "
            "have; coefficient='percentage' says how much coders agree without correcting for chance."
        )
    if coefficient in _PLACED:
        return _by_places(corpus, coding, coefficient, draws)
    observed, expected = observed_and_expected(coding, coefficient, density)
    drawn = draws.weights(coding)
    return Agreement(
        coefficient=coefficient,
        observed=observed,
        expected=expected,
        signature=_signature(coefficient, made, density),
        formula=_FORMULAS.get(coefficient, "ratio"),
        interval=None if drawn is None else draws.interval(_resampled(coding, coefficient, density, drawn)),
        details=_details(coding, coefficient, density),
    )


_FORMULAS: dict[str, Literal["ratio", "difference", "observed"]] = {"bias": "difference", "percentage": "observed"}


def _made(name: str | Metric) -> Metric:
    """Make the measure. Plain "S" is the scaled S of the paper's section 5, where it was used for agreement; "S:weights=unit" is the other."""
    if isinstance(name, Metric):
        return name
    return metric(name, weights="scaled") if name == "S" else metric(name)


def _signature(coefficient: str, made: Metric, density: str | None) -> str:
    inner = made.signature.split("|")[:-1]
    parts = [coefficient, *inner, *([] if density is None else [f"density:{density}"]), f"v:{__version__}"]
    return "|".join(parts)


def observed_and_expected(coding: Coding, coefficient: str, density: Density) -> tuple[float, float]:
    """Return A_a and A_e of a coefficient; of "bias", the two A_e it is the difference of."""
    if not len(coding.rows):
        return float("nan"), float("nan")
    everything = np.ones((1, len(coding.items)))
    if coefficient == "bias":
        pi, kappa = (float(_expected(coding, name, density, everything)[0]) for name in ("pi", "kappa"))
        return pi, kappa
    return coding.observed(), float(_expected(coding, coefficient, density, everything)[0])


def _expected(coding: Coding, coefficient: str, density: Density, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return A_e for every row of ``weights``: how often each item is taken."""
    if coefficient == "bennett":
        return np.full(len(weights), 0.25)
    if coefficient == "percentage":
        return np.zeros(len(weights))
    if coefficient == "pi":
        return _shared_density(coding, density, weights) ** 2
    counted = coding.segments if density == "segments" else coding.marks
    own = ratio(weights @ counted, weights @ coding.places, nothing=0.0)
    one, two = coding.one, coding.two
    pairs, which = np.unique(one * len(coding.coders) + two, return_inverse=True)
    first, second = np.divmod(pairs, len(coding.coders))
    shared = np.zeros((len(coding.items), len(pairs)))
    np.add.at(
        shared,
        (coding.item_of, which),
        np.minimum(coding.places[coding.item_of, one], coding.places[coding.item_of, two]),
    )
    together = weights @ (shared > 0)
    met = (together > 0).astype(np.float64)
    return ratio((met * own[:, first] * own[:, second]).sum(axis=1), met.sum(axis=1), nothing=0.0)


def _shared_density(coding: Coding, density: Density, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    if density == "pooled":
        return ratio((weights @ coding.marks).sum(axis=1), (weights @ coding.places).sum(axis=1), nothing=0.0)
    densities = coding.densities if density == "mean" else coding.segment_densities
    return ratio((weights @ densities).sum(axis=1), (weights @ coding.annotations).sum(axis=1), nothing=0.0)


def _details(coding: Coding, coefficient: str, density: Density) -> dict[str, Any]:
    details = {
        "coders": list(coding.coders),
        "items": list(coding.items),
        "pairs": len(coding.rows),
        "matrix": _matrix(coding),
        "leave_one_out": _leave_one_out(coding, coefficient, density),
        "per_item": _per_item(coding, coefficient, density),
    }
    if not coding.places.any():  # recordings and hierarchies have no places to be counted
        return details
    frequency = ratio(coding.marks.sum(axis=0), coding.places.sum(axis=0), nothing=0.0)
    return details | {
        "frequency": dict(zip(coding.coders, frequency.tolist(), strict=True)),
        "frequency_mean": float(frequency.mean()),
        "frequency_sd": float(frequency.std(ddof=1)) if len(frequency) > 1 else 0.0,
    }


def _matrix(coding: Coding) -> NDArray[np.float64]:
    """Return the pooled similarity of every two coders; NaN where they share no text."""
    size = len(coding.coders)
    rows = np.zeros((size, size, coding.rows.shape[1]))
    met = np.eye(size, dtype=bool)
    for a, b in ((coding.one, coding.two), (coding.two, coding.one)):
        np.add.at(rows, (a, b), coding.rows)
        met[a, b] = True
    scores = np.where(np.eye(size, dtype=bool), 1.0, coding.similarity(rows))
    return np.asarray(np.where(met, scores, np.nan))


def _leave_one_out(coding: Coding, coefficient: str, density: Density) -> dict[str, float]:
    """Return the coefficient without each coder in turn; NaN where nothing is left to compare."""
    return {
        coder: _value(coefficient, *observed_and_expected(coding.without(i), coefficient, density))
        for i, coder in enumerate(coding.coders)
    }


def _per_item(coding: Coding, coefficient: str, density: Density) -> dict[str, dict[str, float]]:
    """Return what coders agree on item by item; chance is that of the item alone."""
    size = len(coding.items)
    one_each = np.eye(size)
    if coefficient == "bias":
        observed = _expected(coding, "pi", density, one_each)
        expected = _expected(coding, "kappa", density, one_each)
    else:
        observed, expected = coding.similarity(coding.item_rows()), _expected(coding, coefficient, density, one_each)
    pairs = np.bincount(coding.item_of, minlength=size)
    return {
        item: {
            "pairs": int(pairs[i]),
            "coders": int((coding.annotations[i] > 0).sum()),
            "boundaries": float(coding.marks[i].sum()),
            "observed": float(observed[i]) if pairs[i] else float("nan"),
            "expected": float(expected[i]),
            "value": _value(coefficient, float(observed[i]), float(expected[i])) if pairs[i] else float("nan"),
        }
        for i, item in enumerate(coding.items)
    }


def _value(coefficient: str, observed: float, expected: float) -> float:
    if np.isnan(observed):
        return observed
    return Agreement(coefficient, observed, expected, "", formula=_FORMULAS.get(coefficient, "ratio")).value


@dataclass(frozen=True)
class _Draws:
    """A percentile bootstrap over items: observed and expected agreement both follow from tables made once."""

    resamples: int
    level: float
    seed: int

    def __post_init__(self) -> None:
        check_whole("resamples", self.resamples)
        check_whole("seed", self.seed)
        if not 0 < self.level < 1:
            raise CaesuraError(f"level is {self.level}; expected a number between 0 and 1.")

    def weights(self, coding: Coding) -> NDArray[np.float64] | None:
        """Draw how often each item is taken; None without resamples, or with fewer than two items to draw from."""
        with_pairs = np.unique(coding.item_of)
        if self.resamples == 0 or len(with_pairs) < 2:
            return None
        even = np.full(len(with_pairs), 1 / len(with_pairs))
        drawn = np.zeros((self.resamples, len(coding.items)))
        drawn[:, with_pairs] = np.random.default_rng(self.seed).multinomial(len(with_pairs), even, size=self.resamples)
        return drawn

    def interval(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """Return the two quantiles; undefined values are left out."""
        low, high = np.nanquantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        return float(low), float(high)


def _resampled(coding: Coding, coefficient: str, density: Density, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficient of every draw."""
    if coefficient == "bias":
        return _expected(coding, "pi", density, weights) - _expected(coding, "kappa", density, weights)
    return _corrected(coding.similarity(weights @ coding.item_rows()), _expected(coding, coefficient, density, weights))


def _corrected(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    certain = expected >= 1.0
    ratio = (observed - expected) / np.where(certain, 1.0, 1.0 - expected)
    return np.asarray(np.where(certain, np.where(observed >= 1.0, 1.0, np.nan), ratio))


_PLACED: dict[str, Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
    "alpha": krippendorff,
    "majority": majority,
}


def _by_places(corpus: Corpus, coding: Coding, coefficient: Coefficient, draws: _Draws) -> Agreement:
    """Compare place by place, types and near misses forgotten."""
    rule, decisions = _PLACED[coefficient], Decisions(corpus)
    sums = decisions.sums()
    formula: Literal["ratio", "observed"] = "ratio" if coefficient == "alpha" else "observed"

    def without(coder: int) -> float:
        observed, expected = (float(part) for part in rule(decisions.sums(without=coder).sum(axis=0)))
        return Agreement(coefficient, observed, expected, "", formula=formula).value

    observed, expected = (float(part) for part in rule(sums.sum(axis=0)))
    drawn = draws.weights(coding)
    return Agreement(
        coefficient=coefficient,
        observed=observed,
        expected=expected,
        signature=f"{coefficient}|boundaries|v:{__version__}",
        formula=formula,
        interval=None if drawn is None else draws.interval(_corrected(*rule(drawn @ sums))),
        details={
            **_details(coding, "percentage", "pooled"),
            "leave_one_out": {
                coder: without(i) if len(corpus.coders) > 2 else float("nan") for i, coder in enumerate(corpus.coders)
            },
        },
    )
