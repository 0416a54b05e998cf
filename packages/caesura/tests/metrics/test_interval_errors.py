from __future__ import annotations

import pickle
import re
from collections import Counter

import numpy as np
import pytest

from caesura import CaesuraError, Segmentation, Spans, evaluate, metric
from caesura.metrics.interval_errors import IntervalErrors, PhoneCounts, PhoneErrors, edits_of_names
from caesura.metrics.interval_pairing import NamedIntervals, pair_by_cost
from caesura.metrics.label_map import LabelMap
from shared_data import oracle_json

NO_MAP = LabelMap.of("")


def row(intervals, scale: float | None = None) -> NamedIntervals:
    starts, ends = (np.array([each[i] for each in intervals], np.float64) for i in (0, 1))
    if scale is not None:
        starts, ends = (np.rint(times * scale).astype(np.int64) for times in (starts, ends))
    return NamedIntervals(starts, ends, [each[2] for each in intervals])


def phones(times, names, length: float) -> Segmentation:
    return Segmentation.from_times(times, length=length, names=names)


def errors_of_pairs(ref: NamedIntervals, hyp: NamedIntervals, mapping: LabelMap, silences: list[str]) -> Counter[str]:
    """Count pairs of different names as MFA does: without silences, regardless of case, and - without a partner."""
    partner = pair_by_cost(ref, hyp, mapping, silences)[0].tolist()
    same = mapping.same(list(ref.names), list(hyp.names))
    pairs = [(i, j) for i, j in enumerate(partner) if j < 0 or not same[i, j]]
    unpaired = set(range(len(hyp.names))).difference(partner)
    names = [(ref.names[i], hyp.names[j] if j >= 0 else "-") for i, j in pairs] + [
        ("-", hyp.names[j]) for j in unpaired
    ]
    return Counter(
        f"{a} {b}"
        for a, b in names
        if a.lower() != b.lower() and a not in silences and not (a == "-" and b in silences)
    )


def test_costs_scores_and_rates_of_mfa() -> None:
    for case in oracle_json("aligners/mfa.json"):
        mapping = LabelMap.of({f"hyp:{name}": targets for name, targets in case["mapping"].items()})
        sides = row(case["ref"]), row(case["hyp"])
        _, cost = pair_by_cost(*sides, mapping, case["silences"])
        assert cost == pytest.approx(case["cost"], abs=1e-7), case["name"]
        family = PhoneErrors(mapping=mapping, silences=case["silences"], like="mfa")
        counts = PhoneCounts(*family.count_intervals(*sides, 1.0))
        assert counts.errors / counts.reference == pytest.approx(case["rate"], abs=1e-12)
        assert counts.insertions == sum(n for pair, n in case["errors"].items() if pair.startswith("- "))
        assert errors_of_pairs(*sides, mapping, case["silences"]) == case["errors"], case["name"]
        if case["score"] is None:
            assert counts.aligned == 0
        else:
            assert counts.distance / counts.aligned == pytest.approx(case["score"], abs=1e-9)
        partner, cost = pair_by_cost(*sides, mapping, case["silences"], "kalpy")
        assert cost == pytest.approx(case["kalpy"]["cost"], abs=1e-4)
        assert [[i, j] for i, j in enumerate(partner.tolist()) if j >= 0] == case["kalpy"]["pairs"], case["name"]


def test_most_equal_names_then_least_displacement() -> None:
    phones_compared = 0
    for case in oracle_json("aligners/names.json"):
        ref, hyp = row(case["ref"], 1e7), row(case["hyp"], 1e7)
        for reach in (5.0, np.inf):
            errors = IntervalErrors(reach=reach).errors_of(ref, hyp, 1e7, 1e9)
            paired = np.flatnonzero(errors.partner >= 0)
            moved = int(np.abs(hyp.starts[errors.partner[paired]] - ref.starts[paired]).sum())
            assert (len(paired), moved) == (case["pairs"], case["moved_100ns"]), case["name"]
        for phone, expected in case["by_phone"].items() if case.get("unique") else ():
            mine = np.array([name == phone for name in ref.names]) & (errors.partner >= 0)
            onset, offset = errors.onset[mine], errors.offset[mine]
            got = [mine.sum(), np.abs(onset).mean(), np.abs(offset).mean(), onset.mean()]
            np.testing.assert_allclose(got, expected, atol=1e-6)
            phones_compared += 1
    assert phones_compared == 234


