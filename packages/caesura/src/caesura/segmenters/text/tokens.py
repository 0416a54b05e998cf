"""Units to bags of words, by a named tokenization: published scores depend on it more than on the algorithm.

``plain``
    Words of any language: letters with inner apostrophes and hyphens, case-folded, without stop words, stemmed. Scripts that
    put no spaces between words give overlapping pairs of characters.
``choi``
    As C99 and U00 read English: split at white space, keep tokens of letters and hyphens, drop stop words, then stem.
``mcs``
    As MinCutSeg and BayesSeg read English: split at everything but letters, digits and ``$``; stem, then drop stop stems.

A callable from a unit to a list of strings is a tokenization too.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MissingExtra, UnknownName

#: A tokenization: its name, or a function from a unit to its tokens.
Tokens: TypeAlias = str | Callable[[str], Iterable[str]]

#: The named tokenizations.
TOKENIZATIONS = ("plain", "choi", "mcs")

#: Units whose bags a tokenizer caches. Cost, penalty and posterior of one text need the same bags, and so does fitting.
_CACHED_UNITS = 100_000


class VocabularySizes(NamedTuple):
    """The size of a text: its tokens, their types, and all types including stop words."""

    tokens: int
    types: int
    all_types: int


@dataclass(frozen=True)
class Bags:
    """The words of every unit, as integer codes.

    Attributes
    ----------
    tokens : array of int32
        Type codes of the words of all units, one unit after the other.
    offsets : array of int64
        The words of unit ``u`` are ``tokens[offsets[u]:offsets[u + 1]]``.
    names : tuple of str
        The word (or stem) of each type.
    all_types : int
        The number of types including stop words.
    words : array of int32
        Type codes of all words, -1 for those that were dropped.
    word_offsets : array of int64
        The offsets of the units in ``words``.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    names: tuple[str, ...]
    all_types: int
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]

    @classmethod
    def from_words(
        cls, words: NDArray[np.int32], word_offsets: NDArray[np.int64], names: Sequence[str], all_types: int
    ) -> Bags:
        """Build bags from the type codes of all words, dropping those that are -1."""
        kept = words >= 0
        kept_before = np.concatenate(([0], np.cumsum(kept)))
        return cls(words[kept], kept_before[word_offsets], tuple(names), all_types, words, word_offsets)

    @property
    def types(self) -> int:
        """The number of types."""
        return len(self.names)

    @property
    def sizes(self) -> VocabularySizes:
        """The size of the text."""
        return VocabularySizes(len(self.tokens), self.types, self.all_types)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.offsets) - 1

    @cached_property
    def unit_of(self) -> NDArray[np.int32]:
        """The unit that each token is in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def without_empty(self) -> Bags:
        """Drop the empty stem: Choi's stemmer makes it of ``--``, and U00 does not count it."""
        if "" not in self.names:
            return self
        empty = self.names.index("")
        words = np.where(self.words == empty, -1, np.where(self.words > empty, self.words - 1, self.words))
        names = self.names[:empty] + self.names[empty + 1 :]
        return Bags.from_words(words.astype(np.int32), self.word_offsets, names, self.all_types)

    def reversed(self) -> Bags:
        """Return the same units from the last to the first."""
        parts = [self.tokens[self.offsets[u] : self.offsets[u + 1]] for u in range(len(self) - 1, -1, -1)]
        tokens = np.concatenate(parts) if parts else self.tokens
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[::-1]))).astype(np.int64)
        return Bags(tokens, offsets, self.names, self.all_types, tokens, offsets)

    def vectors(self) -> NDArray[np.float64]:
        """Return the counts as a matrix with a row per unit."""
        table = np.zeros((len(self), max(self.types, 1)))
        np.add.at(table, (self.unit_of, self.tokens), 1.0)
        return table


