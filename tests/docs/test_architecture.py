"""The map of docs/architecture.md is that of the code. ``python tests/docs/test_architecture.py`` draws it anew."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "caesura"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- the map: python tests/docs/test_architecture.py -->", "<!-- end of the map -->"
ROOTLESS = {"__init__", "__main__", "_version", "errors"}  # everybody has them


def room_of(path: Path) -> str:
    inside = path.relative_to(SOURCE).parts
    return inside[0].removesuffix(".py")


def sizes() -> Counter[str]:
    """Lines of each room."""
    lines: Counter[str] = Counter()
    for file in SOURCE.rglob("*.py"):
        lines[room_of(file)] += len(file.read_text(encoding="utf-8").splitlines())
    return Counter({room: number for room, number in lines.items() if room not in ROOTLESS})


def arrows() -> Counter[tuple[str, str]]:
    """How many statements of one room import from another, those inside functions included."""
    rooms, counts = sizes().keys(), Counter[tuple[str, str]]()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("caesura"):
                inside = node.module.split(".")[1:]
                targets = {inside[0]} if inside else {alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                targets = {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("caesura.")}
            else:
                continue
            counts.update((room_of(file), target) for target in targets & rooms if target != room_of(file))
    return Counter({arrow: number for arrow, number in counts.items() if arrow[0] not in ROOTLESS})


def drawn_map() -> str:
    """One row per room, the highest first; beside every room it imports, by how many statements."""
    lines, weights = sizes(), arrows()
    layers = re.search(
        r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    order = [room for room in re.findall(r"\w+", layers[1]) if room in lines] if layers else []
    rows = ["| room | lines | imports, by number of statements |", "|---|---:|---|"]
    for room in [*order, *sorted(lines.keys() - set(order))]:
        below = sorted(((number, other) for (one, other), number in weights.items() if one == room), reverse=True)
        rows.append(
            f"| `{room}` | {lines[room]:,} | {', '.join(f'{other} {number}' for number, other in below) or '–'} |"
        )
    return "\n".join(rows)


def test_the_map_has_every_room_and_every_arrow() -> None:
    """Weights may lag behind; a room or an arrow that is missing may not."""
    page = PAGE.read_text(encoding="utf-8")
    shown = dict(
        re.findall(r"^\| `(\w+)` \| [\d,]+ \| (.*) \|$", page[page.index(BEGIN) : page.index(END)], re.MULTILINE)
    )
    assert sorted(shown) == sorted(sizes())
    listed = {(room, other) for room, others in shown.items() for other in re.findall(r"(\w+) \d+", others)}
    assert arrows().keys() - listed == set(), "draw the map anew: python tests/docs/test_architecture.py"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        text[: text.index(BEGIN)] + f"{BEGIN}\n\n{drawn_map()}\n\n{text[text.index(END) :]}", encoding="utf-8"
    )
