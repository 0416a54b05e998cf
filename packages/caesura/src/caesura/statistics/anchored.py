"""Anchor the texts of systems before they are scored, and describe what that changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from caesura.anchoring import AnchoredCorpus, AnchorOptions, anchor_corpus
from caesura.display.table import Rounded, Table, format_cell
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus
from caesura.model.columns import texts_resolved_by

#: What ``anchor=`` takes: True, a level, a dict of parameters, or options.
AnchorLike = AnchorOptions | Mapping[str, Any] | bool | str | None

_VISIBLE = 0.001  # scores with and without unplaced marks are both shown if they differ by more


def anchor_systems(
    reference: Corpus, systems: Mapping[str, Corpus], given: AnchorLike
) -> tuple[Corpus, dict[str, Corpus], dict[str, AnchoredCorpus]]:
    """Move the annotations of every system to the texts of the reference; documents that any system has refused are left out of all."""
    options = AnchorOptions.of(given)
    if options is None:
        return reference, dict(systems), {}
    if not reference.texts:
        raise CaesuraError("the reference has no texts, so that nothing can be anchored to it; leave anchoring out.")
    anchored = {name: anchor_corpus(reference, corpus, options) for name, corpus in systems.items()}
    reference, corpora = anchored_corpora(reference, systems, anchored)
    return reference, corpora, {name: each for name, each in anchored.items() if each.signature}


def anchored_corpora(
    reference: Corpus, systems: Mapping[str, Corpus], anchored: Mapping[str, AnchoredCorpus]
) -> tuple[Corpus, dict[str, Corpus]]:
    """Return the reference and the moved annotations of every system, without documents that any system has refused."""
    refused = {item for each in anchored.values() for item in each.refused}
    corpora = {name: anchored[name].corpus if name in anchored else corpus for name, corpus in systems.items()}
    if not refused:
        return reference, corpora
    return _without(reference, refused), {name: _without(corpus, refused) for name, corpus in corpora.items()}


def _without(corpus: Corpus, refused: set[str]) -> Corpus:
    kept = [item for item in corpus.items if item not in refused]
    if not kept:
        raise CaesuraError("all documents were refused; there is nothing left to score.")
    return corpus.select(items=kept) if len(kept) < len(corpus.items) else corpus


def with_unplaced_left_out(anchored: Mapping[str, AnchoredCorpus]) -> AnchorOptions | None:
    """Return options that leave marks without a place out, if that may change a score."""
    for each in anchored.values():
        if each.options.unplaced == "wrong" and each.total.placed < each.total.marks:
            return replace(each.options, unplaced="out")
    return None


def describe_unplaced(
    scores: Mapping[str, Mapping[str, float]], left_out: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Return a sentence for every score that changes if marks without a place are left out instead of counted as wrong."""
    sentences = []
    for system, each in scores.items():
        of = f" of {system!r}" if system else ""
        for name, value in each.items():
            other = left_out[system][name]
            if abs(other - value) > _VISIBLE:
                sentences.append(
                    f"{name}{of} is {format_cell(other)} instead of {format_cell(value)} if marks that could not be placed are left "
                    "out (unplaced='out')."
                )
    return sentences


def add_shares(table: Table, anchored: Mapping[str, AnchoredCorpus], systems: Mapping[str, Any]) -> Table:
    """Add the altered, placed and moved shares of every system to its first row of a table of scores."""
    if not anchored:
        return table
    rows, at = [], 0
    for system, measured in systems.items():
        total = anchored[system].total if system in anchored else None
        for number in range(len(measured)):
            shares = (total.altered, total.placed_share, total.moved) if total and not number else (None, None, None)
            rows.append((*table.rows[at], *(None if share is None else Rounded(share, 4) for share in shares)))
            at += 1
    return replace(table, columns=(*table.columns, "altered", "placed", "moved"), rows=tuple(rows))


def anchored_while_reading(
    options: AnchorOptions, report: Callable[[AnchoredCorpus], None]
) -> AbstractContextManager[None]:
    """While a corpus is read, move the annotations of coders whose text differs to the text of the first coder of the item.

    There is no reference, so marks without a place are left out. ``report`` receives every anchored part. With ``skip_refused``,
    annotations of refused texts are left out.
    """
    strict = replace(options, unplaced="out", skip_refused=False)

    def resolve(listed: list[Annotation]) -> list[Annotation]:
        texts: dict[tuple[str, str], tuple[str, ...]] = {}
        moved: list[Annotation] = []
        for each in listed:
            units = each.marks.units
            if units is None or texts.setdefault((each.item, each.track), units) == units:
                moved.append(each)
                continue
            alone = Corpus.from_annotations([each])
            source = Corpus.from_annotations([each._replace(marks=_without_marks(texts[each.item, each.track]))])
            name = f"{each.item} · {each.coder}"
            try:
                found = anchor_corpus(source, alone, strict)
            except CaesuraError as fault:
                if not options.skip_refused:
                    raise
                report(AnchoredCorpus(alone, strict, refused={name: str(fault)}))
                continue
            report(replace(found, items={name: found.total}))
            moved.append(next(iter(found.corpus)))
        return moved

    return texts_resolved_by(resolve)


def other_texts_set_aside(dropped: list[Annotation]) -> AbstractContextManager[None]:
    """While a corpus is read, put the annotations of coders whose text is not that of the first coder of the item into a list."""

    def resolve(listed: list[Annotation]) -> list[Annotation]:
        texts: dict[tuple[str, str], tuple[str, ...]] = {}
        kept: list[Annotation] = []
        for each in listed:
            units = each.marks.units
            same = units is None or texts.setdefault((each.item, each.track), units) == units
            (kept if same else dropped).append(each)
        return kept

    return texts_resolved_by(resolve)


def anchor_coders(build: Callable[[], Corpus], given: AnchorLike) -> tuple[Corpus, AnchoredCorpus | None]:
    """Build a corpus whose coders' texts may differ; return it, and what anchoring changed if any text differed."""
    options = AnchorOptions.of(given)
    if options is None:
        return build(), None
    parts: list[AnchoredCorpus] = []
    with anchored_while_reading(options, parts.append):
        corpus = build()
    if not parts:
        return corpus, None
    items = {name: counts for part in parts for name, counts in part.items.items()}
    refused = {name: reason for part in parts for name, reason in part.refused.items()}
    return corpus, replace(parts[0], corpus=corpus, items=items, refused=refused)


def _without_marks(units: tuple[str, ...]) -> Any:
    from caesura.model import Segmentation

    return Segmentation(len(units), units=units)
