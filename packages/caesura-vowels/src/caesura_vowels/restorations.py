"""The drawing "restorations": a text with its vowels restored, doubtful letters marked, other forms of a word on hover or tap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from caesura.display.cells import WrappedLine, cell_width, clean, clip, wrap_units
from caesura.display.scene import Picture, Scene, ScenePicture, Shape, StyledWord
from caesura.model import Corpus
from caesura_vowels.restored_text import DOUBTFUL, FORMS, WRONG, letter_probabilities, offered_forms
from caesura_vowels.restorer import VowelRestorer, ready
from caesura_vowels.scripts import guess_script
from caesura_vowels.text_restoration import RestoredWord

_MAX_LINES = 400
_KEY = (f"letters underlined: under {DOUBTFUL:.0%} probability", f"bold as well: under {WRONG:.0%}")
_COLOURED = (f"words in colour have letters under {DOUBTFUL:.0%} probability", f"or under {WRONG:.0%}")
_HINT = "point at a word, or tap it, for its other forms"


def draw_restorations(corpus: Corpus, *, small: bool | str = False) -> Picture:
    """Restore the vowels of an item's text with a model that comes with the package, and draw it.

    Parameters
    ----------
    corpus : Corpus
        One item with its text.
    small : bool, default False
        Whether to use the small model.

    Returns
    -------
    Picture
    """
    (units,) = corpus.texts.values()
    between = "" if all(len(unit) == 1 for unit in units) else " "
    text = between.join(units)
    language = guess_script([text]).name
    restorer = ready(language, small=str(small).lower() not in ("false", "no", "0"))
    return Restorations(corpus.items[0], restorer, tuple(restorer.restore_nbest(text, FORMS)), text)


@dataclass(frozen=True)
class Restorations(ScenePicture):
    """Restored words in their text, which runs from right to left."""

    item: str
    restorer: VowelRestorer
    words: tuple[RestoredWord, ...]
    text: str

    @property
    def title(self) -> str:
        """The title of the picture."""
        return f"{clean(self.item)}, vowels restored" if self.item else "vowels restored"

    @cached_property
    def _styled_words(self) -> list[tuple[tuple[str, str], ...]]:
        """For every word its letters, each with a role by its probability."""
        return [
            (
                *((clean(letter), _role(share)) for letter, share in letter_probabilities(word, self.restorer.script)),
                *([(clean(gap.strip()), "ink")] if gap.strip() else []),
            )
            for word, gap in zip(self.words, self._gaps, strict=True)
        ]

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Return one block per line of text; an SVG has wider letters, and a row below for the forms of a word."""
        wide = 1.6 if fine else 1
        sizes = [
            max(1, round(wide * cell_width("".join(letter for letter, _ in parts)))) for parts in self._styled_words
        ]
        lines = wrap_units(sizes, [int(fine) + 1] * len(sizes), width)
        left = len(lines) - len(lines[:_MAX_LINES])
        return Scene(
            title=self.title,
            description=self._description(),
            heading=clip(self.title, width),
            key=" · ".join([*((*_KEY, _HINT) if fine else _COLOURED), *([f"{left} more lines"] * bool(left))]),
            width=width,
            margin=0,
            rows=(1.9, 0.8) if fine else (1.0,),
            blocks=tuple(tuple(self._block(line)) for line in lines[:_MAX_LINES]),
            direction="rtl",
            apart=False,
        )

    @property
    def _gaps(self) -> list[str]:
        """The text after each word."""
        ends = [word.start + len(word.word) for word in self.words]
        starts = [word.start for word in self.words[1:]] + [len(self.text)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def _block(self, line: WrappedLine) -> Iterator[Shape]:
        for number, (start, wide) in enumerate(zip(line.starts, line.widths, strict=True), line.first - 1):
            parts, word = self._styled_words[number], self.words[number]
            roles = {role for _, role in parts}
            role = next((r for r in ("miss", "near") if r in roles), "ink")
            hint = " · ".join(f"{form} {share:.0%}" for form, share in offered_forms(word)) if role != "ink" else ""
            yield StyledWord(0, start, wide, "".join(letter for letter, _ in parts), role, parts=parts, hint=hint)

    def _description(self) -> str:
        doubtful = [
            word
            for word, parts in zip(self.words, self._styled_words, strict=True)
            if any(r != "ink" for _, r in parts)
        ]
        forms = [f"{w.alternatives[0][0]} {w.probability:.0%}" for w in doubtful]
        return f"{len(self.words)} words, {len(forms)} of them doubtful: {'; '.join(forms)}"[:4000]


def _role(share: float) -> str:
    return "ink" if share >= DOUBTFUL else "near" if share >= WRONG else "miss"
