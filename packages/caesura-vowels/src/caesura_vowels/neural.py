"""The model "neural": a letter network over the whole line, and its training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels.full_spelling import respell
from caesura_vowels.kinds import TextKinds
from caesura_vowels.letter_ngrams import LetterNGrams
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
_MAX_LOG = 60.0  # log probabilities of a network are not taken to be lower than its negative
# The forms of a Hebrew word that the text has only with fewer matres are considered if they are at most so much less likely than the network's best form:
# chosen on held-out modern lines and verse with matres drawn anew, of whose unknown words 76.5 and 75.6 % are right instead of 74.1 and 70.8 %.
_OTHER_SPELLING = 0.1
# A known form with this probability is taken without asking the letter n-grams.
_SETTLED = np.log(0.8)
# Forms that are so much less likely than the best one by the network are left out, unless they are known.
_MARGIN = 6.0
_COMPARED_WORDS = 2000  # of a text show how many words change without embeddings of words
_USUAL_FORMS = 10_000  # of the lexicon show how likely letters are
_CHUNK_WORDS = 1000  # whose forms are in memory together
_PREFIXES = {"hebrew": frozenset("ובכלמשה")}
_MAX_PREFIXES = 3


class FormWeights(NamedTuple):
    """How much each source counts when a general network chooses a form.

    The score of a form is the weighted sum of the log probabilities that the network and the letter n-grams give it, for words of the lexicon and for other
    words, and of a bonus: for known forms, for forms of a spelling with fewer matres, and for known forms of the word without its prefixes.
    """

    network_known: float = 1.0
    network_other: float = 1.0
    letters_known: float = 0.0
    letters_other: float = 0.0
    known: float = 3.0  # any other form must be 20 times as likely
    respelled: float = 2.3
    stem: float = 0.5


class Candidates(NamedTuple):
    """The forms of one word, the network's best first, with their log probabilities, and whether they are known; ``bonus`` is the field that counts for these."""

    forms: list[str]
    network: Floats
    letters: Floats
    familiar: NDArray[np.bool_]
    bonus: str | None


