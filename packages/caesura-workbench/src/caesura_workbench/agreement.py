"""Agreement among the coders of a project, as sums over parts of the project that are computed once and added.

The matrix of coders, the scores of items, π and κ are functions of sums over items. A part is some items; its sums change only when one of them changes.
Coefficients of spans are not, so they are computed from all annotations at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.among_coders import agreement_of_sums
from caesura.agreement.coefficients import AgreementSums, SumTable
from caesura.display.plain import to_plain
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import default_metrics
from caesura.model import DEFAULT_METRICS, Corpus, Segmentation
from caesura.statistics import CountedPairs
from caesura.statistics.bootstrap import bootstrap_interval

Values = NDArray[np.float64]

#: Measured besides the chosen metric: of all recordings, and of those whose segments have names.
_TIME_METRICS, _NAME_METRICS = ("R",), ("time-kappa", "time-agreement")


#: Resamples of items for the 95 % interval of the pooled score.
RESAMPLES = 2_000


@dataclass(frozen=True)
class AgreementPart:
    """The sums of some items: per item, per pair of coders, and those that coefficients are computed from.

    ``refused`` says why there is no coefficient. ``types`` are the types of boundaries in this part: with several types, every place counts once per type.
    """

    kind: str
    coders: tuple[str, ...]
    items: dict[str, Values]
    rows: Values
    met: NDArray[np.bool_]
    sums: SumTable | None
    refused: str = ""
    types: frozenset[str] = frozenset()
    others: dict[str, Values] = field(default_factory=dict)
    nameless: frozenset[str] = frozenset()


def agreement_part(corpus: Corpus, name: str | None) -> AgreementPart | None:
    """Return the sums of a corpus, or None where no two coders annotated the same item."""
    table = CountedPairs.among_coders(corpus)
    if not len(table.pairs):
        return None
    chosen = metric(name or DEFAULT_METRICS[corpus.kind])
    by_item = table.by_item(chosen)
    sums, refused = None, ""
    if corpus.kind != "spans":
        try:
            by = chosen if corpus.kind == "units" else metric(DEFAULT_METRICS[corpus.kind])
            sums = AgreementSums(table, by).whole
        except CaesuraError as error:
            refused = str(error)
    others, nameless = _other_sums(corpus, table)
    return AgreementPart(
        corpus.kind,
        tuple(corpus.coders),
        {corpus.items[i]: by_item[i] for i in np.unique(table.pairs.item_of).tolist()},
        table.matrix_rows(chosen),
        table.meetings(),
        sums,
        refused,
        _types(corpus),
        others,
        nameless,
    )


def _types(corpus: Corpus) -> frozenset[str]:
    if corpus.types is None:
        return frozenset()
    labels = corpus.labels
    return frozenset(str(labels[code] if labels else code) for code in np.unique(corpus.types).tolist())


#: The share of the places where both have a boundary at which they gave it the same type.
_TYPES = "types"


def _type_sums(corpus: Corpus) -> Values:
    """Count pairs of coders with a boundary at the same place: those who gave it the same types, and all."""
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    of_place = np.stack([corpus.item_of[rows], corpus.track_of[rows], corpus.positions], axis=1)
    _, places = np.unique(of_place, axis=0, return_inverse=True)
    marks, of_mark = np.unique(np.stack([places.ravel(), rows], axis=1), axis=0, return_inverse=True)
    types = np.zeros(len(marks), object)  # several types of one coder at one place, as bits of an integer of any size
    assert corpus.types is not None
    for mark, kind in zip(of_mark.ravel().tolist(), corpus.types.tolist(), strict=True):
        types[mark] |= 1 << kind
    alike = Counter(zip(marks[:, 0].tolist(), types.tolist(), strict=True))
    both = np.bincount(marks[:, 0])
    return np.array([sum(n * (n - 1) // 2 for n in alike.values()), int((both * (both - 1) // 2).sum())], np.float64)


def _other_sums(corpus: Corpus, table: CountedPairs) -> tuple[dict[str, Values], frozenset[str]]:
    """Return the sums of what typed texts and recordings have besides the chosen metric, and the coders who gave no names."""
    if corpus.kind == "units" and corpus.types is not None:
        return {_TYPES: _type_sums(corpus)}, frozenset()
    if corpus.kind != "time":
        return {}, frozenset()
    sums = {name: table.by_item(metric(name)).sum(axis=0) for name in _TIME_METRICS}
    named = [each for each in corpus if isinstance(each.marks, Segmentation) and each.marks.names is not None]
    nameless = frozenset(corpus.coders) - {each.coder for each in named}
    labelled = CountedPairs.among_coders(Corpus.from_annotations(named)) if named else None
    if labelled is not None and len(labelled.pairs):
        sums |= {name: labelled.by_item(metric(name)).sum(axis=0) for name in _NAME_METRICS}
    return sums, nameless


def merge_parts(parts: Sequence[AgreementPart | None]) -> AgreementPart:
    """Add the sums of parts; the same item in two of them (as two tracks) is one item."""
    known = [part for part in parts if part is not None]
    if not known:
        raise CaesuraError("agreement needs two coders on one item; add a second annotation.")
    coders = tuple(dict.fromkeys(coder for part in known for coder in part.coders))
    place = {coder: index for index, coder in enumerate(coders)}
    width = known[0].rows.shape[-1]
    rows, met = np.zeros((len(coders), len(coders), width)), np.zeros((len(coders), len(coders)), bool)
    items: dict[str, Values] = {}
    others: dict[str, Values] = {}
    for part in known:
        at = np.array([place[coder] for coder in part.coders])
        rows[np.ix_(at, at)] += part.rows
        met[np.ix_(at, at)] |= part.met
        for name, row in part.items.items():
            items[name] = items[name] + row if name in items else row
        for name, row in part.others.items():
            others[name] = others[name] + row if name in others else row
    return AgreementPart(
        known[0].kind,
        coders,
        items,
        rows,
        met,
        None if any(part.sums is None for part in known) else _merge_sums(known, coders, place),
        next((part.refused for part in known if part.refused), ""),
        frozenset().union(*(part.types for part in known)),
        others,
        frozenset().union(*(part.nameless for part in known)),
    )


def _merge_sums(parts: Sequence[AgreementPart], coders: tuple[str, ...], place: Mapping[str, int]) -> SumTable:
    """Add the sums of parts for all coders; where the parts have different types of boundaries, places are counted for all types."""
    types = len(frozenset().union(*(part.types for part in parts)))
    size = len(coders)
    total = {name: np.zeros((1, size)) for name in _PER_CODER}
    met = np.zeros((1, size, size))
    first = parts[0].sums
    assert first is not None
    scores = np.zeros_like(first.parts)
    for part in parts:
        sums = part.sums
        assert sums is not None
        at = np.array([place[coder] for coder in part.coders])
        more = types / len(part.types) if part.types else 1.0
        scaled = {"places": more, "densities": 1 / more, "segment_densities": 1 / more}
        for name in _PER_CODER:
            total[name][:, at] += getattr(sums, name) * scaled.get(name, 1.0)
        # pairs are kept at [earlier, later]; the order of coders may differ between parts
        there = met[0][np.ix_(at, at)]
        met[0][np.ix_(at, at)] = there + sums.met[0]
        scores = scores + sums.parts
    both = met[0] + met[0].T
    return SumTable(parts=scores, met=np.triu(both, 1)[None], **total)


_PER_CODER = ("marks", "segments", "places", "annotations", "densities", "segment_densities")


def describe_agreement(
    part: AgreementPart, name: str | None, corpus: Corpus | None = None, coefficient: str | None = None
) -> dict[str, Any]:
    """Return the pooled similarity of every two coders and of every item, and the coefficients that apply; those of spans need the corpus."""
    chosen = metric(name or DEFAULT_METRICS[part.kind])  # type: ignore[index]
    scores = np.where(np.eye(len(part.coders), dtype=bool), chosen.best, np.nan)
    scores[part.met] = chosen.score(part.rows[part.met])
    of_items = np.stack(list(part.items.values()))
    pooled = of_items.sum(axis=0)
    return {
        "metric": chosen.name,
        "kind": part.kind,
        "title": chosen.title,
        "about": chosen.about,
        "signature": chosen.signature,
        "metrics": [{"name": each, "title": metric(each).title} for each in _applicable(part, chosen.name)],
        "coders": list(part.coders),
        # null on the diagonal and for coders who share no item
        "matrix": to_plain(np.where(part.met, scores, np.nan)),
        "pooled": to_plain(chosen.score(pooled)),
        "interval": bootstrap_interval(chosen, of_items, resamples=RESAMPLES),
        "items": [
            {"name": item, "score": score}
            for item, score in zip(part.items, to_plain(chosen.score(of_items)), strict=True)
        ],
        "coefficients": _coefficients(part, chosen) if corpus is None else span_coefficients(corpus, coefficient),
    }


def _applicable(part: AgreementPart, chosen: str) -> list[str]:
    """Return the metrics to choose from: the default one first, then those that are computed by default for this kind, and the chosen one."""
    first = DEFAULT_METRICS[part.kind]  # type: ignore[index]
    return list(dict.fromkeys([first, *default_metrics(part.kind, part.types or None), chosen]))  # type: ignore[arg-type]


def _coefficients(part: AgreementPart, chosen: Metric) -> list[dict[str, Any]]:
    """Return π and κ with this metric, or the observed agreement for recordings and hierarchies, which have no model of chance.

    A coefficient that does not apply is listed with the reason.
    """
    texts = part.kind == "units"
    by = chosen if texts else metric(DEFAULT_METRICS[part.kind])  # type: ignore[index]
    listed: list[dict[str, Any]] = []
    for name in ("pi", "kappa") if texts else ("percentage",):
        if part.sums is None:
            listed.append({"coefficient": name, "why": part.refused})
            continue
        try:
            agreed = agreement_of_sums(part.sums, by, name, len(part.coders))
        except CaesuraError as error:
            listed.append({"coefficient": name, "why": str(error)})
            continue
        listed.append(
            {
                "coefficient": name if texts else f"observed, by {by.name}",
                "title": agreed.title,
                "value": to_plain(agreed.value),
                "observed": to_plain(agreed.observed),
                "expected": to_plain(agreed.expected) if texts else None,
                "signature": agreed.signature,
            }
        )
    return [*listed, *(_describe_other(name, row, part) for name, row in part.others.items())]


def _describe_other(name: str, row: Values, part: AgreementPart) -> dict[str, Any]:
    if name == _TYPES:
        same, both = row.tolist()
        return {
            "coefficient": _TYPES,
            "title": "agreement on types",
            "value": same / both if both else None,
            "counts": (int(same), int(both)),
        }
    each = metric(name)
    described = {
        "coefficient": each.name,
        "title": each.title,
        "value": to_plain(each.score(row)),
        "about": each.about,
        "signature": each.signature,
    }
    if name not in _NAME_METRICS:
        return described
    without = [f"Without {', '.join(sorted(part.nameless))}, who gave no names."] if part.nameless else []
    return {**described, "notes": without}


def span_coefficients(corpus: Corpus, name: str | None) -> list[dict[str, Any]]:
    """Return the chosen coefficient, or γ, γ-cat and, where no coder's spans overlap, Krippendorff's."""
    from caesura.agreement import span_agreements

    try:
        agreed = span_agreements(corpus, None if name is None else [name])
    except CaesuraError as error:
        return [{"coefficient": name or "γ", "why": str(error)}]
    return [
        {
            "coefficient": result.title,
            "value": to_plain(result.value),
            "observed": to_plain(result.observed),
            "expected": to_plain(result.expected),
            "formula": "disorder",
            "signature": result.signature,
            "notes": list(result.details.get("notes", ())),
        }
        for result in agreed.values()
    ]


def project_agreement(corpus: Corpus, name: str | None, coefficient: str | None = None) -> dict[str, Any]:
    """Return the agreement among the coders of a corpus at once."""
    part = merge_parts([agreement_part(corpus, name)])
    return describe_agreement(part, name, corpus if corpus.kind == "spans" else None, coefficient)
