"""Measure the constants that decide when a kernel is compiled (caesura/kernels/jit.py): plain calls, Numba's start, loading, compiling.

All times are CPU times. The estimates need to be right within a factor of two or three: compiling too early or too late then costs at most
as much as the work itself.

Run: python benchmarks/thresholds.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["CAESURA_JIT"] = "never"

import numpy as np

import caesura as cs
from caesura.kernels import jit
from caesura.metrics import Batch, metric
from caesura.model import Corpus, Segmentation

NAMES = ("F", "B", "WD", "A", "GHD", "Sf", "B:n_t=3", "A:weight=dice")


def seconds(call: Callable[[], Any], runs: int = 5) -> float:
    """Return the CPU time of a call, the best of several."""
    took = []
    for _ in range(runs):
        began = time.process_time()
        call()
        took.append(time.process_time() - began)
    return min(took)


def corpora(texts: int) -> list[Corpus]:
    """Return two annotations of each text of 100 units."""
    random, sides = np.random.default_rng(0), []
    for _ in range(2):
        marks = [np.sort(random.choice(np.arange(1, 100), 10, replace=False)) for _ in range(texts)]
        sides.append(Corpus.from_dict({f"{i}": {"c": Segmentation(100, each)} for i, each in enumerate(marks)}))
    return sides


def plain() -> None:
    """Compare the estimate of plain work with the time that it takes."""
    print("| plain kernel | estimated, ms | measured, ms |\n|---|---:|---:|")
    batch = Batch.of_corpora(*corpora(300))
    run = jit.LazyKernel.run_plain
    worked: list[float] = []

    def counted(self: jit.LazyKernel, *args: Any) -> Any:
        worked.append(jit._CALL + jit._STEP * self.work(*args))
        return run(self, *args)

    for name in NAMES:
        measure = metric(name)
        jit.LazyKernel.run_plain = counted  # type: ignore[method-assign]
        worked.clear()
        measure.rows(batch)
        estimated = sum(worked)
        jit.LazyKernel.run_plain = run  # type: ignore[method-assign]
        took = seconds(lambda measure=measure: measure.rows(batch))
        print(f"| {name}, 300 texts | {1e3 * estimated:.1f} | {1e3 * took:.1f} |", flush=True)
    single = metric("B")
    took = seconds(lambda: [single([10, 9, 11], [10, 10, 10]) for _ in range(1000)])
    print(f"| a call of B on next to nothing | {1e3 * (jit._CALL + 6 * jit._STEP):.3f} | {took:.3f} |")


COMPILING = """
import time, sys
import caesura as cs
from caesura.kernels import cache_files, jit
from caesura.metrics import metric
from pathlib import Path
cache_files.CacheFiles.folders = lambda self: iter([Path(sys.argv[1])])
begin = time.process_time()
import numba
imported = time.process_time()
print("start", imported - begin)
jit.mode = "always"
promote = jit.LazyKernel.promote
def timed(self):
    def call(*args):
        began = time.process_time()
        result = promote(self)(*args)
        print(self.function.__name__, self.code_size, time.process_time() - began)
        return result
    return call
jit.LazyKernel.promote = timed
for name in sys.argv[2].split():
    metric(name)([10, 9, 11], [10, 10, 10])
"""


def compiling() -> None:
    """Compile kernels into an empty folder, then load them from it."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for _ in range(2):
            environment = {name: value for name, value in os.environ.items() if name != "CAESURA_JIT"}
            environment["PYTHONPATH"] = str(Path(cs.__file__).parents[1])
            command = [sys.executable, "-c", COMPILING, folder, " ".join(NAMES)]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            runs.append([line.split() for line in done.stdout.splitlines()])
    compiled, loaded = runs
    print(
        f"\nimporting Numba: {compiled[0][1][:5]} s; with the first load: {float(loaded[0][1]) + float(loaded[1][2]):.2f} s (_START = {jit._START})"
    )
    print("\n| kernel | bytes of code | estimated, s | compiled, s | loaded, s |\n|---|---:|---:|---:|---:|")
    for (name, size, took), (_, _, again) in zip(compiled[1:], loaded[1:], strict=True):
        print(f"| {name} | {size} | {jit._COMPILE * int(size):.2f} | {float(took):.2f} | {float(again):.3f} |")


if __name__ == "__main__":
    plain()
    compiling()
