"""The workbench with a large project: 5,000 items × 50 people, everybody has annotated everything.

    python benchmarks/workbench_scale.py [--items 5000] [--people 50] [--database FILE]

Prints the time of each request, the first time and again, and the median time of an edit: alone; beside three clients that keep asking for agreement,
disagreements and progress while somebody edits (so that these are never the same twice); beside 50 pages that follow the feed of changes; beside
requests that concern the whole project; and beside a report, an export and an import in the background, with the time of each. Run with another tree on PYTHONPATH to compare; requests that a tree does not have are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

NOW = "2026-11-18T08:00:00.000+00:00"
TOKEN = "a token of the benchmark"


def generate(path: Path, items: int, people: int) -> None:
    """Write a project in which everybody annotated every item, with some disagreement; a fifth of the tasks is not done."""
    from caesura_workbench.store import Store

    Store(f"sqlite:///{path}").close()  # makes the tables of this version
    draw = random.Random(0)
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO projects (id, name, created) VALUES (1, 'large', ?)", [NOW])
        for n in range(1, people + 1):
            db.execute("INSERT INTO people (id, name, created) VALUES (?, ?, ?)", [n, f"person {n}", NOW])
            db.execute("INSERT INTO members (project, person, role) VALUES (1, ?, 'annotator')", [n])
        number = 0
        for item in range(1, items + 1):
            units = json.dumps([f"word{draw.randrange(2000)}" for _ in range(30)])
            db.execute(
                "INSERT INTO items (id, project, name, track, kind, length, units, attributes) VALUES (?, 1, ?, '', 'units', 30, ?, '{}')",
                [item, f"Item {item:05}", units],
            )
            truth = sorted(draw.sample(range(1, 30), 4))
            rows, first = [], number
            for person in range(1, people + 1):
                number += 1
                marks = sorted({min(29, max(1, cut + draw.choice((0, 0, 0, 0, 1, -1)))) for cut in truth})
                rows.append((number, item, person, json.dumps({"positions": marks})))
            db.executemany(
                "INSERT INTO annotations (id, item, coder, head, version, origin, role, brought, person) VALUES (?, ?, ?, ?, 1, 'begun empty', 'coder', 0, ?)",
                [(n, i, f"person {p}", n, p) for n, i, p, _ in rows],
            )
            db.executemany(
                "INSERT INTO revisions (id, annotation, marks, operation, author, time) VALUES (?, ?, ?, '{}', '', ?)",
                [(n, n, marks, NOW) for n, _, _, marks in rows],
            )
            db.executemany(
                "INSERT INTO assignments (item, person, status, note, changed) VALUES (?, ?, ?, '', ?)",
                [(i, p, "done" if n % 5 else "open", NOW) for n, i, p, _ in rows],
            )
            assert number == first + people


class Server:
    """A server process of the tree on the path."""

    def __init__(self, database: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        start = "import sys; from caesura.cli.main import run; sys.argv[0] = 'caesura'; run()"
        command = [sys.executable, "-c", start, "serve", "--no-browser", "--port", str(self.port)]
        command += ["--database", str(database), "--token", TOKEN]
        began = time.perf_counter()
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(3000):
            try:
                self.get("/api/me")
                break
            except OSError:
                if self._process.poll() is not None:
                    raise SystemExit("the server ended.") from None
                time.sleep(0.1)
        self.started = time.perf_counter() - began
        self.csrf = json.loads(self.get("/api/session"))["csrf"]

    def processor_seconds(self) -> float:
        """Return the processor time of the server, without that of its workers."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def get(self, path: str) -> bytes:
        return self._send("GET", path, None)

    def send(self, method: str, path: str, body: Any) -> Any:
        return json.loads(self._send(method, path, json.dumps(body).encode()) or b"null")

    def post(self, path: str, data: bytes, kind: str) -> bytes:
        return self._send("POST", path, data, kind)

    def _send(self, method: str, path: str, data: bytes | None, kind: str = "application/json") -> bytes:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": kind}
        if data is not None:
            headers["X-CSRF-Token"] = self.csrf
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=900) as answer:
            return bytes(answer.read())

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(20)


