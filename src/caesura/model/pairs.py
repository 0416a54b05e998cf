"""Which annotation is compared with which: one table of pairs, per item and track. Nothing is counted here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model.corpus import Corpus
from caesura.model.segmentation import Segmentation
from caesura.words import check_choice

#: What happens to items that only one side has: refuse; leave them out and list them; or count the missing annotation as one
#: without any mark.
Missing: TypeAlias = Literal["error", "skip", "worst"]

Index: TypeAlias = NDArray[np.int64]
Key: TypeAlias = tuple[str, str]  # item and track


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of annotations of one track: row ``left[i]`` of the reference against row ``right[i]`` of the hypothesis.

    ``items`` names the items and ``item_of`` gives every pair's place among them. Items that one side lacks were left out
    (``skipped``) or taken for unmarked (``filled``).
    """

    reference: Corpus
    hypothesis: Corpus
    left: Index
    right: Index
    items: tuple[str, ...]
    item_of: Index
    skipped: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()

    @classmethod
    def among_coders(cls, corpus: Corpus) -> Pairs:
        """Every two annotations of one track by different coders, the earlier coder first, tracks as they appear.

        >>> pairs = Pairs.among_coders(Corpus.from_dict({"x": {"ann": [2, 3], "ben": [5], "cat": [1, 4]}}))
        >>> pairs.left.tolist(), pairs.right.tolist()
        ([0, 0, 1], [1, 2, 2])
        """
        stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
        _, first, which = np.unique(stream, return_index=True, return_inverse=True)
        group = np.argsort(np.argsort(first))[which]
        rows = np.lexsort((corpus.coder_of, group))
        sizes = np.bincount(group)
        later = np.repeat(np.cumsum(sizes), sizes) - 1 - np.arange(len(rows))  # how many of the track come behind each
        step = np.arange(later.sum()) - np.repeat(np.cumsum(later) - later, later)
        left, right = np.repeat(rows, later), rows[np.repeat(np.arange(len(rows)) + 1, later) + step]
        return cls(corpus, corpus, left, right, corpus.items, corpus.item_of[left])

    @classmethod
    def between(cls, reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairs:
        """Every annotation of the hypothesis with every coder's annotation of the same track in the reference.

        Items that only one side has are never passed over in silence: they are refused, skipped and listed, or count as unmarked.
        """
        pairs = cls.between_parts(reference, hypothesis, missing=missing)
        if not len(pairs):
            raise _nothing_shared(_rows_by_key(reference), _rows_by_key(hypothesis))
        return pairs

    @classmethod
    def between_parts(cls, reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairs:
        """The same for parts of two larger corpora, which may share nothing where items are skipped."""
        if missing != "error":
            check_choice("missing", missing, get_args(Missing))
        _check_texts(reference, hypothesis)
        if _line_up(reference, hypothesis):
            every = np.arange(len(reference))
            return cls(reference, hypothesis, every, every, reference.items, reference.item_of)
        left, right = _rows_alike(*_streams(reference, hypothesis))
        alone: list[str] = []
        if not (_are_all(left, len(reference)) and _are_all(right, len(hypothesis))):
            reference, hypothesis, alone = _one_sided(reference, hypothesis, missing)
            left, right = _rows_alike(*_streams(reference, hypothesis))
        item_of = reference.item_of[left]
        covered = np.zeros(len(reference.items), bool)
        covered[item_of] = True
        items = tuple(compress(reference.items, covered.tolist()))  # the same order for every system
        names = {"filled" if missing == "worst" else "skipped": tuple(alone)}
        return cls(reference, hypothesis, left, right, items, (np.cumsum(covered) - 1)[item_of], **names)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def coders(self) -> tuple[Index, Index]:
        """The coder of every pair's reference, and of its hypothesis, numbered as their corpora name them."""
        return self.reference.coder_of[self.left], self.hypothesis.coder_of[self.right]

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The length of every pair's text."""
        return np.asarray(self.reference.lengths[self.left], np.float64)

    def only(self, items: Collection[str]) -> Pairs:
        """Keep only the pairs of these items."""
        kept = np.array([item in items for item in self.items], dtype=bool)
        pairs = kept[self.item_of]
        return replace(
            self,
            left=self.left[pairs],
            right=self.right[pairs],
            items=tuple(item for item, keep in zip(self.items, kept.tolist(), strict=True) if keep),
            item_of=(np.cumsum(kept) - 1)[self.item_of[pairs]],
        )

    def swap_sides(self) -> Pairs:
        """The same pairs, each side in the place of the other."""
        return replace(self, reference=self.hypothesis, hypothesis=self.reference, left=self.right, right=self.left)


def pair_systems(reference: Corpus, systems: Mapping[str, Corpus], *, missing: Missing = "error") -> dict[str, Pairs]:
    """Pair every system with the reference, all of them on the same items in the same order, or none."""
    if not systems:
        raise CaesuraError("there is no system to evaluate; give one, or {name: system}.")
    paired = pair_part(reference, systems, missing=missing)
    for name, pairs in paired.items():
        if not len(pairs):
            Pairs.between(reference, systems[name], missing=missing)  # refuses where these two alone share nothing
            raise CaesuraError("no item is covered by the reference and all systems.")
    return paired


def pair_part(reference: Corpus, systems: Mapping[str, Corpus], *, missing: Missing = "error") -> dict[str, Pairs]:
    """Pair every system with the reference on a part of their items, which may hold none that all of them cover."""
    paired = {name: Pairs.between_parts(reference, corpus, missing=missing) for name, corpus in systems.items()}
    if missing == "skip":
        paired = _on_common_items(paired)
    (first, pairs), *others = paired.items()
    for name, other in others:
        if other.items != pairs.items:
            apart = sorted(set(other.items) ^ set(pairs.items))
            raise CaesuraError(
                f"systems {first!r} and {name!r} cover different items ({', '.join(apart[:3])} …); "
                "give both the same items, or leave out what one lacks with missing='skip' (caesura evaluate --missing skip)."
            )
    return paired


def _on_common_items(paired: dict[str, Pairs]) -> dict[str, Pairs]:
    """Leave out, for every system, what any of them lacks."""
    common = set.intersection(*(set(pairs.items) for pairs in paired.values()))
    if all(len(pairs.items) == len(common) for pairs in paired.values()):
        return paired
    skipped = sorted({item for p in paired.values() for item in (*p.skipped, *(set(p.items) - common))})
    return {name: replace(pairs.only(common), skipped=tuple(skipped)) for name, pairs in paired.items()}


def _check_texts(reference: Corpus, hypothesis: Corpus) -> None:
    """Refuse two sides that worked on different words, and name the first one that differs."""
    for key, ours in reference.texts.items():
        theirs = hypothesis.texts.get(key, ours)
        if theirs is ours or theirs == ours or reference.kind != "units":
            continue
        at = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), None)
        if at is not None:  # the same words, but more of them: the lengths differ, which is refused elsewhere
            raise LengthMismatch(
                f"item {_name_of(key)!r}: the texts differ: token {at + 1} is {ours[at]!r} in the reference and {theirs[at]!r} in the hypothesis."
            )


