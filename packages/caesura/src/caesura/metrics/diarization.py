r"""Diarization: who spoke when. Turns of speakers in time, whose names need not agree between the sides.

Let U be the evaluated time: the UEM, less no-score zones. In a stretch of U of length d in which the speakers R of the reference and S of
the hypothesis talk, with μ a one-to-one map from reference to hypothesis speakers,

.. math:: total = \sum d\,|R|, \quad miss = \sum d\,\max(|R| - |S|, 0), \quad false\ alarm = \sum d\,\max(|S| - |R|, 0)

.. math:: confusion = \sum d\,(\min(|R|, |S|) - |\{r \in R : \mu(r) \in S\}|), \quad
          DER = \frac{miss + false\ alarm + confusion}{total}

μ is sought in each recording and maximizes the time that mapped speakers share. All sums add up over recordings. With ``speakers="corpus"``, a
name stands for one person in all recordings, and one μ is sought for all of them together; so are the main speakers of purity and coverage
and the classes of B³, and the Jaccard error is the mean over all persons. Every score is then that of the recordings one after another.

- ``jaccard-error`` (JER) is the mean over reference speakers r of :math:`1 - |r \cap s| / |r \cup s|`, 1 without a partner s. Its map is
  the one of least total error. Speakers of the hypothesis without a partner cost nothing.
- ``speaker-purity`` is :math:`\sum_s \max_r |s \cap r| / \sum_s |s|`; ``speaker-coverage`` is the same with the sides swapped.
- ``speaker-Bcubed-*``: the label of a moment is the set of speakers who talk, the empty set included. With T(a, b) seconds of sets a and b,
  precision is :math:`\sum T(a,b)^2 / T(\cdot,b) / \sum T` and recall :math:`\sum T(a,b)^2 / T(a,\cdot) / \sum T`.

Zones of NOSCORE lines in the reference's RTTM (the attribute "noscore" of a recording) are taken out of the evaluated time, for the map of
speakers too. Turns of one speaker that overlap or touch are one turn. Times are compared on a grid of 100 ns. Spans of texts work in the same way.

Programs differ in three points, see the parameter ``like``:

==================  ==================================================  ===========================================
..                  ``nist`` (md-eval 22, dscore, spyder)               ``pyannote`` (pyannote.metrics)
==================  ==================================================  ===========================================
a collar c removes  c on both sides of every end of a reference turn    c in all: c/2 on either side
μ is sought on      the whole UEM, collars and overlaps included        the scored time
JER                 uses its own map                                    uses the map of the diarization error
==================  ==================================================  ===========================================

References
----------
NIST 2009, The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan; Ryant et al. 2019, The Second DIHARD Diarization
Challenge (JER); Bredin 2017, pyannote.metrics; Bagga & Baldwin 1998, Algorithms for scoring coreference chains (B³).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.kernels import load
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    harmonic_mean,
    marks_of_corpus,
    parameter,
    share_or_one,
    share_or_undefined,
    warn_if_zero,
)
from caesura.metrics.time_grid import check_fits_grid, grid, seconds, to_ticks
from caesura.validation import one_of

#: Whose conventions apply to collars, to the map of speakers and to frames.
Like: TypeAlias = Literal["nist", "dscore", "pyannote"]
#: Whether time in which two reference speakers talk is scored.
Overlap: TypeAlias = Literal["keep", "skip"]

#: Where a speaker's name stands for the same person.
Speakers: TypeAlias = Literal["recording", "corpus"]

#: What is wrong with a stretch of time.
ErrorKind: TypeAlias = Literal["missed", "false alarm", "confused"]

Stretches: TypeAlias = NDArray[np.int64]  # start and end in ticks, one row each

_RESOLUTION = 1e-7
_DSCORE_FRAME = 0.01  # seconds
_MOST_SPEAKERS = 2_000  # per side of a recording: the map takes cubic time
_MOST_NOTED = 5
_REFERENCE, _HYPOTHESIS, _EVALUATED, _BARRED = range(4)  # what begins or ends at an event


class DiarizationCounts(NamedTuple):
    """Seconds of errors, sums of Jaccard errors, and the parts of purity, coverage and B³."""

    total: Numbers  # of reference speakers
    miss: Numbers
    false_alarm: Numbers
    confusion: Numbers
    jaccard: Numbers  # sum of errors
    speakers: Numbers  # reference speakers with scored time
    pure: Numbers
    hypothesis: Numbers  # seconds of hypothesis speakers
    covered: Numbers
    bcubed_precision: Numbers
    bcubed_recall: Numbers
    evaluated: Numbers


def _error(c: DiarizationCounts) -> Parts:
    return c.miss + c.false_alarm + c.confusion, c.total


def _of_total(name: str) -> Any:
    return lambda c: (getattr(c, name), c.total)


def _pure_and_covered(c: DiarizationCounts) -> Parts:
    return c.pure, c.hypothesis, c.covered, c.total


def _bcubed(c: DiarizationCounts) -> Parts:
    return c.bcubed_precision, c.bcubed_recall, c.evaluated


def _f_of_purity(pure: Numbers, hypothesis: Numbers, covered: Numbers, total: Numbers) -> Numbers:
    return harmonic_mean(share_or_undefined(pure, hypothesis), share_or_undefined(covered, total))


def _f_of_bcubed(precision: Numbers, recall: Numbers, evaluated: Numbers) -> Numbers:
    return harmonic_mean(share_or_one(precision, evaluated), share_or_one(recall, evaluated))


_per_total = warn_if_zero(share_or_undefined, 1, "scored turns in the reference")
_ERROR: dict[str, Any] = {"higher_is_better": False, "best": 0.0, "bounds": (0.0, np.inf), "symmetric": False}


class SpeakerRow(NamedTuple):
    """A reference speaker of one recording; times are scored seconds.

    ``missed`` is the speaker's time in which nobody talks in the hypothesis, ``wrong`` the rest of the time in which the partner does not
    talk, and ``extra`` the partner's time in which the speaker does not talk. The partner is that of the diarization error, "" for none.
    """

    recording: str
    speaker: str
    partner: str
    speech: float
    missed: float
    wrong: float
    extra: float
    jaccard_error: float


class EvaluatedTime(str):
    """The evaluated time of each recording (UEM); as a string, the file name and a digest: ``all.uem#1f0c…``.

    A UEM file has lines of recording, channel, start and end in seconds. Stretches that overlap are merged. The special value
    ``"reference"`` stands for the time from the first to the last reference turn, which is md-eval's rule without a UEM.
    """

    stretches: Mapping[str, tuple[tuple[float, float], ...]]
    everywhere: tuple[tuple[float, float], ...] | None

    @classmethod
    def of(cls, given: Any) -> EvaluatedTime:
        """Read a file, or take ``{item: [(start, end), …]}``, a list of (start, end) for every item, "reference" or None."""
        if isinstance(given, EvaluatedTime):
            return given
        if given is None or (isinstance(given, str) and given in ("", "reference")):
            return cls._make(given or "", {}, None)
        if isinstance(given, Mapping):
            table = {str(item): _valid_stretches(rows, f"item {item!r}") for item, rows in given.items()}
            return cls._make(f"given#{_digest(table)}", table, None)
        if isinstance(given, (str, Path)):
            path, _, digest = str(given).partition("#")
            table = _read_uem(Source.open(Path(path)))
            made = cls._make(f"{path}#{_digest(table)}", table, None)
            if digest and made != given:
                raise CaesuraError(f"{path} has changed: expected {given}, found {made}.")
            return made
        rows = _valid_stretches(given, "the list")
        return cls._make(f"given#{_digest({'': rows})}", {}, rows)

    @classmethod
    def _make(cls, name: str, table: Any, everywhere: Any) -> EvaluatedTime:
        made = cls(name)
        made.stretches, made.everywhere = table, everywhere
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluatedTime._make, (str(self), dict(self.stretches), self.everywhere)

    def stretches_of(self, item: str | None) -> tuple[tuple[float, float], ...] | None:
        """Return the stretches of a recording; None if there is no UEM."""
        if self.everywhere is not None or self in ("", "reference"):
            return self.everywhere
        if item is None or item not in self.stretches:
            listed = ", ".join(list(self.stretches)[:_MOST_NOTED])
            raise CaesuraError(f"the UEM {str(self).partition('#')[0]} has no recording {item!r}; it has {listed}.")
        return self.stretches[item]


def _digest(table: Mapping[str, Any]) -> str:
    return sha256(repr(sorted(table.items())).encode()).hexdigest()[:8]


def _valid_stretches(rows: Iterable[Any], where: str) -> tuple[tuple[float, float], ...]:
    valid = []
    try:
        valid = [(float(start), float(end)) for start, end in rows]
    except (TypeError, ValueError):
        raise CaesuraError(f"uem: {where} is not a list of (start, end) in seconds.") from None
    for start, end in valid:
        if not (0 <= start < end < np.inf):
            raise CaesuraError(f"uem: {where} has a stretch from {start:g} to {end:g} s; expected 0 ≤ start < end.")
    return tuple(sorted(valid))


def _read_uem(source: Source) -> dict[str, tuple[tuple[float, float], ...]]:
    """Read the stretches of every recording; of a file with several channels those of each, ``file:channel``, and of all."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for number, line in source.nonblank_lines(";;"):
        parts = line.split()
        try:
            item, channel, (start, end) = parts[0], parts[1], map(float, parts[2:4])
        except (IndexError, ValueError):
            raise source.error(
                number, f"expected recording, channel, start and end, found {line.strip()[:60]!r}."
            ) from None
        if not (0 <= start < end < np.inf):
            raise source.error(number, f"a stretch goes from {start:g} to {end:g} s; expected 0 ≤ start < end.")
        found.setdefault(item, {}).setdefault("1" if channel == "<NA>" else channel, []).append((start, end))
    if not found:
        raise source.error(None, "the file has no lines of recording, channel, start and end.")
    table: dict[str, tuple[tuple[float, float], ...]] = {}
    for item, channels in found.items():
        table[item] = tuple(sorted(row for rows in channels.values() for row in rows))
        if len(channels) > 1:
            table |= {f"{item}:{channel}": tuple(sorted(rows)) for channel, rows in channels.items()}
    overlapping = [item for item, rows in table.items() if any(a[1] > b[0] for a, b in pairwise(rows))]
    single = [item for item in overlapping if len(found.get(item, "1")) == 1]
    if single:
        more = f" (and of {len(single) - 1} others)" if single[1:] else ""
        warnings.warn(f"{source.path}: stretches of {single[0]!r}{more} overlap and were merged.", stacklevel=4)
    return table


