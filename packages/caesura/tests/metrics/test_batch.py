from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import Batch, metric
from caesura.model import Corpus, Segmentation


def corpus(**masses: list[int]) -> Corpus:
    return Corpus.from_dict({item: {"c": m} for item, m in masses.items()})


def test_lengths_must_agree() -> None:
    with pytest.raises(LengthMismatch, match="item 'b': the reference has 4 units, the hypothesis 5"):
        Batch.of_corpora(corpus(a=[3], b=[2, 2]), corpus(a=[3], b=[5]))


def test_numbers_of_annotations_must_agree() -> None:
    with pytest.raises(LengthMismatch, match="2 reference annotations against 1"):
        Batch.of_corpora(corpus(a=[3], b=[2]), corpus(a=[3]))


def test_all_rows_in_order_are_not_copied() -> None:
    both = corpus(a=[3], b=[2, 1])
    every, other = np.arange(2), np.array([1, 0])
    batch = Batch.of_corpora(both, both, every, every)
    assert np.shares_memory(batch.reference.starts, both.offsets)
    assert np.shares_memory(batch.lengths, both.lengths)
    turned = Batch.of_corpora(both, both, other, other)
    assert turned.reference.sizes.tolist() == batch.reference.sizes[::-1].tolist() == [1, 0]


def test_kinds_must_agree() -> None:
    timed = Segmentation.from_times([0.1], length=1.0)
    with pytest.raises(CaesuraError, match="both sides need the same kind"):
        Batch.of_pair(Segmentation.from_masses([1]), timed)


def test_labels_are_merged() -> None:
    batch = Batch.of_pair(Segmentation.from_labels_at(["b", "c"]), Segmentation.from_labels_at(["a", "c"]))
    assert batch.labels == ("a", "b", "c")
    assert batch.reference.types.tolist() == [1, 2]
    assert batch.hypothesis.types.tolist() == [0, 2]


def test_types_at_one_position_stay_sorted_after_recoding() -> None:
    reference = Segmentation.from_positions([(1, "z"), (1, "y")], length=3, labels=["z", "y"])
    hypothesis = Segmentation.from_positions([(1, "z"), (1, "y"), (2, "a")], length=3, labels=["z", "y", "a"])
    batch = Batch.of_pair(reference, hypothesis)
    assert batch.reference.types.tolist() == [0, 1]


def test_plain_batch_has_one_boundary_per_position() -> None:
    typed = Corpus.from_annotations(
        [
            ("a", "x", Segmentation.from_positions([(1, 1), (1, 2), (3, 1), (4, 1)], length=4)),
            ("b", "x", Segmentation.from_positions([(2, 1)], length=3)),
        ]
    )
    plain = Batch.of_corpora(typed, typed).plain
    side = plain.reference
    assert [side.positions[a:b].tolist() for a, b in zip(side.starts, side.stops, strict=True)] == [[1, 3], [2]]


def test_parts_cover_all_pairs_in_order() -> None:
    many = Corpus.from_dict({f"i{n}": {"c": [1] * (n % 7 + 1)} for n in range(100)})
    batch = Batch.of_corpora(many, many)
    parts = batch.parts(7)
    assert sum(map(len, parts)) == 100
    np.testing.assert_array_equal(np.concatenate([p.lengths for p in parts]), batch.lengths)


def test_batch_caches_only_its_plain_version() -> None:
    typed = Corpus.from_annotations([("a", "x", Segmentation.from_positions([(1, 1), (3, 1)], length=4))])
    batch = Batch.of_corpora(typed, typed)
    assert batch.plain is batch.plain
    assert batch.plain.plain is batch.plain
    assert batch.take(slice(0, 1)).plain is not batch.plain


def test_one_type_per_position_is_checked_within_pairs_only() -> None:
    ends, begins = (
        Segmentation.from_positions(marks, length=9, labels=["p", "q"]) for marks in ([(4, "p")], [(4, "q"), (6, "p")])
    )
    corpus = Corpus.from_annotations([("a", "x", ends), ("b", "x", begins)])
    Batch.of_corpora(corpus, corpus).check_one_type_per_position()
    twice = Segmentation.from_positions([(4, "p"), (4, "q")], length=9, labels=["p", "q"])
    with pytest.raises(CaesuraError, match="position 4 carries two types, 'p' and 'q'"):
        Batch.of_pair(twice, twice).check_one_type_per_position()


def test_single_calls_are_thread_safe() -> None:
    def score(n: int) -> list[float]:
        return [metric("F")([n, 3, 60 - n], [n, 63 - n]) for _ in range(300)]

    with ThreadPoolExecutor(8) as pool:
        assert all(set(scores) == {2 / 3} for scores in pool.map(score, range(1, 30)))
