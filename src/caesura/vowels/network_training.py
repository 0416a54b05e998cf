"""From marked lines to a network that restores such lines: numbers for :mod:`caesura.vowels.nets`, and the tables back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from caesura.errors import MissingExtra
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Progress
from caesura.vowels.nets.plan import Plan
from caesura.vowels.nets.text import Cell, number_lines
from caesura.vowels.network import Network, after_break, before_break, spell_gap
from caesura.vowels.neural import part_marks
from caesura.vowels.scripts import Script


def train_on_lines(
    script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
) -> Network:
    """Train a network on all lines: 250 passes over a text as long as the Qur'an, fewer over longer ones, or as many as ``epochs`` says."""
    try:
        import onnxscript  # noqa: F401  the export needs it, after hours: better to miss it now
        import torch  # noqa: F401
    except ImportError as fault:
        raise MissingExtra(fault.name or "PyTorch", "train", "training a neural model") from None
    from caesura.vowels.nets.encoder import export_network
    from caesura.vowels.nets.run import train_network

    cells = spell_lines(script, lexicon, lines)
    none = np.zeros(0, np.int64)
    data = number_lines(cells, np.arange(len(cells)), none, none, len(script.slots))
    passes = options.get("network_passes") or max(8, min(250, round(250 * 80_000 / max(len(lines.states), 1))))
    plan = replace(Plan(), seed=int(options["seed"]), passes=passes, **options.get("plan", {}))

    def say(text: str) -> None:
        if text.startswith("step "):
            done, whole = (int(x) for x in text.split(",")[0].removeprefix("step ").split(" of "))
            progress("network", done / whole)

    with TemporaryDirectory() as folder:
        trained = train_network(data, plan, Path(folder), say)
        export_network(trained, Path(folder) / "network.onnx")
        return make_network(data["meta"], (Path(folder) / "network.onnx").read_bytes())


def spell_lines(script: Script, lexicon: Lexicon, lines: Lines) -> list[list[Cell]]:
    """Spell lines as symbols, each letter with the marks of its slots, everything else with None."""
    spelled = [[(x.read, part_marks(x.marks, script)) for x in script.split(word)] for word in lexicon.pointed]
    states, gaps = lines.states.tolist(), lines.gaps
    cells: list[list[Cell]] = []
    for first, last in zip(lines.offsets[:-1].tolist(), lines.offsets[1:].tolist(), strict=True):
        line: list[Cell] = []
        for i in range(first, last):
            line += _gap_cells(after_break(gaps[i]) if i == first else gaps[i])
            line += spelled[states[i]]
        if last > first:
            line += _gap_cells(before_break(gaps[last]))
        cells.append(line)
    return cells


def make_network(meta: Mapping[str, Any], stored: bytes) -> Network:
    """A network out of its file and the tables that its data had."""
    words = ("".join(meta["symbols"][n] for n in word) for word in meta["words"])
    slots = tuple(tuple(slot) for slot in meta["slots"])
    return Network(tuple(meta["symbols"]), int(meta["first_letter"]), slots, tuple(words), stored)


def _gap_cells(gap: str) -> Iterable[Cell]:
    return [(c, None) for c in spell_gap(gap)]
