"""What a report says, before anybody decides how it looks: sections of sentences, tables, pictures and documents.

The HTML page and the Markdown text are two ways to write the same :class:`Report`; nothing is counted twice for them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.display.cells import clean, clip
from caesura.display.table import Cell, Table, measure_name, spell
from caesura.drawings.catalog import drawing
from caesura.errors import CaesuraError
from caesura.formats.folders import rename_each
from caesura.model import Corpus
from caesura.report import chapters
from caesura.report.blocks import Document, Report
from caesura.report.measures import Measures, measure
from caesura.report.summary import summary
from caesura.words import number_of

_NAME = 60  # cells of a name before it is cut: a report must survive a word of a million letters


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
    """Measure a corpus in every way that applies, and put what was found into words, tables and pictures.

    Parameters
    ----------
    name
        What the report calls the corpus.
    metrics
        Names, with parameters behind a colon; the first is the one to sort and shade by. By default all that apply.
    reference
        The coder whom the others are measured against; by default every two coders are compared.
    drawings
        Names of drawings (``caesura list drawings``) of each document that one fits, beside the one that shows most.
    resamples, level, seed
        Of the bootstrap over documents.

    Examples
    --------
    >>> from caesura import samples
    >>> report = make_report(samples.load("kubla"), "kubla")
    >>> [section.title for section in report.sections][:2]
    ['In short', 'Agreement']
    """
    if not len(corpus):
        raise CaesuraError("there is nothing to report: the corpus holds no annotation.")
    names = {c: _short(c, i) for i, c in enumerate(corpus.coders)}
    if reference is not None and reference not in names:
        corpus.select(coders=[reference])  # says which coders there are
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
    opening = [summary(kept, name, measures), *chapters.agreement(kept, measures), *chapters.scores(measures)]
    opening += [chapters.coders(kept, measures), chapters.documents(kept, measures, documents)]
    closing = (chapters.meaning(measures), chapters.parameters(kept, name, measures), chapters.citing(measures))
    return Report(clip(clean(name), _NAME), tuple(opening), documents, closing)


# ---------------------------------------------------------------------- documents


def _documents(corpus: Corpus, measures: Measures, drawings: tuple[str, ...]) -> tuple[Document, ...]:
    """Every item, the least agreed upon first, those that nobody else looked at last."""
    for name in drawings:
        why = [drawing(name).refusal(corpus.select(items=[item])) for item in corpus.items]
        if all(why):
            raise CaesuraError(str(why[0]))
    scores = measures.of_items()
    order = sorted(
        range(len(corpus.items)),
        key=lambda i: (np.isnan(s := scores[i]), -s if not measures.main.higher_is_better else s, i),
    )
    documents = []
    for number in order:
        item = corpus.items[number]
        document = corpus.select(items=[item])
        facts = [_length(document), number_of(len(document.coders), "coder")]
        if not np.isnan(scores[number]):
            facts.append(f"{measures.label} {spell(scores[number])} pooled")
        tables = (_pair_table(document, measures), _score_table(number, measures)) if len(corpus.items) > 1 else ()
        documents.append(
            Document(f"document-{number + 1}", item, ", ".join(facts), document, tuple(filter(None, tables)), drawings)
        )
    return tuple(documents)


def _length(document: Corpus) -> str:
    tracks = {(int(t)): float(n) for t, n in zip(document.track_of, document.lengths, strict=True)}
    whole = sum(tracks.values())
    words = f"{whole:.2f} s" if document.timed else f"{whole:,.0f} unit{'s' * (whole != 1)}"
    return words + (f" on {len(tracks)} tracks" if len(tracks) > 1 else "")


def _pair_table(document: Corpus, measures: Measures) -> Table | None:
    """Coder by coder, where there are three or more."""
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
    """What every metric says about this document."""
    columns = {label: measures.place(number, label) for label in measures.scores}
    here = {label: place for label, place in columns.items() if place is not None}
    if not here:
        return None
    rows: list[tuple[Cell, ...]] = [
        (measure_name(name, m.metric), *(measures.scores[label][name].per_item[place] for label, place in here.items()))
        for name, m in next(iter(measures.scores.values())).items()
    ]
    return Table("Scores of this document", ("metric", *here), tuple(rows))


# ---------------------------------------------------------------------- names that fit


def _short(name: str, number: int) -> str:
    """Cut a name that no table could hold; its number keeps it apart from others that begin alike."""
    shown = clean(name) if len(name) <= 4 * _NAME else clean(name[: 4 * _NAME])
    cut = clip(shown, _NAME)
    return name if cut == name else f"{cut} ({number + 1})" if cut != shown or len(name) > 4 * _NAME else cut


def _shorten_names(corpus: Corpus, coders: dict[str, str]) -> Corpus:
    """Give items, tracks and coders names that tables and pictures can hold; most corpora stay as they are."""
    items = {x: _short(x, i) for i, x in enumerate(corpus.items)}
    tracks = {x: _short(x, i) for i, x in enumerate(corpus.tracks)}
    for names in (items, tracks, coders):
        _kept_apart(names)
    if all(old == new for names in (items, tracks, coders) for old, new in names.items()):
        return corpus
    return rename_each(corpus, items, coders, tracks)


def _kept_apart(names: dict[str, str]) -> None:
    """Number names that became alike when what cannot be seen was taken out of them."""
    taken: set[str] = set()
    for number, (old, new) in enumerate(names.items(), 1):
        names[old] = new if new not in taken else f"{new} ({number})"
        taken.add(names[old])
