"""The restorer: text in, the same text with its vowels out; nothing but marks is ever added, and nothing is taken away."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.errors import CaesuraError, FormatError
from caesura.vowels.calibration import Calibration
from caesura.vowels.lexicon import Lexicon, Lines, read_lines
from caesura.vowels.models import MODELS, Alternatives, Model, Progress, Words
from caesura.vowels.network import Network, networks_of
from caesura.vowels.rehearsal import ENOUGH, FEWEST_LINES, PASSES, Rehearsal, hold_out, rehearse
from caesura.vowels.scripts import Missing, Script, script
from caesura.vowels.seen_lines import unseen_lines
from caesura.vowels.storage import load_model, save_model, strings, unstrung

#: What happens to marks that the text has already: they stay, rule out every form that contradicts them, and what is missing beside them is
#: filled in ("constrain" is an older name of this); or they are taken off first.
Existing = Literal["keep", "constrain", "replace"]

#: Lines longer than this are restored in pieces, so that memory does not grow with a line.
_LONGEST = 1000
_BATCH = 2000
_CELLS = 800_000  # words of a part times the letters of the longest
_MOST_NETWORKS = 4
_ENOUGH, _STRANGE = 20, 0.25  # words of a text, and the share of new ones among them, that bring a warning


class RestoredWord(NamedTuple):
    """One word of a text: where it stands, how it was written, and its pointed forms with probabilities, best first."""

    start: int
    word: str
    alternatives: tuple[tuple[str, float], ...]

    @property
    def probability(self) -> float:
        """Of the best form; 0 where the model does not know the word at all."""
        return self.alternatives[0][1]


class VowelRestorer:
    """Put the vowels back into Hebrew or Arabic text.

    Parameters
    ----------
    language
        "hebrew" or "arabic".
    model
        "unigram" (the most frequent form), "hmm" (Gal's bigrams with Katz back-off), "open" (Kneser–Ney over words, over letters for words
        never seen), "neural" (a network over the letters of the whole line), "best" (letter taggers from both ends, with the words of "open", and with a network where one is named).
    missing
        "all" marks, or in Arabic only the "short" vowels fatha, damma and kasra.
    existing
        What to do with marks the text has already: "keep" them, let them decide and fill in what is missing (its dot, its doubling and its
        vowel are a letter's own affairs each), or "replace" them.
    lexicon
        Pointed words to know beside those of the training text.
    order, letter_order
        Of the word and letter n-grams ("open", "best").
    rare
        The paper's k: bigrams seen fewer times stand for the unseen ("hmm").
    epochs
        Passes over the text when training the taggers ("best"); by default as many, of 4, 8 and 16, as held-out lines gain by.
    held_out
        Share of the training lines (at most 20,000 words) on which a model is tried first, to choose the passes, to weigh the parts of "best" with a network, and to
        calibrate its probabilities; the model itself learns from all lines, but for a network, which is trained once (at most 5,000 words are held out then). 0: none.
    network
        A model with a network, the file of one, or up to four: "best" takes the mean of them as one of its parts, "neural" goes on training one. Of the training text, the
        lines that none of them saw are those that can be held out.
    seed
        Of everything random in training.

    Examples
    --------
    >>> restorer = VowelRestorer(model="hmm").fit(["דָוִד רָב", "דָוִד בָא"])
    >>> restorer.restore("דוד, דוד!")
    'דָוִד, דָוִד!'
    """

    _parameters: ClassVar[tuple[str, ...]] = (
        "language", "model", "missing", "existing", "lexicon", "order", "letter_order", "rare", "epochs", "held_out", "seed",
        "network",
    )  # fmt: skip

    def __init__(
        self,
        language: str = "hebrew",
        model: str = "hmm",
        *,
        missing: Missing = "all",
        existing: Existing = "keep",
        lexicon: Sequence[str] = (),
        order: int = 3,
        letter_order: int = 5,
        rare: int = 3,
        epochs: int | None = None,
        held_out: float = 0.1,
        seed: int = 0,
        network: str | PathLike[str] | VowelRestorer | Sequence[str | PathLike[str] | VowelRestorer] = (),
    ) -> None:
        self.language, self.model, self.missing, self.existing = language, model, missing, existing
        self.lexicon, self.order, self.letter_order = lexicon, order, letter_order
        self.rare, self.epochs, self.held_out, self.seed = rare, epochs, held_out, seed
        self.network = network
        #: Whom to name and under which licence, where the training text asks for it; kept in the model file.
        self.notice = ""
        #: What held-out lines showed in training: passes, words, share right, calibration errors; empty where nothing was held out.
        self.rehearsed: dict[str, Any] = {}
        #: What text the model was made for, where that is said; other text is then restored with a warning.
        self.made_for = ""
        self._fitted: Model | None = None
        self._calibration: Calibration | None = None
        self._check()

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        lines: Iterable[str],
        y: object = None,
        *,
        held: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> VowelRestorer:
        """Learn from lines that carry their marks; ``y`` is there for pipelines and is not looked at.

        With ``held`` lines, such as a benchmark's validation set, what is otherwise learnt from a held-out share (``held_out``) is learnt from them,
        or from 20,000 words of them, and the model is trained once, on all ``lines``.

        Raises
        ------
        CaesuraError
            Where the lines hold no letter of the language, or no mark to learn from.
        """
        self._check()
        report: Progress = progress or (lambda what, share: None)
        report("reading", 0.0)
        lines = lines.splitlines() if isinstance(lines, str) else list(lines)
        lexicon, numbered = read_lines(lines, self.script, tuple(self.lexicon))
        options = {name: getattr(self, name) for name in self._parameters} | {"network": self.first_networks()}
        rehearsal = (
            self._rehearse_on(self._few(held), lexicon, numbered, options, report)
            if held
            else self._rehearse(lines, len(numbered.states), options, report)
        )
        options["epochs"] = (rehearsal and rehearsal.passes) or self._passes[-1]
        if rehearsal is None:
            self._calibration, self.rehearsed = None, {}
            self._fitted = MODELS[self.model].fit(self.script, lexicon, numbered, options, report)
        else:
            self._calibration, self.rehearsed = rehearsal.calibration, rehearsal.as_dict()
            self._fitted = rehearsal.model if held else rehearsal.model.finish(lexicon, numbered, options, report)
        report("done", 1.0)
        return self

    @property
    def _passes(self) -> tuple[int, ...]:
        return PASSES if self.epochs is None else (self.epochs,)

    def first_networks(self) -> list[Network]:
        """The networks that training begins with."""
        named = [self.network] if isinstance(self.network, (str, PathLike, VowelRestorer)) else self.network
        networks: list[Network] = []
        for source in named:
            other = source if isinstance(source, VowelRestorer) else VowelRestorer.load(source)
            if other.language != self.language:
                raise CaesuraError(
                    f"the network is for {other.language.capitalize()}, the text {self.language.capitalize()}; name one for the same language."
                )
            networks += networks_of(other.fitted)
        if len(networks) > _MOST_NETWORKS:
            raise CaesuraError(f"these models have {len(networks)} networks; a model takes {_MOST_NETWORKS} at most.")
        for network in networks:
            _ = network.session  # a damaged one is refused before anything is trained
        return networks

    def _rehearse(
        self, lines: Sequence[str], words: int, options: Mapping[str, Any], report: Progress
    ) -> Rehearsal | None:
        """Try the training on a part of the lines, where there are enough that no part of the model has seen."""
        kind, networks = MODELS[self.model], options["network"]
        unseen = [set(unseen_lines(lines, network.seen, self.script)) for network in networks]
        free = sorted(set(range(len(lines))).intersection(*unseen))
        if networks and len(free) < FEWEST_LINES <= len(lines):
            warnings.warn(
                f"the network has seen all but {len(free)} of the {len(lines)} lines, so that there are none to tell how far it may be trusted; "
                "its weight is the usual one, and probabilities are not calibrated.",
                stacklevel=3,
            )
        if not self.held_out or words < ENOUGH or len(free) < FEWEST_LINES:
            return None
        train, held = hold_out(lines, free, min(self.held_out, kind.most_held / words), self.seed)
        read = read_lines(train, self.script, tuple(self.lexicon))
        return self._rehearse_on(held, *read, options, lambda what, share: report(f"rehearsal: {what}", share))

    def _rehearse_on(
        self, held: Sequence[str], lexicon: Lexicon, numbered: Lines, options: Mapping[str, Any], report: Progress
    ) -> Rehearsal:
        """Train, and measure after more and more passes on held lines."""
        passes = {"epochs": self._passes[-1], "passes": self._passes}
        stages = MODELS[self.model].stages(self.script, lexicon, numbered, {**options, **passes}, report)
        return rehearse(stages, held, self.script, self.seed)

    def _few(self, held: Sequence[str]) -> Sequence[str]:
        """Of held lines as many as a model asks for; more would only take time."""
        words = sum(len(self.script.word.findall(line)) for line in held)
        if not words:
            raise CaesuraError(f"the lines to choose by hold no {self.language.capitalize()} word.")
        share = min(1.0, MODELS[self.model].most_held / words)
        return hold_out(held, range(len(held)), share, self.seed)[1]

    @property
    def script(self) -> Script:
        """The table of the language's letters and marks."""
        return script(self.language, self.missing)

    @property
    def fitted(self) -> Model:
        """The trained model."""
        if self._fitted is None:
            raise CaesuraError("this restorer has learnt nothing yet; call fit or load first.")
        return self._fitted

    def knows(self, word: str) -> bool:
        """Whether the training text has this word, in any pointing."""
        return self.script.read(word) in self.fitted.lexicon.number

    # ------------------------------------------------------------------ restoring

    def restore(self, text: str) -> str:
        """Return the text with its vowels; letters, spacing and everything else stay as they are.

        Stripping the marks of the result gives the text (stripped of the marks it had): ``script.strip(restore(t)) == script.strip(t)``.
        """
        return _Job(self, text).restored_text()

    def restore_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Restore a stream of lines, some thousands at a time; line ends stay as they are."""
        stream = iter(lines)
        while batch := list(islice(stream, _BATCH)):
            ended = [line if line.endswith("\n") else line + "\n" for line in batch]
            whole = self.restore("".join(ended)).split("\n")
            for line, done in zip(batch, _regroup(batch, whole), strict=True):
                yield done + "\n" if line.endswith("\n") else done

    def restore_nbest(self, text: str, n: int = 5) -> list[RestoredWord]:
        """Return for every word its ``n`` likeliest pointed forms with their probabilities, given the whole line."""
        if n < 1:
            raise CaesuraError(f"n is {n}; expected 1 or more.")
        return _Job(self, text).words(n)

    def probability(self, text: str) -> list[tuple[str, float]]:
        """Return every word as it would be restored, with the probability that it is right."""
        return [(word.alternatives[0][0], word.probability) for word in self.restore_nbest(text, 1)]

    # ------------------------------------------------------------------ keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trained model to a file."""
        lexicon = self.fitted.lexicon
        header = {
            "caesura": __version__,
            "notice": self.notice,
            "rehearsed": self.rehearsed,
            "made_for": self.made_for,
            "parameters": {
                name: getattr(self, name) for name in self._parameters if name not in ("lexicon", "network")
            },
        }
        arrays: dict[str, NDArray[Any]] = {
            "lexicon_bare": strings(lexicon.bare),
            "lexicon_pointed": strings(lexicon.pointed),
            "lexicon_first": lexicon.first.astype(np.int32),
            "lexicon_counts": lexicon.counts.astype(np.int32),
            **self.fitted.arrays(),
            **({} if self._calibration is None else self._calibration.arrays()),
        }
        save_model(Path(path), header, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str], **changes: Any) -> VowelRestorer:
        """Read a trained model; ``changes`` replace parameters that matter after training, such as ``existing``."""
        where = Path(path)
        header, arrays = load_model(where)
        try:
            restorer = cls(**{**header["parameters"], **changes})
            restorer.notice, restorer.made_for = str(header.get("notice", "")), str(header.get("made_for", ""))
            restorer.rehearsed = dict(header.get("rehearsed", {}))
            lexicon = Lexicon(
                unstrung(arrays["lexicon_bare"]),
                unstrung(arrays["lexicon_pointed"]),
                arrays["lexicon_first"].astype(np.int64),
                arrays["lexicon_counts"].astype(np.int64),
            )
            restorer._fitted = MODELS[restorer.model].from_arrays(restorer.script, lexicon, arrays)
            restorer._calibration = Calibration.from_arrays(arrays)
        except (KeyError, TypeError, UnicodeDecodeError, zlib.error) as fault:
            raise FormatError(where, None, f"this model lacks a part or has one too many: {fault}.") from None
        return restorer

    # ------------------------------------------------------------------ in scikit-learn's manner

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters: Any) -> VowelRestorer:
        """Change parameters; what depends on training takes effect with the next ``fit``."""
        for name, value in parameters.items():
            if name not in self._parameters:
                raise CaesuraError(
                    f"a VowelRestorer has no parameter {name!r}; it takes {', '.join(self._parameters)}."
                )
            setattr(self, name, value)
        self._check()
        return self

    def transform(self, texts: Iterable[str]) -> list[str]:
        """Restore every text of a list."""
        return [self.restore(text) for text in texts]

    def __repr__(self) -> str:
        trained = "" if self._fitted is None else f", {len(self._fitted.lexicon)} words"
        return f"VowelRestorer({self.language}, {self.model}, missing={self.missing!r}{trained})"

    def _check(self) -> None:
        script(self.language, self.missing)
        _ = MODELS[self.model]
        if self.missing == "short" and self.language != "arabic":
            raise CaesuraError("only Arabic has the task with short vowels missing; Hebrew takes missing='all'.")
        if self.existing not in ("keep", "constrain", "replace"):
            raise CaesuraError(f"existing is {self.existing!r}; expected 'keep', 'constrain' or 'replace'.")
        if self.network and self.model not in ("best", "neural"):
            raise CaesuraError(f"{self.model} has no network; a network goes with 'best' and 'neural'.")
        if not isinstance(self.held_out, (int, float)) or not 0 <= self.held_out <= 0.5:
            raise CaesuraError(f"held_out is {self.held_out!r}; expected a share of the lines from 0 to 0.5.")
        for name, low, high in (("order", 2, 3), ("letter_order", 2, 8), ("rare", 1, 1000), ("epochs", 1, 1000)):
            value = getattr(self, name)
            if name == "epochs" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise CaesuraError(f"{name} is {value!r}; expected a whole number from {low} to {high}.")


