from __future__ import annotations

import sys

import numpy as np
import pytest

from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Batch, metric, metric_names
from caesura.model import Corpus, Segmentation


def corpus(**masses: list[int]) -> Corpus:
    return Corpus.from_dict({item: {"c": m} for item, m in masses.items()})


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthMismatch, match="item 'b': the reference has 4 units, the hypothesis 5"):
        Batch.of_corpora(corpus(a=[3], b=[2, 2]), corpus(a=[3], b=[5]))


def test_numbers_of_annotations_must_agree() -> None:
    with pytest.raises(LengthMismatch, match="2 reference annotations against 1"):
        Batch.of_corpora(corpus(a=[3], b=[2]), corpus(a=[3]))


def test_like_with_like() -> None:
    timed = Segmentation.from_times([0.1], length=1.0)
    with pytest.raises(CaesuraError, match="compare like with like"):
        Batch.of_pair(Segmentation.from_masses([1]), timed)


def test_type_names_meet_on_one_scale() -> None:
    batch = Batch.of_pair(Segmentation.from_labels_at(["b", "c"]), Segmentation.from_labels_at(["a", "c"]))
    assert batch.labels == ("a", "b", "c")
    assert batch.reference.types.tolist() == [1, 2]
    assert batch.hypothesis.types.tolist() == [0, 2]


def test_types_at_one_position_stay_sorted_after_recoding() -> None:
    one = Segmentation.from_positions([(1, "z"), (1, "y")], length=3, labels=["z", "y"])
    two = Segmentation.from_positions([(1, "z"), (1, "y"), (2, "a")], length=3, labels=["z", "y", "a"])
    batch = Batch.of_pair(one, two)
    assert batch.reference.types.tolist() == [0, 1]


def test_without_types_a_boundary_is_a_boundary() -> None:
    typed = Corpus.from_annotations(
        [
            ("a", "x", Segmentation.from_positions([(1, 1), (1, 2), (3, 1), (4, 1)], length=4)),
            ("b", "x", Segmentation.from_positions([(2, 1)], length=3)),
        ]
    )
    plain = Batch.of_corpora(typed, typed).plain
    side = plain.reference
    assert [side.positions[a:b].tolist() for a, b in zip(side.starts, side.stops, strict=True)] == [[1, 3], [2]]


def test_parts_cover_everything_in_order() -> None:
    many = Corpus.from_dict({f"i{n}": {"c": [1] * (n % 7 + 1)} for n in range(100)})
    batch = Batch.of_corpora(many, many)
    parts = batch.parts(7)
    assert sum(map(len, parts)) == 100
    np.testing.assert_array_equal(np.concatenate([p.lengths for p in parts]), batch.lengths)


def test_what_several_metrics_need_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.kernels import windows

    random = np.random.default_rng(0)
    masses = [[random.integers(1, 9, size=6).tolist() for _ in range(5)] for _ in range(2)]
    sides = [corpus(**{f"i{n}": [*m, 60 - sum(m)] for n, m in enumerate(side)}) for side in masses]
    batch, counted = Batch.of_corpora(*sides), []
    sweep = windows.count_windows
    monkeypatch.setattr(windows, "count_windows", lambda *given: (counted.append(given[-2]), sweep(*given)))
    together = [metric(name).rows(batch) for name in ("Pk", "WD", "WD:weighted=True", "Pk:k=3")]
    assert [widths.tolist() for widths in counted[1:]] == [[3] * 5], "the default k in one sweep, k=3 in another"
    alone = [metric(name).rows(Batch.of_corpora(*sides)) for name in ("Pk", "WD", "WD:weighted=True", "Pk:k=3")]
    for one, two in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one, two)
    together[0][:] = -1.0
    np.testing.assert_array_equal(metric("Pk").rows(batch), alone[0], err_msg="rows belong to whoever asked for them")
    metric("F").rows(batch)[:] = -1.0
    assert (metric("recall").rows(batch) >= 0).all()
    assert len(batch.take(slice(0, 2))._counted) == 0, "other pairs, other counts"


def test_what_is_counted_once_does_not_keep_the_batch_alive() -> None:
    batch = Batch.of_corpora(corpus(a=[30, 30], b=[20, 40]), corpus(a=[31, 29], b=[60]))
    before = sys.getrefcount(batch)
    for name in metric_names():
        if metric(name).applies_to(batch):
            metric(name).rows(batch)
    assert len(batch._counted) > 2
    assert sys.getrefcount(batch) == before
