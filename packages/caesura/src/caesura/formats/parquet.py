"""Parquet: one row per annotation, its marks in list columns, read and written with polars.

Columns: ``item``, ``coder``, ``track``, ``length``, ``positions``, and if the corpus has them ``types`` (codes), ``ends`` and ``names``. In
nested annotations positions are first units, ends are last units and types are levels; in spans positions are starts and types are codes of
labels, -1 for none. Facts about the whole corpus (kind, labels, texts, attributes) are JSON in the metadata of the file, under the key
``caesura``. Files of other programs need only item, coder, length and positions.
"""

from __future__ import annotations

import io
import json
import mmap
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.errors import CaesuraError, FormatError, import_extra
from caesura.files import Source
from caesura.formats.caesura_json import FORMAT, VERSION, losses_json, parse_starts, starts_of
from caesura.formats.parquet_pages import Lists, damaged_page, open_lists
from caesura.model import Corpus, Hierarchy
from caesura.model.corpus import Kind
from caesura.model.pairs import unpooled_tiers
from caesura.model.provenance import Provenance

if TYPE_CHECKING:
    from types import ModuleType


#: In a part of a table, the column with the number of each row in its file, counted from 1.
ROW = "caesura_row"
_METADATA_KEY = "caesura"
_CHECKSUM_KEY = "caesura-crc32"
_CHECKSUM_PLACEHOLDER = b"crc32:........"  # the checksum is that of the file with these eight dots in its place
_CHECKSUM = re.compile(rb"crc32:([0-9a-f]{8})")
_CHUNK = 2**20
_SLICE = 1_000_000  # item names read at a time


def losses(corpus: Corpus) -> list[str]:
    """Describe attributes that JSON cannot hold, and lone surrogates, which Parquet's strings cannot hold."""
    names = (name for listed in corpus.names.values() for name in listed)
    try:
        "".join([*corpus.items, *corpus.tracks, *corpus.coders, *names]).encode()
    except UnicodeEncodeError:
        return [*losses_json(corpus), "names with lone surrogates"]
    return losses_json(corpus)


def read(source: Source) -> Corpus:
    """Read the columns without copying them."""
    source.reject_encoding("Parquet is not text")
    with _reading(source.path, "this is not Parquet") as polars:
        _verify_checksum(source)
        about = _metadata_of(source, polars)
        table = polars.read_parquet(_open(source), memory_map=False)
    return _corpus(source, table, about)


def parts_of(path: str | PathLike[str]) -> list[Path]:
    """List the files of a table: the file itself, or the files of a folder, ordered by name."""
    where = Path(path)
    if not where.is_dir():
        return [Source.open(where).path]
    parts = sorted(where.glob("*.parquet"))
    if not parts:
        raise FormatError(where, None, "this folder contains no .parquet file.")
    return [Source.open(part).path for part in parts]


def read_table(path: str | PathLike[str], start: int, stop: int, *, without: str = "") -> Any:
    """Read only the rows from ``start`` up to ``stop``, counted from 0, of a file or folder; items are cast to text."""
    with _reading(Path(path), f"rows {start + 1} to {stop} cannot be read") as polars:
        lazy = polars.scan_parquet(parts_of(path))
        table = (lazy.drop(without) if without else lazy).slice(start, stop - start).collect()
        item = [polars.col("item").cast(polars.String)] if "item" in table.columns else []
        return table.with_columns(*item, polars.Series(ROW, np.arange(start + 1, start + 1 + len(table))))


class _Items(NamedTuple):
    """The items of a table: the column, the distinct names in order of appearance, and the index of each row's name."""

    column: Any
    names: tuple[str, ...]
    of: Any


