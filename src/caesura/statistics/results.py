"""What an evaluation says, however it was counted: scores, intervals, tests, and the sentences that belong beside the numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from caesura.metrics import Metric
from caesura.metrics.family import Rows
from caesura.statistics.baselines import DEGENERATE
from caesura.statistics.bootstrap import Interval
from caesura.statistics.counted import References
from caesura.statistics.significance import PairedMethod, PairedTest, RankTest, compare_systems, rank_test
from caesura.words import number_of

__all__ = ["Measured", "Results", "told_apart"]


@dataclass(frozen=True)
class Measured:
    """One metric on one system: a row of counts an item, and what follows from them."""

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

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**self._pooled(), "per_item": self.per_item}

    def _pooled(self) -> dict[str, Any]:
        return {
            "signature": self.signature,
            "micro": self.micro,
            "macro": self.macro,
            "interval": None if self.interval is None else list(self.interval),
            "undefined": self.undefined,
            "counts": dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True)),
        }


class Results(ABC):
    """What every metric says about every system: ``results["B"]`` of the first system, ``results["ours", "B"]`` of any.

    Results are tables to other libraries: ``to_polars()``, ``to_pandas()``, Arrow's PyCapsule interface (``pyarrow.table(results)``), and
    ``results["B"].rows`` are NumPy's.
    """

    systems: Mapping[str, Mapping[str, Measured]]
    bounds: Mapping[str, Mapping[str, Measured]] = MappingProxyType({})
    #: Items that were left out because one side lacks them; items that count as unmarked on the side that lacks them.
    skipped: tuple[str, ...]
    filled: tuple[str, ...]

    @property
    @abstractmethod
    def count(self) -> int:
        """How many items were compared."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""

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

    def warnings(self) -> list[str]:
        """Sentences about numbers that deserve a second look: one item, items without a score, systems below a degenerate baseline."""
        said = []
        if self.count == 1:
            said.append("one item leaves nothing to resample, so that there are no intervals and no tests.")
        for system, found in self.systems.items():
            for name, m in found.items():
                if m.undefined:
                    said.append(
                        f"{name} is undefined on {m.undefined} of {number_of(self.count, 'item')} of {system!r}; the mean leaves them out."
                    )
                for degenerate in DEGENERATE:
                    bound = self.bounds.get(degenerate, {}).get(name)
                    if bound is not None and _better(m.metric, bound.micro, m.micro):
                        said.append(
                            f"{name} ranks the baseline {degenerate!r} ({bound.micro:.4f}) above {system!r} ({m.micro:.4f})."
                        )
        return said

    def sentences(self) -> list[str]:
        """Everything that belongs beside the numbers: items on one side only, then the warnings."""
        said = []
        if self.skipped:
            said.append(f"{_some(self.skipped)} left out because one side lacks {_them(self.skipped)}.")
        if self.filled:
            said.append(f"{_some(self.filled)} taken for unmarked by the side that lacks {_them(self.filled)}.")
        return [*said, *self.warnings()]

    def to_polars(self) -> Any:
        """One row a system and metric, as a polars DataFrame."""
        from caesura.statistics.tables import as_frame

        return as_frame(self)

    def to_pandas(self) -> Any:
        """One row a system and metric, as a pandas DataFrame."""
        from caesura.errors import MissingExtra
        from caesura.statistics.tables import records

        try:
            import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            raise MissingExtra("pandas", "parquet", "a table as a pandas DataFrame") from None
        return pandas.DataFrame(records(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """One row a system and metric, for every library that speaks Arrow."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def _rows(self, name: str) -> dict[str, Rows]:
        return {system: found[name].rows for system, found in self.systems.items()}


def told_apart(metrics: Sequence[Metric]) -> list[str]:
    """Name metrics; several of one name by their parameters."""
    bare = [m.name for m in metrics]
    return [m.name if bare.count(m.name) == 1 else m.spelled for m in metrics]


def _better(metric: Metric, one: float, two: float) -> bool:
    return one > two if metric.higher_is_better else one < two


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{number_of(len(names), 'item')} ({listed}) {'was' if len(names) == 1 else 'were'}"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"
