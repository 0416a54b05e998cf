"""Fill in the gallery while the site is built: every metric on small errors, and a picture of every drawing.

The markers are ``<!-- metrics of units -->`` (time, nested, spans) and ``<!-- drawings -->`` in docs/gallery.md, and
``<!-- every metric -->`` in docs/metrics.md. ``python docs/gallery.py`` prints the gallery.
"""

from __future__ import annotations

import base64
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import caesura as cs
from caesura.drawings.catalog import DRAWINGS, draw, drawing
from caesura.errors import CaesuraError

PAGE = Path(__file__).with_name("gallery.md")
BY_NAME = "metrics.md"

#: The kinds of annotation in words.
COMPARES = {
    "units": "boundaries between units",
    "time": "boundaries in time",
    "nested": "nested segments",
    "spans": "spans",
}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the two pages (a hook of mkdocs)."""
    if page.file.src_uri == BY_NAME:
        return markdown.replace("<!-- every metric -->", "\n".join(entry(name) for name in cs.metric_names()))
    return fill_in(markdown) if page.file.src_uri == PAGE.name else markdown


def fill_in(markdown: str) -> str:
    """Replace the markers by tables and drawings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filled = re.sub(r"<!-- metrics of (\w+) -->", lambda match: metric_table(match[1]), markdown)
        return filled.replace("<!-- drawings -->", "\n".join(all_drawings()))


# ---------------------------------------------------------------------- metrics


def flat_text(positions: list[int]) -> cs.Segmentation:
    return cs.Segmentation.from_positions([(p, ".") for p in positions], length=20, labels=[".", ","])


def recording(times: list[float]) -> cs.Segmentation:
    names = ["sil", "a", "t", "o", "n", "e"][: len(times) + 1]
    return cs.Segmentation.from_times(times, length=4.0, names=names)


def tree(ends: list[int]) -> cs.Hierarchy:
    edges = [0, *ends, 20]
    inner = [(a + 1, b, 2) for a, b in itertools.pairwise(edges)]
    return cs.Hierarchy(20, [(1, 20, 1), *inner])


def entities(rows: list[tuple[int, int, str]]) -> cs.Spans:
    return cs.Spans.from_rows(rows, length=20, labels=["person", "place"])


#: For each kind: the function that makes annotations, the reference, and hypotheses with one error each.
ERRORS: dict[str, tuple[Callable[[Any], Any], Any, dict[str, Any]]] = {
    "units": (
        flat_text,
        [4, 8, 12, 16],
        {"equal": [4, 8, 12, 16], "one off by one": [4, 9, 12, 16], "one missed": [4, 12, 16], "one too many": [4, 6, 8, 12, 16], "none at all": []},
    ),
    "time": (
        recording,
        [0.8, 1.6, 2.4, 3.2],
        {"equal": [0.8, 1.6, 2.4, 3.2], "one off by 10 ms": [0.8, 1.61, 2.4, 3.2], "one off by 50 ms": [0.8, 1.65, 2.4, 3.2], "one missed": [0.8, 2.4, 3.2], "one too many": [0.8, 1.2, 1.6, 2.4, 3.2]},
    ),
    "nested": (
        tree,
        [5, 10, 15],
        {"equal": [5, 10, 15], "one off by one": [6, 10, 15], "one missed": [10, 15], "one too many": [5, 7, 10, 15]},
    ),
    "spans": (
        entities,
        [(0, 3, "person"), (6, 8, "place"), (12, 15, "person")],
        {
            "equal": [(0, 3, "person"), (6, 8, "place"), (12, 15, "person")],
            "one too short": [(0, 3, "person"), (6, 8, "place"), (12, 14, "person")],
            "one with a wrong label": [(0, 3, "place"), (6, 8, "place"), (12, 15, "person")],
            "one missed": [(0, 3, "person"), (6, 8, "place")],
        },
    ),
}  # fmt: skip


def metric_table(kind: str) -> str:
    """Return one row per metric of this kind: its title, and its value for each error."""
    make, reference, errors = ERRORS[kind]
    rows = [f"| metric | title | {' | '.join(errors)} |", f"|---|---|{'---:|' * len(errors)}"]
    for name in cs.metric_names():
        metric = cs.metric(name)
        if kind not in metric.kinds:
            continue
        values = [value_of(metric, make(reference), make(marks)) for marks in errors.values()]
        if set(values) != {"–"}:  # some metrics need other annotations, such as vowel marks
            arrow = "" if metric.higher_is_better else " ↓"
            rows.append(f"| `{name}`{arrow} | {metric.title} | {' | '.join(values)} |")
    return "\n".join(rows)


def entry(name: str) -> str:
    """Return a heading, which the search finds, and the facts about a metric."""
    metric = cs.metric(name)
    least, most = metric.bounds
    is_vowel_metric = type(metric.family).__module__.startswith("caesura_vowels")
    kinds = (
        "marks on letters"
        if is_vowel_metric
        else ", ".join(COMPARES[kind] for kind in COMPARES if kind in metric.kinds)
    )
    spelled = ", ".join(f"`{key}={value}`" for key, value in metric.parameters.items())
    reach = f"From {least:g} to {most:g}, best {metric.best:g}".replace("-inf", "-∞").replace("inf", "∞")
    return "\n\n".join(
        [
            f"## {name}: {metric.title} {{: #{name} }}",
            metric.about,
            f"{reach}. For {kinds}." + (f" Parameters: {spelled}." if spelled else ""),
            f"Reference: {metric.paper}." if metric.paper not in ("", "none") else "",
        ]
    )


def value_of(metric: Any, reference: Any, hypothesis: Any) -> str:
    """Return the value with two decimals, or a dash if the metric does not apply."""
    try:
        value = metric(reference, hypothesis)
    except CaesuraError:
        return "–"
    return "–" if value != value else f"{value:.2f}"


# ---------------------------------------------------------------------- drawings


def all_drawings() -> Iterator[str]:
    """Yield a heading and a picture for every drawing, using the first sample that it accepts."""
    for name in DRAWINGS:
        known = drawing(name)
        yield f"\n### {name}\n\n{known.title[0].upper()}{known.title[1:]}: `--draw {name}`.\n"
        picture = base64.b64encode(draw(name, sample_for(known)).svg(88).encode()).decode()
        yield f'<img alt="{known.title}" src="data:image/svg+xml;base64,{picture}">\n'


def sample_for(known: Any) -> cs.Corpus:
    """Return the first sample that a drawing accepts, reduced to the right number of items and coders."""
    for name in ("kubla", "phones", "dialogue", "walk", "stargazer", "spans", "scripts"):
        corpus = cs.samples.load(name) if name in cs.samples.names() else span_sample()
        chosen = corpus if known.whole else corpus.select(items=[corpus.items[0]])
        for number in range(known.max_coders or 3, 1, -1):  # not all coders of the phones gave names
            several = chosen.select(coders=chosen.coders[:number])
            if known.refusal(several) is None and known.typed in {None, corpus.typed}:
                return several
    raise LookupError(f"no sample for the drawing {known.name}")


def span_sample() -> cs.Corpus:
    """Return spans by two annotators."""
    make, reference, errors = ERRORS["spans"]
    return cs.Corpus.from_dict({"letter": {"ann": make(reference), "ben": make(errors["one too short"])}})


if __name__ == "__main__":
    print(fill_in(PAGE.read_text("utf-8")))
