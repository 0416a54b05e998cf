"""Running the program as users do: in a process of its own, output piped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def caesura(*words: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``caesura …`` and return what it said and its status."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **environment}
    return subprocess.run(
        [sys.executable, "-m", "caesura", *map(str, words)],
        capture_output=True, text=True, encoding="utf-8", env=env, cwd=cwd, timeout=120, check=False,
    )  # fmt: skip


def refused(*words: object, **environment: str) -> str:
    """Run a command that must end with status 2 and one sentence; return the sentence."""
    done = caesura(*words, **environment)
    assert done.returncode == 2, done.stderr
    said = done.stderr.strip().splitlines()
    assert len(said) == 1, done.stderr
    assert said[0].startswith("caesura: ")
    assert "Traceback" not in done.stderr
    return said[0].removeprefix("caesura: ")
