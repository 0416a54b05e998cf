"""Saving a paper's figures with Matplotlib (the extra ``[plot]``)."""

from __future__ import annotations

from pathlib import Path

from caesura.errors import MissingExtra
from caesura.files import atomic_write
from caesura.papers.reproduction import Reproduction


def save_figures(result: Reproduction, folder: Path, suffixes: tuple[str, ...] = ("svg", "png")) -> list[Path]:
    """Draw every figure into ``folder`` (made if it is missing) and return the files."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing a paper's figures") from None
    from io import BytesIO

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in result.figures:
        canvas = Canvas(figsize=figure.size, layout="constrained")
        FigureCanvasAgg(canvas)
        figure.draw(canvas.subplots())
        for suffix in suffixes:
            buffer = BytesIO()
            canvas.savefig(buffer, format=suffix, dpi=150)
            target = folder / f"{figure.name}.{suffix}"
            atomic_write(target, buffer.getvalue())
            written.append(target)
    return written
