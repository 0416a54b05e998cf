"""UIMA CAS as XMI, and INCEpTION projects, read and written with dkpro-cassis."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any, NamedTuple, Unpack

from caesura.errors import import_extra
from caesura.files import MAX_BYTES, Source, UnsafeXML, find_line, load_json, parse_elements
from caesura.formats.archives import ARCHIVE_ERRORS
from caesura.formats.standoff import (
    CharacterSpan,
    MarkedText,
    StandoffOptions,
    UnitOffsets,
    join_units,
    read_standoff,
    spans_of,
)
from caesura.model import Corpus

# ---------------------------------------------------------------------- cas
# One CAS as XMI, as INCEpTION, WebAnno and DKPro write it. The type system is the file ``talk.typesystem.xml`` or ``TypeSystem.xml`` beside
# it, or the file that ``typesystem=`` names. The units are the tokens of the CAS, or words between spaces if it has no tokens.

TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
SEGMENT = "webanno.custom.Segment"
LABEL_FEATURES = ("label", "value", "name", "identifier")


def read_cas(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    typesystem: str | None = None,
    **standoff: Unpack[StandoffOptions],
) -> Corpus:
    """Read one text by one annotator.

    Parameters
    ----------
    layer : str, default None
        The type whose annotations are segments; None: ``webanno.custom.Segment`` if the type system has it, else DKPro's sentences.
    feature : str, default None
        The feature that names a segment; None: the first of label, value, name and identifier that the type has.
    typesystem : str, default None
        The file with the type system; None: a file beside the CAS.
    """
    source.reject_encoding("a CAS declares its own encoding")
    cas = load_cas(source, typesystem_of(source, typesystem))
    chosen = layer_of_cas(source, cas, layer)
    return read_standoff([read_layer(source, cas, source.stem, "", chosen, feature)], **standoff)


def layer_of_cas(source: Source, cas: Any, layer: str | None) -> str:
    """Return the layer to read: the one that is named, segments, or sentences."""
    default = SEGMENT if has_type(cas, SEGMENT) or not has_type(cas, SENTENCE) else SENTENCE
    return checked_layer(source, cas, layer or default)


def read_layer(source: Source, cas: Any, item: str, coder: str, layer: str, feature: str | None) -> MarkedText:
    """Return the text of a CAS, its tokens and the annotations of a layer."""
    text = cas.sofa_string or ""
    tokens = sorted(_offsets(source, token, len(text)) for token in _select(cas, TOKEN))
    for before, after in pairwise(tokens):
        if after[0] < before[1]:
            raise source.error(
                None,
                f"the tokens {before[0]}–{before[1]} and {after[0]}–{after[1]} overlap, expected one after the other.",
            )
    spans: list[CharacterSpan] = [
        (*_offsets(source, a, len(text)), _label(source, a, feature)) for a in _select(cas, layer)
    ]
    units = UnitOffsets(text, edges=tokens) if tokens else None
    return MarkedText(item, coder, text, spans, lambda why: source.error(None, why), units)


def write_cas(corpus: Corpus) -> dict[str, str]:
    """Write the CAS and, beside it, its type system."""
    cassis = _cassis()
    types = cassis.TypeSystem()
    token, segment = types.create_type(name=TOKEN), types.create_type(name=SEGMENT)
    types.create_feature(domainType=segment, name="label", rangeType="uima.cas.String")
    marks = corpus.annotation(0).marks
    units = marks.units or ()
    cas = cassis.Cas(typesystem=types)
    text, starts = join_units(marks)
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    cas.add_all([token(begin=start, end=start + len(unit)) for start, unit in zip(starts, units, strict=True)])
    cas.add_all([segment(begin=start, end=end, label=label) for start, end, label in spans_of(marks, starts)])
    return {"": cas.to_xmi(), ".typesystem.xml": types.to_xml()}


def load_cas(source: Source, described: Source) -> Any:
    """Load a CAS, given its type system."""
    cassis = _cassis()
    for each in (described, source):
        check_safe_xml(each)
    try:
        types = cassis.load_typesystem(io.BytesIO(described.raw))
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Not mapping external offset")  # cassis would continue with a wrong offset
            return cassis.load_cas_from_xmi(io.BytesIO(source.raw), typesystem=types)
    except UserWarning as error:
        match = re.search(r"[0-9]+", str(error))
        offset = match[0] if match else "?"
        lines = (find_line(source, f'{edge}="{offset}"') for edge in ("begin", "end"))
        why = f"an annotation begins or ends at {offset}, which is not a position between characters of the text."
        raise source.error(next(filter(None, lines), None), why) from None
    except cassis_errors() as error:
        raise source.error(None, f"this is not a CAS of its type system: {error}.") from None


def _offsets(source: Source, annotation: Any, length: int) -> tuple[int, int]:
    """Return the offsets of an annotation; offsets outside the text are an error."""
    begin, end = annotation.begin, annotation.end
    if type(begin) is not int or type(end) is not int:
        raise source.error(None, "an annotation has no begin or no end.")
    if not 0 <= begin <= end <= length:
        line = find_line(source, f'begin="{begin}"')
        raise source.error(line, f"the span {begin}–{end} is outside the text of {length} characters.")
    return begin, end


def cassis_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that dkpro-cassis and lxml raise for XML that is not a CAS."""
    from cassis import typesystem

    own = [e for e in vars(typesystem).values() if isinstance(e, type) and issubclass(e, Exception)]
    return (ValueError, LookupError, AttributeError, TypeError, SyntaxError, RuntimeError, ArithmeticError, *own)


