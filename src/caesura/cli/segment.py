"""``caesura segment TEXT|SOUND …``: boundaries by machine, in texts and in recordings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from caesura.cli.catalogues import SAMPLES, Names
from caesura.cli.command import Argument, Option
from caesura.cli.options import Bounds, Encoding, Format, Json, Metrics, ToFormat, writable
from caesura.errors import CaesuraError

#: Options that only one medium knows.
_OF_SOUND = ("threshold", "interval", "channel", "scores")
_OF_TEXT = ("density", "mean_length", "unit", "levels", "tokens", "language", "parameter", "model", "learn", "save", "reference",
            "metric", "bound", "explain", "encoding", "format")  # fmt: skip


def segment(
    paths: Annotated[list[Path], Argument("Texts or WAV files, folders of them, or sample:NAME.", offer=SAMPLES)],
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Where to write; the suffix says the format: .json, .csv, .TextGrid …"),
    ] = None,
    method: Annotated[
        str | None,
        Option("--method", help="A segmenter; default dcm for text, spectral for sound.", offer=Names("segmenters")),
    ] = None,
    segments: Annotated[int | None, Option("--segments", min=1, help="How many segments.")] = None,
    density: Annotated[float | None, Option("--density", min=0, max=1, help="Boundaries per place.")] = None,
    mean_length: Annotated[float | None, Option("--mean-length", help="Units per segment.")] = None,
    unit: Annotated[
        str | None, Option("--unit", help="Cut texts by sentence (default), paragraph, line or turn.")
    ] = None,
    levels: Annotated[
        str | None, Option("--levels", help="Nested segments: how many levels, or their numbers: 4,12.")
    ] = None,
    tokens: Annotated[str | None, Option("--tokens", help="Words: plain (default), choi or mcs.")] = None,
    language: Annotated[
        str | None, Option("--language", help="Of stop words and stems: en (default), de, … or none.")
    ] = None,
    parameter: Annotated[
        list[str] | None, Option("--parameter", "-p", help="A parameter of the method, KEY=VALUE; repeatable.")
    ] = None,
    model: Annotated[Path | None, Option("--model", help="A segmenter that was saved.")] = None,
    learn: Annotated[
        Path | None, Option("--learn", help="Segmented texts to learn the number of segments from.")
    ] = None,
    save: Annotated[
        Path | None, Option("--save", check=writable, help="Save the segmenter, with what it learnt.")
    ] = None,
    reference: Annotated[
        Path | None,
        Option("--reference", "-r", help="Segmented texts: evaluate at once, with random and human bounds."),
    ] = None,
    metric: Metrics = None,
    bound: Bounds = None,
    explain: Annotated[
        bool, Option("--explain", help="Show what speaks for each boundary, and cohesion and posterior along the text.")
    ] = False,
    threshold: Annotated[float | None, Option("--threshold", help="Sound: least score of a spectral boundary.")] = None,
    interval: Annotated[
        str | None, Option("--interval", help="Sound: length of uniform segments; default 80ms.")
    ] = None,
    channel: Annotated[int | None, Option("--channel", help="Sound: which channel; default the mean of all.")] = None,
    scores: Annotated[
        Path | None,
        Option(
            "--scores", check=writable, help="Sound: also write every candidate with its score, for `caesura optimise`."
        ),
    ] = None,
    to: ToFormat = None,
    encoding: Encoding = None,
    format: Format = None,
    json: Json = False,
) -> None:
    """Place boundaries in texts or recordings by machine.

    Example: caesura segment talk.txt --method dcm --segments 8 -o talk.json;
    caesura segment talk.wav -o talk.TextGrid; caesura list segmenters
    """
    given = {name: value for name, value in locals().items() if value not in (None, False) and name != "given"}
    if _are_sounds(paths):
        _refuse(given, _OF_TEXT, "recordings")
        from caesura.cli.segment_sound import segment_sounds

        segment_sounds(paths, output, method or "spectral", segments, threshold, interval, channel, scores, to, json)
        return
    _refuse(given, _OF_SOUND, "texts")
    from caesura.cli.segment_text import TextRun

    asked: dict[str, Any] = {name: given.get(name) for name in TextRun.__dataclass_fields__}
    TextRun(**asked).run()


def _are_sounds(paths: list[Path]) -> bool:
    """Whether all that is given is sound; texts and sounds together are refused."""
    sounds = [_is_sound(path) for path in paths]
    if any(sounds) and not all(sounds):
        raise CaesuraError("texts and recordings were given together; segment them one kind at a time.")
    return all(sounds)


def _is_sound(path: Path) -> bool:
    if path.is_dir():
        return any(inside.suffix.lower() == ".wav" for inside in path.rglob("*"))
    return path.suffix.lower() == ".wav"


def _refuse(given: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if name in given:
            raise CaesuraError(f"--{name.replace('_', '-')} has no effect on {what}.")
