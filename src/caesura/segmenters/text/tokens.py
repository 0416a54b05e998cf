"""From units to bags of words: a named step, because published numbers depend on it more than on the algorithm.

``plain``  words of any language: letters with inner apostrophes and hyphens, case folded, without stop words, stemmed; characters
           two by two where a script has no blanks between words.
``choi``   what C99 and U00 read: blanks separate, only letters and hyphens, stop words out, then stems.
``mcs``    what MinCutSeg and BayesSeg read: everything but letters, digits and $ separates; stems, then stop stems out.

A callable that makes a list of strings out of a unit serves as well.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MissingExtra, UnknownName

#: What users may give: a name, or a function from a unit to its tokens.
Tokens: TypeAlias = str | Callable[[str], Iterable[str]]

#: The named ways, with what each is for.
NAMES = {
    "plain": "words of any language, without stop words, stemmed",
    "choi": "as Choi's C99 and Utiyama & Isahara's U00 read English",
    "mcs": "as MinCutSeg and BayesSeg read English",
}


#: Units of texts whose words a tokenizer remembers: asking for cost, penalty and posterior counts them once, and so does learning.
_REMEMBERED = 100_000


class Sizes(NamedTuple):
    """How much text there is: tokens, their types, and the types met before stop words were dropped."""

    tokens: int
    types: int
    met: int


@dataclass(frozen=True)
class Bags:
    """The words of every unit, as numbers.

    Attributes
    ----------
    tokens
        Types of the words of all units one after the other.
    offsets
        Where each unit's words begin in ``tokens``; one more at the end.
    names
        What the types are.
    met
        How many types were met before stop words were dropped.
    words
        Types of all words, the dropped ones as -1, and ``word_offsets`` of the units in them.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    names: tuple[str, ...]
    met: int
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]

    @classmethod
    def from_words(
        cls, words: NDArray[np.int32], word_offsets: NDArray[np.int64], names: Sequence[str], met: int
    ) -> Bags:
        """Leave out what is -1."""
        kept = words >= 0
        passed = np.concatenate(([0], np.cumsum(kept)))
        return cls(words[kept], passed[word_offsets], tuple(names), met, words, word_offsets)

    @property
    def types(self) -> int:
        """How many types there are."""
        return len(self.names)

    @property
    def sizes(self) -> Sizes:
        """How much text this is."""
        return Sizes(len(self.tokens), self.types, self.met)

    def __len__(self) -> int:
        """How many units there are."""
        return len(self.offsets) - 1

    @cached_property
    def unit_of(self) -> NDArray[np.int32]:
        """Which unit each token stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def without_empty(self) -> Bags:
        """Drop the empty stem, which Choi's stemmer makes of ``--`` and U00 does not see."""
        if "" not in self.names:
            return self
        empty = self.names.index("")
        words = np.where(self.words == empty, -1, np.where(self.words > empty, self.words - 1, self.words))
        names = self.names[:empty] + self.names[empty + 1 :]
        return Bags.from_words(words.astype(np.int32), self.word_offsets, names, self.met)

    def reversed(self) -> Bags:
        """The same units from the last to the first."""
        n = len(self)
        parts = [self.tokens[self.offsets[u] : self.offsets[u + 1]] for u in range(n - 1, -1, -1)]
        tokens = np.concatenate(parts) if parts else self.tokens
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[::-1]))).astype(np.int64)
        return Bags(tokens, offsets, self.names, self.met, tokens, offsets)

    def vectors(self) -> NDArray[np.float64]:
        """Counts as a matrix, a row per unit."""
        table = np.zeros((len(self), max(self.types, 1)))
        np.add.at(table, (self.unit_of, self.tokens), 1.0)
        return table


