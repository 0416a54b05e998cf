"""Measures of restored marks (Gal 2002): words whose marks are all right, sounds that are right, letters that are wrong.

They compare lines whose units are letters and whose boundary types are marks, as :mod:`caesura.vowels.marked_text` reads them. The types
``word`` and ``unseen word`` on a word's last letter say where words end; words are those of the reference. Nothing to compare on either
side is perfect: no word is an accuracy of 1, no letter an error rate of 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric, ratio
from caesura.metrics.batch import Batch, Side, first_of_place
from caesura.metrics.family import Rows
from caesura.vowels.marked_text import UNSEEN_WORD, WORD
from caesura.vowels.scripts import SCRIPTS

__all__ = [
    "DiacriticErrorRate",
    "GroupAccuracy",
    "MarkSf",
    "SeenAccuracy",
    "UnseenAccuracy",
    "WordAccuracy",
    "mark_similarity",
]

#: Mark -> the sound it stands for, in all scripts.
GROUPS: dict[str, str] = {mark: sound for script in SCRIPTS.values() for mark, sound in script.groups.items()}


@dataclass(frozen=True)
class _Marks(OwnMetric):
    types = "sets"
    symmetric = False
    paper = "Gal 2002, An HMM approach to vowel restoration in Arabic and Hebrew"
    #: Columns of the kernel that make a row, and whether vowels of one sound count as one.
    columns: ClassVar[tuple[int, ...]]
    grouped: ClassVar[bool] = False

    def check(self, batch: Batch) -> None:
        """Refuse what does not say where words end."""
        super().check(batch)
        names = batch.labels or ()
        if not batch.typed or not {WORD, UNSEEN_WORD} & set(names):
            raise CaesuraError(
                f"{self.name} compares letters with marks and needs the ends of words; read the texts with format='marked-text' (--marks)."
            )
        if len(names) > 62:
            raise CaesuraError(f"{self.name} takes up to 62 kinds of marks, found {len(names)}.")

    def count(self, batch: Batch) -> Rows:
        """Count letters and words, right and all."""
        from caesura.vowels.kernels.accuracy import count_marks

        ref, hyp = batch.reference, batch.hypothesis
        assert ref.types is not None
        assert hyp.types is not None
        bits, ends = _coded(batch.labels or (), self.grouped)
        every = np.empty((len(batch), 6))
        count_marks(
            ref.positions, ref.types, ref.starts, ref.stops, hyp.positions, hyp.types, hyp.starts, hyp.stops, batch.lengths,
            bits, ends, every,
        )  # fmt: skip
        return self.of_all(every)

    def of_all(self, every: Rows) -> Rows:
        """Of all counts, those of this metric."""
        return np.ascontiguousarray(every[:, self.columns])

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """The first count over the second; nothing counted is perfect."""
        return ratio(rows[..., 0], rows[..., 1], nothing=self.best)


@dataclass(frozen=True)
class WordAccuracy(_Marks):
    """Share of words that carry exactly the marks of the reference: right words / words.

    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם רָב", "שָׁלוֹם רַב"))
    >>> WordAccuracy()(gold, ours)
    0.5
    """

    name = "word-accuracy"
    title = "words with all marks right"
    fields = ("right", "words")

    def of_all(self, every: Rows) -> Rows:
        """Known and unseen words together."""
        return np.stack((every[:, 2] + every[:, 4], every[:, 3] + every[:, 5]), axis=1)


@dataclass(frozen=True)
class GroupAccuracy(WordAccuracy):
    """Share of words whose every letter has a vowel of the right sound: a (patah, qamats, hataf patah), e, i, o, u, sheva apart.

    Marks that are no vowels (dagesh, the dots of shin) are not looked at, except that vav with a dot is the vowel shuruq.

    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם רָב", "שָׁלוֹם רַב"))
    >>> GroupAccuracy()(gold, ours)
    1.0
    """

    name = "group-accuracy"
    title = "words with all vowels of the right sound"
    grouped = True


@dataclass(frozen=True)
class SeenAccuracy(_Marks):
    """Accuracy on words that the model knows: those that end in ``word``."""

    name = "seen-accuracy"
    title = "known words with all marks right"
    fields = ("right", "words")
    columns = (2, 3)


@dataclass(frozen=True)
class UnseenAccuracy(_Marks):
    """Accuracy on words that the model has never seen: those that end in ``unseen word``."""

    name = "unseen-accuracy"
    title = "unseen words with all marks right"
    fields = ("right", "words")
    columns = (4, 5)


@dataclass(frozen=True)
class DiacriticErrorRate(_Marks):
    """Share of letters whose marks are not exactly those of the reference, letters without any mark included.

    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם", "שַׁלוֹם"))
    >>> DiacriticErrorRate()(gold, ours)
    0.25
    """

    name = "DER"
    title = "diacritic error rate"
    fields = ("wrong", "letters")
    columns = (0, 1)
    symmetric = True
    higher_is_better = False
    best = 0.0


@dataclass(frozen=True)
class MarkSf(_Marks):
    """Flexible similarity of restored marks: the marks of a letter are one type, alike in part where they sound the same.

    Sf of Lai, Li & Zhang with the matrix of :func:`mark_similarity`: 1 - cost/letters; 1.0 where there is no letter.

    >>> from caesura.vowels.marked_text import marked_corpus
    >>> from caesura.vowels.scripts import HEBREW
    >>> gold, ours = (marked_corpus([("1", line)], HEBREW)["1", ""] for line in ("שָׁלוֹם", "שַׁלוֹם"))
    >>> MarkSf()(gold, ours), MarkSf(alike=0.0)(gold, ours)
    (0.875, 0.75)
    """

    name = "Sf-marks"
    title = "flexible similarity of marks"
    fields = ("cost", "boundaries", "letters")
    symmetric = True
    paper = "Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL"

    alike: float = field(default=0.5, metadata={"sign": "alike"})

    def __post_init__(self) -> None:
        if not 0 <= self.alike <= 1:
            raise CaesuraError(f"alike is {self.alike}; expected a number from 0 to 1.")

    def count(self, batch: Batch) -> Rows:
        """Least cost of turning one side into the other."""
        from caesura.metrics.flexible import Sf

        labels = batch.labels or ()
        sides = [_gathered(side, labels) for side in (batch.reference, batch.hypothesis)]
        found, every = np.unique(np.concatenate([side.types for side in sides]), return_inverse=True)
        named = tuple("+".join(n for i, n in enumerate(labels) if code >> i & 1) for code in found.tolist())
        cut = len(sides[0].types)
        one, two = (replace(side, types=t) for side, t in zip(sides, (every[:cut], every[cut:]), strict=True))
        made = Sf(similarity=mark_similarity(named, self.alike)) if named else Sf()
        return made.count(Batch(batch.kind, batch.lengths, one, two, named))

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """One minus cost over letters."""
        return 1 - ratio(rows[..., 0], rows[..., 2], nothing=0.0)


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


def _gathered(side: Side, labels: tuple[str, ...]) -> Any:
    """A side with one type a letter, a bit for each of its marks; the ends of words are no marks."""
    assert side.types is not None
    rows, owner = side.unpacked()
    place = side.positions[rows]
    bits = np.array([0 if name in (WORD, UNSEEN_WORD) else 1 << i for i, name in enumerate(labels)], np.int64)
    first = np.flatnonzero(first_of_place(owner, place))
    codes = np.bitwise_or.reduceat(bits[side.types[rows]], first) if len(first) else np.zeros(0, np.int64)
    first, codes = first[codes > 0], codes[codes > 0]
    return Side.packed(place[first], owner[first], len(side.starts), codes)


def _coded(labels: tuple[str, ...], grouped: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What every type counts as, and which types end words."""
    ends = np.array([{WORD: 1, UNSEEN_WORD: 2}.get(name, 0) for name in labels], np.int64)
    sounds = [None if end else GROUPS.get(name) if grouped else name for name, end in zip(labels, ends, strict=True)]
    places = {sound: i for i, sound in enumerate(dict.fromkeys(s for s in sounds if s is not None))}
    return np.array([0 if s is None else 1 << places[s] for s in sounds], np.int64), ends