@dataclass(frozen=True)
class Diarization(Family):
    """Errors of speaker diarization.

    Parameters
    ----------
    collar : float or str, default 0.0
        Time around the ends of reference turns that is not scored, in seconds or as ``"250ms"``; ``like`` says on which side.
    overlap : {"keep", "skip"}, default "keep"
        Whether time in which two reference speakers talk is scored; "skip" is md-eval's option ``-1``.
    like : {"nist", "dscore", "pyannote"}, default "nist"
        Whose conventions to follow, see the module; "dscore" is "nist" with frames of 10 ms.
    uem : str, path, dict or list, default None
        The time to evaluate: a UEM file, ``{item: [(start, end), …]}``, or a list of (start, end) for all recordings. By default from the
        first to the last turn of both sides; ``"reference"`` takes the reference turns only.
    frame : float, default None
        For the Jaccard error and B³, round times up to multiples of so many seconds, as dscore does with 0.01; by default time is exact.
    speakers : {"recording", "corpus"}, default "recording"
        Where a name stands for the same person: speakers are mapped in each recording, or once for all recordings.

    Examples
    --------
    >>> from caesura import Spans
    >>> from caesura.metrics import metric
    >>> gold = Spans.from_rows([(0, 4, "ann"), (4, 10, "ben")], time=True)
    >>> system = Spans.from_rows([(0, 5, "speaker1"), (5, 9, "speaker2")], time=True)
    >>> metric("diarization-error")(gold, system), metric("diarization-miss")(gold, system)
    (0.2, 0.1)
    >>> round(metric("diarization-error:collar=1")(gold, system), 3)
    0.0
    """

    collar: float = parameter("collar", 0.0)
    overlap: Overlap = parameter("overlap", "keep", one_of(*get_args(Overlap)))
    like: Like = parameter("like", "nist", one_of(*get_args(Like)))
    uem: Any = parameter("uem", "")
    frame: float | None = parameter("frame", None)
    speakers: Speakers = parameter("speakers", "recording", one_of(*get_args(Speakers)), silent=True)

    counts = DiarizationCounts
    scores = {
        "diarization-error": Score(
            "diarization error rate", "DER: missed, falsely detected and wrongly attributed speech, over all speech of the reference.",
            _error, _per_total, **_ERROR,
        ),
        "diarization-miss": Score(
            "missed speech", "Speech of the reference that the hypothesis lacks, as part of the diarization error rate.",
            _of_total("miss"), _per_total, **_ERROR,
        ),
        "diarization-false-alarm": Score(
            "false alarm", "Speech of the hypothesis that the reference lacks, as part of the diarization error rate.",
            _of_total("false_alarm"), _per_total, **_ERROR,
        ),
        "diarization-confusion": Score(
            "speaker confusion", "Speech attributed to the wrong speaker, as part of the diarization error rate.",
            _of_total("confusion"), _per_total, **(_ERROR | {"bounds": (0.0, 1.0)}),
        ),
        "jaccard-error": Score(
            "Jaccard error rate", "JER: one minus intersection over union of each reference speaker and its partner, averaged over speakers.",
            lambda c: (c.jaccard, c.speakers), warn_if_zero(share_or_undefined, 1, "scored speakers in the reference"),
            **(_ERROR | {"bounds": (0.0, 1.0)}),
        ),
        "speaker-purity": Score(
            "speaker purity", "Share of the time of hypothesis speakers that belongs to the main reference speaker of each.",
            lambda c: (c.pure, c.hypothesis), share_or_undefined, symmetric=False,
        ),
        "speaker-coverage": Score(
            "speaker coverage", "Share of the time of reference speakers that the main hypothesis speaker of each covers.",
            lambda c: (c.covered, c.total), share_or_undefined, symmetric=False,
        ),
        "speaker-purity-coverage-F": Score(
            "F of speaker purity and coverage", "Harmonic mean of speaker purity and coverage.",
            _pure_and_covered, _f_of_purity,
        ),
        "speaker-Bcubed-precision": Score(
            "B³ precision of speakers", "B³ precision on seconds; the label of a moment is the set of speakers who talk.",
            lambda c: (c.bcubed_precision, c.evaluated), share_or_one, symmetric=False,
        ),
        "speaker-Bcubed-recall": Score(
            "B³ recall of speakers", "B³ recall on seconds; the label of a moment is the set of speakers who talk.",
            lambda c: (c.bcubed_recall, c.evaluated), share_or_one, symmetric=False,
        ),
        "speaker-Bcubed-F": Score(
            "B³ F of speakers", "Harmonic mean of B³ precision and recall of speakers.", _bcubed, _f_of_bcubed,
        ),
    }  # fmt: skip
    kinds = frozenset({"spans"})
    opt_in_kinds = {"spans": "spans are compared as turns of speakers only where labels are speakers"}
    types = "sets"
    ignores_extra_items = True
    summary_in_tables = True
    drawing = "turns"
    paper = "NIST 2009, RT-09 evaluation plan; Ryant et al. 2019, The Second DIHARD Diarization Challenge; Bagga & Baldwin 1998"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "collar", seconds(self.collar, "a collar"))
        object.__setattr__(self, "uem", EvaluatedTime.of(self.uem))
        frame = _DSCORE_FRAME if self.frame is None and self.like == "dscore" else self.frame
        if frame is not None:
            frame = seconds(frame, "a frame")
            if frame == 0:
                raise CaesuraError("a frame is 0 s long; expected a number above 0, or no frame for exact time.")
            object.__setattr__(self, "frame", frame)

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides swaps the counts: collars and skipped overlaps belong to the reference."""
        return not self.collar and self.overlap == "keep" and self.uem != "reference"

    @property
    def independent(self) -> bool:
        """Whether the row of a recording depends on this recording alone."""
        return self.speakers == "recording"

    def summarize(self, counts: DiarizationCounts) -> str:
        """Return a sentence with the seconds of speech and of each kind of error, and what was scored."""
        parts = f"{counts.miss:.2f} missed, {counts.false_alarm:.2f} false alarm, {counts.confusion:.2f} confused"
        scored = f"; no UEM: scored {counts.evaluated:.2f} s, from the first to the last turn of both sides"
        return f"of {counts.total:.2f} s of speech, {parts}{'' if self.uem else scored}"

    def describe_items(self, items: Collection[str]) -> list[str]:
        """Return a sentence about recordings of the UEM that are not compared."""
        files = {name for name in self.uem.stretches if name.rpartition(":")[0] not in self.uem.stretches}
        known = {*items, *(item.rpartition(":")[0] for item in items)}
        if not (unknown := sorted(files - known)):
            return []
        listed = ", ".join(unknown[:_MOST_NOTED]) + (" …" if len(unknown) > _MOST_NOTED else "")
        return [f"the UEM has recordings that are not compared: {listed}."]

    def speaker_rows(self, batch: Batch) -> Iterator[SpeakerRow]:
        """Iterate over the reference speakers of every recording of a batch that :meth:`prepare` returned."""
        names = (*(batch.labels or ()), "")
        for pair, recording in enumerate(self._recordings(batch)):
            item = "" if batch.items is None else batch.items.of(pair)
            yield from recording.speaker_rows(item, names)

    def prepare(self, batch: Batch) -> Batch:
        """Reject other kinds, spans without labels, too many speakers and recordings that a UEM lacks."""
        ready = super().prepare(batch)
        for side, which in ((batch.reference, "reference"), (batch.hypothesis, "hypothesis")):
            if side.types is None and int(side.sizes.sum()):
                raise CaesuraError(f"the spans of the {which} have no labels; diarization compares speakers.")
        if self.speakers == "corpus" and batch.items is not None:
            items = [batch.items.of(pair) for pair in range(len(batch))]
            if twice := next((item for item, number in Counter(items).items() if number > 1), None):
                raise CaesuraError(
                    f"speakers=corpus maps one reference to one system, but item {twice!r} has several coders or tiers; choose one of each."
                )
        if self.uem.stretches:
            for pair in range(len(batch)):
                self.uem.stretches_of(None if batch.items is None else batch.items.of(pair))
        if batch.lengths.dtype.kind == "f":
            check_fits_grid(batch.lengths, _RESOLUTION)
        return ready

    def count(self, batch: Batch) -> Rows:
        """Count the seconds of every recording; frames apply to the Jaccard error and to B³ only, as in dscore."""
        exact = self._recordings(batch)
        framed: Iterable[_Recording] = exact
        if self.frame is not None:
            framed = self._shared(each.round_up(max(1, round(self.frame * each.scale))) for each in exact)
        rows = [(*e.errors, *f.jaccard, *e.purity, *f.bcubed) for e, f in zip(exact, framed, strict=True)]
        return np.array(rows).reshape(len(batch), len(DiarizationCounts._fields))

    def _recordings(self, batch: Batch) -> list[_Recording]:
        return self._shared(self._recording(batch, pair) for pair in range(len(batch)))

    def _shared(self, recordings: Iterable[_Recording]) -> list[_Recording]:
        """Return recordings whose names of speakers are mapped together, if names stand for the same persons in all of them."""
        found = list(recordings)
        if self.speakers == "corpus":
            _map_together(found)
        return found

    def _recording(self, batch: Batch, pair: int) -> _Recording:
        scale = grid(_RESOLUTION) if batch.lengths.dtype.kind == "f" else 1.0
        ref, hyp = (_turns(side, pair, scale) for side in (batch.reference, batch.hypothesis))
        half = round(self.collar * scale / (2 if self.like == "pyannote" else 1))
        item = None if batch.items is None else batch.items.of(pair)
        given = self.uem.stretches_of(item)
        if given is not None:
            evaluated = _union(to_ticks(np.array(given).reshape(-1, 2), scale))
        else:
            ends = [ref.stretches] if self.uem == "reference" else [ref.stretches, hyp.stretches]
            evaluated = _extent(np.concatenate(ends))
        unscored = () if batch.items is None or item is None else batch.items.unscored.get(item, ())
        if unscored:
            evaluated = _outside(evaluated, _union(to_ticks(np.array(unscored).reshape(-1, 2), scale)))
        barred = _union(np.concatenate([_collars(ref.stretches, half), _overlaps(ref.stretches, self.overlap)]))
        return _Recording(ref, hyp, evaluated, barred, scale, self.like)


def speaker_map(reference: Any, hypothesis: Any, **parameters: Any) -> dict[str, str]:
    """Return the best map from reference to hypothesis speakers of one recording.

    Parameters
    ----------
    reference, hypothesis : Spans
        Turns, labelled by their speakers.
    **parameters
        Parameters of :class:`Diarization`.

    Returns
    -------
    dict of str to str
        Reference speaker -> hypothesis speaker, without those that share no time.

    Examples
    --------
    >>> from caesura import Spans
    >>> gold = Spans.from_rows([(0, 4, "ann"), (4, 10, "ben")], time=True)
    >>> speaker_map(gold, Spans.from_rows([(0, 5, "B"), (5, 9, "A")], time=True))
    {'ann': 'B', 'ben': 'A'}
    """
    sides = marks_of_corpus(reference), marks_of_corpus(hypothesis)
    return compare_turns(Diarization(**parameters), Batch.of_pair(*sides)).partners


class ComparedTurns(NamedTuple):
    """The map of speakers of one recording, and the stretches with errors, in seconds."""

    partners: dict[str, str]
    errors: list[tuple[float, float, ErrorKind]]


def compare_turns(family: Diarization, batch: Batch, pair: int = 0) -> ComparedTurns:
    """Return whom the speakers of one recording were taken for, and where the errors are, for a drawing."""
    recording = family._recordings(family.prepare(batch))[pair]
    names = (*(batch.labels or ()), "")
    ours, theirs = recording.reference.speakers, recording.hypothesis.speakers
    partners = {names[ours[r]]: names[theirs[s]] for r, s in recording.speaker_map}
    return ComparedTurns(partners, list(recording.error_stretches()))


# ---------------------------------------------------------------------- one recording


class _Turns(NamedTuple):
    """The turns of one side in ticks, the speaker of each (an index of ``speakers``), and the label codes of the speakers."""

    stretches: Stretches
    speaker: NDArray[np.int64]
    speakers: list[int]

    def round_up(self, step: int) -> _Turns:
        """Round all times up to multiples of a step; turns within one step vanish."""
        rounded = _ceil(self.stretches, step)
        keep = rounded[:, 1] > rounded[:, 0]
        return _Turns(rounded[keep], self.speaker[keep], self.speakers)


class _Recording:
    """One recording: its events in order of time, and how long speakers talk together."""

    def __init__(
        self, reference: _Turns, hypothesis: _Turns, evaluated: Stretches, barred: Stretches, scale: float, like: Like
    ) -> None:
        self.reference, self.hypothesis, self.evaluated, self.barred = reference, hypothesis, evaluated, barred
        self.scale, self.like = scale, like
        # of all recordings of a corpus together, see _map_together; None: of this recording alone
        self.jaccard_row: tuple[float, float] | None = None
        self.bcubed_row: tuple[float, ...] | None = None
        stretches = (reference.stretches, hypothesis.stretches, evaluated, barred)
        many = [len(each) for each in stretches for _ in range(2)]
        times = np.concatenate([each[:, column] for each in stretches for column in range(2)])
        order = np.argsort(times, kind="stable")
        self.times = times = times[order]
        self.what = np.repeat([0, 0, 1, 1, 2, 2, 3, 3], many)[order]
        self.step = np.repeat([1, -1] * 4, many)[order]
        none = np.zeros(2 * (len(evaluated) + len(barred)), np.int64)
        self.speaker = np.concatenate([reference.speaker] * 2 + [hypothesis.speaker] * 2 + [none])[order]
        # how many turns of each side, evaluated stretches and no-score zones are open before each event
        steps = [np.where(self.what == kind, self.step, 0) for kind in range(4)]
        self.open = [np.cumsum(each) - each for each in steps]
        evaluated_ticks = np.where(self.open[_EVALUATED] > 0, np.diff(times, prepend=times[:1]), 0)
        scored = self.open[_BARRED] == 0
        self.duration = np.where(scored, evaluated_ticks, 0)  # scored ticks before each event
        shape = len(reference.speakers), len(hypothesis.speakers)
        self.whole, self.common = np.zeros(shape, np.int64), np.zeros(shape, np.int64)  # evaluated and scored time
        if 0 not in shape:
            columns = (evaluated_ticks, scored, self.what, self.speaker, self.step)
            load("assignment").add_common_time(*map(as_readonly_contiguous, columns), self.whole, self.common)

    def round_up(self, step: int) -> _Recording:
        """Return the recording with all times rounded up to multiples of a step."""
        turns = self.reference.round_up(step), self.hypothesis.round_up(step)
        return _Recording(*turns, _round_up(self.evaluated, step), _round_up(self.barred, step), self.scale, self.like)

    @cached_property
    def speaker_map(self) -> list[tuple[int, int]]:
        """The map of the diarization error; of equally good ones that with least confusion in the scored time."""
        sought = self.common if self.like == "pyannote" else self.whole
        pairs = _assign(-sought.astype(np.float64), -self.common.astype(np.float64))
        return [(r, s) for r, s in pairs if sought[r, s] > 0]

    @property
    def errors(self) -> tuple[float, ...]:
        """Seconds of reference speech, missed, falsely detected and attributed to the wrong speaker."""
        ours, theirs, duration = self.open[_REFERENCE], self.open[_HYPOTHESIS], self.duration
        correct = sum(int(self.common[r, s]) for r, s in self.speaker_map)
        parts = (
            duration @ ours,
            duration @ np.maximum(ours - theirs, 0),
            duration @ np.maximum(theirs - ours, 0),
            duration @ np.minimum(ours, theirs) - correct,
        )
        return tuple(int(part) / self.scale for part in parts)

    @property
    def purity(self) -> tuple[float, ...]:
        """Pure seconds of hypothesis speakers, all their seconds, and covered seconds of reference speakers."""
        ours, theirs = self.main_speakers
        pure, covered = (
            sum(self.common[r, s] for r, s in pairs if r >= 0 and s >= 0)
            for pairs in (zip(ours, range(len(ours)), strict=True), enumerate(theirs))
        )
        return tuple(int(part) / self.scale for part in (pure, self.speaker_times[1].sum(), covered))

    @cached_property
    def main_speakers(self) -> tuple[list[int], list[int]]:
        """The reference speaker who shares most time with each hypothesis speaker, and the other way round; -1 for nobody of this recording."""
        if 0 in self.common.shape:
            return [-1] * self.common.shape[1], [-1] * self.common.shape[0]
        return self.common.argmax(axis=0).tolist(), self.common.argmax(axis=1).tolist()

    @cached_property
    def speaker_times(self) -> list[NDArray[np.int64]]:
        """The scored ticks of every speaker of both sides."""
        return [self._times_of(side, self.duration) for side in (_REFERENCE, _HYPOTHESIS)]

    def _times_of(self, side: int, durations: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up durations over the turns of every speaker of one side."""
        past = np.cumsum(durations)  # up to each event: a turn has those at its end less those at its start
        mine = self.what == side
        time = np.zeros(len((self.reference, self.hypothesis)[side].speakers), np.int64)
        np.add.at(time, self.speaker[mine], -self.step[mine] * past[mine])
        return time

    def error_stretches(self) -> Iterator[tuple[float, float, ErrorKind]]:
        """Iterate over the scored stretches with an error, in order of time; neighbours of one kind are joined."""
        partner, talking = dict(self.speaker_map), (set[int](), set[int]())
        found: list[tuple[int, int, ErrorKind]] = []
        before = int(self.times[0]) if len(self.times) else 0
        columns = (self.times, self.duration, self.what, self.speaker, self.step)
        for time, scored, what, who, step in zip(*(column.tolist() for column in columns), strict=True):
            if scored:
                ours, theirs = talking
                right = sum(partner.get(r) in theirs for r in ours)
                kinds: list[ErrorKind] = (
                    ["missed"] if len(ours) > len(theirs) else ["false alarm"] if len(theirs) > len(ours) else []
                )
                kinds += ["confused"] if min(len(ours), len(theirs)) > right else []
                found += [(before, time, kind) for kind in kinds]
            if what in (_REFERENCE, _HYPOTHESIS):
                (talking[what].add if step > 0 else talking[what].discard)(who)
            before = time
        last: dict[ErrorKind, tuple[int, int]] = {}
        joined: list[tuple[int, int, ErrorKind]] = []
        for start, end, kind in found:
            if kind in last and last[kind][1] == start:
                last[kind] = last[kind][0], end
                continue
            joined += [(*last[kind], kind)] if kind in last else []
            last[kind] = start, end
        joined += [(*stretch, kind) for kind, stretch in last.items()]
        yield from ((start / self.scale, end / self.scale, kind) for start, end, kind in sorted(joined))

    def speaker_rows(self, item: str, names: Sequence[str]) -> Iterator[SpeakerRow]:
        """Iterate over the reference speakers, given the names of label codes."""
        partner = dict(self.speaker_map)
        ours, theirs = self.speaker_times
        alone = self._times_of(_REFERENCE, np.where(self.open[_HYPOTHESIS] == 0, self.duration, 0))
        for r, code in enumerate(self.reference.speakers):
            s = partner.get(r)
            common = 0 if s is None else int(self.common[r, s])
            other = 0 if s is None else int(theirs[s])
            whole, missed = int(ours[r]), int(alone[r])
            speech, silent, wrong, extra = (
                ticks / self.scale for ticks in (whole, missed, whole - missed - common, other - common)
            )
            union = whole + other - common
            error = 1.0 - common / union if union else np.nan
            name = "" if s is None else names[self.hypothesis.speakers[s]]
            yield SpeakerRow(item, names[code], name, speech, silent, wrong, extra, error)

    @property
    def jaccard(self) -> tuple[float, float]:
        """The sum of Jaccard errors and the number of reference speakers."""
        if self.jaccard_row is not None:
            return self.jaccard_row
        ours, theirs = self.speaker_times
        union = np.maximum(ours[:, None] + theirs[None, :] - self.common, 1)
        alike = self.common / union
        pairs = self.speaker_map if self.like == "pyannote" else _assign(-alike, np.zeros_like(alike))
        speakers = int(np.count_nonzero(ours))  # those without scored time share none, so they add 0 below
        return speakers - float(sum(alike[r, s] for r, s in pairs)), speakers

    @property
    def bcubed(self) -> tuple[float, float, float]:
        """The numerators of B³ precision and recall, and the scored seconds."""
        return self.bcubed_row or tuple(part / self.scale for part in _bcubed_of(self.sets_talking(), 1)[0])  # type: ignore[return-value]

    def sets_talking(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]:
        """Return codes of the sets of speakers of both sides who talk in every scored stretch, and its ticks."""
        some = self.duration > 0
        ours, theirs = (codes[some] for codes in self._set_codes())
        return ours, theirs, self.duration[some].astype(np.float64)

    def _set_codes(self) -> list[NDArray[np.uint64]]:
        """Return a code of the set of speakers of each side who talk before each event: a sum of random 64-bit numbers."""
        codes = []
        for kind, turns in enumerate((self.reference, self.hypothesis)):
            labels = np.array([*turns.speakers, 0])  # of speakers, which are the same in all recordings
            numbers = _random_numbers(int(labels.max()).bit_length())[labels]
            own = numbers[np.where(self.what == kind, self.speaker, 0)]
            change = np.where(self.what == kind, np.where(self.step > 0, own, -own), np.uint64(0))
            codes.append(np.cumsum(change) - change)  # unsigned integers wrap around, which keeps sums exact
        return codes


