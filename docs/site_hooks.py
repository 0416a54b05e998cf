"""Add the logo and CONTRIBUTING.md to the site, and make tables accessible."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
LOGO = ROOT / "packages/caesura/src/caesura/display/logo.svg"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def on_files(files: Files, *, config: Any) -> Files:
    """Add the logo, which reports and the workbench show too, and CONTRIBUTING.md with its links as seen from docs/."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    text = CONTRIBUTING.read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "contributing.md", content=text))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Turn empty table headings into ordinary cells: screen readers announce headings."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
