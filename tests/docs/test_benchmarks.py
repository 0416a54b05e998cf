"""The summary at the top of docs/benchmarks.md repeats numbers of the sections that it links."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = runpy.run_path(str(ROOT / "docs" / "benchmark_pages.py"))
SUMMARY = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").partition("\n## ")[0]


def test_summary_repeats_its_sections() -> None:
    rows = re.findall(r"^\| ([^|]+)\|([^|]+)\|([^|]*)\| \[[^]]+\]\(#([\w-]+)\) \|$", SUMMARY, re.MULTILINE)
    assert len(rows) >= 10
    wrong = {}
    for task, *cells, anchor in rows:
        text = section(anchor)
        numbers = [number for cell in cells for number in re.findall(r"\d+(?:\.\d+)?", cell)]
        if missing := [number for number in numbers if not stands_in(number, text)]:
            wrong[task.strip()] = missing
    assert wrong == {}, "docs/benchmarks.md, first table: bring it up to date with the section"


def section(anchor: str) -> str:
    """Return the text of the section of second level that has a heading."""
    return next(
        section.text for name, section in PAGES["sections"]().items() if anchor == name or anchor in section.headings
    )


def stands_in(number: str, text: str) -> bool:
    """Whether a text has a number, or its seconds as milliseconds.

    >>> stands_in("0.0083", "in 8.3 ms"), stands_in("0.41", "10.41 s")
    (True, False)
    """
    thousandfold = f"{float(number) * 1000:.4g}"
    return bool(
        re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", text)
        or re.search(rf"(?<![\d.]){re.escape(thousandfold)}(?![\d.]*\d)[^|]* ms", text)
    )
