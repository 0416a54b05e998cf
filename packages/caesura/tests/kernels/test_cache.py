"""The cache of compiled kernels: reused, renewed if a source changes or a file is damaged, and never an exception."""

from __future__ import annotations

import errno
import importlib
import io
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

import caesura.kernels.cache as store
from caesura.kernels import cache_files

#: A package of its own, copied for each test: an outer loop, and the inner one it takes from another file.
OUTER = """
from caesura.kernels.jit import kernel
from toy.inner import weigh

@kernel
def total(values):
    found = 0.0
    for value in values:
        found += weigh(value)
    return found
"""
INNER = """
from caesura.kernels.jit import kernel
FACTOR = 2.0

@kernel
def weigh(value):
    return FACTOR * value
"""
RUN = """
import numpy as np
from toy.outer import total
print(total(np.arange(4.0)), *sorted(total.lazy_kernel.compiled._cache_hits.values()))
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create the package, with its own home and temporary folder."""
    package, temporary = tmp_path / "toy", tmp_path / "temporary"
    package.mkdir()
    temporary.mkdir()
    (package / "__init__.py").write_text("")
    (package / "outer.py").write_text(OUTER)
    (package / "inner.py").write_text(INNER)
    home = str(tmp_path / "home")
    places = {"HOME": home, "XDG_CACHE_HOME": home, "TMPDIR": str(temporary), "NUMBA_CACHE_DIR": ""}
    for name, value in {**places, "CAESURA_JIT": "always"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # sources that change twice in a second would be taken for the old ones
    monkeypatch.syspath_prepend(str(tmp_path))
    yield package
    _forget()


class Done(NamedTuple):
    """The output and the warnings of a run."""

    stdout: str
    warnings: list[str]


def run(toy: Path) -> Done:
    """Run as in a new process: forget the package, its kernels and the cache folders."""
    _forget()
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as heard, redirect_stdout(out):
        warnings.simplefilter("always")
        exec(RUN, {})
    return Done(out.getvalue(), [str(each.message) for each in heard])


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    for remembered in (cache_files._private_folder, store._warn_once, store._stamp):
        remembered.cache_clear()


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def test_kernel_is_cached_until_a_helper_changes(toy: Path) -> None:
    assert run(toy).stdout == "12.0\n"
    assert len(kept(toy)) == 2
    assert run(toy).stdout == "12.0 1\n"  # found on disk
    (toy / "inner.py").write_text(INNER.replace("2.0", "3.0"))
    assert run(toy).stdout == "18.0\n"  # the caller's own file is as it was
    assert len(kept(toy)) == 2, "what is out of date is written over"
    assert run(toy).stdout == "18.0 1\n"
    other = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (other.stdout, other.stderr) == ("18.0 1\n", ""), "another process finds it too"


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:100], lambda content: content[:-1]])
def test_truncated_file_is_replaced(toy: Path, damage) -> None:
    run(toy)
    for file in kept(toy):
        file.write_bytes(damage(file.read_bytes()))
    done = run(toy)
    assert done == ("12.0\n", [])
    assert run(toy).stdout == "12.0 1\n"


def test_altered_file_is_ignored(toy: Path) -> None:
    run(toy)
    before = {file: file.read_bytes() for file in kept(toy)}
    (toy / "inner.py").write_text(INNER.replace("2.0", "3.0"))
    run(toy)
    for file, content in before.items():  # what it says of its sources is right, what follows is the old loop
        file.write_bytes(file.read_bytes()[:64] + content[64:])
    assert run(toy).stdout == "18.0\n"


def test_user_folder_is_used_if_package_is_read_only(toy: Path) -> None:
    (toy / "__pycache__").write_text("a file where the folder should be")
    assert run(toy).stdout == "12.0\n"
    assert len(kept(toy.parent / "home")) == 2
    assert run(toy).stdout == "12.0 1\n"


def test_private_temporary_folder_is_used_next(toy: Path) -> None:
    (toy / "__pycache__").write_text("")
    (toy.parent / "home").write_text("")
    done = run(toy)
    assert done == ("12.0\n", [])
    files = kept(toy.parent / "temporary")
    assert len(files) == 2
    private = files[0].parents[1]
    assert private.stat().st_mode & 0o077 == 0
    assert run(toy).stdout == "12.0 1\n"
    private.chmod(0o777)  # now others could put loops there, which would be run
    assert run(toy).stdout == "12.0\n"


def test_no_writable_folder_gives_one_warning(toy: Path) -> None:
    (toy / "__pycache__").write_text("")
    (toy.parent / "home").write_text("")
    temporary = toy.parent / "temporary"
    (temporary / f"caesura-{os.getuid()}").write_text("")
    done = run(toy)
    assert done.stdout == "12.0\n"
    assert _complaints(done) == 1


def test_full_disk_gives_one_warning(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)
    done = run(toy)
    assert done.stdout == "12.0\n"
    assert _complaints(done) == 1
    left = [file for file in toy.parent.rglob("*") if file.suffix == ".tmp"]
    assert not left, "half-written files were left"


def _complaints(done: Done) -> int:
    return sum("compiled kernels cannot be cached" in sentence for sentence in done.warnings)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize(("folder", "file"), [(0o755, 0o644), (0o750, 0o640), (0o700, 0o600)])
def test_who_reads_the_folder_reads_its_files(tmp_path: Path, folder: int, file: int) -> None:
    """An image is built by root and used by others; a private folder stays private."""
    tmp_path.chmod(folder)
    cache_files.write(tmp_path / "kernel.nbc", b"compiled")
    assert (tmp_path / "kernel.nbc").stat().st_mode & 0o777 == file
