"""INCEpTION's and WebAnno's export of a whole project, one .zip: documents are items, annotators coders, the curated result a coder called ``gold``.

A project keeps one CAS per document and annotator, below ``annotation/`` and ``curation/``; as XMI each lies in an archive of its own with its type
system. Read only: a project is more than annotations (layers, users, settings), and only INCEpTION can put one together.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Unpack

from caesura.files import MAX_BYTES, Source
from caesura.formats.archives import UNREADABLE
from caesura.formats.cas import SENTENCE, checked_layer, load_cas, load_json_cas, read_layer
from caesura.formats.standoff import StandoffOptions, read_standoff
from caesura.model import Corpus

#: What lies in an archive may be as large as this once unpacked, all of it.
MAX_UNPACKED = 8 * MAX_BYTES

_FOLDERS = ("annotation", "curation")
_CURATOR = "CURATION_USER"
_UNTOUCHED = "INITIAL_CAS"  # the document before anybody annotated it
_NO_LAYERS = ("uima.", "de.tudarmstadt.ukp.clarin.webanno.", "de.tudarmstadt.ukp.inception.",
              "de.tudarmstadt.ukp.dkpro.core.api.metadata.", "de.tudarmstadt.ukp.dkpro.core.api.segmentation.",
              "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.", "de.tudarmstadt.ukp.dkpro.core.api.syntax.", "pdfbox.", "org.dkpro.core.")  # fmt: skip


class _Document(NamedTuple):
    """One annotator's CAS of one document, and the file that is complained about."""

    item: str
    coder: str
    source: Source
    cas: Any


def read(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    curation: str = "gold",
    **standoff: Unpack[StandoffOptions],
) -> Corpus:
    """Read every document of every annotator.

    Parameters
    ----------
    layer
        The layer whose annotations are read (default: the only one that anybody used, beside tokens and sentences).
    feature
        The feature that names an annotation (default: label, value, name or identifier, whichever the layer has).
    curation
        What the coder is called whose annotations are the curated ones.
    """
    source.refuse_encoding("an archive is no text")
    documents = list(_documents(source, curation))
    if not documents:
        raise source.fault(None, "no document of this project has annotations.")
    chosen = layer or _only_layer(source, documents)
    checked_layer(source, documents[0].cas, chosen)
    texts = [read_layer(each.source, each.cas, each.item, each.coder, chosen, feature) for each in documents]
    return read_standoff(texts, **standoff)


def _documents(source: Source, curation: str) -> Iterator[_Document]:
    files = _unpack(source, source.raw, source.path.name)
    places = {path: place for path in files if (place := _place(path)) is not None}
    if not any(path.endswith((".zip", ".json", ".xmi")) for path in places):
        kinds = ", ".join(sorted({PurePosixPath(path).suffix for path in places}))
        why = f"this archive holds no annotations as XMI or JSON of UIMA CAS{f' (found {kinds})' if kinds else ''}; export an INCEpTION project so, and unpack other archives first: a folder is read whole."
        raise source.fault(None, why)
    for path, (item, curated) in places.items():
        inner = _unpack(source, files[path], path) if path.endswith(".zip") else {path: files[path]}
        beside = inner if len(inner) > 1 else files
        for name, content in inner.items():
            user = PurePosixPath(name).stem
            if not name.endswith((".xmi", ".json")) or user == _UNTOUCHED:
                continue
            where = Source(source.path / path if name == path else source.path / path / name, None, content)
            coder = curation if curated or user == _CURATOR else user
            yield _Document(item, coder if path != name or "/" in path else "", where, _load(where, beside))


def _place(path: str) -> tuple[str, bool] | None:
    """Say which document a file of a project is of, and whether it is curated; None for what holds no annotations."""
    parts = PurePosixPath(path).parts
    for i, part in enumerate(parts[:-2]):
        if part in _FOLDERS and len(parts) == i + 3:
            return parts[i + 1], part == "curation"
    if len(parts) == 1 and path.endswith(".xmi"):  # one document, as the page of annotation exports it
        return PurePosixPath(path).stem, False
    return None


def _load(where: Source, beside: dict[str, bytes]) -> Any:
    if where.path.suffix == ".json":
        return load_json_cas(where)
    described = next((name for name in beside if name.lower().endswith("typesystem.xml")), None)
    if described is None:
        raise where.fault(None, "its type system is missing in the archive; export the project again.")
    return load_cas(where, Source(where.path.with_name(described), None, beside[described]))


def _only_layer(source: Source, documents: list[_Document]) -> str:
    used = {
        annotation.type.name
        for each in documents
        for annotation in each.cas.select("uima.tcas.Annotation")
        if not annotation.type.name.startswith(_NO_LAYERS)
    }
    if len(used) == 1:
        return str(used.pop())
    if not used:
        why = f"nobody annotated anything but tokens and sentences; name a layer with layer=, such as {SENTENCE}."
        raise source.fault(None, why)
    raise source.fault(None, f"several layers have annotations; choose one with layer=: {', '.join(sorted(used))}.")


def _unpack(source: Source, data: bytes, name: str) -> dict[str, bytes]:
    """Return what an archive holds, by path; refused where it is none, or too large to be one of annotations."""
    where = source if name == source.path.name else Source(source.path / name, None, data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            wanted = [each for each in archive.infolist() if not each.is_dir()]
            if sum(each.file_size for each in wanted) > MAX_UNPACKED:
                raise where.fault(None, f"unpacked it would have more than {MAX_UNPACKED // 2**20} MB.")
            return {each.filename: archive.read(each) for each in wanted}
    except UNREADABLE as fault:
        raise where.fault(
            None, f"this archive cannot be unpacked: {str(fault).rstrip('.') or 'it is damaged'}."
        ) from None