def _line_up(reference: Corpus, hypothesis: Corpus) -> bool:
    """Whether both sides hold the same items in the same order, one coder each: the case that needs no look-up."""
    return (
        len(reference.coders) == len(hypothesis.coders) == 1
        and len(reference) > 0
        and reference.items == hypothesis.items
        and reference.tracks == hypothesis.tracks
        and np.array_equal(reference.item_of, hypothesis.item_of)
        and np.array_equal(reference.track_of, hypothesis.track_of)
    )


def _streams(reference: Corpus, hypothesis: Corpus) -> tuple[Index, Index]:
    """A number for the item and track of every row, the same on both sides."""
    items, tracks = _places(hypothesis.items, reference.items), _places(hypothesis.tracks, reference.tracks)
    ours = reference.item_of * (len(reference.tracks) + len(tracks)) + reference.track_of
    return ours, items[hypothesis.item_of] * (len(reference.tracks) + len(tracks)) + tracks[hypothesis.track_of]


def _places(names: tuple[str, ...], known: tuple[str, ...]) -> Index:
    """Where each name stands among the known ones; behind all of them those that are not known."""
    place = dict(zip(known, range(len(known)), strict=True))
    places = np.array([place.get(name, -1) for name in names], np.int64)
    return np.where(places < 0, len(known) + np.arange(len(names)), places)


def _are_all(rows: Index, number: int) -> bool:
    """Whether every one of so many rows is among these."""
    among = np.zeros(number, bool)
    among[rows] = True
    return bool(among.all())


