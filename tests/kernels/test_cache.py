"""Compiled loops on disk: found again, made anew when any source changed or a file is damaged, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
import sys, warnings, numpy as np
warnings.simplefilter("always")
from toy.outer import total
print(total(np.arange(4.0)), *sorted(total.func._cache_hits.values()))
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "outer.py").write_text(OUTER)
    (package / "inner.py").write_text(INNER)
    return package


def run(toy: Path, code: str = RUN, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, with a home and a folder for temporary files of its own."""
    temporary = toy.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    places = {"HOME": str(toy.parent / "home"), "XDG_CACHE_HOME": str(toy.parent / "home"), "TMPDIR": str(temporary)}
    path = os.pathsep.join([str(toy.parent), *sys.path])
    env = {**os.environ, **places, "PYTHONPATH": path, "CAESURA_JIT": "always", "NUMBA_CACHE_DIR": "", **environment}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def test_a_loop_is_found_again_until_an_inner_one_changes(toy: Path) -> None:
    assert run(toy).stdout == "12.0\n"
    assert len(kept(toy)) == 2
    assert run(toy).stdout == "12.0 1\n"  # found on disk
    (toy / "inner.py").write_text(INNER.replace("2.0", "3.0"))
    assert run(toy).stdout == "18.0\n"  # the caller's own file is as it was
    assert len(kept(toy)) == 2, "what is out of date is written over"
    assert run(toy).stdout == "18.0 1\n"


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:100], lambda content: content[:-1]])
def test_a_truncated_file_is_made_anew(toy: Path, damage) -> None:
    run(toy)
    for file in kept(toy):
        file.write_bytes(damage(file.read_bytes()))
    done = run(toy)
    assert (done.stdout, done.stderr) == ("12.0\n", "")
    assert run(toy).stdout == "12.0 1\n"


def test_a_file_that_was_altered_is_not_run(toy: Path) -> None:
    run(toy)
    before = {file: file.read_bytes() for file in kept(toy)}
    (toy / "inner.py").write_text(INNER.replace("2.0", "3.0"))
    run(toy)
    for file, content in before.items():  # what it says of its sources is right, what follows is the old loop
        file.write_bytes(file.read_bytes()[:64] + content[64:])
    assert run(toy).stdout == "18.0\n"


def test_where_the_package_cannot_be_written_the_users_folder_takes_it(toy: Path) -> None:
    (toy / "__pycache__").write_text("a file where the folder should be")
    assert run(toy).stdout == "12.0\n"
    assert len(kept(toy.parent / "home")) == 2
    assert run(toy).stdout == "12.0 1\n"


def test_then_a_private_folder_for_temporary_files(toy: Path) -> None:
    (toy / "__pycache__").write_text("")
    (toy.parent / "home").write_text("")
    done = run(toy)
    assert (done.stdout, done.stderr) == ("12.0\n", "")
    files = kept(toy.parent / "temporary")
    assert len(files) == 2
    private = files[0].parents[1]
    assert private.stat().st_mode & 0o077 == 0
    assert run(toy).stdout == "12.0 1\n"
    private.chmod(0o777)  # now others could put loops there, which would be run
    assert run(toy).stdout == "12.0\n"


def test_then_nowhere_with_one_warning(toy: Path) -> None:
    (toy / "__pycache__").write_text("")
    (toy.parent / "home").write_text("")
    temporary = toy.parent / "temporary"
    temporary.mkdir()
    (temporary / f"caesura-{os.getuid()}").write_text("")
    done = run(toy)
    assert done.stdout == "12.0\n"
    assert done.stderr.count("compiled loops cannot be kept") == 1


def test_a_full_disk_is_one_warning(toy: Path) -> None:
    full = "import os, errno\ndef replace(*_): raise OSError(errno.ENOSPC, 'No space left on device')\nos.replace = replace\n"
    done = run(toy, full + RUN, PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout == "12.0\n"
    assert done.stderr.count("compiled loops cannot be kept") == 1
    left = [file for file in toy.parent.rglob("*") if file.suffix == ".tmp"]
    assert not left, "half-written files were left"
