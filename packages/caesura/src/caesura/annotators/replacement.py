r"""The alternative annotator test, whether a candidate (a language model, a system) may replace a human annotator.

For item i and human j, S(a, i, j) is the mean similarity of a's annotation to those of the other humans. The candidate wins if S(c) ≥ S(j), the human
wins if S(j) ≥ S(c); d is 1 if only the human wins, -1 if only the candidate does. Against each human the hypothesis E d ≥ ε is tested by a
one-sided t test, with the correction of Benjamini & Yekutieli (2001) for several humans. The *winning rate* ω is the share of humans
against whom it is rejected; the candidate passes if ω ≥ 0.5. The *advantage* ρ is the mean share of items on which the candidate wins.

References
----------
Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify Replacing Human Annotators with LLMs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura._version import __version__
from caesura.agreement.ratings import Ratings
from caesura.annotators.territory import Floats
from caesura.display.plain import to_plain
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Code, Probability, Table
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.model.corpus import CorpusLike, as_corpus
from caesura.statistics.bootstrap import student_tail
from caesura.statistics.counted import CountedPairs, add_up
from caesura.text import pluralize
from caesura.validation import validate_choice, validate_integer, validate_range

#: What to do with fewer items than the t test needs.
Small: TypeAlias = Literal["wilcoxon"]
#: The similarity of two annotations: a metric, "accuracy" for one label per unit, or a function of two annotations.
SimilarityLike: TypeAlias = str | Metric | Callable[[Any, Any], float] | None

PASSES = 0.5
MIN_ITEMS = 30
_EQUAL = 1e-12  # scores that differ by less are equal
_CURVE = tuple(round(0.01 * step, 2) for step in range(31))

WHAT_IT_DOES_NOT_ANSWER = "The test does not say whether the candidate is right (all humans may be wrong), nor whether it is better than the gold standard of several humans."


class Contest(NamedTuple):
    """The items on which the candidate is compared with one human: similarity to the other humans, and the group of every item."""

    candidate: Floats
    human: Floats
    groups: tuple[str, ...]


@dataclass(frozen=True)
class HumanComparison:
    """The candidate against one human.

    Attributes
    ----------
    items : int
        The number of items (of groups, with ``cluster``).
    mean_difference : float
        The mean of d: how much more often the human is at least as good.
    p_value : float
        Of the hypothesis that it is ε or more.
    beaten : bool
        Whether the hypothesis was rejected.
    advantage : float
        The share of items on which the candidate is at least as good.
    """

    items: int
    mean_difference: float
    p_value: float
    beaten: bool
    advantage: float


@dataclass(frozen=True, repr=False)
class AlternativeAnnotatorTest(Result):
    """The result of the alternative annotator test.

    Attributes
    ----------
    candidate : str
        The candidate.
    epsilon : float
        How much worse than a human the candidate may be, as a reward for its lower cost.
    winning_rate : float
        ω, the share of humans that it beats.
    advantage : float
        ρ, the mean share of items on which it is at least as good; for ranking candidates, not tested.
    humans : mapping of str to HumanComparison
        The comparison with every human.
    curve : tuple of (float, float)
        ω for ε from 0 to 0.3.
    left_out : mapping of str to str
        Humans who were left out, and why.
    unused_items : int
        Items without two humans and the candidate.
    signature : str
        Everything that the numbers depend on.
    warnings : tuple of str
        Reasons to be careful when quoting the numbers.
    """

    candidate: str
    epsilon: float
    winning_rate: float
    advantage: float
    humans: Mapping[str, HumanComparison]
    curve: tuple[tuple[float, float], ...]
    left_out: Mapping[str, str]
    unused_items: int
    signature: str
    warnings: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether ω is one half or more."""
        return self.winning_rate >= PASSES

    def tables(self) -> Sequence[Table]:
        """Return the comparison with every human, and ω over ε."""
        rows = tuple(
            (
                name,
                each.items,
                each.advantage,
                each.mean_difference,
                Probability(each.p_value),
                "yes" if each.beaten else "no",
            )
            for name, each in self.humans.items()
        )
        verdict = (
            f"{self.candidate} {'passes' if self.passes else 'does not pass'}: winning rate ω {self.winning_rate:.2f} "
            f"({'at least' if self.passes else 'below'} {PASSES:g}), average advantage ρ {self.advantage:.2f}, at ε = {self.epsilon:g}."
        )
        left = tuple(f"left out: {name}, {why}." for name, why in self.left_out.items())
        unused = (
            (f"{pluralize(self.unused_items, 'item')} without two humans and {self.candidate} left out.",)
            if self.unused_items
            else ()
        )
        notes = (
            verdict,
            *(f"! {sentence}" for sentence in self.warnings),
            *left,
            *unused,
            self._over_epsilon(),
            WHAT_IT_DOES_NOT_ANSWER,
            Code(self.signature),
        )
        columns = ("human", "items", "candidate at least as good", "mean difference", "p", "beaten")
        return [Table(f"may {self.candidate} replace a human?", columns, rows, notes)]

    def _over_epsilon(self) -> str:
        shown = [(e, w) for e, w in self.curve if round(100 * e) % 5 == 0]
        return (
            "ω over ε: "
            + ", ".join(f"{e:g}: {w:.2f}" for e, w in shown)
            + " (0.2 for experts, 0.15 for skilled annotators, 0.1 for crowds)."
        )

    def pictures(self) -> Sequence[Picture]:
        """Draw ω over ε."""
        return [EpsilonCurve(self)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = to_plain(
            {
                "candidate": self.candidate, "epsilon": self.epsilon, "passes": self.passes, "winning_rate": self.winning_rate,
                "advantage": self.advantage, "humans": {name: vars(each) for name, each in self.humans.items()},
                "curve": [list(point) for point in self.curve], "left_out": dict(self.left_out), "unused_items": self.unused_items,
                "warnings": list(self.warnings), "signature": self.signature,
            }
        )  # fmt: skip
        return data


@dataclass(frozen=True)
class EpsilonCurve(PlotPicture):
    """The winning rate over ε."""

    test: AlternativeAnnotatorTest
    title: str = field(default="winning rate over ε", init=False)

    def plot(self) -> Plot:
        """Return the curve, the threshold and the chosen ε."""
        test = self.test
        name = f"{test.candidate} at ε = {test.epsilon:g}: ω {test.winning_rate:.2f}, ρ {test.advantage:.2f}"
        return Plot(
            f"{test.candidate}: {self.title}",
            f"Winning rate of {test.candidate} for ε from 0 to 0.3. {name}.",
            Scale("ε, how much worse the candidate may be", 0, 0.3, (0, 0.1, 0.2, 0.3)),
            Scale("winning rate ω", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
            curves=(
                Curve(((0, PASSES), (0.3, PASSES)), "faint", "passes from here", "·", "broken"),
                Curve(test.curve, "series0", "ω", "•"),
            ),
            points=(
                Point(min(test.epsilon, 0.3), test.winning_rate, "A", "series1", label=f"ε {test.epsilon:g}", tip=name),
            ),
        )


def alternative_annotator(
    corpus: CorpusLike,
    candidate: str,
    metric: SimilarityLike = None,
    epsilon: float | None = None,
    *,
    q: float = 0.05,
    min_items: int = MIN_ITEMS,
    small: Small | None = None,
    cluster: str | Mapping[str, str] | None = None,
) -> AlternativeAnnotatorTest:
    """Test whether a candidate may replace a human annotator (Calderon, Reichart & Dror 2025).

    Parameters
    ----------
    corpus : Corpus or dict
        The annotations of the humans and the candidate. Items are whole documents.
    candidate : str
        The coder to test; all others are humans.
    metric : str, Metric or callable, default None
        The similarity of two annotations of an item: any metric, or a function. By default B for texts, A for recordings, span-F for
        spans, nested-F for nested segments. "accuracy" is the share of units with the same label. Penalties are inverted, and metrics
        that depend on the reference are averaged both ways.
    epsilon : float, default None
        How much worse the candidate may be: 0.2 for experts (the default), 0.15 for skilled annotators, 0.1 for crowds.
    q : float, default 0.05
        The false discovery rate.
    min_items : int, default 30
        Humans with fewer items are left out, unless ``small`` is given.
    small : "wilcoxon", default None
        Test humans with fewer items by Wilcoxon's signed ranks, the paper's fallback.
    cluster : str or mapping, default None
        An attribute of items, or {item: group}, if several items come from one document: groups are then tested instead of items.

    Returns
    -------
    AlternativeAnnotatorTest
        ``.winning_rate``, ``.advantage``, ``.humans``, ``.passes``.

    Raises
    ------
    CaesuraError
        If fewer than two humans are left.

    Examples
    --------
    >>> import caesura as cs
    >>> texts = {f"text {n}": {"ann": [2, 3], "ben": [2, 3], "gpt": [2, 3], "eve": [1, 4]} for n in range(30)}
    >>> test = alternative_annotator(texts, candidate="gpt")
    >>> test.winning_rate, test.advantage, test.passes
    (1.0, 1.0, True)
    """
    data = as_corpus(corpus, "the annotations", lambda coder: ("text", coder))
    if candidate not in data.coders:
        raise CaesuraError(f"this corpus has no annotator {candidate!r}; it has {', '.join(data.coders)}.")
    if epsilon is not None:
        validate_range("epsilon", epsilon, 0, 1)
    validate_range("q", q, 1e-9, 1)
    validate_integer("min_items", min_items, 2)
    if small is not None:
        validate_choice("small", small, ("wilcoxon",))
    scores, name = _similarities(data, metric)
    groups = _groups(data, cluster)
    contests, unused = _contests(data, candidate, scores, groups)
    return compare_with_humans(
        contests, candidate, 0.2 if epsilon is None else epsilon, q=q, min_items=min_items, small=small, unused_items=unused,
        similarity=name, clustered=cluster is not None, default_epsilon=epsilon is None,
    )  # fmt: skip


def compare_with_humans(
    contests: Mapping[str, Contest],
    candidate: str,
    epsilon: float,
    *,
    q: float = 0.05,
    min_items: int = MIN_ITEMS,
    small: Small | None = None,
    unused_items: int = 0,
    similarity: str = "function",
    clustered: bool = False,
    default_epsilon: bool = False,
) -> AlternativeAnnotatorTest:
    """Run the test on similarities that were computed already, by human."""
    differences, advantages, left_out = {}, {}, {}
    for human, contest in contests.items():
        wins = (contest.candidate >= contest.human - _EQUAL).astype(np.float64)
        held = (contest.human >= contest.candidate - _EQUAL).astype(np.float64)
        grouped = _by_group(held - wins, contest.groups) if clustered else held - wins
        if len(grouped) < (2 if small else min_items):
            noun = "group" if clustered else "item"
            left_out[human] = f"{pluralize(len(grouped), noun)} with another human and {candidate}, {min_items} needed"
        else:
            differences[human], advantages[human] = grouped, float(wins.mean())
    if len(differences) < 2:
        listed = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        hint = (
            ""
            if small
            else f" (min_items=, --min-items; or small='wilcoxon', --small wilcoxon){': ' + listed if listed else ''}"
        )
        raise CaesuraError(
            f"the test needs two humans with enough items, and {pluralize(len(differences), 'human')} {'is' if len(differences) == 1 else 'are'} left{hint}."
        )

    def test(at: float) -> tuple[dict[str, float], set[str]]:
        p = {name: _p_value(d, at, rank=len(d) < min_items) for name, d in differences.items()}
        return p, _benjamini_yekutieli(p, q)

    p_values, beaten = test(epsilon)
    warnings = []
    if default_epsilon:
        warnings.append("ε was not given; 0.2 is meant for experts. See the winning rate for other values.")
    if len(differences) == 2:
        warnings.append("there are only two humans, so that each is compared with the other one alone.")
    if any(len(d) < min_items for d in differences.values()):
        warnings.append(f"humans with fewer than {min_items} items were tested by Wilcoxon's signed ranks.")
    humans = {
        name: HumanComparison(len(d), float(d.mean()), p_values[name], name in beaten, advantages[name])
        for name, d in sorted(differences.items())
    }
    curve = tuple((e, len(test(e)[1]) / len(differences)) for e in _CURVE)
    signature = f"alternative-annotator|{similarity}|ε:{epsilon:g}|q:{q:g}|min:{min_items}{'|clustered' if clustered else ''}|v:{__version__}"
    return AlternativeAnnotatorTest(
        candidate, epsilon, len(beaten) / len(differences), float(np.mean(list(advantages.values()))), humans, curve, left_out,
        unused_items, signature, tuple(warnings),
    )  # fmt: skip


def _similarities(corpus: Corpus, given: SimilarityLike) -> tuple[dict[tuple[str, str, str], float], str]:
    """Return the similarity of every two coders of every item, as {(item, coder, coder): value}, and what it is called."""
    if callable(given) and not isinstance(given, (str, Metric)):
        return _by_function(corpus, given), getattr(given, "__name__", "function")
    if given == "accuracy":
        return _accuracies(corpus), "accuracy"
    measure = make_metric(DEFAULT_METRICS[corpus.kind] if given is None else given)
    counted = CountedPairs.among_coders(corpus)
    first, second = counted.pairs.coders
    coders = len(corpus.coders)
    cell = (counted.pairs.item_of * coders + first) * coders + second
    cells, which = np.unique(cell, return_inverse=True)
    scores = measure.score(add_up(counted.rows(measure), which, len(cells)))
    if not measure.symmetric:
        back = measure.score(add_up(counted.other_way_round.rows(measure), which, len(cells)))
        scores = (scores + back) / 2
    values = scores if measure.higher_is_better else -scores
    found = {}
    for number, value in zip(cells.tolist(), values.tolist(), strict=True):
        pair, b = divmod(number, coders)
        item, a = divmod(pair, coders)
        if np.isnan(value) and _equal(corpus, counted.pairs.items[item], corpus.coders[a], corpus.coders[b]):
            value = measure.best if measure.higher_is_better else -measure.best  # such as two texts without boundaries
        found[counted.pairs.items[item], corpus.coders[a], corpus.coders[b]] = value
        found[counted.pairs.items[item], corpus.coders[b], corpus.coders[a]] = value
    return found, measure.signature.rpartition("|")[0]


def _equal(corpus: Corpus, item: str, first: str, second: str) -> bool:
    """Whether two annotations of an item are equal on all tracks that both have."""
    tracks = [t for t in corpus.tracks if (item, first, t) in corpus and (item, second, t) in corpus]
    return all(corpus[item, first, track] == corpus[item, second, track] for track in tracks)


def _by_function(corpus: Corpus, similarity: Callable[[Any, Any], float]) -> dict[tuple[str, str, str], float]:
    if len(corpus.tracks) > 1:
        raise CaesuraError("a similarity of your own compares items with one track; use a metric for several.")
    coded: dict[str, dict[str, Any]] = {}
    for item, coder, marks, _ in corpus:
        coded.setdefault(item, {})[coder] = marks
    return {
        (item, a, b): (float(similarity(own[a], own[b])) + float(similarity(own[b], own[a]))) / 2
        for item, own in coded.items()
        for a in own
        for b in own
        if a != b
    }


def _accuracies(corpus: Corpus) -> dict[tuple[str, str, str], float]:
    ratings = Ratings.of_corpus(corpus)
    found = {}
    for number, item in enumerate(ratings.items):
        codes = ratings.codes[ratings.item_of == number]
        for a, first in enumerate(ratings.coders):
            for b, second in enumerate(ratings.coders):
                both = (codes[:, a] >= 0) & (codes[:, b] >= 0)
                if a != b and both.any():
                    found[item, first, second] = float((codes[both, a] == codes[both, b]).mean())
    return found


def _groups(corpus: Corpus, cluster: str | Mapping[str, str] | None) -> dict[str, str]:
    """Return the group of every item."""
    if cluster is None:
        return {item: item for item in corpus.items}
    if isinstance(cluster, Mapping):
        missing = next((item for item in corpus.items if item not in cluster), None)
        if missing is not None:
            raise CaesuraError(f"cluster= names no group for item {missing!r}.")
        return {item: str(cluster[item]) for item in corpus.items}
    missing = next((item for item in corpus.items if cluster not in corpus.attributes.get(item, {})), None)
    if missing is not None:
        raise CaesuraError(f"item {missing!r} has no attribute {cluster!r} to group items by.")
    return {item: str(corpus.attributes[item][cluster]) for item in corpus.items}


def _contests(
    corpus: Corpus, candidate: str, scores: Mapping[tuple[str, str, str], float], groups: Mapping[str, str]
) -> tuple[dict[str, Contest], int]:
    """Compare the candidate with every human on the items that both and another human annotated; count the other items."""
    humans = [coder for coder in corpus.coders if coder != candidate]
    rows: dict[str, list[tuple[float, float, str]]] = {human: [] for human in humans}
    unused = 0
    for item in corpus.items:
        present = set(corpus.coders_of(item))
        here = [human for human in humans if human in present]
        if candidate not in present or len(here) < 2:
            unused += 1
            continue
        for human in here:
            others = [other for other in here if other != human]
            ours = np.array([scores.get((item, candidate, other), np.nan) for other in others])
            theirs = np.array([scores.get((item, human, other), np.nan) for other in others])
            both = np.isfinite(ours) & np.isfinite(theirs)  # an undefined score says nothing about either
            if both.any():
                rows[human].append((float(ours[both].mean()), float(theirs[both].mean()), groups[item]))
    return {
        human: Contest(np.array([r[0] for r in own]), np.array([r[1] for r in own]), tuple(r[2] for r in own))
        for human, own in rows.items()
    }, unused


def _by_group(values: Floats, groups: Sequence[str]) -> Floats:
    """Return the mean of every group."""
    listed = list(dict.fromkeys(groups))
    number = np.array([listed.index(group) for group in groups], np.int64)
    return np.asarray(np.bincount(number, values) / np.maximum(np.bincount(number), 1)) if len(values) else values


def _p_value(differences: Floats, epsilon: float, *, rank: bool) -> float:
    """Return the one-sided p-value of E d ≥ ε; if all differences are equal it is 0 below ε, and 1 otherwise."""
    number, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1)) if number > 1 else 0.0
    if spread < 1e-15:
        return 0.0 if mean < epsilon else 1.0
    if rank:
        return _signed_ranks(differences - epsilon)
    return student_tail((mean - epsilon) / (spread / sqrt(number)), number - 1)


def _signed_ranks(values: Floats) -> float:
    """Return the one-sided p-value of Wilcoxon's signed ranks (is the median below 0?), normal with a correction for ties."""
    values = values[np.abs(values) > _EQUAL]
    n = len(values)
    if n == 0:
        return 1.0
    sizes = np.round(np.abs(values), 12)
    distinct, which, ties = np.unique(sizes, return_inverse=True, return_counts=True)
    ends = np.cumsum(ties)
    ranks = ((ends - ties + 1 + ends) / 2)[which]
    positive = float(ranks[values > 0].sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    if variance <= 0 or not len(distinct):
        return 1.0
    z = (positive - n * (n + 1) / 4) / sqrt(variance)
    return (1 + erf(z / sqrt(2))) / 2


def _benjamini_yekutieli(p_values: Mapping[str, float], q: float) -> set[str]:
    """Return the names whose hypotheses are rejected at false discovery rate q under any dependence."""
    names = sorted(p_values, key=lambda name: p_values[name])
    number = len(names)
    factor = sum(1 / k for k in range(1, number + 1))
    last = max((k for k, name in enumerate(names, 1) if p_values[name] <= k / number * q / factor), default=0)
    return set(names[:last])
