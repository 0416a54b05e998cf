"""Segmenting recordings: blind boundaries, as a baseline to beat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caesura.cli.io import as_json, with_progress
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.files import atomic_write
from caesura.formats import write
from caesura.metrics.time_grid import seconds
from caesura.model import Annotation, Corpus
from caesura.segmenters.sound import SpectralChange, read_wav
from caesura.segmenters.uniform import Uniform


def segment_sounds(
    paths: list[Path],
    output: Path | None,
    method: str,
    segments: int | None,
    threshold: float | None,
    interval: str | None,
    channel: int | None,
    scores: Path | None,
    to: str | None,
    json: bool,
) -> None:
    """Place boundaries in every recording; write or print them."""
    marks_of: dict[str, Any] = {}
    candidates: list[tuple[str, str, float, float]] = []
    for path in with_progress(_files(paths), "segmenting"):
        marks, scored = _segment_sound(path, method, segments, threshold, interval, channel, scores is not None)
        if path.stem in marks_of:
            raise CaesuraError(f"two sound files are called {path.stem!r}; segment them one folder at a time.")
        marks_of[path.stem] = marks
        candidates += scored
    corpus = Corpus.from_annotations(Annotation(name, method, marks) for name, marks in marks_of.items())
    if output is not None:
        write(corpus, output, to, lossy=len(corpus.items) == 1)
        click.echo(f"wrote {output}", err=json)
    if scores is not None:
        from caesura.formats.speech.scored import spell_scores

        atomic_write(scores, spell_scores(candidates))
        click.echo(f"wrote {scores}", err=json)
    if json:
        as_json({name: {"length": marks.length, "boundaries": marks.positions} for name, marks in marks_of.items()})
    elif output is None:
        for name, marks in marks_of.items():
            click.echo(f"{name}: {' '.join(f'{t:.3f}' for t in marks.positions.tolist())}")


def _files(paths: list[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() == ".wav") if path.is_dir() else [path]
        if not inside:
            raise FormatError(path, None, "the folder holds no WAV file.")
        files += inside
    return files


def _segment_sound(
    path: Path,
    method: str,
    segments: int | None,
    threshold: float | None,
    interval: str | None,
    channel: int | None,
    scored: bool,
) -> tuple[Any, list[tuple[str, str, float, float]]]:
    sound = read_wav(path, channel=channel)
    if method == "uniform":
        return Uniform(_interval(interval or "80ms")).segment(sound, segments), []
    if method != "spectral":
        raise UnknownName("method", method, ["spectral", "uniform"])
    segmenter = SpectralChange() if threshold is None else SpectralChange(threshold=threshold)
    candidates = []
    if scored:
        times, points = segmenter.candidates(sound)
        candidates = [(path.stem, "", t, s) for t, s in zip(times.tolist(), points.tolist(), strict=True)]
    return segmenter.segment(sound, segments), candidates


def _interval(text: str) -> float:
    """Read the length of uniform segments; a bare number that would be seconds is asked what it means."""
    length = seconds(text, "an interval")
    if length >= 1 and text.strip().replace(".", "").isdigit():
        raise CaesuraError(f"--interval {text} has no unit; write {text}ms for milliseconds, {text}s for seconds.")
    return length
