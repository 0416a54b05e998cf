"""The stop of the tour at which vowels are put back."""

from __future__ import annotations

from caesura.display.result import Block
from caesura.display.table import Table
from caesura.vowels.restorer import VowelRestorer
from caesura.vowels.samples import TOUR, UNPOINTED


def visit() -> list[Block]:
    """Learn from a few lines, and read two that have no vowels."""
    restorer = VowelRestorer(language="hebrew", model="hmm").fit(TOUR)
    return [
        f"Hebrew is written without vowels. Learnt from {len(TOUR)} lines: is it sefer, a book, or safar, he counted?",
        Table("", ("as written", "with its vowels"), tuple((line, restorer.restore(line)) for line in UNPOINTED)),
    ]
