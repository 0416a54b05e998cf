"""A drawing: every coder's boundaries as a row of bars."""

from dataclasses import dataclass

from caesura.display.scene import Mark, Name, Scene, ScenePicture
from caesura.model import Corpus


@dataclass(frozen=True)
class Bars(ScenePicture):
    """One item, one row per coder."""

    corpus: Corpus
    title = "toy bars"

    def scene(self, width: int, *, fine: bool) -> Scene:
        block = []
        for row, a in enumerate(self.corpus):
            block.append(Name(row, a.coder))
            block += [Mark(row, int(p), 1, "", "ink") for p in a.marks.positions.tolist()]
        return Scene(
            self.title, "boundaries as bars", "toy bars", "", width, 10, (1.0,) * len(self.corpus), (tuple(block),)
        )


def draw_bars(corpus: Corpus) -> Bars:
    return Bars(corpus)


draw_bars.title, draw_bars.kinds = "boundaries as a row of bars", frozenset({"units"})
