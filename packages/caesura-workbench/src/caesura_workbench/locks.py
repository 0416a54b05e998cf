"""The lock that the writers of one server share."""

from __future__ import annotations

from collections import deque
from threading import Lock


class FairLock:
    """A lock that threads get in the order in which they asked for it.

    A thread that releases `threading.Lock` and asks for it again at once usually gets it again. An import does so hundreds of times, and edits would
    wait for most of it.
    """

    def __init__(self) -> None:
        self._guard, self._taken = Lock(), False
        self._waiting: deque[Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()  # released by the thread before this one

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
