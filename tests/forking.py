"""Run many ``caesura`` commands quickly: one Python process imports what every command needs and forks for each command."""

from __future__ import annotations

import json
import subprocess
from functools import cached_property
from pathlib import Path

_PROGRAM = """
import json, os, sys
import numpy, caesura.formats, caesura.metrics, caesura.model, rich.console, rich.text
from caesura.cli.main import run
for line in sys.stdin:
    if (child := os.fork()) == 0:
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["caesura", *json.loads(line)]
        run()
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class ForkingProgram:
    """The program ``caesura`` of one Python environment, run in one folder.

    Parameters
    ----------
    python : Path or str
        The interpreter.
    folder : Path
        The working directory of the commands.
    environment : dict of str to str
        The environment variables.
    """

    def __init__(self, python: Path | str, folder: Path, environment: dict[str, str]) -> None:
        self.python, self.folder, self.environment = python, folder, environment

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.python), "-c", _PROGRAM],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
            cwd=self.folder, env=self.environment,
        )  # fmt: skip

    def __call__(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command and wait for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([*map(str, words)]), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        printed = ((self.folder / name).read_text("utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(words, status, *printed)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
