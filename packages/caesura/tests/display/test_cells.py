"""Cell widths, graphemes, right-to-left words, and the canvas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.display.cells import (
    Canvas,
    cell_width,
    choose_bidi,
    clean,
    clip,
    graphemes,
    is_rtl,
    isolate_word,
    pad,
    wrap_units,
)


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("mark", 4),
        ("e\u0301", 1),
        ("日本語", 6),
        ("בְּרֵאשִׁית", 6),
        ("🇫🇷", 2),
        ("👩‍👩‍👧", 2),
        ("a\u200bb", 2),
        ("\u200d ", 1),
        ("", 0),
    ],
)
def test_cells(text: str, wide: int) -> None:
    assert cell_width(text) == wide


def test_marks_stay_with_their_letters() -> None:
    assert graphemes("בְּרֵא") == ["בְּ", "רֵ", "א"]


@pytest.mark.parametrize("bad", ["\x1b[2J", "\x07", "\x9b31m", "\u202e", "\u2066", "a\nb", "a\rb", "\x7f"])
def test_control_characters_never_reach_the_terminal(bad: str) -> None:
    for ready in (clean(bad), isolate_word(bad, "us"), isolate_word(bad, "terminal")):
        assert not any(c < " " or "\x7f" <= c < "\xa0" or "\u202a" <= c <= "\u202e" for c in ready)
    assert "\u2066" not in clean(bad)


@given(st.text(max_size=40), st.integers(1, 30))
def test_clip_and_pad_keep_to_their_width(text: str, width: int) -> None:
    text = clean(text)
    assert cell_width(clip(text, width)) <= width
    assert cell_width(pad(text, width, "centre")) == width
    if cell_width(text) <= width:
        assert clip(text, width) == text


def test_directions() -> None:
    assert [is_rtl(t) for t in ("שלום", "سلام", "peace", "12", "«שלום»", "(a) ב")] == [
        True, True, False, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("logical", "visual"),
    [("אבג", "גבא"), ("אבג,", ",גבא"), ("(אב)", "(בא)"), ("אב12", "12בא"), ("בְּא", "אבְּ"), ("peace", "peace")],
)
def test_words_reordered_by_us(logical: str, visual: str) -> None:
    assert isolate_word(logical, "us") == visual


def test_words_reordered_by_the_terminal_are_isolated() -> None:
    assert isolate_word("אב", "terminal") == "\u2068אב\u2069"
    assert isolate_word("ab", "terminal") == "ab"


def test_choose_bidi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAESURA_BIDI", "us")
    assert choose_bidi() == "us"
    monkeypatch.setenv("CAESURA_BIDI", "terminal")
    assert choose_bidi() == "terminal"
    assert choose_bidi("us") == "us"
    monkeypatch.delenv("CAESURA_BIDI")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for name in ("VTE_VERSION", "KONSOLE_VERSION", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert choose_bidi() == "us"
    monkeypatch.setenv("VTE_VERSION", "7200")
    assert choose_bidi() == "terminal"


def test_canvas_overwrites_wide_characters_completely() -> None:
    canvas = Canvas()
    canvas.put(0, 0, "日本語")
    canvas.put(0, 3, "x")
    assert canvas.plain() == "日 x語"


def test_canvas_keeps_columns_beside_right_to_left_words() -> None:
    for bidi in ("terminal", "us"):
        canvas = Canvas()
        canvas.put(0, 0, "שלום", bidi=bidi)
        canvas.put(0, 5, "┃")
        assert cell_width(canvas.plain()) == 6
        assert canvas.plain().endswith(" ┃")


def test_canvas_styles_follow_roles() -> None:
    canvas = Canvas()
    canvas.put(0, 0, "ab", "match")
    canvas.put(0, 2, "c", "miss")
    assert [(span.start, span.end, str(span.style)) for span in canvas.text().spans] == [
        (0, 2, "bold blue"),
        (2, 3, "red"),
    ]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 3)), min_size=1), st.integers(8, 40))
def test_every_unit_is_on_one_line_and_lines_fit(sizes: list[tuple[int, int]], available: int) -> None:
    widths, gaps = zip(*sizes, strict=True)
    lines = wrap_units(widths, gaps, available)
    assert [u for line in lines for u in range(line.first, line.last + 1)] == list(range(1, len(widths) + 1))
    for line in lines:
        assert line.width <= available
        for start, size, gap, after in zip(line.starts, line.widths, line.gaps, line.gap_widths, strict=True):
            assert start + size == gap
            assert gap + after <= line.width


def test_reordered_pieces_keep_their_styles() -> None:
    from caesura.display.cells import reorder_rtl_pieces

    assert reorder_rtl_pieces([("אב", "red"), (" ", ""), ("גד", "")]) == [("דג ", ""), ("בא", "red")]
    assert reorder_rtl_pieces([("אב ab 12.", ""), ("(ג)", "x")]) == [("(ג)", "x"), (".ab 12 בא", "")]
    assert reorder_rtl_pieces([("שָׁל", "")]) == [("לשָׁ", "")]
    assert reorder_rtl_pieces([]) == []


def test_characters_assumed_narrow_are_narrow() -> None:
    from wcwidth import iter_graphemes, width

    from caesura.display.cells import _NARROW

    assert {width(letter) for letter in _NARROW} == {1}
    text = "".join(sorted(_NARROW))
    assert list(iter_graphemes(text)) == graphemes(text) == list(text)
