"""A PostgreSQL server for tests: the one in ``CAESURA_POSTGRES``, or one started in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["postgres_url"]

_INSTALLED = Path("/usr/lib/postgresql")


@contextmanager
def postgres_url() -> Iterator[str]:
    """Yield the address of a server; skip the test if there is none."""
    pytest.importorskip("psycopg", reason="PostgreSQL is spoken to with psycopg (the extra postgres)")
    given = os.environ.get("CAESURA_POSTGRES")
    if given:
        yield given
        return
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL: set CAESURA_POSTGRES to an address, or install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="caesura-postgres-"))
    who = _other_user(folder)
    try:
        with _running(binaries, folder, who) as port:
            yield f"postgresql+psycopg://caesura@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path | None:
    """Return the folder of the newest installed server."""
    folders = [path.parent for path in _INSTALLED.glob("*/bin/initdb") if (path.parent / "postgres").exists()]
    return max(folders, key=lambda path: float(path.parent.name), default=None)


def _other_user(folder: Path) -> dict[str, Any]:
    """Return another user to run as, because PostgreSQL does not run as root."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known.get("nobody")
    if entry is None:
        pytest.skip("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def _running(binaries: Path, folder: Path, who: dict[str, Any]) -> Iterator[int]:
    data = folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **who}
    command = [binaries / "initdb", "-D", data, "-U", "caesura", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(command, check=True, timeout=120, **quiet)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    settings = {"listen_addresses": "127.0.0.1", "fsync": "off", "shared_buffers": "16MB", "max_connections": "120"}
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    server = subprocess.Popen([binaries / "postgres", "-D", data, "-k", folder, "-p", str(port), *options], **quiet)
    try:
        _wait(port, server)
        yield port
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    import psycopg

    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, "PostgreSQL did not start"
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="caesura", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise RuntimeError("PostgreSQL did not answer")
