"""The site counts lines and imports per layer; no source file is longer than 1,000 lines."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 1000

package_map = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "package_map.py")))


def test_import_linter_lists_every_layer() -> None:
    assert sorted(package_map.layer_order()) == sorted(package_map.layer_lines())


def test_markers_are_replaced_by_table_and_numbers() -> None:
    lines = package_map.layer_lines()
    page = package_map.fill_in("<!-- the map -->\n\n<!-- lines of report drawings --> <!-- lines of all -->")
    assert "<!--" not in page
    table = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \| [^|]+ \|$", page, re.MULTILINE))
    assert table == {layer: f"{number:,}" for layer, number in lines.items()}
    assert page.endswith(f"\n{lines['report'] + lines['drawings']:,} {lines.total():,}")


def test_table_shows_imports_of_every_package() -> None:
    imports = {
        (layer, target)
        for layer, targets in re.findall(
            r"^\| `(\w+)` \| [\d,]+ \| ([^|]+) \|$", package_map.layer_table(), re.MULTILINE
        )
        for target in re.findall(r"(\w+) \d+", targets)
    }
    assert imports == set(package_map.import_counts())
    assert {("gold", "metrics"), ("caesura_vowels", "metrics"), ("caesura_workbench", "formats")} <= imports
    assert not [arrow for arrow in imports if arrow[1] in package_map.PLUGINS]


def test_no_source_file_is_longer_than_the_limit() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines())
        for file in package_map.source_files()
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_architecture_page_has_no_marker_left() -> None:
    page = package_map.fill_in((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert "<!--" not in page
