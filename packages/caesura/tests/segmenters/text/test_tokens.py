"""The named tokenizations, languages and the Porter stemmer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from caesura.errors import MissingExtra
from caesura.segmenters.text.english import stem
from caesura.segmenters.text.tokens import Bags, Tokenizer


def test_plain_tokens_are_stemmed_words_without_stop_words() -> None:
    assert Tokenizer().tokenize("The SHIP'S captains' ropes; twenty-one co-operations in 1868!") == [
        "ship'", "captain", "rope", "twenty-on", "co-oper",
    ]  # fmt: skip
    assert Tokenizer(numbers=True).tokenize("in 1868") == ["1868"]
    assert Tokenizer(language="none").tokenize("The ships sailed") == ["the", "ships", "sailed"]


def test_combining_marks_stay_and_unspaced_scripts_give_pairs() -> None:
    assert Tokenizer(language="none").tokenize("שָׁלוֹם עולם") == ["שָׁלוֹם", "עולם"]
    assert Tokenizer(language="none").tokenize("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert Tokenizer(language="none").tokenize("我们去 sea 边") == ["我们", "们去", "sea", "边"]


def test_choi_and_mcs_tokens_follow_the_published_programs() -> None:
    choi = Tokenizer("choi", stopwords={"the"}, stems={"--": "", "ran": "run"})
    assert choi.tokenize("The dog -- ran , 3rd well-known U.S. dogs") == ["dog", "", "run", "well-known", "dog"]
    mcs = Tokenizer("mcs", stopwords={"having", "the"})
    assert mcs.tokenize("The dog's $5 has-been; have possibly") == ["dog", "s", "$5", "ha", "been", "possibl"]
    assert Tokenizer("mcs", stopwords={"the"}).bags(["the dog the cat"]).all_types == 3


def test_callable_tokens_give_bags() -> None:
    bags = Tokenizer(str.split).bags(["a b a", "", "c a"])
    assert (bags.types, len(bags), bags.offsets.tolist()) == (3, 3, [0, 3, 3, 5])
    assert [bags.names[t] for t in bags.tokens] == ["a", "b", "a", "c", "a"]
    assert bags.vectors().sum(axis=0).tolist() == [3, 1, 1]
    back = bags.reversed()
    assert [back.names[t] for t in back.tokens] == ["c", "a", "a", "b", "a"]
    assert isinstance(Bags.from_words(np.array([-1, 0], np.int32), np.array([0, 2]), ["x"], 2), Bags)


def test_tokenizer_can_be_pickled() -> None:
    tokenizer = Tokenizer(stopwords=["ship"])
    tokenizer.tokenize("ship sea")
    assert pickle.loads(pickle.dumps(tokenizer)).tokenize("ship sea") == ["sea"]


def test_other_languages_have_stop_words_and_stems() -> None:
    pytest.importorskip("snowballstemmer")
    pytest.importorskip("stopwordsiso")
    assert Tokenizer(language="de").tokenize("Die Häuser und das Haus") == ["haus", "haus"]
    assert Tokenizer(language="german").tokenize("und die Häuser") == ["haus"]
    assert Tokenizer(language="xx").tokenize("und Häuser") == ["und", "häuser"]


def test_missing_language_data_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from caesura.segmenters.text import tokens

    tokens._stop_words.cache_clear()
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(MissingExtra, match=r"caesura\[text\]"):
        Tokenizer(language="fi").tokenize("talo")
    tokens._stop_words.cache_clear()


@pytest.mark.parametrize(
    ("word", "expected"),
    [("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("conflated", "conflat"),
     ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("digitizer", "digit"),
     ("radically", "radic"), ("vietnamization", "vietnam"), ("formalize", "formal"), ("revival", "reviv"), ("adoption", "adopt"),
     ("probate", "probat"), ("cease", "ceas"), ("controll", "control"), ("archaeology", "archaeolog"), ("by", "by")],
)  # fmt: skip
def test_porter_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_of_is_a_deprecated_name_of_tokenize() -> None:
    with pytest.warns(DeprecationWarning, match="use Tokenizer.tokenize"):
        assert Tokenizer().of("ships sail") == ["ship", "sail"]
