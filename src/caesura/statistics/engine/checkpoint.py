"""What survives an interrupted run: a folder with one file per finished fragment, each written whole or not at all."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from caesura.errors import FormatError
from caesura.files import atomic_write
from caesura.statistics.engine.fragment import Counted
from caesura.statistics.engine.plan import Plan

#: How the folders begin that hold partitions while a run goes on.
SCRATCH = ".caesura-partitions-"
_PLAN = "plan.json"


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished fragments that belongs to one plan: the same files, metrics and options."""

    folder: Path

    @staticmethod
    def take(folder: Path | str) -> None:
        """Make the folder, or take one that is empty or holds a checkpoint; sweep away what a killed run was still writing."""
        where = Path(folder)
        try:
            where.mkdir(parents=True, exist_ok=True)
            for left in where.iterdir():
                if left.name.startswith(SCRATCH) and left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                elif left.name.startswith((".plan.json.", ".fragment-")) and left.is_file():
                    left.unlink()
        except OSError as fault:
            raise FormatError(where, None, f"cannot make the checkpoint: {fault.strerror}.") from None
        if any(where.iterdir()) and not (where / _PLAN).exists():
            raise FormatError(where, None, "the folder is not empty and holds no checkpoint; give another.")

    @classmethod
    def open(cls, folder: Path | str, plan: Plan) -> Checkpoint:
        """Take up a folder that was taken for a plan; refuse one that belongs to another run, or holds what no run has left there."""
        where = Path(folder)
        note = where / _PLAN
        if not note.exists():
            atomic_write(note, json.dumps({"digest": plan.digest, "fragments": len(plan.fragments)}) + "\n")
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
        names = {f"fragment-{fragment.number:08d}.npz" for fragment in plan.fragments}
        for path in sorted(where.glob("*.npz")):
            if path.name not in names:
                raise FormatError(path, None, "no fragment of this run has this name; delete or rename it.")
        return cls(where)

    def finished_fragments(self) -> set[int]:
        """Numbers of the fragments that are done."""
        return {int(path.stem.removeprefix("fragment-")) for path in self.folder.glob("fragment-*.npz")}

    def remember(self, counted: Counted) -> None:
        """Keep a finished fragment."""
        buffer = BytesIO()
        np.savez(
            buffer,
            number=np.int64(counted.number),
            sums=counted.sums,
            boundaries=np.int64(counted.boundaries),
            alone=np.frombuffer(json.dumps(counted.alone).encode(), np.uint8),
            uncounted=np.frombuffer(json.dumps(counted.uncounted).encode(), np.uint8),
        )
        atomic_write(self._file(counted.number), buffer.getvalue())

    def recall(self, number: int, shape: tuple[int, int]) -> Counted:
        """Read a finished fragment back: the one of this number, with sums of this shape."""
        path = self._file(number)
        try:
            with np.load(path, allow_pickle=False) as kept:
                alone = tuple(json.loads(kept["alone"].tobytes()))
                uncounted = tuple((item, why) for item, why in json.loads(kept["uncounted"].tobytes()))
                sums, boundaries = kept["sums"], int(kept["boundaries"])
                counted = Counted(int(kept["number"]), sums, boundaries, alone, uncounted=uncounted)
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile):
            raise FormatError(path, None, "this finished fragment is damaged; delete it and run again.") from None
        if counted.number != number or counted.sums.shape != shape:
            raise FormatError(path, None, "this is another fragment under this name; delete it and run again.")
        return counted

    def _file(self, number: int) -> Path:
        return self.folder / f"fragment-{number:08d}.npz"
