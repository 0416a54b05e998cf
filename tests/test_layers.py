"""Imports by name: strings such as ``"caesura.metrics.windows:Windows"`` follow the same layers as import statements.

import-linter checks import statements only.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "packages/caesura/src/caesura"
LOCATION = re.compile(r"caesura(?:_vowels|_workbench)?(?:\.\w+)+(?::\w+)?|caesura_(?:vowels|workbench)")


def layer_numbers() -> dict[str, int]:
    """The position of every module of the core in the layers of pyproject.toml, counted from the top."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each.get("containers") == ["caesura"])
    return {name: number for number, layer in enumerate(layers) for name in re.findall(r"\w+", layer)}


def locations(tree: ast.Module) -> Iterator[str]:
    """Strings that are the location of a module or an object, and literal beginnings of such f-strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            value = node.value.rstrip(".:")
            if LOCATION.fullmatch(value):
                yield value


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_locations_in_strings_point_to_lower_layers(file: Path) -> None:
    layers = layer_numbers()
    own = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    for location in locations(ast.parse(file.read_text(encoding="utf-8"))):
        package, _, rest = location.partition(":")[0].partition(".")
        assert package == "caesura", f"the core names {location}"
        target = rest.partition(".")[0]
        if own in layers and target in layers and target != own:
            assert layers[target] > layers[own], f"{own} loads {location}, which is in a higher layer"


def test_the_check_sees_upward_and_foreign_locations() -> None:
    tree = ast.parse(
        "a = 'caesura.drawings.catalog:draw'; b = f'caesura.formats.{name}'; c = 'caesura_vowels.tour:visit'; d = 'caesura'"
    )
    assert sorted(locations(tree)) == ["caesura.drawings.catalog:draw", "caesura.formats", "caesura_vowels.tour:visit"]
