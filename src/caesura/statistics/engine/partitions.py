"""Items that come in another order in every file: their rows are dealt out on disk, by a hash of the item's name.

Every file is read once, some rows at a time, and written again beside one another: all rows of an item lie in the partition of the same
number, whichever file they come from, so that partitions are counted one by one as fragments are. Memory holds one partition of
every file and one byte per row of the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.formats.parquet import ROW, count_rows, read_table


@dataclass(frozen=True)
class Partitions:
    """A folder with the rows of every file, in the order of their partitions: one file per some rows that were read in one go."""

    folder: str

    def read(self, side: int, number: int) -> Any:
        """The rows of one partition, in the order in which their file has them; side 0 is the reference."""
        import polars

        bounds = np.load(self._bounds(side))
        slices = [
            polars.scan_ipc(self._rows(side, batch)).slice(int(start), int(stop - start))
            for batch, (start, stop) in enumerate(bounds[:, number : number + 2])
            if stop > start or batch == 0  # the first one for its columns
        ]
        return polars.concat(slices).collect()

    def numbers(self, number: int) -> NDArray[np.int64]:
        """Which place among all items of the reference those of one partition have, in the order of their first rows."""
        return np.asarray(np.load(self._numbers(number)))

    def _bounds(self, side: int) -> Path:
        return Path(self.folder) / f"bounds-{side}.npy"

    def _rows(self, side: int, batch: int) -> Path:
        return Path(self.folder) / f"rows-{side}-{batch:06d}.arrow"

    def _numbers(self, number: int) -> Path:
        return Path(self.folder) / f"numbers-{number:06d}.npy"


def deal_out(
    paths: Sequence[Path], folder: Path, partitions: int, rows_at_once: int
) -> tuple[Partitions, int, list[str]]:
    """Deal the rows of all files out; also say how many items the reference has, and which rows name no item."""
    import polars

    dealt, faults = Partitions(str(folder)), []
    try:
        for side, path in enumerate(paths):
            faults += _deal(dealt, side, path, partitions, rows_at_once)
        return dealt, _number_items(dealt, count_rows(paths[0]), partitions), faults
    except (OSError, polars.exceptions.PolarsError) as fault:
        why = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise FormatError(folder, None, f"cannot put the items in order here: {why.rstrip('.')}.") from None


def _deal(dealt: Partitions, side: int, path: Path, partitions: int, rows_at_once: int) -> list[str]:
    """Write the rows of one file; return a sentence for each row that belongs to no item."""
    bounds, faults = [], []
    for batch, start in enumerate(range(0, total := count_rows(path), rows_at_once)):
        table = read_table(path, start, min(start + rows_at_once, total))
        if nameless := table["item"].null_count():
            rows = table.filter(table["item"].is_null())[ROW].head(5).to_list()
            more = " …" if nameless > len(rows) else ""
            faults.append(f"{path}: no item is named in row {', '.join(map(str, rows))}{more}; left out.")
            table = table.filter(table["item"].is_not_null())
        home = (table["item"].hash() % partitions).to_numpy().astype(np.int64)
        table[np.argsort(home, kind="stable")].write_ipc(dealt._rows(side, batch), compression="uncompressed")
        bounds.append(np.concatenate(([0], np.cumsum(np.bincount(home, minlength=partitions)))))
    np.save(dealt._bounds(side), np.array(bounds, dtype=np.int64))
    return faults


def _number_items(dealt: Partitions, rows: int, partitions: int) -> int:
    """Number the items of the reference in the order of their first rows, as if it had been read whole; return how many there are."""
    import polars

    first = np.zeros(rows + 1, bool)
    for number in range(partitions):
        named = dealt.read(0, number).lazy().select("item", ROW)
        starts = named.group_by("item").agg(polars.col(ROW).min()).collect()[ROW].sort().to_numpy()
        first[starts] = True
        np.save(dealt._numbers(number), starts)
    place = np.cumsum(first, dtype=np.int64) - 1
    for number in range(partitions):
        np.save(dealt._numbers(number), place[np.load(dealt._numbers(number))])
    return int(place[-1]) + 1
