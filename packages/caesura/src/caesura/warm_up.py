"""Compile all kernels once, so that no later process has to: for images of containers, CI and machines that many people share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from caesura import samples
from caesura.agreement import agree, alpha_u, gamma, u_alpha
from caesura.anchoring import anchor, find_quote
from caesura.annotators import fit_annotators
from caesura.chunks import evaluate_chunks
from caesura.display.result import Result
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.gold import METHODS, unify
from caesura.kernels import jit, load
from caesura.kernels.cache_files import CacheFiles
from caesura.metrics import Batch, metric, metric_names
from caesura.metrics.region_match import region_match
from caesura.metrics.windows import window_size
from caesura.model import Corpus, Segmentation, Spans
from caesura.registry import Registry
from caesura.report.tour import STOPS
from caesura.segmenters.catalog import SEGMENTERS, segmenter
from caesura.statistics import evaluate

#: Work on small data, by the part of the program whose kernels it calls: functions without arguments. Plug-ins add theirs.
WARM_UPS: Registry[Callable[[], Any]] = Registry("warm_up", {"error study": "caesura.papers.error_study:call_kernels"})

_OPTIONS = ("B:n_t=3", "B:n_t=3,matching=optimal", "A:weight=dice", "A:alignment=global", "R:matching=optimal")


@dataclass(frozen=True)
class WarmUp(Result):
    """What :func:`warm_up` did.

    Parameters
    ----------
    kernels : tuple of str
        The kernels that are now compiled.
    seconds : float
        How long it took.
    folder : str
        Where they are cached.
    """

    kernels: tuple[str, ...]
    seconds: float
    folder: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {"kernels": list(self.kernels), "seconds": self.seconds, "folder": self.folder}

    def tables(self) -> list[Table]:
        """Return one table."""
        row = (len(self.kernels), self.seconds, self.folder)
        return [Table("", ("kernels", "seconds", "cached in"), (row,))]


def warm_up(report: Callable[[str, float], Any] = lambda title, share: None) -> WarmUp:
    """Run every metric, coefficient, method and segmenter on small data, with all kernels compiled.

    Compiled kernels are cached on disk. What is in the cache already is only loaded, so that a second run takes seconds.

    Parameters
    ----------
    report : callable, optional
        Called before each part with its title and the share of parts that are done.

    Returns
    -------
    WarmUp
        The kernels, the time and the folder of the cache.
    """
    began = perf_counter()
    with jit.compile_all() as kernels, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jobs = list(_jobs())
        for number, (title, job) in enumerate(jobs):
            report(title, number / len(jobs))
            try:
                job()
            except CaesuraError:  # a metric or method that does not apply to these data
                continue
    folder = next(CacheFiles(jit.kernel).folders(), Path())
    return WarmUp(tuple(sorted(set(kernels))), perf_counter() - began, str(folder))


def _jobs() -> Iterator[tuple[str, Callable[[], Any]]]:
    corpora = [samples.load(name) for name in ("kubla", "dialogue", "phones", "walk")] + [_spans()]
    for name in (*metric_names(), *_OPTIONS):
        for corpus in corpora:
            yield name, partial(_score, name, corpus)
    for corpus in corpora:
        yield "agree", partial(agree, corpus)
        for method in METHODS:
            yield method, partial(unify, corpus, method)
    yield "Sf", partial(agree, samples.load("dialogue"), "Sf")
    two = corpora[-1].select(coders=["a", "b"])
    for each in (corpora[-1], two):
        yield "γ", partial(gamma, each)
        yield "α_U", partial(alpha_u, each)
        yield "uα", partial(u_alpha, each)
    yield "evaluate", _evaluate
    yield "evaluate Parquet", _evaluate_parquet
    yield "Parquet", _find_lists
    text = next(iter(samples.load("moonstone"))).marks.units or ()
    for name in SEGMENTERS:
        for segments in (None, 3):
            if "text" in SEGMENTERS.facts(name)["takes"]:
                yield name, partial(_segment, name, text, segments)
    yield "explain", partial(_explain, text[:12])
    yield "anchor", partial(_anchor, text[:12])
    yield "chunks", _chunks
    yield "annotators", _annotators
    yield "chance", _chance
    for weight in ("votes-conflicts", "uncontested"):
        yield "gold", partial(unify, samples.load("walk"), "conflict-free-union", weight=weight)
    yield "names", _pair_names
    yield "window", partial(window_size, [2, 3, 6])
    for matching in ("optimal", "lenient"):
        yield "regions", partial(region_match, [0.1, 0.2], [0.1, 0.21], matching=matching)
    for name in STOPS:
        yield name, STOPS[name]
    for name, job in WARM_UPS.items():
        yield name, job


def _score(name: str, corpus: Corpus) -> None:
    """Score two coders as a batch and as a pair in all the forms that a pair can have."""
    measure, coders = metric(name), corpus.coders[:2]
    ours, theirs = (corpus.select(coders=[coder], tracks=corpus.tracks[:1]) for coder in coders)
    measure.rows(Batch.of_corpora(ours, theirs))
    pair = [next(iter(side)).marks for side in (ours, theirs)]
    measure(*pair)
    if corpus.kind == "units" and corpus.types is None:
        measure([2, 3, 6], [5, 6])
        measure("0100", "0010")


def _segment(name: str, text: Any, segments: int | None) -> None:
    segmenter(name).segment(text, segments)


def _evaluate() -> None:
    sides = [
        Corpus.from_dict({f"text {i}": {coder: Segmentation.from_masses([2, 3 + i, 6])} for i in range(4)})
        for coder in ("gold", "system")
    ]
    evaluate(sides[0], {"system": sides[1]}, ["B", "WD"], resamples=100)


def _evaluate_parquet() -> None:
    """Evaluate files in parts, as for a million texts."""
    from caesura.formats import write
    from caesura.statistics.engine import evaluate_files

    with TemporaryDirectory() as folder:
        gold, system = Path(folder) / "gold.parquet", Path(folder) / "system.parquet"
        for file in (gold, system):
            write(Corpus.from_dict({"text": {"a": Segmentation.from_masses([2, 3, 6])}}), file)
        evaluate_files(gold, {"system": system}, ["B", "WD"], resamples=10)


def _explain(text: Sequence[str]) -> None:
    """Compute posteriors, nested segments, exemplars by messages, and boundaries of a text that arrives line by line."""
    dcm: Any = segmenter("dcm")
    for segments in (None, 3):
        dcm.explain(text, segments)
    dcm.tree(text, 2, order="joint")
    segmenter("aps", method="messages", preference=0.0).segment(text[:5])
    stream = dcm.stream()
    for line in text[:3]:
        stream.push(line)


def _anchor(text: Sequence[str]) -> None:
    """Align a copy in which letters, words and lines have changed, and find a misquoted passage."""
    source = " ".join(text)
    copy = (
        " ".join((*text[:3], *text[4:6], text[8], text[6], *text[9:]))
        .replace("e", "é", 3)
        .replace(" the ", " thee ", 4)
    )
    anchor(source, copy).boundaries([100])
    find_quote(source[:300], f"{source[200:220]}x{source[222:260]}")


def _chance() -> None:
    """Compute S_f and S_f^B expected of random annotators, who name a few utterances."""
    sides = {coder: Segmentation(4, [1, 3], types, ["x", "y"]) for coder, types in (("a", [0, 1]), ("b", [1, 1]))}
    for name in ("Sf", "SfB"):
        agree(Corpus.from_dict({"text": sides}), name)


def _chunks() -> None:
    query = {"query": "sea", "document": "text", "spans": [(0, 15)]}
    evaluate_chunks(
        {"text": "sea ship sail. bread flour oven."}, [query], {"halves": [(0, 15), (15, 32)]}, resamples=10
    )


def _annotators() -> None:
    """Fit the model of annotators, with intervals."""
    fit_annotators(samples.load("stargazer"), starts=1, max_steps=3, sweeps=20).tables()


def _pair_names() -> None:
    """Pair the intervals of an aligner whose names differ from the reference."""
    sides = [
        Segmentation.from_times([0.1, 0.2], length=0.3, names=names) for names in (["a", "b", "c"], ["a", "c", "c"])
    ]
    metric("onset-mean")(*sides)


def _find_lists() -> None:
    """Find two lists of one value each in a page of Parquet."""
    repetition, definition = (np.frombuffer(run, np.uint8) for run in (b"\x04\x00", b"\x04\x03"))
    load("list_levels").find_lists(repetition, definition, 2, 3, 1, np.empty(3, np.int64))


def _spans() -> Corpus:
    """Return a text with spans by three annotators who move and rename some of them."""
    labels = ["person", "place"]
    annotated = {
        coder: Spans(100, [10 * k + shift for k in range(9)], [10 * k + 6 for k in range(9)], [k % step for k in range(9)], labels)
        for coder, shift, step in (("a", 0, 2), ("b", 1, 2), ("c", 2, 1))
    }  # fmt: skip
    return Corpus.from_dict({"text": annotated})
