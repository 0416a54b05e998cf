"""The best model with a network: its weight is learnt from lines that neither saw, and it is kept in the one file."""

import tracemalloc
from copy import deepcopy

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura_vowels import VowelRestorer
from caesura_vowels.best import Best
from caesura_vowels.lexicon import hash_lines, read_lines, refuse_seen_lines, unseen_lines
from caesura_vowels.models import Words
from caesura_vowels.network import LetterScores
from caesura_vowels.restorer import SHIPPED_MODELS
from caesura_vowels.samples import ARABIC
from caesura_vowels.samples import HEBREW as SAMPLE
from caesura_vowels.scripts import HEBREW, script
from cli.command import refused

OPTIONS = {"order": 3, "letter_order": 5, "seed": 0, "epochs": 2}
SMALL = SHIPPED_MODELS / "hebrew-biblical-small.model"


class Oracle:
    """Stands in for a network: sure of the right marks of every word it is told, or of the wrong ones."""

    def __init__(self, known: list[str], *, right: bool) -> None:
        self.slots = (("", "\u05c1", "\u05c2"), ("", "\u05bc"), ("", *HEBREW.slots[2]))
        self.marks = {HEBREW.read(word): [x.marks for x in HEBREW.split(word)] for word in known}
        self.right = right

    def log_probabilities(self, words, text, letters, controls=()):
        rows = []
        for word in words.words:
            for marks in self.marks.get(word, [""] * len(word)):
                row = []
                for slot in self.slots:
                    held = "".join(m for m in marks if m in slot)
                    row += [0.0 if (value == held) == self.right else -6.0 for value in slot]
                rows.append(row)
        return np.array(rows, np.float32)


@pytest.fixture(scope="module")
def held() -> tuple[Words, list[str]]:
    """Lines of words that the first half of the sample has, in another order, and words it has not."""
    gold = [HEBREW.canonical(word) for line in SAMPLE[10:] for word in line.split()]
    offsets = np.arange(0, len(gold) + 1, 3)
    offsets = np.append(offsets, len(gold)) if offsets[-1] < len(gold) else offsets
    return Words([HEBREW.read(word) for word in gold], offsets, np.zeros(len(gold), bool)), gold


@pytest.fixture(scope="module")
def best() -> Best:
    """What is trained is so before anybody asks the network."""
    lexicon, lines = read_lines(SAMPLE[:14], HEBREW)
    return Best.fit(HEBREW, lexicon, lines, {**OPTIONS, "network": [Oracle([], right=True)]}, lambda *_: None)


def with_network(best: Best, oracle: Oracle) -> Best:
    model = deepcopy(best)
    model.scores = LetterScores(model.alphabet, [oracle])
    return model


def share_right(model: Best, words: Words, gold: list[str]) -> float:
    return float(np.mean([ours == form for ours, form in zip(model.decode(words), gold, strict=True)]))


def test_weights_reward_a_correct_network_and_ignore_a_wrong_one(held, best) -> None:
    words, gold = held
    sure, wrong = (with_network(best, Oracle(gold, right=right)) for right in (True, False))
    sure.tune(words, gold)
    wrong.tune(words, gold)
    assert sure.weights.network > 0.1
    assert wrong.weights.network < 0
    assert share_right(sure, words, gold) > share_right(wrong, words, gold)


def test_network_proposes_new_forms(held, best) -> None:
    words, gold = held
    oracle = Oracle(gold, right=True)
    model = with_network(best, oracle)
    model.set_weights(
        model.weights._replace(forward=0.0, backward=0.0, chooser=0.0, words=0.0, letters=0.0, network=1.0)
    )
    reachable = [oracle.marks[HEBREW.read(form)] == [x.marks for x in HEBREW.split(form)] for form in gold]
    can = [n for n, form in enumerate(gold) if reachable[n] and (model.alphabet.spell([form]).choices >= 0).all()]
    assert sum(gold[n] not in model.lexicon.pointed for n in can) > 5
    ours = model.decode(words)
    assert [ours[n] for n in can] == [gold[n] for n in can]


def test_learned_weights_maximize_the_likelihood_of_held_out_words(held, best) -> None:
    words, gold = held
    model = with_network(best, Oracle(gold, right=True))
    model.tune(words, gold)

    def loss(weights) -> float:
        model.set_weights(weights)
        shares = [dict(forms).get(form, 0.0) for forms, form in zip(model.alternatives(words), gold, strict=True)]
        return float(-np.log([share for share in shares if share > 0]).mean())

    learnt = model.weights
    least = loss(learnt)
    for name in ("forward", "words", "network"):
        for step in (-0.1, 0.1):
            assert loss(learnt._replace(**{name: getattr(learnt, name) + step})) > least - 1e-3


