"""``fit_annotators``: a gold standard with probabilities, and a description of every annotator with intervals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura._version import __version__
from caesura.annotators.estimates import Estimate, Estimates
from caesura.annotators.layers import STEPS, Layer, Track, layers_of
from caesura.annotators.profiles import (
    INFORMATIVE,
    JOINT_MISSES,
    AnnotatorProfile,
    Dependence,
    Dispute,
    GoldMark,
    expected_f,
    gain_of_settling,
)
from caesura.annotators.sampling import ENOUGH, Draws, IntervalMethod, Sampling, draw_parameters
from caesura.annotators.territory import Chain, Fit, Floats, Parameters, Prior, fit, run_em
from caesura.display.plain import to_plain
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import BarCell, Cell, Code, Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics.time_grid import seconds
from caesura.model import Corpus, Hierarchy, Segmentation
from caesura.model.corpus import CorpusLike, Marks, as_corpus
from caesura.model.pairs import require_one_tier
from caesura.text import pluralize, shorten, track_title
from caesura.validation import validate_choice, validate_integer

#: What is modelled: boundaries (or spans), or one label per unit.
Target: TypeAlias = Literal["boundaries", "labels"]
#: The prior: the default one, none (maximum likelihood), or pseudo-counts of the user.
PriorLike: TypeAlias = Literal["default"] | Prior | Mapping[str, float] | None

MAX_REACH = 20
_SHOWN = 20  # gold marks and disputed places in a table
_COPY, _UNUSUAL = 0.7, 0.3  # the share of common marks of copies, and how far it is above that of other pairs
_CONFUSED = 0.05  # the default tolerance of recordings in seconds

CANNOT_KNOW = (
    "What the model cannot know: a displacement that all annotators share, boundaries that all miss (only their expected number), and how "
    "hard each item is; it assumes that annotators err independently of each other."
)


class AnnotatorModel(Result):
    """A fitted model of annotators: the gold standard with its probabilities, and a profile of everyone.

    Attributes
    ----------
    corpus : Corpus
        The annotations.
    annotators : dict of str to AnnotatorProfile
        The profiles by name; with several layers (levels) the names are "ann, level 1" and so on.
    gold : dict of str to Segmentation, Hierarchy or Spans
        The gold standard of every item; items with several tracks have the key (item, track).
    log_likelihood : float
        The log likelihood of the annotations.
    warnings : tuple of str
        Reasons to distrust the numbers, such as too few annotators.
    """

    corpus: Corpus
    warnings: tuple[str, ...]

    @property
    @abstractmethod
    def annotators(self) -> Mapping[str, AnnotatorProfile]:
        """The profiles of all annotators."""

    @property
    @abstractmethod
    def log_likelihood(self) -> float:
        """The log likelihood of the annotations."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Everything that the numbers depend on."""

    @property
    @abstractmethod
    def golds(self) -> Mapping[Track, Marks]:
        """(item, track) -> the most probable annotation."""

    @abstractmethod
    def marks_of(self, item: str, track: str = "") -> Sequence[GoldMark]:
        """Return the gold marks of a track with their probabilities.

        Parameters
        ----------
        item : str
            The item.
        track : str, default ""
            The track.

        Returns
        -------
        list of GoldMark
        """

    @abstractmethod
    def posterior(self, item: str, track: str = "") -> Floats:
        """Return the posterior of a boundary at every gap of a track; of spans per cluster, of labels per unit and label.

        Parameters
        ----------
        item : str
            The item.
        track : str, default ""
            The track.

        Returns
        -------
        array of float
        """

    @property
    @abstractmethod
    def expected_f(self) -> float:
        """The self-assessed exact F of the gold standard."""

    @abstractmethod
    def disputes(self) -> Sequence[Dispute]:
        """Return the places whose settling gains most, the best first."""

    @property
    def dependences(self) -> Sequence[Dependence]:
        """Pairs of annotators with joint misses."""
        return ()

    @property
    def gold(self) -> dict[Any, Marks]:
        """The gold standard of every item."""
        several = len(self.corpus.tracks) > 1
        return {(item, track) if several else item: marks for (item, track), marks in self.golds.items()}

    # ------------------------------------------------------------------ display

    def _profile_columns(self) -> tuple[str, ...]:
        return (
            "annotator",
            "items",
            "marks",
            "hit rate",
            "false alarms per gap",
            "displaced",
            "bias",
            "informative",
            "notes",
        )

    def _profile_row(self, name: str, profile: AnnotatorProfile) -> tuple[Cell, ...]:
        exact = (
            None if profile.displacement is None else 1 - float(profile.displacement.values[len(profile.offsets) // 2])
        )
        false_alarms = profile.false_alarm_rate.cell()
        return (
            name, profile.items, profile.marks, profile.hit_rate.cell(), false_alarms, exact,
            None if np.isnan(profile.bias) else Rounded(profile.bias, 3), "yes" if profile.informative else "no",
            ", ".join(profile.notes),
        )  # fmt: skip

    def _summary(self) -> tuple[str, ...]:
        """Return notes below the table of annotators."""
        quality = self.expected_f
        sentences = (
            []
            if np.isnan(quality)
            else [f"Expected exact F of the gold standard, by its own probabilities: {quality:.3f}."]
        )
        return (*(f"! {sentence}" for sentence in self.warnings), *sentences, CANNOT_KNOW, Code(self.signature))

    def tables(self) -> Sequence[Table]:
        """Return the annotators, the disputed places and dependent pairs."""
        rows = tuple(self._profile_row(name, profile) for name, profile in self.annotators.items())
        tables = [Table("annotators", self._profile_columns(), rows, self._summary()).without_empty()]
        tables += [
            table
            for profile in [next(iter(self.annotators.values()), None)]
            if profile
            for table in self._confusion_tables()
        ]
        disputes = list(self.disputes())
        if disputes:
            disputed = tuple(
                (track_title(d.item, d.track), f"{d.position:.3f}" if isinstance(d.position, float) else d.position, d.in_gold, d.probability,
                 d.nearby, Rounded(d.gain, 4), BarCell(d.gain / disputes[0].gain if disputes[0].gain > 0 else 0.0), ", ".join(d.voters))
                for d in disputes
            )  # fmt: skip
            columns = ("item", "position", "in gold", "probability", "nearby", "gain", "", "marked by")
            caption = "disputed places, by how much the expected F gains if someone settles them"
            tables.append(Table(caption, columns, disputed).first(_SHOWN, "places"))
        pairs = [d for d in self.dependences if d.flagged]
        if pairs:
            dependent = tuple(
                (f"{d.first}, {d.second}", d.observed, Rounded(d.expected, 1), Rounded(d.ratio, 1)) for d in pairs
            )
            tables.append(
                Table("annotators who err together", ("annotators", "missed by both", "expected", "ratio"), dependent)
            )
        return tables

    def _confusion_tables(self) -> list[Table]:
        """Return one table of confusions with a row per annotator and true type."""
        known = {name: p for name, p in self.annotators.items() if p.confusion is not None and len(p.labels) > 1}
        if not known:
            return []
        labels = next(iter(known.values())).labels
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (name if number == 0 else "", str(label), *map(float, p.confusion[number]))  # type: ignore[index]
            for name, p in known.items()
            for number, label in enumerate(labels)
        )
        return [
            Table(
                "confusions: the true type, and the probability of each type given",
                ("annotator", "true", *map(str, labels)),
                rows,
            ).first(60, "rows")
        ]

    def gold_table(self, most: int = 200) -> Table:
        """Return every gold mark with its probabilities and voters.

        Parameters
        ----------
        most : int, default 200
            The largest number of rows.

        Returns
        -------
        Table
        """
        rows = tuple(
            (
                track_title(*track),
                str(mark),
                _context(marks.units, mark),
                mark.probability,
                mark.nearby,
                len(mark.voters),
                _voters(mark),
            )
            for track, marks in self.golds.items()
            for mark in self.marks_of(*track)
        )
        columns = ("item", "gold", "text", "probability", "nearby", "votes", "marked by (displacement)")
        return Table("the most probable annotation", columns, rows).without_empty().first(most, "marks")

    def pictures(self) -> Sequence[Picture]:
        """Draw the annotators side by side, and the gold standard with its probabilities."""
        from caesura.annotators.pictures import draw_annotators

        return draw_annotators(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        several = len(self.corpus.tracks) > 1
        gold = {
            f"{item}/{track}" if several else item: [mark.as_dict() for mark in self.marks_of(item, track)]
            for item, track in self.golds
        }
        return {
            "annotators": {name: profile.as_dict() for name, profile in self.annotators.items()},
            "gold": gold,
            "expected_f": self.expected_f,
            "log_likelihood": self.log_likelihood,
            "disputes": [to_plain(vars(d)) for d in self.disputes()],
            "dependences": [{**vars(d), "ratio": d.ratio, "flagged": d.flagged} for d in self.dependences],
            "warnings": list(self.warnings),
            "signature": self.signature,
            **self._more(),
        }

    def _more(self) -> dict[str, Any]:
        return {}


def _context(units: Sequence[str] | None, mark: GoldMark) -> str:
    """Return the words around a boundary, or those of a span; "" without a text."""
    if units is None:
        return ""
    if mark.end is not None:
        return shorten(" ".join(units[int(mark.position) : int(mark.end)]))
    at = int(mark.position)
    before = " ".join(units[max(0, at - 3) : at])
    return f"{'…' if len(before) > 20 else ''}{before[-20:]} | {shorten(' '.join(units[at : at + 3]), 20)}"


def _voters(mark: GoldMark) -> str:
    """List voters; those beside the mark with their displacement."""
    timed = isinstance(mark.position, float)
    shown = {name: f"{1000 * d:+.0f} ms" if timed else f"{d:+g}" for name, d in mark.voters.items()}
    return ", ".join(name if d == 0 else f"{name} {shown[name]}" for name, d in mark.voters.items())


# ---------------------------------------------------------------------- boundaries


@dataclass(frozen=True, eq=False)
class FittedLayer:
    """One layer of boundaries with its fitted model.

    Attributes
    ----------
    layer : Layer
        The marks.
    fit : Fit
        The fitted parameters.
    sampling : Sampling or None
        How intervals are computed; None for no intervals.
    """

    layer: Layer
    fit: Fit
    sampling: Sampling | None

    @cached_property
    def draws(self) -> Draws | None:
        """Draws of the parameters for intervals; None if intervals were switched off."""
        return None if self.sampling is None or not self.has_marks else draw_parameters(self.fit, self.sampling)

    @property
    def has_marks(self) -> bool:
        """Whether anyone marked anything."""
        return bool(self.fit.chain.marks_of_types.any())

    def interval(self, name: str, index: Any, factor: float = 1.0) -> tuple[Any, Any] | None:
        """Return the interval of a parameter of an annotator."""
        if self.draws is None or self.sampling is None:
            return None
        low, high = self.draws.interval(getattr(self.draws, name)[:, index], self.sampling.level)
        return low * factor, high * factor

    @cached_property
    def profiles(self) -> dict[str, AnnotatorProfile]:
        """The profile of every annotator, sorted by name."""
        return {name: self._profile(name) for name in sorted(self.layer.annotators)}

    def _profile(self, name: str) -> AnnotatorProfile:
        j, chain, rates = self.layer.annotators.index(name), self.fit.chain, self.fit.parameters.rates
        marks, gaps = float(chain.marks_of_types[:, j].sum()), float(chain.gaps[:, j].sum())
        everything = 0 < gaps <= marks
        per = 1.0 if self.layer.step is None else 1 / self.layer.step
        known = self.has_marks
        hit = float(rates.hit[j]) if known and not everything else float("nan")
        notes = ("marks everything",) if everything else ()
        typed = chain.types > 1
        return AnnotatorProfile(
            name=name,
            items=int(chain.nodes.here[:, j].sum()),
            marks=int(marks),
            hit_rate=Estimate(hit, partial(self.interval, "hit", j)),
            false_alarm_rate=Estimate(
                per * float(rates.false_alarm[j]) if known else float("nan"),
                partial(self.interval, "false_alarm", j, per),
            ),
            displacement=Estimates(rates.displacement[j], partial(self.interval, "displacement", j)),
            offsets=tuple((np.arange(-chain.reach, chain.reach + 1) * (self.layer.step or 1)).tolist()),
            confusion=Estimates(rates.confusion[j], partial(self.interval, "confusion", j)) if typed else None,
            labels=tuple(self.layer.types) if typed else (),
            informative=known and not everything and self._lower_bound(j) > INFORMATIVE,
            notes=notes,
        )

    def _lower_bound(self, j: int) -> float:
        """Return the 5 % quantile of the hit rate given the expected counts."""
        expected, prior = self.fit.expected, self.fit.prior or Prior(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        hits = float(expected.counts.territory[j].sum())
        seen = float(expected.boundaries @ self.fit.chain.nodes.here[:, j])
        drawn = np.random.default_rng(0).beta(hits + prior.hits + 1, max(seen - hits, 0) + prior.misses + 1, 4000)
        return float(np.quantile(drawn, 0.05))

    # ------------------------------------------------------------------ the gold standard

    @cached_property
    def gold(self) -> dict[Track, list[GoldMark]]:
        """The most probable boundaries of every track, with their probabilities."""
        return {track: self._gold_marks(number) for number, track in enumerate(self.layer.tracks)}

    def _gold_marks(self, number: int) -> list[GoldMark]:
        best = self.fit.best[number]
        item, reach, layer = self.layer.items[number], self.fit.chain.reach, self.layer
        post, places = self.fit.posterior(number), [gap for gap, _ in best]
        marks = []
        for index, (gap, kind) in enumerate(best):
            low, high = _territory(places, index, reach, item.gaps)
            voters = {
                name: (at - gap) * (layer.step or 1)
                for name, own in zip(layer.annotators, item.marks, strict=True)
                if (at := _nearest(own, gap, low, high)) is not None
            }
            window = post[max(0, gap - reach) : gap + reach + 1]
            position: float = layer.position(gap)
            if layer.step is not None:  # the posterior mean over the territory, not the cell of the grid
                weights = post[low : high + 1]
                position = float(np.dot(weights, np.arange(low, high + 1)) / max(weights.sum(), 1e-300) * layer.step)
            marks.append(
                GoldMark(
                    position,
                    layer.types[kind],
                    float(post[gap]),
                    min(1.0, float(window.sum())),
                    dict(sorted(voters.items())),
                )
            )
        return marks

    @cached_property
    def expected_boundaries(self) -> float:
        """The expected number of true boundaries."""
        return float(self.fit.expected.boundaries.sum())

    @property
    def unmarked(self) -> float:
        """The expected number of true boundaries at gaps that nobody marked within reach."""
        nodes, expected = self.fit.chain.nodes, self.fit.expected
        return float(expected.post[~nodes.active].sum() + expected.skipped @ nodes.skipped + expected.tail @ nodes.tail)

    def disputes(self, hits: float, size: float, everything: float) -> list[Dispute]:
        """Return all places with doubt, given the sums of the whole gold standard."""
        found = []
        for number, track in enumerate(self.layer.tracks):
            found += self._disputes_of(number, track, hits, size, everything)
        return found

    def _disputes_of(self, number: int, track: Track, hits: float, size: float, everything: float) -> list[Dispute]:
        """Return the disputed places of one track: gold marks, and groups of marks far from them."""
        reach, layer, item = self.fit.chain.reach, self.layer, self.layer.items[number]
        post, places = self.fit.posterior(number), np.array([gap for gap, _ in self.fit.best[number]], np.int64)
        rows = []
        for gap, mark in zip(places.tolist(), self.gold[track], strict=True):
            rows.append((gap, True, mark.probability, mark.nearby, tuple(mark.voters)))
        marked = sorted({gap for own in item.marks for gap, _ in own or ()})
        free = [gap for gap in marked if not len(places) or int(np.abs(places - gap).min()) > reach]
        while free:
            group = [gap for gap in free if gap <= free[0] + reach]
            free = free[len(group) :]
            window = post[max(0, group[0] - reach) : group[-1] + reach + 1]
            top = max(group, key=lambda gap: post[gap])
            voters = [
                name
                for name, own in zip(layer.annotators, item.marks, strict=True)
                if any(gap in group for gap, _ in own or ())
            ]
            rows.append((top, False, float(post[top]), min(1.0, float(window.sum())), tuple(sorted(voters))))
        return [
            Dispute(*track, layer.position(gap), inside, p, near, gain, voters)
            for gap, inside, p, near, voters in rows
            if (gain := gain_of_settling(hits, size, everything, probability=p, nearby=near, in_gold=inside)) > 1e-6
        ]

    @cached_property
    def dependences(self) -> list[Dependence]:
        """Joint misses of every pair of annotators at the boundaries of the gold standard."""
        names, rates = self.layer.annotators, self.fit.parameters.rates
        missed = [
            [
                np.nan if own is None else float(name not in mark.voters)
                for name, own in zip(names, item.marks, strict=True)
            ]
            for item, track in zip(self.layer.items, self.layer.tracks, strict=True)
            for mark in self.gold[track]
        ]
        table = np.array(missed).reshape(-1, len(names))
        pairs = []
        for a in range(len(names)):
            for b in range(a):
                both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b])
                observed = int((table[both, a] * table[both, b]).sum())
                expected = float(both.sum() * (1 - rates.hit[a]) * (1 - rates.hit[b]))
                first, second = sorted((names[a], names[b]))
                pairs.append(Dependence(first, second, observed, expected))
        return sorted(pairs, key=lambda pair: (-pair.ratio, pair.first, pair.second))

    # ------------------------------------------------------------------ warnings

    def warnings(self) -> list[str]:
        """Return sentences about what the rates rest on."""
        if not self.has_marks:
            return ["nobody marked anything, so that the gold standard is empty and all rates are unknown."]
        informative = sum(profile.informative for profile in self.profiles.values())
        found = []
        if informative < 3:
            found.append(
                f"these rates rest on the prior: {pluralize(informative, 'annotator')} of {len(self.profiles)} "
                f"{'is' if informative == 1 else 'are'} informative (hit rate surely above {INFORMATIVE:g}), and the model needs three."
            )
        if not self.fit.converged:
            found.append(
                f"EM reached its limit of {len(self.fit.objectives)} steps; the rates may still move (more steps: max_steps=)."
            )
        if self.fit.agreeing_starts == 1 < self.fit.starts:
            found.append(
                f"only one of {self.fit.starts} starts reached the best solution; try more (starts=, --starts)."
            )
        found += self._copies()
        found += [
            f"{pair.first} and {pair.second} missed {pair.observed} boundaries together, {pair.ratio:.1f} times as many as independent "
            "annotators would; the probabilities are then too sure."
            for pair in self.dependences
            if pair.flagged
        ]
        return found

    def _copies(self) -> list[str]:
        """Return a sentence per pair that shares far more of its marks than other pairs do, as copies would."""
        names = self.layer.annotators
        own = [
            {(i, gap) for i, item in enumerate(self.layer.items) for gap, _ in item.marks[j] or ()}
            for j in range(len(names))
        ]
        shares = {
            tuple(sorted((names[a], names[b]))): len(own[a] & own[b]) / max(len(own[a] | own[b]), 1)
            for a in range(len(names))
            for b in range(a)
            if len(own[a] | own[b]) >= JOINT_MISSES
        }
        usual = float(np.median(list(shares.values()))) if len(shares) > 2 else 1.0
        return [
            f"{first} and {second} share {share:.0%} of their marks, other pairs {usual:.0%}; if one copied from the other, the model takes their "
            "errors for the truth."
            for (first, second), share in sorted(shares.items())
            if share >= _COPY and share >= usual + _UNUSUAL
        ]

    def sampling_warnings(self) -> list[str]:
        """Return a warning if the chains of the sampler have not mixed."""
        if self.draws is None or not self.draws.mixing > ENOUGH:
            return []
        return [
            f"the sampler has not converged (R̂ {self.draws.mixing:.2f} after {self.draws.sweeps} sweeps); intervals are rough "
            "(more sweeps: sweeps=, --intervals gibbs:sweeps=5000)."
        ]


def _territory(places: Sequence[int], index: int, reach: int, gaps: int) -> tuple[int, int]:
    """Return the first and last gap that are nearer to a boundary than to its neighbours, and at most ``reach`` away."""
    gap = places[index]
    low, high = max(0, gap - reach), min(gaps - 1, gap + reach)
    if index:
        low = max(
            low, (places[index - 1] + gap) // 2 + 1 if (gap - places[index - 1]) % 2 else (places[index - 1] + gap) // 2
        )
    if index + 1 < len(places):
        high = min(high, (places[index + 1] + gap) // 2)
    return low, high


def _nearest(own: Sequence[tuple[int, int]] | None, gap: int, low: int, high: int) -> int | None:
    inside = [at for at, _ in own or () if low <= at <= high]
    return min(inside, key=lambda at: (abs(at - gap), at)) if inside else None


class BoundaryModel(AnnotatorModel):
    """The territory model of boundaries in texts, recordings and nested segments.

    Attributes
    ----------
    layers : tuple of FittedLayer
        One per level or, where boundaries have several types at once, per type; usually one.
    reach : int
        The largest displacement in units or cells of the grid.
    sensitivity : Table or None
        For two annotators: how much the answer depends on the prior.
    """

    def __init__(
        self, corpus: Corpus, layers: Sequence[FittedLayer], reach: int, sensitivity: Table | None = None
    ) -> None:
        self.corpus, self.layers, self.reach, self.sensitivity = corpus, tuple(layers), reach, sensitivity
        notes = list(dict.fromkeys(note for each in layers for note in each.layer.notes))
        self._repaired = 0
        self._golds = self._make_golds()
        if self._repaired:
            notes.append(
                f"{pluralize(self._repaired, 'end')} of outer segments had to be added to deeper levels so that the gold standard nests."
            )
        self._notes = notes

    @cached_property
    def warnings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to distrust the numbers, such as too few annotators."""
        found = []
        for each in self.layers:
            where = f"{each.layer.name}: " if each.layer.name else ""
            found += [where + sentence for sentence in (*each.warnings(), *each.sampling_warnings())]
        if self.sensitivity is not None:
            found.insert(
                0,
                "two annotators do not identify the rates: they follow from the prior that was given; see the table of its effect.",
            )
        return (*found, *self._notes)

    @cached_property
    def annotators(self) -> Mapping[str, AnnotatorProfile]:
        """The profiles of all annotators."""
        if len(self.layers) == 1:
            return self.layers[0].profiles
        return {
            f"{name}, {each.layer.name}": profile for each in self.layers for name, profile in each.profiles.items()
        }

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the annotations."""
        return float(sum(each.fit.expected.likelihood.sum() for each in self.layers))

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on."""
        first = self.layers[0]
        prior = "none" if first.fit.prior is None else first.fit.prior.signature
        grid = f"|tol:{first.layer.step * STEPS:g}s" if first.layer.step is not None else f"|nt:{self.reach + 1}"
        steps = "+".join(str(len(each.fit.objectives)) for each in self.layers)
        starts = "+".join(f"{each.fit.agreeing_starts}/{each.fit.starts}" for each in self.layers)
        sampling = first.sampling
        draws = "none" if sampling is None else sampling.signature
        return f"territory{grid}|prior:{prior}|starts:{starts}|steps:{steps}|intervals:{draws}|v:{__version__}"

    @property
    def golds(self) -> Mapping[Track, Marks]:
        """(item, track) -> the most probable annotation."""
        return self._golds

    def _make_golds(self) -> dict[Track, Marks]:
        """Build one annotation per track, in the order of the corpus."""
        shapes: dict[Track, Marks] = {(item, track): marks for item, _, marks, track in self.corpus}
        golds: dict[Track, Marks] = {}
        for track, like in shapes.items():
            if isinstance(like, Hierarchy):
                golds[track] = self._nest(track, like)
                continue
            assert isinstance(like, Segmentation)
            rows = sorted(
                (mark.position, -1 if mark.type is None else self._code(mark.type), mark.type)
                for each in self.layers
                for mark in each.gold[track]
            )
            if self.corpus.types is None:
                golds[track] = Segmentation(like.length, [p for p, *_ in rows], units=like.units)
            else:
                codes = [code for _, code, _ in rows]
                golds[track] = Segmentation(like.length, [p for p, *_ in rows], codes, self.corpus.labels, like.units)
        return golds

    def _code(self, kind: str | int) -> int:
        return self.corpus.labels.index(str(kind)) if self.corpus.labels else int(kind)

    def _nest(self, track: Track, like: Hierarchy) -> Hierarchy:
        """Build the hierarchy of the levels' boundaries; an end of one level also ends all deeper ones."""
        columns = np.zeros((len(self.layers), like.length), np.int64)
        for level, each in enumerate(self.layers):
            columns[level, [int(mark.position) - 1 for mark in each.gold[track]]] = 1
        for level in range(1, len(columns)):
            missing = columns[level - 1] > columns[level]
            self._repaired += int(missing.sum())
            columns[level] |= missing
        columns[:, -1:] = 1
        return Hierarchy.from_levels(columns.tolist(), units=like.units)

    def marks_of(self, item: str, track: str = "") -> Sequence[GoldMark]:
        """Return the boundaries of the gold standard with their probabilities.

        Parameters
        ----------
        item, track : str
            Where.

        Returns
        -------
        list of GoldMark
        """
        self._number(item, track)
        found = [mark for each in self.layers for mark in each.gold[item, track]]
        return found if len(self.layers) == 1 else sorted(found, key=lambda mark: mark.position)

    def _number(self, item: str, track: str) -> int:
        tracks = self.layers[0].layer.tracks
        if (item, track) not in tracks:
            raise CaesuraError(
                f"the model has no {track_title(item, track)!r}; it has {', '.join(track_title(*t) for t in tracks[:5])}."
            )
        return tracks.index((item, track))

    def posterior(self, item: str, track: str = "", layer: int = 0) -> Floats:
        """Return the posterior of a boundary at every gap.

        Parameters
        ----------
        item, track : str
            Where.
        layer : int, default 0
            The number of the layer, such as a level, from 0.

        Returns
        -------
        array of float
            Gap p - 1 is after unit p; in recordings the cells of the grid.
        """
        each = self.layers[layer]
        self._number(item, track)
        return each.fit.posterior(each.layer.tracks.index((item, track)))

    @property
    def expected_f(self) -> float:
        """The self-assessed exact F of the gold standard."""
        gold = [mark.probability for each in self.layers for marks in each.gold.values() for mark in marks]
        return expected_f(gold, sum(each.expected_boundaries for each in self.layers))

    @cached_property
    def _disputes(self) -> list[Dispute]:
        gold = [mark.probability for each in self.layers for marks in each.gold.values() for mark in marks]
        everything = sum(each.expected_boundaries for each in self.layers)
        found = [d for each in self.layers for d in each.disputes(sum(gold), len(gold), everything)]
        return sorted(found, key=lambda d: (-d.gain, d.item, d.track, d.position))

    def disputes(self) -> Sequence[Dispute]:
        """Return the places whose settling gains most, the best first."""
        return self._disputes

    @property
    def dependences(self) -> Sequence[Dependence]:
        """Pairs of annotators with joint misses, the most dependent first."""
        return [pair for each in self.layers for pair in each.dependences]

    def _profile_columns(self) -> tuple[str, ...]:
        names = super()._profile_columns()
        return (
            tuple({"false alarms per gap": "false alarms per s", "bias": "bias, s"}.get(n, n) for n in names)
            if self.corpus.timed
            else names
        )

    def _summary(self) -> tuple[str, ...]:
        unmarked = sum(each.unmarked for each in self.layers)
        sampling = self.layers[0].sampling
        held = () if sampling is None else (f"{100 * sampling.level:g} % intervals, if the model holds.",)
        return (*held, f"Expected number of boundaries that nobody marked nearby: {unmarked:.1f}.", *super()._summary())

    def tables(self) -> Sequence[Table]:
        """Return the annotators, the disputed places, dependent pairs, and for two annotators the effect of the prior."""
        tables = list(super().tables())
        return tables if self.sensitivity is None else [tables[0], self.sensitivity, *tables[1:]]

    def _more(self) -> dict[str, Any]:
        return {
            "rate": [each.fit.parameters.rate for each in self.layers],
            "objectives": [list(each.fit.objectives) for each in self.layers],
            "r_hat": [None if each.draws is None else each.draws.mixing for each in self.layers],
            "unmarked": sum(each.unmarked for each in self.layers),
        }


# ---------------------------------------------------------------------- fitting


def fit_annotators(
    corpus: CorpusLike,
    n_t: int | None = None,
    prior: PriorLike = "default",
    seed: int = 0,
    starts: int = 3,
    *,
    of: Target = "boundaries",
    tolerance: float | str | None = None,
    intervals: IntervalMethod | None = "gibbs",
    level: float = 0.9,
    sweeps: int = 1000,
    max_steps: int = 500,
) -> AnnotatorModel:
    r"""Estimate what is true and how far every annotator can be trusted, from the annotations alone.

    Every gap is a true boundary with probability π. Annotator j finds a true boundary with probability h_j, places it d gaps beside it with
    probability δ_j(d), and marks any gap by mistake with probability f_j. With n_t = 1 nothing moves, and the model is that of Dawid & Skene (1979).

    Recordings are modelled on a grid of a fifth of the tolerance, nested segments level by level, spans as two ends and a label on aligned
    clusters, and one label per unit (``of="labels"``) by Dawid & Skene.

    Parameters
    ----------
    corpus : Corpus, dict or list
        The annotations of three or more annotators.
    n_t : int, default None
        As in B: answers are at most n_t - 1 units away; 2 if None. Recordings have a tolerance instead.
    prior : "default", Prior, mapping or None, default "default"
        Pseudo-counts, see :class:`~caesura.annotators.territory.Prior`; a mapping changes some of the default; None is maximum
        likelihood. Two annotators are refused unless you state your own prior.
    seed : int, default 0
        The seed of random starts and of intervals.
    starts : int, default 3
        The number of starts of EM: one fixed, the others random. The best is kept.
    of : {"boundaries", "labels"}, default "boundaries"
        Whether to model boundaries (or spans), or one label per unit: the names of segments, labels of spans of units.
    tolerance : float or str, default None
        For recordings: answers are at most this far away, in seconds or as "50ms"; 0.05 if None. For spans: the largest displacement
        of an end, 4 units (0.2 s) if None.
    intervals : {"gibbs", "bootstrap"} or None, default "gibbs"
        How intervals are computed when they are looked at: from the posterior, by refitting to resampled items (ten or more),
        or not at all.
    level : float, default 0.9
        The level of the intervals.
    sweeps : int, default 1000
        The largest number of sweeps per chain of the sampler, which stops earlier if the chains agree (R̂ ≤ 1.05).
    max_steps : int, default 500
        The largest number of steps of EM.

    Returns
    -------
    AnnotatorModel
        ``.gold``, ``.posterior(item)``, ``.annotators[name].hit_rate`` and so on, ``.warnings``; it prints as tables and drawings.

    Raises
    ------
    CaesuraError
        If nothing can be known: one annotator, or two without a prior that you give.

    References
    ----------
    Dawid & Skene 1979, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
    Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard.

    Examples
    --------
    >>> from caesura import samples
    >>> model = fit_annotators(samples.load("stargazer"), intervals=None)
    >>> len(model.annotators), round(float(model.annotators["coder 1"].hit_rate), 2)
    (7, 0.6)
    >>> model.gold["stargazer"].masses
    [2, 1, 2, 3, 1, 3, 1, 4, 1, 2, 1]
    """
    data = as_corpus(corpus, "the annotations", lambda coder: ("text", coder))
    require_one_tier(data)
    validate_integer("seed", seed)
    validate_integer("starts", starts, 1, most=1000)
    validate_integer("sweeps", sweeps, 4)
    validate_integer("max_steps", max_steps, 1)
    validate_choice("of", of, ("boundaries", "labels"))
    if intervals is not None:
        validate_choice("intervals", intervals, ("gibbs", "bootstrap"))
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise CaesuraError(f"level is {level!r}; expected a number between 0 and 1.")
    counts = make_prior(prior)
    sampling = None if intervals is None else Sampling(intervals, level, sweeps, seed=seed)
    _check_annotators(data, prior)
    if of == "labels" or data.kind == "spans":
        if n_t is not None:
            raise CaesuraError(
                "n_t applies to boundaries only; the ends of spans may move by tolerance=, and labels do not move."
            )
        if starts != 3:
            raise CaesuraError("starts applies to boundaries only; spans and labels have one fixed start.")
        if of == "labels" and isinstance(prior, Mapping) and (other := set(prior) - {"right_type", "any_type"}):
            raise CaesuraError(
                f"the prior's {sorted(other)[0]} has no effect on labels; they have right_type and any_type."
            )
        return _fit_other(data, of, counts, tolerance, sampling, max_steps)
    reach, width = _reach(data, n_t, tolerance)
    layers = layers_of(data, width)
    _check_length(layers, reach)
    fitted = []
    for layer in layers:
        chain = Chain(layer.items, len(layer.annotators), reach, len(layer.types))
        solved = fit(chain, counts, seed=seed, starts=starts, keys=layer.keys, max_steps=max_steps)
        fitted.append(FittedLayer(layer, solved, sampling))
    table = _sensitivity(fitted) if len(data.coders) == 2 else None
    return BoundaryModel(data, fitted, reach, table)


def _fit_other(
    corpus: Corpus,
    of: Target,
    prior: Prior | None,
    tolerance: float | str | None,
    sampling: Sampling | None,
    max_steps: int,
) -> AnnotatorModel:
    if of == "labels":
        from caesura.annotators.label_model import fit_labels

        if tolerance is not None:
            raise CaesuraError("tolerance applies to recordings and spans; labels do not move.")
        return fit_labels(corpus, prior, sampling, max_steps=max_steps)
    from caesura.annotators.span_model import fit_spans

    return fit_spans(corpus, prior, tolerance, sampling, max_steps=max_steps)


def make_prior(given: PriorLike) -> Prior | None:
    """Return the pseudo-counts; a mapping changes some of the default ones."""
    if given is None or isinstance(given, Prior):
        prior = given
    elif given == "default":
        prior = Prior()
    elif isinstance(given, Mapping):
        known = list(vars(Prior()))
        if (unknown := next((name for name in given if name not in known), None)) is not None:
            raise CaesuraError(f"the prior has no {unknown!r}; it has {', '.join(known)}.")
        prior = Prior(**given)
    else:
        raise CaesuraError(f"prior is {given!r}; expected 'default', None, a Prior or a mapping of pseudo-counts.")
    for name, value in vars(prior).items() if prior is not None else ():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise CaesuraError(
                f"the prior's {name} is {value!r}; expected a number above 0 (prior=None is maximum likelihood)."
            )
    return prior


def _check_annotators(corpus: Corpus, prior: PriorLike) -> None:
    number = len(np.unique(corpus.coder_of))
    if number < 2:
        raise CaesuraError(
            f"one annotator cannot be judged: here {corpus.coders[0]!r} annotated alone; the model needs three or more."
            if number
            else "there are no annotations."
        )
    if number == 2 and (prior is None or prior == "default"):
        raise CaesuraError(
            "two annotators cannot be judged by each other: their rates are not identified. Add a third, or state your own prior "
            "(prior=Prior(…), --prior hits=8,misses=2), on which the answer will then rest."
        )


def _reach(corpus: Corpus, n_t: int | None, tolerance: float | str | None) -> tuple[int, float]:
    """Return the largest displacement in gaps, and the tolerance in seconds."""
    if corpus.kind == "time":
        if n_t is not None:
            raise CaesuraError("n_t counts units, and recordings have none; give tolerance= (--tolerance 50ms).")
        width = _CONFUSED if tolerance is None else seconds(tolerance)
        if width <= 0:
            raise CaesuraError("the tolerance of recordings must be above 0; a fifth of it is the grid of the model.")
        return STEPS, width
    if tolerance is not None:
        raise CaesuraError(
            "tolerance applies to recordings and spans; for units give n_t=, the largest displacement plus one."
        )
    limit = 2 if n_t is None else n_t
    validate_integer("n_t", limit, 1, most=MAX_REACH + 1)
    return int(limit) - 1, 0.0


def _check_length(layers: Sequence[Layer], reach: int) -> None:
    """Raise an error if no text is longer than the reach."""
    for layer in layers:
        longest = max(range(len(layer.items)), key=lambda number: layer.items[number].gaps)
        gaps = layer.items[longest].gaps
        if reach and 0 < gaps <= reach:
            raise CaesuraError(
                f"n_t is {reach + 1}, but the longest text, {track_title(*layer.tracks[longest])!r}, has {pluralize(gaps, 'gap')} only; "
                f"give n_t={gaps} or less."
            )


def _sensitivity(fitted: Sequence[FittedLayer]) -> Table:
    """Show what two annotators' gold standard and hit rates would be with half and twice the false-alarm rates."""
    rows = []
    for each in fitted:
        names = each.layer.annotators
        for factor in (0.5, 1.0, 2.0):
            fixed = np.clip(each.fit.parameters.rates.false_alarm * factor, 1e-9, 0.5)
            parameters = each.fit.parameters
            for _ in range(50):
                parameters = _with_false_alarms(parameters, fixed)
                parameters = run_em(each.fit.chain, parameters, each.fit.prior, max_steps=1).parameters
            parameters = _with_false_alarms(parameters, fixed)
            size = sum(map(len, each.fit.chain.decode(parameters)))
            hits = dict(zip(names, parameters.rates.hit.tolist(), strict=True))
            rows.append((f"× {factor:g}", size, *(hits[name] for name in sorted(names))))
    columns = (
        "false alarms",
        "gold boundaries",
        *(f"hit rate of {name}" for name in sorted(fitted[0].layer.annotators)),
    )
    return Table(
        "how much the answer depends on the false-alarm rates, which two annotators do not determine",
        columns,
        tuple(rows),
    )


def _with_false_alarms(parameters: Parameters, rates: Floats) -> Parameters:
    return Parameters(parameters.rate, parameters.rates._replace(false_alarm=rates))
