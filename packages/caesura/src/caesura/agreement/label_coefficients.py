r"""Coefficients of agreement for one label (or one set of labels) per unit.

With :math:`r_{ik}` coders who gave unit i label k, :math:`r_i = \sum_k r_{ik}`, weights w (1 for equal labels), q categories and
:math:`\pi_k` the mean of :math:`r_{ik} / r_i`:

.. math:: p_a = \frac{1}{n_2} \sum_{r_i \ge 2} \frac{\sum_k r_{ik} (\sum_l w_{kl} r_{il} - 1)}{r_i (r_i - 1)}, \quad
          v = \frac{p_a - p_e}{1 - p_e}

and p_e is :math:`\sum w / (q (q-1)) \sum \pi_k (1-\pi_k)` for Gwet's AC1 and AC2, :math:`\sum w \pi \pi` for Fleiss,
:math:`\sum w / q^2` for Brennan & Prediger, and the mean over pairs of coders of :math:`\sum w \pi_a \pi_b` for Conger (Cohen's κ for two
coders). Krippendorff's α is :math:`1 - D_o / D_e` over pairable values with a distance between labels.

References
----------
Gwet 2008, Computing Inter-Rater Reliability and its Variance in the Presence of High Agreement; Gwet 2014, Handbook of Inter-Rater Reliability.
Conger 1980; Brennan & Prediger 1981; Fleiss, Cohen & Everitt 1969 (standard error of κ); Byrt, Bishop & Carlin 1993 (prevalence, bias, PABAK);
Passonneau 2006 (MASI); Krippendorff 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.coefficients import LABEL_COEFFICIENTS
from caesura.agreement.ratings import Ratings, as_sets
from caesura.agreement.result import Agreement, Formula, combine
from caesura.errors import CaesuraError, UnknownName
from caesura.options import parse_options, validate_names
from caesura.statistics.bootstrap import Resampling, student_quantile

Floats: TypeAlias = NDArray[np.float64]
#: Weights of pairs of labels.
Weights: TypeAlias = Literal["identity", "linear", "quadratic", "radical", "ordinal"]
#: Distances of labels for Krippendorff's α.
Distance: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio", "masi", "jaccard"]
#: A distance of two labels, or the name of one.
DistanceLike: TypeAlias = Distance | Callable[[Any, Any], float]

_OPTIONS = {"weights": str, "distance": str, "categories": str}
_LOW, _AGREED, _PREVALENT = 0.6, 0.75, 0.5  # when prevalence is said to explain a low κ
_MAX_CATEGORIES = 500


# ---------------------------------------------------------------------- weights and distances


def weight_matrix(values: Sequence[float] | Floats, weights: Weights) -> Floats:
    """Return the weights of all pairs of categories.

    Parameters
    ----------
    values : sequence of float
        The categories as numbers; "ordinal" weights use their ranks.
    weights : {"identity", "linear", "quadratic", "radical", "ordinal"}
        1 - |Δ|^p / max for p = 1, 2 and ½; "ordinal" is 1 - C(|Δ rank| + 1, 2) / max.

    Returns
    -------
    array of float

    Examples
    --------
    >>> weight_matrix([1, 2, 3], "linear").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    if weights not in get_args(Weights):
        raise UnknownName("kind of weights", str(weights), list(get_args(Weights)))
    numbers = np.asarray(values, np.float64)
    if weights == "identity" or len(numbers) < 2:
        return np.eye(len(numbers))
    if weights == "ordinal":
        ranks = np.argsort(np.argsort(numbers)).astype(np.float64)
        apart = np.abs(ranks[:, None] - ranks)
        apart = (apart + 1) * apart / 2
    else:
        apart = np.abs(numbers[:, None] - numbers) ** {"linear": 1.0, "quadratic": 2.0, "radical": 0.5}[weights]
    return np.asarray(1 - apart / apart.max())


