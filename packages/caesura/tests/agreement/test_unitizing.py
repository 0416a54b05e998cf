"""Agreement on spans: peers' figures, every alignment tried by hand, what must not change a value, peers' defects, bad input."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import caesura as cs
from caesura.agreement import alpha_u, gamma, span_agreements, u_alpha
from caesura.agreement import unitizing_alignment as alignment_module
from caesura.agreement.unitizing_alignment import Dissimilarity, SpanTexts, align_columns
from caesura.errors import CaesuraError, UnknownName
from caesura.kernels.unitizing import Costs, Units, align_two
from caesura.kernels.unitizing_partition import list_tuples, merge_annotators, partition
from caesura.model import Corpus, Spans
from shared_data import oracle_json

GAMMA = oracle_json("unitizing/gamma_pygamma.json")["cases"]
ALPHA_U = oracle_json("unitizing/alpha_u_dkpro.json")["cases"]
U_ALPHA = oracle_json("unitizing/u_alpha_2016_lindanna.json")["cases"]
WEIGHTS = {"default": (1.0, 1.0), "alpha3_beta1": (3.0, 1.0), "alpha1_beta3": (1.0, 3.0)}
SILENT = "three_one_silent"  # the peer of 2016 loses the annotator without a unit


def corpus_of(case) -> Corpus:
    begin, length = case["begin"], case["length"]
    return Corpus.from_dict(
        {
            "text": {
                coder: Spans.from_rows([(s - begin, e - begin, c) for s, e, c in rows], length=length)
                for coder, rows in case["annotations"].items()
            }
        }
    )


def spans(rows, length=100, **options) -> Spans:
    return Spans.from_rows(rows, length=length, **options)


def random_corpus(seed: int, coders: int = 3, units: int = 6, length: int = 60, labels: str = "xyz") -> Corpus:
    random = np.random.default_rng(seed)

    def rows():
        starts = random.integers(0, length - 12, random.integers(1, units + 1))
        return [(int(s), int(s + random.integers(1, 12)), labels[random.integers(len(labels))]) for s in starts]

    return Corpus.from_dict({"text": {f"c{i}": spans(rows(), length) for i in range(coders)}})


def disorder(corpus: Corpus, **options) -> float:
    texts = SpanTexts.of(corpus)
    aligned = align_columns(texts.units, texts.rows, texts.sizes, Dissimilarity(**options).costs(texts.labels))
    assert aligned.costs == pytest.approx(aligned.lower)
    return float(aligned.costs[0] / texts.means[0])


# ---------------------------------------------------------------------- peers' figures


@pytest.mark.parametrize("name", GAMMA)
def test_disorder_and_alignment_match_pygamma(name: str) -> None:
    case = GAMMA[name]
    corpus = corpus_of(case | {"length": max(case["length"], 300)})
    for weights, (alpha, beta) in WEIGHTS.items():
        theirs = case[weights]
        result = gamma(corpus, alpha=alpha, beta=beta, samples=2, unaligned="count")
        assert result.observed == pytest.approx(theirs["observed_disorder"], abs=1e-4)
        alignment = result.details.alignment
        assert alignment.costs.sum() / np.mean([len(s) for s in alignment.spans]) == pytest.approx(alignment.disorder)
        assert cost_of(theirs["alignment"], alpha, beta) == pytest.approx(alignment.costs.sum(), abs=1e-4)
        begin = case["begin"]
        ours = [[None if u is None else [u[0] + begin, u[1] + begin, u[2]] for u in row] for row in alignment.rows]
        if sorted(map(str, ours)) == sorted(map(str, theirs["alignment"])) and theirs["cat_disorder"]:
            names = gamma(corpus, "gamma-cat", alpha=alpha, beta=beta, samples=2, unaligned="count")
            assert names.observed == pytest.approx(theirs["cat_disorder"], abs=1e-4)


def cost_of(alignment, alpha: float, beta: float) -> float:
    """The cost of an alignment given as rows of units, from the definition."""
    total = 0.0
    for row in alignment:
        pairs = [pair_cost(u, v, alpha, beta) for u, v in combinations(row, 2)]
        total += sum(pairs) / len(pairs)
    return total


def pair_cost(u, v, alpha: float = 1.0, beta: float = 1.0, empty: float = 1.0) -> float:
    if u is None or v is None:
        return empty
    place = (abs(u[0] - v[0]) + abs(u[1] - v[1])) / (u[1] - u[0] + v[1] - v[0])
    return empty * (alpha * place**2 + beta * (u[2] != v[2]))


def test_expected_disorder_is_near_pygamma() -> None:
    for name in ("tiling", "r2x12", "r3x10", "three_annotators", "long_far"):
        theirs = GAMMA[name]["default"]
        result = gamma(corpus_of(GAMMA[name]), samples=100)
        error = np.hypot(theirs["expected_se"], result.details.standard_error / max(result.observed, 0.01))
        assert abs(result.expected - theirs["expected_100"]) < 4 * error + 0.03


@pytest.mark.parametrize("name", [name for name in ALPHA_U if name != "overlap_same_cat"])
def test_alpha_u_matches_dkpro(name: str) -> None:
    case = ALPHA_U[name]
    result = alpha_u(corpus_of(case))
    assert result.value == pytest.approx(case["alpha_u"], abs=1e-9)
    labels = len(case["per_category"])
    assert result.observed / labels == pytest.approx(case["D_o"], abs=1e-9)
    assert result.expected / labels == pytest.approx(case["D_e"], abs=1e-9)
    assert result.details["by_label"] == pytest.approx(case["per_category"], abs=1e-9)


def test_alpha_u_matches_krippendorff_2004() -> None:
    result = alpha_u(corpus_of(ALPHA_U["krippendorff2004"]))
    assert round(result.value, 3) == 0.859
    assert {label: round(value, 4) for label, value in result.details["by_label"].items()} == {"c": 0.7286, "k": 1.0}


@pytest.mark.parametrize("name", [name for name in U_ALPHA if "skipped" not in U_ALPHA[name] and name != SILENT])
def test_u_alpha_family_matches_unitized_alpha(name: str) -> None:
    theirs = U_ALPHA[name]
    corpus = corpus_of(ALPHA_U[name])
    ours = span_agreements(corpus, ["u-alpha", "bar-u-alpha", "cu-alpha"])
    if "error" in theirs:  # it divides by nothing: a value of ours is NaN, and says why
        assert any(np.isnan(each.value) and "not defined" in str(each) for each in ours.values())
        return
    defined = {"u-alpha": theirs["u_alpha"], "bar-u-alpha": theirs["bar_u_alpha"], "cu-alpha": theirs["cu_alpha"][0]}
    for coefficient, value in defined.items():
        expected = np.nan if value == "NA" else value
        assert ours[coefficient].value == pytest.approx(expected, abs=1e-9, nan_ok=True), coefficient
    for label, (value, coverage) in theirs["ku_alpha"].items():
        details = ours["cu-alpha"].details
        assert details["by_label"][label] == pytest.approx(value, abs=1e-9)
        assert 100 * details["coverage"][label] == pytest.approx(coverage, abs=1e-9)


def test_annotator_without_spans_is_included_and_named() -> None:
    case = ALPHA_U[SILENT]
    for name, result in span_agreements(corpus_of(case)).items():
        assert result.details["silent"] == ["C in text"]
        assert "marked nothing, and are included: C in text" in str(result)
        if name in ("gamma", "u-alpha", "bar-u-alpha"):
            assert result.value < 0.9, name
    others = {coder: rows for coder, rows in case["annotations"].items() if rows}
    assert u_alpha(corpus_of(case | {"annotations": others})).value == 1.0


# ---------------------------------------------------------------------- every alignment, tried


def cheapest(rows, empty: float = 1.0) -> float:
    """The cost of the best alignment, by trying every tuple that holds the first unit left."""
    pairs = len(rows) * (len(rows) - 1) / 2

    def search(left) -> float:
        owner = next((i for i, units in enumerate(left) if units), None)
        if owner is None:
            return 0.0
        first, best = left[owner][0], np.inf
        choices = [[first] if i == owner else [None] if i < owner else [None, *left[i]] for i in range(len(left))]
        for choice in product(*choices):
            rest = [list(units) for units in left]
            for units, unit in zip(rest, choice, strict=True):
                if unit is not None:
                    units.remove(unit)
            cost = sum(pair_cost(u, v, empty=empty) for u, v in combinations(choice, 2)) / pairs
            best = min(best, cost + search(rest))
        return best

    return search([list(units) for units in rows])


@pytest.mark.parametrize(("coders", "units"), [(2, 5), (3, 3), (4, 2), (5, 2)])
def test_alignment_is_the_cheapest_of_all(coders: int, units: int) -> None:
    for seed in range(12):
        corpus = random_corpus(seed, coders, units, length=30)
        rows = [a.marks.rows for a in corpus]
        mean = np.mean([len(r) for r in rows])
        empty = 1.0 if seed % 2 else 0.7
        assert disorder(corpus, empty=empty) * mean == pytest.approx(cheapest(rows, empty), abs=1e-9)


def columns_of(corpus: Corpus) -> tuple[Units, np.ndarray]:
    texts = SpanTexts.of(corpus)
    return texts.units, texts.rows


def test_alignment_of_two_matches_integer_programme_and_partition() -> None:
    optimize, sparse = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.sparse")
    for seed in range(12):
        units, rows = columns_of(random_corpus(seed, 2, 30, 120))
        costs = Costs(1.0 + seed % 3, 1.0, 1.0, np.empty((0, 0)))
        cost = align_two(units, int(rows[1]), costs, 10**6, np.empty(rows[-1], np.int64))
        tuples = list_tuples(units, rows, costs, 10**6, 1.0)
        shape = (rows[-1], len(tuples.costs))
        matrix = sparse.csc_array((np.ones(len(tuples.units)), tuples.units, tuples.first), shape=shape)
        programme = optimize.milp(
            tuples.costs, constraints=optimize.LinearConstraint(matrix, 1, 1), integrality=np.ones(shape[1])
        )
        parts = partition(tuples, np.argsort(units.starts + units.ends, kind="stable"), 10**6)
        assert cost == pytest.approx(programme.fun, abs=1e-9)
        assert parts.upper == pytest.approx(cost, abs=1e-9)


def test_alignment_of_many_matches_integer_programme() -> None:
    optimize, sparse = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.sparse")
    costs = Costs(1.0, 1.0, 1.0, np.empty((0, 0)))
    for coders, number in ((3, 40), (4, 12), (5, 8)):
        units, rows = columns_of(random_corpus(coders, coders, number, 6 * number))
        tuples = list_tuples(units, rows, costs, 10**6, 1.0)
        shape = (rows[-1], len(tuples.costs))
        matrix = sparse.csc_array((np.ones(len(tuples.units)), tuples.units, tuples.first), shape=shape)
        programme = optimize.milp(
            tuples.costs, constraints=optimize.LinearConstraint(matrix, 1, 1), integrality=np.ones(shape[1])
        )
        parts = partition(tuples, np.argsort(units.starts + units.ends, kind="stable"), 10**6)
        assert parts.upper == pytest.approx(programme.fun, abs=1e-7)
        assert parts.lower == pytest.approx(programme.fun, abs=1e-7)
        assert tuples.costs[np.unique(parts.taken)].sum() == pytest.approx(parts.upper)
        merged = np.empty(rows[-1], np.int64)
        assert merge_annotators(units, rows, costs, merged) >= parts.upper - 1e-9


def test_too_many_tuples_give_valid_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(3, 4, 12, 40)
    best = disorder(corpus)
    assert 0 <= best <= 4
    monkeypatch.setattr(alignment_module, "MAX_TUPLES", 60)
    result = gamma(corpus, samples=2)
    alignment = result.details.alignment
    assert alignment.lower - 1e-9 <= best <= alignment.disorder + 1e-9
    assert alignment.gap > 0
    assert alignment.costs.sum() / np.mean([len(s) for s in alignment.spans]) == pytest.approx(alignment.disorder)
    assert "may not be the best" in str(result)
    assert "|bounds|" in result.signature


def test_bounded_chance_is_near_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(2, 5, 8, 40)
    exact = gamma(corpus, samples=10)
    monkeypatch.setattr(alignment_module, "CHEAP_TUPLES", 600)
    monkeypatch.setattr(alignment_module, "CHEAP_TUPLES_PER_UNIT", 0)
    bounded = gamma(corpus, samples=10)
    assert exact.expected - 1e-9 <= bounded.expected < 1.02 * exact.expected
    assert "the expected disorder lies between" in str(bounded)
    assert "|bounds|" in bounded.signature
    assert "|bounds|" not in exact.signature


def test_unfinished_search_is_completed_by_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    corpora = [random_corpus(seed, 4, 12, 30, "xy") for seed in range(4)]
    best = [disorder(corpus) for corpus in corpora]
    monkeypatch.setattr(alignment_module, "MAX_NODES", 0)
    for corpus, value in zip(corpora, best, strict=True):
        assert disorder(corpus) == pytest.approx(value, abs=1e-7)


# ---------------------------------------------------------------------- what must not matter


def test_values_do_not_depend_on_annotator_order_or_time_scale() -> None:
    corpus = random_corpus(5, 4, 6)
    rows = {a.coder: a.marks.rows for a in corpus}
    turned = Corpus.from_dict({"text": {coder: spans(rows[coder], 60) for coder in reversed(rows)}})
    for factor in (1000, 0.01):
        stretched = Corpus.from_dict(
            {
                "text": {
                    coder: Spans.from_rows(
                        [(s * factor, e * factor, c) for s, e, c in own], length=60.0 * factor, time=True
                    )
                    for coder, own in rows.items()
                }
            }
        )
        assert disorder(stretched) == pytest.approx(disorder(corpus), abs=1e-9)
        assert gamma(stretched, samples=20).value == pytest.approx(gamma(corpus, samples=20).value, abs=1e-6)
    assert disorder(turned) == pytest.approx(disorder(corpus), abs=1e-9)
    flat = corpus_of(ALPHA_U["r4x5"])
    flipped = Corpus.from_dict({"text": {a.coder: a.marks for a in reversed(list(flat))}})
    for name in ("alpha-u", "u-alpha", "bar-u-alpha", "cu-alpha"):
        values = [cs.agree(each, coefficient=name).value for each in (flat, flipped)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_equal_annotations_agree_perfectly() -> None:
    rows = [(3, 9, "x"), (9, 15, "y"), (20, 31, "x"), (40, 41, "z")]
    corpus = Corpus.from_dict({"text": {coder: spans(rows) for coder in "abcd"}})
    for name, result in span_agreements(corpus, sampler="shift").items():
        assert result.value == 1.0, name
        assert all(value == 1.0 for value in result.details["leave_one_out"].values())
    assert set(result.details["by_label"].values()) == {1.0}


@pytest.mark.parametrize("sampler", ["statistical", "shift"])
def test_values_depend_on_the_seed_not_on_threads(sampler) -> None:
    corpus = random_corpus(1, 3, 8)
    values = {gamma(corpus, samples=120, sampler=sampler, threads=threads).value for threads in (1, 2, 5)}
    assert len(values) == 1
    assert gamma(corpus, samples=120, sampler=sampler, seed=1).value not in values
    named = f"gamma:samples=120,sampler={sampler}"
    assert cs.agree(corpus, coefficient=named).value in values
    assert (
        f"sampler:{sampler}|samples:120|seed:0"
        in span_agreements(corpus, ["alpha-u:overlap=longest", named])[named].signature
    )


def test_standard_error_matches_the_spread_over_seeds() -> None:
    corpus = corpus_of(GAMMA["r3x10"])
    results = [gamma(corpus, samples=30, seed=seed) for seed in range(30)]
    spread = np.std([result.value for result in results], ddof=1)
    assert spread / 2 < np.mean([result.standard_error for result in results]) < spread * 2
    asked = gamma(corpus, samples=30, precision=0.01)
    assert asked.details.samples > 30
    error = 1.96 * asked.standard_error * asked.expected / asked.observed
    assert error < 0.015


def test_texts_with_different_numbers_of_annotators_are_pooled() -> None:
    names = ["r2x12", "tiling", "r3x10", "r5x4", "r2x5"]
    corpora = [corpus_of(GAMMA[name]) for name in names]
    together = Corpus.from_dict(
        {name: {a.coder: a.marks for a in corpus} for name, corpus in zip(names, corpora, strict=True)}
    )
    rows = gamma(together, samples=2).details["per_item"]
    assert [rows[name]["observed"] for name in names] == pytest.approx([disorder(corpus) for corpus in corpora])


def test_texts_are_pooled_and_shown_one_by_one() -> None:
    first, second = corpus_of(GAMMA["r2x12"]), corpus_of(GAMMA["tiling"])
    both = Corpus.from_dict({"one": {a.coder: a.marks for a in first}, "two": {a.coder: a.marks for a in second}})
    result = gamma(both, samples=40, resamples=200)
    alone = [gamma(each, samples=40) for each in (first, second)]
    means = np.array([9.0, 3.0])
    observed = np.array([each.observed for each in alone])
    assert result.observed == pytest.approx((observed * means).sum() / means.sum())
    rows = result.details["per_item"]
    assert [rows[item]["observed"] for item in ("one", "two")] == pytest.approx(observed)
    assert result.interval is not None
    assert result.interval[0] <= result.value <= result.interval[1]
    for name in ("alpha-u", "u-alpha"):
        pooled = cs.agree(both, coefficient=name, resamples=100)
        values = [cs.agree(each, coefficient=name).value for each in (first, second)]
        assert min(values) < pooled.value < max(values)
        assert [row["value"] for row in pooled.details["per_item"].values()] == pytest.approx(values)


# ---------------------------------------------------------------------- no peer's defect


def test_cost_of_unaligned_units_scales_the_disorder() -> None:
    corpus = random_corpus(7, 3, 6)
    assert disorder(corpus, empty=2.0) == pytest.approx(2 * disorder(corpus), abs=1e-9)
    values = [gamma(corpus, name, empty=empty).value for name in ("gamma", "gamma-cat") for empty in (1.0, 2.0)]
    assert values[0] == pytest.approx(values[1])


def test_ordinal_distances_follow_the_scale() -> None:
    scale = ["low", "mid", "high"]
    costs = Dissimilarity(names="ordinal").costs(scale)
    assert costs.table.tolist() == [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]
    ann, ben = (spans([(0, 10, name)], labels=scale) for name in ("low", "mid"))
    assert gamma({"ann": ann, "ben": ben}, names="ordinal", samples=2).observed == 0.5
    table = {"low": {"mid": 0.25, "high": 1}, "mid": {"high": 0.75}}
    assert gamma({"ann": ann, "ben": ben}, names=table, samples=2).observed == 0.25
    assert Dissimilarity(names="levenshtein").costs(["ab", "b", None]).table.tolist() == [
        [0, 0.5, 1], [0.5, 0, 1], [1, 1, 0],
    ]  # fmt: skip


def test_more_than_256_labels_are_distinguished() -> None:
    rows = [(10 * i, 10 * i + 8, f"label {i:03}") for i in range(300)]
    moved = [(s, e, f"label {(i + 128) % 300:03}") for i, (s, e, _) in enumerate(rows)]
    ann, ben = spans(rows, 3000), spans(moved, 3000)
    assert gamma({"ann": ann, "ben": ben}, samples=2).observed == pytest.approx(1.0)
    assert gamma({"ann": ann, "ben": ann}, samples=2).value == 1.0


@pytest.mark.parametrize("sampler", ["statistical", "shift"])
def test_recordings_shorter_than_a_second(sampler) -> None:
    rows = [(0.05, 0.1, "a"), (0.15, 0.22, "b"), (0.3, 0.34, "a"), (0.4, 0.46, "b")]
    near = [(s + 0.004, e + 0.002, c) for s, e, c in rows]
    corpus = {"ann": spans(rows, 0.5, time=True), "ben": spans(near, 0.5, time=True)}
    assert gamma(corpus, sampler=sampler).value > 0.9
    assert alpha_u(corpus).value > 0.9
    assert "res:0.001" in alpha_u(corpus).signature


def test_unlabelled_and_duplicate_spans_are_compared() -> None:
    ann, ben = spans([(0, 10), (20, 30)]), spans([(0, 10), (20, 30), (20, 30)])
    result = gamma({"ann": ann, "ben": ben}, samples=2)
    assert result.observed == pytest.approx(1 / 2.5)
    assert result.details["gamma_k"] == {None: 1.0}
    mixed = spans([(0, 10, "x"), (20, 30, None)])
    assert gamma({"ann": ann, "ben": mixed}, samples=2).observed == pytest.approx(0.5)


def test_disjoint_spans_have_no_labels_to_compare() -> None:
    ann, ben = spans([(0, 10, "x")]), spans([(80, 90, "x")])
    result = gamma({"ann": ann, "ben": ben}, "gamma-cat")
    assert np.isnan(result.value)
    assert "no labels to compare" in str(result)
    assert np.isnan(result.details["gamma_k"]["x"])
    assert gamma({"ann": ann, "ben": ben}).value < 0


def test_alignments_may_cross() -> None:
    ann, ben = spans([(0, 10, "x"), (1, 11, "y")]), spans([(0, 10, "y"), (1, 11, "x")])
    rows = gamma({"ann": ann, "ben": ben}, samples=2).details.alignment.rows
    assert {(a[2], b[2]) for a, b in rows} == {("x", "x"), ("y", "y")}


def test_numeric_labels_differ_by_distance() -> None:
    ann, ben = spans([(0, 50, "1"), (50, 100, "5")]), spans([(0, 50, "2"), (50, 100, "5")])
    corpus = {"ann": ann, "ben": ben}
    near, nominal = (u_alpha(corpus, "cu-alpha", difference=each).value for each in ("interval", "nominal"))
    assert near > nominal
    assert u_alpha(corpus, "cu-alpha", difference="ratio").value > nominal
    with pytest.raises(CaesuraError, match="must be numbers"):
        u_alpha({"ann": spans([(0, 5, "x")]), "ben": spans([(0, 5, "y")])}, "cu-alpha", difference="interval")


# ---------------------------------------------------------------------- bad input


def test_overlapping_spans_are_rejected_with_both_named() -> None:
    corpus = corpus_of(ALPHA_U["overlap_same_cat"])
    with pytest.raises(CaesuraError, match="A marked 0–20 and 10–30 x in text"):
        alpha_u(corpus)
    with pytest.raises(CaesuraError, match="A marked 0–20 and 10–30 in text; use γ"):
        u_alpha(corpus)
    kept = alpha_u(
        {"a": spans([(0, 5, "x"), (3, 20, "x"), (19, 25, "x")]), "b": spans([(3, 20, "x")])}, overlap="longest"
    )
    assert kept.value == 1.0
    assert list(span_agreements(corpus)) == ["gamma", "gamma-cat"]


def test_invalid_input_is_rejected_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = spans([(0, 10, "x")]), spans([(5, 15, "y")])
    with pytest.raises(CaesuraError, match="two annotators of one text"):
        gamma({"ann": ann})
    with pytest.raises(CaesuraError, match="there are no spans"):
        gamma({"ann": spans([]), "ben": spans([])})
    with pytest.raises(CaesuraError, match="compares spans"):
        gamma({"ann": [2, 3], "ben": [3, 2]})
    with pytest.raises(CaesuraError, match="compares spans"):
        cs.agree({"ann": [2, 3], "ben": [3, 2]}, coefficient="alpha-u")
    with pytest.raises(CaesuraError, match="option of coefficients of spans"):
        cs.agree({"ann": [2, 3], "ben": [3, 2]}, samples=3)
    with pytest.raises(CaesuraError, match="no parameter 'sampels'"):
        cs.agree({"ann": ann, "ben": ben}, coefficient="gamma", sampels=3)
    with pytest.raises(CaesuraError, match="no metric and no density"):
        cs.agree({"ann": ann, "ben": ben}, coefficient="gamma", density="mean")
    with pytest.raises(CaesuraError, match="alpha-u has no parameter 'samples'"):
        cs.agree({"ann": ann, "ben": ben}, coefficient="alpha-u:samples=3")
    with pytest.raises(UnknownName, match="did you mean 'gamma'"):
        span_agreements({"ann": ann, "ben": ben}, ["gama"])
    for options in ({"sampler": "dice"}, {"samples": 1}, {"empty": 0}, {"alpha": -1}, {"names": "odd"}, {"limit": 0},
                    {"precision": 0}, {"names": np.ones((2, 2))}, {"names": {"x": {}}}, {"unaligned": "no"}, {"level": 2}):  # fmt: skip
        with pytest.raises(CaesuraError):
            gamma({"ann": ann, "ben": ben}, **options)
    monkeypatch.setattr(alignment_module, "MAX_PAIRS", 40)
    with pytest.raises(CaesuraError, match="might be the same unit"):
        gamma({"ann": spans([(0, 10)] * 7), "ben": spans([(0, 10)] * 7)}, samples=2)
    with pytest.raises(CaesuraError, match="shorter than one step"):
        alpha_u({"ann": spans([(0, 0.5, "x")], 2.0, time=True), "ben": spans([], 2.0, time=True)}, resolution=1)
