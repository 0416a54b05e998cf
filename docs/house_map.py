"""What the rooms weigh and what they import, counted from the code when the site is built.

docs/architecture.md says ``<!-- the map -->`` where the map of all rooms goes and ``<!-- lines of model metrics -->`` where a
number goes. Nothing counted is kept in the repository; ``python docs/house_map.py`` prints the map.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "caesura"
ROOMLESS = {"__init__", "__main__", "_version", "errors"}  # everybody has them
MAP = "<!-- the map -->"
IMPORT = re.compile(r"^ *(?:from|import) caesura(?:\.(\w+)[\w.]*)?(?: import ([^\n]*))?$", re.MULTILINE)
LINES = re.compile(r"<!-- lines of ([a-z ]+) -->")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return fill_in(markdown) if page.file.src_uri == "architecture.md" else markdown


def fill_in(markdown: str) -> str:
    """The page with the map and the numbers at the places that ask for them."""
    lines = room_lines() + Counter(all=room_lines().total())
    numbered = LINES.sub(lambda match: f"{sum(lines[room] for room in match[1].split()):,}", markdown)
    return numbered.replace(MAP, room_map())


def room_map() -> str:
    """One row per room, the highest first; beside it every room it imports, by how many statements."""
    lines, weights = room_lines(), import_counts()
    rows = ["| room | lines | imports, by number of statements |", "|---|---:|---|"]
    for room in room_order():
        below = sorted(
            ((number, target) for (source, target), number in weights.items() if source == room), reverse=True
        )
        imports = ", ".join(f"{target} {number}" for number, target in below)
        rows.append(f"| `{room}` | {lines[room]:,} | {imports or '–'} |")
    return "\n".join(rows)


def room_order() -> list[str]:
    """The rooms from the highest to the lowest, as the import linter holds them."""
    configuration = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = configuration.partition("\nlayers = [")[2].partition("\n]")[0]
    return [room for room in re.findall(r"\w+", layers) if room not in ROOMLESS]


@cache
def room_lines() -> Counter[str]:
    """Lines of Python in each room."""
    lines: Counter[str] = Counter()
    for file in SOURCE.rglob("*.py"):
        lines[room_of(file)] += len(file.read_text(encoding="utf-8").splitlines())
    return Counter({room: number for room, number in lines.items() if room not in ROOMLESS})


@cache
def import_counts() -> Counter[tuple[str, str]]:
    """How many statements of one room import from another, those inside functions included."""
    rooms, counts = room_lines().keys(), Counter[tuple[str, str]]()
    for file in SOURCE.rglob("*.py"):
        for inside, names in IMPORT.findall(file.read_text(encoding="utf-8")):
            targets = {inside} if inside else set(re.findall(r"\w+", names))
            counts.update((room_of(file), target) for target in targets & rooms if target != room_of(file))
    return Counter({arrow: number for arrow, number in counts.items() if arrow[0] in rooms})


def room_of(file: Path) -> str:
    """The room a file of the package lies in; a module of the root is its own."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


if __name__ == "__main__":
    print(room_map())
