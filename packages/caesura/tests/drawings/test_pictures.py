"""The pictures of README and documentation are what the commands beside them draw today."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from cli.command import caesura

FOLDER = Path(__file__).parents[4] / "docs" / "pictures"

#: File -> the command that draws it, without --svg. CAESURA_GOLDEN=write draws them anew.
PICTURES = {
    "comparison.svg": "show sample:kubla -c manual -c 'near miss' -c 'false positive' -w 72",
    "dialogue.svg": "show sample:dialogue -w 80",
    "hebrew.svg": "show sample:scripts -i hebrew -w 80",
    "phones.svg": "show sample:phones -w 96",
    "stargazer.svg": "show sample:stargazer -w 80",
    "density.svg": "show sample:stargazer -w 80 -d density",
    "matrix.svg": "show sample:stargazer -w 80 -d matrix --draw-option metric=B",
    "strip.svg": "show sample:scripts -w 80 -d strip --draw-option metric=B",
    "edits.svg": "compare sample:kubla --coders 'manual,near miss' -w 72 -d edits",
    "regions.svg": "compare sample:phones --coders ann,aligner -w 96 -d regions",
    "plane.svg": "show sample:phones -w 80 -d plane --draw-option tolerance=0.01",
    "nested.svg": "show sample:walk -w 80",
    "operations.svg": "compare sample:dialogue -w 80 -d operations",
    "alignment.svg": "show sample:stargazer -c 'coder 1' -c 'coder 7' -w 80 -d alignment",
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_up_to_date(name: str, tmp_path: Path) -> None:
    drawn = tmp_path / name
    done = caesura(*shlex.split(PICTURES[name]), "--svg", drawn)
    assert done.returncode == 0, done.stderr
    if os.environ.get("CAESURA_GOLDEN") == "write":
        (FOLDER / name).write_text(drawn.read_text("utf-8"), encoding="utf-8")
    assert drawn.read_text("utf-8") == (FOLDER / name).read_text("utf-8")


def test_every_picture_is_known() -> None:
    assert {file.name for file in FOLDER.glob("*.svg")} >= set(PICTURES)


def test_the_page_lists_every_drawing() -> None:
    from caesura.drawings.catalog import DRAWINGS

    page = (FOLDER.parent / "drawings.md").read_text("utf-8")
    for name in DRAWINGS:
        assert f"| `{name}` |" in page
    for name in PICTURES:
        assert f"pictures/{name}" in page or f"docs/pictures/{name}" in page
