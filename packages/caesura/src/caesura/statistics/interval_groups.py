"""Errors of aligners by phone, by class of phones and by pair of neighbouring phones, and shares within every tolerance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Table, measure_name
from caesura.errors import CaesuraError, import_extra
from caesura.files import Source
from caesura.metrics import Metric, metric
from caesura.metrics.batch import Side
from caesura.metrics.interval_errors import IntervalErrors, PairedErrors, tally_errors
from caesura.metrics.interval_pairing import SILENCES, NamedIntervals, intervals_of, pair_by_cost
from caesura.metrics.label_map import LabelMap, MapSide, simplify
from caesura.statistics.counted import CountedPairs
from caesura.text import pluralize

#: The scores of a table of groups if none is named.
DEFAULT_SCORES = ("onset-bias", "onset-median", "onset-p90", "onset-within-20ms", "offset-median")

_EDGE = "⊢⊣"  # before the first and after the last interval of a recording
_MOST_NAMES = 5  # names in a sentence
_GIVE_MAP = "-m METRIC:mapping=FILE, --mapping FILE of caesura aligners, mapping= in Python"
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
        """Return the groups in order of a score, the worst first, and last the small groups together.

        Parameters
        ----------
        score : str
            "n", the number of intervals; a score; or the end of its name, "median".
        """
        chosen = score_to_sort_by(self.metrics, score)

        def key(counts: NDArray[np.float64]) -> float:
            return -float(counts[0]) if chosen is None else -badness(chosen, float(chosen.score(counts)))

        rows = list(self.rows.items())
        last = rows[len(rows) - bool(self.pooled) :]
        rows = [*sorted(rows[: len(rows) - len(last)], key=lambda row: key(row[1])), *last]
        return IntervalGroups(self.by, self.metrics, dict(rows), self.pooled, self.system)

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
        return import_extra("pandas", "", "a table as a pandas DataFrame").DataFrame(self.records())


def score_to_sort_by(metrics: Sequence[Metric], name: str) -> Metric | None:
    """Return the score with this name, or the first that ends with it ("median"), to sort groups by; None is "n"."""
    if name == "n":
        return None
    for each in metrics:
        if each.name == name:
            return each
    for each in metrics:
        if each.name.endswith(f"-{name}"):
            return each
    raise CaesuraError(f"groups are sorted by n or one of {', '.join(each.name for each in metrics)}, not {name!r}.")


def badness(measure: Metric, value: float) -> float:
    """Return a number that is the greater the worse a score is: early and late are equally bad, undefined values come last."""
    if np.isnan(value):
        return -np.inf
    return -value if measure.higher_is_better else abs(value)


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
    if other := next((each for each in chosen if each.family != chosen[0].family), None):
        raise CaesuraError(
            f"{chosen[0].spelled} and {other.spelled} pair intervals differently; scores of one table need the same pairing, mapping, reach and edges."
        )
    errors = pooled_errors(counted, chosen[0])
    groups, small = _groups(errors, by, least)
    rows = {}
    for name, index in groups.items():
        rows[name] = tally_errors(_take(errors.errors, index), np.ones(len(index), bool), 0)
    return IntervalGroups(by.partition("=")[0], chosen, rows, small, system)


def _groups(errors: PooledErrors, by: str, least: int) -> tuple[dict[str, NDArray[np.int64]], int]:
    """Return the intervals of every group, the largest group first and the small ones together, and the number of small ones."""
    what, _, path = by.partition("=")
    if what == "class":
        found = _by_class(errors.errors.reference.names, path)
    else:
        names, code = np.unique(_keys(errors.errors, errors.first, what), return_inverse=True)
        order = np.argsort(code, kind="stable")
        edges = np.searchsorted(code[order], np.arange(len(names) + 1))
        found = {name: order[edges[number] : edges[number + 1]] for number, name in enumerate(names.tolist())}
    small = [index for index in found.values() if len(index) < least]
    groups = {name: index for name, index in found.items() if len(index) >= least}
    groups = dict(sorted(groups.items(), key=lambda row: (-len(row[1]), row[0])))
    if small:
        groups[f"{len(small)} others below {least}"] = np.unique(np.concatenate(small))
    return groups, len(small)


def _by_class(names: Sequence[str], path: str) -> dict[str, NDArray[np.int64]]:
    """Return the intervals of every class; a name may have several, and one that the file lacks is in the class *other*."""
    if not path:
        raise CaesuraError("--by class needs a file of lines name<TAB>class: --by class=classes.tsv.")
    classes, found = read_classes(Path(path)), dict[str, list[int]]()
    if names and classes.keys().isdisjoint(names):
        ours, theirs = (", ".join(map(repr, list(dict.fromkeys(each))[:3])) for each in (names, classes))
        raise CaesuraError(f"{path}: no name of the reference ({ours} …) is in this file of classes ({theirs} …).")
    for number, name in enumerate(names):
        for each in classes.get(name, ("other",)):
            found.setdefault(each, []).append(number)
    return {name: np.array(index, np.int64) for name, index in found.items()}


class GroupErrors(NamedTuple):
    """The errors of one system on one group of reference intervals, in ms."""

    intervals: int  # of the reference, paired or not
    onset: NDArray[np.float64]
    offset: NDArray[np.float64]
    unpaired: int = 0

    @property
    def bias(self) -> float:
        """The mean onset error; NaN without pairs."""
        return float(self.onset.mean()) if len(self.onset) else float("nan")

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """First quartile, median and third quartile of the onset errors with their signs; NaN without pairs."""
        if not len(self.onset):
            return (float("nan"),) * 3
        first, median, third = np.quantile(self.onset, (0.25, 0.5, 0.75)).tolist()
        return first, median, third

    def area_above_curve(self, widest: int) -> float:
        """Return the area above the tolerance curve up to ``widest`` ms: the mean of min(|error|, widest), which unpaired intervals count as."""
        total = np.minimum(np.abs(self.onset), widest).sum() + widest * (self.intervals - len(self.onset))
        return float(total / self.intervals) if self.intervals else float("nan")

    def shares_within(self, widest: int) -> NDArray[np.float64]:
        """Return the shares of all reference intervals whose onset is off by at most 1, 2 … ``widest`` ms."""
        upto = np.searchsorted(np.sort(np.abs(self.onset)), np.arange(1, widest + 1) + 1e-9, "right")
        return np.asarray(upto / max(self.intervals, 1))


def error_groups(counted: CountedPairs, by: str, measure: Metric, *, least: int = 5) -> dict[str, GroupErrors]:
    """Return the errors of one system by group of reference intervals, the largest group first.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with names on both sides.
    by : str
        "phone", "pair" or "class=FILE" as in :func:`interval_groups`, or "all" for one group.
    measure : Metric
        A score of :class:`~caesura.metrics.interval_errors.IntervalErrors`, which says how intervals are paired.
    least : int, default 5
        Groups with fewer intervals are put together.

    Returns
    -------
    dict of str to GroupErrors
        Group -> errors.
    """
    errors = pooled_errors(counted, measure)
    groups, _ = _groups(errors, by, least)
    found = {}
    for name, index in groups.items():
        onset, offset = errors.errors.onset[index], errors.errors.offset[index]
        alone = int((errors.errors.partner[index] < 0).sum())
        found[name] = GroupErrors(len(index), onset[~np.isnan(onset)], offset[~np.isnan(offset)], alone)
    return found


def errors_by_item(counted: CountedPairs, measure: Metric, group_of: Mapping[str, str]) -> dict[str, GroupErrors]:
    """Return the errors of one system by group of recordings, in the order of the groups.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with names on both sides.
    measure : Metric
        A score of :class:`~caesura.metrics.interval_errors.IntervalErrors`, which says how intervals are paired.
    group_of : mapping of str to str
        Item -> its group; other items are left out.

    Returns
    -------
    dict of str to GroupErrors
        Group -> errors.
    """
    family, batch = measure.family, measure.prepare(counted.batch)
    assert isinstance(family, IntervalErrors)
    found: dict[str, list[PairedErrors]] = {group: [] for group in group_of.values()}
    for pair, item in enumerate(counted.pairs.item_of.tolist()):
        if (group := group_of.get(counted.pairs.items[item])) is not None:
            found[group].append(family.errors(batch, pair))
    return {group: _join(parts) for group, parts in found.items()}


def _join(parts: Sequence[PairedErrors]) -> GroupErrors:
    onset, offset = (np.concatenate([np.zeros(0), *(getattr(p, name) for p in parts)]) for name in ("onset", "offset"))
    intervals, alone = sum(len(p.partner) for p in parts), sum(int((p.partner < 0).sum()) for p in parts)
    return GroupErrors(intervals, onset[~np.isnan(onset)], offset[~np.isnan(offset)], alone)


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


def _keys(errors: PairedErrors, first: NDArray[np.bool_], by: str) -> NDArray[Any]:
    names = np.array(errors.reference.names, dtype=object)
    if by == "phone":
        return names.astype(str)
    if by == "all":
        return np.full(len(names), "all")
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


def read_classes(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a file of lines ``name<TAB>class``; a name on several lines has several classes."""
    source, classes = Source.open(path), dict[str, tuple[str, ...]]()
    for number, line in source.nonblank_lines("# "):
        name, tab, group = line.partition("\t")
        if not tab or not group.strip():
            raise source.error(number, f"a line is {line[:40]!r}, expected a name, a tab and its class.")
        own = classes.get(name.strip(), ())
        classes[name.strip()] = tuple(dict.fromkeys((*own, group.strip())))
    return classes


