"""What an evaluation says, however it was counted: scores, intervals, tests, and the sentences that belong beside the numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from caesura.display.result import Result
from caesura.display.table import Code, Interval, OnScale, Table, as_count, measure_name, spell
from caesura.errors import import_extra
from caesura.metrics import Metric
from caesura.metrics.family import Rows
from caesura.statistics.bounds import DEGENERATE
from caesura.statistics.counted import References
from caesura.statistics.evaluation_tables import as_frame, record_dicts
from caesura.statistics.significance import PairedMethod, PairedTest, RankTest, compare_systems, rank_test
from caesura.words import number_of


@dataclass(frozen=True, repr=False)
class Measured(Result):
    """One metric on one system: a row of counts per item, and what follows from them."""

    metric: Metric
    rows: Rows
    interval: Interval | None
    references: References = "pooled"

    @property
    def signature(self) -> str:
        """The metric's signature, and how several references were counted where that is not by pooling."""
        return self.metric.signature + ("" if self.references == "pooled" else f"|refs:{self.references}")

    @property
    def micro(self) -> float:
        """Score of the summed rows: every boundary (window, segment) weighs the same."""
        return float(self.metric.score(self.rows.sum(axis=0)))

    @property
    def macro(self) -> float:
        """Mean of the items' scores: every item weighs the same; undefined items are left out."""
        scores = self.metric.score(self.rows)
        defined = scores[np.isfinite(scores)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def undefined(self) -> int:
        """How many items have no score of their own."""
        return int((~np.isfinite(self.metric.score(self.rows))).sum())

    @property
    def per_item(self) -> list[float]:
        """The score of every item."""
        scores: list[float] = self.metric.score(self.rows).tolist()
        return scores

    def tables(self) -> Sequence[Table]:
        """The score, and the counts that it is made of."""
        counts = dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True))
        return [
            replace(
                score_table(self.metric.title, {"": {self.metric.name: self}}, None), notes=(Code(self.signature),)
            ),
            Table(
                "counts",
                ("count", "sum"),
                tuple((name, as_count(value)) for name, value in counts.items()),
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**self._pooled_facts(), "per_item": self.per_item}

    def _pooled_facts(self) -> dict[str, Any]:
        return {
            "signature": self.signature,
            "micro": self.micro,
            "macro": self.macro,
            "interval": None if self.interval is None else list(self.interval),
            "undefined": self.undefined,
            "counts": dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True)),
        }


