from __future__ import annotations

import csv
import warnings

import numpy as np
import pytest

from caesura import CaesuraError, Hierarchy, evaluate, metric
from caesura.errors import InvalidSegmentation
from caesura.metrics.hierarchies import expected_error, layer_error, layer_scores
from shared_data import oracle_json, shared


def labelled(case, side: str):
    return [
        [(*interval, label) for interval, label in zip(layer, labels, strict=True)]
        for layer, labels in zip(case[side], case[f"{side}_labels"], strict=True)
    ]


def test_t_and_l_measures_equal_those_of_mir_eval() -> None:
    compared = 0
    for case in oracle_json("hierarchies/mir_eval.json"):
        sides = labelled(case, "ref"), labelled(case, "est")
        for answer in case["answers"]:
            given = {key: answer[key] for key in ("window", "frame", "transitive")}
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="1 segment shorter than a frame")
                got = layer_scores(*sides, answer["measure"], **given, like="mir_eval")
            np.testing.assert_allclose(got, answer["value"], atol=1e-9, err_msg=case["name"])
            compared += 1
    assert compared == 150


def test_evhds_is_the_mean_that_evalhds_estimates() -> None:
    compared = 0
    for case in oracle_json("hierarchies/evhds.json"):
        ref, hyp = ({int(p): rank for p, rank in case[side].items()} for side in ("ref", "hyp"))
        for answer in case["answers"]:
            compare = "count" if answer["windowdiff"] else "any"
            error, boundaries = expected_error(ref, hyp, case["atoms"], compare, least_window=0)
            assert error / boundaries == pytest.approx(answer["mean"], abs=answer["tolerance"]), case["name"]
            compared += 1
    assert compared == 120


def test_evhds_of_moonstone_annotators() -> None:
    folder = shared("data/moonstone_hierarchies")

    def read(name: str) -> Hierarchy:
        (path,) = folder.rglob(name.split("/")[-1])
        rows = list(csv.DictReader(path.open(encoding="utf-8-sig")))
        levels = sorted(key for key in rows[0] if key and key.strip().lower().startswith("level"))
        columns = [[int((row[key] or "0").strip() or 0) for row in rows] for key in levels]
        ranks = {i + 1: next((k for k, c in enumerate(columns, 1) if c[i]), 0) for i in range(len(rows) - 1)}
        return {p: rank for p, rank in ranks.items() if rank}, len(rows)

    for case in oracle_json("hierarchies/moonstone.json"):
        (ref, length), (hyp, _) = read(case["ref"]), read(case["hyp"])
        error, boundaries = expected_error(ref, hyp, length, "count" if case["windowdiff"] else "any", least_window=0)
        assert error / boundaries == pytest.approx(case["exact"], abs=1e-9), case


def test_window_in_units_is_that_of_layers_in_time() -> None:
    random = np.random.default_rng(5)

    def layers(length: int):
        cuts = np.unique(np.concatenate(([0, length], random.integers(1, length, 3))))
        finer = np.unique(np.concatenate((cuts, random.integers(1, length, 8))))
        return [list(zip(c[:-1].tolist(), c[1:].tolist(), strict=True)) for c in (cuts, finer)]

    for _ in range(5):
        ref, hyp = layers(40), layers(40)
        for window in (6, None):
            in_time = layer_scores(ref, hyp, frame=1.0, window=window)
            sides = Hierarchy.from_layers(ref), Hierarchy.from_layers(hyp)
            assert metric("T-measure", window=window)(*sides) == pytest.approx(in_time.f)
            assert metric("T-precision", window=window)(*sides) == pytest.approx(in_time.precision)


def test_labels_make_recurring_parts_recur() -> None:
    gold = [[(0, 10, "A"), (10, 20, "B"), (20, 30, "A")]]
    assert layer_scores(gold, gold, "L").f == 1.0
    other = [[(0, 10, "A"), (10, 20, "B"), (20, 30, "C")]]
    assert layer_scores(gold, other, "L").recall < 1.0
    assert layer_scores(gold, other, "T", window=None).f == 1.0


