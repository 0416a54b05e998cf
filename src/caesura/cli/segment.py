"""``caesura segment SOUND …``: blind boundaries for recordings, as a baseline to beat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from caesura.cli.catalogues import Names
from caesura.cli.command import Argument, Option
from caesura.cli.options import Json, writable
from caesura.cli.output import as_json, tracked
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.files import atomic_write
from caesura.formats import write
from caesura.metrics.time_grid import seconds
from caesura.model import Annotation, Corpus
from caesura.segmenters.sound import SpectralChange, read_wav
from caesura.segmenters.uniform import Uniform

__all__ = ["segment"]


def segment(
    sounds: Annotated[list[Path], Argument("WAV files, or folders of them.")],
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Where to write; the suffix says the format: .TextGrid, .csv …"),
    ] = None,
    method: Annotated[str, Option("--method", help="spectral, or uniform.", offer=Names("segmenters"))] = "spectral",
    threshold: Annotated[float | None, Option("--threshold", help="Least score of a spectral boundary.")] = None,
    interval: Annotated[str, Option("--interval", help="Length of uniform segments.")] = "80ms",
    channel: Annotated[int | None, Option("--channel", help="Which channel; default: the mean of all.")] = None,
    scores: Annotated[
        Path | None,
        Option("--scores", check=writable, help="Also write every candidate with its score, for `caesura optimise`."),
    ] = None,
    to: Annotated[str | None, Option("--to", "-t", help="Format of the output, if its suffix does not say.")] = None,
    json: Json = False,
) -> None:
    """Find boundaries in recordings without knowing the language.

    Example: caesura segment talk.wav -o talk.TextGrid
    """
    made, candidates = {}, []
    for path in tracked(_files(sounds), "segmenting"):
        marks, found = _segmented(path, method, threshold, interval, channel, scores is not None)
        if path.stem in made:
            raise CaesuraError(f"two sound files are called {path.stem!r}; segment them one folder at a time.")
        made[path.stem] = marks
        candidates += found
    corpus = Corpus.from_annotations(Annotation(name, method, marks) for name, marks in made.items())
    if output is not None:
        write(corpus, output, to, lossy=len(corpus.items) == 1)
        click.echo(f"wrote {output}", err=json)
    if scores is not None:
        from caesura.formats.speech.scored import spell_scores

        atomic_write(scores, spell_scores(candidates))
        click.echo(f"wrote {scores}", err=json)
    if json:
        as_json({name: {"length": marks.length, "boundaries": marks.positions} for name, marks in made.items()})
    elif output is None:
        for name, marks in made.items():
            click.echo(f"{name}: {' '.join(f'{t:.3f}' for t in marks.positions.tolist())}")


def _files(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() == ".wav") if path.is_dir() else [path]
        if not inside:
            raise FormatError(path, None, "the folder holds no WAV file.")
        found += inside
    return found


def _segmented(
    path: Path, method: str, threshold: float | None, interval: str, channel: int | None, scored: bool
) -> tuple[Any, list[tuple[str, str, float, float]]]:
    sound = read_wav(path, channel=channel)
    if method == "uniform":
        return Uniform(seconds(interval, "an interval")).segment(sound), []
    if method != "spectral":
        raise UnknownName("method", method, ["spectral", "uniform"])
    segmenter = SpectralChange() if threshold is None else SpectralChange(threshold=threshold)
    found = []
    if scored:
        times, points = segmenter.candidates(sound)
        found = [(path.stem, "", t, s) for t, s in zip(times.tolist(), points.tolist(), strict=True)]
    return segmenter.segment(sound), found
