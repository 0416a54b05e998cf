"""Add the logo, CONTRIBUTING.md and CHANGELOG.md to the site, and make tables accessible."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
LOGO = ROOT / "packages/caesura/src/caesura/display/logo.svg"
#: Files of the repository's root that are pages of the site.
PAGES = {"contributing.md": ROOT / "CONTRIBUTING.md", "changelog.md": ROOT / "CHANGELOG.md"}


def on_files(files: Files, *, config: Any) -> Files:
    """Add the logo, which reports and the workbench show too, and the files of PAGES with their links as seen from docs/."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    for uri, source in PAGES.items():
        text = source.read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Turn empty table headings into ordinary cells: screen readers announce headings."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
