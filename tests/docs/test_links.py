"""Links: those of the README lead to files and headings, external ones have the shape of an address. mkdocs checks the links between pages."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")


def links(page: Path) -> list[str]:
    """Return the targets of the links of a page, without those in code."""
    text = re.sub(r"^(```+|~~~+).*?^\1|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [match["target"] for match in LINK.finditer(text)]


def faults(address: str) -> str:
    """Say what is wrong with the shape of an external address.

    >>> faults("https://docs.python.org/3/"), faults("http://localhost:8000/")
    ('', 'not https')
    """
    parts = urlsplit(address)
    if parts.scheme not in ("https", "mailto"):
        return "not https"
    if parts.scheme == "https" and not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc):
        return "not the name of a public host"
    return "ends with punctuation" if address[-1] in ".,;:" else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_external_links_have_the_shape_of_addresses(page: Path) -> None:
    wrong = {link: faults(link) for link in links(page) if ":" in link.partition("/")[0]}
    assert {link: fault for link, fault in wrong.items() if fault} == {}


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_files_and_headings_exist(page: Path) -> None:
    for link in links(page):
        if ":" in link.partition("/")[0]:
            continue
        path, _, anchor = link.partition("#")
        target = ROOT / path if path else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
            assert anchor in slugs, link


def test_faults() -> None:
    assert faults("https://example.org/a.") == "ends with punctuation"
    assert faults("http://example.org") == "not https"
    assert faults("https://localhost") == "not the name of a public host"
    assert faults("https://doi.org/10.21105/joss.02989") == ""
