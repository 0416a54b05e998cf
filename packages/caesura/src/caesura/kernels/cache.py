"""Cache compiled kernels on disk: one file per kernel and signature, used only while the sources are unchanged.

Numba's own cache checks only the file of the kernel, so a caller would keep an inner loop that was edited in another file; two
processes may give different files the same number; and a truncated file, a read-only folder or a full disk raises an exception. Here,
each file contains a digest of all sources that the kernel was compiled from, and a digest of itself. A file that does not match is
ignored and written again.

:mod:`caesura.kernels.cache_files` says where the files are. If no folder is writable, there is one warning.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, compiler, serialize

from caesura.kernels.cache_files import CacheFiles, digest, write

_DIGEST = 32  # bytes

_rebuild: Any = compiler.CompileResult._rebuild
_dumps: Any = serialize.dumps


class KernelCache(caching.NullCache):
    """The cache that Numba looks up before it compiles a function, and stores the result in."""

    def __init__(self, function: Any) -> None:
        self._files = CacheFiles(function)
        self._stamp = _stamp(function.__module__)

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(next(self._files.folders(), ""))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function cached for this signature, or None."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for folder in self._files.folders():
            try:
                content = (folder / self._files.name(key)).read_bytes()
                stamp, own, payload = content[:_DIGEST], content[_DIGEST : 2 * _DIGEST], content[2 * _DIGEST :]
                if stamp == self._stamp and own == digest(payload):
                    return _rebuild(target_context, *pickle.loads(payload))
            except Exception:  # an unreadable folder, or a file of another version of Numba
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a function in the first folder that is writable."""
        if not self._stamp or data.library.has_dynamic_globals or any(not each.can_cache for each in data.lifted):
            return
        payload = _dumps(data._reduce())
        content = self._stamp + digest(payload) + payload
        file = self._files.name(self._key(sig, data.codegen))
        for folder in self._files.folders():
            try:
                folder.mkdir(parents=True, exist_ok=True)
                write(folder / file, content)
                return
            except OSError:
                continue
        _warn_once()

    def _key(self, sig: Any, codegen: Any) -> str:
        return digest(repr((sig, codegen.magic_tuple())).encode()).hex()[:16]


@cache
def _warn_once() -> None:
    warnings.warn(
        "compiled kernels cannot be cached, because no cache folder is writable, so every start compiles them again; set NUMBA_CACHE_DIR to a writable folder.",
        RuntimeWarning,
        stacklevel=2,
    )


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
    return digest(repr((numba.__version__, sys.version, sorted(sources.items()))).encode())


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
            sources[name] = digest(text.encode())
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