@cache
def _random_numbers(bits: int) -> NDArray[np.uint64]:
    """Return 2 to the power of ``bits`` random numbers; fewer are the first of more."""
    numbers: NDArray[np.uint64] = np.random.default_rng(2**31 - 1).integers(1, 2**63, 2**bits).astype(np.uint64)
    return numbers


def _bcubed_of(
    sets: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]],
    recordings: int,
    recording: NDArray[np.int64] | int = 0,
) -> NDArray[np.float64]:
    """Return the numerators of B³ precision and recall and the time of every recording; classes are those of all recordings together."""
    weight = sets[2]
    recording = np.broadcast_to(recording, weight.shape)
    ours, theirs = (np.unique(codes, return_inverse=True)[1] for codes in sets[:2])
    columns = int(theirs.max(initial=0)) + 1
    _, cell = np.unique(ours * columns + theirs, return_inverse=True)
    together, by_row, by_column = (np.bincount(codes, weight) for codes in (cell, ours, theirs))
    # a moment of a cell adds its own share of T(a, b)² / T(., b), so that the sums of recordings add up to those of the corpus
    parts = (weight * together[cell] / by_column[theirs], weight * together[cell] / by_row[ours], weight)
    return np.stack([np.bincount(recording, part, minlength=recordings) for part in parts], axis=1)


