"""Agreement on typed boundaries: chance exact against chance drawn, errors that are what they say, many coders, bad input."""

from __future__ import annotations

import time

import numpy as np
import pytest

import caesura as cs
from caesura.agreement.flexible_chance import MAX_ERROR, ChanceModel, chance_similarity, distributions, expected_cost
from caesura.errors import CaesuraError, UnknownName
from caesura.kernels.arrays import MarkColumns
from caesura.kernels.edits import count_flexible
from caesura.metrics.batch import as_readonly_contiguous
from caesura.metrics.flexible import FlexibleEdits
from caesura.metrics.similarity import Similarity, as_similarity
from caesura.model import Corpus, Segmentation
from cases import ALL, cases
from shared_data import oracle_json

TYPES = ["p", "q", "r"]


def from_letters(text: str) -> Segmentation:
    return Segmentation.from_labels_at(["" if c == " " else c for c in text], labels=TYPES)


FIRST, SECOND = from_letters("  p   q    r  p   q   p    r   q"), from_letters("  q   q   r   p  q    p        q")


def random_model(random, types: int, lengths=(200, 50, 1), **options) -> ChanceModel:
    grid = random.choice([0.0, 0.25, 0.5, 0.75], size=(types + 1, types + 1))
    matrix = np.maximum(grid, grid.T) if random.random() < 0.5 else grid
    matrix[:types, types] *= 0.5  # nothing is free to delete, or moves would reach across the text
    matrix[types, :types] *= 0.5
    np.fill_diagonal(matrix, 1.0)
    similarity = as_similarity(matrix, [str(i) for i in range(types)])
    if random.random() < 0.5:
        similarity = similarity.with_moves(random.choice([0.3, 0.4, 0.5, 0.75], size=types).tolist())
    metric = FlexibleEdits(similarity, **options)
    shares = [random.dirichlet(np.append(np.ones(types), 2.0 * types)) for _ in range(2)]
    return ChanceModel(*shares, np.array(lengths), metric.rule(similarity))


# ---------------------------------------------------------------------- the exact chance


def brute_force(model: ChanceModel, length: int) -> float:
    """Expected cost over every pair of texts of this length, each weighed by its probability."""
    from itertools import product

    none = len(model.first) - 1
    total = 0.0
    for first in product(range(none + 1), repeat=length):
        for second in product(range(none + 1), repeat=length):
            weight = np.prod(model.first[list(first)]) * np.prod(model.second[list(second)])
            total += weight * _cost(model, np.array(first), np.array(second))
    return total


def _cost(model: ChanceModel, *codes: np.ndarray) -> float:
    """What a pair of texts costs, given as the code of every place, the last of which stands for no boundary."""
    sides, zero, out = [], as_readonly_contiguous(np.zeros(1, np.int64)), np.empty((1, 3))
    for each in codes:
        where = np.flatnonzero(each < len(model.first) - 1)
        sides.append(
            MarkColumns(
                as_readonly_contiguous(where),
                as_readonly_contiguous(each[where]),
                zero,
                as_readonly_contiguous(np.array([len(where)])),
            )
        )
    count_flexible(*sides, zero, model.rule, False, out)
    return out[0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_exact_chance_is_the_mean_over_all_texts(seed: int) -> None:
    random = np.random.default_rng(seed)
    options = {"forced": seed % 3 > 0, "moved": ("cheaper", "later", "second")[seed % 3]}
    types, length = (1, 6) if seed % 2 else (2, 4)
    model = random_model(random, types, (length,), **options)
    expected = expected_cost(model.first, model.second, model.lengths, model.rule)
    assert expected is not None
    assert expected.cost == pytest.approx(brute_force(model, length), abs=1e-9)


def test_exact_chance_with_free_moves() -> None:
    similarity = as_similarity([[1, 0.5, 1], [0.5, 1, 0.25], [1, 0.25, 1]], ["p", "q"])
    model = ChanceModel(
        np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.2, 0.7]), np.array([4]), FlexibleEdits(similarity).rule(similarity)
    )
    expected = expected_cost(model.first, model.second, model.lengths, model.rule)
    assert expected is not None
    assert expected.cost == pytest.approx(brute_force(model, 4), abs=1e-9)


