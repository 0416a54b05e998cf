"""Compare an evaluation with a stored one: a paired test of the items' scores, for gates in CI."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Probability, Table, format_cell
from caesura.errors import CaesuraError, FormatError
from caesura.files import Source, load_json
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Metric, Rows, Score, share
from caesura.statistics.evaluation import Results
from caesura.statistics.significance import PairedTest, paired_test
from caesura.validation import validate_range


class ItemScores(NamedTuple):
    """The score of an item, and 1 if it is defined."""

    score: Any
    items: Any


def _mean(higher_is_better: bool) -> Score:
    return Score(
        title="mean of the items' scores",
        about="The mean of the scores of items that both results have.",
        parts=lambda sums: (sums.score, sums.items),
        value=lambda above, below: share(above, below, math.nan),
        higher_is_better=higher_is_better,
    )


@dataclass(frozen=True)
class _StoredScores(Family):
    """Scores of items that were computed before."""

    counts: ClassVar[Any] = ItemScores
    scores: ClassVar[Mapping[str, Score]] = {"mean": _mean(True), "penalty": _mean(False)}

    def count(self, batch: Batch) -> Rows:
        """Raise an error: scores are read, not counted."""
        raise CaesuraError("stored scores cannot be counted again.")


@dataclass(frozen=True, repr=False)
class BaselineComparison(Result):
    """Tests of every system and metric against a stored result.

    Attributes
    ----------
    tests : mapping of (str, str) to PairedTest
        System and metric -> the test; the difference is that of the means of the items' scores, ours minus the baseline's.
    higher_is_better : mapping of str to bool
        Metric -> whether large scores are good.
    items : int
        The number of items that both results have.
    left_out : int
        The number of items that only one of them has.
    distances : mapping of str to float
        Metrics that may be on both sides of their best value, and this value: distances from it are compared.
    """

    tests: Mapping[tuple[str, str], PairedTest]
    higher_is_better: Mapping[str, bool]
    items: int
    left_out: int
    distances: Mapping[str, float] = field(default_factory=dict)

    def failures(self, level: float) -> Iterator[str]:
        """Yield a sentence for every score that is worse than the baseline's with a p-value below the level."""
        for (system, name), test in self.tests.items():
            sign = 1 if self.higher_is_better[name] else -1
            if sign * test.difference < 0 and test.p_value < level:
                yield (
                    f"{name} of {system!r} is worse than the baseline by {format_cell(abs(test.difference))} "
                    f"(p {format_cell(Probability(test.p_value))}, {self.items} items)."
                )

    def tables(self) -> Sequence[Table]:
        """Return the differences from the baseline, with their p-values."""
        rows = tuple(
            (system, name, test.difference, test.interval, Probability(test.p_value))
            for (system, name), test in self.tests.items()
        )
        notes = [f"{name}: distances from {best:g} are compared." for name, best in self.distances.items()]
        if self.left_out:
            notes.append(f"{self.left_out} items that only one result has are left out.")
        return [
            Table(
                f"mean of {self.items} items, difference from the baseline (permutation test)",
                ("system", "metric", "difference", "95 % interval", "p"),
                rows,
                tuple(notes),
            )
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        listed = [{"system": s, "metric": m, **vars(test)} for (s, m), test in self.tests.items()]
        return {"items": self.items, "left_out": self.left_out, "tests": listed}


def compare_with_baseline(
    results: Results, baseline: str | PathLike[str] | Mapping[str, Any], *, seed: int = 0
) -> BaselineComparison:
    """Test every system against a stored evaluation, item by item.

    Parameters
    ----------
    results : Evaluation
        The evaluation.
    baseline : path or mapping
        The JSON of ``caesura evaluate --json``, or :meth:`Evaluation.as_dict`. Systems are matched by name; a baseline with one system
        is compared with all.
    seed : int, default 0
        The seed of the permutations.

    Returns
    -------
    BaselineComparison

    Raises
    ------
    CaesuraError
        If the baseline has other metrics, other settings of them, or no item in common.
    """
    stored, where = _load(baseline)
    known = {item: i for i, item in enumerate(stored["items"])}
    items = list(getattr(results, "items", ()))
    shared = [(i, known[item]) for i, item in enumerate(items) if item in known]
    if len(shared) < 2:
        raise CaesuraError(f"{where} shares {len(shared)} items with this evaluation; a paired test needs two or more.")
    tests: dict[tuple[str, str], PairedTest] = {}
    higher, distances = {}, dict[str, float]()
    for system, measured in results.systems.items():
        theirs = _baseline_system(stored, system, where)
        for name, result in measured.items():
            if name not in theirs:
                raise CaesuraError(f"{where} has no metric {name!r}; it has {', '.join(theirs)}.")
            _check_signature(result.signature, str(theirs[name].get("signature", "")), name, where)
            ours = _rows([result.per_item[i] for i, _ in shared])
            before = _rows([theirs[name]["per_item"][j] for _, j in shared])
            both = (ours[:, 1] * before[:, 1])[:, None]  # an item counts only if both scores are defined
            if result.metric.best_between:  # -30 % is worse than +3 %, although lower
                for each in (ours, before):
                    each[:, 0] = np.where(each[:, 1] > 0, abs(each[:, 0] - result.metric.best), 0.0)
                distances[name] = result.metric.best
            mean = Metric(_StoredScores(), "mean" if result.metric.higher_is_better else "penalty")
            test = paired_test(mean, ours * both, before * both, seed=seed, names=(system, "baseline"))
            tests[system, name] = replace(test, adjusted=None)
            higher[name] = result.metric.higher_is_better
    left_out = len(items) + len(known) - 2 * len(shared)
    return BaselineComparison(tests, higher, len(shared), left_out, distances)


def check_level(level: float) -> None:
    """Raise an error unless a significance level is between 0 and 1."""
    validate_range("--fail-if-worse", level, 0.0, 1.0)


def _load(baseline: Any) -> tuple[Mapping[str, Any], str]:
    if isinstance(baseline, Mapping):
        stored, where = baseline, "the baseline"
    else:
        stored, where = load_json(Source.open(Path(baseline))), str(baseline)
    if not isinstance(stored, Mapping) or not isinstance(stored.get("items"), list) or not stored.get("systems"):
        raise FormatError(None, None, f"{where}: not a result of caesura evaluate --json with the scores of items.")
    return stored, where


def _baseline_system(stored: Mapping[str, Any], system: str, where: str) -> Mapping[str, Any]:
    systems = stored["systems"]
    if system in systems:
        return systems[system]  # type: ignore[no-any-return]
    if len(systems) == 1:
        return next(iter(systems.values()))
    raise CaesuraError(f"{where} has no system {system!r}; it has {', '.join(systems)}.")


def _check_signature(ours: str, theirs: str, name: str, where: str) -> None:
    """Raise an error if a metric was computed with other settings; the version does not count."""
    plain = [[part for part in each.split("|") if not part.startswith("v:")] for each in (ours, theirs)]
    if plain[0] != plain[1]:
        raise CaesuraError(f"{name} in {where} was computed with other settings: {theirs}, now {ours}.")


def _rows(scores: Sequence[float | None]) -> NDArray[np.float64]:
    defined = [score is not None and math.isfinite(score) for score in scores]
    return np.array([[score if known else 0.0, float(known)] for score, known in zip(scores, defined, strict=True)])
