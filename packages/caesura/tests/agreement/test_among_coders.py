"""Agreement: the paper's coefficients, another program's, hand-made cases, and everything that adds up behind them."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Segmentation, samples
from caesura.agreement import agreements
from caesura.agreement.coefficients import AgreementSums, own_rates
from caesura.model import Corpus
from caesura.statistics import CountedPairs
from caesura.statistics.bootstrap import Resampling
from shared_data import oracle_json

COEFFICIENTS = ["pi", "kappa", "bennett", "bias", "percentage", "alpha", "majority"]


def stargazer() -> Corpus:
    return samples.load("stargazer")


def test_published_coefficients_count_segments_for_boundaries() -> None:
    assert cs.agree(stargazer(), "S:weights=scaled", density="segments").value == pytest.approx(0.7562, abs=5e-5)
    assert cs.agree(stargazer(), "B", density="segments").value == pytest.approx(0.4405, abs=5e-5)
    assert cs.agree(stargazer(), "S:weights=scaled").value == pytest.approx(0.7667, abs=5e-5)
    assert cs.agree(stargazer(), "B").value == pytest.approx(0.4644, abs=5e-5)


def oracle_cases():
    names = [
        "HEARST_1997_STARGAZER",
        "KAZANTSEVA2012_G5",
        "KAZANTSEVA2012_G2",
        "COMPLETE_AGREEMENT",
        "LARGE_DISAGREEMENT",
    ]
    return pytest.mark.parametrize("name", names)


@oracle_cases()
def test_coefficients_match_segeval(name: str) -> None:
    case = oracle_json("boundary/agreement.json")[name]
    corpus = Corpus.from_dict(case["data"])
    for key, expected in case["coefficients"].items():
        which, weights, n_t = key.split(",")
        reach = int(n_t.partition("=")[2])
        measure = (
            cs.metric("S", n_t=reach, weights=weights)
            if which == "S"
            else cs.metric("B", n_t=reach, transposition="unit" if weights == "unit" else "span")
        )
        pi, kappa, bias = (cs.agree(corpus, measure, c, "mean") for c in ("pi", "kappa", "bias"))
        assert pi.observed == pytest.approx(float(expected["Aa"]), abs=1e-12)
        assert pi.expected == pytest.approx(float(expected["pi_Ae"]), abs=1e-12)
        assert kappa.expected == pytest.approx(float(expected["kappa_Ae"]), abs=1e-12)
        assert pi.value == pytest.approx(float(expected["fleiss_pi"]), abs=1e-12)
        assert kappa.value == pytest.approx(float(expected["fleiss_kappa"]), abs=1e-12)
        assert bias.value == pytest.approx(float(expected["bias"]), abs=1e-12)
        old = expected["legacy_le_2.0.10 (segments counted as boundaries)"]
        assert cs.agree(corpus, measure, "pi", "segments").value == pytest.approx(old["pi"], abs=1e-12)
        assert cs.agree(corpus, measure, "kappa", "segments").value == pytest.approx(old["kappa"], abs=1e-12)


def two_coders() -> Corpus:
    return Corpus.from_dict({"a": {"x": [2, 3, 6], "y": [2, 2, 7]}, "b": {"x": [4, 4], "y": [8]}})


def test_two_coders_match_hand_computed_values() -> None:
    pi, kappa = (cs.agree(two_coders(), coefficient=c) for c in ("pi", "kappa"))
    assert pi.observed == kappa.observed == pytest.approx(1.5 / 3)
    assert pi.expected == pytest.approx((5 / 34) ** 2)
    assert kappa.expected == pytest.approx((3 / 17) * (2 / 17))
    assert cs.agree(two_coders(), coefficient="bias").value == pytest.approx((5 / 34) ** 2 - 6 / 17**2)
    assert cs.agree(two_coders(), coefficient="percentage").value == pytest.approx(0.5)
    assert cs.agree(two_coders(), coefficient="bennett").expected == 0.25
    mean = cs.agree(two_coders(), density="mean")
    assert mean.expected == pytest.approx(((2 / 10 + 2 / 10 + 1 / 7 + 0) / 4) ** 2)


def test_signature_names_metric_coefficient_and_density() -> None:
    assert cs.agree(two_coders(), "B:n_t=3").signature.startswith("pi|B|nt:3|")
    assert "|density:pooled|v:" in cs.agree(two_coders()).signature


def test_penalty_counts_as_one_minus_its_value() -> None:
    agreement = cs.agree(two_coders(), "WD:k=2")
    differing = cs.window_diff([2, 3, 6], [2, 2, 7], k=2) * 9 + cs.window_diff([4, 4], [8], k=2) * 6
    assert agreement.observed == pytest.approx(1 - differing / 15)


def naive_alpha(corpus: Corpus) -> float:
    """Krippendorff's α from the matrix of coincidences."""
    pairs = np.zeros((2, 2))
    for item in corpus.items:
        strings = [corpus[item, coder].string for coder in corpus.coders_of(item)]
        if len(strings) < 2:
            continue
        for values in zip(*strings, strict=True):
            for a, b in combinations(map(int, values), 2):
                pairs[a, b] += 1 / (len(values) - 1)
                pairs[b, a] += 1 / (len(values) - 1)
    totals = pairs.sum(axis=1)
    n = totals.sum()
    apart = pairs[0, 1] + pairs[1, 0]
    expected = 2 * totals[0] * totals[1] / (n - 1)
    return 1.0 if expected == 0 else 1 - apart / expected