def read_sides(sides: Iterable[tuple[str, tuple[int, int]]]) -> list[Corpus]:
    """Return a corpus of some rows of every file or folder, given from the first up to the last, counted from 0.

    Names of items are converted to Python once if all sides have the same.
    """
    corpora: list[Corpus] = []
    items: _Items | None = None
    for path, (start, stop) in sides:
        lists = _read_positions(parts_of(path), start, stop)
        table = read_table(path, start, stop, without="" if lists is None else "positions")
        corpus = corpus_of(path, table, lists, items)
        items = items or _Items(table["item"], corpus.items, corpus.item_of)
        corpora.append(corpus)
    return corpora


def _read_positions(parts: list[Path], start: int, stop: int) -> Lists | None:
    """Read only the positions, if a single file has them as polars writes them, and no other lists."""
    column = open_lists(parts[0], "positions") if len(parts) == 1 else None
    return None if column is None else column.read(start, stop)


def corpus_of(path: str | PathLike[str], table: Any, lists: Lists | None = None, items: _Items | None = None) -> Corpus:
    """Return a corpus of rows that :func:`read_table` has read from a file or folder.

    ``lists`` are its positions, if the table has no such column; ``items`` are those of another table, which are often the same.
    """
    source = Source(Path(path))
    with _reading(source.path, "the metadata of the file cannot be read") as polars:
        about = _joined_metadata([Source(part) for part in parts_of(path)], polars)
    if about.get("texts") or about.get("attributes"):
        here = set(table["item"].to_list())
        about["texts"] = [text for text in about.get("texts", []) if text[0] in here]
        about["attributes"] = {item: known for item, known in about.get("attributes", {}).items() if item in here}
    try:
        return _corpus(source, table, about, lists, items)
    except FormatError:
        raise
    except CaesuraError as error:
        rows = f"rows {table[ROW].min()} to {table[ROW].max()}"
        raise source.error(None, f"{rows}: {error}") from None


def count_rows(path: str | PathLike[str]) -> int:
    """Count the rows of a file or folder of annotations; none is an error."""
    where = Path(path)
    with _reading(where, "this Parquet file cannot be read") as polars:
        lazy = polars.scan_parquet(parts_of(path))
        if "item" not in lazy.collect_schema().names():
            raise FormatError(where, None, "expected a Parquet file of annotations with a column 'item'.")
        total = int(lazy.select(polars.len()).collect().item())
    if not total:
        raise FormatError(where, None, "the file contains no annotation.")
    return total


def has_names(path: str | PathLike[str]) -> bool:
    """Tell whether the annotations of a file or folder have names of segments."""
    with _reading(Path(path), "this Parquet file cannot be read") as polars:
        return "names" in polars.scan_parquet(parts_of(path)).collect_schema().names()


def has_tiers(path: str | PathLike[str]) -> bool:
    """Tell whether the tracks of a file or folder are several tiers, such as words and phones, which scores do not pool."""
    with _reading(Path(path), "the metadata of the file cannot be read") as polars:
        return any(_metadata_of(Source(part), polars).get("tiers") is True for part in parts_of(path))


def corpus_kind(path: str | PathLike[str]) -> Kind:
    """Return the kind of the annotations in a file or folder."""
    with _reading(Path(path), "this Parquet file cannot be read") as polars:
        about = _joined_metadata([Source(part) for part in parts_of(path)], polars)
        return _kind(about, polars.scan_parquet(parts_of(path)).collect_schema())


def metadata(path: Path) -> dict[str, str]:
    """Return the key-value metadata of a Parquet file."""
    with _reading(path, "this is not Parquet") as polars:
        return dict(polars.read_parquet_metadata(path))


