"""``caesura serve`` in a separate process."""

from __future__ import annotations

import multiprocessing
import os
import resource
import socket
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

httpx = pytest.importorskip("httpx", reason="tests of the workbench speak HTTP")


#: Loading the workbench takes a second, so one process loads it and forks for every server.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "caesura.cli.main",
        "caesura_workbench.serve",
        "caesura_workbench.app",
        "uvicorn.protocols.http.h11_impl",
        "caesura_workbench.scores",
        "caesura.agreement.among_coders",
        "caesura.agreement.unitizing",
        "caesura.kernels.fused",
        "caesura.metrics.displacement",
        "caesura.metrics.spans",
        "caesura_vowels.accuracy",
        "caesura_vowels.field_scores",
        "web_server",  # this module, whose function the new process runs
    ]
)


def serve(words: list[str], environment: dict[str, str], descriptors: int | None) -> None:
    """Run the command in a forked process."""
    os.environ.clear()
    os.environ.update(environment)
    if descriptors is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    from caesura.cli.main import run

    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # a daemon could not start workers
    sys.argv = ["caesura", *words]
    with open(os.devnull, "w") as sys.stdout:
        run()


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """``caesura serve`` as a process that can be killed and restarted on the same database."""

    def __init__(self, database: Path, *words: str, descriptors: int | None = None) -> None:
        self.database, self.words, self.descriptors = database, words, descriptors
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: Any = None

    def start(self) -> Server:
        words = ["serve", "--no-browser", "--port", str(self.port), "--database", str(self.database), *self.words]
        self.process = _FORKS.Process(target=serve, args=(words, dict(os.environ), self.descriptors), daemon=True)
        here = Path(__file__).parent
        sources = map(str, here.parents[2].glob("packages/*/src"))
        ours = [str(here), *sources, *filter(None, [os.environ.get("PYTHONPATH")])]
        with patch.dict(os.environ, PYTHONPATH=os.pathsep.join(ours)):  # for the one that forks
            self.process.start()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as listener:  # asking over HTTP would cost more than the server's own start
                if listener.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self.process.is_alive(), "the server ended at once"
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.join()

    def empty(self) -> None:
        """Empty the database, which is faster than starting a new process."""
        with closing(sqlite3.connect(self.database)) as db, db:
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                db.execute(f"DELETE FROM {table}")

    def client(self) -> httpx.Client:
        """Return a client with the CSRF token."""
        how = {"base_url": self.address, "timeout": 60, "verify": False}  # loading certificates takes long
        with httpx.Client(**how) as asking:
            csrf = asking.get("/api/session").json()["csrf"]
        return httpx.Client(**how, headers={"X-CSRF-Token": csrf})

    def visitor(self) -> httpx.Client:
        """Return a client that is not signed in."""
        return httpx.Client(base_url=self.address, timeout=60, verify=False)
