"""A restored text as one HTML page: doubtful letters are marked, and a word shows its other forms when it is pointed at or tapped.

Nothing is fetched and nothing is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from caesura.display.cells import clean
from caesura.vowels.doubts import DOUBTFUL, FORMS, WRONG, letter_shares, offered_forms
from caesura.vowels.listing import words_by_line

if TYPE_CHECKING:
    from caesura.vowels import RestoredWord, VowelRestorer
    from caesura.vowels.scripts import Script

_LOOKS = (
    "html{color-scheme:light dark}body{font-family:Georgia,serif;max-width:46rem;margin:2rem auto;padding:0 1rem;line-height:2.2}"
    "main{font-size:1.4rem}p{margin:.2rem 0}small{line-height:1.4}"
    ".w{position:relative}.w:focus{outline:2px solid}.d{text-decoration:underline dotted 2px;text-underline-offset:.35em}"
    ".x{text-decoration:underline wavy 2px;text-underline-offset:.35em;font-weight:bold}"
    ".o{display:none;position:absolute;inset-block-start:2.2em;inset-inline-start:0;z-index:1;background:Canvas;color:CanvasText;border:1px solid;"
    "padding:.2rem .6rem;white-space:nowrap;font-size:1rem;line-height:1.8}.w:hover .o,.w:focus .o{display:block}.o span{display:block}"
)


def restored_page(restorer: VowelRestorer, text: str, title: str) -> str:
    """Restore a text and write it as a page."""
    shown = escape(clean(title))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{shown} · Caesura</title>'
        f"<style>{_LOOKS}</style></head><body>\n<header><h1><bdi>{shown}</bdi></h1></header>\n"
        f'<main lang="{ {"hebrew": "he", "arabic": "ar"}[restorer.language] }" dir="rtl">\n'
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
    """A word that is sure stands as it is; another can be asked for its forms."""
    letters = letter_shares(word, script)
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
