"""Add the logo, CONTRIBUTING.md, CHANGELOG.md and the example files to the site, and make tables accessible."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape
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
SENTENCE_END = re.compile(r"(?<=[a-zé0-9)\]`*%][.?!]) (?=[A-Z(`*])")


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
    """Turn empty table headings into ordinary cells, because screen readers announce headings, and let long commands wrap."""
    html = re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
    return re.sub(
        r"(?<=<pre><span></span><code>).*?(?=</code></pre>)",
        lambda match: wrapped_commands(match[0]),
        html,
        flags=re.DOTALL,
    )


#: A line of output with more characters than this, and no columns, is a sentence.
COLUMNS = 80


def wrapped_commands(code: str) -> str:
    """Mark the commands and the sentences of a session, so that the style sheet can wrap them; tables and drawings keep their lines.

    >>> wrapped_commands('<span class="gp">$ </span>caesura<span class="w"> </span>demo\\n<span class="go">a  b</span>')
    '<span class="wraps"><span class="gp">$ </span><span>caesura</span><span class="w"> </span><span>demo</span></span>\\n<span class="go">a  b</span>'
    >>> wrapped_commands('<span class="gp">&gt;&gt;&gt; </span>cs.demo()')
    '<span class="gp">&gt;&gt;&gt; </span>cs.demo()'
    """
    session = '<span class="gp">$ ' in code
    if not session and not code.startswith("caesura"):
        return code
    return "\n".join(wrapped(line) if wraps(line, session) else line for line in code.split("\n"))


def wraps(line: str, session: bool) -> bool:
    """Whether a line of a session, or of a block of commands without prompts, is a command or a sentence."""
    text = unescape(re.sub(r"<[^>]*>", "", line))
    sentence = len(text) > COLUMNS and "  " not in text
    return bool(text) and balanced(line) and (text.startswith("$ ") or not session or sentence)


def wrapped(line: str) -> str:
    """Return a line whose words are elements, so that no option is divided at its hyphens."""
    parts = re.split(r'(<span class="(?:w|gp)">[^<]*</span>)', line)
    words = [f"<span>{part}</span>" if i % 2 == 0 and part and balanced(part) else part for i, part in enumerate(parts)]
    return f'<span class="wraps">{"".join(words) if len(words) > 1 else line}</span>'


def balanced(html: str) -> bool:
    """Whether every element of a piece of code begins and ends in it."""
    return html.count("<span") == html.count("</span")
