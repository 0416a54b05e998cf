"""Make training rows from packed texts, varied anew in every pass: spelling, maqaf, punctuation, quotes, line lengths and control symbols.

Needs NumPy alone. A row has a fixed number of cells and several pieces of text, separated by padding; every piece starts with control symbols,
each of which is left out now and then, so that the network also works without them.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LENGTH = 256  # cells of a row
GAP = 4  # pads between pieces: more than half the width of a convolution
_BLOCK = 12  # consecutive lines that are varied in the same way
_MAX_UNIT = 30


class Rows(NamedTuple):
    """Rows of cells: symbols, numbers of pieces (0: padding), marks per slot (255: ignored), numbers of words, and weights in percent."""

    letters: np.ndarray
    lines: np.ndarray
    marks: np.ndarray
    words: np.ndarray
    weights: np.ndarray


def read_packed(path: Path) -> dict[str, Any]:
    """Read a file of :func:`write_packed`."""
    with lzma.open(path, "rb") as stream:
        head = json.loads(stream.readline())
        data: dict[str, Any] = {"meta": head["meta"]}
        for name, (kind, shape) in head["arrays"].items():
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            data[name] = np.frombuffer(stream.read(size), kind).reshape(shape)
    return data


def write_packed(path: Path, data: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write arrays one after another, compressed by LZMA, after a line of JSON that describes them."""
    table = {name: (array.dtype.str, list(array.shape)) for name, array in data.items()}
    head = json.dumps({"meta": meta, "arrays": table}).encode() + b"\n"
    with lzma.open(path, "wb", preset=6) as stream:
        stream.write(head)
        for array in data.values():
            stream.write(np.ascontiguousarray(array).tobytes())
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", flush=True)


