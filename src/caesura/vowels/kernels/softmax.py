"""From scores to log probabilities, in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel


@kernel(plain=False)
def normalise(score: Any, width: Any) -> None:
    """Turn the first ``width`` scores into log probabilities: each less the logarithm of the sum of their exponentials."""
    top = score[:width].max()
    norm = 0.0
    for o in range(width):
        norm += np.exp(score[o] - top)
    norm = top + np.log(norm)
    for o in range(width):
        score[o] -= norm
