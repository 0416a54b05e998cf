"""Measures of restored marks against counts made by hand, and against a naive reading of the definition."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError, FormatError
from caesura.files import Source
from caesura.metrics import metric
from caesura.statistics import evaluate
from caesura_vowels.accuracy import mark_similarity
from caesura_vowels.marked_text import marked_corpus, read, write
from caesura_vowels.scripts import ARABIC, HEBREW, Script

NAMES = ["word-accuracy", "group-accuracy", "DER", "seen-accuracy", "unseen-accuracy"]
GOLD = ["שָׁלוֹם רַב", "סוּס לָבָן", "כָּל הַיּוֹם"]
OURS = ["שָׁלוֹם רָב", "סֻוס לָבָן", "כָל הַיּוֹם"]


def corpora(gold: list[str], ours: list[str], table: Script = HEBREW, **options):
    named = [[(str(i), line) for i, line in enumerate(lines)] for lines in (gold, ours)]
    return tuple(marked_corpus(lines, table, **options) for lines in named)


def parts(evaluation, name: str) -> np.ndarray:
    """What the score divides, item by item."""
    return metric(name).parts(evaluation[name].rows)


def test_counts_match_a_worked_example() -> None:
    evaluation = evaluate(*corpora(GOLD, OURS, known=lambda word: HEBREW.read(word) != "סוס"), NAMES, resamples=10)
    assert parts(evaluation, "word-accuracy").tolist() == [[1, 2], [1, 2], [1, 2]]
    # patah for qamats sounds alike; a qubuts on samekh is not a shuruq on vav; a missing dagesh is no vowel
    assert parts(evaluation, "group-accuracy").tolist() == [[2, 2], [1, 2], [2, 2]]
    assert parts(evaluation, "DER").tolist() == [[1, 6], [2, 6], [1, 6]]
    assert parts(evaluation, "seen-accuracy").sum(axis=0).tolist() == [3, 5]
    assert parts(evaluation, "unseen-accuracy").sum(axis=0).tolist() == [0, 1]


def naive(gold: str, ours: str, table: Script) -> tuple[int, int, int]:
    """Words right, sounds right, letters wrong, straight from the definition."""
    words = sounds = wrong = 0
    for a, b in zip(table.word.findall(gold), table.word.findall(ours), strict=True):
        named = []
        for word in (a, b):
            before, rows = "", []
            for x in table.split(word):
                rows.append(set(table.names(x.marks, x.read, before)))
                before = x.marks
            named.append(rows)
        words += named[0] == named[1]
        wrong += sum(x != y for x, y in zip(*named, strict=True))
        grouped = [[{table.groups[n] for n in row if n in table.groups} for row in rows] for rows in named]
        sounds += grouped[0] == grouped[1]
    return words, sounds, wrong


@pytest.mark.parametrize(("table", "letters"), [(HEBREW, "אבושל"), (ARABIC, "ابتلم")])
def test_counts_of_random_marks_match_the_definition(table: Script, letters: str) -> None:
    random = np.random.default_rng(0)
    marks = list(table.targets)

    def line() -> tuple[str, str]:
        bare = [["".join(random.choice(list(letters), random.integers(1, 4)))][0] for _ in range(random.integers(1, 5))]
        sides = [
            " ".join("".join(x + "".join(random.choice(marks, random.integers(0, 2))) for x in w) for w in bare)
            for _ in range(2)
        ]
        return sides[0], sides[1]

    pairs = [line() for _ in range(200)]
    evaluation = evaluate(*corpora([a for a, _ in pairs], [b for _, b in pairs], table), NAMES[:3], resamples=10)
    truth = np.array([naive(a, b, table) for a, b in pairs])
    for column, name in enumerate(NAMES[:3]):
        np.testing.assert_array_equal(parts(evaluation, name)[:, 0], truth[:, column], err_msg=name)


def test_texts_without_words_are_refused() -> None:
    measure = metric("word-accuracy")
    with pytest.raises(CaesuraError, match="need texts with vowel marks"):
        measure([2, 3], [3, 2])
    plain = cs.Segmentation.from_positions([(1, "p")], length=3)
    with pytest.raises(CaesuraError, match="need texts with vowel marks"):
        measure(plain, plain)


def test_empty_texts_score_perfect() -> None:
    gold, ours = corpora(["שָׁלוֹם"], ["שלום"])
    evaluation = evaluate(gold, ours, NAMES, resamples=10)
    assert evaluation["word-accuracy"].micro == 0.0
    assert evaluation["unseen-accuracy"].micro == 1.0


def test_flexible_similarity_uses_sounds() -> None:
    gold, ours = corpora(["שָׁלוֹם רַב"], ["שָׁלוֹם רָב"], words=False, combined=True)
    labels = tuple(sorted({*gold.labels, *ours.labels}))
    strict = evaluate(gold, ours, [metric("Sf", similarity=mark_similarity(labels, 0.0))], resamples=10)["Sf"].micro
    alike = evaluate(gold, ours, [metric("Sf", similarity=mark_similarity(labels, 1.0))], resamples=10)["Sf"].micro
    assert strict < alike == 1.0


@pytest.mark.parametrize("alike", [0.0, 0.3, 1.0])
def test_flexible_similarity_of_sets_equals_that_of_combined_types(alike: float) -> None:
    random = np.random.default_rng(3)
    marks = ["", "ָ", "ַ", "ְ", "ּ", "ָּ", "ַּ", "ִ"]

    def line(letters: list[str]) -> str:
        return "".join(x + str(random.choice(marks)) for x in letters)

    bare = [list(random.choice(list("אבגדהו "), random.integers(1, 12))) for _ in range(60)]
    gold, ours = ([line(["ל", *x]) for x in bare] for _ in range(2))
    plain = corpora(gold, ours, words=False, combined=True)
    labels = tuple(sorted({*plain[0].labels, *plain[1].labels}))
    combined = evaluate(*plain, [metric("Sf", similarity=mark_similarity(labels, alike))], resamples=10)["Sf"]
    sets = evaluate(*corpora(gold, ours), [metric("Sf-marks", alike=alike)], resamples=10)["Sf-marks"]
    np.testing.assert_allclose(combined.rows, sets.rows)
    assert combined.micro == pytest.approx(sets.micro)
    assert sets.micro < 1


def test_alike_outside_0_to_1_is_refused() -> None:
    with pytest.raises(CaesuraError, match="from 0 to 1"):
        metric("Sf-marks", alike=2.0)


def test_marked_text_is_read_and_written(tmp_path) -> None:
    path = tmp_path / "a.marked"
    path.write_text("כָּל־הַיּוֹם\n\nסוּס, abc\n", encoding="utf-8")
    corpus = read(Source.open(path))
    assert corpus.items == ("1", "3")
    assert corpus["1", ""].units == tuple("כלהיום")
    assert (2, "word") in corpus["1", ""].marks
    assert (2, "shuruq") in corpus["3", ""].marks
    canonical = " ".join(map(HEBREW.canonical, ["כָּל", "הַיּוֹם"]))
    assert write(corpus) == f"{canonical}\n{HEBREW.canonical('סוּס')}\n"
    cs.write(corpus, tmp_path / "b.marked", lossy=True)
    again = cs.read(tmp_path / "b.marked")
    assert again["1", ""] == corpus["1", ""]
    path.write_text("nothing\n", encoding="utf-8")
    with pytest.raises((CaesuraError, FormatError), match="no Hebrew or Arabic letters"):
        read(Source.open(path))
    path.write_text("abc\n", encoding="utf-8")
    with pytest.raises(CaesuraError, match="did you mean 'hebrew'"):
        read(Source.open(path), marks="hebrow")
