"""Fill in docs/what-is-a-good-value.md while the site is built: values of simulated annotators and published values.

The markers are ``<!-- families -->`` and ``<!-- coefficients -->``; the published values are in docs/published_values.toml.
``python docs/good_values.py`` prints the page.
"""

from __future__ import annotations

import itertools
import re
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import caesura as cs
from caesura.agreement import COEFFICIENTS, SPAN_COEFFICIENTS
from caesura.agreement.unitizing import span_agreements
from caesura.display.svg import Svg
from caesura.errors import CaesuraError
from caesura_vowels.field_scores import field_corpus
from caesura_vowels.marked_text import marked_corpus
from caesura_vowels.scripts import HEBREW
from generated_pages import add_to_site

PAGE = Path(__file__).with_name("what-is-a-good-value.md")
PUBLISHED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("published_values.toml").read_text("utf-8"))

#: The error rate of each simulated annotator; None means random marks.
ANNOTATORS: dict[str, float | None] = {"equal": 0.0, "careful": 0.05, "fair": 0.15, "poor": 0.35, "random": None}
KINDS = {"units": "a text", "time": "a recording", "nested": "a nested text", "spans": "spans", "marks": "vowels"}
NAMES = ["a", "e", "i", "o", "u", "t", "k", "s", "m", "n"]


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the page (a hook of mkdocs)."""
    return fill_in(markdown) if page.file.src_uri == PAGE.name else markdown


def fill_in(markdown: str) -> str:
    """Replace the markers by a section for every family and every group of coefficients."""
    for marker, sections in (("families", family_sections), ("coefficients", coefficient_sections)):
        markdown = markdown.replace(f"<!-- {marker} -->", "\n\n".join(sections()))
    return markdown


# ---------------------------------------------------------------------- sections


def family_sections() -> Iterator[str]:
    for family, names in families().items():
        title = PUBLISHED[family].get("title") or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", family).capitalize()
        rows = [
            [f"`{name}`{'' if cs.metric(name).higher_is_better else ' ↓'}", KINDS[kind], *values]
            for kind, table in simulated_values().items()
            for name, values in table.items()
            if name in names
        ]
        columns = ["metric", "of", *ANNOTATORS]
        if len({row[1] for row in rows}) == 1:  # the column would say the same in every row
            columns, rows = columns[:1] + columns[2:], [row[:1] + row[2:] for row in rows]
        yield section(f"{title}: {short_list(names)}", family, columns, rows)


def coefficient_sections() -> Iterator[str]:
    for kind, names in (("units", COEFFICIENTS), ("spans", SPAN_COEFFICIENTS)):
        title = "Coefficients of boundaries" if kind == "units" else "Coefficients of spans"
        rows = [[f"`{name}`", *values] for name, values in simulated_agreement(kind).items()]
        yield section(f"{title}: {short_list(names)}", title, ["coefficient", *ANNOTATORS], rows)


def section(heading: str, key: str, columns: list[str], rows: list[list[str]]) -> str:
    """Return a heading, the simulated values, and the published values or a note that none were found."""
    known = PUBLISHED[key]
    printed = [[f"`{each['metric']}`", each["value"], each["of"], each["source"]] for each in known.get("printed", [])]
    values = {
        (row[0].split("`")[1], name): cell for row in reversed(rows) for name, cell in zip(columns, row, strict=True)
    }
    reading = re.sub(r"\{([\w-]+) (\w+)\}", lambda match: values[match[1], match[2]], known["reading"])
    parts = [f"### {heading}", reading, table(columns, rows)]
    if printed:
        parts.append(table(["published", "value", "for", "source"], printed))
    if "missing" in known:
        parts.append(f"*No published value found:* {known['missing']}")
    return "\n\n".join(parts)


def table(columns: list[str], rows: list[list[str]]) -> str:
    rule = [
        "---" if name in {"metric", "of", "coefficient", "published", "for", "source"} else "---:" for name in columns
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [columns, rule, *rows])


def short_list(names: Iterable[str]) -> str:
    """List names, with common prefixes written once: ``B, S, B-precision, -recall, -F``."""
    parts, before = [], ""
    for name in names:
        stem, dash, end = name.rpartition("-")
        parts.append(f"-{end}" if dash and stem == before else name)
        before = stem
    return ", ".join(parts)


def families() -> dict[str, list[str]]:
    """Return the names of metrics by the class of their family, in the order of the registry."""
    names = defaultdict(list)
    for name in cs.metric_names():
        names[type(cs.metric(name).family).__name__].append(name)
    return dict(names)


# ---------------------------------------------------------------------- picture

#: The metrics of the picture: kind and name.
SHOWN = [("units", "B"), ("units", "F"), ("units", "S"), ("units", "Sf"), ("units", "A"), ("units", "WD"), ("units", "Pk"), ("time", "R"), ("time", "A"), ("nested", "nested-F"), ("spans", "span-F")]  # fmt: skip
LEFT, WIDTH, ROW, TOP = 190, 480, 28, 62  # of the axis, of a row, and of the first row, in pixels


def on_files(files: Any, *, config: Any) -> Any:
    """Add the picture to the site (a hook of mkdocs)."""
    return add_to_site(files, config, {"pictures/good-values.svg": picture()})


def picture() -> str:
    """Draw the values of the simulated annotators for some metrics, from 0 to 1, each as the initial of the annotator."""
    rows = [(kind, name, simulated_values()[kind][name]) for kind, name in SHOWN]
    drawn = Svg(
        LEFT + WIDTH + 30,
        TOP + ROW * len(rows) + 14,
        title="Values of simulated annotators",
        description="; ".join(f"{name} of {KINDS[kind]}: {', '.join(values)}" for kind, name, values in rows),
    )
    for number, word in enumerate(ANNOTATORS):
        drawn.text(16 + 130 * number, 22, f"{word[0]}  {word}", f"series{number}", weight="bold", size=13)
    for tenth in range(0, 11, 2):
        x = LEFT + WIDTH * tenth / 10
        drawn.line(x, TOP - 8, x, TOP + ROW * len(rows) - 8, "grid")
        drawn.text(x - 8, TOP - 14, f"{tenth / 10:.1f}", "faint", size=11)
    for number, (kind, name, values) in enumerate(rows):
        y = TOP + ROW * number + 12
        arrow = "" if cs.metric(name).higher_is_better else " ↓"
        drawn.text(16, y, f"{name}{arrow}", weight="bold", size=13)
        drawn.text(90, y, KINDS[kind].removeprefix("a "), "faint", size=12)
        places = [LEFT + WIDTH * min(1.0, max(0.0, float(value))) for value in values]
        for x in places:
            drawn.circle(x, y - 4, 6, "paper")
        for annotator, (word, x) in enumerate(zip(ANNOTATORS, places, strict=True)):
            drawn.text(x - 4, y, word[0], f"series{annotator}", weight="bold", size=13)
    return drawn.render()


# ---------------------------------------------------------------------- values


@cache
def simulated_values() -> dict[str, dict[str, list[str]]]:
    """Return the pooled value of each simulated annotator, by kind and metric."""
    values: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    for kind, names in itertools.product(KINDS, families().values()):
        if (kind == "marks") == is_vowel_metric(names[0]):
            scores = [pooled_values(names, *corpora(kind, annotator, names[0])) for annotator in ANNOTATORS]
            for name in scores[0]:
                values[kind][name] = [f"{each[name]:.2f}" for each in scores]
    return values


def pooled_values(names: list[str], reference: cs.Corpus, hypothesis: cs.Corpus) -> dict[str, float]:
    """Return the value of each metric over the whole corpus; nothing if they do not apply."""
    if reference.kind not in cs.metric(names[0]).kinds:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = cs.evaluate(reference, {"": hypothesis}, names, resamples=0).as_dict()["systems"][""]
    except CaesuraError:
        return {}
    return {name: scores[name]["micro"] for name in names}


def is_vowel_metric(name: str) -> bool:
    """Whether a metric compares vowel marks, which need other annotations."""
    return type(cs.metric(name).family).__module__.startswith("caesura_vowels")


@cache
def simulated_agreement(kind: str) -> dict[str, list[str]]:
    """Return the agreement of three annotators with the same error rate, by coefficient."""
    if kind == "units":
        by_annotator = [
            {name: cs.agree(three_coders(kind, annotator), coefficient=name) for name in COEFFICIENTS}
            for annotator in ANNOTATORS
        ]
    else:  # γ and γ-cat share their random texts
        by_annotator = [
            span_agreements(three_coders(kind, annotator), SPAN_COEFFICIENTS, samples=20) for annotator in ANNOTATORS
        ]
    return {name: [f"{values[name].value:.2f}" for values in by_annotator] for name in by_annotator[0]}


# ---------------------------------------------------------------------- annotators


def corpora(kind: str, annotator: str, name: str) -> tuple[cs.Corpus, cs.Corpus]:
    """Return the reference and the annotation by an annotator."""
    if kind != "marks":
        return plain_corpus(kind, "equal"), plain_corpus(kind, annotator)
    return marked("equal", name), marked(annotator, name)


@cache
def plain_corpus(kind: str, annotator: str, seed: int = 0, items: int = 40) -> cs.Corpus:
    rows = ((f"item {n}", "ann", SIMULATED[kind](n, ANNOTATORS[annotator], seed)) for n in range(items))
    return cs.Corpus.from_annotations(rows)


@cache
def three_coders(kind: str, annotator: str) -> cs.Corpus:
    rows = (
        (f"item {n}", coder, SIMULATED[kind](n, ANNOTATORS[annotator], seed))
        for n in range(10)
        for seed, coder in enumerate(("ann", "ben", "eve"), 1)
    )
    return cs.Corpus.from_annotations(rows)


def text(item: int, wrong: float | None, seed: int) -> cs.Segmentation:
    """Return a text of sixty units with a boundary after every sixth unit on average."""
    return cs.Segmentation.from_positions(boundaries(item, wrong, seed), length=60)


def boundaries(item: int, wrong: float | None, seed: int, length: int = 60, mass: int = 6) -> list[int]:
    """Return the boundaries of an annotator who misses this share of them, adds as many, and places twice as many one unit off."""
    truth = np.random.default_rng(item).choice(np.arange(1, length), size=length // mass - 1, replace=False)
    draw = np.random.default_rng([item, seed, 1])
    if wrong is None:
        return sorted(draw.choice(np.arange(1, length), size=len(truth), replace=False).tolist())
    off = draw.choice([-1, 1], size=len(truth)) * (draw.random(len(truth)) < 2 * wrong)
    kept = np.clip(truth + off, 1, length - 1)[draw.random(len(truth)) >= wrong]
    extra = draw.integers(1, length, size=draw.binomial(len(truth), wrong))
    return sorted({*kept.tolist(), *extra.tolist()})


def recording(item: int, wrong: float | None, seed: int) -> cs.Segmentation:
    """Return four seconds of phones as long as TIMIT's (papers/rasanen2009); times are off by 0, 5, 15 or 35 ms (standard deviation)."""
    gaps = np.random.default_rng(item).gamma(2.433, 0.0337, size=200)
    truth = np.cumsum(gaps)[np.cumsum(gaps) < 3.95]
    names = np.random.default_rng(item + 1).choice(NAMES, size=len(truth) + 1)
    draw = np.random.default_rng([item, seed, 2])
    if wrong is None:
        times = np.sort(draw.uniform(0.01, 3.99, size=len(truth)))
        return cs.Segmentation.from_times(times, length=4.0, names=draw.choice(NAMES, size=len(truth) + 1).tolist())
    stays = draw.random(len(truth)) >= wrong
    moved = truth[stays] + draw.normal(0, wrong / 10, size=stays.sum())
    extra = draw.uniform(0.01, 3.99, size=draw.binomial(len(truth), wrong))
    times = np.unique(np.clip(np.concatenate([moved, extra]), 0.001, 3.999))
    heard = names[np.searchsorted(truth, (np.append(times, 4.0) + np.insert(times, 0, 0.0)) / 2)]
    slips = draw.random(len(heard)) < wrong
    heard[slips] = draw.choice(NAMES, size=slips.sum())
    return cs.Segmentation.from_times(times, length=4.0, names=heard.tolist())


