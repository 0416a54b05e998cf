"""Run the simulation of the page docs/which-coefficient-sees-what.md.

Run: python examples/span_errors.py

One annotator marks 40 spans with three labels; the other makes errors of one kind at an increasing rate. Every value is the mean of 20 texts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import caesura as cs
from caesura.agreement import span_agreements

LABELS = ["loc", "org", "per"]
UNITS, TEXTS = 40, 20
STEPS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
COLUMNS = ("γ statistical", "γ shift", "γ-cat", "α_U", "uα", "|uα", "cuα")
Rows = np.ndarray  # one row per span: start, end, label


def text(random: np.random.Generator) -> tuple[Rows, int]:
    """Return spans of 8 to 12 positions with 20 to 30 between them, and the length of the text."""
    lengths, gaps = random.integers(8, 13, UNITS), random.integers(20, 31, UNITS)
    ends = np.cumsum(lengths + gaps)
    return np.stack((ends - lengths, ends, random.integers(0, 3, UNITS)), axis=1), int(ends[-1] + 25)


def shift(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Move every span by up to this share of its length, in either direction."""
    by = np.rint((rows[:, 1] - rows[:, 0]) * rate * random.uniform(-1, 1, len(rows))).astype(int)
    return rows + np.stack((by, by, np.zeros_like(by)), axis=1)


def split(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Split this share of the spans in two."""
    cut = random.random(len(rows)) < rate
    middle = (rows[:, 0] + rows[:, 1]) // 2
    left, right = rows.copy(), rows[cut].copy()
    left[cut, 1] = middle[cut]
    right[:, 0] = middle[cut]
    return np.concatenate((left, right))


def merge(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Mark this share of the neighbours as one span, with the label of the first."""
    pairs = rows.reshape(-1, 2, 3)
    joined = random.random(len(pairs)) < rate
    merged = np.stack((pairs[joined, 0, 0], pairs[joined, 1, 1], pairs[joined, 0, 2]), axis=1)
    return np.concatenate((merged, pairs[~joined].reshape(-1, 3)))


def rename(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Give this share of the spans a wrong label."""
    wrong = random.random(len(rows)) < rate
    again = rows.copy()
    again[wrong, 2] = (rows[wrong, 2] + random.integers(1, 3, wrong.sum())) % 3
    return again


def miss(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Omit this share of the spans, but never all."""
    kept = random.random(len(rows)) >= rate
    kept[0] = True
    return rows[kept]


def add(random: np.random.Generator, rows: Rows, rate: float) -> Rows:
    """Add spans in this share of the gaps."""
    chosen = np.flatnonzero(random.random(len(rows) - 1) < rate)
    starts = rows[chosen, 1] + 6
    return np.concatenate((rows, np.stack((starts, starts + 8, random.integers(0, 3, len(chosen))), axis=1)))


ERRORS: dict[str, Callable[[np.random.Generator, Rows, float], Rows]] = {
    "shift": shift, "split": split, "merge": merge, "labels": rename, "misses": miss, "additions": add,
}  # fmt: skip


def values(error: str, rate: float, seed: int) -> list[float]:
    """Return all coefficients of one text."""
    random = np.random.default_rng([seed, 19])
    rows, length = text(random)
    other = ERRORS[error](random, rows, rate)
    other = other[np.argsort(other[:, 0])]
    corpus = {
        coder: cs.Spans(length, own[:, 0], own[:, 1], own[:, 2], LABELS)
        for coder, own in (("ann", rows), ("ben", other))
    }
    found = {name: result.value for name, result in span_agreements(corpus, samples=50, seed=seed).items()}
    paper = cs.agree(corpus, coefficient="gamma", samples=50, sampler="shift", seed=seed).value
    rest = (found[name] for name in ("gamma-cat", "alpha-u", "u-alpha", "bar-u-alpha", "cu-alpha"))
    return [found["gamma"], paper, *rest]


def main() -> None:
    """Print one table per error."""
    for error in ERRORS:
        print(f"\n| {error} | {' | '.join(COLUMNS)} |\n|---:|{'---:|' * len(COLUMNS)}")
        for rate in STEPS:
            table = np.array([values(error, rate, seed) for seed in range(TEXTS)])
            means = ("–" if np.isnan(column).all() else f"{np.nanmean(column):.2f}" for column in table.T)
            print(f"| {rate:g} | {' | '.join(means)} |", flush=True)


if __name__ == "__main__":
    main()