class Mixer:
    """Draws rows from packed texts."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data, self.meta = data, data["meta"]
        self.hebrew = self.meta["language"] == "hebrew"
        self.begin = np.concatenate(([0], data["ends"]))
        self.gap_unit = self.meta["variants"] * self.meta["forms"]
        self.control_unit = self.gap_unit + self.meta["gaps"]
        self.extra = np.arange(1, 1 + len(self.meta["extra"]))
        self.styles = data["gap_styles"]
        length = data["length"].astype(np.int64)
        self.starts, self.length = np.cumsum(length) - length, np.where(length > _MAX_UNIT, 0, length)
        self.dotted = self._find_dotted() if self.hebrew else np.zeros(self.meta["forms"], bool)

    def _find_dotted(self) -> np.ndarray:
        """Return for every form whether modern pointing writes a dagesh in its first letter: all begadkefat letters, but pe only if some text does."""
        pool, marks, symbols = self.data["pool"], self.data["marks"], self.meta["symbols"]
        first, length = self.starts[: self.meta["forms"]], self.length[: self.meta["forms"]]
        marked = np.concatenate(([0], np.cumsum(((marks > 0) & (marks < 255)).any(1))))
        pointed = (length > 1) & (marked[first + length] > marked[first])
        pointed &= pool[np.minimum(first + 1, len(pool) - 1)] >= self.meta["first_letter"]  # no sign behind it
        dotted = pointed & np.isin(pool[first], [symbols.index(c) for c in "בכגדת" if c in symbols])
        spelled: dict[bytes, list[int]] = {}
        for n in np.flatnonzero(pointed & (pool[first] == symbols.index("פ"))).tolist():
            cells = slice(first[n], first[n] + length[n])
            own = marks[cells].copy()
            own[0, 1] = 0
            spelled.setdefault(pool[cells].tobytes() + own.tobytes(), []).append(n)
        for forms in spelled.values():
            dotted[forms] = marks[first[forms], 1].any()
        return dotted

    def _named(self, *gaps: str) -> np.ndarray:
        """Return the numbers of some gaps; the ones that a language does not have are left out."""
        return np.array([self.meta["extra"].index(gap) + 1 for gap in gaps if gap in self.meta["extra"]])

    def rows(self, seed: int, part: int, parts: int) -> Rows:
        """Return the rows of one part of a pass."""
        random = np.random.default_rng([seed, part])
        blocks = self._training_blocks(random)
        mine = np.random.default_rng(seed).permutation(len(blocks))[part::parts]
        return self._build(blocks[mine], random, vary=True)

    def held_rows(self, kind: int, spelling: int, controls: bool, words: int = 14_000) -> Rows:
        """Return the held-out lines of a kind in one spelling; of modern Hebrew those whose pointing is uniform."""
        held = (self.data["repeat"] == 0) & (self.data["kind"] == kind)
        lines = np.flatnonzero(held & ((self.data["uniform"] == 2) | (kind != 2)))
        sizes = np.cumsum(self.begin[lines + 1] - self.begin[lines])
        lines = lines[: int(np.searchsorted(sizes, words)) + 1]
        blocks = np.stack((lines, lines + 1), 1)
        return self._build(blocks, np.random.default_rng(0), vary=False, spelling=spelling, controls=controls)

    def _training_blocks(self, random: np.random.Generator) -> np.ndarray:
        """Cut the training lines into blocks of consecutive lines, repeated as often as their text asks for."""
        repeat = self.data["repeat"].astype(np.int64)
        change = np.flatnonzero(np.diff(repeat) != 0) + 1
        edges = np.concatenate(([0], change, [len(repeat)]))
        blocks = []
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            for _ in range(int(repeat[a])):
                cuts = np.arange(a + int(random.integers(_BLOCK)), b, _BLOCK)
                cuts = np.unique(np.concatenate(([a], cuts, [b])))
                blocks.append(np.stack((cuts[:-1], cuts[1:]), 1))
        return np.concatenate(blocks)

    def _build(
        self, blocks: np.ndarray, random: np.random.Generator, vary: bool, spelling: int = 0, controls: bool = True
    ) -> Rows:
        data, n = self.data, len(blocks)
        # Tokens of all blocks, in order.
        first, last = self.begin[blocks[:, 0]], self.begin[blocks[:, 1]]
        size = last - first
        block = np.repeat(np.arange(n), size)
        token = np.repeat(first - np.concatenate(([0], np.cumsum(size)[:-1])), size) + np.arange(size.sum())
        line = np.searchsorted(data["ends"], token, side="right")
        starts_line = token == self.begin[line]
        ends_line = token == data["ends"][line] - 1
        starts_block = np.concatenate(([True], block[1:] != block[:-1]))
        form = data["tokens"][token].astype(np.int64)
        kind = data["kind"][line].astype(np.int64)

        variant = self._spellings(random, n, block, kind, vary, spelling)
        gap = self._gaps(random, n, block, token, line, starts_line, kind, vary)
        tail = np.where(ends_line, data["tails"][line].astype(np.int64), 0)
        breaks = starts_line.copy()
        if vary:
            mode = random.random(n)
            joins = (mode < 0.35)[block] & starts_line & ~starts_block & (random.random(len(token)) < 0.85)
            breaks &= ~joins
            gap = np.where(joins, self.styles[gap, 2], gap)
            chance = np.where(mode > 0.97, 1.0, np.where(mode > 0.93, 0.5, np.where(mode > 0.84, 0.2, 0.0)))[block]
            cuts = (random.random(len(token)) < chance) & ~breaks
            gap = np.where(cuts, 0, gap)
            breaks |= cuts
            realistic = self._add_stops(random, n, block, kind, ends_line & (tail == 0))
            tail = np.where(realistic, random.choice(self._named(".", ".", "?", "؟", "!"), len(token)), tail)
            stripped = (random.random(n) < 0.15)[block]
            tail = np.where(stripped, 0, tail)
        word_unit = variant * self.meta["forms"] + form
        sizes = self.length[word_unit] + self.length[self.gap_unit + gap] + self.length[self.gap_unit + tail]
        breaks |= self._cut_long(sizes, breaks)
        # Half of the modern blocks get the initial dagesh of texts for modern readers.
        redotted = (random.random(n) < (0.5 if vary else 0.0))[block] & (kind == 2) & self.hebrew
        control = self._controls(random, line, kind, redotted, vary, controls)

        # Four units per token: control symbols, gap, word, tail.
        units = np.stack((control, self.gap_unit + gap, word_unit, self.gap_unit + tail), 1)
        units[:, 0] = np.where(breaks, units[:, 0], self.gap_unit)
        lengths = self.length[units]
        lengths[~breaks, 0] = 0
        piece = np.cumsum(breaks) - 1
        of_piece = np.bincount(piece, lengths.sum(1)).astype(np.int64)
        place = self._pack(of_piece, random if vary else None)
        kept = place >= 0
        flat, flat_start = lengths.ravel(), self.starts[units.ravel()]
        total = int(flat.sum())
        before = np.cumsum(flat) - flat
        source = np.repeat(flat_start - before, flat) + np.arange(total)
        cell_piece = np.repeat(np.repeat(piece, 4), flat)
        inside = np.arange(total) - np.repeat(np.cumsum(of_piece) - of_piece, of_piece)
        target = place[cell_piece] + inside
        good = kept[cell_piece]
        rows = (int(place.max()) // LENGTH) + 1
        out = Rows(
            np.zeros(rows * LENGTH, np.uint8), np.zeros(rows * LENGTH, np.uint8),
            np.full((rows * LENGTH, data["marks"].shape[1]), 255, np.uint8), np.zeros(rows * LENGTH, np.uint16), np.zeros(rows * LENGTH, np.uint8),
        )  # fmt: skip
        source, target = source[good], target[good]
        out.letters[target] = data["pool"][source]
        out.marks[target] = data["marks"][source]
        initial = np.zeros(total, bool)
        initial[before.reshape(-1, 4)[redotted & self.dotted[form] & (lengths[:, 2] > 0), 2]] = True
        out.marks[target[initial[good]], 1] = 1
        word = np.zeros(units.shape, np.uint16)
        word[:, 2] = data["word"][variant, form]
        out.words[target] = np.repeat(word.ravel(), flat)[good]
        weight = np.array([60, 85, 110, 50, 85, 130], np.uint8)[data["uniform"][line] + 3 * (kind == 2) * self.hebrew]
        out.weights[target] = np.repeat(np.repeat(weight, 4), flat)[good]
        number = place // LENGTH
        order = np.argsort(place, kind="stable")
        rank = np.empty(len(place), np.int64)
        ordered = number[order]
        first_of = np.concatenate(([0], np.flatnonzero(np.diff(ordered)) + 1))
        since = np.zeros(len(place), np.int64)
        since[first_of] = first_of
        rank[order] = np.arange(len(place)) - np.maximum.accumulate(since) + 1
        out.lines[target] = np.minimum(rank, 255)[cell_piece[good]].astype(np.uint8)
        return Rows(*(array.reshape(rows, LENGTH, *array.shape[1:]) for array in out))

    def _spellings(self, random: Any, n: int, block: Any, kind: Any, vary: bool, spelling: int) -> np.ndarray:
        """Choose a spelling for every word: mostly one spelling per block."""
        if not vary:
            return np.full(len(block), spelling, np.int64)
        if not self.hebrew:  # without hamzas in some blocks
            return np.digitize(random.random(n), [0.9, 0.95])[block]
        # As written, full, half full, full as drawn again, by chance; then a spelling for every word by itself.
        mode = np.digitize(random.random(n), [0.28, 0.53, 0.60, 0.78, 0.88])[block]
        mixed = random.integers(0, 5, len(block))
        variant = np.where(mode == 5, mixed, mode)
        return np.where((kind == 0) & (random.random(n) < 0.6)[block], 0, variant)

    def _gaps(
        self, random: Any, n: int, block: Any, token: Any, line: Any, starts_line: Any, kind: Any, vary: bool
    ) -> np.ndarray:
        """Choose the gap before every word."""
        gap = self.data["before"][token].astype(np.int64)
        if not vary:
            return gap
        style = random.random(n)[block]
        gap = np.where(style < 0.3, self.styles[gap, 0], np.where(style < 0.5, self.styles[gap, 1], gap)).astype(
            np.int64
        )
        joiner = self.styles[gap, 3] == 1
        joining = np.digitize(random.random(n), [0.4, 0.72, 0.86])[block]
        extra = self.extra
        for value, sign in ((1, " "), (2, "-"), (3, "־" if self.hebrew else "-")):
            gap = np.where(joiner & (joining == value), self._named(sign)[0], gap)
        joiner = self.styles[gap, 3] == 1
        mode = np.digitize(random.random(n), [0.55, 0.75, 0.85, 0.93])[block]
        free = ~starts_line & ~joiner
        gap = np.where((mode == 1) & free, extra[0], gap)  # no punctuation
        gap = np.where((mode == 1) & starts_line, 0, gap)
        density = np.array([0.1, 0.3, 1.0, 1.0])[random.integers(0, 4, n)][block]
        some = random.random(len(block)) < density
        signs = self._named(
            ", ", "، ", ". ", "; ", "؛ ", ": ", " - ", " – ", "? ", "! ", "/", " / ", "*", " * ", "— ", " ، "
        )
        same = random.choice(signs, n)[block]
        gap = np.where((mode == 2) & free & some, same, gap)  # the same sign between words
        gap = np.where(
            (mode == 3) & free & (some & (random.random(len(block)) < 0.35)), random.choice(extra[1:], len(block)), gap
        )
        # Texts without punctuation get some in every seventh place.
        sparse = free & (self.styles[gap, 4] == 1) & (random.random(len(block)) < 0.14) & (kind == 0) & (mode >= 4)
        return np.where(
            sparse, random.choice(self._named(", ", ", ", "، ", "، ", ". ", "; ", "؛ ", ": "), len(block)), gap
        )

    def _add_stops(self, random: Any, n: int, block: Any, kind: Any, where: Any) -> np.ndarray:
        return where & (random.random(n) < 0.35)[block]

    def _cut_long(self, sizes: np.ndarray, breaks: np.ndarray) -> np.ndarray:
        """Break pieces that do not fit into a row."""
        ends = np.cumsum(sizes)
        begin = np.maximum.accumulate(np.where(breaks, ends - sizes, 0))
        longest = LENGTH - 8 - 2 * _MAX_UNIT
        number = (ends - sizes - begin) // longest
        return np.concatenate(([False], (number[1:] != number[:-1]) & ~breaks[1:]))

    def _controls(self, random: Any, line: Any, kind: Any, redotted: Any, vary: bool, controls: bool) -> np.ndarray:
        """Return the unit of the control symbols of every token's line."""
        uniform, dagesh = (self.data[name][line].astype(np.int64) for name in ("uniform", "dagesh"))
        dagesh = np.where(redotted, 2, dagesh)
        drop = np.zeros((3, len(line)), bool)
        if vary:
            drop = random.random((3, len(line))) < np.array([0.25, 0.2, 0.2])[:, None]
            drop |= random.random(len(line)) < 0.1
        if not self.hebrew:
            drop[1:] = True  # there is no judgement of Arabic pointing
        if not controls:
            drop |= True
        kind, uniform, dagesh = (np.where(d, 0, v + 1) for d, v in zip(drop, (kind, uniform, dagesh), strict=True))
        c = self.meta["controls"]
        return self.control_unit + (kind * (c["uniform"] + 1) + uniform) * (c["dagesh"] + 1) + dagesh

    def _pack(self, sizes: np.ndarray, random: Any) -> np.ndarray:
        """Return the place of every piece: row × length + offset; -1 if it does not fit into a row."""
        place = np.full(len(sizes), -1, np.int64)
        order = np.arange(len(sizes)) if random is None else random.permutation(len(sizes))
        rows, open_rows = 0, []  # of open rows: how much is used, and their number
        for index, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
            if size > LENGTH or size == 0:
                continue
            n = next((i for i, (used, _) in enumerate(open_rows) if used + size <= LENGTH), len(open_rows))
            if n == len(open_rows):
                open_rows.append((0, rows))
                rows += 1
            at, row = open_rows[n]
            place[index] = row * LENGTH + at
            at += size + GAP
            if at > LENGTH - 12:
                open_rows.pop(n)
            else:
                open_rows[n] = (at, row)
            if len(open_rows) > 24:
                open_rows.remove(max(open_rows))
        return place
