"""The stop of the tour at which vowels are put back."""

from __future__ import annotations

from importlib.util import find_spec

from caesura.display.result import Block
from caesura.display.table import Table
from caesura.vowels.restorer import VowelRestorer
from caesura.vowels.samples import TOUR, UNPOINTED, VERSES
from caesura.vowels.shipped import ready


def visit() -> list[Block]:
    """Learn from a few lines, and read two that have no vowels; and let the models that ship read a verse each."""
    restorer = VowelRestorer(language="hebrew", model="hmm").fit(TOUR)
    return [
        f"Hebrew is written without vowels. Learnt from {len(TOUR)} lines: is it sefer, a book, or safar, he counted?",
        _table([(line, restorer.restore(line)) for line in UNPOINTED]),
        *_visit_networks(),
    ]


def _visit_networks() -> list[Block]:
    if find_spec("onnxruntime") is None:
        return [
            "With pip install 'caesura[neural]' there are networks for biblical Hebrew and Qur'anic Arabic, ready to use."
        ]
    verses = [(line, ready(language, small=True).restore(line)) for language, line in VERSES.items()]
    return ["The networks that ship read the Hebrew of the Bible and the Arabic of the Qur'an at once:", _table(verses)]


def _table(rows: list[tuple[str, str]]) -> Table:
    return Table("", ("as written", "with its vowels"), tuple(rows))