@dataclass(frozen=True)
class Tokenizer:
    """How units become bags.

    Parameters
    ----------
    tokens
        ``plain``, ``choi``, ``mcs`` or a callable.
    language
        Whose stop words and stems ``plain`` takes: a code such as ``en`` or a name such as ``english``. English is built in, others
        come with ``pip install 'caesura[text]'``. A language that has no stop words or no stemmer there goes without.
    stopwords, stems
        Use these instead: a collection of words, and a mapping from word to stem (words that are not in it are stemmed by Porter).
    numbers
        Whether ``plain`` keeps numbers.

    Examples
    --------
    >>> Tokenizer().of("The ships' captains were sailing; the ship sailed on, in 1868.")
    ['ship', 'captain', 'sail', 'ship', 'sail']
    """

    tokens: Tokens = "plain"
    language: str = "en"
    stopwords: Collection[str] | None = None
    stems: Mapping[str, str] | None = None
    numbers: bool = False

    def __post_init__(self) -> None:
        if not callable(self.tokens) and self.tokens not in NAMES:
            raise UnknownName("way to make tokens", str(self.tokens), list(NAMES))
        if isinstance(self.stopwords, str):
            raise CaesuraError("stopwords is a collection of words, not one string.")

        if len(self._code) > 3 and self._code not in (
            *_CODES,
            "none",
        ):  # codes pass: not every language has stop words and stems
            raise UnknownName("language", self.language, [*_CODES, "none"])

    def of(self, unit: str) -> list[str]:
        """Return the tokens of one unit."""
        bags = self.bags([unit])
        return [bags.names[t] for t in bags.tokens]

    def bags(self, units: Sequence[str]) -> Bags:
        """Return the bags of words of all units; those of the latest texts (tuples, which do not change) are remembered."""
        if not isinstance(units, tuple):
            return self._count(units)
        return self._recent.bags(units, self._count)

    @cached_property
    def _recent(self) -> _Recent:
        return _Recent()

    def _count(self, units: Sequence[str]) -> Bags:
        split, types = self._splitter(units), self._types
        words = [split(unit) for unit in units]
        offsets = np.concatenate(([0], np.cumsum(np.fromiter(map(len, words), np.int64, len(words))))).astype(np.int64)
        codes = np.fromiter(map(types.__getitem__, chain.from_iterable(words)), np.int64, int(offsets[-1]))
        met, local = np.unique(codes, return_inverse=True)
        kept = np.array([types.kept[code] for code in met.tolist()], bool)
        renumbered = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        names = [types.names[code] for code in met[kept].tolist()]
        return Bags.from_words(
            renumbered[local.reshape(-1)] if len(met) else codes.astype(np.int32), offsets, names, len(met)
        )

    @property
    def signature(self) -> str:
        """Everything that decides which words count, in short."""
        name = getattr(self.tokens, "__name__", "own") if callable(self.tokens) else self.tokens
        if callable(self.tokens):
            return f"tok:{name}"
        stop = f"own{len(self.stopwords)}" if self.stopwords is not None else f"{self._code}{len(self._stop)}"
        stems = "given" if self.stems is not None else "porter" if name != "plain" or self._code == "en" else "snowball"
        return f"tok:{name}|stop:{stop}|stem:{stems}" + ("|num" if self.numbers else "")

    # ------------------------------------------------------------------ the ways

    @cached_property
    def _types(self) -> _Types:
        return _Types(self._stemmer)

    def _splitter(self, units: Sequence[str]) -> Callable[[str], Sequence[str]]:
        if callable(self.tokens):
            own = self.tokens
            return lambda unit: list(own(unit))
        if self.tokens == "choi":
            return lambda unit: [
                w for w in unit.lower().split() if w.isalpha() or w.replace("-", "").isalpha() or not w.strip("-")
            ]
        if self.tokens == "mcs":
            return lambda unit: _NOT_MCS.sub(" ", unit).lower().split()
        plain = all(map(str.isascii, units))
        pattern = _pattern(plain, self.numbers)
        if plain:
            return lambda unit: pattern.findall(unit.lower())
        return lambda unit: pattern.findall(_pair_characters(unit.casefold().replace("’", "'")))

    @cached_property
    def _stemmer(self) -> Callable[[str], tuple[str, bool]]:
        """Return what makes (stem, whether it is kept) of a word; what was met once is remembered."""
        if callable(self.tokens):
            return lambda word: (word, True)
        stop = self._stop
        if self.tokens == "mcs":
            stem = self._stem
            stop_stems = {stem(word) for word in stop}
            return lambda word: (stem(word), stem(word) not in stop_stems)
        if self.tokens == "choi":
            stem = self._stem if self.stems is not None else lambda word: self._stem(word.replace("-", ""))
            return lambda word: (stem(word), word not in stop)
        stem = self._stem
        return lambda word: (stem(word), word not in stop)

    @cached_property
    def _code(self) -> str:
        name = self.language.strip().lower()
        return _CODES.get(name, name)

    @cached_property
    def _stop(self) -> Collection[str]:
        if self.stopwords is not None:
            return frozenset(self.stopwords)
        return _stop_words("en" if self.tokens in ("choi", "mcs") else self._code)

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        language = "en" if self.tokens in ("choi", "mcs") else self._code
        stem = _stemmer(language)
        if self.stems is None:
            return stem
        given = self.stems
        return lambda word: given[word] if word in given else stem(word)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is remembered, so that a tokenizer travels to other processes."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class _Recent:
    """The bags of the latest texts, by the identity of their units; forgotten all at once when they are too many."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[str, ...], Bags]] = {}
        self._units = 0

    def bags(self, units: tuple[str, ...], count: Callable[[Sequence[str]], Bags]) -> Bags:
        """Return the bags of a text, counted where they are not known."""
        if id(units) not in self._known:
            self._units += len(units)
            if self._units > _REMEMBERED:
                self._known.clear()
                self._units = len(units)
            self._known[id(units)] = (units, count(units))
        return self._known[id(units)][1]


class _Types(dict[str, int]):
    """Word → the number of its stem, with the name of every stem and whether it is kept; filled as words appear."""

    def __init__(self, stemmed: Callable[[str], tuple[str, bool]]) -> None:
        super().__init__()
        self._stemmer = stemmed
        self._codes: dict[tuple[str, bool], int] = {}
        self.names: list[str] = []
        self.kept: list[bool] = []

    def __missing__(self, word: str) -> int:
        key = self._stemmer(word)
        code = self._codes.get(key)
        if code is None:
            code = len(self.names)
            self.names.append(key[0])
            self.kept.append(key[1])
            self._codes[key] = code
        self[word] = code
        return code


# ---------------------------------------------------------------------- patterns

_NOT_MCS = re.compile(r"[^a-zA-Z0-9 $]")

#: Scripts that write words without blanks between them: Thai to Myanmar, Khmer, kana, Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


@cache
def _pattern(ascii_only: bool, numbers: bool) -> re.Pattern[str]:
    """Words: letters (with the marks that belong to them), joined by apostrophes and hyphens inside."""
    if ascii_only:
        letters = "[a-z0-9]" if numbers else "[a-z]"
    else:
        digits = r"\d" if numbers else ""
        letters = rf"(?:[^\W\d_]|[{_combining_marks()}{digits}])"
    return re.compile(rf"{letters}+(?:['\-]{letters}+)*")


@cache
def _combining_marks() -> str:
    """Ranges of all marks that stand on or behind letters, for a class of a regular expression."""
    marks = [c for c in range(0x300, min(sys.maxunicode, 0x1F000)) if unicodedata.category(chr(c))[0] == "M"]
    ranges: list[list[int]] = []
    for c in marks:
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


def _pair_characters(text: str) -> str:
    """Write runs of scripts without blanks as overlapping pairs of characters."""
    return _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run.group()))} ", text)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


# ---------------------------------------------------------------------- languages

#: Codes of the languages that have a Snowball stemmer or a list of stop words, by name.
_CODES = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "czech": "cs",
    "danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga",
    "italian": "it", "japanese": "ja", "korean": "ko", "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "persian": "fa",
    "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "spanish": "es", "swedish": "sv",
    "tamil": "ta", "turkish": "tr", "ukrainian": "uk", "yiddish": "yi",
}  # fmt: skip


@cache
def _stop_words(code: str) -> frozenset[str]:
    if code in ("en", "none", ""):
        from caesura.segmenters.text.english import STOP_WORDS

        return STOP_WORDS if code == "en" else frozenset()
    try:
        import stopwordsiso
    except ImportError:
        raise MissingExtra("stopwordsiso", "text", f"stop words of {code!r}") from None
    return frozenset(stopwordsiso.stopwords(code)) if stopwordsiso.has_lang(code) else frozenset()


@cache
def _stemmer(code: str) -> Callable[[str], str]:
    if code == "en":
        from caesura.segmenters.text.porter import stem

        return stem
    if code in ("none", ""):
        return str
    try:
        import snowballstemmer
    except ImportError:
        raise MissingExtra("snowballstemmer", "text", f"stems of {code!r}") from None
    name = next((name for name, known in _CODES.items() if known == code), code)
    if name not in snowballstemmer.algorithms():
        return str
    by_snowball: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return by_snowball
