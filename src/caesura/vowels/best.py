"""The best model: two letter taggers that read the line from either end, a chooser among whole forms, the n-grams of the open model, and
letter networks where there are any.

How much each counts was tuned once on the Bible and the Qur'an and is fixed; with a network it is learnt from lines that none of them saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.chooser import Chooser, fit_chooser
from caesura.vowels.fusion import WITH_NETWORK, WITHOUT_NETWORK, Fusion, Weights, learn_weights
from caesura.vowels.letter_scores import LetterScores
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Arrays, Progress, Words
from caesura.vowels.network import Network
from caesura.vowels.ngrams import NGrams
from caesura.vowels.open import Lattice, Open, fit_ngram_models, rebuild
from caesura.vowels.scripts import Script
from caesura.vowels.tagging import Passage, Tagger, fit_tagger

_NETWORKS = ("network", "network_b", "network_c", "network_d")  # names in the file of as many as there may be
_OFTEN = 30  # occurrences after which a word is expected to have shown all its forms


class Best(Open):
    """Taggers from both ends, a chooser and a network, fused with the word n-grams."""

    name = "best"

    def __init__(
        self,
        script: Script,
        lexicon: Lexicon,
        alphabet: Alphabet,
        letters: NGrams,
        words: NGrams,
        forward: Tagger,
        backward: Tagger,
        chooser: Chooser | None,
        networks: Sequence[Network] = (),
        weights: Weights | None = None,
    ) -> None:
        super().__init__(script, lexicon, alphabet, letters, words)
        self.forward, self.backward, self.chooser = forward, backward, chooser
        self.scores = LetterScores(alphabet, networks) if networks else None
        if networks:
            self.most_at_once = 5000
        self.weigh(weights or (WITH_NETWORK if networks else WITHOUT_NETWORK)[script.name])
        self.known_choices: dict[str, list[tuple[int, ...]]] = {}
        totals = np.add.reduceat(lexicon.counts, lexicon.first[:-1])
        self.often = frozenset(lexicon.bare[i] for i in np.flatnonzero(totals >= _OFTEN).tolist())

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Best:
        """Train the n-grams of the open model, then the chooser, where it counts, and both taggers, on two threads; a network is taken as it is."""
        ((_, model),) = cls.stages(script, lexicon, lines, {**options, "passes": (options["epochs"],)}, progress)
        return model

    def tune(self, words: Words, gold: Sequence[str]) -> None:
        """Learn how much each part counts, where a network is among them."""
        if self.scores is not None:
            self.weigh(learn_weights(self, words, gold))

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Best:
        """Train again on all lines, with the weights that held-out lines gave."""
        model = self.fit(self.script, lexicon, lines, options, progress)
        model.weigh(self.weights)
        return model

    def weigh(self, weights: Weights) -> None:
        """Let each part count so much from now on."""
        self.weights, self.scale = weights, weights.words

    @classmethod
    def stages(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Iterator[tuple[int, Best]]:
        """The model after each number of ``passes``; only the taggers go on learning."""
        from concurrent.futures import ThreadPoolExecutor

        parts = fit_ngram_models(script, lexicon, lines, options, progress)
        alphabet = parts[0]
        text = alphabet.spell([lexicon.pointed[s] for s in lines.states.tolist()])
        passage = Passage(text, lines.offsets, lines.joined)
        ways = {"forward tagger": passage, "backward tagger": passage.reverse()}
        passes, seed = options["passes"], int(options["seed"])
        taggers = [
            fit_tagger(alphabet, way, passes=passes, seed=seed, progress=progress, what=what)
            for what, way in ways.items()
        ]

        def chooser() -> Chooser | None:
            if not WITHOUT_NETWORK[script.name].chooser:
                return None
            return fit_chooser(alphabet, lexicon, lines, passage, seed=seed, progress=progress)

        with ThreadPoolExecutor(2) as pool:
            choosing = pool.submit(chooser)
            for number in passes:
                forward, backward = pool.map(next, taggers)
                yield (
                    number,
                    cls(script, lexicon, *parts, forward, backward, choosing.result(), options.get("network", ())),
                )

    def lattice(self, words: Words) -> Lattice:
        """Candidates of the lexicon and of both taggers, each with the taggers' scores as its own."""
        return Fusion(self, words).evidence().lattice(self.weights)

    def arrays(self) -> Arrays:
        """Those of the open model, the weights of the taggers, the chooser, and the network with the weights of all parts."""
        stored = super().arrays()
        for name, tagger in (("forward", self.forward), ("backward", self.backward)):
            stored[f"{name}_weights"] = tagger.weights
            stored[f"{name}_kept"] = tagger.kept
        if self.chooser is not None:
            stored |= self.chooser.arrays()
        if self.scores is not None:
            stored["fusion_weights"] = np.array(self.weights)
            for name, network in zip(_NETWORKS, self.scores.networks, strict=False):
                stored |= network.arrays(name)
        return stored

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Best:
        """Rebuild the n-grams, both taggers, and the chooser and the network, if the model has them."""
        forward, backward = (
            Tagger(arrays[f"{name}_weights"], arrays[f"{name}_kept"]) for name in ("forward", "backward")
        )
        chooser = Chooser.from_arrays(arrays) if "chooser_weights" in arrays else None
        networks = [Network.from_arrays(arrays, name) for name in _NETWORKS if name in arrays]
        weights = Weights(*arrays["fusion_weights"].tolist()) if networks else None
        return cls(script, lexicon, *rebuild(script, arrays), forward, backward, chooser, networks, weights)
