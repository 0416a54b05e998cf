"""Write the pages on papers: ``python docs/paper_pages.py [PAPER …]`` runs ``caesura reproduce PAPER --page`` and updates the summary.

A page is what the command prints. The summary in ``papers/index.md`` counts the statuses in the pages; tests compare both.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from caesura.papers import citation, reproduce, save_figures
from caesura.papers.reproduction import STATUSES

FOLDER = Path(__file__).with_name("papers")

#: The papers whose pages are written by the command, in the order of the summary.
PAPERS = ("fournier2013", "lai2023", "diaz2022", "rasanen2009", "carbone2004", "gal2002")

_INTRODUCTION = """# Papers

Every paper that Caesura builds on, number by number: what is printed, what comes out, and why if the two differ. Each page is the output of `caesura reproduce PAPER --page`.

*Equal*: the computed number rounds to the printed one. *Explained*: it differs, and the page says why. *Not explained*: it differs, and the page says what was tried. *Authors' error*: it differs, and the error is in the paper or its program. *Not public*: the data
were never published.

"""


def summary() -> str:
    """Return the page with the table over all papers, counted from their pages."""
    rows = [f"| paper | printed numbers | {' | '.join(STATUSES)} |", f"|---|{'---:|' * (1 + len(STATUSES))}"]
    for paper in PAPERS:
        cells = re.findall(r"\| ([^|]*) \|[^|]*\|$", (FOLDER / f"{paper}.md").read_text("utf-8"), re.MULTILINE)
        counts = [cells.count(status) for status in STATUSES]
        title = (FOLDER / f"{paper}.md").read_text("utf-8").splitlines()[0].removeprefix("# ")
        rows.append(f"| [{title}]({paper}.md) | {sum(counts)} | {' | '.join(map(str, counts))} |")
    return (
        _INTRODUCTION
        + "\n".join(rows)
        + "\n\nTables of segmenters by several authors are on [a page of their own](segmenters.md).\n"
    )


def write(paper: str) -> None:
    """Write the page of a paper and its figures."""
    result = reproduce(paper)
    save_figures(result, FOLDER, ("svg",))
    (FOLDER / f"{paper}.md").write_text(result.page(), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAPERS:
        print(citation(name))
        write(name)
    (FOLDER / "index.md").write_text(summary(), "utf-8")
