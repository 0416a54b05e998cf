"""Fill in the gallery while the site is built: a picture of every drawing with its code, and every metric on small errors.

The markers are ``<!-- thumbnails -->`` and ``<!-- drawings -->`` in docs/gallery.md, ``<!-- metrics of units -->`` (time, nested, spans) in
docs/small-errors.md. ``python docs/gallery.py`` prints the gallery.
"""

from __future__ import annotations

import itertools
import re
import shlex
import warnings
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import caesura as cs
from caesura.drawings.catalog import drawing
from caesura.errors import CaesuraError
from generated_pages import add_to_site

DATA = Path(__file__).parents[1] / "examples" / "data"
PAGE = Path(__file__).with_name("gallery.md")
SMALL_ERRORS = "small-errors.md"


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pictures of the gallery (a hook of mkdocs)."""
    return add_to_site(files, config, {picture_uri(name): picture(name) for name in EXAMPLES})


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the pages (a hook of mkdocs)."""
    return fill_in(markdown, page.file.src_uri)


def fill_in(markdown: str, uri: str) -> str:
    """Replace the markers of a page by pictures, tables or entries."""
    if uri == SMALL_ERRORS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.sub(r"<!-- metrics of (\w+) -->", lambda match: metric_table(match[1]), markdown)
    if uri == PAGE.name:
        cards = "\n".join(thumbnail(name) for name in EXAMPLES)
        sections = "\n\n".join(section(name) for name in EXAMPLES)
        return markdown.replace("<!-- thumbnails -->", cards).replace("<!-- drawings -->", sections)
    return markdown


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


def value_of(metric: Any, reference: Any, hypothesis: Any) -> str:
    """Return the value with two decimals, or a dash if the metric does not apply."""
    try:
        value = metric(reference, hypothesis)
    except CaesuraError:
        return "–"
    return "–" if value != value else f"{value:.2f}"


# ---------------------------------------------------------------------- drawings


class Example(NamedTuple):
    """The data that a drawing shows: a built-in sample or a file of examples/data, reduced to some items and coders."""

    source: str
    items: tuple[str, ...] = ()
    coders: tuple[str, ...] = ()
    pattern: str = ""
    reference: str = ""

    def python(self, name: str) -> str:
        """Return the program that draws it."""
        sample = self.source.removeprefix("sample:")
        pattern = f', pattern="{self.pattern}"' if self.pattern else ""
        load = f'cs.samples.load("{sample}")' if sample != self.source else f'cs.read("{self.source}"{pattern})'
        chosen = {"items": list(self.items), "coders": list(self.coders)}
        given = ", ".join(f"{key}={value}" for key, value in chosen.items() if value).replace("'", '"')
        select = f".select({given})" if given else ""
        reference = f', reference="{self.reference}"' if self.reference else ""
        return (
            "import caesura as cs\nfrom caesura.drawings.catalog import draw\n\n"
            f'corpus = {load}{select}\npicture = draw("{name}", corpus{reference})\nsvg = picture.svg(width=88)  # print(picture) in a terminal'
        )

    def shell(self, name: str) -> str:
        """Return the command that draws it."""
        chosen = ["-O", f"pattern={self.pattern}"] if self.pattern else []
        chosen += [word for item in self.items for word in ("-i", item)]
        chosen += [word for coder in self.coders for word in ("-c", coder)]
        options = ["--draw-option", f"reference={self.reference}"] if self.reference else []
        return shlex.join(["caesura", "show", self.source, *chosen, "--draw", name, *options])


_SEVEN = Example("sample:stargazer")
_TWO = Example("sample:stargazer", coders=("coder 1", "coder 7"))
_TYPES = Example("sample:dialogue")
_ALIGNERS = Example("aligners", pattern="{coder}/{speaker}/{item}.TextGrid", reference="hand")
_SPANS = Example("spans/coders.csv")
#: Drawing -> its data.
EXAMPLES = {
    "segmentations": _SEVEN,
    "edits": Example("sample:kubla", coders=("manual", "near miss")),
    "matrix": _SEVEN,
    "nested-bars": Example("sample:walk"),
    "tree": Example("sample:walk"),
    "regions": Example("sample:phones", coders=("ann", "aligner")),
    "plane": _ALIGNERS,
    "tolerance-curves": _ALIGNERS,
    "error-histograms": _ALIGNERS,
    "error-quartiles": _ALIGNERS,
    "spans": _SPANS,
    "turns": Example("spans/meeting.json"),
    "density": _SEVEN,
    "alignment": _TWO,
    "operations": _TYPES,
    "fates": _TYPES,
    "strip": Example("coders.json"),
    "restorations": Example("sample:scripts", items=("hebrew",)),
}


@cache
def picture(name: str) -> str:
    """Run the program that the gallery shows, and return its picture."""
    scope: dict[str, Any] = {}
    with chdir(DATA), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(EXAMPLES[name].python(name), scope)
    return str(scope["svg"])


def picture_uri(name: str) -> str:
    return f"gallery/{name}.svg"


def thumbnail(name: str) -> str:
    """Return a card: a small picture and a name, linked to the section."""
    title = drawing(name).title
    return f"<div markdown>\n[![{title}]({picture_uri(name)})](#{name})\n\n[{name}](#{name}): {title}\n</div>"


def section(name: str) -> str:
    """Return a heading, the picture and its code."""
    example, title = EXAMPLES[name], drawing(name).title
    return (
        f"## {name}\n\n{title[0].upper()}{title[1:]}.\n\n![{title}]({picture_uri(name)})\n\n"
        f"```python\n{example.python(name)}\n```\n\n```sh\n{example.shell(name)}\n```"
    )


if __name__ == "__main__":
    print(fill_in(PAGE.read_text("utf-8"), PAGE.name))
