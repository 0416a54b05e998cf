"""``caesura segment TEXT|SOUND …``: segment texts or recordings, and evaluate the segmentation of texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import click

from caesura.cli.command import Argument, OldOption, OldOptions, Option, conflicts, missing
from caesura.cli.io import (
    Reading,
    as_json,
    is_sample,
    key_values,
    parse_metrics,
    print_stderr,
    show_blocks,
    with_progress,
)
from caesura.cli.options import SAMPLES, Format, FormatOptions, Json, Metrics, Names, ToFormat, writable
from caesura.errors import CaesuraError, FormatError
from caesura.files import atomic_write
from caesura.formats import write
from caesura.formats.writing import folder_pattern
from caesura.metrics.catalog import choose_metrics
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.options import option_types, parse_options, parse_value
from caesura.segmenters import Segmenter, segmenter
from caesura.segmenters.catalog import RARE_SOUND_SUFFIXES, SEGMENTERS, SOUND_SUFFIXES, check_medium
from caesura.text import pluralize

if TYPE_CHECKING:
    from caesura.segmenters.text.chunking import Chunks
    from caesura.segmenters.text.units import Text

_PLAIN_TEXT = (".txt", ".text", ".md")
_TEXT_SUFFIXES = (*_PLAIN_TEXT, "")
_STDIN = Path("-")  # sound from the standard input
_PARALLEL = 300  # number of files from which several processes are faster than one
_METRICS = ["B", "WD", "Pk"]

_OldOptions: TypeAlias = Annotated[
    dict[str, Any] | None,
    OldOptions(
        density=OldOption(float | None, "--method dcm:density=0.1"),
        mean_length=OldOption(float | None, "--method dcm:mean_length=12"),
        tokens=OldOption(str | None, "--method dcm:tokens=choi"),
        language=OldOption(str | None, "--method dcm:language=de"),
        threshold=OldOption(float | None, "--method spectral:threshold=0.5"),
        interval=OldOption(str | None, "--method uniform:interval=80ms"),
        channel=OldOption(int | None, "--method spectral:channel=1"),
        parameter=OldOption(list[str] | None, "--method NAME:KEY=VALUE", ("--parameter", "-p")),
        encoding=OldOption(str | None, "-O encoding=latin-1"),
    ),
]


def segment(
    paths: Annotated[
        list[Path],
        Argument(
            "Texts or sound files, folders of them, sample:NAME, or - for sound from the standard input.", offer=SAMPLES
        ),
    ],
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="File to write; its suffix determines the format: .json, .csv, .TextGrid … A name without suffix: a new folder, with a file "
            "per text (--to json by default) or recording (TextGrid).",
        ),
    ] = None,
    method: Annotated[
        str | None,
        Option(
            "--method",
            help="Segmenter, with parameters after a colon: c99:rank=11,density=0.1. Default: dcm for text, spectral for sound.",
            offer=Names("segmenters"),
        ),
    ] = None,
    segments: Annotated[int | None, Option("--segments", min=1, help="Number of segments.")] = None,
    unit: Annotated[
        str | None, Option("--unit", help="Units of a text: sentence (default), paragraph, line or turn.")
    ] = None,
    levels: Annotated[
        str | None,
        Option("--levels", help="Nested segments: the number of levels, or the segments of each level: 4,12."),
    ] = None,
    model: Annotated[Path | None, Option("--model", help="A saved segmenter.")] = None,
    learn: Annotated[
        Path | None, Option("--learn", help="Segmented texts from which to learn the number of segments.")
    ] = None,
    save: Annotated[Path | None, Option("--save", check=writable, help="Save the segmenter to this file.")] = None,
    reference: Annotated[
        Path | None,
        Option("--reference", "-r", help="Segmented texts: evaluate the result, beside baselines and human agreement."),
    ] = None,
    metric: Metrics = None,
    bound: Annotated[
        list[str] | None,
        Option(
            "--bound",
            help="Also evaluate this segmenter, with as many segments as the reference has. Repeatable.",
            offer=Names("segmenters"),
        ),
    ] = None,
    explain: Annotated[
        bool, Option("--explain", help="Show the reason for each boundary, and cohesion along the text.")
    ] = False,
    max_characters: Annotated[
        int | None, Option("--max-characters", min=1, help="Longest segment, in characters.")
    ] = None,
    min_characters: Annotated[
        int | None,
        Option("--min-characters", min=1, help="Shortest segment, in characters; a maximum takes precedence."),
    ] = None,
    max_tokens: Annotated[int | None, Option("--max-tokens", min=1, help="Longest segment, in words.")] = None,
    min_tokens: Annotated[
        int | None, Option("--min-tokens", min=1, help="Shortest segment, in words; a maximum takes precedence.")
    ] = None,
    overlap: Annotated[
        str | None,
        Option(
            "--overlap",
            help="How much text of the previous chunk each of the --chunks repeats: 100 (characters), '20 tokens' or '2 units'.",
        ),
    ] = None,
    oversize: Annotated[
        Literal["cut", "keep", "refuse"],
        Option("--oversize", help="Units longer than the maximum: cut them, keep them, or refuse the text."),
    ] = "cut",
    chunks: Annotated[
        Path | None,
        Option("--chunks", check=writable, help="Write the segments with their offsets as JSON lines, for retrieval."),
    ] = None,
    style: Annotated[
        Literal["langchain", "llamaindex", "chonkie"],
        Option("--style", help="Library whose field names --chunks uses."),
    ] = "langchain",
    scores: Annotated[
        Path | None,
        Option(
            "--scores", check=writable, help="Sound: also write every candidate with its score, for caesura optimise."
        ),
    ] = None,
    to: ToFormat = None,
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
    old_options: _OldOptions = None,
) -> None:
    """Segment texts or recordings automatically.

    Example: caesura segment talk.txt --method dcm --segments 8 -o talk.json

    For speech: caesura segment talk.wav -o talk.TextGrid
    """
    old = old_options or {}
    reading = Reading.of(format, option, {key: old[key] for key in ("encoding",) if key in old})
    name, parameters = _parse_method(method, old)
    of_texts = {
        "--unit": unit, "--levels": levels, "--model": model, "--learn": learn, "--save": save, "--reference": reference,
        "--metric": metric, "--bound": bound, "--explain": explain or None, "--format": format, "--option": option,
        "--max-characters": max_characters, "--min-characters": min_characters, "--max-tokens": max_tokens, "--min-tokens": min_tokens,
        "--overlap": overlap, "--chunks": chunks,
        "--encoding": old.get("encoding"), **{f"--{key.replace('_', '-')}": old.get(key) for key in ("density", "mean_length", "tokens", "language")},
    }  # fmt: skip
    if _are_sounds(paths):
        _refuse(of_texts, "recordings")
        _segment_sounds(paths, output, name or "spectral", parameters, segments, scores, to, json)
        return
    _refuse({"--scores": scores, **{f"--{key}": old.get(key) for key in ("threshold", "interval", "channel")}}, "texts")
    names, metric_parameters = parse_metrics(metric, None)
    texts = _TextSegmentation(paths, reading, name, parameters, segments, unit, _parse_levels(levels))
    chosen = texts.make_segmenter(model, learn, (names or ["B"])[0])
    if save is not None:
        if not hasattr(chosen, "save"):
            raise CaesuraError(f"{name} has nothing to save; omit --save.")
        chosen.save(save)
        click.echo(f"wrote {save}", err=json)
    if explain:
        texts.explain(chosen, json)
        return
    sizes = {
        "max_characters": max_characters,
        "min_characters": min_characters,
        "max_tokens": max_tokens,
        "min_tokens": min_tokens,
    }
    limits = {key: value for key, value in sizes.items() if value is not None}
    if limits or chunks is not None:
        found = texts.cut(chosen, limits | {"overlap": _parse_overlap(overlap), "oversize": oversize})
        if chunks is not None:
            from caesura.chunks.files import write_chunks

            write_chunks({item: cut for item, (_, cut) in found.items()}, chunks, style)
            click.echo(f"wrote {chunks}", err=json)
        if output is None and reference is None:
            _show_chunks({item: cut for item, (_, cut) in found.items()}, json)
            return
        segmented: dict[str, Any] = {item: _in_units(item, text, cut) for item, (text, cut) in found.items()}
    else:
        segmented = dict(texts.segment(chosen))
    coder = getattr(chosen, "name", name or "dcm")
    corpus = Corpus.from_annotations(Annotation(item, coder, marks) for item, marks in segmented.items())
    if output is not None:
        # levels were requested: no format may drop them
        _write(corpus, output, to, "caesura-json", lossy=levels is None)
        click.echo(f"wrote {output}", err=json)
    if reference is not None:
        _evaluate(
            corpus,
            coder,
            reading.corpus(reference),
            choose_metrics(names or _METRICS, metric_parameters),
            bound or [],
            json,
        )
    elif json:
        as_json({item: _as_dict(marks) for item, marks in segmented.items()})
    elif output is None:
        for item, marks in segmented.items():
            click.echo(_describe(item, marks))


segment.conflicts = (  # type: ignore[attr-defined]
    *conflicts("output reference levels", "explain", "reasons are printed only"),
    *conflicts("segments", "levels", "--levels sets the number of segments of each level"),
    *conflicts("method density mean_length tokens language parameter", "model", "a saved segmenter has its parameters"),
    *conflicts("metric", "reference", "nothing is evaluated", missing, unless="learn"),
    *conflicts("bound", "reference", "nothing is evaluated", missing),
    *conflicts("max_characters min_characters max_tokens min_tokens overlap chunks", "levels explain", "limits are for flat segments"),
    *conflicts("oversize", "max_characters", "no unit can be too long", missing, unless="max_tokens"),
    *conflicts("overlap style", "chunks", "only chunks can overlap and have field names", missing),
    *conflicts("density mean_length", "segments learn", "they set the number of segments too"),
)  # fmt: skip


def _parse_method(method: str | None, old: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Split ``--method`` into a name and parameters, and add those of deprecated options."""
    name, _, behind = (method or "").partition(":")
    parameters: dict[str, Any] = parse_options(behind, dict.fromkeys(_keys(behind), str))
    more = key_values(old.get("parameter"), "--parameter") | {
        key: value for key, value in old.items() if key not in ("parameter", "encoding")
    }
    for key, value in more.items():
        if key in parameters:
            raise CaesuraError(f"--method sets {key} already; give it once.")
        parameters[key] = value
    return name or None, parameters