#: What the pages ask for; those of the tree before this design come first.
REQUESTS = (
    "/api/projects",
    "/api/projects/1",
    "/api/projects/1/progress",
    "/api/projects/1/counts",
    "/api/projects/1/items?limit=50",
    "/api/projects/1/items?limit=50&state=begun&q=12&order=name",
    "/api/projects/1/grid?limit=50&people=1-50",
    "/api/projects/1/pace",
    "/api/projects/1/agreement",
    "/api/projects/1/disagreements?most=30",
    "/api/projects/1/disputes?limit=30",
    "/api/inbox",
    "/api/projects/1/schema/usage",
    "/api/projects/1/export/formats",
    "/projects/1",
    "/items/2500",
    "/api/items/2500",
)


def timed(server: Server, path: str) -> tuple[float, int] | None:
    began = time.perf_counter()
    try:
        content = server.get(path)
    except urllib.error.HTTPError as error:
        return None if error.code == 404 else (time.perf_counter() - began, -error.code)
    return time.perf_counter() - began, len(content)


class Editor:
    """Edits a gold annotation of one item after another."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._state: dict[str, Any] = {}

    def prepare(self, item: int) -> None:
        body = {"coder": f"gold {time.time()}", "empty": True}
        self._state = self._server.send("POST", f"/api/items/{item}/annotations", body)

    def edit(self, position: int) -> float:
        kind = "delete" if position in self._state["marks"]["positions"] else "add"
        body = {"version": self._state["version"], "operation": {"kind": kind, "position": position}}
        began = time.perf_counter()
        self._state = self._server.send("PATCH", f"/api/annotations/{self._state['id']}", body)
        return time.perf_counter() - began


def edits(server: Server, number: int, pause: float) -> list[float]:
    editor = Editor(server)
    took = []
    for n in range(number):
        if n % 10 == 0:
            editor.prepare(1 + n * 7)
        took.append(editor.edit(1 + n % 29))
        time.sleep(pause)
    return took


def edits_beside(server: Server, paths: list[str], number: int, pause: float = 0.0) -> tuple[list[float], int]:
    """Edit while a client asks for each of these paths, with a pause between its requests."""
    stop = threading.Event()
    answered = [0]

    def ask(path: str) -> None:
        while not stop.is_set():
            if timed(server, path) is None:
                return
            answered[0] += 1
            stop.wait(pause)

    asking = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in asking:
        thread.start()
    took = edits(server, number, 0.1)
    stop.set()
    for thread in asking:
        thread.join()
    return took, answered[0]


def edits_beside_one(server: Server, what: str, call: Callable[[], Any]) -> str:
    """Edit until one request is answered; return its time, the processor time of the server, and the time of the edits."""
    editor, took, stop = Editor(server), [], threading.Event()
    editor.prepare(1 + int(10 * time.time()) % 100)

    def edit() -> None:
        while not stop.is_set():
            took.append(editor.edit(1 + len(took) % 29))
            time.sleep(0.05)

    editing = threading.Thread(target=edit)
    before, began = server.processor_seconds(), time.perf_counter()
    editing.start()
    try:
        call()
    finally:
        seconds = time.perf_counter() - began
        stop.set()
        editing.join()
    spent = server.processor_seconds() - before
    return f"beside {what}: {seconds:.1f} s, {spent:.1f} s of the server's processor; {describe_edits(took)}"


def change_schema(server: Server, changed: dict[str, Any], *, check: bool = False) -> None:
    """Save a schema with these changes, or only check it."""
    known = json.loads(server.get("/api/projects/1/schema"))
    body = {"version": known["version"], "schema": {**known["schema"], **changed}}
    address = "/api/projects/1/schema"
    server.send("POST" if check else "PUT", f"{address}/check" if check else address, body)


#: Requests that concern the whole project, and what they do.
WHOLE: tuple[tuple[str, Callable[[Server], Any]], ...] = (
    ("the provenance of all annotations", lambda server: server.get("/api/projects/1/provenance")),
    ("checking a schema", lambda server: change_schema(server, {"labels": [{"name": "A"}]}, check=True)),
    ("saving a schema", lambda server: change_schema(server, {"labels": [{"name": "A"}]})),
    ("renaming a label", lambda server: change_schema(server, {"labels": [{"name": "B", "was": "A"}]})),
    ("assigning all items to everybody", lambda server: server.send("POST", "/api/projects/1/assignments", {})),
)


def edits_beside_job(server: Server, what: str, start: Callable[[], Any]) -> str:
    """Edit until a job in the background is finished; return its time and that of the edits."""
    editor, took, n = Editor(server), [], 0
    began = time.perf_counter()
    job = start()
    while job["state"] in ("waiting", "running"):
        if n % 10 == 0:
            editor.prepare(1 + n * 7 % 4_900)
        took.append(editor.edit(1 + n % 29))
        n += 1
        time.sleep(0.1)
        job = json.loads(server.get(f"/api/jobs/{job['id']}"))
    seconds = time.perf_counter() - began
    size = f", {(job['result'] or {}).get('bytes', 0) / 1e6:.1f} MB" if job["file"] else ""
    return f"{what}: {job['state']} after {seconds:.1f} s{size} {job['error'] or ''}; {describe_edits(took)}"


def describe_edits(took: list[float]) -> str:
    ordered = sorted(took)
    return (
        f"an edit: median {1000 * statistics.median(ordered):.0f} ms, 95 % {1000 * ordered[int(0.95 * len(ordered))]:.0f} ms, "
        f"longest {1000 * ordered[-1]:.0f} ms"
    )


def import_job(server: Server, files: int, coders: int) -> Any:
    """Start the import of files, each with the annotations of one new item by several coders."""
    from caesura.formats import write
    from caesura.model import Annotation, Corpus, Segmentation

    boundary = "a-line-between-the-parts"
    parts = []
    for n in range(files):
        coded = [Annotation(f"New {n}", f"coder {c}", Segmentation(30, [5 + c])) for c in range(coders)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new.jsonl"
            write(Corpus.from_annotations(coded), path, "caesura-jsonl")
            rows = path.read_text(encoding="utf-8")
        head = f'Content-Disposition: form-data; name="files"; filename="new{n}.jsonl"'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n{rows}\r\n")
    data = ("".join(parts) + f"--{boundary}--\r\n").encode()
    kind = f"multipart/form-data; boundary={boundary}"
    return json.loads(server.post("/api/projects/1/jobs/import", data, kind))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--items", type=int, default=5000)
    options.add_argument("--people", type=int, default=50)
    options.add_argument("--database", type=Path)
    options.add_argument("--edits", type=int, default=60)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = given.database or Path(folder) / "large.sqlite"
        if not database.exists():
            generate(database, given.items, given.people)
        server = Server(database)
        print(f"{given.items:,} items × {given.people} people; server ready after {server.started:.1f} s", flush=True)
        for path in REQUESTS:
            first = timed(server, path)
            if first is not None:
                again = timed(server, path)
                assert again is not None
                size = f"{first[1] / 1e6:.3f} MB" if first[1] >= 0 else f"status {-first[1]}"
                print(f"{path:62} first {first[0]:8.3f} s   again {again[0]:7.3f} s   {size}", flush=True)
        alone = edits(server, given.edits, 0.02)
        print(f"alone: {describe_edits(alone)}", flush=True)
        new = timed(server, "/api/projects/1/counts") is not None
        three = (
            ["/api/projects/1/agreement", "/api/projects/1/disputes?limit=30", "/api/projects/1/counts"]
            if new
            else ["/api/projects/1/agreement", "/api/projects/1/disagreements?most=30", "/api/projects/1/progress"]
        )
        beside, answered = edits_beside(server, three, given.edits)
        print(f"beside three clients ({answered} answers): {describe_edits(beside)}", flush=True)
        if new:
            pages = ["/api/projects/1/changes?after=-1"] * 50
            following, answered = edits_beside(server, pages, given.edits, pause=3.0)
            print(f"beside 50 pages that follow changes ({answered} answers): {describe_edits(following)}", flush=True)
            for what, call in WHOLE:
                print(edits_beside_one(server, what, partial(call, server)), flush=True)
            project = "/api/projects/1/jobs"
            print(edits_beside_job(server, "export", lambda: server.send("POST", f"{project}/export", {})), flush=True)
            print(edits_beside_job(server, "import, 300 files × 10", lambda: import_job(server, 300, 10)), flush=True)
            print(edits_beside_job(server, "report", lambda: server.send("POST", f"{project}/report", {})), flush=True)
        server.end()


if __name__ == "__main__":
    main()
