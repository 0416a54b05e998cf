"""The model "neural": a letter network over the whole line, and its training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels.full_spelling import respell
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
# The same for a word that the text has only without its prefixes, if these are written as one word: chosen on held-out lines of modern Hebrew, of
# whose unknown words 67.2 % are right instead of 65.4 %.
_UNKNOWN_STEM_FORM = 0.6
# The same for a Hebrew word that the text has only with fewer matres: chosen on held-out modern lines and verse with matres drawn anew, of whose unknown
# words 76.5 and 75.6 % are right instead of 74.1 and 70.8 %.
_OTHER_SPELLING = 0.1
_PREFIXES = {"hebrew": frozenset("ובכלמשה")}
_MAX_PREFIXES = 3


class Neural(Model):
    """A letter network; the letters of a word are independent given the line.

    With a general network, words of the lexicon prefer their known forms: any other form must be many times as likely. A Hebrew word that the lexicon
    has only without its prefixes slightly prefers the known forms of the rest, and one that it has only with fewer matres the forms of that spelling. Other
    words are free.

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
        if self.kinds is not None:
            for i, (word, form) in enumerate(zip(words.words, forms, strict=True)):
                if form in self.lexicon.candidates(word):
                    continue
                part = logs[ends[i] : ends[i + 1]]
                known, factor = self._known_forms(word, form, part)
                if known and form not in known:
                    likeliest = max(known, key=known.__getitem__)
                    if known[likeliest] > part.max(axis=1).sum() + np.log(factor):
                        forms[i] = likeliest
        return forms

    def _known_forms(self, word: str, best: str, logs: Floats) -> tuple[dict[str, float], float]:
        """Return the known forms of a word with their log probabilities, and how much less likely other forms are.

        The prefixes of a word that is only known without them have the marks of its ``best`` form.
        """
        if word in self.lexicon.number:
            return dict(
                zip(self.lexicon.candidates(word), self._known_scores(word, logs).tolist(), strict=True)
            ), _UNKNOWN_FORM
        stems = self._stems(word)
        respelled = self._respelled_forms(stems, best, logs)
        if respelled and max(respelled.values()) > logs.max(axis=1).sum() + np.log(_OTHER_SPELLING):
            return respelled, _OTHER_SPELLING
        for number, stem in stems[1:]:
            if stem in self.lexicon.number and len(self.script.split(stem)) == len(logs) - number:
                scores = self._known_scores(stem, logs[number:])
                return self._with_prefix(self.lexicon.candidates(stem), scores, best, logs), _UNKNOWN_STEM_FORM
        return {}, 1.0

    def _stems(self, word: str) -> list[tuple[int, str]]:
        """Return a word without 0, 1, 2 and 3 prefixes, as far as its first letters may be prefixes."""
        prefixes = _PREFIXES.get(self.script.name, ())
        stems = [(0, word)]
        while len(stems) <= _MAX_PREFIXES and len(stems[-1][1]) > 2 and stems[-1][1][0] in prefixes:
            stems.append((len(stems), stems[-1][1][1:]))
        return stems

    def _respelled_forms(self, stems: Sequence[tuple[int, str]], best: str, logs: Floats) -> dict[str, float]:
        """Return the forms of a Hebrew word that is known, perhaps without its prefixes, with fewer matres."""
        if self.script.name != "hebrew" or len(logs) != len(stems[0][1]):  # a letter with a sign is one letter
            return {}
        for number, stem in stems:
            if forms := respell(stem, self._known_letters):
                choices = self.alphabet.spell(forms).choices.reshape(-1, len(stem))
                seen = (choices >= 0).all(axis=1)
                scores = logs[number + np.arange(len(stem)), np.maximum(choices, 0)].sum(axis=1)
                return self._with_prefix(np.array(forms)[seen].tolist(), scores[seen], best, logs)
        return {}

    def _known_letters(self, word: str) -> list[list[tuple[str, str]]]:
        return [[(x.read, x.marks) for x in self.script.split(form)] for form in self.lexicon.candidates(word)]

    def _with_prefix(self, forms: Sequence[str], scores: Floats, best: str, logs: Floats) -> dict[str, float]:
        """Return the forms of a stem with the prefixes of the best form, and their log probabilities."""
        if not forms:
            return {}
        number = len(logs) - len(self.script.split(forms[0]))
        head = float(logs[:number].max(axis=1).sum())
        prefix = "".join(letter.raw for letter in self.script.split(best)[:number])
        return {prefix + form: head + x for form, x in zip(forms, scores.tolist(), strict=True)}

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
            if self.kinds is not None and forms:
                best = self.alphabet.point_word(word, choices[ends[i] : ends[i + 1], 0].tolist())
                forms = _prefer_known(forms, *self._known_forms(word, best, logs[ends[i] : ends[i + 1]]))
            found.append(sorted(forms.items(), key=lambda item: -item[1]))
        return found

    def arrays(self) -> Arrays:
        """Return the network and its vocabulary."""
        return {**self.network.arrays(), **({} if self.kinds is None else self.kinds.arrays())}

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Neural:
        """Rebuild the model from :meth:`arrays`."""
        return cls(script, lexicon, Network.from_arrays(arrays), TextKinds.from_arrays(arrays))


def _prefer_known(forms: dict[str, float], logs: dict[str, float], factor: float) -> dict[str, float]:
    """Add the known forms, given with their log probabilities, make all others less likely by a factor, and normalize."""
    if not logs:
        return forms
    known = {form: float(np.exp(log)) for form, log in logs.items()}
    weighted = {form: share * factor for form, share in forms.items() if form not in known} | known
    rest = max(0.0, 1 - sum(forms.values()) - sum(x for form, x in known.items() if form not in forms))
    total = sum(weighted.values()) + rest * factor
    return {form: x / total for form, x in weighted.items()} if total > 0 else forms


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