def nested(item: int, wrong: float | None, seed: int) -> cs.Hierarchy:
    """Return the same text with about three segments in each of a few larger ones."""
    inner = boundaries(item, wrong, seed)
    outer = sorted({min(inner, key=lambda p: abs(p - place)) for place in (20, 40)}) if inner else []
    spans = [(1, 60, 1)]
    for level, places in enumerate((outer, inner), 2):
        spans += [(a + 1, b, level) for a, b in itertools.pairwise([0, *places, 60])]
    return cs.Hierarchy(60, spans)


def entities(item: int, wrong: float | None, seed: int) -> cs.Spans:
    """Return 260 units with fourteen short spans of three labels."""
    right = np.random.default_rng(item)
    starts = np.cumsum(right.integers(9, 19, size=14)) - 9
    truth = [
        (int(s), int(s + n), k)
        for s, n, k in zip(starts, right.integers(1, 7, 14), right.integers(3, size=14), strict=True)
    ]
    draw = np.random.default_rng([item, seed, 3])
    rows = set()
    for start, end, kind in truth:
        if wrong is None or draw.random() < wrong:
            start = int(draw.integers(0, 250))
            end, kind = start + int(draw.integers(1, 7)), int(draw.integers(3))
            if wrong is not None and draw.random() < 0.5:
                continue  # half of the errors are missing spans, half are extra spans
        elif draw.random() < 2 * wrong:
            end += 1 if end == start + 1 or draw.random() < 0.5 else -1
        elif draw.random() < wrong:
            kind = (kind + 1) % 3
        if all(end <= first or start >= last for first, last, _ in rows):  # most coefficients do not support overlaps
            rows.add((start, end, ["person", "place", "date"][kind]))
    return cs.Spans.from_rows(sorted(rows), length=260, labels=["person", "place", "date"])


