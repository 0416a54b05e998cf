"""The section "vowels" of ``caesura demo``."""

from __future__ import annotations

from importlib.util import find_spec

from caesura.display.result import Block
from caesura.display.table import Table
from caesura_vowels.restorer import VowelRestorer, ready
from caesura_vowels.samples import TOUR, UNPOINTED, VERSES


def visit() -> list[Block]:
    """Train on a few lines and restore two others; restore a verse with each shipped model."""
    restorer = VowelRestorer(language="hebrew", model="hmm").fit(TOUR)
    return [
        f"Hebrew is written without vowels. A model trained on {len(TOUR)} lines decides: sefer (book) or safar (he counted)?",
        _table([(line, restorer.restore(line)) for line in UNPOINTED]),
        *_restore_verses(),
    ]


def _restore_verses() -> list[Block]:
    if find_spec("onnxruntime") is None:
        return ["The networks for Hebrew and Arabic need an extra: pip install 'caesura[vowels]'."]
    verses = [(line, ready(language, small=True).restore(line)) for language, line in VERSES.items()]
    return ["The shipped networks restore Hebrew and Arabic without training:", _table(verses)]


def _table(rows: list[tuple[str, str]]) -> Table:
    return Table("", ("as written", "with vowels"), tuple(rows))
