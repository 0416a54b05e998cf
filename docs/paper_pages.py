"""Write the tables and findings of ``caesura reproduce PAPER`` into the page on the paper: ``python docs/paper_pages.py fournier2013``.

The command's output stands between the lines ``BEGIN`` and ``END``; a test compares it with the command.
"""

from __future__ import annotations

import sys
from pathlib import Path

from caesura.papers import reproduce

BEGIN = "<!-- written by docs/paper_pages.py -->"
END = "<!-- end -->"


def page_of(paper: str) -> Path:
    """Return the file of the page on a paper."""
    return Path(__file__).with_name("papers") / f"{paper}.md"


def fill_in(page: str, output: str) -> str:
    """Return the page with this output between the two lines."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{output}\n{END}{after}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = page_of(name)
        file.write_text(fill_in(file.read_text("utf-8"), reproduce(name).markdown()), "utf-8")