def item_names(path: str | PathLike[str], start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """Iterate over columns of item names, a million at most in each, from row ``start`` up to row ``stop``."""
    where, total = Path(path), count_rows(path) if stop is None else stop
    for first in range(start, total, _SLICE):
        last = min(first + _SLICE, total)
        with _reading(where, f"the names of the items in rows {first + 1} to {last} cannot be read") as polars:
            lazy = polars.scan_parquet(parts_of(path)).select(polars.col("item").cast(polars.String))
            names = lazy.slice(first, last - first).collect()["item"]
        yield names


def write(corpus: Corpus) -> bytes:
    """Write compressed row groups."""
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
        **({"starts": starts_of(corpus)} if corpus.starts is not None else {}),
        **({"tiers": True} if unpooled_tiers(corpus) else {}),
    }
    buffer = io.BytesIO()
    table.write_parquet(
        buffer, metadata={_METADATA_KEY: json.dumps(about), _CHECKSUM_KEY: _CHECKSUM_PLACEHOLDER.decode()}
    )
    return _insert_checksum(buffer.getvalue())


def _corpus(
    source: Source, table: Any, about: dict[str, Any], lists: Lists | None = None, items: _Items | None = None
) -> Corpus:
    columns = _columns(source, table, about, lists)
    if items is not None and items.column.equals(table["item"]):
        columns["items"], columns["item_of"] = items.names, items.of
    else:
        columns["items"], columns["item_of"] = _encode(source, table, "item")
    del table
    try:
        return Corpus(**columns)
    except (KeyError, TypeError) as error:
        raise source.error(None, f"the columns do not fit together: {error}.") from None


def _columns(source: Source, table: Any, about: dict[str, Any], lists: Lists | None) -> dict[str, Any]:
    required = ("item", "coder", "length", *(("positions",) if lists is None else ()))
    if missing := [name for name in required if name not in table.columns]:
        raise source.error(None, f"there is no column {missing[0]!r}; found {', '.join(table.columns)}.")
    kind = _kind(about, table.schema)
    texts = {(item, track): units for item, track, units in about.get("texts", [])}
    columns: dict[str, Any] = {
        "kind": kind,
        "texts": texts,
        "attributes": about.get("attributes"),
        "labels": about.get("labels"),
        "provenance": Provenance(tiers=True) if about.get("tiers") is True else None,
    }
    for name in ("coder", "track"):
        if name in table.columns:
            columns[f"{name}s"], columns[f"{name}_of"] = _encode(source, table, name)
    if not columns.get("tracks", True):
        columns["tracks"] = ("",)
    seconds = kind == "time" or (kind == "spans" and _floats(table.schema))
    columns["lengths"] = _numbers(source, table, "length", table["length"], seconds)
    if lists is not None:
        columns["offsets"] = lists.offsets
        columns["positions"] = lists.values.astype(np.float64 if seconds else np.int64, copy=False)
    else:
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
    if about.get("starts") and len(table):
        begins = parse_starts(about["starts"])
        tracks = table["track"].to_list() if "track" in table.columns else [""] * len(table)
        columns["starts"] = [begins.get(key, 0.0) for key in zip(table["item"].to_list(), tracks, strict=True)]
    return columns


def _flat(source: Source, table: Any, name: str, seconds: bool) -> Any:
    """Concatenate the lists of a column."""
    sizes = _sizes(source, table, name)
    if (sizes != _sizes(source, table, "positions")).any():
        raise source.error(None, f"the lists of column {name!r} and of positions differ in length.")
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
        raise source.error(None, f"column {name!r} is {table[name].dtype}, expected {what}.")
    return array.astype(np.float64 if seconds else np.int64, copy=False)


def _sizes(source: Source, table: Any, name: str) -> Any:
    if not str(table[name].dtype).startswith(("List", "Array")):
        raise source.error(None, f"column {name!r} is {table[name].dtype}, expected lists.")
    sizes = table[name].list.len()
    if sizes.null_count():
        raise _missing_value(source, table, name)
    return sizes.to_numpy().astype(np.int64)


def _scale_of_names(types: Any) -> tuple[list[str] | None, Any]:
    """Return labels in alphabetical order and codes, for types given as names by other programs."""
    if isinstance(types, np.ndarray):
        return None, types
    names = types.to_list()
    labels = sorted(set(names))
    code = {name: i for i, name in enumerate(labels)}
    return labels, np.array([code[name] for name in names], dtype=np.int64)


