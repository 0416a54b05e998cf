"""Which aligner is better? Errors of aligners with intervals and tests, by phone or class, and drawings of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.drawings.aligners import ErrorHistograms, ToleranceCurves
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.model.corpus import CorpusLike
from caesura.statistics import Evaluation, evaluate
from caesura.statistics.clusters import hint_at_speakers
from caesura.statistics.interval_groups import DEFAULT_SCORES, IntervalGroups, interval_groups, pooled_errors
from caesura.statistics.significance import SystemTests, system_tests

#: The scores of a comparison of aligners if none is named.
ALIGNER_SCORES = (
    "interval-matched", "onset-bias", "onset-median", "onset-p90", "onset-p99", "onset-within-10ms", "onset-within-20ms",
    "onset-within-25ms", "onset-within-50ms", "offset-median", "phone-error",
)  # fmt: skip
_TESTED = ("onset-within-20ms", "onset-median")


@dataclass(frozen=True, repr=False)
class AlignerComparison(Result):
    """Aligners against one reference.

    Attributes
    ----------
    evaluation : Evaluation
        All scores, with intervals.
    tests : SystemTests
        Tests of every two systems.
    groups : tuple of IntervalGroups
        Errors by phone, class or pair of phones, one per system.
    shares : mapping of str to ndarray
        System -> shares of onsets within 1 … 100 ms.
    errors : mapping of str to ndarray
        System -> onset errors in ms.
    """

    evaluation: Evaluation
    tests: SystemTests
    groups: tuple[IntervalGroups, ...]
    shares: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]

    def tables(self) -> Sequence[Table]:
        """Return scores, tests and groups; notes and signatures are below the last one."""
        scores, *_ = self.evaluation.tables()
        tables = [
            replace(scores, notes=()),
            *self.tests.tables(),
            *(t for group in self.groups for t in group.tables()),
        ]
        return [*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, "", *scores.notes))]

    def pictures(self) -> Sequence[Picture]:
        """Return the tolerance curves and the histograms."""
        return [ToleranceCurves(self.shares), ErrorHistograms(self.errors)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            **self.evaluation.as_dict(),
            **self.tests.as_dict(),
            "groups": [group.as_dict() for group in self.groups],
            "onset_within_ms": {name: shares.tolist() for name, shares in self.shares.items()},
        }


def compare_aligners(
    reference: CorpusLike,
    systems: Mapping[str, CorpusLike],
    metrics: Sequence[str] | None = None,
    *,
    by: str = "phone",
    mapping: Any = None,
    cluster: str | None = "auto",
    seed: int = 0,
) -> AlignerComparison:
    """Compare aligners with a reference: errors of starts and ends, tests, groups and curves.

    Parameters
    ----------
    reference : Corpus or dict
        Recordings with named intervals.
    systems : mapping of str to Corpus or dict
        The aligners by name.
    metrics : sequence of str, default None
        Scores; by default :data:`ALIGNER_SCORES`.
    by : str, default "phone"
        Groups of intervals: "phone", "pair" or "class=FILE".
    mapping : str, path or dict, default None
        A map of phone sets, see :class:`~caesura.metrics.label_map.LabelMap`.
    cluster : str, default "auto"
        An attribute for intervals and tests over clusters; "auto" is "speaker" where several recordings have one, None is the recordings.
    seed : int, default 0
        The seed of intervals and tests.

    Returns
    -------
    AlignerComparison
        Tables, drawings and all numbers.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> late = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "t", "sil"])
    >>> result = compare_aligners({"one": gold, "two": gold}, {"aligner": {"one": late, "two": gold}})
    >>> result.evaluation["onset-within-20ms"].micro, float(result.shares["aligner"][19])
    (0.875, 0.875)
    """
    own = {} if mapping is None else {"mapping": mapping}
    chosen = [
        metric(name, **(own if "mapping" in metric(name).parameters else {})) for name in metrics or ALIGNER_SCORES
    ]
    evaluation = evaluate(reference, systems, chosen, resamples=0)
    if evaluation.pairs.reference.kind != "time" or not evaluation.pairs.reference.names:
        raise CaesuraError("aligners place names in recordings; the reference has no named intervals.")
    if cluster == "auto":
        cluster = "speaker" if hint_at_speakers(evaluation.items, evaluation.attributes) else None
    evaluation = evaluate(reference, systems, chosen, cluster=cluster, seed=seed)
    tested = [name for name in _TESTED if name in evaluation.measured] or list(evaluation.measured)[:1]
    every = system_tests(evaluation, seed=seed)
    tests = SystemTests(every.method, {name: each for name, each in every.by_metric.items() if name in tested})
    grouped = [metric(name, **own) for name in DEFAULT_SCORES]
    groups, shares, errors = [], {}, {}
    for name, counted in evaluation.counted.items():
        groups.append(interval_groups(counted, by, grouped, system=name if len(systems) > 1 else ""))
        pooled = pooled_errors(counted, grouped[0]).errors
        off = pooled.onset[~np.isnan(pooled.onset)]
        upto = np.searchsorted(np.sort(np.abs(off)), np.arange(1, 101) + 1e-9, "right")
        errors[name], shares[name] = off, upto / max(len(pooled.partner), 1)
    return AlignerComparison(evaluation, tests, tuple(groups), shares, errors)
