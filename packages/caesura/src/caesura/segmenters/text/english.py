"""English words: stop words, and the Porter stemmer with its author's later revisions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

#: Function words and other frequent words that say little about a topic.
STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "ourselves",
        "you",
        "your",
        "yours",
        "yourself",
        "yourselves",
        "he",
        "him",
        "his",
        "himself",
        "she",
        "her",
        "hers",
        "herself",
        "it",
        "its",
        "itself",
        "they",
        "them",
        "their",
        "theirs",
        "themselves",
        "one",
        "ones",
        "oneself",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "whoever",
        "whatever",
        "whichever",
        "this",
        "that",
        "these",
        "those",
        "such",
        "same",
        "other",
        "others",
        "another",
        "each",
        "every",
        "either",
        "neither",
        "both",
        "all",
        "any",
        "some",
        "none",
        "no",
        "several",
        "few",
        "many",
        "much",
        "more",
        "most",
        "less",
        "least",
        "lot",
        "lots",
        "enough",
        "own",
        "anybody",
        "anyone",
        "anything",
        "everybody",
        "everyone",
        "everything",
        "nobody",
        "nothing",
        "somebody",
        "someone",
        "something",
        "am",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "done",
        "doing",
        "have",
        "has",
        "had",
        "having",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "will",
        "would",
        "ought",
        "cannot",
        "get",
        "gets",
        "got",
        "getting",
        "let",
        "lets",
        "go",
        "goes",
        "going",
        "gone",
        "went",
        "come",
        "comes",
        "came",
        "coming",
        "make",
        "makes",
        "made",
        "take",
        "takes",
        "took",
        "say",
        "says",
        "said",
        "saying",
        "tell",
        "told",
        "know",
        "knows",
        "knew",
        "think",
        "thought",
        "see",
        "sees",
        "saw",
        "seem",
        "seems",
        "seemed",
        "want",
        "wants",
        "wanted",
        "give",
        "gives",
        "gave",
        "put",
        "keep",
        "kept",
        "about",
        "above",
        "across",
        "after",
        "against",
        "along",
        "among",
        "around",
        "as",
        "at",
        "away",
        "back",
        "before",
        "behind",
        "below",
        "beneath",
        "beside",
        "besides",
        "between",
        "beyond",
        "by",
        "despite",
        "down",
        "during",
        "except",
        "for",
        "from",
        "in",
        "inside",
        "into",
        "like",
        "near",
        "of",
        "off",
        "on",
        "onto",
        "out",
        "outside",
        "over",
        "past",
        "per",
        "round",
        "since",
        "than",
        "through",
        "throughout",
        "till",
        "to",
        "toward",
        "towards",
        "under",
        "underneath",
        "until",
        "unto",
        "up",
        "upon",
        "via",
        "with",
        "within",
        "without",
        "and",
        "or",
        "but",
        "nor",
        "so",
        "yet",
        "if",
        "unless",
        "while",
        "whereas",
        "although",
        "though",
        "because",
        "whether",
        "when",
        "whenever",
        "where",
        "wherever",
        "why",
        "how",
        "however",
        "therefore",
        "thus",
        "hence",
        "moreover",
        "furthermore",
        "nevertheless",
        "otherwise",
        "instead",
        "not",
        "never",
        "ever",
        "always",
        "often",
        "sometimes",
        "usually",
        "again",
        "already",
        "also",
        "almost",
        "even",
        "just",
        "only",
        "quite",
        "rather",
        "really",
        "too",
        "very",
        "well",
        "still",
        "soon",
        "now",
        "then",
        "once",
        "twice",
        "here",
        "there",
        "everywhere",
        "nowhere",
        "somewhere",
        "anywhere",
        "perhaps",
        "maybe",
        "indeed",
        "certainly",
        "probably",
        "actually",
        "especially",
        "particularly",
        "generally",
        "further",
        "far",
        "long",
        "yes",
        "oh",
        "okay",
        "ok",
        "well",
        "right",
        "sure",
        "please",
        "thank",
        "thanks",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "haven't",
        "hasn't",
        "hadn't",
        "can't",
        "couldn't",
        "won't",
        "wouldn't",
        "shan't",
        "shouldn't",
        "mustn't",
        "mightn't",
        "needn't",
        "ain't",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "you're",
        "you've",
        "you'd",
        "you'll",
        "he's",
        "he'd",
        "he'll",
        "she's",
        "she'd",
        "she'll",
        "it's",
        "it'll",
        "we're",
        "we've",
        "we'd",
        "we'll",
        "they're",
        "they've",
        "they'd",
        "they'll",
        "that's",
        "there's",
        "here's",
        "what's",
        "who's",
        "let's",
        "where's",
        "how's",
        "t",
        "s",
        "d",
        "m",
        "ll",
        "re",
        "ve",
        "n't",
        "'s",
        "'m",
        "'re",
        "'ve",
        "'d",
        "'ll",
        "two",
        "three",
        "first",
        "second",
        "next",
        "last",
        "new",
        "old",
        "good",
        "great",
        "little",
        "way",
        "thing",
        "things",
        "time",
        "times",
    ]
)

# ---------------------------------------------------------------------- Porter's stemmer
#
# The algorithm of Porter (1980), "An algorithm for suffix stripping", with the three revisions of his own programs: words of
# one or two letters stay as they are, "bli" becomes "ble" (instead of "abli" "able"), and "logi" becomes "log". The programs
# of MinCutSeg and BayesSeg stem this way. The "porter" algorithm of snowballstemmer is the version of 1980: it gives other
# stems for words in -logy and -bly and for two-letter words, which changes published scores, so it is not used here.

_SHAPES = defaultdict(lambda: "C", {ord(vowel): "V" for vowel in "aeiou"})
# A word has the form [C](VC)^m[V]; Porter calls m the measure of the word.
_MEASURE_1_OR_MORE = re.compile("^C*(?:V+C+)+")
_MEASURE_2_OR_MORE = re.compile("^C*(?:V+C+){2,}")
_MEASURE_1 = re.compile("^C*V+C+V*$")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def _by_last_letter(suffixes: Iterable[str]) -> dict[str, list[str]]:
    """Group suffixes by their last letter, the longest first: one look-up rules most words out."""
    table: dict[str, list[str]] = {}
    for suffix in sorted(suffixes, key=len, reverse=True):
        table.setdefault(suffix[-1], []).append(suffix)
    return table


_SUFFIXES_2, _SUFFIXES_3, _SUFFIXES_4 = map(_by_last_letter, (_STEP_2, _STEP_3, _STEP_4))


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Return the Porter stem of a lower-case English word.

    Examples
    --------
    >>> [stem(w) for w in ("relational", "hopping", "hoping", "skies", "generalizations", "oscillators", "possibly")]
    ['relat', 'hop', 'hope', 'ski', 'gener', 'oscil', 'possibl']
    """
    if len(word) <= 2:
        return word
    word = _strip_plural_and_past(word)
    if word[-1] == "y" and "V" in _shape(word[:-1]):  # step 1c
        word = word[:-1] + "i"
    word = _replace_suffix(word, _SUFFIXES_2, _STEP_2)
    word = _replace_suffix(word, _SUFFIXES_3, _STEP_3)
    word = _drop_suffix(word)
    return _drop_final_letter(word)


