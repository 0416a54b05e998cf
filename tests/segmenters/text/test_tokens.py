"""Words of units, in every named way."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from caesura.errors import MissingExtra
from caesura.segmenters.text.porter import stem
from caesura.segmenters.text.tokens import Bags, Tokenizer


def test_plain_words() -> None:
    assert Tokenizer().of("The SHIP'S captains' ropes; twenty-one co-operations in 1868!") == [
        "ship'", "captain", "rope", "twenty-on", "co-oper",
    ]  # fmt: skip
    assert Tokenizer(numbers=True).of("in 1868") == ["1868"]
    assert Tokenizer(language="none").of("The ships sailed") == ["the", "ships", "sailed"]


def test_marks_belong_to_letters_and_unspaced_scripts_come_in_pairs() -> None:
    assert Tokenizer(language="none").of("שָׁלוֹם עולם") == ["שָׁלוֹם", "עולם"]
    assert Tokenizer(language="none").of("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert Tokenizer(language="none").of("我们去 sea 边") == ["我们", "们去", "sea", "边"]


def test_choi_and_mcs() -> None:
    choi = Tokenizer("choi", stopwords={"the"}, stems={"--": "", "ran": "run"})
    assert choi.of("The dog -- ran , 3rd well-known U.S. dogs") == ["dog", "", "run", "well-known", "dog"]
    mcs = Tokenizer("mcs", stopwords={"having", "the"})
    assert mcs.of("The dog's $5 has-been; have possibly") == ["dog", "s", "$5", "ha", "been", "possibl"]
    assert Tokenizer("mcs", stopwords={"the"}).bags(["the dog the cat"]).met == 3


def test_own_tokens_and_bags() -> None:
    bags = Tokenizer(str.split).bags(["a b a", "", "c a"])
    assert (bags.types, len(bags), bags.offsets.tolist()) == (3, 3, [0, 3, 3, 5])
    assert [bags.names[t] for t in bags.tokens] == ["a", "b", "a", "c", "a"]
    assert bags.vectors().sum(axis=0).tolist() == [3, 1, 1]
    back = bags.reversed()
    assert [back.names[t] for t in back.tokens] == ["c", "a", "a", "b", "a"]
    assert isinstance(Bags.from_words(np.array([-1, 0], np.int32), np.array([0, 2]), ["x"], 2), Bags)


def test_a_tokenizer_travels() -> None:
    tokenizer = Tokenizer(stopwords=["ship"])
    tokenizer.of("ship sea")
    assert pickle.loads(pickle.dumps(tokenizer)).of("ship sea") == ["sea"]


def test_other_languages() -> None:
    pytest.importorskip("snowballstemmer")
    pytest.importorskip("stopwordsiso")
    assert Tokenizer(language="de").of("Die Häuser und das Haus") == ["haus", "haus"]
    assert Tokenizer(language="german").of("und die Häuser") == ["haus"]
    assert Tokenizer(language="xx").of("und Häuser") == ["und", "häuser"]


def test_languages_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from caesura.segmenters.text import tokens

    tokens._stop_words.cache_clear()
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(MissingExtra, match=r"caesura\[text\]"):
        Tokenizer(language="fi").of("talo")
    tokens._stop_words.cache_clear()


@pytest.mark.parametrize(
    ("word", "expected"),
    [("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"), ("conflated", "conflat"),
     ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("digitizer", "digit"),
     ("radically", "radic"), ("vietnamization", "vietnam"), ("formalize", "formal"), ("revival", "reviv"), ("adoption", "adopt"),
     ("probate", "probat"), ("cease", "ceas"), ("controll", "control"), ("archaeology", "archaeolog"), ("by", "by")],
)  # fmt: skip
def test_porter(word: str, expected: str) -> None:
    assert stem(word) == expected
