"""Time evaluation at scale: a million documents from Parquet, ten thousand resamples, one and two threads.

Run: python benchmarks/evaluation.py [--documents 1000000]
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from caesura.metrics import metric
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.engine import evaluate_files

METRICS = ["B", "WD", "Pk", "A", "F"]


def documents(path: Path, number: int, seed: int, units: int = 200, boundaries: int = 20) -> None:
    """Write documents of ``units`` units with about ``boundaries`` boundaries, in row groups, without building a corpus."""
    random = np.random.default_rng(seed)
    frames = []
    for start in range(0, number, 100_000):
        here = min(100_000, number - start)
        marks = np.flatnonzero(random.random(here * (units - 1)) < boundaries / (units - 1))
        row, position = np.divmod(marks, units - 1)
        lists = (
            pl.DataFrame({"row": row, "positions": position + 1}).group_by("row", maintain_order=True).agg("positions")
        )
        every = pl.DataFrame({"row": np.arange(here)}).join(lists, on="row", how="left", maintain_order="left")
        frames.append(
            every.select(
                item=pl.format("d{}", (pl.col("row") + start).cast(pl.String).str.zfill(9)),
                coder=pl.lit("c"),
                length=pl.lit(units),
                positions=pl.col("positions").fill_null(pl.lit([], dtype=pl.List(pl.Int64))),
            )
        )
    pl.concat(frames).write_parquet(path, row_group_size=50_000)


def million(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = ("gold", "one", "two")
        paths = {name: Path(folder) / f"{name}.parquet" for name in names}
        for seed, path in enumerate(paths.values()):
            documents(path, number, seed)
        size = sum(path.stat().st_size for path in paths.values()) / 2**20
        marks = 0

        def progress(done: int, total: int, boundaries: int) -> None:
            nonlocal marks
            marks += boundaries

        systems = {"one": paths["one"], "two": paths["two"]}
        evaluate_files(paths["gold"], systems, METRICS, items_per_fragment=min(1000, number), resamples=10)  # compiles
        for workers in (1, 2):
            marks, start, cpu = 0, time.perf_counter(), time.process_time()
            evaluate_files(paths["gold"], systems, METRICS, workers=workers, progress=progress)
            took, spent = time.perf_counter() - start, time.process_time() - cpu
            print(
                f"{number:,} documents × 2 systems × {len(METRICS)} metrics, {size:.0f} MB of Parquet, {workers} thread(s): {took:.2f} s, "
                f"{marks / took / 1e6:.1f} million boundaries read a second, {marks * len(METRICS) / took / 1e6:.0f} million counted; "
                f"{spent:.2f} s of CPU"
            )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def other_order(number: int) -> None:
    """Time files with different orders of items, which are partitioned on disk first, and files in the same order."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("gold", "one", "two")
        ordered, mixed = (
            [Path(folder) / f"{name}-{order}.parquet" for name in names] for order in ("ordered", "mixed")
        )
        for seed, (path, other) in enumerate(zip(ordered, mixed, strict=True)):
            make = f"from evaluation import *; documents(Path({str(path)!r}), {number}, {seed}); pl.read_parquet({str(path)!r})"
            make += (
                f".sample(fraction=1.0, shuffle=True, seed={seed}).write_parquet({str(other)!r}, row_group_size=50_000)"
            )
            subprocess.run(
                [sys.executable, "-c", make], cwd=Path(__file__).parent, check=True
            )  # in a separate process, so that its memory does not count
        spent = []
        for words, paths in (("in another order in every file", mixed), ("in one order", ordered)):
            marks: list[int] = []
            start, cpu = time.perf_counter(), time.process_time()
            systems = {"one": paths[1], "two": paths[2]}
            evaluate_files(
                paths[0], systems, METRICS, workers=2, progress=lambda done, total, here, seen=marks: seen.append(here)
            )
            took = time.perf_counter() - start
            spent.append(time.process_time() - cpu)
            print(
                f"{number:,} documents {words} × 2 systems × {len(METRICS)} metrics, 2 threads: {took:.2f} s, "
                f"{sum(marks) / took / 1e6:.1f} million boundaries read a second, {spent[-1]:.2f} s of CPU; "
                f"peak memory so far {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
            )
        print(f"different orders cost {spent[0] / spent[1]:.1f} times the CPU time of the same order")


def intervals() -> None:
    random = np.random.default_rng(0)
    rows = [random.integers(0, 9, size=(10_000, 3)).astype(np.float64) for _ in range(10)]
    start = time.perf_counter()
    Resampling().score_intervals([metric("F").score] * 10, rows)
    print(f"10,000 resamples of 10,000 items × 10 metrics: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    given = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    other_order(min(1000, given.documents))  # compiles
    other_order(given.documents)  # first, because peak memory is that of the whole process
    intervals()
    million(given.documents)