def test_undefined_scores() -> None:
    flat = Hierarchy.from_spans([(1, 6)], length=6)
    assert np.isnan(metric("T-measure")(flat, flat))
    assert np.isnan(metric("evHDS")(flat, flat))
    assert np.isnan(layer_scores([[(0, 6)]], [[(0, 6)]]).f)
    assert layer_scores([[(0, 6)]], [[(0, 6)]], like="mir_eval").f == 0.0
    # fine references have empty windows in EvalHDS, so that everything is right
    fine = dict.fromkeys(range(1, 9), 1)
    assert expected_error(fine, {3: 1}, 10, least_window=0) == (0.0, 8)
    assert expected_error(fine, {3: 1}, 10)[0] > 0


def test_pooled_score_adds_frames() -> None:
    gold = {"x": Hierarchy.from_layers([[(0, 4), (4, 8)]]), "y": Hierarchy.from_layers([[(0, 2), (2, 20)]])}
    system = {"x": Hierarchy.from_layers([[(0, 4), (4, 8)]]), "y": Hierarchy.from_layers([[(0, 10), (10, 20)]])}
    measured = evaluate(gold, system, ["T-recall"])["T-recall"]
    first, second = measured.per_item
    assert measured.micro == pytest.approx((8 * first + 20 * second) / 28)


def test_wrong_layers_get_a_sentence() -> None:
    for layers, sentence in (
        ([], "no layers"),
        ([[(3, 2)]], "expected \\(start, end\\)"),
        ([[(0, 5)]], "covers 0 to 10 s and the hypothesis 0 to 5 s"),
    ):
        with pytest.raises(CaesuraError, match=sentence):
            layer_scores([[(0, 10)]], layers)
    with pytest.raises(InvalidSegmentation, match="not whole"):
        Hierarchy.from_layers([[(0, 1.5)]])
    with pytest.raises(InvalidSegmentation, match="cross"):
        Hierarchy.from_layers([[(0, 5), (5, 9)], [(3, 6)]])
    with pytest.warns(UserWarning, match="1 segments shorter than a frame"):
        Hierarchy.from_layers([[(0, 1.0), (1.0, 1.05), (1.05, 2.0)]], frame=0.1)
    assert metric("T-F") == metric("T-measure")


LABELLED = [[(0, 10, "A"), (10, 20, "B"), (20, 30, "A")], [(0, 5, "x"), (5, 10, "y"), (10, 20, "x")]]


def test_labels_of_a_hierarchy_are_kept_and_compared(tmp_path) -> None:
    import pickle

    import caesura as cs
    from caesura.metrics.hierarchies import layer_scores

    gold = cs.Hierarchy.from_layers(LABELLED)
    other = [[(0, 12, "A"), (12, 20, "B"), (20, 30, "C")]]
    expected = layer_scores(LABELLED, other, "L", frame=1.0)
    for name, value in zip(("L-precision", "L-recall", "L-measure"), expected, strict=True):
        assert cs.metric(name)(gold, cs.Hierarchy.from_layers(other)) == pytest.approx(value)
    assert gold.layers == LABELLED
    assert pickle.loads(pickle.dumps(gold)).names == gold.names == ("A", "B", "A", "x", "y", "x")
    bare = cs.Hierarchy.from_layers([[row[:2] for row in layer] for layer in LABELLED])
    assert bare.names is None
    assert bare == gold  # names do not count
    assert bare.layers == [[row[:2] for row in layer] for layer in LABELLED]
    assert cs.metric("L-measure")(gold, bare) < 1
    corpus = cs.Corpus.from_dict({"song": {"a": gold, "b": bare}})
    for file in ("song.json", "song.jsonl", "song.parquet"):
        if file.endswith("parquet"):
            pytest.importorskip("polars")
        cs.write(corpus, tmp_path / file)
        again = cs.read(tmp_path / file)
        assert again == corpus
        assert (again["song", "a"].names, again["song", "b"].names) == (gold.names, None)
    with pytest.raises(cs.CaesuraError, match="2 names were given for 1 segment"):
        cs.Hierarchy(4, [(1, 4, 1)], names=["a", "b"])


