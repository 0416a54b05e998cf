"""Divide docs/benchmarks.md into a page per section while the site is built; on the site it becomes the list of these pages.

The file itself stays in one piece: benchmarks add their tables to it. Links to its headings lead to the pages.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from markdown.extensions.toc import slugify

from generated_pages import add_to_navigation, add_to_site

URI = "benchmarks.md"
SOURCE = Path(__file__).with_name(URI)
#: A block of code, or a heading with its anchor, if it names one.
CODE_OR_HEADING = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)|^(?P<level>##+) (?P<title>.+?)(?: \{: #(?P<anchor>[\w-]+) \})?$",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"\]\((?P<path>[^()\s:#]*)(?P<anchor>#[\w-]+)?\)")


class Section(NamedTuple):
    """A section of second level: its title, the anchors and titles of its headings, and its text without its own heading."""

    title: str
    headings: dict[str, str]
    text: str


def on_config(config: Any) -> Any:
    """Add the pages to the navigation (a hook of mkdocs)."""
    return add_to_navigation(config, URI, [{section.title: page_uri(name)} for name, section in sections().items()])


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pages (a hook of mkdocs)."""
    return add_to_site(files, config, {page_uri(name): page(name) for name in sections()})


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace benchmarks.md by the list of its sections, and lead links to its headings to their pages (a hook of mkdocs)."""
    uri = page.file.src_uri
    if uri == URI:
        return overview(markdown)
    return markdown if uri.startswith("benchmarks/") else redirected(markdown, "../" * uri.count("/"))


@cache
def sections() -> dict[str, Section]:
    """Return the sections of benchmarks.md by the names of their pages.

    >>> sections()["vowels"].title, "calibration" in sections()["vowels"].headings
    ('Vowels', True)
    """
    markdown = SOURCE.read_text(encoding="utf-8")
    found = [match for match in CODE_OR_HEADING.finditer(markdown) if match["level"]]
    begins = [number for number, match in enumerate(found) if match["level"] == "##"]
    made = {}
    for first, last in zip(begins, [*begins[1:], len(found)], strict=True):
        end = found[last].start() if last < len(found) else len(markdown)
        own, *inner = found[first:last]
        headings = {_anchor(match): match["title"] for match in inner}
        made[_anchor(own)] = Section(own["title"], headings, markdown[own.end() : end].strip())
    return made


def page(name: str) -> str:
    """Return the page of a section as Markdown: its headings one level higher, its links as seen from its folder.

    >>> page("vowels").splitlines()[0]
    '# Benchmarks: vowels'
    """
    section = sections()[name]

    def moved(match: re.Match[str]) -> str:
        path, anchor = match["path"], match["anchor"] or ""
        if path:
            return f"](../{path}{anchor})"
        return f"](../{address(anchor[1:])})" if anchor[1:] not in section.headings else match[0]

    text = CODE_OR_HEADING.sub(lambda match: match[0][1:] if match["level"] else match[0], section.text)
    return f"# Benchmarks: {section.title[0].lower()}{section.title[1:]}\n\n{LINK.sub(moved, text)}\n"


def overview(markdown: str) -> str:
    """Return the beginning of benchmarks.md with a table of its sections and the scripts that measure them."""
    rows = [
        f"| [{section.title}]({page_uri(name)}) | {_scripts(section.text)} |" for name, section in sections().items()
    ]
    top = re.sub(r"\]\(#([\w-]+)\)", lambda match: f"]({address(match[1])})", markdown.partition("\n## ")[0].strip())
    return "\n".join([top, "", "## All measurements", "", "| measured | script |", "|---|---|", *rows, ""])


def redirected(markdown: str, up: str = "") -> str:
    """Return a page whose links to headings of benchmarks.md lead to the pages of the sections.

    >>> redirected("See [there](../benchmarks.md#calibration), [all](../benchmarks.md).", "../")
    'See [there](../benchmarks/vowels.md#calibration), [all](../benchmarks.md).'
    """
    link = re.compile(rf"\]\({re.escape(up + URI)}#([\w-]+)\)")
    return link.sub(lambda match: f"]({up}{address(match[1])})", markdown)


def address(anchor: str) -> str:
    """Return the page of a heading, with the heading unless it is the page's own; an unknown one stays, so that mkdocs reports it.

    >>> address("vowels"), address("calibration"), address("nothing")
    ('benchmarks/vowels.md', 'benchmarks/vowels.md#calibration', 'benchmarks.md#nothing')
    """
    if anchor in sections():
        return page_uri(anchor)
    for name, section in sections().items():
        if anchor in section.headings:
            return f"{page_uri(name)}#{anchor}"
    return f"{URI}#{anchor}"


def page_uri(name: str) -> str:
    """Return where the page of a section is, relative to docs/."""
    return f"benchmarks/{name}.md"


def _anchor(match: re.Match[str]) -> str:
    return match["anchor"] or slugify(match["title"], "-")


def _scripts(text: str) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(re.findall(r"benchmarks/(\w+\.py)", text)))