SIMULATED: dict[str, Callable[[int, float | None, int], Any]] = {
    "units": text, "time": recording, "nested": nested, "spans": entities,
}  # fmt: skip

SCRIPTS = {"hebrew": ("בגדהכלמנרתשק", "ְֱֲֳִֵֶַָֹֻ"), "arabic": ("بتثجحدرسعفقكلمن", "ًٌٍَُِْ")}


@cache
def marked(annotator: str, name: str) -> cs.Corpus:
    """Return words of three to six letters with a vowel each; a fifth of the error rate, because a word has many marks."""
    field = {"FadelErrors": "fadel", "NakdimonAccuracy": "nakdimon"}.get(type(cs.metric(name).family).__name__)
    letters, vowels = SCRIPTS["arabic" if field == "fadel" else "hebrew"]
    truth, draw = np.random.default_rng(0), np.random.default_rng(1)
    wrong = ANNOTATORS[annotator]
    lines = []
    for n in range(100):
        words = []
        for size in truth.integers(3, 7, size=8):
            marks = truth.integers(len(vowels), size=size)
            slips = draw.random(size) < (1.0 if wrong is None else wrong / 5)
            other = draw.integers(len(vowels), size=size)
            chosen = np.where(slips, other, marks)
            words.append(
                "".join(letter + vowels[s] for letter, s in zip(truth.choice(list(letters), size), chosen, strict=True))
            )
        lines.append((f"line {n}", " ".join(words)))
    return field_corpus(lines, field) if field else marked_corpus(lines, HEBREW, known=lambda word: len(word) > 8)


if __name__ == "__main__":
    print(fill_in(PAGE.read_text("utf-8")))
