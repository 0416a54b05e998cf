"""docs/architecture.md speaks of every room; the build counts what each weighs; no file is longer than a reader bears."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"


hook = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "house_map.py")))


def test_the_linter_and_the_page_know_every_room() -> None:
    text = PAGE.read_text(encoding="utf-8")
    explained = text[text.index("## Rooms, and what each may touch") : text.index("### The map")]
    assert sorted(hook.room_order()) == sorted(hook.room_lines())
    assert [room for room in hook.room_order() if not re.search(rf"`{room}(/|\.py)`", explained)] == []


def test_the_build_fills_in_the_map_and_the_numbers() -> None:
    assert "hooks: [docs/house_map.py," in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    page = hook.fill_in(PAGE.read_text(encoding="utf-8"))
    assert "<!--" not in page, "a place that nothing fills"
    lines = hook.room_lines()
    weights = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \| [^|]+ \|$", page, re.MULTILINE))
    assert weights == {room: f"{number:,}" for room, number in lines.items()}
    assert f"{lines['report'] + lines['drawings'] + lines['display']:,}" in page
    imports = {
        (room, target)
        for room, targets in re.findall(r"^\| `(\w+)` \| [\d,]+ \| ([^|]+) \|$", page, re.MULTILINE)
        for target in re.findall(r"(\w+) \d+", targets)
    }
    assert ("gold", "metrics") in imports
    assert imports == set(hook.import_counts())


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines())
        for file in hook.SOURCE.rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > 500} == {}
