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
