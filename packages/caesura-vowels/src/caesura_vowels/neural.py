"""The model "neural": a letter network over the whole line, and its training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels.kinds import TextKinds
from caesura_vowels.lexicon import Alphabet, Ints, Lexicon, Lines, SpelledWords, hash_lines
from caesura_vowels.models import Alternatives, Arrays, Model, Progress, Words
from caesura_vowels.nets.encoder import TrainingConfig
from caesura_vowels.nets.text import EMPTY_TABLES, Cell, Tables, number_lines
from caesura_vowels.network import (
    Floats,
    LetterScores,
    Network,
    after_line_break,
    before_line_break,
    likeliest_choices,
    marks_by_slot,
    spell_gap,
)
from caesura_vowels.scripts import Script
from caesura_vowels.storage import StoredArrays

_MAX_FORMS = 8  # of a word
# How much less likely a form is that the training text never has, if it has the word: chosen on held-out lines.
_UNKNOWN_FORM = 0.05


class Neural(Model):
    """A letter network; the letters of a word are independent given the line.

    With a general network, words of the lexicon prefer their known forms: any other form must be many times as likely. Other words are free.

    ``kinds`` recognizes the kind of a text for a general network, unless the words say it.
    """

    name = "neural"
    max_held_out_words = 5000  # the network is not trained on them later
    max_batch_words = 10_000

    def __init__(self, script: Script, lexicon: Lexicon, network: Network, kinds: TextKinds | None = None) -> None:
        super().__init__(script, lexicon)
        self.network, self.kinds = network, kinds
        self.alphabet = Alphabet.of(script, lexicon.pointed)
        self.scores = LetterScores(self.alphabet, [network])

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Neural:
        """Train a network, or continue training one; needs PyTorch, and takes hours without a GPU on a large text."""
        return cls(script, lexicon, train_on_lines(script, lexicon, lines, options, progress))

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Neural:
        """Return the same network with the words of all lines; training it again would take too long."""
        return Neural(self.script, lexicon, self.network, self.kinds)

    def _choice_scores(self, words: Words) -> tuple[SpelledWords, Floats]:
        if self.kinds is None:
            return self.scores.choice_scores(words)
        number = self.kinds.recognize(words.words) if words.kind is None else self.kinds.names.index(words.kind)
        return self.scores.choice_scores(words, self.kinds.controls[number])

    def decode(self, words: Words) -> list[str]:
        """Return the likeliest form of every word."""
        text, logs = self._choice_scores(words)
        best = logs.argmax(axis=1).tolist() if len(logs) else []
        ends = text.words.tolist()
        point = self.alphabet.point_word
        forms = [point(word, best[ends[i] : ends[i + 1]]) for i, word in enumerate(words.words)]
        for i, (word, form) in enumerate(zip(words.words, forms, strict=True)):
            if self.kinds is not None and word in self.lexicon.number and form not in self.lexicon.candidates(word):
                part = logs[ends[i] : ends[i + 1]]
                known = self._known_scores(word, part)
                if known.max(initial=-np.inf) > part.max(axis=1).sum() + np.log(_UNKNOWN_FORM):
                    forms[i] = self.lexicon.candidates(word)[int(known.argmax())]
        return forms

    def _known_scores(self, word: str, logs: Floats) -> Floats:
        """Return the log probability of each known form of a word, given those of its letters' choices."""
        choices = self._known_choices.get(word)
        if choices is None:
            spelled = self.alphabet.spell(self.lexicon.candidates(word))
            choices = self._known_choices[word] = spelled.choices.reshape(-1, len(logs))
        scores: Floats = logs[np.arange(len(logs)), choices].sum(axis=1)
        return scores

    @cached_property
    def _known_choices(self) -> dict[str, Ints]:
        return {}

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Return the likeliest forms, by the product of their letters' probabilities, and all known forms."""
        text, logs = self._choice_scores(words)
        choices, sizes, scores = likeliest_choices(text, logs, _MAX_FORMS)
        share = np.exp(scores)
        ends = text.words.tolist()
        found: list[Alternatives] = []
        for i, word in enumerate(words.words):
            forms = {
                self.alphabet.point_word(word, choices[ends[i] : ends[i + 1], r].tolist()): float(share[i, r])
                for r in range(int(sizes[i]))
            }
            if self.kinds is not None and word in self.lexicon.number:
                forms = self._prefer_known(word, forms, logs[ends[i] : ends[i + 1]])
            found.append(sorted(forms.items(), key=lambda item: -item[1]))
        return found

    def _prefer_known(self, word: str, forms: dict[str, float], logs: Floats) -> dict[str, float]:
        """Add the known forms, make all others less likely, and normalize."""
        known = dict(zip(self.lexicon.candidates(word), np.exp(self._known_scores(word, logs)).tolist(), strict=True))
        weighted = {form: share * _UNKNOWN_FORM for form, share in forms.items() if form not in known} | known
        rest = max(0.0, 1 - sum(forms.values()) - sum(x for form, x in known.items() if form not in forms))
        total = sum(weighted.values()) + rest * _UNKNOWN_FORM
        return {form: x / total for form, x in weighted.items()} if total > 0 else forms

    def arrays(self) -> Arrays:
        """Return the network and its vocabulary."""
        return {**self.network.arrays(), **({} if self.kinds is None else self.kinds.arrays())}

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Neural:
        """Rebuild the model from :meth:`arrays`."""
        return cls(script, lexicon, Network.from_arrays(arrays), TextKinds.from_arrays(arrays))


