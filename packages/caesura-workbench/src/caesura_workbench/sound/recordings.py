"""Storage of recordings: files named by the digest of their content, written atomically, and the rows that link them to items."""

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

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura_workbench.changes import record_change
from caesura_workbench.rows import StoreError, insert_item, item_kind, not_deleted
from caesura_workbench.schema import codings, items, projects, recordings
from caesura_workbench.sound.decoding import SUFFIXES, SoundError, SoundLimits
from caesura_workbench.sound.tiles import RecordingInfo

_ORPHAN_AGE = 3600.0  # seconds; younger files without a reference may belong to an upload in progress


@dataclass(frozen=True)
class RecordingPaths:
    """The files of a recording: sound, waveform and spectrogram."""

    sound: Path
    waves: Path
    tones: Path


class RecordingStorage:
    """The folder of all recordings of a workbench."""

    def __init__(self, folder: Path, limits: SoundLimits, seconds: float) -> None:
        self.folder, self._limits, self._seconds = folder, limits, seconds
        self._slots = BoundedSemaphore(2)  # recordings analyzed at once

    @contextmanager
    def receiving(self) -> Iterator[IncomingFile]:
        """Open a temporary file for an upload; it is removed at the end unless it was saved."""
        with _wrap_errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(".part", "incoming-", self.folder)
        path = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield IncomingFile(path, file)
        finally:
            for left in (path, *_tile_files(path)):
                left.unlink(missing_ok=True)

    def save(self, incoming: IncomingFile) -> tuple[str, RecordingInfo]:
        """Analyze an uploaded file and move it to its final place; return its digest and properties."""
        with _wrap_errors():
            incoming.finish()
            facts = self._analyze(incoming.path)
            saved = self.paths(incoming.digest, facts.media)
            waves, tones = _tile_files(incoming.path)
            for source, target in ((waves, saved.waves), (tones, saved.tones), (incoming.path, saved.sound)):
                _sync(source)
                os.replace(source, target)
            _sync(self.folder)
        return incoming.digest, facts

    def paths(self, digest: str, media: str) -> RecordingPaths:
        """Return the paths of a recording."""
        stem = self.folder / digest
        return RecordingPaths(stem.with_suffix(SUFFIXES[media]), stem.with_suffix(".waves"), stem.with_suffix(".tones"))

    def find(self, digest: str, facts: RecordingInfo) -> RecordingPaths:
        """Return the paths of a recording; missing waveforms and spectrograms are computed again."""
        paths = self.paths(digest, facts.media)
        if not paths.sound.exists():
            raise StoreError("the file of this recording is missing; upload it again.")
        if not (paths.waves.exists() and paths.tones.exists()):
            with _wrap_errors():
                self._analyze(paths.sound)
                for source, target in zip(_tile_files(paths.sound), (paths.waves, paths.tones), strict=True):
                    os.replace(source, target)
        return paths

    def remove_orphans(self, known: Iterable[str]) -> None:
        """Remove files without a reference, and incomplete uploads."""
        wanted, oldest = set(known), time.time() - _ORPHAN_AGE
        for path in self.folder.glob("*") if self.folder.is_dir() else ():
            ours = path.suffix in (".part", ".waves", ".tones", *SUFFIXES.values())
            if ours and path.name.split(".")[0] not in wanted and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def delete(self, digests: Iterable[str]) -> None:
        """Delete recordings permanently."""
        for digest in digests:
            for path in self.folder.glob(f"{digest}.*"):
                path.unlink(missing_ok=True)

    def _analyze(self, sound: Path) -> RecordingInfo:
        """Analyze a recording in a process of its own, in which a decoder may crash."""
        arguments = [
            str(sound),
            *map(str, _tile_files(sound)),
            json.dumps(asdict(self._limits)),
            str(int(self._seconds)),
        ]
        command = [sys.executable, "-P", "-m", "caesura_workbench.sound.tiles", *arguments]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        with self._slots:
            try:
                ended = subprocess.run(
                    command, capture_output=True, env=environment, timeout=self._seconds, check=False
                )
            except subprocess.TimeoutExpired:
                raise SoundError(f"decoding took longer than {self._seconds:g} s.") from None
        try:
            answer: dict[str, Any] = json.loads(ended.stdout)
        except ValueError:
            raise SoundError("it cannot be decoded.") from None
        if "error" in answer:
            raise SoundError(str(answer["error"]))
        return RecordingInfo(**answer)


