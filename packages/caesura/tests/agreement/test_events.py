from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.agreement.events import linked_kappa, organisation, timed_agreement
from caesura.statistics.counted import CountedPairs
from shared_data import oracle_json


def events(rows, length: float = 100.0) -> cs.Spans:
    return cs.Spans.from_rows(
        [(start / 1000, end / 1000, *value) for start, end, *value in rows], length=length, time=True
    )


def test_linked_kappa_of_two_coders_and_of_values() -> None:
    for case in oracle_json("agreement_in_time/linked.json")[:20]:
        coders = {"ann": events(case["first"]), "ben": events(case["second"])}
        result = linked_kappa(coders, overlap=case["threshold"])
        table = np.array(case["easydiag"]["table"])
        if case["exact"]["kappa"] is not None:
            assert result.value == pytest.approx(case["exact"]["kappa"], abs=1e-9)
            assert result.details["kappa_max"] == pytest.approx(case["exact"]["kappa_max"], abs=1e-9)
        assert result.details["raw"] == pytest.approx(case["easydiag"]["raw"])
        elan = linked_kappa(coders, overlap=case["threshold"], like="elan")
        assert elan.value == pytest.approx(case["elan"]["kappa_ipf"], abs=1e-9)
        for code, value in enumerate(case["values"]):
            same, ours, theirs, total = table[code, code], table[code].sum(), table[:, code].sum(), table.sum()
            if 0 < ours + theirs < 2 * total and value in result.details["by_value"]:
                observed = (same + total - ours - theirs + same) / total
                chance = (ours * theirs + (total - ours) * (total - theirs)) / total**2
                assert result.details["by_value"][value]["value"] == pytest.approx((observed - chance) / (1 - chance))


def test_linked_kappa_of_three_coders_is_the_mean_of_pairs() -> None:
    one = events([(0, 1000, "a"), (3000, 4000, "b"), (5000, 6000, "a")])
    two = events([(0, 1100, "a"), (3000, 4000, "a"), (7000, 7500, "b")])
    three = events([(0, 1000, "b"), (3000, 4000, "b")])
    coders = {"one": one, "two": two, "three": three}
    pairs = [
        cs.metric("linked-kappa")(one, two),
        cs.metric("linked-kappa")(one, three),
        cs.metric("linked-kappa")(two, three),
    ]
    result = cs.agree(coders, coefficient="linked-kappa:overlap=0.7")
    assert result.value == pytest.approx(np.mean(pairs))
    assert result.details["matrix"][0, 1] == pytest.approx(pairs[0])
    assert "overlap:0.7" in result.signature


def test_organisation_takes_all_coders() -> None:
    for case in oracle_json("agreement_in_time/nuclei.json")[:6]:
        coders = {f"c{i}": events(rows, case["length"] / 1000) for i, rows in enumerate(case["coders"])}
        result = organisation(coders, draws=1000)
        assert (result.details["nucleated"], result.details["nuclei"]) == (case["nucleated"], case["nuclei"])
        known, total = case["expected_lengths"]["mean"], result.details["annotations"]
        expected = (case["nucleated"] - known) / (total - known)
        if case["nucleated"] > known:
            assert result.value == pytest.approx(expected, abs=0.12)
    assert organisation(coders).standard_error < 0.006
    assert cs.agree(coders, coefficient="organisation:draws=200").signature.startswith(
        "organisation|chance:lengths|draws:200|"
    )


def test_random_times_are_the_chance_of_recordings() -> None:
    random = np.random.default_rng(0)
    times = np.sort(random.random(40) * 60)
    ann = cs.Segmentation.from_times(times, length=60.0)
    near = cs.Segmentation.from_times(np.sort(times + random.normal(0, 0.01, 40)).clip(0.01, 59.9), length=60.0)
    other = cs.Segmentation.from_times(np.sort(random.random(40) * 60), length=60.0)
    for name in ("boundary-F:tolerance=0.1", "SfB:step=0.1"):
        assert cs.agree({"ann": ann, "ben": near}, name).value > 0.8
        chance = cs.agree({"ann": ann, "ben": other}, name)
        assert abs(chance.value) < 0.25
        assert "|chance:times|draws:1000|seed:0|" in chance.signature
        assert chance.standard_error < 0.02
    typed = [cs.Segmentation.from_positions([(1.0, "a"), (2.0, "b")], length=9.0, labels=["a", "b"]) for _ in range(2)]
    corpus = cs.Corpus.from_dict({"x": dict(zip("pq", typed, strict=True))})
    assert timed_agreement(CountedPairs.among_coders(corpus), cs.metric("SfB:step=0.1"), draws=50).value == 1.0


def test_wrong_input_gets_a_sentence() -> None:
    with pytest.raises(cs.CaesuraError, match="compare spans; these are annotations of units"):
        cs.agree({"ann": [2, 3], "ben": [3, 2]}, coefficient="linked-kappa")
    spans = events([(0, 1000, "a")])
    with pytest.raises(cs.CaesuraError, match="has no parameter 'windows'"):
        cs.agree({"ann": spans, "ben": spans}, coefficient="organisation:windows=2")


def test_scores_with_a_direction_are_given_both_ways() -> None:

    ann = cs.Spans.from_rows([(0, 4, "x"), (4, 10, "y")], time=True, length=12.0)
    ben = cs.Spans.from_rows([(0, 5, "1"), (5, 9, "2"), (10, 11.5, "3")], time=True, length=12.0)
    for name in ("diarization-error", "jaccard-error", "diarization-error:collar=0.25"):
        there, back = cs.metric(name)(ann, ben), cs.metric(name)(ben, ann)
        result = cs.agree({"t": {"ann": ann, "ben": ben}}, metric=name)
        assert there != back
        assert result.value == pytest.approx((there + back) / 2)
        np.testing.assert_allclose(result.details["matrix"], [[0, there], [back, 0]])
        assert "the reference in the first column" in str(result.tables()[1])


