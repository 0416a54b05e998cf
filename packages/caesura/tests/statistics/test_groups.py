"""Groups of spans: turns by speaker, annotations by label, recordings by item."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura import Corpus, Spans
from caesura.statistics.groups import group_systems
from caesura.statistics.label_groups import label_groups
from caesura.statistics.speaker_groups import speaker_groups

GOLD = Spans.from_rows([(0, 4, "ann"), (3, 5, "ben"), (6, 10, "ben"), (11, 12, "cem")], time=True, length=12.0)
SYSTEM = Spans.from_rows([(0, 3, "s1"), (3, 5, "s2"), (6, 8, "s1"), (8, 9, "s2")], time=True, length=12.0)


def corpora() -> tuple[Corpus, Corpus]:
    return Corpus.from_dict({"talk": {"": GOLD}}), Corpus.from_dict({"talk": {"": SYSTEM}})


def test_speakers_have_partners_and_their_seconds_add_up() -> None:
    gold, system = corpora()
    evaluation = cs.evaluate(gold, system, ["diarization-error", "jaccard-error"])
    measure = evaluation.measured["diarization-error"].metric
    found = speaker_groups(evaluation.counted["hypothesis"], measure.family)
    rows = {row.speaker: row for row in found.rows}
    assert {name: row.partner for name, row in rows.items()} == {"ann": "s1", "ben": "s2", "cem": ""}
    # ben talks 6 s: 3 with s2, 2 while only s1 talks, 1 while nobody does
    assert rows["ben"][3:7] == pytest.approx((6.0, 1.0, 2.0, 0.0))
    assert rows["ann"][3:7] == pytest.approx((4.0, 0.0, 1.0, 2.0))
    assert rows["cem"][3:] == pytest.approx((1.0, 1.0, 0.0, 0.0, 1.0))
    assert sum(row.jaccard_error for row in found.rows) / 3 == pytest.approx(evaluation["jaccard-error"].micro)
    assert "cem" in str(found.tables()[0])
    assert found.as_dict()["speakers"][0]["partner"] == "s1"


def test_an_attribute_called_speaker_still_groups_recordings() -> None:
    gold, system = corpora()
    gold = gold.with_attributes({"talk": {"speaker": "x"}})
    evaluation = cs.evaluate(gold, system, ["diarization-error"])
    groups = group_systems(evaluation, gold, {"hypothesis": system}, "speaker")
    assert list(groups.by_attribute["speaker"]) == ["x"]


def test_labels_of_spans_are_scored_one_by_one() -> None:
    gold = Spans.from_rows([(0, 2, "nod"), (5, 7, "shake"), (9, 10, "nod")], time=True, length=12.0)
    other = Spans.from_rows([(0, 2, "nod"), (5, 7, "nod"), (11, 12, "shake")], time=True, length=12.0)
    evaluation = cs.evaluate({"v": gold}, {"v": other}, ["span-F", "linked-kappa", "linked-share"])
    rows = {row["label"]: row for row in label_groups(evaluation, "hypothesis").records()}
    assert (rows["nod"]["reference"], rows["nod"]["hypothesis"]) == (2, 2)
    assert rows["nod"]["span-F"] == pytest.approx(0.5)
    assert rows["shake"]["span-F"] == 0.0
    # table: nod/nod 2, shake/nod 2, unmatched nod 1, unmatched shake 1, of 6; nod against the rest is [2, 1; 2, 1]
    assert rows["nod"]["linked-kappa"] == pytest.approx(0.0)
    # rows of shake: 2 linked and counted twice; columns: 1
    assert rows["shake"]["linked-share"] == pytest.approx(0.5)
    details = cs.agree({"v": {"a": gold, "b": other}}, coefficient="linked-kappa").details["by_value"]
    assert rows["nod"]["linked-kappa"] == pytest.approx(details["nod"]["value"])


def test_items_are_rows_of_one_table() -> None:
    gold, system = (Corpus.from_dict({i: {"": each} for i in ("one", "two")}) for each in (GOLD, SYSTEM))
    evaluation = cs.evaluate(gold, system, ["diarization-error"])
    (table,) = group_systems(evaluation, gold, {"hypothesis": system}, "item").tables()
    assert [row[0] for row in table.rows] == ["one", "two"]
    assert table.rows[0][1] == pytest.approx(evaluation["diarization-error"].micro)


def aligned(late: float = 0.0) -> Corpus:
    names = ["sil", "a", "t", "sil"]
    made = {
        item: {"": cs.Segmentation.from_times([0.1 + late, 0.2, 0.3 + late], length=0.4, names=names)} for item in "xy"
    }
    return Corpus.from_dict(made)


def test_chosen_metrics_are_computed_by_phone_or_refused() -> None:
    gold, systems = aligned(), {"late": aligned(0.011), "exact": aligned()}

    def groups(metrics: list[str], by: str = "phone"):
        evaluation = cs.evaluate(gold, systems, metrics)
        return group_systems(evaluation, gold, systems, by, named=True)

    some = groups(["onset-mean", "region-F", "R"])
    assert some.notes == ("region-F and R are not computed by phone.",)
    assert "region-F and R are not computed by phone." in str(some.tables()[-1])
    assert some.table().columns == ("system", "phone", "n", "unpaired", "onset-mean")
    rows = {row[:2]: row[2:] for row in some.table().rows}
    assert rows["late", "3 others below 5"] == (8, 0, pytest.approx(5.5))
    assert rows["exact", "3 others below 5"] == (8, 0, 0.0)
    pytest.importorskip("polars")
    assert some.to_polars().columns == list(some.table().columns)
    with pytest.raises(cs.CaesuraError, match="region-F is not computed by phone; name scores of intervals"):
        groups(["region-F"])
    with pytest.raises(cs.CaesuraError, match="a table has one grouping"):
        groups(["onset-mean"], "phone,pair").table()
    aged = gold.with_attributes({"x": {"age": "old"}, "y": {"age": "young"}})
    by_age = group_systems(cs.evaluate(aged, systems), aged, systems, "age").by_attribute["age"]
    assert {age: part.count for age, part in by_age.items()} == {"old": 1, "young": 1}
    evaluation = cs.evaluate(gold, systems)
    with pytest.raises(cs.CaesuraError, match=r"there is no grouping of recordings .*did you mean 'phone'"):
        group_systems(evaluation, gold, systems, "phoneme")


def test_speakers_are_no_labels_to_group_by() -> None:
    gold, system = corpora()
    evaluation = cs.evaluate(gold, system, ["diarization-error"])
    with pytest.raises(cs.CaesuraError, match="group by speaker"):
        group_systems(evaluation, gold, {"hypothesis": system}, "label")
    with pytest.raises(cs.CaesuraError, match=r"there is no grouping of spans .*did you mean 'item'"):
        group_systems(evaluation, gold, {"hypothesis": system}, "file")
    (row,) = group_systems(evaluation, gold, {"hypothesis": system}, "item").table().rows
    assert row == ("talk", pytest.approx(evaluation["diarization-error"].micro))