def _keys(behind: str) -> list[str]:
    return [part.partition("=")[0].strip() for part in behind.split(",")]


def _refuse(given: Mapping[str, Any], what: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise CaesuraError(f"{name} has no effect on {what}.")


def _parse_levels(text: str | None) -> int | list[int] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise CaesuraError(f"--levels {text!r}: expected a number of levels, or numbers of segments such as 4,12.")
    return int(parts[0]) if len(parts) == 1 else [int(part) for part in parts]


def _parse_overlap(text: str | None) -> tuple[int, str] | None:
    """Return an amount and its unit.

    >>> _parse_overlap("100"), _parse_overlap("2 units")
    ((100, 'characters'), (2, 'units'))
    """
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)\s*(characters|tokens|units)?", text.strip())
    if found is None:
        raise CaesuraError(
            f"--overlap {text!r}: expected a number of characters, such as 100, or '20 tokens', '2 units'."
        )
    return int(found[1]), found[2] or "characters"


def _in_units(item: str, text: Text, cut: Chunks) -> Segmentation:
    """Return chunks without overlap as segments of the units of their text."""
    begins = [begin for begin, _ in text.offsets]
    starts = [each.start for each in cut][1:]
    inside = [start for start in starts if start not in begins]
    if inside:
        raise CaesuraError(
            f"{item!r}: {pluralize(cut.cut or len(inside), 'unit')} longer than the maximum would be cut, which units cannot express; write "
            "--chunks FILE instead of -o, raise the maximum, or choose --oversize keep."
        )
    return Segmentation(len(begins), [begins.index(start) for start in starts], units=text.units)


