"""Measures in time, some of them against pyannote.metrics and mir_eval, in one process: ``python benchmarks/time_metrics.py``.

Prints CPU seconds of both and their ratio, and that the values agree. Install both packages first.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import caesura as cs
from caesura.metrics.hierarchies import layer_scores
from caesura.metrics.interval_errors import edits_of_names
from caesura.metrics.interval_pairing import NamedIntervals, pair_by_cost, pair_by_names
from caesura.metrics.label_map import LabelMap
from caesura.metrics.linked import Events, link
from caesura.metrics.organisation import expected_nucleated
from caesura.statistics.interval_groups import interval_groups


def cpu(function, *args):
    """Return the result and the least CPU time of three calls."""
    best = np.inf
    for _ in range(3):
        start = process_time()
        result = function(*args)
        best = min(best, process_time() - start)
    return result, best


def turns(random: np.random.Generator, number: int) -> list[tuple[float, float, str]]:
    rows, time = [], 0.0
    for _ in range(number):
        time += random.exponential(0.3)
        length = random.exponential(0.6) + 0.05
        rows.append((round(time, 3), round(time + length, 3), f"s{random.integers(12)}"))
        time += length * random.uniform(0.7, 1.0)
    return rows


def diarization(random: np.random.Generator) -> None:
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationErrorRate

    for number in (2_000, 40_000):
        sides = [turns(random, number) for _ in range(2)]
        ours = [cs.Spans.from_rows(rows, length=1.1 * max(e for _, e, _ in rows), time=True) for rows in sides]
        length = max(side.length for side in ours)
        ours = [cs.Spans(length, side.starts, side.ends, side.types, side.labels) for side in ours]
        measure = cs.metric("diarization-error:like=pyannote,collar=0.25")
        measure(*ours)
        value, seconds = cpu(measure, *ours)
        if number > 2_000:
            print(f"diarization-error, {number:,} turns a side: {seconds:.3f} s")
            continue
        theirs = []
        for rows in sides:
            annotation = Annotation()
            for track, (start, end, speaker) in enumerate(rows):
                annotation[Segment(start, end), track] = speaker
            theirs.append(annotation)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other, their_seconds = cpu(DiarizationErrorRate(collar=0.25), *theirs)
        ratio = their_seconds / seconds
        print(
            f"diarization-error, {number:,} turns a side: {seconds:.4f} s, pyannote.metrics {their_seconds:.3f} s, ratio {ratio:.0f}"
        )
        print(f"  values {value:.6f} and {other:.6f} (turns of one speaker that overlap count twice there)")


def corpus(random: np.random.Generator) -> None:
    """1,000 recordings of 500 turns, with intervals: all scores, and from RTTM files."""
    sides = [
        cs.Corpus.from_annotations(
            cs.Annotation(f"r{i}", "", cs.Spans.from_rows(turns(random, 500), length=1000.0, time=True))
            for i in range(1000)
        )
        for _ in range(2)
    ]
    cs.evaluate(*sides, ["diarization-error:collar=0.25"])
    _, seconds = cpu(lambda: cs.evaluate(*sides, ["diarization-error:collar=0.25"]))
    print(f"diarization-error, 1,000 recordings × 500 turns, with intervals: {seconds:.2f} s")
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.rttm" for name in ("ref", "sys")]
        for path, side in zip(paths, sides, strict=True):
            cs.write(side, path, lossy=True)
        start = process_time()
        for path in paths:
            cs.read(path)
        print(f"reading both RTTM files, 1,000,000 lines: {process_time() - start:.2f} s")


def hierarchies(random: np.random.Generator) -> None:
    import mir_eval

    def layers(length: float):
        cuts = [
            np.unique(np.concatenate(([0, length], np.round(np.sort(random.random(c)) * length, 1))))
            for c in (8, 40, 200)
        ]
        return [np.stack((c[:-1], c[1:]), axis=1) for c in cuts]

    for length in (300.0, 3600.0):
        ref, est = layers(length), layers(length)
        layer_scores(ref, est)
        value, seconds = cpu(layer_scores, ref, est)
        if length > 300:
            print(f"T-measure, {length:.0f} s, three layers: {seconds:.3f} s")
            continue
        start = process_time()
        theirs = mir_eval.hierarchy.tmeasure(ref, est)
        their_seconds = process_time() - start
        print(
            f"T-measure, {length:.0f} s, three layers: {seconds:.4f} s, mir_eval {their_seconds:.2f} s, ratio {their_seconds / seconds:.0f}"
        )
        print(f"  values {value.f:.9f} and {theirs[2]:.9f}")


def pairing(random: np.random.Generator) -> None:
    number, share = 40_000, 0.2
    names, starts = random.integers(0, 45, number), np.cumsum(random.integers(300_000, 1_500_000, number))
    keep = random.random(number) > share
    others = np.where(random.random(number) < share, random.integers(0, 45, number), names)[keep]
    moved = np.sort((starts + random.normal(0, 150_000, number).astype(np.int64))[keep])
    ref = NamedIntervals(starts, starts + 500_000, [str(name) for name in names])
    hyp = NamedIntervals(moved, moved + 500_000, [str(name) for name in others])
    empty = LabelMap.of("")
    for what, call in (
        ("names within 5 s", lambda: pair_by_names(ref, hyp, empty, 5e7)),
        ("MFA's cost", lambda: pair_by_cost(ref.in_seconds(1e7), hyp.in_seconds(1e7), empty, ["sil"])),
    ):
        call()
        print(f"pairing {number:,} × {len(others):,} intervals, {what}: {cpu(call)[1]:.3f} s")
    events = Events(
        np.arange(20_000) * 20_000_000, np.arange(20_000) * 20_000_000 + 15_000_000, random.integers(0, 5, 20_000)
    )
    print(f"linking 20,000 × 20,000 annotations: {cpu(link, events, events, 0.6)[1]:.3f} s")


def aligner(random: np.random.Generator) -> None:
    """1,000 recordings of 1,000 phones: errors by phone and by pair of phones."""
    made: dict[str, list[cs.Annotation]] = {"gold": [], "system": []}
    for number in range(1000):
        times = np.cumsum(random.uniform(0.04, 0.15, 1000)).round(4)
        names = [f"p{code}" for code in random.integers(0, 45, 1000)]
        moved = np.maximum.accumulate((times[:-1] + random.normal(0, 0.01, 999)).clip(0.001, times[-1] - 0.001))
        moved = np.maximum.accumulate(moved + np.arange(999) * 1e-6).round(6)
        for side, cuts in (("gold", times[:-1]), ("system", moved)):
            marks = cs.Segmentation.from_times(cuts, length=float(times[-1]) + 0.1, names=names)
            made[side].append(cs.Annotation(f"r{number}", "", marks))
    gold, system = (cs.Corpus.from_annotations(each) for each in made.values())
    for by in ("phone", "pair"):

        def table(by: str = by) -> None:
            counted = cs.evaluate(gold, {"s": system}, ["onset-median"], resamples=0).counted["s"]
            interval_groups(counted, by, ["onset-median", "onset-p90", "offset-median"])

        table()
        print(f"onset and offset errors of 1,000 recordings of 1,000 phones, by {by}: {cpu(table)[1]:.2f} s")


def others(random: np.random.Generator) -> None:
    lengths = random.uniform(0.2, 3.0, 400)
    expected_nucleated(lengths, 3600.0, "lengths", 10, 1)
    _, seconds = cpu(lambda: expected_nucleated(lengths, 3600.0, "lengths", 1000, 1))
    print(f"1,000 random configurations of 400 annotations: {seconds:.2f} s")
    names = random.integers(0, 45, 40_000)
    for share in (0.01, 0.2):
        changed = np.where(random.random(40_000) < share, random.integers(0, 45, 40_000), names)
        sides = [[str(code) for code in row] for row in (names, changed)]
        edits_of_names(*sides, LabelMap.of(""))
        _, seconds = cpu(edits_of_names, *sides, LabelMap.of(""))
        print(f"edit distance of 40,000 names, {share:.0%} changed: {seconds:.2f} s")


if __name__ == "__main__":
    for part in (corpus, pairing, diarization, hierarchies, aligner, others):
        part(np.random.default_rng(1))