def masi_distance(first: frozenset[Any], second: frozenset[Any]) -> float:
    """Return the MASI distance of two sets (Passonneau 2006): 1 - m · |∩| / |∪|, with m = 1, ⅔, ⅓ or 0.

    m is 1 for equal sets, ⅔ if one contains the other, ⅓ if they overlap. Two empty sets are equal.

    >>> round(masi_distance(frozenset("a"), frozenset("ab")), 4)
    0.6667
    """
    if first == second:
        return 0.0
    common = len(first & second)
    factor = 2 / 3 if common == min(len(first), len(second)) else 1 / 3 if common else 0.0
    return 1 - factor * common / len(first | second)


def jaccard_distance(first: frozenset[Any], second: frozenset[Any]) -> float:
    """Return 1 - |∩| / |∪|; two empty sets are equal.

    >>> jaccard_distance(frozenset("a"), frozenset("ab"))
    0.5
    """
    return 0.0 if first == second else 1 - len(first & second) / len(first | second)


def distance_matrix(ratings: Ratings, distance: DistanceLike, totals: Floats) -> Floats:
    """Return the (squared) distance of all pairs of labels; ordinal distances depend on how often each is used (``totals``)."""
    size, values = len(ratings.categories), ratings.values
    if distance == "nominal":
        return np.asarray(1 - np.eye(size))
    if distance == "interval":
        return np.asarray((values[:, None] - values) ** 2)
    if distance == "ratio":
        total = values[:, None] + values
        return np.asarray(np.where(total == 0, 0.0, (values[:, None] - values) / np.where(total == 0, 1.0, total)) ** 2)
    if distance == "ordinal":
        order = np.argsort(values)
        rank = np.argsort(order)
        up_to = np.cumsum(totals[order])[rank]  # values up to and including each label
        middle = up_to - totals / 2
        return np.asarray((middle[:, None] - middle) ** 2)
    if callable(distance):
        table = [[float(distance(a, b)) for b in ratings.categories] for a in ratings.categories]
    elif distance in ("masi", "jaccard"):
        measure = masi_distance if distance == "masi" else jaccard_distance
        sets = as_sets(ratings.categories)
        table = [[measure(a, b) for b in sets] for a in sets]
    else:
        raise UnknownName("distance", str(distance), list(get_args(Distance)))
    return np.array(table, np.float64)


# ---------------------------------------------------------------------- sums and coefficients


class LabelSums(NamedTuple):
    """Sums over units, with a leading axis: items, resamples, or one row for all.

    Attributes
    ----------
    units, pairable : array
        Rated units, and those rated at least twice.
    agreed : array
        The sum of the agreement of pairable units.
    shares : array, shape (…, q)
        The sum of r_ik / r_i.
    given : array, shape (…, coders, q)
        How often each coder gave each label.
    coincidences : array, shape (…, q, q)
        Krippendorff's coincidence matrix.
    """

    units: Floats
    pairable: Floats
    agreed: Floats
    shares: Floats
    given: Floats
    coincidences: Floats

    def take(self, weights: Floats) -> LabelSums:
        """Add up the leading axis with weights: one row of weights per row of the result."""
        return LabelSums(*(np.tensordot(weights, table, 1) for table in self))


