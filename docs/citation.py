"""Write the BibTeX entries of docs/cite.md while the site is built, from CITATION.cff; ``python docs/citation.py`` prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[1] / "CITATION.cff"
PAGE = "cite.md"
MARKER = "<!-- BibTeX -->"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the page (a hook of mkdocs)."""
    return fill_in(markdown) if page.file.src_uri == PAGE else markdown


def fill_in(markdown: str) -> str:
    """Replace the marker by a block of entries."""
    return markdown.replace(MARKER, f"```bibtex\n{bibtex()}\n```")


def bibtex() -> str:
    """Return the entry of Caesura and one per paper.

    Examples
    --------
    >>> print(bibtex().split("\\n\\n")[1])
    @inproceedings{fournier2013,
      author = {Chris Fournier},
      title = {Evaluating Text Segmentation using Boundary Edit Distance},
      booktitle = {Proceedings of the 51st Annual Meeting of the Association for Computational Linguistics},
      year = {2013}
    }
    """
    file = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    own = entry("software", "caesura", file, title=f"{file['title']}, version {file['version']}")
    papers = [
        entry(
            "inproceedings",
            f"{paper['authors'][0]['family-names'].split()[0].lower()}{paper['year']}",
            paper,
            title=paper["title"],
            booktitle=paper["conference"]["name"],
            year=str(paper["year"]),
        )
        for paper in file["references"]
    ]
    return "\n\n".join([own, *papers])


def entry(kind: str, key: str, work: dict[str, Any], **fields: str) -> str:
    """Return one entry: its authors, then the other fields."""
    people = [each.get("name") or person(each) for each in work["authors"]]
    authors = " and ".join(f"{{{name}}}" if "name" in work["authors"][0] else name for name in people)
    lines = [f"  {name} = {{{value}}}" for name, value in {"author": authors, **fields}.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def person(author: dict[str, str]) -> str:
    """Return given and family names."""
    return f"{author.get('given-names', '')} {author['family-names']}".strip()


if __name__ == "__main__":
    print(bibtex())
