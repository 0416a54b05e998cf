"""The texts of a corpus of spans that two annotators or more marked, as columns for the loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.unitizing import Units
from caesura.model import Corpus, Spans
from caesura.words import heading, number_of


@dataclass(frozen=True, eq=False)
class SpanTexts:
    """Texts (tracks of items) with their annotations, those of one text together.

    Attributes
    ----------
    units
        Every span: start, end, code of its label; the spans of annotation ``a`` are ``rows[a]:rows[a + 1]``.
    rows, sizes
        Text ``t`` has the annotations ``sizes[t]:sizes[t + 1]``.
    row_of
        For each annotation, its row in the corpus.
    item_of, lengths
        For each text, its item and its length.
    labels
        The names behind the codes; None, the last, stands for spans without a name.
    """

    corpus: Corpus
    units: Units
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]
    row_of: NDArray[np.int64]
    item_of: NDArray[np.int64]
    lengths: NDArray[np.float64]
    labels: tuple[str | None, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> SpanTexts:
        """Take the texts that have two annotators or more; refuse a corpus without any, or without a span."""
        if corpus.kind != "spans" or corpus.ends is None:
            raise CaesuraError(f"this coefficient is about spans; here are annotations of {corpus.kind}.")
        text = corpus.item_of * len(corpus.tracks) + corpus.track_of
        several = np.bincount(text, minlength=1)[text] > 1
        if not several.any():
            raise CaesuraError(
                f"agreement needs two annotators of one text; here {number_of(len(corpus.coders), 'annotator')} marked "
                f"{number_of(len(corpus.items), 'item')}, and no text was marked twice."
            )
        order = np.lexsort((corpus.coder_of, text))
        order = order[several[order]]
        texts = cls._laid_out(corpus, order)
        if not len(texts.units.starts):
            raise CaesuraError("nobody marked a span, so there is nothing to agree on.")
        return texts

    @classmethod
    def _laid_out(cls, corpus: Corpus, order: NDArray[np.int64]) -> SpanTexts:
        """Put the annotations with these rows of the corpus in a row; those of one text stand together in ``order``."""
        assert corpus.ends is not None
        counts = np.diff(corpus.offsets)[order]
        rows = np.concatenate(([0], np.cumsum(counts)))
        where = np.repeat(corpus.offsets[order] - rows[:-1], counts) + np.arange(rows[-1])
        codes = np.full(len(where), -1) if corpus.types is None else corpus.types[where]
        labels: tuple[str | None, ...] = corpus.labels or ()
        if (codes < 0).any():
            codes, labels = np.where(codes < 0, len(labels), codes), (*labels, None)
        text = (corpus.item_of * len(corpus.tracks) + corpus.track_of)[order]
        first = np.flatnonzero(np.diff(text, prepend=-1))
        starts, ends = corpus.positions[where].astype(np.float64), corpus.ends[where].astype(np.float64)
        return cls(
            corpus=corpus,
            units=Units(starts, ends, codes.astype(np.int64)),
            rows=rows,
            sizes=np.append(first, len(order)),
            row_of=order,
            item_of=corpus.item_of[order][first],
            lengths=corpus.lengths[order][first].astype(np.float64),
            labels=labels,
        )

    def __len__(self) -> int:
        return len(self.sizes) - 1

    def text(self, number: int) -> SpanTexts:
        """One of the texts alone."""
        first, last = self.sizes[number], self.sizes[number + 1]
        here = slice(self.rows[first], self.rows[last])
        return replace(
            self,
            units=Units(*(column[here] for column in self.units)),
            rows=self.rows[first : last + 1] - self.rows[first],
            sizes=np.array([0, last - first]),
            row_of=self.row_of[first:last],
            item_of=self.item_of[number : number + 1],
            lengths=self.lengths[number : number + 1],
        )

    def without(self, coder: int) -> SpanTexts | None:
        """The texts without one annotator; None where no text has two others, or they marked nothing."""
        order = self.row_of[self.coder_of != coder]
        text = (self.corpus.item_of * len(self.corpus.tracks) + self.corpus.track_of)[order]
        order = order[np.bincount(text, minlength=1)[text] > 1]
        texts = self._laid_out(self.corpus, order) if len(order) else None
        return texts if texts is not None and len(texts.units.starts) else None

    @cached_property
    def coder_of(self) -> NDArray[np.int64]:
        """For each annotation, its coder."""
        return self.corpus.coder_of[self.row_of]

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """For each text, the mean number of spans per annotator."""
        return np.diff(self.rows[self.sizes]) / np.diff(self.sizes)

    @property
    def silent(self) -> list[str]:
        """Who marked nothing in which text, in words."""
        return [f"{self._coder(a)} in {self.heading(t)}" for t in range(len(self)) for a in self._annotations(t)
                if self.rows[a] == self.rows[a + 1]]  # fmt: skip

    def heading(self, text: int) -> str:
        """Name a text."""
        row = self.row_of[self.sizes[text]]
        return heading(self.corpus.items[self.corpus.item_of[row]], self.corpus.tracks[self.corpus.track_of[row]])

    def coders(self, text: int) -> tuple[str, ...]:
        """Name the annotators of a text."""
        return tuple(self._coder(a) for a in self._annotations(text))

    def spans(self, text: int) -> tuple[Spans, ...]:
        """The annotations of a text."""
        marks = (self.corpus.annotation(int(self.row_of[a])).marks for a in self._annotations(text))
        return tuple(each for each in marks if isinstance(each, Spans))

    def _annotations(self, text: int) -> range:
        return range(self.sizes[text], self.sizes[text + 1])

    def _coder(self, annotation: int) -> str:
        return str(self.corpus.coders[self.coder_of[annotation]])
