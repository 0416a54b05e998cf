"""A segmenter: a boundary before every unit that begins with the same letter as the first."""

from dataclasses import dataclass

from caesura.model import Segmentation
from caesura.segmenters import validate_segment_count


@dataclass(frozen=True)
class Refrain:
    """Segments begin where the first letter of the text, or a given one, comes again."""

    letter: str = ""

    def segment(self, units: list[str], segments: int | None = None) -> Segmentation:
        validate_segment_count(segments, len(units), f"a text of {len(units)} units")
        letter = self.letter or "".join(units)[:1]
        again = [i for i, unit in enumerate(units) if i and unit.startswith(letter)]
        places = sorted(
            range(1, len(units)), key=lambda i: i not in again
        )  # those first, the others where more are asked for
        return Segmentation.from_positions(sorted(places[: (segments or len(again) + 1) - 1]), length=len(units))
