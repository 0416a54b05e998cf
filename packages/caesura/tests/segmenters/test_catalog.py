"""Segmenters by name, and one function for text and sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError, UnknownName
from caesura.segmenters import SEGMENTERS, Segmenter, segmenter, segmenter_names
from caesura.segmenters.sound import Recording

WORDS = [f"line {i}" for i in range(10)]


def test_every_segmenter_follows_the_protocol() -> None:
    for name, make in SEGMENTERS.items():
        assert isinstance(segmenter(name), Segmenter), name
        assert make.__doc__
        assert SEGMENTERS.facts(name)["title"]


def test_segmenter_names_by_medium() -> None:
    assert "spectral" not in segmenter_names("text")
    assert "spectral" in segmenter_names("sound")
    assert set(segmenter_names("text")) | set(segmenter_names("sound")) == set(segmenter_names())


def test_wrong_name_or_parameter_raises_an_error() -> None:
    with pytest.raises(UnknownName, match="there is no segmenter 'spectrum'; did you mean 'spectral'"):
        segmenter("spectrum")
    with pytest.raises(CaesuraError, match="uniform has no parameter 'width'; it takes interval"):
        segmenter("uniform", width=3)


@pytest.mark.parametrize(
    ("number", "masses"), [(1, [10]), (2, [5, 5]), (3, [3, 4, 3]), (4, [3, 2, 3, 2]), (10, [1] * 10)]
)
def test_uniform_segments_of_a_text(number: int, masses: list[int]) -> None:
    """Boundary i of K at floor(n i / K + 1/2)."""
    assert cs.segment(WORDS, "uniform", segments=number).masses == masses


@pytest.mark.parametrize("number", [0, 11, -1, True])
def test_impossible_number_of_segments_raises_an_error(number: int) -> None:
    with pytest.raises(CaesuraError, match="a text of 10 units; expected 1 to 10"):
        cs.segment(WORDS, "uniform", segments=number)


def test_sound_segmenter_rejects_text() -> None:
    with pytest.raises(CaesuraError, match="spectral segments sound, not text"):
        cs.segment(WORDS, "spectral")


def test_segment_takes_a_recording_and_a_wav_file(tmp_path: Path) -> None:
    wavfile = pytest.importorskip("scipy.io.wavfile")
    sound = Recording(np.sin(np.arange(8000) * np.repeat([0.1, 0.5], 4000)), 8000)
    wavfile.write(tmp_path / "a.wav", 8000, sound.samples.astype(np.float32))
    assert cs.segment(sound, segments=2).positions == pytest.approx([0.5], abs=0.03)
    assert cs.segment(tmp_path / "a.wav", segments=2).positions == pytest.approx([0.5], abs=0.03)
    assert cs.segment(str(tmp_path / "a.wav"), "uniform", segments=2).positions.tolist() == [0.5]


THREE_TOPICS = [f"the {word} of {word}s saw a {word} and {word}" for word in ["cat"] * 4 + ["ship"] * 4 + ["tax"] * 4]


@pytest.mark.parametrize(
    "name", [name for name in segmenter_names("text") if name not in ("human", "supervised")]
)  # need a corpus
def test_every_text_segmenter_covers_the_text_and_is_deterministic(name: str) -> None:
    answer = cs.segment(THREE_TOPICS, name, segments=3)
    assert sum(answer.masses) == len(THREE_TOPICS)
    assert len(answer.masses) == 3
    assert cs.segment(THREE_TOPICS, name, segments=3) == answer


def test_random_boundaries_in_sound() -> None:
    found = segmenter("random", seed=4).segment(8.0, 21)
    assert len(found.positions) == 20
    assert found.length == 8.0
    assert found == segmenter("random", seed=4).segment(8.0, 21)
    assert len(segmenter("random", interval=0.2).segment(8.0).positions) == 39
    with pytest.raises(CaesuraError, match="density= is for texts"):
        segmenter("random", density=0.1).segment(8.0)
