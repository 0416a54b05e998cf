"""The result of measuring agreement: a coefficient, the agreements it is computed from, and tables of coders and items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.heat_map import HeatMap
from caesura.display.plain import to_plain
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import BarCell, Cell, Code, IntervalCell, OnScale, Table, format_cell

#: How the value follows from observed and expected agreement: corrected for chance ("ratio"), their difference, the observed
#: agreement alone, or, for coefficients of spans, which measure disagreement, one minus their quotient ("disorder"). "organisation" is the
#: ratio above chance, and below chance the difference over the expectation.
Formula: TypeAlias = Literal["ratio", "difference", "observed", "disorder", "organisation"]

_MAX_ROWS = 20  # items and labels listed in a table; the others are counted


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    r"""A coefficient of agreement and the numbers it is computed from.

    .. math:: value = \frac{A_a - A_e}{1 - A_e}

    Attributes
    ----------
    coefficient : str
        Its name: "pi", "kappa", "bennett" …
    observed, expected : float
        The observed agreement (A_a) and the agreement expected by chance (A_e).
    signature : str
        Everything that the number depends on.
    standard_error : float or None
        The standard error of the value if the expectation was simulated; None if it is exact.
    details : mapping of str to Any
        Tables by name: densities, the matrix of coders, values per item.
    interval : tuple of two floats, or None
        A bootstrap interval over items, if it was requested.
    formula : {"ratio", "difference", "observed", "disorder", "organisation"}
        "ratio" corrects for chance as above; "difference" is A_a - A_e (annotator bias); "observed" is A_a alone. With
        "disorder" (γ and Krippendorff's coefficients of spans) ``observed`` and ``expected`` are disagreements, and the value
        is 1 - observed / expected. "organisation" is the ratio above chance, and (A_a - A_e) / A_e below.
    title : str
        The name of the coefficient in words, which may depend on the number of coders.
    unmeasured : tuple of str
        Sentences about properties of the data that the metric ignores.

    Examples
    --------
    >>> import caesura as cs
    >>> result = cs.agree({"ann": [2, 3, 6], "ben": [5, 6]}, resamples=0)
    >>> round(result.value, 3), round(float(result), 3), result.title
    (0.488, 0.488, "Scott's π")
    """

    coefficient: str
    observed: float
    expected: float
    signature: str
    standard_error: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    formula: Formula = "ratio"
    title: str = ""
    unmeasured: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The coefficient: 1 if both agreements are perfect, NaN if only the expected one is."""
        return float(combine(self.formula, np.float64(self.observed), np.float64(self.expected)))

    def __float__(self) -> float:
        return self.value

    def warnings(self) -> list[str]:
        """Return sentences about properties of the data that the number ignores."""
        return list(self.unmeasured)

    def tables(self) -> Sequence[Table]:
        """Return the coefficient, the coders, and the items with the least agreement, as tables."""
        return agreement_tables([self])

    def pictures(self) -> Sequence[Picture]:
        """Return the matrix of three or more coders, or the alignment of spans."""
        alignments: Sequence[Result] = self.details.get("alignments", ())
        if alignments:
            return alignments[0].pictures()
        coders = self.details.get("coders", ())
        if len(coders) < 3 or "matrix" not in self.details:
            return []
        second = self.signature.split("|")[1]  # "kappa|boundary-F|…", but "linked-kappa|overlap:0.6|…"
        measure = self.coefficient if "method" in self.details or ":" in second else second
        return [HeatMap(np.asarray(self.details["matrix"]), tuple(coders), measure, (0.0, 1.0))]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
            "interval": None if self.interval is None else list(self.interval),
            "standard_error": self.standard_error,
            "signature": self.signature,
            "warnings": self.warnings(),
            "details": to_plain(self.details),
        }


