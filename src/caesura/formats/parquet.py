"""Parquet: one row per annotation, its marks in list columns, read and written with polars.

Columns: ``item``, ``coder``, ``track``, ``length``, ``positions``, and where the corpus has them ``types`` (codes), ``ends`` (nested: positions are
first units, types are levels; spans: positions are starts, types are codes of labels, -1 for none) and ``names``. What belongs to the corpus as a whole (kind, labels, texts, attributes) stands in the
file's own table under the key ``caesura``, as JSON. A file made elsewhere needs only item, coder, length and positions.
"""

from __future__ import annotations

import io
import json
import mmap
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.errors import CaesuraError, FormatError, import_extra
from caesura.files import Source
from caesura.formats import caesura_json
from caesura.formats.caesura_json import FORMAT, VERSION
from caesura.formats.parquet_pages import damaged_page
from caesura.model import Corpus, Hierarchy
from caesura.model.corpus import Kind

if TYPE_CHECKING:
    from types import ModuleType

#: The column that tells, in a piece of a table, which row of its file each one is, counted from 1.
ROW = "caesura_row"
_KEY = "caesura"
_SUM = "caesura-crc32"
_UNSUMMED = b"crc32:........"  # of the file in which these eight points stand for the checksum
_SUMMED = re.compile(rb"crc32:([0-9a-f]{8})")
_CHUNK = 2**20
_SLICE = 1_000_000  # item names read in one go


def losses(corpus: Corpus) -> list[str]:
    """Name what JSON cannot say, and half characters, which Parquet's strings cannot hold."""
    names = (name for listed in corpus.names.values() for name in listed)
    try:
        "".join([*corpus.items, *corpus.tracks, *corpus.coders, *names]).encode()
    except UnicodeEncodeError:
        return [*caesura_json.losses(corpus), "names with half characters (lone surrogates)"]
    return caesura_json.losses(corpus)


def read(source: Source) -> Corpus:
    """Read the columns; nothing is held twice."""
    source.refuse_encoding("Parquet is no text")
    with _reading(source.path, "this is not Parquet") as polars:
        _check_sum(source)
        about = _about(source, polars)
        table = polars.read_parquet(_open(source), memory_map=False)
    return _corpus(source, table, about)


def parts_of(path: str | PathLike[str]) -> list[Path]:
    """List the files of a table: the file itself, or those of a folder in the order of their names."""
    where = Path(path)
    if not where.is_dir():
        return [Source.open(where).path]
    parts = sorted(where.glob("*.parquet"))
    if not parts:
        raise FormatError(where, None, "this folder holds no .parquet file.")
    return [Source.open(part).path for part in parts]


def read_table(path: str | PathLike[str], start: int, stop: int) -> Any:
    """Read the rows from ``start`` up to ``stop``, counted from 0, and nothing else of a large file (or folder); items are text."""
    with _reading(Path(path), f"rows {start + 1} to {stop} cannot be read") as polars:
        table = polars.scan_parquet(parts_of(path)).slice(start, stop - start).collect()
        item = [polars.col("item").cast(polars.String)] if "item" in table.columns else []
        return table.with_columns(*item, polars.Series(ROW, np.arange(start + 1, start + 1 + len(table))))


def corpus_of(path: str | PathLike[str], table: Any) -> Corpus:
    """Make a corpus of some rows of a file (or folder) that :func:`read_table` has read."""
    source = Source(Path(path))
    with _reading(source.path, "what the file says about itself cannot be read") as polars:
        about = _about_all([Source(part) for part in parts_of(path)], polars)
    if about.get("texts") or about.get("attributes"):
        here = set(table["item"].to_list())
        about["texts"] = [text for text in about.get("texts", []) if text[0] in here]
        about["attributes"] = {item: known for item, known in about.get("attributes", {}).items() if item in here}
    try:
        return _corpus(source, table, about)
    except FormatError:
        raise
    except CaesuraError as fault:
        rows = f"rows {table[ROW].min()} to {table[ROW].max()}"
        raise source.fault(None, f"{rows}: {fault}") from None


def count_rows(path: str | PathLike[str]) -> int:
    """Count the rows of a file (or folder) of annotations, refusing one that has none."""
    where = Path(path)
    with _reading(where, "this Parquet file cannot be read") as polars:
        lazy = polars.scan_parquet(parts_of(path))
        if "item" not in lazy.collect_schema().names():
            raise FormatError(where, None, "expected a Parquet file of annotations with a column 'item'.")
        total = int(lazy.select(polars.len()).collect().item())
    if not total:
        raise FormatError(where, None, "the file holds no annotation.")
    return total


