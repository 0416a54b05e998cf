"""Which annotation is compared with which: items and tracks that two corpora share, one pair a coder on either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics import Batch
from caesura.model import Corpus

__all__ = ["Missing", "Pairing", "pair_up"]

#: What happens to items that only one side has: refuse, or leave them out and say how many.
Missing = Literal["error", "skip"]


@dataclass(frozen=True)
class Pairing:
    """Pairs ready to count, and the item each belongs to (tracks of one item, and several coders, pool into it)."""

    batch: Batch
    items: tuple[str, ...]
    item_of: NDArray[np.int64]
    skipped: tuple[str, ...] = ()

    def per_item(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the rows of pairs that belong to one item."""
        summed = np.zeros((len(self.items), rows.shape[1]))
        np.add.at(summed, self.item_of, rows)
        return summed


def pair_up(reference: Corpus, hypothesis: Corpus, *, missing: Missing = "error") -> Pairing:
    """Pair every annotation of the hypothesis with every coder's annotation of the same track in the reference.

    Items that only one side has are never passed over in silence: they are refused, or skipped and listed.
    """
    theirs: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(_keys(hypothesis)):
        theirs.setdefault(key, []).append(row)
    ours: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(_keys(reference)):
        ours.setdefault(key, []).append(row)
    alone = sorted(_named(key) for key in ours.keys() ^ theirs.keys())
    shared = [key for key in ours if key in theirs]
    if (alone and missing == "error") or not shared:
        where = "one side only" if shared else "no item on both sides"
        raise CaesuraError(
            f"{len(alone)} of {len(ours.keys() | theirs.keys())} items are on {where}: {', '.join(alone[:5])}"
            f"{' …' if len(alone) > 5 else ''}; leave them out with missing='skip' (--missing skip)."
            if shared
            else f"the two sides share no item: the reference has {_some(ours)}, the hypothesis {_some(theirs)}."
        )
    pairs = [(i, r, h) for i, key in enumerate(shared) for r in ours[key] for h in theirs[key]]
    at, left, right = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    items = tuple(dict.fromkeys(item for item, _ in shared))
    place = {item: i for i, item in enumerate(items)}
    of_shared = np.array([place[item] for item, _ in shared], dtype=np.int64)
    batch = Batch.of_corpora(reference, hypothesis, left, right)
    return Pairing(batch, items, of_shared[at], tuple(alone))


def _keys(corpus: Corpus) -> list[tuple[str, str]]:
    named = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), strict=True)
    return [(corpus.items[i], corpus.tracks[t]) for i, t in named]


def _named(key: tuple[str, str]) -> str:
    return key[0] if not key[1] else f"{key[0]} ({key[1]})"


def _some(keys: dict[tuple[str, str], list[int]]) -> str:
    names = [_named(key) for key in keys]
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else "none"