def check_safe_xml(source: Source) -> None:
    """Parse once, so that entities and external references never reach the library."""
    from xml.etree.ElementTree import ParseError

    try:
        parse_elements(source.raw, doctype=False)
    except ParseError as error:
        raise source.error(error.position[0], f"this is not XML: {error.msg}.") from None
    except UnsafeXML as error:
        raise source.error(None, f"this XML is not safe to read: it declares {str(error)!r}.") from None
    except (LookupError, ValueError) as error:
        raise source.error(None, f"this is not XML: {error}.") from None


def load_json_cas(source: Source) -> Any:
    """Load a CAS from UIMA's JSON, which contains its type system."""
    load_json(source)
    try:
        return _cassis().load_cas_from_json(io.BytesIO(source.raw))
    except cassis_errors() as error:
        raise source.error(None, f"this is not a CAS as JSON: {error}.") from None


def typesystem_of(source: Source, given: str | None) -> Source:
    """Find the type system of a CAS."""
    if given is not None and source.companions is None:
        return _kept(source, Source.open(Path(given)))
    if source.companions is not None or source.path.with_suffix(".typesystem.xml").exists():
        return source.sibling(".typesystem.xml")
    default = source.path.with_name("TypeSystem.xml")
    if not default.exists():
        why = f"its type system is missing: neither {source.stem}.typesystem.xml nor TypeSystem.xml is beside it; name the file with typesystem= (-O typesystem=FILE)."
        raise source.error(None, why)
    return _kept(source, Source.open(default))


def _kept(source: Source, types: Source) -> Source:
    """Keep a type system of another name with its CAS, so that both are written back."""
    source.siblings[".typesystem.xml"] = types
    return types


def checked_layer(source: Source, cas: Any, layer: str) -> str:
    """Return a layer if the type system has it; otherwise the error lists the layers."""
    if has_type(cas, layer) or layer == SEGMENT:
        return layer
    custom = ", ".join(sorted(t.name for t in cas.typesystem.get_types() if not t.name.startswith("uima.")))
    raise source.error(None, f"there is no layer {layer!r}; found {custom or 'none'}.")


def has_type(cas: Any, name: str) -> bool:
    """Tell whether the type system has a type."""
    return any(t.name == name for t in cas.typesystem.get_types())


def _select(cas: Any, name: str) -> list[Any]:
    return list(cas.select(name)) if has_type(cas, name) else []


def _label(source: Source, annotation: Any, feature: str | None) -> str:
    names = (feature,) if feature else LABEL_FEATURES
    for name in names:
        if annotation.type.get_feature(name) is not None:
            return str(annotation[name]) if annotation[name] is not None else "segment"
    if feature:
        raise source.error(None, f"{annotation.type.name} has no feature {feature!r}.")
    return "segment"


def _cassis() -> Any:
    return import_extra("cassis", "cas", "UIMA CAS", "dkpro-cassis")


# ---------------------------------------------------------------------- inception
# A project exported by INCEpTION or WebAnno as .zip: documents are items, annotators are coders, the curated result is the coder ``gold``.
# A project has one CAS per document and annotator, below ``annotation/`` and ``curation/``; as XMI each is in an archive of its own with its
# type system. Projects are only read: they also hold layers, users and settings, which only INCEpTION can write.

#: The largest total size of an unpacked archive.
MAX_UNPACKED = 8 * MAX_BYTES

ANNOTATED = ("annotation", "curation")
CURATION_USER = "CURATION_USER"
UNANNOTATED = "INITIAL_CAS"  # the document as it was imported
_INTERNAL_TYPES = ("uima.", "de.tudarmstadt.ukp.clarin.webanno.", "de.tudarmstadt.ukp.inception.",
              "de.tudarmstadt.ukp.dkpro.core.api.metadata.", "de.tudarmstadt.ukp.dkpro.core.api.segmentation.",
              "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.", "de.tudarmstadt.ukp.dkpro.core.api.syntax.", "pdfbox.", "org.dkpro.core.")  # fmt: skip


