"""Find paragraphs that are too long, and words and turns of phrase that the style page advises against.

``python tests/docs/prose.py [PAGES]`` lists them. docs/style.md explains the rules.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
#: Characters of a paragraph: five lines, which have some 72 characters on the screen and at most 80.
LONGEST = 360
#: A character of code is as wide as this many of text.
CODE_WIDTH = 1.25

#: Pattern -> better. Patterns ignore case; most come from the review of November 2026.
RULES = {
    r"\bthe (taking|giving|making|reading|writing) (in|out|of)\b": "a verb: imports, exports, reads, writes",
    r"\bis (told|held|said) (to|by|against|there|here)\b": "reports, checks, is on page …",
    r"\bat once\b": "immediately, together, or at the same time",
    r"\bin hand\b": "selected, current",
    r"\bkeeps? all\b(?=[.;,:) ]*$|[.;,:)])": "keeps everything",
    r"\b(is|are|say that they are) from before\b": "is out of date",
    r"\b(is|are|was|were) (told|said)\b": "is reported; a message says",
    r"(?<=[.;:] )Who [a-z]+s [^?]*$": "if you …, or: anyone who …",
    r"\bof (his|her|its|their|your|our) own(?=[.,;:)]|$)": "its own …",
    r"\b(stand|stands) in for\b": "replace",
    r"\bstands? (beside|below|under|behind|above)\b": "is beside, below …",
    r"\b(is|are|was|were|and) mended\b": "fixed",
    r"\bneeds? not (be|hold|have|know)\b": "does not have to",
    r"\b(shall|upon|whilst|amongst|thus|hence)\b": "a word of everyday English",
    r"\bnot to be (expected|had)\b": "unlikely; not available",
    r"\bwho(m)?ever\b": "anyone who, or name the person",
    r"\bshut (somebody|someone|people) out\b": "deactivate an account",
    r"\bcan be had\b": "is available",
    r"\b(had|got) for nothing\b": "free, without further work",
    r"\bheld against\b": "compared with",
    r"\bby way of\b": "through, with",
    r"\bin vain\b": "without effect",
    r"\bas it were\b|\bso to speak\b|\bnaturally\b|\bof course\b|\bneedless to say\b": "nothing: leave it out",
    r"\b(rubbish|strangers|abroad)\b": "a technical term",
    r"\bwhereof\b|\bthereof\b|\bherein\b|\bwherein\b|\btherewith\b|\bthereby\b": "of which, in it, with it",
    r"\bturned round\b": "inverted, reversed",
    r"\byields? to\b": "gives way to: say which takes precedence",
    r"\b(with)?in so much\b": "a number, or: at most this far",
    r"\btakes? (\w+ ){1,3}(as|to be) (in)?dependent\b": "assumes",
    r"\b(was|were) taken to (be|start|end|mean)\b": "is assumed to",
    r"\bhere (are|is) ({|\d)": "this corpus has",
    r"\bin silence\b": "without a message",
    r"\bfound by (itself|themselves)\b": "detected automatically",
    r"\butili[sz]e(s|d)?\b": "use",
    r"\bin order to\b": "to",
    r"\bdue to the fact that\b": "because",
    r"\b(simply|just|easily|obviously|clearly) (run|type|call|use|click|install)\b": "the verb alone",
    r"\bblazing(ly)?\b|\bstate-of-the-art\b|\bcutting-edge\b|\bseamless(ly)?\b|\bleverag(e|es|ing)\b": "a measured number or a plain verb",
    r"\b([a-z]{2,}) \1\b(?<!that that)(?<!had had)": "the word once",
}


class Finding(NamedTuple):
    """A place in a page, and what is wrong with it."""

    line: int
    message: str


def paragraphs(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs and list items of a page with their line numbers, without code, tables, headings, formulas and HTML.

    Examples
    --------
    >>> list(paragraphs("# A\\n\\nOne\\ntwo.\\n\\n- three\\n- four\\n\\n```sh\\nfive\\n```\\n"))
    [(3, 'One two.'), (6, '- three'), (7, '- four')]
    """
    here: list[str] = []
    start, fence, in_list = 0, "", False
    for number, line in enumerate([*markdown.splitlines(), ""], 1):
        stripped = line.strip()
        if fence or re.match(r"```|~~~|---$", stripped):
            opening = re.match(r"```+|~~~+|---$", stripped)
            if not fence and opening and (opening[0] != "---" or number == 1):
                fence = opening[0]
            elif fence and stripped.startswith(fence):
                fence = ""
            stripped = ""
        item = re.match(r"[-*+] |\d+\. ", stripped)
        in_list = bool(item) or (in_list and (not stripped or line.startswith(" ") or bool(here)))
        other = re.match(r"#|\||<|!\[|\$\$|!!!|\?\?\?|===|:::|--8<--", stripped)
        other = other or (line.startswith("    ") and not in_list and not here)  # code
        if not stripped or other or item:
            if here:
                yield start, " ".join(here)
            here = []
        if stripped and not other:
            start = start if here else number
            here.append(stripped)


def missing_blank_lines(markdown: str) -> Iterator[int]:
    """Yield the lines of list items that directly follow a paragraph: the site continues the paragraph there.

    Examples
    --------
    >>> list(missing_blank_lines("- one\\n\\n    More.\\n- two\\n- three\\n"))
    [4]
    """
    before = "blank"
    fence = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        stripped = line.strip()
        opening = re.match(r"```+|~~~+", stripped)
        if fence or opening:
            fence = "" if fence and stripped.startswith(fence) else fence or (opening[0] if opening else "")
            before = "other"
        elif not stripped:
            before = "blank"
        elif re.match(r"[-*+] |\d+\. ", stripped):
            if before == "paragraph":
                yield number
            before = "item"
        elif before != "item":
            before = "other" if re.match(r"#|\||<|!\[|!!!|:::|---|\?\?\?|===", stripped) else "paragraph"


def shown(text: str) -> str:
    """Return the text as a reader sees it, without the targets of links and the signs of Markdown.

    Examples
    --------
    >>> shown("See [the **page**](a.md#b) on `B`.")
    'See the page on B.'
    """
    return re.sub(r"\*\*|[`\[]|\]\([^)]*\)|\{[:#.][^}]*\}", "", re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text))


def findings(markdown: str, longest: int = LONGEST) -> Iterator[Finding]:
    """Yield what is wrong with a page."""
    for line in missing_blank_lines(markdown):
        yield Finding(line, "a list item below a paragraph: put a blank line between them")
    for line, text in paragraphs(markdown):
        visible = shown(text)
        width = len(visible) + (CODE_WIDTH - 1) * sum(map(len, re.findall(r"`([^`]*)`", text)))
        if width > longest:
            yield Finding(line, f"a paragraph of {width:.0f} characters, at most {longest}: {visible[:50]}…")
        words = re.sub(r"`[^`]*`", "", text)
        for pattern, better in RULES.items():
            for match in re.finditer(pattern, words, re.IGNORECASE):
                yield Finding(line, f'"{match[0]}": write {better}')


if __name__ == "__main__":
    pages = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "docs").rglob("*.md"))
    for page in pages:
        for finding in findings(page.read_text(encoding="utf-8")):
            print(f"{page}:{finding.line}: {finding.message}")
