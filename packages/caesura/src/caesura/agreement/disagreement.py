r"""Where disagreement comes from: near misses, different densities, real disputes (Fournier 2013, section 7, as future work).

B of two coders loses the weight of every edit, over all pairs of boundaries: :math:`1 - B = (a + b + w + s) / n`, with a and b boundaries
that only one of them has, and the weights w of near misses and s of other types. The loss is divided without a rest:

- *near misses*: :math:`w / n`, both see the boundary and place it differently;
- *types*: :math:`s / n`, both place it and name it differently;
- *density*: :math:`|a - b| / n`, one coder simply has more boundaries;
- *disputes*: :math:`2 \min(a, b) / n`, each has boundaries where the other has none, equally many.

Guidelines that fix positions help against the first, guidelines on how fine to segment against the third; only the last are opinions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.agreement.coefficients import corpus_of_coders
from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.metrics.boundaries import EditCounts
from caesura.model.corpus import KIND_NOUNS, Corpus, CorpusLike
from caesura.statistics.counted import CountedPairs

PARTS = ("near", "types", "density", "disputes")
_TITLES = {
    "near": "near misses",
    "types": "other types",
    "density": "different densities",
    "disputes": "disputes",
}
_WORST = 10  # pairs of coders in the table


@dataclass(frozen=True)
class DisagreementParts:
    """The loss of B of some pairs of coders, divided.

    Attributes
    ----------
    similarity : float
        B.
    near, types, density, disputes : float
        The parts of 1 - B.
    """

    similarity: float
    near: float
    types: float
    density: float
    disputes: float

    @property
    def largest(self) -> str:
        """The name of the largest part; empty if there is no disagreement."""
        name = max(PARTS, key=lambda part: getattr(self, part))
        return name if getattr(self, name) > 0 else ""


@dataclass(frozen=True, repr=False)
class Disagreement(Result):
    """The disagreement of all coders, and of every two of them.

    Attributes
    ----------
    whole : DisagreementParts
        Over all pairs.
    pairs : dict of (str, str) to DisagreementParts
        Over the texts that two coders share.
    n_t : int
        The distance from which a boundary is no near miss.
    """

    whole: DisagreementParts
    pairs: dict[tuple[str, str], DisagreementParts]
    n_t: int

    def tables(self) -> Sequence[Table]:
        """Return the parts over all pairs, and the pairs of coders that disagree most."""
        loss = 1.0 - self.whole.similarity
        shown = [part for part in PARTS if part != "types" or self.whole.types]
        rows = tuple(
            (
                _TITLES[part],
                getattr(self.whole, part),
                Rounded(100 * getattr(self.whole, part) / loss, 1) if loss else None,
            )
            for part in shown
        )
        found = [
            Table(
                f"why B is {self.whole.similarity:.3f}: the parts of 1 - B (n_t = {self.n_t})",
                ("part", "of 1 - B", "%"),
                rows,
            )
        ]
        if len(self.pairs) > 1:
            worst = sorted(self.pairs.items(), key=lambda pair: pair[1].similarity)[:_WORST]
            each = tuple(
                (
                    f"{one} – {two}",
                    parts.similarity,
                    *(getattr(parts, part) for part in shown),
                    _TITLES.get(parts.largest, ""),
                )
                for (one, two), parts in worst
            )
            columns = ("coders", "B", *(_TITLES[part] for part in shown), "most")
            found.append(Table("pairs of coders that disagree most", columns, each))
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""

        def plain(parts: DisagreementParts) -> dict[str, float]:
            return {"similarity": parts.similarity, **{part: getattr(parts, part) for part in PARTS}}

        return {
            "all": plain(self.whole),
            "pairs": {f"{a} – {b}": plain(p) for (a, b), p in self.pairs.items()},
            "n_t": self.n_t,
        }


def explain_disagreement(corpus: CorpusLike | CountedPairs, n_t: int = 2) -> Disagreement:
    """Divide the disagreement of coders into near misses, other types, different densities and disputes.

    Parameters
    ----------
    corpus : Corpus, dict, list or CountedPairs
        Texts in units with two coders or more.
    n_t : int, default 2
        As of B: boundaries less than n_t apart are near misses.

    Returns
    -------
    Disagreement

    Examples
    --------
    >>> found = explain_disagreement({"ann": [3, 4, 3], "ben": [4, 6]})
    >>> found.whole.near, found.whole.density, found.whole.disputes
    (0.25, 0.5, 0.0)
    """
    if isinstance(corpus, CountedPairs):
        counted = corpus
    else:
        counted = CountedPairs.among_coders(corpus if isinstance(corpus, Corpus) else corpus_of_coders(corpus))
    data = counted.pairs.reference
    if data.kind != "units":
        raise CaesuraError(
            f"disagreement is explained by boundaries of texts; these are annotations of {KIND_NOUNS[data.kind]}."
        )
    if not len(counted.pairs):
        raise CaesuraError("no text has two coders.")
    rows = counted.rows(metric("B", n_t=n_t))
    coders: dict[tuple[str, str], list[int]] = {}
    for pair, (one, two) in enumerate(zip(counted.pairs.left.tolist(), counted.pairs.right.tolist(), strict=True)):
        names = data.coders[int(data.coder_of[one])], data.coders[int(data.coder_of[two])]
        coders.setdefault(names, []).append(pair)
    return Disagreement(_divide(rows), {names: _divide(rows[listed]) for names, listed in coders.items()}, n_t)


def _divide(rows: Any) -> DisagreementParts:
    """Divide the loss of some pairs; density is a property of each pair, so it is added up before the sides are."""
    total = EditCounts(*rows.sum(axis=0).tolist())
    every = EditCounts(*rows.T)
    surplus = float(abs(every.only_reference - every.only_hypothesis).sum())
    if not total.pairs:
        return DisagreementParts(1.0, 0.0, 0.0, 0.0, 0.0)
    n = float(total.pairs)
    return DisagreementParts(
        1.0 - float(total.cost) / n,
        float(total.transposed) / n,
        float(total.substituted) / n,
        surplus / n,
        (float(total.additions) - surplus) / n,
    )
