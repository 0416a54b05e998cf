"""Probabilities of lines under the bigram model, and a drawing of the best path through its states (figure 2 of Gal 2002)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from caesura.display.palette import PALETTE, SERIES
from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels.restorer import PathStep, VowelRestorer
from caesura_vowels.transliteration import SCHEMES, to_latin


class LineScore(NamedTuple):
    """One line: its number and text, its words and how many of them are unseen, ln p(W), and the log probability of the best path."""

    number: int
    text: str
    words: int
    unseen: int
    log_probability: float
    best_path: float


@dataclass(frozen=True, repr=False)
class LineScores(Result):
    """The probabilities of the lines of a text."""

    lines: tuple[LineScore, ...]

    @classmethod
    def of(cls, restorer: VowelRestorer, text: str) -> LineScores:
        """Score every line of a text that has words."""
        scored = []
        totals = restorer.log_probability(text)
        for number, (line, total) in enumerate(zip(text.splitlines(), totals, strict=True), 1):
            path = restorer.best_path(line)
            if path:
                unseen = sum(step.form is None for step in path)
                best = sum(step.log_probability for step in path)
                scored.append(LineScore(number, line, len(path), unseen, total, best))
        return cls(tuple(scored))

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per line."""
        rows = tuple(
            (
                x.number, x.words, x.unseen, Rounded(x.log_probability, 2), Rounded(exp(min(-x.log_probability / x.words, 700.0)), 1),
                Rounded(x.best_path, 2), Rounded(100 * exp(x.best_path - x.log_probability), 1),
            )
            for x in self.lines
        )  # fmt: skip
        heads = ("line", "words", "unseen", "ln p(W)", "perplexity", "ln p(best path)", "its share (%)")
        return [Table("Probability of lines under the bigram model", heads, rows)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"lines": [x._asdict() for x in self.lines]}


def draw_path(axes: Any, path: Sequence[PathStep], restorer: VowelRestorer, most: int = 5) -> None:
    """Draw the best path: words as rectangles, states as ovals above them, the path as solid edges with their probabilities.

    The state of all unseen words stands above the start, unless the path goes through it. Words are drawn in Latin letters if there is a
    transliteration, because Matplotlib does not shape Arabic or write from right to left.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    path : sequence of PathStep
        The path, as :meth:`VowelRestorer.best_path` returns it.
    restorer : VowelRestorer
        The restorer.
    most : int, default 5
        How many states of a word to draw.
    """
    scheme = next((name for name, each in SCHEMES.items() if restorer.language in each.write), None)
    colour = PALETTE[SERIES[0]][0]

    def latin(word: str) -> str:
        return word if scheme is None else to_latin(word, scheme, restorer.script)

    def put(x: float, y: float, text: str, style: str, edge: str) -> None:
        box = {"boxstyle": style, "facecolor": "white", "edgecolor": edge}
        axes.text(x, y, text, ha="center", va="center", bbox=box, zorder=3)

    put(0, 1, "#", "circle", colour)
    if all(step.form is not None for step in path):
        put(0, 2, "UNSEEN", "round4", "0.7")
    before = (0.0, 1.0)
    for x, step in enumerate(path, 1):
        put(x, 0, latin(step.word), "square", "0.3")
        states = [form for form in step.forms if form != step.form][: most - 1]
        shown = [step.form, *states]
        for y, form in enumerate(shown, 1):
            put(x, y, "UNSEEN" if form is None else latin(form), "round4", colour if y == 1 else "0.7")
        axes.plot([before[0], x], [before[1], 1], color=colour, zorder=1)
        axes.text(x - 0.5, 1.12, f"{exp(step.log_probability):.2g}", ha="center", fontsize="small", color=colour)
        axes.plot([x, x], [0, 1], color="0.3", linestyle=":", zorder=1)
        before = (x, 1.0)
    axes.set_xlim(-0.4, len(path) + 0.6)
    axes.set_ylim(-0.6, max([2, *(min(len(step.forms), most) for step in path)]) + 0.6)
    axes.set_axis_off()


def save_path_drawing(restorer: VowelRestorer, line: str, file: Path) -> None:
    """Draw the best path of a line with Matplotlib (the extra ``[plot]``) and save it.

    Parameters
    ----------
    restorer : VowelRestorer
        A restorer with the model "hmm".
    line : str
        The line.
    file : Path
        The file, whose suffix is .svg, .png or .pdf.
    """
    if file.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise CaesuraError(f"{file}: expected a name that ends in .svg, .png or .pdf.")
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing a path") from None
    path = restorer.best_path(line)
    canvas = Figure(figsize=(1.6 * len(path) + 1.2, 3.6), layout="constrained")
    FigureCanvasAgg(canvas)
    draw_path(canvas.subplots(), path, restorer)
    with rc_context({"svg.fonttype": "none"}), warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        canvas.savefig(file)
    missing = [each for each in raised if "missing from font" in str(each.message)]
    if missing and file.suffix.lower() != ".svg":
        warnings.warn(
            f"{file}: Matplotlib's font has no {restorer.script.name.capitalize()} letters, which are drawn as boxes; "
            "an .svg file is shown with the fonts of the browser.",
            stacklevel=2,
        )
