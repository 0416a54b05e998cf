"""Running the program as users do, output piped: in this process where that makes no difference, else in one of its own.

Starting Python and loading the compiled loops takes longer than most commands; so :func:`caesura` calls the same entry point that the installed
program calls, with arguments, environment, folder and streams of its own. :func:`process` is the real thing, for what depends on it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
import warnings
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

SOURCE = Path(__file__).parents[2] / "src"


def caesura(
    *words: object, cwd: Path | None = None, stdin: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``caesura …`` and return what it said and its status."""
    from caesura.cli.main import run

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
    argv = ["caesura", *map(str, words)]
    env = {"COLUMNS": "80", **environment}
    status = 0
    with (
        patch.object(sys, "argv", argv),
        patch.dict(os.environ, env),
        warnings.catch_warnings(),
        chdir(cwd) if cwd is not None else nullcontext(),
        nullcontext() if stdin is None else patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        except BaseException:  # what a user would see as a traceback must fail the test as one
            status = 1
            traceback.print_exc(file=err)
    texts = [stream.buffer.getvalue().decode("utf-8") if not stream.closed else "" for stream in (out, err)]
    return subprocess.CompletedProcess(argv, status, *texts)


def process(*words: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``caesura …`` in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **environment}
    return subprocess.run(
        [sys.executable, "-m", "caesura", *map(str, words)],
        capture_output=True, text=True, encoding="utf-8", env=env, cwd=cwd, timeout=120, check=False,
    )  # fmt: skip


def refused(*words: object, **environment: str) -> str:
    """Run a command that must end with status 2 and one sentence; return the sentence."""
    done = caesura(*words, **environment)
    assert done.returncode == 2, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("caesura: ")
    assert "Traceback" not in done.stderr
    return lines[0].removeprefix("caesura: ")


def written(folder: Path, name: str, items: dict[str, dict[str, list[int]]]) -> Path:
    """Write masses by item and coder as segeval's JSON; return the file."""
    file = folder / name
    file.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    return file