@pytest.mark.slow
def test_exact_chance_is_within_four_standard_errors_of_simulation() -> None:
    """Fifty random sets of types, matrices, moves, options and proportions."""
    random = np.random.default_rng(50)
    exact = 0
    for trial in range(50):
        options = {"forced": trial % 5 > 0, "moved": ("cheaper", "later", "second")[trial % 3]}
        thorough = trial % 10 == 0 or ALL
        lengths = (12,) if thorough else (40, 9, 1)
        model = random_model(random, 1 + trial % 3, lengths, **options)
        answer = chance_similarity(model)
        if answer.method != "exact":
            continue
        exact += 1
        assert answer.bound <= MAX_ERROR
        drawn = chance_similarity(
            model, method="simulation", draws=cases(250_000, 1_000_000) if thorough else 50_000, seed=trial
        )
        assert drawn.standard_error is not None
        assert abs(drawn.value - answer.value) < 4 * drawn.standard_error + answer.bound + 1e-12, trial
    assert exact >= 45


def test_exact_chance_depends_on_the_length() -> None:
    similarity = Similarity.identity(["p"])
    shares = np.array([0.3, 0.7])
    rule = FlexibleEdits(similarity).rule(similarity)
    each = [expected_cost(shares, shares, np.array([n]), rule) for n in (1, 2, 1000)]
    assert each[0].cost == pytest.approx(2 * 0.3 * 0.7)  # one place: nothing can move
    # two places: moves save 1.5 where one annotator has "p " and the other " p"
    assert each[1].cost == pytest.approx(4 * 0.3 * 0.7 - 1.5 * 2 * (0.3 * 0.7) ** 2)
    assert each[2].cost / 1000 < each[1].cost / 2


def test_expected_costs_of_tracks_add_up() -> None:
    random = np.random.default_rng(3)
    model = random_model(random, 2)
    whole = expected_cost(model.first, model.second, np.array([40, 7, 0]), model.rule)
    parts = [expected_cost(model.first, model.second, np.array([n]), model.rule) for n in (40, 7)]
    assert whole.cost == pytest.approx(sum(p.cost for p in parts))


def test_large_automata_are_replaced_by_simulation() -> None:
    similarity = as_similarity([[1, 0.3, 0.2], [0.3, 1, 0.1], [0.2, 0.1, 1]], ["p", "q"], 0.013)
    shares = np.array([0.3, 0.3, 0.4])
    model = ChanceModel(shares, shares, np.array([300]), FlexibleEdits(similarity).rule(similarity))
    assert chance_similarity(model, draws=200).method == "simulation"
    with pytest.raises(CaesuraError, match="automaton has too many states"):
        chance_similarity(model, method="exact")


# ---------------------------------------------------------------------- the simulation


def test_standard_error_has_the_nominal_coverage() -> None:
    """Of 300 simulations about 95 % must lie within 1.96 of their own standard errors of the exact value."""
    model = random_model(np.random.default_rng(8), 2, (60,))
    exact = chance_similarity(model)
    assert exact.method == "exact"
    runs = [chance_similarity(model, method="simulation", draws=400, seed=s, threads=1) for s in range(300)]
    z = np.array([(r.value - exact.value) / r.standard_error for r in runs])
    assert 0.91 <= (np.abs(z) < 1.96).mean() <= 0.985
    assert abs(z.mean()) < 0.25
    assert 0.85 < z.std() < 1.15


def test_control_variates_reduce_the_standard_error() -> None:
    model = random_model(np.random.default_rng(8), 2, (300,))
    drawn = chance_similarity(model, method="simulation", draws=4000)
    plain = np.std([_one_draw(model, s) for s in range(300)]) / np.sqrt(4000)
    assert drawn.standard_error < plain / 2


