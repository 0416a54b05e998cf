"""Where compiled kernels are cached: one file per kernel and signature. This module does not import Numba.

Folders are tried in this order: ``NUMBA_CACHE_DIR``, ``__pycache__`` beside the source, the user's cache folder, a private temporary
folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any


class CacheFiles:
    """The files of one kernel."""

    def __init__(self, function: Any) -> None:
        self._source = Path(function.__code__.co_filename)
        self._stem = re.sub(r"\W+", "-", f"{self._source.stem}.{function.__qualname__}")

    def name(self, key: str) -> str:
        """Return the name of the file for a signature, given a digest of it."""
        return f"{self._stem}-{key}.{sys.implementation.cache_tag}.nbc"

    def folders(self) -> Iterator[Path]:
        """Yield the folders in which the kernel may be cached."""
        beside = self._source.parent
        own = f"{beside.name}-{digest(str(beside.absolute()).encode()).hex()[:16]}"
        if chosen := os.environ.get("NUMBA_CACHE_DIR"):
            yield Path(chosen) / own
        yield beside / "__pycache__"
        yield _user_folder() / own
        if temporary := _private_folder():
            yield temporary / own

    def exist(self) -> bool:
        """Whether the kernel is cached for any signature; it may be that of an older source."""
        return any(folder.is_dir() and next(folder.glob(self.name("*")), None) for folder in self.folders())


def digest(content: bytes) -> bytes:
    """Return a digest of 32 bytes."""
    return hashlib.sha256(content).digest()


def write(file: Path, content: bytes) -> None:
    """Write a file atomically: other processes may write or read the same one. Who may read the folder may read it, as in images."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, 0o600 | file.parent.stat().st_mode & 0o044)
        os.replace(temporary, file)
    except OSError:
        os.unlink(temporary)
        raise


def _user_folder() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
        return base / "caesura/Cache/kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/caesura/kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "caesura/kernels"


@cache
def _private_folder() -> Path | None:
    """Return a temporary folder that nobody else can write to, because its contents will be executed."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"caesura-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    foreign = hasattr(os, "getuid") and (facts.st_uid != user or facts.st_mode & 0o022)
    return None if foreign or folder.is_symlink() else folder
