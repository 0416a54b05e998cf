"""Convert tutorials to notebooks. Run: python examples/make_notebooks.py [FOLDER]

Tests run the code blocks of the pages, and so the cells of the notebooks. Notebooks are written without outputs.
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
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n+", re.DOTALL | re.MULTILINE)  # tags for the search of the site
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)


def main(folder: Path) -> None:
    """Write one notebook per page."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        text = (TUTORIALS / f"{page}.md").read_text("utf-8")
        cells = list(convert_page(FRONT_MATTER.sub("", text)))
        first = next(number for number, cell in enumerate(cells) if cell["cell_type"] == "code")
        if not cells[first]["source"][0].startswith("%cd"):  # pages start in the folder with the data
            cells.insert(first, code_cell("%cd ../data"))
        for number, cell in enumerate(cells):
            cell["id"] = f"{page[:20]}-{number}"
        notebook = {
            "cells": cells,
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        written = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
        (folder / f"{page}.ipynb").write_text(written, encoding="utf-8", newline="\n")


def convert_page(page: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of a page: text as Markdown, Python and commands as code; the output of commands is left out."""
    end = 0
    for fence in FENCE.finditer(page):
        yield from markdown_cell(page[end : fence.start()])
        language, block = fence.groups()
        if language == "python":
            yield code_cell(block.rstrip("\n"))
        elif language == "console":
            lines = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
            yield code_cell("\n".join(shell_line(line) for line in lines))
        else:
            yield from markdown_cell(fence.group(0))
        end = fence.end()
    yield from markdown_cell(page[end:])


def shell_line(line: str) -> str:
    """Return a shell command as Jupyter writes it; notebooks are in examples/notebooks."""
    if line.startswith("cd examples/"):
        return f"%cd ../{line.removeprefix('cd examples/')}"
    return f"!{line}"


def markdown_cell(text: str) -> Iterator[dict[str, Any]]:
    """Yield a Markdown cell, unless the text is empty."""
    if text.strip():
        shown = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"*\1*", text.strip())  # running the cell draws the picture
        shown = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", shown)  # relative links do not work in a notebook
        yield {"cell_type": "markdown", "metadata": {}, "source": notebook_lines(shown)}


def code_cell(text: str) -> dict[str, Any]:
    """Return a code cell."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": notebook_lines(text)}


def notebook_lines(text: str) -> list[str]:
    """Split a text as the notebook format does."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "notebooks")
