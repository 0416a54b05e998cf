"""Where tests find their figures: those of other people's programs in ``tests/oracles``, large data beside the project.

Data in ``../shared`` is not part of a clone; tests that want it skip where it is not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ORACLES = Path(__file__).parent / "oracles"
BESIDE = Path(__file__).resolve().parents[4] / "shared"


def shared(path: str) -> Path:
    """Find a file or folder below ``../shared`` (or ``$CAESURA_SHARED``), or skip the test with a reason."""
    place = Path(os.environ.get("CAESURA_SHARED", BESIDE)) / path
    if not place.exists():
        pytest.skip(f"shared/{path} is not beside the project (set CAESURA_SHARED to its folder)")
    return place


def oracle(path: str) -> Path:
    """A file of figures that other people's programs gave."""
    return ORACLES / path


def oracle_json(path: str) -> Any:
    """Read a JSON file of such figures."""
    return json.loads(oracle(path).read_text(encoding="utf-8"))