class Results(Result):
    """What every metric says about every system: ``results["B"]`` of the first system, ``results["ours", "B"]`` of any.

    Results are tables to other libraries: ``to_polars()``, ``to_pandas()``, Arrow's PyCapsule interface (``pyarrow.table(results)``), and
    ``results["B"].rows`` are NumPy's.
    """

    systems: Mapping[str, Mapping[str, Measured]]
    bounds: Mapping[str, Mapping[str, Measured]] = MappingProxyType({})
    #: Items that were left out because one side lacks them; items that count as unmarked on the side that lacks them.
    skipped: tuple[str, ...]
    filled: tuple[str, ...]
    #: Items that were left out because a metric cannot count them, and why.
    uncounted: Mapping[str, str] = MappingProxyType({})

    @property
    @abstractmethod
    def count(self) -> int:
        """How many items were compared."""

    @property
    def caption(self) -> str:
        """What was compared, in a few words."""
        return number_of(self.count, "item")

    #: Of the intervals: the share they promise to hold, and how many resamples they come from; of none there are none.
    level: float = 0.95
    resamples: int = 10_000

    def tables(self) -> Sequence[Table]:
        """Every score with its interval; below it, what belongs beside the numbers and their signatures."""
        bounds = {f"({name})": measured for name, measured in self.bounds.items()}
        notes = (
            *(f"! {sentence}" for sentence in self.sentences()),
            *(Code(m.signature) for m in self.measured.values()),
        )
        return [replace(score_table(self.caption, {**self.systems, **bounds}, self.level), notes=notes)]

    @property
    def measured(self) -> Mapping[str, Measured]:
        """The metrics of the first system: the whole evaluation where there is but one."""
        return next(iter(self.systems.values()))

    def __getitem__(self, name: str | tuple[str, str]) -> Measured:
        return self.systems[name[0]][name[1]] if isinstance(name, tuple) else self.measured[name]

    def tests(
        self, name: str, *, method: PairedMethod = "permutation", samples: int = 10_000, seed: int = 0
    ) -> list[PairedTest]:
        """Paired tests of every two systems on one metric, Holm-corrected."""
        return compare_systems(self.measured[name].metric, self._rows(name), method=method, samples=samples, seed=seed)

    def ranks(self, name: str, *, method: Literal["friedman", "kruskal"] = "friedman") -> RankTest:
        """Friedman or Kruskal–Wallis test of three or more systems on one metric, with Nemenyi's pairs."""
        return rank_test(self.measured[name].metric, self._rows(name), method=method)

    def unmeasured(self) -> list[str]:
        """What is there and no metric chosen here looks at, in a sentence each."""
        return []

    def warnings(self) -> list[str]:
        """Sentences about numbers that deserve a second look: one item, items without a score, systems below a degenerate baseline."""
        sentences = self.unmeasured()
        if self.count == 1 and self.resamples:
            sentences.append("one item leaves nothing to resample, so that there are no intervals and no tests.")
        for system, measured in self.systems.items():
            for name, m in measured.items():
                if m.undefined:
                    sentences.append(
                        f"{name} is undefined on {m.undefined} of {number_of(self.count, 'item')} of {system!r}; the mean leaves them out."
                    )
                for degenerate in DEGENERATE:
                    bound = self.bounds.get(degenerate, {}).get(name)
                    if bound is not None and _better(m.metric, bound.micro, m.micro):
                        sentences.append(
                            f"{name} ranks the baseline {degenerate!r} ({spell(bound.micro)}) above {system!r} ({spell(m.micro)})."
                        )
        return sentences

    def sentences(self) -> list[str]:
        """Everything that belongs beside the numbers: items on one side only, then the warnings."""
        sentences = []
        if self.skipped:
            sentences.append(f"{_some(self.skipped)} left out because one side lacks {_pronoun(self.skipped)}.")
        if self.filled:
            sentences.append(f"{_some(self.filled)} taken for unmarked by the side that lacks {_pronoun(self.filled)}.")
        if self.uncounted:
            names = sorted(self.uncounted)
            sentences.append(f"{_some(names)} left out: {self.uncounted[names[0]]}.")
        return [*sentences, *self.warnings()]

    def to_polars(self) -> Any:
        """One row per system and metric, as a polars DataFrame."""
        return as_frame(self)

    def to_pandas(self) -> Any:
        """One row per system and metric, as a pandas DataFrame."""
        pandas = import_extra("pandas", "parquet", "a table as a pandas DataFrame")
        return pandas.DataFrame(list(record_dicts(self)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """One row per system and metric, for every library that speaks Arrow."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def _rows(self, name: str) -> dict[str, Rows]:
        return {system: measured[name].rows for system, measured in self.systems.items()}


def plain_scores(systems: Mapping[str, Mapping[str, Measured]]) -> dict[str, dict[str, Any]]:
    """Plain data of systems or bounds: name -> metric -> score."""
    return {system: {name: m.as_dict() for name, m in scores.items()} for system, scores in systems.items()}


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """Name metrics; several of one name by their parameters."""
    bare = [m.name for m in metrics]
    return [m.name if bare.count(m.name) == 1 else m.spelled for m in metrics]


def _better(metric: Metric, first: float, second: float) -> bool:
    return first > second if metric.higher_is_better else first < second


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{number_of(len(names), 'item')} ({listed}) {'was' if len(names) == 1 else 'were'}"


def _pronoun(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def score_table(caption: str, systems: Mapping[str, Mapping[str, Measured]], level: float | None = 0.95) -> Table:
    """Pooled score, mean of items and interval: one row per metric, of several systems one per system and metric."""
    several = len(systems) > 1
    rows = tuple(
        (
            *((system if number == 0 else "",) if several else ()),
            measure_name(name, m.metric),
            OnScale(m.micro, m.metric.bounds, m.interval),
            m.macro,
            m.interval,
        )
        for system, measured in systems.items()
        for number, (name, m) in enumerate(measured.items())
    )
    interval = "interval" if level is None else f"{100 * level:g} % interval"
    return Table(
        caption, (*(("system",) if several else ()), "metric", "pooled", "mean of items", interval), rows
    ).without_empty()
