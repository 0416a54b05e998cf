"""The chapters of a report, each a function from what was measured to a section: words first, then tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura._version import __version__
from caesura.agreement import COEFFICIENTS, Agreement
from caesura.display.writing import clean, clip
from caesura.drawings.catalog import draw
from caesura.metrics import Metric
from caesura.model import Corpus
from caesura.report.blocks import Block, Cell, Code, Document, Link, Rough, Section, Table
from caesura.report.measures import Measures
from caesura.statistics.evaluation import Measured

__all__ = ["agreement", "citing", "coders", "documents", "meaning", "parameters", "scores", "summary"]

_FEW = 3
_STRIP = 200  # documents that a strip of scores can hold
_COEFFICIENT_WORDS = {
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


# ---------------------------------------------------------------------- in short


def summary(corpus: Corpus, name: str, found: Measures) -> Section:
    """Say in words what was found."""
    said = [_what_there_is(corpus, clip(clean(name), 60))]
    if not found.scores:
        alone = "There is one coder" if len(corpus.coders) == 1 else "No text was annotated by two coders"
        said.append(f"{alone}, so there is nothing to compare. The documents are drawn below as they were marked.")
        return Section("summary", "In short", tuple(said))
    said += _how_alike(found)
    if found.coefficients:
        said += _beyond_chance(found.coefficients)
    said += _who(corpus, found)
    said += _where(corpus, found)
    return Section("summary", "In short", tuple(said))


def _what_there_is(corpus: Corpus, name: str) -> str:
    marks = {"units": "boundaries", "time": "boundaries", "nested": "nested segments"}[corpus.kind]
    tracks = f" on {len(corpus.tracks)} tracks" if len(corpus.tracks) > 1 else ""
    whole = _lengths(corpus)
    size = f"{whole:,.1f} seconds" if corpus.kind == "time" else f"{whole:,.0f} units"
    return (
        f"{_name(name)} holds {_count(len(corpus.items), 'document')}{tracks} of {size}{' together' * (len(corpus.items) > 1)}, marked by "
        f"{_count(len(corpus.coders), 'coder')}: {_count(len(corpus), 'annotation')} with {int(_marks(corpus).sum()):,} {marks}."
    )


def _how_alike(found: Measures) -> list[str]:
    main = found.main
    good = f"{main.best:g} is perfect, {'higher' if main.higher_is_better else 'lower'} is better"
    if found.reference is None:
        (pooled,) = found.scores.values()
        m = _of(pooled, main)
        return [
            f"Two coders of one text agree with {main.title} {found.label} = {m.micro:.4f}{_interval_words(m, found.level)}; {good}."
        ]
    ranked = sorted(found.scores, key=lambda c: _of(found.scores[c], main).micro, reverse=main.higher_is_better)
    said = ", ".join(f"{_name(c)} {_of(found.scores[c], main).micro:.4f}" for c in ranked[:5])
    more = f" and {len(ranked) - 5} more" if len(ranked) > 5 else ""
    return [f"Against {_name(found.reference)}, by {main.title} {found.label}: {said}{more}; {good}."]


def _beyond_chance(found: Mapping[str, Agreement]) -> list[str]:
    pi = found.get("pi")
    if pi is None or np.isnan(pi.value):
        return []
    many = len(pi.details.get("coders", "")) > 2
    share = (
        f"of the agreement that chance leaves open, coders reach {pi.value:.0%}".replace("%", " %")
        if pi.value >= 0
        else "coders agree less than chance would let them"
    )
    return [f"{COEFFICIENTS['pi'][many]} = {pi.value:.4f}: {share}."]


def _who(corpus: Corpus, found: Measures) -> list[str]:
    said = []
    if len(corpus.coders) > 2:
        matrix = _matrix(corpus, found)
        np.fill_diagonal(matrix, np.nan)
        if np.isfinite(matrix).any():
            ends = [np.unravel_index(int(f(matrix)), matrix.shape) for f in (np.nanargmax, np.nanargmin)]
            most, least = ends if found.main.higher_is_better else ends[::-1]
            pair = [
                f"{_name(corpus.coders[p[0]])} and {_name(corpus.coders[p[1]])} ({matrix[p]:.4f})"
                for p in (most, least)
            ]
            said.append(f"Most alike are {pair[0]}; least alike {pair[1]}.")
    rates = _rates(corpus)
    if len(rates) > 1:
        ordered = sorted(rates, key=lambda c: rates[c])
        if rates[ordered[-1]] > rates[ordered[0]]:
            said.append(
                f"{_name(ordered[-1])} marks most ({_rate(corpus, rates[ordered[-1]])}), "
                f"{_name(ordered[0])} least ({_rate(corpus, rates[ordered[0]])})."
            )
    return said


def _where(corpus: Corpus, found: Measures) -> list[str]:
    scored = found.of_items()
    known = [i for i, s in enumerate(scored) if np.isfinite(s)]
    said = []
    if len(known) > _FEW:
        known.sort(key=lambda i: scored[i], reverse=not found.main.higher_is_better)
        listed = ", ".join(f"{_name(corpus.items[i])} ({scored[i]:.4f})" for i in known[:_FEW])
        said.append(f"The documents to look at first, by their pooled {found.label}: {listed}.")
    alone = len(corpus.items) - len({i for of in found.items.values() for i in of})
    if alone:
        verb = "has nobody to be compared with and is" if alone == 1 else "have nobody to be compared with and are"
        said.append(f"{_count(alone, 'document')} {verb} drawn only.")
    return said


# ---------------------------------------------------------------------- numbers


def agreement(corpus: Corpus, found: Measures) -> list[Section]:
    """Coefficients, and who agrees with whom."""
    if not found.scores:
        return []
    blocks: list[Block] = []
    if found.coefficients:
        many = len(corpus.coders) > 2
        rows = tuple(
            (
                COEFFICIENTS[name][many],
                made.value,
                _ends(made.interval),
                None if made.formula == "difference" else made.observed,
                made.expected if made.formula == "ratio" else None,
                _COEFFICIENT_WORDS[name],
            )
            for name, made in found.coefficients.items()
        )
        columns = ("coefficient", "value", _level(found.level), "observed", "by chance", "what it says")
        blocks.append(Table("Agreement of all coders", columns, rows).without_empty())
        if corpus.kind != "units":
            blocks.append(
                "Chance needs places where a boundary might be, which these annotations do not have: "
                "the agreement above is as observed."
            )
    if found.flexible:
        blocks.append(_flexible(found))
    if len(corpus.coders) > 1:
        blocks.append(draw("matrix", corpus, metric=found.main.spelled))
    scored = sum(bool(np.isfinite(s)) for s in found.of_items())
    if found.reference is None and 1 < scored <= _STRIP:
        blocks.append(
            "Below, a dot is a document's mean over its pairs of coders, its line reaches from the lowest pair to the highest, "
            "and the band is the interval of the pooled score. "
            f"The table of documents has their {found.label} pooled instead, where a pair with more to count weighs more; "
            "of three coders or more the two may differ."
        )
        blocks.append(draw("strip", corpus, metric=found.main.spelled))
    return [Section("agreement", "Agreement", tuple(blocks))]


def _flexible(found: Measures) -> Table:
    """S_f beyond chance, by model of chance; of several coders the mean of all pairs."""
    rows: list[tuple[Cell, ...]] = []
    for model, made in found.flexible.items():
        pairs = list(made.details.get("pairs", {}).values()) or [made]
        simulated = sum(pair.standard_error is not None for pair in pairs)
        how = f"simulated, ± {max(p.standard_error or 0.0 for p in pairs):.4f}" if simulated else "exact"
        rows.append((model, made.value, made.observed, made.expected, how, _CHANCE_WORDS[model]))
    many = len(next(iter(found.flexible.values())).details.get("pairs", ()))
    caption = "Flexible similarity beyond chance" + (f", mean of {many} pairs of coders" if many else "")
    return Table(caption, ("chance", "value", "observed", "by chance", "how found", "what chance is"), tuple(rows))


def scores(found: Measures) -> list[Section]:
    """Every metric on every comparison."""
    if not found.scores:
        return []
    against = found.reference is not None
    rows = tuple(
        (
            *((coder,) if against else ()),
            name,
            m.metric.title,
            m.micro,
            m.macro,
            _ends(None if m.interval is None else (m.interval.low, m.interval.high)),
            "higher" if m.metric.higher_is_better else "lower",
        )
        for coder, listed in found.scores.items()
        for name, m in listed.items()
    )
    head = ("coder",) if against else ()
    columns = (*head, "metric", "what it is", "pooled", "mean of documents", _level(found.level), "better is")
    words = (
        f"Every coder against {_name(found.reference or '')}, on the documents that both marked."
        if against
        else "Every two coders of one text, each taken as the reference of the other once."
    )
    one_sided = any(not m.metric.symmetric for listed in found.scores.values() for m in listed.values())
    if not against and one_sided:
        words += " So precision equals recall, and what one side has too many the other has too few; name a reference to tell them apart."
    return [Section("scores", "Scores", (words, Table("Scores", columns, rows).without_empty()))]


def coders(corpus: Corpus, found: Measures) -> Section:
    """Who marked how much, and what agreement would be without them."""
    pi = found.coefficients.get("pi") or found.coefficients.get("percentage")
    out = {} if pi is None or len(corpus.coders) < 3 else dict(pi.details.get("leave_one_out", {}))
    marks, rates = _marks(corpus), _rates(corpus)
    rows = []
    for number, coder in enumerate(corpus.coders):
        mine = corpus.coder_of == number
        row: tuple[Cell, ...] = (
            coder,
            len(np.unique(corpus.item_of[mine])),
            int(marks[mine].sum()),
            Rough(rates[coder]),
            Rough(corpus.lengths[mine].sum() / max(1, (marks[mine] + 1).sum())),
        )
        rows.append((*row, out.get(coder)) if out else row)
    what = "nested segments" if corpus.kind == "nested" else "boundaries"
    each = "per second" if corpus.kind == "time" else "per 100 units"
    columns = [
        "coder",
        "documents",
        what,
        f"{what} {each}",
    ]
    columns += ["mean length of a segment"] if corpus.kind != "nested" else []
    if corpus.kind == "nested":
        rows = [(*row[:4], *row[5:]) for row in rows]
    if out:
        columns.append(f"{'π' if 'pi' in found.coefficients else 'agreement'} without them")
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
    names = [str(c) if corpus.labels is None else corpus.labels[c] for c in codes]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            clip(clean(name), 40),
            *(int(((corpus.types == code) & (owners == i)).sum()) for i in range(len(corpus.coders))),
        )
        for code, name in zip(codes.tolist(), names, strict=True)
    )
    return Table("Boundary types", ("type", *corpus.coders), rows)


def documents(corpus: Corpus, found: Measures, listed: Sequence[Document]) -> Section:
    """Every document in one table that leads to its comparison."""
    scored, marks = dict(zip(corpus.items, found.of_items(), strict=True)), _marks(corpus)
    number = {item: i for i, item in enumerate(corpus.items)}
    rows: list[tuple[Cell, ...]] = []
    for document in listed:
        mine = corpus.item_of == number[document.name]
        one = document.corpus
        row: list[Cell] = [
            Link(document.name, document.anchor),
            Rough(_lengths(one)) if corpus.kind == "time" else int(_lengths(one)),
            len(one.coders),
            int(marks[mine].sum()),
        ]
        rows.append((*row, scored[document.name]) if found.scores else tuple(row))
    what = "segments" if corpus.kind == "nested" else "boundaries"
    columns = ["document", "seconds" if corpus.kind == "time" else "units", "coders", what]
    columns += [found.label] if found.scores else []
    order = "the least agreed upon first" if found.scores else "in their order"
    blocks: list[Block] = [Table(f"Documents, {order}", tuple(columns), tuple(rows))]
    if found.scores and max(len(document.corpus.coders) for document in listed) > 2:
        over = "pairs of coders" if found.reference is None else "coders"
        blocks.insert(
            0, f"The {found.label} of a document is pooled over its {over}: counts are added up, then scored."
        )
    return Section("documents", "Documents", tuple(blocks))


# ---------------------------------------------------------------------- what stands behind


def meaning(found: Measures) -> Section:
    """Explain every number in the report in a sentence or two."""
    rows = tuple((m.metric.name, m.metric.about, _range(m.metric)) for m in _each_metric(found))
    blocks: list[Block] = [
        "A pooled score counts every boundary (window, segment, pair) alike; the mean of documents counts every document alike. "
        f"Intervals are percentile intervals of a bootstrap over documents ({found.resamples:,} resamples); one document has none. "
        "A dash stands where a number is undefined."
    ]
    if rows:
        blocks.append(Table("What the metrics measure", ("metric", "what it measures", "range"), rows))
    else:
        blocks = [
            "With a second coder of the same documents this report would compare them by every metric that applies."
        ]
    return Section("meaning", "What the numbers mean", tuple(blocks))


def parameters(corpus: Corpus, name: str, found: Measures) -> Section:
    """Everything the numbers depend on, so that somebody else gets the same ones."""
    settings = [
        ("input", clip(clean(name), 60)),
        ("kind of annotation", corpus.kind + (", typed" if corpus.typed else "")),
        ("Caesura", __version__),
    ]
    if found.scores:
        settings += [
            ("compared", "every two coders" if found.reference is None else f"all coders with {found.reference}"),
            ("intervals", f"{found.level:g}, {found.resamples} resamples, seed {found.seed}"),
        ]
    blocks: list[Block] = [Table("Settings", ("setting", "value"), tuple(settings))]
    signatures: list[tuple[str, str]] = [(m.metric.name, Code(m.signature)) for m in _each_metric(found)]
    signatures += [(COEFFICIENTS[n][1], Code(made.signature)) for n, made in found.coefficients.items()]
    signatures += [(f"Sf, chance {n}", Code(made.signature)) for n, made in found.flexible.items()]
    if signatures:
        blocks.append("A signature names everything a number depends on; print it with the number.")
        blocks.append(Table("Signatures", ("number", "signature"), tuple(signatures)))
    if found.skipped:
        blocks.append(Table("Left out", ("metric", "why"), tuple(found.skipped.items())))
    return Section("parameters", "Parameters and signatures", tuple(blocks))


def citing(found: Measures) -> Section:
    """Say what to cite: the program, and the papers behind the numbers that are quoted."""
    blocks: list[Block] = [
        f"The Caesura authors. Caesura, version {__version__}. Software, MIT licence. "
        "Please cite it together with the paper behind the measure you report, and print the signature of every number:"
    ]
    papers: dict[str, list[str]] = {}
    for m in _each_metric(found):
        if m.metric.paper:
            papers.setdefault(m.metric.paper, []).append(m.metric.name)
    if papers:
        rows = tuple((", ".join(names), paper) for paper, names in papers.items())
        blocks.append(Table("Papers", ("measure", "paper"), rows))
    else:
        blocks = [f"The Caesura authors. Caesura, version {__version__}. Software, MIT licence."]
    return Section("citing", "How to cite", tuple(blocks))


def _each_metric(found: Measures) -> list[Measured]:
    return list(next(iter(found.scores.values())).values()) if found.scores else []


def _range(metric: Metric) -> str:
    low, high = (f"{v:g}".replace("inf", "∞") for v in metric.bounds)
    given = ", ".join(f"{name} {value}" for name, value in metric.changed.items())
    return f"{low} … {high}, best {metric.best:g}" + (f"; {given}" if given else "")


# ---------------------------------------------------------------------- counting and spelling


def _of(listed: Mapping[str, Measured], main: Metric) -> Measured:
    return next(m for m in listed.values() if m.metric == main)


def _matrix(corpus: Corpus, found: Measures) -> np.ndarray:
    from caesura.drawings.pairwise import pair_rows

    return pair_rows(corpus, found.main).matrix(len(corpus.coders))


def _marks(corpus: Corpus) -> np.ndarray:
    """Count the marks of every annotation; the end of a text is no boundary between segments."""
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    inside = corpus.positions < corpus.lengths[owners] if corpus.kind != "nested" else np.ones(len(owners), bool)
    return np.bincount(owners[inside], minlength=len(corpus))


def _lengths(corpus: Corpus) -> float:
    """Add up the lengths of all tracks, each counted once however many coders it has."""
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    _, first = np.unique(stream, return_index=True)
    return float(corpus.lengths[first].sum())


def _rates(corpus: Corpus) -> dict[str, float]:
    """How much each coder marks: per second, or per 100 units."""
    marks, scale = _marks(corpus), 1.0 if corpus.kind == "time" else 100.0
    whole = np.bincount(corpus.coder_of, weights=corpus.lengths, minlength=len(corpus.coders))
    made = np.bincount(corpus.coder_of, weights=marks, minlength=len(corpus.coders))
    return {c: float(scale * made[i] / whole[i]) if whole[i] else 0.0 for i, c in enumerate(corpus.coders)}


def _rate(corpus: Corpus, rate: float) -> str:
    return f"{rate:.2f} {'per second' if corpus.kind == 'time' else 'per 100 units'}"


def _level(level: float) -> str:
    return f"{100 * level:g} % interval"


def _ends(interval: tuple[float, float] | None) -> str | None:
    return None if interval is None else f"{interval[0]:.4f} … {interval[1]:.4f}"


def _interval_words(m: Measured, level: float) -> str:
    if m.interval is None:
        return ""
    return f" ({_level(level)} over documents {m.interval.low:.4f} … {m.interval.high:.4f})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _name(name: str) -> str:
    """Quote a name and keep its direction to itself: Hebrew names in English sentences stay where they belong."""
    return f"“\u2068{name}\u2069”"
