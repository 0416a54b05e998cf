"""Cache compiled kernels on disk: one file per kernel and signature, used only while the sources are unchanged.

Numba's own cache checks only the file of the kernel, so a caller would keep an inner loop that was edited in another file; two
processes may give different files the same number; and a truncated file, a read-only folder or a full disk raises an exception. Here,
each file contains a digest of all sources that the kernel was compiled from, and a digest of itself. A file that does not match is
ignored and written again.

Folders are tried in this order: ``NUMBA_CACHE_DIR``, ``__pycache__`` beside the source, the user's cache folder, a private temporary
folder. If none is writable, there is one warning.
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


class KernelCache(caching.NullCache):
    """The cache that Numba looks up before it compiles a function, and stores the result in."""

    def __init__(self, function: Any) -> None:
        self._source = Path(function.__code__.co_filename)
        self._name = re.sub(r"\W+", "-", f"{self._source.stem}.{function.__qualname__}")
        self._stamp = _stamp(function.__module__)

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(next(_folders(self._source.parent), ""))

    def has_entries(self) -> bool:
        """Whether this kernel is cached, for any signature."""
        return any(
            folder.is_dir() and next(folder.glob(self._file("*")), None) for folder in _folders(self._source.parent)
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function cached for this signature, or None."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for folder in _folders(self._source.parent):
            try:
                content = (folder / self._file(key)).read_bytes()
                stamp, digest, payload = content[:_DIGEST], content[_DIGEST : 2 * _DIGEST], content[2 * _DIGEST :]
                if stamp == self._stamp and digest == _digest(payload):
                    return _rebuild(target_context, *pickle.loads(payload))
            except Exception:  # an unreadable folder, or a file of another version of Numba
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a function in the first folder that is writable."""
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
    """Write a file atomically: other processes may write or read the same one."""
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
        "compiled kernels cannot be cached, because no cache folder is writable, so every start compiles them again; set NUMBA_CACHE_DIR to a writable folder.",
        RuntimeWarning,
        stacklevel=2,
    )


# ---------------------------------------------------------------------- folders


def _folders(beside: Path) -> Any:
    """Yield the folders in which kernels of a source folder may be cached."""
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


# ---------------------------------------------------------------------- sources

_IMPORT = re.compile(r"^(?:from\s+([.\w]+)\s+import\s+(\([^)]*\)|.*)|import\s+([\w.]+))", re.MULTILINE)


@cache
def _stamp(module: str) -> bytes:
    """Return a digest of the source of a module and of all modules that it imports, directly or indirectly, from its package or ours."""
    try:
        sources = _sources(module)
    except (
        OSError,
        KeyError,
    ):  # at a prompt, or without sources: nothing is cached, because changes could not be detected
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
    """Return the loaded modules that a module imports."""
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
