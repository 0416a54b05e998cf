"""The logo of the site is the one in the package, which reports and the workbench show as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LOGO = Path(__file__).parents[1] / "src/caesura/display/logo.svg"


def on_files(files: Files, *, config: Any) -> Files:
    """What mkdocs calls when it has listed the pages."""
    files.append(File.generated(config, "images/logo.svg", abs_src_path=str(LOGO)))
    return files