@dataclass(frozen=True)
class Tokenizer:
    """Split units into words, drop stop words and stem.

    Parameters
    ----------
    tokens : str or callable, default "plain"
        ``"plain"``, ``"choi"``, ``"mcs"``, or a function from a unit to a list of strings.
    language : str, default "en"
        The language of stop words and stems for ``"plain"``: a code such as ``"en"``, a name such as ``"english"``, or
        ``"none"``. English is built in; for others run ``pip install 'caesura[text]'``. Languages without a stop list or a
        stemmer are used without.
    stopwords : collection of str, default None
        Stop words to use instead.
    stems : mapping of str to str, default None
        Stems to use instead; words that are not in it are stemmed by the language's stemmer.
    numbers : bool, default False
        Whether ``"plain"`` keeps numbers.

    Examples
    --------
    >>> Tokenizer().tokenize("The ships' captains were sailing; the ship sailed on, in 1868.")
    ['ship', 'captain', 'sail', 'ship', 'sail']
    """

    tokens: Tokens = "plain"
    language: str = "en"
    stopwords: Collection[str] | None = None
    stems: Mapping[str, str] | None = None
    numbers: bool = False

    def __post_init__(self) -> None:
        if not callable(self.tokens) and self.tokens not in TOKENIZATIONS:
            raise UnknownName("tokenization", str(self.tokens), list(TOKENIZATIONS))
        if isinstance(self.stopwords, str):
            raise CaesuraError("stopwords must be a collection of words, not one string.")
        if self.stopwords is not None and not all(isinstance(word, str) for word in self.stopwords):
            raise CaesuraError("stopwords must be a collection of words; one of them is no string.")
        # Any two- or three-letter code is accepted, because not every language has stop words and stems.
        if len(self._code) > 3 and self._code not in (*_CODES, "none"):
            raise UnknownName("language", self.language, [*_CODES, "none"])

    def tokenize(self, unit: str) -> list[str]:
        """Return the tokens of one unit.

        Parameters
        ----------
        unit : str
            A sentence, a line, a paragraph.

        Returns
        -------
        list of str
        """
        bags = self.bags([unit])
        return [bags.names[t] for t in bags.tokens]

    def of(self, unit: str) -> list[str]:
        """Return the tokens of one unit; deprecated name of :meth:`tokenize`."""
        warnings.warn("Tokenizer.of is deprecated; use Tokenizer.tokenize", DeprecationWarning, stacklevel=2)
        return self.tokenize(unit)

    def bags(self, units: Sequence[str]) -> Bags:
        """Return the bags of words of all units.

        Parameters
        ----------
        units : sequence of str
            The units of a text. Bags of tuples are cached, because tuples do not change.

        Returns
        -------
        Bags
        """
        return self._cache.get(units, self._count) if isinstance(units, tuple) else self._count(units)

    @property
    def signature(self) -> str:
        """Everything that decides which words count, in short."""
        if callable(self.tokens):
            return f"tok:{getattr(self.tokens, '__name__', 'own')}"
        stop = f"own{len(self.stopwords)}" if self.stopwords is not None else f"{self._code}{len(self._stop)}"
        stemmer = "porter" if self.tokens != "plain" or self._code == "en" else "snowball"
        stems = "given" if self.stems is not None else stemmer
        return f"tok:{self.tokens}|stop:{stop}|stem:{stems}" + ("|num" if self.numbers else "")

    def _count(self, units: Sequence[str]) -> Bags:
        split, types = self._splitter(units), self._types
        words = [split(unit) for unit in units]
        offsets = np.concatenate(([0], np.cumsum(np.fromiter(map(len, words), np.int64, len(words))))).astype(np.int64)
        codes = np.fromiter(map(types.__getitem__, chain.from_iterable(words)), np.int64, int(offsets[-1]))
        # Codes are shared by all texts of this tokenizer; a text numbers its own types from 0, without those dropped.
        used, local = np.unique(codes, return_inverse=True)
        kept = np.array([types.kept[code] for code in used.tolist()], bool)
        renumbered = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        names = [types.names[code] for code in used[kept].tolist()]
        return Bags.from_words(
            renumbered[local.reshape(-1)] if len(used) else codes.astype(np.int32), offsets, names, len(used)
        )

    @cached_property
    def _cache(self) -> _BagCache:
        return _BagCache()

    @cached_property
    def _types(self) -> _TypeCodes:
        return _TypeCodes(self._stem_and_filter)

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
        ascii_only = all(map(str.isascii, units))
        pattern = _word_pattern(ascii_only, self.numbers)
        if ascii_only:
            return lambda unit: pattern.findall(unit.lower())
        return lambda unit: pattern.findall(_pair_characters(unit.casefold().replace("’", "'")))

    @cached_property
    def _stem_and_filter(self) -> Callable[[str], tuple[str, bool]]:
        """A function from a word to its stem and whether it is kept."""
        if callable(self.tokens):
            return lambda word: (word, True)
        stem, stop = self._stem, self._stop
        if self.tokens == "mcs":
            stop_stems = {stem(word) for word in stop}
            return lambda word: (stem(word), stem(word) not in stop_stems)
        if self.tokens == "choi" and self.stems is None:
            return lambda word: (stem(word.replace("-", "")), word not in stop)
        return lambda word: (stem(word), word not in stop)

    @cached_property
    def _code(self) -> str:
        name = self.language.strip().lower()
        return _CODES.get(name, name)

    @property
    def _word_language(self) -> str:
        return "en" if self.tokens in ("choi", "mcs") else self._code

    @cached_property
    def _stop(self) -> Collection[str]:
        return frozenset(self.stopwords) if self.stopwords is not None else _stop_words(self._word_language)

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        stem, given = _stemmer(self._word_language), self.stems
        return stem if given is None else lambda word: given[word] if word in given else stem(word)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is cached, so that a tokenizer can be sent to other processes."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class _BagCache:
    """The bags of recent texts, by the identity of their units; emptied when it holds too many units."""

    def __init__(self) -> None:
        # The units are kept beside their bags, so that their id is not given to another tuple.
        self._known: dict[int, tuple[tuple[str, ...], Bags]] = {}
        self._units = 0

    def get(self, units: tuple[str, ...], count: Callable[[Sequence[str]], Bags]) -> Bags:
        """Return the bags of a text, counted if they are not cached."""
        if id(units) not in self._known:
            self._units += len(units)
            if self._units > _CACHED_UNITS:
                self._known.clear()
                self._units = len(units)
            self._known[id(units)] = (units, count(units))
        return self._known[id(units)][1]


