"""Export annotations in any writable format, with their history as provenance.

Spreadsheet formulas are escaped, and exports that would take too much memory are rejected.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from caesura.display.table import spreadsheet_value
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.formats import write
from caesura.formats.catalog import Format, all_formats, named_format
from caesura.formats.folders import rename_each
from caesura.formats.losses import DROPPABLE, FEATURES, FLATTENED, features
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura_workbench.imports import base_name
from caesura_workbench.jobs import report_progress
from caesura_workbench.merging import merge_steps
from caesura_workbench.rows import with_shared_labels
from caesura_workbench.schema import codings, items, revisions
from caesura_workbench.schemas import Schemas
from caesura_workbench.settings import Limits
from caesura_workbench.store import Store, open_in_worker

Origins = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True)
class ExportRequest:
    """What is exported and how: ``files`` is "one", "items" (a zip with one per item) or "tiers" (one per recording, with a tier per coder and track)."""

    format: str
    lossy: bool = False
    coders: tuple[str, ...] = ()
    role: str | None = None
    sort: str | None = None
    files: str = "one"


def _read_corpora(
    store: Store, project: int, wanted: ExportRequest, only: Sequence[int] | None = None
) -> dict[str, Corpus]:
    corpora = store.corpora(project, role=wanted.role, coders=list(wanted.coders), only=only)
    if wanted.sort is not None:
        known = store.sorts(project)
        if wanted.sort not in known:
            raise UnknownName("sort of annotation", wanted.sort, known)
        corpora = {sort: corpus for sort, corpus in corpora.items() if sort == wanted.sort}
    if not corpora:
        raise CaesuraError("no annotations match this export.")
    return corpora


def export_project(url: str, project: int, wanted: ExportRequest, limits: Limits) -> tuple[str, bytes]:
    """Read the annotations of a project from the database and export them; return the name and content of the file.

    Runs in a worker process, so that the server neither reads nor sends the annotations. Everybody who may export may see the whole project.
    """
    store = open_in_worker(url)
    report_progress(0, 3, "reading annotations")
    corpora = _read_corpora(store, project, wanted)
    title = store.project_name(project)
    given: dict[str, Any] = {"lossy": wanted.lossy, "limits": limits, "origins": store.origins(project)}
    report_progress(1, 3, "writing files")
    if wanted.files == "one":
        if len(corpora) > 1:
            raise CaesuraError(f"one file cannot hold {' and '.join(corpora)}; choose one sort, or a zip.")
        return export_file(next(iter(corpora.values())), title, wanted.format, **given)
    listed = list(corpora.values())
    if wanted.files == "tiers":
        listed = corpora_of_tiers(listed, wanted.format)
        given["lossy"] = True  # texts and attributes of items have no place in such files
    schema = Schemas(store, project).read()
    return export_folder(
        listed,
        title,
        wanted.format,
        **given,
        history=History(store).of_project(project),
        schema={"version": schema["version"], **schema["schema"]},
    )


def provenance_of_project(url: str, project: int) -> bytes:
    """Return the origin and all changes of every annotation as JSON; runs in a worker process."""
    listed = History(open_in_worker(url)).of_project(project)
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode()


def report_project(url: str, project: int, sort: str | None, reference: str | None) -> tuple[str, bytes]:
    """Write the report of a project's coders, or of all against one of them, as an HTML page; runs in a worker process."""
    from caesura.report.content import make_report
    from caesura.report.page import html_page

    store = open_in_worker(url)
    report_progress(0, 2, "reading annotations")
    corpus = store.corpus(project, sort=sort, role="coder")
    if not len(corpus):
        raise CaesuraError("the project has no annotations by coders yet.")
    title = store.project_name(project)
    report_progress(1, 2, "writing the report")
    return f"{file_stem(title)}.html", html_page(make_report(corpus, title, reference=reference)).encode()


# ---------------------------------------------------------------------- formats that fit


def fitting_formats(url: str, project: int, wanted: ExportRequest) -> list[dict[str, Any]]:
    """List the formats that can hold the annotations, those that lose nothing first, with what each loses in words.

    Of large projects, some items of every kind and track are looked at; the export itself looks at all of them.
    """
    store = open_in_worker(url)
    corpora = _read_corpora(store, project, wanted, store.some_items(project, _LOOKED_AT))
    needed = [features(corpus) for corpus in corpora.values()]
    listed = [described for chosen in all_formats() if (described := _describe_format(chosen, corpora, needed))]
    return sorted(listed, key=lambda each: (len(each["loses"]), each["title"]))


