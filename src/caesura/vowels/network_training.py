"""From marked lines to a network that restores such lines: numbers for :mod:`caesura.vowels.nets`, and the tables back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, MissingExtra
from caesura.vowels.letter_scores import part_marks
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Progress
from caesura.vowels.nets.text import NOTHING, Cell, Tables, number_lines
from caesura.vowels.nets.training_plan import Plan
from caesura.vowels.network import Network, after_break, before_break, spell_gap
from caesura.vowels.scripts import Script
from caesura.vowels.seen_lines import hash_lines


def train_on_lines(
    script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
) -> Network:
    """Train a network on all lines: 250 passes over a text as long as the Qur'an, fewer over longer ones; a quarter of them from a network to go on from."""
    try:
        import onnxscript  # noqa: F401  the export needs it, after hours: better to miss it now
        import torch  # noqa: F401
    except ImportError as fault:
        raise MissingExtra(fault.name or "PyTorch", "train", "training a neural model") from None
    from caesura.vowels.nets.export import export_network, measures, read_back
    from caesura.vowels.nets.training_run import train_network

    cells = spell_lines(script, lexicon, lines)
    none = np.zeros(0, np.int64)
    passes = max(8, min(250, round(250 * 80_000 / max(len(lines.states), 1))))
    plan, start, before = replace(Plan(), seed=int(options["seed"]), passes=passes), None, NOTHING
    if len(options.get("network", ())) > 1:
        raise CaesuraError("neural is one network; name one to go on from.")
    known: Network | None = next(iter(options.get("network", ())), None)
    if known is not None:
        if len(known.slots) != len(script.slots):
            raise CaesuraError("the network to go on from was trained for other marks; name one for the same marks.")
        weights = read_back(known.stored)
        before = Tables(known.symbols, known.first_letter, known.slots, known.words)
        plan = replace(plan, **measures(weights), passes=max(4, passes // 4), rate=plan.rate / 3)
        start = (before, weights)
    plan = replace(plan, **options.get("plan", {}))
    data = number_lines(cells, np.arange(len(cells)), none, none, len(script.slots), before)

    def say(text: str) -> None:
        if text.startswith("step "):
            done, whole = (int(x) for x in text.split(",")[0].removeprefix("step ").split(" of "))
            progress("network", done / whole)

    with TemporaryDirectory() as folder:
        trained = train_network(data, plan, Path(folder), say, start)
        export_network(trained, Path(folder) / "network.onnx", data)
        network = make_network(data["meta"], (Path(folder) / "network.onnx").read_bytes())
    words = [lexicon.pointed[state] for state in lines.states.tolist()]
    texts = [" ".join(words[first:last]) for first, last in pairwise(lines.offsets.tolist())]
    seen = hash_lines(texts, script)
    return replace(network, seen=seen if known is None else np.sort(np.concatenate((known.seen, seen))))


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