def test_formulas_on_a_short_recording() -> None:
    gold = phones([0.1, 0.2, 0.3], ["sil", "a", "t", "sil"], 0.4)
    late = phones([0.11, 0.2, 0.34], ["sil", "a", "t", "sil"], 0.4)
    off = np.array([0.0, 10.0, 0.0, 40.0])
    for name, expected in {
        "onset-mean": off.mean(), "onset-bias": off.mean(), "onset-sd": off.std(ddof=1), "onset-rmse": np.sqrt((off**2).mean()),
        "onset-median": 5.0, "onset-p90": 40.0, "onset-within-20ms": 0.75, "onset-within-9ms": 0.5, "onset-within-150ms": 1.0,
        "offset-mean": 12.5, "duration-bias": 0.0, "duration-mean": (10 + 10 + 40 + 40) / 4,
        "interval-overlap": (10 / 11 + 9 / 10 + 10 / 14 + 6 / 10) / 4, "interval-matched": 1.0,
    }.items():  # fmt: skip
        assert metric(name)(gold, late) == pytest.approx(expected), name
    assert np.isnan(metric("onset-p99")(gold, late))
    assert metric("onset-mean:edges=out")(gold, late) == pytest.approx(off[1:].mean())
    results = evaluate([gold], [late], ["onset-within-15ms", "onset-within-20ms"])
    assert results["onset-within-15ms"].micro == 0.75


def test_gaps_are_no_intervals_and_unpaired_ones_count_against_shares() -> None:
    gold = phones([0.1, 0.2], ["a", "", "t"], 0.3)
    missing = phones([0.1], ["a", ""], 0.3)
    assert metric("interval-matched")(gold, missing) == 0.5
    assert metric("onset-within-100ms")(gold, missing) == 0.5
    assert metric("interval-overlap")(gold, missing) == 0.5
    far = phones([7.0, 7.1], ["", "a", ""], 8.0)
    near = phones([0.1], ["a", ""], 8.0)
    assert metric("interval-matched")(near, far) == 0.0
    assert metric("interval-matched:reach=inf")(near, far) == 1.0
    empty = phones([], [""], 0.3)
    assert metric("phone-error")(gold, empty) == 1.0
    assert np.isnan(metric("onset-mean")(gold, empty))
    assert np.isnan(metric("phone-error")(empty, gold))


def test_edit_distance_equals_a_full_table() -> None:
    random = np.random.default_rng(2)
    for _ in range(60):
        ref, hyp = (random.choice(list("abc"), random.integers(0, 60)).tolist() for _ in range(2))
        table = np.zeros((len(ref) + 1, len(hyp) + 1), int)
        table[:, 0], table[0] = np.arange(len(ref) + 1), np.arange(len(hyp) + 1)
        for i, a in enumerate(ref, 1):
            for j, b in enumerate(hyp, 1):
                table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
        edits, subs, dels, ins = edits_of_names(ref, hyp, NO_MAP)
        assert edits == table[-1, -1] == subs + dels + ins
        assert len(ref) - dels + ins == len(hyp)


def test_maps_join_neighbours_and_allow_several_names(tmp_path) -> None:
    gold = phones([0.1, 0.2], ["tʃ", "a", "N"], 0.3)
    aligner = phones([0.05, 0.11, 0.2], ["t", "ʃ", "a", "en"], 0.3)
    assert metric("interval-matched")(gold, aligner) == pytest.approx(1 / 3)
    file = tmp_path / "phones.tsv"
    file.write_text("hyp:t ʃ\ttʃ\nany N\ten\nany N\tn\n", encoding="utf-8")
    mapped = metric("onset-mean", mapping=file)
    assert metric("interval-matched", mapping=file)(gold, aligner) == 1.0
    assert mapped(gold, aligner) == pytest.approx(10 / 3)
    assert f"|map:{file}#" in mapped.signature
    assert metric("phone-error", mapping=file)(gold, aligner) == 0.0
    yaml = tmp_path / "phones.yaml"
    yaml.write_text("N: [en, n]\na: ah\n", encoding="utf-8")
    assert LabelMap.of(yaml).same(["N", "a"], ["n", "ah"]).tolist() == [[True, False], [False, True]]
    assert metric("displacement-matched", mapping={"ʃ": "x"}).family.mapping.name("ʃ", "ref") == "x"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a\tb\nb\tc\n", "line 2.*leads from 'a' to 'b' and on to 'c'"),
        ("a\t\n", "no new name"),
        ("a b\n", "expected a label, a tab"),
    ],
)
def test_wrong_maps_get_a_sentence(tmp_path, content: str, sentence: str) -> None:
    file = tmp_path / "phones.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CaesuraError, match=sentence):
        metric("onset-mean", mapping=file)


