"""How segeval's functions are called: two segmentations, one dataset (all its pairs of coders), or two (pairs between them)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from itertools import combinations
from typing import Any

from caesura.errors import CaesuraError


class SegmentationMetricError(CaesuraError):
    """Segmentations or arguments that a metric cannot take."""


class SegevalDiffers(UserWarning):
    """Our value is not segeval's, and why; ``strict=True`` gives segeval's."""


@dataclass
class Call:
    """One call by the user: whether segeval's mistakes are wanted, and what differs from them otherwise."""

    strict: bool
    notes: dict[str, None] = field(default_factory=dict)

    def repeats(self, mistake: str) -> bool:
        """Whether to repeat this mistake of segeval's; else the user is told of it."""
        if not self.strict:
            self.notes[mistake] = None
        return self.strict

    def warn(self, stacklevel: int) -> None:
        """Tell everything that differs in one warning."""
        if self.notes:
            why = "; ".join(self.notes)
            warnings.warn(
                f"not segeval's value: {why} (strict=True does as segeval).", SegevalDiffers, stacklevel=stacklevel + 1
            )


def answers_in_segeval(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that takes a :class:`Call` first segeval's errors, the keyword ``strict``, and one warning a call."""

    @wraps(compute)
    def public(*arguments: Any, strict: bool | Call = False, **named: Any) -> Any:
        call = strict if isinstance(strict, Call) else Call(strict)
        try:
            answer = compute(call, *arguments, **named)
        except SegmentationMetricError:
            raise
        except CaesuraError as fault:
            raise SegmentationMetricError(str(fault)) from None
        if call is not strict:
            call.warn(stacklevel=2)
        return answer

    return public


def of_pairs(*, permuted: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of (call, hypothesis, reference) answer for pairs and for datasets; ``permuted``: both ways round."""

    def decorate(compute: Callable[..., Any]) -> Callable[..., Any]:
        @answers_in_segeval
        @wraps(compute)
        def answer(call: Call, *arguments: Any, permuted: bool = permuted, **options: Any) -> Any:
            sides = _take_sides(arguments, options)
            if not all(isinstance(side, Mapping) for side in sides):
                return compute(call, *sides, **options)
            formats = [getattr(side, "boundary_format", "mass") for side in sides]
            if formats[0] != formats[-1]:
                raise SegmentationMetricError(
                    f"Datasets contain differing boundary formats; {formats[0]} != {formats[1]}"
                )
            options["boundary_format"] = formats[0]
            return {
                ",".join(map(str, names)): compute(call, *pair, **options) for names, *pair in _pairs(sides, permuted)
            }

        return answer

    return decorate


def _take_sides(arguments: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """Take hypothesis and reference, or a dataset, from the front or by name."""
    sides = list(arguments)
    if not sides and {"hypothesis", "reference"} <= options.keys():
        sides = [options.pop("hypothesis"), options.pop("reference")]
    elif not sides and "dataset" in options:
        sides = [options.pop("dataset")]
    if len(sides) == 2 or (len(sides) == 1 and isinstance(sides[0], Mapping)):
        return sides
    raise SegmentationMetricError(
        f"expected a hypothesis and a reference, or one dataset; {len(sides)} arguments were given."
    )


def _pairs(datasets: list[Mapping[str, Mapping[str, Any]]], permuted: bool) -> Iterator[tuple[Any, ...]]:
    """Give the names and the segmentations of every pair."""
    first, other = datasets[0], datasets[-1]
    for item, coded in first.items():
        if len(datasets) == 2:
            against = other.get(item, {})
            yield from (((item, m, n), coded[m], against[n]) for m in coded for n in against)
            continue
        for m, n in combinations(coded, 2):
            yield (item, m, n), coded[m], coded[n]
            if permuted:
                yield (item, n, m), coded[n], coded[m]
