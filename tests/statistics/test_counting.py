from __future__ import annotations

import numpy as np
import pytest

from caesura.metrics import Batch, metric
from caesura.metrics.windows import Windows
from caesura.model import Corpus
from caesura.statistics.counted import count_families, count_rows, families_of


@pytest.mark.parametrize("threads", [None, 1, 2, 5, 64])
def test_any_number_of_threads_gives_the_same_rows(threads: int | None) -> None:
    random = np.random.default_rng(0)
    sides = []
    for _ in range(2):
        data = {}
        for i in range(50):
            cuts = np.sort(random.choice(np.arange(1, 100), size=random.integers(0, 30), replace=False))
            data[f"i{i}"] = {"c": np.diff(np.concatenate(([0], cuts, [100]))).tolist()}
        sides.append(Corpus.from_dict(data))
    batch = Batch.of_corpora(*sides)
    np.testing.assert_array_equal(count_rows(metric("F"), batch, threads=threads), metric("F").rows(batch))


def test_a_family_is_counted_once_for_all_its_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_dict({"a": {"x": [20, 20, 20]}, "b": {"x": [5, 30, 5]}})
    batch, counted = Batch.of_corpora(corpus, corpus), []
    count = Windows.count
    monkeypatch.setattr(Windows, "count", lambda self, batch: (counted.append(self.k), count(self, batch))[1])
    chosen = [metric(name) for name in ("Pk", "WD", "WD:weighted=True", "Pk:k=3", "B", "S")]
    rows = count_families(families_of(chosen), batch)
    assert counted == [None, 3], "the default k in one sweep, k=3 in another"
    for each in chosen:
        np.testing.assert_array_equal(rows[each.family], each.rows(batch))
