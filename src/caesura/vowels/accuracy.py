"""Measures of restored marks (Gal 2002): words whose marks are all right, sounds that are right, letters that are wrong.

They compare lines whose units are letters and whose boundary types are marks, as :mod:`caesura.vowels.marked_text` reads them. The types
``word`` and ``unseen word`` on a word's last letter say where words end; words are those of the reference. Nothing to compare on either
side is perfect: no word is an accuracy of 1, no letter an error rate of 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch, Side, first_of_place
from caesura.metrics.catalog import metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, one_less, share, sign
from caesura.vowels.marked_text import UNSEEN_WORD, WORD
from caesura.vowels.scripts import SCRIPTS
from caesura.words import between

#: Mark -> the sound it stands for, in all scripts.
GROUPS: dict[str, str] = {mark: sound for script in SCRIPTS.values() for mark, sound in script.groups.items()}


class MarkCounts(NamedTuple):
    """Letters whose marks are wrong, and all; words with all marks right, and all, those that a model knows and those it does not."""

    wrong: Numbers
    letters: Numbers
    seen_right: Numbers
    seen: Numbers
    unseen_right: Numbers
    unseen: Numbers


def wrong_letters(c: MarkCounts) -> Parts:
    """Wrong letters of all."""
    return c.wrong, c.letters


def right_words(c: MarkCounts) -> Parts:
    """Right words of all."""
    return c.seen_right + c.unseen_right, c.seen + c.unseen


def right_seen_words(c: MarkCounts) -> Parts:
    """Right words of those that end in ``word``."""
    return c.seen_right, c.seen


def right_unseen_words(c: MarkCounts) -> Parts:
    """Right words of those that end in ``unseen word``."""
    return c.unseen_right, c.unseen


def accuracy(right: Numbers, words: Numbers) -> Numbers:
    """Share of words that are right; no word is none wrong."""
    return share(right, words, 1.0)


class _Marks(Family):
    types = "sets"
    paper = "Gal 2002, An HMM approach to vowel restoration in Arabic and Hebrew"

    def prepare(self, batch: Batch) -> Batch:
        """Refuse what does not say where words end."""
        _check_words(batch)
        return super().prepare(batch)


@dataclass(frozen=True)
class MarkAccuracy(_Marks):
    """Letters and words whose marks, or only whose vowels by their sounds, are those of the reference.

    Examples
    --------
    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם רָב", "שָׁלוֹם רַב"))
    >>> [metric(name)(gold, ours) for name in ("word-accuracy", "group-accuracy", "DER")]
    [0.5, 1.0, 0.16666666666666666]
    """

    grouped: bool = sign("grouped", False)

    counts = MarkCounts
    scores = {
        "word-accuracy": Score(
            "words with all marks right",
            "Share of words that carry exactly the marks of the reference: right words / words.",
            right_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "group-accuracy": Score(
            "words with all vowels of the right sound",
            "Share of words whose every letter has a vowel of the right sound: a (patah, qamats, hataf patah), e, i, o, u, sheva apart.",
            right_words, accuracy, symmetric=False, fixed={"grouped": True},
        ),
        "seen-accuracy": Score(
            "known words with all marks right",
            "Accuracy on words that the model knows: those that end in word.",
            right_seen_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "unseen-accuracy": Score(
            "unseen words with all marks right",
            "Accuracy on words that the model has never seen: those that end in unseen word.",
            right_unseen_words, accuracy, symmetric=False, fixed={"grouped": False},
        ),
        "DER": Score(
            "diacritic error rate",
            "Share of letters whose marks are not exactly those of the reference, letters without any mark included.",
            wrong_letters, share, higher_is_better=False, best=0.0, fixed={"grouped": False},
        ),
    }  # fmt: skip

    def count(self, batch: Batch) -> Rows:
        """Count letters and words, right and all.

        With ``grouped`` marks that are no vowels (dagesh, the dots of shin) are not looked at, except that vav with a dot is the
        vowel shuruq.
        """
        from caesura.vowels.kernels.accuracy import count_marks

        bits, ends = _codes(batch.labels or (), self.grouped)
        rows = np.empty((len(batch), len(MarkCounts._fields)))
        count_marks(*batch.columns, bits, ends, rows)
        return rows


class MarkCosts(NamedTuple):
    """The least cost of turning one side into the other, boundaries seen, and letters."""

    cost: Numbers
    boundaries: Numbers
    letters: Numbers


def cost_per_letter(c: MarkCosts) -> Parts:
    """Cost over letters."""
    return c.cost, c.letters


@dataclass(frozen=True)
class MarkSimilarity(_Marks):
    """Flexible similarity of restored marks, with the matrix of :func:`mark_similarity`: 1 - cost/letters.

    Examples
    --------
    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם", "שַׁלוֹם"))
    >>> metric("Sf-marks")(gold, ours), metric("Sf-marks:alike=0")(gold, ours)
    (0.875, 0.75)
    """

    alike: float = sign("alike", 0.5, between(0, 1))

    paper = "Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL"
    counts = MarkCosts
    scores = {
        "Sf-marks": Score(
            "flexible similarity of marks",
            "Flexible similarity of restored marks: the marks of a letter are one type, alike in part where they sound the same.",
            cost_per_letter,
            one_less,
        )
    }

    def count(self, batch: Batch) -> Rows:
        """Take the marks of each letter together, and find the least cost of turning one side into the other."""
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
    """Similarity matrix for the metric Sf: 1 on the diagonal, ``alike`` between marks of one sound, 0 elsewhere and towards no mark.

    ``labels`` may be combinations ("dagesh+patah"); these are alike where all their vowels sound the same and their other marks are the same.

    Examples
    --------
    >>> mark_similarity(("patah", "qamats", "hiriq"))["matrix"]
    [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    sounds = [tuple(sorted(GROUPS.get(part, part) for part in label.split("+"))) for label in labels]
    rows = [
        [1.0 if a == b else alike if sounds[a] == sounds[b] else 0.0 for b in range(len(labels))] + [0.0]
        for a in range(len(labels))
    ]
    return {"labels": list(labels), "matrix": [*rows, [0.0] * len(labels) + [1.0]]}


def _check_words(batch: Batch) -> None:
    names = batch.labels or ()
    if not batch.typed or not {WORD, UNSEEN_WORD} & set(names):
        raise CaesuraError(
            "comparing letters with marks needs the ends of words; read the texts with format='marked-text' (--marks)."
        )
    if len(names) > 62:
        raise CaesuraError(f"letters carry up to 62 kinds of marks, found {len(names)}.")


def _gather_marks(side: Side, labels: tuple[str, ...]) -> Side:
    """Give each letter one type with a bit for each of its marks; the ends of words are no marks."""
    assert side.types is not None
    rows, owner = side.unpack()
    place = side.positions[rows]
    bits = np.array([0 if name in (WORD, UNSEEN_WORD) else 1 << i for i, name in enumerate(labels)], np.int64)
    first = np.flatnonzero(first_of_place(owner, place))
    codes = np.bitwise_or.reduceat(bits[side.types[rows]], first) if len(first) else np.zeros(0, np.int64)
    first, codes = first[codes > 0], codes[codes > 0]
    return Side.pack(place[first], owner[first], len(side.starts), codes)


def _codes(labels: tuple[str, ...], grouped: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Say what every type counts as, and which types end words."""
    ends = np.array([{WORD: 1, UNSEEN_WORD: 2}.get(name, 0) for name in labels], np.int64)
    sounds = [None if end else GROUPS.get(name) if grouped else name for name, end in zip(labels, ends, strict=True)]
    places = {sound: i for i, sound in enumerate(dict.fromkeys(s for s in sounds if s is not None))}
    return np.array([0 if s is None else 1 << places[s] for s in sounds], np.int64), ends
