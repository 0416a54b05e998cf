"""The pages can be written as plain Markdown for another generator."""

from __future__ import annotations

import runpy
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_pages_are_complete_without_hooks(tmp_path: Path) -> None:
    stage = runpy.run_path(str(ROOT / "docs" / "stage.py"))["stage"]
    wanted = ["changelog.md", "cite.md", "gallery.md", "how-to/index.md", "reference/index.md"]
    assert stage(tmp_path, wanted) == wanted
    for name in wanted:
        assert "\n<!-- " not in (tmp_path / "docs" / name).read_text(encoding="utf-8"), name
    assert (tmp_path / "docs" / "gallery" / "edits.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "::: caesura.agree" in (tmp_path / "docs" / "reference" / "caesura.agree.md").read_text(encoding="utf-8")
    settings = yaml.safe_load((tmp_path / "mkdocs.yml").read_text(encoding="utf-8"))
    assert "hooks" not in settings
    assert "how-to/export-gold.md" in str(settings["nav"])


def test_gallery_has_every_drawing() -> None:
    from caesura.drawings.catalog import DRAWINGS

    assert set(runpy.run_path(str(ROOT / "docs" / "gallery.py"))["EXAMPLES"]) == set(DRAWINGS)
