"""CoNLL-U with discourse segments: ``Seg=B-seg`` (DISRPT; before that ``BeginSeg=Yes``) or ``Discourse=…`` (GUM) on a segment's first token.

A document (``# newdoc id = …``) is an item, a token is a unit; ranges of multiword tokens and empty nodes are passed over.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from caesura.files import Source
from caesura.model import Annotation, Corpus, Segmentation

_NUMBERED = re.compile(r"(?:[0-9]{1,9}(?:[-.][0-9]{1,9})?|_)[\t ](?:[^\t]*\t){8}")


def sniff(head: str) -> bool:
    """Recognise ten columns that begin with a number."""
    rows = [line.split("\t") for line in head.split("\n") if line.strip() and not line.startswith("#")]
    return bool(rows) and len(rows[0]) == 10 and rows[0][0][:1].isdigit()


def read(source: Source, *, segments: Literal["marks", "sentences"] = "marks") -> Corpus:
    """Read every document.

    Parameters
    ----------
    segments
        Whether segments begin at marked tokens, or are the sentences.
    """
    documents: dict[str, tuple[list[str], list[int]]] = {}
    item, marked = source.stem, False
    for sentence in _sentences(source):
        item = sentence.metadata.get("newdoc id") or sentence.metadata.get("newdoc_id") or item
        words, starts = documents.setdefault(item, ([], []))
        for number, token in enumerate(t for t in sentence if isinstance(t["id"], int)):
            begins = _begins(token)
            marked = marked or begins
            if begins if segments == "marks" else number == 0:
                starts.append(len(words))
            words.append(str(token["form"]))
    if not any(words for words, _ in documents.values()):
        raise source.fault(None, "the file holds no token.")
    if segments == "marks" and not marked:
        raise source.fault(
            None, "no token is marked Seg=B-seg, BeginSeg=Yes or Discourse=…; read sentences with segments=sentences."
        )
    return Corpus.from_annotations(
        Annotation(name, "", Segmentation.from_positions([s for s in starts if s], length=len(words), units=words))
        for name, (words, starts) in documents.items()
    )


def write(corpus: Corpus) -> str:
    """Write a document an item, as one sentence (a corpus knows no others), with the other columns empty."""
    lines = []
    for a in corpus:
        assert isinstance(a.marks, Segmentation)
        lines.append(f"# newdoc id = {a.item}")
        cuts = {0, *a.marks.positions.tolist()}
        for i, word in enumerate(a.marks.units or ()):
            lines.append("\t".join([str(i + 1), word, *"_" * 7, "Seg=B-seg" if i in cuts else "Seg=O"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _sentences(source: Source) -> list[Any]:
    from conllu import parse
    from conllu.exceptions import ParseException

    try:
        return list(parse(source.text))
    except (ParseException, ValueError, OverflowError) as fault:  # also numbers of a thousand digits
        line = next((n for n, text in source.lines if not _is_token(text)), None)
        raise source.fault(line, f"this is not CoNLL-U: {str(fault).splitlines()[0]}") from None


def _is_token(line: str) -> bool:
    """Tell whether a line is what the library takes: blank, a comment, or a number and nine more columns."""
    return not line.strip() or line.startswith("#") or _NUMBERED.match(line) is not None


def _begins(token: Any) -> bool:
    misc = token.get("misc") or {}
    return str(misc.get("Seg", "")).lower() == "b-seg" or misc.get("BeginSeg") == "Yes" or "Discourse" in misc
