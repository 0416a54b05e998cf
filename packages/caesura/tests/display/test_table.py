"""One table in every medium: what users wrote stays words, what is undefined stays apart, and machines get numbers in full."""

import csv
import json
import re
from html.parser import HTMLParser
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from caesura.display.cells import cell_width
from caesura.display.table import (
    MEDIA,
    BarCell,
    Code,
    EstimateCell,
    IntervalCell,
    LinkCell,
    OnScale,
    Penalty,
    Probability,
    Rounded,
    Table,
    format_cell,
    measure_name,
)

HOSTILE = "<script>a|b & *c* _d_ `e` [f](g) # 5% ${x}^~\\"
HEBREW = "שלום עולם"


class _Tags(HTMLParser):
    """Collects the tags of a page and its words."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def hostile() -> Table:
    return Table(HOSTILE, (HOSTILE, "value"), ((HOSTILE, 1.0), (HEBREW, float("nan"))), (HOSTILE,))


def test_html_escapes_caption_headings_cells_and_notes():
    page = _Tags()
    page.feed(hostile().html())
    assert "script" not in page.tags
    assert page.words.count("<script>") == 4  # caption, heading, cell, note: as words
    assert f"<bdi>{HEBREW}</bdi>" in hostile().html()


def test_html_sort_keys_are_full_numbers_or_empty():
    page = Table("", ("a", "b"), (("x", 1 / 3), ("y", float("nan")), ("z", None))).html()
    assert re.findall(r'data-v="([^"]*)">([^<]*)', page.replace("<bdi>", "")) == [
        ("0.333333333", "0.333"),
        ("", "–"),
        ("", "–"),
    ]


def test_markdown_escapes_bars_and_markup():
    lines = hostile().markdown().splitlines()
    body = [line for line in lines if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in body] == [3, 3, 3, 3]
    assert not re.search(r"(?<!\\)[*_`\[](?!\*)", body[2])
    assert "<" not in hostile().markdown()
    assert body[1] == "|---|---:|"


def test_markdown_code_escapes_bars_and_backticks():
    text = Table("", ("n", "signature"), (("B", Code("B|n:2`x`")),)).markdown()
    assert text.splitlines()[-1] == "| B | `B\\|n:2'x'` |"


def test_latex_escapes_special_characters():
    row = hostile().latex().splitlines()[5]
    assert row.count("&") - row.count(r"\&") == 1
    assert not re.search(r"(?<!\\)[%#_]", row.replace(r"\textbackslash{}", ""))
    assert hostile().latex().splitlines()[1] == r"\begin{tabular}{lr}"
    assert r"WD $\downarrow$" in Table("", ("system", Penalty("WD")), (("a", 0.5),)).latex()


@pytest.mark.parametrize("words", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_csv_quotes_formulas(words):
    rows = list(csv.reader(StringIO(Table("", (words,), ((words,),)).csv())))
    assert rows == [["'" + words], ["'" + words]]


def test_csv_and_json_have_full_precision():
    table = Table("", ("name", "value", "interval", ""), (("a", 1 / 3, IntervalCell(0.1, 2 / 3), BarCell(0.5)),))
    assert list(csv.reader(StringIO(table.csv()))) == [
        ["name", "value", "interval"],
        ["a", repr(1 / 3), f"0.1 {2 / 3!r}"],
    ]
    assert json.loads(table.json()) == [{"name": "a", "value": 1 / 3, "interval": [0.1, 2 / 3]}]


def test_undefined_and_infinite_numbers_in_every_medium():
    table = Table(
        "", ("name", "value"), (("nan", float("nan")), ("none", None), ("inf", float("inf")), ("less", -float("inf")))
    )
    assert [line.split()[-1] for line in str(table).splitlines()[1:]] == ["–", "–", "∞", "−∞"]
    assert [row["value"] for row in json.loads(table.json())] == [None] * 4
    assert [row[1] for row in csv.reader(StringIO(table.csv()))][1:] == ["nan", "", "inf", "-inf"]
    assert table.latex().count("--") == 2
    assert r"$\infty$" in table.latex()


@pytest.mark.parametrize("medium", MEDIA)
def test_empty_table_in_every_medium(medium):
    table = Table("", ("name", "value"), ())
    text = MEDIA[medium](table)
    assert text == "[]\n" if medium == "json" else "name" in text and "value" in text


def test_a_ragged_row_is_refused():
    with pytest.raises(ValueError, match="1 cells under 2 headings"):
        Table("", ("a", "b"), (("x",),))


def test_columns_are_aligned_in_every_script():
    table = Table("", ("name", "n"), (("日本語", 1), ("e\u0301te\u0301", 22), (HEBREW, 333), ("plain", 4)))
    assert {cell_width(line) for line in str(table).splitlines()} == {9 + 2 + 3}


def test_control_characters_are_shown_as_symbols():
    assert "\x1b" not in str(Table("a\x1b[31m", ("\x1b",), (("b\x1b[0m\nc",),), ("\x1bd",)))
    assert len(str(Table("", ("x",), (("b\nc",),))).splitlines()) == 2


def test_right_to_left_words_are_isolated_or_reordered():
    table = Table("", ("x",), ((HEBREW,),))
    assert "\u2068" + HEBREW in table.terminal(bidi="terminal").plain
    assert HEBREW[::-1] in table.terminal(bidi="us").plain


def test_narrow_terminal_wraps_text_but_not_numbers():
    table = Table(
        "",
        ("metric", "score", "what it is"),
        (("boundary-edit", 0.12345, "the harmonic mean of precision and recall"),),
    )
    lines = table.terminal(36).plain.splitlines()
    assert max(map(cell_width, lines)) <= 36
    assert any("0.123" in line for line in lines)
    assert " ".join(" ".join(line[22:] for line in lines[1:]).split()) == "the harmonic mean of precision and recall"


def test_very_narrow_terminal_shows_every_letter():
    table = Table("", ("a", "b"), (("abcdefgh", 0.5),))
    assert max(map(cell_width, table.terminal(6).plain.splitlines())) <= 6
    assert "".join(line[:2].strip() for line in table.terminal(6).plain.splitlines()[1:]) in ("abcdefgh",)


def test_rich_prints_the_table_as_wide_as_the_screen():
    page = StringIO()
    Console(file=page, width=20, color_system=None).print(Table("", ("a", "b"), (("x" * 30, 1),)))
    assert max(map(len, page.getvalue().splitlines())) <= 20


def test_first_rows_count_the_others():
    table = Table("", ("a",), tuple((str(i),) for i in range(5))).first(2, "items")
    assert len(table.rows) == 2
    assert table.notes == ("… and 3 more items.",)
    assert Table("", ("a",), (("x",),)).first(2).notes == ()


def test_columns_without_values_can_be_removed():
    table = Table("", ("a", "b", "c"), (("x", None, 1), ("y", None, None))).without_empty()
    assert table.columns == ("a", "c")


def test_format_cell():
    spelled = [
        format_cell(c)
        for c in (0.5, 7, 12345, True, None, Rounded(2.345, 1), Probability(0.0004), LinkCell("x", "y"), Penalty("Pk"))
    ]
    assert spelled == ["0.500", "7", "12,345", "yes", "–", "2.3", "< 0.001", "x", "Pk ↓"]
    assert format_cell(EstimateCell(0.5)) == "0.500"
    assert [format_cell(measure_name("X", SimpleNamespace(higher_is_better=up))) for up in (True, False)] == [
        "X",
        "X ↓",
    ]
    assert [format_cell(BarCell(share)) for share in (0.0, 0.001, 1.0)] == ["", "█", "█" * 20]


def test_numpy_scalars_become_python_numbers():
    table = Table("", ("a", "b", "c"), (("x", np.float32(0.5), np.int64(3)),))
    assert table.records() == [{"a": "x", "b": 0.5, "c": 3}]
    assert str(table).splitlines()[1] == "x  0.500  3"


def test_score_on_its_scale_is_drawn_in_html_only():
    score = OnScale(0.25, (0.0, 1.0), (0.1, 0.4))
    table = Table("", ("m", "score"), (("B", score),))
    assert 'cx="32.0"' in table.html()
    assert "interval 0.100 to 0.400" in table.html()
    assert str(table).splitlines()[1] == "B  0.250"
    assert table.records() == [{"m": "B", "score": 0.25}]
    assert OnScale(0.5, (0.0, float("inf"))).svg() == ""
    assert OnScale(float("nan")).svg() == ""


def test_links_are_anchors_in_html_and_text_elsewhere():
    table = Table("", ("document", "n"), ((LinkCell("a<b", "d-1"), 1),))
    assert '<a href="#d-1">a&lt;b</a>' in table.html()
    assert table.records() == [{"document": "a<b", "n": 1}]
    assert "a&lt;b" in table.markdown()


def test_empty_head_of_a_row_is_an_ordinary_cell() -> None:
    shown = Table("", ("coder", "n"), (("ann", 1), ("", 2))).html()
    assert '<tr><th scope="row">ann</th><td' in shown
    assert "<tr><td></td><td" in shown