def combine(formula: Formula, observed: Any, expected: Any) -> NDArray[np.float64]:
    """Compute values from observed and expected agreement, element by element.

    Where chance agrees perfectly the value is 1 if the coders do too, and NaN otherwise.
    """
    if formula == "observed":
        return np.asarray(observed)
    if formula == "difference":
        return np.asarray(observed - expected)
    if formula == "disorder":
        observed, expected = np.asarray(observed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
        chance = np.where(expected > 0, expected, np.nan)
        return np.where((observed == 0) & ~np.isnan(expected), 1.0, 1.0 - observed / chance)
    if formula == "organisation" and observed < expected:
        return np.asarray((observed - expected) / expected)
    certain = expected == 1.0
    corrected = (observed - expected) / np.where(certain, 1.0, 1.0 - expected)
    return np.where(certain, np.where(observed == 1.0, 1.0, np.nan), corrected)


# ---------------------------------------------------------------------- tables


def agreement_tables(results: Sequence[Agreement], level: float = 0.95) -> list[Table]:
    """Show several coefficients of the same coders in one table; labels, coders and items follow the first of them.

    Parameters
    ----------
    results : sequence of Agreement
        The coefficients.
    level : float, default 0.95
        The level of their intervals.

    Returns
    -------
    list of Table
        The coefficients; then, where there are several, labels, coders and items.

    Examples
    --------
    >>> import caesura as cs
    >>> corpus = cs.Corpus.from_dict({"x": {"ann": [2, 3, 6], "ben": [5, 6]}})
    >>> results = [cs.agree(corpus, coefficient=name, resamples=0) for name in ("pi", "percentage")]
    >>> print(agreement_tables(results)[0])
    coefficient         value  observed  expected
    Scott's π           0.488     0.500     0.022
    agreement observed  0.500     0.500         –
    pi|B|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|density:pooled|v:0.2.0
    """
    first = results[0]
    tables = [_coefficient_table(results, level)]
    if len(by_label := first.details.get("gamma_k") or first.details.get("by_label", ())) > 1:
        tables.append(_label_table(by_label, first.details.get("coverage", {}), first.coefficient))
    tables += [_direction_table(each) for each in results if "directed" in each.details][:1]
    tables += [_linked_value_table(each) for each in results if "by_value" in each.details][:1]
    tables += [_label_index_table(each) for each in results if "labels" in each.details][:1]
    if "leave_one_out" in first.details and len(first.details["coders"]) > 1:
        tables += _coder_table(first.details)
    if len(first.details.get("per_item", ())) > 1:
        tables.append(_item_table(first.details))
    return tables


def coefficient_records(results: Sequence[Agreement]) -> Table:
    """Return one row per coefficient with everything that a paper reports, for Markdown, LaTeX, CSV and JSON.

    Parameters
    ----------
    results : sequence of Agreement
        The coefficients.

    Returns
    -------
    Table
    """
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            _row_name(result),
            result.value,
            *(result.interval or (None, None)),
            result.details.get("standard_error", result.standard_error),
            None if result.formula == "difference" else result.observed,
            None if result.formula in ("difference", "observed") else result.expected,
            Code(result.signature),
        )
        for result in results
    )
    columns = ("coefficient", "value", "low", "high", "standard error", "observed", "expected", "signature")
    return Table("", columns, rows)


def _coefficient_table(results: Sequence[Agreement], level: float) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            _row_name(result),
            OnScale(result.value, (-1.0, 1.0), result.interval),
            None if result.interval is None else IntervalCell(*result.interval),
            result.standard_error if result.interval is None else None,
            None if result.formula == "difference" else result.observed,
            None if result.formula in ("difference", "observed") else result.expected,
        )
        for result in results
    ]
    columns = ("coefficient", "value", f"{100 * level:g} % interval", "standard error", "observed", "expected")
    warnings = (f"! {sentence}" for sentence in results[0].warnings())
    shared_notes = dict.fromkeys(
        note for result in results for note in (*result.details.get("notes", ()), *_nuclei_note(result))
    )
    # coefficients of one metric differ in their name alone
    signatures = {result.signature.partition("|")[2]: result.signature for result in reversed(results)}
    codes = map(Code, reversed(signatures.values()))
    return Table("", columns, tuple(rows), (*warnings, *codes, *shared_notes)).without_empty()


def _nuclei_note(result: Agreement) -> tuple[str, ...]:
    """Return a sentence about nuclei, for the degree of organisation."""
    details = result.details
    if "nucleated" not in details:
        return ()
    sentence = (
        f"{details['nucleated']} of {details['annotations']} annotations are in {details['nuclei']} nuclei; by chance "
        f"{format_cell(details['expected_nucleated'])}, and at least as many in {format_cell(details['p_value'])} of the random configurations."
    )
    return (sentence,)


def _row_name(result: Agreement) -> str:
    """Name a coefficient; flexible agreement is named after the number of pairs or the way chance was computed."""
    pairs, method = result.details.get("pairs"), result.details.get("method")
    if method is not None:
        return f"{result.coefficient}, " + (f"mean of {len(pairs)} pairs" if pairs else f"{method} chance")
    return result.title or result.coefficient


