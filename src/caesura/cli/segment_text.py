"""Segmenting texts: read, cut into units, place boundaries, then write, print, explain or evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from caesura.cli.io import Reading, as_json, is_sample, key_values, show_blocks, with_progress
from caesura.errors import CaesuraError, FormatError
from caesura.formats import write
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.segmenters import Segmenter, segmenter
from caesura.segmenters.catalog import check_medium
from caesura.segmenters.text import load, read_text
from caesura.words import number_of

_TEXTS = (".txt", ".text", ".md", "")
_PARALLEL = 300  # files from which several processes pay
_METRICS = ["B", "WD", "Pk"]


@dataclass(frozen=True)
class TextRun:
    """What the user asked for, by the names of the command's options."""

    paths: list[Path]
    output: Path | None
    method: str | None
    segments: int | None
    density: float | None
    mean_length: float | None
    unit: str | None
    levels: str | None
    tokens: str | None
    language: str | None
    parameter: list[str] | None
    model: Path | None
    learn: Path | None
    save: Path | None
    reference: Path | None
    metric: list[str] | None
    bound: list[str] | None
    explain: bool | None
    to: str | None
    encoding: str | None
    format: str | None
    json: bool | None

    def run(self) -> None:
        """Segment everything."""
        chosen = self._segmenter()
        name = getattr(chosen, "name", self.method or "dcm")
        if self.explain:
            self._explain(chosen)
            return
        segmented = dict(self._segment_all(chosen))
        corpus = Corpus.from_annotations(Annotation(item, name, marks) for item, marks in segmented.items())
        if self.output is not None:
            lossy = len(corpus.items) == 1 and self.levels is None  # levels were asked for: no format may drop them
            write(corpus, self.output, self.to, lossy=lossy)
            click.echo(f"wrote {self.output}", err=bool(self.json))
        if self.reference is not None:
            self._evaluate(corpus, name)
        elif self.json:
            as_json({item: _plain(marks) for item, marks in segmented.items()})
        elif self.output is None:
            for item, marks in segmented.items():
                click.echo(_spell(item, marks))

    # ------------------------------------------------------------------ the segmenter

    def _segmenter(self) -> Any:
        given = {
            "density": self.density, "mean_length": self.mean_length, "tokens": self.tokens, "language": self.language,
        }  # fmt: skip
        parameters = {name: value for name, value in given.items() if value is not None}
        for name, value in key_values(self.parameter, "--parameter").items():
            if name in parameters:
                raise CaesuraError(
                    f"--{name.replace('_', '-')} has no effect with --parameter {name}={value}: give one."
                )
            parameters[name] = _value(value)
        if self.model is not None:  # which brings its method and parameters with it
            chosen = load(self.model)
        else:
            chosen = segmenter(check_medium(self.method or "dcm", "text"), **parameters)
        if self.learn is not None:
            if not hasattr(chosen, "fit"):
                raise CaesuraError(f"{self.method} has nothing to learn; leave --learn out.")
            chosen = chosen.fit(Reading(self.format, self.encoding).corpus(self.learn), (self.metric or ["B"])[0])
        if self.save is not None:
            if not hasattr(chosen, "save"):
                raise CaesuraError(f"{self.method} has nothing to save; leave --save out.")
            chosen.save(self.save)
            click.echo(f"wrote {self.save}", err=bool(self.json))
        return chosen

    # ------------------------------------------------------------------ texts

    def _segment_all(self, chosen: Segmenter) -> Iterator[tuple[str, Segmentation | Hierarchy]]:
        decide = partial(_segment_units, chosen=chosen, segments=self.segments, levels=_levels(self.levels))
        files = list(chain.from_iterable(map(_inside, self.paths)))
        seen: set[str] = set()
        for item, marks in self._each(files, decide):
            if item in seen:
                raise CaesuraError(f"two texts are called {item!r}; segment them one folder at a time.")
            seen.add(item)
            yield item, marks

    def _each(self, files: list[Path], decide: Any) -> Iterator[tuple[str, Any]]:
        """Segment file by file; very many on all cores."""
        work = partial(_segment_file, run=self, decide=decide)
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

    def texts(self, path: Path) -> Iterator[tuple[str, Any]]:
        """Read the texts of one file: (name, units)."""
        if not is_sample(path) and self.format is None and path.suffix.lower() in _TEXTS:
            yield path.stem, read_text(path, self.unit or "sentence", self.encoding or "utf-8")
            return
        if self.unit is not None:
            raise CaesuraError(f"--unit has no effect on {path}: its units are given.")
        corpus = Reading(self.format, self.encoding).corpus(path)
        if not corpus.texts:
            raise FormatError(path, None, "it holds no text to segment, only marks.")
        for (item, track), units in corpus.texts.items():
            yield (f"{item} {track}" if track else item), units

    # ------------------------------------------------------------------ what is shown

    def _explain(self, chosen: Any) -> None:
        if not hasattr(chosen, "explain"):
            raise CaesuraError(f"{self.method} has no reasons; leave --explain out.")
        reasons = {}
        for path in chain.from_iterable(map(_inside, self.paths)):
            for item, units in self.texts(path):
                reasons[item] = chosen.explain(units, self.segments)
        if self.json:
            as_json({item: explanation.as_dict() for item, explanation in reasons.items()})
            return
        show_blocks(chain.from_iterable((f"{item}", *explanation.blocks()) for item, explanation in reasons.items()))

    def _evaluate(self, corpus: Corpus, name: str) -> None:
        from caesura.statistics import evaluate, usual_bounds

        gold = Reading(self.format, self.encoding).corpus(self.reference or "")
        if len(gold.items) == len(corpus.items) == 1 and gold.items != corpus.items:
            corpus = Corpus.from_annotations(a._replace(item=gold.items[0]) for a in corpus)
        elif set(corpus.items) < set(gold.items):  # some of the reference's texts were segmented: those are measured
            gold = gold.select(items=list(corpus.items))
        bounds = [*usual_bounds(gold), *(self.bound or ())]
        evaluation = evaluate(gold, {name: corpus}, self.metric or _METRICS, bounds=bounds)
        if self.json:
            as_json(evaluation.as_dict())
        else:
            show_blocks(evaluation.blocks())


