"""Tests between systems on every metric of an evaluation, as one result to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from caesura.display.result import Result
from caesura.display.table import Table
from caesura.statistics.evaluation import Results
from caesura.statistics.evaluation_tables import difference_table
from caesura.statistics.significance import PairedTest, RankTest

SystemTest: TypeAlias = Literal["permutation", "bootstrap", "friedman", "kruskal"]


@dataclass(frozen=True, repr=False)
class SystemTests(Result):
    """What the tests between systems say: of every two systems, or of all by their ranks; empty where there is nothing to test."""

    method: SystemTest
    by_metric: Mapping[str, Sequence[PairedTest] | RankTest]

    def tables(self) -> list[Table]:
        """One or two tables per metric."""
        tables: list[Table] = []
        for name, tests in self.by_metric.items():
            if isinstance(tests, RankTest):
                first, *others = tests.tables()
                tables += [replace(first, caption=f"{name}: {first.caption}"), *others]
            else:
                tables.append(difference_table(name, tests))
        return tables

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: every comparison with the metric it is by."""
        return {"comparisons": list(self._records())}

    def _records(self) -> Iterator[dict[str, Any]]:
        for name, tests in self.by_metric.items():
            if isinstance(tests, RankTest):
                yield {"metric": name, **tests.as_dict()}
            else:
                yield from ({"metric": name, **vars(test)} for test in tests)


def system_tests(results: Results, test: SystemTest = "permutation", *, seed: int = 0) -> SystemTests:
    """Test every metric, where there is more than one system and more than one item."""
    if test == "friedman" or test == "kruskal":
        return SystemTests(test, {name: results.ranks(name, method=test) for name in results.measured})
    if len(results.systems) < 2 or results.count < 2:
        return SystemTests(test, {})
    return SystemTests(test, {name: results.tests(name, method=test, seed=seed) for name in results.measured})