def _show_chunks(found: Mapping[str, Chunks], json: bool) -> None:
    """Print the chunks of every text, or their number and lengths."""
    if json:
        as_json({item: _chunks_as_dict(cut) for item, cut in found.items()})
        return
    for item, cut in found.items():
        sizes = [each.end - each.start for each in cut] or [0]
        remarks = [*([f"{pluralize(cut.cut, 'long unit')} cut"] if cut.cut else [])]
        remarks += [f"{pluralize(cut.short, 'segment')} below the minimum"] if cut.short else []
        remarks += [f"{pluralize(cut.over, 'segment')} above the maximum"] if cut.over else []
        lengths = f"{min(sizes):,} to {max(sizes):,} characters"
        click.echo("; ".join([f"{item}: {pluralize(len(cut), 'segment')} of {lengths}", *remarks]))


def _chunks_as_dict(cut: Chunks) -> dict[str, Any]:
    counts = {"cut": cut.cut, "short": cut.short, "over": cut.over}
    return {"chunks": [{"start": each.start, "end": each.end, "tokens": each.tokens} for each in cut], **counts}


def _write(corpus: Corpus, output: Path, to: str | None, default: str, *, lossy: bool) -> None:
    """Write a file, or a new folder with a file per item if the name has no suffix; ``lossy``: a file of one item may lack names."""
    if output.suffix or output.is_file():
        write(corpus, output, to, lossy=lossy and len(corpus.items) == 1)
        return
    chosen = to or default
    write(corpus, output, chosen, lossy=lossy, pattern=folder_pattern(corpus, chosen))