def _describe_format(chosen: Format, corpora: dict[str, Corpus], needed: list[set[str]]) -> dict[str, Any] | None:
    """Describe a format, or return None if it cannot hold the annotations."""
    if not hasattr(chosen.load(), "write"):
        return None
    # one file per item holds one item, and one coder and one track where the format needs that
    apart = {"items", *({"coders", "tracks"} - chosen.carries)}
    losses = {"one": [_loses(each, chosen) for each in needed] if len(corpora) == 1 else [None]}
    losses["items"] = [_loses(each - apart, chosen) for each in needed]
    possible = {files: sorted(set().union(*lost)) for files, lost in losses.items() if None not in lost}
    if not possible:
        return None
    if chosen.name in TIER_FORMATS and all(corpus.timed for corpus in corpora.values()):
        possible["tiers"] = []
    words = {files: [FEATURES[name] for name in names] for files, names in possible.items()}
    if not chosen.exact:
        tried = {files: _try_format(chosen, corpora, files, lost) for files, lost in words.items()}
        words = {files: lost for files, lost in tried.items() if lost is not None}
    files = sorted((each for each in words if each != "tiers"), key=lambda each: len(words[each]))
    if not files:
        return None
    lost = words[files[0]]
    return {
        "name": chosen.name,
        "title": chosen.title,
        "suffix": _suffix(chosen),
        "fits": True,
        "files": files + [each for each in words if each == "tiers"],
        "loses": lost,
        "loses_in": words,
        "text": f"loses {_list_words(lost)}" if lost else "keeps everything",
    }


_LOOKED_AT = 100  # items of every kind and track
_TRIED_ITEMS, _TRIED_CODERS, _TRIED_UNITS = 8, 3, 10_000


def _try_format(chosen: Format, corpora: dict[str, Corpus], files: str, lost: list[str]) -> list[str] | None:
    """Write some items of each sort and return what is lost, or None if they cannot be written.

    Formats differ in more than what they hold: one ends utterances with certain marks only, another needs Hebrew letters, and a tab or a line end in
    a name may not survive. What is lost besides ``lost`` is what the library says then.
    """
    for corpus in corpora.values():
        few = _some_items(corpus)
        if few is None:
            continue
        said = _why_not(few, chosen, files, lossy=bool(lost))
        if said:
            found = re.search(r"would lose (.+?)(;|$)", said)
            if found is None or _why_not(few, chosen, files, lossy=True):
                return None
            lost = [*lost, found.group(1)]
    return lost