def _map_together(recordings: Sequence[_Recording]) -> None:
    """Map the speakers of all recordings at once: a name stands for one person; the recordings keep their part of the maps."""
    if not recordings:
        return
    sides = [[each.reference for each in recordings], [each.hypothesis for each in recordings]]
    known = [sorted({code for turns in side for code in turns.speakers}) for side in sides]
    index = [{code: number for number, code in enumerate(codes)} for codes in known]
    shape = len(known[0]), len(known[1])
    whole, common = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    own, places = [np.zeros(size, np.int64) for size in shape], []
    for each in recordings:
        ours, theirs = (
            np.array([index[side][code] for code in turns.speakers], np.int64)
            for side, turns in enumerate((each.reference, each.hypothesis))
        )
        places.append((ours, theirs))
        whole[np.ix_(ours, theirs)] += each.whole
        common[np.ix_(ours, theirs)] += each.common
        for side, time in enumerate(each.speaker_times):
            own[side][places[-1][side]] += time
    like = recordings[0].like
    sought = common if like == "pyannote" else whole
    pairs = [(r, s) for r, s in _assign(-sought.astype(float), -common.astype(float)) if sought[r, s] > 0]
    alike = common / np.maximum(own[0][:, None] + own[1][None, :] - common, 1)
    errors = np.ones(shape[0])
    for r, s in pairs if like == "pyannote" else _assign(-alike, np.zeros_like(alike)):
        errors[r] -= alike[r, s]
    empty = 0 in shape
    main = [] if empty else common.argmax(axis=0).tolist(), [] if empty else common.argmax(axis=1).tolist()
    for each, (ours, theirs) in zip(recordings, places, strict=True):
        here = (
            {code: place for place, code in enumerate(ours.tolist())},
            {code: place for place, code in enumerate(theirs.tolist())},
        )
        each.speaker_map = [(here[0][r], here[1][s]) for r, s in pairs if r in here[0] and s in here[1]]
        # a person's error is divided among the recordings by time, so that sums over recordings are sums over persons
        shares = each.speaker_times[0] / np.maximum(own[0][ours], 1)
        each.jaccard_row = float(shares @ errors[ours]), float(shares.sum())
        each.main_speakers = (
            [-1 if empty else here[0].get(main[0][s], -1) for s in theirs.tolist()],
            [-1 if empty else here[1].get(main[1][r], -1) for r in ours.tolist()],
        )
    sets = [each.sets_talking() for each in recordings]
    ours_sets, theirs_sets, weights = (np.concatenate(column) for column in zip(*sets, strict=True))
    of = np.repeat(np.arange(len(recordings)), [len(each[2]) for each in sets])
    rows = _bcubed_of((ours_sets, theirs_sets, weights), len(recordings), of)
    for each, row in zip(recordings, rows, strict=True):
        each.bcubed_row = tuple((row / each.scale).tolist())


