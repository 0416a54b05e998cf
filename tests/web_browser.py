"""A real browser for the tests: Debian's Chromium, driven by Playwright, and pictures of what it shows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["CHROMIUM", "FLAGS", "picture"]

CHROMIUM = Path("/usr/bin/chromium")
PICTURES = Path(os.environ.get("CAESURA_ARTIFACTS", Path(__file__).parents[1] / "artifacts")) / "screenshots"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def picture(page: Any, name: str) -> None:
    """Keep a picture of the whole page among the artefacts."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
