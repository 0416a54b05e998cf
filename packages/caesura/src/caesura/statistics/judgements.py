r"""Which metric agrees with people? Masked questions, votes, and a ranking of metrics (after Ocampo Diaz & Ouyang 2022, appendix A).

A question shows a gold segmentation and two others, whose names are hidden, and asks which of the two is closer to gold, or whether they are
the same. :func:`make_questions` chooses those on which metrics disagree, :func:`rank_metrics` compares the answers of readers with what each
metric prefers. The agreement of a metric is the share of all votes for its answer; of a reader, whether the vote is that of most other readers:

.. math:: a = \frac{\sum_q v_{q, p(q)}}{\sum_q \sum_c v_{q, c}}

for :math:`v_{q, c}` votes for the answer c to question q, and the answer p(q) of the metric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from json import dumps
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import IntervalCell, Rounded, Table
from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Metric, metric
from caesura.model import Corpus, Pairs, Segmentation
from caesura.model.corpus import KIND_NOUNS
from caesura.statistics.counted import distinct_names
from caesura.text import describe_location, pluralize
from caesura.validation import validate_integer

#: The answers to a question.
Answer: TypeAlias = Literal["first", "second", "same"]
ANSWERS: tuple[Answer, ...] = ("first", "second", "same")

#: Metrics that questions are chosen by, and that are ranked, by default: one or two of every family of boundaries.
DEFAULT_METRICS = (
    "A",
    "A:alignment=global",
    "B",
    "B:n_t=3",
    "S",
    "F",
    "tolerance-F",
    "GHD",
    "WD",
    "WD:edges=padded",
    "Pk",
    "WinPR",
    "k-kappa",
    "PA",
)
_SAME = 1e-9  # scores closer than this are the same
_UNDEFINED = len(ANSWERS)  # the answer of a metric without a score
_RESAMPLES = 2000
#: Units of the longest text that readers are asked about.
LONGEST_TEXT = 400


@dataclass(frozen=True)
class Question:
    """A gold segmentation and two others.

    Attributes
    ----------
    name : str
        The name of the question, such as "q07".
    gold, first, second : Segmentation
        The segmentations, of one length.
    units : tuple of str or None
        The text, if it is known.
    source : mapping of str to str
        Where they come from: item, gold, first, second. Hidden from readers.
    """

    name: str
    gold: Segmentation
    first: Segmentation
    second: Segmentation
    units: tuple[str, ...] | None = None
    source: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_masses(cls, name: str, gold: Sequence[int], first: Sequence[int], second: Sequence[int]) -> Question:
        """Return a question, given the masses of the three segmentations."""
        sides = [Segmentation.from_masses(masses) for masses in (gold, first, second)]
        return cls(name, sides[0], sides[1], sides[2])


@dataclass(frozen=True)
class Questions:
    """Questions for readers.

    Attributes
    ----------
    questions : tuple of Question
        The questions, in the order in which they are asked.
    title : str
        A title for the page.
    """

    questions: tuple[Question, ...]
    title: str = "Which is closer?"

    @property
    def code(self) -> str:
        """A short code of the segmentations, by which votes know their questions."""
        told = [[q.name, q.gold.masses, q.first.masses, q.second.masses] for q in self.questions]
        return sha256(dumps(told).encode()).hexdigest()[:12]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "caesura": "questions",
            "code": self.code,
            "title": self.title,
            "questions": [
                {
                    "name": q.name,
                    "gold": q.gold.masses,
                    "first": q.first.masses,
                    "second": q.second.masses,
                    "units": None if q.units is None else list(q.units),
                    "source": dict(q.source),
                }
                for q in self.questions
            ],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Questions:
        """Return questions from the data of :meth:`as_dict`.

        Raises
        ------
        CaesuraError
            If the data are not questions, or were changed.
        """
        if not isinstance(data, Mapping) or data.get("caesura") != "questions" or not data.get("questions"):
            raise CaesuraError("these are not questions, as caesura judge make writes them.")
        try:
            listed = tuple(
                Question(
                    str(q["name"]),
                    Segmentation.from_masses(q["gold"]),
                    Segmentation.from_masses(q["first"]),
                    Segmentation.from_masses(q["second"]),
                    None if q.get("units") is None else tuple(map(str, q["units"])),
                    {str(key): str(value) for key, value in (q.get("source") or {}).items()},
                )
                for q in data["questions"]
            )
        except (KeyError, TypeError, AttributeError) as fault:
            raise CaesuraError(f"a question is incomplete: {fault}.") from None
        if wrong := next((q.name for q in listed if len({q.gold.length, q.first.length, q.second.length}) > 1), None):
            raise CaesuraError(f"question {wrong!r}: the segmentations have different lengths.")
        if wrong := next((q.name for q in listed if q.units is not None and len(q.units) != q.gold.length), None):
            raise CaesuraError(f"question {wrong!r}: the text has another length than its segmentations.")
        if wrong := next((name for name, number in Counter(q.name for q in listed).items() if number > 1), None):
            raise CaesuraError(f"the question {wrong!r} occurs twice.")
        found = cls(listed, str(data.get("title", "")) or cls.title)
        if data.get("code") not in (None, found.code):
            raise CaesuraError(
                "the segmentations were changed after the questions were made; their code no longer fits."
            )
        return found


# ---------------------------------------------------------------------- making questions


def make_questions(
    reference: Corpus | None = None,
    systems: Mapping[str, Corpus] | None = None,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    number: int = 20,
    seed: int = 0,
    title: str = Questions.title,
) -> Questions:
    """Choose questions on which metrics disagree.

    Two metrics disagree on a question if they prefer different segmentations, and half as much if one of them is undecided. Questions are
    added one by one; each is worth the sum, over pairs of metrics that disagree on it, of 1 / (1 + earlier questions on which they do), so
    that every two metrics are told apart.

    Parameters
    ----------
    reference : Corpus, default None
        Texts with gold segmentations, of at most :data:`LONGEST_TEXT` units; without systems, their coders are compared with each other.
        None: texts are drawn.
    systems : mapping of str to Corpus, default None
        Segmentations of the same texts by name, two or more.
    metrics : sequence of str or Metric
        Metrics of texts, two or more.
    number : int, default 20
        The number of questions, at most.
    seed : int, default 0
        The seed of the order, of which segmentation comes first, and of drawn texts.
    title : str, default "Which is closer?"
        A title for the page.

    Returns
    -------
    Questions

    Examples
    --------
    >>> found = make_questions(number=5, metrics=["A", "B", "WD"])
    >>> len(found.questions)
    5
    """
    validate_integer("number", number, 1, most=500, of="questions")
    chosen = [metric(each) for each in metrics]
    if len(chosen) < 2:
        raise CaesuraError("questions need two metrics or more, which may disagree.")
    random = np.random.default_rng(seed)
    if reference is None:
        candidates = list(_draw_triples(random, max(40 * number, 400)))
    else:
        candidates = list(_triples(reference, systems or {}))
        if not candidates:
            long = f" of at most {LONGEST_TEXT} units" if long_texts(reference) else ""
            needed = "a second system" if len(systems or {}) == 1 else "two systems, or three coders,"
            raise CaesuraError(
                f"no text{long} has two different segmentations to compare with gold; questions need {needed} that segmented the same texts."
            )
    preferred = preferences(chosen, candidates)
    picked = _pick(preferred, number)
    if not picked:
        raise CaesuraError("the metrics agree on every pair of segmentations; take other metrics or more texts.")
    random.shuffle(picked)
    digits = len(str(len(picked)))
    return Questions(
        tuple(
            _with_name(candidates[at], f"q{i:0{digits}}", swapped=bool(random.random() < 0.5))
            for i, at in enumerate(picked, 1)
        ),
        title,
    )


def _with_name(question: Question, name: str, *, swapped: bool) -> Question:
    first, second, source = question.first, question.second, dict(question.source)
    if swapped:
        first, second = second, first
        source["first"], source["second"] = source.get("second", ""), source.get("first", "")
    return Question(name, question.gold, first, second, question.units, source)


def _pick(preferred: NDArray[np.int64], number: int) -> list[int]:
    """Choose questions one by one, each with most disagreement that is not covered yet."""
    pairs = np.array(list(combinations(range(len(preferred)), 2)))
    one, other = preferred[pairs[:, 0]], preferred[pairs[:, 1]]
    undecided = (one >= 2) | (other >= 2)
    apart = np.where(one != other, np.where(undecided, 0.5, 1.0), 0.0)  # pairs of metrics × candidates
    covered, picked = np.zeros(len(pairs)), list[int]()
    left = np.ones(preferred.shape[1], bool)
    for _ in range(min(number, preferred.shape[1])):
        worth = np.where(left, (apart / (1.0 + covered)[:, None]).sum(axis=0), -1.0)
        best = int(np.argmax(worth))
        if worth[best] <= 0:
            break
        picked.append(best)
        left[best] = False
        covered += apart[:, best]
    return picked


def long_texts(reference: Corpus) -> list[str]:
    """Return the items that are longer than :data:`LONGEST_TEXT`, about which no question is asked."""
    return sorted(
        {item for item, _, marks, _ in reference if isinstance(marks, Segmentation) and marks.length > LONGEST_TEXT}
    )


def _triples(reference: Corpus, systems: Mapping[str, Corpus]) -> Iterator[Question]:
    """Yield every text with gold and two different segmentations."""
    if reference.kind != "units":
        raise CaesuraError(f"questions show texts in units; these are annotations of {KIND_NOUNS[reference.kind]}.")
    golds: dict[tuple[str, str], dict[str, Segmentation]] = {}
    for item, coder, marks, track in reference:
        if isinstance(marks, Segmentation):
            golds.setdefault((item, track), {})[coder] = marks
    others: dict[tuple[str, str], dict[str, Segmentation]] = {}
    for name, corpus in systems.items():
        Pairs.between(reference, corpus, missing="skip")
        for item, _, marks, track in corpus:
            if isinstance(marks, Segmentation):
                others.setdefault((item, track), {})[name] = marks
    for (item, track), coders in golds.items():
        if next(iter(coders.values())).length > LONGEST_TEXT:
            continue
        units = reference.texts.get((item, track))
        for coder, gold in coders.items():
            rest = others.get((item, track), {}) if systems else {c: m for c, m in coders.items() if c != coder}
            for name, marks in rest.items():
                if marks.length != gold.length:
                    raise LengthMismatch(
                        f"{describe_location(item, track)}: gold has {gold.length} units, {name!r} {marks.length}; all must cover the same text."
                    )
            for (one, first), (two, second) in combinations(rest.items(), 2):
                placed = [m.distinct_positions.tolist() for m in (gold, first, second)]
                if placed[1] != placed[2]:
                    plain = [Segmentation(int(gold.length), each) for each in placed]
                    source = {"item": item, "gold": coder, "first": one, "second": two}
                    yield Question("", plain[0], plain[1], plain[2], units, source)


def _draw_triples(random: np.random.Generator, number: int) -> Iterator[Question]:
    """Yield drawn texts of 10 to 30 units, and two copies of their segmentation with one to three errors each."""
    while number:
        length = int(random.integers(10, 31))
        gold = np.sort(
            random.choice(np.arange(1, length), size=int(random.integers(1, max(2, length // 4) + 1)), replace=False)
        )
        first, second = (_disturb(random, gold.tolist(), length) for _ in range(2))
        if first == second or gold.tolist() in (first, second):
            continue
        number -= 1
        marks = [Segmentation(length, each) for each in (gold, first, second)]
        yield Question(
            "",
            marks[0],
            marks[1],
            marks[2],
            None,
            {"item": "drawn", "gold": "gold", "first": "copy 1", "second": "copy 2"},
        )


def _disturb(random: np.random.Generator, boundaries: list[int], length: int) -> list[int]:
    """Return the boundaries with one to three of them moved, deleted or added."""
    kept = set(boundaries)
    for _ in range(int(random.integers(1, 4))):
        kind = random.choice(["move", "move", "delete", "add"])
        at = int(random.choice(sorted(kept))) if kept else 0
        if kind == "delete" and kept:
            kept.discard(at)
        elif kind == "move" and kept:
            to = at + int(random.choice([-4, -3, -2, -1, 1, 2, 3, 4]))
            if 0 < to < length and to not in kept:
                kept = (kept - {at}) | {to}
        elif kind == "add":
            kept.add(int(random.integers(1, length)))
    return sorted(kept)


def preferences(metrics: Sequence[Metric], questions: Sequence[Question]) -> NDArray[np.int64]:
    """Return what each metric answers to each question: 0 the first, 1 the second, 2 the same, 3 undefined.

    Parameters
    ----------
    metrics : sequence of Metric
        Metrics of texts.
    questions : sequence of Question
        The questions.

    Returns
    -------
    ndarray
        Metrics × questions.
    """
    answers = np.full((len(metrics), len(questions)), _UNDEFINED)
    for row, each in enumerate(metrics):
        if "units" not in each.kinds:
            raise CaesuraError(
                f"{each.name} compares {' or '.join(sorted(each.kinds))}; questions show texts in units."
            )
        for at, question in enumerate(questions):
            try:
                scores = [each.gains(each(question.gold, side)) for side in (question.first, question.second)]
            except CaesuraError:  # such as a text that is too short for a window
                continue
            if not np.isnan(scores).any():
                answers[row, at] = 2 if abs(scores[0] - scores[1]) < _SAME else int(scores[1] > scores[0])
    return answers


# ---------------------------------------------------------------------- votes


@dataclass(frozen=True)
class Votes:
    """The answers of readers.

    Attributes
    ----------
    counts : mapping of str to sequence of int
        Question -> votes for the first, for the second, and for the same.
    readers : int
        The number of readers; 0 if it is unknown.
    """

    counts: Mapping[str, Sequence[int]]
    readers: int = 0

    @classmethod
    def from_answers(cls, answers: Iterable[tuple[str, str, str]]) -> Votes:
        """Return votes from rows of (reader, question, answer); the last answer of a reader to a question counts.

        Examples
        --------
        >>> Votes.from_answers([("ann", "q1", "first"), ("ben", "q1", "same")]).counts
        {'q1': (1, 0, 1)}
        """
        given: dict[tuple[str, str], str] = {}
        for reader, question, answer in answers:
            spelled = answer.strip().lower()
            if spelled not in ANSWERS:
                raise CaesuraError(
                    f"the answer of {reader!r} to {question!r} is {answer!r}; expected first, second or same."
                )
            given[reader, question] = spelled
        counts: dict[str, list[int]] = {}
        for (_, question), answer in given.items():
            counts.setdefault(question, [0, 0, 0])[ANSWERS.index(answer)] += 1
        return cls({name: tuple(row) for name, row in counts.items()}, len({reader for reader, _ in given}))


@dataclass(frozen=True)
class RankedMetric:
    """A metric compared with the votes.

    Attributes
    ----------
    name : str
        The metric.
    agreement : float
        The share of votes for its answers.
    interval : (float, float) or None
        A 95 % interval, by a bootstrap over questions; None for one question.
    majorities : int
        Questions to which it gives the answer with most votes.
    undecided, undefined : int
        Questions on which both scores are the same, or one is undefined.
    """

    name: str
    agreement: float
    interval: tuple[float, float] | None
    majorities: int
    undecided: int
    undefined: int


@dataclass(frozen=True, repr=False)
class MetricRanking(Result):
    """Metrics by their agreement with readers, the best first.

    Attributes
    ----------
    metrics : tuple of RankedMetric
        The metrics.
    readers : float
        The share of votes that most other readers share, the level that a metric can hope for; NaN without a second vote.
    questions, votes : int
        The number of questions with votes, and of votes.
    """

    metrics: tuple[RankedMetric, ...]
    readers: float
    questions: int
    votes: int

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per metric."""
        rows = tuple(
            (
                each.name,
                Rounded(100 * each.agreement, 1),
                None if each.interval is None else IntervalCell(*(100 * x for x in each.interval)),
                each.majorities,
                each.undecided,
                each.undefined or None,
            )
            for each in self.metrics
        )
        columns = ("metric", "votes agreed with, %", "95 % over questions", "majorities", "undecided", "undefined")
        caption = f"{pluralize(len(rows), 'metric')} by agreement with {pluralize(self.votes, 'vote')} on {pluralize(self.questions, 'question')}"
        readers = (
            f"A reader agrees with most others in {100 * self.readers:.1f} % of the votes"
            if np.isfinite(self.readers)
            else "No question has votes of two readers, so that their agreement is unknown"
        )
        notes = (f"{readers}; answers at random agree with 33.3 %.",)
        return [Table(caption, columns, rows, notes).without_empty()]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        names = tuple(RankedMetric.__dataclass_fields__)
        return {
            "questions": self.questions,
            "votes": self.votes,
            "readers": self.readers,
            "metrics": [{name: getattr(each, name) for name in names} for each in self.metrics],
        }


