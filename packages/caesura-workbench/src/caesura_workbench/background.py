"""Jobs that nobody waits for: imports, exports and reports, with progress, a result to fetch, and cancelling.

A thread of the server carries out each job; what takes long runs in a worker process. Finished jobs are kept for an hour, their files in a temporary folder.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from caesura.errors import CaesuraError
from caesura_workbench.jobs import JobError, JobPool, Progress

P = ParamSpec("P")
T = TypeVar("T")

_LOG = logging.getLogger("uvicorn.error")
_KEPT_SECONDS = 3600.0
_AT_ONCE = 3


@dataclass(frozen=True)
class ResultFile:
    """A file that a job made."""

    name: str
    content: bytes
    media_type: str = "application/octet-stream"


@dataclass
class BackgroundJob:
    """A job, and what it needs: `run` for what takes long, `step` to say how far it is."""

    number: int
    owner: str
    what: str
    project: int
    pool: JobPool
    created: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: str = "waiting"
    progress: Progress | None = None
    error: str | None = None
    result: dict[str, Any] | None = None
    file: Path | None = None
    file_name: str = ""
    media_type: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    key: str = ""
    stamp: str = ""

    def run(self, function: Callable[P, T], *args: P.args, **given: P.kwargs) -> T:
        """Call a function in a worker process."""
        return self.pool.run_in_background(self.cancelled, self._note, self.what, function, *args, **given)

    def step(self, done: int, total: int, text: str) -> None:
        """Say how far the job is; ends it if it was cancelled."""
        self._note(Progress(done, total, text))
        if self.cancelled.is_set():
            raise JobError("the job was cancelled.", 409)

    def _note(self, progress: Progress) -> None:
        self.progress = progress

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for the API."""
        until = time.monotonic() if self.ended is None else self.ended
        return {
            "id": self.number,
            "what": self.what,
            "project": self.project,
            "state": self.state,
            "seconds": round(until - self.created, 1),
            "progress": None if self.progress is None else self.progress.as_dict(),
            "error": self.error,
            "result": self.result,
            "file": f"/api/jobs/{self.number}/file" if self.file is not None else None,
        }


#: Carries out a job and returns its result, a file, or both.
Work = Callable[[BackgroundJob], dict[str, Any] | ResultFile]


class BackgroundJobs:
    """The jobs of one server."""

    def __init__(self, pool: JobPool) -> None:
        self._pool = pool
        self._jobs: dict[int, BackgroundJob] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_AT_ONCE, "background")
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self, owner: str, what: str, project: int, work: Work, key: str = "", stamp: str = "") -> BackgroundJob:
        """Start a job; everybody may have a few that are not finished.

        If the owner has a job with the same ``key`` that is not finished, or that was done with the same ``stamp``, return that one.
        """
        self._forget_old()
        with self._lock:
            for known in self._jobs.values():
                same = key and (known.owner, known.key) == (owner, key)
                if same and (known.ended is None or (known.state == "done" and known.stamp == stamp)):
                    return known
            mine = sum(job.owner == owner and job.ended is None for job in self._jobs.values())
            if mine >= self._pool.limits.per_person:
                raise JobError(f"{mine} of your jobs are not finished yet; wait for one of them, or cancel it.", 429)
            job = BackgroundJob(self._pool.new_number(), owner, what, project, self._pool, key=key, stamp=stamp)
            self._jobs[job.number] = job
        # in the context of the request, so that the audit log has what the job changes
        self._threads.submit(copy_context().run, self._carry_out, job, work)
        return job

    def list(self, owner: str) -> list[dict[str, Any]]:
        """Return the jobs of a person, newest first."""
        self._forget_old()
        with self._lock:
            return [job.as_dict() for job in reversed(self._jobs.values()) if job.owner == owner]

    def get(self, owner: str, number: int) -> BackgroundJob | None:
        """Return a job of a person."""
        with self._lock:
            job = self._jobs.get(number)
        return job if job is not None and job.owner == owner else None

    def cancel(self, owner: str, number: int) -> bool:
        """Cancel a job, or forget a finished one; return whether there was one."""
        job = self.get(owner, number)
        if job is None:
            return False
        job.cancelled.set()
        if job.ended is not None:
            self._forget(job)
        return True

    def close(self) -> None:
        """Cancel all jobs and remove their files."""
        with self._lock:
            for job in self._jobs.values():
                job.cancelled.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._folder is not None:
            self._folder.cleanup()

    def _carry_out(self, job: BackgroundJob, work: Work) -> None:
        try:
            if job.cancelled.is_set():
                raise JobError("the job was cancelled.", 409)
            job.state = "running"
            made = work(job)
            if isinstance(made, ResultFile):
                self._keep(job, made)
            else:
                job.result = made
            job.state = "done"
        except CaesuraError as error:
            job.state = "cancelled" if job.cancelled.is_set() else "failed"
            job.error = str(error)
        except Exception:
            # logged here: a thread of the pool would keep the exception to itself
            _LOG.exception("%s of project %s failed", job.what, job.project)
            job.state, job.error = "failed", "internal error; the server's terminal shows the details."
        finally:
            job.ended = time.monotonic()
            job.finished.set()

    def _keep(self, job: BackgroundJob, made: ResultFile) -> None:
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="caesura-jobs-")
        path = Path(self._folder.name) / str(job.number)
        path.write_bytes(made.content)
        job.file, job.file_name, job.media_type = path, made.name, made.media_type
        job.result = {"name": made.name, "bytes": len(made.content)}

    def _forget_old(self) -> None:
        before = time.monotonic() - _KEPT_SECONDS
        with self._lock:
            old = [job for job in self._jobs.values() if job.ended is not None and job.ended < before]
        for job in old:
            self._forget(job)

    def _forget(self, job: BackgroundJob) -> None:
        with self._lock:
            self._jobs.pop(job.number, None)
        if job.file is not None:
            job.file.unlink(missing_ok=True)
