"""A segmenter: a boundary before every unit that begins with the same letter as the first."""

from dataclasses import dataclass

from caesura.model import Segmentation


@dataclass(frozen=True)
class Refrain:
    """Segments begin where the first letter of the text comes again, or ``letter``."""

    letter: str = ""

    title = "a letter comes again"
    takes = frozenset({"text"})

    def segment(self, units: list[str], segments: int | None = None) -> Segmentation:
        letter = self.letter or units[0][:1]
        places = [i for i, unit in enumerate(units) if i and unit.startswith(letter)]
        return Segmentation.from_positions(places[: segments and segments - 1], length=len(units))