def test_long_lines_take_linear_time_and_memory(best, monkeypatch) -> None:
    oracle = Oracle([], right=True)
    restorer = VowelRestorer("hebrew", "best")
    restorer._fitted = model = with_network(best, oracle)
    model.max_batch_words = 1000
    random, asked, peaks = np.random.default_rng(0), [], []
    read = oracle.log_probabilities
    monkeypatch.setattr(oracle, "log_probabilities", lambda words, *rest: asked.append(words) or read(words, *rest))
    for number in (1000, 2500):
        asked.clear()
        new = ["".join(random.choice(list("בגדהוזח"), 6)) for _ in range(number // 2)]
        line = " ".join(word for pair in zip(new, ["ספר"] * len(new), strict=True) for word in pair)
        restorer.restore(line)  # what is made once is there
        tracemalloc.start()
        assert HEBREW.strip(restorer.restore(line)) == line
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(len(words.words) for words in asked) == 2 * number
        assert max(len(words.words) for words in asked) <= 1000
    assert peaks[1] - peaks[0] < 400 * 1500  # words with their forms, which are strings
    assert len(model.known_choices) <= len(model.lexicon.bare)  # what was met is not kept


def test_saved_model_keeps_network_and_weights(tmp_path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = VowelRestorer("hebrew", "best", epochs=2, network=SMALL).fit(SAMPLE)
    plain = VowelRestorer("hebrew", "best", epochs=2).fit(SAMPLE)
    restorer.save(tmp_path / "both.model")
    again = VowelRestorer.load(tmp_path / "both.model")
    bare = "בראשית ברא אלהים את השמים ואת הארץ"
    assert again.restore_nbest(bare, 9) == restorer.restore_nbest(bare, 9)
    assert again.restore(bare) != plain.restore(bare)
    assert "\u05bb" in HEBREW.split(again.restore("ב\u05bbראשית ברא"))[0].marks
    assert "/" not in again.notice + str(again.get_params())


def test_network_for_all_marks_restores_short_vowels_only() -> None:
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = VowelRestorer(
        "arabic", "best", missing="short", epochs=2, network=SHIPPED_MODELS / "arabic-quranic-small.model"
    )
    restorer.fit(ARABIC)
    table = script("arabic", "short")
    gold = [table.canonical(word) for line in ARABIC for word in line.split()]
    words = Words([table.read(word) for word in gold], np.array([0, len(gold)]), np.zeros(len(gold), bool))
    text, logs = restorer.fitted.scores.choice_scores(words)
    assert np.logaddexp.reduce(logs, axis=1) == pytest.approx(np.zeros(len(logs)), abs=1e-6)
    open_letters = restorer.fitted.alphabet.widths[text.letters] > 1
    right = restorer.fitted.alphabet.spell(gold).choices == logs.argmax(axis=1)
    assert right[open_letters].mean() > 0.6  # a network for the Qur'an on sentences of today


def test_seen_lines_are_matched_by_bare_words_and_count() -> None:
    lines = ["שָׁלוֹם רַב", "בֹּקֶר טוֹב", "שָׁלוֹם רַב", "לַיְלָה"]
    seen = hash_lines(["שלום, רב!", "לילה"], HEBREW)
    assert unseen_lines(lines, seen, HEBREW) == [1, 2]
    refuse_seen_lines(seen, lines[:1] + lines[3:], lines[1:3], HEBREW)
    refuse_seen_lines(
        np.repeat(seen, 3), lines[:1] + lines[3:], lines[1:3], HEBREW
    )  # trained on lines three times each
    with pytest.raises(CaesuraError, match="trained on 1 of the 2 test lines"):
        refuse_seen_lines(seen, lines[:3], lines[2:], HEBREW)


def test_a_network_that_does_not_fit_is_refused(tmp_path) -> None:
    VowelRestorer("hebrew", "unigram").fit(SAMPLE).save(tmp_path / "plain.model")
    with pytest.raises(CaesuraError, match="has no network"):
        VowelRestorer("hebrew", "best", network=tmp_path / "plain.model").fit(SAMPLE)
    with pytest.raises(CaesuraError, match="the network is for Hebrew, the text is Arabic"):
        VowelRestorer("arabic", "best", network=SMALL).fit(ARABIC)
    with pytest.raises(CaesuraError, match="the model 'hmm' takes no network"):
        VowelRestorer("hebrew", "hmm", network=SMALL)
    assert "only the models best and neural use networks" in refused(
        "vowels", "train", "sample", "-o", "x", "--from", "ours"
    )