@st.composite
def corpora(draw) -> Corpus:
    """Items with different coders, some of them with one coder only."""
    data: dict = {}
    for item in range(draw(st.integers(1, 4))):
        n = draw(st.integers(2, 12))
        coders = draw(st.sets(st.sampled_from("abcde"), min_size=1, max_size=5))
        data[f"i{item}"] = {c: draw(st.text("01", min_size=n - 1, max_size=n - 1)) for c in sorted(coders)}
    data["i0"].update({c: draw(st.text("01", min_size=len(data["i0"][x]), max_size=len(data["i0"][x])))
                       for x in [next(iter(data["i0"]))] for c in "ab"})  # fmt: skip
    return Corpus.from_dict(data)


@settings(max_examples=50)
@given(corpora())
def test_tables_match_separate_counts(corpus) -> None:
    agreement = cs.agree(corpus)
    rows = cs.metric("B").rows(pairs_batch(corpus))
    assert agreement.observed == pytest.approx(float(cs.metric("B").score(rows.sum(axis=0))))
    lengths = sum(len(a.marks.string) for a in corpus)
    marks = sum(a.marks.string.count("1") for a in corpus)
    assert agreement.expected == pytest.approx((marks / lengths) ** 2)
    matrix = agreement.details["matrix"]
    assert np.allclose(matrix, matrix.T, equal_nan=True)
    for left, right in combinations(range(len(corpus.coders)), 2):
        names = [corpus.coders[left], corpus.coders[right]]
        pair = corpus.select(coders=names)
        if len(pair.pairs()[0]):
            assert matrix[left, right] == pytest.approx(cs.agree(pair).observed)
        else:
            assert math.isnan(matrix[left, right])
    for coder, value in agreement.details["leave_one_out"].items():
        rest = corpus.select(coders=[c for c in corpus.coders if c != coder])
        expected = cs.agree(rest).value if len(rest.pairs()[0]) else math.nan
        assert value == pytest.approx(expected, nan_ok=True)
    for item, table in agreement.details["per_item"].items():
        alone = corpus.select(items=[item])
        expected = cs.agree(alone).value if len(alone.pairs()[0]) else math.nan
        assert table["value"] == pytest.approx(expected, nan_ok=True)
    assert cs.agree(corpus, coefficient="alpha").value == pytest.approx(naive_alpha(corpus))
    for coefficient in ("alpha", "majority"):
        for coder, value in cs.agree(corpus, coefficient=coefficient).details["leave_one_out"].items():
            rest = corpus.select(coders=[c for c in corpus.coders if c != coder])
            if len(rest.pairs()[0]):
                assert value == pytest.approx(cs.agree(rest, coefficient=coefficient).value)


def pairs_batch(corpus: Corpus):
    from caesura.metrics import Batch

    return Batch.of_corpora(corpus, corpus, *corpus.pairs())


def test_majority_agreement_matches_hand_computed_value() -> None:
    corpus = Corpus.from_dict({"a": {"x": "0100", "y": "0110", "z": "0001"}})
    assert cs.agree(corpus, coefficient="majority").value == pytest.approx((3 + 2 + 2 + 2) / 12)


def test_frequency_of_boundaries_per_coder() -> None:
    details = cs.agree(two_coders()).details
    assert details["frequency"] == {"x": pytest.approx(3 / 17), "y": pytest.approx(2 / 17)}
    assert details["frequency_mean"] == pytest.approx(2.5 / 17)
    assert details["frequency_sd"] == pytest.approx(np.std([3 / 17, 2 / 17], ddof=1))