@dataclass(frozen=True, eq=False)
class LabelAgreement:
    """Ratings and weights; everything that several coefficients need is computed once.

    Attributes
    ----------
    ratings : Ratings
        The labels.
    weights : {"identity", "linear", "quadratic", "radical", "ordinal"}
        The weights of AC2, Conger, Fleiss and Brennan & Prediger.
    distance : str or callable
        The distance of α.
    """

    ratings: Ratings
    weights: Weights = "identity"
    distance: DistanceLike = "nominal"

    def __post_init__(self) -> None:
        if len(self.ratings.categories) > _MAX_CATEGORIES:
            raise CaesuraError(
                f"there are {len(self.ratings.categories)} different labels; coefficients of labels take at most {_MAX_CATEGORIES}."
            )
        if not (self.ratings.counts.sum(axis=1) > 1).any():
            raise CaesuraError("agreement needs two coders of one unit; no unit was rated twice.")

    @cached_property
    def matrix(self) -> Floats:
        """The weights of all pairs of labels."""
        return weight_matrix(self.ratings.values, self.weights)

    @cached_property
    def by_unit(self) -> tuple[Floats, Floats]:
        """Of every rated unit: its agreement (0 if it was rated once), and its counts of labels."""
        counts = self.ratings.counts[self.rated]
        rated = counts.sum(axis=1)
        pairs = np.where(rated > 1, rated * (rated - 1), 1.0)
        agreed = (counts * (counts @ self.matrix - 1)).sum(axis=1) / pairs
        return np.where(rated > 1, agreed, 0.0), counts

    @cached_property
    def rated(self) -> NDArray[np.bool_]:
        """Which units were rated at all."""
        return np.asarray(self.ratings.counts.sum(axis=1) > 0)

    @cached_property
    def by_item(self) -> LabelSums:
        """One row per item."""
        ratings, (agreed, counts) = self.ratings, self.by_unit
        item, items, q = ratings.item_of[self.rated], len(ratings.items), len(ratings.categories)
        rated = counts.sum(axis=1)
        shares = np.zeros((items, q))
        np.add.at(shares, item, counts / rated[:, None])
        given = np.zeros((items, len(ratings.coders), q))
        codes = ratings.codes[self.rated]
        for coder in range(len(ratings.coders)):
            seen = codes[:, coder] >= 0
            np.add.at(given[:, coder], (item[seen], codes[seen, coder]), 1.0)
        coincidences = np.zeros((items, q, q))
        pairable = rated > 1
        for number in np.unique(item):
            own = counts[pairable & (item == number)] if items > 1 else counts[pairable]
            scaled = own / (own.sum(axis=1, keepdims=True) - 1)
            coincidences[number] = scaled.T @ own - np.diag(scaled.sum(axis=0))

        def per_item(values: Floats) -> Floats:
            return np.bincount(item, values, minlength=items).astype(np.float64)

        return LabelSums(
            per_item(np.ones(len(item))), per_item(pairable * 1.0), per_item(agreed), shares, given, coincidences
        )

    @cached_property
    def whole(self) -> LabelSums:
        """One row: all units."""
        return self.by_item.take(np.ones((1, len(self.ratings.items))))

    def observed_and_expected(self, name: str, sums: LabelSums) -> tuple[Floats, Floats]:
        """Return observed and expected agreement of every row of sums; for α, observed and expected disagreement."""
        if name == "label-alpha":
            return self._alpha(sums)
        w, q = self.matrix, len(self.ratings.categories)
        with np.errstate(divide="ignore", invalid="ignore"):
            observed, pi = sums.agreed / sums.pairable, sums.shares / sums.units[:, None]
        if name in ("ac1", "ac2"):
            factor = w.sum() / (q * (q - 1)) if q > 1 else 0.0
            expected = factor * (pi * (1 - pi)).sum(axis=1)
        elif name == "brennan-prediger":
            expected = np.full(len(pi), w.sum() / q**2)
        elif name == "fleiss":
            expected = np.einsum("ra,ab,rb->r", pi, w, pi)
        else:
            expected = self._conger(sums)
        return observed, expected

    def _conger(self, sums: LabelSums) -> Floats:
        """Return the mean over pairs of coders who rated anything of Σ w π_a π_b."""
        rated = sums.given.sum(axis=2)
        own = sums.given / np.where(rated > 0, rated, 1.0)[:, :, None]
        present = (rated > 0).astype(np.float64)
        together = np.einsum("rac,cd,rbd->rab", own, self.matrix, own)
        both = present[:, :, None] * present[:, None, :] * (1 - np.eye(len(self.ratings.coders)))
        return np.asarray((together * both).sum(axis=(1, 2)) / np.maximum(both.sum(axis=(1, 2)), 1.0))

    def _alpha(self, sums: LabelSums) -> tuple[Floats, Floats]:
        """Return D_o and D_e; D_e is NaN where no disagreement is possible, so that α = 1 - D_o / D_e is undefined there."""
        observed, expected = np.empty(len(sums.units)), np.empty(len(sums.units))
        for row, matrix in enumerate(sums.coincidences):
            totals = matrix.sum(axis=1)
            number = totals.sum()
            distance = distance_matrix(self.ratings, self.distance, totals)
            pairs = np.outer(totals, totals) - np.diag(totals)
            by_chance = (pairs * distance).sum() / (number * (number - 1)) if number > 1 else 0.0
            found = (matrix * distance).sum() / number if number else 0.0
            observed[row], expected[row] = found, by_chance if by_chance > 0 else np.nan
        return observed, expected

    def standard_error(self, name: str) -> float:
        """Return Gwet's standard error (units sampled, coders fixed); that of Fleiss, Cohen & Everitt for Cohen's κ; else NaN."""
        if name == "conger":
            unweighted = self.weights == "identity" and len(self.ratings.coders) == 2
            return two_coders(self.contingency(0, 1))["standard_error"] if unweighted else float("nan")
        if name == "label-alpha":
            return float("nan")
        (agreed, counts), w, q = self.by_unit, self.matrix, len(self.ratings.categories)
        (observed,), (expected,) = self.observed_and_expected(name, self.whole)
        n, rated = len(counts), counts.sum(axis=1)
        if n < 2 or expected >= 1:
            return float("nan")
        two, value = rated > 1, (observed - expected) / (1 - expected)
        each = n / two.sum() * (agreed - expected * two) / (1 - expected)
        pi = (counts / rated[:, None]).mean(axis=0)
        own = None
        if name in ("ac1", "ac2"):
            own = w.sum() / (q * (q - 1)) * (counts @ (1 - pi)) / rated if q > 1 else np.zeros(n)
        elif name == "fleiss":
            own = counts @ ((w @ pi + w.T @ pi) / 2) / rated
        if own is not None:
            each = each - 2 * (1 - value) * (own - expected) / (1 - expected)
        return float(np.sqrt(((each - value) ** 2).sum() / (n * (n - 1))))

    def contingency(self, first: int, second: int) -> Floats:
        """Return how often two coders gave each pair of labels."""
        codes, q = self.ratings.codes, len(self.ratings.categories)
        both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
        table = np.zeros((q, q))
        np.add.at(table, (codes[both, first], codes[both, second]), 1.0)
        return table

    def per_label(self) -> dict[str, dict[str, float]]:
        """Return κ of every label against all others, for two coders with prevalence, bias, PABAK and specific agreement."""
        names = [
            "+".join(sorted(label)) if isinstance(label, frozenset) else str(label) for label in self.ratings.categories
        ]
        if len(self.ratings.coders) == 2:
            table = self.contingency(0, 1)
            return {name: label_indices(table, k) for k, name in enumerate(names)}
        found = {}
        for k, name in enumerate(names):
            codes = np.where(self.ratings.codes < 0, -1, (self.ratings.codes == k).astype(np.int64))
            ratings = Ratings(codes, ("other", name), self.ratings.coders, self.ratings.item_of, self.ratings.items)
            (observed,), (expected,) = (own := LabelAgreement(ratings)).observed_and_expected("fleiss", own.whole)
            found[name] = {
                "kappa": float((observed - expected) / (1 - expected)) if expected < 1 else float("nan"),
                "share": float(own.whole.shares[0, 1] / own.whole.units[0]),
            }
        return found


