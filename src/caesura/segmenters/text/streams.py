"""Segmenting a text while it arrives: a boundary is reported as soon as no later unit can undo it."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.dynamic_program import choose_free
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import CohesionSegmenter
from caesura.segmenters.text.cohesion import Cohesion
from caesura.segmenters.text.tokens import Bags, Sizes

#: How much text there will be at least, as far as a stream knows: about a page.
_PAGE = Sizes(1000, 500, 600)


class Stream:
    """Units in, final boundaries out.

    A boundary is final once the best ways to every place where the next segment may still begin pass through it. That needs a longest segment:
    without one the whole text may always turn out to be a single segment, and everything waits for :meth:`finish`.

    What depends on the whole text (the number of types, the tokens in ``log N``) is taken from what has come so far, and from a page of text at
    least. With a ``vocabulary`` and a ``penalty`` in numbers the stream gives exactly what the whole text would.

    Parameters
    ----------
    segmenter
        One that looks at words only: dcm or u00.
    max_length
        Longest segment in units; by default the segmenter's, else 200.

    Examples
    --------
    >>> from caesura.segmenters.text import DCM
    >>> stream = DCM(penalty=1.0).stream(max_length=4)
    >>> lines = ["sea ship sail"] * 4 + ["bread flour oven"] * 4 + ["judge court jury"] * 4
    >>> [stream.push(line) for line in lines][-3:], stream.finish(), stream.final
    ([[], [], [8]], [], [4, 8])
    """

    def __init__(self, segmenter: CohesionSegmenter, max_length: int | None = None) -> None:
        self.segmenter = segmenter
        self.max_length = max_length or segmenter.max_length or 200
        if self.max_length < segmenter.min_length:
            raise CaesuraError(
                f"the longest segment ({self.max_length} units) is shorter than the shortest ({segmenter.min_length})."
            )
        self.final: list[int] = []
        self._codes: dict[str, int] = {}
        self._met: set[str] = set()
        self._tokens = 0
        self._units: list[NDArray[np.int32]] = []  # of what is not final yet
        self._base = 0  # units that are final
        self._costs, self._back = np.zeros(1), np.full(1, -1, np.int32)
        self._finished = False

    def __len__(self) -> int:
        """How many units have come."""
        return self._base + len(self._units)

    def push(self, unit: str) -> list[int]:
        """Take the next unit; return the boundaries that became final, in ascending order."""
        if self._finished:
            raise CaesuraError("this stream is finished; begin another.")
        self._take(unit)
        n = len(self._units)
        low = max(0, n - self.max_length)
        row = self._row(low)
        self._costs, self._back = np.append(self._costs, np.inf), np.append(self._back, np.int32(-1))
        lowest, highest = np.full(n + 1, low), np.full(n + 1, n - self.segmenter.min_length)
        penalty = self.segmenter.bag_penalty(self._sizes)
        choose_free(row, n - 1, lowest, highest, np.zeros(n + 1), penalty, self._costs, self._back)
        return self._settle(low)

    def finish(self) -> list[int]:
        """End the text; return the boundaries that were open still."""
        if self._finished:
            return []
        self._finished = True
        n = len(self._units)
        if not n:
            return []
        sizes = Sizes(self._tokens, len(self._codes), len(self._met))  # now all of it is known
        cost = self.segmenter.bag_cost(self._bags(0), None, sizes)
        frame = dynamic.Frame.of(n, shortest=self.segmenter.min_length, longest=self.max_length)
        solution = dynamic.solve_free(cost, frame, self.segmenter.bag_penalty(sizes))
        rest = [self._base + p for p in solution.positions.tolist()]
        self.final += rest
        return rest

    @property
    def _sizes(self) -> Sizes:
        return Sizes(
            max(self._tokens, _PAGE.tokens), max(len(self._codes), _PAGE.types), max(len(self._met), _PAGE.met)
        )

    def _take(self, unit: str) -> None:
        words = self.segmenter._bags((unit,))
        codes = [self._codes.setdefault(words.names[t], len(self._codes)) for t in words.tokens.tolist()]
        self._met.update(words.names)
        self._tokens += len(codes)
        self._units.append(np.array(codes, np.int32))

    def _bags(self, low: int) -> Bags:
        """Return the words from unit ``low`` of the open part on."""
        units = self._units[low:]
        tokens = np.fromiter(chain.from_iterable(u.tolist() for u in units), np.int32)
        offsets = np.concatenate(([0], np.cumsum([len(u) for u in units]))).astype(np.int64)
        return Bags(tokens, offsets, tuple(self._codes), len(self._met), tokens, offsets)

    def _row(self, low: int) -> NDArray[np.float64]:
        """Return the costs of the segments that end with the newest unit."""
        cost: Cohesion = self.segmenter.bag_cost(self._bags(low), None, self._sizes)
        n = len(self._units)
        row = np.zeros((1, n))
        row[0, low:] = cost.last_row()
        return row

    def _settle(self, low: int) -> list[int]:
        """Find the place that the best ways to all live starts have in common, report what lies before it, and forget it."""
        live = {i for i in range(low, len(self._units) + 1) if np.isfinite(self._costs[i])}
        while len(live) > 1:
            furthest = max(live)
            live.discard(furthest)
            live.add(int(self._back[furthest]))
        if not live:
            return []
        common = live.pop()
        if common == 0:
            return []
        backwards, place = [], common
        while place > 0:
            backwards.append(self._base + place)
            place = int(self._back[place])
        self._base += common
        self._units = self._units[common:]
        self._costs = self._costs[common:] - self._costs[common]
        self._back = self._back[common:] - np.int32(common)
        self._back[0] = -1
        self.final += backwards[::-1]
        return backwards[::-1]