def _assign(cost: NDArray[np.float64], tie: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pair rows and columns one to one at least cost, as many as the smaller side has."""
    rows, columns = cost.shape
    if rows == 0 or columns == 0:
        return []
    if max(rows, columns) > _MOST_SPEAKERS:
        raise CaesuraError(
            f"a recording has {max(rows, columns):,} labels; expected speakers, at most {_MOST_SPEAKERS:,}."
        )
    if rows > columns:
        return [(row, column) for column, row in _assign(cost.T, tie.T)]
    partner = np.empty(rows, np.int64)
    load("assignment").assign(as_readonly_contiguous(cost), as_readonly_contiguous(tie), partner)
    return list(enumerate(partner.tolist()))


def _turns(side: Side, pair: int, scale: float) -> _Turns:
    """Return the turns of one side; those of one speaker that overlap or touch are merged."""
    here = slice(side.starts[pair], side.stops[pair])
    assert side.ends is not None
    starts, ends = side.positions[here], side.ends[here]
    stretches = np.stack((starts, ends), axis=1)
    stretches = to_ticks(stretches, scale) if scale != 1.0 else stretches.astype(np.int64)
    codes = np.zeros(len(stretches), np.int64) if side.types is None else side.types[here]
    speakers, speaker = np.unique(codes, return_inverse=True)
    # one axis of time per speaker, so far apart that turns of different speakers never touch
    apart = int(stretches.max(initial=0)) + 2
    merged = _union(stretches + (speaker * apart)[:, None])
    who = merged[:, 0] // apart
    return _Turns(merged - (who * apart)[:, None], who, speakers.tolist())


def _union(stretches: Stretches) -> Stretches:
    """Merge stretches that overlap or touch; empty ones vanish."""
    stretches = stretches[stretches[:, 1] > stretches[:, 0]]
    if not len(stretches):
        return stretches
    stretches = stretches[np.argsort(stretches[:, 0], kind="stable")]
    latest = np.maximum.accumulate(stretches[:, 1])
    first = np.flatnonzero(np.concatenate(([True], stretches[1:, 0] > latest[:-1])))
    last = np.append(first[1:] - 1, len(stretches) - 1)
    return np.stack((stretches[first, 0], latest[last]), axis=1)


def _outside(stretches: Stretches, zones: Stretches) -> Stretches:
    """Take zones out of stretches; both are sorted and apart."""
    if not len(zones) or not len(stretches):
        return stretches
    cuts = np.unique(np.concatenate((stretches.ravel(), zones.ravel())))
    middle = (cuts[:-1] + cuts[1:]) / 2
    inside = [np.searchsorted(s[:, 0], middle) > np.searchsorted(s[:, 1], middle) for s in (stretches, zones)]
    kept = inside[0] & ~inside[1]
    return _union(np.stack((cuts[:-1], cuts[1:]), axis=1)[kept])


def _extent(stretches: Stretches) -> Stretches:
    return np.array([[stretches[:, 0].min(), stretches[:, 1].max()]]) if len(stretches) else stretches


def _collars(turns: Stretches, half: int) -> Stretches:
    """Return the stretches around both ends of every turn."""
    if not half:
        return np.empty((0, 2), np.int64)
    ends = turns.ravel()
    return np.stack((ends - half, ends + half), axis=1)


def _overlaps(turns: Stretches, overlap: Overlap) -> Stretches:
    """Return the stretches in which two or more speakers talk, if they are skipped."""
    if overlap == "keep" or not len(turns):
        return np.empty((0, 2), np.int64)
    times, step = turns.T.ravel(), np.repeat([1, -1], len(turns))
    order = np.lexsort((step, times))
    times, many = times[order], np.cumsum(step[order]) >= 2
    return np.stack((times[:-1], times[1:]), axis=1)[many[:-1]]


def _ceil(ticks: Stretches, step: int) -> Stretches:
    return -(-ticks // step) * step


def _round_up(stretches: Stretches, step: int) -> Stretches:
    return _union(_ceil(stretches, step))