# ---------------------------------------------------------------------- two coders


def prevalence_and_bias(both: float, first: float, second: float, neither: float) -> tuple[float, float]:
    """Return the prevalence index (A - D) / n and the bias index (B - C) / n of a two-by-two table (Byrt, Bishop & Carlin 1993).

    Parameters
    ----------
    both, first, second, neither : float
        A, B, C and D: what both coders marked, only the first, only the second, and neither.

    Returns
    -------
    (float, float)
        Both with their sign; NaN for an empty table.

    Examples
    --------
    >>> prevalence_and_bias(80, 10, 5, 5)
    (0.75, 0.05)
    """
    total = both + first + second + neither
    return ((both - neither) / total, (first - second) / total) if total > 0 else (float("nan"), float("nan"))


def label_indices(table: Floats, label: int) -> dict[str, float]:
    """Return κ of one label against all others, with its prevalence and bias indices, PABAK, positive and negative agreement."""
    n = float(table.sum())
    both, row, column = float(table[label, label]), float(table[label].sum()), float(table[:, label].sum())
    first, second = row - both, column - both
    neither = n - both - first - second
    prevalence, bias = prevalence_and_bias(both, first, second, neither)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = np.float64(row) / n, np.float64(column) / n
        observed, expected = (both + neither) / np.float64(n), a * b + (1 - a) * (1 - b)
        return {
            "kappa": float((observed - expected) / (1 - expected)) if expected < 1 else float("nan"),
            "prevalence_index": prevalence,
            "bias_index": bias,
            "pabak": float(2 * observed - 1),
            "positive_agreement": float(np.float64(2 * both) / (2 * both + first + second)),
            "negative_agreement": float(np.float64(2 * neither) / (2 * neither + first + second)),
        }


