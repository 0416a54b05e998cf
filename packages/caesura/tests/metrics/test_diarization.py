from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from caesura import CaesuraError, Corpus, Spans, UndefinedScore, compare, evaluate, metric
from caesura.metrics.diarization import EvaluatedTime, speaker_map
from caesura.report.content import make_report
from shared_data import oracle_json

NAMES = {
    "pyannote-purity": ("speaker-purity", "speaker-coverage"),
    "dscore-bcubed": tuple(f"speaker-Bcubed-{what}" for what in ("precision", "recall", "F")),
}


def turns(rows, length: float = 100.0) -> Spans:
    return Spans.from_rows([tuple(row) for row in rows], length=length, time=True)


def test_all_answers_of_md_eval_pyannote_and_dscore_are_met() -> None:
    met = 0
    for case in oracle_json("diarization/cases.json"):
        sides = turns(case["ref"]), turns(case["sys"])
        for answer in case["answers"]:
            by = answer["by"]
            if by == "pyannote-purity" and not case["sys"]:
                continue  # pyannote says 1 and 0
            framed = by.startswith("dscore")
            given = {
                "uem": case["uem"] if answer["uem"] or framed else None,
                "collar": answer["collar"],
                "overlap": answer["overlap"],
                "like": "dscore" if framed else "pyannote" if by == "pyannote" else "nist",
            }
            if by in ("md-eval", "pyannote"):
                counts = metric("diarization-error", **given).counts_of(*sides)
                pairs = [(getattr(counts, k), answer[k]) for k in ("total", "miss", "false_alarm", "confusion")]
                if answer.get("rate") is not None:
                    pairs.append((metric("diarization-error", **given)(*sides), answer["rate"]))
            elif by == "dscore-jer":
                pairs = [(metric("jaccard-error", **given)(*sides), answer["jer"])]
                pyannote = metric("jaccard-error", **(given | {"like": "pyannote"}))(*sides)
                pairs.append((pyannote, answer["jer_pyannote"]))
            else:
                expected = [answer[k] for k in ("purity", "coverage", "precision", "recall", "f") if k in answer]
                pairs = [(metric(n, **given)(*sides), e) for n, e in zip(NAMES[by], expected, strict=True)]
            for got, expected in pairs:
                assert got == pytest.approx(expected, abs=answer["tolerance"]), (case["name"], answer)
            met += 1
    assert met == 559


def test_published_values_of_dscore() -> None:
    data = oracle_json("diarization/dscore.json")

    def read(text: str) -> Spans:
        parts = [line.split() for line in text.splitlines()]
        return turns((float(p[3]), float(p[3]) + float(p[4]), p[7]) for p in parts)

    sides, expected, exact = (read(data["ref"]), read(data["sys"])), data["expected"], data["exact_time"]
    given = {"uem": data["uem"], "like": "dscore"}
    assert 100 * metric("diarization-error", **given)(*sides) == pytest.approx(expected["der_percent"], abs=1e-5)
    assert 100 * metric("jaccard-error", **given)(*sides) == pytest.approx(expected["jer_percent"], abs=1e-5)
    for what, key in (("precision", "precision"), ("recall", "recall"), ("F", "f")):
        value = metric(f"speaker-Bcubed-{what}", **given)(*sides)
        assert value == pytest.approx(expected[f"bcubed_{key}"], abs=1e-4)
    exactly = {"uem": data["uem"]}
    assert 100 * metric("jaccard-error", **exactly)(*sides) == pytest.approx(exact["jer_percent"], abs=1e-9)
    assert 100 * metric("diarization-error", **exactly)(*sides) == pytest.approx(exact["der_percent"], abs=1e-9)
    for what, value in zip(("precision", "recall", "F"), exact["bcubed"], strict=True):
        assert metric(f"speaker-Bcubed-{what}", **exactly)(*sides) == pytest.approx(value, abs=1e-12)


def test_names_of_speakers_do_not_matter() -> None:
    gold = turns([(0, 4, "ann"), (3, 9, "ben"), (12, 13, "ann")])
    system = turns([(0, 4, "2"), (3, 9, "1"), (12, 13, "2")])
    assert metric("diarization-error")(gold, system) == 0.0
    assert metric("jaccard-error")(gold, system) == 0.0
    assert speaker_map(gold, system) == {"ann": "2", "ben": "1"}
    assert speaker_map(Corpus.from_dict({"x": {"a": gold}}), system) == {"ann": "2", "ben": "1"}
    with pytest.raises(CaesuraError, match=r"cs\.from_object converts"):
        speaker_map(Fraction(1, 2), system)


def test_turns_of_one_speaker_that_overlap_count_once() -> None:
    once, twice = turns([(0, 5, "a")]), turns([(0, 3, "a"), (2, 5, "a"), (0, 5, "a")])
    assert metric("diarization-error").counts_of(twice, twice).total == 5.0
    assert metric("diarization-error")(once, twice) == 0.0


