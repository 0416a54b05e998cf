"""The restorer: returns a text with its vowels. It only inserts marks; letters, spacing and everything else stay as they are."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura_vowels._version import __version__
from caesura_vowels.calibration import (
    MIN_LINES,
    MIN_WORDS,
    PASSES,
    Calibration,
    HeldOutValidation,
    hold_out,
    validate_on_held_out,
)
from caesura_vowels.conventions import learn_spelling_conventions
from caesura_vowels.levels import Level, check_level
from caesura_vowels.lexicon import Lexicon, Lines, hash_line, hash_lines, read_lines, unseen_lines
from caesura_vowels.models import DISCOUNTS, MODELS, Hmm, Model, Progress, Words
from caesura_vowels.network import Network, networks_of
from caesura_vowels.scripts import Missing, Script, register_script, script
from caesura_vowels.storage import encode_strings, load_model, save_model
from caesura_vowels.text_restoration import RestoredWord, TextRestoration, check_is_text, check_kind, choose_kind

#: How to treat marks in the input: "keep" them and fill in the missing ones, or "replace" them. "constrain" is an older name of "keep".
Existing = Literal["keep", "constrain", "replace"]

#: What a general network reads at once: short lines of a paragraph together, or each line alone.
Context = Literal["paragraph", "line"]

#: The folder of the models that come with the package, and their names: general ones, and those of one book.
SHIPPED_MODELS = Path(__file__).parent / "shipped_models"
SHIPPED_NAMES = ("hebrew", "hebrew-biblical", "arabic", "arabic-quranic")

_BATCH_LINES = 2000  # lines of a stream restored at once, so that memory does not grow with it
_MAX_NETWORKS = 4


class PathStep(NamedTuple):
    """One word on the best path through the bigram model.

    Attributes
    ----------
    word : str
        The word without marks.
    form : str or None
        The state of the path: a pointed form; None for the state of unseen words.
    log_probability : float
        The log probability of the step to this state from the one before, or from the start of the line.
    forms : tuple of str
        All states that emit the word; none if it is unseen.
    """

    word: str
    form: str | None
    log_probability: float
    forms: tuple[str, ...]


class VowelRestorer:
    """Restore the vowels of Hebrew or Arabic text.

    Parameters
    ----------
    language : str, default "hebrew"
        "hebrew", "arabic", or the name of a script of your own (:func:`~caesura_vowels.scripts.register_script`).
    model : {"unigram", "hmm", "open", "neural", "best"}, default "hmm"
        "unigram": the most frequent form of each word. "hmm": word bigrams with Katz back-off (Gal 2002). "open": Kneser–Ney n-grams over
        words, and over letters for unseen words. "neural": a network over the letters of the whole line. "best": letter taggers in both
        directions combined with the n-grams of "open", and with networks if ``network`` names any.
    missing : {"all", "short"}, default "all"
        The marks to restore: all, or only fatha, damma and kasra ("short", Arabic only).
    existing : {"keep", "replace"}, default "keep"
        How to treat marks in the input. "keep": they stay, forms that contradict them are excluded, and missing marks are filled in; a letter's
        dot, doubling and vowel are independent. "replace": they are removed first.
    lexicon : sequence of str, default ()
        Pointed words to know in addition to those of the training text.
    order : int, default 3
        Order of the word n-grams, 2 or 3 ("open", "best").
    letter_order : int, default 5
        Order of the letter n-grams, 2 to 8 ("open", "best").
    rare : int, default 3
        The paper's k: bigrams seen fewer times estimate the unseen ones ("hmm").
    discount : {"good-turing", "simple-good-turing"}, default "good-turing"
        How counts of bigrams are discounted ("hmm"): by counts of counts of each history, or by Simple Good–Turing over all histories.
    unseen : {"bigrams", "unigrams"}, default "bigrams"
        How the probability of unseen words is estimated ("hmm"): from bigrams seen fewer than ``rare`` times, or from words seen once, which
        the paper names as an alternative in its third footnote.
    epochs : int, default None
        Passes over the text when training the taggers ("best"). By default 4, 8 or 16, as long as held-out lines improve.
    held_out : float, default 0.1
        Share of the training lines (at most 20,000 words) held out to choose the number of passes, to weight the components of "best" with
        a network, and to calibrate probabilities. The final model is trained on all lines, except for a network, which is trained once
        (at most 5,000 words are held out then). 0: none.
    seed : int, default 0
        Seed of all random numbers in training.
    kind : str, default None
        The kind of text that a general model is to assume, such as "biblical", "modern" or "poetry"; by default it is recognized for every text
        (:meth:`recognize`). Models of one book have no kinds.
    context : {"paragraph", "line"}, default "paragraph"
        What a general network reads at once. "paragraph": short lines together, up to an empty line, because a line of verse or a subtitle says little
        alone. "line": each line alone, for lists of unrelated lines. Other models always read lines.
    level : {"all", "ambiguous", "stems"}, default "all"
        The marks that :meth:`restore` writes: all; only those that tell apart the usual readings of a word; or all but case endings (Arabic only).
        Marks in the text are kept at every level.
    qamats_qatan : bool, default False
        Whether restored words have the mark of qamats qatan (U+05C7) where a qamats is certainly read o (Hebrew only,
        :func:`~caesura_vowels.qamats_qatan.mark_qamats_qatan`). Most texts, those for training and testing among them, write both kinds of qamats alike.
    network : path, VowelRestorer, or sequence of these, default ()
        Up to four models with a network: "best" uses the mean of the networks as a component, "neural" continues training one. Only
        training lines that none of them was trained on are held out.

    Attributes
    ----------
    notice : str
        Attribution and licence of the training text; stored in the model file.
    validation : dict
        Results on held-out lines: ``passes``, ``words``, ``right`` (share of words), ``error_before`` and ``error`` (calibration error before
        and after calibration). Empty if no lines were held out.
    conventions : dict
        Words that the validation lines given to :meth:`fit` write with other marks than the training lines, with their form there, which restored
        texts get too; stored in the model file.
    made_for : str
        The kind of text the model is for, if known; restoring other text then causes a warning.

    References
    ----------
    Ya'akov Gal. 2002. An HMM approach to vowel restoration in Arabic and Hebrew. ACL Workshop on Computational Approaches to Semitic Languages.

    Examples
    --------
    >>> restorer = VowelRestorer(model="hmm").fit(["דָוִד רָב", "דָוִד בָא"])
    >>> restorer.restore("דוד, דוד!")
    'דָוִד, דָוִד!'
    """

    _parameters: ClassVar[tuple[str, ...]] = (
        "language", "model", "missing", "existing", "lexicon", "order", "letter_order", "rare", "discount", "unseen", "epochs", "held_out", "seed",
        "kind", "context", "level", "qamats_qatan", "network",
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
        discount: str = "good-turing",
        unseen: str = "bigrams",
        epochs: int | None = None,
        held_out: float = 0.1,
        seed: int = 0,
        kind: str | None = None,
        context: Context = "paragraph",
        level: Level = "all",
        qamats_qatan: bool = False,
        network: str | PathLike[str] | VowelRestorer | Sequence[str | PathLike[str] | VowelRestorer] = (),
    ) -> None:
        self.language, self.model, self.missing, self.existing = language, model, missing, existing
        self.lexicon, self.order, self.letter_order = lexicon, order, letter_order
        self.rare, self.epochs, self.held_out, self.seed = rare, epochs, held_out, seed
        self.discount, self.unseen = discount, unseen
        self.kind, self.context, self.level, self.network = kind, context, level, network
        self.qamats_qatan = qamats_qatan
        self.notice = ""
        self.validation: dict[str, Any] = {}
        self.conventions: dict[str, str] = {}
        self.made_for = ""
        self._fitted: Model | None = None
        self._trained_on = np.zeros(0, np.uint32)
        self._calibration: Calibration | None = None
        self._check()

    # ------------------------------------------------------------------ training

    def fit(
        self,
        lines: Iterable[str],
        y: object = None,
        *,
        held: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> VowelRestorer:
        """Train on lines with vowel marks.

        Parameters
        ----------
        lines : iterable of str
            The training lines.
        y : object, default None
            Ignored; present for scikit-learn pipelines.
        held : sequence of str, default ()
            Validation lines, such as those of a benchmark or of the edition to be followed, used in place of a held-out share (at most 20,000 words
            of them). The model is then trained once, on all ``lines``, and follows their spelling where they write a frequent word with other marks
            (``conventions``).
        progress : callable, default None
            Called with the current step and the completed share of it.

        Returns
        -------
        VowelRestorer
            The restorer itself.

        Raises
        ------
        CaesuraError
            If the lines have no letter of the language, or no marks.
        """
        self._check()
        report: Progress = progress or (lambda what, share: None)
        report("reading", 0.0)
        lines = lines.splitlines() if isinstance(lines, str) else list(lines)
        lexicon, numbered = read_lines(lines, self.script, tuple(self.lexicon))
        options = {name: getattr(self, name) for name in self._parameters} | {"network": self.initial_networks()}
        validation = (
            self._validate_on(self._limit_held_out(held), lexicon, numbered, options, report)
            if held
            else self._validate(lines, len(numbered.states), options, report)
        )
        self.conventions = learn_spelling_conventions(lines, held, self.script) if held else {}
        options["epochs"] = (validation and validation.passes) or self._passes[-1]
        if validation is None:
            self._calibration, self.validation = None, {}
            self._fitted = MODELS[self.model].fit(self.script, lexicon, numbered, options, report)
        else:
            self._calibration, self.validation = validation.calibration, validation.as_dict()
            self._fitted = validation.model if held else validation.model.finish(lexicon, numbered, options, report)
        # A network has the hashes of its own training lines, which are fewer than all if some were held out.
        self._trained_on = np.zeros(0, np.uint32) if self.model == "neural" else hash_lines(lines, self.script)
        report("done", 1.0)
        return self

    @property
    def _passes(self) -> tuple[int, ...]:
        return PASSES if self.epochs is None else (self.epochs,)

    def initial_networks(self) -> list[Network]:
        """Load the networks that ``network`` names.

        Raises
        ------
        CaesuraError
            If a model has no network, is for another language or is damaged, or if there are more than four networks.
        """
        named = [self.network] if isinstance(self.network, (str, PathLike, VowelRestorer)) else self.network
        networks: list[Network] = []
        for source in named:
            other = source if isinstance(source, VowelRestorer) else VowelRestorer.load(source)
            if other.language != self.language:
                raise CaesuraError(
                    f"the network is for {other.language.capitalize()}, the text is {self.language.capitalize()}; give a network for the same language."
                )
            networks += networks_of(other.fitted)
        if len(networks) > _MAX_NETWORKS:
            raise CaesuraError(f"these models have {len(networks)} networks; the limit is {_MAX_NETWORKS}.")
        for network in networks:
            _ = network.session  # refuses a damaged network before training starts
        return networks

    def _validate(
        self, lines: Sequence[str], words: int, options: Mapping[str, Any], report: Progress
    ) -> HeldOutValidation | None:
        """Train on a part of the lines and validate on the rest, if enough lines are new to all networks."""
        kind, networks = MODELS[self.model], options["network"]
        unseen = [set(unseen_lines(lines, network.seen, self.script)) for network in networks]
        free = sorted(set(range(len(lines))).intersection(*unseen))
        if networks and len(free) < MIN_LINES <= len(lines):
            warnings.warn(
                f"the network was trained on all but {len(free)} of the {len(lines)} lines, so that too few are left for validation; "
                "default weights are used, and probabilities are not calibrated.",
                stacklevel=3,
            )
        if not self.held_out or words < MIN_WORDS or len(free) < MIN_LINES:
            return None
        train, held = hold_out(lines, free, min(self.held_out, kind.max_held_out_words / words), self.seed)
        read = read_lines(train, self.script, tuple(self.lexicon))
        return self._validate_on(held, *read, options, lambda what, share: report(f"validation: {what}", share))

    def _validate_on(
        self, held: Sequence[str], lexicon: Lexicon, numbered: Lines, options: Mapping[str, Any], report: Progress
    ) -> HeldOutValidation:
        """Train, and validate on held-out lines after each number of passes."""
        passes = {"epochs": self._passes[-1], "passes": self._passes}
        stages = MODELS[self.model].stages(self.script, lexicon, numbered, {**options, **passes}, report)
        return validate_on_held_out(stages, held, self.script, self.seed)

    def _limit_held_out(self, held: Sequence[str]) -> Sequence[str]:
        """Draw as many held-out words as the model needs."""
        words = sum(len(self.script.word.findall(line)) for line in held)
        if not words:
            raise CaesuraError(f"the validation lines have no {self.language.capitalize()} word.")
        if all(self.script.strip(line) == line for line in held):
            raise CaesuraError("the validation lines have no marks; validate on lines with vowels.")
        share = min(1.0, MODELS[self.model].max_held_out_words / words)
        return hold_out(held, range(len(held)), share, self.seed)[1]

    @property
    def script(self) -> Script:
        """The letters and marks of the language."""
        return script(self.language, self.missing)

    @property
    def fitted(self) -> Model:
        """The trained model; raises an error before ``fit``."""
        if self._fitted is None:
            raise CaesuraError("this restorer is not trained; call fit or load first.")
        return self._fitted

    def knows(self, word: str) -> bool:
        """Return whether the training text has this word, with any marks.

        Parameters
        ----------
        word : str
            A word, with or without marks.

        Returns
        -------
        bool
        """
        return self.script.read(word) in self.fitted.lexicon.number

    def saw(self, lines: Sequence[str]) -> list[bool]:
        """Return for each line whether it is one of the training lines of the model, or of a network in it.

        Parameters
        ----------
        lines : sequence of str
            Lines, with or without marks; only their words count.

        Returns
        -------
        list of bool
            All False if the file of the model was written by a version that did not record its training lines.

        Examples
        --------
        >>> VowelRestorer().fit(["דָוִד רָב", "דָוִד בָא"]).saw(["דוד רב", "דוד קם"])
        [True, False]
        """
        scores = getattr(self.fitted, "scores", None)
        seen = set(self._trained_on.tolist())
        for network in () if scores is None else scores.networks:
            seen.update(network.seen.tolist())
        return [hash_line(line, self.script) in seen for line in lines]

    def recognize(self, text: str) -> str | None:
        """Return the kind of a text, by its words: the one that a general model assumes when it restores the text.

        Parameters
        ----------
        text : str
            A text, with or without marks.

        Returns
        -------
        str or None
            Such as "biblical", "medieval", "modern" or "poetry" (Hebrew), "quranic", "classical", "modern" or "hadith" (Arabic); None if the
            model knows no kinds.
        """
        words = [self.fitted.read(word) for word in self.script.word.findall(text)]
        return choose_kind(self.fitted, self.kind, words)

    # ------------------------------------------------------------------ restoring

    def restore(self, text: str) -> str:
        """Return the text with its vowels; letters, spacing and everything else stay as they are.

        Parameters
        ----------
        text : str
            One line or several.

        Returns
        -------
        str
            The text with marks: ``script.strip(restore(text)) == script.strip(text)``.
        """
        return TextRestoration(self, text, self._calibration).restored_text()

    def restore_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Restore a stream of lines, 2,000 at a time; line ends stay as they are.

        Parameters
        ----------
        lines : iterable of str
            Lines, with or without line ends.

        Yields
        ------
        str
            Each line with its vowels.
        """
        stream = iter(lines)
        while batch := list(islice(stream, _BATCH_LINES)):
            ended = [line if line.endswith("\n") else line + "\n" for line in batch]
            whole = self.restore("".join(ended)).split("\n")
            for line, done in zip(batch, _regroup(batch, whole), strict=True):
                yield done + "\n" if line.endswith("\n") else done

    def restore_nbest(self, text: str, n: int = 5) -> list[RestoredWord]:
        """Return the likeliest forms of every word with their probabilities, given the whole line.

        Parameters
        ----------
        text : str
            One line or several.
        n : int, default 5
            The number of forms per word.

        Returns
        -------
        list of RestoredWord
            The words of the text in order.
        """
        if n < 1:
            raise CaesuraError(f"n is {n}; expected 1 or more.")
        return TextRestoration(self, text, self._calibration).words(n)

    def probability(self, text: str) -> list[tuple[str, float]]:
        """Return every word as restored, with the probability that it is right.

        Parameters
        ----------
        text : str
            One line or several.

        Returns
        -------
        list of (str, float)
        """
        return [(word.alternatives[0][0], word.probability) for word in self.restore_nbest(text, 1)]

    def log_probability(self, text: str) -> list[float]:
        """Return ln p(W) of every line under the bigram model: the sum over all pointed forms that its words may have.

        Marks in the text are not taken into account. A line without words has the probability 1.

        Parameters
        ----------
        text : str
            One line or several.

        Returns
        -------
        list of float

        Raises
        ------
        CaesuraError
            If the model is not "hmm".

        Examples
        --------
        >>> restorer = VowelRestorer().fit(["דָוִד רָב", "דָוִד בָא"])
        >>> likely, unlikely = restorer.log_probability("דוד רב\\nרב רב")
        >>> unlikely < likely < 0
        True
        """
        check_is_text(text)
        lines = [self._keys(line) for line in text.splitlines()]
        offsets = np.cumsum([0, *map(len, lines)])
        words = Words([word for line in lines for word in line], offsets, np.zeros(offsets[-1], bool))
        totals: list[float] = self._hmm("log_probability").log_probabilities(words).tolist()
        return totals

    def best_path(self, line: str) -> list[PathStep]:
        """Return the best path of one line through the states of the bigram model (figure 2 of the paper).

        Parameters
        ----------
        line : str
            The line; marks in it are not taken into account.

        Returns
        -------
        list of PathStep
            One step per word.

        Raises
        ------
        CaesuraError
            If the model is not "hmm", or there is more than one line.

        Examples
        --------
        >>> restorer = VowelRestorer().fit(["דָוִד רָב", "דָוִד בָא"])
        >>> [step.form for step in restorer.best_path("דוד בא")] == ["דָוִד", "בָא"]
        True
        """
        check_is_text(line)
        if len(lines := line.splitlines()) > 1:
            raise CaesuraError(f"best_path takes one line, this text has {len(lines)}; call it for every line.")
        keys, hmm = self._keys(line), self._hmm("best_path")
        states, logs = hmm.best_path(keys)
        forms = [tuple(hmm.lexicon.candidates(key)) if at >= 0 else () for key, at in zip(keys, states, strict=True)]
        chosen = [hmm.lexicon.pointed[at] if at >= 0 else None for at in states]
        return [PathStep(*step) for step in zip(keys, chosen, logs, forms, strict=True)]

    def _keys(self, line: str) -> list[str]:
        """Return the words of a line as the model reads them."""
        return [self.fitted.read(word) for word in self.script.word.findall(self.script.strip(line))]

    def _hmm(self, what: str) -> Hmm:
        if not isinstance(self.fitted, Hmm):
            raise CaesuraError(f"{what} needs the model 'hmm', not {self.model!r}.")
        return self.fitted

    # ------------------------------------------------------------------ saving and loading

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trained model to a file.

        Parameters
        ----------
        path : path
            The file to write.
        """
        lexicon = self.fitted.lexicon
        header = {
            "caesura": __version__,
            "notice": self.notice,
            "rehearsed": self.validation,  # the key of earlier versions
            "made_for": self.made_for,
            "conventions": self.conventions,
            **({} if self.script.table is None else {"script": dict(self.script.table)}),
            "parameters": {
                name: getattr(self, name)
                for name in self._parameters
                if name not in ("kind", "context", "level", "qamats_qatan", "lexicon", "network")
            },
        }
        arrays: dict[str, NDArray[Any]] = {
            "lexicon_bare": encode_strings(lexicon.bare),
            "lexicon_pointed": encode_strings(lexicon.pointed),
            "lexicon_first": lexicon.first.astype(np.int32),
            "lexicon_counts": lexicon.counts.astype(np.int32),
            "trained_on": self._trained_on,
            **self.fitted.arrays(),
            **({} if self._calibration is None else self._calibration.arrays()),
        }
        save_model(Path(path), header, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str], **changes: Any) -> VowelRestorer:
        """Read a trained model.

        Parameters
        ----------
        path : path
            A file written by :meth:`save`, by this version or an earlier one.
        **changes
            Parameters to change that have an effect after training, such as ``existing``.

        Returns
        -------
        VowelRestorer

        Raises
        ------
        FormatError
            If the file is not a model, or is damaged.
        """
        where = Path(path)
        header, arrays = load_model(where)
        try:
            if refused := header["parameters"].keys() & {"lexicon", "network"}:
                raise ValueError(f"parameter {min(refused)}")
            if "script" in header:
                register_script(header["script"])
            restorer = cls(**header["parameters"])
            restorer.notice, restorer.made_for = str(header.get("notice", "")), str(header.get("made_for", ""))
            restorer.validation = dict(header.get("rehearsed", {}))
            restorer.conventions = _check_conventions(header.get("conventions", {}), restorer.script)
            lexicon = Lexicon.from_arrays(restorer.script, arrays)
            restorer._fitted = MODELS[restorer.model].from_arrays(restorer.script, lexicon, arrays)
            restorer._calibration = Calibration.from_arrays(arrays)
            if "trained_on" in arrays:
                restorer._trained_on = arrays.exact("trained_on", np.uint32, None).copy()
        except (FormatError, UnknownName):
            raise
        except (CaesuraError, KeyError, TypeError, ValueError, AttributeError, zlib.error) as fault:
            why = str(fault).rstrip(".")
            raise FormatError(where, None, f"a part of this model is missing or unexpected: {why}.") from None
        restorer.set_params(**changes)
        check_kind(restorer.fitted, restorer.kind)
        return restorer

    # ------------------------------------------------------------------ the interface of scikit-learn

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default True
            Ignored; present for scikit-learn.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters: Any) -> VowelRestorer:
        """Change parameters; those of training take effect with the next ``fit``.

        Parameters
        ----------
        **parameters
            Parameters of the constructor.

        Returns
        -------
        VowelRestorer
            The restorer itself.
        """
        for name, value in parameters.items():
            if name not in self._parameters:
                raise CaesuraError(
                    f"a VowelRestorer has no parameter {name!r}; it takes {', '.join(self._parameters)}."
                )
            setattr(self, name, value)
        self._check()
        return self

    def transform(self, texts: Iterable[str]) -> list[str]:
        """Restore several texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        list of str
        """
        return [self.restore(text) for text in texts]

    @property
    def rehearsed(self) -> dict[str, Any]:
        """Deprecated name of ``validation``."""
        warnings.warn("VowelRestorer.rehearsed is now called validation.", DeprecationWarning, stacklevel=2)
        return self.validation

    def __repr__(self) -> str:
        trained = "" if self._fitted is None else f", {len(self._fitted.lexicon)} words"
        return f"VowelRestorer({self.language}, {self.model}, missing={self.missing!r}{trained})"

    def _check(self) -> None:
        script(self.language, self.missing)
        _ = MODELS[self.model]
        if self.missing == "short" and self.language != "arabic":
            raise CaesuraError("missing='short' is for Arabic only; use missing='all' for Hebrew.")
        if self.model in ("neural", "best") and self.script.table is not None:
            raise CaesuraError(f"the model {self.model!r} is for Hebrew and Arabic; use 'open' for other scripts.")
        if self.existing not in ("keep", "constrain", "replace"):
            raise CaesuraError(f"existing is {self.existing!r}; expected 'keep', 'constrain' or 'replace'.")
        check_level(self.level, self.script)
        if self.qamats_qatan and self.language != "hebrew":
            raise CaesuraError("qamats_qatan marks a vowel of Hebrew; leave it out for other languages.")
        if self.context not in ("paragraph", "line"):
            raise CaesuraError(f"context is {self.context!r}; expected 'paragraph' or 'line'.")
        if self.discount not in DISCOUNTS:
            raise CaesuraError(f"discount is {self.discount!r}; expected {' or '.join(map(repr, DISCOUNTS))}.")
        if self.unseen not in ("bigrams", "unigrams"):
            raise CaesuraError(f"unseen is {self.unseen!r}; expected 'bigrams' or 'unigrams'.")
        if self.network and self.model not in ("best", "neural"):
            raise CaesuraError(f"the model {self.model!r} takes no network; only 'best' and 'neural' do.")
        if not isinstance(self.held_out, (int, float)) or not 0 <= self.held_out <= 0.5:
            raise CaesuraError(f"held_out is {self.held_out!r}; expected a share of the lines from 0 to 0.5.")
        for name, low, high in (("order", 2, 3), ("letter_order", 2, 8), ("rare", 1, 1000), ("epochs", 1, 1000)):
            value = getattr(self, name)
            if name == "epochs" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise CaesuraError(f"{name} is {value!r}; expected a whole number from {low} to {high}.")


def _check_conventions(conventions: Mapping[str, Any], script: Script) -> dict[str, str]:
    """Check the conventions in a model file: pointed forms by their bare words."""
    if any(not isinstance(form, str) or script.read(form) != word for word, form in conventions.items()):
        raise ValueError("conventions has forms with other letters than their words")
    return dict(conventions)


def _regroup(batch: list[str], whole: list[str]) -> Iterator[str]:
    """Join the restored lines of every line of a batch, which may contain line breaks."""
    at = 0
    for line in batch:
        number = line.count("\n") - line.endswith("\n") + 1
        yield "\n".join(whole[at : at + number])
        at += number


def ready(name: str, *, small: bool = False, **changes: Any) -> VowelRestorer:
    """Load a model that comes with the package.

    It needs onnxruntime: ``pip install 'caesura[vowels]'``.

    Parameters
    ----------
    name : {"hebrew", "hebrew-biblical", "arabic", "arabic-quranic"}
        A general model of a language, or the model of the Hebrew Bible or the Qur'an alone, which is better on these texts.
    small : bool, default False
        Whether to load the small model, which is about three times as fast and less accurate.
    **changes
        Parameters of :class:`VowelRestorer` to change that have an effect after training, such as ``existing`` or ``kind``.

    Returns
    -------
    VowelRestorer

    Raises
    ------
    UnknownName
        If there is no model of this name.

    Examples
    --------
    >>> ready("hebrew-biblical", small=True).restore("בראשית ברא")  # doctest: +SKIP
    'בְּרֵאשִׁית בָּרָא'
    """
    if name not in SHIPPED_NAMES:
        raise UnknownName("model", name, list(SHIPPED_NAMES))
    return VowelRestorer.load(SHIPPED_MODELS / f"{name}{'-small' if small else ''}.model", **changes)
