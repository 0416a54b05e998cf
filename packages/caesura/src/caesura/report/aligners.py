"""Which aligner is better? Errors of aligners with intervals and tests, by phone or class, and drawings of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Cell, Table
from caesura.drawings.aligners import (
    ErrorHistograms,
    ErrorQuartiles,
    GroupErrorHistograms,
    GroupToleranceCurves,
    ToleranceCurves,
    errors_of_coders,
)
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Metric, metric
from caesura.metrics.interval_errors import IntervalErrors
from caesura.metrics.interval_pairing import with_new_names
from caesura.metrics.label_map import LabelMap
from caesura.metrics.time_grid import seconds
from caesura.model import Segmentation
from caesura.model.corpus import Corpus, CorpusLike, as_corpus
from caesura.model.pairs import Missing
from caesura.report.blocks import Report, ReportSection
from caesura.report.page import html_page
from caesura.statistics import Evaluation, evaluate
from caesura.statistics.clusters import hint_at_speakers, intervals_of
from caesura.statistics.counted import CountedPairs
from caesura.statistics.groups import attribute_table, table_of_systems
from caesura.statistics.interval_groups import (
    DEFAULT_SCORES,
    GroupErrors,
    IntervalGroups,
    badness,
    error_groups,
    errors_by_item,
    interval_groups,
    name_confusions,
    score_to_sort_by,
)
from caesura.statistics.significance import SystemTests, system_tests

#: The scores of a comparison of aligners if none is named.
ALIGNER_SCORES = (
    "interval-matched", "onset-bias", "onset-median", "onset-p90", "onset-p99", "onset-within-10ms", "onset-within-20ms",
    "onset-within-25ms", "onset-within-50ms", "offset-median", "phone-error",
)  # fmt: skip
_TESTED = ("onset-within-20ms", "onset-median")
_SHARES = "onset-within-"
_WIDEST = 100  # ms of the tolerance curves
_MAX_CONFUSIONS = 20  # rows of the table; as_dict() has all

#: Drawings by name, as in ``caesura list drawings``.
DRAWINGS = ("tolerance-curves", "error-histograms", "error-quartiles")


@dataclass(frozen=True, repr=False)
class AlignerComparison(Result):
    """Aligners against one reference.

    Attributes
    ----------
    evaluation : Evaluation
        All scores, with intervals.
    tests : SystemTests
        Tests of every two systems.
    groups : tuple of IntervalGroups
        Errors by phone, class or pair of phones, one per system; empty if recordings are grouped.
    by_recording : Table or None
        Scores by an attribute of recordings, such as "speaker" or "item", with the numbers of intervals and of those without a partner.
    shares, intervals : mapping of str to ndarray
        System -> shares of onsets within 1 … 100 ms, and the lower and upper ends of their intervals in two rows (none without intervals).
    errors : mapping of str to mapping of str to GroupErrors
        Group -> system -> errors in ms; the group "all" has all of them.
    confusions : mapping of str to Counter
        System -> pairs of different names, see :func:`~caesura.statistics.interval_groups.name_confusions`; empty if not asked for.
    own_maps : mapping of str to LabelMap
        The maps of single systems.
    """

    evaluation: Evaluation
    tests: SystemTests
    groups: tuple[IntervalGroups, ...]
    by_recording: Table | None
    shares: Mapping[str, NDArray[np.float64]]
    intervals: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, Mapping[str, GroupErrors]]
    confusions: Mapping[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    own_maps: Mapping[str, LabelMap] = field(default_factory=dict)

    #: Scores that were named and that single intervals do not have, so that the tables by phone, class or pair lack them.
    not_grouped: tuple[str, ...] = ()

    @property
    def by(self) -> str:
        """What groups share, such as "phone" or "speaker"."""
        return self.groups[0].by if self.groups else self.by_recording.columns[0] if self.by_recording else ""

    def tables(self) -> Sequence[Table]:
        """Return scores, tests, groups and confusions; notes and signatures are below the last one."""
        scores, *_ = self.evaluation.tables()
        tables = [
            replace(scores, notes=()),
            *self.tests.tables(),
            *self.group_tables(),
            *self.confusion_tables(),
        ]
        told = (*tables[-1].notes, *self._group_notes(), "", *self.map_notes(), *scores.notes)
        return [*tables[:-1], replace(tables[-1], notes=told)]

    def _group_notes(self) -> list[str]:
        if not self.not_grouped:
            return []
        names = " and ".join(self.not_grouped)
        return [f"{names} {'is' if len(self.not_grouped) == 1 else 'are'} not computed by {self.by}."]

    def map_notes(self) -> list[str]:
        """Return a sentence for each system that has a map of its own."""
        return [f"The names of {name!r} were mapped by {labels}." for name, labels in self.own_maps.items()]

    def group_tables(self) -> list[Table]:
        """Return the errors by phone, class or pair, one table per system, or the scores by recording."""
        if self.by_recording is not None:
            return [self.by_recording]
        return [table for group in self.groups for table in group.tables()]

    def group_table(self) -> Table:
        """Return all groups of all systems in one table, for files."""
        if self.by_recording is not None:
            return self.by_recording
        first = next(iter(self.evaluation.systems))
        return table_of_systems({group.system or first: group.records() for group in self.groups})

    def confusion_tables(self) -> list[Table]:
        """Return the most frequent pairs of different names, one table per system."""
        tables = []
        for system, counts in self.confusions.items():
            if not counts:
                continue
            rows: tuple[tuple[Cell, ...], ...] = tuple((a or "–", b or "–", n) for (a, b), n in counts.items())
            caption = f"names that differ ({system}), – without a partner"
            tables.append(Table(caption, ("reference", "aligner", "count"), rows).first(_MAX_CONFUSIONS, "pairs"))
        return tables

    def drawing(self, name: str) -> list[Picture]:
        """Return a drawing by name: over all intervals and, if they are grouped, by group."""
        grouped = {group: each for group, each in self.errors.items() if group != "all"}
        if name == "error-quartiles":
            return [ErrorQuartiles(grouped or self.errors, self.by if grouped else "")]
        if name == "tolerance-curves":
            return [ToleranceCurves(self.shares, self.intervals), *([GroupToleranceCurves(grouped)] if grouped else ())]
        if name == "error-histograms":
            pooled = {system: each.onset for system, each in self.errors["all"].items()}
            return [ErrorHistograms(pooled), *([GroupErrorHistograms(grouped)] if grouped else ())]
        raise CaesuraError(f"aligners are drawn as {', '.join(DRAWINGS)}, not as {name!r}.")

    def pictures(self) -> Sequence[Picture]:
        """Return the tolerance curves, the histograms, and bias and quartiles."""
        return [picture for name in DRAWINGS for picture in self.drawing(name)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            **self.evaluation.as_dict(),
            **self.tests.as_dict(),
            "groups": [group.as_dict() for group in self.groups],
            **({} if self.by_recording is None else {"by_recording": self.by_recording.records()}),
            "onset_within_ms": {name: shares.tolist() for name, shares in self.shares.items()},
            "onset_within_ms_intervals": {name: ends.tolist() for name, ends in self.intervals.items()},
            "area_above_curve_ms": {name: each.area_above_curve(_WIDEST) for name, each in self.errors["all"].items()},
            **({"confusions": _as_rows(self.confusions)} if self.confusions else {}),
        }


def _as_rows(confusions: Mapping[str, Counter[tuple[str, str]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        system: [{"reference": a, "hypothesis": b, "count": n} for (a, b), n in counts.items()]
        for system, counts in confusions.items()
    }


def compare_aligners(
    reference: CorpusLike,
    systems: Mapping[str, CorpusLike],
    metrics: Sequence[str] | None = None,
    *,
    by: str = "phone",
    tolerances: Sequence[float | str] = (),
    mapping: Any = None,
    own_maps: Mapping[str, Any] | None = None,
    cluster: str | None = "auto",
    speakers: Literal["pooled", "equal"] = "pooled",
    missing: Missing = "error",
    least: int = 5,
    sort: str = "n",
    confusions: bool = False,
    seed: int = 0,
) -> AlignerComparison:
    """Compare aligners with a reference: errors of starts and ends, tests, groups and curves.

    Parameters
    ----------
    reference : Corpus or dict
        Recordings with named intervals.
    systems : mapping of str to Corpus or dict
        The aligners by name.
    metrics : sequence of str, default None
        Scores; by default :data:`ALIGNER_SCORES`. Groups have those of intervals (onset-, offset-, duration-, interval-), if there are any.
    by : str, default "phone"
        Groups of intervals: "phone", "pair" or "class=FILE"; or of recordings: "speaker", "item" or another attribute.
    tolerances : sequence of float or str, default ()
        Tolerances of the shares of starts, such as "15ms"; by default 10, 20, 25 and 50 ms, in groups 20 ms.
    mapping : str, path or dict, default None
        A map of phone sets, see :class:`~caesura.metrics.label_map.LabelMap`.
    own_maps : mapping of str to str, path or dict, default None
        Aligner -> a map for it alone, where aligners have different phone sets: every name is replaced once. ``mapping`` is applied
        afterwards.
    cluster : str, default "auto"
        An attribute for intervals and tests over clusters; "auto" is "speaker" where several recordings have one, None is the recordings.
    speakers : {"pooled", "equal"}, default "pooled"
        Whether scores pool all recordings or are means over clusters, see :func:`caesura.evaluate`.
    missing : {"error", "skip", "empty"}, default "error"
        Recordings that an aligner lacks: an error, left out, or counted as recordings in which it found nothing.
    least : int, default 5
        Groups with fewer intervals are put together.
    sort : str, default "n"
        The order of the groups: by "n", their size, or by a score of the table, the worst first.
    confusions : bool, default False
        Whether to count pairs of names that differ.
    seed : int, default 0
        The seed of intervals and tests.

    Returns
    -------
    AlignerComparison
        Tables, drawings and all numbers.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    >>> late = Segmentation.from_times([0.11, 0.20, 0.34], length=0.4, names=["sil", "a", "t", "sil"])
    >>> result = compare_aligners({"one": gold, "two": gold}, {"aligner": {"one": late, "two": gold}})
    >>> result.evaluation["onset-within-20ms"].micro, float(result.shares["aligner"][19])
    (0.875, 0.875)
    """
    of_intervals = by in ("phone", "pair", "class") or by.startswith("class=")
    systems, maps = _with_own_names(systems, own_maps or {})
    names = LabelMap.of(mapping)
    own = {"mapping": names} if names else {}
    if long := [each for each in tolerances if seconds(each) > 1]:
        raise CaesuraError(f"a tolerance of {long[0]} is {seconds(long[0]):g} s; write milliseconds as {long[0]}ms.")
    within = [f"onset-within-{1000 * seconds(each):g}ms" for each in tolerances]
    wanted = [*metrics, *within] if metrics else _with_shares(ALIGNER_SCORES, within)
    chosen = [metric(name, **(own if "mapping" in metric(name).parameters else {})) for name in wanted]
    evaluation = evaluate(reference, systems, chosen, missing=missing, resamples=0)
    if evaluation.pairs.reference.kind != "time" or not evaluation.pairs.reference.names:
        raise CaesuraError("aligners place names in recordings; the reference has no named intervals.")
    if cluster == "auto":
        cluster = "speaker" if hint_at_speakers(evaluation.items, evaluation.attributes) else None
    evaluation = evaluate(reference, systems, chosen, cluster=cluster, speakers=speakers, missing=missing, seed=seed)
    if maps:
        signed = {
            name: {each: replace(result, own_map=str(maps.get(name, ""))) for each, result in measured.items()}
            for name, measured in evaluation.systems.items()
        }
        evaluation = replace(evaluation, systems=signed)
    tested = [name for name in (*_TESTED, *within) if name in evaluation.measured] or list(evaluation.measured)[:1]
    every = system_tests(evaluation, seed=seed)
    tests = SystemTests(every.method, {name: each for name, each in every.by_metric.items() if name in tested})
    grouped = _group_scores(
        chosen if metrics else (), [metric(name, **own) for name in _with_shares(DEFAULT_SCORES, within)]
    )
    groups, errors, by_recording = [], dict[str, dict[str, GroupErrors]](), None
    for name, counted in evaluation.counted.items():
        errors.setdefault("all", {})[name] = _all_errors(counted, grouped[0])
        if of_intervals:
            table = interval_groups(counted, by, grouped, least=least, system=name if len(systems) > 1 else "")
            groups.append(table if sort == "n" else table.sorted_by(sort))
            for key, each in error_groups(counted, by, grouped[0], least=least).items():
                errors.setdefault(key, {})[name] = each
    if not of_intervals:
        by_recording, of_recordings = _by_recording(evaluation, by, grouped[0], least, sort)
        errors |= of_recordings
    return AlignerComparison(
        evaluation,
        tests,
        tuple(groups),
        by_recording,
        {name: each.shares_within(_WIDEST) for name, each in errors["all"].items()},
        _curve_intervals(evaluation, own),
        errors,
        {name: name_confusions(counted, names) for name, counted in evaluation.counted.items()} if confusions else {},
        maps,
        tuple(each.name for each in chosen if metrics and of_intervals and each not in grouped),
    )


def _all_errors(counted: CountedPairs, measure: Metric) -> GroupErrors:
    """Return the errors of all intervals."""
    nothing = np.zeros(0)
    return error_groups(counted, "all", measure, least=1).get("all", GroupErrors(0, nothing, nothing))


def _by_recording(
    evaluation: Evaluation, by: str, measure: Metric, least: int, sort: str
) -> tuple[Table, dict[str, dict[str, GroupErrors]]]:
    """Group recordings by an attribute: a table with the scores of all systems, and errors for drawings, in the same order."""
    parts = {str(group): part for group, part in evaluation.by(by).items()}
    errors = _errors_of_parts(evaluation, parts, measure)
    small = [group for group, each in errors.items() if max(e.intervals for e in each.values()) < least]
    together = f"{len(small)} others below {least}"
    if small:
        group_of = {item: together if group in small else group for group, part in parts.items() for item in part.items}
        parts = evaluation.by(group_of.__getitem__)
        errors = _errors_of_parts(evaluation, parts, measure)
    chosen = score_to_sort_by([m.metric for m in evaluation.measured.values()], sort)

    def key(group: str) -> tuple[bool, float]:
        if chosen is None:
            return group == together, -max(each.intervals for each in errors[group].values())
        worst = max(badness(chosen, measured[chosen.name].micro) for measured in parts[group].systems.values())
        return group == together, -worst

    order = sorted(parts, key=key)
    table = attribute_table(by, {group: parts[group] for group in order})
    sizes = [(each.intervals, each.unpaired) for group in order for each in errors[group].values()]
    at = 1 + (len(evaluation.systems) > 1)  # after the group and the system
    heads = (*table.columns[:at], "n", "unpaired", *table.columns[at:])
    rows = tuple((*row[:at], *size, *row[at:]) for row, size in zip(table.rows, sizes, strict=True))
    return replace(table, columns=heads, rows=rows), {group: errors[group] for group in order}


def _errors_of_parts(
    evaluation: Evaluation, parts: Mapping[str, Evaluation], measure: Metric
) -> dict[str, dict[str, GroupErrors]]:
    """Return group -> system -> errors for parts of an evaluation."""
    group_of = {item: group for group, part in parts.items() for item in part.items}
    found = {name: errors_by_item(counted, measure, group_of) for name, counted in evaluation.counted.items()}
    return {group: {name: each[group] for name, each in found.items()} for group in parts}


def _with_own_names(
    systems: Mapping[str, CorpusLike], own_maps: Mapping[str, Any]
) -> tuple[dict[str, CorpusLike], dict[str, LabelMap]]:
    """Give the intervals of some systems new names, each by its own map."""
    renamed, maps = dict(systems), {name: LabelMap.of(given, only="hyp") for name, given in own_maps.items()}
    for name, labels in maps.items():
        if name not in systems:
            raise UnknownName("aligner", name, list(systems))
        if labels.is_relation:
            raise CaesuraError(
                f"the map {labels} of {name!r} has names with several targets ('any …'), which only a map for all aligners can have."
            )
        corpus = as_corpus(systems[name], f"the aligner {name!r}", lambda item, name=name: (item, name))  # type: ignore[misc]
        renamed[name] = Corpus.from_annotations(
            (
                a._replace(marks=with_new_names(a.marks, labels)) if isinstance(a.marks, Segmentation) else a
                for a in corpus
            ),
            attributes=corpus.attributes,
        )
    return renamed, maps


def _with_shares(names: Sequence[str], within: Sequence[str]) -> list[str]:
    """Replace the shares of starts within a tolerance by others, if there are any."""
    first = next(place for place, name in enumerate(names) if name.startswith(_SHARES))
    rest = [name for name in names if not (within and name.startswith(_SHARES))]
    return [*rest[:first], *within, *rest[first:]]


def _group_scores(named: Sequence[Metric], usual: list[Metric]) -> list[Metric]:
    """Return the scores of a table of groups: those that were named and can be grouped, or the usual ones."""
    return [each for each in named if isinstance(each.family, IntervalErrors)] or usual


def _curve_intervals(evaluation: Evaluation, own: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Return the ends of the intervals of all shares of the curves, resampled as all scores are."""
    limits = [metric(f"onset-within-{limit}ms", **own) for limit in range(1, _WIDEST + 1)]
    found = {}
    for name, counted in evaluation.counted.items():
        rows = [counted.by_item(limits[0])] * len(limits)
        ends = intervals_of(evaluation.resampling, limits, rows, evaluation.clusters)
        if all(end is not None for end in ends):
            found[name] = np.array([[end.low, end.high] for end in ends if end is not None]).T
    return found