def test_unusual_recordings() -> None:
    some, none = turns([(1, 5, "a")]), turns([])
    assert metric("diarization-error")(some, none) == metric("diarization-miss")(some, none) == 1.0
    assert metric("jaccard-error")(some, none) == 1.0
    assert np.isnan(metric("speaker-purity")(some, none))
    assert metric("speaker-coverage")(some, none) == 0.0
    assert metric("speaker-Bcubed-F")(none, none) == 1.0
    with pytest.warns(UndefinedScore, match="no scored turns"):
        assert np.isnan(metric("diarization-error")(none, some))
    both = evaluate({"x": some, "y": none}, {"x": some, "y": some}, ["diarization-error"])
    assert both["diarization-error"].micro == 1.0  # its false alarm counts in the corpus


def test_uem_files_are_read_per_recording(tmp_path) -> None:
    file = tmp_path / "all.uem"
    file.write_text(";; made by hand\nx 1 0 4\nx 1 3 6\ny 1 0 2\n", encoding="utf-8")
    gold = {name: turns([(0, 10, "a")]) for name in "xy"}
    system = {name: turns([(0, 5, "s")]) for name in "xy"}
    measured = evaluate(gold, system, [metric("diarization-error", uem=file)])["diarization-error"]
    assert measured.per_item == pytest.approx([1 / 6, 0.0])
    assert f"|uem:{file}#" in measured.signature
    spelled = metric("diarization-error", uem=file).spelled
    assert metric(spelled).signature == measured.signature
    file.write_text("x 1 0 5\n", encoding="utf-8")
    with pytest.raises(CaesuraError, match="has changed"):
        metric(spelled)
    with pytest.raises(CaesuraError, match="has no recording 'y'"):
        evaluate(gold, system, [metric("diarization-error", uem=file)])
    for wrong, sentence in (("x 1 5 5\n", "line 1.*from 5 to 5 s"), ("x 1\n", "expected recording"), ("", "is empty")):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(CaesuraError, match=sentence):
            metric("diarization-error", uem=file)


def test_evaluated_time_may_be_that_of_the_reference() -> None:
    gold, system = turns([(2, 4, "a")]), turns([(0, 8, "s")])
    assert metric("diarization-error")(gold, system) == 3.0
    assert metric("diarization-error:uem=reference")(gold, system) == 0.0
    assert EvaluatedTime.of([(0, 3)]).stretches_of("anything") == ((0.0, 3.0),)


def test_wrong_input_gets_a_sentence() -> None:
    gold = turns([(0, 4, "a")])
    with pytest.raises(CaesuraError, match="have no labels"):
        metric("jaccard-error")(Spans.from_rows([(0, 4)], time=True), gold)
    with pytest.raises(CaesuraError, match="purity of speakers is speaker-purity"):
        metric("purity")(gold, gold)
    for wrong in ("collar=-1", "overlap=maybe", "like=md-eval", "frame=0", "uem=nowhere.uem"):
        with pytest.raises(CaesuraError):
            metric(f"diarization-error:{wrong}")
    with pytest.raises(CaesuraError, match=r"JER of pyannote\.metrics and dscore is called jaccard-error"):
        metric("JER")


ZONES = """;; a zone of two seconds, and two channels
NOSCORE meeting 1 2.0 2.0 <NA> <NA> <NA> <NA> <NA>
SPEAKER meeting 1 0.0 4.0 <NA> <NA> ann <NA> <NA>
SPEAKER meeting <NA> 4.0 6.0 <NA> <NA> ben <NA> <NA>
SPEAKER call A 0.0 4.0 <NA> <NA> ann <NA> <NA>
SPEAKER call B 1.0 4.0 <NA> <NA> ann <NA> <NA>
"""


def test_zones_that_are_not_scored_and_channels(tmp_path) -> None:
    from caesura import read, write

    (tmp_path / "ref.rttm").write_text(ZONES)
    gold = read(tmp_path / "ref.rttm")
    assert set(gold.items) == {"meeting", "call:A", "call:B"}
    assert gold.attributes["meeting"]["noscore"] == [[2.0, 4.0]]
    # the system misses ann from 3 s on, which is in the zone, and calls ben's last second another speaker
    rows = [(0, 3, "x"), (4, 9, "y"), (9, 10, "z")]
    system = type(gold).from_dict({"meeting": {"": Spans.from_rows(rows, time=True, length=10.0)}})
    counts = evaluate(gold.select(items=["meeting"]), system, ["diarization-error"])["diarization-error"].rows[0]
    assert counts[:4] == pytest.approx([8.0, 0.0, 0.0, 1.0])
    # the same with a UEM that leaves the zone out
    plain = metric("diarization-error", uem=[(0, 2), (4, 10)]).counts_of(gold["meeting", ""], system["meeting", ""])
    assert tuple(plain)[:4] == pytest.approx((8.0, 0.0, 0.0, 1.0))
    # zones survive other formats and come back as lines
    write(gold, tmp_path / "copy.json")
    again = read(tmp_path / "copy.json")
    assert again == gold
    write(type(gold).from_annotations(list(again), attributes=again.attributes), tmp_path / "new.rttm")
    assert "NOSCORE meeting 1 2.0 2.0" in (tmp_path / "new.rttm").read_text()
    assert read(tmp_path / "new.rttm").attributes["meeting"]["noscore"] == [[2.0, 4.0]]


