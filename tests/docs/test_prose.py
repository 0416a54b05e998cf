"""The pages keep to the style page: short paragraphs, plain words."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from prose import RULES, findings

ROOT = Path(__file__).parents[2]
#: Pages that commands write, and the page that quotes what to avoid.
EXEMPT = {"docs/papers", "docs/style.md"}
PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not any((ROOT / name) in (page, *page.parents) for name in EXEMPT)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_is_plain(page: Path) -> None:
    found = [f"line {line}: {message}" for line, message in findings(page.read_text(encoding="utf-8"))]
    assert found == [], f"{page.relative_to(ROOT)}; docs/style.md explains the rules"


def test_help_of_commands_is_plain() -> None:
    modules = runpy.run_path(str(ROOT / "docs" / "command_pages.py"))
    found = []
    for name, (_, command) in modules["commands"]().items():
        helps = [getattr(parameter, "help", None) for parameter in command.params]
        for text in filter(None, [command.help, *helps]):
            found += [f"{name}: {finding.message}" for finding in findings(str(text), longest=1000)]
    assert found == []


def test_findings() -> None:
    assert list(findings("A short paragraph.\n\n" + "    the code block of whoever\n")) == []
    assert [line for line, _ in findings("Fine.\n\n" + 80 * "word, ")] == [3]
    assert [message for _, message in findings("Read the the page in order to learn.")] == [
        '"in order to": write to',
        '"the the": write the word once',
    ]
    assert [message for _, message in findings("The marks in hand are saved at once.")] == [
        '"at once": write immediately, together, or at the same time',
        '"in hand": write selected, current',
    ]
    assert len(RULES) >= 28