def _shape(word: str) -> str:
    """Write a word as consonants C and vowels V; y is a vowel after a consonant."""
    if "y" not in word:
        return word.translate(_SHAPES)
    shape: list[str] = []
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape and shape[-1] == "C")
        shape.append("V" if is_vowel else "C")
    return "".join(shape)


def _strip_plural_and_past(word: str) -> str:
    """Apply steps 1a and 1b: plurals, -ed and -ing."""
    if word[-1] == "s":
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif word[-2] != "s":
            word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_1_OR_MORE.match(_shape(word[:-3])) else word
    rest = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not rest or "V" not in _shape(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "C":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _MEASURE_1.match(_shape(rest)) and _ends_short(rest) else rest


def _ends_short(word: str) -> bool:
    """Tell whether a word ends in consonant, vowel, consonant, and the last letter is not w, x or y."""
    return len(word) > 2 and _shape(word)[-3:] == "CVC" and word[-1] not in "wxy"


def _replace_suffix(word: str, suffixes: dict[str, list[str]], replacements: dict[str, str]) -> str:
    """Apply step 2 or 3: replace the longest suffix that fits, if the rest has a measure above 0."""
    for suffix in suffixes.get(word[-1], ()):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacements[suffix] if _MEASURE_1_OR_MORE.match(_shape(rest)) else word
    return word


def _drop_suffix(word: str) -> str:
    """Apply step 4: drop the longest suffix that fits, if the rest has a measure above 1."""
    for suffix in _SUFFIXES_4.get(word[-1], ()):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            fits = suffix != "ion" or rest.endswith(("s", "t"))
            return rest if fits and _MEASURE_2_OR_MORE.match(_shape(rest)) else word
    return word


def _drop_final_letter(word: str) -> str:
    """Apply step 5: drop a final e, and one of two final l."""
    if word[-1] == "e":
        shape = _shape(word[:-1])
        if _MEASURE_2_OR_MORE.match(shape) or (_MEASURE_1_OR_MORE.match(shape) and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _MEASURE_2_OR_MORE.match(_shape(word[:-1])):
        word = word[:-1]
    return word
