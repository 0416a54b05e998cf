"""What survives an interrupted run: a folder with one file a finished fragment, each written whole or not at all."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from caesura.errors import FormatError
from caesura.files import atomic_write
from caesura.statistics.engine.fragment import Counted
from caesura.statistics.engine.plan import Plan

__all__ = ["Checkpoint"]


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished fragments that belongs to one plan: the same files, metrics and options."""

    folder: Path

    @classmethod
    def open(cls, folder: Path | str, plan: Plan) -> Checkpoint:
        """Take up the folder, or make it; refuse one that belongs to another run."""
        where = Path(folder)
        note = where / "plan.json"
        if note.exists():
            try:
                known = json.loads(note.read_text(encoding="utf-8")).get("digest")
            except (ValueError, AttributeError, OSError):
                raise FormatError(note, None, "this is not the plan of a checkpoint; give another folder.") from None
            if known != plan.digest:
                raise FormatError(
                    where,
                    None,
                    "this checkpoint belongs to a run with other files, metrics or options; give another folder.",
                )
            return cls(where)
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise FormatError(where, None, f"cannot make the checkpoint: {fault.strerror}.") from None
        if any(where.iterdir()):
            raise FormatError(where, None, "the folder is not empty and holds no checkpoint; give another.")
        atomic_write(note, json.dumps({"digest": plan.digest, "fragments": len(plan.fragments)}) + "\n")
        return cls(where)

    def finished(self) -> set[int]:
        """Numbers of the fragments that are done."""
        return {int(path.stem.removeprefix("fragment-")) for path in self.folder.glob("fragment-*.npz")}

    def remember(self, counted: Counted) -> None:
        """Keep a finished fragment."""
        buffer = BytesIO()
        np.savez(
            buffer,
            sums=counted.sums,
            boundaries=np.int64(counted.boundaries),
            alone=np.frombuffer(json.dumps(counted.alone).encode(), np.uint8),
        )
        atomic_write(self._file(counted.number), buffer.getvalue())

    def recall(self, number: int) -> Counted:
        """Read a finished fragment back."""
        try:
            with np.load(self._file(number), allow_pickle=False) as kept:
                alone = tuple(json.loads(kept["alone"].tobytes()))
                return Counted(number, kept["sums"], int(kept["boundaries"]), alone)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            raise FormatError(
                self._file(number), None, "this finished fragment is damaged; delete it and run again."
            ) from None

    def _file(self, number: int) -> Path:
        return self.folder / f"fragment-{number:08d}.npz"
