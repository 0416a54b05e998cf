"""Fitted models of annotators: texts, recordings, nested segments, spans and labels; invariances, warnings and refusals."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import caesura as cs
from caesura.annotators import Prior, simulate_annotators
from caesura.annotators.planning import gold_quality, plan
from caesura.annotators.sampling import split_r_hat
from caesura.errors import CaesuraError
from cases import ALL
from cli.command import caesura


@pytest.fixture(scope="module")
def small() -> cs.Corpus:
    return simulate_annotators(4, items=4, units=60, spammers=0, seed=3).corpus


def renamed(corpus: cs.Corpus, names: dict[str, str], order: list[int]) -> cs.Corpus:
    rows = list(corpus)
    return cs.Corpus.from_annotations([(a.item + "!", names[a.coder], a.marks) for a in (rows[i] for i in order)])


def test_order_and_names_of_annotators_and_items_do_not_matter(small: cs.Corpus) -> None:
    names = dict(zip(small.coders, ["zoe", "ann", "eve", "ben"], strict=True))
    order = np.random.default_rng(0).permutation(len(small)).tolist()
    first, second = (
        cs.fit_annotators(small, intervals=None),
        cs.fit_annotators(renamed(small, names, order), intervals=None),
    )
    for name, other in names.items():
        assert first.annotators[name].hit_rate == pytest.approx(second.annotators[other].hit_rate, abs=1e-9)
        assert first.annotators[name].false_alarm_rate == pytest.approx(
            second.annotators[other].false_alarm_rate, abs=1e-9
        )
    for item in small.items:
        assert first.posterior(item) == pytest.approx(second.posterior(item + "!"), abs=1e-9)
        assert first.gold[item] == second.gold[item + "!"]


def test_reversed_texts_have_reversed_answers(small: cs.Corpus) -> None:
    turned = cs.Corpus.from_annotations(
        [
            (a.item, a.coder, cs.Segmentation.from_positions((60 - a.marks.positions[::-1]).tolist(), length=60))
            for a in small
        ]
    )
    first, second = cs.fit_annotators(small, intervals=None), cs.fit_annotators(turned, intervals=None)
    for item in small.items:
        assert first.posterior(item) == pytest.approx(second.posterior(item)[::-1], abs=1e-8)
    for name in small.coders:
        ours, theirs = first.annotators[name].displacement, second.annotators[name].displacement
        assert ours is not None
        assert theirs is not None
        assert ours.values == pytest.approx(theirs.values[::-1], abs=1e-8)


def test_the_model_beats_votes_on_simulated_annotators() -> None:
    """Bars of the simulation with one spammer; benchmarks/annotators.py prints the whole table."""
    rows, errors = [], []
    for seed in range(12 if ALL else 4):
        simulation = simulate_annotators(5, seed=seed)
        model = cs.fit_annotators(simulation.corpus, intervals=None, starts=1)
        apart = cs.fit_annotators(simulation.corpus, n_t=1, intervals=None, starts=1)
        ds = {
            (item, ""): cs.Segmentation.from_positions(
                (np.flatnonzero(apart.posterior(item) > 0.5) + 1).tolist(), length=201
            )
            for item in simulation.corpus.items
        }
        golds = (cs.unify_corpus(simulation.corpus), ds, model.golds)
        rows.append([gold_quality(gold, simulation.truth)[1] for gold in golds])
        known = [(model.annotators[name], own) for name, own in simulation.annotators.items()]
        assert all(p.displacement is not None for p, _ in known)
        errors.append(
            (
                np.mean([abs(p.hit_rate - own.hit_rate) for p, own in known]),
                np.mean([abs(p.false_alarm_rate - own.false_alarm_rate) for p, own in known]),
                np.mean([np.abs(p.displacement.values - own.displacement).sum() / 2 for p, own in known]),  # type: ignore[union-attr]
                float(known[-1][0].hit_rate),
                abs(model.expected_f - gold_quality(model.golds, simulation.truth)[0]),
            )
        )
    majority, dawid_skene, territory = np.mean(rows, axis=0)
    assert territory >= majority + 0.40
    assert territory >= dawid_skene + 0.10
    hit, false_alarm, displacement, spammer, assessed = np.mean(errors, axis=0)
    assert hit <= 0.04
    assert false_alarm <= 0.004
    assert displacement <= 0.12
    assert spammer <= 0.12
    assert assessed <= 0.04


def test_intervals_contain_the_estimates_and_come_from_mixed_chains(small: cs.Corpus) -> None:
    model = cs.fit_annotators(small, sweeps=100)
    for profile in model.annotators.values():
        low, high = profile.hit_rate.interval or (1.0, 0.0)
        assert low <= profile.hit_rate <= high
        assert profile.false_alarm_rate.interval is not None
        assert profile.displacement is not None
        assert profile.displacement.interval is not None
    data = json.loads(json.dumps(model.as_dict()))
    assert data["r_hat"][0] > 0
    assert pickle.loads(pickle.dumps(model)).gold == model.gold
    assert "if the model holds" in str(model)


def test_chains_that_disagree_have_a_large_r_hat() -> None:
    apart = np.arange(4.0)[:, None, None] + np.random.default_rng(0).normal(0, 0.1, (4, 50, 1))
    assert split_r_hat(apart) > 2


def test_recordings_have_rates_per_second_and_times_between_cells() -> None:
    rng = np.random.default_rng(1)
    rows = []
    truth = np.sort(rng.uniform(0, 30, 60)).round(3)
    truth = truth[np.diff(truth, prepend=-1) > 0.15]
    for coder in "abcd":
        seen = truth[rng.random(len(truth)) < 0.9]
        times = np.unique(np.clip(seen + rng.normal(0, 0.008, len(seen)), 0, 30).round(4))
        rows.append(("r", coder, cs.Segmentation.from_times(times.tolist(), length=30.0)))
    model = cs.fit_annotators(cs.Corpus.from_annotations(rows), intervals=None)
    gold = model.gold["r"]
    assert isinstance(gold, cs.Segmentation)
    assert gold.timed
    nearest = np.abs(gold.positions[:, None] - truth).min(axis=1)
    assert nearest.max() < 0.05
    assert nearest.mean() < 0.008
    assert len(gold.positions) >= 0.95 * len(truth)
    assert "false alarms per s" in str(model.tables()[0])


def test_two_marks_in_one_cell_are_moved_and_counted() -> None:
    rows = [("r", coder, cs.Segmentation.from_times([1.0, 1.002, 5.0], length=9.0)) for coder in "abc"]
    assert any(
        "next free cell" in sentence
        for sentence in cs.fit_annotators(cs.Corpus.from_annotations(rows), intervals=None).warnings
    )


def test_nested_segments_give_a_hierarchy() -> None:
    model = cs.fit_annotators(cs.samples.load("walk"), intervals=None)
    (gold,) = model.gold.values()
    assert isinstance(gold, cs.Hierarchy)
    assert any("level 2" in name for name in model.annotators)


def test_spans_have_a_start_an_end_and_a_label() -> None:
    rng = np.random.default_rng(0)
    truth = [(20 * n + 5, 20 * n + 13, "xy"[n % 2]) for n in range(30)]
    coded = {}
    for coder in "abcde":
        rows = [
            (start + int(rng.choice([-1, 0, 0, 0, 0, 1])), end, label if rng.random() < 0.9 else "x")
            for start, end, label in truth
            if rng.random() < 0.85
        ]
        coded[coder] = cs.Spans.from_rows(rows, length=620)
    model = cs.fit_annotators({"t": coded}, intervals=None)
    found = {(mark.position, mark.end, mark.type) for mark in model.marks_of("t")}
    assert len(found & set(truth)) >= 20
    assert any("alignment" in sentence for sentence in model.warnings)
    assert model.annotators["a"].confusion is not None
    assert cs.unify(coded, "model").rows == model.gold["t"].rows  # type: ignore[union-attr]


def test_labels_of_units_follow_the_reliable_annotators() -> None:
    rng = np.random.default_rng(2)
    truth = rng.choice(list("xyz"), 200).tolist()
    coded = {
        c: [t if rng.random() < p else str(rng.choice(list("xyz"))) for t in truth]
        for c, p in zip("abcd", (0.95, 0.9, 0.85, 0.0), strict=True)
    }
    corpus = {"t": {coder: cs.Segmentation.from_labels(labels) for coder, labels in coded.items()}}
    model = cs.fit_annotators(corpus, of="labels", intervals=None)
    right = [mark.type == label for mark, label in zip(model.marks_of("t"), truth, strict=True)]
    assert np.mean(right) > 0.95
    assert model.annotators["d"].hit_rate < 0.5 < model.annotators["a"].hit_rate


def test_typed_boundaries_have_confusions_and_several_types_are_layers() -> None:
    marks = [(3, "a"), (7, "b"), (10, "a")]
    corpus = {"t": {coder: cs.Segmentation.from_positions(marks, length=10) for coder in "abc"}}
    model = cs.fit_annotators(corpus, intervals=None)
    assert model.gold["t"].marks == marks  # type: ignore[union-attr]
    assert model.annotators["a"].labels == ("a", "b")
    both = [(3, "a"), (3, "b"), (7, "b")]
    layered = cs.fit_annotators(
        {"t": {coder: cs.Segmentation.from_positions(both, length=10) for coder in "abc"}}, intervals=None
    )
    assert layered.gold["t"].marks == both  # type: ignore[union-attr]
    assert any("several types" in sentence for sentence in layered.warnings)


def test_unify_fits_all_items_together() -> None:
    corpus = simulate_annotators(4, items=3, units=40, spammers=0, seed=1).corpus
    golds = cs.unify_corpus(corpus, "model")
    model = cs.fit_annotators(corpus, intervals=None)
    assert {item: list(gold.masses) for (item, _), gold in golds.items()} == {
        item: list(gold.masses) for item, gold in model.gold.items()
    }  # type: ignore[union-attr]
    assert next(iter(golds.values())).provenance.details["probabilities"]


@pytest.mark.parametrize(
    ("corpus", "options", "sentence"),
    [
        ({"t": {"ann": [2, 3]}}, {}, "one annotator cannot be judged"),
        ({"t": {"ann": [2, 3], "ben": [3, 2]}}, {}, "two annotators cannot be judged"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"n_t": 0}, "n_t is 0"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"n_t": 9}, "longest text, 't', has 4 gaps"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"n_t": 40}, "at most 21"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"prior": {"hits": 0}}, "hits is 0"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"prior": {"luck": 1}}, "no 'luck'"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"tolerance": 0.1}, "tolerance applies to recordings"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"of": "labels"}, "no label per unit"),
        ({"t": {"a": [2, 3], "b": [3, 2], "c": [2, 3]}}, {"level": 2}, "level is 2"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(corpus: dict, options: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        cs.fit_annotators(corpus, **options)


def test_two_annotators_with_a_prior_of_the_user_show_its_effect() -> None:
    corpus = simulate_annotators(2, items=3, units=50, spammers=0, seed=1).corpus
    model = cs.fit_annotators(corpus, prior=Prior(hits=8, misses=2), intervals=None)
    assert "× 0.5" in str(model.tables()[1])
    assert any("do not identify" in sentence for sentence in model.warnings)


def test_empty_items_no_marks_and_marks_everywhere() -> None:
    nothing = cs.fit_annotators({"t": {coder: [9] for coder in "abc"}}, intervals=None)
    assert nothing.gold["t"].masses == [9]  # type: ignore[union-attr]
    assert np.isnan(nothing.annotators["a"].hit_rate)
    corpus = simulate_annotators(4, items=2, units=30, spammers=0, seed=2).corpus
    everywhere = [(item, "all", cs.Segmentation.from_positions(list(range(1, 30)), length=30)) for item in corpus.items]
    one_unit = [("tiny", coder, [1]) for coder in corpus.coders]
    model = cs.fit_annotators(cs.Corpus.from_annotations([*corpus, *everywhere, *one_unit]), intervals=None)
    assert model.annotators["all"].notes == ("marks everything",)
    assert np.isnan(model.annotators["all"].hit_rate)
    assert model.gold["tiny"].masses == [1]  # type: ignore[union-attr]
    assert len(model.posterior("tiny")) == 0


def test_few_informative_annotators_are_said_to_rest_on_the_prior() -> None:
    corpus = simulate_annotators(3, items=3, units=60, spammers=2, seed=2).corpus
    assert any("rest on the prior" in sentence for sentence in cs.fit_annotators(corpus, intervals=None).warnings)


def test_annotators_who_copy_are_named() -> None:
    simulation = simulate_annotators(6, items=10, spammers=0, copiers=1, seed=5)
    model = cs.fit_annotators(simulation.corpus, intervals=None, starts=1)
    assert any(sentence.startswith("c1 and c2 share") for sentence in model.warnings)
    honest = cs.fit_annotators(simulate_annotators(5, items=10, spammers=0, seed=5).corpus, intervals=None, starts=1)
    assert not any("share" in sentence for sentence in honest.warnings)


def test_a_plan_knows_how_little_a_small_pilot_knows() -> None:
    pilot = simulate_annotators(4, items=12, units=60, spammers=0, seed=4).corpus
    few, many = pilot.select(items=pilot.items[:5]), pilot
    wide, narrow = (plan(each, "B", 0.05, coefficient="percentage", simulate=False) for each in (few, many))
    assert wide.items_interval[1] / wide.items > narrow.items_interval[1] / narrow.items
    assert narrow.annotators is not None
    three = plan(pilot.select(coders=pilot.coders[:3]), "B", 0.05, coefficient="percentage", simulate=False)
    assert three.annotators is None
    assert any("not estimated" in note for note in three.notes)


def test_the_jackknife_is_the_delta_method_for_a_ratio_of_sums() -> None:
    pilot = simulate_annotators(4, items=12, units=60, spammers=0, seed=4).corpus
    planned = plan(pilot, "B", coefficient="percentage", simulate=False)
    counted = cs.agree(pilot, "B", "percentage")
    from caesura.metrics import metric
    from caesura.statistics.counted import CountedPairs

    measure = metric("B")
    score = CountedPairs.among_coders(pilot)
    parts = measure.parts(score.by_item(measure))
    whole = measure.value(parts.sum(axis=0))
    assert whole == pytest.approx(counted.value)
    assert planned.item_sd > 0


def test_a_plan_simulates_from_the_fitted_model() -> None:
    pilot = simulate_annotators(4, items=4, units=60, spammers=0, seed=6).corpus
    planned = plan(pilot, "B", 0.1, coefficient="percentage", repetitions=4)
    assert planned.grid
    assert [each.annotators for each in planned.further] == [4, 5, 6]
    assert all(each.pays in ("", "yes", "no", "unknown") for each in planned.further)
    assert "half width by simulation" in str(planned)


def test_too_small_pilots_are_refused() -> None:
    with pytest.raises(CaesuraError, match="three or more items"):
        plan({"t": {"ann": [2, 3], "ben": [3, 2]}})
    with pytest.raises(CaesuraError, match="half_width is 0"):
        plan(simulate_annotators(3, items=4, seed=1).corpus, half_width=0)


def test_the_command_line_prints_profiles_the_test_and_a_plan(tmp_path, small: cs.Corpus) -> None:
    cs.write(small, tmp_path / "small.json")
    out = caesura("annotators", str(tmp_path / "small.json"), "--intervals", "none", "--gold").stdout
    for words in ("hit rate", "disputed places", "the most probable annotation", "probability of a boundary"):
        assert words in out
    out = caesura("annotators", str(tmp_path / "small.json"), "--candidate", "c1:min_items=2").stdout
    assert "may c1 replace a human?" in out
    assert "items for ± 0.05" in caesura("plan", str(tmp_path / "small.json"), "--no-simulation").stdout


def test_the_gold_standard_is_drawn_under_the_text() -> None:
    model = cs.fit_annotators(cs.samples.load("kubla"), intervals=None)
    under = model.pictures()[-1]
    lines = str(under).splitlines()
    at = next(number for number, line in enumerate(lines) if "pleasure-dome decree:" in line)
    probability = f"{model.posterior('kubla')[1]:.2f}"[1:]
    mark = lines[at + 1].index("┃")
    assert mark >= lines[at].index("decree:") + len("decree:")
    assert lines[at + 2][mark - 1 : mark + 2] == probability
    assert f"after unit 2: probability {model.posterior('kubla')[1]:.3f}; marked by" in under.svg()
    hebrew = cs.samples.load("scripts").select(items=["hebrew"])
    right_to_left = cs.fit_annotators(hebrew, prior={"hits": 8}, intervals=None).pictures()[-1]
    assert str(right_to_left).splitlines()[1].rstrip().endswith("\u2069"), "the first word is on the right"
    long = {"t": {coder: cs.Segmentation(3000, [7, 90], None, None, ("word",) * 3000) for coder in "abc"}}
    assert "of 3,000 units" in str(cs.fit_annotators(long, intervals=None).pictures()[-1])
