"""The content of a report, independent of the file format: sections of sentences, tables and drawings, and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura._version import __version__
from caesura.agreement import COEFFICIENTS, Agreement
from caesura.display.cells import clean, clip
from caesura.display.result import Block
from caesura.display.table import Cell, Code, IntervalCell, LinkCell, Rounded, Table, format_cell, measure_name
from caesura.drawings.catalog import drawing
from caesura.drawings.score_pictures import heat_map, strip_of_items
from caesura.errors import CaesuraError
from caesura.formats.folders import rename_each
from caesura.metrics import Metric
from caesura.model import Corpus
from caesura.report.aligners import aligner_section
from caesura.report.annotators_section import annotators_section
from caesura.report.blocks import Document, Report, ReportSection
from caesura.report.measures import (
    MARKS,
    Measures,
    marks_per_annotation,
    measure,
    rate_words,
    rates_of_coders,
    total_length,
)
from caesura.statistics.counted import MetricResult
from caesura.text import pluralize

_NAME = 60  # columns after which a name is cut


def make_report(
    corpus: Corpus,
    name: str = "annotations",
    metrics: Sequence[str] | None = None,
    *,
    reference: str | None = None,
    drawings: Sequence[str] = (),
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Report:
    """Compute everything that applies to a corpus, and describe it in sentences, tables and drawings.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    name : str, default "annotations"
        The title of the report.
    metrics : sequence of str, optional
        Names, with parameters after a colon; documents are sorted by the first one. By default all that apply.
    reference : str, optional
        The coder who is the reference of all others; by default all pairs of coders are compared.
    drawings : sequence of str, default ()
        Names of additional drawings (``caesura list drawings``) of each document.
    resamples : int, default 1000
        Number of bootstrap resamples of the documents.
    level : float, default 0.95
        Confidence level of the intervals.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    Report
        Write it with :func:`~caesura.report.page.html_page` or :func:`~caesura.report.page.markdown_report`.

    Examples
    --------
    >>> from caesura import samples
    >>> report = make_report(samples.load("kubla"), "kubla")
    >>> [section.title for section in report.sections][:2]
    ['Summary', 'Agreement']
    """
    if not len(corpus):
        raise CaesuraError("the corpus contains no annotation to report.")
    names = {c: _short(c, i) for i, c in enumerate(corpus.coders)}
    if reference is not None and reference not in names:
        corpus.select(coders=[reference])  # raises an error that lists the coders
    kept = _shorten_names(corpus, names)
    measures = measure(
        kept,
        metrics,
        reference=None if reference is None else names[reference],
        resamples=resamples,
        level=level,
        seed=seed,
    )
    documents = _documents(kept, measures, tuple(drawings))
    opening = [_summary_section(kept, name, measures), *_agreement_section(kept, measures), *_scores_section(measures)]
    opening += [_coders_section(kept, measures), *annotators_section(kept, measures)]
    opening += aligner_section(kept, measures.reference)
    opening += [_documents_section(kept, measures, documents)]
    closing = (_meaning_section(measures), _parameters_section(kept, name, measures), _citing_section(measures))
    return Report(clip(clean(name), _NAME), tuple(opening), documents, closing)


# ---------------------------------------------------------------------- documents


def _documents(corpus: Corpus, measures: Measures, drawings: tuple[str, ...]) -> tuple[Document, ...]:
    """Return all items, lowest agreement first, items with one coder last."""
    for name in drawings:
        why = [drawing(name).refusal(corpus.select(items=[item])) for item in corpus.items]
        if all(why):
            raise CaesuraError(str(why[0]))
    scores = measures.of_items()
    order = sorted(
        range(len(corpus.items)),
        key=lambda i: (np.isnan(s := scores[i]), -s if not measures.main.higher_is_better else s, i),
    )
    # a drawing of errors takes the first coder as the reference
    first = measures.main.family.drawing if measures.reference in (None, corpus.coders[0]) else ""
    documents = []
    for number in order:
        item = corpus.items[number]
        document = corpus.select(items=[item])
        facts = [_length(document), pluralize(len(document.coders), "coder")]
        if not np.isnan(scores[number]):
            facts.append(f"{measures.label} {format_cell(scores[number])} pooled")
        tables = (_pair_table(document, measures), _score_table(number, measures)) if len(corpus.items) > 1 else ()
        documents.append(
            Document(
                f"document-{number + 1}", item, ", ".join(facts), document, tuple(filter(None, tables)), drawings, first
            )
        )
    return tuple(documents)


def _length(document: Corpus) -> str:
    tracks = {(int(t)): float(n) for t, n in zip(document.track_of, document.lengths, strict=True)}
    whole = sum(tracks.values())
    words = f"{whole:.2f} s" if document.timed else f"{whole:,.0f} unit{'s' * (whole != 1)}"
    return words + (f" on {len(tracks)} tracks" if len(tracks) > 1 else "")


def _pair_table(document: Corpus, measures: Measures) -> Table | None:
    """Return the scores of all pairs of coders, if there are three coders or more."""
    if len(document.coders) < 3 or measures.counted is None:
        return None
    named = measures.counted.pairs.reference
    here = [named.coders.index(coder) for coder in document.coders]
    matrix = measures.counted.matrix(measures.main, named.items.index(document.items[0]))[np.ix_(here, here)]
    if np.isnan(matrix).sum() == matrix.size - len(here):
        return None  # tracks of one coder each
    rows: list[tuple[Cell, ...]] = [
        (coder, *("" if i == j else float(matrix[i, j]) for j in range(len(document.coders))))
        for i, coder in enumerate(document.coders)
    ]
    return Table(f"{measures.label}, coder by coder", ("coder", *document.coders), tuple(rows))


def _score_table(number: int, measures: Measures) -> Table | None:
    """Return the scores of one document by every metric."""
    columns = {label: measures.place(number, label) for label in measures.scores}
    here = {label: place for label, place in columns.items() if place is not None}
    if not here:
        return None
    rows: list[tuple[Cell, ...]] = [
        (measure_name(name, m.metric), *(measures.scores[label][name].per_item[place] for label, place in here.items()))
        for name, m in next(iter(measures.scores.values())).items()
    ]
    return Table("Scores of this document", ("metric", *here), tuple(rows))


# ---------------------------------------------------------------------- long names


def _short(name: str, number: int) -> str:
    """Shorten a long name; its number distinguishes it from names with the same beginning."""
    shown = clean(name) if len(name) <= 4 * _NAME else clean(name[: 4 * _NAME])
    cut = clip(shown, _NAME)
    return name if cut == name else f"{cut} ({number + 1})" if cut != shown or len(name) > 4 * _NAME else cut


def _shorten_names(corpus: Corpus, coders: dict[str, str]) -> Corpus:
    """Shorten long names of items, tracks and coders."""
    items = {x: _short(x, i) for i, x in enumerate(corpus.items)}
    tracks = {x: _short(x, i) for i, x in enumerate(corpus.tracks)}
    for names in (items, tracks, coders):
        _make_distinct(names)
    if all(old == new for names in (items, tracks, coders) for old, new in names.items()):
        return corpus
    return rename_each(corpus, items, coders, tracks)


def _make_distinct(names: dict[str, str]) -> None:
    """Add numbers to names that became equal when invisible characters were removed."""
    taken: set[str] = set()
    for number, (old, new) in enumerate(names.items(), 1):
        names[old] = new if new not in taken else f"{new} ({number})"
        taken.add(names[old])


_FEW = 3


def _summary_section(corpus: Corpus, name: str, measures: Measures) -> ReportSection:
    """Describe the main results in sentences."""
    sentences = [_describe_data(corpus, clip(clean(name), 60))]
    if not measures.scores:
        alone = "There is one coder" if len(corpus.coders) == 1 else "No text was annotated by two coders"
        sentences.append(f"{alone}, so there is nothing to compare. The documents are drawn below.")
        return ReportSection("summary", "Summary", tuple(sentences))
    sentences += _describe_scores(measures)
    if measures.coefficients:
        sentences += _describe_coefficient(measures.coefficients)
    sentences += _coder_sentences(corpus, measures)
    sentences += _document_sentences(corpus, measures)
    return ReportSection("summary", "Summary", tuple(sentences))


def _describe_data(corpus: Corpus, name: str) -> str:
    tracks = f" on {len(corpus.tracks)} tracks" if len(corpus.tracks) > 1 else ""
    whole = total_length(corpus)
    size = f"{whole:,.1f} seconds" if corpus.timed else f"{whole:,.0f} units"
    return (
        f"{_quote(name)} holds {_count(len(corpus.items), 'document')}{tracks} of {size}{' together' * (len(corpus.items) > 1)}, marked by "
        f"{_count(len(corpus.coders), 'coder')}: {_count(len(corpus), 'annotation')} with {int(marks_per_annotation(corpus).sum()):,} {MARKS[corpus.kind]}."
    )


def _describe_scores(measures: Measures) -> list[str]:
    main = measures.main
    good = f"{main.best:g} is perfect, {'higher' if main.higher_is_better else 'lower'} is better"
    if measures.reference is None:
        (pooled,) = measures.scores.values()
        score = measures.main_score(pooled)
        return [
            f"Two coders of one text agree with {main.title} {measures.label} = {format_cell(score.micro)}{_interval_words(score, measures.level)}; {good}."
        ]
    ranked = sorted(
        measures.scores, key=lambda c: measures.main_score(measures.scores[c]).micro, reverse=main.higher_is_better
    )
    listed = ", ".join(f"{_quote(c)} {format_cell(measures.main_score(measures.scores[c]).micro)}" for c in ranked[:5])
    more = f" and {len(ranked) - 5} more" if len(ranked) > 5 else ""
    return [f"Against {_quote(measures.reference)}, by {main.title} {measures.label}: {listed}{more}; {good}."]


def _describe_coefficient(coefficients: Mapping[str, Agreement]) -> list[str]:
    pi = coefficients.get("pi")
    if pi is None or np.isnan(pi.value):
        return []
    share = (
        f"coders reach {pi.value:.0%} of the agreement that is possible beyond chance".replace("%", " %")
        if pi.value >= 0
        else "coders agree less than expected by chance"
    )
    return [f"{pi.title} = {format_cell(pi.value)}: {share}."]


def _coder_sentences(corpus: Corpus, measures: Measures) -> list[str]:
    sentences = []
    if len(corpus.coders) > 2 and measures.counted is not None:
        matrix = measures.counted.matrix(measures.main)
        np.fill_diagonal(matrix, np.nan)
        if np.isfinite(matrix).any():
            ends = [np.unravel_index(int(f(matrix)), matrix.shape) for f in (np.nanargmax, np.nanargmin)]
            most, least = ends if measures.main.higher_is_better else ends[::-1]
            pair = [
                f"{_quote(corpus.coders[p[0]])} and {_quote(corpus.coders[p[1]])} ({format_cell(float(matrix[p]))})"
                for p in (most, least)
            ]
            sentences.append(f"Most alike are {pair[0]}; least alike {pair[1]}.")
    rates = rates_of_coders(corpus)
    if len(rates) > 1:
        ordered = sorted(rates, key=lambda c: rates[c])
        if rates[ordered[-1]] > rates[ordered[0]]:
            sentences.append(
                f"{_quote(ordered[-1])} marks most ({rate_words(corpus, rates[ordered[-1]])}), "
                f"{_quote(ordered[0])} least ({rate_words(corpus, rates[ordered[0]])})."
            )
    return sentences


def _document_sentences(corpus: Corpus, measures: Measures) -> list[str]:
    scored = measures.of_items()
    known = [i for i, s in enumerate(scored) if np.isfinite(s)]
    sentences = []
    if len(known) > _FEW:
        known.sort(key=lambda i: scored[i], reverse=not measures.main.higher_is_better)
        listed = ", ".join(f"{_quote(corpus.items[i])} ({format_cell(scored[i])})" for i in known[:_FEW])
        sentences.append(f"The documents to look at first, by their pooled {measures.label}: {listed}.")
    alone = len(corpus.items) - len({i for of in measures.items.values() for i in of})
    if alone:
        verb = "has only one coder and is" if alone == 1 else "have only one coder and are"
        sentences.append(f"{_count(alone, 'document')} {verb} only drawn.")
    return sentences


def _interval_words(score: MetricResult, level: float) -> str:
    if score.interval is None:
        return ""
    return f" ({100 * level:g} % interval over documents {format_cell(score.interval)})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _quote(name: str) -> str:
    """Quote a name; the isolate characters keep a right-to-left name from reordering the sentence."""
    return f"“\u2068{name}\u2069”"


_STRIP = 200  # largest number of documents in a strip of scores
_COEFFICIENT_WORDS = {
    "gamma": "Do coders mark the same units? 1 minus the disorder of the best alignment relative to random annotations; overlaps and nesting are allowed.",
    "gamma-cat": "Do aligned units have the same labels?",
    "alpha-u": "Krippendorff's α of unitizing (2004), label by label: squared differences of begins and ends.",
    "u-alpha": "Do coders mark the same parts with the same labels, weighted by length? Gaps count.",
    "bar-u-alpha": "Do coders mark the same parts, whatever the label?",
    "cu-alpha": "Do coders give the same labels to parts that both mark?",
    "pi": "The share of possible agreement beyond chance that coders reach, if all place boundaries at the same rate.",
    "kappa": "The same, with each coder's own rate of boundaries.",
    "bias": "Expected agreement of π minus that of κ: how much the numbers of boundaries differ between coders.",
    "percentage": "Agreement as observed, not corrected for chance.",
    "alpha": "Boundary or none at every position, without credit for near misses.",
    "majority": "Share of decisions that equal the majority decision.",
}
_CHANCE_WORDS = {
    "kappa": "Each coder places boundaries (and types) at random at that coder's own rate.",
    "pi": "The same, at the common rate of the two coders of a pair.",
    "bennett": "Every type, and no boundary, are equally likely at every position.",
    "bennett-boundaries": "Boundaries have the common rate of both coders, and all types are equally likely.",
}


# ---------------------------------------------------------------------- numbers


def _agreement_section(corpus: Corpus, measures: Measures) -> list[ReportSection]:
    """Return the section on agreement, or none without two coders of one text."""
    if measures.counted is None:
        return []
    blocks: list[Block] = []
    if measures.coefficients:
        rows = tuple(
            (
                result.title,
                result.value,
                None if result.interval is None else IntervalCell(*result.interval),
                None if result.formula == "difference" else result.observed,
                result.expected if result.formula in ("ratio", "disorder") else None,
                _COEFFICIENT_WORDS[name],
            )
            for name, result in measures.coefficients.items()
        )
        columns = ("coefficient", "value", _level(measures.level), "observed", "by chance", "meaning")
        blocks.append(Table("Agreement of all coders", columns, rows).without_empty())
        if corpus.kind in ("time", "nested"):
            blocks.append(
                "These annotations have no fixed positions for boundaries, so agreement cannot be corrected for chance: "
                "the value above is observed agreement."
            )
    if measures.flexible:
        blocks.append(_flexible(measures))
    if len(corpus.coders) > 1:
        blocks.append(heat_map(measures.counted, measures.main))
    scored = sum(bool(np.isfinite(s)) for s in measures.of_items())
    if measures.reference is None and 1 < scored <= _STRIP:
        blocks.append(
            "Below, a dot is the mean of a document over its pairs of coders, a line ranges from the lowest pair to the highest, "
            "and the band is the interval of the pooled score. "
            f"The table of documents has their {measures.label} pooled instead, where pairs with more boundaries have more weight; "
            "with three coders or more the two may differ."
        )
        blocks.append(strip_of_items(measures.counted, measures.main))
    return [ReportSection("agreement", "Agreement", tuple(blocks))]


def _flexible(measures: Measures) -> Table:
    """Return Sf corrected for chance by every model of chance; for several coders the mean of all pairs."""
    rows: list[tuple[Cell, ...]] = []
    for model, result in measures.flexible.items():
        pairs = list(result.details.get("pairs", {}).values()) or [result]
        errors = [pair.standard_error for pair in pairs if pair.standard_error is not None]
        how = f"simulated, ± {format_cell(max(errors))}" if errors else "exact"
        rows.append((model, result.value, result.observed, result.expected, how, _CHANCE_WORDS[model]))
    many = len(next(iter(measures.flexible.values())).details.get("pairs", ()))
    caption = "Flexible similarity beyond chance" + (f", mean of {many} pairs of coders" if many else "")
    return Table(caption, ("chance", "value", "observed", "by chance", "computation", "model"), tuple(rows))


def _scores_section(measures: Measures) -> list[ReportSection]:
    """Return the section on scores."""
    if not measures.scores:
        return []
    against = measures.reference is not None
    rows = tuple(
        (*((coder,) if against else ()), measure_name(name, m.metric), m.micro, m.macro, m.interval, m.metric.title)
        for coder, measured in measures.scores.items()
        for name, m in measured.items()
    )
    head = ("coder",) if against else ()
    columns = (*head, "metric", "pooled", "mean of documents", _level(measures.level), "description")
    words = (
        f"Every coder against {_quote(measures.reference or '')}, on the documents of both."
        if against
        else "All pairs of coders of the same text, each coder once as the reference."
    )
    one_sided = any(not m.metric.symmetric for measured in measures.scores.values() for m in measured.values())
    if not against and one_sided:
        words += " So precision equals recall; name a reference to distinguish them."
    return [ReportSection("scores", "Scores", (words, Table("Scores", columns, rows).without_empty()))]


def _coders_section(corpus: Corpus, measures: Measures) -> ReportSection:
    """Return the section on coders: their numbers of marks, and agreement without each of them."""
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
    return ReportSection("coders", "Coders", tuple(blocks))


def _types(corpus: Corpus) -> Table | None:
    """Return the number of boundaries of each type by coder."""
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


def _documents_section(corpus: Corpus, measures: Measures, listed: Sequence[Document]) -> ReportSection:
    """Return the section with a table of all documents, linked to their comparisons."""
    scored, marks = dict(zip(corpus.items, measures.of_items(), strict=True)), marks_per_annotation(corpus)
    number = {item: i for i, item in enumerate(corpus.items)}
    rows: list[tuple[Cell, ...]] = []
    for document in listed:
        mine = corpus.item_of == number[document.name]
        texts = document.corpus
        row: list[Cell] = [
            LinkCell(document.name, document.anchor),
            Rounded(total_length(texts)) if corpus.timed else int(total_length(texts)),
            len(texts.coders),
            int(marks[mine].sum()),
        ]
        rows.append((*row, scored[document.name]) if measures.scores else tuple(row))
    what = "segments" if corpus.kind == "nested" else MARKS[corpus.kind]
    columns = ["document", "seconds" if corpus.timed else "units", "coders", what]
    columns += [measure_name(measures.label, measures.main)] if measures.scores else []
    order = "lowest agreement first" if measures.scores else "in their order"
    blocks: list[Block] = [Table(f"Documents, {order}", tuple(columns), tuple(rows))]
    if measures.scores and max(len(document.corpus.coders) for document in listed) > 2:
        over = "pairs of coders" if measures.reference is None else "coders"
        blocks.insert(
            0, f"The {measures.label} of a document is pooled over its {over}: counts are added up, then scored."
        )
    return ReportSection("documents", "Documents", tuple(blocks))


# ---------------------------------------------------------------------- explanations


def _meaning_section(measures: Measures) -> ReportSection:
    """Explain every metric of the report."""
    rows = tuple((m.metric.name, m.metric.about, _range(m.metric)) for m in _each_metric(measures))
    blocks: list[Block] = [
        "A pooled score weights every boundary (window, segment, pair) equally; the mean of documents weights every document equally. "
        f"Intervals are percentile intervals of a bootstrap over documents ({measures.resamples:,} resamples); one document has none. "
        "For metrics marked ↓, lower is better. A dash is an undefined number."
    ]
    if rows:
        blocks.append(Table("What the metrics measure", ("metric", "what it measures", "range"), rows))
    else:
        blocks = ["There are no scores, because no document has two coders."]
    return ReportSection("meaning", "What the numbers mean", tuple(blocks))


def _parameters_section(corpus: Corpus, name: str, measures: Measures) -> ReportSection:
    """Return the section with all settings and signatures."""
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
        (COEFFICIENTS[name].title_many_coders if name in COEFFICIENTS else result.title, Code(result.signature))
        for name, result in measures.coefficients.items()
    ]
    signatures += [(f"Sf, chance {n}", Code(result.signature)) for n, result in measures.flexible.items()]
    if signatures:
        blocks.append("A signature lists everything on which a number depends; report it with the number.")
        blocks.append(Table("Signatures", ("number", "signature"), tuple(signatures)))
    if measures.skipped:
        names: dict[str, list[str]] = {}
        for name, why in measures.skipped.items():
            names.setdefault(why, []).append(name)
        rows = tuple((", ".join(listed), why) for why, listed in names.items())
        blocks.append(Table("Left out", ("metrics", "why"), rows))
    return ReportSection(
        "parameters", "Parameters and signatures", tuple(blocks), frozenset({"Signatures", "Left out"})
    )


def _citing_section(measures: Measures) -> ReportSection:
    """Return the section on the software and the papers to cite."""
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
    return ReportSection("citing", "How to cite", tuple(blocks))


def _each_metric(measures: Measures) -> list[MetricResult]:
    return list(next(iter(measures.scores.values())).values()) if measures.scores else []


def _range(metric: Metric) -> str:
    low, high = (f"{v:g}".replace("inf", "∞") for v in metric.bounds)
    given = ", ".join(f"{name} {value}" for name, value in metric.changed.items())
    return f"{low} … {high}, best {metric.best:g}" + (f"; {given}" if given else "")


def _level(level: float) -> str:
    return f"{100 * level:g} % interval"
