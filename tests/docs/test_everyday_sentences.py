"""The everyday sentences on the page about vowels are what the shipped models write, and the page counts their errors."""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize

import pytest

from caesura_vowels import ready

PAGE = (Path(__file__).parents[2] / "docs" / "families" / "vowels.md").read_text(encoding="utf-8")


def rows(language: str) -> list[tuple[str, str]]:
    """The sentences of a table, with the corrections beside them."""
    table = PAGE.split(f"| {language} | wrong |\n|---|---|\n")[1].split("\n\n")[0]
    return [tuple(cell.strip() for cell in line.split("|")[1:3]) for line in table.splitlines()]


@pytest.mark.parametrize("language", ["Hebrew", "Arabic"])
def test_sentences_are_as_the_model_writes_them(language: str) -> None:
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = ready(language.lower())
    sentences = [normalize("NFD", sentence.replace("**", "")) for sentence, _ in rows(language)]
    assert len(sentences) == 10
    assert [normalize("NFD", restorer.restore(restorer.script.strip(each))) for each in sentences] == sentences


@pytest.mark.parametrize("language", ["Hebrew", "Arabic"])
def test_the_page_counts_right_words(language: str) -> None:
    word = ready(language.lower()).script.word
    found = rows(language)
    words = sum(len(word.findall(sentence)) for sentence, _ in found)
    wrong = sum(len(word.findall(marked)) for sentence, _ in found for marked in re.findall(r"\*\*(.+?)\*\*", sentence))
    counts = re.search(r"(\d+) of (\d+) Hebrew words and (\d+) of (\d+) Arabic ones are right", PAGE)
    assert counts
    assert tuple(map(int, counts.groups()[:2] if language == "Hebrew" else counts.groups()[2:])) == (
        words - wrong,
        words,
    )
    for sentence, correction in found:
        assert ("**" in sentence) == bool(correction)
