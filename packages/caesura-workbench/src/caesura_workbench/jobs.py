"""Long calculations in a few worker processes, with limits on time, memory and the number of jobs.

Parsing files, segmenters, comparisons, agreement and exports depend on what users send; in a thread of the server one of them could stop all
pages. The server only waits for the worker: other requests are answered meanwhile, a job that takes too long or too much memory ends with its worker
process, and a new one is started for the next job.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from caesura.errors import CaesuraError

P = ParamSpec("P")
T = TypeVar("T")

_FIRST_SECOND = 1_767_225_600  # the beginning of 2026
_POLL = 0.1  # seconds between checks whether a running job was cancelled


class JobError(CaesuraError):
    """A job that was refused, cancelled or ended; ``status`` is the HTTP status."""

    def __init__(self, message: str, status: int = 503) -> None:
        self.status = status
        super().__init__(message)

    def __reduce__(self) -> tuple[type[JobError], tuple[str, int]]:
        return type(self), (str(self), self.status)


@dataclass(frozen=True)
class JobLimits:
    """Limits of the pool: worker processes, seconds and bytes per job, jobs per person and in all, and seconds per job in the background."""

    workers: int = 2
    seconds: float = 120.0
    memory: int = 2 * 2**30
    per_person: int = 4
    waiting: int = 16
    background_seconds: float = 3600.0


@dataclass(frozen=True)
class Progress:
    """How far a job is: ``done`` of ``total``, and the same in words."""

    done: int
    total: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for the API."""
        return {"done": self.done, "total": self.total, "text": self.text}