# ---------------------------------------------------------------------- texts


@dataclass(frozen=True)
class _TextSegmentation:
    """Texts to segment, and the options for it."""

    paths: list[Path]
    reading: Reading
    method: str | None
    parameters: dict[str, Any]
    segments: int | None
    unit: str | None
    levels: int | list[int] | None

    def make_segmenter(self, model: Path | None, learn: Path | None, metric: str) -> Any:
        """Load or make the segmenter, and let it learn."""
        from caesura.segmenters.text import load

        method = check_medium(self.method or "dcm", "text")
        types = option_types(SEGMENTERS[method])
        given = {
            key: parse_value(value, types.get(key, Any)) if isinstance(value, str) else value
            for key, value in self.parameters.items()
        }
        if given.get("tokens") in ("choi", "mcs") and "language" in given:
            raise CaesuraError(f"language has no effect with tokens={given['tokens']}: these are rules for English.")
        chosen = segmenter(method, **given) if model is None else load(model)
        if learn is None:
            return chosen
        if not hasattr(chosen, "fit"):
            raise CaesuraError(f"{method} has nothing to learn; omit --learn.")
        return chosen.fit(self.reading.corpus(learn), metric)

    def segment(self, chosen: Segmenter) -> Iterator[tuple[str, Segmentation | Hierarchy]]:
        """Yield every text's name and segmentation."""
        decide = partial(_segment_units, chosen=chosen, segments=self.segments, levels=self.levels)
        seen: set[str] = set()
        for item, marks in self._segment_files(self.files(), decide):
            if item in seen:
                raise CaesuraError(f"two texts are called {item!r}; segment one folder at a time.")
            seen.add(item)
            yield item, marks

    def cut(self, chosen: Segmenter, limits: Mapping[str, Any]) -> dict[str, tuple[Text, Chunks]]:
        """Cut every text within limits of characters or tokens; return the texts with their chunks."""
        from caesura.segmenters.text import chunk
        from caesura.segmenters.text.units import Text

        found: dict[str, tuple[Text, Chunks]] = {}
        for name, path in with_progress(self.files(), "segmenting"):
            for item, text in self.read(name, path):
                if not isinstance(text, Text):
                    raise CaesuraError(f"{path}: limits and chunks need the text itself; give a plain text file.")
                if item in found:
                    raise CaesuraError(f"two texts are called {item!r}; segment one folder at a time.")
                found[item] = text, chunk(text, chosen, self.segments, **limits)
        return found

    def _segment_files(self, files: list[tuple[str, Path]], decide: Any) -> Iterator[tuple[str, Any]]:
        """Segment file by file; many files in several processes."""
        work = partial(_segment_file, texts=self, decide=decide)
        if len(files) < _PARALLEL:
            for file in with_progress(files, "segmenting"):
                yield from work(file)
            return
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor() as pool:
            batches = [files[i : i + 50] for i in range(0, len(files), 50)]
            waiting = [pool.submit(_segment_batch, batch, work) for batch in batches]
            for batch in with_progress(waiting, "segmenting"):
                yield from batch.result()

    def files(self) -> list[tuple[str, Path]]:
        """Return the text files of folders, and the other paths, each with its name."""
        return [pair for path in self.paths for pair in _files_inside(path, _PLAIN_TEXT) or [(path.stem, path)]]

    def read(self, name: str, path: Path) -> Iterator[tuple[str, Any]]:
        """Yield the names and units of the texts of one file, or of a folder of a format that has units."""
        from caesura.segmenters.text import read_text

        plain = path.suffix.lower() in _TEXT_SUFFIXES and self.reading.format is None and not path.is_dir()
        if plain and not is_sample(path):
            options = key_values(self.reading.options, "--option")
            if unknown := next((key for key in options if key != "encoding"), None):
                raise CaesuraError(f"--option {unknown} has no effect on plain text, which takes encoding.")
            yield name, read_text(path, self.unit or "sentence", options.get("encoding", "utf-8"))
            return
        if self.unit is not None:
            raise CaesuraError(f"--unit has no effect on {path}: the file has units.")
        corpus = self.reading.corpus(path)
        if not corpus.texts:
            raise FormatError(path, None, "it contains no text to segment, only boundaries.")
        for (item, track), units in corpus.texts.items():
            yield (f"{item} {track}" if track else item), units

    def explain(self, chosen: Any, json: bool) -> None:
        """Print the reasons of a segmenter."""
        if not hasattr(chosen, "explain"):
            raise CaesuraError(f"{self.method} gives no reasons; omit --explain.")
        reasons = {
            item: chosen.explain(units, self.segments) for file in self.files() for item, units in self.read(*file)
        }
        if json:
            as_json({item: explanation.as_dict() for item, explanation in reasons.items()})
        else:
            show_blocks(chain.from_iterable((item, *explanation.blocks()) for item, explanation in reasons.items()))