def test_limits_of_shares() -> None:
    for wrong in ("onset-within-12.5ms", "onset-within-0ms", "onset-within-170ms"):
        with pytest.raises(CaesuraError, match="the limit is a whole number of ms"):
            metric(wrong)


def test_maps_may_ignore_case_and_stress(tmp_path) -> None:
    gold = phones([0.1, 0.2, 0.3], ["ah", "tʃ", "iy", "x1"], 0.4)
    aligner = phones([0.1, 0.15, 0.2, 0.3], ["AH0", "T", "ʃ", "IY1", "X1"], 0.4)
    file, yaml = tmp_path / "phones.tsv", tmp_path / "phones.yaml"
    file.write_text("ignore case\nhyp:t ʃ\ttʃ\n", encoding="utf-8")
    assert metric("interval-matched", mapping=file)(gold, aligner) == 2 / 4, "AH0 and IY1 have stress"
    file.write_text("ignore case\nignore stress\nhyp:t ʃ\tTʃ\n", encoding="utf-8")
    for given in (file, {"ignore case": True, "ignore stress": True, "hyp:T ʃ": "tʃ"}):
        assert metric("interval-matched", mapping=given)(gold, aligner) == 1.0
        assert metric("phone-error", mapping=given)(gold, aligner) == 0.0
        assert metric("time-kappa", mapping=given)(gold, aligner) == 1.0
    yaml.write_text("ignore stress: true\n", encoding="utf-8")
    labels = LabelMap.of(yaml)
    assert labels
    assert labels.same(["AH0", "5"], ["AH2", "AH", "5"]).tolist() == [
        [True, True, False],
        [False, False, True],
    ]
    assert pickle.loads(pickle.dumps(labels)).ignores == {"stress"}
    assert (
        len({str(LabelMap.of(each)) for each in ({"a": "b"}, {"a": "b", "ignore case": True}, {"ignore case": True})})
        == 3
    )


def test_maps_may_drop_names_and_follow_chains(tmp_path):
    gold = Segmentation.from_times([0.10, 0.20, 0.30], length=0.4, names=["sil", "a", "t", "sil"])
    heard = Segmentation.from_times([0.10, 0.20, 0.25, 0.30], length=0.4, names=["sil", "a", "?", "T", "sil"])
    file = tmp_path / "phones.tsv"
    file.write_text("closed\nhyp:drop ?\nT\tth\nth\tt\n")
    for given in (file, {"closed": True, "hyp:?": None, "T": "th", "th": "t"}):
        assert LabelMap.of(given).name("T", "hyp") == "t"
        assert metric("phone-error", mapping=given)(gold, heard) == 0
        assert metric("onset-bias", mapping=given)(gold, heard) == pytest.approx(50 / 4)
        assert metric("time-agreement", mapping=given)(gold, heard) == pytest.approx(0.35 / 0.4)
    assert metric("phone-error", mapping={"T": "t"})(gold, heard) == pytest.approx(1 / 2)  # "?" is an insertion

    turns = Spans.from_rows([(0, 1, "a"), (1, 2, "b")], length=3)
    assert (
        metric("span-type-F", mapping={"hyp:x": None})(
            turns, Spans.from_rows([(0, 1, "a"), (1, 2, "b"), (2, 3, "x")], length=3)
        )
        == 1
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("closed\na\tb\nb\ta\n", "in a circle: a → b → a"),
        ("a\tb\nb\tc\n", "add a line 'closed'"),
        ("a\t\n", "write a line 'drop a'"),
        ("a\tb\ndrop a\n", "both leaves out 'a' and gives it another name"),
    ],
)
def test_maps_that_are_refused(tmp_path, text, words):
    file = tmp_path / "phones.tsv"
    file.write_text(text)
    with pytest.raises(CaesuraError, match=re.escape(words)):
        LabelMap.of(file)


