"""100 editors make 10 edits each over two servers on one database, while the servers are killed and restarted: nothing may be lost or made twice.

    python packages/caesura-workbench/tests/two_servers.py [DATABASE] [--editors 100] [--edits 10] [--kills 4]

DATABASE is a path (SQLite, default: a temporary file) or a PostgreSQL URL of an empty database; ``postgres`` starts a server in a temporary folder. Every
editor adds boundaries to an annotation of their own, and all of them add comments to one item. An edit that gets no answer is sent again to the other server,
with the same id. At the end every edit must be in the history once, in order.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "caesura" / "tests")]

from web_server import Server  # noqa: E402

_UNITS = 60


def main() -> None:
    """Run the editors and check the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", nargs="?")
    parser.add_argument("--editors", type=int, default=100)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--kills", type=int, default=4)
    given = parser.parse_args()
    with ExitStack() as stack:
        database: Any = given.database
        if database == "postgres":
            from postgres_server import postgres_url

            database = stack.enter_context(postgres_url())
        elif database is None:
            database = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "store.sqlite"
        servers = [Server(database, "--workers", "1").start() for _ in range(2)]
        try:
            _run(servers, given)
        finally:
            for server in servers:
                server.kill()


def _run(servers: list[Server], given: argparse.Namespace) -> None:
    with servers[0].client() as client:
        project = client.post("/api/projects", json={"name": f"test {time.time()}"}).json()["id"]
        text = {"item": "text", "text": "\n".join(f"line {n}" for n in range(_UNITS)), "unit": "line"}
        item = client.post(f"/api/projects/{project}/text", json=text).json()["item"]
        made = [
            client.post(
                f"/api/items/{item}/annotations", json={"coder": f"e{n}", "role": "coder", "empty": True}
            ).json()["id"]
            for n in range(given.editors)
        ]
    start = time.monotonic()
    repeated = [0] * given.editors
    threads = [
        threading.Thread(target=_edit, args=(servers, annotation, n, given.edits, repeated))
        for n, annotation in enumerate(made)
    ]
    for thread in threads:
        thread.start()
    killer = random.Random(0)
    for _ in range(given.kills):
        time.sleep(1.5)
        victim = killer.choice(servers)
        victim.kill()
        victim.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - start
    with servers[1].client() as client:
        for n, annotation in enumerate(made):
            kept = client.get(f"/api/annotations/{annotation}").json()
            steps = [
                step["operation"].get("position")
                for step in client.get(f"/api/annotations/{annotation}/history").json()[1:]
            ]
            assert steps == _positions(n, given.edits), (n, steps)
            assert kept["marks"]["positions"] == sorted(steps), n
            assert kept["version"] == given.edits + 1, n
    print(
        f"{given.editors} editors × {given.edits} edits over two servers, {given.kills} kills: every edit is there once; "
        f"{seconds:.1f} s, {sum(repeated)} requests were sent again."
    )


def _positions(editor: int, edits: int) -> list[int]:
    return random.Random(editor).sample(range(1, _UNITS), edits)


def _edit(servers: list[Server], annotation: int, editor: int, edits: int, repeated: list[int]) -> None:
    """Make the edits of one editor, each until a server has answered."""
    version, turn = 1, editor
    with httpx.Client(timeout=20, verify=False) as client:
        tokens: dict[str, str] = {}
        for number, position in enumerate(_positions(editor, edits)):
            body = {
                "version": version,
                "operation": {"kind": "add", "position": position},
                "request": f"edit-{editor:04d}-{number:04d}",
            }
            while True:
                address = servers[turn % 2].address
                try:
                    if address not in tokens:
                        tokens[address] = client.get(f"{address}/api/session").json()["csrf"]
                    headers = {"X-CSRF-Token": tokens[address]}
                    answer = client.patch(f"{address}/api/annotations/{annotation}", json=body, headers=headers)
                    if answer.status_code == 200:
                        version = answer.json()["version"]
                        break
                    assert answer.status_code in (403, 503), (answer.status_code, answer.text)
                    tokens.pop(address)  # a restarted server has a new token
                except (httpx.TransportError, KeyError, ValueError):
                    tokens.pop(address, None)
                repeated[editor] += 1
                turn += 1
                time.sleep(0.2)


if __name__ == "__main__":
    main()
