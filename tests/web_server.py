"""``caesura serve`` as a process of its own, for browsers, loads and kills."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="tests of the workbench speak HTTP")


class Server:
    """``caesura serve`` as a process that can be killed and started again on the same store."""

    def __init__(self, database: Path, *words: str, descriptors: int | None = None) -> None:
        self.database, self.words, self.descriptors = database, words, descriptors
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        command = [
            sys.executable,
            "-m",
            "caesura",
            "serve",
            "--no-browser",
            "--port",
            str(self.port),
            "--database",
            str(self.database),
        ]
        ours = [str(Path(__file__).parents[1] / "src"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, ours))}
        if self.descriptors is not None:
            command = ["sh", "-c", f'ulimit -n {self.descriptors} && exec "$@"', "sh", *command]
        self.process = subprocess.Popen([*command, *self.words], env=env, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as door:  # asking over HTTP would cost more than the server's own start
                if door.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self.process.poll() is None, "the server ended at once"
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def client(self) -> httpx.Client:
        """A client for a with statement, which opens it: so one that has asked nothing yet."""
        how = {"base_url": self.address, "timeout": 60, "verify": False}  # loading certificates takes long
        with httpx.Client(**how) as asking:
            csrf = asking.get("/api/session").json()["csrf"]
        return httpx.Client(**how, headers={"X-CSRF-Token": csrf})

    def visitor(self) -> httpx.Client:
        """A client of somebody who has not said who they are."""
        return httpx.Client(base_url=self.address, timeout=60, verify=False)