def two_coders(table: Any) -> dict[str, float]:
    """Return Cohen's κ of a contingency table, its greatest possible value, and its standard errors.

    Parameters
    ----------
    table : array of float, shape (q, q)
        How often the coders gave each pair of labels.

    Returns
    -------
    dict of str to float
        ``kappa``; ``kappa_max`` = (Σ min(row, column) - p_e) / (1 - p_e), the κ that the coders could reach with their marginals;
        ``standard_error`` (Fleiss, Cohen & Everitt 1969) and ``standard_error_zero`` if κ were 0; ``observed``; ``pabak``.

    Examples
    --------
    >>> round(two_coders([[7, 9], [6, 25]])["kappa"], 4)
    0.2555
    """
    counts = np.asarray(table, np.float64)
    n = counts.sum()
    p = counts / n if n else counts
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.trace(p)), float(row @ column)
    nan = float("nan")
    if not n or expected >= 1:
        return {
            "kappa": nan,
            "kappa_max": nan,
            "standard_error": nan,
            "standard_error_zero": nan,
            "observed": observed if n else nan,
            "pabak": 2 * observed - 1 if n else nan,
        }
    kappa = (observed - expected) / (1 - expected)
    on = (np.diag(p) * (1 - (row + column) * (1 - kappa)) ** 2).sum()
    off = p * (column[:, None] + row[None, :]) ** 2
    spread = on + (1 - kappa) ** 2 * (off.sum() - np.trace(off)) - (kappa - expected * (1 - kappa)) ** 2
    under_zero = expected + expected**2 - float((row * column * (row + column)).sum())
    return {
        "kappa": kappa,
        "kappa_max": (float(np.minimum(row, column).sum()) - expected) / (1 - expected),
        "standard_error": float(np.sqrt(max(spread, 0.0) / n) / (1 - expected)),
        "standard_error_zero": float(np.sqrt(max(under_zero, 0.0) / n) / (1 - expected)),
        "observed": observed,
        "pabak": 2 * observed - 1,
    }


# ---------------------------------------------------------------------- results


