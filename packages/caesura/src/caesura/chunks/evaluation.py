"""Compare chunkers on the same documents and queries: scores, intervals over queries, tests, and what sizes alone give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.chunks.evidence import (
    MAX_BY_SIZE,
    DocumentChunks,
    _whole,
    check_spans,
    check_tokens,
    evidence_in_tokens,
    in_tokens,
    size,
    union,
    within_budget,
)
from caesura.chunks.inner import Lengths, chunk_lengths
from caesura.chunks.retrieval import as_retriever, check_rankings
from caesura.display.scene import Picture
from caesura.display.table import Code, EstimateCell, IntervalCell, Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch
from caesura.metrics.family import Family, Metric, Rows, Score, choose, parameter, share
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import MetricResult
from caesura.statistics.evaluation import Results
from caesura.statistics.significance import difference_table, paired_test
from caesura.text import pluralize, shorten
from caesura.validation import validate_choice, validate_integer

_FEW_QUERIES = 20  # below so many queries, an interval is rough

#: The score by which chunkers are compared first: it does not reward large chunks.
MAIN_SCORE = "recall-at-budget"


class Query(NamedTuple):
    """A query with the spans of its evidence in one document."""

    text: str
    document: str
    spans: tuple[tuple[int, int], ...]


class QueryValues(NamedTuple):
    """The scores of one query, and whether each is defined: sums of both give means over queries. Whole evidence is counted in spans."""

    recall: Any
    precision: Any
    precision_defined: Any
    iou: Any
    recall_at_budget: Any
    whole_at_k: Any
    precision_omega: Any
    omega_defined: Any
    whole: Any
    whole_by_size: Any
    ceiling: Any
    needed: Any
    spans: Any
    queries: Any


def _mean(name: str, title: str, about: str, defined: str = "queries", **more: Any) -> Score:
    fixed: dict[str, Any] = {} if name in _OF_RANKING else {"k": 5, "retriever": "", "repeated": 1, "budget": 0}
    fixed |= {"budget": 0} if name in _OF_RANKING - {"recall_at_budget"} else {}
    fixed |= {"k": 5, "repeated": 1} if name == "recall_at_budget" else {}
    fixed |= {} if name == "precision_omega" else {"touching": 0}
    return Score(
        title=title,
        about=about,
        parts=lambda sums: (getattr(sums, name), getattr(sums, defined)),
        value=lambda above, below: share(above, below, math.nan),
        symmetric=False,
        fixed=fixed,
        **more,
    )


_OF_RANKING = {"recall", "precision", "iou", "recall_at_budget", "whole_at_k"}
_WITHOUT_RANKING: dict[str, Any] = {"k": 5, "retriever": "", "repeated": 1, "budget": 0, "touching": 0}


def _correct_for_sizes(gain: Any, margin: Any, spans: Any) -> Any:
    """Divide the gain by the margin above what sizes give; NaN where the margin is below 5 % of the spans."""
    return share(gain, choose(margin < (1 - MAX_BY_SIZE) * spans, 0.0, margin), math.nan)


@dataclass(frozen=True)
class EvidenceScores(Family):
    """Scores of retrieved and of all chunks against evidence, averaged over queries; see :mod:`caesura.chunks.evidence`.

    Parameters
    ----------
    unit : {"char", "token"}
        What is counted.
    k : int
        The number of retrieved chunks.
    budget : int
        The characters or tokens that may be retrieved.
    retriever : str
        The retriever.
    repeated, touching : int
        1 or 0: whether text retrieved twice is paid twice, and whether chunks that touch evidence count for precision Ω.
    """

    unit: str = parameter("unit", "char")
    k: int = parameter("k", 5)
    budget: int = parameter("budget", 5000)
    retriever: str = parameter("retriever", "bm25(1.5,0.75)")
    repeated: int = parameter("repeated", 1)
    touching: int = parameter("touching", 0)

    counts: ClassVar[Any] = QueryValues
    paper: ClassVar[str] = "Smith & Troynikov 2024, Chroma technical report"
    scores: ClassVar[Mapping[str, Score]] = {
        "recall-at-budget": _mean("recall_at_budget", "recall within the budget", "Share of the evidence in the best chunks that fit into the budget."),
        "evidence-recall": _mean("recall", "recall of the evidence", "Share of the evidence in the first k chunks."),
        "evidence-precision": _mean("precision", "precision", "Share of the retrieved text that is evidence.", "precision_defined"),
        "evidence-IoU": _mean("iou", "intersection over union", "Text that is both evidence and retrieved, as a share of the text that is either."),
        "whole-at-k": _mean("whole_at_k", "whole evidence in the first k", "Share of the evidence spans that lie in one retrieved chunk.", "spans"),
        "precision-omega": _mean("precision_omega", "precision of perfect retrieval", "Precision if exactly the chunks with evidence were retrieved.", "omega_defined"),
        "whole": _mean("whole", "whole evidence", "Share of the evidence spans that lie in one chunk.", "spans"),
        "whole-by-size": _mean("whole_by_size", "whole evidence by size", "The same share for chunks of these sizes in random places.", "spans"),
        "whole-gain": Score(
            title="gain of whole evidence over size",
            about="Whole evidence minus whole evidence by size.",
            parts=lambda sums: (sums.whole - sums.whole_by_size, sums.spans),
            value=lambda above, below: share(above, below, math.nan),
            bounds=(-1.0, 1.0),
            symmetric=False,
            fixed=_WITHOUT_RANKING,
        ),
        "whole-corrected": Score(
            title="gain of whole evidence over size, corrected",
            about="The gain divided by one minus whole evidence by size; undefined if that is above 0.95.",
            parts=lambda sums: (sums.whole - sums.whole_by_size, sums.spans - sums.whole_by_size, sums.spans),
            value=_correct_for_sizes,
            bounds=(-math.inf, 1.0),
            symmetric=False,
            fixed=_WITHOUT_RANKING,
        ),
        "recall-ceiling": _mean("ceiling", "recall of all chunks", "Share of the evidence in any chunk; 1 if chunks leave no gap."),
        "needed": _mean("needed", "chunks needed", "Mean number of chunks with evidence per query.", higher_is_better=False, bounds=(0.0, math.inf)),
    }  # fmt: skip

    def count(self, batch: Batch) -> Rows:
        """Raise an error: chunks are counted by queries, not by pairs of annotations."""
        raise CaesuraError("scores of evidence need documents and queries; use caesura.chunks.evaluate_chunks.")


class SizeGain(NamedTuple):
    """The difference of a chunker's main score to chunks of the same lengths.

    Attributes
    ----------
    chunker, bound : str
        Its name; "sizes" (the same lengths in random order) or "uniform".
    value : float
        The score of the bound, over ``shuffles`` the mean.
    band : IntervalCell or None
        The middle 95 % of the shuffles; None for a bound that is not random.
    difference : float
        The chunker's score minus that of the bound.
    interval : IntervalCell or None
        A bootstrap interval of the difference over queries.
    """

    chunker: str
    bound: str
    value: float
    band: IntervalCell | None
    difference: float
    interval: IntervalCell | None


#: The scores in the order of tables.
SCORES = tuple(EvidenceScores.scores)
_BOUNDS = {"sizes": "the same sizes in random order", "uniform": "chunks of equal size"}


@dataclass(frozen=True, repr=False)
class ChunkEvaluation(Results):
    """Scores of chunkers on the same documents and queries, as :func:`evaluate_chunks` returns them.

    Attributes
    ----------
    systems, bounds : mapping of str to mapping of str to MetricResult
        Chunker, or bound of sizes alone, -> score -> result; ``evaluation["ours", "evidence-recall"].macro``.
    queries : tuple of Query
        The queries.
    lengths : mapping of str to Lengths
        Chunker -> statistics of its chunks in characters.
    stored : mapping of str to float
        Chunker -> stored characters per character of the documents.
    covered : mapping of str to float
        Chunker -> the share of the documents' characters that are in a chunk.
    resampling : Resampling
        The settings of the intervals.
    notes : tuple of str
        Chunks that had to be anchored, and other remarks.
    gains : tuple of SizeGain
        The difference of every chunker to its bounds.
    """

    systems: Mapping[str, Mapping[str, MetricResult]]
    queries: tuple[Query, ...]
    lengths: Mapping[str, Lengths]
    stored: Mapping[str, float]
    covered: Mapping[str, float]
    bounds: Mapping[str, Mapping[str, MetricResult]] = field(default_factory=dict)
    resampling: Resampling = field(default_factory=Resampling)
    notes: tuple[str, ...] = ()
    gains: tuple[SizeGain, ...] = ()

    skipped: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    filled: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]

    @property
    def count(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @property
    def level(self) -> float:  # type: ignore[override]
        """The level of the intervals."""
        return self.resampling.level

    @property
    def resamples(self) -> int:  # type: ignore[override]
        """The number of resamples of the intervals."""
        return self.resampling.resamples

    def warnings(self) -> list[str]:
        """Return notes: few queries, anchored chunks, and chunkers that are no better than their chunk sizes alone."""
        sentences = list(self.notes)
        if self.count < _FEW_QUERIES:
            sentences.append(f"{pluralize(self.count, 'query')}: the intervals are rough.")
        for bound, described in _BOUNDS.items():
            alike = [
                repr(gain.chunker)
                for gain in self.gains
                if gain.bound == bound and gain.interval is not None and gain.interval.low <= 0 <= gain.interval.high
            ]
            if alike:
                sentences.append(
                    f"no difference to {described} is shown for {', '.join(alike)}: {'its' if len(alike) == 1 else 'each'} interval "
                    "contains 0, so that the sizes of the chunks may be the reason for the score."
                )
        return sentences

    def tables(self) -> Sequence[Table]:
        """Return the scores of every chunker, the lengths of its chunks, and tests of the main score."""
        main = MAIN_SCORE if MAIN_SCORE in self.measured else "whole-gain"
        interval = f"; {100 * self.level:g} % interval of {main}"
        scores: list[Table] = []
        for ranked, caption in ((True, "retrieved chunks"), (False, "all chunks, as if retrieval were perfect")):
            if names := [name for name in SCORES if name in self.measured and _needs_ranking(name) == ranked]:
                over = "queries (whole: over evidence spans)" if any("whole" in name for name in names) else "queries"
                about = (
                    f"{caption}, {pluralize(self.count, 'query')}: means over {over}{interval if main in names else ''}"
                )
                scores.append(self._score_table(about, names, main, warn=not scores))
        lengths = Table(
            "chunks in characters",
            ("chunker", "chunks", "mean", "median", "min", "max", "5 %", "95 %", "variation", "stored", "covered"),
            tuple(
                (n, x.chunks, Rounded(x.mean, 0), Rounded(x.median, 0), Rounded(x.minimum, 0), Rounded(x.maximum, 0),
                 Rounded(x.low, 0), Rounded(x.high, 0), Rounded(x.variation, 2), Rounded(self.stored[n], 2),
                 Rounded(self.covered[n], 2))
                for n, x in self.lengths.items()
            ),
        )  # fmt: skip
        tables = [*scores, lengths, *([self._gain_table()] if self.gains else ())]
        if len(self.systems) < 2 or self.count < 2 or not self.resamples:
            return tables
        return [*tables, difference_table(main, self.tests(main, seed=self.resampling.seed))]

    def _score_table(self, caption: str, names: Sequence[str], main: str, *, warn: bool) -> Table:
        every = {**self.systems, **{f"({name})": each for name, each in self.bounds.items()}}
        rows = tuple(
            (system, *(_estimate(each[name]) if name == main else each[name].micro for name in names))
            for system, each in every.items()
        )
        notes = [f"! {sentence}" for sentence in self.warnings()] if warn else []
        return Table(
            caption, ("chunker", *names), rows, (*notes, *(Code(self.measured[name].signature) for name in names))
        )

    def _gain_table(self) -> Table:
        main = MAIN_SCORE if MAIN_SCORE in self.measured else "whole"
        rows = tuple((g.chunker, g.bound, g.value, g.band, g.difference, g.interval) for g in self.gains)
        level = f"{100 * self.level:g} %"
        return Table(
            f"{main}: differences to chunks of the same lengths",
            ("chunker", "bound", "value", f"{level} of shuffles", "difference", f"{level} interval"),
            rows,
        )

    def pictures(self) -> Sequence[Picture]:
        """Draw the main score against the mean length of chunks."""
        return [self.plot()]

    def plot(self) -> Picture:
        """Draw recall within the budget (or whole evidence) against the mean length of the chunks."""
        from caesura.chunks.picture import SizePlot

        return SizePlot(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "count": self.count,
            "queries": [{"query": q.text, "document": q.document} for q in self.queries],
            "systems": {s: {n: m.as_dict() for n, m in each.items()} for s, each in self.systems.items()},
            "bounds": {s: {n: m.as_dict() for n, m in each.items()} for s, each in self.bounds.items()},
            "gains": [
                {
                    **g._asdict(),
                    **{n: None if (x := getattr(g, n)) is None else [x.low, x.high] for n in ("band", "interval")},
                }
                for g in self.gains
            ],
            "lengths": {
                name: {**each._asdict(), "stored": self.stored[name], "covered": self.covered[name]}
                for name, each in self.lengths.items()
            },
            "comparisons": [
                {"metric": name, **vars(test)}
                for name in (MAIN_SCORE, "whole-gain")
                if name in self.measured and len(self.systems) > 1 and self.count > 1 and self.resamples
                for test in self.tests(name, seed=self.resampling.seed)
            ],
            "warnings": self.warnings(),
        }


def _estimate(result: MetricResult) -> EstimateCell:
    return EstimateCell(result.micro, *(result.interval or ()))


def evaluate_chunks(
    documents: Mapping[str, str],
    queries: Iterable[Any],
    chunkings: Mapping[str, Any],
    *,
    retriever: Any = "bm25",
    rankings: Mapping[str, Sequence[Sequence[int]]] | None = None,
    k: int = 5,
    budget: int = 5000,
    tokenizer: Callable[[str], Iterable[tuple[int, int]]] | None = None,
    repeated: bool = True,
    touching: bool = False,
    bounds: Sequence[str] = (),
    shuffles: int = 100,
    cluster: Literal["query", "document"] = "query",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> ChunkEvaluation:
    """Compare chunkers on the same documents and queries.

    Parameters
    ----------
    documents : mapping of str to str
        The texts by name.
    queries : iterable of mapping or tuple
        ``{"query": text, "document": name, "spans": [(begin, end), …]}`` or (text, document, spans).
    chunkings : mapping of str to mapping
        Chunker -> document -> chunks: spans, strings, or objects of LangChain, LlamaIndex or chonkie. With one document, the chunks
        themselves. Chunks without offsets, or whose text is not the document's, are anchored.
    retriever : str, callable, object or None, default "bm25"
        "bm25", a function ``rank(queries, chunks)``, an object with ``rank(queries, chunks, depth)`` such as
        :class:`~caesura.chunks.EncoderRanking`, or None for scores without retrieval only.
    rankings : mapping of str to sequence, default None
        Chunker -> query -> indices of chunks in all documents, in their order, instead of a retriever.
    k : int, default 5
        The number of retrieved chunks.
    budget : int, default 5000
        The characters (or tokens) of ``recall-at-budget``, the score by which chunkers of different sizes are compared.
    tokenizer : callable, default None
        A function from a text to the (begin, end) of its tokens; everything is then counted in tokens.
    repeated, touching : bool
        Variants of precision and precision Ω, see :func:`chunk_scores`.
    bounds : sequence of {"sizes", "uniform"}, default ()
        "sizes" scores chunks of the same lengths in random order, "uniform" chunks of the same mean length: what chunks reach by their sizes alone.
    shuffles : int, default 100
        The number of random orders of "sizes".
    cluster : {"query", "document"}, default "query"
        What intervals and tests resample.
    level, resamples, seed : float, int, int
        Settings of the intervals.

    Returns
    -------
    ChunkEvaluation

    Examples
    --------
    >>> text = "Ships sail. Bread is baked. Wine is drunk."
    >>> found = evaluate_chunks({"d": text}, [("bread", "d", [(12, 27)])], {"ours": {"d": [(0, 12), (12, 42)]}}, k=1, resamples=0)
    >>> found["ours", "evidence-recall"].macro, found["ours", "whole"].macro
    (1.0, 1.0)
    """
    validate_integer("k", k, 1)
    validate_integer("budget", budget, 1)
    validate_integer("shuffles", shuffles, 1)
    validate_choice("cluster", cluster, ("query", "document"))
    for name in bounds:
        validate_choice("bounds", name, ("sizes", "uniform"))
    if not documents:
        raise CaesuraError("there are no documents.")
    for name, text in documents.items():
        if not isinstance(text, str):
            raise CaesuraError(f"document {name!r} is {type(text).__name__}; expected a string.")
    if rankings is not None and (unranked := [name for name in chunkings if name not in rankings]):
        raise CaesuraError(f"there are no rankings of {unranked[0]!r}.")
    if rankings is not None and bounds:
        raise CaesuraError(
            "bounds are chunks at other places, which given rankings do not rank; leave the bounds or the rankings out."
        )
    asked = check_queries(queries, documents)
    ranker = None if rankings is not None else as_retriever(retriever)
    how = "given" if rankings is not None else getattr(ranker, "signature", type(ranker).__name__)
    family = EvidenceScores("char" if tokenizer is None else "token", k, budget, how, int(repeated), int(touching))
    tokens = None if tokenizer is None else {n: _tokens_of(tokenizer, n, text) for n, text in documents.items()}
    scorer = _Scorer(documents, asked, family, ranker, tokens)
    resampling = Resampling(level, resamples, "percentile", seed)
    groups = None if cluster == "query" else _document_codes(asked)
    systems: dict[str, dict[str, MetricResult]] = {}
    lengths, stored, covered, notes = {}, {}, {}, []
    characters = max(sum(map(len, documents.values())), 1)
    results_of_bounds: dict[str, dict[str, MetricResult]] = {}
    gains = []
    for name, given in chunkings.items():
        spans, remarks = chunk_spans_by_document(documents, given, name)
        notes += remarks
        ranks = None if rankings is None else rankings[name]
        rows = scorer.rows(spans, ranks)
        notes += [f"the rankings of {name!r} {remark}" for remark in scorer.remarks]
        systems[name] = scorer.results(rows, resampling, groups)
        every = np.concatenate([each[:, 1] - each[:, 0] for each in spans.values()]) if spans else np.empty(0)
        lengths[name] = chunk_lengths(every)
        stored[name] = float(every.sum()) / characters
        covered[name] = sum(size(union(each)) for each in spans.values()) / characters
        for bound in bounds:
            drawn = scorer.bound(spans, bound, shuffles, seed)
            found = scorer.results(np.mean(drawn, axis=0), replace(resampling, resamples=0), groups)
            results_of_bounds[f"{bound} of {name}"] = found
            gains.append(_size_gain(name, bound, systems[name], found, drawn, resampling, clusters=groups is not None))
    if not systems:
        raise CaesuraError("there are no chunks; give {chunker: {document: chunks}}.")
    return ChunkEvaluation(
        systems, asked, lengths, stored, covered, results_of_bounds, resampling, tuple(notes), tuple(gains)
    )


def _size_gain(
    name: str,
    bound: str,
    own: Mapping[str, MetricResult],
    other: Mapping[str, MetricResult],
    drawn: Sequence[Rows],
    resampling: Resampling,
    *,
    clusters: bool,
) -> SizeGain:
    """Compare the main score of a chunker with that of chunks of the same lengths, query by query."""
    main = MAIN_SCORE if MAIN_SCORE in own else "whole"
    ours, theirs = own[main], other[main]
    values = [float(ours.metric.value(ours.metric.parts(rows).sum(axis=0))) for rows in drawn]
    tail = (1 - resampling.level) / 2
    band = None if len(drawn) == 1 else IntervalCell(*np.quantile(values, [tail, 1 - tail]).tolist())
    interval = None
    if resampling.resamples and len(ours.rows) > 1:
        test = paired_test(
            ours.metric, ours.rows, theirs.rows, method="bootstrap", samples=resampling.resamples, seed=resampling.seed,
            level=resampling.level, clusters=clusters,
        )  # fmt: skip
        interval = test.interval
    return SizeGain(name, bound, theirs.micro, band, ours.micro - theirs.micro, interval)


def _tokens_of(tokenizer: Callable[[str], Iterable[tuple[int, int]]], name: str, text: str) -> NDArray[np.int64]:
    try:
        return check_tokens(tokenizer(text), len(text))
    except CaesuraError as fault:
        raise CaesuraError(f"document {name!r}: {fault}") from None


def _document_codes(asked: Sequence[Query]) -> NDArray[np.int64]:
    names = list(dict.fromkeys(query.document for query in asked))
    return np.array([names.index(query.document) for query in asked])


def check_queries(queries: Iterable[Any], documents: Mapping[str, str]) -> tuple[Query, ...]:
    """Return queries; raise an error that names the row for a missing document or evidence outside it."""
    found = []
    for number, given in enumerate(queries, 1):
        if isinstance(given, Mapping):
            text, document = given.get("query", given.get("text", "")), given.get("document", given.get("doc"))
            spans = given.get("spans", given.get("evidence", given.get("references")))
        else:
            try:
                text, document, spans = given
            except (TypeError, ValueError):
                raise CaesuraError(f"query {number} is {given!r}; expected query, document and spans.") from None
        if document is None and len(documents) == 1:
            document = next(iter(documents))
        if document is None:
            raise CaesuraError(f"query {number} ({shorten(str(text))!r}) names no document.")
        if document not in documents:
            raise CaesuraError(f"query {number} ({shorten(str(text))!r}): there is no document {document!r}.")
        if not spans:
            raise CaesuraError(f"query {number} ({shorten(str(text))!r}) has no evidence.")
        try:
            rows = check_spans(_evidence(spans, documents[document]), "evidence", len(documents[document]))
        except CaesuraError as fault:
            raise CaesuraError(f"query {number} ({shorten(str(text))!r}): {fault}") from None
        found.append(Query(str(text), str(document), tuple((int(b), int(e)) for b, e in rows)))
    if not found:
        raise CaesuraError("there are no queries.")
    return tuple(found)


def _evidence(spans: Any, text: str) -> list[Any]:
    """Return the spans of evidence; quoted evidence is found in the document."""
    from caesura.anchoring import find_quote

    if isinstance(spans, (str, Mapping)) or not isinstance(spans, Iterable):
        raise CaesuraError(f"evidence is {spans!r}; expected a list of (begin, end), or of quotations.")
    listed = []
    for span in spans:
        if isinstance(span, Mapping) and "start_index" in span and "end_index" in span:
            listed.append((span["start_index"], span["end_index"]))
        elif isinstance(span, str):
            places = find_quote(text, span, ties="all")
            if len(places) > 1:
                raise CaesuraError(
                    f"the evidence {shorten(span)!r} is at {len(places)} places; quote more of the text, or give (begin, end)."
                )
            listed += places
        else:
            listed.append(span)
    return listed


def chunk_spans_by_document(
    documents: Mapping[str, str], given: Any, name: str
) -> tuple[dict[str, NDArray[np.int64]], list[str]]:
    """Return the spans of a chunker's chunks by document, and remarks about chunks that were anchored."""
    from caesura.segmenters.text.chunking import locate_chunks

    if not isinstance(given, Mapping):
        if len(documents) != 1:
            raise CaesuraError(f"the chunks of {name!r} must be given by document: {{document: chunks}}.")
        given = {next(iter(documents)): given}
    if unknown := [document for document in given if document not in documents]:
        raise CaesuraError(
            f"the chunks of {name!r} have the document {unknown[0]!r}, which is not among the documents."
        )
    spans: dict[str, NDArray[np.int64]] = {}
    anchored = missing = 0
    most = 0.0  # the largest altered share of a document
    for document, text in documents.items():
        chunks = given.get(document, ())
        try:
            located = locate_chunks(text, chunks)
            most = max(most, located.altered)
            anchored, missing = anchored + located.anchored, missing + len(located.missing)
            spans[document] = check_spans([s for s in located.spans if s is not None], "chunk", len(text))
        except CaesuraError as fault:
            raise CaesuraError(f"{name!r}, document {document!r}: {fault}") from None
    remarks = []
    if anchored:
        share = (
            f"; {most:.2%} of their letters {'in a document ' if len(documents) > 1 else ''}are altered" if most else ""
        )
        remarks.append(
            f"{pluralize(anchored, 'chunk')} of {name!r} had no offsets, or wrong ones, and were found by their text{share}."
        )
    if missing:
        remarks.append(
            f"{pluralize(missing, 'chunk')} of {name!r} could not be found in the document and {'is' if missing == 1 else 'are'} left out."
        )
    return spans, remarks