def _segment_batch(files: Iterable[tuple[str, Path]], work: Any) -> list[tuple[str, Any]]:
    return [pair for file in files for pair in work(file)]


def _segment_file(file: tuple[str, Path], texts: _TextSegmentation, decide: Any) -> list[tuple[str, Any]]:
    return [(item, decide(units)) for item, units in texts.read(*file)]


def _segment_units(units: Any, chosen: Any, segments: int | None, levels: Any) -> Segmentation | Hierarchy:
    if levels is None:
        marks: Segmentation = chosen.segment(units, segments)
        return marks
    if not hasattr(chosen, "tree"):
        raise CaesuraError("this method has no nested segments; omit --levels.")
    tree: Hierarchy = chosen.tree(units, levels)
    return tree


def _files_inside(path: Path, suffixes: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Return the files with these suffixes below a folder, each named by its path below it; none if the path is no folder."""
    inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in suffixes and p.is_file()) if path.is_dir() else []
    return [(file.relative_to(path).with_suffix("").as_posix(), file) for file in inside]


def _as_dict(marks: Segmentation | Hierarchy) -> dict[str, Any]:
    if isinstance(marks, Hierarchy):
        return {"length": marks.length, "segments": marks.spans}
    return {"length": marks.length, "boundaries": marks.positions}


def _describe(item: str, marks: Segmentation | Hierarchy) -> str:
    if isinstance(marks, Hierarchy):
        return f"{item}: {marks}"
    if not marks.length:
        return f"{item}: no units"
    return f"{item}: {pluralize(len(marks), 'segment')} of {'|'.join(map(str, marks.masses))} unit{'s' * (marks.length > 1)}"


def _evaluate(corpus: Corpus, name: str, gold: Corpus, metrics: Any, bound: list[str], json: bool) -> None:
    """Evaluate segmented texts against a reference, beside baselines and human agreement."""
    from caesura.statistics import default_bounds, evaluate

    if len(gold.items) == len(corpus.items) == 1 and gold.items != corpus.items:
        corpus = Corpus.from_annotations(a._replace(item=gold.items[0]) for a in corpus)
    elif set(corpus.items) < set(gold.items):  # some texts of the reference were segmented
        gold = gold.select(items=list(corpus.items))
    evaluation = evaluate(gold, {name: corpus}, metrics, bounds=[*default_bounds(gold), *bound])
    if json:
        as_json(evaluation.as_dict())
    else:
        show_blocks(evaluation.blocks())


# ---------------------------------------------------------------------- recordings


def _are_sounds(paths: list[Path]) -> bool:
    """Whether the inputs are recordings; texts and recordings together are refused."""
    sounds = [_is_sound(path) for path in paths]
    if any(sounds) and not all(sounds):
        raise CaesuraError("texts and recordings cannot be segmented together; run the command for each kind.")
    return all(sounds)


def _is_sound(path: Path) -> bool:
    if path.is_dir():
        sounds, texts = _files_inside(path, SOUND_SUFFIXES), _files_inside(path, _PLAIN_TEXT)
        if sounds and texts:
            print_stderr(f"{path}: {pluralize(len(texts), 'text file')} beside the recordings left out.")
        return bool(sounds)
    return path == _STDIN or path.suffix.lower() in SOUND_SUFFIXES + RARE_SOUND_SUFFIXES


def _segment_sounds(
    paths: list[Path],
    output: Path | None,
    method: str,
    parameters: dict[str, Any],
    segments: int | None,
    scores: Path | None,
    to: str | None,
    json: bool,
) -> None:
    """Segment every recording; write or print the boundaries."""
    from caesura.segmenters.sound import open_sound

    channel, chosen = _sound_segmenter(method, parameters, scores is not None)
    marks_of: dict[str, Segmentation] = {}
    candidates: list[tuple[str, str, float, float]] = []
    files = [
        pair
        for path in paths
        for pair in _files_inside(path, SOUND_SUFFIXES) or [("stdin" if path == _STDIN else path.stem, path)]
    ]
    for name, path in with_progress(files, "segmenting"):
        if name in marks_of:
            raise CaesuraError(f"two recordings are called {name!r}; segment one folder at a time.")
        sound = open_sound(sys.stdin.buffer if path == _STDIN else path, channel=channel)
        marks_of[name] = chosen.segment(sound, segments)
        if scores is not None:
            times, points = chosen.candidates(sound)
            candidates += [(name, "", t, s) for t, s in zip(times.tolist(), points.tolist(), strict=True)]
    corpus = Corpus.from_annotations(Annotation(name, method, marks) for name, marks in marks_of.items())
    if output is not None:
        _write(corpus, output, to, "textgrid", lossy=True)
        click.echo(f"wrote {output}", err=json)
    if scores is not None:
        from caesura.formats.speech.times import format_scores

        atomic_write(scores, format_scores(candidates))
        click.echo(f"wrote {scores}", err=json)
    if json:
        as_json({name: {"length": marks.length, "boundaries": marks.positions} for name, marks in marks_of.items()})
    elif output is None:
        for name, marks in marks_of.items():
            click.echo(f"{name}: {' '.join(f'{t:.3f}' for t in marks.positions.tolist())}")


def _sound_segmenter(method: str, parameters: dict[str, Any], scored: bool) -> tuple[int | None, Any]:
    """Return the channel to read, which only segmenters that listen take, and the segmenter."""
    given = dict(parameters)
    types = option_types(SEGMENTERS[check_medium(method, "sound")])
    if method in ("uniform", "random"):
        if "channel" in given or scored:
            raise CaesuraError(f"{method} segments do not depend on the sound: they have no channel and no --scores.")
        if "interval" in given:
            given["interval"] = _parse_interval(str(given["interval"]))
    channel = given.pop("channel", None)
    converted = {key: parse_value(str(value), types.get(key, Any)) for key, value in given.items()}
    return None if channel is None else int(channel), segmenter(method, **converted)


def _parse_interval(text: str) -> float:
    """Parse the length of segments; a number of 1 or more without a unit is refused, because it may be milliseconds."""
    from caesura.metrics.time_grid import seconds

    length = seconds(text, "an interval")
    if length >= 1 and text.strip().replace(".", "").isdigit():
        raise CaesuraError(f"interval={text} has no unit; write {text}ms or {text}s.")
    return length