def test_a_uem_has_channels_and_other_recordings(tmp_path) -> None:
    (tmp_path / "all.uem").write_text("call A 0 2\ncall B 1 5\nmeeting 1 0 9\nmeeting 1 8 10\nother 1 0 3\n")
    (tmp_path / "ref.rttm").write_text(ZONES)
    from caesura import read

    gold = read(tmp_path / "ref.rttm")
    with pytest.warns(UserWarning, match="'meeting' overlap and were merged"):
        measure = metric("diarization-error", uem=str(tmp_path / "all.uem"))
    result = evaluate(gold, gold, [measure])
    assert result["diarization-error"].rows[:, 0] == pytest.approx([8.0, 2.0, 4.0])
    assert any("not compared: other" in sentence for sentence in result.warnings())


def test_times_are_added_without_rounding_errors(tmp_path) -> None:
    from decimal import Decimal

    from caesura import read

    lines = [("0.1", "0.2"), ("12345.678901", "0.000001"), ("1e1", "2.5"), ("20.1234567", "3"), ("30.", "1")]
    rows = [f"SPEAKER r 1 {start} {lasts} <NA> <NA> s{i} <NA> <NA>" for i, (start, lasts) in enumerate(lines)]
    (tmp_path / "t.rttm").write_text("\n".join(rows) + "\n")
    found = {label: (start, end) for start, end, label in read(tmp_path / "t.rttm")["r", ""].rows}
    expected = {
        f"s{i}": (float(start), float(Decimal(start) + Decimal(lasts))) for i, (start, lasts) in enumerate(lines)
    }
    assert found == expected


def test_stretches_with_errors_add_up_to_the_counts() -> None:
    from caesura.metrics.batch import Batch
    from caesura.metrics.diarization import Diarization, compare_turns

    for case in oracle_json("diarization/cases.json")[::7]:
        sides = turns(case["ref"]), turns(case["sys"])
        counts = metric("diarization-error:collar=0.1").counts_of(*sides)
        compared = compare_turns(Diarization(collar=0.1), Batch.of_pair(*sides))
        total = {
            kind: sum(b - a for a, b, k in compared.errors if k == kind)
            for kind in ("missed", "false alarm", "confused")
        }
        # a stretch may lack or add two speakers at once, which counts twice
        assert total["missed"] <= counts.miss + 1e-9
        assert total["false alarm"] <= counts.false_alarm + 1e-9
        assert total["confused"] <= counts.confusion + 1e-9
        assert [total[k] > 0 for k in total] == [counts.miss > 0, counts.false_alarm > 0, counts.confusion > 0]
        assert compared.partners == speaker_map(*sides, collar=0.1)


def test_turns_are_drawn_with_partners_and_errors() -> None:
    from caesura import Corpus
    from caesura.drawings.catalog import draw

    gold = Spans.from_rows([(0, 4, "ann"), (4, 10, "ben")], time=True, length=12.0)
    found = Spans.from_rows([(0, 5, "s1"), (5, 9, "s2"), (11, 12, "s3")], time=True, length=12.0)
    picture = draw("turns", Corpus.from_dict({"talk": {"gold": gold, "system": found}}))
    rows = {line.split("  ")[0].strip(): line for line in picture.terminal(80).plain.splitlines()}
    assert {"ann", "└ s1", "ben", "└ s2", "└ s3, nobody", "errors"} <= set(rows)
    assert all(sign in rows["errors"] for sign in "×+≠")
    assert "confused 1.00 s" in picture.svg()
    for shown in (evaluate({"x": gold}, {"x": found}, ["diarization-error"]), compare(gold, found, ["speaker-purity"])):
        assert "└ s1" in str(shown), "turns, not matched spans"
    both = Corpus.from_dict({"talk": {"gold": gold, "system": found}})
    page = make_report(both, metrics=["diarization-error"], reference="gold", resamples=0)
    assert "└ s1" in page.documents[0].pictures()[0].terminal(80).plain


