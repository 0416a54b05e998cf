"""What follows from rows that add up: pooling, intervals, significance, bounds, tables."""

from caesura.display.table import Interval
from caesura.statistics.accumulate import Accumulator, make_scorer
from caesura.statistics.bootstrap import bootstrap_interval
from caesura.statistics.bounds import BASELINES, baseline, bound, usual_bounds
from caesura.statistics.counted import CountedPairs
from caesura.statistics.evaluation import Evaluation, evaluate
from caesura.statistics.results import Measured, Results
from caesura.statistics.significance import PairedTest, RankTest, compare_systems, holm, paired_test, rank_test

__all__ = [
    "BASELINES",
    "Accumulator",
    "CountedPairs",
    "Evaluation",
    "Interval",
    "Measured",
    "PairedTest",
    "RankTest",
    "Results",
    "baseline",
    "bootstrap_interval",
    "bound",
    "compare_systems",
    "evaluate",
    "holm",
    "make_scorer",
    "paired_test",
    "rank_test",
    "usual_bounds",
]
