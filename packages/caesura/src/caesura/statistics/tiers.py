"""Scores per tier: words and phones of one file are not pooled, because one score of both means nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.model import Corpus

if TYPE_CHECKING:
    from caesura.statistics.evaluation import Evaluation

_ADVICE = "choose one with tier=NAME (-O tier=NAME)"


def tiers_to_split(corpora: Iterable[Corpus]) -> tuple[list[str], list[str]]:
    """Return the tiers that all corpora share and that must not be pooled, and the tiers that only some have.

    Both are empty if the tracks are speakers, were chosen by a pattern, or if there is only one.
    """
    listed = list(corpora)
    if not any(c.interpretation is not None and not c.interpretation.pooled and len(c.tracks) > 1 for c in listed):
        return [], []
    shared = [track for track in listed[0].tracks if all(track in c.tracks for c in listed)]
    if not shared:
        first, other = listed[0], next(c for c in listed if not set(c.tracks) & set(listed[0].tracks))
        raise CaesuraError(
            f"the two sides share no tier: one has {', '.join(first.tracks[:5])}, the other {', '.join(other.tracks[:5])}; "
            "choose one on each side with -O ref.tier=NAME -O hyp.tier=NAME."
        )
    alone = dict.fromkeys(track for c in listed for track in c.tracks if track not in shared)
    return shared, list(alone)


def describe_tiers(shared: list[str], alone: list[str]) -> list[str]:
    """Return sentences about tiers that are scored one by one, and about tiers that are not scored."""
    sentences = []
    if len(shared) > 1:
        sentences.append(f"the tiers {_listed(shared)} are scored one by one and not pooled; {_ADVICE}.")
    if alone:
        sentences.append(f"only one side has the tiers {_listed(alone)}, which are not scored.")
    return sentences


def evaluate_tiers(
    reference: Corpus, systems: Mapping[str, Corpus], evaluate: Callable[[Corpus, Mapping[str, Corpus]], Evaluation]
) -> Evaluation | None:
    """Evaluate every tier on its own; return one evaluation with a system per tier, or None if there is nothing to split.

    Parameters
    ----------
    reference : Corpus
        The reference.
    systems : mapping of str to Corpus
        The systems by name.
    evaluate : callable
        Evaluates the reference and systems of one tier.
    """
    shared, alone = tiers_to_split([reference, *systems.values()])
    if not shared:
        return None
    parts = {
        tier: evaluate(
            reference.select(tracks=[tier]), {name: each.select(tracks=[tier]) for name, each in systems.items()}
        )
        for tier in shared
    }
    sentences = describe_tiers(shared, alone)
    common = set.intersection(*(set(part.items) for part in parts.values()))
    if not common:
        raise CaesuraError(f"no recording has all the tiers {_listed(shared)}; {_ADVICE}.")
    if any(len(part.items) != len(common) for part in parts.values()):
        sentences.append(
            f"only the {len(common)} recordings with all these tiers are scored; {_ADVICE} to score the others."
        )
    first = next(iter(parts.values()))
    items = tuple(item for item in first.items if item in common)
    merged: dict[str, Any] = {"systems": {}, "bounds": {}, "counted": {}}
    for tier, part in parts.items():
        if part.items != items:
            part = part._select(np.array([part.items.index(item) for item in items]))
        for name in ("systems", "bounds", "counted"):
            for owner, value in getattr(part, name).items():
                only = name != "bounds" and len(systems) == 1
                merged[name][tier if only else f"{owner}: {tier}"] = value
    return replace(first, items=items, **merged, tiers=tuple(shared), tier_notes=tuple(sentences))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
