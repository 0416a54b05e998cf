"""What follows from rows that add up: pooling, intervals, significance, bounds, tables."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.display.table import Interval as Interval
    from caesura.statistics.accumulate import Accumulator as Accumulator
    from caesura.statistics.accumulate import make_scorer as make_scorer
    from caesura.statistics.bootstrap import bootstrap_interval as bootstrap_interval
    from caesura.statistics.bounds import BASELINES as BASELINES
    from caesura.statistics.bounds import baseline as baseline
    from caesura.statistics.bounds import bound as bound
    from caesura.statistics.bounds import usual_bounds as usual_bounds
    from caesura.statistics.counted import CountedPairs as CountedPairs
    from caesura.statistics.counted import Measured as Measured
    from caesura.statistics.evaluation import Evaluation as Evaluation
    from caesura.statistics.evaluation import Results as Results
    from caesura.statistics.evaluation import evaluate as evaluate
    from caesura.statistics.significance import PairedTest as PairedTest
    from caesura.statistics.significance import RankTest as RankTest
    from caesura.statistics.significance import compare_systems as compare_systems
    from caesura.statistics.significance import holm as holm
    from caesura.statistics.significance import paired_test as paired_test
    from caesura.statistics.significance import rank_test as rank_test

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "accumulate": ["Accumulator", "make_scorer"],
        "bootstrap": ["Interval", "bootstrap_interval"],
        "bounds": ["BASELINES", "baseline", "bound", "usual_bounds"],
        "counted": ["CountedPairs", "Measured"],
        "evaluation": ["Evaluation", "Results", "evaluate"],
        "significance": ["PairedTest", "RankTest", "compare_systems", "holm", "paired_test", "rank_test"],
    },
)
