"""Corpora larger than memory: fragments of Parquet files counted on local threads or on a Dask cluster, bit for bit the same.

A run is planned once (:mod:`plan`), each fragment is counted by one pure function (:mod:`fragment`), and what comes back adds up in the
order of the plan (:mod:`run`), whichever engine did the work and however often it was interrupted.
"""

from caesura.statistics.engine.plan import Plan, plan_run
from caesura.statistics.engine.run import StreamedEvaluation, evaluate_files

__all__ = ["Plan", "StreamedEvaluation", "evaluate_files", "plan_run"]
