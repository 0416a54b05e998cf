"""A corpus unified: every gold standard, what was decided on the way, and how well each coder is represented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caesura.display.result import Result
from caesura.display.table import Table
from caesura.gold.quality import Represented
from caesura.gold.unification import Gold
from caesura.words import heading, number_of

_LISTED = 12  # conflicts that are spelled out before the rest is counted


@dataclass(frozen=True, repr=False)
class UnifiedCorpus(Result):
    """The gold standard of every (item, track) by one method; ``crossings`` says whether conflicts among coders are told."""

    golds: Mapping[tuple[str, str], Gold]
    represented: Represented
    method: str
    embeddedness: str
    crossings: bool = False

    def tables(self) -> Sequence[Table]:
        """How well each coder is represented."""
        caption = f"how well {self.method} ({self.embeddedness}) represents each coder"
        return [replace(each, caption=caption) for each in self.represented.tables()]

    def findings(self) -> Iterator[tuple[str, list[str]]]:
        """The gold standard of every text in a line, and what was decided on the way to it."""
        for key, gold in self.golds.items():
            notes = [f"  {note}" for note in gold.provenance.notes]
            yield (
                f"{heading(*key) or 'text'}: {gold.headline}",
                notes + (_tell_conflicts(gold) if self.crossings else []),
            )

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        items = []
        for key, gold in self.golds.items():
            entry: dict[str, Any] = {**_place(key), **gold.as_dict()}
            if self.crossings:
                entry["conflicts"] = [
                    {"kind": c.kind, "segments": [c.first._asdict(), c.second._asdict()]}
                    for c in gold.provenance.conflicts()
                ]
            items.append(entry)
        return {
            "method": self.method,
            "embeddedness": self.embeddedness,
            "items": items,
            "representation": self.represented.as_dict(),
        }

    def provenance(self) -> list[dict[str, Any]]:
        """Voters and rejected alternatives of every gold standard, as plain data."""
        return [{**_place(key), **gold.provenance.as_dict()} for key, gold in self.golds.items()]


def _place(key: tuple[str, str]) -> dict[str, str]:
    return {"item": key[0]} | ({"track": key[1]} if key[1] else {})


def _tell_conflicts(gold: Gold) -> list[str]:
    listed = gold.provenance.conflicts()
    lines = [f"  {number_of(len(listed), 'conflict')} among the coders" + (":" if listed else ".")]
    lines += [f"    {conflict}" for conflict in listed[:_LISTED]]
    return lines + [f"    … and {len(listed) - _LISTED} more; all of them with --json."] * (len(listed) > _LISTED)
