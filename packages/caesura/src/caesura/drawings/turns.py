"""Turns of speakers along time: each reference speaker above the partner that the best map gives, and where the errors are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from caesura.display.cells import clean, name_column
from caesura.display.palette import SERIES
from caesura.display.scene import Band, FilledPart, Name, Scene, ScenePicture, Shape
from caesura.drawings.timelines import TimelineSection, split_timeline
from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch
from caesura.metrics.diarization import ComparedTurns, Diarization, ErrorKind, compare_turns
from caesura.model import Corpus, Spans

_LINES = 8  # lines in a terminal; a note says how much of a longer recording is left out
_MOST_LINES = 40  # lines in SVG; longer recordings are scaled down
_SECONDS = 30.0  # of sound on a line of 80 cells, at least
_ERRORS: dict[ErrorKind, tuple[str, str]] = {
    "missed": ("×", "miss"),
    "false alarm": ("+", "near"),
    "confused": ("≠", "substitution"),
}


def draw_turns(
    corpus: Corpus, *, collar: float | str = 0.0, overlap: str = "keep", like: str = "nist", uem: Any = None
) -> TurnTimeline:
    """Draw the turns of two coders, the reference first, with the map of speakers and the errors of the diarization error rate."""
    if len(corpus.coders) != 2:
        raise CaesuraError(f"the drawing 'turns' takes two coders; this corpus has {len(corpus.coders)}.")
    sides = [corpus.select(coders=[coder]) for coder in corpus.coders]
    family = Diarization(collar=collar, overlap=overlap, like=like, uem=uem)  # type: ignore[arg-type]
    compared = compare_turns(family, Batch.of_corpora(sides[0], sides[1]))
    marks = [side.annotation(0).marks for side in sides]
    ours, theirs = (tuple(each.rows) if isinstance(each, Spans) else () for each in marks)
    return TurnTimeline(corpus.items[0], tuple(corpus.coders), ours, theirs, compared, float(corpus.lengths[0]))


@dataclass(frozen=True)
class TurnTimeline(ScenePicture):
    """Two rows per reference speaker, the turns and those of the partner; speakers without a partner; and a row of errors."""

    heading: str
    coders: tuple[str, ...]
    reference: tuple[tuple[float, float, str | None], ...]
    hypothesis: tuple[tuple[float, float, str | None], ...]
    compared: ComparedTurns
    length: float

    @property
    def title(self) -> str:
        """The recording and both sides."""
        return f"{clean(self.heading) or 'recording'}: turns of {' against '.join(map(clean, reversed(self.coders)))}"

    @property
    def description(self) -> str:
        """The content in sentences."""
        pairs = (
            ", ".join(f"{ours} is {theirs}" for ours, theirs in self.compared.partners.items())
            or "nobody has a partner"
        )
        totals = {
            kind: sum(end - start for start, end, each in self.compared.errors if each == kind) for kind in _ERRORS
        }
        return f"Speakers: {pairs}. " + ", ".join(f"{kind} {total:.2f} s" for kind, total in totals.items()) + "."

    def _rows(self) -> list[tuple[str, tuple[tuple[float, float, str | None], ...], str, str]]:
        """Return name, turns, role and glyph of every row."""
        partners, rows = self.compared.partners, []
        speakers = list(dict.fromkeys(label or "" for *_, label in self.reference))
        for number, speaker in enumerate(speakers):
            role = SERIES[number % len(SERIES)]
            own = tuple(turn for turn in self.reference if (turn[2] or "") == speaker)
            rows.append((speaker or "(no label)", own, role, "█"))
            if speaker in partners:
                found = tuple(turn for turn in self.hypothesis if (turn[2] or "") == partners[speaker])
                rows.append((f"└ {partners[speaker]}", found, role, "▒"))
        taken = set(partners.values())
        for other in dict.fromkeys(label or "" for *_, label in self.hypothesis if (label or "") not in taken):
            found = tuple(turn for turn in self.hypothesis if (turn[2] or "") == other)
            rows.append((f"└ {other or '(no label)'}, nobody", found, "faint", "▒"))
        return rows

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out lines of equal duration."""
        rows = self._rows()
        margin = name_column([*(name for name, *_ in rows), "errors"], width, fine=fine) + 2
        available, most = max(12, width - margin - 1), _MOST_LINES if fine else _LINES
        seconds = max(_SECONDS, self.length / _MOST_LINES if fine else _SECONDS)
        scale = max(available / seconds, available / max(self.length, 1e-9))
        lines = split_timeline(0.0, self.length, scale, available, closed=True)
        rest = sum(line.stop - line.start for line in lines[most:])
        signs = " · ".join(f"{sign} {kind}" for kind, (sign, _) in _ERRORS.items())
        return Scene(
            title=self.title,
            description=self.description,
            heading=clean(self.heading),
            key=f"█ {clean(self.coders[0])} · ▒ {clean(self.coders[1])}, below the speaker it was taken for · {signs}",
            width=width,
            margin=margin,
            rows=(0.8, *(1.1 for _ in rows), 1.1),
            blocks=tuple(tuple(self._line(line, rows, available, fine=fine)) for line in lines[:most]),
            notes=((f"… and {rest:.3g} s more; SVG shows the whole recording", "faint"),) if rest else (),
        )

    def _line(self, line: TimelineSection, rows: Any, available: int, *, fine: bool) -> Iterator[Shape]:
        yield line.axis(self.length, available, len(rows) + 1, fine=fine)
        for number, (name, turns, role, glyph) in enumerate(rows, 1):
            yield Name(number, words=clean(name), role=role)
            yield Band(number, width=line.at(line.stop))
            fill = 1.0 if glyph == "█" else 0.5
            for start, end, _ in turns:
                yield from self._part(line, number, start, end, role, f"{name} {start:.2f} to {end:.2f} s", glyph, fill)
        row = len(rows) + 1
        yield Name(row, words="errors")
        for start, end, kind in self.compared.errors:
            sign, role = _ERRORS[kind]
            tip = f"{kind} {start:.2f} to {end:.2f} s"
            yield from self._part(line, row, start, end, role, tip, sign, 0.6, sign if fine else "")

    def _part(
        self,
        line: TimelineSection,
        row: int,
        start: float,
        end: float,
        role: str,
        tip: str,
        glyph: str,
        fill: float,
        words: str = "",
    ) -> Iterator[Shape]:
        if start < line.stop and end > line.start:
            x = line.at(start)
            wide = max(line.at(end) - x, 0.3)
            yield FilledPart(row, x, wide, words, role, tip, glyph=glyph, fill=fill)