def _some_items(corpus: Corpus) -> Corpus | None:
    """Return a few items from the whole corpus by a few coders, as many as are quickly written; None if the first is too long."""
    step = max(1, len(corpus.items) // _TRIED_ITEMS)
    names = list(corpus.items[::step][:_TRIED_ITEMS])
    while names:
        few = corpus.select(items=names)
        few = few.select(coders=list(few.coders[:_TRIED_CODERS]))
        if sum(marks.length for _, _, marks, _ in few) <= _TRIED_UNITS:
            return few
        names = names[: len(names) // 2]
    return None


def _why_not(few: Corpus, chosen: Format, files: str, *, lossy: bool) -> str:
    """Return why a few items cannot be written, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they say what is lost
            if files == "one":
                export_file(few, "x", chosen.name, lossy=lossy, limits=Limits())
            elif files == "items":
                export_folder([few], "x", chosen.name, lossy=lossy, limits=Limits())
            else:
                export_folder(corpora_of_tiers([few], chosen.name), "x", chosen.name, lossy=True, limits=Limits())
    except CaesuraError as error:
        return str(error)
    return ""


def _loses(needed: set[str], chosen: Format) -> set[str] | None:
    """Return what a format loses, or None if it cannot hold the annotations at all."""
    lost = needed - chosen.carries
    flattened = {name for name in lost if FLATTENED.get(name) in chosen.carries}
    return None if lost - DROPPABLE or (lost & FLATTENED.keys()) - flattened or _has_no_kind(needed, chosen) else lost


def _has_no_kind(needed: set[str], chosen: Format) -> bool:
    """Whether a format holds neither the kind of annotation nor what it would be flattened to."""
    kinds = needed & {"units", "time", *FLATTENED}
    return not any(kind in chosen.carries or FLATTENED.get(kind) in chosen.carries for kind in kinds)


def _list_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ---------------------------------------------------------------------- tiers

#: Formats in which all tracks of all coders can be tiers of one file.
TIER_FORMATS = ("textgrid", "eaf")


def corpora_of_tiers(corpora: Sequence[Corpus], format: str) -> list[Corpus]:
    """Return one corpus per recording in which every track of every coder and of gold is a track, named TRACK@CODER as in ELAN, or by the coder.

    Tracks of one file are of one kind. Where a recording has several, segments become spans, and a boundary with a type names the segment that it ends.
    """
    if format not in TIER_FORMATS:
        raise CaesuraError(f"{format} has no tiers; use {' or '.join(TIER_FORMATS)}, or one file per item.")
    if not all(corpus.timed for corpus in corpora):
        raise CaesuraError("tiers are for recordings; choose a sort of annotation in time.")
    recordings: dict[str, list[Annotation]] = {}
    for corpus in corpora:
        for item, coder, marks, track in corpus:
            tier = f"{track}@{coder}" if track else coder
            recordings.setdefault(item, []).append(Annotation(item, "", marks, tier))
    return [Corpus.from_annotations(_same_kind(listed)) for listed in recordings.values()]


def _same_kind(listed: list[Annotation]) -> list[Annotation]:
    """Return tracks of one kind: as they are if they are all spans, or all typed or untyped boundaries; else as spans."""
    kinds = {(type(each.marks), isinstance(each.marks, Segmentation) and each.marks.typed) for each in listed}
    if len(kinds) == 1:
        named = [isinstance(each.marks, Segmentation) and each.marks.names is not None for each in listed]
        return listed if all(named) or not any(named) else [_with_empty_names(each) for each in listed]
    return [each._replace(marks=_as_spans(each.marks)) for each in listed]


def _with_empty_names(annotation: Annotation) -> Annotation:
    marks = annotation.marks
    assert isinstance(marks, Segmentation)
    if marks.names is not None:
        return annotation
    names = [""] * (len(marks.masses) if not marks.timed else len(marks._cuts()) + 1)
    return annotation._replace(
        marks=Segmentation(marks.length, marks.positions, marks.types, marks.labels, marks.units, names)
    )


def _as_spans(marks: Marks) -> Spans:
    if isinstance(marks, Spans):
        return marks
    assert isinstance(marks, Segmentation)
    cuts = [0.0, *map(float, marks._cuts()), float(marks.length)]
    types = {float(position): str(kind) for position, kind in marks.marks} if marks.typed else {}
    names = marks.names or [types.get(end, "") for end in cuts[1:]]
    segments = zip(cuts[:-1], cuts[1:], names, strict=True)
    return Spans.from_rows([(start, end, name or "-") for start, end, name in segments], length=float(marks.length))


def export_file(
    corpus: Corpus, project: str, format: str, *, lossy: bool, limits: Limits, origins: Origins | None = None
) -> tuple[str, bytes]:
    """Return the name and content of one file with all annotations; a zip if the format needs a second file."""
    chosen = named_format(format)
    stem, suffix = file_stem(project), _suffix(chosen)
    if (
        len(corpus) == 1 and not {"items", "coders"} <= chosen.carries
    ):  # such formats store these names in the file name
        stem = file_stem(f"{corpus.items[0]}-{corpus.coders[0]}")
    _check_cost(corpus, chosen, limits)
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
    schema: dict[str, Any] | None = None,
) -> tuple[str, bytes]:
    """Return a zip with one file per item, in a folder per coder if the format holds one coder per file, provenance.json, and the project's schema.json."""
    chosen = named_format(format)
    taken: set[str] = set()
    renamed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="caesura-") as own:
        folder = Path(own)
        for corpus in corpora:
            for name, part in _parts(corpus, chosen, renamed):
                _check_cost(part, chosen, limits)
                path = folder / _unique_name(name, _suffix(chosen), taken)
                path.parent.mkdir(exist_ok=True)
                _write_part(_with_provenance(part, chosen, origins), path, chosen, lossy, folder)
        written = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in written}
    if not files:
        raise CaesuraError("no annotations match this export.")
    about = {"project": project, "format": chosen.name, "names of files": renamed, "annotations": history or []}
    files["provenance.json"] = json.dumps(about, ensure_ascii=False, indent=1).encode()
    if schema is not None:
        files["schema.json"] = json.dumps(schema, ensure_ascii=False, indent=1).encode()
    return f"{file_stem(project)}.zip", _zip(files)