def _one_draw(model: ChanceModel, seed: int) -> float:
    random = np.random.default_rng(seed)
    none = len(model.first) - 1
    codes = [random.choice(none + 1, p=share, size=int(model.lengths[0])) for share in (model.first, model.second)]
    return 1 - _cost(model, *codes) / model.places


def test_simulation_does_not_depend_on_threads() -> None:
    alone, threaded = (
        cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", draws=5000, seed=7, threads=t) for t in (1, 4)
    )
    assert alone.value == threaded.value
    assert alone.value != cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", draws=5000, seed=8).value


def test_requested_precision_is_reached() -> None:
    for wanted in (0.01, 0.001):
        agreement = cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", precision=wanted)
        assert agreement.standard_error <= wanted
    assert agreement.details["draws"] > 1000


def test_simulations_with_and_without_exact_cost_agree(monkeypatch) -> None:
    with_it = cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", draws=20_000)
    monkeypatch.setattr("caesura.agreement.flexible_chance.expected_cost", lambda *_, **__: None)
    without = cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", draws=20_000, seed=1)
    error = np.hypot(with_it.standard_error, without.standard_error)
    assert abs(with_it.value - without.value) < 4 * error
    assert with_it.standard_error < without.standard_error


# ---------------------------------------------------------------------- the models and the coefficient


def test_distributions_of_chance_models() -> None:
    first, second = np.array([2.0, 0.0, 8.0]), np.array([2.0, 4.0, 4.0])
    assert [d.tolist() for d in distributions("kappa", first, second)] == [[0.2, 0.0, 0.8], [0.2, 0.4, 0.4]]
    assert [d.tolist() for d in distributions("pi", first, second)] == [[0.2, 0.2, 0.6]] * 2
    assert [d.tolist() for d in distributions("bennett", first, second)] == [[1 / 3] * 3] * 2
    assert [d.tolist() for d in distributions("bennett-boundaries", first * [2, 1, 1], second)] == [
        pytest.approx([5 / 22, 5 / 22, 12 / 22])
    ] * 2
    with pytest.raises(UnknownName, match="did you mean 'kappa'"):
        distributions("kapa", first, second)


def test_agreement_matches_the_authors_example() -> None:
    data = oracle_json("flexible/nccu.json")
    text = data["texts"][0]
    first, second = (
        {t["speaker"]: Segmentation.from_labels_at(t[side], labels=data["order"]) for t in text["tracks"]}
        for side in ("first", "second")
    )
    agreement = cs.flexible_agreement(first, second)
    assert agreement.details["method"] == "exact"
    assert agreement.standard_error is None
    assert 0.6885 <= agreement.value <= 0.691  # pooled proportions; the authors' last speaker's give .6892
    boundaries = cs.flexible_agreement(first, second, normalise="boundaries", draws=2000)
    assert 0.546 <= boundaries.value <= 0.574
    started = time.perf_counter()
    cs.flexible_agreement(first, second)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("chance", ["kappa", "pi", "bennett", "bennett-boundaries"])
@pytest.mark.parametrize("normalise", ["potential", "boundaries"])
def test_chance_models_and_normalisations_give_valid_values(chance: str, normalise: str) -> None:
    agreement = cs.flexible_agreement(FIRST, SECOND, chance=chance, normalise=normalise, draws=2000)
    assert agreement.coefficient == chance
    assert agreement.value == pytest.approx((agreement.observed - agreement.expected) / (1 - agreement.expected))
    assert 0 < agreement.value < agreement.observed < 1
    assert cs.flexible_agreement(FIRST, FIRST, chance=chance, normalise=normalise, draws=500).value == 1.0
    assert f"chance:{chance}" in agreement.signature


def test_pi_is_symmetric_and_kappa_of_one_coder_with_itself_is_pi() -> None:
    there, back = cs.flexible_agreement(FIRST, SECOND, chance="pi"), cs.flexible_agreement(SECOND, FIRST, chance="pi")
    assert there.value == pytest.approx(back.value)


