"""Put changed spans back into UIMA CAS files and INCEpTION projects: other layers, users and settings stay as they are."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from caesura.files import Source
from caesura.formats.cas import (
    ANNOTATED,
    CURATION_USER,
    LABEL_FEATURES,
    UNANNOTATED,
    document_of,
    layer_of_cas,
    layer_of_project,
    load_archived,
    load_cas,
    read_layer,
    typesystem_of,
    unpack,
)
from caesura.formats.editing import changed_marks
from caesura.formats.standoff_editing import span_edits
from caesura.model import Corpus
from caesura.model.corpus import Marks

#: Layers that every CAS has, and that other formats need not hold.
_PLAIN_LAYERS = (".Token", ".Sentence", ".DocumentAnnotation", ".DocumentMetaData", ".Sofa")


def _edit(source: Source, cas: Any, layer: str, feature: str | None, before: Marks | None, after: Marks) -> bool:
    """Change the annotations of a layer; return False if the marks have other units."""
    marked = read_layer(source, cas, "", "", layer, feature)
    old = list(cas.select(layer))
    edits = span_edits(marked.text, marked.spans, before, after, marked.units)
    if edits is None:
        return False
    kind = cas.typesystem.get_type(layer)
    names = (feature,) if feature else LABEL_FEATURES
    feature = next((name for name in names if kind.get_feature(name) is not None), None)
    for i in edits.deleted:
        cas.remove(old[i])
    for j, (start, end, label) in enumerate(edits.spans):
        if j not in edits.old_of:
            named = {} if feature is None or label == "segment" else {feature: label}
            cas.add(kind(begin=start, end=end, **named))
        elif marked.spans[edits.old_of[j]] != (start, end, label):
            each = old[edits.old_of[j]]
            cas.remove(each)  # a CAS keeps annotations sorted by their ends
            each.begin, each.end = start, end
            if feature is not None and label != marked.spans[edits.old_of[j]][2]:
                each[feature] = label
            cas.add(each)
    return True


# ---------------------------------------------------------------------- cas


def merge_cas(
    source: Source,
    original: Corpus,
    corpus: Corpus,
    *,
    layer: str | None = None,
    feature: str | None = None,
    typesystem: str | None = None,
) -> str | None:
    """Return a CAS as XMI with other annotations of the layer that was read; None if the text or its units differ."""
    if len(corpus) != 1 or len(original) != 1:
        return None
    cas = load_cas(source, typesystem_of(source, typesystem))
    before, after = original.annotation(0).marks, corpus.annotation(0).marks
    done = _edit(source, cas, layer_of_cas(source, cas, layer), feature, before, after)
    return str(cas.to_xmi()) if done else None


def structure_cas(source: Source, *, layer: str | None = None, typesystem: str | None = None) -> dict[str, int]:
    """Count the annotations of other layers than the one that is read; tokens, sentences and metadata are not counted."""
    cas = load_cas(source, typesystem_of(source, typesystem))
    read = layer_of_cas(source, cas, layer)
    others = [
        each for each in cas.select_all() if each.type.name != read and not each.type.name.endswith(_PLAIN_LAYERS)
    ]
    return {"annotation": len(others)}


# ---------------------------------------------------------------------- inception


def merge_inception(
    source: Source,
    original: Corpus,
    corpus: Corpus,
    *,
    layer: str | None = None,
    feature: str | None = None,
    curation: str = "gold",
) -> bytes | None:
    """Return a project with other annotations of the layer that was read.

    The annotations of a coder who has none in the project ("gold") become the curated document.
    """
    changed = changed_marks(original, corpus)
    if changed is None:
        return None
    files = unpack(source, source.raw, source.path.name)
    layer = layer_of_project(source, layer)
    before = {(a.item, a.coder): a.marks for a in original}
    wanted = {(item, coder): marks for (item, coder, _), marks in changed.items()}
    replaced: dict[str, bytes] = {}
    first: dict[str, str] = {}  # the file of an annotator of each document
    for path, (item, curated) in {p: found for p in files if (found := document_of(p)) is not None}.items():
        inner = unpack(source, files[path], path) if path.endswith(".zip") else {path: files[path]}
        for name, content in inner.items():
            user = PurePosixPath(name).stem
            if not name.endswith((".xmi", ".json")) or user == UNANNOTATED:
                continue
            first.setdefault(item, path)
            coder = curation if curated or user == CURATION_USER else user
            coder = coder if path != name or "/" in path else ""
            marks = wanted.pop((item, coder), None)
            if marks is None:
                continue
            where = Source(source.path / path / name, None, content)
            edited = _edit_document(
                where, inner if len(inner) > 1 else files, (layer, feature), before.get((item, coder)), marks
            )
            if edited is None:
                return None
            replaced[path] = _pack(inner | {name: edited}) if path.endswith(".zip") else edited
    added: dict[str, bytes] = {}
    for (item, _), marks in wanted.items():
        if item not in first or ANNOTATED[0] not in PurePosixPath(first[item]).parts:
            return None
        path = first[item]
        inner = unpack(source, files[path], path) if path.endswith(".zip") else {path: files[path]}
        name = next(
            each for each in inner if each.endswith((".xmi", ".json")) and PurePosixPath(each).stem != UNANNOTATED
        )
        where = Source(source.path / path / name, None, inner[name])
        owner = next(c for (i, c) in before if i == item and c in (PurePosixPath(name).stem, ""))
        edited = _edit_document(where, inner if len(inner) > 1 else files, (layer, feature), before[item, owner], marks)
        if edited is None:
            return None
        target = PurePosixPath(path.replace(f"{ANNOTATED[0]}/", f"{ANNOTATED[1]}/", 1)).with_stem(CURATION_USER)
        renamed = str(PurePosixPath(name).with_stem(CURATION_USER))
        rest = {each: content for each, content in inner.items() if each != name}
        added[str(target)] = _pack({renamed: edited} | rest) if path.endswith(".zip") else edited
    return _rewrite(source.raw, replaced, added)


def _edit_document(
    where: Source, siblings: dict[str, bytes], what: tuple[str, str | None], before: Marks | None, after: Marks
) -> bytes | None:
    cas = load_archived(where, siblings)
    if not _edit(where, cas, *what, before, after):
        return None
    return str(cas.to_json() if where.path.suffix == ".json" else cas.to_xmi()).encode("utf-8")


def _pack(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _rewrite(data: bytes, replaced: dict[str, bytes], added: dict[str, bytes]) -> bytes:
    """Return an archive with other content of some files, and new files; order, dates and comments stay."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        new.comment = old.comment
        for each in old.infolist():
            new.writestr(each, replaced.get(each.filename, b"" if each.is_dir() else old.read(each)))
        for name, content in added.items():
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


CAS = SimpleNamespace(merge=merge_cas, structure=structure_cas)
INCEPTION = SimpleNamespace(merge=merge_inception)
