"""Empty, odd and wrong input: a valid answer or a one-sentence error, never a traceback or a warning."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.segmenters import SEGMENTERS, segmenter, segmenter_names
from caesura.segmenters.text import DCM, Vectors, read_text

METHODS = [name for name in segmenter_names("text") if name not in ("human", "uniform", "supervised")]
COHESIVE = [
    name for name in METHODS if SEGMENTERS.source(name) == "caesura" and name not in ("random", "mincut", "aps")
]
ODD = {
    "nothing": [],
    "one unit": ["The ship sailed."],
    "two units": ["The ship sailed.", "Bread was baked."],
    "a unit without words": ["ship sea", "", "bread", "   ", "oven bread"],
    "only stop words": ["the of and", "is was were", "you and I"],
    "no letters": ["123", "!!!", "—", "4 5 6"],
    "identical units": ["the same ship"] * 12,
    "emoji and controls": ["🙂🙂", "\x00\x07", "ship\u200bsea", "\u202eship"],
    "Chinese": ["我们去海边。", "船在海上航行。", "面包和面粉。", "烤面包。"],
    "Hebrew": ["שָׁלוֹם לָכֶם", "הַקָּפֶה חַם", "הלחם טרי"],
    "a very long unit": ["ship " * 20_000, "bread", "oven"],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", ODD)
def test_odd_texts_are_segmented_without_warnings(method: str, case: str) -> None:
    units = ODD[case]
    options = {"aps": {"preference": -0.1}, "random": {"density": 0.3}, "mincut": {"mean_length": 3}}.get(method, {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = segmenter(method, **options)
        free = machine.segment(units)
        assert free.length == len(units)
        for number in {1, 2, len(units)} if units else ():
            if number <= len(units):
                assert len(machine.segment(units, number)) == number
        if hasattr(machine, "explain"):
            machine.explain(units)
    if case in ("identical units", "only stop words", "no letters") and method in COHESIVE:
        assert len(free) == 1


@pytest.mark.parametrize("method", METHODS)
def test_more_segments_than_units_raise_an_error(method: str) -> None:
    with pytest.raises(CaesuraError, match="segments is 4 for a text of 3 units; expected 1 to 3"):
        segmenter(method).segment(["a ship", "bread", "oven"], 4)


def test_vectors_that_are_not_finite_raise_an_error() -> None:
    rows = np.eye(5)
    rows[0, 1] = np.nan
    with pytest.raises(CaesuraError, match="the vector of unit 1 has a value that is not finite"):
        Vectors().segment(rows, 2)
    with pytest.raises(CaesuraError, match=r"expected one row for each of the 3 units"):
        Vectors(encode=lambda units: np.zeros((2, 2))).segment(["a", "b", "c"])


def test_wrong_input_raises_a_one_sentence_error(tmp_path: Path) -> None:
    with pytest.raises(CaesuraError, match="unit 2 is 7; expected a string"):
        DCM().segment(["a", 7])
    with pytest.raises(CaesuraError, match="no such file"):
        cs.segment("there is no such file.txt")
    (tmp_path / "latin.txt").write_bytes("Éric".encode("latin-1") + b"\xff\xfe")
    with pytest.raises(CaesuraError, match="not utf-8 text"):
        read_text(tmp_path / "latin.txt")
    (tmp_path / "binary.txt").write_bytes(b"\0\1\2")
    with pytest.raises(CaesuraError, match="it has null bytes"):
        read_text(tmp_path / "binary.txt")
    for wrong in ({"penalty": "much"}, {"prior": 0.0}, {"density": 2.0}, {"temperature": -1}, {"vocabulary": "some"}):
        with pytest.raises(CaesuraError):
            DCM(**wrong)
    for name, wrong in (
        ("c99", {"mask": 4}),
        ("texttiling", {"cutoff": "x"}),
        ("aps", {"method": "x"}),
        ("dcm", {"tokens": "x"}),
    ):
        with pytest.raises(CaesuraError):
            segmenter(name, **wrong)


def test_huge_file_raises_an_error_with_the_limit(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(200_000_001)
    with pytest.raises(CaesuraError, match="expected at most 200 MB"):
        read_text(tmp_path / "huge.txt")


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("dcm", {"prior": "abc"}, "dcm: prior is 'abc'; expected a number or none"),
        ("dcm", {"max_length": 2.5}, "max_length is 2.5; expected a whole number or none"),
        ("dcm", {"duration": "long"}, "duration is 'long'; expected a number, 'mean'"),
        ("dcm", {"em": 2}, "em is 2; expected true or false"),
        ("dcm", {"stopwords": 3}, "stopwords is 3; expected a Python collection or none"),
        ("dcm", {"language": "frnech"}, "there is no language 'frnech'; did you mean 'french'"),
        ("c99", {"mask": True}, "mask is True; expected a whole number"),
        ("spectral", {"threshold": "x"}, "threshold is 'x'; expected a number"),
    ],
)
def test_parameter_of_the_wrong_type_raises_an_error(name: str, wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        segmenter(name, **wrong)
