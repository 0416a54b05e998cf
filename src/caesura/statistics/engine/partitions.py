"""Items that come in another order in every file: their rows are dealt out on disk, by a hash of the item's name.

Every file is read once, some rows at a time, and written again beside one another: all rows of an item lie in the partition of the same
number, whichever file they come from, so that partitions are counted one by one as fragments are. Memory holds one partition of
every file and one byte per row of the reference.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.formats.parquet import ROW, count_rows, read_table


@dataclass(frozen=True)
class Partitions:
    """A folder with a file per partition and side: the rows that were read in one go are one stream of Arrow in it, behind those before."""

    folder: str

    def read(self, side: int, number: int) -> Any:
        """The rows of one partition by item, those of an item in the order in which their file has them; side 0 is the reference."""
        import polars

        content = memoryview(self._rows(side, number).read_bytes())
        ends = np.load(self._ends(side))[:, number].tolist()
        streams = [content[start:end] for start, end in pairwise([0, *ends]) if end > start]
        rows = polars.concat([polars.read_ipc_stream(BytesIO(each)) for each in streams])
        return rows.sort("item", maintain_order=True)  # sides that hold the same items line up, and need no look-up

    def numbers(self, number: int) -> NDArray[np.int64]:
        """Which place among all items of the reference those of one partition have, by name."""
        return np.asarray(np.load(self._numbers(number)))

    def _ends(self, side: int) -> Path:
        return Path(self.folder) / f"ends-{side}.npy"

    def _rows(self, side: int, number: int) -> Path:
        return Path(self.folder) / f"rows-{side}-{number:06d}.arrows"

    def _numbers(self, number: int) -> Path:
        return Path(self.folder) / f"numbers-{number:06d}.npy"


def deal_out(
    paths: Sequence[Path], folder: Path, partitions: int, rows_at_once: int
) -> tuple[Partitions, int, list[str]]:
    """Deal the rows of all files out; also say how many items the reference has, and which rows name no item."""
    import polars

    dealt = Partitions(str(folder))

    def deal(side: int) -> list[str]:
        return _deal(dealt, side, paths[side], partitions, rows_at_once)

    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for each in pool.map(deal, range(len(paths))) for fault in each]
        return dealt, _number_items(dealt, count_rows(paths[0]), partitions), faults
    except (OSError, polars.exceptions.PolarsError) as fault:
        why = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise FormatError(folder, None, f"cannot put the items in order here: {why.rstrip('.')}.") from None


def _deal(dealt: Partitions, side: int, path: Path, partitions: int, rows_at_once: int) -> list[str]:
    """Write the rows of one file; return a sentence for each row that belongs to no item."""
    ends, faults = [], []
    end = np.zeros(partitions, np.int64)
    for batch, start in enumerate(range(0, total := count_rows(path), rows_at_once)):
        table = read_table(path, start, min(start + rows_at_once, total))
        if nameless := table["item"].null_count():
            rows = table.filter(table["item"].is_null())[ROW].head(5).to_list()
            more = " …" if nameless > len(rows) else ""
            faults.append(f"{path}: no item is named in row {', '.join(map(str, rows))}{more}; left out.")
            table = table.filter(table["item"].is_not_null())
        home = (table["item"].hash() % partitions).to_numpy().astype(np.int64)
        stops = np.cumsum(np.bincount(home, minlength=partitions)).tolist()
        table = table[np.argsort(home, kind="stable")]
        for number, (first, stop) in enumerate(pairwise([0, *stops])):
            if stop > first or batch == 0:  # the first one for its columns
                end[number] += _append(dealt._rows(side, number), table[first:stop])
        ends.append(end.copy())
    np.save(dealt._ends(side), np.array(ends))
    return faults


def _append(file: Path, table: Any) -> int:
    """Write rows behind those that are there; return how many bytes they take."""
    buffer = BytesIO()
    table.write_ipc_stream(buffer, compression="uncompressed")
    with file.open("ab") as target:
        return target.write(buffer.getbuffer())


def _number_items(dealt: Partitions, rows: int, partitions: int) -> int:
    """Number the items of the reference in the order of their first rows, as if it had been read whole; return how many there are."""
    import polars

    first = np.zeros(rows + 1, bool)
    for number in range(partitions):
        named = dealt.read(0, number).lazy().select("item", ROW)
        starts = named.group_by("item", maintain_order=True).agg(polars.col(ROW).min()).collect()[ROW].to_numpy()
        first[starts] = True
        np.save(dealt._numbers(number), starts)
    place = np.cumsum(first, dtype=np.int64) - 1
    for number in range(partitions):
        np.save(dealt._numbers(number), place[np.load(dealt._numbers(number))])
    return int(place[-1]) + 1
