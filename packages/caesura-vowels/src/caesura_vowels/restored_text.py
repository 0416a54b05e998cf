"""Show restored text: certainty per letter, lists of forms, JSON lines, terminal colours and an HTML page.

The probability of a letter is the sum of the calibrated probabilities of the word's forms that give it the same marks. Of what is left for forms that are not
listed, half counts, because most letters of a wrong word are right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from caesura.display.cells import cell_width, choose_bidi, clean, is_rtl, reorder_rtl_pieces

if TYPE_CHECKING:
    from caesura_vowels import RestoredWord, VowelRestorer
    from caesura_vowels.scripts import Script

#: A word or letter is doubtful below the first probability, and more likely wrong than right below the second.
DOUBTFUL, WRONG = 0.8, 0.5
#: The number of forms computed for a word, and the least probability of a form that is offered.
FORMS, MIN_OFFERED = 6, 0.01
#: How much of the probability of forms that are not listed counts for a letter (chosen on held-out lines of the training texts).
_UNLISTED = 0.5


def letter_probabilities(word: RestoredWord, script: Script) -> list[tuple[str, float]]:
    """Return the letters of a word's best form with their marks, each with the probability that its marks are right.

    >>> from caesura_vowels import RestoredWord
    >>> from caesura_vowels.scripts import HEBREW
    >>> [round(share, 2) for _, share in letter_probabilities(RestoredWord(0, "אב", (("אָב", 0.7), ("אַב", 0.2), ("אָבּ", 0.1))), HEBREW)]
    [0.8, 0.9]
    >>> [round(share, 2) for _, share in letter_probabilities(RestoredWord(0, "אב", (("אָב", 0.7), ("אַב", 0.2))), HEBREW)]
    [0.75, 0.95]
    """
    forms = [([x.marks for x in script.split(form)], share) for form, share in word.alternatives]
    best = forms[0][0]
    rest = _UNLISTED * max(0.0, 1 - sum(share for _, share in forms)) if forms[0][1] > 0 else 0.0
    sums = [rest + sum(share for marks, share in forms if marks[n] == best[n]) for n in range(len(best))]
    letters = [x.raw for x in script.split(word.alternatives[0][0])]
    return list(zip(letters, sums, strict=True))


def offered_forms(word: RestoredWord) -> list[tuple[str, float]]:
    """Return the forms of a word that are likely enough to be offered, best first."""
    return [(form, share) for form, share in word.alternatives if share >= MIN_OFFERED]


def restored_words(restorer: VowelRestorer, text: str) -> list[tuple[RestoredWord, dict[str, Any]]]:
    """Restore a text and return the words that get marks, with plain data about them.

    Parameters
    ----------
    restorer : VowelRestorer
        A trained restorer.
    text : str
        One line or several.

    Returns
    -------
    list of (RestoredWord, dict)
        For each word: ``probabilities`` (a float, of the best form), ``letters`` (letter with marks, probability) and ``forms`` (form, probability).

    Examples
    --------
    >>> from caesura_vowels import VowelRestorer
    >>> [(word, data)] = restored_words(VowelRestorer().fit(["דָוִד רָב"]), "דוד")
    >>> word.word, data["probabilities"]
    ('דוד', 1.0)
    """
    restored = []
    for word in restorer.restore_nbest(text, FORMS):
        if word.alternatives[0][0] != word.word:
            letters, forms = letter_probabilities(word, restorer.script), offered_forms(word)
            restored.append(
                (
                    word,
                    {
                        "probabilities": round(word.probability, 4),
                        "letters": [[letter, round(share, 4)] for letter, share in letters],
                        "forms": [[form, round(share, 4)] for form, share in forms],
                    },
                )
            )
    return restored


#: Text and the code of its colour, "" for none.
Piece = tuple[str, str]


def list_forms(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[str]:
    """Yield one line per word, with its forms and their probabilities, and an empty line after each line of the text."""
    for line, words in words_by_line(restorer, chunk, number):
        for word in words:
            forms = "\t".join(f"{form} {share:.3f}" for form, share in word.alternatives)
            yield f"{word.word}\t{forms}\n"
        if line:
            yield "\n"


def json_lines(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[str]:
    """Yield one JSON object per line: the restored text, its words with their positions, forms and probabilities, and the kind of text if the model knows kinds."""
    kind = restorer.recognize(chunk)
    texts = restorer.restore(chunk).split("\n")
    for text, (_, words) in zip(texts, words_by_line(restorer, chunk, number), strict=False):
        entry = {
            "text": text.removesuffix("\r"),
            "words": [
                {
                    "start": word.start,
                    "word": word.word,
                    "forms": [{"form": form, "probability": round(share, 6)} for form, share in word.alternatives],
                }
                for word in words
            ],
            **({} if kind is None else {"kind": kind}),
        }
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def colour_doubtful_words(restorer: VowelRestorer, chunk: str) -> Iterator[str]:
    """Yield the restored text for a terminal: doubtful words yellow, words that are probably wrong red.

    If the terminal does not support right-to-left text, lines are wrapped to its width and then reordered here, so that the start of a line
    comes before its end.
    """
    from caesura.cli.io import terminal_width

    reorder_here = choose_bidi() == "us"
    for line, words in words_by_line(restorer, chunk, 1):
        pieces: list[Piece] = []
        at = 0
        for word in words:
            form, share = word.alternatives[0]
            pieces += [(clean(line[at : word.start]), ""), (form, _colour(share))]
            at = word.start + len(word.word)
        pieces.append((clean(line[at:]), ""))
        if reorder_here and is_rtl(line):
            width = terminal_width()
            for row in _rows(pieces, width):
                yield _add_colours(_align_right(reorder_rtl_pieces(row), width)) + "\n"
        else:
            yield _add_colours(pieces) + "\n"


def words_by_line(restorer: VowelRestorer, chunk: str, number: int) -> Iterator[tuple[str, list[RestoredWord]]]:
    """Yield the lines of a chunk without line ends, each with its words, whose positions are relative to the line."""
    words = restorer.restore_nbest(chunk, number)
    at, taken = 0, 0
    for line in chunk.removesuffix("\n").split("\n"):
        first = taken
        while taken < len(words) and words[taken].start < at + len(line):
            taken += 1
        yield line.removesuffix("\r"), [w._replace(start=w.start - at) for w in words[first:taken]]
        at += len(line) + 1


def _colour(share: float) -> str:
    return "31" if share < WRONG else "33" if share < DOUBTFUL else ""


def _add_colours(pieces: list[Piece]) -> str:
    return "".join(f"\x1b[{colour}m{text}\x1b[0m" if colour and text else text for text, colour in pieces)


def _rows(pieces: list[Piece], width: int) -> Iterator[list[Piece]]:
    """Wrap a line at spaces."""
    row: list[Piece] = []
    used = 0
    for text, colour in pieces:
        for i, part in enumerate(text.split(" ")):
            if i:
                row.append((" ", ""))
                used += 1
            size = cell_width(part)
            if used + size > width and used > 0:
                yield row
                row, used = [], 0
            row.append((part, colour))
            used += size
    yield row


def _align_right(pieces: list[Piece], width: int) -> list[Piece]:
    padding = width - sum(cell_width(text) for text, _ in pieces)
    return [(" " * max(padding, 0), ""), *pieces]


_STYLE = (
    "html{color-scheme:light dark}body{font-family:Georgia,serif;max-width:46rem;margin:2rem auto;padding:0 1rem;line-height:2.2}"
    "main{font-size:1.4rem}p{margin:.2rem 0}small{line-height:1.4}"
    ".w{position:relative}.w:focus{outline:2px solid}.d{text-decoration:underline dotted 2px;text-underline-offset:.35em}"
    ".x{text-decoration:underline wavy 2px;text-underline-offset:.35em;font-weight:bold}"
    ".o{display:none;position:absolute;inset-block-start:2.2em;inset-inline-start:0;z-index:1;background:Canvas;color:CanvasText;border:1px solid;"
    "padding:.2rem .6rem;white-space:nowrap;font-size:1rem;line-height:1.8}.w:hover .o,.w:focus .o{display:block}.o span{display:block}"
)


def restored_page(restorer: VowelRestorer, text: str, title: str) -> str:
    """Restore a text and return it as one HTML page without scripts: doubtful letters are marked, words show other forms on hover or tap."""
    shown = escape(clean(title))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{shown} · Caesura</title>'
        f"<style>{_STYLE}</style></head><body>\n<header><h1><bdi>{shown}</bdi></h1></header>\n"
        f'<main lang="{ {"hebrew": "he", "arabic": "ar"}.get(restorer.language, "und") }" dir="{"auto" if restorer.script.table else "rtl"}">\n'
        f"{''.join(_lines(restorer, text))}</main>\n"
        f'<footer><p><small><span class="d">dotted</span>: a letter that is right with less than {DOUBTFUL:.0%} probability; <span class="x">wavy</span>: less than {WRONG:.0%}. '
        "Point at a word, or tap it, for its other forms.</small></p></footer>\n</body></html>\n"
    )


def _lines(restorer: VowelRestorer, text: str) -> Iterator[str]:
    for line, words in words_by_line(restorer, text, FORMS):
        pieces, at = [], 0
        for word in words:
            pieces += [escape(clean(line[at : word.start])), _word(word, restorer.script)]
            at = word.start + len(word.word)
        yield f"<p>{''.join(pieces)}{escape(clean(line[at:]))}</p>\n"


def _word(word: RestoredWord, script: Script) -> str:
    """Return the HTML of a word; a doubtful word has a list of its forms."""
    letters = letter_probabilities(word, script)
    if all(share >= DOUBTFUL for _, share in letters):
        return escape("".join(letter for letter, _ in letters))
    marked = "".join(
        escape(letter)
        if share >= DOUBTFUL
        else f'<span class="{"x" if share < WRONG else "d"}">{escape(letter)}</span>'
        for letter, share in letters
    )
    offered = "".join(f"<span>{escape(form)} {share:.0%}</span>" for form, share in offered_forms(word))
    return f'<span class="w" tabindex="0">{marked}<span class="o">{offered}</span></span>'
