"""Names say what they hold or do: no function is called by a bare participle, no local ``found``, ``made``, ``one`` or ``two``."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import caesura

ROOMS = [
    "agreement",
    "bench",
    "cli",
    "compat",
    "display",
    "drawings",
    "formats",
    "gold",
    "kernels",
    "metrics",
    "model",
    "papers",
    "report",
    "samples",
    "segmenters",
    "statistics",
]
#: Words that tell nothing about a value.
EMPTY = {"found", "made", "said", "told", "one", "two"}
#: Participles without -ed.
IRREGULAR = {"told", "made", "said", "found", "drawn", "grown", "written", "shown", "given", "taken", "known", "seen"}
#: What only ends like a participle, and what is public: results' sentences, values in another order or notation, a twin of a loop.
ALLOWED = {"seed", "speed", "unmeasured", "renumbered", "reversed", "marked", "shared", "compiled"}


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    source = Path(caesura.__file__).parent
    return {
        str(file.relative_to(source)): ast.parse(file.read_text(encoding="utf-8"))
        for room in ROOMS
        for file in sorted((source / room).rglob("*.py"))
    }


def is_participle(name: str) -> bool:
    word = name.strip("_")
    return word not in ALLOWED and (word in IRREGULAR or (word.endswith("ed") and "_" not in word))


def test_no_function_is_named_by_a_bare_participle(trees: dict[str, ast.Module]) -> None:
    """Properties may: ``corpus.typed`` is true or false of it."""
    named = [
        f"{file}: {node.name}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and is_participle(node.name)
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert named == ["model/segmentation.py: _trusted"], "(which makes what is trusted without a check)"


def test_no_local_and_no_field_is_named_by_an_empty_word(trees: dict[str, ast.Module]) -> None:
    named = [
        f"{file}:{node.lineno} {node.id}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY
    ]
    assert named == []