def _coder_table(details: Mapping[str, Any]) -> list[Table]:
    """Show how often each coder marks a boundary, if that can be counted, and the value without each coder."""
    without = {coder: details["leave_one_out"].get(coder) for coder in details["coders"]}
    if "frequency" not in details:
        caption = "coders: the value without them"
        return [Table(caption, ("coder", "without"), tuple(without.items()))] if len(without) > 2 else []
    highest = max(details["frequency"].values(), default=0.0) or 1.0
    caption = (
        f"coders: boundaries per place (mean {format_cell(details['frequency_mean'])}, "
        f"standard deviation {format_cell(details['frequency_sd'])}), and the value without them"
    )
    rows = tuple((name, rate, BarCell(rate / highest), without[name]) for name, rate in details["frequency"].items())
    return [Table(caption, ("coder", "frequency", "", "without"), rows)]


def _label_table(values: Mapping[str | None, float], coverage: Mapping[str | None, float], coefficient: str) -> Table:
    """Show the value of each label, and the proportion of it that is compared."""
    rows = tuple(
        ("(no label)" if label is None else label, value, coverage.get(label)) for label, value in values.items()
    )
    name = {"gamma": "γ-k", "gamma-cat": "γ-k", "alpha-u": "α_U"}.get(coefficient, "(k)uα")
    table = Table(f"labels one by one: {name}", ("label", "value", "coverage"), rows)
    return table.without_empty().first(_MAX_ROWS, "labels")


_LABEL_COLUMNS = {
    "kappa": "κ",
    "share": "share",
    "prevalence_index": "prevalence",
    "bias_index": "bias",
    "pabak": "PABAK",
    "positive_agreement": "agreement on it",
    "negative_agreement": "on its absence",
}


def _label_index_table(result: Agreement) -> Table:
    """Show κ of each label against all others; for two coders also prevalence, bias, PABAK and specific agreement."""
    labels: Mapping[str, Mapping[str, float]] = result.details["labels"]
    names = [name for name in _LABEL_COLUMNS if any(name in row for row in labels.values())]
    rows = tuple((label, *(row.get(name) for name in names)) for label, row in labels.items())
    notes: tuple[str, ...] = ()
    if (two := result.details.get("two_coders")) is not None:
        notes = (
            f"Cohen's κ {format_cell(two['kappa'])}, at most {format_cell(two['kappa_max'])} with these frequencies; PABAK {format_cell(two['pabak'])}.",
        )
    caption = "labels one by one, each against all others"
    return Table(caption, ("label", *(_LABEL_COLUMNS[name] for name in names)), rows, notes).first(_MAX_ROWS, "labels")


def _direction_table(result: Agreement) -> Table:
    """Show a score with every coder as the reference."""
    details: Mapping[str, Any] = result.details
    coders, matrix = details["coders"], np.asarray(details["matrix"])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (coder, *("" if i == j else float(matrix[i, j]) for j in range(len(coders)))) for i, coder in enumerate(coders)
    )
    caption = f"{details['directed']}{' (low is good)' if details['lower_is_better'] else ''}, the reference in the first column"
    return Table(caption, ("reference", *coders), rows)


def _linked_value_table(result: Agreement) -> Table:
    """Show κ of each value of linked annotations, and what the numbers of annotations allow."""
    details: Mapping[str, Any] = result.details
    rows = tuple(
        (value or "(no value)", row["value"], row["kappa_max"], row["observed"], row["linked"])
        for value, row in details["by_value"].items()
    )
    note = (
        f"κ is at most {format_cell(details['kappa_max'])} with these numbers of annotations; raw agreement {format_cell(details['raw'])}; "
        f"share of linked annotations {format_cell(details['linked_share'])}."
    )
    caption = "values one by one, each against all others"
    return Table(caption, ("value", "κ", "at most", "observed", "linked"), rows, (note,)).first(_MAX_ROWS, "values")


def _item_table(details: Mapping[str, Any]) -> Table:
    def undefined_last(named: tuple[str, Mapping[str, Any]]) -> tuple[bool, float]:
        return math.isnan(named[1]["value"]), named[1]["value"]

    counted = "spans" if "silent" in details else "boundaries"
    heading = counted if "frequency" in details or counted == "spans" else "marks"
    rows = tuple(
        (name, row["coders"], int(row[counted]), row["observed"], row["value"])
        for name, row in sorted(details["per_item"].items(), key=undefined_last)
    )
    columns = ("item", "coders", heading, "observed", "value")
    return Table("items, lowest agreement first", columns, rows).first(_MAX_ROWS, "items")
