"""Pairs of annotations to compare, by item and track; counting is done elsewhere."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.model.columns import ANCHOR_ADVICE
from caesura.model.corpus import Corpus, on_one_time_axis
from caesura.model.provenance import COMPUTED
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.time_axis import TimeAxisRules
from caesura.validation import validate_choice

#: What to do with items that only one side has: raise an error; skip and list them; or compare with an empty annotation.
Missing: TypeAlias = Literal["error", "skip", "empty"]

Index: TypeAlias = NDArray[np.int64]
Key: TypeAlias = tuple[str, str]  # item and track
_PLAIN = re.compile(r"[\W_]+")  # what separates words in names of files


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of annotations of one track: row ``left[i]`` of the reference and row ``right[i]`` of the hypothesis.

    Attributes
    ----------
    reference, hypothesis : Corpus
        The two sides.
    left, right : array of int
        The row of each pair in the reference and in the hypothesis.
    items : tuple of str
        The items that are compared.
    item_of : array of int
        The index of each pair's item in ``items``.
    skipped, filled : tuple of str
        Items that one side lacks, and that were left out or filled with an empty annotation.
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
        """Pair every two annotations of one track by different coders, the earlier coder first, in the order of tracks.

        Examples
        --------
        >>> pairs = Pairs.among_coders(Corpus.from_dict({"x": {"ann": [2, 3], "ben": [5], "cat": [1, 4]}}))
        >>> pairs.left.tolist(), pairs.right.tolist()
        ([0, 0, 1], [1, 2, 2])
        """
        stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
        _, first, which = np.unique(stream, return_index=True, return_inverse=True)
        group = np.argsort(np.argsort(first))[which]
        rows = np.lexsort((corpus.coder_of, group))
        sizes = np.bincount(group)
        later = (
            np.repeat(np.cumsum(sizes), sizes) - 1 - np.arange(len(rows))
        )  # how many annotations of the track follow each
        step = np.arange(later.sum()) - np.repeat(np.cumsum(later) - later, later)
        left, right = np.repeat(rows, later), rows[np.repeat(np.arange(len(rows)) + 1, later) + step]
        return cls(corpus, corpus, left, right, corpus.items, corpus.item_of[left])

    @classmethod
    def between(cls, reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairs:
        """Pair every annotation of the hypothesis with every coder's annotation of the same track in the reference.

        Parameters
        ----------
        reference, hypothesis : Corpus
            The two sides.
        missing : {"error", "skip", "empty"}, default "error"
            What to do with items that only one side has: raise an error, skip and list them, or compare with an empty annotation.

        Returns
        -------
        Pairs
        """
        pairs = cls.between_parts(reference, hypothesis, missing=missing)
        if not len(pairs):
            raise _no_common_item(_rows_by_key(reference), _rows_by_key(hypothesis))
        return pairs

    @classmethod
    def between_parts(cls, reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairs:
        """Pair parts of two larger corpora, which may share no item if items are skipped."""
        if missing != "error":
            validate_choice("missing", missing, get_args(Missing))
        _check_texts(reference, hypothesis)
        reference, hypothesis = _on_one_time_axis(reference, hypothesis)
        hypothesis = named_by_base(reference, hypothesis)
        if _are_aligned(reference, hypothesis):
            every = np.arange(len(reference))
            return cls(reference, hypothesis, every, every, reference.items, reference.item_of)
        left, right = _match_rows(*_track_numbers(reference, hypothesis))
        alone: list[str] = []
        if not (_are_all(left, len(reference)) and _are_all(right, len(hypothesis))):
            reference, hypothesis, alone = _resolve_missing(reference, hypothesis, missing)
            left, right = _match_rows(*_track_numbers(reference, hypothesis))
        item_of = reference.item_of[left]
        covered = np.zeros(len(reference.items), bool)
        covered[item_of] = True
        items = tuple(compress(reference.items, covered.tolist()))  # the same order for every system
        names = {"filled" if missing == "empty" else "skipped": tuple(alone)}
        return cls(reference, hypothesis, left, right, items, (np.cumsum(covered) - 1)[item_of], **names)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def coders(self) -> tuple[Index, Index]:
        """The coders of the reference and of the hypothesis of every pair, as indices into their corpora."""
        return self.reference.coder_of[self.left], self.hypothesis.coder_of[self.right]

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The length of the text of every pair."""
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
        """Return the pairs with reference and hypothesis exchanged."""
        return replace(self, reference=self.hypothesis, hypothesis=self.reference, left=self.right, right=self.left)