class Neural(Model):
    """A letter network; the letters of a word are independent given the line.

    A general network is combined with the lexicon and, if there are any, with letter n-grams of its forms (:class:`FormWeights`): words of the lexicon prefer
    their known forms, a Hebrew word that the lexicon has only without its prefixes slightly prefers the known forms of the rest, and one that it has only with
    fewer matres the forms of that spelling; the n-grams know the endings and patterns of words.

    ``kinds`` recognizes the kind of a text for a general network, unless the words say it.
    """

    name = "neural"
    max_held_out_words = 5000  # the network is not trained on them later
    max_batch_words = 10_000
    overconfident_in_other_texts = True

    def __init__(
        self,
        script: Script,
        lexicon: Lexicon,
        network: Network,
        kinds: TextKinds | None = None,
        letters: LetterNGrams | None = None,
        weights: FormWeights | None = None,
    ) -> None:
        super().__init__(script, lexicon)
        self.network, self.kinds, self.letters, self.weights = network, kinds, letters, weights or FormWeights()
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
        return Neural(self.script, lexicon, self.network, self.kinds, self.letters, self.weights)

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
            sums = logs.max(axis=1) if len(logs) else np.zeros(0)
            sums = np.add.reduceat(sums, text.words[:-1]).tolist() if len(sums) else []
            unsettled = [i for i, word in enumerate(words.words) if not self._is_settled(word, forms[i], sums[i])]
            for i, ranked in zip(unsettled, self._ranked_forms(words, text, logs, unsettled), strict=True):
                forms[i] = ranked[0][0]
        return forms

    def _is_settled(self, word: str, form: str, log: float) -> bool:
        """Return whether the network's best form is taken: a known form that no other can beat, or with little chance."""
        return form in self.lexicon.candidates(word) and (not self._asks_letters(known=True) or log > _SETTLED)

    def _asks_letters(self, known: bool) -> bool:
        weight = self.weights.letters_known if known else self.weights.letters_other
        return self.letters is not None and weight != 0

    def candidates(self, words: Words, text: SpelledWords, logs: Floats, which: Sequence[int]) -> list[Candidates]:
        """Return the likeliest forms of some words, and all known ones."""
        ends = text.words
        rows = np.concatenate([np.arange(ends[i], ends[i + 1]) for i in which]) if which else np.zeros(0, np.int64)
        starts = np.concatenate(([0], np.cumsum([ends[i + 1] - ends[i] for i in which]))).astype(np.int64)
        part = logs[rows]
        choices, sizes, scores = likeliest_choices(SpelledWords(rows, rows, rows, starts), part, _MAX_FORMS)
        found = []
        for n, (i, low, high) in enumerate(zip(which, starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
            word = words.words[i]
            forms = {
                self.alphabet.point_word(word, choices[low:high, r].tolist()): float(scores[n, r])
                for r in range(int(sizes[n]))
                if scores[n, r] > scores[n, 0] - _MARGIN
            }
            known, bonus = self._known_forms(word, next(iter(forms), word), part[low:high])
            every = {**forms, **known}
            log = np.array(list(every.values()))
            familiar = np.array([form in known for form in every], bool)
            found.append(Candidates(list(every), log, np.zeros(len(every)), familiar, bonus))
        return self._with_letters(found)

    def _with_letters(self, found: list[Candidates]) -> list[Candidates]:
        """Fill in the log probabilities by the letter n-grams, relative to the best of each word."""
        if self.letters is None:
            return found
        asked = [n for n, each in enumerate(found) if self._asks_letters(each.bonus == "known")]
        scores, at = self.letters.score(*number_letters(self.alphabet, [f for n in asked for f in found[n].forms])), 0
        for n in asked:
            part = scores[at : at + len(found[n].forms)]
            at += len(part)
            found[n] = found[n]._replace(letters=part - part.max())
        return found

    def count_changed(self, words: Words, forms: Sequence[str]) -> tuple[int, int]:
        """Return how many of the first words get other forms than ``forms`` when the network reads letters without embeddings of words, and of how many."""
        first = words.first_lines(_COMPARED_WORDS, embedded=False)
        others = self.decode(first)
        return sum(a != b for a, b in zip(others, forms, strict=False)), len(others)

    def letter_drop(self, forms: Sequence[str]) -> tuple[float, int]:
        """Return by how much the letters of forms are less likely than those of the lexicon's, as a sum of logarithms, and their number."""
        symbols, offsets = number_letters(self.alphabet, forms)
        return len(symbols) * self._usual_log - float(self._own_letters.score(symbols, offsets).sum()), len(symbols)

    @cached_property
    def _own_letters(self) -> LetterNGrams:
        return self.letters or count_letters(self.alphabet, self.lexicon)

    @cached_property
    def _usual_log(self) -> float:
        """The mean log probability of a letter of the lexicon's forms; of a large lexicon a part of them is read."""
        forms = self.lexicon.pointed[:: max(1, len(self.lexicon.pointed) // _USUAL_FORMS)]
        symbols, offsets = number_letters(self.alphabet, forms)
        return float(self._own_letters.score(symbols, offsets).sum()) / max(len(symbols), 1)

    def _ranked_forms(
        self, words: Words, text: SpelledWords, logs: Floats, which: Sequence[int]
    ) -> Iterator[Alternatives]:
        """Yield the forms of some words by their combined scores, with probabilities."""
        for start in range(0, len(which), _CHUNK_WORDS):
            part = which[start : start + _CHUNK_WORDS]
            for i, each in zip(part, self.candidates(words, text, logs, part), strict=True):
                yield self._rank(each, words.words[i])

    def _rank(self, each: Candidates, word: str) -> Alternatives:
        scores = combined_scores(each, self.weights)
        if self._is_settled(word, each.forms[0], float(each.network[0])):
            scores[0] = scores.max()
        rest = max(0.0, 1 - float(np.exp(each.network).sum()))  # of forms that are not candidates
        top = float(scores.max())
        share = np.exp(scores - top)
        share /= share.sum() + rest * np.exp(-max(top, -_MAX_LOG))
        return [(each.forms[n], float(share[n])) for n in np.argsort(-share, kind="stable").tolist()]

    def _known_forms(self, word: str, best: str, logs: Floats) -> tuple[dict[str, float], str | None]:
        """Return the known forms of a word with their log probabilities, and the field of :class:`FormWeights` that counts for them.

        The prefixes of a word that is only known without them have the marks of its ``best`` form.
        """
        if word in self.lexicon.number:
            return dict(
                zip(self.lexicon.candidates(word), self._known_scores(word, logs).tolist(), strict=True)
            ), "known"
        stems = self._stems(word)
        respelled = self._respelled_forms(stems, best, logs)
        if respelled and max(respelled.values()) > logs.max(axis=1).sum() + np.log(_OTHER_SPELLING):
            return respelled, "respelled"
        for number, stem in stems[1:]:
            if stem in self.lexicon.number and len(self.script.split(stem)) == len(logs) - number:
                scores = self._known_scores(stem, logs[number:])
                return self._with_prefix(self.lexicon.candidates(stem), scores, best, logs), "stem"
        return {}, None

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
        """Return the likeliest forms, by the product of their letters' probabilities, and all known forms for a general network."""
        text, logs = self._choice_scores(words)
        if self.kinds is not None:
            return list(self._ranked_forms(words, text, logs, range(len(words.words))))
        choices, sizes, scores = likeliest_choices(text, logs, _MAX_FORMS)
        share, ends = np.exp(scores), text.words.tolist()
        return [
            [
                (self.alphabet.point_word(word, choices[ends[i] : ends[i + 1], r].tolist()), float(share[i, r]))
                for r in range(int(sizes[i]))
            ]
            for i, word in enumerate(words.words)
        ]

    def arrays(self) -> Arrays:
        """Return the network and its vocabulary, and what a general network is combined with."""
        stored = dict(self.network.arrays())
        if self.kinds is not None:
            stored |= {**self.kinds.arrays(), "form_weights": np.array(self.weights)}
        if self.letters is not None:
            stored |= self.letters.arrays()
        return stored

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Neural:
        """Rebuild the model from :meth:`arrays`."""
        kinds, letters, weights = TextKinds.from_arrays(arrays), None, FormWeights()
        if "form_weights" in arrays:
            weights = FormWeights(*arrays.floats("form_weights", len(weights), low=-100, high=100).tolist())
        if "letter_ngrams_keys" in arrays:
            letters = LetterNGrams.from_arrays(arrays)
        return cls(script, lexicon, Network.from_arrays(arrays), kinds, letters, weights)


def count_letters(alphabet: Alphabet, lexicon: Lexicon, least: int = 3) -> LetterNGrams:
    """Count the letter n-grams of the forms in a lexicon.

    Parameters
    ----------
    alphabet : Alphabet
        The letters and their marks.
    lexicon : Lexicon
        The forms.
    least : int, default 3
        How often a long n-gram must occur to be kept.

    Returns
    -------
    LetterNGrams
    """
    return LetterNGrams.fit(*number_letters(alphabet, lexicon.pointed), alphabet.size, least=least)


def number_letters(alphabet: Alphabet, forms: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the numbers of the pointed letters of forms, and where the forms begin and end."""
    text = alphabet.spell(forms)
    symbols = np.where(text.choices >= 0, alphabet.first[text.letters] + text.choices, alphabet.size + 1)
    return symbols, text.words


def combined_scores(word: Candidates, weights: FormWeights) -> Floats:
    """Return the scores of the forms of a word: weighted log probabilities, and the bonus of known forms."""
    bonus = 0.0 if word.bonus is None else getattr(weights, word.bonus)
    network, letters = (
        (weights.network_known, weights.letters_known)
        if word.bonus == "known"
        else (weights.network_other, weights.letters_other)
    )
    scores: Floats = network * np.maximum(word.network, -_MAX_LOG) + letters * word.letters + bonus * word.familiar
    return np.where(np.isfinite(word.network), scores, -np.inf)


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