def label_agreements(
    ratings: Ratings | Any,
    coefficients: Iterable[str],
    resampling: Resampling,
    *,
    weights: Weights | None = None,
    distance: DistanceLike | None = None,
    categories: Sequence[Any] | None = None,
) -> dict[str, Agreement]:
    """Compute coefficients of labels.

    Parameters
    ----------
    ratings : Ratings or Corpus
        One label per unit and coder.
    coefficients : iterable of str
        Names of :data:`LABEL_COEFFICIENTS` with parameters after a colon: "ac2:weights=ordinal", "alpha:distance=masi".
    resampling : Resampling
        The bootstrap over items.
    weights, distance : default None
        For all coefficients that take them.
    categories : sequence, default None
        All possible labels in their order.

    Returns
    -------
    dict of str to Agreement
        The results by name, as given.

    Examples
    --------
    >>> rows = [["a", "a"], ["a", "b"], ["b", "b"], ["a", "a"]]
    >>> found = label_agreements(Ratings.from_rows(rows), ["ac1", "conger"], Resampling(0.95, 0))
    >>> [round(each.value, 3) for each in found.values()]
    [0.529, 0.5]
    """
    results = {}
    for name in coefficients:
        bare, problem = _problem(ratings, str(name), weights, distance, categories)
        results[str(name)] = _agreement(problem, bare, resampling)
    return results


def weighted_labels(ratings: Ratings | Any, coefficient: str, weights: Floats) -> Floats:
    """Return the value of a coefficient for every row of weights of items."""
    name, problem = _problem(ratings, coefficient, None, None, None)
    both = problem.observed_and_expected(name, problem.by_item.take(weights))
    return combine("disorder" if name == "label-alpha" else "ratio", *both)


def _problem(
    ratings: Ratings | Any,
    name: str,
    weights: Weights | None,
    distance: DistanceLike | None,
    categories: Sequence[Any] | None,
) -> tuple[str, LabelAgreement]:
    """Parse the name of a coefficient with its parameters."""
    bare, _, behind = name.partition(":")
    bare = "label-alpha" if bare == "alpha" else bare
    if bare not in LABEL_COEFFICIENTS:
        raise UnknownName("coefficient of labels", bare, list(LABEL_COEFFICIENTS))
    given = parse_options(behind, _OPTIONS)
    takes = {"label-alpha": ("distance", "categories"), "ac1": ("categories",)}.get(bare, ("weights", "categories"))
    validate_names(bare, given, takes)
    listed = given.get("categories")
    known = categories if listed is None else [_number(each) for each in str(listed).split("/")]
    own = ratings if isinstance(ratings, Ratings) else Ratings.of_corpus(ratings, known)
    if bare == "ac2" and not (given.get("weights") or weights):
        raise CaesuraError(
            "ac2 needs weights: ac2:weights=ordinal (or linear, quadratic, radical); without weights it is ac1."
        )
    weighted = "weights" in takes
    return bare, LabelAgreement(
        own,
        given.get("weights", weights or "identity") if weighted else "identity",
        given.get("distance", distance or "nominal"),
    )