class _TypeCodes(dict[str, int]):
    """Word to the code of its stem, with the name of every stem and whether it is kept; filled as words appear."""

    def __init__(self, stem_and_filter: Callable[[str], tuple[str, bool]]) -> None:
        super().__init__()
        self._stem_and_filter = stem_and_filter
        self._codes: dict[tuple[str, bool], int] = {}
        self.names: list[str] = []
        self.kept: list[bool] = []

    def __missing__(self, word: str) -> int:
        key = self._stem_and_filter(word)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self.names)
            self.names.append(key[0])
            self.kept.append(key[1])
        self[word] = code
        return code


# ---------------------------------------------------------------------- patterns

_NOT_MCS = re.compile(r"[^a-zA-Z0-9 $]")

#: Scripts without spaces between words: Thai to Myanmar, Khmer, kana, Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


@cache
def _word_pattern(ascii_only: bool, numbers: bool) -> re.Pattern[str]:
    """Match words: letters with their combining marks, joined by apostrophes and hyphens inside."""
    if ascii_only:
        letters = "[a-z0-9]" if numbers else "[a-z]"
    else:
        digits = r"\d" if numbers else ""
        letters = rf"(?:[^\W\d_]|[{_combining_marks()}{digits}])"
    return re.compile(rf"{letters}+(?:['\-]{letters}+)*")


@cache
def _combining_marks() -> str:
    """Return the ranges of all combining marks, for a character class."""
    marks = [c for c in range(0x300, min(sys.maxunicode, 0x1F000)) if unicodedata.category(chr(c))[0] == "M"]
    ranges: list[list[int]] = []
    for c in marks:
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


def _pair_characters(text: str) -> str:
    """Write runs of unspaced scripts as overlapping pairs of characters."""

    def pairs(run: re.Match[str]) -> str:
        found = run.group()
        return f" {' '.join([found[i : i + 2] for i in range(len(found) - 1)] or [found])} "

    return _UNSPACED.sub(pairs, text)


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
        from caesura.segmenters.text.english import stem

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