class IncomingFile:
    """The bytes of a recording while they arrive."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self._file, self._digest = path, file, sha256()

    def add(self, piece: bytes) -> None:
        """Write the next bytes."""
        with _wrap_errors():
            self._file.write(piece)
        self._digest.update(piece)

    @property
    def digest(self) -> str:
        """The digest of the bytes received so far."""
        return self._digest.hexdigest()

    def finish(self) -> None:
        """Close the file."""
        self._file.close()


def _tile_files(sound: Path) -> tuple[Path, Path]:
    return sound.with_suffix(".waves.part"), sound.with_suffix(".tones.part")


def _sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _wrap_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"the recording could not be saved, nothing was changed: {error.strerror or error}.") from None


#: Seconds by which annotations may differ in length from their recording, because tools round and recorders run on.
_LENGTH_TOLERANCE = 1.0
_TIMED = ("time", "spans in time")


def attach_recording(
    db: sa.Connection, project: int, name: str, file: str, digest: str, facts: RecordingInfo, tracks: dict[str, str]
) -> tuple[list[int], bool]:
    """Attach a recording to all items with this name, or create one item per track; return the items, and whether they are new.

    ``tracks`` maps the names of tracks to the kinds of their items.
    """
    same = (items.c.project == project) & (items.c.name == name)
    if db.scalar(sa.select(projects.c.id).where(projects.c.id == project, not_deleted(projects))) is None:
        raise CaesuraError(f"there is no project {project}.")
    known = list(db.execute(sa.select(items).where(same, not_deleted(items))))
    for row in known:
        if row.kind not in _TIMED:
            raise CaesuraError(f"item {name!r} is a text; use another name for the recording.")
        if abs(row.length - facts.duration) > _LENGTH_TOLERANCE:
            raise CaesuraError(
                f"the recording is {facts.duration:.2f} s long, but item {name!r} is {row.length:.2f} s long."
            )
    numbers = [int(row.id) for row in known]
    if not numbers:
        numbers = [insert_item(db, project, name, kind, facts.duration, track) for track, kind in tracks.items()]
    db.execute(recordings.delete().where(recordings.c.item.in_(numbers)))
    values = {"digest": digest, "file": file, "facts": json.dumps(asdict(facts))}
    db.execute(recordings.insert(), [{"item": number, **values} for number in numbers])
    for number in numbers:
        record_change(db, "item.changed", project=project, item=number)
    return numbers, not known


def find_recording(db: sa.Connection, item: int) -> tuple[str, RecordingInfo, str] | None:
    """Return the digest, properties and file name of an item's recording; None if it has none."""
    row = db.execute(sa.select(recordings).where(recordings.c.item == item)).first()
    return None if row is None else (row.digest, RecordingInfo(**json.loads(row.facts)), row.file)


def all_digests(db: sa.Connection, project: int | None = None) -> set[str]:
    """Return the digests of all recordings, or of those of one project."""
    query = sa.select(recordings.c.digest).join(items, items.c.id == recordings.c.item)
    return set(db.scalars(query if project is None else query.where(items.c.project == project)))


def claim_recordings(db: sa.Connection, project: int, corpus: Corpus) -> None:
    """Let annotations use recordings with their item names that have no annotations yet; the item takes their track, kind and length."""
    unclaimed = {row.name: row for row in db.execute(_select_unclaimed(project))}
    for annotation in corpus if unclaimed else ():
        row, kind = unclaimed.get(annotation.item), item_kind(annotation.marks)
        if row is not None and kind in _TIMED and abs(row.length - float(annotation.marks.length)) <= _LENGTH_TOLERANCE:
            values = {"track": annotation.track, "kind": kind, "length": float(annotation.marks.length)}
            db.execute(items.update().where(items.c.id == row.id).values(**values))
            record_change(db, "item.changed", project=project, item=int(row.id))
            del unclaimed[annotation.item]


def _select_unclaimed(project: int) -> sa.Select[Any]:
    """Select items that consist of a recording only."""
    annotated = sa.exists().where(codings.c.item == items.c.id).correlate(items)
    others = items.alias()
    sibling = sa.exists().where(others.c.project == project, others.c.name == items.c.name, others.c.id != items.c.id)
    known = sa.select(items).join(recordings, recordings.c.item == items.c.id)
    return known.where(items.c.project == project, not_deleted(items), ~annotated, ~sibling.correlate(items))


def share_recordings(db: sa.Connection, project: int) -> None:
    """Attach recordings to the other tracks of their items."""
    others, own = items.alias(), recordings.alias()
    mine = sa.select(items.c.id, sa.func.min(recordings.c.digest), sa.func.min(recordings.c.file))
    query = (
        mine.add_columns(sa.func.min(recordings.c.facts))
        .join(others, (others.c.project == items.c.project) & (others.c.name == items.c.name))
        .join(recordings, recordings.c.item == others.c.id)
        .where(items.c.project == project, items.c.kind.in_(_TIMED), not_deleted(items))
        .where(~sa.exists().where(own.c.item == items.c.id).correlate(items))
        .group_by(items.c.id)
    )
    db.execute(recordings.insert().from_select(["item", "digest", "file", "facts"], query))