@dataclass
class Job:
    """A job that waits or runs."""

    number: int
    owner: str
    what: str
    created: float
    running: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)
    progress: Callable[[Progress], None] = lambda progress: None
    background: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for the API."""
        return {
            "id": self.number,
            "what": self.what,
            "state": "running" if self.running else "waiting",
            "seconds": round(time.monotonic() - self.created, 1),
        }


@contextmanager
def _turn(job: Job, free: threading.Semaphore) -> Iterator[None]:
    """Wait until it is the turn of a job, or until it is cancelled."""
    while not free.acquire(timeout=_POLL):
        if job.cancelled.is_set():
            raise JobError("the job was cancelled.", 409)
    try:
        yield
    finally:
        free.release()


class JobPool:
    """Runs functions in worker processes; with no workers, in the calling thread, without limits."""

    def __init__(self, limits: JobLimits | None = None) -> None:
        self.limits = limits or JobLimits(workers=0)
        self._jobs: dict[int, Job] = {}
        self._lock = threading.Lock()
        self._free = threading.Semaphore(max(1, self.limits.workers))
        # of several workers, one is never given to a job in the background, so that requests do not wait for reports
        self._free_in_background = threading.Semaphore(max(1, self.limits.workers - 1))
        self._idle: list[_Worker] = []
        # a server that is started again gives no job the number of a former one, for which a program may still ask
        self._number = max(0, int(time.time()) - _FIRST_SECOND)

    def run(self, owner: str, what: str, function: Callable[P, T], *args: P.args, **given: P.kwargs) -> T:
        """Call a function of a module in a worker and return its result.

        Raises
        ------
        JobError
            If the owner or the server has too many jobs, or if the job is cancelled or exceeds its limits.
        """
        if not self.limits.workers:
            return function(*args, **given)
        return self._run_queued(self._enqueue(owner, what), function, args, given)  # type: ignore[no-any-return]

    def run_in_background(
        self,
        cancelled: threading.Event,
        progress: Callable[[Progress], None],
        what: str,
        function: Callable[P, T],
        *args: P.args,
        **given: P.kwargs,
    ) -> T:
        """Call a function in a worker on behalf of a job in the background, which can be cancelled and is told the progress."""
        if not self.limits.workers:
            with _progress_to(progress):
                return function(*args, **given)
        with self._lock:
            self._number += 1
            job = Job(self._number, "", what, time.monotonic(), False, cancelled, progress, True)
            self._jobs[job.number] = job
        return self._run_queued(job, function, args, given)  # type: ignore[no-any-return]

    def new_number(self) -> int:
        """Return the number of a new job."""
        with self._lock:
            self._number += 1
            return self._number

    def _run_queued(self, job: Job, function: Callable[..., Any], args: Any, given: dict[str, Any]) -> Any:
        try:
            if not job.background:
                with _turn(job, self._free):
                    return self._run(job, function, args, given)
            with _turn(job, self._free_in_background), _turn(job, self._free):
                return self._run(job, function, args, given)
        finally:
            with self._lock:
                del self._jobs[job.number]

    def jobs(self, owner: str) -> list[dict[str, Any]]:
        """List the jobs of a person, oldest first."""
        with self._lock:
            return [job.as_dict() for job in self._jobs.values() if job.owner == owner]

    def cancel(self, owner: str, number: int) -> bool:
        """Cancel a job of a person; return whether there was one."""
        with self._lock:
            job = self._jobs.get(number)
            if job is None or job.owner != owner:
                return False
            job.cancelled.set()
            return True

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            idle, self._idle = self._idle, []
            for job in self._jobs.values():
                job.cancelled.set()
        for worker in idle:
            worker.end()

    def _enqueue(self, owner: str, what: str) -> Job:
        with self._lock:
            mine = sum(job.owner == owner for job in self._jobs.values())
            if mine >= self.limits.per_person:
                raise JobError(f"{mine} of your jobs are not finished yet; wait for one of them, or cancel it.", 429)
            if sum(not job.background for job in self._jobs.values()) >= self.limits.waiting:
                raise JobError("the server has too many jobs at the moment; try again in a minute.", 503)
            self._number += 1
            job = self._jobs[self._number] = Job(self._number, owner, what, time.monotonic())
            return job

    def _run(self, job: Job, function: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _Worker(self.limits.memory)
        job.running = True
        seconds = self.limits.background_seconds if job.background else self.limits.seconds
        kept = False
        try:
            right, value = worker.call(function, args, given, seconds, job)
            kept = True
        except TimeoutError:
            raise JobError(f"the job took longer than {seconds:g} s and was ended; try a smaller part.") from None
        except InterruptedError:
            raise JobError("the job was cancelled.", 409) from None
        except (EOFError, OSError):
            raise JobError(_TOO_MUCH_MEMORY) from None
        finally:
            if kept:
                with self._lock:
                    self._idle.append(worker)
            else:
                worker.end()
        if right:
            return value
        if isinstance(value, MemoryError):
            raise JobError(_TOO_MUCH_MEMORY)
        raise value


_TOO_MUCH_MEMORY = (
    "the job needed more memory than this server allows and was ended; try a smaller part, or a method that needs less."
)


class _Worker:
    """A worker process and the pipe to it. The process starts with the first job, because starting takes a second or two."""

    def __init__(self, memory: int) -> None:
        # "spawn": a fork of a server with threads may inherit a lock that is never released
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, memory), daemon=True)
        self._process.start()
        theirs.close()

    def call(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        given: dict[str, Any],
        seconds: float,
        job: Job,
    ) -> tuple[bool, Any]:
        """Return whether the call succeeded, and its result or its exception; pass on what the function says about its progress."""
        self._pipe.send((function, args, given))
        deadline = time.monotonic() + seconds
        while True:
            if self._pipe.poll(_POLL):
                answer = self._pipe.recv()
                if not isinstance(answer, Progress):
                    return answer  # type: ignore[no-any-return]
                job.progress(answer)
            if job.cancelled.is_set():
                raise InterruptedError
            if time.monotonic() > deadline:
                raise TimeoutError

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join(5)
        self._pipe.close()


def _work(pipe: Connection, memory: int) -> None:
    """Run jobs until the server goes away."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the server, which ends its workers
    with suppress(OSError, AttributeError):
        os.nice(5)  # pages come first
    _limit_memory(memory)
    _listener.set(pipe.send)
    while True:
        try:
            sent = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, args, given = pickle.loads(sent)
            answer = (True, function(*args, **given))
        except CaesuraError as fault:
            answer = (False, fault)
        except MemoryError:
            answer = (False, MemoryError())
        except RecursionError:
            answer = (False, CaesuraError("the content is nested too deeply."))
        except Exception as fault:
            answer = (False, RuntimeError(f"{type(fault).__name__}: {fault}\n{traceback.format_exc()}"))
        try:
            pipe.send(answer)
        except OSError:  # the server was killed
            return


#: Where a function that runs as a job sends its progress: to the server's process, or to the job itself where there are no workers.
_listener: ContextVar[Callable[[Progress], None] | None] = ContextVar("_listener", default=None)


@contextmanager
def _progress_to(listener: Callable[[Progress], None]) -> Iterator[None]:
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(done: int, total: int, text: str) -> None:
    """Report the progress of the current job to the request that waits for it; outside a job, do nothing."""
    listener = _listener.get()
    if listener is not None:
        listener(Progress(done, total, text))


def _limit_memory(memory: int) -> None:
    """Limit the address space to what the process has now and ``memory`` bytes more, where the system can do that."""
    try:
        from resource import RLIMIT_AS, setrlimit

        import caesura.formats
        import caesura.metrics
        import caesura.segmenters  # noqa: F401  what most jobs need is not counted

        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        setrlimit(RLIMIT_AS, (now + memory, now + memory))
    except (ImportError, OSError, ValueError):  # Windows, macOS
        return