def pair_systems(reference: Corpus, systems: Mapping[str, Corpus], *, missing: Missing = "error") -> dict[str, Pairs]:
    """Pair every system with the reference, all on the same items in the same order."""
    if not systems:
        raise CaesuraError("there is no system to evaluate; give one, or {name: system}.")
    paired = pair_part(reference, systems, missing=missing)
    for name, pairs in paired.items():
        if not len(pairs):
            Pairs.between(reference, systems[name], missing=missing)  # refuses where these two alone share nothing
            raise CaesuraError("no item is covered by the reference and all systems.")
    return paired


def pair_part(reference: Corpus, systems: Mapping[str, Corpus], *, missing: Missing = "error") -> dict[str, Pairs]:
    """Pair every system with the reference on a part of their items, which may have none in common."""
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


def without_extra_items(reference: Corpus, hypothesis: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return the hypothesis without items that the reference lacks, and those items; all of it if it has no other items."""
    known = set(reference.items)
    extra = tuple(item for item in hypothesis.items if item not in known)
    if not extra or len(extra) == len(hypothesis.items):
        return hypothesis, ()
    return hypothesis.select(items=[item for item in hypothesis.items if item in known]), extra


def _on_common_items(paired: dict[str, Pairs]) -> dict[str, Pairs]:
    """Leave out the items that any system lacks."""
    common = set.intersection(*(set(pairs.items) for pairs in paired.values()))
    if all(len(pairs.items) == len(common) for pairs in paired.values()):
        return paired
    skipped = sorted({item for p in paired.values() for item in (*p.skipped, *(set(p.items) - common))})
    return {name: replace(pairs.only(common), skipped=tuple(skipped)) for name, pairs in paired.items()}


def _check_texts(reference: Corpus, hypothesis: Corpus) -> None:
    """Raise an error if the two sides have different words, with the first one that differs."""
    for key, ours in reference.texts.items():
        theirs = hypothesis.texts.get(key, ours)
        if theirs is ours or theirs == ours:
            continue
        name = _name_of(key)
        at = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), None)
        if at is not None:  # otherwise one text is longer, and the lengths are compared elsewhere
            raise LengthMismatch(
                f"{name and f'item {name!r}: '}the texts differ: token {at + 1} is {ours[at]!r} in the reference and {theirs[at]!r} in the hypothesis; "
                f"{ANCHOR_ADVICE}."
            )


def _on_one_time_axis(reference: Corpus, hypothesis: Corpus) -> tuple[Corpus, Corpus]:
    """Give recordings of both sides one start and one end, by the options with which their files were read; see TimeAxisRules."""
    if not (reference.timed and hypothesis.timed):
        return reference, hypothesis
    given: dict[str, Any] = {}
    for corpus in (hypothesis, reference):
        given |= corpus.interpretation.options if corpus.interpretation else {}
    rules = TimeAxisRules(**{key: given[key] for key in ("start", "lengths", "slack") if key in given})
    if rules.start != "shift" and not _differ_in_time(reference, hypothesis):
        return reference, hypothesis
    sides = (("the reference", reference), ("the hypothesis", hypothesis))
    aligned, notes = on_one_time_axis((a._replace(coder=side) for side, corpus in sides for a in corpus), rules)
    for note in notes[:1]:
        warnings.warn(
            note.text.removesuffix(".") + (f" (and in {len(notes) - 1} other recordings)." if len(notes) > 1 else "."),
            stacklevel=2,
        )
    ours, theirs = (
        Corpus.from_annotations(
            (a._replace(marks=b.marks) for a, b in zip(corpus, part, strict=True)),
            labels=corpus.labels,
            attributes=corpus.attributes,
            provenance=corpus.provenance,
        )
        for corpus, part in ((reference, aligned[: len(reference)]), (hypothesis, aligned[len(reference) :]))
    )
    return ours, theirs


def _differ_in_time(reference: Corpus, hypothesis: Corpus) -> bool:
    """Tell whether a recording starts or ends at different times on the two sides."""
    if (
        (reference.items, reference.tracks) == (hypothesis.items, hypothesis.tracks)
        and reference.starts is None is hypothesis.starts
        and all(
            np.array_equal(getattr(reference, name), getattr(hypothesis, name))
            for name in ("item_of", "track_of", "lengths")
        )
    ):
        return False
    known: dict[Key, tuple[float, float]] = {}
    for corpus in (reference, hypothesis):
        begins = np.zeros(len(corpus)) if corpus.starts is None else corpus.starts
        rows = zip(
            corpus.item_of.tolist(), corpus.track_of.tolist(), begins.tolist(), corpus.lengths.tolist(), strict=True
        )
        for item, track, begin, length in rows:
            if known.setdefault((corpus.items[item], corpus.tracks[track]), (begin, length)) != (begin, length):
                return True
    return False


def named_by_base(reference: Corpus, hypothesis: Corpus) -> Corpus:
    """Match items by the last part of their paths if no path matches and these parts are unique on both sides."""
    if not any("/" in item for item in (*reference.items[:1], *hypothesis.items[:1])) or set(reference.items) & set(
        hypothesis.items
    ):
        return hypothesis
    ours, theirs = ({item.rpartition("/")[2]: item for item in corpus.items} for corpus in (reference, hypothesis))
    shared = ours.keys() & theirs.keys()
    if len(ours) != len(reference.items) or len(theirs) != len(hypothesis.items) or not shared:
        return hypothesis
    example = min(shared)
    warnings.warn(
        f"items were matched by the last part of their paths: {ours[example]} and {theirs[example]}.", stacklevel=2
    )
    names = {theirs[base]: ours[base] for base in shared}
    return hypothesis._replace(items=tuple(names.get(item, item) for item in hypothesis.items), _index=None)


def _are_aligned(reference: Corpus, hypothesis: Corpus) -> bool:
    """Tell whether both sides have the same items in the same order and one coder each, which needs no look-up."""
    return (
        len(reference.coders) == len(hypothesis.coders) == 1
        and len(reference) > 0
        and reference.items == hypothesis.items
        and reference.tracks == hypothesis.tracks
        and np.array_equal(reference.item_of, hypothesis.item_of)
        and np.array_equal(reference.track_of, hypothesis.track_of)
    )


def _track_numbers(reference: Corpus, hypothesis: Corpus) -> tuple[Index, Index]:
    """Return a number for the item and track of every row, the same on both sides."""
    items, tracks = _indices(hypothesis.items, reference.items), _indices(hypothesis.tracks, reference.tracks)
    ours = reference.item_of * (len(reference.tracks) + len(tracks)) + reference.track_of
    return ours, items[hypothesis.item_of] * (len(reference.tracks) + len(tracks)) + tracks[hypothesis.track_of]


def _indices(names: tuple[str, ...], known: tuple[str, ...]) -> Index:
    """Return the index of each name among the known ones; unknown names get indices after them."""
    index = dict(zip(known, range(len(known)), strict=True))
    indices = np.array([index.get(name, -1) for name in names], np.int64)
    return np.where(indices < 0, len(known) + np.arange(len(names)), indices)


def _are_all(rows: Index, number: int) -> bool:
    """Tell whether ``rows`` has every row 0 … number-1."""
    among = np.zeros(number, bool)
    among[rows] = True
    return bool(among.all())


def _match_rows(ours: Index, theirs: Index) -> tuple[Index, Index]:
    """Pair rows of both sides that have the same number, in the order of the numbers on our side."""
    numbers, first, which = np.unique(ours, return_index=True, return_inverse=True)
    appearance = np.argsort(np.argsort(first))  # rank of each number by first appearance on our side
    at = np.searchsorted(numbers, theirs)
    at[at == len(numbers)] = 0
    known = np.flatnonzero(numbers[at] == theirs) if len(numbers) else np.empty(0, np.int64)
    group = appearance[at[known]]
    right = known[np.argsort(group, kind="stable")]
    sizes = np.bincount(group, minlength=len(numbers))
    ends = np.cumsum(sizes)
    left = np.argsort(appearance[which], kind="stable")
    partners = sizes[appearance[which[left]]]
    first_partner = np.repeat(ends[appearance[which[left]]] - np.cumsum(partners), partners)
    return np.repeat(left, partners), right[first_partner + np.arange(partners.sum())]


def _resolve_missing(reference: Corpus, hypothesis: Corpus, missing: Missing) -> tuple[Corpus, Corpus, list[str]]:
    """Return both sides and the items that one of them lacks, which are filled in, skipped, or raise an error."""
    ours, theirs = _rows_by_key(reference), _rows_by_key(hypothesis)
    alone = sorted(_name_of(key) for key in ours.keys() ^ theirs.keys())
    if missing == "empty":
        return *_fill(reference, hypothesis, ours, theirs), alone
    if missing == "skip":
        return reference, hypothesis, alone
    if not ours.keys() & theirs.keys():
        raise _no_common_item(ours, theirs)
    shared = next(track for item, track in ours if (item, track) in theirs)
    only_tracks = shared and {item for item, _ in ours} == {item for item, _ in theirs}
    only_ours, only_theirs = (
        sorted(_name_of(key) for key in here.keys() - there.keys()) for here, there in ((ours, theirs), (theirs, ours))
    )
    if only_ours and only_theirs:
        listed = f"the reference has {_first(only_ours)}, the hypothesis {_first(only_theirs)}"
    else:
        listed = f"{_first(alone, 5)} (the {'hypothesis' if only_ours else 'reference'} lacks {_them(alone)})"
    raise CaesuraError(
        f"{len(alone)} of {len(ours.keys() | theirs.keys())} items are on one side only: {listed}; leave {_them(alone)} out with "
        f"missing='skip', or count {_them(alone)} as unmarked with missing='empty' (--missing skip or --missing empty of caesura evaluate and aligners)"
        f"{f', or read what both have, such as the tier {shared!r} (-O tier={shared})' if only_tracks else ''}."
    )


def _them(items: Sequence[str]) -> str:
    return "it" if len(items) == 1 else "them"


def _first(names: list[str], number: int = 3) -> str:
    return ", ".join(names[:number]) + (" …" if len(names) > number else "")


def _names_alike(ours: Iterable[Key], theirs: Iterable[Key]) -> Iterator[tuple[str, str]]:
    """Return names of items that are the same without case and what separates words: ann/u1 and ann_u1."""
    plain = {_PLAIN.sub("", item).casefold(): item for item, _ in theirs}
    for item, _ in ours:
        if (other := plain.get(_PLAIN.sub("", item).casefold())) is not None:
            yield item, other


def _no_common_item(ours: dict[Key, list[int]], theirs: dict[Key, list[int]]) -> CaesuraError:
    tracks = all(track for _, track in (*ours, *theirs)) and {item for item, _ in ours} & {item for item, _ in theirs}
    advice = ""
    if tracks:
        from shlex import quote

        first, other = (next(track for _, track in side) for side in (ours, theirs))
        advice = (
            f"; choose a tier of each side, such as -O {quote(f'ref.tier={first}')} -O {quote(f'hyp.tier={other}')}, or, if these are speakers, whose "
            "names may differ, add -O as=turns"
        )
    elif alike := next((pair for pair in _names_alike(ours, theirs)), None):
        advice = f"; files belong together if they have the same path below both folders: move or rename them, {alike[1]} as {alike[0]}"
    return CaesuraError(
        f"the two sides share no item: the reference has {_preview(ours)}, the hypothesis {_preview(theirs)}{advice}."
    )


def _fill(
    reference: Corpus, hypothesis: Corpus, ours: dict[Key, list[int]], theirs: dict[Key, list[int]]
) -> tuple[Corpus, Corpus]:
    """Give each side an empty annotation for every track it lacks: no boundaries, or no spans."""
    if reference.kind == "nested":
        raise CaesuraError("missing='empty' fills in boundaries and spans; these annotations are nested.")

    def unmarked(corpus: Corpus, other: Corpus, row: int) -> Segmentation | Spans:
        length = other.lengths[row].item()
        length = float(length) if corpus.timed else int(length)
        types = np.empty(0, np.int64) if corpus.typed else None
        start = 0.0 if other.starts is None else float(other.starts[row])
        if corpus.kind == "spans":
            return Spans(length, [], [], types, corpus.labels, start=start)
        names = ("",) if corpus.names and length else None
        return Segmentation(length, [], types, corpus.labels, names=names, start=start)

    def with_empty(corpus: Corpus, other: Corpus, lacking: set[Key], rows: dict[Key, list[int]]) -> Corpus:
        default_coder = corpus.coders[0] if corpus.coders else "missing"
        known = zip(corpus.item_of.tolist(), corpus.coder_of.tolist(), strict=True)
        first = {
            corpus.items[item]: corpus.coders[coder] for item, coder in reversed(list(known))
        }  # of the item's coders
        empty = [
            (item, first.get(item, default_coder), unmarked(corpus, other, rows[item, track][0]), track)
            for item, track in sorted(lacking)
        ]
        attributes = {item: own for item, own in other.attributes.items() if item not in corpus.attributes}
        return Corpus.from_annotations(
            [*corpus, *empty], labels=corpus.labels, attributes={**corpus.attributes, **attributes}
        )

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


def _preview(keys: dict[Key, list[int]]) -> str:
    names = [_name_of(key) for key in keys]
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else "none"


# ---------------------------------------------------------------------- tiers: words and phones of one file are not pooled

TIER_ADVICE = "choose one with tier=NAME (-O tier=NAME)"


def unpooled_tiers(corpus: Corpus) -> tuple[str, ...]:
    """Return the tiers of a corpus that must not be pooled, such as words and phones; () if there is only one, or the tracks are speakers."""
    return corpus.tracks if corpus.provenance.tiers and len(corpus.tracks) > 1 else ()


def computed_tiers(corpus: Corpus) -> set[str]:
    """Return the tracks whose times are computed: annotations of ELAN that divide the time of their parents equally."""
    return {note.example for note in corpus.notes if note.rule == COMPUTED} & set(corpus.tracks)


def require_own_times(corpus: Corpus) -> None:
    """Raise an error if times of a corpus are computed, so that scores would compare nothing that was annotated."""
    if computed := sorted(computed_tiers(corpus)):
        what = f"the tier {computed[0]}" if computed[0] else "the tier that was chosen"
        raise CaesuraError(
            f"annotations of {what} have no times, those of their parents are divided equally; "
            "score the computed times with computed='in' (-O computed=in)."
        )


def require_one_tier(corpus: Corpus) -> None:
    """Raise an error if a corpus has several tiers that must not be pooled into one score, or computed times."""
    if tiers := unpooled_tiers(corpus):
        raise CaesuraError(
            f"the tiers {list_tiers(list(tiers))} are not pooled into one score; select one with corpus.select(tracks=[{tiers[0]!r}]), "
            f"or read one with tier= (-O tier={tiers[0]!r})."
        )
    require_own_times(corpus)


def tiers_to_split(corpora: Iterable[Corpus]) -> tuple[list[str], list[str]]:
    """Return the tiers that all corpora share and that must not be pooled, and the tiers that only some have.

    Both are empty if the tracks are speakers, were chosen by a pattern, or if there is only one.
    """
    listed = list(corpora)
    if not any(map(unpooled_tiers, listed)):
        for corpus in listed:
            require_own_times(corpus)
        return [], []
    computed = set().union(*map(computed_tiers, listed))
    shared = [track for track in listed[0].tracks if all(track in c.tracks for c in listed)]
    if shared and computed.issuperset(shared):
        require_own_times(listed[0])
        require_own_times(listed[-1])
    shared = [track for track in shared if track not in computed]
    if not shared:
        first, other = listed[0], next(c for c in listed if not set(c.tracks) & set(listed[0].tracks))
        raise CaesuraError(
            f"the two sides share no tier: one has {_tracks(first)}, the other {_tracks(other)}; "
            f"choose with -O ref.tier=NAME or -O hyp.tier=NAME{_advise_on_tiers(first, other)}."
        )
    alone = dict.fromkeys(track for c in listed for track in c.tracks if track not in (*shared, *computed))
    return shared, list(alone)


def _tracks(corpus: Corpus) -> str:
    return "a single tier" if corpus.tracks == ("",) else ", ".join(corpus.tracks[:5])


def _advise_on_tiers(first: Corpus, other: Corpus) -> str:
    """Say what else reads tiers of other names: the command for aligners, or tiers as speakers."""
    if all(any("phone" in track.lower() for track in corpus.tracks) for corpus in (first, other)):
        return "; caesura aligners finds the tiers of phones by itself"
    return "; if tiers are speakers, whose names may differ, add -O as=turns"


def describe_tiers(shared: list[str], alone: list[str]) -> list[str]:
    """Return sentences about tiers that are scored one by one, and about tiers that are not scored."""
    sentences = []
    if len(shared) > 1:
        sentences.append(f"the tiers {list_tiers(shared)} are scored one by one and not pooled; {TIER_ADVICE}.")
    if alone:
        sentences.append(f"only one side has the tiers {list_tiers(alone)}, which are not scored.")
    return sentences


def describe_layer(corpus: Corpus) -> list[str]:
    """Return a sentence about the tracks of a corpus that are pooled, such as tiers of one layer that were chosen by a pattern."""
    if len(corpus.tracks) < 2 or unpooled_tiers(corpus):
        return []
    pattern = str(corpus.interpretation.options.get("tier", "")) if corpus.interpretation else ""
    layer = pattern.replace("*", "").strip(" -_.:@")
    if not layer or "*" not in pattern or "{coder}" in pattern:
        return [f"pooled over the {len(corpus.tracks)} tracks {list_tiers(list(corpus.tracks))}."]
    return [f"pooled over {len(corpus.tracks)} tiers of the layer {layer!r}."]


def list_tiers(names: list[str]) -> str:
    """Return the first eight names, separated by commas."""
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
