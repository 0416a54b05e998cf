"""Attack a real server, and say for each attack whether it held: other pages answer, memory is bounded, nothing is lost.

    python packages/caesura-workbench/tests/attacks.py [--lines 12000] [--requests 45]

1. Many requests at once for suggestions of the most expensive segmenter on one long text; meanwhile, somebody else opens a page every half second.
2. Crafted uploads, each of which once took minutes or gigabytes: brackets in a transcript, an XML bomb, a zip bomb, deeply nested JSON.
3. A request with two lengths, and requests that never end.

The status is 1 if an attack succeeded. Crafted models, quadratic readers, passwords and permissions have tests of their own (test_robustness.py of
caesura-vowels, test_hostile_growth.py, test_security.py, test_people.py).
"""

from __future__ import annotations

import argparse
import io
import socket
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "caesura" / "tests")]

from web_server import Server  # noqa: E402

_MOST_WAIT = 5.0  # seconds for a page while an attack runs, on a busy machine
_MOST_MEMORY = 2 * 2**31  # bytes: each of the two workers may have 2 GiB (JobLimits)


def main() -> int:
    """Run all attacks and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=12_000)
    parser.add_argument("--requests", type=int, default=45)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            held = [*_suggestions(server, given.lines, given.requests), *_uploads(server), *_requests(server)]
        finally:
            server.kill()
    for name, well, facts in held:
        print(f"{'held' if well else 'FAILED'}: {name}: {facts}")
    return int(not all(well for _, well, _ in held))


def _suggestions(server: Server, lines: int, requests: int) -> Iterator[tuple[str, bool, str]]:
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "long"}).json()["id"]
        text = "\n".join(f"line {n} says word{n % 97} and word{n % 89}" for n in range(lines))
        made = client.post(f"/api/projects/{project}/text", json={"item": "long", "text": text, "unit": "line"})
        item = made.json()["item"]
    answers: Counter[int] = Counter()

    def ask() -> None:
        with server.client() as client:
            client.timeout = httpx.Timeout(300)
            answers[client.post(f"/api/items/{item}/suggestions", json={"segmenter": "c99"}).status_code] += 1

    before = _memory(server)
    threads = [threading.Thread(target=ask) for _ in range(requests)]
    for thread in threads:
        thread.start()
    waits, most = [], before
    with server.client() as client:
        client.timeout = httpx.Timeout(60)
        while any(thread.is_alive() for thread in threads):
            start = time.perf_counter()
            assert client.get(f"/api/projects/{project}").status_code == 200
            waits.append(time.perf_counter() - start)
            most = max(most, _memory(server))
            time.sleep(0.5)
    well = max(waits) < _MOST_WAIT and most - before < _MOST_MEMORY and not answers[500]
    yield (
        f"{requests} requests for suggestions of c99 on {lines:,} lines",
        well,
        f"another page waited {statistics.median(waits) * 1000:.0f} ms (median), {max(waits) * 1000:.0f} ms (longest); "
        f"memory {before / 2**20:.0f} to {most / 2**20:.0f} MB; statuses {dict(answers)}",
    )


def _uploads(server: Server) -> Iterator[tuple[str, bool, str]]:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"a" * 300_000_000)
    laughs = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    crafted = {
        "brackets.cha": b"@Begin\n*ANN:\t" + b"[" * 100_000 + b"\n@End\n",
        "bomb.eaf": (laughs + "]><ANNOTATION_DOCUMENT>&i;</ANNOTATION_DOCUMENT>").encode(),
        "bomb.zip": bomb.getvalue(),
        "deep.json": b"[" * 100_000 + b"]" * 100_000,
        "long.TextGrid": b'File type = "ooTextFile"\nObject class = "TextGrid"\n' + b"item [1]:\n" * 50_000,
    }
    with server.client() as client:
        client.timeout = httpx.Timeout(60)
        project = client.post("/api/projects", json={"name": "crafted"}).json()["id"]
        for name, content in crafted.items():
            start = time.perf_counter()
            answer = client.post(f"/api/projects/{project}/files", files={"files": (name, content)})
            took = time.perf_counter() - start
            yield (
                f"upload of {name}",
                answer.status_code in (201, 400, 413, 422) and took < 20,
                f"status {answer.status_code} in {took:.1f} s, {answer.text[:90]!r}",
            )


def _requests(server: Server) -> Iterator[tuple[str, bool, str]]:
    where = ("127.0.0.1", int(server.address.rsplit(":", 1)[1].rstrip("/")))
    with socket.create_connection(where, timeout=30) as both:
        both.sendall(
            b"POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        first = both.recv(200).split(b"\r\n")[0].decode()
    yield "a request with two lengths", " 400 " in first, first
    hanging = [socket.create_connection(where, timeout=30) for _ in range(300)]
    for each in hanging:
        each.sendall(b"POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{")
    start = time.perf_counter()
    with server.client() as client:
        status = client.get("/api/projects").status_code
    took = time.perf_counter() - start
    for each in hanging:
        each.close()
    yield "300 requests that never end", status == 200 and took < _MOST_WAIT, f"another page took {took * 1000:.0f} ms"


def _memory(server: Server) -> int:
    """Return the resident memory of the server and of all processes below it, in bytes."""
    below = {server.process.pid}
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    for _ in range(4):
        below |= {process for process, parent in parents.items() if parent in below}
    total = 0
    for process in below:
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
        except OSError:
            continue
    return total


if __name__ == "__main__":
    sys.exit(main())
