"""Time search regions, compared with NumPy and a Python loop, and reading TextGrids, compared with praatio.

All are timed in the same run, the best of several repeats, by CPU time of one thread, so that other work on the machine has little
influence.

Run: python benchmarks/regions.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from caesura.formats import read, write
from caesura.metrics import Batch, metric
from caesura.metrics.regions import region_scores
from caesura.model import Corpus, Segmentation


def best(function: Callable[[], object], repeats: int = 7) -> float:
    function()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        function()
        times.append(time.thread_time() - start)
    return min(times)


def with_numpy(ref: np.ndarray, hyp: np.ndarray, tolerance: float) -> int:
    """Count hits on whole arrays: the nearest boundary by searchsorted, then the distinct ones."""
    known, times = np.unique(np.rint(ref * 1e7).astype(np.int64)), np.sort(np.rint(hyp * 1e7).astype(np.int64))
    right = np.searchsorted(known, times)
    left, right = np.clip(right - 1, 0, len(known) - 1), np.clip(right, 0, len(known) - 1)
    nearest = np.where(times - known[left] <= known[right] - times, left, right)
    inside = np.abs(times - known[nearest]) <= round(tolerance * 1e7)
    return len(np.unique(nearest[inside]))


def with_python(ref: list[float], hyp: list[float], tolerance: float) -> int:
    """Search all hypotheses for every reference boundary, as published scripts do."""
    ticks, half = [round(h * 1e7) for h in hyp], round(tolerance * 1e7)
    known = sorted({round(r * 1e7) for r in ref})
    hits = 0
    for i, r in enumerate(known):
        low, high = r - half, r + half
        if i and 2 * low <= known[i - 1] + r:
            low = (known[i - 1] + r) // 2 + 1
        if i + 1 < len(known):
            high = min(high, (known[i + 1] + r) // 2)
        hits += any(low <= h <= high for h in ticks)
    return hits


def boundaries(size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return np.sort(random.random(size) * size * 0.08), np.sort(random.random(size) * size * 0.08)


def one_recording() -> None:
    print("\none recording, N reference and N hypothesis boundaries, times in ms")
    print(f"{'N':>9} {'caesura':>10} {'NumPy':>10} {'ratio':>8} {'Python loop':>13} {'ratio':>9}")
    for size in (10**2, 10**4, 10**5, 10**6):
        ref, hyp = boundaries(size)
        assert region_scores(ref, hyp).hits == with_numpy(ref, hyp, 0.02)
        ours, theirs = best(partial(region_scores, ref, hyp), 15), best(partial(with_numpy, ref, hyp, 0.02))
        loop = python_loop(ref, hyp)
        agreement = (
            f"{1e3 * loop:>13.1f} {loop / ours:>8.0f}×"
            if size <= 10**4
            else f"{1e3 * loop:>11.0f} e {loop / ours:>8.0f}×"
        )
        print(f"{size:>9} {1e3 * ours:>10.4f} {1e3 * theirs:>10.3f} {theirs / ours:>7.1f}× {agreement}")
    print("e: estimated from 200 of the references, because the loop is quadratic")


def python_loop(ref: np.ndarray, hyp: np.ndarray) -> float:
    """Time the loop; above 10^4, on 200 evenly spaced references, scaled up."""
    if len(ref) <= 10**4:
        listed = ref.tolist(), hyp.tolist()
        if len(ref) == 10**4:
            start = time.thread_time()
            assert with_python(*listed, 0.02) == region_scores(ref, hyp).hits
            return time.thread_time() - start
        return best(lambda: with_python(*listed, 0.02), 3)
    some, all_of_them = ref[:: len(ref) // 200][:200].tolist(), hyp.tolist()
    start = time.thread_time()
    with_python(some, all_of_them, 0.02)
    return (time.thread_time() - start) * len(ref) / 200


def many_recordings() -> None:
    print(
        "\nmany recordings in one batch, one core: metric.count on columns of float seconds, rounding to the grid included"
    )
    print(f"{'recordings':>10} {'each':>6} {'matching':>9} {'ms':>9} {'million boundaries per second':>28}")
    for recordings, each in ((100_000, 40), (2_500, 400), (20, 100_000)):
        random = np.random.default_rng(1)
        sides = [np.sort(random.random((recordings, each)) * each * 0.08, axis=1).ravel() for _ in range(2)]
        names = [f"r{i}" for i in range(recordings)]
        ref, hyp = (
            Corpus(
                kind="time", items=names, coders=["c"], item_of=np.arange(recordings), coder_of=np.zeros(recordings, int),
                lengths=np.full(recordings, each * 0.08), offsets=np.arange(recordings + 1) * each, positions=side,
            )
            for side in sides
        )  # fmt: skip
        batch = Batch.of_corpora(ref, hyp)
        for matching in ("regions", "optimal", "lenient"):
            measure = metric("R", matching=matching)
            seconds = best(partial(measure.count, batch), 9)
            rate = 2 * recordings * each / seconds / 1e6
            print(f"{recordings:>10} {each:>6} {matching:>9} {1e3 * seconds:>9.2f} {rate:>28.0f}")


def optimal_matching() -> None:
    print("\nthe largest one-to-one matching, against mir_eval.util.match_events, times in ms")
    try:
        from mir_eval.util import match_events
    except ImportError:
        print("mir_eval is not installed")
        return
    print(f"{'N':>9} {'caesura':>10} {'mir_eval':>10} {'ratio':>8}")
    for size in (10**2, 10**3, 10**4):
        ref, hyp = boundaries(size)
        assert region_scores(ref, hyp, matching="optimal").hits == len(match_events(ref, hyp, 0.02))
        ours = best(partial(region_scores, ref, hyp, matching="optimal"), 9)
        theirs = best(partial(match_events, ref, hyp, 0.02), 2)
        print(f"{size:>9} {1e3 * ours:>10.4f} {1e3 * theirs:>10.2f} {theirs / ours:>7.0f}×")


def textgrids() -> None:
    size = 10**5
    print(f"\na TextGrid with {size} intervals, seconds")
    try:
        from praatio import textgrid
    except ImportError:
        textgrid = None
        print("praatio is not installed; only our own time is shown")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.TextGrid"
        marks = Segmentation.from_times(
            np.arange(1, size) / 12.5, length=size / 12.5, names=[f"p{i % 60}" for i in range(size)]
        )
        write(Corpus.from_annotations([("long", "", marks)]), path, lossy=True)
        ours = best(lambda: read(path), 3)
        print(f"{'caesura read':>16} {ours:>8.3f}")
        if textgrid is not None:
            theirs = best(lambda: textgrid.openTextgrid(str(path), includeEmptyIntervals=True), 2)
            print(f"{'praatio read':>16} {theirs:>8.3f} {theirs / ours:>7.1f}×")
        print(f"{'caesura write':>16} {best(lambda: write(read(path), path, lossy=True), 2) - ours:>8.3f}")


if __name__ == "__main__":
    import platform

    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {sys.platform}")
    one_recording()
    many_recordings()
    optimal_matching()
    textgrids()
