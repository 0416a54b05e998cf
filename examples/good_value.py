"""Run the two simulations of S_f and S_f^B on the page docs/what-is-a-good-value.md.

Run: python examples/good_value.py
"""

from __future__ import annotations

import numpy as np

import caesura as cs

TYPES = [",", ".", "?"]
TOKENS = 20_000


def text(random: np.random.Generator, mass: float) -> np.ndarray:
    """Return the type codes of a text with segments of ``mass`` tokens on average; -1 means no boundary."""
    return np.where(random.random(TOKENS) < 1 / mass, random.integers(len(TYPES), size=TOKENS), -1)


def with_errors(
    random: np.random.Generator, codes: np.ndarray, *, missed: float, added: float, confused: float
) -> np.ndarray:
    """Return the codes with errors, at rates per boundary."""
    again = codes.copy()
    at = np.flatnonzero(codes >= 0)
    again[at[random.random(len(at)) < missed]] = -1
    wrong = at[random.random(len(at)) < confused]
    again[wrong] = np.where(
        again[wrong] < 0, -1, (codes[wrong] + random.integers(1, len(TYPES), size=len(wrong))) % len(TYPES)
    )
    free = np.flatnonzero(codes < 0)
    extra = random.choice(free, size=round(added * len(at)), replace=False)
    again[extra] = random.integers(len(TYPES), size=len(extra))
    return again


def segmentation(codes: np.ndarray) -> cs.Segmentation:
    """Return the codes as a segmentation."""
    where = np.flatnonzero(codes >= 0)
    return cs.Segmentation(len(codes), where + 1, codes[where], TYPES)


def row(one: np.ndarray, two: np.ndarray) -> list[float]:
    """Return S_f, S_f^B and their κ."""
    a, b = segmentation(one), segmentation(two)
    scores = [cs.flexible_similarity(a, b, normalise=n) for n in ("potential", "boundaries")]
    kappas = [cs.flexible_agreement(a, b, normalise=n, precision=0.001).value for n in ("potential", "boundaries")]
    return [*scores, *kappas]


def boundaries_by_chance(one: np.ndarray, two: np.ndarray, random: np.random.Generator) -> float:
    """Return the number of boundaries of two random annotators with the same proportions."""
    shuffled = [segmentation(random.permutation(codes)) for codes in (one, two)]
    return cs.flexible_operations(*shuffled).boundaries


def main() -> None:
    """Print both tables."""
    random = np.random.default_rng(2023)
    print("1. The same listener (10 % missed, 10 % added, 10 % confused) on increasingly sparse texts")
    print(f"{'tokens per segment':>18} {'S_f':>7} {'S_f^B':>7} {'κ(S_f)':>8} {'κ(S_f^B)':>9}")
    for mass in (3, 5, 10, 20, 40):
        codes = text(random, mass)
        again = with_errors(random, codes, missed=0.1, added=0.1, confused=0.1)
        print(f"{mass:18d} " + " ".join(f"{v:{w}.3f}" for v, w in zip(row(codes, again), (7, 7, 8, 9), strict=True)))
    print("\n2. One text (5 tokens per segment), the same number of errors: all of position, or all of type")
    print(f"{'errors':>24} {'S_f':>7} {'S_f^B':>7} {'κ(S_f)':>8} {'κ(S_f^B)':>9} {'found':>6} {'by chance':>10}")
    codes = text(random, 5)
    for name, rates in (
        ("20 % missed, 20 % added", {"missed": 0.2, "added": 0.2, "confused": 0.0}),
        ("40 % confused", {"missed": 0.0, "added": 0.0, "confused": 0.4}),
    ):
        again = with_errors(random, codes, **rates)
        seen = cs.flexible_operations(segmentation(codes), segmentation(again)).boundaries
        chance = boundaries_by_chance(codes, again, random)
        numbers = " ".join(f"{v:{w}.3f}" for v, w in zip(row(codes, again), (7, 7, 8, 9), strict=True))
        print(f"{name:>24} {numbers} {seen:6.0f} {chance:10.0f}")


if __name__ == "__main__":
    main()