class _Job:
    """One text taken apart: gaps and words in turn, and the words as the model reads them."""

    def __init__(self, restorer: VowelRestorer, text: str) -> None:
        self.restorer, self.script, self.model = restorer, restorer.script, restorer.fitted
        if not isinstance(text, str):
            raise CaesuraError(f"restore takes a text, not {type(text).__name__}.")
        self.parts = self.script.word_or_gap.split(text)
        self.tokens = self.parts[1::2]
        known, read = self.model.lexicon.number, self.model.read
        self.keys = [token if token in known else read(token) for token in self.tokens]
        self._warn_of_strangers()

    def _warn_of_strangers(self) -> None:
        """Say once how many words the model never saw, where that is more than text of the kind it was made for has."""
        strange = sum(key not in self.model.lexicon.number for key in self.keys)
        if self.restorer.made_for and len(self.keys) >= _ENOUGH and strange > _STRANGE * len(self.keys):
            warnings.warn(
                f"{strange / len(self.keys):.0%} of the words of this text are new to the model, which was made for "
                f"{self.restorer.made_for}; expect more mistakes than on such text.",
                stacklevel=4,
            )

    def _parts(self) -> Iterator[Words]:
        """The words a few thousand at a time, whole lines of them, so that memory does not grow with the text."""
        offsets, joined, fixed = self._offsets(), self._joined_words(), self._fixed_marks()
        line = 0
        while line < len(offsets) - 1:
            low = int(offsets[line])
            stop = max(line + 1, int(np.searchsorted(offsets, low + self.model.most_at_once, side="right")) - 1)
            while stop - line > 1 and int(offsets[stop] - low) * max(map(len, self.keys[low : offsets[stop]])) > _CELLS:
                stop = (line + stop + 1) // 2  # one long word widens the tables of all
            high = int(offsets[stop])
            marks = {i - low: fixed[i] for i in range(low, high) if i in fixed} if fixed else {}
            gaps = self.parts[2 * low : 2 * high + 1 : 2]
            yield Words(self.keys[low:high], offsets[line : stop + 1] - low, joined[low:high], marks, gaps)
            line = stop

    def _offsets(self) -> NDArray[np.int64]:
        """Where lines end: at line breaks, and within very long lines."""
        ends = [i for i, gap in enumerate(self.parts[::2]) if "\n" in gap or "\r" in gap]
        edges = sorted({0, *ends, len(self.tokens)})
        cut = [x for low, high in pairwise(edges) for x in range(low, high, _LONGEST)]
        return np.array([*cut, len(self.tokens)], np.int64)

    def _joined_words(self) -> NDArray[np.bool_]:
        joiner = self.script.joiner
        gaps = self.parts[:-1:2]
        return np.array([gap == joiner for gap in gaps], bool) if joiner else np.zeros(len(gaps), bool)

    def _fixed_marks(self) -> Mapping[int, tuple[str, ...]]:
        if self.restorer.existing == "replace":
            return {}
        marks = {
            i: tuple(x.marks for x in self.script.split(token))
            for i, (token, key) in enumerate(zip(self.tokens, self.keys, strict=True))
            if token != key
        }
        return {i: given for i, given in marks.items() if any(given)}

    def restored_text(self) -> str:
        if not self.tokens:
            return "".join(self.parts)
        best = [form for part in self._parts() for form in self.model.decode(part)]
        self.parts[1::2] = [
            pointed if token == key else self._put_marks(token, pointed)
            for token, key, pointed in zip(self.tokens, self.keys, best, strict=True)
        ]
        return "".join(self.parts)

    def words(self, n: int) -> list[RestoredWord]:
        if not self.tokens:
            return []
        alternatives = [forms for part in self._parts() for forms in self._alternatives(part)]
        sizes = np.array([len(part) for part in self.parts])
        starts = (np.cumsum(sizes) - sizes)[1::2].tolist()
        return [
            RestoredWord(
                at, token, tuple((p if token == key else self._put_marks(token, p), share) for p, share in of[:n])
            )
            for at, token, key, of in zip(starts, self.tokens, self.keys, alternatives, strict=True)
        ]

    def _alternatives(self, part: Words) -> list[Alternatives]:
        """What the model says, as sure as it may be."""
        forms, calibration = self.model.alternatives(part), self.restorer._calibration
        if calibration is None:
            return forms
        number = self.model.lexicon.number
        return calibration.apply(forms, np.array([word in number for word in part.words], bool))

    def _put_marks(self, token: str, pointed: str) -> str:
        """Carry the marks of a pointed form over to the word as it was written."""
        marks = tuple(x.marks for x in self.script.split(pointed))
        return self.script.put_marks(token, marks, replace=self.restorer.existing == "replace")


def _regroup(batch: list[str], whole: list[str]) -> Iterator[str]:
    """Give every line of a batch its restored lines back, where a line of the batch held several."""
    at = 0
    for line in batch:
        number = line.count("\n") - line.endswith("\n") + 1
        yield "\n".join(whole[at : at + number])
        at += number
