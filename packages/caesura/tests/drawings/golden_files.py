"""Drawings compared with files: CAESURA_GOLDEN=write makes them anew, to be looked at before they are committed."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def check_golden(name: str, drawn: str) -> None:
    """Compare a drawing with its file."""
    file = FOLDER / name
    if os.environ.get("CAESURA_GOLDEN") == "write":
        file.write_text(drawn + "\n", encoding="utf-8")
    assert file.is_file(), f"{name} is new: CAESURA_GOLDEN=write draws it"
    assert drawn + "\n" == file.read_text(encoding="utf-8")
