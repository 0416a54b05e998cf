"""Coder by coder: the score of every two coders, pooled over the items both annotated; what heat maps and strips show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics import Batch, Metric, metric, metric_names
from caesura.metrics.family import Rows
from caesura.model import Corpus

__all__ = ["PairRows", "default_metric", "pair_rows", "spelled"]

#: The metric to look with where nobody names one, by kind of annotation; the first that is registered.
_PREFERRED = {"units": ("B", "F"), "time": ("R", "F"), "nested": ("nested-F",)}


@dataclass(frozen=True)
class PairRows:
    """Counts of every two annotations of one track: row ``i`` compares coder ``first[i]`` with coder ``second[i]``."""

    metric: Metric
    rows: Rows
    item: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def matrix(self, coders: int) -> NDArray[np.float64]:
        """Pooled score of every two coders; the best score on the diagonal, NaN where two share no item."""
        found = np.full((coders, coders), np.nan)
        np.fill_diagonal(found, self.metric.best)
        for one, two in {(int(a), int(b)) for a, b in zip(self.first, self.second, strict=True)}:
            summed = self.rows[(self.first == one) & (self.second == two)].sum(axis=0)
            found[one, two] = float(self.metric.score(summed))
        return found

    def of_item(self, item: int) -> NDArray[np.float64]:
        """Scores of all pairs on one item (tracks pooled)."""
        here = np.flatnonzero(self.item == item)
        pairs = sorted({(int(self.first[i]), int(self.second[i])) for i in here})
        sums = [self.rows[here][(self.first[here] == a) & (self.second[here] == b)].sum(axis=0) for a, b in pairs]
        return self.metric.score(np.array(sums)) if sums else np.empty(0)


def default_metric(corpus: Corpus) -> Metric:
    """Return the metric to look with where nobody names one."""
    known = metric_names()
    fitting = [name for name in _PREFERRED[corpus.kind] if name in known]
    fitting += [name for name in known if corpus.kind in metric(name).needs]
    if not fitting:
        raise CaesuraError(f"no metric is registered that compares {corpus.kind}.")
    return metric(fitting[0])


def spelled(chosen: Metric) -> str:
    """Spell a metric as users ask for it: its name, and the parameters that are not the usual ones.

    >>> spelled(metric("F")), spelled(metric("F", beta=2.0))
    ('F', 'F:beta=2')
    """
    usual = metric(chosen.name).parameters
    said = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in chosen.parameters.items() if v != usual[k]]
    return chosen.name + (f":{','.join(said)}" if said else "")


def pair_rows(corpus: Corpus, chosen: str | Metric | None = None) -> PairRows:
    """Count every two coders on every track they share, both ways where the metric is not symmetric."""
    wanted = default_metric(corpus) if chosen is None else metric(chosen)
    one, two = corpus.pairs()
    if not len(one):
        raise CaesuraError("no two coders annotated the same text.")
    left, right = np.concatenate((one, two)), np.concatenate((two, one))
    batch = Batch.of_corpora(corpus, corpus, left, right)
    return PairRows(wanted, wanted.rows(batch), corpus.item_of[left], corpus.coder_of[left], corpus.coder_of[right])
