"""Options that a command cannot honour together, in one table: they are refused in a sentence, never ignored.

A rule names the option that would have no effect, what it meets, and why. Adding a rule is a line; that none is missing is
tested by running every pair of options of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

#: Takes how an option is spelled and its value: None where a rule does not hold, else the words for what it met.
Condition = Callable[[str, Any], str | None]


def among(*names: str) -> Condition:
    """Hold where the value, or one of several, is among these names; what stands behind a colon does not matter."""
    return lambda spelled, value: next((f" with {spelled} {name}" for name in _names(value) if name in names), None)


def not_among(*names: str) -> Condition:
    """Hold where no value is among these names."""

    def hold(spelled: str, value: Any) -> str | None:
        given = _names(value)
        return None if {*given} & {*names} else f" with {spelled} {given[0]}" if given else ""

    return hold


def missing(spelled: str, value: Any) -> str | None:
    """Hold where nothing was given."""
    return f" without {spelled}" if value in (None, False) else None


def _a_single_one(_: str, value: Any) -> str | None:
    return "" if len(value) < 2 else None


def _none(spelled: str, value: Any) -> str | None:
    return f" with {spelled} 0" if value == 0 else None


def _samples(_: str, value: Any) -> str | None:
    paths = [str(each) for each in (value if isinstance(value, list) else [value]) if each is not None]
    return "" if all(path.startswith("sample:") for path in paths) else None


def _names(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [str(each).partition(":")[0] for each in listed]


@dataclass(frozen=True)
class Conflict:
    """``option`` has no effect where ``other`` is given, or where ``when`` holds of its value; fine where ``unless`` is given.

    All three are names of the command's parameters; ``other`` may be several, whose values are looked at together.
    """

    option: str
    other: str
    because: str
    when: Condition | None = None
    unless: str = ""

    def sentence(self, values: Mapping[str, Any], given: Collection[str], spelled: Mapping[str, str]) -> str | None:
        """Say why the option, which was given, cannot be; nothing where it can.

        Parameters
        ----------
        values
            Every parameter of the command, given or by default.
        given
            Which of them the user gave.
        spelled
            How the user writes each.
        """
        if self.unless in given:
            return None
        if self.when is None:
            met = f" with {spelled[self.other]}" if self.other in given else None
        else:
            first, *more = self.other.split()
            value = values[first]
            for name in more:
                value = [value, *(values[name] or ())]
            met = self.when(spelled[first], value)
        return None if met is None else f"{spelled[self.option]} has no effect{met}: {self.because}."


def conflicts(
    options: str, others: str, because: str, when: Condition | None = None, unless: str = ""
) -> tuple[Conflict, ...]:
    """Make one rule for each of the options and each of the others, words with spaces between."""
    return tuple(
        Conflict(option, other, because, when, unless) for option in options.split() for other in others.split()
    )


def _drawing_conflicts(options: str) -> tuple[Conflict, ...]:
    return conflicts(options, "json", "JSON holds no drawing; write it with --svg FILE, or leave one out", unless="svg")


def _reading_conflicts(arguments: str, options: str = "format option encoding") -> tuple[Conflict, ...]:
    because = "it says how files are read, and samples are built in"
    return tuple(Conflict(option, arguments, because, _samples) for option in options.split())


_FLEXIBLE = among("Sf", "SfB")
_STREAMED = "engine scheduler checkpoint keep_going"
_MARKED = conflicts("format", "marks", "texts with vowel marks have a format of their own")

#: Command -> what its options cannot do together.
CONFLICTS: dict[str, tuple[Conflict, ...]] = {
    "demo": (
        *conflicts("width", "json listed", "nothing is drawn"),
        *conflicts("stop", "listed", "the list holds every stop"),
    ),
    "compare": (
        *conflicts("coders", "hypothesis", "it chooses two coders of one file, and here are two files"),
        *_MARKED,
        *_drawing_conflicts("draw width"),
        *_reading_conflicts("reference hypothesis", "format option encoding marks"),
    ),
    "evaluate": (
        *conflicts("test", "systems", "tests compare systems, and here is one", _a_single_one),
        *conflicts("json", "table", "a table is printed in its own style; --table json is for machines"),
        *conflicts("by test", "table", "the table for a paper holds the scores of systems alone"),
        *conflicts("by bounds bound item", _STREAMED, "it needs every item in memory, and files are streamed"),
        *conflicts("format option encoding marks", _STREAMED, "Parquet files are streamed as they are"),
        *conflicts("scheduler", "engine", "local threads have none", among("local")),
        *conflicts("workers", "scheduler", "a running cluster has its own"),
        *_MARKED,
        *_reading_conflicts("reference systems", "format option encoding marks"),
    ),
    "agree": (
        *conflicts(
            "coefficient density n_t resamples level", "metric", "flexible similarity has models of --chance", _FLEXIBLE
        ),
        *conflicts(
            "chance similarity transposition precision", "metric", "it belongs to the metrics Sf and SfB", not_among("Sf", "SfB")
        ),
        *conflicts("seed level", "resamples", "nothing is resampled", _none),
        *_drawing_conflicts("draw width"),
        *_reading_conflicts("path"),
    ),
    "unify": (
        *conflicts(
            "output provenance threshold rule weight similarity tolerance level conflicts draw width to lossy method",
            "compare_all",
            "all methods are compared side by side; choose one with --method",
        ),
        *conflicts("level", "metric", "it chooses the boundaries for boundary metrics; name one", missing),
        *conflicts("weight", "method", "only conflict-free-union weighs segments", not_among("conflict-free-union")),
        *conflicts("to lossy", "output", "nothing is written", missing),
        *conflicts("width", "draw", "nothing is drawn unless it is asked for", missing),
        *conflicts("draw width", "json", "JSON holds no drawing"),
        *_reading_conflicts("path"),
    ),
    "segment": (
        *conflicts("interval", "method", "it is the length of uniform segments", not_among("uniform")),
        *conflicts("threshold", "method", "it is the least score of a spectral boundary", among("uniform")),
        *conflicts("scores channel", "method", "uniform boundaries do not depend on what is heard, and have no scores", among("uniform")),
        *conflicts("output reference levels", "explain", "reasons are shown in the terminal"),
        *conflicts("segments", "levels", "--levels says how many segments each level has"),
        *conflicts("method density mean_length tokens language parameter", "model", "a saved segmenter brings it with it"),
        *conflicts("metric", "reference", "nothing is measured", missing, unless="learn"),
        *conflicts("bound", "reference", "nothing is measured", missing),
        *conflicts("density mean_length", "segments", "the number of segments is given"),
        *conflicts("mean_length", "density", "both say how many segments there are"),
        *conflicts("density mean_length", "learn", "the number of segments is learnt"),
        *conflicts("language", "tokens", "these are words as programs for English take them", among("choi", "mcs")),
        *conflicts("to", "output", "nothing is written", missing),
    ),
    "show": (
        *conflicts("draw draw_option svg width all_items", "json", "JSON holds every item and no drawing"),
        *conflicts("all_items", "item", "the items that are named are drawn, all of them"),
        *_reading_conflicts("path"),
    ),
    "convert": _reading_conflicts("source", "format option encoding pattern"),
    "report": _reading_conflicts("path"),
    "plane": (
        *conflicts("width", "json output", "it is that of the terminal, and nothing is drawn there"),
        *_reading_conflicts("reference systems", "format option"),
    ),
    "optimise": (
        *conflicts("width", "json svg", "it is that of the terminal, and nothing is drawn there"),
        *_reading_conflicts("reference systems", "format option"),
    ),
    "reproduce": conflicts(
        "output metric max_length model folds seed", "paper", "without a paper they are only listed", missing
    ),
}  # fmt: skip
