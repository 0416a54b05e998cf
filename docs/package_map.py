"""Count lines and imports per layer of the three packages while the site is built.

docs/architecture.md has ``<!-- the map -->`` where the table of layers goes and ``<!-- lines of model metrics -->`` where a number goes.
``python docs/package_map.py`` prints the table.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PLUGINS = ("caesura_vowels", "caesura_workbench")
SOURCES = {
    package: ROOT / "packages" / package.replace("_", "-") / "src" / package for package in ("caesura", *PLUGINS)
}
#: Modules that every layer may import, or that are too small to list.
UNCOUNTED = {"__init__", "__main__", "_version", "errors"}
MAP = "<!-- the map -->"
LINES = re.compile(r"<!-- lines of ([a-z_ ]+) -->")
#: Groups: the package, the module below it, and the names after "import".
IMPORT = re.compile(r"^ *(?:from|import) (caesura\w*)(?:\.(\w+)[\w.]*)?(?: import ([^\n]*))?$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the architecture page (a hook of mkdocs)."""
    return fill_in(markdown) if page.file.src_uri == "architecture.md" else markdown


def fill_in(markdown: str) -> str:
    """Replace the markers by the table and by numbers of lines.

    A number may add up several layers; ``core`` stands for the whole package caesura and ``all`` for the three packages.
    """
    lines = layer_lines()
    core = sum(number for layer, number in lines.items() if layer not in PLUGINS)
    lines = lines + Counter(core=core, all=lines.total())
    numbered = LINES.sub(lambda match: f"{sum(lines[layer] for layer in match[1].split()):,}", markdown)
    return numbered.replace(MAP, layer_table())


def layer_table() -> str:
    """Return a Markdown table: one row per layer, the highest first, with the layers it imports by number of statements."""
    lines, counts = layer_lines(), import_counts()
    rows = ["| layer | lines | imports, by number of statements |", "|---|---:|---|"]
    for layer in layer_order():
        targets = sorted(((number, to) for (source, to), number in counts.items() if source == layer), reverse=True)
        imports = ", ".join(f"{to} {number}" for number, to in targets)
        rows.append(f"| `{layer}` | {lines[layer]:,} | {imports or '–'} |")
    return "\n".join(rows)


def layer_order() -> list[str]:
    """Return the layers from the highest to the lowest: the plug-ins, then the core in the order of import-linter."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in settings["contracts"] if contract.get("containers") == ["caesura"])
    return [*PLUGINS, *(name for name in re.findall(r"\w+", " ".join(layers)) if name not in UNCOUNTED)]


@cache
def layer_lines() -> Counter[str]:
    """Count the lines of Python in each layer."""
    lines: Counter[str] = Counter()
    for file in source_files():
        lines[layer_of(file)] += len(file.read_text(encoding="utf-8").splitlines())
    return Counter({layer: number for layer, number in lines.items() if layer not in UNCOUNTED})


@cache
def import_counts() -> Counter[tuple[str, str]]:
    """Count the statements, those inside functions included, with which one layer imports another."""
    layers, counts = layer_lines().keys(), Counter[tuple[str, str]]()
    for file in source_files():
        source = layer_of(file)
        for package, module, names in IMPORT.findall(file.read_text(encoding="utf-8")):
            if package in PLUGINS:
                targets = {package}
            else:
                targets = {module} if module else set(re.findall(r"\w+", names))
            counts.update((source, target) for target in targets & layers if target != source and source in layers)
    return counts


def source_files() -> list[Path]:
    """Return every Python file of the three packages."""
    return [file for folder in SOURCES.values() for file in sorted(folder.rglob("*.py"))]


def layer_of(file: Path) -> str:
    """Return the layer of a file: the folder or module of the core that it is in, or the plug-in.

    >>> layer_of(SOURCES["caesura"] / "metrics" / "windows.py"), layer_of(SOURCES["caesura_vowels"] / "models.py")
    ('metrics', 'caesura_vowels')
    """
    package = next(name for name, folder in SOURCES.items() if file.is_relative_to(folder))
    return package if package in PLUGINS else file.relative_to(SOURCES[package]).parts[0].removesuffix(".py")


if __name__ == "__main__":
    print(layer_table())
