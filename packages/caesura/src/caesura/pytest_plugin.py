"""The pytest plug-in: the fixture ``assert_segmentation``."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def assert_segmentation() -> Callable[..., None]:
    """Return :func:`caesura.testing.assert_segmentation`: ``assert_segmentation(reference, hypothesis, B=0.8)``."""
    from caesura.testing import assert_segmentation

    return assert_segmentation
