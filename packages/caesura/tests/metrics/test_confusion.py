"""The confusion matrix: equation 7 with precision and recall in the right places, and the identities of table 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura import Segmentation
from caesura.metrics import Batch, metric
from caesura.metrics.boundaries import BoundaryEdits
from caesura.metrics.confusion import batch_confusion
from caesura.model import Corpus

strings = st.integers(1, 40).flatmap(lambda n: st.tuples(*[st.text("01", min_size=n, max_size=n)] * 2))


@given(strings, st.integers(1, 5))
def test_table_2_identities(drawn, n_t) -> None:
    ref, hyp = drawn
    confusion = cs.boundary_confusion(ref, hyp, n_t=n_t)
    tp, fp, fn, tn = confusion.cells()
    assert tp + fp + fn + tn == pytest.approx(len(ref))
    assert confusion.matrix.sum() == pytest.approx(len(ref))
    if confusion.pairs:
        assert cs.boundary_similarity(ref, hyp, n_t=n_t) == pytest.approx(tp / confusion.pairs)
    if tp + fp > 0:
        assert confusion.precision() == pytest.approx(tp / (tp + fp))
    if tp + fn > 0:
        assert confusion.recall() == pytest.approx(tp / (tp + fn))
    assert confusion.precision() == pytest.approx(metric("B-precision", n_t=n_t)(ref, hyp))
    assert confusion.recall() == pytest.approx(metric("B-recall", n_t=n_t)(ref, hyp))
    assert confusion.f(2.0) == pytest.approx(metric("B-F", n_t=n_t, beta=2.0)(ref, hyp))


def test_substitutions_have_credit_in_b_but_not_in_true_positives() -> None:
    play = {"length": 11, "labels": ["scene", "act"]}
    gold = Segmentation.from_positions([(2, "scene"), (5, "act"), (8, "act")], **play)
    ours = Segmentation.from_positions([(3, "scene"), (5, "scene"), (8, "act")], **play)
    edits = cs.boundary_edits(gold, ours)
    credit = sum(1 - each.weight for each in edits if each.kind == "substitution")
    true_positives = float(np.trace(cs.boundary_confusion(gold, ours).matrix[:-1, :-1]))
    assert (true_positives, credit, len(edits)) == (1.5, 0.5, 3)
    assert cs.boundary_similarity(gold, ours) == pytest.approx((true_positives + credit) / len(edits))


def test_precision_and_recall_are_not_swapped() -> None:
    many, few = [2, 3, 3, 3], [5, 6]
    greedy = cs.boundary_confusion(few, many)
    assert (greedy.precision(), greedy.recall()) == (pytest.approx(1 / 3), 1.0)
    shy = cs.boundary_confusion(many, few)
    assert (shy.precision(), shy.recall()) == (1.0, pytest.approx(1 / 3))


def test_near_misses_have_partial_credit() -> None:
    near = cs.boundary_confusion([2, 4, 4], [3, 3, 4], n_t=4)
    assert near.matrix.tolist() == [[1.75, 0.0], [0.0, 7.25]]


def from_letters(marks: str) -> Segmentation:
    """One letter per unit, "." for none."""
    return Segmentation.from_labels_at(["" if c == "." else c for c in marks], labels=["a", "b", "c"])


def test_rows_are_predicted_and_columns_actual() -> None:
    confusion = cs.boundary_confusion(from_letters("a..b..c..a."), from_letters("a..c...c..b"), n_t=2)
    assert confusion.labels == ("a", "b", "c", "∅")
    expected = np.zeros((4, 4))
    expected[0, 0] = 1  # a found
    expected[2, 1] = 1  # c predicted where b was
    expected[2, 2] = 0.5  # c one place late
    expected[3, 0] = 1  # a missed
    expected[1, 3] = 1  # b too many
    expected[3, 3] = 3 * 11 - 4.5
    np.testing.assert_allclose(confusion.matrix, expected)
    assert confusion.cells("c") == (0.5, 1.0, 0.0, pytest.approx(33 - 1.5))
    assert confusion.precision("c") == pytest.approx(1 / 3)
    assert confusion.recall("c") == 1.0
    assert confusion.precision("b") == 0.0
    assert confusion.precision() == pytest.approx(1.5 / 3.5)
    assert confusion.precision(average="macro") == pytest.approx((1 + 0 + 1 / 3) / 3)
    assert confusion.accuracy() == pytest.approx((33 - 3) / 33)


def test_scores_equal_formulas() -> None:
    confusion = cs.boundary_confusion("0100100101", "0101000111")
    tp, fp, fn, tn = confusion.cells()
    scores = confusion.scores()
    assert scores["specificity"] == pytest.approx(tn / (tn + fp))
    assert scores["negative predictive value"] == pytest.approx(tn / (tn + fn))
    assert scores["fallout"] == pytest.approx(fp / (fp + tn))
    assert scores["miss rate"] == pytest.approx(fn / (fn + tp))
    assert scores["false discovery rate"] == pytest.approx(fp / (fp + tp))
    assert scores["accuracy"] == pytest.approx((tp + tn) / 10)
    assert scores["Jaccard"] == pytest.approx(tp / (tp + fp + fn))
    assert scores["balanced accuracy"] == pytest.approx((scores["recall"] + scores["specificity"]) / 2)
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert scores["Matthews"] == pytest.approx((tp * tn - fp * fn) / below)
    assert scores["F"] == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert set(confusion.as_dict()) == {"labels", "matrix", "pairs", "micro", "macro", "types"}


def test_sum_of_matrices_equals_pooled_scores() -> None:
    gold = {"x": [2, 3, 6], "y": [4, 4], "z": [9]}
    system = {"x": [2, 2, 3, 4], "y": [3, 5], "z": [4, 5]}
    total = sum(cs.boundary_confusion(gold[k], system[k]) for k in gold)
    corpora = [Corpus.from_dict({k: {"c": m} for k, m in side.items()}) for side in (gold, system)]
    batch = Batch.of_corpora(*corpora)
    np.testing.assert_allclose(batch_confusion(BoundaryEdits(), batch).matrix, total.matrix)
    rows = metric("B-precision").rows(batch).sum(axis=0)
    assert total.precision() == pytest.approx(float(metric("B-precision").score(rows)))
    reference, hypothesis = from_letters("a..b"), from_letters("a...")
    both = cs.boundary_confusion(reference, hypothesis) + cs.boundary_confusion(hypothesis, reference)
    assert both.precision() == both.recall() == pytest.approx(2 / 3)


def test_empty_sides_are_perfect_but_one_empty_side_is_not() -> None:
    empty = cs.boundary_confusion([9], [9])
    assert (empty.precision(), empty.recall(), empty.f(), empty.accuracy()) == (1.0, 1.0, 1.0, 1.0)
    silent = cs.boundary_confusion([4, 5], [9])
    assert (silent.precision(), silent.recall(), silent.f()) == (0.0, 0.0, 0.0)
    assert metric("B-precision")([4, 5], [9]) == 0.0


def test_wrong_arguments_raise_error() -> None:
    confusion = cs.boundary_confusion(from_letters("a..b"), from_letters("a..."))
    with pytest.raises(cs.CaesuraError, match="no boundary type 'z' here; known: a, b, c"):
        confusion.precision("z")
    with pytest.raises(cs.CaesuraError, match="beta is 0"):
        confusion.f(0)
    with pytest.raises(cs.CaesuraError, match="average is 'weighted'"):
        confusion.recall(average="weighted")
    with pytest.raises(cs.CaesuraError, match="4 units, the hypothesis 9"):
        cs.boundary_confusion([4], [9])
