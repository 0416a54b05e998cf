"""Which annotation is compared with which: items and tracks that two corpora share, one pair a coder on either side."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Batch, Metric
from caesura.metrics.base import Rows
from caesura.model import Corpus, Segmentation

__all__ = ["Missing", "Pairing", "References", "check_word", "pair_all", "pair_up"]

#: What happens to items that only one side has: refuse; leave them out and list them; or count the missing annotation as one
#: without any mark.
Missing: TypeAlias = Literal["error", "skip", "worst"]

#: How several reference coders of one item count: their rows added up, averaged, or only the one closest to the hypothesis.
References: TypeAlias = Literal["pooled", "mean", "best"]

Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Pairing:
    """Pairs ready to count, and the item each belongs to.

    ``reference_of`` numbers the reference coder of each pair; tracks of one item and several coders are pooled into it by
    :meth:`per_item`. Items that one side lacks were left out (``skipped``) or taken for unmarked (``filled``).
    """

    batch: Batch
    items: tuple[str, ...]
    item_of: NDArray[np.int64]
    reference_of: NDArray[np.int64]
    skipped: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()

    def per_item(self, rows: Rows, metric: Metric | None = None, references: References = "pooled") -> Rows:
        """Add up the rows of pairs that belong to one item, several references as ``references`` says."""
        check_word("references", references, References)
        coders = int(self.reference_of.max()) + 1 if len(self.reference_of) else 1
        if coders == 1 or references == "pooled":
            return _added(rows, self.item_of, len(self.items))
        per_coder = _added(rows, self.item_of * coders + self.reference_of, len(self.items) * coders)
        per_coder = per_coder.reshape(len(self.items), coders, -1)
        pairs = np.bincount(self.item_of * coders + self.reference_of, minlength=len(self.items) * coders)
        present = pairs.reshape(len(self.items), coders) > 0
        if references == "mean":
            averaged: Rows = per_coder.sum(axis=1) / present.sum(axis=1, keepdims=True)
            return averaged
        if metric is None:
            raise CaesuraError("references='best' needs the metric to know which reference is best.")
        scores = metric.score(per_coder)
        worst = -np.inf if metric.higher_is_better else np.inf
        scores = np.where(present & np.isfinite(scores), scores, worst)
        best = scores.argmax(axis=1) if metric.higher_is_better else scores.argmin(axis=1)
        chosen: Rows = per_coder[np.arange(len(self.items)), best]
        return chosen

    def only(self, items: Collection[str]) -> Pairing:
        """Keep only the pairs of these items."""
        kept = np.array([item in items for item in self.items], dtype=bool)
        pairs = kept[self.item_of]
        return replace(
            self,
            batch=self.batch.take(pairs),
            items=tuple(item for item, keep in zip(self.items, kept.tolist(), strict=True) if keep),
            item_of=(np.cumsum(kept) - 1)[self.item_of[pairs]],
            reference_of=self.reference_of[pairs],
        )


def pair_all(reference: Corpus, systems: Mapping[str, Corpus], *, missing: Missing = "error") -> dict[str, Pairing]:
    """Pair every system with the reference, all of them on the same items in the same order, or none."""
    if not systems:
        raise CaesuraError("there is no system to evaluate; give one, or {name: system}.")
    pairings = {name: pair_up(reference, corpus, missing=missing) for name, corpus in systems.items()}
    if missing == "skip":
        pairings = _on_common_items(pairings)
    (first, pairing), *others = pairings.items()
    for name, other in others:
        if other.items != pairing.items:
            apart = sorted(set(other.items) ^ set(pairing.items))
            raise CaesuraError(
                f"systems {first!r} and {name!r} cover different items ({', '.join(apart[:3])} …); "
                "give both the same items, or leave out what one lacks with missing='skip' (--missing skip)."
            )
    return pairings


def pair_up(reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairing:
    """Pair every annotation of the hypothesis with every coder's annotation of the same track in the reference.

    Items that only one side has are never passed over in silence: they are refused, skipped and listed, or count as unmarked.
    """
    check_word("missing", missing, Missing)
    _check_texts(reference, hypothesis)
    if _aligned(reference, hypothesis):
        rows = len(reference)
        batch = Batch.of_corpora(reference, hypothesis)
        return Pairing(batch, reference.items, reference.item_of, np.zeros(rows, np.int64))
    ours, theirs = _by_key(reference), _by_key(hypothesis)
    alone = sorted(_named(key) for key in ours.keys() ^ theirs.keys())
    if alone and missing == "worst":
        reference, hypothesis = _filled(reference, hypothesis, ours, theirs)
        ours, theirs = _by_key(reference), _by_key(hypothesis)
    shared = [key for key in ours if key in theirs]
    _refuse(ours, theirs, alone, shared, missing)
    pairs = [(i, r, h) for i, key in enumerate(shared) for r in ours[key] for h in theirs[key]]
    at, left, right = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    items = tuple(dict.fromkeys(item for item, _ in shared))
    place = {item: i for i, item in enumerate(items)}
    of_shared = np.array([place[item] for item, _ in shared], dtype=np.int64)
    batch = Batch.of_corpora(reference, hypothesis, left, right)
    said = {"filled" if missing == "worst" else "skipped": tuple(alone)}
    return Pairing(batch, items, of_shared[at], reference.coder_of[left], **said)


def check_word(option: str, given: object, known: Any) -> None:
    """Refuse a word that is none of those a Literal type lists."""
    if given not in get_args(known):
        raise CaesuraError(f"{option} is {given!r}; expected {', '.join(map(repr, get_args(known)))}.")


def _on_common_items(pairings: dict[str, Pairing]) -> dict[str, Pairing]:
    """Leave out, for every system, what any of them lacks."""
    common = set.intersection(*(set(pairing.items) for pairing in pairings.values()))
    if all(len(pairing.items) == len(common) for pairing in pairings.values()):
        return pairings
    if not common:
        raise CaesuraError("no item is covered by the reference and all systems.")
    skipped = sorted({item for p in pairings.values() for item in (*p.skipped, *(set(p.items) - common))})
    return {name: replace(pairing.only(common), skipped=tuple(skipped)) for name, pairing in pairings.items()}


def _check_texts(reference: Corpus, hypothesis: Corpus) -> None:
    """Refuse two sides that worked on different words, and name the first one that differs."""
    for key, ours in reference.texts.items():
        theirs = hypothesis.texts.get(key, ours)
        if theirs is ours or theirs == ours or reference.kind != "units":
            continue
        at = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), None)
        if at is not None:  # the same words, but more of them: the lengths differ, which is refused elsewhere
            raise LengthMismatch(
                f"item {_named(key)!r}: the texts differ: token {at + 1} is {ours[at]!r} in the reference and {theirs[at]!r} in the hypothesis."
            )


def _aligned(one: Corpus, two: Corpus) -> bool:
    """Whether both sides hold the same items in the same order, one coder each: the case that needs no look-up."""
    return (
        len(one.coders) == len(two.coders) == 1
        and len(one) > 0
        and one.items == two.items
        and one.tracks == two.tracks
        and np.array_equal(one.item_of, two.item_of)
        and np.array_equal(one.track_of, two.track_of)
    )


def _refuse(
    ours: dict[Key, list[int]], theirs: dict[Key, list[int]], alone: list[str], shared: list[Key], missing: Missing
) -> None:
    if not shared:
        raise CaesuraError(
            f"the two sides share no item: the reference has {_some(ours)}, the hypothesis {_some(theirs)}."
        )
    if alone and missing == "error":
        raise CaesuraError(
            f"{len(alone)} of {len(ours.keys() | theirs.keys())} items are on one side only: {', '.join(alone[:5])}"
            f"{' …' if len(alone) > 5 else ''}; leave them out with missing='skip' (--missing skip)."
        )


def _filled(
    reference: Corpus, hypothesis: Corpus, ours: dict[Key, list[int]], theirs: dict[Key, list[int]]
) -> tuple[Corpus, Corpus]:
    """Give each side an unmarked annotation for every track it lacks."""
    if reference.kind != "units":
        raise CaesuraError(f"missing='worst' fills in texts of units; these annotations are {reference.kind}.")

    def with_empty(corpus: Corpus, other: Corpus, lacking: set[Key], found: dict[Key, list[int]]) -> Corpus:
        coder = corpus.coders[0] if corpus.coders else "missing"
        empty = []
        for item, track in sorted(lacking):
            length = int(other.lengths[found[item, track][0]])
            none = np.empty(0, np.int64)
            empty.append(
                (item, coder, Segmentation(length, none, none if corpus.typed else None, corpus.labels), track)
            )
        return Corpus.from_annotations([*corpus, *empty], labels=corpus.labels, attributes=corpus.attributes)

    return (
        with_empty(reference, hypothesis, theirs.keys() - ours.keys(), theirs),
        with_empty(hypothesis, reference, ours.keys() - theirs.keys(), ours),
    )


def _added(rows: Rows, group: NDArray[np.int64], groups: int) -> Rows:
    """Sum rows by group: one bincount a column, many times faster than adding at indices."""
    if len(rows) == groups and np.array_equal(group, np.arange(groups)):
        return rows
    return np.stack([np.bincount(group, weights=rows[:, f], minlength=groups) for f in range(rows.shape[1])], axis=1)


def _by_key(corpus: Corpus) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    named = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), strict=True)
    for row, (i, t) in enumerate(named):
        found.setdefault((corpus.items[i], corpus.tracks[t]), []).append(row)
    return found


def _named(key: Key) -> str:
    return key[0] if not key[1] else f"{key[0]} ({key[1]})"


def _some(keys: dict[Key, list[int]]) -> str:
    names = [_named(key) for key in keys]
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else "none"
