"""One text on its way through a trained model: split into words, pointed in batches of lines, and joined again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UnknownName
from caesura_vowels.calibration import Calibration, KindCounts, TextCounts
from caesura_vowels.levels import limit_marks
from caesura_vowels.models import Alternatives, Model, Words
from caesura_vowels.qamats_qatan import mark_qamats_qatan

if TYPE_CHECKING:
    from caesura_vowels.restorer import VowelRestorer

# Limits on what is processed at once, so that memory does not grow with the text.
_MAX_LINE_WORDS = 1000
_MAX_CELLS = 800_000  # words of a batch × letters of the longest of them

# A text of at least 20 words with more than a quarter unknown ones causes a warning.
_MIN_TEXT_WORDS, _MAX_UNKNOWN = 20, 0.25


class RestoredWord(NamedTuple):
    """One word of a text with its pointed forms.

    Attributes
    ----------
    start : int
        The position of its first character in the text.
    word : str
        The word as it was written.
    alternatives : tuple of (str, float)
        Its pointed forms with their probabilities, best first.

    Examples
    --------
    >>> from caesura_vowels import VowelRestorer
    >>> word = VowelRestorer().fit(["דָוִד רָב"]).restore_nbest("רב דוד")[1]
    >>> word.start, word.alternatives[0][0] == "דָוִד", round(word.probability, 2)
    (3, True, 1.0)
    """

    start: int
    word: str
    alternatives: tuple[tuple[str, float], ...]

    @property
    def probability(self) -> float:
        """The probability of the best form; 0 if the model does not know the word."""
        return self.alternatives[0][1]


class TextRestoration:
    """One text, split into gaps and words, with the words as the model reads them.

    Parameters
    ----------
    restorer : VowelRestorer
        A trained restorer: its model, and how it treats marks, kinds and levels.
    text : str
        The text.
    calibration : Calibration or None
        The curves that correct the probabilities of the model.
    """

    def __init__(self, restorer: VowelRestorer, text: str, calibration: Calibration | None) -> None:
        self.restorer, self.script, self.model = restorer, restorer.script, restorer.fitted
        self.calibration = calibration
        check_is_text(text)
        self.parts = self.script.word_or_gap.split(text)
        self.tokens = self.parts[1::2]
        known, read = self.model.lexicon.number, self.model.read
        self.keys = [token if token in known else read(token) for token in self.tokens]
        check_kind(self.model, restorer.kind)
        self.kind = choose_kind(self.model, restorer.kind, self.keys)
        self.unknown_words = sum(key not in known for key in self.keys)
        self._warn_about_unknown_words()

    def restored_text(self) -> str:
        """Return the text with the best form of every word."""
        if not self.tokens:
            return "".join(self.parts)
        best = [form for part in self._batches() for form in self._follow_conventions(self.model.decode(part), part)]
        whole = best
        if self.restorer.level != "all":
            lexicon, level = self.model.lexicon, self.restorer.level
            best = [
                limit_marks(form, key, level, self.script, lexicon) for form, key in zip(best, self.keys, strict=True)
            ]
        if self.restorer.qamats_qatan:
            best = list(map(mark_qamats_qatan, best, whole))
        self.parts[1::2] = [
            pointed if token == key else self._put_marks(token, pointed)
            for token, key, pointed in zip(self.tokens, self.keys, best, strict=True)
        ]
        return "".join(self.parts)

    def words(self, n: int) -> list[RestoredWord]:
        """Return every word with its likeliest ``n`` forms and their calibrated probabilities."""
        if not self.tokens:
            return []
        alternatives = self._alternatives()
        sizes = np.array([len(part) for part in self.parts])
        starts = (np.cumsum(sizes) - sizes)[1::2].tolist()
        return [
            RestoredWord(at, token, of[:n] if token == key else self._write_forms(token, of)[:n])
            for at, token, key, of in zip(starts, self.tokens, self.keys, map(tuple, alternatives), strict=True)
        ]

    def _write_forms(self, token: str, alternatives: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
        """Return forms with the marks and signs of a word as it was written; those that are the same with its marks are one."""
        shares: dict[str, float] = {}
        for form, share in alternatives:
            written = self._put_marks(token, form)
            shares[written] = shares.get(written, 0.0) + share
        return tuple(shares.items())

    def _warn_about_unknown_words(self) -> None:
        """Warn if more words are unknown than in text of the kind that the model was made for."""
        unknown = self.unknown_words
        if self.restorer.made_for and len(self.keys) >= _MIN_TEXT_WORDS and unknown > _MAX_UNKNOWN * len(self.keys):
            warnings.warn(
                f"{unknown / len(self.keys):.0%} of the words of this text are unknown to the model, which was made for "
                f"{self.restorer.made_for}; expect more errors.",
                stacklevel=4,
            )

    def _batches(self) -> Iterator[Words]:
        """Yield the words in batches of whole lines."""
        offsets, joined, fixed = self._offsets(), self._joined_words(), self._fixed_marks()
        line = 0
        while line < len(offsets) - 1:
            low = int(offsets[line])
            stop = max(line + 1, int(np.searchsorted(offsets, low + self.model.max_batch_words, side="right")) - 1)
            while (
                stop - line > 1
                and int(offsets[stop] - low) * max(map(len, self.keys[low : offsets[stop]])) > _MAX_CELLS
            ):
                stop = (line + stop + 1) // 2  # arrays are as wide as the longest word: halve the batch
            high = int(offsets[stop])
            marks = {i - low: fixed[i] for i in range(low, high) if i in fixed} if fixed else {}
            gaps = self.parts[2 * low : 2 * high + 1 : 2]
            yield Words(
                self.keys[low:high],
                offsets[line : stop + 1] - low,
                joined[low:high],
                marks,
                gaps,
                self.kind,
                self.restorer.context,
            )
            line = stop

    def _offsets(self) -> NDArray[np.int64]:
        """Return where lines end: at line breaks, and within very long lines."""
        ends = [i for i, gap in enumerate(self.parts[::2]) if "\n" in gap or "\r" in gap]
        edges = sorted({0, *ends, len(self.tokens)})
        cut = [x for low, high in pairwise(edges) for x in range(low, high, _MAX_LINE_WORDS)]
        return np.array([*cut, len(self.tokens)], np.int64)

    def _joined_words(self) -> NDArray[np.bool_]:
        joiner = self.script.joiner
        gaps = self.parts[:-1:2]
        return np.array([gap == joiner for gap in gaps], bool) if joiner else np.zeros(len(gaps), bool)

    def _fixed_marks(self) -> Mapping[int, tuple[str, ...]]:
        if self.restorer.existing == "replace":
            return {}
        marks = {
            i: tuple(x.marks for x in self.script.split(token))
            for i, (token, key) in enumerate(zip(self.tokens, self.keys, strict=True))
            if token != key
        }
        return {i: given for i, given in marks.items() if any(given)}

    def _alternatives(self) -> list[Alternatives]:
        """Return the forms with calibrated probabilities."""
        parts = list(self._batches())
        forms = self._calibrate([each for part in parts for each in self.model.alternatives(part)], parts[0])
        best = iter([each[0][0] for each in forms])
        followed = [
            form for part in parts for form in self._follow_conventions(list(islice(best, len(part.words))), part)
        ]
        forms = [
            each if form == each[0][0] else [(form, each[0][1]), *(other for other in each[1:] if other[0] != form)]
            for each, form in zip(forms, followed, strict=True)
        ]
        if self.restorer.qamats_qatan:
            forms = [[(mark_qamats_qatan(form), share) for form, share in each] for each in forms]
        return forms

    def kind_counts(self, forms: Sequence[str], first: Words) -> KindCounts:
        """Return the number of the text's kind, and how many of the ``first`` words change without embeddings of words; for general networks."""
        kinds: Any = getattr(self.model, "kinds", None)
        return KindCounts(kinds.names.index(self.kind), *self.model.count_changed(first, forms))

    def _calibrate(self, forms: list[Alternatives], first: Words) -> list[Alternatives]:
        """Calibrate the forms of all words; ``first`` has the first of them."""
        calibration, lexicon = self.calibration, self.model.lexicon
        if calibration is None:
            return forms
        known = np.array([word in lexicon.number for word in self.keys], bool)
        best = [each[0][0] for each in forms]
        if len(calibration.kinds):
            return calibration.apply(forms, known, self.kind_counts(best, first))
        counts = TextCounts(self.unknown_words, len(self.keys))
        if not any(counts.shift(calibration.usual)):
            return calibration.apply(forms, known)
        drop, letters = self.model.letter_drop(
            [form for form, is_known in zip(best, known, strict=True) if not is_known]
        )
        listed = [form in lexicon.candidates(word) for form, word in zip(best, self.keys, strict=True)]
        return calibration.apply(forms, known, counts._replace(drop=drop, letters=letters), np.array(listed, bool))

    def _follow_conventions(self, best: list[str], part: Words) -> list[str]:
        """Replace the best forms of words that the validation lines write with other marks, unless marks in the text contradict that."""
        conventions = self.restorer.conventions
        if not conventions:
            return best
        return [
            form
            if (other := conventions.get(word)) is None or self.model.contradictions(other, part.fixed.get(i))
            else other
            for i, (word, form) in enumerate(zip(part.words, best, strict=True))
        ]

    def _put_marks(self, token: str, pointed: str) -> str:
        """Transfer the marks of a pointed form to the word as it was written."""
        marks = tuple(x.marks for x in self.script.split(pointed))
        return self.script.put_marks(token, marks, replace=self.restorer.existing == "replace")


def check_kind(model: Model, kind: str | None) -> None:
    """Refuse a kind of text that a model does not know."""
    kinds: Any = getattr(model, "kinds", None)
    if kind is not None and kinds is None:
        raise CaesuraError("this model knows no kinds of text; remove kind.")
    if kind is not None and kind not in kinds.names:
        raise UnknownName("kind of text", kind, list(kinds.names))


def choose_kind(model: Model, kind: str | None, words: Sequence[str]) -> str | None:
    """Return the kind of text that a model assumes: the given one, or the one that these words show; None if it knows no kinds."""
    kinds = getattr(model, "kinds", None)
    return None if kinds is None else kind or kinds.names[kinds.recognize(words)]


def check_is_text(text: object) -> None:
    """Raise CaesuraError unless this is a string."""
    if not isinstance(text, str):
        raise CaesuraError(f"expected a text, not {type(text).__name__}.")