def aligner_report(result: AlignerComparison, title: str = "Aligners") -> Report:
    """Return the content of a report: scores, differences, groups, confusions and all drawings.

    Parameters
    ----------
    result : AlignerComparison
        The comparison.
    title : str, default "Aligners"
        The title.

    Returns
    -------
    Report
        Write it with :func:`~caesura.report.page.html_page` or :func:`~caesura.report.page.markdown_report`.
    """
    scores, *_ = result.evaluation.tables()
    sections = [ReportSection("scores", "Scores", (scores, *result.map_notes()))]
    if tests := tuple(result.tests.tables()):
        sections.append(ReportSection("differences", "Differences", tests))
    curves = (*result.drawing("tolerance-curves"), *result.drawing("error-histograms"))
    sections.append(ReportSection("curves", "Tolerance curves and histograms", curves))
    groups = tuple(result.group_tables())
    pictures = tuple(result.drawing("error-quartiles"))
    folded = frozenset(table.caption for table in groups if len(table.rows) > _MAX_CONFUSIONS)
    sections.append(ReportSection("groups", f"Errors by {result.by}", (*pictures, *groups), folded))
    if result.confusions:
        sections.append(ReportSection("confusions", "Names that differ", tuple(result.confusion_tables())))
    return Report(title, tuple(sections), (), ())


