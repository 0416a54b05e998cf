"""The format "marked-text": Hebrew or Arabic with vowel marks. A line is an item, letters are units, marks are boundary types.

A type is the name of a mark (``patah``, ``fatha`` …) at the position after its letter; several marks on one letter are several types at one position.
The last letter of a word also has the type ``word``, which metrics of words use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from caesura.errors import FormatError
from caesura.files import Source
from caesura.model import Annotation, Corpus, Segmentation
from caesura_vowels.field_scores import field_corpus
from caesura_vowels.scripts import Script, guess_script, script

#: Types at the end of a word, and of a word that is unseen to a model.
WORD, UNSEEN_WORD = "word", "unseen word"


def read(
    source: Source, *, marks: str | None = None, words: bool = True, combined: bool = False, field: str | None = None
) -> Corpus:
    """Read one item per line.

    Parameters
    ----------
    source : Source
        The file.
    marks : {"hebrew", "arabic"}, default None
        The script; by default that of most words.
    words : bool, default True
        Whether to add types at the ends of words.
    combined : bool, default False
        Whether the marks of one letter are one type ("dagesh+patah") instead of several.
    field : {"fadel", "nakdimon"}, default None
        Read every decision as a type, for the published scores of Arabic or Hebrew; the other options are then ignored.
    """
    words, combined = (str(flag).lower() not in ("false", "no", "0") for flag in (words, combined))
    lines = [(str(number), line) for number, line in source.lines if line.strip()]
    if field is not None:
        return _check_letters(field_corpus(lines, field), source, field)
    table = script(marks) if marks is not None else guess_script(line for _, line in lines)
    return _check_letters(marked_corpus(lines, table, words=words, combined=combined), source, table.name.capitalize())


def _check_letters(corpus: Corpus, source: Source, language: str) -> Corpus:
    if not len(corpus.positions) and not any(corpus.lengths):
        raise source.error(None, f"the text has no {language} letters.")
    return corpus


def write(corpus: Corpus) -> str:
    """Write letters with their marks, one line per item, with a space at the end of each word."""
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
    """Build a corpus from lines with marks.

    Parameters
    ----------
    lines : iterable of (str, str)
        Names and lines.
    table : Script
        The script.
    coder : str, default ""
        The coder of all annotations.
    words : bool, default True
        Whether to add types at the ends of words.
    combined : bool, default False
        Whether the marks of one letter are one type.
    known : callable, default None
        Whether a model knows a word; other words end in ``unseen word`` instead of ``word``.

    Returns
    -------
    Corpus
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
    """Return the names of all types that a line of this script can have."""
    return (WORD, UNSEEN_WORD, *table.labels)
