"""Every registered paper: a full reference, a page in the documentation, options that are checked."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from functools import cache
from pathlib import Path

import pytest

from caesura.errors import CaesuraError, MissingExtra, UnknownName
from caesura.papers import PAPERS, Line, citation, reproduce
from caesura.papers.reproduction import STATUSES, Reproduction, check_figures
from cases import covered
from cli.command import refused

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


def test_data_for_a_paper_that_takes_none_is_refused() -> None:
    with pytest.raises(CaesuraError, match="diaz2022 takes no data files; its options: --max-length, --metric"):
        reproduce("diaz2022", path=Path("mine.json"))
    with pytest.raises(CaesuraError, match="its options: PATH, --seed"):
        reproduce("rasanen2009", full=True)


def test_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'lai2023'"):
        reproduce("lai2032")


#: Papers whose texts have to be fetched, and where they are tested on small ones.
FETCHED = {"segmenters": "tests/papers/test_segmenters.py"}


#: Papers whose page is what the command prints; caesura_vowels tests its own.
WRITTEN_BY_COMMAND = [name for name in OURS if name not in FETCHED]


@cache
def reproduced(name: str) -> Reproduction:
    return reproduce(name)


@pytest.mark.parametrize("name", WRITTEN_BY_COMMAND)
def test_page_of_the_paper_is_what_the_command_prints(name: str) -> None:
    pytest.importorskip("scipy")
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    assert page == reproduced(name).page(), f"run: python docs/paper_pages.py {name}"
    for figure in re.findall(r"\(([^)]*\.svg)\)", page):
        assert (ROOT / "docs" / "papers" / figure).is_file()


@pytest.mark.parametrize("name", [name for name in OURS if name not in FETCHED])
def test_paper_compares_printed_and_computed_numbers_and_explains_differences(name: str) -> None:
    reproduction = reproduced(name)
    lines = [line for section in reproduction.sections for line in section.lines]
    assert any(line.agrees for line in lines)
    assert {line.status for line in lines} <= {*STATUSES, ""}, "nothing differs without a reason"
    assert [line.what for line in lines if line.agrees is False and not line.remark] == []
    assert reproduction.paper == name
    assert reproduction.figures
    assert all(section.title in str(reproduction) for section in reproduction.sections)
    assert json.loads(json.dumps(reproduction.as_dict()))["paper"] == name


def test_summary_counts_the_statuses_of_all_pages() -> None:
    spec = importlib.util.spec_from_file_location("paper_pages", ROOT / "docs" / "paper_pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert (ROOT / "docs" / "papers" / "index.md").read_text("utf-8") == pages.summary(), (
        "run: python docs/paper_pages.py"
    )
    row = next(line for line in pages.summary().splitlines() if "lai2023" in line)
    assert [int(n) for n in re.findall(r"\| (\d+)", row)][1:] == list(reproduced("lai2023").statuses().values())


def test_status_of_a_number() -> None:
    assert Line("x", 0.5, 0.504).status == "equal"
    assert Line("x", 0.5, 0.51).status == "differs"
    assert Line("x", 0.5, 0.51, "because", reason="explained").status == "explained"
    assert Line("x", 0.5, 0.51, "because", reason="authors' error").status == "authors' error"
    assert Line("x", 0.5, 0.51, "tried").status == "not explained"
    assert Line("x", 0.5, None).status == "not public"
    assert Line("x", None, 0.5).status == ""


def test_figures_that_cannot_be_saved_are_refused_before_any_work(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "figures"):
        with pytest.raises(CaesuraError, match="file: this is a file; figures need a folder"):
            check_figures(folder)
    check_figures(tmp_path / "not" / "yet")
    assert not (tmp_path / "not").exists()
    assert "figures need a folder" in refused("reproduce", "gal2002", "--full", "-o", file)
    monkeypatch.setattr("caesura.papers.reproduction.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="matplotlib"):
        check_figures(tmp_path)