class _Scorer:
    """Scores the chunks of one chunker for all queries."""

    def __init__(self, documents: Mapping[str, str], queries: tuple[Query, ...], family: EvidenceScores, ranker: Any,
                 tokens: Mapping[str, NDArray[np.int64]] | None) -> None:  # fmt: skip
        self.documents, self.queries, self.family, self.ranker, self.tokens = documents, queries, family, ranker, tokens
        self.gold = [np.array(query.spans, np.int64) for query in queries]
        self.remarks: list[str] = []  # about the rankings of the last chunks
        if tokens is not None:
            self.gold = [self._gold_in_tokens(number, tokens) for number in range(len(queries))]

    def _gold_in_tokens(self, number: int, tokens: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        query = self.queries[number]
        try:
            return evidence_in_tokens(self.gold[number], tokens[query.document])
        except CaesuraError as fault:
            raise CaesuraError(f"query {number + 1} ({shorten(query.text)!r}): {fault}") from None

    def rows(self, spans: Mapping[str, NDArray[np.int64]], rankings: Any = None) -> Rows:
        names = list(spans)
        counted = dict(spans) if self.tokens is None else {n: in_tokens(s, self.tokens[n]) for n, s in spans.items()}
        places = np.concatenate([counted[name] for name in names]) if names else np.empty((0, 2), np.int64)
        owner = np.repeat(np.arange(len(names)), [len(counted[name]) for name in names])
        documents = {
            name: DocumentChunks(
                counted[name], len(self.documents[name]) if self.tokens is None else len(self.tokens[name])
            )
            for name in names
        }
        ranks = self._ranks(spans, places, rankings)
        self.remarks = [] if ranks is None else self._short_rankings(ranks, places[:, 1] - places[:, 0])
        rows = np.zeros((len(self.queries), len(QueryValues._fields)))
        for at, query in enumerate(self.queries):
            rows[at] = self._row(at, documents[query.document], names.index(query.document), places, owner, ranks)
        return rows

    def _ranks(self, spans: Mapping[str, NDArray[np.int64]], places: NDArray[np.int64], rankings: Any) -> Any:
        if rankings is None and self.ranker is None:
            return None
        if rankings is None:
            texts = [self.documents[name][b:e] for name, each in spans.items() for b, e in each.tolist()]
            # as many as the shortest chunks that fill the budget: no query can need more
            shortest = np.cumsum(np.sort(places[:, 1] - places[:, 0]))
            depth = max(self.family.k, int(np.searchsorted(shortest, self.family.budget)) + 1)
            rankings = self.ranker.rank([query.text for query in self.queries], texts, depth)
        return check_rankings(rankings, len(self.queries), len(places))

    def _short_rankings(self, ranks: list[NDArray[np.int64]], sizes: NDArray[np.int64]) -> list[str]:
        """Describe rankings that leave chunks out and end before k chunks, or before the budget is filled."""
        k, budget = self.family.k, self.family.budget
        ended = [order for order in ranks if len(order) < len(sizes)]
        few = sum(len(order) < k for order in ended)
        unfilled = sum(int(sizes[order].sum()) < budget for order in ended)
        unit = "characters" if self.tokens is None else "tokens"
        remarks = [
            f"have fewer than {k} chunks for {pluralize(few, 'query')}, so that scores of the first {k} are too low."
        ]
        remarks += [
            f"end before {budget:,} {unit} are filled for {pluralize(unfilled, 'query')}, so that recall-at-budget is too low; rank more chunks."
        ]
        return [remark for number, remark in zip((few, unfilled), remarks, strict=True) if number]

    def _row(self, at: int, document: DocumentChunks, number: int, places: Any, owner: Any, ranks: Any) -> list[float]:
        gold, family = self.gold[at], self.family
        values: dict[str, Any] = dict.fromkeys(
            ("recall", "precision", "precision_defined", "iou", "recall_at_budget", "whole_at_k"), 0.0
        )
        if ranks is not None:
            order = ranks[at]
            first = order[: family.k]
            own, others = places[first[owner[first] == number]], places[first[owner[first] != number]]
            elsewhere = int((others[:, 1] - others[:, 0]).sum())
            found = document.retrieved(gold, own, bool(family.repeated), elsewhere)
            values |= {"recall": found["recall"], "iou": found["iou"], "precision": found["precision"] or 0.0}
            values |= {
                "precision_defined": float(found["precision"] is not None),
                "whole_at_k": len(gold) * _whole(gold, own),
            }
            cut = within_budget(places[order], family.budget)
            values["recall_at_budget"] = document.recall(gold, cut[owner[order[: len(cut)]] == number])
        free = document.without_ranking(gold, touching=bool(family.touching))
        values |= {
            "precision_omega": free["precision_omega"] or 0.0,
            "omega_defined": float(free["precision_omega"] is not None),
        }
        values |= {name: len(gold) * float(free[name]) for name in ("whole", "whole_by_size")}
        values |= {"ceiling": free["ceiling"], "needed": free["needed"], "spans": float(len(gold)), "queries": 1.0}
        return [values[name] for name in QueryValues._fields]

    def results(self, rows: Rows, resampling: Resampling, groups: NDArray[np.int64] | None) -> dict[str, MetricResult]:
        ranked = self.ranker is not None or self.family.retriever == "given"
        names = [name for name in SCORES if ranked or not _needs_ranking(name)]
        metrics = [Metric(self.family, name) for name in names]
        drawn = rows if groups is None else _sum_groups(rows, groups)
        intervals = resampling.intervals(metrics, [drawn] * len(metrics))
        return {
            name: MetricResult(metric, drawn, interval)
            for name, metric, interval in zip(names, metrics, intervals, strict=True)
        }

    def bound(self, spans: Mapping[str, NDArray[np.int64]], kind: str, shuffles: int, seed: int) -> list[Rows]:
        """Return the rows of every shuffle, or of the only division into equal chunks."""
        if kind == "uniform":
            return [self.rows({name: _uniform(each, len(self.documents[name])) for name, each in spans.items()})]
        random = np.random.default_rng(seed)
        return [self.rows({name: _shuffle(each, random) for name, each in spans.items()}) for _ in range(shuffles)]


def _needs_ranking(name: str) -> bool:
    return name in ("recall-at-budget", "evidence-recall", "evidence-precision", "evidence-IoU", "whole-at-k")


def _sum_groups(rows: Rows, groups: NDArray[np.int64]) -> Rows:
    table = np.zeros((int(groups.max()) + 1, rows.shape[1]))
    np.add.at(table, groups, rows)
    return table


def _shuffle(spans: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Return chunks of the same lengths in random order; the overlap of, or gap between, every two neighbours stays."""
    if not len(spans):
        return spans
    lengths = random.permutation(spans[:, 1] - spans[:, 0])
    steps = spans[1:, 0] - spans[:-1, 1]  # below 0: overlap
    begins = spans[0, 0] + np.concatenate(([0], np.cumsum(lengths[:-1] + steps)))
    begins = np.maximum.accumulate(np.maximum(begins, 0))
    last = spans[:, 1].max()
    moved = np.stack((begins, np.minimum(begins + lengths, last)), axis=1)
    return moved[moved[:, 0] < moved[:, 1]]


def _uniform(spans: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return as many chunks of equal length, with the same mean overlap."""
    if not len(spans):
        return spans
    step = length / len(spans)
    size = float((spans[:, 1] - spans[:, 0]).mean())
    begins = np.floor(np.arange(len(spans)) * step).astype(np.int64)
    ends = np.minimum(np.maximum(np.floor(np.arange(len(spans)) * step + size), begins + 1), length).astype(np.int64)
    ends[-1] = length
    if size <= step + 1:  # without overlap the chunks cover the text
        ends = np.concatenate((begins[1:], [length]))
    return np.stack((begins, ends), axis=1)
