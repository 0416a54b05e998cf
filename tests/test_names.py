"""Names say what they hold or do: no function is called by a bare participle, no local ``found`` or ``one``, no two files alike."""

from __future__ import annotations

import ast
import gc
from pathlib import Path

import pytest

import caesura

SOURCE = Path(caesura.__file__).parent
#: Words that tell nothing about a value.
EMPTY = {"found", "made", "said", "told", "one", "two"}
#: Participles without -ed.
IRREGULAR = {"told", "made", "said", "found", "drawn", "grown", "written", "shown", "given", "taken", "known", "seen"}
#: Verbs and nouns that only end like a participle.
ENDINGS = {"feed", "seed", "speed"}
#: Public names, which stay: a result's sentence (``unmeasured``), a value in another order or notation (``text.marked(cuts)``), a twin of a loop.
ALLOWED = {"unmeasured", "renumbered", "reversed", "marked", "shared", "compiled"}
#: Files that every room may have.
EVERYWHERE = {"__init__.py", "catalog.py"}
#: One thing in several rooms: spans as data, measured, in a file and drawn; a command and its drawing; chunks from a file and from a
#: library; the tour and the stop that vowels adds to it.
SHARED = {
    "chunks.py": ["formats", "segmenters/text"],
    "plane.py": ["cli", "drawings"],
    "spans.py": ["drawings", "formats", "metrics", "model"],
    "tour.py": ["report", "vowels"],
}


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    files = sorted(SOURCE.rglob("*.py"))
    gc.disable()  # what other tests left may parse in order to show itself when it goes, and CPython 3.11 parses one thing at a time
    try:
        return {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    finally:
        gc.enable()


def is_participle(name: str) -> bool:
    word = name.strip("_")
    return word not in ENDINGS | ALLOWED and (word in IRREGULAR or (word.endswith("ed") and "_" not in word))


def test_no_function_is_named_by_a_bare_participle(trees: dict[str, ast.Module]) -> None:
    """Properties may: ``corpus.typed`` is true or false of it."""
    named = [
        f"{file}: {node.name}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and is_participle(node.name)
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert named == ["model/segmentation.py: _trusted"], "(which makes what is trusted without a check)"


def test_no_local_argument_or_field_is_named_by_an_empty_word(trees: dict[str, ast.Module]) -> None:
    named = [
        f"{file}:{node.lineno} {ast.unparse(node)}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY)
        or (isinstance(node, ast.arg) and node.arg in EMPTY)
    ]
    assert named == []


def test_a_file_name_stands_for_one_thing(trees: dict[str, ast.Module]) -> None:
    """Who knows the name of a thing knows its file; loops (kernels/) are called as what calls them."""
    places: dict[str, list[str]] = {}
    for file in trees:
        room, _, name = file.rpartition("/")
        if name not in EVERYWHERE and not room.endswith("kernels"):
            places.setdefault(name, []).append(room)
    assert {name: rooms for name, rooms in places.items() if len(rooms) > 1} == SHARED