@pytest.mark.parametrize(
    ("typed", "ours"), [("easydiag", "linked-kappa"), ("kappa-ipf", "linked-kappa"), ("staccato", "organisation")]
)
def test_names_that_elan_users_type_are_understood(typed: str, ours: str) -> None:
    spans = events([(0, 1000, "nod")])
    with pytest.raises(cs.CaesuraError, match=f"did you mean '{ours}'"):
        cs.agree({"ann": spans, "ben": spans}, coefficient=typed)


def test_organisation_below_chance_has_its_expectation() -> None:
    ann, ben = events([(0, 3000, "a")], 4.0), events([(0, 1000, "b"), (1500, 2500, "b")], 4.0)
    result = organisation({"ann": ann, "ben": ben})
    expected = result.details["expected_nucleated"] / 3
    assert result.details["nucleated"] == 0 < expected
    assert (result.value, result.expected, result.standard_error) == (-1.0, pytest.approx(expected), 0.0)
    whole = organisation({"ann": ann, "ben": ann})  # two of three of four seconds always overlap
    assert np.isnan(whole.value)
    assert "the degree of organisation is undefined" in str(whole)


def test_signatures_of_coefficients_that_differ_in_more_than_their_name() -> None:
    from caesura.agreement.result import agreement_tables

    sides = {"ann": events([(0, 1000, "a"), (2000, 3000, "b")]), "ben": events([(0, 1000, "a"), (2000, 2900, "b")])}
    both = [cs.agree(sides, coefficient=name) for name in ("linked-kappa", "organisation")]
    notes = [str(note) for note in agreement_tables(both)[0].notes]
    assert all(result.signature in notes for result in both)


def test_metrics_that_are_coefficients_name_the_option() -> None:
    some = events([(0, 1000, "a")])
    with pytest.raises(cs.CaesuraError, match="--coefficient linked-kappa"):
        cs.agree({"a": some, "b": some}, "linked-kappa")
    marks = cs.Segmentation.from_times([1.0], length=2.0)
    with pytest.raises(cs.CaesuraError, match="-O as=spans"):
        linked_kappa({"a": marks, "b": marks})


def test_undefined_coefficients_and_choices_to_report_have_a_sentence() -> None:
    nods = cs.Spans.from_rows([(0, 2, "nod"), (5, 7, "nod")], time=True, length=9.0)
    assert "chance leaves no room for κ" in str(cs.agree({"a": nods, "b": nods}, coefficient="linked-kappa"))
    assert "chance leaves no room for κ" in str(cs.compare(nods, nods, metrics=["linked-kappa"]))
    whole = cs.Spans.from_rows([(0, 9, "nod")], time=True, length=9.0)
    assert "chance alone puts all" in str(cs.compare(whole, whole, metrics=["organisation"]))
    with pytest.raises(cs.CaesuraError, match="overlap-ratio is a metric, not a coefficient"):
        cs.agree({"a": nods, "b": nods}, coefficient="overlap-ratio")
    times = {"x": {"a": cs.Segmentation.from_times([1.0], length=5), "b": cs.Segmentation.from_times([1.1], length=5)}}
    assert "One position of Sf and SfB is 0.1 s" in str(cs.agree(times, metric="SfB"))
    assert "moves of a step cost nothing" in str(cs.agree(times, metric="SfB:step=0.1,tolerance=0.2"))


def test_programs_are_in_the_names_of_coefficients() -> None:
    ann, ben = events([(0, 2000, "nod"), (5000, 7000, "shake")]), events([(0, 2100, "nod"), (9000, 9500, "shake")])
    coders = {"ann": ann, "ben": ben}
    names = ["linked-kappa:like=elan", "linked-kappa:unmatched=out", "organisation:chance=elan"]
    titles = [cs.agree(coders, coefficient=name).title for name in names]
    assert titles == [
        "κ of linked annotations as in ELAN",
        "κ of linked annotations, without the unmatched",
        "degree of organisation, chance of elan",
    ]
    with pytest.raises(cs.CaesuraError, match="coefficient='linked-kappa' is κ of events"):
        cs.agree(coders, coefficient="kappa")
    elan = cs.agree(coders, metric="overlap-ratio:like=elan")  # which tier is the first matters
    assert elan.value == pytest.approx((elan.details["matrix"][0, 1] + elan.details["matrix"][1, 0]) / 2)


def test_matrix_and_lengths_are_named() -> None:
    rows = [[(0, 2, "nod"), (5, 7, "shake"), (9, 10, "nod")], [(0, 2.2, "nod"), (5, 7, "shake")], [(0, 2, "nod")]]
    coders = {name: cs.Spans.from_rows(each, time=True, length=12.0) for name, each in zip("abc", rows, strict=True)}
    linked = cs.agree(coders, coefficient="linked-kappa")
    assert "linked-kappa, coder by coder" in linked.pictures()[0].terminal(80).plain
    notes = cs.agree(coders, coefficient="organisation").details["notes"]
    assert any("from 0 to 12 s" in each for each in notes)
    two = {"x": coders, "y": coders}
    assert any("each of 2 recordings (24 s)" in n for n in cs.agree(two, coefficient="organisation").details["notes"])