def aligner_page(result: AlignerComparison, title: str = "Aligners") -> str:
    """Write a comparison of aligners as one HTML page.

    Parameters
    ----------
    result : AlignerComparison
        The comparison.
    title : str, default "Aligners"
        The title of the page.

    Returns
    -------
    str
    """
    return html_page(aligner_report(result, title))


def aligner_section(corpus: Corpus, reference: str | None) -> list[ReportSection]:
    """Return a section with the onset errors of all coders against the reference, if all of them name their intervals.

    Parameters
    ----------
    corpus : Corpus
        Recordings.
    reference : str or None
        The coder who is the reference; without one there is no section.
    """
    if reference is None or corpus.kind != "time" or len(corpus.coders) < 2 or len(corpus.names) < len(corpus):
        return []
    try:
        pooled, grouped = (errors_of_coders(corpus, by, reference=reference) for by in ("", "phone"))
    except CaesuraError:  # a coder who shares no recording with the reference, or recordings of very different lengths
        return []
    if not any(len(each.onset) for each in pooled["all"].values()):
        return []
    curves = ToleranceCurves({name: each.shares_within(_WIDEST) for name, each in pooled["all"].items()})
    pictures = (curves, ErrorQuartiles(grouped, "phone"), GroupErrorHistograms(grouped))
    words = "Intervals with the same name are paired, in order; above 0 a coder's interval starts later than that of the reference."
    return [ReportSection("onsets", "Errors of starts", (words, *pictures))]
