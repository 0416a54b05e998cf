"""Add the logo, CONTRIBUTING.md, CHANGELOG.md and the example files to the site, and make tables accessible."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
LOGO = ROOT / "packages/caesura/src/caesura/display/logo.svg"
#: Files of the repository's root that are pages of the site, and synonyms for the search.
PAGES = {
    "contributing.md": (ROOT / "CONTRIBUTING.md", "contribute, development, pull request, tests"),
    "changelog.md": (ROOT / "CHANGELOG.md", "release notes, what is new, upgrade, versions"),
}


def on_files(files: Files, *, config: Any) -> Files:
    """Add the logo, which reports and the workbench show too, and the files of PAGES with their links as seen from docs/."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    files.append(File.generated(config, "examples.zip", content=example_files()))
    for uri, (source, tags) in PAGES.items():
        text = source.read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, uri, content=f"---\ntags: [{tags}]\n---\n\n{text}"))
    return files


def example_files() -> bytes:
    """Return an archive of examples/data, on which the commands of the pages run."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((ROOT / "examples" / "data").rglob("*")):
            if file.is_file():
                entry = zipfile.ZipInfo(file.relative_to(ROOT).as_posix(), (2026, 1, 1, 0, 0, 0))
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


#: The length of a paragraph of five lines, and the ends of sentences.
LONGEST = 350
SENTENCE_END = re.compile(r"(?<=[a-zé)\]`*%][.?!]) (?=[A-Z(`*])")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Divide the long paragraphs and list items of the pages on papers, which a command prints, at ends of sentences."""
    if not page.file.src_uri.startswith("papers/"):
        return markdown
    parts = re.split(r"(^```.*?^```$|\n\n)", markdown, flags=re.DOTALL | re.MULTILINE)
    text = "".join(short_paragraphs(part) if re.match(r"[A-Z*`]", part) else part for part in parts)
    item = re.compile(rf"^- .{{{LONGEST},}}$", re.MULTILINE)
    return item.sub(lambda match: short_paragraphs(match[0]).replace("\n\n", "\n\n    ") + "\n", text)


def short_paragraphs(text: str, longest: int = LONGEST) -> str:
    """Return a paragraph as several of at most ``longest`` characters, as far as its sentences allow.

    >>> short_paragraphs("One sentence. Another one.", 20)
    'One sentence.\\n\\nAnother one.'
    """
    made = [""]
    for sentence in SENTENCE_END.split(text):
        joined = f"{made[-1]} {sentence}".strip()
        if len(joined) > longest and made[-1] and made[-1].count("(") == made[-1].count(")"):
            made.append(sentence)
        else:
            made[-1] = joined
    return "\n\n".join(made)


def on_page_content(html: str, **_: Any) -> str:
    """Turn empty table headings into ordinary cells: screen readers announce headings."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
