"""The drawing of a text with its vowels restored: doubtful letters marked, other forms of a word when it is pointed at or tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from caesura.display.cells import cells, clean, clip
from caesura.display.scene import Item, Letters, Picture, Scene, ScenePicture
from caesura.drawings.segmentations import Wrapped, wrap_units
from caesura.model import Corpus
from caesura.vowels.doubts import DOUBTFUL, FORMS, WRONG, letter_shares, offered_forms
from caesura.vowels.restorer import RestoredWord, VowelRestorer
from caesura.vowels.scripts import guess_script
from caesura.vowels.shipped import ready

_LINES = 400  # of text that are drawn
_KEY = (f"letters underlined: under {DOUBTFUL:.0%} probability", f"bold as well: under {WRONG:.0%}")
_COLOURED = (f"words in colour have letters under {DOUBTFUL:.0%} probability", f"or under {WRONG:.0%}")
_TOUCH = "point at a word, or tap it, for its other forms"


def draw_restorations(corpus: Corpus, *, small: bool | str = False) -> Picture:
    """Restore the vowels of an item's text with the model that comes with Caesura (or its ``small`` one), and draw it."""
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
        """The item, and what is shown of it."""
        return f"{clean(self.item)}, vowels restored" if self.item else "vowels restored"

    @cached_property
    def _doubts(self) -> list[tuple[tuple[str, str], ...]]:
        """For every word its letters, each with the role that says how sure it is."""
        return [
            (
                *((clean(letter), _role(share)) for letter, share in letter_shares(word, self.restorer.script)),
                *([(clean(gap.strip()), "ink")] if gap.strip() else []),
            )
            for word, gap in zip(self.words, self._gaps, strict=True)
        ]

    def scene(self, width: int, *, fine: bool) -> Scene:
        """One block per line of text; a picture gives letters more room, and a row below for what is told of a word."""
        wide = 1.6 if fine else 1
        sizes = [max(1, round(wide * cells("".join(letter for letter, _ in parts)))) for parts in self._doubts]
        lines = wrap_units(sizes, [int(fine) + 1] * len(sizes), width)
        left = len(lines) - len(lines[:_LINES])
        return Scene(
            title=self.title,
            description=self._description(),
            heading=clip(self.title, width),
            key=" · ".join([*((*_KEY, _TOUCH) if fine else _COLOURED), *([f"{left} more lines"] * bool(left))]),
            width=width,
            margin=0,
            rows=(1.9, 0.8) if fine else (1.0,),
            blocks=tuple(tuple(self._block(line)) for line in lines[:_LINES]),
            direction="rtl",
            apart=False,
        )

    @property
    def _gaps(self) -> list[str]:
        """What stands behind each word."""
        ends = [word.start + len(word.word) for word in self.words]
        starts = [word.start for word in self.words[1:]] + [len(self.text)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def _block(self, line: Wrapped) -> Iterator[Item]:
        for number, (start, wide) in enumerate(zip(line.starts, line.widths, strict=True), line.first - 1):
            parts, word = self._doubts[number], self.words[number]
            roles = {role for _, role in parts}
            role = next((r for r in ("miss", "near") if r in roles), "ink")
            hint = " · ".join(f"{form} {share:.0%}" for form, share in offered_forms(word)) if role != "ink" else ""
            yield Letters(0, start, wide, "".join(letter for letter, _ in parts), role, parts=parts, hint=hint)

    def _description(self) -> str:
        doubtful = [
            word for word, parts in zip(self.words, self._doubts, strict=True) if any(r != "ink" for _, r in parts)
        ]
        forms = [f"{w.alternatives[0][0]} {w.probability:.0%}" for w in doubtful]
        return f"{len(self.words)} words, {len(forms)} of them doubtful: {'; '.join(forms)}"[:4000]


def _role(share: float) -> str:
    return "ink" if share >= DOUBTFUL else "near" if share >= WRONG else "miss"
