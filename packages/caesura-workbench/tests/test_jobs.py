"""Worker processes: results and errors come back, limits end a job and not the server, and everybody may have a few jobs only."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.segmenters import segment
from caesura_workbench.app import create_app
from caesura_workbench.jobs import JobError, JobLimits, JobPool
from caesura_workbench.settings import Settings


@pytest.fixture(scope="module")
def pool() -> Iterator[JobPool]:
    made = JobPool(JobLimits(workers=1, seconds=30, memory=512 * 2**20, per_person=2, waiting=3))
    yield made
    made.close()


def in_background(pool: JobPool, owner: str, seconds: float) -> tuple[threading.Thread, list[BaseException]]:
    faults: list[BaseException] = []

    def work() -> None:
        try:
            pool.run(owner, "sleep", time.sleep, seconds)
        except CaesuraError as fault:
            faults.append(fault)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, faults


def wait_for(pool: JobPool, owner: str, state: str) -> int:
    """Return the number of the first job in this state."""
    for _ in range(600):
        for job in pool.jobs(owner):
            if job["state"] == state:
                return int(job["id"])
        time.sleep(0.02)
    raise AssertionError(f"no job is {state}")


def test_results_and_errors_come_back(pool: JobPool) -> None:
    assert pool.run("ann", "sum", sum, [1, 2, 3]) == 6
    with pytest.raises(FormatError, match=r"nowhere\.json: there is no such file") as fault:
        pool.run("ann", "reading", read, "nowhere.json")
    assert fault.value.path is not None
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        pool.run("ann", "division", divmod, 1, 0)
    assert pool.jobs("ann") == []


def test_memory_is_limited_and_the_next_job_runs(pool: JobPool) -> None:
    with pytest.raises(JobError, match="more memory than this server allows"):
        pool.run("ann", "memory", bytearray, 2 * 2**30)
    assert pool.run("ann", "sum", sum, [1, 2]) == 3


def test_jobs_are_counted_listed_and_cancelled(pool: JobPool) -> None:
    first, faults = in_background(pool, "ann", 60)
    running = wait_for(pool, "ann", "running")
    second, waiting_faults = in_background(pool, "ann", 60)
    waiting = wait_for(pool, "ann", "waiting")
    with pytest.raises(JobError, match="2 of your jobs are not finished") as refused:
        pool.run("ann", "third", sum, [])
    assert refused.value.status == 429
    third, other_faults = in_background(pool, "ben", 60)
    theirs = wait_for(pool, "ben", "waiting")
    with pytest.raises(JobError, match="too many jobs at the moment"):
        pool.run("eve", "fourth", sum, [])
    assert [job["what"] for job in pool.jobs("ann")] == ["sleep", "sleep"]
    assert not pool.cancel("ben", running), "that is not his"
    assert pool.cancel("ben", theirs)
    assert pool.cancel("ann", waiting)
    assert pool.cancel("ann", running)
    for thread in (first, second, third):
        thread.join(20)
    assert ["was cancelled" in str(each[0]) for each in (faults, waiting_faults, other_faults)] == [True] * 3
    assert pool.run("ann", "sum", sum, [4]) == 4


def test_numbers_of_jobs_are_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that asks for a job of a server that was restarted meanwhile must not get another one."""
    before = JobPool().new_number()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2)
    assert JobPool().new_number() > before


def test_time_is_limited() -> None:
    pool = JobPool(JobLimits(workers=1, seconds=0.5))
    with pytest.raises(JobError, match=r"longer than 0\.5 s"):
        pool.run("ann", "sleep", time.sleep, 60)
    pool.close()


def test_requests_run_in_a_worker(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "store.sqlite"), jobs=JobLimits(workers=1, seconds=60))
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        project = client.post("/api/projects", json={"name": "p"}).json()["id"]
        text = "the sea the ship\nthe sea the sail\nsnow on hills\nsnow on roofs"
        raw = {"item": "i", "text": text, "unit": "line"}
        item = client.post(f"/api/projects/{project}/text", json=raw).json()["item"]
        answer = client.post(f"/api/items/{item}/suggestions", json={"segmenter": "random", "segments": 2})
        assert answer.status_code == 200, answer.text
        assert answer.json()["positions"] == segment(text.split("\n"), "random", 2).positions.tolist()
        refused = client.post(f"/api/items/{item}/suggestions", json={"segmenter": "no such"})
        assert refused.status_code == 400
        assert "no such" in refused.json()["error"]
        brought = client.post(f"/api/projects/{project}/files", files={"files": ("x.json", b"{")})
        assert brought.status_code == 400
        assert client.get("/api/jobs").json() == []
        assert client.delete("/api/jobs/99").status_code == 404
