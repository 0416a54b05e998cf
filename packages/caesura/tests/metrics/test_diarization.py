from __future__ import annotations

import numpy as np
import pytest

from caesura import CaesuraError, Spans, UndefinedScore, evaluate, metric
from caesura.metrics.diarization import EvaluatedTime, speaker_map
from shared_data import oracle_json

NAMES = {
    "pyannote-purity": ("speaker-purity", "speaker-coverage"),
    "dscore-bcubed": tuple(f"speaker-Bcubed-{what}" for what in ("precision", "recall", "F")),
}


def turns(rows) -> Spans:
    return Spans.from_rows([tuple(row) for row in rows], length=100.0, time=True)


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
    assert metric("speaker-Bcubed-F", **exactly)(*sides) == pytest.approx(exact["bcubed"][2], abs=1e-12)


def test_names_of_speakers_do_not_matter() -> None:
    gold = turns([(0, 4, "ann"), (3, 9, "ben"), (12, 13, "ann")])
    system = turns([(0, 4, "2"), (3, 9, "1"), (12, 13, "2")])
    assert metric("diarization-error")(gold, system) == 0.0
    assert metric("jaccard-error")(gold, system) == 0.0
    assert speaker_map(gold, system) == {"ann": "2", "ben": "1"}


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
