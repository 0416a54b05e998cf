"""Checks that every registered metric must pass: the contracts of Family and Score."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics import Batch, Family, Metric, metric, metric_names
from caesura.metrics.catalog import FAMILIES
from caesura.model import Corpus, Hierarchy, Segmentation, Spans
from caesura.statistics.counted import families_of
from cases import covered

LABELS = ("p", "q", "r")
OURS = [name for name in metric_names() if FAMILIES.source(name) == "caesura"]

#: The boundary types that a family needs in its random corpora, by class; tests of plug-ins add theirs.
LABELS_BY_FAMILY: dict[type[Family], Callable[[Family], tuple[str, ...]]] = {}

#: Metrics that are undefined on short recordings; their scores are those of thirds of a corpus.
NEED_MANY_MARKS = {"onset-p99", "offset-p99"}

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")


@cache
def random_corpus(
    kind: str, types: str, items: int = 40, seed: int = 0, labels: tuple[str, ...] = LABELS, named: bool = False
) -> tuple[Corpus, Corpus]:
    """Two coders over the same texts, with empty, full and one-unit annotations among them."""
    random = np.random.default_rng(seed)
    sides: tuple[list, list] = ([], [])
    for item in range(items):
        length = 1 if item == 0 and kind == "units" else int(random.integers(6, 40))
        for side in sides:
            marks = random_marks(random, kind, types, length, empty=item == 1, labels=labels)
            side.append((f"i{item}", "c", with_names(random, marks) if named else marks))
    return tuple(Corpus.from_annotations(side) for side in sides)


def random_marks(random, kind: str, types: str, length: int, empty: bool, labels: tuple[str, ...] = LABELS):
    if kind == "nested":
        cuts = (
            [] if empty else sorted(random.choice(np.arange(1, length), random.integers(1, 4), replace=False).tolist())
        )
        edges = [0, *cuts, length]
        spans = [(1, length, 1)] + [(a + 1, b, 2) for a, b in pairwise(edges) if cuts]
        return Hierarchy.from_spans(spans, length=length)
    if kind == "spans":
        starts = [] if empty else random.integers(0, length, random.integers(1, 8)).tolist()
        rows = [(s, min(s + int(random.integers(1, 6)), length), labels[random.integers(len(labels))]) for s in starts]
        return Spans.from_rows(rows, length=length, labels=labels)
    if kind == "time":
        grid = np.arange(1, 4 * length) / 4  # coarse, so that two coders often meet
        times = grid[random.random(len(grid)) < (0 if empty else random.uniform(0.1, 0.4))]
        times = times + np.where(random.random(len(times)) < 0.3, random.uniform(-0.04, 0.04, len(times)), 0.0)
        twice = times[random.random(len(times)) < 0.5] - random.uniform(0.005, 0.04)  # nearly at one place
        return Segmentation.from_times(np.sort(np.concatenate((times, twice))), length=float(length))
    chosen = np.flatnonzero(random.random(max(length - 1, 0)) < (0 if empty else 0.3)) + 1
    if types == "ignored":
        return Segmentation.from_positions(chosen.tolist(), length=length)
    marks = [(int(p), labels[random.integers(len(labels))]) for p in chosen]
    return Segmentation.from_positions(marks, length=length, labels=labels)


def with_names(random, marks: Segmentation) -> Segmentation:
    names = random.choice(["a", "t", ""], size=len(marks)).tolist()
    return Segmentation(marks.length, marks.positions, names=names)


def labels_of(measure: Metric) -> tuple[str, ...]:
    choose = LABELS_BY_FAMILY.get(type(measure.family))
    return choose(measure.family) if choose else LABELS


def batches(measure: Metric) -> list[Batch]:
    return [Batch.of_corpora(*corpora_for(measure, kind)) for kind in sorted(measure.kinds)]


def corpora_for(measure: Metric, kind: str, items: int = 40) -> tuple[Corpus, Corpus]:
    return random_corpus(kind, measure.types, items, labels=labels_of(measure), named=measure.family.compares_names)


@pytest.fixture(params=covered(FAMILIES))
def measure(request: pytest.FixtureRequest) -> Metric:
    return metric(request.param)


def test_metadata_is_complete(measure: Metric) -> None:
    assert measure.name in metric_names()
    assert measure.title
    assert measure.paper
    assert measure.fields
    assert len(set(measure.fields)) == len(measure.fields)
    assert measure.signature.startswith(measure.name)


def test_identity_gives_the_best_score(measure: Metric) -> None:
    for batch in batches(measure):
        same = Batch(batch.kind, batch.lengths, batch.reference, batch.reference, batch.labels)
        keep = countable(measure, same)
        scores = measure.score(enough_marks(measure, measure.rows(same.take(keep))))
        defined = ~np.isnan(scores)
        assert defined.any()
        np.testing.assert_allclose(scores[defined], measure.best, atol=1e-12)


def test_scores_stay_in_range(measure: Metric) -> None:
    low, high = measure.bounds
    for batch in batches(measure):
        scores = measure.score(enough_marks(measure, measure.rows(batch.take(countable(measure, batch)))))
        scores = scores[~np.isnan(scores)]
        assert ((scores >= low - 1e-12) & (scores <= high + 1e-12)).all()
        assert len(np.unique(scores.round(9))) > 1, "a metric that cannot tell random annotations apart"


def test_symmetry_where_declared(measure: Metric) -> None:
    for batch in batches(measure):
        keep = countable(measure, batch) & countable(measure, batch.swap_sides())
        there = measure.score(measure.rows(batch.take(keep)))
        back = measure.score(measure.rows(batch.swap_sides().take(keep)))
        if measure.symmetric:
            np.testing.assert_allclose(there, back, atol=1e-12)
        else:
            assert not np.allclose(there, back, atol=1e-12, equal_nan=True), "declared asymmetric, yet symmetric here"


def test_rows_can_be_added_and_pooled(measure: Metric) -> None:
    for batch in batches(measure):
        rows = measure.rows(batch.take(countable(measure, batch)))
        assert rows.shape[1] == len(measure.fields)
        assert rows.dtype == np.float64
        low, high = measure.bounds
        assert low - 1e-12 <= float(measure.score(rows.sum(axis=0))) <= high + 1e-12
        np.testing.assert_array_equal(measure.score(rows), [measure.score(row) for row in rows])


def test_batch_equals_single_and_order_does_not_matter(measure: Metric) -> None:
    for batch in batches(measure):
        keep = np.flatnonzero(countable(measure, batch))
        rows = measure.rows(batch.take(keep))
        single = np.concatenate([measure.rows(batch.take([i])) for i in keep])
        np.testing.assert_array_equal(rows, single)
        shuffled = np.random.default_rng(1).permutation(len(keep))
        np.testing.assert_array_equal(measure.rows(batch.take(keep[shuffled])), rows[shuffled])


def test_score_depends_on_parts_only(measure: Metric) -> None:
    for batch in batches(measure):
        rows = measure.rows(batch.take(countable(measure, batch)))
        parts = measure.parts(rows)
        assert len(parts) == len(rows)
        np.testing.assert_allclose(measure.value(parts), measure.score(rows), rtol=1e-12, atol=1e-12)
        pooled = measure.value(parts.sum(axis=0)), measure.score(rows.sum(axis=0))
        np.testing.assert_allclose(*pooled, rtol=1e-9, atol=1e-12)


def test_single_calls_equal_batches(measure: Metric) -> None:
    for kind in sorted(measure.kinds):
        sides = corpora_for(measure, kind, items=15)
        pairs = list(zip(*([a.marks for a in side] for side in sides), strict=True))
        batch = Batch.of_corpora(*sides)
        keep = countable(measure, batch)
        scores = measure.score(measure.rows(batch.take(keep)))
        single = [measure(*pair) for pair, counted in zip(pairs, keep, strict=True) if counted]
        np.testing.assert_allclose(single, scores, rtol=1e-12, atol=1e-12)
        if kind == "units" and measure.types == "ignored" and not measure.family.compares_names:
            lists = [tuple([int(m) for m in side.masses] for side in pair) for pair in pairs]
            strings = [tuple(side.string for side in pair) for pair in pairs]
            for written in (lists, strings):
                typed = [measure(*pair) for pair, counted in zip(written, keep, strict=True) if counted]
                np.testing.assert_array_equal(typed, single)


def test_applies_to_predicts_errors_of_counting(measure: Metric) -> None:
    for kind in ("units", "time", "nested", "spans"):
        for types in ("ignored", "sets", "exclusive") if kind == "units" else ("ignored",):
            batch = Batch.of_corpora(*random_corpus(kind, types, items=6, labels=labels_of(measure)))
            for i in range(len(batch)):
                pair = batch.take([i])
                if measure.applies_to(pair):
                    assert measure.rows(pair).shape == (1, len(measure.fields))
                else:
                    with pytest.raises(CaesuraError):
                        measure.rows(pair)


def test_family_contains_score(measure: Metric) -> None:
    family = measure.family
    assert family.scores[measure.name] is measure.chosen
    assert measure.about
    assert families_of([measure, metric(measure.spelled)]) == [family]
    assert set(measure.chosen.fixed) <= {f.name for f in fields(family)}


def test_spelling_can_be_read_back(measure: Metric) -> None:
    assert metric(measure.spelled) == measure
    assert metric(measure.name, **measure.parameters).signature == measure.signature


def test_metric_can_be_pickled(measure: Metric) -> None:
    for batch in batches(measure):
        measure.applies_to(batch)  # what it worked out for itself must not travel
        kept = batch.take(countable(measure, batch))
        np.testing.assert_array_equal(measure.rows(pickle.loads(pickle.dumps(kept))), measure.rows(kept))
    data = pickle.dumps(measure)
    again = pickle.loads(data)
    assert again == measure
    assert again.signature == measure.signature
    assert len(data) < 2000


def enough_marks(measure: Metric, rows: np.ndarray) -> np.ndarray:
    """Add up the rows of thirds, for a metric that needs many marks."""
    if measure.name not in NEED_MANY_MARKS:
        return rows
    return np.stack([part.sum(axis=0) for part in np.array_split(rows, 3)])


def countable(measure: Metric, batch: Batch) -> np.ndarray:
    """Mark the pairs that the metric accepts (windows reject shorter texts); computed once per family and batch."""
    asked = measure.family, batch.kind, pickle.dumps(batch)
    if asked not in _countable:
        _countable[asked] = _accepted_pairs(measure, batch)
    return _countable[asked]


_countable: dict[object, np.ndarray] = {}


def _accepted_pairs(measure: Metric, batch: Batch) -> np.ndarray:
    def is_accepted(i: int) -> bool:
        try:
            measure.rows(batch.take([i]))
        except CaesuraError:
            return False
        return True

    keep = np.array([is_accepted(i) for i in range(len(batch))])
    assert keep.mean() > 0.5, "a metric that rejects most ordinary texts"
    return keep


DUMP = """
import sys, numpy as np
from importlib import import_module
folder, module, target, *names = sys.argv[1:]
sys.path.insert(0, folder)
tests = import_module(module)
from caesura.metrics import metric
out = {}
for name in names:
    made = metric(name)
    for batch in tests.batches(made):
        out[f"{name}/{batch.kind}"] = made.rows(batch.take(tests.countable(made, batch)))
np.savez(target, **out)
"""


@pytest.mark.slow
def test_plain_python_gives_the_same_numbers(tmp_path) -> None:
    assert_same_numbers_in_plain_python(__file__, OURS, tmp_path)


def assert_same_numbers_in_plain_python(test_file: str, names: list[str], folder: Path) -> None:
    """Count random batches without Numba in a new process, with ``batches`` of the module of ``test_file``, and compare."""
    target, module = folder / "rows.npz", Path(test_file)
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", DUMP, str(module.parent), module.stem, str(target), *names]
    subprocess.run(words, env=env, check=True)
    plain = np.load(target)
    for name in names:
        measure = metric(name)
        for batch in batches(measure):
            rows = measure.rows(batch.take(countable(measure, batch)))
            np.testing.assert_allclose(plain[f"{name}/{batch.kind}"], rows, rtol=1e-12, atol=1e-12, err_msg=name)
