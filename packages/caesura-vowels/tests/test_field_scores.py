"""The scores of papers, by hand on small texts, and equal to those published on the authors' own outputs."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.metrics.catalog import metric
from caesura_vowels.benchmark import LEAKED, TEST_SETS, benchmark, score_field
from caesura_vowels.field_scores import field_corpus
from caesura_vowels.scripts import SCRIPTS
from cli.command import caesura, refused
from shared_data import shared


def score(name: str, field: str, gold: str, ours: str) -> float:
    sides = (field_corpus([("1", text)], field)["1", ""] for text in (gold, ours))
    return float(metric(name)(*sides))


@pytest.mark.parametrize(
    ("reading", "letters", "words"),
    [
        ("", 2 / 8, 1.0),
        (":ending=False", 1 / 6, 0.5),
        (":bare=False", 2 / 5, 1.0),
        (":ending=False,bare=False", 1 / 3, 0.5),
    ],
)
def test_four_variants_of_fadel(reading: str, letters: float, words: float) -> None:
    """Eight letters, five of them with a mark; wrong are the t of the first word and the case of the second."""
    gold, ours = "كَتَبَ ، الولَدُ .", "كَتِبَ ، الولَدَ ."
    assert score("DER-fadel" + reading, "fadel", gold, ours) == pytest.approx(letters)
    assert score("WER-fadel" + reading, "fadel", gold, ours) == words


def test_a_class_is_shadda_with_one_mark_and_a_dagger_alef_is_none() -> None:
    assert score("DER-fadel", "fadel", "رَبّ", "رَبَّ") == pytest.approx(1 / 2)
    assert score("DER-fadel", "fadel", "هَٰذا", "هَذا") == 0.0
    assert score("DER-fadel", "fadel", "هذا", "هذا") == 0.0


@pytest.mark.parametrize(
    ("gold", "ours", "expected"),
    [
        # decisions: shin 3 (dagesh, dot, vowel), lamed 2, vav 2, final mem none
        ("שָׁלוֹם", "שָׁלוֹם", (1, 1, 1, 1)),
        ("שָׁלוֹם", "שַׁלוֹם", (6 / 7, 2 / 3, 0, 1)),  # patah for qamats sounds the same
        ("שָׁלוֹם", "שָׂלוֹם", (6 / 7, 2 / 3, 0, 0)),  # sin for shin does not
        ("סוּס", "סֻוס", (4 / 6, 1 / 3, 0, 0)),  # shuruq is a vowel of its vav
        ("בַּיִת טוֹב", "בַיִת טּוֹב", (10 / 12, 4 / 6, 0, 1 / 2)),  # a dagesh is heard in bet, not in tet
        ("לְךָ א", "לךָ אַ", (3 / 5, 1 / 3, 0, 1)),  # a sheva is not heard; a letter alone is no word
        ("אוֹר-יוֹם", "אוֹר-יֹום", (6 / 8, 3 / 5, 1 / 2, 1 / 2)),  # a hyphen parts words
    ],
)
def test_decisions_letters_words_and_sounds_of_hebrew(gold: str, ours: str, expected: tuple[float, ...]) -> None:
    scores = [score(name, "nakdimon", gold, ours) for name in ("DEC", "CHA", "WOR", "VOC")]
    assert scores == pytest.approx(list(expected))


def test_texts_must_be_read_with_the_option_field(tmp_path: Path) -> None:
    plain = field_corpus([("1", "שָׁלוֹם")], "nakdimon")["1", ""]
    with pytest.raises(CaesuraError, match="field='fadel'"):
        metric("DER-fadel")(plain, plain)
    with pytest.raises(UnknownName, match="there is no field 'fadl'"):
        field_corpus([("1", "كتب")], "fadl")
    for name, text in (("gold", "שָׁלוֹם רָב\nסוּס"), ("ours", "שָׁלוֹם רַב\nסוּס")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = ("-f", "marked-text", "-O", "field=nakdimon", "-m", "WOR", "-m", "VOC")
    done = caesura("compare", tmp_path / "gold", tmp_path / "ours", *read, "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["metrics"]
    assert [scores[name]["micro"] for name in ("WOR", "VOC")] == pytest.approx([2 / 3, 1])


ARABIC = ["كَتَبَ الوَلَدُ الدَّرْسَ", "قَرَأَ الوَلَدُ كِتَابًا", "كَتَبَتِ البِنْتُ رِسَالَةً"]
HEBREW = ["הַיֶּלֶד קָרָא סֵפֶר", "הַיֶּלֶד סָפַר כֶּסֶף"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tashkeela-train.txt").write_text("\n".join(ARABIC), encoding="utf-8")
    (tmp_path / "tashkeela-test.txt").write_text("\n".join(ARABIC[:2]), encoding="utf-8")
    for name in (
        "hebrew_diacritized/modern/kol-briut/1.txt",
        "hebrew_diacritized/modern/a/1.txt",
        "hebrew_diacritized/validation/a/1.txt",
        *_test_documents(),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(HEBREW), encoding="utf-8")
    return tmp_path


def _test_documents() -> list[str]:
    return [f"tests/new/expected/{name}" for name in ("wiki/1.txt", "wiki/2.txt", "kol/3.txt", *LEAKED)]


def test_benchmark_table_lists_published_scores(folder: Path) -> None:
    done = caesura("vowels", "benchmark", "tashkeela", folder, "--model", "hmm", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["scores"]["WER"] == {"value": 0.0, "interval": [0.0, 0.0]}
    assert answer["published"]["Shakkelha"] == [2.61, 7.73, 2.11, 4.56]
    assert "trained on tashkeela-train.txt (3 lines) only, validated on a held-out share of it" in answer["about"]
    shown = caesura("vowels", "benchmark", "nakdimon", folder, "--model", "hmm", COLUMNS="160")
    assert "trained on 1 files of modern" in shown.stdout
    assert "validated on hebrew_diacritized/validation/ (2 lines)" in shown.stdout
    assert "tested on 3 documents; 8 of kol" in shown.stdout
    result = benchmark("nakdimon", folder, "hmm")
    assert repr(result) == str(result)
    assert [value for value, _ in result.scores.values()] == [100.0] * 4
    with tarfile.open(folder / "hebrew-modern.tar.xz", "w:xz", preset=0) as archive:
        for part in ("hebrew_diacritized", "tests"):
            archive.add(folder / part, part)
    assert benchmark("nakdimon", folder, "hmm").as_dict() == result.as_dict()


def test_lines_without_letters_are_not_scored(folder: Path) -> None:
    before = benchmark("tashkeela", folder, "hmm").scores
    test = folder / "tashkeela-test.txt"
    test.write_text(f"123, abc\n{test.read_text(encoding='utf-8')}\n***\n", encoding="utf-8")
    assert benchmark("tashkeela", folder, "hmm").scores == before
    test.write_text("123, abc\n", encoding="utf-8")
    assert "the test texts have no Arabic letters" in refused("vowels", "benchmark", "tashkeela", folder)


def test_spelling_conventions_of_validation_lines_are_applied(folder: Path) -> None:
    other = ARABIC[0].split()[0]
    bare = SCRIPTS["arabic"].strip(other)
    (folder / "tashkeela-test.txt").write_text(bare, encoding="utf-8")
    lines = [ARABIC[1], *[bare] * 9]
    (folder / "tashkeela-val.txt").write_text("\n".join(lines), encoding="utf-8")
    assert benchmark("tashkeela", folder, "hmm").scores["WER"][0] == 100
    (folder / "tashkeela-val.txt").write_text("\n".join([*lines, bare]), encoding="utf-8")
    result = benchmark("tashkeela", folder, "hmm")
    assert result.scores["WER"][0] == 0
    assert result.about.endswith(f"spellings taken from the validation lines: {bare}")


def test_missing_and_broken_files_are_refused(folder: Path, tmp_path: Path) -> None:
    assert "there is no benchmark 'tashkela'" in refused("vowels", "benchmark", "tashkela", folder)
    (folder / "tashkeela-test.txt").unlink()
    assert "there is no tashkeela-test.txt" in refused("vowels", "benchmark", "tashkeela", folder)
    (folder / "hebrew-modern.tar.xz").write_bytes(b"no archive")
    with pytest.raises(FormatError, match="not an archive of UTF-8 texts"):
        benchmark("nakdimon", folder)
    assert "no such folder" in refused("vowels", "benchmark", "nakdimon", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert "expected hebrew-modern.tar.xz" in refused("vowels", "benchmark", "nakdimon", tmp_path / "empty")


def test_outputs_of_other_systems_get_their_known_scores() -> None:
    with tarfile.open(shared("data/vowels/hebrew-modern.tar.xz"), "r:xz") as archive:
        texts = {
            member.name: archive.extractfile(member).read().decode()
            for member in archive
            if member.isfile() and member.name.startswith("tests/new/")
        }
    gold, ours = (
        sorted((name.removeprefix(start), text) for name, text in texts.items() if name.startswith(start))
        for start in ("tests/new/expected/", "tests/new/Morfix/")
    )
    gold, ours = ([pair for pair in side if pair[0] not in LEAKED] for side in (gold, ours))
    assert len(gold) == 102
    scores = score_field(TEST_SETS["nakdimon"], gold, ours)
    assert [round(value, 2) for value, _ in scores.values()] == list(TEST_SETS["nakdimon"].published["Morfix"])
