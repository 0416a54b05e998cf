"""The list of operations: costs sum to the score, and counts, fates and confusions to the list."""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import CaesuraError
from caesura.metrics.flexible import flexible_metric, track_row
from caesura.metrics.operations import KINDS, flexible_operations, similarity_from_confusion
from caesura.model import Segmentation
from shared_data import oracle_json

TYPES = ["p", "q", "r"]


def from_letters(text: str) -> Segmentation:
    return Segmentation.from_labels_at(["" if c == " " else c for c in text], labels=TYPES)


@given(st.integers(0, 2**32))
@settings(max_examples=400, deadline=None)
def test_costs_of_operations_sum_to_score(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(0, 50))
    reference, hypothesis = (
        "".join(random.choice([*TYPES, " "], size=size, p=[0.15, 0.15, 0.1, 0.6])) if size else "" for _ in range(2)
    )
    matrix = random.choice([0.0, 0.25, 0.5, 1.0], size=(4, 4))
    np.fill_diagonal(matrix, 1.0)
    options = {
        "moved": str(random.choice(["cheaper", "second", "later"])),
        "ties": str(random.choice(["most", "fewest"])),
        "forced": bool(random.random() < 0.7),
    }
    moves = random.choice([0.0, 0.1, 0.25, 0.5], size=3).tolist()
    scale = {"labels": TYPES, "matrix": matrix}
    operations = flexible_operations(from_letters(reference), from_letters(hypothesis), scale, moves, **options)
    cost, units, n = track_row(
        flexible_metric(similarity=scale, transposition=moves, **options),
        from_letters(reference),
        from_letters(hypothesis),
    )
    assert operations.cost == pytest.approx(cost, abs=1e-9)
    assert operations.boundaries == units
    assert operations.potential == n == size
    old = [(o.reference, o.reference_type) for o in operations if o.reference]
    new = [(o.hypothesis, o.hypothesis_type) for o in operations if o.hypothesis]
    assert sorted(old) == from_letters(reference).marks
    assert sorted(new) == from_letters(hypothesis).marks
    pairs = sorted((o.reference, o.hypothesis) for o in operations if o.reference and o.hypothesis)
    assert [b for _, b in pairs] == sorted(b for _, b in pairs)  # pairs never cross
    assert sum(operations.counts().values()) == len(operations)
    assert {t: sum(f.values()) for t, f in operations.fates().items()} == {
        t: [kind for _, kind in from_letters(reference).marks].count(t) for t in TYPES
    }
    confusion = operations.confusion().matrix
    assert confusion[:, :-1].sum() == len(old)
    assert confusion[:-1].sum() == len(new)


def test_kinds_of_operations() -> None:
    operations = flexible_operations(
        from_letters("p p p    q   p  "), from_letters("p q    p   q    "), transposition=0.4
    )
    assert [(o.kind, o.reference, o.hypothesis, o.weight) for o in operations] == [
        ("match", 1, 1, 0.0),
        ("substitution", 3, 3, 1.0),
        ("transposition", 5, 8, pytest.approx(1.2)),
        ("transposition", 10, 12, 0.8),
        ("deletion", 14, None, 1.0),
    ]
    assert operations.counts() == dict(zip(KINDS, (1, 1, 2, 0, 1, 0), strict=True))
    both = flexible_operations(from_letters("p "), from_letters(" q"), transposition=0.4)
    assert [(o.kind, o.weight) for o in both] == [("transposition + substitution", 1.4)]
    assert both.fates()["p"] == {"tr+q": 1}


def test_fates_equal_figure_6() -> None:
    data = oracle_json("flexible/nccu.json")
    text = data["texts"][0]
    first, second = (
        {t["speaker"]: Segmentation.from_labels_at(t[side], labels=data["order"]) for t in text["tracks"]}
        for side in ("first", "second")
    )
    operations = flexible_operations(first, second)
    exact = text["exact"]["identity"]
    assert operations.cost == pytest.approx(exact["C_total"])
    assert operations.boundaries == exact["pairs_most"]
    assert operations.potential == exact["N"]
    assert {o.track for o in operations} == {"F:", "M:"}
    fates = operations.fates()
    for kind in data["order"]:
        assert sum(fates[kind].values()) == sum(t["first"].count(kind) for t in text["tracks"])
    assert max(fates["."], key=fates["."].get) == "match"


def test_operations_convert_to_tables(tmp_path) -> None:
    operations = flexible_operations(
        {"A": from_letters("p r"), "B": from_letters("q")},
        {"A": from_letters("pq "), "B": from_letters("r")},
        transposition=5,
    )
    rows = list(csv.DictReader(StringIO(operations.to_csv(tmp_path / "operations.csv"))))
    assert (tmp_path / "operations.csv").read_text(encoding="utf-8") == operations.to_csv()
    assert [r["track"] for r in rows] == ["A", "A", "A", "B"]
    assert rows[1]["old_position"] == ""
    formula = Segmentation.from_labels_at(["="])
    assert "\nmatch,,1,1,'=,'=,0.0\n" in flexible_operations(formula, formula).to_csv()
    assert operations.as_dicts()[0]["kind"] == "match"
    polars = pytest.importorskip("polars")
    frame = operations.to_polars()
    assert frame["cost"].sum() == operations.cost
    assert frame.schema["old_position"] == polars.Int64
    assert len(flexible_operations(from_letters(""), from_letters("")).to_polars()) == 0


def test_operations_can_be_indexed() -> None:
    operations = flexible_operations(from_letters("pq"), from_letters("p "))
    assert operations[0].kind == "match"
    assert len(operations[:1]) == 1


# ---------------------------------------------------------------------- M_T from experts


def test_similarity_from_confusion() -> None:
    reference, hypothesis = from_letters("ppppqqqq    rr"), from_letters("pppqqqqp  p  r")
    confusion = flexible_operations(reference, hypothesis, transposition=5).confusion()
    assert confusion.matrix.tolist() == [[3, 1, 0, 1], [1, 3, 0, 0], [0, 0, 1, 0], [0, 0, 1, 3]]
    similarity = similarity_from_confusion(confusion)
    assert similarity.symmetric
    assert similarity.labels == ("p", "q", "r")
    assert similarity.matrix[0] == pytest.approx((1, 1 / 3, 0, 0.5 / 3))
    assert similarity.matrix[2] == pytest.approx((0, 0, 1, 0.5))
    directed = similarity_from_confusion(confusion, symmetric=False)
    assert directed.matrix[2] == pytest.approx((0, 0, 1, 1))  # r deleted as often as recognised
    assert directed.matrix[3] == pytest.approx((1 / 3, 0, 0, 1))
    assert similarity_from_confusion([confusion, confusion]) == similarity
    assert similarity_from_confusion(confusion, smoothing=10).matrix[0][1] > similarity.matrix[0][1]


def test_wrong_arguments_raise_error() -> None:
    with pytest.raises(CaesuraError, match="no confusion matrix"):
        similarity_from_confusion([])
    with pytest.raises(CaesuraError, match="smoothing is -1"):
        similarity_from_confusion(flexible_operations(from_letters("p"), from_letters("p")).confusion(), smoothing=-1)
