"""Take a part of packed texts (``train.py --uniform 1 --others .25``, ``train.py --without poetry``).

:func:`take` serves a last phase of training on the texts that matter most: modern lines whose pointing is uniform enough, a share of the blocks of other
kinds, all verses of the Bible or the Qur'an, and all held-out lines. :func:`leave_out` removes the training lines of a kind, so that its held-out lines are
of a kind that a network has not seen. Symbols, words and slots stay the same, so that networks trained on either fit both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_BLOCK = 60  # lines that are taken or left out together, as in pack.judge_pointing


def take(data: dict[str, Any], uniform: int, others: float) -> dict[str, Any]:
    """Return the arrays of the chosen lines, with the forms that they use."""
    random = np.random.default_rng(0)
    lines = np.arange(len(data["ends"]))
    drawn = random.random(len(lines) // _BLOCK + 1)[lines // _BLOCK] < others
    modern, verses, held = data["kind"] == 2, data["kind"] == 0, data["repeat"] == 0
    kept = held | verses | (modern & (data["uniform"] >= uniform)) | (~modern & drawn)
    begin = np.concatenate(([0], data["ends"]))
    sizes = np.diff(begin)
    of_token = np.repeat(kept, sizes)
    used, tokens = np.unique(data["tokens"][of_token], return_inverse=True)
    forms, variants = data["meta"]["forms"], data["meta"]["variants"]
    rest = np.arange(variants * forms, len(data["length"]))
    units = np.concatenate([*(v * forms + used for v in range(variants)), rest])
    length = data["length"].astype(np.int64)
    start = np.cumsum(length) - length
    ends = np.cumsum(length[units])
    cells = np.repeat(start[units] - (ends - length[units]), length[units]) + np.arange(ends[-1])
    return {
        "tokens": tokens.astype(np.int32), "before": data["before"][of_token], "tails": data["tails"][kept],
        "ends": np.cumsum(sizes[kept]), **{name: data[name][kept] for name in ("kind", "repeat", "uniform", "dagesh")},
        "pool": data["pool"][cells], "marks": data["marks"][cells], "length": data["length"][units], "word": data["word"][:, used],
        "gap_styles": data["gap_styles"], "meta": {**data["meta"], "forms": len(used)},
    }  # fmt: skip


def leave_out(data: dict[str, Any], kind: int) -> dict[str, Any]:
    """Return the arrays without the training lines of a kind; words that occur less than twice in the rest lose their embedding."""
    kept = (data["kind"] != kind) | (data["repeat"] == 0)
    sizes = np.diff(np.concatenate(([0], data["ends"])))
    of_token = np.repeat(kept, sizes)
    repeat = np.repeat(data["repeat"], sizes)[of_token]
    tokens = data["tokens"][of_token]
    counts = np.bincount(tokens, repeat, data["meta"]["forms"])
    total = np.bincount(data["word"].ravel(), np.tile(counts, len(data["word"])))
    word = np.where(total[data["word"]] >= 2, data["word"], 0).astype(np.uint16)
    lines = {name: data[name][kept] for name in ("tails", "kind", "repeat", "uniform", "dagesh")}
    ends = np.cumsum(sizes[kept])
    return {**data, **lines, "tokens": tokens, "before": data["before"][of_token], "ends": ends, "word": word}
