"""Names of segments against a naive version: equal to R if all names agree, near 0 beyond chance for random names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import caesura as cs
from caesura.metrics import Batch, metric
from caesura.metrics.segment_names import NameCounts

NAMES = ["label-agreement", "label-kappa", "labelled-R", "time-agreement", "time-kappa"]

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")


def recording(random: np.random.Generator, names: tuple[str, ...] = ("a", "t", "")) -> cs.Segmentation:
    """Milliseconds on a coarse grid, so that boundaries of two coders often meet, tie, and crowd together."""
    times = np.unique(random.integers(0, 61, random.integers(0, 12))) * 0.01
    return cs.Segmentation.from_times(
        times, length=0.6, names=random.choice(names, len(cs.Segmentation.from_times(times, length=0.6))).tolist()
    )


def naive_counts(ref: cs.Segmentation, hyp: cs.Segmentation, tolerance: int) -> NameCounts:
    """The definitions, in whole hundredths of a second: regions, ends that hit each other, and every hundredth by its names."""
    ours, theirs = ([round(100 * cut) for cut in side.positions if 0 < cut < 0.6] for side in (ref, hyp))

    def hit_by(these: list[int], those: list[int]) -> dict[int, int]:
        """Who of those hits each of these: of all nearer to it than to its neighbours (the earlier one's at a tie), the nearest."""
        owner = {b: min(these, key=lambda a: (abs(a - b), a)) for b in those} if these else {}
        return {
            a: min((b for b in those if owner[b] == a), key=lambda b: (abs(a - b), b))
            for a in these
            if any(owner[b] == a and abs(a - b) <= tolerance for b in those)
        }

    there, back = hit_by(ours, theirs), hit_by(theirs, ours)
    labelled = sum(
        ref.names[ours.index(a) : ours.index(a) + 2] == hyp.names[theirs.index(b) : theirs.index(b) + 2]
        for a, b in there.items()
    )
    mutual = {0: 0, 60: 60} | {a: b for a, b in there.items() if back.get(b) == a}
    segments = dict(zip(pairwise([0, *theirs, 60]), hyp.names, strict=True))
    matched = [
        (name, segments[mutual[a], mutual[b]])
        for (a, b), name in zip(pairwise([0, *ours, 60]), ref.names, strict=True)
        if a in mutual and b in mutual and (mutual[a], mutual[b]) in segments
    ]
    instants = [
        tuple(
            side.names[sum(cut <= at for cut in cuts)] for side, cuts in ((ref, ours), (hyp, theirs))
        )
        for at in range(60)
    ]  # fmt: skip
    by_chance = [
        sum(sum(x == name for x, _ in pairs) * sum(y == name for _, y in pairs) for name in ("a", "t", ""))
        / max(len(pairs), 1)
        for pairs in (matched, instants)
    ]
    agreeing, time = sum(x == y for x, y in matched), sum(x == y for x, y in instants) / 100
    return NameCounts(
        len(there), labelled, len(ours), len(theirs), len(matched), agreeing, by_chance[0], 0.6, time, by_chance[1] / 100,
        agreeing, time,
    )  # fmt: skip


def test_counts_equal_naive_version() -> None:
    random = np.random.default_rng(0)
    for _ in range(400):
        ref, hyp = recording(random), recording(random)
        for tolerance in (0, 1, 2):
            counts = metric("label-kappa", tolerance=tolerance / 100).counts_of(ref, hyp)
            np.testing.assert_allclose(counts, naive_counts(ref, hyp, tolerance), atol=1e-9)


@pytest.mark.parametrize("matching", ["regions", "optimal", "lenient"])
def test_labelled_r_equals_r_if_all_names_are_equal(matching: str) -> None:
    random = np.random.default_rng(1)
    for _ in range(100):
        sides = []
        for _ in range(2):
            times = np.sort(random.uniform(0, 0.6, random.integers(1, 12)).round(random.integers(2, 4)))
            times = np.sort(np.concatenate((times, times[:2])))  # a segmenter that fires twice
            bare = cs.Segmentation.from_times(times, length=0.6)
            sides.append(cs.Segmentation.from_times(times, length=0.6, names=["x"] * len(bare)))
        options = {"matching": matching, "tie": "later"}
        np.testing.assert_equal(metric("labelled-R", **options)(*sides), metric("R", **options)(*sides))
        counts = metric("labelled-R", **options).counts_of(*sides)
        assert counts.hits == counts.labelled_hits
        assert metric("time-kappa")(*sides) == 1.0  # chance alone agrees perfectly


def test_random_names_have_kappa_near_zero() -> None:
    """Issue 16: random phone labels scored as well as right ones."""
    random = np.random.default_rng(2)
    phones = cs.samples.load("phones").select(coders=["ann", "ben"])
    right, heard = (phones["margin", coder] for coder in ("ann", "ben"))
    kappas = []
    for _ in range(200):
        dealt = cs.Segmentation.from_times(heard.positions, length=heard.length, names=random.permutation(heard.names))
        assert metric("A")(right, dealt) == metric("A")(right, heard)
        assert metric("labelled-R")(right, dealt) < metric("R")(right, dealt) - 0.2
        kappas.append([metric("label-kappa")(right, dealt), metric("time-kappa")(right, dealt)])
    assert np.abs(np.mean(kappas, axis=0)).max() < 0.03
    assert metric("label-kappa")(right, heard) > 0.95


def test_texts_are_compared_by_units() -> None:
    ours, theirs = ["a", "a", "b", "b", "b", "c"], ["a", "b", "b", "b", "a", "c"]
    pair = cs.Segmentation.from_labels(ours), cs.Segmentation.from_labels(theirs)
    by_chance = (2 * 2 + 3 * 3 + 1 * 1) / 6
    assert metric("time-agreement")(*pair) == 4 / 6
    np.testing.assert_allclose(metric("time-kappa")(*pair), (4 - by_chance) / (6 - by_chance))
    assert metric("label-agreement").counts_of(*pair).matched == 1  # the last alone has both its ends


def test_empty_recording_is_undefined_and_changes_no_pooled_score() -> None:
    sides = [
        {"a": cs.Segmentation.from_times([0.3], length=0.5, names=["x", "y"]), "b": cs.Segmentation(0.0, [])},
        {"a": cs.Segmentation.from_times([0.3], length=0.5, names=["x", "z"]), "b": cs.Segmentation(0.0, [])},
    ]
    evaluation = cs.evaluate(*sides, NAMES[:2])
    assert evaluation["label-agreement"].micro == 0.5
    assert np.isnan(evaluation["label-agreement"].per_item[1])
    assert np.isnan(evaluation["label-kappa"].per_item[1])


def test_annotations_without_names_raise_error() -> None:
    named, bare = cs.Segmentation.from_labels(["a", "b"]), cs.Segmentation.from_masses([1, 1])
    for pair, which in (((named, bare), "hypothesis"), ((bare, named), "reference"), ((bare, bare), "reference")):
        with pytest.raises(cs.CaesuraError, match=f"the {which} gives its segments no names to compare"):
            metric("label-kappa")(*pair)
    assert not metric("time-kappa").applies_to(Batch.of_pair(named, bare))


# ---------------------------------------------------------------------- through everything that takes metrics


@pytest.fixture(scope="module")
def three_coders() -> cs.Corpus:
    random = np.random.default_rng(3)
    return cs.Corpus.from_annotations(
        (f"i{item:02d}", coder, recording(random)) for item in range(20) for coder in ("ann", "ben", "cat")
    )


def test_evaluation_and_streaming_compare_names_if_present(three_coders: cs.Corpus, tmp_path) -> None:
    from caesura.statistics.engine import evaluate_files

    gold, system = three_coders.select(coders=["ann"]), three_coders.select(coders=["ben"])
    evaluation = cs.evaluate(gold, system, resamples=100)
    assert set(NAMES) <= set(evaluation.measured)
    assert evaluation.unmeasured() == []
    assert evaluation["time-kappa"].interval is not None
    for corpus, name in ((gold, "gold"), (system, "system")):
        cs.write(corpus, tmp_path / f"{name}.parquet")
    files = tmp_path / "gold.parquet", {"hypothesis": tmp_path / "system.parquet"}
    streamed = evaluate_files(*files, NAMES, items_per_fragment=3, resamples=100)
    for name in NAMES:
        assert streamed[name].micro == pytest.approx(evaluation[name].micro, abs=1e-12)
        assert streamed[name].macro == pytest.approx(evaluation[name].macro, abs=1e-12)
    assert "label-agreement" in evaluate_files(*files, ["R"], resamples=0).warnings()[0]


def test_unmeasured_names_are_reported(three_coders: cs.Corpus) -> None:
    gold, system = three_coders.select(coders=["ann"]), three_coders.select(coders=["ben"])
    sentence = (
        "segments have names, which no metric chosen here compares; "
        "label-agreement, label-kappa, labelled-R, time-agreement and time-kappa do."
    )
    evaluation = cs.evaluate(gold, system, ["R"], resamples=0)
    assert sentence in evaluation.warnings()
    assert sentence in evaluation.as_dict()["warnings"]
    assert f"! {sentence}" in evaluation.tables()[0].notes
    pair = gold["i00", "ann"], system["i00", "ben"]
    assert cs.compare(*pair, ["R"]).warnings() == [sentence] == cs.compare(*pair, ["R"]).as_dict()["warnings"]
    assert cs.compare(*pair).warnings() == []
    assert cs.agree(three_coders).warnings() == [sentence] == cs.agree(three_coders).as_dict()["warnings"]
    assert cs.agree(three_coders, "time-agreement").warnings() == []
    bare = cs.Corpus.from_annotations(
        (a.item, a.coder, cs.Segmentation.from_times(a.marks.positions, length=0.6)) for a in system
    )
    only = "only the reference gives its segments names, so that no metric can compare them."
    assert only in cs.evaluate(gold, bare, resamples=0).warnings()
    assert cs.evaluate(bare, bare, ["R"], resamples=0).unmeasured() == []
    one_bare = cs.Corpus.join([bare.select(items=["i00"]), system.select(items=[f"i{i:02d}" for i in range(1, 20)])])
    (warning,) = cs.evaluate(gold, one_bare, resamples=0).unmeasured()
    assert warning.startswith(
        f"{', '.join(NAMES)} left out: label-agreement cannot count item 'i00', coder 'ben' against 'ann'"
    )


def test_agreement_of_coders_on_names(three_coders: cs.Corpus) -> None:
    pairs = [("ann", "ben"), ("ann", "cat"), ("ben", "cat")]
    for name in ("label-agreement", "label-kappa", "time-agreement", "time-kappa"):
        rows = [
            metric(name).row(three_coders[item, x], three_coders[item, y])
            for item in three_coders.items
            for x, y in pairs
        ]
        assert cs.agree(three_coders, name).value == pytest.approx(float(metric(name).score(np.sum(rows, axis=0))))
    with pytest.raises(cs.CaesuraError, match="labelled-R depends on which side is the reference"):
        cs.agree(three_coders, "labelled-R")
    from_labels = {"x": {"ann": cs.Segmentation.from_labels("aab"), "ben": cs.Segmentation.from_labels("abb")}}
    with pytest.raises(cs.CaesuraError, match="time-kappa does not run from 0 to 1"):
        cs.agree(from_labels, "time-kappa")


def test_baselines_of_texts_have_names() -> None:
    gold = {"x": cs.Segmentation.from_labels("aaabbc"), "y": cs.Segmentation.from_labels("ccab")}
    system = {"x": cs.Segmentation.from_labels("aabbbc"), "y": cs.Segmentation.from_labels("cccb")}
    evaluation = cs.evaluate(gold, system, ["time-kappa", "B"], bounds=True, resamples=0)
    assert evaluation.bounds["none"]["time-kappa"].micro == pytest.approx(0.0)
    missing = cs.evaluate(gold, {"x": system["x"]}, ["time-agreement"], missing="empty", resamples=0)
    assert missing["time-agreement"].per_item == pytest.approx([5 / 6, 0.0])


# ---------------------------------------------------------------------- maps of names


def test_a_map_makes_names_of_two_phone_sets_the_same(tmp_path) -> None:
    gold = cs.Segmentation.from_times([0.1, 0.2, 0.3], length=0.4, names=["sil", "AA", "t", "sil"])
    other = cs.Segmentation.from_times([0.1, 0.2, 0.3], length=0.4, names=["<p:>", "A", "t", "<p:>"])
    path = tmp_path / "phones.tsv"
    path.write_text("hyp:<p:>\tsil\nhyp:A\tAA\n")
    for name in ("label-agreement", "label-kappa", "labelled-R", "time-agreement", "time-kappa"):
        assert metric(name)(gold, other) < 1
        mapped = metric(name, mapping=str(path))
        assert mapped(gold, other) == 1.0
        assert "map:" in mapped.signature
        assert "map:" not in metric(name).signature
        assert metric(mapped.spelled)(gold, other) == 1.0


def test_a_row_of_names_becomes_one_segment() -> None:
    gold = cs.Segmentation.from_times([0.1, 0.3], length=0.4, names=["sil", "tʃ", "sil"])
    other = cs.Segmentation.from_times([0.1, 0.2, 0.3], length=0.4, names=["sil", "t", "ʃ", "sil"])
    join = {"hyp:t ʃ": "tʃ"}
    assert metric("label-agreement", mapping=join)(gold, other) == 1.0
    assert metric("labelled-R", mapping=join)(gold, other) == 1.0
    assert metric("onset-mean", mapping=join)(gold, other) == 0.0
    apart = cs.Segmentation.from_times([0.1, 0.15, 0.2, 0.3], length=0.4, names=["sil", "t", "", "ʃ", "sil"])
    assert metric("interval-matched", mapping=join)(gold, apart) == pytest.approx(2 / 3)  # a gap between t and ʃ


def test_a_name_that_stands_for_several_agrees_with_each_and_makes_one_class() -> None:
    gold = cs.Segmentation.from_times([0.1, 0.2, 0.3], length=0.4, names=["N", "N", "en", "a"])
    other = cs.Segmentation.from_times([0.1, 0.2, 0.3], length=0.4, names=["en", "n", "n", "a"])
    relation = {"N": ["en", "n"]}
    assert metric("label-agreement", mapping=relation)(gold, other) == 0.75  # en is not n
    assert metric("time-agreement", mapping=relation)(gold, other) == pytest.approx(0.75)
    assert metric("label-kappa", mapping=relation)(gold, other) == 1.0  # N, en and n are one class
    assert metric("time-kappa", mapping=relation)(gold, other) == 1.0


def test_labels_of_spans_take_a_map() -> None:
    from caesura import Spans

    gold = Spans.from_rows([(0, 5, "PER"), (8, 12, "LOC")], length=20)
    other = Spans.from_rows([(0, 5, "person"), (8, 12, "place")], length=20)
    names = {"person": "PER", "place": "LOC"}
    for name in ("span-F", "span-type-F", "token-F", "linked-agreement", "linked-kappa"):
        assert metric(name)(gold, other) < 1
        assert metric(name, mapping=names)(gold, other) == 1.0
