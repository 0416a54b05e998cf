"""``--fail-under``: sentences about scores that are worse than their limits, and the exit status 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from caesura.cli.io import print_stderr
from caesura.errors import CaesuraError, UnknownName

if TYPE_CHECKING:
    from caesura.metrics import Metric


def parse_fail_under(given: list[str] | None) -> dict[str, float]:
    """Parse the values of ``--fail-under``, NAME=NUMBER."""
    from math import isnan, nan

    limits: dict[str, float] = {}
    for pair in given or ():
        name, _, value = pair.rpartition("=")  # the last one, because the name may have parameters
        try:
            limit = float(value)
        except ValueError:
            limit = nan
        if not name.strip() or isnan(limit):
            raise CaesuraError(f"--fail-under takes METRIC=NUMBER, not {pair}.")
        if limits.setdefault(name.strip(), limit) != limit:
            raise CaesuraError(f"--fail-under gives two limits for {name.strip()!r}.")
    return limits


class FailUnderScore(NamedTuple):
    """A score, whether higher is better, and its best value if scores on both sides of that are possible."""

    score: float
    higher_is_better: bool = True
    around: float | None = None

    @classmethod
    def of_metric(cls, score: float, metric: Metric) -> FailUnderScore:
        """Return a score of a metric."""
        return cls(score, metric.higher_is_better, metric.best if metric.best_between else None)


def failures(
    limits: Mapping[str, float], scores: Mapping[str, FailUnderScore], kind: str, owner: str = ""
) -> Iterator[str]:
    """Yield a sentence for every score that is worse than its limit.

    If scores on both sides of the best value are possible (over-segmentation, bias), the distance from the best value decides.

    Parameters
    ----------
    limits : mapping of str to float
        Limits by name, see :func:`parse_fail_under`.
    scores : mapping of str to FailUnderScore
        Scores by name.
    kind : str
        "score" or "coefficient", for the error about an unknown name.
    owner : str, default ""
        Text after the name, such as " of 'system'".
    """
    from caesura.display.table import format_cell

    for name, limit in limits.items():
        if name not in scores:
            raise UnknownName(kind, name, list(scores))
        score, higher_is_better, around = scores[name]
        digits = 6 if abs(score - limit) < 5e-4 else 3  # never "0.600, below 0.6"
        if around is not None:
            if not abs(score - around) <= abs(limit - around):  # NaN fails too
                yield f"{name}{owner} is {format_cell(score, digits)}, more than {abs(limit - around):g} from {around:g}."
        elif not (score >= limit if higher_is_better else score <= limit):
            yield f"{name}{owner} is {format_cell(score, digits)}, {'below' if higher_is_better else 'above'} {limit:g}."


def exit_on_failures(sentences: Iterable[str]) -> None:
    """Print the sentences and exit with 1, or do nothing if there are none."""
    listed = list(sentences)
    for sentence in listed:
        print_stderr(sentence)
    if listed:
        raise click.exceptions.Exit(1)
