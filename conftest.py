"""Tests run compiled loops, as long work does, and look whether plain ones say the same.

Programs that tests start are not touched by this: they choose for themselves, as they do for everybody. Hypothesis sets no
deadlines, for the first example may pay for compiling a loop. Linear algebra keeps to one thread: a second one would wait for its
turn on a processor that another worker has, and takes as much of it waiting as working.
"""

import gc
import os
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before anybody imports NumPy

import pytest
from hypothesis import HealthCheck, settings

from chromium import Chromium
from plain_and_compiled import compare_first_calls

collect_ignore = ["packages/caesura/src/caesura/vowels.py"]  # replaces itself by a plug-in, which may be missing
os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"  # the compiler colours 100,000 messages that nobody sees
gc.disable()  # while tests are collected: what is made then stays, and looking at it again and again takes a third of that time
compare_first_calls()

settings.register_profile("caesura", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("caesura")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that wait for a browser come first: the other worker and the static checks use that time, and nobody waits at the end."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)  # compiling makes many objects that soon go by themselves
    gc.enable()
    items.sort(key=lambda item: not needs_browser(item))
    for item in filter(needs_browser, items):
        # Browsers and servers are other processes, so a test may lose a race on a busy machine. It runs once more, and the closing line counts it.
        item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name files by their argument: an archive has the time at which it was made, and workers must collect the same names."""
    return argname if isinstance(val, bytes) else None


def needs_browser(item: pytest.Item | None) -> bool:
    return "chromium" in getattr(item, "fixturenames", ())


_chromium = Chromium()


@pytest.fixture
def chromium() -> Chromium:
    return _chromium


@pytest.fixture
def browser(chromium: Chromium) -> Any:
    return chromium.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """One browser serves all tests that come one after the other and ask for it."""
    yield
    if not needs_browser(nextitem):
        _chromium.stop()