@pytest.mark.parametrize("coefficient", ["pi", "kappa", "bias", "percentage", "alpha", "majority"])
def test_intervals_contain_the_value_and_depend_on_the_seed(coefficient) -> None:
    random = np.random.default_rng(5)
    data = {}
    for item in range(20):
        base = random.random(60) < 0.15
        flips = {coder: random.random(60) < rate for coder, rate in zip("abc", (0.02, 0.05, 0.2), strict=True)}
        data[f"i{item}"] = {c: "".join("01"[int(b)] for b in base ^ flip) for c, flip in flips.items()}
    corpus = Corpus.from_dict(data)
    agreement = cs.agree(corpus, coefficient=coefficient, resamples=2000, seed=3)
    assert agreement.interval is not None
    assert agreement.interval[0] < agreement.value < agreement.interval[1]
    assert agreement.interval == cs.agree(corpus, coefficient=coefficient, resamples=2000, seed=3).interval
    assert agreement.interval != cs.agree(corpus, coefficient=coefficient, resamples=2000, seed=4).interval
    if coefficient in ("pi", "alpha"):  # one resample by hand
        drawn = np.random.default_rng(0).multinomial(20, np.full(20, 1 / 20), size=1)[0]
        again = {f"{item}-{i}": data[item] for item, n in zip(data, drawn, strict=True) for i in range(n)}
        exact = cs.agree(Corpus.from_dict(again), coefficient=coefficient).value
        assert cs.agree(corpus, coefficient=coefficient, resamples=1, seed=0).interval == (
            pytest.approx(exact),
            pytest.approx(exact),
        )


def test_single_item_has_no_interval() -> None:
    assert cs.agree(stargazer(), resamples=100).interval is None


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_no_boundaries_at_all_is_perfect_agreement(coefficient) -> None:
    corpus = Corpus.from_dict({"a": {"x": [9], "y": [9]}, "one unit": {"x": [1], "y": [1]}})
    agreement = cs.agree(corpus, coefficient=coefficient, resamples=10)
    assert agreement.value == (0.0 if coefficient == "bias" else 1.0)


def test_full_density_is_perfect_agreement() -> None:
    corpus = Corpus.from_dict({"a": {"x": [1, 1, 1], "y": [1, 1, 1]}})
    assert cs.agree(corpus).value == 1.0
    assert cs.agree(corpus).expected == 1.0


def test_places_are_counted_per_type() -> None:
    def typed_marks(*marks):
        return Segmentation.from_positions(marks, length=6, labels=["clause", "sentence"])

    corpus = Corpus.from_dict(
        {"a": {"x": typed_marks((2, "clause"), (4, "sentence")), "y": typed_marks((2, "clause"), (4, "clause"))}}
    )
    agreement = cs.agree(corpus)
    assert agreement.expected == pytest.approx((4 / 20) ** 2)
    assert agreement.observed == pytest.approx(1 - 0.5 / 2)


