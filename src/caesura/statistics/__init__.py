"""What follows from rows that add up: pooling, intervals, significance."""

from caesura.statistics.evaluation import Evaluation, evaluate
from caesura.statistics.pairing import Pairing, pair_up

__all__ = ["Evaluation", "Pairing", "evaluate", "pair_up"]
