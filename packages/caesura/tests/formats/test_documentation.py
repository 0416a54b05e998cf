"""The pages about formats match the registry. ``python tests/formats/test_documentation.py`` updates the table."""

import re
from pathlib import Path

import pytest

from caesura.formats.catalog import FORMATS, named_format
from caesura.formats.losses import FEATURES
from caesura.options import option_types

DOCS = Path(__file__).parents[4] / "docs"
OURS = [name for name in FORMATS if FORMATS.source(name) == "caesura"]  # other packages document their own
KINDS = {"units": "units", "time": "time", "nested": "nested", "spans": "spans", "spans in time": "spans in time"}
SAID = ["items", "coders", "tracks", "text", "types", "integer types", "type sets", "type order", "names", "attributes"]


def overview() -> str:
    lines = ["| format | | suffixes | kinds | carries |", "|---|---|---|---|---|"]
    for chosen in map(named_format, OURS):
        kinds = ", ".join(word for kind, word in KINDS.items() if kind in chosen.carries)
        held = "everything" if chosen.carries == set(FEATURES) else ", ".join(w for w in SAID if w in chosen.carries)
        both = hasattr(chosen.load(), "write")
        suffixes = " ".join(f"`{suffix}`" for suffix in chosen.suffixes)
        title = chosen.title + ("" if both else ", read only") + (f" (extra `{chosen.extra}`)" if chosen.extra else "")
        lines.append(
            f"| [`{chosen.name}`](formats/{chosen.name}.md) | {title} | {suffixes} | {kinds} | {held or '–'} |"
        )
    return "\n".join(lines)


def test_overview_matches_the_registry():
    assert overview() in (DOCS / "formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_every_format_has_a_page_with_its_options(name):
    page = (DOCS / "formats" / f"{name}.md").read_text(encoding="utf-8")
    module = named_format(name).load()
    for function in (module.read, getattr(module, "write", module.read)):
        for option in option_types(function):
            assert f"`{option}`" in page, f"{name}: {option}"
    for suffix in named_format(name).suffixes:
        assert suffix in page.lower(), f"{name}: {suffix}"


def test_links_between_pages_exist():
    for page in [DOCS / "formats.md", *(DOCS / "formats").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+\.md)", page.read_text(encoding="utf-8")):
            generated = "reference/" in target  # pages of the API are made when the site is built
            assert generated or (page.parent / target).exists(), f"{page.name} -> {target}"


if __name__ == "__main__":
    page = DOCS / "formats.md"
    text = page.read_text(encoding="utf-8")
    old = re.search(r"TABLE|\| format \|.*?\n\n", text, re.DOTALL)
    assert old is not None
    page.write_text(text.replace(old[0], overview() + ("\n\n" if old[0] != "TABLE" else "")), encoding="utf-8")
