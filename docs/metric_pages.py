"""Write a page per family of metrics while the site is built, from the metrics themselves; ``python docs/metric_pages.py windows`` prints one.

docs/metrics.md has ``<!-- every metric -->`` where the table of all metrics goes.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import caesura as cs
from generated_pages import add_to_navigation, add_to_site

OVERVIEW = "metrics.md"

#: The modules of metrics, and the title of the page of each.
TITLES = {
    "boundaries": "Boundary edits",
    "overlaps": "Boundaries and segments in common",
    "tolerance": "Boundaries within a tolerance",
    "windows": "Windows",
    "window_sides": "Precision and recall over windows",
    "alignment": "Alignment of segments",
    "flexible": "Typed boundaries",
    "nested": "Nested segments",
    "hierarchies": "Layers of segments",
    "regions": "Boundaries in time",
    "segment_names": "Names of segments",
    "displacement": "Displacement of boundaries",
    "interval_errors": "Errors of aligners",
    "diarization": "Diarization",
    "spans": "Spans",
    "linked": "Linked annotations",
    "organisation": "Organisation of annotations",
    "accuracy": "Vowels",
    "field_scores": "Vowels, as the field counts",
}
#: The kinds of annotation in words.
COMPARES = {
    "units": "boundaries between units",
    "time": "boundaries in time",
    "nested": "nested segments",
    "spans": "spans",
}


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, below the overview (a hook of mkdocs)."""
    return add_to_navigation(
        config, OVERVIEW, [{TITLES.get(family, family): page_uri(family)} for family in families()]
    )


def on_files(files: Any, *, config: Any) -> Any:
    """Add one generated page per family."""
    return add_to_site(files, config, {page_uri(family): page(family) for family in families()})


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Write the table of all metrics into the overview."""
    return markdown.replace("<!-- every metric -->", table()) if page.file.src_uri == OVERVIEW else markdown


@cache
def families() -> dict[str, list[str]]:
    """Return the names of the metrics of each module, in the order of TITLES.

    >>> families()["windows"]
    ['WD', 'Pk', 'WinPR']
    """
    found: dict[str, list[str]] = {}
    for name in cs.metric_names():
        found.setdefault(type(cs.metric(name).family).__module__.rpartition(".")[2], []).append(name)
    order = [*TITLES, *sorted(found.keys() - TITLES.keys())]
    return {family: found[family] for family in order if family in found}


def page_uri(family: str) -> str:
    """Return the page of a family.

    >>> page_uri("windows")
    'metrics/windows.md'
    """
    return f"metrics/{family}.md"


def table() -> str:
    """Return a row per metric, linked. The anchor is the one that it had when all metrics were on one page, so old links still find it."""
    rows = ["| metric | title | page |", "|---|---|---|"]
    for family, names in families().items():
        for name in names:
            link = f'<a id="{name}"></a>[`{name}`]({page_uri(family)}#{name})'
            rows.append(f"| {link} | {cs.metric(name).title} | {TITLES.get(family, family)} |")
    return "\n".join(rows)


def page(family: str) -> str:
    """Return the Markdown of a page."""
    return "\n\n".join([f"# Metrics: {TITLES.get(family, family)}", *map(entry, families()[family])]) + "\n"


def entry(name: str) -> str:
    """Return a heading, which the search finds, and the facts about a metric."""
    metric = cs.metric(name)
    least, most = metric.bounds
    kinds = (
        "marks on letters"
        if type(metric.family).__module__.startswith("caesura_vowels")
        else ", ".join(COMPARES[kind] for kind in COMPARES if kind in metric.kinds)
    )
    spelled = ", ".join(f"`{key}={value}`" for key, value in metric.parameters.items())
    reach = f"From {least:g} to {most:g}, best {metric.best:g}".replace("-inf", "-∞").replace("inf", "∞")
    paragraphs = [
        f"## {name}: {metric.title} {{: #{name} }}",
        metric.about,
        f"{reach}. For {kinds}." + (f" Parameters: {spelled}." if spelled else ""),
        f"Reference: {metric.paper}." if metric.paper not in ("", "none") else "",
    ]
    return "\n\n".join(filter(None, paragraphs))


if __name__ == "__main__":
    print(page(sys.argv[1]))