def test_maps_between_phone_sets_replace_every_name_once(tmp_path) -> None:
    from caesura.report.aligners import compare_aligners

    gold = phones([0.1, 0.2, 0.3], ["N", "NG", "S", "SH"], 0.4)
    aligner = phones([0.1, 0.2, 0.3], ["n", "N", "s", "S"], 0.4)  # SAMPA: N of one set is another sound in the other
    rows = {"n": "N", "N": "NG", "s": "S", "S": "SH"}
    one_side = {f"hyp:{name}": new for name, new in rows.items()}
    assert metric("phone-error", mapping=one_side)(gold, aligner) == 0.0
    assert metric("interval-matched", mapping=one_side)(gold, aligner) == 1.0
    with pytest.raises(CaesuraError, match=r"leads from 'n' to 'N' and on to 'NG'.*begin the lines with 'hyp:'"):
        LabelMap.of(rows)
    assert LabelMap.of(rows, only="hyp").rules == LabelMap.of(one_side).rules
    file = tmp_path / "sampa.tsv"
    file.write_text("".join(f"{name}\t{new}\n" for name, new in rows.items()))
    found = compare_aligners({"x": gold}, {"maus": {"x": aligner}}, ["phone-error"], own_maps={"maus": file})
    assert found.evaluation["maus", "phone-error"].micro == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_names_without_reach_are_paired_in_a_band_as_in_a_full_table(monkeypatch, seed: int) -> None:
    from caesura.metrics import interval_pairing
    from caesura.metrics.interval_pairing import pair_by_names

    monkeypatch.setattr(interval_pairing, "_NARROWEST", 1)
    random = np.random.default_rng(seed)
    rows = []
    for size in random.integers(1, 60, 2).tolist():
        starts = np.sort(random.integers(0, 1000, size))
        rows.append(NamedIntervals(starts, starts + 1, random.choice(list("abcd"), size).tolist()))
    found = []
    for reach in (np.inf, 1e6):
        partner = pair_by_names(*rows, NO_MAP, reach)
        some = partner >= 0
        assert (np.diff(partner[some]) > 0).all()
        assert all(rows[0].names[i] == rows[1].names[partner[i]] for i in np.flatnonzero(some).tolist())
        found.append((some.sum(), np.abs(rows[1].starts[partner[some]] - rows[0].starts[some]).sum()))
    assert found[0] == found[1]


def test_long_recordings_are_paired_without_reach() -> None:
    from caesura.metrics.interval_pairing import pair_by_names

    random = np.random.default_rng(1)
    names, starts = random.integers(0, 45, 40_000), np.cumsum(random.integers(300_000, 1_500_000, 40_000))
    kept = random.random(40_000) > 0.005
    ref, hyp = (
        NamedIntervals(t, t + 1, [str(n) for n in row]) for t, row in ((starts, names), (starts[kept], names[kept]))
    )
    partner = pair_by_names(ref, hyp, NO_MAP, np.inf)  # a full table has 1.6 billion choices
    assert (partner >= 0).sum() == kept.sum()


def test_classes_that_a_map_connects_are_told(tmp_path) -> None:
    gold, other = (phones([0.1, 0.2], names, 0.3) for names in (["a", "N", "b"], ["a", "en", "n"]))
    mapping = {"N": ["en", "n"], "b": "p"}
    told = evaluate([gold], [other], [metric("label-agreement", mapping=mapping)]).warnings()
    assert any("names that the map given#" in each and "are one class: N, en, n" in each for each in told)
    assert not any(
        "one class" in w for w in evaluate([gold], [other], [metric("onset-mean", mapping=mapping)]).warnings()
    )
    file = tmp_path / "map.yaml"
    file.write_text("# of MFA\nN:\n  - en\n  - 'n'\nb: p\n")
    assert LabelMap.of(file).rules == LabelMap.of({"N": ["en", "n"], "b": ["p"]}).rules
    file.write_text("N:\nb: p\n")
    with pytest.raises(CaesuraError, match="gives 'N' no new name"):
        LabelMap.of(file)