def test_speakers_of_a_corpus_are_mapped_at_once() -> None:
    """Each score is that of one recording that has all recordings one after another."""
    names = [
        *("diarization-error", "diarization-confusion", "jaccard-error", "speaker-purity", "speaker-coverage"),
        *("speaker-Bcubed-precision", "speaker-Bcubed-recall"),
    ]
    differ = 0
    known = oracle_json("diarization/cases.json")
    for cases in (known[first : first + 3] for first in range(0, 15, 3)):
        sides = [{str(n): turns(case[side]) for n, case in enumerate(cases)} for side in ("ref", "sys")]
        after = [
            turns([(a + 200 * n, b + 200 * n, who) for n, case in enumerate(cases) for a, b, who in case[side]], 600.0)
            for side in ("ref", "sys")
        ]
        for given in ({}, {"collar": 0.2}, {"like": "pyannote", "overlap": "skip"}):
            one = evaluate(*sides, [metric(n, speakers="corpus", uem=[(0, 100)], **given) for n in names], resamples=0)
            own = evaluate(*sides, [metric(n, uem=[(0, 100)], **given) for n in names], resamples=0)
            scored = [(200 * n, 200 * n + 100) for n in range(3)]
            for name in names:
                expected = metric(name, uem=scored, **given)(*after)
                assert one[name].micro == pytest.approx(expected, nan_ok=True), (name, given)
            differ += one["diarization-error"].micro > own["diarization-error"].micro + 1e-9
    assert differ  # one map for all is seldom the best of each
    assert metric("diarization-error:speakers=corpus").signature.split("|")[-2] == "speakers:corpus"
    two = {"a": {"ann": sides[0]["0"], "ben": sides[0]["0"]}}
    with pytest.raises(CaesuraError, match="several coders or tiers"):
        evaluate(two, {"a": sides[1]["0"]}, [metric("diarization-error:speakers=corpus")])


def test_recordings_that_only_one_side_has() -> None:
    gold = {name: {"g": turns([(0, 4, "a"), (4, 10, "b")])} for name in "xy"}
    some = {"x": {"s": turns([(0, 4, "1"), (4, 10, "2")])}}
    more = {name: {"s": turns([(0, 4, "1"), (4, 10, "2")])} for name in "xyz"}
    extra = evaluate(gold, more, ["diarization-error", "jaccard-error"])
    assert (extra.items, extra.skipped, extra["diarization-error"].micro) == (("x", "y"), ("z",), 0.0)
    assert any("(z) was left out" in sentence for sentence in extra.sentences())
    with pytest.raises(CaesuraError, match=r"one side only: z \(the reference lacks it\)"):
        evaluate(gold, more, ["span-F"])
    with pytest.raises(CaesuraError, match=r"y \(the hypothesis lacks it\).*missing='empty'"):
        evaluate(gold, some, ["diarization-error"])
    silent = evaluate(gold, some, ["diarization-error"], missing="empty")
    assert silent["diarization-error"].per_item == [0.0, 1.0]
    alarms = evaluate(gold, more, ["diarization-error"], missing="empty")
    assert alarms["diarization-error"].micro == 10 / 20


def test_one_speaker_without_pauses_is_read_as_turns(tmp_path) -> None:
    from caesura import read

    line = "SPEAKER a 1 {} <NA> <NA> {} <NA> <NA>\n"
    (tmp_path / "one.rttm").write_text(line.format("0 5", "x") + line.format("5 5", "x"))
    (tmp_path / "two.rttm").write_text(line.format("0 5", "x") + line.format("7 3", "y"))
    one, two = read(tmp_path / "one.rttm"), read(tmp_path / "two.rttm")
    assert one.kind == two.kind == "spans"
    assert evaluate(two, one, ["diarization-error"])["diarization-error"].micro == (3 + 2) / 8


def test_files_of_recordings_without_turns(tmp_path) -> None:
    from caesura import read
    from caesura.model.provenance import ReadingNote

    line = "SPEAKER {} 1 0 5 <NA> <NA> x <NA> <NA>\n"
    for side in ("ref", "sys"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.rttm").write_text(line.format("a"))
    (tmp_path / "ref" / "b.rttm").write_text(line.format("b"))
    (tmp_path / "sys" / "b.rttm").write_text(";; nobody talks\n")
    with pytest.warns(ReadingNote, match=r"no turns in b\.rttm"):
        system = read(tmp_path / "sys")
    found = evaluate(read(tmp_path / "ref"), system, ["diarization-error"], missing="empty")
    assert found["diarization-error"].per_item == [0.0, 1.0]
    (tmp_path / "sys" / "a.rttm").write_text("")
    with pytest.raises(CaesuraError, match="none has turns"):
        read(tmp_path / "sys")
    with pytest.raises(CaesuraError, match="the file has no turns"):
        read(tmp_path / "sys" / "b.rttm", "rttm")
