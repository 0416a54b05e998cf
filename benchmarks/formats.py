"""Time reading and writing a million annotations as Parquet and JSON lines.

Every measurement runs in a separate process, best of three. For comparison, the parser alone (polars' columns, json.loads of every
line), which builds and checks no corpus.

Run: python benchmarks/formats.py [ANNOTATIONS]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BOUNDARIES = 20
ROUNDS = 3

MAKE = """
import numpy as np, sys
from caesura import Corpus, write
n, m = int(sys.argv[1]), 20
steps = np.random.default_rng(0).integers(1, 9, (n, m))
corpus = Corpus(kind="units", items=[f"item{i}" for i in range(n // 4)], coders=list("abcd"), item_of=np.repeat(np.arange(n // 4), 4),
    coder_of=np.tile(np.arange(4), n // 4), lengths=np.full(n, 200), offsets=np.arange(0, n * m + 1, m), positions=steps.cumsum(1).ravel())
"""
TIMED = """
import json, resource, sys, time
start, cpu = time.perf_counter(), time.process_time()
{work}
took = {{"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}}
print(json.dumps(took | {{"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000}}))
"""
WORK = {
    "write": "write(corpus, sys.argv[2])",
    "read": "import caesura; caesura.read(sys.argv[2])",
    "bare parquet": "import polars; polars.read_parquet(sys.argv[2])",
    "bare jsonl": "for line in open(sys.argv[2], encoding='utf-8'): json.loads(line)",
}


def measure(what: str, count: int, path: Path) -> dict[str, float]:
    """Run one measurement in a separate process; return the best of several."""
    program = (MAKE if what == "write" else "") + TIMED.format(work=WORK[what])
    runs = []
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", program, str(count), str(path)], capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda run: run["seconds"])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    print(f"{count:,} annotations of {BOUNDARIES} boundaries, best of {ROUNDS}")
    print(f"{'':24}{'seconds':>9}{'cpu':>9}{'MB':>8}{'ratio to bare':>15}")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("parquet", "jsonl"):
            path = Path(folder) / f"corpus.{suffix}"
            wrote, read = measure("write", count, path), measure("read", count, path)
            bare = measure(f"bare {suffix}", count, path)
            for what, run in ((f"write {suffix}", wrote), (f"read {suffix}", read), (f"bare {suffix}", bare)):
                ratio = f"{run['cpu'] / bare['cpu']:15.1f}" if what.startswith("read") else ""
                print(f"{what:24}{run['seconds']:9.2f}{run['cpu']:9.2f}{run['megabytes']:8.0f}{ratio}")


if __name__ == "__main__":
    main()
