"""A drawing: every coder's boundaries as a row of bars."""

from dataclasses import dataclass

from caesura.display.scene import Mark, Name, Scene, ScenePicture
from caesura.model import Corpus


@dataclass(frozen=True)
class Bars(ScenePicture):
    """One item, one row per coder, scaled down where the text is wider than the terminal."""

    corpus: Corpus
    title = "toy bars"

    def scene(self, width: int, *, fine: bool) -> Scene:
        margin, block, rows = 10, [], (1.0,) * len(self.corpus)
        for row, a in enumerate(self.corpus):
            scale = min(1, (width - margin - 1) / max(1, a.marks.length))
            block.append(Name(row, words=a.coder))
            block += [Mark(row, int(p * scale)) for p in a.marks.positions.tolist()]
        return Scene(self.title, "boundaries as bars", "toy bars", "", width, margin, rows, (tuple(block),))


def draw_bars(corpus: Corpus) -> Bars:
    return Bars(corpus)