def test_bennett_uses_the_types_of_the_matrix() -> None:
    three = Similarity.identity(["p", "q", "r"])
    five = Similarity.identity(["p", "q", "r", "s", "t"])
    few, many = (cs.flexible_agreement(FIRST, SECOND, m, chance="bennett") for m in (three, five))
    assert len(many.details["proportions"][0]) == 6
    assert many.expected < few.expected


# ---------------------------------------------------------------------- more coders, odd texts, bad input


def test_agreement_of_many_coders_is_the_mean_of_pairs() -> None:
    corpus = Corpus.from_annotations(
        [("t", "ann", FIRST), ("t", "ben", SECOND), ("t", "cyn", FIRST), ("u", "ann", SECOND), ("u", "ben", FIRST)]
    )
    agreement = cs.flexible_agreement(corpus)
    assert agreement.details["coders"] == ["ann", "ben", "cyn"]
    assert agreement.details["matrix"][0, 2] == 1.0
    pairs = agreement.details["pairs"]
    assert set(pairs) == {("ann", "ben"), ("ann", "cyn"), ("ben", "cyn")}
    assert agreement.value == pytest.approx(np.mean([p.value for p in pairs.values()]))
    assert agreement.details["matrix"][1, 0] == pairs["ann", "ben"].value
    pooled = cs.flexible_agreement([FIRST, SECOND], [SECOND, FIRST])
    assert pairs["ann", "ben"].value == pytest.approx(pooled.value)


def test_one_corpus_or_two_give_the_same_pair() -> None:
    corpus = Corpus.from_annotations([("t", "ann", FIRST), ("t", "ben", SECOND)])
    halves = corpus.select(coders=["ann"]), corpus.select(coders=["ben"])
    direct = cs.flexible_agreement(FIRST, SECOND).value
    assert cs.flexible_agreement(corpus).value == direct
    assert cs.flexible_agreement(*halves).value == direct


def test_empty_and_unmarked_texts_give_defined_values() -> None:
    assert cs.flexible_agreement(from_letters(""), from_letters("")).value == 1.0
    assert cs.flexible_agreement(from_letters("    "), from_letters("    ")).value == 1.0
    alone = cs.flexible_agreement(from_letters("    "), from_letters("p  q"))
    assert alone.value == pytest.approx(0.0)  # one side is unmarked: chance agrees exactly as often
    assert np.isfinite(cs.flexible_agreement(from_letters("    "), from_letters("p  q"), normalise="boundaries").value)
    assert cs.flexible_agreement([2, 3, 6], [2, 2, 7]).value > 0


WRONG = [
    (lambda: cs.flexible_agreement(FIRST), "nothing to agree with"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, chance="alpha"), "there is no chance model 'alpha'"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, method="guess"), "there is no method 'guess'"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, draws=1, method="simulation"), "expected a whole number, 2 or more"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, precision=0), "precision is 0"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, normalise="boundaries", method="exact"), "no exact value"),
    (lambda: cs.flexible_agreement(FIRST, SECOND, normalise="words"), "normalise is 'words'"),
    (lambda: cs.flexible_agreement(FIRST, from_letters("p")), "both must cover the same text"),
    (lambda: cs.flexible_agreement(Corpus.from_annotations([("t", "ann", FIRST)])), "needs two or more"),
    (
        lambda: cs.flexible_agreement(Corpus.from_annotations([("t", "ann", FIRST), ("u", "ben", FIRST)])),
        "no two coders of the corpus annotated the same text",
    ),
    (lambda: cs.flexible_agreement(Corpus.from_annotations([("t", "ann", FIRST)]), FIRST), "not one of each"),
]


@pytest.mark.parametrize(("call", "sentence"), WRONG, ids=[s for _, s in WRONG])
def test_invalid_input_is_rejected(call, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()