# ---------------------------------------------------------------------- names


def describe_names(counted: CountedPairs, mapping: LabelMap, system: str = "") -> list[str]:
    """Return sentences about names that only one side has, after a map: such intervals cannot be paired.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with names on both sides.
    mapping : LabelMap
        The map of names, may be empty.
    system : str, default ""
        The name of the system.

    Returns
    -------
    list of str
        No sentence if every name occurs on both sides.
    """
    batch = counted.batch
    ours = _count_names(batch.reference, len(batch), mapping, "ref")
    theirs = _count_names(batch.hypothesis, len(batch), mapping, "hyp")
    who = f"{system!r}" if system else "the hypothesis"
    same = mapping.same(list(ours), list(theirs))
    rows = [*mapping.joins("ref"), *mapping.joins("hyp")]
    joined = {name for row in rows for name in row}
    if ours and theirs and not same.any() and not joined:
        examples = [" and ".join(map(repr, list(each)[:2])) for each in (ours, theirs)]
        return [
            f"no name of {who} occurs in the reference: it has {examples[1]}, the reference {examples[0]}; {_advice(ours, theirs, mapping)}."
        ]
    sentences, silent, others = [], list[list[str]](), 0
    for counts, table, side in ((ours, same, "the reference"), (theirs, same.T, who)):
        shared = dict(zip(counts, (bool(row.any()) for row in table), strict=True))
        alone = [(name, n) for name, n in counts.items() if not shared[name] and name not in joined]
        silent.append([name for name, _ in alone if name.lower() in SILENCES.split()])
        others += len(alone) - len(silent[-1])
        if alone:
            alone.sort(key=lambda row: -row[1])
            listed = ", ".join(f"{name} ({n})" for name, n in alone[:_MOST_NAMES]) + (
                " …" if len(alone) > _MOST_NAMES else ""
            )
            alone_in = f"the reference, not {who}," if system and side == "the reference" else side
            sentences.append(f"only {alone_in} has {pluralize(len(alone), 'name')}: {listed}")
    if not sentences:
        return []
    advice = [_advise_on_silences(*silent)] if any(silent) else []
    if others:
        advice.append(_advice(ours, theirs, mapping))
    elif not mapping:
        advice[-1] += f" ({_GIVE_MAP})"
    return [f"{'; '.join((*sentences, *advice))}."]


