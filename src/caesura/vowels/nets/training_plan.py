"""What a training depends on besides its data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Everything that a run depends on besides its data."""

    width: int = 256
    layers: int = 6
    heads: int = 8
    convolution: int = 5
    dropout: float = 0.3
    hide_words: float = 0.1
    hide_letters: float = 0.03
    smoothing: float = 0.02
    rate: float = 1e-3
    decay: float = 0.05
    averaging: float = 0.998
    rows: int = 24
    length: int = 384
    passes: int = 250
    seed: int = 0
    words: int = 64
    word_drop: float = 0.3
    teacher: str = ""
    join: float = 0.0  # share of lines that go on the line before them, where texts to be read have longer lines
