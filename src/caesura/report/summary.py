"""The first words of a report: what there is, how alike coders are, who and what to look at first."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from caesura.agreement import Agreement
from caesura.display.cells import clean, clip
from caesura.display.table import spell
from caesura.model import Corpus
from caesura.report.amounts import MARKS, marks_per_annotation, rate_words, rates_of_coders, total_length
from caesura.report.blocks import Section
from caesura.report.measures import Measures
from caesura.statistics.counted import Measured

_FEW = 3


def summary(corpus: Corpus, name: str, measures: Measures) -> Section:
    """Say in words what was measured."""
    sentences = [_what_there_is(corpus, clip(clean(name), 60))]
    if not measures.scores:
        alone = "There is one coder" if len(corpus.coders) == 1 else "No text was annotated by two coders"
        sentences.append(f"{alone}, so there is nothing to compare. The documents are drawn below as they were marked.")
        return Section("summary", "In short", tuple(sentences))
    sentences += _how_alike(measures)
    if measures.coefficients:
        sentences += _beyond_chance(measures.coefficients)
    sentences += _coder_sentences(corpus, measures)
    sentences += _document_sentences(corpus, measures)
    return Section("summary", "In short", tuple(sentences))


def _what_there_is(corpus: Corpus, name: str) -> str:
    tracks = f" on {len(corpus.tracks)} tracks" if len(corpus.tracks) > 1 else ""
    whole = total_length(corpus)
    size = f"{whole:,.1f} seconds" if corpus.timed else f"{whole:,.0f} units"
    return (
        f"{quote(name)} holds {_count(len(corpus.items), 'document')}{tracks} of {size}{' together' * (len(corpus.items) > 1)}, marked by "
        f"{_count(len(corpus.coders), 'coder')}: {_count(len(corpus), 'annotation')} with {int(marks_per_annotation(corpus).sum()):,} {MARKS[corpus.kind]}."
    )


def _how_alike(measures: Measures) -> list[str]:
    main = measures.main
    good = f"{main.best:g} is perfect, {'higher' if main.higher_is_better else 'lower'} is better"
    if measures.reference is None:
        (pooled,) = measures.scores.values()
        score = measures.main_score(pooled)
        return [
            f"Two coders of one text agree with {main.title} {measures.label} = {spell(score.micro)}{_interval_words(score, measures.level)}; {good}."
        ]
    ranked = sorted(
        measures.scores, key=lambda c: measures.main_score(measures.scores[c]).micro, reverse=main.higher_is_better
    )
    listed = ", ".join(f"{quote(c)} {spell(measures.main_score(measures.scores[c]).micro)}" for c in ranked[:5])
    more = f" and {len(ranked) - 5} more" if len(ranked) > 5 else ""
    return [f"Against {quote(measures.reference)}, by {main.title} {measures.label}: {listed}{more}; {good}."]


def _beyond_chance(coefficients: Mapping[str, Agreement]) -> list[str]:
    pi = coefficients.get("pi")
    if pi is None or np.isnan(pi.value):
        return []
    share = (
        f"of the agreement that chance leaves open, coders reach {pi.value:.0%}".replace("%", " %")
        if pi.value >= 0
        else "coders agree less than chance would let them"
    )
    return [f"{pi.title} = {spell(pi.value)}: {share}."]


def _coder_sentences(corpus: Corpus, measures: Measures) -> list[str]:
    sentences = []
    if len(corpus.coders) > 2 and measures.counted is not None:
        matrix = measures.counted.matrix(measures.main)
        np.fill_diagonal(matrix, np.nan)
        if np.isfinite(matrix).any():
            ends = [np.unravel_index(int(f(matrix)), matrix.shape) for f in (np.nanargmax, np.nanargmin)]
            most, least = ends if measures.main.higher_is_better else ends[::-1]
            pair = [
                f"{quote(corpus.coders[p[0]])} and {quote(corpus.coders[p[1]])} ({spell(float(matrix[p]))})"
                for p in (most, least)
            ]
            sentences.append(f"Most alike are {pair[0]}; least alike {pair[1]}.")
    rates = rates_of_coders(corpus)
    if len(rates) > 1:
        ordered = sorted(rates, key=lambda c: rates[c])
        if rates[ordered[-1]] > rates[ordered[0]]:
            sentences.append(
                f"{quote(ordered[-1])} marks most ({rate_words(corpus, rates[ordered[-1]])}), "
                f"{quote(ordered[0])} least ({rate_words(corpus, rates[ordered[0]])})."
            )
    return sentences


def _document_sentences(corpus: Corpus, measures: Measures) -> list[str]:
    scored = measures.of_items()
    known = [i for i, s in enumerate(scored) if np.isfinite(s)]
    sentences = []
    if len(known) > _FEW:
        known.sort(key=lambda i: scored[i], reverse=not measures.main.higher_is_better)
        listed = ", ".join(f"{quote(corpus.items[i])} ({spell(scored[i])})" for i in known[:_FEW])
        sentences.append(f"The documents to look at first, by their pooled {measures.label}: {listed}.")
    alone = len(corpus.items) - len({i for of in measures.items.values() for i in of})
    if alone:
        verb = "has nobody to be compared with and is" if alone == 1 else "have nobody to be compared with and are"
        sentences.append(f"{_count(alone, 'document')} {verb} drawn only.")
    return sentences


def _interval_words(score: Measured, level: float) -> str:
    if score.interval is None:
        return ""
    return f" ({100 * level:g} % interval over documents {spell(score.interval)})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def quote(name: str) -> str:
    """Quote a name and keep its direction to itself: Hebrew names in English sentences stay where they belong."""
    return f"“\u2068{name}\u2069”"
