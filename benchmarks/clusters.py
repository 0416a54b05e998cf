"""Coverage of intervals over speakers and over recordings, by simulation: ``python benchmarks/clusters.py [RUNS]``.

Every speaker has 10 recordings, every recording 20 to 59 boundaries, of which a share is found. Shares vary between speakers (standard
deviation 0.6 of the logit) and between recordings of a speaker (0.4). Printed: the share of 95 % intervals that contain the true share, and of
tests of two equal systems with p up to 0.05. It runs the functions of the package.
"""

from __future__ import annotations

import sys

import numpy as np

from caesura.metrics import metric
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.significance import paired_test

RECALL = metric("region-recall")
BETWEEN, WITHIN, MEAN = 0.6, 0.4, 1.5


def rows(random: np.random.Generator, speakers: int, shift: np.ndarray | float = 0.0) -> np.ndarray:
    """One row of counts per speaker and recording."""
    logit = MEAN + shift + random.normal(0, BETWEEN, (speakers, 1)) + random.normal(0, WITHIN, (speakers, 10))
    total = random.integers(20, 60, (speakers, 10))
    hits = random.binomial(total, 1 / (1 + np.exp(-logit)))
    return np.stack((hits, hits, total, total), axis=-1).astype(np.float64)


def main(runs: int) -> None:
    random = np.random.default_rng(0)
    logit = random.normal(MEAN, np.hypot(BETWEEN, WITHIN), 2_000_000)
    truth = float(np.mean(1 / (1 + np.exp(-logit))))
    for speakers in (5, 10, 20):
        held = dict.fromkeys(("recordings", "speakers, percentile", "speakers, expanded"), 0)
        wrong = dict.fromkeys(("recordings", "speakers"), 0)
        for run in range(runs):
            one, other = rows(random, speakers), rows(random, speakers)
            flat, clustered = one.reshape(-1, 4), one.sum(axis=1)
            plain, expanded = (Resampling(resamples=1000, method=how, seed=run) for how in ("percentile", "expanded"))
            found = {
                "recordings": plain.intervals([RECALL], [flat])[0],
                "speakers, percentile": plain.cluster_intervals([RECALL], [clustered])[0],
                "speakers, expanded": expanded.cluster_intervals([RECALL], [clustered])[0],
            }
            for name, interval in found.items():
                held[name] += interval is not None and interval.low <= truth <= interval.high
            how = {"samples": 500, "seed": run}
            wrong["recordings"] += paired_test(RECALL, flat, other.reshape(-1, 4), **how).p_value <= 0.05
            wrong["speakers"] += paired_test(RECALL, clustered, other.sum(axis=1), clusters=True, **how).p_value <= 0.05
        print(
            speakers,
            {k: round(v / runs, 3) for k, v in held.items()},
            {k: round(v / runs, 3) for k, v in wrong.items()},
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
