"""Values from other people's programs live beside the project, in ``../shared``; tests that want them skip where they are not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

BESIDE = Path(__file__).resolve().parents[1].parent / "shared"


def shared(path: str) -> Path:
    """Find a file or folder below ``../shared`` (or ``$CAESURA_SHARED``), or skip the test with a reason."""
    found = Path(os.environ.get("CAESURA_SHARED", BESIDE)) / path
    if not found.exists():
        pytest.skip(f"shared/{path} is not beside the project (set CAESURA_SHARED to its folder)")
    return found


def shared_json(path: str) -> Any:
    """Read a JSON file below ``../shared``, or skip."""
    return json.loads(shared(path).read_text(encoding="utf-8"))
