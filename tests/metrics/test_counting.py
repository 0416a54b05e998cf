from __future__ import annotations

import numpy as np
import pytest

from caesura.metrics import Batch, metric
from caesura.metrics.counting import count_rows
from caesura.model import Corpus


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