def _rows_alike(ours: Index, theirs: Index) -> tuple[Index, Index]:
    """Every row of one side with every row of the other that has the same number, in the order in which numbers come on our side."""
    numbers, first, which = np.unique(ours, return_index=True, return_inverse=True)
    appearance = np.argsort(np.argsort(first))  # of every number on our side
    at = np.searchsorted(numbers, theirs)
    at[at == len(numbers)] = 0
    known = np.flatnonzero(numbers[at] == theirs) if len(numbers) else np.empty(0, np.int64)
    group = appearance[at[known]]
    right = known[np.argsort(group, kind="stable")]
    sizes = np.bincount(group, minlength=len(numbers))
    ends = np.cumsum(sizes)
    left = np.argsort(appearance[which], kind="stable")
    partners = sizes[appearance[which[left]]]
    behind = np.repeat(ends[appearance[which[left]]] - np.cumsum(partners), partners)
    return np.repeat(left, partners), right[behind + np.arange(partners.sum())]


def _one_sided(reference: Corpus, hypothesis: Corpus, missing: Missing) -> tuple[Corpus, Corpus, list[str]]:
    """Refuse items that one side lacks, fill them in or leave them to be skipped; and name them."""
    ours, theirs = _rows_by_key(reference), _rows_by_key(hypothesis)
    alone = sorted(_name_of(key) for key in ours.keys() ^ theirs.keys())
    if missing == "worst":
        return *_fill(reference, hypothesis, ours, theirs), alone
    if missing == "skip":
        return reference, hypothesis, alone
    if not ours.keys() & theirs.keys():
        raise _nothing_shared(ours, theirs)
    shared = next(track for item, track in ours if (item, track) in theirs)
    only_tracks = shared and {item for item, _ in ours} == {item for item, _ in theirs}
    raise CaesuraError(
        f"{len(alone)} of {len(ours.keys() | theirs.keys())} items are on one side only: {', '.join(alone[:5])}"
        f"{' …' if len(alone) > 5 else ''}; leave them out with missing='skip' (caesura evaluate --missing skip)"
        f"{f', or read what both have, such as the tier {shared!r} (-O tier={shared})' if only_tracks else ''}."
    )


def _nothing_shared(ours: dict[Key, list[int]], theirs: dict[Key, list[int]]) -> CaesuraError:
    return CaesuraError(
        f"the two sides share no item: the reference has {_some(ours)}, the hypothesis {_some(theirs)}."
    )


def _fill(
    reference: Corpus, hypothesis: Corpus, ours: dict[Key, list[int]], theirs: dict[Key, list[int]]
) -> tuple[Corpus, Corpus]:
    """Give each side an unmarked annotation for every track it lacks."""
    if reference.kind != "units":
        raise CaesuraError(f"missing='worst' fills in texts of units; these annotations are {reference.kind}.")

    def with_empty(corpus: Corpus, other: Corpus, lacking: set[Key], rows: dict[Key, list[int]]) -> Corpus:
        nobody = corpus.coders[0] if corpus.coders else "missing"
        known = zip(corpus.item_of.tolist(), corpus.coder_of.tolist(), strict=True)
        first = {
            corpus.items[item]: corpus.coders[coder] for item, coder in reversed(list(known))
        }  # of the item's coders
        empty = []
        for item, track in sorted(lacking):
            length = int(other.lengths[rows[item, track][0]])
            none = np.empty(0, np.int64)
            coder = first.get(item, nobody)
            names = ("",) if corpus.names and length else None
            unmarked = Segmentation(length, none, none if corpus.typed else None, corpus.labels, names=names)
            empty.append((item, coder, unmarked, track))
        return Corpus.from_annotations([*corpus, *empty], labels=corpus.labels, attributes=corpus.attributes)

    return (
        with_empty(reference, hypothesis, theirs.keys() - ours.keys(), theirs),
        with_empty(hypothesis, reference, ours.keys() - theirs.keys(), ours),
    )


def _rows_by_key(corpus: Corpus) -> dict[Key, list[int]]:
    rows: dict[Key, list[int]] = {}
    named = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), strict=True)
    for row, (i, t) in enumerate(named):
        rows.setdefault((corpus.items[i], corpus.tracks[t]), []).append(row)
    return rows


def _name_of(key: Key) -> str:
    return key[0] if not key[1] else f"{key[0]} ({key[1]})"


def _some(keys: dict[Key, list[int]]) -> str:
    names = [_name_of(key) for key in keys]
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else "none"
