"""The stable sort against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.kernels.arrays import stable_order


@pytest.mark.parametrize("way", ["plain", "compiled"])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_stable_order_keeps_order_of_equal_keys(way: str, dtype: type) -> None:
    rng = np.random.default_rng(5)
    for size in [*range(70), 500]:
        for different in (1, 4, 1000):
            keys = rng.integers(-different, different, size).astype(dtype)
            order = getattr(stable_order.lazy_kernel, way)(keys)
            np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
