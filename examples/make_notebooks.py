"""Make notebooks of tutorials: the same words, Python and commands, cell by cell. Run: python examples/make_notebooks.py [FOLDER]

The pages' blocks run in the tests, so the notebooks' cells do too. They are written without outputs: run them beside ``examples/data``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = ("from-segeval-or-nltk", "two-annotators", "systems-in-ci", "segment-and-chunk")
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)


def main(folder: Path) -> None:
    """Write one notebook per page."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        cells = list(cells_of((TUTORIALS / f"{page}.md").read_text("utf-8")))
        first = next(number for number, cell in enumerate(cells) if cell["cell_type"] == "code")
        if not cells[first]["source"][0].startswith("%cd"):  # pages start in the folder with the data
            cells.insert(first, code("%cd ../data"))
        for number, cell in enumerate(cells):
            cell["id"] = f"{page[:20]}-{number}"
        notebook = {
            "cells": cells,
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
        (folder / f"{page}.ipynb").write_text(text, encoding="utf-8", newline="\n")


def cells_of(page: str) -> Iterator[dict[str, Any]]:
    """Words as Markdown; Python and commands as code; what a command prints is left to the reader's own run."""
    place = 0
    for fence in FENCE.finditer(page):
        yield from words(page[place : fence.start()])
        language, block = fence.groups()
        if language == "python":
            yield code(block.rstrip("\n"))
        elif language == "console":
            lines = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
            yield code("\n".join(as_cell(line) for line in lines))
        else:
            yield from words(fence.group(0))
        place = fence.end()
    yield from words(page[place:])


def as_cell(line: str) -> str:
    """A line of the shell as Jupyter takes it; notebooks lie in examples/notebooks."""
    if line.startswith("cd examples/"):
        return f"%cd ../{line.removeprefix('cd examples/')}"
    return f"!{line}"


def words(text: str) -> Iterator[dict[str, Any]]:
    """A cell of Markdown, if there is anything to say."""
    if text.strip():
        shown = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"*\1*", text.strip())  # pictures are drawn by running the cell
        shown = re.sub(
            r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", shown
        )  # links lead to pages that a notebook has not beside it
        yield {"cell_type": "markdown", "metadata": {}, "source": lines_of(shown)}


def code(text: str) -> dict[str, Any]:
    """A cell to run."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines_of(text)}


def lines_of(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "notebooks")
