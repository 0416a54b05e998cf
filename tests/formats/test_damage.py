"""Files cut short, with bytes changed, doubled or thrown in: a corpus or one sentence, never another exception."""

import functools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.formats.catalog import FORMATS, named_format

UNITS = cs.Segmentation.from_masses([2, 1, 2], units=["so", "twice", "five", "miles", "round"])
TYPED = cs.Segmentation.from_labels_at(["", ",", "", "?", "."], units=["so", "twice", "five", "miles", "round"])
NAMED = cs.Segmentation(5, [2, 3], units=UNITS.units, names=["a", "b", "c"])
NESTED = cs.Hierarchy.from_brackets("[[so twice] [five]] miles round")
TIDY = cs.Hierarchy.from_brackets("[[so twice] [five]] [miles round]")
TIMED = cs.Segmentation.from_times([0.5, 1.25], length=2.0, names=["a", "b", "c"])


@functools.cache
def files(name: str) -> dict[str, bytes]:
    """Return a good file of a format, with what belongs to it."""
    chosen = named_format(name)
    if name == "marked-text":  # holds letters of two scripts and nothing else
        return {"talk.marked": "שָׁלוֹם עֲלֵיכֶם\nבֹּקֶר טוֹב\n".encode()}
    for marks in (TYPED, NAMED, UNITS, NESTED, TIDY, TIMED):
        corpus = cs.Corpus.from_dict({"talk": {"ann": marks}})
        with tempfile.TemporaryDirectory() as folder:
            try:
                cs.write(corpus, Path(folder) / f"talk{chosen.suffixes[0]}", name, lossy=True)
            except cs.CaesuraError:
                continue
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    raise AssertionError(name)


@st.composite
def damaged(draw, content: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        to = min(len(content), at + draw(st.integers(0, 8)))
        how = draw(st.sampled_from(["cut", "change", "double", "insert", "number"]))
        new = {
            "cut": b"",
            "change": bytes(draw(st.lists(st.integers(0, 255), min_size=to - at, max_size=to - at))),
            "double": content[at:to] * 2,
            "insert": draw(st.sampled_from([b"\x00", b"\xff", b'"', b"\n", b"\r", b"\t", b",", b"[", b"]", b"{", b"}", b"<", b"null", b"1e999"])),
            "number": draw(st.sampled_from([b"-1", b"0", b"99999999999999999999", b"1.5", b"NaN", b"Infinity", b"true"])),
        }[how]  # fmt: skip
        content = content[:at] + new + (b"" if how == "cut" and draw(st.booleans()) else content[to:])
    return content


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25)
@given(data=st.data())
def test_damage_is_told_in_a_sentence(name, data):
    good = files(name)
    with tempfile.TemporaryDirectory() as folder:
        for file, content in good.items():
            spared = file != f"talk{named_format(name).suffixes[0]}" and data.draw(st.booleans())
            (Path(folder) / file).write_bytes(content if spared else data.draw(damaged(content)))
        try:
            corpus = cs.read(Path(folder) / f"talk{named_format(name).suffixes[0]}", name)
        except cs.CaesuraError as fault:
            said = str(fault)
        else:
            said = repr(corpus)
            assert all(repr(a.marks) for a in corpus)
        assert said.isprintable(), said
