"""Options that a command cannot honour together, in one table: they are refused in a sentence, never ignored.

A rule names the option that would have no effect, what it meets, and why. The option counts where the user gave it; what it
meets counts where it holds (by default: where the user gave it), given or by default.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError

__all__ = ["CONFLICTS", "Conflict", "among", "fewer_than", "not_among", "refuse_conflicts"]

#: Looks at a parameter's value: None where the rule does not hold, else the words that name what it met.
Condition = Callable[[str, Any], str | None]


def among(*names: str) -> Condition:
    """Hold where the value, or one of several, is among these names; what stands behind a colon does not matter."""
    return lambda spelled, value: next((f" with {spelled} {name}" for name in _names(value) if name in names), None)


def not_among(*names: str) -> Condition:
    """Hold where no value is among these names."""
    return lambda spelled, value: None if {*_names(value)} & {*names} else " with ".join(["", *_all(spelled, value)])


def fewer_than(number: int) -> Condition:
    """Hold where fewer values than these were given."""
    return lambda _, value: "" if len(value or ()) < number else None


def _names(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [str(each).partition(":")[0] for each in listed]


def _all(spelled: str, value: Any) -> list[str]:
    return [f"{spelled} {name}" for name in _names(value)][:1]


@dataclass(frozen=True)
class Conflict:
    """``option`` has no effect where ``other`` is given, or where ``when`` holds of it; fine where ``unless`` is given too.

    All three are names of the command's parameters.
    """

    option: str
    other: str
    because: str
    when: Condition | None = None
    unless: str = ""

    def sentence(self, values: Mapping[str, Any], given: Collection[str], spelled: Mapping[str, str]) -> str | None:
        """Say why this cannot be, or nothing where it can."""
        if self.option not in given or self.unless in given:
            return None
        if self.when is not None:
            met = self.when(spelled[self.other], values[self.other])
        else:
            met = f" with {spelled[self.other]}" if self.other in given else None
        return None if met is None else f"{spelled[self.option]} has no effect{met}: {self.because}."


def refuse_conflicts(
    rules: Iterable[Conflict], values: Mapping[str, Any], given: Collection[str], spelled: Mapping[str, str]
) -> None:
    """Refuse the first rule that is broken.

    Parameters
    ----------
    values
        Every parameter of the command, given or by default.
    given
        Which of them the user gave.
    spelled
        How the user writes each.
    """
    for rule in rules:
        if sentence := rule.sentence(values, given, spelled):
            raise CaesuraError(sentence)


#: Command -> what its options cannot do together.
CONFLICTS: dict[str, tuple[Conflict, ...]] = {}
