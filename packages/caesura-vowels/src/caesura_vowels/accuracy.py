"""Metrics of restored marks (Gal 2002): words with all marks correct, words with the correct sounds, and wrong letters.

They compare lines whose units are letters and whose boundary types are marks, as read by :mod:`caesura_vowels.marked_text`. The types ``word`` and
``unseen word`` on a word's last letter mark the ends of words; words are those of the reference. If there is nothing to compare, the score is
perfect: an accuracy of 1 without words, an error rate of 0 without letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch, Side, first_of_place
from caesura.metrics.catalog import metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, one_minus_ratio, parameter, share
from caesura.validation import number_between
from caesura_vowels.marked_text import UNSEEN_WORD, WORD
from caesura_vowels.scripts import sound_groups


class MarkCounts(NamedTuple):
    """Counts of wrong letters and all letters, and of correct words and all words, separately for known and unseen words."""

    wrong: Numbers
    letters: Numbers
    seen_right: Numbers
    seen: Numbers
    unseen_right: Numbers
    unseen: Numbers


def wrong_letters(c: MarkCounts) -> Parts:
    """Return wrong letters and all letters."""
    return c.wrong, c.letters


def right_words(c: MarkCounts) -> Parts:
    """Return correct words and all words."""
    return c.seen_right + c.unseen_right, c.seen + c.unseen


def right_seen_words(c: MarkCounts) -> Parts:
    """Return correct known words and all known words."""
    return c.seen_right, c.seen


def right_unseen_words(c: MarkCounts) -> Parts:
    """Return correct unseen words and all unseen words."""
    return c.unseen_right, c.unseen


def accuracy(right: Numbers, words: Numbers) -> Numbers:
    """Return the share of correct words, 1 if there are none."""
    return share(right, words, 1.0)


class _Marks(Family):
    types = "sets"
    required_types = frozenset({WORD, UNSEEN_WORD})
    paper = "Gal 2002, An HMM approach to vowel restoration in Arabic and Hebrew"

    def prepare(self, batch: Batch) -> Batch:
        """Check that the ends of words are marked."""
        _check_words(batch)
        return super().prepare(batch)


@dataclass(frozen=True)
class MarkAccuracy(_Marks):
    """Accuracy of marks per word, and error rate per letter.

    The scores are ``word-accuracy``, ``group-accuracy`` (vowels of one sound count as equal), ``seen-accuracy`` and ``unseen-accuracy`` (words
    that a model knows, or does not), and ``DER``, the diacritic error rate: wrong letters / letters.

    Parameters
    ----------
    grouped : bool, default False
        Whether to compare sounds instead of marks; each score fixes it.

    References
    ----------
    Ya'akov Gal. 2002. An HMM approach to vowel restoration in Arabic and Hebrew. ACL Workshop on Computational Approaches to Semitic Languages.

    Examples
    --------
    >>> from caesura_vowels.marked_text import marked_corpus
    >>> from caesura_vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם רָב", "שָׁלוֹם רַב"))
    >>> [metric(name)(gold, ours) for name in ("word-accuracy", "group-accuracy", "DER")]
    [0.5, 1.0, 0.16666666666666666]
    """

    grouped: bool = parameter("grouped", False)

    counts = MarkCounts
    scores = {
        "word-accuracy": Score(
            "words with all marks right",
            "Share of words with exactly the marks of the reference: correct words / words.",
            right_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "group-accuracy": Score(
            "words with all vowels of the right sound",
            "Share of words in which every vowel has the correct sound: a (patah, qamats, hataf patah), e, i, o, u, or sheva.",
            right_words, accuracy, symmetric=False, fixed={"grouped": True},
        ),
        "seen-accuracy": Score(
            "known words with all marks right",
            "Accuracy on words that the model knows (type word).",
            right_seen_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "unseen-accuracy": Score(
            "unseen words with all marks right",
            "Accuracy on words that the model has not seen (type unseen word).",
            right_unseen_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "DER": Score(
            "diacritic error rate",
            "Share of letters whose marks are not exactly those of the reference, letters without any mark included.",
            wrong_letters, share, higher_is_better=False, best=0.0, fixed={"grouped": False},
        ),
    }  # fmt: skip

    def count(self, batch: Batch) -> Rows:
        """Count correct and all letters and words.

        With ``grouped``, marks that are not vowels (dagesh, the dots of shin) are ignored; a vav with a dot is the vowel shuruq.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        ndarray
            One row per pair.
        """
        from caesura_vowels.kernels.accuracy import count_marks

        bits, ends = _codes(batch.labels or (), self.grouped)
        rows = np.empty((len(batch), len(MarkCounts._fields)))
        count_marks(*batch.columns, bits, ends, rows)
        return rows


class MarkCosts(NamedTuple):
    """The minimal cost of editing one side into the other, the number of boundaries, and the number of letters."""

    cost: Numbers
    boundaries: Numbers
    letters: Numbers


def cost_per_letter(c: MarkCosts) -> Parts:
    """Return the cost and the letters."""
    return c.cost, c.letters


@dataclass(frozen=True)
class MarkSimilarity(_Marks):
    """Flexible similarity of restored marks, with the matrix of :func:`mark_similarity`: 1 - cost/letters.

    Parameters
    ----------
    alike : float, default 0.5
        The similarity of different marks with the same sound, from 0 to 1.

    References
    ----------
    Lai, Li & Zhang. 2023. Text segmentation similarity revisited. SCiL.

    Examples
    --------
    >>> from caesura_vowels.marked_text import marked_corpus
    >>> from caesura_vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם", "שַׁלוֹם"))
    >>> metric("Sf-marks")(gold, ours), metric("Sf-marks:alike=0")(gold, ours)
    (0.875, 0.75)
    """

    alike: float = parameter("alike", 0.5, number_between(0, 1))

    paper = "Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL"
    counts = MarkCosts
    scores = {
        "Sf-marks": Score(
            "flexible similarity of marks",
            "Flexible similarity of restored marks: the marks of a letter are one type, partly similar if they sound the same.",
            cost_per_letter,
            one_minus_ratio,
        )
    }

    def count(self, batch: Batch) -> Rows:
        """Combine the marks of each letter to one type, and compute the minimal cost of editing one side into the other.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        ndarray
            One row per pair.
        """
        labels = batch.labels or ()
        sides = [_gather_marks(side, labels) for side in (batch.reference, batch.hypothesis)]
        codes, types = np.unique(
            np.concatenate([side.types for side in sides if side.types is not None]), return_inverse=True
        )
        names = tuple("+".join(n for i, n in enumerate(labels) if code >> i & 1) for code in codes.tolist())
        cut = len(sides[0].positions)
        ref, hyp = (replace(side, types=t) for side, t in zip(sides, (types[:cut], types[cut:]), strict=True))
        flexible = metric("Sf", similarity=mark_similarity(names, self.alike)) if names else metric("Sf")
        return flexible.family.count(Batch(batch.kind, batch.lengths, ref, hyp, names))


def mark_similarity(labels: tuple[str, ...], alike: float = 0.5) -> dict[str, object]:
    """Return a similarity matrix for the metric Sf: 1 on the diagonal, ``alike`` between marks of one sound, otherwise 0.

    Parameters
    ----------
    labels : tuple of str
        Names of marks, or combinations of them ("dagesh+patah"). Combinations are alike if their vowels sound the same and their other marks are
        equal.
    alike : float, default 0.5
        The similarity of different marks with the same sound.

    Returns
    -------
    dict
        ``labels``, and ``matrix`` with a last row and column for no mark.

    Examples
    --------
    >>> mark_similarity(("patah", "qamats", "hiriq"))["matrix"]
    [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    groups = sound_groups()
    sounds = [tuple(sorted(groups.get(part, part) for part in label.split("+"))) for label in labels]
    rows = [
        [1.0 if a == b else alike if sounds[a] == sounds[b] else 0.0 for b in range(len(labels))] + [0.0]
        for a in range(len(labels))
    ]
    return {"labels": list(labels), "matrix": [*rows, [0.0] * len(labels) + [1.0]]}


def _check_words(batch: Batch) -> None:
    names = batch.labels or ()
    if not batch.typed or not {WORD, UNSEEN_WORD} & set(names):
        raise CaesuraError(
            "these metrics need texts with vowel marks; read them with format='marked-text' (-f marked-text)."
        )
    if len(names) > 62:
        raise CaesuraError(f"found {len(names)} kinds of marks, expected at most 62.")


def _gather_marks(side: Side, labels: tuple[str, ...]) -> Side:
    """Combine the marks of each letter to one type with a bit per mark; the ends of words are not marks."""
    assert side.types is not None
    rows, owner = side.unpack()
    place = side.positions[rows]
    bits = np.array([0 if name in (WORD, UNSEEN_WORD) else 1 << i for i, name in enumerate(labels)], np.int64)
    first = np.flatnonzero(first_of_place(owner, place))
    codes = np.bitwise_or.reduceat(bits[side.types[rows]], first) if len(first) else np.zeros(0, np.int64)
    first, codes = first[codes > 0], codes[codes > 0]
    return Side.pack(place[first], owner[first], len(side.starts), codes)


def _codes(labels: tuple[str, ...], grouped: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bit that each type is counted as (0: ignored), and which types end words (2: unseen words)."""
    ends = np.array([{WORD: 1, UNSEEN_WORD: 2}.get(name, 0) for name in labels], np.int64)
    groups = sound_groups()
    sounds = [None if end else groups.get(name) if grouped else name for name, end in zip(labels, ends, strict=True)]
    places = {sound: i for i, sound in enumerate(dict.fromkeys(s for s in sounds if s is not None))}
    return np.array([0 if s is None else 1 << places[s] for s in sounds], np.int64), ends
