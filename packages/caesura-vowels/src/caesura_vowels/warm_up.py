"""The part of ``caesura warm-up`` that compiles the kernels of this package."""

from __future__ import annotations

from importlib.util import find_spec

from caesura.metrics import metric
from caesura.metrics.batch import Batch
from caesura_vowels.marked_text import marked_corpus
from caesura_vowels.restorer import VowelRestorer, ready
from caesura_vowels.samples import TOUR, UNPOINTED
from caesura_vowels.scripts import HEBREW


def call_kernels() -> None:
    """Train every model on a few lines, restore and score a line with it, and with a network if there is onnxruntime."""
    for model in ("unigram", "hmm", "open", "best"):
        restorer = VowelRestorer(language="hebrew", model=model).fit(TOUR)
        restorer.restore(UNPOINTED[0])
        restorer.restore_nbest(UNPOINTED[0])
        if model == "hmm":
            restorer.log_probability(TOUR[0])
    corpus = marked_corpus([("line", TOUR[0])], HEBREW)
    metric("word-accuracy").rows(Batch.of_corpora(corpus, corpus))
    if find_spec("onnxruntime") is not None:
        ready("hebrew-biblical", small=True).restore_nbest(UNPOINTED[0])