def _nest(source: Source, columns: dict[str, Any]) -> None:
    """Validate the nested segments of every annotation, and sort them."""
    columns["labels"] = None
    bounds = columns["offsets"].tolist()
    for row, (start, end) in enumerate(pairwise(bounds)):
        rows = np.stack([columns[name][start:end] for name in ("positions", "ends", "types")], axis=1)
        try:
            names = columns.get("names", {}).get(row)
            read = Hierarchy(int(columns["lengths"][row]), rows, names=names)
            ordered = read.segments
            if names is not None:
                columns["names"][row] = read.names
        except CaesuraError as error:
            raise source.error(None, f"row {row + 1}: {error}") from None
        for i, name in enumerate(("positions", "ends", "types")):
            columns[name] = columns[name] if columns[name].flags.writeable else columns[name].copy()
            columns[name][start:end] = ordered[:, i]


def _encode(source: Source, table: Any, name: str) -> tuple[list[str], Any]:
    """Return the distinct names in order of appearance, and the index of each row's name."""
    if table[name].null_count():
        raise _missing_value(source, table, name)
    polars = _polars()
    column = table[name].cast(polars.String)
    # two shortcuts for large files: a single name (a coder), and only distinct names (items)
    if len(column) and (column == column[0]).all():
        return [column[0]], np.zeros(len(column), np.int64)
    if (column.head(-1) < column.tail(-1)).all() or column.n_unique() == len(column):
        return column.to_list(), np.arange(len(column))
    names = column.unique(maintain_order=True)
    return names.to_list(), column.cast(polars.Enum(names)).to_physical().to_numpy().astype(np.int64)


def incomplete_rows(table: Any) -> Any:
    """Return a column of booleans: whether a required value, or a value inside a list, is missing in a row."""
    polars = _polars()
    lacking = polars.repeat(False, len(table), eager=True)
    for name in table.columns:
        if name in ("item", "coder", "track", "length", "positions", "types", "ends"):
            lacking |= table[name].is_null()
            if isinstance(table[name].dtype, polars.List):
                lacking |= table[name].list.eval(polars.element().is_null()).list.any().fill_null(False)
    return lacking


def _missing_value(source: Source, table: Any, name: str) -> FormatError:
    """Return an error about the first row with a missing value."""
    columns = table.select(name) if ROW not in table.columns else table.select(name, ROW)
    at = incomplete_rows(columns).arg_max()
    row = at + 1 if ROW not in table.columns else table[ROW][at]
    return source.error(None, f"row {row}: column {name!r} has a missing value.")


def _kind(about: dict[str, Any], schema: Any) -> Kind:
    """Return the kind in the metadata of a file, or the kind that its columns suggest."""
    return about.get("kind") or ("nested" if "ends" in schema else "time" if _floats(schema) else "units")


def _floats(schema: Any) -> bool:
    return any("Float" in str(schema.get(column)) for column in ("positions", "length"))


def _insert_checksum(written: bytes) -> bytes:
    """Replace the placeholder by the checksum of the file, because polars writes no checksums for pages."""
    at = written.rindex(_CHECKSUM_PLACEHOLDER)
    return written[:at] + b"crc32:%08x" % zlib.crc32(written) + written[at + len(_CHECKSUM_PLACEHOLDER) :]


def verify_checksums(path: str | PathLike[str]) -> None:
    """Read a file or folder once, and raise an error if a checksum is wrong."""
    for part in parts_of(path):
        _verify_checksum(Source(part))


