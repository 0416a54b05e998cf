"""The folder of recordings beside the store: each under the digest of its bytes, with its pictures, and nothing half written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from threading import BoundedSemaphore
from typing import IO, Any

from caesura.web.rows import StoreFault
from caesura.web.sound.decoding import SUFFIXES, BadSound, SoundLimits
from caesura.web.sound.views import Facts

_ALIVE = 3600.0  # seconds after which a file that nothing refers to was left behind, and is not about to be referred to


@dataclass(frozen=True)
class Paths:
    """A recording and its pictures."""

    sound: Path
    waves: Path
    tones: Path


class Shelf:
    """All recordings of a workbench."""

    def __init__(self, folder: Path, limits: SoundLimits, seconds: float) -> None:
        self.folder, self._limits, self._seconds = folder, limits, seconds
        self._turns = BoundedSemaphore(2)  # recordings that are read at once

    @contextmanager
    def receiving(self) -> Iterator[Incoming]:
        """A file that is being brought; gone at the end, unless it was kept."""
        with _say_faults():
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(".part", "incoming-", self.folder)
        path = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield Incoming(path, file)
        finally:
            for left in (path, *_pictures(path)):
                left.unlink(missing_ok=True)

    def keep(self, incoming: Incoming) -> tuple[str, Facts]:
        """Read what was brought from beginning to end and put it in its place; its digest and what it is."""
        with _say_faults():
            incoming.finish()
            facts = self._survey(incoming.path)
            kept = self.paths(incoming.digest, facts.media)
            waves, tones = _pictures(incoming.path)
            for source, target in ((waves, kept.waves), (tones, kept.tones), (incoming.path, kept.sound)):
                _sync(source)
                os.replace(source, target)
            _sync(self.folder)
        return incoming.digest, facts

    def paths(self, digest: str, media: str) -> Paths:
        """Where a recording lies."""
        stem = self.folder / digest
        return Paths(stem.with_suffix(SUFFIXES[media]), stem.with_suffix(".waves"), stem.with_suffix(".tones"))

    def find(self, digest: str, facts: Facts) -> Paths:
        """Where a recording lies; pictures that are missing are made anew."""
        paths = self.paths(digest, facts.media)
        if not paths.sound.exists():
            raise StoreFault("the recording is not in its folder any more; bring it again.")
        if not (paths.waves.exists() and paths.tones.exists()):
            with _say_faults():
                self._survey(paths.sound)
                for source, target in zip(_pictures(paths.sound), (paths.waves, paths.tones), strict=True):
                    os.replace(source, target)
        return paths

    def sweep(self, known: Iterable[str]) -> None:
        """Remove what nothing refers to, and what was left behind half received."""
        wanted, young = set(known), time.time() - _ALIVE
        for path in self.folder.glob("*") if self.folder.is_dir() else ():
            ours = path.suffix in (".part", ".waves", ".tones", *SUFFIXES.values())
            if ours and path.name.split(".")[0] not in wanted and path.stat().st_mtime < young:
                path.unlink(missing_ok=True)

    def erase(self, digests: Iterable[str]) -> None:
        """Remove recordings for good."""
        for digest in digests:
            for path in self.folder.glob(f"{digest}.*"):
                path.unlink(missing_ok=True)

    def _survey(self, sound: Path) -> Facts:
        """Have a recording read by a process of its own, which may fail in any way it likes."""
        words = [str(sound), *map(str, _pictures(sound)), json.dumps(asdict(self._limits)), str(int(self._seconds))]
        command = [sys.executable, "-P", "-m", "caesura.web.sound.prepare", *words]
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        with self._turns:
            try:
                ended = subprocess.run(command, capture_output=True, env=alone, timeout=self._seconds, check=False)
            except subprocess.TimeoutExpired:
                raise BadSound(f"it takes longer than {self._seconds:g} s to decode.") from None
        try:
            answer: dict[str, Any] = json.loads(ended.stdout)
        except ValueError:
            raise BadSound("it cannot be decoded.") from None
        if "error" in answer:
            raise BadSound(str(answer["error"]))
        return Facts(**answer)


class Incoming:
    """The bytes of a recording while they arrive."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self._file, self._digest = path, file, sha256()

    def add(self, piece: bytes) -> None:
        """Write what arrived."""
        with _say_faults():
            self._file.write(piece)
        self._digest.update(piece)

    @property
    def digest(self) -> str:
        """The name of what arrived."""
        return self._digest.hexdigest()

    def finish(self) -> None:
        """Everything is here."""
        self._file.close()


def _pictures(sound: Path) -> tuple[Path, Path]:
    return sound.with_suffix(".waves.part"), sound.with_suffix(".tones.part")


def _sync(path: Path) -> None:
    """Bring a file, or a folder's list of files, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _say_faults() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise StoreFault(f"the recording could not be kept, nothing was changed: {fault.strerror or fault}.") from None
