"""Evaluate corpora larger than memory: fragments of Parquet files, counted on local threads or on a Dask cluster.

A run is planned once (:mod:`plan`), a pure function counts each fragment (:mod:`fragment`), and the counts are added up in the order
of the plan (:mod:`run`). Results are the same bit for bit with either engine, and after any interruption.
"""

from caesura.statistics.engine.plan import Plan, plan_run
from caesura.statistics.engine.run import StreamedEvaluation, evaluate_files

__all__ = ["Plan", "StreamedEvaluation", "evaluate_files", "plan_run"]
