"""Pages, messages and the interface keep to the style page: short paragraphs, plain words."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
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


def test_changelog_is_in_order() -> None:
    """Rebased branches easily leave entries twice, and empty sections."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line]
    entries = Counter(line[:60] for line in lines if line.startswith("- "))
    assert [entry for entry, times in entries.items() if times > 1] == []
    assert [line for line, following in pairwise([*lines, "# "]) if line[:3] == following[:3] == "###"] == []
    versions = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    for version in versions:
        headings = re.findall(r"^### .*", version, re.MULTILINE)
        assert len(headings) == len(set(headings)), version.splitlines()[0]


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


def test_messages_and_interface_are_plain() -> None:
    """Messages of the packages, and the texts of the workbench's pages, which are the keys of its translations."""
    found = []
    for path in sorted(ROOT.glob("packages/*/src/**/*.py")):
        for line, text in messages(ast.parse(path.read_text(encoding="utf-8"))):
            found += [f"{path.name}, line {line}: {each}" for each in phrases(text)]
    locale = ROOT / "packages/caesura-workbench/src/caesura_workbench/locales/de.json"
    for text in json.loads(locale.read_text(encoding="utf-8")):
        found += [f"{text}: {each}" for each in phrases(text)]
    assert found == []


def messages(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module that have three words or more, without docstrings; {} stands for a value."""
    skipped = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in ast.walk(node)}
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            text = node.value
        else:
            continue
        if len(text.split()) >= 3:
            yield node.lineno, text


def phrases(text: str) -> Iterator[str]:
    """Yield the phrases of a text to avoid, with what to write instead; "in the reading of Ḥafṣ" is a term."""
    for pattern, better in RULES.items():
        for match in re.finditer(pattern, re.sub(r"`[^`]*`|in the reading of", "", text), re.IGNORECASE):
            yield f'"{match[0]}": write {better}'