class _AnnotatedCas(NamedTuple):
    """The CAS of one document and annotator, and its file for errors."""

    item: str
    coder: str
    source: Source
    cas: Any


def read_inception(
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
    layer : str, default None
        The layer to read; None: the only layer with annotations, apart from tokens and sentences.
    feature : str, default None
        The feature that names an annotation; None: the first of label, value, name and identifier that the layer has.
    curation : str, default 'gold'
        The coder's name for curated annotations.
    """
    source.reject_encoding("an archive is not text")
    documents = list(_documents(source, curation))
    if not documents:
        raise source.error(None, "no document of this project has annotations.")
    chosen = layer or _only_layer(source, documents)
    checked_layer(source, documents[0].cas, chosen)
    texts = [read_layer(each.source, each.cas, each.item, each.coder, chosen, feature) for each in documents]
    return read_standoff(texts, **standoff)


def layer_of_project(source: Source, layer: str | None) -> str:
    """Return the layer to read: the one that is named, or the only one with annotations."""
    return layer or _only_layer(source, list(_documents(source, "gold")))


def _documents(source: Source, curation: str) -> Iterator[_AnnotatedCas]:
    files = unpack(source, source.raw, source.path.name)
    annotated = {path: document for path in files if (document := document_of(path)) is not None}
    if not any(path.endswith((".zip", ".json", ".xmi")) for path in annotated):
        kinds = ", ".join(sorted({PurePosixPath(path).suffix for path in annotated}))
        why = f"this archive contains no annotations as UIMA CAS XMI or JSON{f' (found {kinds})' if kinds else ''}; export an INCEpTION project in one of these formats, or unpack other archives and read the folder."
        raise source.error(None, why)
    for path, (item, curated) in annotated.items():
        inner = unpack(source, files[path], path) if path.endswith(".zip") else {path: files[path]}
        siblings = inner if len(inner) > 1 else files
        for name, content in inner.items():
            user = PurePosixPath(name).stem
            if not name.endswith((".xmi", ".json")) or user == UNANNOTATED:
                continue
            where = Source(source.path / path if name == path else source.path / path / name, None, content)
            coder = curation if curated or user == CURATION_USER else user
            yield _AnnotatedCas(
                item, coder if path != name or "/" in path else "", where, load_archived(where, siblings)
            )


def document_of(path: str) -> tuple[str, bool] | None:
    """Return the document of a file in a project and whether it is curated; None if the file contains no annotations."""
    parts = PurePosixPath(path).parts
    for i, part in enumerate(parts[:-2]):
        if part in ANNOTATED and len(parts) == i + 3:
            return parts[i + 1], part == "curation"
    if len(parts) == 1 and path.endswith(".xmi"):  # a single document, exported from the annotation page
        return PurePosixPath(path).stem, False
    return None


def load_archived(where: Source, siblings: dict[str, bytes]) -> Any:
    """Load a CAS of an archive, given the files beside it."""
    if where.path.suffix == ".json":
        return load_json_cas(where)
    types = next((name for name in siblings if name.lower().endswith("typesystem.xml")), None)
    if types is None:
        raise where.error(None, "its type system is missing in the archive; export the project again.")
    return load_cas(where, Source(where.path.with_name(types), None, siblings[types]))


def _only_layer(source: Source, documents: list[_AnnotatedCas]) -> str:
    used = {
        annotation.type.name
        for each in documents
        for annotation in each.cas.select("uima.tcas.Annotation")
        if not annotation.type.name.startswith(_INTERNAL_TYPES)
    }
    if len(used) == 1:
        return str(used.pop())
    if not used:
        why = f"only tokens and sentences are annotated; choose a layer with layer=, such as {SENTENCE}."
        raise source.error(None, why)
    raise source.error(None, f"several layers have annotations; choose one with layer=: {', '.join(sorted(used))}.")


def unpack(source: Source, data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of an archive by path; damaged and oversized archives are errors."""
    where = source if name == source.path.name else Source(source.path / name, None, data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            wanted = [each for each in archive.infolist() if not each.is_dir()]
            if sum(each.file_size for each in wanted) > MAX_UNPACKED:
                raise where.error(None, f"it unpacks to more than {MAX_UNPACKED // 2**20} MB.")
            return {each.filename: archive.read(each) for each in wanted}
    except ARCHIVE_ERRORS as error:
        raise where.error(
            None, f"this archive cannot be unpacked: {str(error).rstrip('.') or 'it is damaged'}."
        ) from None


CAS = SimpleNamespace(read=read_cas, write=write_cas)
INCEPTION = SimpleNamespace(read=read_inception)
