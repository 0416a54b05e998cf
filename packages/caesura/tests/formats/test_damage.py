"""A damaged file gives a corpus or a one-sentence error; never another exception, a hang or excessive memory.

Twenty-five mutants of every format are tried, or as many as CAESURA_MUTANTS says.
"""

import os
import re
import resource
from collections import Counter
from pathlib import Path

import pytest

from caesura.formats.catalog import FORMATS
from cases import covered
from formats.mutants import TABLE, mutants, outcome, time_limit

COUNT = int(os.environ.get("CAESURA_MUTANTS", "25"))
PAGE = Path(__file__).parents[4] / "docs" / "formats.md"


@pytest.mark.parametrize("name", covered(FORMATS))
def test_damaged_files_raise_one_sentence(name, tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts = Counter()
    for number, files in enumerate(mutants(name, COUNT)):
        try:
            with time_limit(20):
                counts[outcome(name, files, tmp_path)] += 1
        except BaseException as error:
            error.add_note(f"mutant {number} of {name}: {files!r:.2000}")
            raise
    assert counts["refused"], "no mutant was refused"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000, "a small file took 500 MB"
    if COUNT == TABLE and FORMATS.source(name) == "caesura":
        row = re.search(
            rf"^\| `{name}` \| {TABLE} \| (\d+) \| (\d+) \| 0 \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert row is not None
        assert (int(row[1]), int(row[2])) == (counts["read"], counts["refused"])
