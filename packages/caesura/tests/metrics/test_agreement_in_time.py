"""Linked annotations, overlap ratio, organisation and boundary F, against EasyDIAg, ELAN, Staccato and exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import CaesuraError, Segmentation, Spans, evaluate, metric
from caesura.metrics.organisation import expected_nucleated, nuclei
from shared_data import oracle_json


def events(rows, length: float = 1000.0) -> Spans:
    return Spans.from_rows([(start / 1000, end / 1000, value) for start, end, value in rows], length=length, time=True)


def close(got: float, expected: float | None, tolerance: float) -> bool:
    return bool(np.isnan(got)) if expected is None else abs(got - expected) <= tolerance


def test_linked_kappa_of_easydiag_and_elan() -> None:
    compared = 0
    for case in oracle_json("agreement_in_time/linked.json"):
        sides = events(case["first"]), events(case["second"])
        easydiag, elan, exact = case["easydiag"], case["elan"], case["exact"]

        def score(name: str, sides=sides, overlap=case["threshold"], **options) -> float:
            return metric(name, overlap=overlap, **options)(*sides)

        counts = metric("linked-kappa", overlap=case["threshold"]).counts_of(*sides)
        table, values = np.array(easydiag["table"]), len(case["values"])
        assert elan["table"] == easydiag["table"]
        assert [getattr(counts, f"same_{v}") for v in range(values)] == np.diag(table)[:-1].tolist()
        assert [getattr(counts, f"first_{v}") for v in range(values)] == table.sum(axis=1)[:-1].tolist()
        assert [getattr(counts, f"second_{v}") for v in range(values)] == table.sum(axis=0)[:-1].tolist()
        assert (counts.second_unlinked, counts.first_unlinked) == (table[-1].sum(), table[:, -1].sum())
        checks = [
            (score("linked-agreement"), easydiag["raw"], 1e-12),
            (score("linked-kappa", like="elan"), elan["kappa_ipf"], 1e-9),
            (score("linked-agreement"), elan["raw"], 1e-12),
            (score("linked-agreement", unmatched="out"), elan["raw_matched"], 1e-12),
            (score("linked-kappa", unmatched="out"), elan["kappa_matched"], 1e-12),
            (score("linked-kappa-max", unmatched="out"), elan["kappa_max_matched"], 1e-12),
            (score("linked-kappa"), exact["kappa"], 1e-9),
            (score("linked-kappa-max"), exact["kappa_max"], 1e-9),
            (metric("overlap-ratio:like=elan")(*sides), elan["average_ratio"], 1e-12),
        ]
        if easydiag["kappa_max"] is not None:  # EasyDIAg divides by 0 where a coder never uses a value
            checks.append((score("linked-kappa", like="easydiag"), easydiag["kappa"], easydiag["tolerance"]))
            checks.append((score("linked-kappa-max"), easydiag["kappa_max"], easydiag["tolerance"]))
        for number, check in enumerate(checks):
            assert close(*check), (case["name"], number, check)
        compared += 1 + len(checks)  # the table and its scores
        assert metric("overlap-ratio")(*sides) == pytest.approx(metric("overlap-ratio")(*sides[::-1]))
    assert compared == 654


def test_tables_of_recordings_are_added_before_kappa() -> None:
    first = {"x": events([(0, 1000, "a")]), "y": events([(0, 1000, "b")])}
    pooled = evaluate(first, first, ["linked-kappa"])["linked-kappa"]
    assert np.isnan(pooled.per_item).all()  # one value each: chance explains everything
    assert pooled.micro == 1.0


def test_unusual_annotations_of_events() -> None:
    some, none = events([(0, 1000, "a"), (2000, 2500, "b")]), events([])
    assert metric("linked-kappa")(some, none) == metric("linked-agreement")(some, none) == 0.0
    assert np.isnan(metric("linked-kappa")(none, none))
    assert metric("overlap-ratio")(some, none) == 0.0
    touching = events([(1000, 2000, "a")])
    assert metric("linked-share")(some, touching) == 0.0
    unlabelled = Spans.from_rows([(0, 1), (2, 2.5)], length=1000.0, time=True)
    assert metric("linked-share")(some, unlabelled) == 1.0
    assert metric("linked-agreement")(some, unlabelled) == 0.0
    own_overlap = events([(0, 1000, "a"), (50, 1000, "b")])
    assert metric("linked-agreement")(events([(0, 1000, "a")]), own_overlap) == pytest.approx(2 / 3)
    many = events([(1000 * i, 1000 * i + 900, f"v{i}") for i in range(60)])
    with pytest.raises(CaesuraError, match="60 values; linked-kappa takes up to 39"):
        metric("linked-kappa")(many, many)
    with pytest.raises(CaesuraError, match=r"overlap is 0\.4"):
        metric("linked-kappa:overlap=0.4")


def test_nuclei_and_their_chance() -> None:
    compared = 0
    for case in oracle_json("agreement_in_time/nuclei.json"):
        rows = np.array([row for coder in case["coders"] for row in coder], np.float64)
        found = nuclei(rows[:, 0], rows[:, 1])
        assert int((found >= 0).sum()) == case["nucleated"], case["name"]
        assert len(set(found.tolist()) - {-1}) == case["nuclei"]
        compared += 2
        for key, chance in (("expected_lengths", "lengths"), ("expected_elan", "elan")):
            if (known := case.get(key)) is not None:
                mean, error = expected_nucleated(rows[:, 1] - rows[:, 0], case["length"], chance, 2000, 7, unit=1.0)
                assert abs(mean - known["mean"]) <= 5 * (error + known["error"]) + 1e-9, (case["name"], key)
                compared += 1
    assert compared == 160


def test_organisation_of_few_annotations() -> None:
    ann, ben = events([(0, 1000, "a"), (2000, 3000, "a")], 60.0), events([(100, 900, "b")], 60.0)
    measure = metric("organisation")
    counts = measure.counts_of(ann, ben)
    assert (counts.nucleated, counts.annotations) == (2, 3)
    assert measure(ann, ben) == measure(ben, ann) > 0.6
    assert np.isnan(measure(events([], 60.0), events([], 60.0)))
    whole = events([(0, 60_000, "a")], 60.0)
    assert np.isnan(measure(whole, whole))  # chance alone puts everything into one nucleus
    assert metric("organisation:chance=classes")(ann, ben) == pytest.approx(measure(ann, ben), abs=0.2)


def test_boundary_f_is_the_largest_matching() -> None:
    for case in oracle_json("agreement_in_time/boundaries.json"):
        length = max([1.0, *case["first"], *case["second"]]) + 1
        sides = [Segmentation.from_times(case[side], length=length) for side in ("first", "second")]
        measure = metric("boundary-F", tolerance=case["tolerance"])
        assert measure.counts_of(*sides).hits == case["hits"], case["name"]
        if case["f"] is not None and case["name"] != "b023":  # which lists a time twice: here that is one boundary
            assert measure(*sides) == pytest.approx(case["f"], abs=1e-12), case["name"]
    assert measure.symmetric
    assert metric("boundary-F:tolerance=0.05").signature.startswith("boundary-F|tol:0.05|tie:")
