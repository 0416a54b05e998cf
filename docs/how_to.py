"""Write the index of the how-to pages and their navigation while the site is built, from the headings of the files in docs/how-to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "how-to"
INDEX = "how-to/index.md"
DATA = Path(__file__).parents[1] / "examples" / "data"
MARKER = "<!-- how-to pages -->"


def questions() -> dict[str, str]:
    """Return the question that each page answers, by the name of the file.

    >>> questions()["export-gold.md"]
    'How do I export gold annotations?'
    """
    pages = [page for page in sorted(FOLDER.glob("*.md")) if page.name != "index.md"]
    return {page.name: title(page.read_text(encoding="utf-8")) for page in pages}


def title(markdown: str) -> str:
    """Return the first heading of a page.

    >>> title("---\\ntags: [a]\\n---\\n\\n# Why?\\n\\nBecause.")
    'Why?'
    """
    return next(line.removeprefix("# ") for line in markdown.splitlines() if line.startswith("# "))


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, below the index."""
    pages = [{"All questions": INDEX}, *({question: f"how-to/{name}"} for name, question in questions().items())]
    for entry in config["nav"]:
        if "How-to" in entry:
            entry["How-to"] = [{"Questions": pages} if "Questions" in each else each for each in entry["How-to"]]
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Write the list of questions into the index, and say where the files of an example are."""
    uri = page.file.src_uri
    if uri.startswith("how-to/") and uri != INDEX and uses_example_files(markdown):
        return f"{markdown.rstrip()} The files are in [examples.zip](../install.md#example-files).\n"
    if uri != INDEX:
        return markdown
    return markdown.replace(MARKER, "\n".join(f"- [{question}]({name})" for name, question in questions().items()))


def uses_example_files(markdown: str) -> bool:
    """Whether the commands or programs of a page name a file or folder of examples/data.

    >>> uses_example_files("$ caesura agree coders.json"), uses_example_files("$ caesura serve --database project.sqlite")
    (True, False)
    """
    commands = re.findall(r"^\$ (caesura .*)$", markdown, re.MULTILINE)
    words = {word for line in commands for word in re.split(r"[\s=]+", line)}
    words |= set(re.findall(r'"([\w/-]+\.\w+)"', markdown))
    return any((DATA / word).exists() for word in words if word)