def _segment_batch(files: Iterable[Path], work: Any) -> list[tuple[str, Any]]:
    return [pair for file in files for pair in work(file)]


def _segment_file(path: Path, run: TextRun, decide: Any) -> list[tuple[str, Any]]:
    return [(item, decide(units)) for item, units in run.texts(path)]


def _segment_units(units: Any, chosen: Any, segments: int | None, levels: Any) -> Segmentation | Hierarchy:
    if levels is None:
        marks: Segmentation = chosen.segment(units, segments)
        return marks
    if not hasattr(chosen, "tree"):
        raise CaesuraError("this method gives no nested segments; leave --levels out.")
    tree: Hierarchy = chosen.tree(units, levels)
    return tree


def _inside(path: Path) -> list[Path]:
    """The text files of a folder, or the path itself."""
    if not path.is_dir():
        return [path]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in (".txt", ".text", ".md"))
    if not files:
        raise FormatError(
            path, None, "this folder holds no texts (.txt, .text or .md); name files of other formats one by one."
        )
    return files


def _levels(text: str | None) -> int | list[int] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise CaesuraError(f"--levels {text!r}: expected how many levels, or numbers of segments such as 4,12.")
    return int(parts[0]) if len(parts) == 1 else [int(part) for part in parts]


def _value(text: str) -> Any:
    """Read a parameter as a number, true or false where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _plain(marks: Segmentation | Hierarchy) -> dict[str, Any]:
    if isinstance(marks, Hierarchy):
        return {"length": marks.length, "segments": marks.spans}
    return {"length": marks.length, "boundaries": marks.positions}


def _spell(item: str, marks: Segmentation | Hierarchy) -> str:
    if isinstance(marks, Hierarchy):
        return f"{item}: {marks}"
    if not marks.length:
        return f"{item}: no units"
    return f"{item}: {number_of(len(marks), 'segment')} of {'|'.join(map(str, marks.masses))} unit{'s' * (marks.length > 1)}"
