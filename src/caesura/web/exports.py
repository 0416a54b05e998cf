"""Exports: any format that can be written, with provenance, safe to open in a spreadsheet, and of a bounded cost."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from caesura.display.table import spreadsheet_value
from caesura.errors import CaesuraError, FormatError
from caesura.formats import write
from caesura.formats.catalog import Format, named_format
from caesura.formats.folders import rename_each
from caesura.model import Corpus
from caesura.web.rows import on_one_scale
from caesura.web.settings import Limits
from caesura.web.uploads import plain_name

Origins = Mapping[tuple[str, str, str], str]


def export_file(
    corpus: Corpus, project: str, format: str, *, lossy: bool, limits: Limits, origins: Origins | None = None
) -> tuple[str, bytes]:
    """Name and content of one file with all annotations; a zip where the format is read with another file beside it."""
    chosen = named_format(format)
    stem, suffix = _file_name(project), _suffix(chosen)
    if len(corpus) == 1 and not {"items", "coders"} <= chosen.carries:  # such a file's name is where its names go
        stem = _file_name(f"{corpus.items[0]}-{corpus.coders[0]}")
    _refuse_costly(corpus, chosen, limits)
    with tempfile.TemporaryDirectory(prefix="caesura-") as own:
        folder = Path(own)
        _write_part(_with_provenance(corpus, chosen, origins), folder / f"{stem}{suffix}", chosen, lossy)
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    if len(files) == 1:
        return next(iter(files.items()))
    return f"{stem}.zip", _zip(files)


def export_folder(
    corpora: Sequence[Corpus],
    project: str,
    format: str,
    *,
    lossy: bool,
    limits: Limits,
    origins: Origins | None = None,
    history: list[dict[str, Any]] | None = None,
) -> tuple[str, bytes]:
    """A zip with one file per item, in a folder per coder where a file holds one coder, and provenance.json beside them."""
    chosen = named_format(format)
    taken: set[str] = set()
    renamed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="caesura-") as own:
        folder = Path(own)
        for corpus in corpora:
            for name, part in _parts(corpus, chosen, renamed):
                _refuse_costly(part, chosen, limits)
                path = folder / _take_name(name, _suffix(chosen), taken)
                path.parent.mkdir(exist_ok=True)
                _write_part(_with_provenance(part, chosen, origins), path, chosen, lossy, folder)
        written = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in written}
    if not files:
        raise CaesuraError("there is no such annotation to export.")
    about = {"project": project, "format": chosen.name, "names of files": renamed, "annotations": history or []}
    files["provenance.json"] = json.dumps(about, ensure_ascii=False, indent=1).encode()
    return f"{_file_name(project)}.zip", _zip(files)


# ---------------------------------------------------------------------- parts and names


def _parts(corpus: Corpus, chosen: Format, renamed: dict[str, str]) -> Iterator[tuple[str, Corpus]]:
    """The corpus cut at its items and, where one file holds no more, at coders and tracks: path without suffix, and part.

    A name that no file can have is written otherwise, and ``renamed`` says how.
    """
    rows: dict[tuple[str, str, str], list[int]] = {}
    for row, (item, coder, _, track) in enumerate(corpus):
        own_file = "" if "coders" in chosen.carries else coder
        own_track = "" if "tracks" in chosen.carries else track
        rows.setdefault((item, own_file, own_track), []).append(row)
    for (item, coder, track), taken in rows.items():
        names = {name: _file_name(name) for name in (item, coder, track) if name}
        renamed.update({name: safe for name, safe in names.items() if safe != name})
        stem = "-".join(names[name] for name in (item, track) if name)
        part = corpus.take(taken)
        if part.kind == "spans":  # labels that only others use are nothing to this file
            part = Corpus.from_annotations(on_one_scale(list(part)), attributes=part.attributes)
        if "items" not in chosen.carries or "coders" not in chosen.carries:
            own = {name: names[name] for name in (item, coder) if name}
            part = rename_each(part, own, own)
        yield (f"{names[coder]}/{stem}" if coder else stem), part


def _file_name(name: str) -> str:
    """A name that every system takes for a file.

    >>> _file_name("a/b: c"), _file_name("..")
    ('a_b_ c', '_')
    """
    safe = "".join(c if c.isalnum() or c in "-_ .,+" else "_" for c in plain_name(name.replace("/", "_")))
    return safe.strip(" .")[:100] or "_"


def _take_name(name: str, suffix: str, taken: set[str]) -> str:
    """The name, with a number behind it where two items would be called the same; nobody else has it from now on."""
    numbered = (f"{name}_{n}{suffix}" for n in count(2))
    free = next(each for each in chain([f"{name}{suffix}"], numbered) if each.lower() not in taken)
    taken.add(free.lower())
    return free


def _suffix(chosen: Format) -> str:
    return chosen.suffixes[0] if chosen.suffixes else ".txt"


# ---------------------------------------------------------------------- writing


def _write_part(corpus: Corpus, path: Path, chosen: Format, lossy: bool, folder: Path | None = None) -> None:
    """Write one file; what is said about it names it as the reader will know it."""
    base = f"{folder or path.parent}/"
    try:
        write(corpus, path, chosen.name, lossy=lossy)
    except FormatError as fault:
        why = fault.why.replace(base, "").replace(_HOW, _HERE)
        raise FormatError(str(path).removeprefix(base), fault.line, why) from None
    except CaesuraError as fault:
        raise CaesuraError(str(fault).replace(base, "")) from None
    if path.suffix in (".csv", ".tsv"):
        path.write_bytes(_defuse(path.read_bytes(), "\t" if path.suffix == ".tsv" else ","))


#: What the command line and the library advise, and what the page has instead.
_HOW = "lossy=True (--lossy)"
_HERE = "“even if the format loses something” (lossy=true)"


def _defuse(content: bytes, delimiter: str) -> bytes:
    """A table in which nothing is a formula to a spreadsheet: labels, words, names and types get an apostrophe in front."""
    rows = list(csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter))
    safe = [[cell if _is_number(cell) else spreadsheet_value(cell) for cell in row] for row in rows]
    if safe == rows:
        return content
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator="\n").writerows(safe)
    return table.getvalue().encode()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _zip(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _with_provenance(corpus: Corpus, chosen: Format, origins: Origins | None) -> Corpus:
    """Formats that carry attributes say where each annotation came from."""
    if not origins or "attributes" not in chosen.carries:
        return corpus
    attributes: dict[str, dict[str, object]] = {item: dict(known) for item, known in corpus.attributes.items()}
    for item, coder, _, track in corpus:
        origin = origins.get((item, track, coder))
        if origin is not None:
            attributes.setdefault(item, {})[f"provenance of {coder}" + (f" on {track}" if track else "")] = origin
    return Corpus.from_annotations(corpus, labels=corpus.labels, attributes=attributes)


# ---------------------------------------------------------------------- cost

#: Bytes of memory that writing takes, as measured: for a unit where each is a line or a word of the file, and for a boundary.
_PER_UNIT, _PER_BOUNDARY = 500, 400


def _refuse_costly(corpus: Corpus, chosen: Format, limits: Limits) -> None:
    """Refuse what would not fit into memory: a short file may declare a long text, of which others write every unit."""
    every_unit = not corpus.timed and "text" in chosen.carries and (bool(corpus.texts) or not chosen.exact)
    units = sum(float(marks.length) for _, _, marks, _ in corpus) if every_unit else 0
    cost = units * _PER_UNIT + len(corpus.positions) * _PER_BOUNDARY
    if cost > limits.export_bytes:
        raise CaesuraError(
            f"{chosen.title} of {units:,.0f} units would take about {cost / 1e9:.1f} GB of memory, more than the "
            f"{limits.export_bytes / 1e9:g} GB allowed; export fewer coders, one file per item, or Caesura's JSON."
        )