def _advise_on_silences(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Say how silences that the sides name differently are left out, and how they become the same."""
    listed = " and ".join(f"'drop {name}'" for name in dict.fromkeys((*ours, *theirs)))
    lines = f"the {'line' if len({*ours, *theirs}) == 1 else 'lines'} {listed}"
    advice = f"silences without a partner count as wrong: a map with {lines} leaves them out"
    return f"{advice}, one with '{theirs[0]}', a tab and '{ours[0]}' compares them" if ours and theirs else advice


def _advice(ours: Iterable[str], theirs: Iterable[str], mapping: LabelMap) -> str:
    """Say what makes names the same: lines of a map that ignore case or stress, where these do, or else a map."""
    ref, hyp = {mapping.name(name, "ref") for name in ours}, {mapping.name(name, "hyp") for name in theirs}
    shared, lines = len(ref & hyp), list[str]()
    for ignored in (("case",), ("stress",), ("case", "stress")):  # AH0 and ah need both
        alike = len({simplify(name, ignored) for name in ref} & {simplify(name, ignored) for name in hyp})
        if alike > shared and not mapping.ignores.issuperset(ignored):
            shared, lines = alike, [f"ignore {what}" for what in ignored if what not in mapping.ignores]
    if lines:
        listed = " and ".join(repr(line) for line in lines)
        return f"a map with the {'line' if len(lines) == 1 else 'lines'} {listed} makes {shared} names the same ({_GIVE_MAP})"
    return "add them to the map" if mapping else f"a map makes names the same ({_GIVE_MAP})"


def _count_names(side: Side, pairs: int, mapping: LabelMap, which: MapSide) -> Counter[str]:
    """Count the names of the segments of all recordings, without empty ones and those that the map drops."""
    if side.names is None:
        return Counter()
    every = (side.names.of(pair) or () for pair in range(pairs))
    counts = Counter(name for names in every for name in names if name and not mapping.drops(name, which))
    return Counter(dict(counts.most_common()))


def name_confusions(counted: CountedPairs, mapping: LabelMap) -> Counter[tuple[str, str]]:
    """Count pairs of different names that intervals have if they are paired at the least cost, as MFA does.

    Parameters
    ----------
    counted : CountedPairs
        Recordings with names on both sides.
    mapping : LabelMap
        The map of names, may be empty.

    Returns
    -------
    Counter of (str, str)
        Names of the reference and of the hypothesis, "" for an interval without a partner; the most frequent first.
    """
    batch, found = counted.batch, Counter[tuple[str, str]]()
    plain, silences = LabelMap.of(""), SILENCES.split()
    for pair, length in enumerate(batch.lengths.tolist()):
        ref = intervals_of(batch.reference, pair, length, 1e7, mapping, "ref").in_seconds(1e7)  # ticks of 100 ns
        hyp = intervals_of(batch.hypothesis, pair, length, 1e7, mapping, "hyp").in_seconds(1e7)
        # MFA charges for silences before it looks at the map, so the map is applied first
        ours = ref._replace(names=[mapping.class_of(name, "ref") for name in ref.names])
        theirs = hyp._replace(names=[mapping.class_of(name, "hyp") for name in hyp.names])
        partner = pair_by_cost(ours, theirs, plain, silences)[0].tolist()
        found.update((ref.names[i], hyp.names[j] if j >= 0 else "") for i, j in enumerate(partner))
        found.update(("", hyp.names[j]) for j in set(range(len(hyp.names))).difference(partner))
    names = [sorted({pair[side] for pair in found}) for side in (0, 1)]
    same = mapping.same(names[0], names[1])
    place = [{name: number for number, name in enumerate(each)} for each in names]
    differing = {(a, b): n for (a, b), n in found.items() if not (a and b and same[place[0][a], place[1][b]])}
    return Counter(dict(Counter(differing).most_common()))