def _verify_checksum(source: Source) -> None:
    """Verify the checksum that we write, or in files of other programs those of the pages."""
    with _open_bytes(source) as content:
        end = len(content)
        if end < 12 or bytes(content[-4:]) != b"PAR1":
            return  # truncated, or not Parquet: polars reports it
        footer = max(0, end - 8 - int.from_bytes(content[-8:-4], "little"))
        marks = list(_CHECKSUM.finditer(content, footer)) if content.find(_CHECKSUM_KEY.encode(), footer) >= 0 else []
        if marks:
            at = marks[-1].start()
            pieces = chain(
                _chunks(content, 0, at), [_CHECKSUM_PLACEHOLDER], _chunks(content, at + len(_CHECKSUM_PLACEHOLDER), end)
            )
            if reduce(lambda total, piece: zlib.crc32(piece, total), pieces, 0) != int(marks[-1][1], 16):
                raise _damage_error(source, "its checksum does not fit its content")
        elif (page := damaged_page(content)) is not None:
            raise _damage_error(source, f"the page at byte {page} does not fit its checksum")


def _damage_error(source: Source, how: str) -> FormatError:
    return source.error(None, f"the file is damaged: {how}; copy it again from its origin.")


@contextmanager
def _open_bytes(source: Source) -> Iterator[bytes | mmap.mmap]:
    """Give access to the bytes of a file of any size without reading it completely."""
    if source.data is not None:
        yield source.data
        return
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def _chunks(content: bytes | mmap.mmap, start: int, end: int) -> Iterator[bytes]:
    return (content[at : min(at + _CHUNK, end)] for at in range(start, end, _CHUNK))


def _joined_metadata(sources: list[Source], polars: ModuleType) -> dict[str, Any]:
    """Join the metadata of the files of a folder: texts and attributes are combined, all else must be equal."""
    first, *others = (_metadata_of(source, polars) for source in sources)
    for source, about in zip(sources[1:], others, strict=True):
        for key in ("kind", "typed", "labels"):
            if about.get(key) != first.get(key):
                raise source.error(
                    None, f"{key} is {about.get(key)!r}, but {sources[0].path.name} has {first.get(key)!r}."
                )
        first["starts"] = [*first.get("starts", []), *about.get("starts", [])]
        first["tiers"] = first.get("tiers") is True or about.get("tiers") is True
        first["texts"] = [*first.get("texts", []), *about.get("texts", [])]
        first["attributes"] = {**first.get("attributes", {}), **about.get("attributes", {})}
    return first


def _metadata_of(source: Source, polars: ModuleType) -> dict[str, Any]:
    written = polars.read_parquet_metadata(_open(source)).get(_METADATA_KEY)
    if written is None:
        return {}
    try:
        about = json.loads(written)
    except json.JSONDecodeError as error:
        raise source.error(None, f"the metadata of the corpus is not JSON: {error.msg}.") from None
    if not isinstance(about, dict) or about.get("version") != VERSION:
        raise source.error(None, f"the metadata of the corpus is not of version {VERSION}.")
    return about


@contextmanager
def _reading(path: Path, failed: str) -> Iterator[ModuleType]:
    """Import polars and convert its errors to a :class:`FormatError` that begins with ``failed``."""
    polars = _polars()
    try:
        yield polars
    except polars.exceptions.PanicException:  # a crash of the Rust code, whose message helps no user
        raise FormatError(path, None, f"{failed}: the data are damaged.") from None
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise FormatError(path, None, f"{failed}: {reason.rpartition('specification: ')[2].rstrip('.')}.") from None


def _open(source: Source) -> Any:
    return source.path if source.data is None else io.BytesIO(source.data)


def _lists(polars: ModuleType, corpus: Corpus, values: Any) -> Any:
    """Split a flat array into one list per annotation."""
    sizes = np.diff(corpus.offsets)
    rows = polars.DataFrame({"row": np.repeat(np.arange(len(sizes)), sizes), "value": values})
    lists = rows.group_by("row", maintain_order=True).agg("value")
    every = polars.DataFrame({"row": np.arange(len(sizes))}).join(lists, on="row", how="left", maintain_order="left")
    return every["value"].fill_null(polars.lit([], dtype=every["value"].dtype))


def _polars() -> Any:
    return import_extra("polars", "parquet", "Parquet")
