"""Every registered paper: a full reference, a page in the documentation, options that are checked."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.papers import PAPERS, citation, reproduce

ROOT = Path(__file__).parents[2]
OURS = [name for name in PAPERS if PAPERS.source(name) == "caesura"]  # other packages document their own


@pytest.mark.parametrize("name", OURS)
def test_it_is_documented_and_its_options_have_defaults(name: str) -> None:
    assert any(year in citation(name) for year in map(str, range(1950, 2050)))
    assert f"papers/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    assert f"caesura reproduce {name}" in page
    parameters = inspect.signature(PAPERS[name]).parameters.values()
    assert all(p.default is not p.empty for p in parameters), "a paper must run without being told anything"


@pytest.mark.parametrize("name", list(PAPERS))
def test_an_option_it_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(CaesuraError, match=f"{name} takes no --no-such-thing; its options: "):
        reproduce(name, no_such_thing=3)


def test_a_wrong_name_or_title_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'gal2002'"):
        reproduce("gal2020")


#: Options that make a paper quick enough for here.
QUICK: dict[str, dict[str, Any]] = {"diaz2022": {"max_length": 8}, "carbone2004": {"metric": ["F"]}}

#: Papers whose texts have to be fetched, and where they are tested on small ones.
FETCHED = {"gal2002": "tests/vowels/test_gal2002.py", "segmenters": "tests/papers/test_segmenters.py"}


@pytest.mark.parametrize("name", [name for name in PAPERS if name not in FETCHED])
def test_it_puts_printed_numbers_beside_computed_ones_and_explains_every_difference(name: str) -> None:
    reproduction = reproduce(name, **QUICK.get(name, {}))
    lines = [line for section in reproduction.sections for line in section.lines]
    assert any(line.agrees for line in lines)
    assert [line.what for line in lines if line.agrees is False and not line.remark] == []
    assert reproduction.paper == name
    assert reproduction.figures or name not in OURS
    assert all(section.title in str(reproduction) for section in reproduction.sections)
    assert json.loads(json.dumps(reproduction.as_dict()))["paper"] == name
