"""Which lines a network has learnt from: what it says of them tells nothing of how far it may be trusted elsewhere."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.vowels.scripts import SCRIPTS, Script

Hashes = NDArray[np.uint32]


def hash_lines(lines: Sequence[str], script: Script) -> Hashes:
    """One number per line, by its bare words alone, in order of the numbers."""
    return np.sort(np.array([_hash(line, script) for line in lines], np.uint32))


def unseen_lines(lines: Sequence[str], seen: Hashes, script: Script) -> list[int]:
    """Numbers of the lines that are left where every line that was seen takes one like it away."""
    left = Counter(seen.tolist())
    unseen = []
    for n, line in enumerate(lines):
        key = _hash(line, script)
        if left[key]:
            left[key] -= 1
        else:
            unseen.append(n)
    return unseen


def refuse_seen_lines(seen: Hashes, train: Sequence[str], test: Sequence[str], script: Script) -> None:
    """Refuse to test a network on lines that it has learnt from; lines that the training part has too are no such lines.

    Raises
    ------
    CaesuraError
        With their number.
    """
    left = set(seen.tolist()).difference(_hash(line, script) for line in train)
    known = sum(_hash(line, script) in left for line in test)
    if known:
        raise CaesuraError(
            f"the network has learnt from {known} of the {len(test)} lines to be tested on; name one that was trained on the training part alone."
        )


def _hash(line: str, script: Script) -> int:
    table = SCRIPTS[script.name]  # with all its marks to come off, whichever of them the task is about
    return zlib.crc32(" ".join(map(table.read, table.word.findall(line))).encode())
