"""What is given in place of a corpus, a list of annotations, a number of draws or a path: refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import caesura as cs

GOLD = cs.Corpus.from_dict({"a": {"x": [2, 3], "y": [3, 2]}, "b": {"x": [4], "y": [1, 3]}})
MARKED = cs.Segmentation.from_labels_at(["p", "", "q"])

WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: cs.agree(None), "must be a Corpus"),
    (lambda: cs.agree(GOLD, resamples=1.5), "resamples is 1.5"),
    (lambda: cs.agree(GOLD, resamples=5, seed="x"), "seed is 'x'"),
    (lambda: cs.evaluate(None, [2, 3]), "the reference must be a Corpus"),
    (lambda: cs.evaluate([2, None], [2, 3]), "the reference contains None at position 2; give a number"),
    (lambda: cs.evaluate([2, 3], 5), "the system 'hypothesis' must be a Corpus"),
    (lambda: cs.evaluate(GOLD, {"ours": None}), "the system 'ours' must be a Corpus"),
    (lambda: cs.evaluate(GOLD, GOLD, ["B"], seed=-1), "seed is -1"),
    (lambda: cs.evaluate(GOLD, GOLD, ["B"], resamples=1.5), "resamples is 1.5"),
    (lambda: cs.evaluate(GOLD, GOLD, ["B"], level="x"), "level is 'x'"),
    (lambda: cs.evaluate(GOLD, GOLD, ["B"], threads=-3), "threads is -3"),
    (lambda: cs.flexible_agreement(MARKED, MARKED, method="simulation", draws=2.5), "draws is 2.5"),
    (lambda: cs.flexible_agreement(MARKED, MARKED, method="simulation", seed="x"), "seed is 'x'"),
    (lambda: cs.flexible_agreement(MARKED, MARKED, method="simulation", precision="x"), "precision is 'x'"),
    (lambda: cs.unify("0100"), "annotations is '0100'"),
    (lambda: cs.unify(None), "annotations is None"),
    (lambda: cs.unify([[2, 3], [3, 2]], method=None), "there is no method 'None'"),
    (lambda: cs.unify_corpus(None), "must be a Corpus"),
    (lambda: cs.read(""), "the path to read is empty"),
    (lambda: cs.write(None, "x.json"), "must be a Corpus"),
    (lambda: cs.samples.load(None), "there is no sample 'None'"),
]


@pytest.mark.parametrize(("call", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_wrong_types_are_rejected_in_one_sentence(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(cs.CaesuraError, match=sentence) as caught:
        call()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