def rank_metrics(
    questions: Questions, votes: Votes, metrics: Sequence[str | Metric] = DEFAULT_METRICS, *, seed: int = 0
) -> MetricRanking:
    """Rank metrics by their agreement with readers.

    Parameters
    ----------
    questions : Questions
        The questions.
    votes : Votes
        The votes; questions without votes are left out.
    metrics : sequence of str or Metric
        Metrics of texts.
    seed : int, default 0
        The seed of the bootstrap.

    Returns
    -------
    MetricRanking

    Examples
    --------
    >>> asked = Questions((Question.from_masses("VT", [8, 8], [10, 6], [11, 5]),))
    >>> ranking = rank_metrics(asked, Votes({"VT": (6, 0, 0)}), ["A", "B"])
    >>> [(each.name, each.agreement) for each in ranking.metrics]
    [('A', 1.0), ('B', 0.0)]
    """
    known = {q.name for q in questions.questions}
    if strange := sorted(set(votes.counts) - known):
        raise CaesuraError(
            f"there is a vote on question {strange[0]!r}, which is not among the {len(known)} questions."
        )
    asked = [q for q in questions.questions if sum(votes.counts.get(q.name, (0,)))]
    if not asked:
        raise CaesuraError("there are no votes on these questions.")
    chosen = [metric(each) for each in metrics]
    counts = np.array([votes.counts[q.name] for q in asked], np.int64)
    answers = preferences(chosen, asked)
    padded = np.hstack((counts, np.zeros((len(asked), 1), np.int64)))  # nobody votes for "undefined"
    agreed = padded[np.arange(len(asked)), answers]  # metrics × questions
    most = counts.max(axis=1)
    weights = np.random.default_rng(seed).multinomial(len(asked), np.full(len(asked), 1 / len(asked)), size=_RESAMPLES)
    drawn = (weights @ agreed.T) / np.maximum(weights @ counts.sum(axis=1), 1)[:, None]
    ranked = [
        RankedMetric(
            name,
            float(agreed[row].sum() / counts.sum()),
            None
            if len(asked) < 2
            else (float(np.quantile(drawn[:, row], 0.025)), float(np.quantile(drawn[:, row], 0.975))),
            int((agreed[row] == most).sum()),
            int((answers[row] == 2).sum()),
            int((answers[row] == _UNDEFINED).sum()),
        )
        for row, name in enumerate(distinct_names(chosen))
    ]
    ranked.sort(key=lambda each: (-each.agreement, -each.majorities))
    return MetricRanking(tuple(ranked), _agreement_of_readers(counts), len(asked), int(counts.sum()))


def _agreement_of_readers(counts: NDArray[np.int64]) -> float:
    """Return the share of votes that most of the other votes share; tied answers share one vote."""
    agreed = total = 0.0
    for row in counts.tolist():
        if sum(row) < 2:
            continue
        for answer, votes in enumerate(row):
            others = [n - (at == answer) for at, n in enumerate(row)]
            best = max(others)
            if votes and others[answer] == best:
                agreed += votes / others.count(best)
            total += votes
    return agreed / total if total else float("nan")