def _number(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def _agreement(problem: LabelAgreement, name: str, resampling: Resampling) -> Agreement:
    ratings = problem.ratings
    (observed,), (expected,) = problem.observed_and_expected(name, problem.whole)
    formula: Formula = "disorder" if name == "label-alpha" else "ratio"
    value = float(combine(formula, observed, expected))
    error = problem.standard_error(name)
    units = int(problem.whole.units[0])
    gwet = None
    if np.isfinite(error) and units > 1:
        reach = student_quantile((1 + resampling.level) / 2, units - 1) * error
        gwet = (max(-1.0, value - reach), min(1.0, value + reach))
    weights = problem.distance if name == "label-alpha" else problem.weights
    signature = "|".join(
        [
            name,
            ratings.of,
            f"q:{len(ratings.categories)}",
            f"w:{weights if isinstance(weights, str) else getattr(weights, '__name__', 'function')}",
            f"v:{__version__}",
        ]
    )
    details: dict[str, Any] = {
        "units": units,
        "categories": [sorted(c) if isinstance(c, frozenset) else c for c in ratings.categories],
        "label_coders": list(ratings.coders),
        "labels": problem.per_label(),
        "standard_error": None if np.isnan(error) else error,
        "standard_error_interval": gwet,
        "notes": _notes(problem, name, value, error, gwet, resampling),
    }
    if len(ratings.coders) == 2:
        details["two_coders"] = two_coders(problem.contingency(0, 1))
    interval = _interval(problem, name, resampling)
    two, many = LABEL_COEFFICIENTS[name]
    return Agreement(
        coefficient=name,
        observed=float(observed),
        expected=float(expected),
        signature=signature,
        standard_error=None if interval is not None or np.isnan(error) else error,
        interval=interval,
        details=details,
        formula=formula,
        title=(two if len(ratings.coders) == 2 else many)
        + ("" if weights in ("identity", "nominal") else f", {signature.split('|')[3][2:]}"),
    )


def _interval(problem: LabelAgreement, name: str, resampling: Resampling) -> tuple[float, float] | None:
    """Bootstrap over items, because units of one text are not independent."""
    drawn = resampling.item_weights(len(problem.ratings.items))
    if drawn is None:
        return None
    observed, expected = problem.observed_and_expected(name, problem.by_item.take(drawn.astype(np.float64)))
    formula: Formula = "disorder" if name == "label-alpha" else "ratio"
    with np.errstate(divide="ignore", invalid="ignore"):
        return resampling.interval(combine(formula, observed, expected))


def _notes(
    problem: LabelAgreement,
    name: str,
    value: float,
    error: float,
    gwet: tuple[float, float] | None,
    resampling: Resampling,
) -> tuple[str, ...]:
    ratings, notes = problem.ratings, []
    if gwet is not None:
        kind = "Fleiss, Cohen & Everitt's" if name == "conger" else "Gwet's"
        narrow = (
            f"; it assumes independent {ratings.of}, but those of one text are not"
            if len(ratings.items) < len(ratings.codes)
            else ""
        )
        notes.append(
            f"{name}: {kind} standard error {error:.3f}, {100 * resampling.level:g} % interval {gwet[0]:.3f} … {gwet[1]:.3f}{narrow}."
        )
    if name == "label-alpha" and np.isnan(value):
        notes.append("α is undefined: all labels are the same, so that no disagreement is possible.")
    if sentence := prevalence_sentence(problem):
        notes.append(sentence)
    return tuple(notes)


def prevalence_sentence(problem: LabelAgreement) -> str | None:
    """Return a sentence if the prevalence of one label explains a low κ; None otherwise."""
    (observed,), (chance,) = problem.observed_and_expected("fleiss", problem.whole)
    shares = problem.whole.shares[0] / problem.whole.units[0]
    top = int(shares.argmax())
    if not chance < 1 or len(shares) < 2 or problem.weights != "identity":
        return None
    kappa = (observed - chance) / (1 - chance)
    _, (spread,) = problem.observed_and_expected("ac1", problem.whole)
    if kappa < _LOW and observed >= _AGREED and 2 * shares[top] - 1 >= _PREVALENT and observed - kappa >= 0.25:
        label = problem.ratings.categories[top]
        return (
            f"κ is low ({kappa:.2f}) although coders agree on {observed:.0%} of the {problem.ratings.of}: {shares[top]:.0%} have the label "
            f"{'+'.join(sorted(label)) if isinstance(label, frozenset) else label!r}, so that chance alone reaches {chance:.0%}. Prevalence "
            f"explains it; AC1 is {(observed - spread) / (1 - spread):.2f}, PABAK {2 * observed - 1:.2f}."
        )
    return None


def pairs_of_coders(ratings: Ratings) -> dict[tuple[str, str], dict[str, float]]:
    """Return Cohen's κ and its indices for every two coders.

    Parameters
    ----------
    ratings : Ratings
        The labels.

    Returns
    -------
    dict of (str, str) to dict
        As :func:`two_coders`.
    """
    problem = LabelAgreement(ratings)
    return {
        (ratings.coders[a], ratings.coders[b]): two_coders(problem.contingency(a, b))
        for a, b in combinations(range(len(ratings.coders)), 2)
    }


__all__ = [
    "Distance",
    "LabelAgreement",
    "Weights",
    "jaccard_distance",
    "label_agreements",
    "label_indices",
    "masi_distance",
    "pairs_of_coders",
    "prevalence_and_bias",
    "two_coders",
    "weight_matrix",
]
