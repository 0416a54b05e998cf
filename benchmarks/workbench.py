"""Load test of the workbench: many readers and some editors of one document, over loopback.

    python benchmarks/workbench.py [--readers 200] [--editors 20] [--seconds 10] [--one] [--database ADDRESS]
    python benchmarks/workbench.py --people 100 --pause 1     (a campaign: each person is blind and edits their own annotation in their own session)

Server and clients share the machine. Clients wait half a second on average between two requests; ``--pause 0`` removes the wait.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from sys import path

path.insert(0, str(Path(__file__).parents[1] / "packages/caesura-workbench/tests"))

from web_load import run_load  # the same clients as in the tests
from web_server import Server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--editors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=0.5)
    parser.add_argument("--units", type=int, default=4000)
    parser.add_argument("--one", action="store_true", help="all editors change the same annotation")
    parser.add_argument(
        "--people",
        type=int,
        default=0,
        help="number of annotators, each with a session, instead of readers and editors",
    )
    parser.add_argument("--database", default=None)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(wanted.database or Path(folder) / "store.sqlite").start()
        try:
            (measure_campaign if wanted.people else measure)(server, wanted)
        finally:
            server.kill()


def measure(server: Server, wanted: argparse.Namespace) -> None:
    with server.client() as client:
        csrf = client.headers["X-CSRF-Token"]
        project = client.post("/api/projects", json={"name": f"load {time.time()}"}).json()["id"]
        words = " ".join(f"w{i}" for i in range(wanted.units // 2))
        for coder in ("x", "y"):
            text = {"item": "i", "coder": coder, "text": f"{words} | {words}"}
            client.post(f"/api/projects/{project}/text", json=text).raise_for_status()
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        many = 1 if wanted.one else wanted.editors
        started = [client.post(f"/api/items/{item}/annotations", json={"coder": f"gold {n}"}) for n in range(many)]
        golds = [answer.json()["id"] for answer in started]
        time.sleep(2)  # until compiled loops are loaded
        editors = golds * (wanted.editors if wanted.one else 1)
        asked = {"readers": wanted.readers, "seconds": wanted.seconds, "pause": wanted.pause}
        load = run_load(server, item, editors, csrf, **asked)
        for gold in golds:
            kept = client.get(f"/api/annotations/{gold}").json()["marks"]["positions"]
            assert {p for g, p in load.done if g == gold} <= set(kept), "an acknowledged change was lost"
    print(
        f"{wanted.readers} readers, {wanted.editors} editors, {wanted.pause:g} s between requests, {wanted.seconds:g} s"
    )
    rows = {"reads": load.reads, "reads, unchanged (304)": load.unchanged, "edits, until acknowledged": load.edits}
    for what, took in rows.items():
        print(f"{what:26} {len(took):6}  {percentiles(took)}")
    print(f"{load.refused} changes were rejected as outdated and repeated")
    print(f"memory of the server {memory(server) / 1024:.0f} MB; no acknowledged change was lost")


def measure_campaign(server: Server, wanted: argparse.Namespace) -> None:
    """Measure annotators who signed in with their links, each editing their own annotation of one of ten texts."""
    with server.client() as mira:
        project = mira.post("/api/projects", json={"name": f"load {time.time()}"}).json()["id"]
        words = " ".join(f"w{i}" for i in range(wanted.units))
        for n in range(10):
            text = {"item": f"text {n}", "text": words, "unit": "word"}
            mira.post(f"/api/projects/{project}/text", json=text).raise_for_status()
        mira.post("/api/people", json={"name": "mira", "password": "a word of my own"}).raise_for_status()
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        links = [mira.post("/api/people", json={"name": f"person {n}"}).json() for n in range(wanted.people)]
        for person in links:
            given = {"person": person["id"], "role": "annotator"}
            mira.put(f"/api/projects/{project}/members", json=given).raise_for_status()
        mira.post(f"/api/projects/{project}/assignments", json={}).raise_for_status()
        items = [item["id"] for item in mira.get(f"/api/projects/{project}").json()["items"]]
        sessions = dict(begin(server, person["link"], items[n % len(items)]) for n, person in enumerate(links))
        asked = {"readers": 0, "seconds": wanted.seconds, "pause": wanted.pause, "sessions": sessions}
        before = processor(server)
        load = run_load(server, items[0], list(sessions), "", **asked)
        worked = processor(server) - before
        kept = {gold: mira.get(f"/api/annotations/{gold}").json()["marks"]["positions"] for gold in sessions}
    assert all(position in kept[gold] for gold, position in load.done), "an acknowledged change was lost"
    print(f"{wanted.people} annotators, {wanted.pause:g} s between two edits, {wanted.seconds:g} s")
    print(f"{'edits, until acknowledged':26} {len(load.edits):6}  {percentiles(load.edits)}")
    print(f"the server works {1000 * worked / max(1, len(load.edits)):.1f} ms for an edit, by its own clock")
    print(f"memory of the server {memory(server) / 1024:.0f} MB; no acknowledged change was lost")


def processor(server: Server) -> float:
    """Return the processor time of the server in seconds."""
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def begin(server: Server, link: str, item: int) -> tuple[int, tuple[str, str]]:
    """Sign in with a link and start an annotation; return its id, and the token and cookie of the session."""
    with server.visitor() as person:
        csrf = person.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
        secret = {"link": link.split("#")[1]}
        person.post("/login", data=secret, headers={"X-CSRF-Token": csrf}).raise_for_status()
        csrf = person.get("/api/session").json()["csrf"]
        start = {"empty": True}
        annotation = person.post(f"/api/items/{item}/annotations", json=start, headers={"X-CSRF-Token": csrf}).json()
        return annotation["id"], (csrf, f"caesura-session={person.cookies['caesura-session']}")


def percentiles(took: list[float]) -> str:
    if not took:
        return "none"
    ordered = sorted(took)
    at = {q: ordered[min(len(ordered) - 1, int(q / 100 * len(ordered)))] * 1000 for q in (50, 95, 99)}
    return "  ".join(f"p{q} {value:6.0f} ms" for q, value in at.items())


def memory(server: Server) -> int:
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


if __name__ == "__main__":
    main()
