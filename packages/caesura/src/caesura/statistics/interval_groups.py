"""Errors of aligners by phone, by class of phones and by pair of neighbouring phones, and shares within every tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Table, measure_name
from caesura.errors import CaesuraError, import_extra
from caesura.files import Source
from caesura.metrics import Metric, metric
from caesura.metrics.interval_errors import IntervalErrors, PairedErrors, tally_errors
from caesura.metrics.interval_pairing import NamedIntervals
from caesura.statistics.counted import CountedPairs

#: The scores of a table of groups if none is named.
DEFAULT_SCORES = ("onset-bias", "onset-median", "onset-p90", "onset-within-20ms", "offset-median")

_EDGE = "⊢⊣"  # before the first and after the last interval of a recording
_MAX_ROWS = 40  # of a table; as_dict() and to_pandas() have all


@dataclass(frozen=True, repr=False)
class IntervalGroups(Result):
    """Errors of one system by group of reference intervals.

    Attributes
    ----------
    by : str
        What groups share: "phone", "class" or "pair".
    metrics : tuple of Metric
        The scores.
    rows : mapping of str to ndarray
        Group -> its counts, the largest group first.
    pooled : int
        The number of groups that were too small and are together in the last row.
    system : str
        The name of the system.
    """

    by: str
    metrics: tuple[Metric, ...]
    rows: Mapping[str, NDArray[np.float64]]
    pooled: int = 0
    system: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per group: n, unpaired intervals and every score."""
        return [
            {
                self.by: name,
                "n": int(counts[0]),
                "unpaired": int(counts[0] - counts[2]),
                **{each.name: float(each.score(counts)) for each in self.metrics},
            }
            for name, counts in self.rows.items()
        ]

    def sorted_by(self, score: str) -> IntervalGroups:
        """Return the groups in order of a score, the worst first; "n" is the number of intervals."""
        chosen = next((each for each in self.metrics if each.name == score), None)
        if chosen is None and score != "n":
            raise CaesuraError(
                f"groups are sorted by n or one of {', '.join(each.name for each in self.metrics)}, not {score!r}."
            )
        sign = 1.0 if chosen is not None and chosen.higher_is_better else -1.0

        def key(counts: NDArray[np.float64]) -> float:
            return -float(counts[0]) if chosen is None else sign * float(np.nan_to_num(chosen.score(counts)))

        return IntervalGroups(
            self.by,
            self.metrics,
            dict(sorted(self.rows.items(), key=lambda row: key(row[1]))),
            self.pooled,
            self.system,
        )

    def tables(self) -> list[Table]:
        """Return a table with a row per group."""
        heads = (self.by, "n", "unpaired", *(measure_name(each.name, each) for each in self.metrics))
        rows: list[tuple[Cell, ...]] = [tuple(record.values()) for record in self.records()]
        of = f" ({self.system})" if self.system else ""
        return [Table(f"by {self.by}{of}", heads, tuple(rows)).first(_MAX_ROWS, "groups")]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"by": self.by, "system": self.system, "groups": self.records()}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row per group."""
        return import_extra("pandas", "parquet", "a table as a pandas DataFrame").DataFrame(self.records())


def interval_groups(
    counted: CountedPairs,
    by: str = "phone",
    metrics: Sequence[str | Metric] = DEFAULT_SCORES,
    *,
    least: int = 5,
    system: str = "",
) -> IntervalGroups:
    """Group the errors of one system by the reference's phones, their classes, or pairs of neighbours.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with names on both sides, as ``evaluation.counted["system"]``.
    by : str, default "phone"
        "phone": the reference's name; "pair": the names before and after the start of an interval; "class=FILE": the class of the
        phone in a file of lines ``name<TAB>class``. Names that the file lacks are in the class *other*.
    metrics : sequence of str or Metric
        Scores of :class:`~caesura.metrics.interval_errors.IntervalErrors`.
    least : int, default 5
        Groups with fewer intervals are put together.
    system : str, default ""
        The name of the system, for captions.

    Returns
    -------
    IntervalGroups
        The groups, the largest first.
    """
    chosen = tuple(metric(each) for each in metrics)
    if odd := [each.name for each in chosen if not isinstance(each.family, IntervalErrors)]:
        raise CaesuraError(f"{odd[0]} cannot be grouped by {by}; use onset-, offset-, duration- and interval- scores.")
    if len({each.family for each in chosen}) > 1:
        raise CaesuraError("scores of one table need the same pairing, mapping, reach and edges.")
    errors = pooled_errors(counted, chosen[0])
    what, _, path = by.partition("=")
    keys = _keys(errors.errors, errors.first, what, path)
    names, code = np.unique(keys, return_inverse=True)
    order = np.argsort(code, kind="stable")
    edges = np.searchsorted(code[order], np.arange(len(names) + 1))
    rows: dict[str, NDArray[np.float64]] = {}
    small: list[NDArray[np.float64]] = []
    for number, name in enumerate(names.tolist()):
        index = order[edges[number] : edges[number + 1]]
        part = _take(errors.errors, index)
        counts = tally_errors(part, np.ones(len(index), bool), 0)
        if len(index) >= least:
            rows[name] = counts
        else:
            small.append(counts)
    rows = dict(sorted(rows.items(), key=lambda row: (-row[1][0], row[0])))
    if small:
        rows[f"{len(small)} others below {least}"] = np.sum(small, axis=0)
    return IntervalGroups(what, chosen, rows, len(small), system)


@dataclass(frozen=True)
class PooledErrors:
    """The paired intervals of all recordings, one after another, and which of them are the first of a recording."""

    errors: PairedErrors
    first: NDArray[np.bool_] = field(repr=False)


def pooled_errors(counted: CountedPairs, measure: Metric) -> PooledErrors:
    """Pair the intervals of all recordings."""
    family = measure.family
    assert isinstance(family, IntervalErrors)
    batch = measure.prepare(counted.batch)
    parts = [family.errors(batch, pair) for pair in range(len(batch))]
    sides = []
    for side in ("reference", "hypothesis"):
        rows = [getattr(part, side) for part in parts]
        sides.append(
            NamedIntervals(
                np.concatenate([row.starts for row in rows]),
                np.concatenate([row.ends for row in rows]),
                [name for row in rows for name in row.names],
            )
        )
    before = np.cumsum([0, *(len(part.hypothesis.names) for part in parts)])
    partner = np.concatenate(
        [
            np.where(part.partner >= 0, part.partner + start, -1)
            for part, start in zip(parts, before.tolist(), strict=False)
        ]
    )
    first = np.concatenate([np.arange(len(part.partner)) == 0 for part in parts])
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in ("onset", "offset", "overlap")]
    return PooledErrors(PairedErrors(sides[0], sides[1], partner, *columns), first)


def _keys(errors: PairedErrors, first: NDArray[np.bool_], by: str, path: str) -> NDArray[Any]:
    names = np.array(errors.reference.names, dtype=object)
    if by == "phone":
        return names.astype(str)
    if by == "class":
        if not path:
            raise CaesuraError("--by class needs a file of lines name<TAB>class: --by class=classes.tsv.")
        classes = read_classes(Path(path))
        return np.array([classes.get(name, "other") for name in names.tolist()], dtype=str)
    if by != "pair":
        raise CaesuraError(f"intervals are grouped by phone, class=FILE or pair (--by), not by {by!r}.")
    left = np.concatenate((["" for _ in names[:1]], names[:-1]))
    # a gap before an interval is a silence without a name
    apart = np.concatenate(([True], errors.reference.starts[1:] != errors.reference.ends[:-1]))[: len(names)]
    left = np.where(first, _EDGE[0], np.where(apart, "∅", left))
    return np.array([f"{a} | {b}" for a, b in zip(left.tolist(), names.tolist(), strict=True)], dtype=str)


def _take(errors: PairedErrors, index: NDArray[np.int64]) -> PairedErrors:
    ref = NamedIntervals(errors.reference.starts[index], errors.reference.ends[index], ())
    return PairedErrors(
        ref, errors.hypothesis, errors.partner[index], errors.onset[index], errors.offset[index], errors.overlap[index]
    )


def read_classes(path: Path) -> dict[str, str]:
    """Read a file of lines ``name<TAB>class``."""
    source, classes = Source.open(path), {}
    for number, line in source.nonblank_lines("# "):
        name, tab, group = line.partition("\t")
        if not tab or not group.strip():
            raise source.error(number, f"a line is {line[:40]!r}, expected a name, a tab and its class.")
        classes[name.strip()] = group.strip()
    return classes
