"""Add the logo, CONTRIBUTING.md, CHANGELOG.md and the example files to the site, and make tables accessible."""

from __future__ import annotations

import io
import re
import zipfile
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
    files.append(File.generated(config, "examples.zip", content=example_files()))
    for uri, source in PAGES.items():
        text = source.read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, uri, content=text))
    return files


def example_files() -> bytes:
    """Return an archive of examples/data, on which the commands of the pages run."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((ROOT / "examples" / "data").rglob("*")):
            if file.is_file():
                entry = zipfile.ZipInfo(file.relative_to(ROOT).as_posix(), (2026, 1, 1, 0, 0, 0))
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def on_page_content(html: str, **_: Any) -> str:
    """Turn empty table headings into ordinary cells: screen readers announce headings."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
