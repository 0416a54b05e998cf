"""Where compiled loops are kept between processes: one file per kernel and signature, found again only while its sources are the same.

Numba's own cache looks at the file of a kernel alone, so a caller keeps an inner loop that was edited in another file; two processes
may number their files alike; a truncated file, a read-only folder or a full disk is a traceback. Here a file carries a digest of all
sources its loop was made of and one of itself. A file that does not fit is as good as none and is written anew.

Folders are tried in turn: ``NUMBA_CACHE_DIR``, ``__pycache__`` beside the source, the user's folder for caches, a private folder for
temporary files. Where none takes a file, one warning says so.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, compiler, serialize
from numba.misc import appdirs

_DIGEST = 32  # bytes

_rebuild: Any = compiler.CompileResult._rebuild
_dumps: Any = serialize.dumps
_app_folders: Any = appdirs.AppDirs


class Cache(caching.NullCache):
    """What Numba asks for a compiled loop before it compiles one, and hands the new one to."""

    def __init__(self, function: Any) -> None:
        self._source = Path(function.__code__.co_filename)
        self._name = re.sub(r"\W+", "-", f"{self._source.stem}.{function.__qualname__}")
        self._stamp = _stamp(function.__module__)

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(next(_folders(self._source.parent), ""))

    def holds_something(self) -> bool:
        """Whether a loop of this name was kept, for whatever signature."""
        return any(
            folder.is_dir() and next(folder.glob(self._file("*")), None) for folder in _folders(self._source.parent)
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The loop that was kept for this signature, or None."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for folder in _folders(self._source.parent):
            try:
                content = (folder / self._file(key)).read_bytes()
                stamp, digest, payload = content[:_DIGEST], content[_DIGEST : 2 * _DIGEST], content[2 * _DIGEST :]
                if stamp == self._stamp and digest == _digest(payload):
                    return _rebuild(target_context, *pickle.loads(payload))
            except Exception:  # an unreadable folder, or anything that another version of Numba may have put there
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a loop in the first folder that takes it."""
        if not self._stamp or data.library.has_dynamic_globals or any(not each.can_cache for each in data.lifted):
            return
        payload = _dumps(data._reduce())
        content = self._stamp + _digest(payload) + payload
        file = self._file(self._key(sig, data.codegen))
        for folder in _folders(self._source.parent):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                _write(folder / file, content)
                return
            except OSError:
                continue
        _warn_once()

    def _key(self, sig: Any, codegen: Any) -> str:
        return _digest(repr((sig, codegen.magic_tuple())).encode()).hex()[:16]

    def _file(self, key: str) -> str:
        return f"{self._name}-{key}.{sys.implementation.cache_tag}.nbc"


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _write(file: Path, content: bytes) -> None:
    """All of it or nothing, whoever else writes the same file."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(temporary, file)
    except OSError:
        os.unlink(temporary)
        raise


@cache
def _warn_once() -> None:
    warnings.warn(
        "compiled loops cannot be kept (no folder takes them; NUMBA_CACHE_DIR names one), so every start compiles them anew.",
        RuntimeWarning,
        stacklevel=2,
    )


# ---------------------------------------------------------------------- folders


def _folders(beside: Path) -> Any:
    """Where the loops of a source folder may lie."""
    own = f"{beside.name}-{_digest(str(beside.absolute()).encode()).hex()[:16]}"
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen) / own
    yield beside / "__pycache__"
    yield _user_folder() / own
    if temporary := _private_folder():
        yield temporary / own


@cache
def _user_folder() -> Path:
    return Path(_app_folders("caesura", appauthor=False).user_cache_dir) / "kernels"


@cache
def _private_folder() -> Path | None:
    """A folder for temporary files that nobody else can write into, for what is in it will be run."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"caesura-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    foreign = hasattr(os, "getuid") and (facts.st_uid != user or facts.st_mode & 0o022)
    return None if foreign or folder.is_symlink() else folder


# ---------------------------------------------------------------------- sources

_IMPORT = re.compile(r"^(?:from\s+([.\w]+)\s+import\s+(\([^)]*\)|.*)|import\s+([\w.]+))", re.MULTILINE)


@cache
def _stamp(module: str) -> bytes:
    """A digest of a module's source and of those it imports from the same package or from ours, all the way down."""
    try:
        sources = _sources(module)
    except (
        OSError,
        KeyError,
    ):  # at a prompt, or without sources: nothing tells whether a kept loop is still the right one
        return b""
    return _digest(repr((numba.__version__, sys.version, sorted(sources.items()))).encode())


def _sources(module: str) -> dict[str, bytes]:
    packages = {module.partition(".")[0], "caesura"}
    sources: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            text = Path(getattr(sys.modules[name], "__file__", None) or os.devnull + "/none").read_text(
                encoding="utf-8"
            )
            sources[name] = _digest(text.encode())
            waiting += [each for each in _imports(name, text) if each.partition(".")[0] in packages]
    return sources


def _imports(module: str, text: str) -> set[str]:
    """The modules that are loaded and that a module names in its imports."""
    package = getattr(sys.modules[module], "__package__", None) or module
    names: set[str] = set()
    for origin, members, whole in _IMPORT.findall(text):
        if whole:
            names.add(whole)
            continue
        dots = len(origin) - len(origin.lstrip("."))
        parent = package.rsplit(".", dots - 1)[0] if dots else ""
        base = ".".join(part for part in (parent, origin.lstrip(".")) if part)
        names.add(base)
        names.update(f"{base}.{member}" for member in re.findall(r"\w+", members))
    return names & sys.modules.keys()
