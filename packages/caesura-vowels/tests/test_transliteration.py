"""Latin letters in and out, scripts made from tables, and probabilities of lines."""

from __future__ import annotations

import json
import lzma
import os
import pickle
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from caesura.cli.main import program
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura_vowels import VowelRestorer, load_corpus, samples, scripts
from caesura_vowels.line_scores import LineScores, save_path_drawing
from caesura_vowels.scripts import ARABIC, HEBREW, Script, register_script, script
from caesura_vowels.transliteration import from_latin, to_latin

SYRIAC = {
    "name": "syriac",
    "letters": "ܐ-ܬ",
    "signs": "\u0740-\u074a",
    "marks": {"pthaha": "\u0730", "zqapha": "\u0733", "rbasa": "\u0736", "hbasa": "\u073a", "esasa": "\u073d"},
    "sounds": {"pthaha": "a", "zqapha": "a", "rbasa": "e", "hbasa": "i", "esasa": "u"},
}
PSALM = ["ܡܰܠܟܳܐ ܛܳܒܳܐ", "ܡܰܠܟܳܐ ܪܰܒܳܐ", "ܟܬܳܒܳܐ ܛܳܒܳܐ", "ܡܶܠܟܳܐ ܕܡܰܠܟܳܐ"] * 6


@pytest.fixture(autouse=True)
def own_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without the table of the documentation, which has the same name."""
    registered = {name: each for name, each in scripts._REGISTERED.items() if name != "syriac"}
    monkeypatch.setattr(scripts, "_REGISTERED", registered)


def run(*arguments: str, given: str = "") -> str:
    found = CliRunner().invoke(program, list(arguments), input=given)
    assert found.exit_code == 0, found.output
    return found.stdout


def test_both_transliterations_can_be_read_again() -> None:
    for lines, letters, scheme in (
        (samples.HEBREW, HEBREW, "michigan-claremont"),
        (samples.ARABIC, ARABIC, "buckwalter"),
    ):
        for line in lines:
            for word in map(letters.canonical, letters.word.findall(line)):
                latin = to_latin(word, scheme, letters)
                assert latin.isascii()
                assert from_latin(latin, scheme) == word.replace("\u05c7", "\u05b8")


@pytest.mark.parametrize(
    ("latin", "hebrew"),
    [
        ("$FLOWM", "שָׁלוֹם"),
        ("(FWON", "עָוֹן"),
        ("MIC:WFH", "מִצְוָה"),
        ("73MEL/EK:01", "מֶלֶךְ"),  # accents and the division of morphemes are left out
        ("Y:RW.$FLA:MFH", "יְרוּשָׁלְַמָה"),  # a sheva and a patah on one letter are no hataf patah
    ],
)
def test_michigan_claremont(latin: str, hebrew: str) -> None:
    assert from_latin(latin, "michigan-claremont") == HEBREW.canonical(hebrew)
    assert from_latin(to_latin(hebrew, "michigan-claremont"), "michigan-claremont") == HEBREW.canonical(hebrew)


def test_sounds() -> None:
    assert to_latin("בְּרֵאשִׁית בָּרָא אֱלֹהִים", "phonetic") == "bereshit bara elohim"
    assert to_latin("הַכָּתוּב תּוֹרָה", "phonetic") == "hakatuv tora"
    assert to_latin("كِتَابٌ وَرَبِّي", "phonetic", ARABIC) == "kitābun warabbī"
    assert to_latin("بِسْمِ اللَّهِ الرَّحْمَٰنِ", "phonetic", ARABIC) == "bismi llahi rraḥmāni"
    assert to_latin("كُلُّ الْكِتَابِ", "phonetic", ARABIC) == "kullu lkitābi"


def test_the_latin_quran_is_read_as_sounds() -> None:
    verse = "1|7|<u>S</U>ir<u>at</U>a alla<u>th</U>eena anAAamta"
    assert from_latin(verse, "tanzil") == "ṣirāṭa ʾallaḏīna ʾanʿamta"
    assert from_latin(verse, "tanzil-plain") == "sirata ʾallaṯīna ʾanʿamta"
    latin = script("arabic-latin")
    assert latin.read("ʾallaḏīna") == "ʾllḏīn"
    file = Path(os.environ.get("CAESURA_SHARED", "../shared")) / "data" / "papers" / "quran-transliteration.txt.xz"
    if not file.is_file():
        pytest.skip("the Qur'an in Latin letters is not here")
    text = from_latin(lzma.decompress(file.read_bytes()).decode("utf-8"), "tanzil")
    assert not set(text) & set("<>|")


def test_a_file_that_is_not_there_is_no_corpus_of_another_kind(tmp_path) -> None:
    for more in ((), ("--from-latin", "buckwalter"), ("--encoding", "cp1255")):
        found = CliRunner().invoke(program, ["vowels", "evaluate", str(tmp_path / "none.txt"), *more])
        assert "none.txt: there is no such file" in str(found.exception)
    found = CliRunner().invoke(program, ["vowels", "evaluate", "quran", "--from-latin", "buckwalter"])
    assert "--from-latin has no effect with quran: it is for text files" in found.output + str(found.exception)


def test_unknown_and_unfit_transliterations_are_refused() -> None:
    with pytest.raises(UnknownName):
        from_latin("x", "wylie")
    with pytest.raises(CaesuraError, match="only written"):
        from_latin("x", "phonetic")
    with pytest.raises(CaesuraError, match="does not write Arabic"):
        to_latin("x", "michigan-claremont", ARABIC)
    with pytest.raises(CaesuraError, match="no transliteration does, so leave it out"):
        to_latin("x", "phonetic", script("arabic-latin"))


def test_buckwalter_keeps_alef_wasla_and_leaves_out_signs() -> None:
    assert to_latin("ٱلْحَمْدُ ٱللَّهِ", "buckwalter", ARABIC) == "{loHamodu {ll~ahi"
    assert to_latin("عَلِيمٌ\u06d6", "buckwalter", ARABIC) == "EaliymN"


def test_commands_read_and_write_latin_letters(tmp_path) -> None:
    (tmp_path / "text.txt").write_text("D.FWID RFB\nD.FWID B.F)\n", encoding="utf-8")
    model = str(tmp_path / "a.model")
    run("vowels", "train", str(tmp_path / "text.txt"), "--from-latin", "michigan-claremont", "-o", model)
    latin = ["--from-latin", "michigan-claremont", "--to-latin", "michigan-claremont"]
    assert run("vowels", "restore", model, *latin, given="DWD B)\n") == "D.FWID B.F)\n"
    refused = CliRunner().invoke(program, ["vowels", "restore", model, "--from-latin", "buckwalter"], input="kataba")
    assert refused.exit_code != 0
    assert load_corpus("text", tmp_path / "text.txt", latin="michigan-claremont").language == "hebrew"


# ---------------------------------------------------------------------- scripts of one's own


def test_a_table_makes_a_script_for_restorers_metrics_and_files(tmp_path) -> None:
    syriac = register_script(SYRIAC)
    assert register_script(dict(SYRIAC)) is syriac
    assert pickle.loads(pickle.dumps(syriac)) is syriac
    for model in ("unigram", "hmm", "open"):
        restorer = VowelRestorer("syriac", model, held_out=0).fit(PSALM)
        assert restorer.restore("ܡܠܟܐ ܛܒܐ!") == "ܡܰܠܟܳܐ ܛܳܒܳܐ!"
        restorer.save(tmp_path / "syriac.model")
        assert VowelRestorer.load(tmp_path / "syriac.model").restore("ܟܬܒܐ") == "ܟܬܳܒܳܐ"
    with pytest.raises(CaesuraError, match="Hebrew and Arabic"):
        VowelRestorer("syriac", "neural")


def test_a_table_from_the_shell(tmp_path) -> None:
    tables = {key: SYRIAC[key] for key in ("marks", "sounds")}
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in SYRIAC.items() if key not in tables)
    for key, table in tables.items():
        text += f"[{key}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items())
    (tmp_path / "syriac.toml").write_text(text, encoding="utf-8")
    (tmp_path / "text.txt").write_text("\n".join(PSALM), encoding="utf-8")
    shared = [str(tmp_path / "text.txt"), "--script", str(tmp_path / "syriac.toml")]
    run("vowels", "train", *shared, "-o", str(tmp_path / "a.model"))
    assert run("vowels", "restore", str(tmp_path / "a.model"), given="ܡܠܟܐ\n") == "ܡܰܠܟܳܐ\n"
    measured = json.loads(run("vowels", "evaluate", *shared, "--json"))
    assert 0 < measured["seed 0"]["group-accuracy"]["value"] <= 1
    (tmp_path / "syriac.toml").write_text("name = ", encoding="utf-8")
    assert CliRunner().invoke(program, ["vowels", "evaluate", *shared]).exit_code != 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "hebrew"}, "name of the script"),
        ({"letters": ""}, "letters"),
        ({"letters": "z-a"}, "ends before it begins"),
        ({"marks": {"a": "ab"}}, "single characters"),
        ({"sounds": {"other": "a"}}, "sounds"),
        ({"slots": [["pthaha"]]}, "slots"),
        ({"slots": [1]}, "slots"),
        ({"slots": [[1], []]}, "slots"),
        ({"folds": {"ab": "c"}}, "folds"),
        ({"marks": {"a": "\u0730", "b": "\u0730"}, "sounds": {}}, "different characters"),
        ({"letters": "ܐ-\u074a"}, "not letters"),
        ({"signs": "\n"}, "white space"),
        ({"pattern": "(a+)+"}, "no 'pattern'"),
    ],
)
def test_wrong_tables_are_refused(change, why) -> None:
    with pytest.raises(CaesuraError, match=why):
        Script.from_table({**SYRIAC, **change})


def test_signs_of_regular_expressions_are_letters() -> None:
    odd = Script.from_table({"name": "odd", "letters": "[]^(b-d", "marks": {"dot": "."}})
    assert odd.word.findall("[.^c] z (.") == ["[.^c]", "(."]


def test_a_model_with_another_table_of_the_same_name_is_refused(tmp_path) -> None:
    register_script(SYRIAC)
    with pytest.raises(CaesuraError, match="another script with the name"):
        register_script({**SYRIAC, "sounds": {}})
    VowelRestorer("syriac", "unigram").fit(PSALM).save(tmp_path / "a.model")
    del scripts._REGISTERED["syriac"]
    register_script({**SYRIAC, "sounds": {}})
    with pytest.raises(FormatError, match="another script"):
        VowelRestorer.load(tmp_path / "a.model")


# ---------------------------------------------------------------------- p(W)


@pytest.mark.parametrize("unseen", ["bigrams", "unigrams"])
def test_probability_of_a_line_is_the_sum_over_all_paths(unseen) -> None:
    restorer = VowelRestorer("hebrew", "hmm", unseen=unseen, held_out=0).fit(samples.HEBREW)
    hmm, words = restorer.fitted, len(restorer.fitted.lexicon)
    for history in range(0, words + 2, 9):
        total = sum(np.exp(hmm.katz.log_probability(word, history)) for word in range(words + 1))
        assert total == pytest.approx(1, abs=1e-6)
    number = {form: n for n, form in enumerate(hmm.lexicon.pointed)}
    for line in ("ספר ספר הילד", "ספר זפטק ספר"):
        states = [[number[f] for f in hmm.lexicon.candidates(word)] or [words] for word in line.split()]
        paths = [
            sum(hmm.katz.log_probability(b, a) for a, b in zip((words + 1, *path), path, strict=False))
            for path in product(*states)
        ]
        assert restorer.log_probability(line)[0] == pytest.approx(np.log(np.exp(paths).sum()))
        assert sum(step.log_probability for step in restorer.best_path(line)) == pytest.approx(max(paths))
        forms = [step.form or step.word for step in restorer.best_path(line)]
        assert " ".join(forms) == restorer.restore(line)
    assert restorer.log_probability("\n12\n") == [0.0, 0.0]
    with pytest.raises(CaesuraError, match="needs the model 'hmm'"):
        VowelRestorer("hebrew", "unigram").fit(samples.HEBREW).log_probability("ספר")
    with pytest.raises(CaesuraError, match="unseen is"):
        VowelRestorer(unseen="trigrams")
    for call in (restorer.log_probability, restorer.best_path, restorer.restore):
        with pytest.raises(CaesuraError, match="expected a text, not int"):
            call(3)
    with pytest.raises(CaesuraError, match="one line, this text has 2"):
        restorer.best_path("ספר\nספר")


def test_score_command(tmp_path) -> None:
    model = tmp_path / "a.model"
    VowelRestorer("hebrew", "hmm").fit(samples.HEBREW).save(model)
    shown = run("vowels", "score", str(model), "--draw", str(tmp_path / "path.svg"), given="\nהילד קורא ספר\n")
    assert "ln p(W)" in shown
    assert "<svg" in (tmp_path / "path.svg").read_text(encoding="utf-8")
    lines = json.loads(run("vowels", "score", str(model), "--json", given="\nהילד קורא ספר\n"))["lines"]
    assert [line["number"] for line in lines] == [2]
    assert LineScores.of(VowelRestorer.load(model), "הילד").lines[0].words == 1
    assert CliRunner().invoke(program, ["vowels", "score", str(model)], input="english").exit_code != 0


def test_dots_without_letters_stay_dots() -> None:
    assert from_latin("DFWID ... : B.", "michigan-claremont") == "דָוִד ... : בּ"
    assert from_latin("hello!! BR)$YT??", "michigan-claremont") == "hello!! בראשׁית??"


def test_a_path_in_letters_that_the_font_of_matplotlib_does_not_have(tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    register_script(SYRIAC)
    restorer = VowelRestorer("syriac", "hmm").fit(PSALM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save_path_drawing(restorer, "ܡܠܟܐ ܛܒܐ", tmp_path / "path.svg")
    drawn = (tmp_path / "path.svg").read_text(encoding="utf-8")
    assert ">ܡܠܟܐ<" in drawn, "text, for the fonts of the browser"
    assert drawn.count(">UNSEEN<") == 1, "the state of unseen words, beside the path"
    with pytest.warns(UserWarning, match="no Syriac letters"):
        save_path_drawing(restorer, "ܡܠܟܐ ܛܒܐ", tmp_path / "path.png")


def test_lexicon_and_k_of_evaluate(tmp_path) -> None:
    (tmp_path / "words.txt").write_text("\n".join(samples.HEBREW), encoding="utf-8")
    plain = json.loads(run("vowels", "evaluate", "sample", "--json"))["seed 0"]
    known = json.loads(run("vowels", "evaluate", "sample", "--lexicon", str(tmp_path / "words.txt"), "--json"))[
        "seed 0"
    ]
    assert known["word-accuracy"]["value"] > plain["word-accuracy"]["value"]
    assert json.loads(run("vowels", "evaluate", "sample", "--rare", "5", "--unseen", "unigrams", "--json"))
