"""The chapters of a report, each a function from what was measured to a section: words first, then tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura._version import __version__
from caesura.agreement import COEFFICIENTS
from caesura.display.cells import clean, clip
from caesura.display.result import Block
from caesura.display.table import Cell, Code, Interval, Link, Rounded, Table, measure_name, spell
from caesura.drawings.matrices import heat_map
from caesura.drawings.strips import strip_of_items
from caesura.metrics import Metric
from caesura.model import Corpus
from caesura.report.amounts import MARKS, marks_per_annotation, rates_of_coders, total_length
from caesura.report.blocks import Document, Section
from caesura.report.measures import Measures
from caesura.report.summary import quote
from caesura.statistics.counted import Measured

_STRIP = 200  # documents that a strip of scores can hold
_COEFFICIENT_WORDS = {
    "gamma": "Do they mark the same units? One less the disorder of the best alignment over that of random texts; overlaps and nesting count.",
    "gamma-cat": "Do units that are aligned have the same labels?",
    "alpha-u": "Krippendorff's α of unitizing (2004), label by label: squared differences of begins and ends.",
    "u-alpha": "Do they mark the same stretches with the same labels, by length? Gaps count.",
    "bar-u-alpha": "Do they mark the same stretches at all, whatever the label?",
    "cu-alpha": "Where both marked something, did they give it the same label?",
    "pi": "Of the agreement that chance leaves open, how much coders reach, if all placed boundaries at one common rate.",
    "kappa": "The same, with each coder's own rate of boundaries.",
    "bias": "Expected agreement of π less that of κ: how far coders differ in how many boundaries they place.",
    "percentage": "Agreement as observed, not corrected for chance.",
    "alpha": "Place by place, boundary or none, without credit for near misses.",
    "majority": "Share of decisions that coincide with what most coders say.",
}
_CHANCE_WORDS = {
    "kappa": "Each coder marks places at random, with boundaries (and types) as frequent as that coder made them.",
    "pi": "The same, with boundaries (and types) as frequent as the two coders of a pair made them together.",
    "bennett": "Every type, and no boundary, are equally likely at every place.",
    "bennett-boundaries": "Boundaries are as frequent as with both coders, and all types of them equally likely.",
}


# ---------------------------------------------------------------------- numbers


def agreement(corpus: Corpus, measures: Measures) -> list[Section]:
    """Coefficients, and who agrees with whom."""
    if measures.counted is None:
        return []
    blocks: list[Block] = []
    if measures.coefficients:
        rows = tuple(
            (
                result.title,
                result.value,
                None if result.interval is None else Interval(*result.interval),
                None if result.formula == "difference" else result.observed,
                result.expected if result.formula in ("ratio", "disorder") else None,
                _COEFFICIENT_WORDS[name],
            )
            for name, result in measures.coefficients.items()
        )
        columns = ("coefficient", "value", _level(measures.level), "observed", "by chance", "what it says")
        blocks.append(Table("Agreement of all coders", columns, rows).without_empty())
        if corpus.kind in ("time", "nested"):
            blocks.append(
                "Chance needs places where a boundary might be, which these annotations do not have: "
                "the agreement above is as observed."
            )
    if measures.flexible:
        blocks.append(_flexible(measures))
    if len(corpus.coders) > 1:
        blocks.append(heat_map(measures.counted, measures.main))
    scored = sum(bool(np.isfinite(s)) for s in measures.of_items())
    if measures.reference is None and 1 < scored <= _STRIP:
        blocks.append(
            "Below, a dot is a document's mean over its pairs of coders, its line reaches from the lowest pair to the highest, "
            "and the band is the interval of the pooled score. "
            f"The table of documents has their {measures.label} pooled instead, where a pair with more to count weighs more; "
            "of three coders or more the two may differ."
        )
        blocks.append(strip_of_items(measures.counted, measures.main))
    return [Section("agreement", "Agreement", tuple(blocks))]


def _flexible(measures: Measures) -> Table:
    """S_f beyond chance, by model of chance; of several coders the mean of all pairs."""
    rows: list[tuple[Cell, ...]] = []
    for model, result in measures.flexible.items():
        pairs = list(result.details.get("pairs", {}).values()) or [result]
        errors = [pair.standard_error for pair in pairs if pair.standard_error is not None]
        how = f"simulated, ± {spell(max(errors))}" if errors else "exact"
        rows.append((model, result.value, result.observed, result.expected, how, _CHANCE_WORDS[model]))
    many = len(next(iter(measures.flexible.values())).details.get("pairs", ()))
    caption = "Flexible similarity beyond chance" + (f", mean of {many} pairs of coders" if many else "")
    return Table(caption, ("chance", "value", "observed", "by chance", "how found", "what chance is"), tuple(rows))


def scores(measures: Measures) -> list[Section]:
    """Every metric on every comparison."""
    if not measures.scores:
        return []
    against = measures.reference is not None
    rows = tuple(
        (*((coder,) if against else ()), measure_name(name, m.metric), m.micro, m.macro, m.interval, m.metric.title)
        for coder, measured in measures.scores.items()
        for name, m in measured.items()
    )
    head = ("coder",) if against else ()
    columns = (*head, "metric", "pooled", "mean of documents", _level(measures.level), "what it is")
    words = (
        f"Every coder against {quote(measures.reference or '')}, on the documents that both marked."
        if against
        else "Every two coders of one text, each taken as the reference of the other once."
    )
    one_sided = any(not m.metric.symmetric for measured in measures.scores.values() for m in measured.values())
    if not against and one_sided:
        words += " So precision equals recall, and what one side has too many the other has too few; name a reference to tell them apart."
    return [Section("scores", "Scores", (words, Table("Scores", columns, rows).without_empty()))]


def coders(corpus: Corpus, measures: Measures) -> Section:
    """Who marked how much, and what agreement would be without them."""
    pi = measures.coefficients.get("pi") or measures.coefficients.get("percentage")
    out = {} if pi is None or len(corpus.coders) < 3 else dict(pi.details.get("leave_one_out", {}))
    marks, rates = marks_per_annotation(corpus), rates_of_coders(corpus)
    rows = []
    for number, coder in enumerate(corpus.coders):
        mine = corpus.coder_of == number
        row: tuple[Cell, ...] = (
            coder,
            len(np.unique(corpus.item_of[mine])),
            int(marks[mine].sum()),
            Rounded(rates[coder]),
            Rounded(corpus.lengths[mine].sum() / max(1, (marks[mine] + 1).sum())),
        )
        rows.append((*row, out.get(coder)) if out else row)
    what = MARKS[corpus.kind]
    each = "per second" if corpus.timed else "per 100 units"
    columns = ["coder", "documents", what, f"{what} {each}"]
    columns += ["mean length of a segment"] if corpus.ends is None else []
    if corpus.ends is not None:
        rows = [(*row[:4], *row[5:]) for row in rows]
    if out:
        columns.append(f"{'π' if 'pi' in measures.coefficients else 'agreement'} without them")
    blocks: list[Block] = [Table("Coders", tuple(columns), tuple(rows))]
    if (types := _types(corpus)) is not None:
        blocks.append(types)
    return Section("coders", "Coders", tuple(blocks))


def _types(corpus: Corpus) -> Table | None:
    """How often each coder used each type of boundary."""
    if not corpus.typed or corpus.types is None:
        return None
    owners = np.repeat(corpus.coder_of, np.diff(corpus.offsets))
    codes = np.unique(corpus.types)
    spans = corpus.kind == "spans"
    names = [str(c) if corpus.labels is None else "(no label)" if spans and c < 0 else corpus.labels[c] for c in codes]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            clip(clean(name), 40),
            *(int(((corpus.types == code) & (owners == i)).sum()) for i in range(len(corpus.coders))),
        )
        for code, name in zip(codes.tolist(), names, strict=True)
    )
    caption, head = ("Labels", "label") if spans else ("Boundary types", "type")
    return Table(caption, (head, *corpus.coders), rows)


def documents(corpus: Corpus, measures: Measures, listed: Sequence[Document]) -> Section:
    """Every document in one table that leads to its comparison."""
    scored, marks = dict(zip(corpus.items, measures.of_items(), strict=True)), marks_per_annotation(corpus)
    number = {item: i for i, item in enumerate(corpus.items)}
    rows: list[tuple[Cell, ...]] = []
    for document in listed:
        mine = corpus.item_of == number[document.name]
        texts = document.corpus
        row: list[Cell] = [
            Link(document.name, document.anchor),
            Rounded(total_length(texts)) if corpus.timed else int(total_length(texts)),
            len(texts.coders),
            int(marks[mine].sum()),
        ]
        rows.append((*row, scored[document.name]) if measures.scores else tuple(row))
    what = "segments" if corpus.kind == "nested" else MARKS[corpus.kind]
    columns = ["document", "seconds" if corpus.timed else "units", "coders", what]
    columns += [measure_name(measures.label, measures.main)] if measures.scores else []
    order = "the least agreed upon first" if measures.scores else "in their order"
    blocks: list[Block] = [Table(f"Documents, {order}", tuple(columns), tuple(rows))]
    if measures.scores and max(len(document.corpus.coders) for document in listed) > 2:
        over = "pairs of coders" if measures.reference is None else "coders"
        blocks.insert(
            0, f"The {measures.label} of a document is pooled over its {over}: counts are added up, then scored."
        )
    return Section("documents", "Documents", tuple(blocks))


# ---------------------------------------------------------------------- what stands behind


def meaning(measures: Measures) -> Section:
    """Explain every number in the report in a sentence or two."""
    rows = tuple((m.metric.name, m.metric.about, _range(m.metric)) for m in _each_metric(measures))
    blocks: list[Block] = [
        "A pooled score counts every boundary (window, segment, pair) alike; the mean of documents counts every document alike. "
        f"Intervals are percentile intervals of a bootstrap over documents ({measures.resamples:,} resamples); one document has none. "
        "Of a measure marked ↓ less is better. A dash stands where a number is undefined."
    ]
    if rows:
        blocks.append(Table("What the metrics measure", ("metric", "what it measures", "range"), rows))
    else:
        blocks = [
            "With a second coder of the same documents this report would compare them by every metric that applies."
        ]
    return Section("meaning", "What the numbers mean", tuple(blocks))


def parameters(corpus: Corpus, name: str, measures: Measures) -> Section:
    """Everything the numbers depend on, so that somebody else gets the same ones."""
    settings = [
        ("input", clip(clean(name), 60)),
        ("kind of annotation", corpus.kind + (", typed" if corpus.typed else "")),
        ("Caesura", __version__),
    ]
    if measures.scores:
        settings += [
            ("compared", "every two coders" if measures.reference is None else f"all coders with {measures.reference}"),
            ("intervals", f"{measures.level:g}, {measures.resamples} resamples, seed {measures.seed}"),
        ]
    blocks: list[Block] = [Table("Settings", ("setting", "value"), tuple(settings))]
    signatures: list[tuple[str, str]] = [(m.metric.name, Code(m.signature)) for m in _each_metric(measures)]
    signatures += [
        (COEFFICIENTS[name].of_many if name in COEFFICIENTS else result.title, Code(result.signature))
        for name, result in measures.coefficients.items()
    ]
    signatures += [(f"Sf, chance {n}", Code(result.signature)) for n, result in measures.flexible.items()]
    if signatures:
        blocks.append("A signature names everything a number depends on; print it with the number.")
        blocks.append(Table("Signatures", ("number", "signature"), tuple(signatures)))
    if measures.skipped:
        names: dict[str, list[str]] = {}
        for name, why in measures.skipped.items():
            names.setdefault(why, []).append(name)
        rows = tuple((", ".join(listed), why) for why, listed in names.items())
        blocks.append(Table("Left out", ("metrics", "why"), rows))
    return Section("parameters", "Parameters and signatures", tuple(blocks), frozenset({"Signatures", "Left out"}))


def citing(measures: Measures) -> Section:
    """Say what to cite: the program, and the papers behind the numbers that are quoted."""
    blocks: list[Block] = [
        f"The Caesura authors. Caesura, version {__version__}. Software, MIT licence. "
        "Please cite it together with the paper behind the measure you report, and print the signature of every number:"
    ]
    papers: dict[str, list[str]] = {}
    for m in _each_metric(measures):
        if m.metric.paper:
            papers.setdefault(m.metric.paper, []).append(m.metric.name)
    if papers:
        rows = tuple((", ".join(names), paper) for paper, names in papers.items())
        blocks.append(Table("Papers", ("measure", "paper"), rows))
    else:
        blocks = [f"The Caesura authors. Caesura, version {__version__}. Software, MIT licence."]
    return Section("citing", "How to cite", tuple(blocks))


def _each_metric(measures: Measures) -> list[Measured]:
    return list(next(iter(measures.scores.values())).values()) if measures.scores else []


def _range(metric: Metric) -> str:
    low, high = (f"{v:g}".replace("inf", "∞") for v in metric.bounds)
    given = ", ".join(f"{name} {value}" for name, value in metric.changed.items())
    return f"{low} … {high}, best {metric.best:g}" + (f"; {given}" if given else "")


def _level(level: float) -> str:
    return f"{100 * level:g} % interval"
