"""What every page of the site has: the logo of the package, which reports and the workbench show as well, and no heading without words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LOGO = Path(__file__).parents[1] / "src/caesura/display/logo.svg"


def on_files(files: Files, *, config: Any) -> Files:
    """What mkdocs calls when it has listed the pages."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """An empty corner of a table is no heading, which those who listen to a page would look for."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
