"""Text with vowel marks, Hebrew or Arabic: a line is an item whose units are letters, a mark is a boundary type after its letter.

Marks are named (``patah``, ``fatha`` …); where a word ends, its last letter also carries the type ``word``, so that measures of whole words
find them. Several marks on one letter are several types at one position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from caesura.errors import FormatError
from caesura.files import Source
from caesura.model import Annotation, Corpus, Segmentation
from caesura.vowels.field_scores import field_corpus
from caesura.vowels.scripts import Script, guess_script, script

#: Types that end a word: any, and one that a model has never seen.
WORD, UNSEEN_WORD = "word", "unseen word"


def read(
    source: Source, *, marks: str | None = None, words: bool = True, combined: bool = False, field: str | None = None
) -> Corpus:
    """Read one item per line.

    Parameters
    ----------
    marks
        "hebrew" or "arabic"; by default the script with more letters.
    words
        Whether the ends of words are types as well.
    combined
        Whether the marks of one letter are one type ("dagesh+patah") instead of several.
    field
        "fadel" or "nakdimon": read every decision as a type, for the scores that papers on Arabic or Hebrew quote; the others do not matter then.
    """
    words, combined = (str(flag).lower() not in ("false", "no", "0") for flag in (words, combined))
    lines = [(str(number), line) for number, line in source.lines if line.strip()]
    if field is not None:
        return _check_letters(field_corpus(lines, field), source, field)
    table = script(marks) if marks is not None else guess_script(line for _, line in lines)
    return _check_letters(marked_corpus(lines, table, words=words, combined=combined), source, table.name.capitalize())


def _check_letters(corpus: Corpus, source: Source, language: str) -> Corpus:
    if not len(corpus.positions) and not any(corpus.lengths):
        raise source.fault(None, f"the text holds no {language} letter.")
    return corpus


def write(corpus: Corpus) -> str:
    """Write letters with their marks, one line per item; a space where a word ends."""
    lines = []
    for annotation in corpus:
        marks = annotation.marks
        assert isinstance(marks, Segmentation)
        table = guess_script(["".join(marks.units or ())])
        carried: dict[int, list[str]] = {}
        for position, kind in marks.marks:
            carried.setdefault(int(position), []).extend(str(kind).split("+"))
        line = []
        for place, letter in enumerate(marks.units or (), 1):
            names = carried.get(place, [])
            unknown = [n for n in names if n not in table.mark_of and n not in (WORD, UNSEEN_WORD)]
            if unknown:
                raise FormatError(None, None, f"{unknown[0]!r} is not a mark of the {table.name.capitalize()} script.")
            own = sorted((table.mark_of[n] for n in names if n in table.mark_of), key=table.order.__getitem__)
            line.append(letter + "".join(own) + (" " if {WORD, UNSEEN_WORD} & set(names) else ""))
        lines.append("".join(line).rstrip())
    return "\n".join(lines) + "\n"


def marked_corpus(
    lines: Iterable[tuple[str, str]],
    table: Script,
    *,
    coder: str = "",
    words: bool = True,
    combined: bool = False,
    known: Callable[[str], bool] | None = None,
) -> Corpus:
    """Build a corpus from (name, line) pairs.

    Parameters
    ----------
    known
        Tells whether a model knows a word; the others end in ``unseen word`` instead of ``word``.
    """
    labels = mark_labels(table) if not combined else None
    lines_read = []
    for name, line in lines:
        letters: list[str] = []
        typed: list[tuple[int, str]] = []
        for word in table.word.findall(line):
            before = ""
            for letter in table.split(word):
                letters.append(letter.read)
                names = table.names(letter.marks, letter.read, before)
                before = letter.marks
                if combined and names:
                    names = ["+".join(names)]
                typed += [(len(letters), n) for n in names]
            if words:
                typed.append((len(letters), WORD if known is None or known(word) else UNSEEN_WORD))
        if letters:
            lines_read.append((name, typed, letters))
    scale = labels if labels is not None else sorted({kind for _, typed, _ in lines_read for _, kind in typed})
    return Corpus.from_annotations(
        [
            Annotation(
                name, coder, Segmentation.from_positions(typed, length=len(letters), labels=scale, units=letters)
            )
            for name, typed, letters in lines_read
        ],
        labels=scale,
    )


def mark_labels(table: Script) -> tuple[str, ...]:
    """Names of all types a line of this script can carry."""
    return (WORD, UNSEEN_WORD, *table.labels)
