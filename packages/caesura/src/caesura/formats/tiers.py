"""Name the only tier of a file when it is compared with files of several tiers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from caesura.errors import CaesuraError
from caesura.formats.reading import TIERED, read_source
from caesura.formats.writing import source_of
from caesura.model import Corpus
from caesura.model.provenance import Document, collect_notes


def with_tier_names(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return corpora in which the only tier of a file has its name, if other files have several tiers.

    A file with one tier is read without the tier's name, so that it can be compared with formats that have no tiers.

    Parameters
    ----------
    corpora : sequence of Corpus
        What is compared.
    """
    wanted = list(dict.fromkeys(track for corpus in corpora for track in corpus.tracks if track))
    if not wanted:
        return list(corpora)
    return [_name_tracks(corpus, wanted) if "" in corpus.tracks else corpus for corpus in corpora]


def warn_of_other_tiers(reference: Corpus, hypothesis: Corpus) -> None:
    """Warn if both sides have files with one tier whose names differ: words and phones would be compared without a word.

    Parameters
    ----------
    reference, hypothesis : Corpus
        The sides; only the first item that both have is looked at.
    """
    if reference.tracks != ("",) or hypothesis.tracks != ("",) or not (reference.sources and hypothesis.sources):
        return
    known = {item: document for (item, _), document in reversed(list(hypothesis.sources.items()))}
    for (item, _), document in reference.sources.items():
        if item in known:
            ours, theirs = _sole_tier(document), _sole_tier(known[item])
            if ours and theirs and ours != theirs:
                warnings.warn(
                    f"the only tier of the reference is {ours!r}, that of the hypothesis {theirs!r}; they were compared.",
                    stacklevel=2,
                )
            return


def _sole_tier(document: Document) -> str:
    """Return the name of the only tier of a file; "" if it has several or no names."""
    if document.format not in TIERED or not document.complete:
        return ""
    try:
        with collect_notes():
            tracks = read_source(source_of(document), document.format, {**document.options, "tier": "{track}"}).tracks
    except CaesuraError:
        return ""
    return tracks[0] if len(tracks) == 1 else ""


def _name_tracks(corpus: Corpus, wanted: Sequence[str]) -> Corpus:
    names: dict[int, str] = {}  # by document
    annotations = []
    for a in corpus:
        document = corpus.sources.get((a.item, a.coder))
        if a.track or document is None or document.format not in TIERED or not document.complete:
            annotations.append(a)
            continue
        if id(document) not in names:
            names[id(document)] = next((name for name in wanted if _has_tier(document, name)), "")
        annotations.append(a._replace(track=names[id(document)]))
    if not any(names.values()):
        return corpus
    return Corpus.from_annotations(
        annotations, labels=corpus.labels, attributes=corpus.attributes, provenance=corpus.provenance
    )


def _has_tier(document: Document, name: str) -> bool:
    """Tell whether a file has a tier of this name, by reading it."""
    if name.isdigit() or any(sign in name for sign in "*{}"):  # positions and patterns
        return False
    try:
        with collect_notes():
            read_source(source_of(document), document.format, {**document.options, "tier": name})
    except CaesuraError:
        return False
    return True
