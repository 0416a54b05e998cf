"""Exports: any format that can be written, with provenance, and safe to open in a spreadsheet."""

from __future__ import annotations

import tempfile
from pathlib import Path

from caesura.errors import UnknownName
from caesura.formats import write
from caesura.formats.registry import FORMATS
from caesura.model import Annotation, Corpus
from caesura.web.uploads import plain_name

__all__ = ["exported"]


def exported(corpus: Corpus, project: str, format: str, *, lossy: bool) -> tuple[str, bytes]:
    """File name and content of an export."""
    if format not in FORMATS:
        raise UnknownName("format", format, list(FORMATS))
    chosen = FORMATS[format]
    tabular = chosen.suffixes and any(suffix in (".csv", ".tsv") for suffix in chosen.suffixes)
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        path = Path(folder) / f"export{chosen.suffixes[0] if chosen.suffixes else '.txt'}"
        write(_defused(corpus) if tabular else corpus, path, format, lossy=lossy)
        content = path.read_bytes()
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in plain_name(project)) or "project"
    return f"{stem}{path.suffix}", content


def _defused(corpus: Corpus) -> Corpus:
    """Names that a spreadsheet would take for a formula get an apostrophe in front."""

    def safe(name: str) -> str:
        return "'" + name if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name

    return Corpus.from_annotations(
        [Annotation(safe(a.item), safe(a.coder), a.marks, safe(a.track)) for a in corpus],
        labels=corpus.labels,
        attributes={safe(item): known for item, known in corpus.attributes.items()},
    )