# ---------------------------------------------------------------------- parts and names


def _parts(corpus: Corpus, chosen: Format, renamed: dict[str, str]) -> Iterator[tuple[str, Corpus]]:
    """Split a corpus by item and, where the format needs it, by coder and track; yield paths without suffix, and parts.

    Names that are not valid as file names are replaced and recorded in ``renamed``.
    """
    rows: dict[tuple[str, str, str], list[int]] = {}
    for row, (item, coder, _, track) in enumerate(corpus):
        own_file = "" if "coders" in chosen.carries else coder
        own_track = "" if "tracks" in chosen.carries else track
        rows.setdefault((item, own_file, own_track), []).append(row)
    for (item, coder, track), taken in rows.items():
        names = {name: file_stem(name) for name in (item, coder, track) if name}
        renamed.update({name: safe for name, safe in names.items() if safe != name})
        stem = "-".join(names[name] for name in (item, track) if name)
        part = corpus.take(taken)
        if part.kind == "spans":  # drop labels that only other files use
            part = Corpus.from_annotations(with_shared_labels(list(part)), attributes=part.attributes)
        if "items" not in chosen.carries or "coders" not in chosen.carries:
            own = {name: names[name] for name in (item, coder) if name}
            part = rename_each(part, own, own)
        yield (f"{names[coder]}/{stem}" if coder else stem), part


def file_stem(name: str) -> str:
    """Return a name for files that is valid on every system.

    >>> file_stem("a/b: c"), file_stem("..")
    ('a_b_ c', '_')
    """
    safe = "".join(c if c.isalnum() or c in "-_ .,+" else "_" for c in base_name(name.replace("/", "_")))
    return safe.strip(" .")[:100] or "_"


def _unique_name(name: str, suffix: str, taken: set[str]) -> str:
    """Return the name, with a number appended if it is already taken, and reserve it."""
    numbered = (f"{name}_{n}{suffix}" for n in count(2))
    free = next(each for each in chain([f"{name}{suffix}"], numbered) if each.lower() not in taken)
    taken.add(free.lower())
    return free


def _suffix(chosen: Format) -> str:
    return chosen.suffixes[0] if chosen.suffixes else ".txt"


# ---------------------------------------------------------------------- writing


def _write_part(corpus: Corpus, path: Path, chosen: Format, lossy: bool, folder: Path | None = None) -> None:
    """Write one file; error messages name it as the user will see it."""
    base = f"{folder or path.parent}/"
    try:
        write(corpus, path, chosen.name, lossy=lossy)
    except FormatError as error:
        why = error.why.replace(base, "").replace(_LIBRARY_ADVICE, _PAGE_ADVICE)
        raise FormatError(str(path).removeprefix(base), error.line, why) from None
    except CaesuraError as error:
        raise CaesuraError(str(error).replace(base, "")) from None
    if path.suffix in (".csv", ".tsv"):
        path.write_bytes(_escape_formulas(path.read_bytes(), "\t" if path.suffix == ".tsv" else ","))


#: The advice of the library, and its counterpart on the page.
_LIBRARY_ADVICE = "lossy=True (--lossy)"
_PAGE_ADVICE = "“allow loss of information” (lossy=true)"


