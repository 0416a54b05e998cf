"""The restorer: nothing but marks is added; files are safe; what cannot be done is said in a sentence."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura_vowels import VowelRestorer, samples
from caesura_vowels.models import MODELS
from caesura_vowels.scripts import script
from caesura_vowels.storage import VERSION

HEBREW = [
    "שָׁלוֹם עֲלֵיכֶם", "שָׁלוֹם רָב לְכֻלָּם", "הַיֶּלֶד קָרָא סֵפֶר", "הַסַּפָּר סָפַר אֶת הַכֶּסֶף", "קָרָא סֵפֶר טוֹב",
    "אֲנִי קוֹרֵא סֵפֶר", "הַיַּלְדָּה כָּתְבָה מִכְתָּב", "הוּא כָּתַב מִכְתָּב אָרֹךְ",
]  # fmt: skip
ARABIC = ["كَتَبَ الوَلَدُ الدَّرْسَ", "كُتُبٌ كَثِيرَةٌ", "قَرَأَ الوَلَدُ كِتَابًا", "كَتَبَتْ البِنْتُ رِسَالَةً"]


@pytest.fixture(scope="module", params=sorted(set(MODELS) - {"neural"}))  # which has tests of its own, and an extra
def restorers(request) -> dict[str, VowelRestorer]:
    return {
        "hebrew": VowelRestorer("hebrew", request.param, epochs=2).fit(HEBREW),
        "arabic": VowelRestorer("arabic", request.param, epochs=2).fit(ARABIC),
    }


TEXT = st.text(
    alphabet=st.sampled_from("אבגהושלםתכסר ־׃ab1,.\n\rְִַָּֽׁׂ֑" + "ابتلمكـٱࣰَِّْٰٓٔۡ" + "שׁ\u200d")
    | st.characters(exclude_categories=["Cs"]),
    max_size=60,
)


@settings(deadline=None, max_examples=60)
@given(TEXT)
def test_stripping_the_output_gives_the_input(restorers, text: str) -> None:
    for restorer in restorers.values():
        strip = restorer.script.strip
        assert strip(restorer.restore(text)) == strip(text)
        assert restorer.restore(strip(text)).translate(restorer.script._strip_table) == strip(text)


def test_training_lines_are_restored(restorers) -> None:
    for language, lines in (("hebrew", HEBREW), ("arabic", ARABIC)):
        restorer = restorers[language]
        bare = [restorer.script.strip(line) for line in lines]
        right = [a == b for a, b in zip(restorer.restore_lines(bare), map(_canonical(restorer), lines), strict=True)]
        assert np.mean(right) >= 0.5
        assert restorer.restore("\n".join(bare)).split("\n") == list(restorer.restore_lines(bare))


def _canonical(restorer):
    return lambda line: " ".join(restorer.script.canonical(w) for w in line.split())


def test_other_scripts_are_unchanged(restorers) -> None:
    for restorer in restorers.values():
        for text in ("", "   \n", "plain Latin, 123\t", "ְִ a mark without a letter", "\ufeff\u200f"):
            assert restorer.restore(text) == text
        assert restorer.restore_nbest("no word here") == []


def test_context_decides() -> None:
    restorer = VowelRestorer(model="hmm").fit(HEBREW)
    assert restorer.restore("קרא ספר") == "קָרָא סֵפֶר"
    assert restorer.restore("הספר ספר") == _canonical(restorer)("הַסַּפָּר סָפַר")


def test_marks_in_the_text_are_kept_replaced_or_used(restorers) -> None:
    restorer = restorers["hebrew"]
    given_marks = "סָפר"
    kept = restorer.restore(given_marks)
    assert kept.startswith("סָ")
    restorer.set_params(existing="replace")
    assert restorer.restore("קרא " + given_marks) == restorer.restore("קרא ספר")
    restorer.set_params(existing="keep")
    decided = restorer.restore("קרא " + given_marks)
    assert decided.startswith("קָרָא סָפ")
    assert restorer.model == "best" or decided == "קָרָא סָפַר"  # the taggers may spell a form of their own


def test_each_slot_of_a_letter_is_filled_beside_what_is_given(restorers) -> None:
    for language, lines in (("hebrew", HEBREW), ("arabic", ARABIC)):
        restorer = restorers[language]
        script = restorer.script
        gold = [script.canonical(word) for line in lines for word in script.word.findall(line)]
        text = "\n".join(lines)
        bare = _right(restorer, gold, script.strip(text))
        for slot in script.slots:
            others = {ord(m): None for m in script.targets if m not in slot}
            given_slot = text.translate(others)
            assert _right(restorer, gold, given_slot) >= bare, slot
            assert restorer.restore(given_slot).translate(others) == given_slot.translate(others)


def _right(restorer, gold: list[str], text: str) -> int:
    words = map(restorer.script.canonical, restorer.script.word.findall(restorer.restore(text)))
    return sum(a == b for a, b in zip(gold, words, strict=True))


def test_given_marks_decide_even_where_no_known_form_has_them(restorers) -> None:
    restorer = restorers["hebrew"]
    for text in ("סֻפר", "שׂלום", "מִכתּב אָרֹך"):
        done = restorer.restore(text)
        for letter, whole in zip(restorer.script.split(text), restorer.script.split(done), strict=False):
            assert not restorer.script.contradictions(whole.marks, letter.marks)
    if restorer.model in ("open", "best"):
        assert all(x.marks for x in restorer.script.split(restorer.restore("סֻפר"))[:2])  # spelled around the qubuts


def test_letters_are_kept_as_written(restorers) -> None:
    for language, text in (
        ("hebrew", 'צה"ל קרא \ufb2aלום ח\u05f2ם'),
        ("arabic", "\u06a9تب \ufe8d\ufedfولد \ufefb \u0627\u0654"),
    ):
        restorer = restorers[language]
        done = restorer.restore(text)
        assert restorer.script.strip(done) == restorer.script.strip(text)
    assert restorers["arabic"].restore("\u06a9تب") == restorers["arabic"].restore("كتب").replace("ك", "\u06a9")


def test_forms_that_become_the_same_with_the_marks_of_the_text_are_one(restorers) -> None:
    forms = [
        form for form, _ in restorers["hebrew"].restore_nbest("סֲפר", n=20)[0].alternatives
    ]  # no form has this mark
    assert len(forms) == len(set(forms)) > 1


def test_nbest_and_probability(restorers) -> None:
    restorer = restorers["hebrew"]
    text = "הוא ספר, ספר"
    words = restorer.restore_nbest(text, n=2)
    assert [text[w.start : w.start + len(w.word)] for w in words] == [w.word for w in words] == ["הוא", "ספר", "ספר"]
    for word in words:
        shares = [p for _, p in word.alternatives]
        assert shares == sorted(shares, reverse=True)
        assert 0 <= sum(shares) <= 1 + 1e-9
    assert [w for w, _ in restorer.probability(text)] == [w.alternatives[0][0] for w in words]


def test_a_saved_model_restores_the_same(restorers, tmp_path) -> None:
    for language, restorer in restorers.items():
        path = tmp_path / f"{language}.model"
        restorer.save(path)
        again = VowelRestorer.load(path)
        text = restorer.script.strip("\n".join(HEBREW + ARABIC + ["ספרים ומכתבים", "كتابات الأولاد"]))
        assert again.restore(text) == restorer.restore(text)
        assert again.restore_nbest(text, 9) == restorer.restore_nbest(text, 9)  # to the last bit of every probability
        assert again.get_params()["model"] == restorer.model


@pytest.mark.parametrize("name", ["hebrew-unigram", "hebrew-hmm", "hebrew-open", "arabic-hmm"])
def test_models_saved_by_0_1_still_load(name: str) -> None:
    """They were trained on the built-in lines, which they give back, and were saved by version 0.1."""
    restorer = VowelRestorer.load(Path(__file__).parent / "saved_by_0.1" / f"{name}.model")
    lines = {"hebrew": samples.HEBREW, "arabic": samples.ARABIC}[restorer.language]
    gold = [" ".join(map(restorer.script.canonical, line.split())) for line in lines[:4]]
    assert [restorer.restore(restorer.script.strip(line)) for line in lines[:4]] == gold
    again = VowelRestorer(restorer.language, restorer.model).fit(lines)
    assert list(again.restore_lines(map(again.script.strip, lines))) == list(
        restorer.restore_lines(map(restorer.script.strip, lines))
    )


def test_damaged_models_are_refused(tmp_path) -> None:
    path = tmp_path / "m.model"
    VowelRestorer().fit(HEBREW).save(path)
    raw, current = path.read_bytes(), f"model {VERSION}\n".encode()
    for broken, why in (
        (raw[:-10], "damaged"),
        (raw[:-1] + bytes([raw[-1] ^ 1]), "damaged"),
        (raw.replace(current, b"model 9\n", 1), f"version 9, expected {VERSION}"),
        (raw.replace(current, b"model 1\n", 1), f"version 1, expected {VERSION}; train it again"),
        (raw.replace(b'"arrays"', b'"errors"', 1), "arrays cannot be read"),
        (raw.replace(b"<i4", b"|O8", 1), "arrays cannot be read"),
        (raw.replace(b"lexicon_bare", b"lexicon_bore", 1), "a part of this model is missing"),
        (b"PK something else", "not a vowel model"),
        (b"", "not a vowel model"),
    ):
        path.write_bytes(broken)
        with pytest.raises(FormatError, match=why):
            VowelRestorer.load(path)
    with pytest.raises(FormatError, match="no such file"):
        VowelRestorer.load(tmp_path / "none.model")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["שלום רב"], "has no marks to learn from"),
        (["plain text"], "has no Hebrew letters"),
        (ARABIC, "has no Hebrew letters; check the language"),
        ([], "has no Hebrew letters"),
    ],
)
def test_text_without_marks_or_letters_is_refused(lines: list[str], why: str) -> None:
    with pytest.raises(CaesuraError, match=why):
        VowelRestorer("hebrew").fit(lines)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"language": "greek"}, "there is no script 'greek'"),
        ({"model": "hm"}, "did you mean 'hmm'"),
        ({"missing": "short"}, "for Arabic only"),
        ({"existing": "drop"}, "expected 'keep', 'constrain' or 'replace'"),
        ({"order": 5}, "order is 5; expected a whole number from 2 to 3"),
        ({"epochs": 0}, "epochs is 0"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict, why: str) -> None:
    with pytest.raises((CaesuraError, UnknownName), match=why):
        VowelRestorer(**parameters)


def test_untrained_restorer_is_refused() -> None:
    with pytest.raises(CaesuraError, match="is not trained"):
        VowelRestorer().restore("שלום")
    with pytest.raises(CaesuraError, match="n is 0"):
        VowelRestorer().fit(HEBREW).restore_nbest("שלום", 0)


def test_words_of_the_lexicon_are_known() -> None:
    restorer = VowelRestorer(lexicon=["תּוֹכְנָה"]).fit(HEBREW)
    assert restorer.restore("תוכנה") == restorer.script.canonical("תּוֹכְנָה")
    with pytest.raises(CaesuraError, match="no word of the lexicon has Hebrew letters with marks, such as 'software'"):
        VowelRestorer(lexicon=["software", "תוכנה"]).fit(HEBREW)


def test_public_names_are_available() -> None:
    assert cs.vowels.VowelRestorer is VowelRestorer
    assert VowelRestorer().get_params()["language"] == "hebrew"


def test_a_line_of_a_million_words() -> None:
    restorer = VowelRestorer(model="hmm").fit(HEBREW)
    out = restorer.restore("קרא ספר " * 500_000)
    assert out[:100] == ("קָרָא סֵפֶר " * 20)[:100]
    assert restorer.script.strip(out) == "קרא ספר " * 500_000


def test_very_long_words_take_bounded_memory(restorers) -> None:
    """One word of 1,500 letters among 7,000 took 1.9 GB, and one of 100,000 letters did not end."""
    restorer = restorers["hebrew"]
    text = "קרא ספר\n" * 1000 + "ספ" * 750 + " " + "קר" * 50_000 + "\n" + "ספר קרא\n" * 1000
    tracemalloc.start()
    try:
        done = restorer.restore(text)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
    assert restorer.script.strip(done) == text


def test_long_texts_are_restored_in_parts() -> None:
    text = script("hebrew").strip("\n".join(HEBREW * 3) + "\n\n" + " ".join(HEBREW))
    for model in ("hmm", "open"):
        restorer = VowelRestorer(model=model, existing="constrain").fit(HEBREW)
        whole, words = restorer.restore(text), restorer.restore_nbest(text, 3)
        marked = restorer.restore(HEBREW[0] + "\n" + text)
        restorer.fitted.max_batch_words = 5
        assert restorer.restore(text) == whole
        assert [w.alternatives[0][0] for w in restorer.restore_nbest(text, 3)] == [w.alternatives[0][0] for w in words]
        assert restorer.restore(HEBREW[0] + "\n" + text) == marked


def test_examples_in_the_docs_are_correct() -> None:
    from caesura_vowels import load_corpus

    he = VowelRestorer("hebrew", model="open").fit(load_corpus("sample").lines)
    assert he.restore("הילד קורא ספר") == _canonical(he)("הַיֶּלֶד קוֹרֵא סֵפֶר")
    counted, book = he.restore_nbest("הילד ספר", n=2)[1].alternatives
    assert (counted[0], round(counted[1], 3), book[0], round(book[1], 3)) == ("סָפַר", 0.957, "סֵפֶר", 0.041)
    ar = VowelRestorer("arabic", model="open").fit(load_corpus("sample", language="arabic").lines)
    assert ar.restore("كتب الولد الدرس") == _canonical(ar)("كَتَبَ الوَلَدُ الدَّرْسَ")
    assert [(form, round(share, 3)) for form, share in ar.probability("كتب كثيرة")] == [("كُتُبٌ", 0.951), ("كَثِيرَةٌ", 1.0)]
