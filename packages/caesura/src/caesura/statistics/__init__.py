"""Evaluation: pooled scores, intervals, significance tests, bounds and tables."""

from typing import TYPE_CHECKING, Any

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.display.table import IntervalCell as IntervalCell
    from caesura.statistics.accumulate import Accumulator as Accumulator
    from caesura.statistics.accumulate import make_scorer as make_scorer
    from caesura.statistics.against_chance import AgainstChance as AgainstChance
    from caesura.statistics.against_chance import ChanceScore as ChanceScore
    from caesura.statistics.against_chance import against_chance as against_chance
    from caesura.statistics.bootstrap import bootstrap_interval as bootstrap_interval
    from caesura.statistics.bounds import BASELINES as BASELINES
    from caesura.statistics.bounds import baseline as baseline
    from caesura.statistics.bounds import bound as bound
    from caesura.statistics.bounds import default_bounds as default_bounds
    from caesura.statistics.counted import CountedPairs as CountedPairs
    from caesura.statistics.counted import MetricResult as MetricResult
    from caesura.statistics.evaluation import Evaluation as Evaluation
    from caesura.statistics.evaluation import Results as Results
    from caesura.statistics.evaluation import evaluate as evaluate
    from caesura.statistics.significance import PairedTest as PairedTest
    from caesura.statistics.significance import RankTest as RankTest
    from caesura.statistics.significance import compare_systems as compare_systems
    from caesura.statistics.significance import holm as holm
    from caesura.statistics.significance import paired_test as paired_test
    from caesura.statistics.significance import rank_test as rank_test
    from caesura.statistics.slope_test import SlopeTest as SlopeTest
    from caesura.statistics.slope_test import slope_test as slope_test

_load, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "accumulate": ["Accumulator", "make_scorer"],
        "against_chance": ["AgainstChance", "ChanceScore", "against_chance"],
        "bootstrap": ["IntervalCell", "bootstrap_interval"],
        "bounds": ["BASELINES", "baseline", "bound", "default_bounds"],
        "counted": ["CountedPairs", "MetricResult"],
        "evaluation": ["Evaluation", "Results", "evaluate"],
        "significance": ["PairedTest", "RankTest", "compare_systems", "holm", "paired_test", "rank_test"],
        "slope_test": ["SlopeTest", "slope_test"],
    },
)

#: Deprecated name -> new name.
_RENAMED = {"Measured": "MetricResult", "usual_bounds": "default_bounds"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        import warnings

        warnings.warn(
            f"caesura.statistics.{name} is deprecated; use {_RENAMED[name]}", DeprecationWarning, stacklevel=2
        )
        name = _RENAMED[name]
    return _load(name)
