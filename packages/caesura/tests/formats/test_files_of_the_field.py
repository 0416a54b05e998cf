"""Real files of other programs, stored outside the repository: read, written and read again, counted for the table in docs/formats.md.

``python tests/formats/test_files_of_the_field.py FOLDER`` renews the table.
"""

from __future__ import annotations

import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import pytest

import caesura as cs
from caesura.files import Source
from caesura.formats.catalog import detect
from shared_data import shared

DOCS = Path(__file__).parents[4] / "docs" / "formats.md"
HEAD = "| files | tried | read | equal after a round trip | refused, and why |\n|---|--:|--:|--:|---|\n"
#: Folders of one row of the table, and why some of their files are refused.
ROWS = {
    "TextGrids (Praat, MFA, praatIO, rPraat, crowsetta …)": (["textgrid"], "six that Praat refuses, too"),
    "Praat Collections": (["collection"], ""),
    "ELAN": (["eaf"], ""),
    "CHAT": (["cha"], ""),
    "WebVTT, SRT": (["vtt", "srt"], "text where a subtitle should begin"),
    "Whisper": (["whisper"], ""),
    "Transcriber, EXMARaLDA": (["trs", "exb"], "a template without times"),
    "HTK and MIR labels (`.lab`, `.mlf`)": (["lab", "mlf"], "plain text, or labels without times"),
    "TIMIT (`.phn`, `.wrd`)": (["phn", "wrd"], ""),
    "CTM": (["ctm"], ""),
    "RTTM": (["rttm"], ""),
    "tables (segeval, pygamma, inaSpeechSegmenter)": (["segeval", "spancsv", "inacsv"], ""),
    "Choi, manifesto": (["ref", "manifesto"], "other programs' `.ref`"),
    "CoNLL-U, `.tok`": (["conllu", "tok"], "no discourse segments: `segments=sentences`"),
    "Label Studio, doccano": (["ls", "doccano"], "a task without text"),
    "brat, UIMA CAS": (["ann", "xmi"], "here without the text or the type system that belongs to them"),
}


def outcome(path: Path) -> str:
    """Read a file, write it in its format and read it again; return "refused", "read" or "equal"."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            corpus = cs.read(path)
        except cs.FormatError as fault:
            return "refused" if fault.path is not None and str(fault).isprintable() else f"refused badly: {fault}"
        name = detect(Source.open(path)).name
        cs.write(corpus, Path(folder) / path.name, name)
        return "equal" if cs.read(Path(folder) / path.name, name) == corpus else "read"


def counts(folder: Path) -> dict[str, Counter[str]]:
    """Count the outcomes of every folder of files."""
    return {
        kind: Counter(outcome(path) for path in sorted((folder / kind).iterdir()))
        for folders, _ in ROWS.values()
        for kind in folders
    }


def table(counted: dict[str, Counter[str]]) -> str:
    """Return the table for the documentation."""
    lines = []
    for title, (folders, why) in ROWS.items():
        whole: Counter[str] = sum((counted[kind] for kind in folders), Counter())
        read = whole["read"] + whole["equal"]
        lines.append(f"| {title} | {whole.total()} | {read} | {whole['equal']} | {why} |\n")
    return HEAD + "".join(lines)


def test_real_files_match_the_table() -> None:
    counted = counts(shared("data/real_files"))
    assert set().union(*counted.values()) == {"equal", "refused"}  # what is read comes back equal
    assert table(counted) in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(("folders", "why"), ROWS.values(), ids=list(ROWS))
def test_refused_files_have_a_reason_in_the_table(folders: list[str], why: str) -> None:
    row = next(
        line for line in DOCS.read_text(encoding="utf-8").split("\n") if line.startswith(f"| {_title(folders)} |")
    )
    tried, read = map(int, re.findall(r"\| (\d+) \| (\d+) \|", row)[0])
    assert (read < tried) is bool(why)


def _title(folders: list[str]) -> str:
    return next(title for title, (kinds, _) in ROWS.items() if kinds == folders)


if __name__ == "__main__":
    text = DOCS.read_text(encoding="utf-8")
    old = re.search(re.escape(HEAD) + r"(?:\|.*\n)*", text)
    assert old is not None
    DOCS.write_text(text.replace(old[0], table(counts(Path(sys.argv[1])))), encoding="utf-8")
