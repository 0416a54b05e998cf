"""Error messages quote at most 200 characters of the input."""

import pickle
import re

import pytest

import caesura as cs
from caesura.errors import LONGEST_QUOTE, FormatError, UnknownName, shorten_quotes
from caesura.options import parse_options, parse_value, validate_options
from caesura.validation import validate_choice, validate_integer, validate_positive, validate_range

WORD = "b" * 1_000_000
CORPUS = cs.Corpus.from_dict({"talk": {"ann": cs.Segmentation.from_masses([2, 1])}})
RAISING = {
    "name of a metric": lambda path: cs.evaluate(CORPUS, CORPUS, metrics=[WORD]),
    "name of a format": lambda path: cs.read(path, format=WORD),
    "encoding": lambda path: cs.read(path, encoding=WORD),
    "option without a value": lambda path: parse_options(WORD),
    "unknown option": lambda path: validate_options("the format", {WORD: 1}, {}),
    "value of an option": lambda path: validate_options("the format", {"limit": WORD}, {"limit": int}),
    "integer": lambda path: validate_integer("k", WORD),
    "positive number": lambda path: validate_positive("k", WORD),
    "choice": lambda path: validate_choice("how", WORD, ["a", "b"]),
    "range": lambda path: validate_range("k", WORD, 0, 1),
    "mass": lambda path: cs.Segmentation.from_masses([WORD]),
    "line of a file": lambda path: cs.read(path, format="htk"),
    "cell of a table": lambda path: cs.read(path, format="csv"),
    "detected format": lambda path: cs.read(path),
    "unknown name": lambda path: (_ for _ in ()).throw(UnknownName("metric", WORD, ["B"])),
    "line quoted without quotes": lambda path: (_ for _ in ()).throw(FormatError(path, 3, f"found {WORD}.")),
}


@pytest.mark.parametrize("what", RAISING)
def test_messages_quote_at_most_200_characters(what, tmp_path):
    path = tmp_path / "talk.lab"
    path.write_text(f"0 {WORD}\n", encoding="utf-8")
    with pytest.raises(cs.CaesuraError) as raised:
        RAISING[what](path)
    message = str(raised.value)
    assert len(message) < 2000
    assert max(map(len, re.findall("b+", message)), default=0) <= LONGEST_QUOTE
    assert str(pickle.loads(pickle.dumps(raised.value))) == message


@pytest.mark.parametrize("text", ["'", '"', "'\"", "' ", "a b ", "\\", "'\" \\", "\n", "é", "/"])
def test_long_texts_with_quotes_and_spaces_are_shortened(text):
    for message in (f"k is {text * 300_000!r}; expected a number.", f"found {text * 300_000}, expected a number."):
        shown = shorten_quotes(message)
        assert len(shown) <= 2000
        assert shorten_quotes(shown) == shown
    shown = shorten_quotes(f"k is {text * 300_000!r}; expected a number.")
    assert len(shown) <= LONGEST_QUOTE + 40
    assert shown.startswith("k is ")
    assert shown.endswith("; expected a number.")


def test_short_messages_and_long_prose_stay_as_they_are():
    prose = "Caesura's formats: " + "it's 'one' of many, " * 40 + "and that's all."
    assert shorten_quotes(prose) == prose
    path = "/".join(["folder"] * 60)
    assert shorten_quotes(f"cannot read {path}") == f"cannot read {path}"


@pytest.mark.parametrize("text", ["-" * 100_000, "(" * 100_000, "[" * 5000, "{" * 5000, "9" * 100_000, "a" * 1_000_000])
def test_values_that_cannot_be_parsed_stay_text(text):
    assert parse_value(text) == text
