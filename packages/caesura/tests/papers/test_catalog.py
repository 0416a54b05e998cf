"""Every registered paper: a full reference, a page in the documentation, options that are checked."""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.papers import PAPERS, citation, reproduce
from caesura.papers.reproduction import Reproduction
from cases import covered

ROOT = Path(__file__).parents[4]
OURS = [name for name in PAPERS if PAPERS.source(name) == "caesura"]  # other packages document their own


@pytest.mark.parametrize("name", OURS)
def test_paper_is_documented_and_its_options_have_defaults(name: str) -> None:
    assert any(year in citation(name) for year in map(str, range(1950, 2050)))
    assert f"papers/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    assert f"caesura reproduce {name}" in page
    parameters = inspect.signature(PAPERS[name]).parameters.values()
    assert all(p.default is not p.empty for p in parameters), "a paper must run without being told anything"


@pytest.mark.parametrize("name", covered(PAPERS))
def test_unknown_option_raises_an_error(name: str) -> None:
    with pytest.raises(CaesuraError, match=f"{name} takes no --no-such-thing; its options: "):
        reproduce(name, no_such_thing=3)


def test_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'lai2023'"):
        reproduce("lai2032")


#: Options that make a paper quick enough for here.
QUICK: dict[str, dict[str, Any]] = {"diaz2022": {"max_length": 8}, "carbone2004": {"metric": ["F"]}}

#: Papers whose texts have to be fetched, and where they are tested on small ones.
FETCHED = {"segmenters": "tests/papers/test_segmenters.py"}


#: Papers whose page contains the output of the command (docs/paper_pages.py).
WRITTEN_BY_COMMAND = ["fournier2013"]


@cache
def reproduced(name: str) -> Reproduction:
    return reproduce(name, **QUICK.get(name, {}))


@pytest.mark.parametrize("name", WRITTEN_BY_COMMAND)
def test_page_of_the_paper_has_the_numbers_of_the_command(name: str) -> None:
    pytest.importorskip("scipy")
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    output = reproduced(name).markdown()
    before, written, after = re.split("<!-- written by docs/paper_pages.py -->|<!-- end -->", page)
    assert written.strip() == output.strip(), f"run: python docs/paper_pages.py {name}"
    tables = [line for line in (before + after).splitlines() if line.startswith("|")]
    assert tables == [], "tables are written by the command"
    text = re.sub(r"```.*?```", "", before + after, flags=re.DOTALL)
    shown, computed = (set(map(float, re.findall(r"\d+\.\d+", each))) for each in (text, output))
    assert shown <= computed, "numbers of the text are in the output"


@pytest.mark.parametrize("name", [name for name in OURS if name not in FETCHED])
def test_paper_compares_printed_and_computed_numbers_and_explains_differences(name: str) -> None:
    reproduction = reproduced(name)
    lines = [line for section in reproduction.sections for line in section.lines]
    assert any(line.agrees for line in lines)
    assert [line.what for line in lines if line.agrees is False and not line.remark] == []
    assert reproduction.paper == name
    assert reproduction.figures
    assert all(section.title in str(reproduction) for section in reproduction.sections)
    assert json.loads(json.dumps(reproduction.as_dict()))["paper"] == name
