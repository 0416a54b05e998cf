"""How agreement is shown: the coefficients in one table, the coders, the items that they agree on least."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caesura.display.table import Bar, Cell, Code, Interval, OnScale, Table, spell

if TYPE_CHECKING:
    from caesura.agreement.answer import Agreement

_SHOWN = 20  # items listed before the rest is only counted


def agreement_tables(results: Sequence[Agreement], level: float = 0.95) -> list[Table]:
    """Several coefficients of the same coders in one table; coders and items by the first of them.

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
    if "leave_one_out" in first.details and len(first.details["coders"]) > 1:
        tables += _coder_table(first.details)
    if len(first.details.get("per_item", ())) > 1:
        tables.append(_item_table(first.details))
    return tables


def _coefficient_table(results: Sequence[Agreement], level: float) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            _name(result),
            OnScale(result.value, (-1.0, 1.0), result.interval),
            _interval(result),
            None if result.formula == "difference" else result.observed,
            result.expected if result.formula in ("ratio", "disorder") else None,
        )
        for result in results
    ]
    columns = ("coefficient", "value", f"{100 * level:g} % interval", "observed", "expected")
    warnings = (f"! {sentence}" for sentence in results[0].warnings())
    notes = (*warnings, Code(results[0].signature), *_notes(results))
    return Table("", columns, tuple(rows), notes).without_empty()


def _notes(results: Sequence[Agreement]) -> list[str]:
    """Sentences that go with the coefficients, each one time."""
    return list(dict.fromkeys(note for result in results for note in result.details.get("notes", ())))


def _name(result: Agreement) -> str:
    """Name a coefficient; of flexible similarity by how many coders it is over, or how chance was found."""
    pairs, method = result.details.get("pairs"), result.details.get("method")
    if method is not None:
        return f"{result.coefficient}, " + (f"mean of {len(pairs)} pairs" if pairs else f"{method} chance")
    return result.title or result.coefficient


def _interval(result: Agreement) -> Cell:
    if result.interval is not None:
        return Interval(*result.interval)
    return None if result.standard_error is None else f"± {spell(result.standard_error)}"


def _coder_table(details: Mapping[str, Any]) -> list[Table]:
    """How often each coder marks, where there are places to mark, and the value without them, where others are left."""
    without = {coder: details["leave_one_out"].get(coder) for coder in details["coders"]}
    if "frequency" not in details:
        caption = "coders: the value without them"
        return [Table(caption, ("coder", "without"), tuple(without.items()))] if len(without) > 2 else []
    most = max(details["frequency"].values(), default=0.0) or 1.0
    caption = (
        f"coders: boundaries per place (mean {spell(details['frequency_mean'])}, "
        f"standard deviation {spell(details['frequency_sd'])}), and the value without them"
    )
    rows = tuple((name, rate, Bar(rate / most), without[name]) for name, rate in details["frequency"].items())
    return [Table(caption, ("coder", "frequency", "", "without"), rows)]


def _label_table(values: Mapping[str | None, float], coverage: Mapping[str | None, float], coefficient: str) -> Table:
    """The value of each label alone, and how much of it is compared."""
    rows = tuple(
        ("(no label)" if label is None else label, value, coverage.get(label)) for label, value in values.items()
    )
    name = {"gamma": "γ-k", "gamma-cat": "γ-k", "alpha-u": "α_U"}.get(coefficient, "(k)uα")
    return (
        Table(f"labels one by one: {name}", ("label", "value", "coverage"), rows)
        .without_empty()
        .first(_SHOWN, "labels")
    )


def _item_table(details: Mapping[str, Any]) -> Table:
    def order(named: tuple[str, Mapping[str, Any]]) -> tuple[bool, float]:
        return math.isnan(named[1]["value"]), named[1]["value"]

    counted = "spans" if "silent" in details else "boundaries"
    marks = counted if "frequency" in details or counted == "spans" else "marks"
    rows = tuple(
        (name, tally["coders"], int(tally[counted]), tally["observed"], tally["value"])
        for name, tally in sorted(details["per_item"].items(), key=order)
    )
    columns = ("item", "coders", marks, "observed", "value")
    return Table("items, the least agreed upon first", columns, rows).first(_SHOWN, "items")
