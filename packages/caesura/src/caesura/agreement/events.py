"""Agreement on events in time: linked annotations (EasyDIAg), nuclei (Staccato), and boundaries with random times as chance.

Coefficients of events are computed for every two coders and averaged, except for the degree of organisation, which takes any number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from caesura._version import __version__
from caesura.agreement.coefficients import corpus_of_coders, kappa_of_draws
from caesura.agreement.result import Agreement
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.batch import Batch, Side
from caesura.metrics.flexible import STEP_NOTE
from caesura.metrics.linked import Unmatched, linked_table, values_one_by_one
from caesura.metrics.organisation import ALL_BY_CHANCE, Chance, nucleated_by_chance, nuclei
from caesura.model.corpus import KIND_NOUNS, Corpus, CorpusLike
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import CountedPairs
from caesura.validation import validate_choice, validate_integer

_ENOUGH, _MOST_DRAWS, _CHUNK = (
    0.005,
    20_000,
    1000,
)  # standard error of the degree of organisation, draws, draws at a time
_PLACED = 50  # random placements of all pairs at a time


def linked_kappa(
    corpus: CorpusLike,
    *,
    overlap: float = 0.6,
    like: str = "caesura",
    unmatched: Unmatched = "in",
    resampling: Resampling | None = None,
) -> Agreement:
    """Compute the modified κ of linked annotations (Holle & Rein 2015), the mean over pairs of coders.

    Parameters
    ----------
    corpus : Corpus or dict
        Spans of two or more coders.
    overlap : float, default 0.6
        The share of the longer annotation that must overlap.
    like : {"caesura", "elan", "easydiag"}, default "caesura"
        Whose numbers to reproduce, see :mod:`caesura.metrics.linked`.
    unmatched : {"in", "out"}, default "in"
        Whether annotations that are not linked count.
    resampling : Resampling, default None
        The settings of an interval over items, for two coders.

    Returns
    -------
    Agreement
        Its ``details`` have "kappa_max", "raw", "linked_share", "matrix" (κ of every two coders) and "by_value" (κ of every value, Cohen's
        of value against everything else).

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(0, 2, "nod"), (5, 7, "shake"), (9, 10, "nod")], time=True, length=12.0)
    >>> ben = Spans.from_rows([(0, 2.2, "nod"), (5, 7, "shake")], time=True, length=12.0)
    >>> result = linked_kappa({"ann": ann, "ben": ben})
    >>> round(result.value, 3), round(result.details["kappa_max"], 3)
    (0.667, 0.667)
    """
    corpus = _spans(corpus)
    counted = CountedPairs.among_coders(corpus)
    measure = metric("linked-kappa", overlap=overlap, like=like, unmatched=unmatched)
    largest = metric("linked-kappa-max", overlap=overlap, like=like, unmatched=unmatched)
    rows = counted.by_item(measure)
    pooled = rows.sum(axis=0)
    table = linked_table(pooled, unmatched)
    matrix, met = counted.matrix(measure), counted.meetings()
    several = len(corpus.coders) > 2
    value = (
        float(np.nanmean(matrix[met])) if several and np.isfinite(matrix[met]).any() else float(measure.score(pooled))
    )
    observed = float(table.observed)
    # with several coders, the expectation that belongs to the mean of κ
    expected = float(table.fitted if like == "elan" else table.expected)
    if several and value != 1.0:
        expected = (observed - value) / (1 - value)
    interval = None
    if resampling is not None and not several:
        interval = resampling.intervals([measure], [rows])[0]
    return Agreement(
        "linked-kappa",
        observed,
        expected if np.isfinite(measure.score(pooled)) else float("nan"),
        measure.signature,
        details={
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "kappa_max": float(largest.score(pooled)),
            "raw": observed,
            "linked_share": float(metric("linked-share", overlap=overlap).score(pooled)),
            "matrix": matrix,
            "by_value": values_one_by_one(pooled, corpus.labels or (), unmatched),
            "notes": _sentences(measure, pooled),
        },
        interval=interval,
        title=f"κ of linked annotations{_PROGRAMS[like]}{', without the unmatched' if unmatched == 'out' else ''}",
    )


def organisation(
    corpus: CorpusLike, *, chance: Chance = "lengths", draws: int | None = None, seed: int = 0
) -> Agreement:
    """Compute the degree of organisation of any number of coders (Staccato), see :mod:`caesura.metrics.organisation`.

    Parameters
    ----------
    corpus : Corpus or dict
        Spans of two or more coders.
    chance : {"lengths", "classes", "elan"}, default "lengths"
        How random annotations get their lengths.
    draws : int, default None
        The number of random configurations; by default 1,000 or more, until the standard error is below 0.005, at most 20,000.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    Agreement
        ``observed`` and ``expected`` are shares of annotations in nuclei; ``details`` have "nucleated", "nuclei", "annotations",
        "expected_nucleated" and "p_value", the share of random configurations with at least as many annotations in nuclei.

    Examples
    --------
    >>> from caesura import Spans
    >>> ann = Spans.from_rows([(0, 2), (5, 7), (9, 10)], time=True, length=30.0)
    >>> organisation({"ann": ann, "ben": ann, "cem": ann}).value
    1.0
    """
    corpus = _spans(corpus)
    if draws is not None:
        validate_integer("draws", draws, 1)
    validate_choice("chance", chance, ("lengths", "classes", "elan"))
    unit, found, total, classes = 0.001 if corpus.timed else 1.0, 0, 0, 0
    streams: list[tuple[Any, float]] = []
    cells = corpus.item_of * len(corpus.tracks) + corpus.track_of
    for cell in np.unique(cells).tolist():
        rows = np.flatnonzero(cells == cell)
        marks = np.concatenate([np.arange(corpus.offsets[row], corpus.offsets[row + 1]) for row in rows])
        assert corpus.ends is not None
        starts, ends = corpus.positions[marks].astype(np.float64), corpus.ends[marks].astype(np.float64)
        named = nuclei(starts, ends)
        found, total, classes = (
            found + int((named >= 0).sum()),
            total + len(marks),
            classes + len(set(named.tolist()) - {-1}),
        )
        streams.append((np.sort(ends - starts), float(corpus.lengths[rows[0]])))
    expected = error = 0.0
    step, by_chance = draws or _CHUNK, np.zeros(0)
    for done in range(step, (draws or _MOST_DRAWS) + 1, step):
        by_chance = sum(
            (nucleated_by_chance(lengths, length, chance, done, seed, unit) for lengths, length in streams),
            np.zeros(done),
        )
        expected, error = float(by_chance.mean()), float(by_chance.std() / np.sqrt(done))
        spread = _error_of_degree(error, found, expected, total)
        if spread is None or spread <= _ENOUGH:
            break
        step *= 2
    return Agreement(
        "organisation",
        found / total if total else float("nan"),
        expected / total if total and expected < total else float("nan"),
        f"organisation|chance:{chance}|draws:{done}|seed:{seed}|v:{__version__}",
        standard_error=spread,
        details={
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "nucleated": found,
            "nuclei": classes,
            "annotations": total,
            "expected_nucleated": float(expected),
            "p_value": float((by_chance >= found).mean()) if total else float("nan"),
            "notes": [*([_sentence(ALL_BY_CHANCE)] if 0 < total <= expected else []), _describe_lengths(streams, unit)],
        },
        formula="organisation",
        title=f"degree of organisation{'' if chance == 'lengths' else f', chance of {chance}'}",
    )


def _describe_lengths(streams: list[tuple[Any, float]], unit: float) -> str:
    """Say within which lengths the random annotations were placed."""
    lengths = [length for _, length in streams]
    of = " s" if unit < 1 else " units"
    if len(lengths) == 1:
        return f"Random annotations were placed from 0 to {lengths[0]:g}{of}, the length of the recording or, if it is not known, the last end."
    return f"Random annotations were placed within the length of each of {len(lengths)} recordings ({sum(lengths):g}{of}) or, if it is not known, its last end."


def _error_of_degree(error: float, found: int, expected: float, total: int) -> float | None:
    """Return the standard error of the degree from that of the expectation; None where the degree is undefined."""
    if total <= expected:
        return None
    if found < expected:
        return error * found / expected**2
    return error * max(total - found, 1) / (total - expected) ** 2


def both_directions(counted: CountedPairs, measure: Metric) -> Agreement:
    """Score every coder against every other, each of the two once as the reference, and average; chance is not corrected for.

    Parameters
    ----------
    counted : CountedPairs
        The pairs of coders.
    measure : Metric
        A score that depends on which side is the reference, such as diarization-error or evHDS.

    Returns
    -------
    Agreement
        The mean of all directions; ``details["matrix"]`` has every coder as the reference (rows) with every other.
    """
    matrix, met = counted.matrix(measure), counted.meetings()
    if not met.any():
        raise CaesuraError("agreement needs two coders of one item.")
    corpus = counted.pairs.reference
    bare = "|".join(measure.signature.split("|")[:-1])
    return Agreement(
        "directions",
        float(np.nanmean(matrix[met])) if np.isfinite(matrix[met]).any() else float("nan"),
        float("nan"),
        f"directions|{bare}|v:{__version__}",
        details={
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "matrix": matrix,
            "directed": measure.name,
            "lower_is_better": not measure.higher_is_better,
        },
        formula="observed",
        title=f"{measure.title}, mean of both directions",
    )


#: What ``like`` adds to the name of a coefficient.
_PROGRAMS = {"caesura": "", "elan": " as in ELAN", "easydiag": " as in EasyDIAg"}


def _spans(corpus: CorpusLike) -> Corpus:
    corpus = corpus_of_coders(corpus)
    if corpus.kind != "spans":
        advice = "; read tiers as spans with as=spans (-O as=spans)" if corpus.kind == "time" else ""
        raise CaesuraError(
            f"coefficients of events compare spans; these are annotations of {KIND_NOUNS[corpus.kind]}{advice}."
        )
    return corpus


# ---------------------------------------------------------------------- boundaries at random times


def _sentences(measure: Metric, pooled: Any) -> list[str]:
    """Return what the metric says about pooled counts, as a list of at most one sentence."""
    said = measure.family.summarize(measure.family.counts._make(pooled))
    return [_sentence(said)] if said else []


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def timed_agreement(counted: CountedPairs, measure: Metric, *, draws: int = 1000, seed: int = 0) -> Agreement:
    """Correct boundary-F, Sf or SfB of recordings for chance (κ): all boundaries are placed at random times.

    Every coder keeps the number and the types of the boundaries of every recording; their times are uniform over the recording.

    Parameters
    ----------
    counted : CountedPairs
        The pairs of coders.
    measure : Metric
        boundary-F, Sf or SfB.
    draws : int, default 1,000
        The number of random placements.
    seed : int, default 0
        The seed of the random numbers.
    """
    if not len(counted.pairs):
        raise CaesuraError("agreement needs two coders of one recording.")
    batch = measure.prepare(counted.batch)
    random, sums = np.random.default_rng(seed), []
    for start in range(0, draws, _PLACED):
        repeats = np.tile(np.arange(len(batch)), min(_PLACED, draws - start))
        lengths = batch.lengths[repeats]
        ref, hyp = (
            _place_at_random(side.take(repeats), lengths, random) for side in (batch.reference, batch.hypothesis)
        )
        rows = measure.family.count(Batch(batch.kind, lengths, ref, hyp, batch.labels))
        sums.append(rows.reshape(-1, len(batch), rows.shape[1]).sum(axis=1))
    drawn = measure.score(np.concatenate(sums))
    result = kappa_of_draws(counted, measure, drawn, chance="times", seed=seed)
    if measure.name == "boundary-F":
        return result
    notes = _sentences(measure, counted.rows(measure).sum(axis=0))
    if not notes and measure.parameters["step"] is None:
        notes = [_sentence(STEP_NOTE)]
    return replace(result, details={**result.details, "notes": notes})


def _place_at_random(side: Side, lengths: Any, random: np.random.Generator) -> Side:
    """Give all marks random times, in order within each pair; types stay with the marks."""
    index, pair = side.unpack()
    times = random.random(len(index)) * lengths[pair]
    order = np.lexsort((times, pair))
    types = None if side.types is None else side.types[index][order]
    return Side.pack(times[order], pair, len(side.starts), types)