def _escape_formulas(content: bytes, delimiter: str) -> bytes:
    """Prefix cells that a spreadsheet would evaluate as formulas with an apostrophe."""
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
            # a fixed date, so that equal content gives equal archives
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _with_provenance(corpus: Corpus, chosen: Format, origins: Origins | None) -> Corpus:
    """Add where each annotation came from, for formats that store attributes."""
    if not origins or "attributes" not in chosen.carries:
        return corpus
    attributes: dict[str, dict[str, object]] = {item: dict(known) for item, known in corpus.attributes.items()}
    for item, coder, _, track in corpus:
        origin = origins.get((item, track, coder))
        if origin is not None:
            attributes.setdefault(item, {})[f"provenance of {coder}" + (f" on {track}" if track else "")] = origin
    return Corpus.from_annotations(corpus, labels=corpus.labels, attributes=attributes)


# ---------------------------------------------------------------------- cost

#: Measured bytes of memory for writing one unit, in formats that write every unit, and one boundary.
_PER_UNIT, _PER_BOUNDARY = 500, 400


def _check_cost(corpus: Corpus, chosen: Format, limits: Limits) -> None:
    """Raise an error if an export would need too much memory; a short file may declare a long text, and some formats write every unit."""
    every_unit = not corpus.timed and "text" in chosen.carries and (bool(corpus.texts) or not chosen.exact)
    if chosen.exact:  # the text of an item is stored once, whoever annotated it
        texts = {(item, track): float(marks.length) for item, _, marks, track in corpus} if every_unit else {}
        units = sum(texts.values())
    else:
        units = sum(float(marks.length) for _, _, marks, _ in corpus) if every_unit else 0
    cost = units * _PER_UNIT + len(corpus.positions) * _PER_BOUNDARY
    if cost > limits.export_bytes:
        raise CaesuraError(
            f"{chosen.title} with {units:,.0f} units would need about {cost / 1e9:.1f} GB of memory; the limit is "
            f"{limits.export_bytes / 1e9:g} GB. Export fewer coders, one file per item, or Caesura's JSON."
        )


class History:
    """The histories of annotations, as far as the viewer of the store sees them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_annotation(self, annotation: int) -> list[dict[str, Any]]:
        """Return every revision of an annotation with its author, time and operation; merges have no revision id.

        The revision that is the state of the annotation is ``current``; those that did not lead to it are ``undone``.
        """
        project = self._store.item(self._store.annotation(annotation).item).project
        query = (
            sa.select(revisions.c.id, revisions.c.parent, revisions.c.operation, revisions.c.author, revisions.c.time)
            .where(revisions.c.annotation == annotation)
            .order_by(revisions.c.id)
        )
        with self._store.reading() as db:
            steps = [{**row._mapping, "operation": json.loads(row.operation)} for row in db.execute(query)]
            head = db.execute(sa.select(codings.c.head).where(codings.c.id == annotation)).scalar_one()
            merged = merge_steps(db, project).get(annotation, [])
        parents, kept, revision = {step["id"]: step["parent"] for step in steps}, set(), head
        while revision is not None:  # from the current revision back to the first
            kept.add(revision)
            revision = parents.get(revision)
        for step in steps:
            step |= {"current": step["id"] == head, "undone": step["id"] not in kept}
        no_revision = {"id": None, "parent": None, "current": False, "undone": False}
        return _in_order(steps, [no_revision | step for step in merged])

    def of_project(self, project: int) -> list[dict[str, Any]]:
        """Return every annotation of a project with its origin and history."""
        self._store.project_name(project)
        columns = (items.c.name, items.c.track, codings.c.coder, codings.c.origin, codings.c.version)
        known = self._store.select_codings(project, codings.c.id, *columns).order_by(codings.c.id)
        steps = (revisions.c.annotation, revisions.c.operation, revisions.c.author, revisions.c.time)
        of_annotation = revisions.c.annotation == codings.c.id
        query = self._store.select_codings(project, *steps).join(revisions, of_annotation).order_by(revisions.c.id)
        with self._store.reading() as db:
            listed = [dict(row._mapping) for row in db.execute(known)]
            merged = merge_steps(db, project)
            done: dict[int, list[dict[str, Any]]] = {}
            for row in db.execute(query):
                step = {"operation": json.loads(row.operation), "author": row.author, "time": row.time}
                done.setdefault(row.annotation, []).append(step)
        return [
            {**each, "revisions": _in_order(done.get(each["id"], []), merged.get(each["id"], []))} for each in listed
        ]


def _in_order(steps: list[dict[str, Any]], merged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted((*steps, *merged), key=lambda step: str(step["time"])) if merged else steps