def test_data_read_from_json_gives_the_same_numbers(tmp_path) -> None:
    target = tmp_path / "stargazer.json"
    items = {"stargazer": {c: stargazer()["stargazer", c].masses for c in stargazer().coders}}
    target.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    for coefficient in COEFFICIENTS:
        there = cs.agree(cs.read(target), coefficient=coefficient)
        assert there.value == cs.agree(stargazer(), coefficient=coefficient).value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cs.agree(two_coders().select(coders=["x"])), "1 coder annotated 2 items, and no text was annotated twice"),
        (lambda: cs.agree(Corpus.from_dict({})), "0 coders annotated 0 items"),
        (lambda: cs.agree(two_coders(), "WD"), "WD depends on which side is the reference.*k="),
        (lambda: cs.agree(two_coders(), "precision"), "depends on which side"),
        (lambda: cs.agree(two_coders(), "GHD"), "does not run from 0 to 1"),
        (lambda: cs.agree(two_coders(), coefficient="rho"), "there is no coefficient 'rho'"),
        (lambda: cs.agree(two_coders(), density="median"), "density is 'median'"),
        (lambda: cs.agree(two_coders(), resamples=-1), "resamples is -1"),
        (lambda: cs.agree(two_coders(), level=1.0), "level is 1.0"),
        (lambda: cs.agree(two_coders(), "Bb"), "there is no metric 'Bb'"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_rejected_in_one_sentence(call, words) -> None:
    with pytest.raises(cs.CaesuraError, match=words):
        call()


def test_recordings_have_no_potential_boundaries() -> None:
    timed = Corpus.from_dict({"a": {c: Segmentation.from_times([0.5], length=1.0) for c in "xy"}})
    with pytest.raises(cs.CaesuraError, match="counts potential boundaries"):
        cs.agree(timed, coefficient="pi")
    assert cs.agree(timed).signature.startswith("percentage|A|")
    assert cs.agree(timed, "F").value == 1.0


def test_name_s_means_scaled_s() -> None:
    from caesura import samples

    corpus = samples.load("stargazer")
    assert round(cs.agree(corpus, metric="S", density="segments").value, 4) == 0.7562
    assert round(cs.agree(corpus, metric="S").value, 4) == 0.7667
    assert cs.agree(corpus, metric="S:weights=unit").value != cs.agree(corpus, metric="S").value


# ---------------------------------------------------------------------- each pair is counted once


def many_coders(coders: int, documents: int, units: int = 40) -> Corpus:
    random = np.random.default_rng(0)
    return Corpus.from_dict(
        {
            f"d{d}": {f"c{c}": "".join(map(str, (random.random(units - 1) < 0.2).astype(int))) for c in range(coders)}
            for d in range(documents)
        }
    )


def test_pairs_are_counted_once_for_all_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six coefficients, the matrix, every coder left out, 100 resamples: 4,500 pairs of ten coders on 100 documents."""
    family = type(cs.metric("B").family)
    count, counted = family.count, []
    monkeypatch.setattr(family, "count", lambda self, batch: counted.append(len(batch)) or count(self, batch))
    table = CountedPairs.among_coders(many_coders(10, 100), threads=1)
    results = agreements(table, resamples=100)
    assert list(results) == ["pi", "kappa", "bias", "percentage", "alpha", "majority"]
    agreements(table, cs.metric("B"), ["bennett"], "mean")
    assert counted == [4500]


def test_several_coefficients_equal_single_ones() -> None:
    corpus = many_coders(4, 5)
    for name, agreement in agreements(corpus, "B:n_t=3", COEFFICIENTS, "mean", resamples=50, seed=1).items():
        alone = cs.agree(corpus, "B:n_t=3", name, "mean", resamples=50, seed=1)
        assert (agreement.value, agreement.interval, agreement.signature) == (
            alone.value,
            alone.interval,
            alone.signature,
        )


# ---------------------------------------------------------------------- the weight of pairs in κ


def missing_coders() -> Corpus:
    """x and y share two texts, one of them long; x and z one short text; y and z never meet, w has a text alone."""
    return Corpus.from_dict(
        {
            "long": {"x": "1010000000", "y": "1000000000"},
            "short": {"x": "110", "y": "100"},
            "other": {"x": "1000", "z": "1110"},
            "alone": {"w": "1111"},
        }
    )


def test_kappa_weights_pairs_of_coders_equally() -> None:
    """However many texts, places or boundaries two coders share, they are one pair; who never met is none."""
    x, y, z = 5 / 17, 2 / 13, 3 / 4
    assert cs.agree(missing_coders(), coefficient="kappa").expected == pytest.approx((x * y + x * z) / 2)
    with_segments = cs.agree(missing_coders(), coefficient="kappa", density="segments").expected
    assert with_segments == pytest.approx((8 / 17 * 4 / 13 + 8 / 17 * 4 / 4) / 2)


def test_kappa_of_a_resample_ignores_pairs_not_drawn() -> None:
    """With "other" not drawn, x and z do not meet: their chance has no part in the mean."""
    corpus = missing_coders()
    corpus_sums = AgreementSums(CountedPairs.among_coders(corpus), cs.metric("B"))
    weights = corpus_sums.item_weights(Resampling(resamples=40))
    drawn = next(i for i, row in enumerate(weights) if row[2] == 0 and row[0] > 0 and row[1] > 0)
    sums = corpus_sums.by_item.take(weights[drawn : drawn + 1])
    data = {item: {c: corpus[item, c] for c in corpus.coders_of(item)} for item in corpus.items}
    again = {
        f"{item}-{i}": data[item] for item, n in zip(data, weights[drawn].astype(int), strict=True) for i in range(n)
    }
    exact = cs.agree(Corpus.from_dict(again), coefficient="kappa").expected
    assert own_rates(sums, "pooled")[0] == pytest.approx(exact)


# ---------------------------------------------------------------------- defaults


def test_defaults_depend_on_the_kind_of_annotation() -> None:
    assert cs.agree(two_coders()).signature.startswith("pi|B|")
    assert cs.agree(samples.load("phones")).signature.startswith("percentage|A|")
    assert cs.agree(samples.load("walk")).signature.startswith("percentage|nested-F|")


def test_flexible_metrics_use_their_own_chance() -> None:
    corpus = samples.load("stargazer").select(coders=list(samples.load("stargazer").coders[:2]))
    for chance in ("kappa", "pi", "bennett", "bennett-boundaries"):
        assert cs.agree(corpus, "Sf", chance).value == cs.flexible_agreement(corpus, chance=chance).value
    assert cs.agree(corpus, "Sf").coefficient == "kappa"
    assert cs.agree(corpus, "SfB", seed=3).signature.startswith("SfB|")
    assert cs.agree(corpus, "Sf", "percentage").value == cs.agree(corpus, "Sf", "kappa").observed
    with pytest.raises(cs.CaesuraError, match="needs no density"):
        cs.agree(corpus, "Sf", density="mean")