def has_names(path: str | PathLike[str]) -> bool:
    """Whether a file (or folder) of annotations gives segments names."""
    with _reading(Path(path), "this Parquet file cannot be read") as polars:
        return "names" in polars.scan_parquet(parts_of(path)).collect_schema().names()


def kind_of(path: str | PathLike[str]) -> Kind:
    """The kind of annotations in a file (or folder)."""
    with _reading(Path(path), "this Parquet file cannot be read") as polars:
        about = _about_all([Source(part) for part in parts_of(path)], polars)
        return _kind(about, polars.scan_parquet(parts_of(path)).collect_schema())


def metadata(path: Path) -> dict[str, str]:
    """What a Parquet file says about itself, by key."""
    with _reading(path, "this is not Parquet") as polars:
        return dict(polars.read_parquet_metadata(path))


def item_names(path: str | PathLike[str], start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """Read the names of the items from row ``start`` up to row ``stop`` and nothing else: columns of a million texts at most."""
    where, total = Path(path), count_rows(path) if stop is None else stop
    for first in range(start, total, _SLICE):
        last = min(first + _SLICE, total)
        with _reading(where, f"the names of the items in rows {first + 1} to {last} cannot be read") as polars:
            lazy = polars.scan_parquet(parts_of(path)).select(polars.col("item").cast(polars.String))
            names = lazy.slice(first, last - first).collect()["item"]
        yield names


def write(corpus: Corpus) -> bytes:
    """Write one row group after the other, compressed."""
    polars = _polars()
    table = polars.DataFrame(
        {
            "item": polars.Series(np.array(corpus.items, dtype=object)[corpus.item_of].tolist(), dtype=polars.String),
            "coder": polars.Series(np.array(corpus.coders, dtype=object)[corpus.coder_of].tolist(), dtype=polars.String),
            "track": polars.Series(np.array(corpus.tracks, dtype=object)[corpus.track_of].tolist(), dtype=polars.String),
            "length": polars.Series(corpus.lengths),
            "positions": _lists(polars, corpus, corpus.positions),
        }
    )  # fmt: skip
    for name, values in (("types", corpus.types), ("ends", corpus.ends)):
        if values is not None:
            table = table.with_columns(_lists(polars, corpus, values).alias(name))
    if corpus.names:
        names = [list(corpus.names[row]) if row in corpus.names else None for row in range(len(corpus))]
        table = table.with_columns(polars.Series("names", names, dtype=polars.List(polars.String)))
    about = {
        "format": FORMAT,
        "version": VERSION,
        "kind": corpus.kind,
        "typed": corpus.typed,
        "labels": corpus.labels,
        "texts": [[item, track, list(units)] for (item, track), units in corpus.texts.items()],
        "attributes": {item: dict(known) for item, known in corpus.attributes.items()},
    }
    buffer = io.BytesIO()
    table.write_parquet(buffer, metadata={_KEY: json.dumps(about), _SUM: _UNSUMMED.decode()})
    return _put_sum(buffer.getvalue())


def _corpus(source: Source, table: Any, about: dict[str, Any]) -> Corpus:
    columns = _columns(source, table, about)
    del table
    try:
        return Corpus(**columns)
    except (KeyError, TypeError) as fault:
        raise source.fault(None, f"the columns do not fit together: {fault}.") from None


def _columns(source: Source, table: Any, about: dict[str, Any]) -> dict[str, Any]:
    if missing := [name for name in ("item", "coder", "length", "positions") if name not in table.columns]:
        raise source.fault(None, f"there is no column {missing[0]!r}; found {', '.join(table.columns)}.")
    kind = _kind(about, table.schema)
    texts = {(item, track): units for item, track, units in about.get("texts", [])}
    columns: dict[str, Any] = {
        "kind": kind,
        "texts": texts,
        "attributes": about.get("attributes"),
        "labels": about.get("labels"),
    }
    for name in ("item", "coder", "track"):
        if name in table.columns:
            columns[f"{name}s"], columns[f"{name}_of"] = _encode(source, table, name)
    if not columns.get("tracks", True):
        columns["tracks"] = ("",)
    seconds = kind == "time" or (kind == "spans" and _floats(table.schema))
    columns["lengths"] = _numbers(source, table, "length", table["length"], seconds)
    columns["offsets"] = np.concatenate(([0], np.cumsum(_sizes(source, table, "positions"))))
    for column in ("positions", "types", "ends"):
        if column in table.columns:
            columns[column] = _flat(source, table, column, seconds and column != "types")
    if not about and kind != "nested" and "types" in columns:
        columns["labels"], columns["types"] = _scale_of_names(columns["types"])
    if about.get("typed") is False and kind != "nested":
        columns.pop("types", None)
    if "names" in table.columns:
        columns["names"] = {row: names for row, names in enumerate(table["names"].to_list()) if names is not None}
    if kind == "nested":
        _nest(source, columns)
    return columns


def _flat(source: Source, table: Any, name: str, seconds: bool) -> Any:
    """Lay the lists of a column end to end."""
    sizes = _sizes(source, table, name)
    if (sizes != _sizes(source, table, "positions")).any():
        raise source.fault(None, f"column {name!r} has lists of another length than positions.")
    values = table[name].explode().drop_nulls() if len(table) else table[name].explode()
    if len(values) != int(sizes.sum()):
        raise _missing_value(source, table, name)
    return values if str(values.dtype) in ("String", "Categorical") else _numbers(source, table, name, values, seconds)


def _numbers(source: Source, table: Any, name: str, values: Any, seconds: bool) -> Any:
    if values.null_count():
        raise _missing_value(source, table, name)
    array = values.to_numpy()
    if len(array) and array.dtype.kind not in ("iuf" if seconds else "iu"):
        what = "numbers" if seconds else "whole numbers"
        raise source.fault(None, f"column {name!r} is {table[name].dtype}, expected {what}.")
    return array.astype(np.float64 if seconds else np.int64, copy=False)


def _sizes(source: Source, table: Any, name: str) -> Any:
    if not str(table[name].dtype).startswith(("List", "Array")):
        raise source.fault(None, f"column {name!r} is {table[name].dtype}, expected lists.")
    sizes = table[name].list.len()
    if sizes.null_count():
        raise _missing_value(source, table, name)
    return sizes.to_numpy().astype(np.int64)


def _scale_of_names(types: Any) -> tuple[list[str] | None, Any]:
    """Types given as names, in a file made elsewhere, are placed on the alphabet's scale."""
    if isinstance(types, np.ndarray):
        return None, types
    names = types.to_list()
    labels = sorted(set(names))
    code = {name: i for i, name in enumerate(labels)}
    return labels, np.array([code[name] for name in names], dtype=np.int64)


def _nest(source: Source, columns: dict[str, Any]) -> None:
    """Check nested segments annotation by annotation, and put them into their order."""
    columns["labels"] = None
    bounds = columns["offsets"].tolist()
    for row, (start, end) in enumerate(pairwise(bounds)):
        rows = np.stack([columns[name][start:end] for name in ("positions", "ends", "types")], axis=1)
        try:
            ordered = Hierarchy(int(columns["lengths"][row]), rows).segments
        except CaesuraError as fault:
            raise source.fault(None, f"row {row + 1}: {fault}") from None
        for i, name in enumerate(("positions", "ends", "types")):
            columns[name] = columns[name] if columns[name].flags.writeable else columns[name].copy()
            columns[name][start:end] = ordered[:, i]


def _encode(source: Source, table: Any, name: str) -> tuple[list[str], Any]:
    """Return the distinct names in order of appearance, and the number of each row's name among them."""
    if table[name].null_count():
        raise _missing_value(source, table, name)
    polars = _polars()
    column = table[name].cast(polars.String)
    if len(column) and (column == column[0]).all():  # one coder throughout
        return [column[0]], np.zeros(len(column), np.int64)
    if column.n_unique() == len(column):  # one item per row, as most large files have it
        return column.to_list(), np.arange(len(column))
    names = column.unique(maintain_order=True)
    return names.to_list(), column.cast(polars.Enum(names)).to_physical().to_numpy().astype(np.int64)


def incomplete_rows(table: Any) -> Any:
    """Which rows lack a value that every annotation has, or one inside a list: True or False per row."""
    polars = _polars()
    lacking = polars.repeat(False, len(table), eager=True)
    for name in table.columns:
        if name in ("item", "coder", "track", "length", "positions", "types", "ends"):
            lacking |= table[name].is_null()
            if isinstance(table[name].dtype, polars.List):
                lacking |= table[name].list.eval(polars.element().is_null()).list.any().fill_null(False)
    return lacking


def _missing_value(source: Source, table: Any, name: str) -> FormatError:
    """Build the complaint about a missing value, with the first row that has one."""
    columns = table.select(name) if ROW not in table.columns else table.select(name, ROW)
    at = incomplete_rows(columns).arg_max()
    row = at + 1 if ROW not in table.columns else table[ROW][at]
    return source.fault(None, f"row {row}: column {name!r} holds a missing value.")


def _kind(about: dict[str, Any], schema: Any) -> Kind:
    """What a file says of itself, or what its columns look like."""
    return about.get("kind") or ("nested" if "ends" in schema else "time" if _floats(schema) else "units")


def _floats(schema: Any) -> bool:
    return any("Float" in str(schema.get(column)) for column in ("positions", "length"))


def _put_sum(written: bytes) -> bytes:
    """Put the checksum into its place: polars writes none for its pages, and a flipped bit would be another number."""
    at = written.rindex(_UNSUMMED)
    return written[:at] + b"crc32:%08x" % zlib.crc32(written) + written[at + len(_UNSUMMED) :]


def check_sums(path: str | PathLike[str]) -> None:
    """Refuse a file (or folder) that does not fit its own checksums, all of it read once."""
    for part in parts_of(path):
        _check_sum(Source(part))


def _check_sum(source: Source) -> None:
    """Refuse a file of ours whose bytes are not those that were written; of files made elsewhere the pages that have a sum of their own."""
    with _lend_bytes(source) as content:
        end = len(content)
        if end < 12 or bytes(content[-4:]) != b"PAR1":
            return  # cut off, or no Parquet: polars says so
        footer = max(0, end - 8 - int.from_bytes(content[-8:-4], "little"))
        marks = list(_SUMMED.finditer(content, footer)) if content.find(_SUM.encode(), footer) >= 0 else []
        if marks:
            at = marks[-1].start()
            pieces = chain(_chunks(content, 0, at), [_UNSUMMED], _chunks(content, at + len(_UNSUMMED), end))
            if reduce(lambda total, piece: zlib.crc32(piece, total), pieces, 0) != int(marks[-1][1], 16):
                raise _damage_fault(source, "its checksum does not fit its content")
        elif (page := damaged_page(content)) is not None:
            raise _damage_fault(source, f"the page at byte {page} does not fit its checksum")


def _damage_fault(source: Source, how: str) -> FormatError:
    return source.fault(None, f"the file is damaged: {how}; take it from where it was written.")


@contextmanager
def _lend_bytes(source: Source) -> Iterator[bytes | mmap.mmap]:
    """Lend the bytes of a file of any size without reading them all at once."""
    if source.data is not None:
        yield source.data
        return
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def _chunks(content: bytes | mmap.mmap, start: int, end: int) -> Iterator[bytes]:
    return (content[at : min(at + _CHUNK, end)] for at in range(start, end, _CHUNK))


def _about_all(sources: list[Source], polars: ModuleType) -> dict[str, Any]:
    """What the files of a folder say about their corpus: texts and attributes together, all else must be the same."""
    first, *others = (_about(source, polars) for source in sources)
    for source, about in zip(sources[1:], others, strict=True):
        for key in ("kind", "typed", "labels"):
            if about.get(key) != first.get(key):
                raise source.fault(
                    None, f"{key} is {about.get(key)!r}, but {sources[0].path.name} has {first.get(key)!r}."
                )
        first["texts"] = [*first.get("texts", []), *about.get("texts", [])]
        first["attributes"] = {**first.get("attributes", {}), **about.get("attributes", {})}
    return first


def _about(source: Source, polars: ModuleType) -> dict[str, Any]:
    written = polars.read_parquet_metadata(_open(source)).get(_KEY)
    if written is None:
        return {}
    try:
        about = json.loads(written)
    except json.JSONDecodeError as fault:
        raise source.fault(None, f"the corpus' own table is not JSON: {fault.msg}.") from None
    if not isinstance(about, dict) or about.get("version") != VERSION:
        raise source.fault(None, f"the corpus' own table is not of version {VERSION}.")
    return about


@contextmanager
def _reading(path: Path, failed: str) -> Iterator[ModuleType]:
    """Lend polars for reading, and put what it says about a file it cannot read behind our own words."""
    polars = _polars()
    try:
        yield polars
    except (
        polars.exceptions.PanicException
    ):  # its reader fell over what it found; what it says about itself helps nobody
        raise FormatError(path, None, f"{failed}: the data are damaged.") from None
    except (polars.exceptions.PolarsError, OSError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise FormatError(path, None, f"{failed}: {reason.rpartition('specification: ')[2].rstrip('.')}.") from None


def _open(source: Source) -> Any:
    return source.path if source.data is None else io.BytesIO(source.data)


def _lists(polars: ModuleType, corpus: Corpus, values: Any) -> Any:
    """Cut a flat array into lists, an annotation each."""
    sizes = np.diff(corpus.offsets)
    rows = polars.DataFrame({"row": np.repeat(np.arange(len(sizes)), sizes), "value": values})
    lists = rows.group_by("row", maintain_order=True).agg("value")
    every = polars.DataFrame({"row": np.arange(len(sizes))}).join(lists, on="row", how="left", maintain_order="left")
    return every["value"].fill_null(polars.lit([], dtype=every["value"].dtype))


def _polars() -> Any:
    return import_extra("polars", "parquet", "Parquet")