def train_on_lines(
    script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
) -> Network:
    """Train a network on all lines.

    The number of passes is 250 for a text as long as the Qur'an (80,000 words) and fewer for longer ones; a quarter of that if training continues
    from a network.
    """
    try:
        import onnxscript  # noqa: F401  needed by the export, after hours of training: check now
        import torch  # noqa: F401
    except ImportError as fault:
        raise MissingExtra(fault.name or "PyTorch", "train", "training a neural model") from None
    from caesura_vowels.nets.encoder import architecture, export_network, read_weights
    from caesura_vowels.nets.training import train_network

    cells = spell_lines(script, lexicon, lines)
    none = np.zeros(0, np.int64)
    passes = max(8, min(250, round(250 * 80_000 / max(len(lines.states), 1))))
    config, start, before = replace(TrainingConfig(), seed=int(options["seed"]), passes=passes), None, EMPTY_TABLES
    if len(options.get("network", ())) > 1:
        raise CaesuraError("the model 'neural' continues from one network; give only one.")
    known: Network | None = next(iter(options.get("network", ())), None)
    if known is not None:
        if len(known.slots) != len(script.slots):
            raise CaesuraError("the network to continue from was trained for other marks; give one for the same marks.")
        weights = read_weights(known.stored)
        before = Tables(known.symbols, known.first_letter, known.slots, known.words)
        config = replace(config, **architecture(weights), passes=max(4, passes // 4), rate=config.rate / 3)
        start = (before, weights)
    config = replace(config, **options.get("config", {}))
    data = number_lines(cells, np.arange(len(cells)), none, none, len(script.slots), before)

    def log(text: str) -> None:
        if text.startswith("step "):
            done, whole = (int(x) for x in text.split(",")[0].removeprefix("step ").split(" of "))
            progress("network", done / whole)

    with TemporaryDirectory() as folder:
        trained = train_network(data, config, Path(folder), log, start)
        export_network(trained, Path(folder) / "network.onnx", data)
        network = make_network(data["meta"], (Path(folder) / "network.onnx").read_bytes())
    words = [lexicon.pointed[state] for state in lines.states.tolist()]
    texts = [" ".join(words[first:last]) for first, last in pairwise(lines.offsets.tolist())]
    seen = hash_lines(texts, script)
    return replace(network, seen=seen if known is None else np.sort(np.concatenate((known.seen, seen))))


def spell_lines(script: Script, lexicon: Lexicon, lines: Lines) -> list[list[Cell]]:
    """Spell lines as symbols; each letter has the marks of its slots, everything else None."""
    spelled = [[(x.read, marks_by_slot(x.marks, script)) for x in script.split(word)] for word in lexicon.pointed]
    states, gaps = lines.states.tolist(), lines.gaps
    cells: list[list[Cell]] = []
    for first, last in zip(lines.offsets[:-1].tolist(), lines.offsets[1:].tolist(), strict=True):
        line: list[Cell] = []
        for i in range(first, last):
            line += _gap_cells(after_line_break(gaps[i]) if i == first else gaps[i])
            line += spelled[states[i]]
        if last > first:
            line += _gap_cells(before_line_break(gaps[last]))
        cells.append(line)
    return cells


def make_network(meta: Mapping[str, Any], stored: bytes) -> Network:
    """Create a network from its ONNX file and the vocabulary of its data."""
    words = ("".join(meta["symbols"][n] for n in word) for word in meta["words"])
    slots = tuple(tuple(slot) for slot in meta["slots"])
    return Network(tuple(meta["symbols"]), int(meta["first_letter"]), slots, tuple(words), stored)


def _gap_cells(gap: str) -> Iterable[Cell]:
    return [(c, None) for c in spell_gap(gap)]
