"""UIMA CAS as XMI (INCEpTION, WebAnno, DKPro), read and written with dkpro-cassis.

The type system lies beside the file, ``talk.typesystem.xml`` or ``TypeSystem.xml`` as INCEpTION exports it, or where ``typesystem=`` says. Tokens
of the CAS are the units, words between spaces where it has none. INCEpTION's whole projects are another format (:mod:`caesura.formats.inception`).
"""

from __future__ import annotations

import io
import re
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack

from caesura.errors import import_extra
from caesura.files import Source, line_of, load_json
from caesura.formats.standoff import Marked, Span, StandoffOptions, Text, join_units, read_standoff, spans_of
from caesura.formats.xml_files import Declared, parse_elements
from caesura.model import Corpus

TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
SEGMENT = "webanno.custom.Segment"
_FEATURES = ("label", "value", "name", "identifier")


def read(
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
    layer
        The type whose annotations are segments (default: ``webanno.custom.Segment`` if there are any, else DKPro's sentences).
    feature
        The feature that names a segment (default: label, value, name or identifier, whichever the type has).
    typesystem
        The file with the type system, where it does not lie beside the CAS.
    """
    source.refuse_encoding("a CAS says its own encoding")
    cas = load_cas(source, _typesystem(source, typesystem))
    chosen = checked_layer(
        source, cas, layer or (SEGMENT if has_type(cas, SEGMENT) or not has_type(cas, SENTENCE) else SENTENCE)
    )
    return read_standoff([read_layer(source, cas, source.stem, "", chosen, feature)], **standoff)


def read_layer(source: Source, cas: Any, item: str, coder: str, layer: str, feature: str | None) -> Marked:
    """Take the text of a CAS, its tokens and the annotations of a layer."""
    text = cas.sofa_string or ""
    tokens = sorted(_place(source, token, len(text)) for token in _select(cas, TOKEN))
    for before, after in pairwise(tokens):
        if after[0] < before[1]:
            raise source.fault(
                None,
                f"the tokens {before[0]}–{before[1]} and {after[0]}–{after[1]} overlap, expected one after the other.",
            )
    spans: list[Span] = [(*_place(source, a, len(text)), _label(source, a, feature)) for a in _select(cas, layer)]
    units = Text(text, edges=tokens) if tokens else None
    return Marked(item, coder, text, spans, lambda why: source.fault(None, why), units)


def write(corpus: Corpus) -> dict[str, str]:
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
    """Load a CAS of a type system; what is not safe, or not of that type system, is refused."""
    cassis = _cassis()
    for each in (described, source):
        refuse_unsafe(each)
    try:
        types = cassis.load_typesystem(io.BytesIO(described.raw))
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Not mapping external offset")  # it would go on with a wrong place
            return cassis.load_cas_from_xmi(io.BytesIO(source.raw), typesystem=types)
    except UserWarning as fault:
        place = re.search(r"[0-9]+", str(fault))
        line = (
            next((n for n in (line_of(source, f'{edge}="{place[0]}"') for edge in ("begin", "end")) if n), None)
            if place
            else None
        )
        raise source.fault(
            line,
            f"an annotation begins or ends at {place[0] if place else '?'}, which is no place between characters of the text.",
        ) from None
    except faults_of_cassis() as fault:
        raise source.fault(None, f"this is not a CAS of its type system: {fault}.") from None


def _place(source: Source, annotation: Any, length: int) -> tuple[int, int]:
    """Return where an annotation begins and ends; places that the text does not have are refused."""
    begin, end = annotation.begin, annotation.end
    if type(begin) is not int or type(end) is not int:
        raise source.fault(None, "an annotation has no begin or no end.")
    if not 0 <= begin <= end <= length:
        line = line_of(source, f'begin="{begin}"')
        raise source.fault(line, f"the span {begin}–{end} lies outside the text of {length} characters.")
    return begin, end


def faults_of_cassis() -> tuple[type[BaseException], ...]:
    """What dkpro-cassis and lxml raise over a file that is XML but no CAS: Python's own errors, and theirs."""
    from cassis import typesystem

    own = [e for e in vars(typesystem).values() if isinstance(e, type) and issubclass(e, Exception)]
    return (ValueError, LookupError, AttributeError, TypeError, SyntaxError, RuntimeError, ArithmeticError, *own)


def refuse_unsafe(source: Source) -> None:
    """Parse once, so that entities and outside references never reach the library."""
    from xml.etree.ElementTree import ParseError

    try:
        parse_elements(source.raw, doctype=False)
    except ParseError as fault:
        raise source.fault(fault.position[0], f"this is not XML: {fault.msg}.") from None
    except Declared as fault:
        raise source.fault(None, f"this XML is not safe to read: it declares {str(fault)!r}.") from None
    except (LookupError, ValueError) as fault:
        raise source.fault(None, f"this is not XML: {fault}.") from None


def load_json_cas(source: Source) -> Any:
    """Load a CAS as UIMA's JSON, which brings its type system along."""
    load_json(source)
    try:
        return _cassis().load_cas_from_json(io.BytesIO(source.raw))
    except faults_of_cassis() as fault:
        raise source.fault(None, f"this is not a CAS as JSON: {fault}.") from None


def _typesystem(source: Source, elsewhere: str | None) -> Source:
    """Find the type system of a CAS."""
    if elsewhere is not None:
        return Source.open(Path(elsewhere))
    if source.companions is not None or source.path.with_suffix(".typesystem.xml").exists():
        return source.sibling(".typesystem.xml")
    beside = source.path.with_name("TypeSystem.xml")
    if not beside.exists():
        why = f"its type system is missing: there is neither {source.stem}.typesystem.xml nor TypeSystem.xml beside it; say where it is with typesystem= (-O typesystem=FILE)."
        raise source.fault(None, why)
    return Source.open(beside)


def checked_layer(source: Source, cas: Any, layer: str) -> str:
    """Return a layer that the type system knows, or say which it knows."""
    if has_type(cas, layer) or layer == SEGMENT:
        return layer
    custom = ", ".join(sorted(t.name for t in cas.typesystem.get_types() if not t.name.startswith("uima.")))
    raise source.fault(None, f"there is no layer {layer!r}; found {custom or 'none'}.")


def has_type(cas: Any, name: str) -> bool:
    """Tell whether a type system knows a type."""
    return any(t.name == name for t in cas.typesystem.get_types())


def _select(cas: Any, name: str) -> list[Any]:
    return list(cas.select(name)) if has_type(cas, name) else []


def _label(source: Source, annotation: Any, feature: str | None) -> str:
    names = (feature,) if feature else _FEATURES
    for name in names:
        if annotation.type.get_feature(name) is not None:
            return str(annotation[name]) if annotation[name] is not None else "segment"
    if feature:
        raise source.fault(None, f"{annotation.type.name} has no feature {feature!r}.")
    return "segment"


def _cassis() -> Any:
    return import_extra("cassis", "cas", "UIMA CAS", "dkpro-cassis")
