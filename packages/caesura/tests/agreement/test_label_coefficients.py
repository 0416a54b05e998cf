"""Coefficients of one label per unit against irrCAC, krippendorff, nltk, statsmodels and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.agreement.label_coefficients import LabelAgreement, label_agreements, label_indices, two_coders
from caesura.agreement.ratings import Ratings
from caesura.errors import CaesuraError
from caesura.statistics.bootstrap import Resampling
from shared_data import oracle_json

NO_RESAMPLES = Resampling(0.95, 0)
PEERS = {"ac2": "gwet", "fleiss": "fleiss_weighted", "brennan-prediger": "brennan_prediger", "conger": "conger"}


def alpha(ratings: Ratings, distance: str) -> float:
    (result,) = label_agreements(ratings, [f"alpha:distance={distance}"], NO_RESAMPLES).values()
    return result.value


def test_coefficients_and_standard_errors_of_irrcac_and_krippendorff() -> None:
    for case in oracle_json("annotators/coefficients.json")["cases"]:
        expected = case["expected"]
        ratings = Ratings.from_rows(case["ratings"], categories=case["categories"])
        problem = LabelAgreement(ratings, case["weights"])
        for name, theirs in PEERS.items():
            if theirs in expected:
                (observed,), (chance,) = problem.observed_and_expected(name, problem.whole)
                assert (observed - chance) / (1 - chance) == pytest.approx(expected[theirs]["value"], abs=1e-8)
                if "se" in expected[theirs]:
                    assert problem.standard_error(name) == pytest.approx(expected[theirs]["se"], abs=1e-8)
        (gwet,) = label_agreements(ratings, [f"ac2:weights={case['weights']}"], NO_RESAMPLES).values()
        low, high = expected["gwet"]["ci"]  # irrCAC cuts the upper end only
        assert gwet.details["standard_error_interval"] == pytest.approx((max(low, -1.0), high), abs=1e-8)
        for distance in ("nominal", "ordinal", "interval", "ratio"):
            assert alpha(ratings, distance) == pytest.approx(expected[f"alpha_{distance}"], abs=1e-8)


def test_alpha_of_label_sets_of_nltk() -> None:
    for case in oracle_json("annotators/label_sets.json")["cases"]:
        ratings = Ratings.from_rows([[frozenset(labels) for labels in unit] for unit in case["units"]])
        for distance, name in (("masi", "masi"), ("jaccard", "jaccard"), ("nominal", "binary")):
            assert alpha(ratings, distance) == pytest.approx(case["expected"][f"alpha_{name}"], abs=1e-9)


def test_two_coders_of_statsmodels_and_scikit_learn() -> None:
    names = {"kappa": "kappa", "kappa_max": "kappa_max", "standard_error": "se_fleiss_cohen_everitt", "standard_error_zero": "se_under_zero"}  # fmt: skip
    for case in oracle_json("annotators/two_coders.json")["cases"]:
        ours, expected = two_coders(case["table"]), case["expected"]
        for mine, theirs in names.items():
            assert ours[mine] == pytest.approx(expected[theirs], abs=1e-9)
        for label, values in expected["per_label"].items():
            indices = label_indices(np.array(case["table"], float), int(label) - 1)
            for name, value in values.items():
                if value is not None:
                    assert indices[name] == pytest.approx(value, abs=1e-9)


def test_boundaries_are_labels_of_gaps() -> None:
    corpus = cs.Corpus.from_dict({"x": {"ann": [2, 2], "ben": [2, 1, 1]}, "y": {"ann": [4], "ben": [1, 3]}})
    result = cs.agree(corpus, coefficient="conger", resamples=50)
    assert result.details["two_coders"]["kappa"] == pytest.approx(result.value)
    assert result.details["units"] == 6
    assert result.interval is not None


def test_typed_boundaries_names_and_spans_are_labels() -> None:
    named = cs.Segmentation.from_labels(["a", "a", "b", "c"])
    assert Ratings.of_corpus(cs.Corpus.from_dict({"x": {"ann": named, "ben": named}})).categories == ("a", "b", "c")
    spans = cs.Spans.from_rows([(0, 2, "x"), (1, 3, "y")], length=4)
    ratings = Ratings.of_corpus(cs.Corpus.from_dict({"x": {"ann": spans, "ben": spans}}))
    assert ratings.categories == ("(none)", "x", "y", frozenset("xy"))
    assert cs.agree({"ann": spans, "ben": spans}, coefficient="alpha:distance=masi").value == 1.0


def test_a_sentence_says_where_prevalence_explains_a_low_kappa() -> None:
    rows = [["no", "no"]] * 90 + [["yes", "no"]] * 5 + [["no", "yes"]] * 4 + [["yes", "yes"]]
    found = label_agreements(Ratings.from_rows(rows), ["ac1"], NO_RESAMPLES)["ac1"]
    assert any("Prevalence explains it" in note for note in found.details["notes"])


def test_no_possible_disagreement_is_undefined_and_never_one() -> None:
    assert np.isnan(alpha(Ratings.from_rows([["a", "a"], ["a", "a"]]), "nominal"))


@pytest.mark.parametrize(
    ("coefficient", "sentence"),
    [
        ("ac2", "needs weights"),
        ("ac1:weights=linear", "weights"),
        ("alpha:distance=cosine", "cosine"),
        ("conger:weights=cubic", "cubic"),
    ],
)
def test_wrong_parameters_are_refused(coefficient: str, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        cs.agree({"ann": [2, 3], "ben": [1, 4]}, coefficient=coefficient)


def test_a_metric_and_recordings_are_refused() -> None:
    with pytest.raises(CaesuraError, match="takes no metric"):
        cs.agree({"ann": [2, 3], "ben": [1, 4]}, "B", coefficient="ac1")
    with pytest.raises(CaesuraError, match="one label per unit"):
        cs.agree(cs.samples.load("phones"), coefficient="ac1")