def test_names_follow_segments_that_a_file_has_in_another_order(tmp_path) -> None:
    import json

    import caesura as cs

    rows, names = [[5, 8, 2], [1, 8, 1], [1, 4, 2]], ["second", "whole", "first"]
    entry = {"item": "t", "coder": "a", "length": 8, "segments": rows, "names": names}
    path = tmp_path / "t.json"
    cs.write(cs.Corpus.from_dict({"t": {"a": cs.Hierarchy(8, [(1, 8, 1)])}}), path)
    head = json.loads(path.read_text())
    head["annotations"] = [entry]
    path.write_text(json.dumps(head))
    assert cs.read(path)["t", "a"].layers == [[(0, 8, "whole")], [(0, 4, "first"), (4, 8, "second")]]


def test_layers_of_mir_eval_are_read() -> None:
    import caesura as cs

    intervals = [np.array([[0.0, 1.5], [1.5, 3.0]]), np.array([[0.0, 0.5], [0.5, 1.5]])]
    (marks,) = [a.marks for a in cs.from_object(intervals)]
    assert marks.layers == [[(0, 15), (15, 30)], [(0, 5), (5, 15)]]
    (named,) = [a.marks for a in cs.from_object((intervals, [["A", "B"], ["a", "b"]]))]
    assert named.names == ("A", "B", "a", "b")


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [([], "no segment"), ([[]], "no segment"), ([[(0, float("nan"))]], "not two finite"), ([[("a", 2)]], "not two finite"), ([5], "not two finite")],
)  # fmt: skip
def test_layers_need_segments_of_numbers(layers, sentence: str) -> None:
    with pytest.raises(InvalidSegmentation, match=sentence):
        Hierarchy.from_layers(layers)
    with pytest.raises(CaesuraError, match="frame is 0"):
        Hierarchy.from_layers([[(0, 2)]], frame=0)


def test_layers_in_time_have_the_error_of_their_frames() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        sides = []
        for _ in range(2):
            coarse = np.unique(np.concatenate(([0, 60], random.integers(1, 60, 3))))
            fine = np.unique(np.concatenate((coarse, random.integers(1, 60, 8))))
            sides.append([list(zip(c[:-1].tolist(), c[1:].tolist(), strict=True)) for c in (coarse, fine)])
        in_seconds = [[[(a / 10, b / 10) for a, b in layer] for layer in side] for side in sides]
        for compare in ("any", "count"):
            units = [Hierarchy.from_layers(side) for side in sides]
            assert layer_error(*in_seconds, compare=compare) == pytest.approx(metric("evHDS", compare=compare)(*units))
    gold = [[(0, 3.04), (3.04, 6)], [(0, 1), (1, 3.04), (3.04, 6)]]
    near = [[(0, 2.96), (2.96, 6)], [(0, 1.02), (1.02, 2.96), (2.96, 6)]]
    assert layer_error(gold, near) == 0.0, "rounded to the nearest frame"
    with pytest.warns(UserWarning, match="1 boundary left out: a stronger one is in the same frame of 1 s"):
        assert layer_error(gold, [[(0, 3), (3, 6)], [(0, 1), (1, 3.2), (3.2, 6)]], frame=1.0) == 0.0
    assert np.isnan(layer_error([[(0, 6)]], [[(0, 6)]]))
    with pytest.raises(CaesuraError, match="expected the same time"):
        layer_error(gold, [[(0, 5)]])
    with pytest.warns(UserWarning, match="1 segment shorter than a frame of 0.1 s vanishes"):
        layer_scores([[(0, 1), (1, 2)]], [[(0, 1.02), (1.02, 1.04), (1.04, 2)]], window=None)


def test_levels_and_boundaries_of_both_sides_are_told() -> None:
    gold = Hierarchy.from_layers([[(0, 4), (4, 8)], [(0, 2), (2, 4)]])
    flat = Hierarchy.from_layers([[(0, 4), (4, 8)]])
    told = "the reference has 2 levels and 2 boundaries, the hypothesis 1 level and 1 boundary"
    for name in ("T-measure", "evHDS", "L-recall"):
        result = evaluate({"x": gold}, {"x": flat}, [name])
        assert result.counts_in_words() == [told]
    both = evaluate({"x": gold, "y": gold}, {"x": flat, "y": gold}, ["T-measure"])
    assert both.counts_in_words() == [
        "the reference has 2 levels and 2 boundaries, the hypothesis 1.5 levels and 1.5 boundaries on average"
    ]
