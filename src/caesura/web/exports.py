"""Exports: any format that can be written, with provenance, and safe to open in a spreadsheet."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from caesura.formats import write
from caesura.formats.catalog import named_format
from caesura.model import Annotation, Corpus
from caesura.web.uploads import plain_name


def export_corpus(
    corpus: Corpus, project: str, format: str, *, lossy: bool, origins: Mapping[tuple[str, str, str], str] | None = None
) -> tuple[str, bytes]:
    """File name and content of an export; formats that carry attributes say where each annotation came from."""
    chosen = named_format(format)
    tabular = chosen.suffixes and any(suffix in (".csv", ".tsv") for suffix in chosen.suffixes)
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        path = Path(folder) / f"export{chosen.suffixes[0] if chosen.suffixes else '.txt'}"
        if origins and "attributes" in chosen.carries:
            corpus = _with_provenance(corpus, origins)
        write(_defuse(corpus) if tabular else corpus, path, format, lossy=lossy)
        content = path.read_bytes()
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in plain_name(project)) or "project"
    return f"{stem}{path.suffix}", content


def _with_provenance(corpus: Corpus, origins: Mapping[tuple[str, str, str], str]) -> Corpus:
    attributes: dict[str, dict[str, object]] = {item: dict(known) for item, known in corpus.attributes.items()}
    for item, coder, _, track in corpus:
        origin = origins.get((item, track, coder))
        if origin is not None:
            attributes.setdefault(item, {})[f"provenance of {coder}" + (f" on {track}" if track else "")] = origin
    return Corpus.from_annotations(corpus, labels=corpus.labels, attributes=attributes)


def _defuse(corpus: Corpus) -> Corpus:
    """Names that a spreadsheet would take for a formula get an apostrophe in front."""

    def safe(name: str) -> str:
        return "'" + name if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name

    return Corpus.from_annotations(
        [Annotation(safe(a.item), safe(a.coder), a.marks, safe(a.track)) for a in corpus],
        labels=corpus.labels,
        attributes={safe(item): known for item, known in corpus.attributes.items()},
    )
