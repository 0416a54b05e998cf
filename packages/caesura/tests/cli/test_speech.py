"""Speech through the command line: from a recording to a score."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from caesura import Corpus, Spans
from caesura.formats import read, write
from caesura.gold import unify
from caesura.samples import load
from cli.command import caesura, refused

PHONES = ["compare", "sample:phones", "--coders", "ann,aligner"]
TIERS = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n{}\n'
TIER = '"IntervalTier"\n"{}"\n0\n1\n3\n0\n{}\n"a"\n{}\n0.6\n"b"\n0.6\n1\n"c"\n'


def grid(path: Path, *tiers: tuple[str, float]) -> Path:
    path.write_text(
        TIERS.format(len(tiers)) + "".join(TIER.format(name, at, at) for name, at in tiers), encoding="utf-8"
    )
    return path


@pytest.fixture
def sides(tmp_path) -> list[Path]:
    """The sample's coders, each in a file of their own."""
    files = []
    for coder in ("ann", "aligner"):
        files.append(tmp_path / f"{coder}.json")
        write(load("phones").select(coders=[coder]), files[-1])
    return files


def test_agreement_within_several_tolerances_is_a_curve(tmp_path) -> None:
    command = ["agree", "sample:phones", "--coder", "ann", "--coder", "aligner", "--tolerance"]
    shown = caesura(*command, "10ms,20ms", "--tolerance", "20ms").stdout
    assert shown.count("κ of boundary-F (largest matching), ± 20 ms") == 1
    assert "agreement on boundaries by tolerance" in shown
    assert "● κ" in shown
    assert "by tolerance" not in caesura(*command, "20ms").stdout
    caesura(*command, "10ms,20ms,50ms", "--svg", tmp_path / "curve.svg")
    assert "± 50 ms: κ" in (tmp_path / "curve.svg").read_text()


def test_several_tolerances_with_regions_drawn() -> None:
    done = caesura(*PHONES, "--tolerance", "20ms,10ms")
    assert done.returncode == 0, done.stderr
    assert "± 20 ms: 17 hits, 2 insertions, 3 deletions (reference 20, hypothesis 19)" in done.stdout
    assert "± 10 ms: 15 hits" in done.stdout
    assert "● hit · + extra · × missed · ░ region of ± 20 ms" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if not line.startswith("! "))


def test_the_same_as_json() -> None:
    answer = json.loads(caesura(*PHONES, "--tolerance", "20ms,10ms", "--json").stdout)
    assert list(answer["metrics"])[:2] == ["R", "R:tolerance=0.01"]
    assert answer["metrics"]["R"]["counts"] == {
        "hits": 17,
        "correct": 17,
        "reference": 20,
        "hypothesis": 19,
    }


def test_groups_of_recordings(sides: list[Path]) -> None:
    shown = caesura("evaluate", *sides, "--tolerance", "20ms,10ms", "--by", "class,speaker").stdout
    assert "AA | R" in shown
    assert "by speaker" in shown
    answer = json.loads(caesura("evaluate", *sides, "--tolerance", "20ms", "--by", "class", "--json").stdout)
    assert answer["groups"]["class"]["aligner"][0] == {
        "left": "AA",
        "right": "R",
        "boundaries": 3,
        "missed": 2,
        "miss_rate": pytest.approx(200 / 3),
    }


def test_intervals_over_several_recordings(tmp_path) -> None:
    for side, shift in (("gold", 0.0), ("system", 0.015)):
        (tmp_path / side).mkdir()
        for n in range(4):
            grid(tmp_path / side / f"r{n}.TextGrid", ("phones", 0.2 + n * (0.01 + shift)))
    done = caesura("compare", tmp_path / "gold", tmp_path / "system", "--tolerance", "0.02", "-m", "R")
    assert done.returncode == 0, done.stderr
    assert "4 items" in done.stdout
    assert "largest difference: r2" in done.stdout
    scored = caesura("evaluate", tmp_path / "gold", tmp_path / "system", "--tolerance", "0.02", "-m", "R")
    assert "…" in scored.stdout.splitlines()[2]


def test_tiers_of_either_side_and_files_of_other_names(tmp_path) -> None:
    gold = grid(tmp_path / "gold.TextGrid", ("words", 0.5), ("phones", 0.3))
    system = grid(tmp_path / "system.TextGrid", ("auto", 0.31))
    done = caesura(
        "compare", gold, system, "-O", "ref.tier=phones", "--tolerance", "10ms", "--json", "--matching", "optimal"
    )
    assert json.loads(done.stdout)["metrics"]["R"]["micro"] == 1.0
    sentence = refused("compare", gold, system, "-O", "tier=phon", "--tolerance", "10ms")
    assert "the tiers are 1 'words', 2 'phones'" in sentence


def test_tables_and_several_systems(tmp_path) -> None:
    gold = grid(tmp_path / "gold.TextGrid", ("phones", 0.3))
    near, far = grid(tmp_path / "near.TextGrid", ("p", 0.31)), grid(tmp_path / "far.TextGrid", ("p", 0.4))
    done = caesura("evaluate", gold, near, "--tolerance", "20ms", "-m", "R", "--table", "markdown")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("|")
    answer = json.loads(caesura("evaluate", gold, near, far, "--tolerance", "20ms", "-m", "hit-rate", "--json").stdout)
    assert {name: each["hit-rate"]["micro"] for name, each in answer["systems"].items()} == {"near": 100.0, "far": 50.0}
    both = caesura("evaluate", gold, near, far, "--tolerance", "20ms,1ms", "-m", "hit-rate", "--json")
    answer = json.loads(both.stdout)["systems"]["near"]
    assert (answer["hit-rate"]["micro"], answer["hit-rate:tolerance=0.001"]["micro"]) == (100.0, 50.0)


def test_fail_under_and_wrapped_drawing(sides: list[Path], tmp_path) -> None:
    done = caesura("evaluate", *sides, "--tolerance", "10ms", "--fail-under", "R=0.9")
    assert done.returncode == 1
    assert "R is 0.802, below 0.9" in done.stderr
    assert caesura(*PHONES, "--tolerance", "10ms", "--svg", tmp_path / "a.svg").returncode == 0
    root = ET.fromstring((tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert 0 < float(root.get("width", "0")) <= 900, "a recording goes on below, not beyond the page"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tolerance", "soon"], "like 20ms; found 'soon'"),
        (["--tolerance", ","], "such as 20ms"),
        (["--tolerance", "-1"], "from 0 up"),
        (["--tolerance", "20ms", "--matching", "greedy"], "'regions', 'optimal' or 'lenient'"),
    ],
)
def test_bad_options_are_refused(words, sentence) -> None:
    assert sentence in refused(*PHONES, *words)


def test_recordings_are_grouped_by_speaker_and_class(sides: list[Path]) -> None:
    assert "there is no grouping of recordings (--by) 'sex'" in refused("evaluate", *sides, "--by", "sex")


def test_silent_recording_is_reported_once(tmp_path) -> None:
    table = tmp_path / "two.csv"
    table.write_text("item,time,length\na,0.5,1\nb,,1\n")
    done = caesura("compare", table, table, "-m", "R")
    assert done.returncode == 0
    assert (
        done.stderr.strip()
        == "caesura: there are no reference boundaries, so scores that divide by them are undefined (NaN)."
    )


def test_broken_files_are_refused(tmp_path) -> None:
    gold = grid(tmp_path / "gold.TextGrid", ("phones", 0.3))
    broken = tmp_path / "broken.TextGrid"
    broken.write_text(gold.read_text()[:-20])
    assert "ends after 1 of 3 intervals of tier 'phones'" in refused("compare", gold, broken)


@pytest.fixture
def sound(tmp_path) -> Path:
    wavfile = pytest.importorskip("scipy.io.wavfile")
    time = np.arange(8000) / 16000
    random = np.random.default_rng(0)
    parts = [
        np.sin(2 * np.pi * f * time[:2000]) * 0.4 if f else random.normal(size=2000) * 0.2
        for f in (300, 0, 2200, 0, 700, 300)
    ]
    wavfile.write(tmp_path / "talk.wav", 16000, (np.concatenate(parts) * 32767).clip(-32767, 32767).astype(np.int16))
    (tmp_path / "gold.csv").write_text("time,length\n" + "".join(f"{0.125 * i},0.75\n" for i in range(1, 6)))
    return tmp_path


@pytest.mark.slow
def test_segment_optimise_and_compare_a_recording(sound: Path) -> None:
    done = caesura("segment", sound / "talk.wav", "-o", sound / "talk.TextGrid", "--scores", sound / "candidates.csv")
    assert done.returncode == 0, done.stderr
    done = caesura("optimise", sound / "gold.csv", sound / "candidates.csv", "--json", "-o", sound / "best.csv")
    best = json.loads(done.stdout)["best"]
    assert best["r_value"] > 0.8
    done = caesura("compare", sound / "gold.csv", sound / "best.csv", "--tolerance", "20ms", "--json")
    assert json.loads(done.stdout)["metrics"]["R"]["micro"] == pytest.approx(best["r_value"])
    uniform = caesura("segment", sound / "talk.wav", "--method", "uniform", "--interval", "125ms", "--json")
    assert json.loads(uniform.stdout)["talk"]["boundaries"] == [0.125, 0.25, 0.375, 0.5, 0.625]


@pytest.mark.slow
def test_the_plane_of_several_systems(sound: Path) -> None:
    caesura("segment", sound / "talk.wav", "-o", sound / "spectral.TextGrid")
    caesura("segment", sound / "talk.wav", "-o", sound / "uniform.TextGrid", "--method", "uniform")
    names = [sound / "gold.csv", sound / "spectral.TextGrid", sound / "uniform.TextGrid"]
    done = caesura("plane", *names)
    assert "A spectral: HR" in done.stdout, done.stderr
    assert "B uniform: HR" in done.stdout
    caesura("plane", *names, "-o", sound / "plane.svg")
    assert "random boundaries" in (sound / "plane.svg").read_text(encoding="utf-8")
    done = caesura("optimise", *names)
    assert "◀ best R" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["segment", "{}/none.wav"], "no such file"),
        (["segment", "{}/gold.csv"], "no text to segment"),
        (["segment", "{}/talk.wav", "--method", "magic"], "no segmenter 'magic'"),
        (["segment", "{}/talk.wav", "--method", "uniform", "--interval", "0"], "interval"),
        (
            ["segment", "{}/talk.wav", "--method", "uniform", "--interval", "80"],
            "write 80ms or 80s",
        ),
        (["segment", "{}/talk.wav", "--method", "uniform", "--interval", "x"], "an interval is a number of seconds"),
        (["segment", "{}/talk.wav", "--method", "uniform", "--scores", "{}/s.csv"], "no channel and no --scores"),
        (["optimise", "{}/gold.csv", "{}/none.csv"], "no such file"),
        (["plane", "{}/gold.csv", "{}/gold.csv", "--tolerance", "x"], "like 20ms"),
    ],
)
def test_speech_errors_are_one_sentence(sound: Path, words, sentence) -> None:
    assert sentence in refused(*(word.format(sound) for word in words))


def test_printed_threshold_selects_the_same_boundaries(sound: Path) -> None:
    high = 6.0974753812345
    (sound / "close.csv").write_text(f"time,score\n0.5,{high}\n0.2,0.00012345678\n")
    shown = caesura("optimise", sound / "gold.csv", sound / "close.csv").stdout
    assert 0.00012345678 < float(shown.split("boundaries with a score of ")[1].split()[0]) <= high


def test_systems_of_the_same_name_are_distinguished(sound: Path) -> None:
    for folder, score in (("a", 1), ("b", 2)):
        (sound / folder).mkdir()
        (sound / folder / "c.csv").write_text(f"time,score\n{0.5 if folder == 'b' else 0.9},{score}\n")
    files = sound / "a" / "c.csv", sound / "b" / "c.csv"
    answer = json.loads(caesura("optimise", sound / "gold.csv", *files, "--json", "-o", sound / "best.csv").stdout)
    assert {point["system"] for point in answer["points"]} == {"a/c", "b/c"}
    assert answer["best"]["system"] == "b/c"
    assert "0.5" in (sound / "best.csv").read_text()
    assert "0.9" not in (sound / "best.csv").read_text()


def test_numbers_are_not_split_across_lines(sound: Path) -> None:
    rows = "".join(f"{0.01 * i:.2f},{i * 1.23456789e-12}\n" for i in range(1, 60))
    names = sound / "tiny.csv", sound / "a_system_whose_name_is_long.csv"
    for name in names:
        name.write_text("time,score\n" + rows)
    lines = caesura("optimise", sound / "gold.csv", *names, COLUMNS="66").stdout.splitlines()
    table = lines[2 : next(i for i, line in enumerate(lines) if line.startswith("Keep"))]
    numbers = [[word for word in line.split() if word[-1].isdigit()] for line in table]
    assert {len(digits) for digits in numbers} <= {0, 9}  # 0: only the rest of a name


def test_reference_with_two_coders_has_one_best_point(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("item,coder,time,length\na,x,0.5,2\na,x,1.0,2\na,y,0.51,2\n")
    (tmp_path / "scored.csv").write_text("time,score\n0.5,1\n1.0,0.2\n")
    done = caesura("optimise", tmp_path / "gold.csv", tmp_path / "scored.csv", "-o", tmp_path / "best.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "best.csv").exists()


def test_segment_names_are_compared_or_reported(tmp_path) -> None:
    """Issue 16: random phone labels scored 0.79 without a remark."""
    files = []
    for coder in ("ann", "ben"):
        files.append(tmp_path / f"{coder}.json")
        write(load("phones").select(coders=[coder]), files[-1])
    every = caesura("evaluate", *files, "-m", ":tolerance=20ms")
    assert every.stderr == ""
    for name in ("label-agreement", "label-kappa", "labelled-R", "time-agreement", "time-kappa"):
        assert f"\n{name} " in every.stdout
    sentence = "caesura: segments have names, which no metric chosen here compares; label-agreement, label-kappa,"
    for words in (
        ["evaluate", *files, "-m", "R"],
        ["evaluate", *files, "-m", "R", "--table", "csv"],
        ["compare", *files, "-m", "R"],
        ["agree", "sample:phones"],
    ):
        done = caesura(*words)
        assert done.stderr.startswith(sentence)
        assert done.stderr.count("\n") == 1
        assert "names" not in done.stdout
    answer = json.loads(caesura("evaluate", *files, "-m", "R", "--json").stdout)
    assert any("label-kappa" in each for each in answer["warnings"])
    assert "label-kappa" in json.loads(caesura("agree", "sample:phones", "--json").stdout)["percentage"]["warnings"][0]
    pair = ["-c", "ann", "-c", "ben", "-m", "time-kappa"]
    assert json.loads(caesura("agree", "sample:phones", *pair, "--json").stdout)["percentage"]["value"] > 0.8


@pytest.mark.parametrize("method", ["majority", "consensus", "union"])
def test_the_gold_of_recordings_keeps_names(tmp_path, method: str) -> None:
    done = caesura("unify", "sample:phones", "--method", method, "-o", tmp_path / "gold.TextGrid", "--lossy")
    assert done.returncode == 0, done.stderr
    gold = read(tmp_path / "gold.TextGrid")["gold", ""]
    assert gold.names == unify(load("phones"), method).names
    assert {"sil", "AA", "JH"} <= set(gold.names or ())


def test_every_system_has_a_tier_of_its_own(tmp_path) -> None:
    gold, mfa, maus = (tmp_path / name for name in ("gold.TextGrid", "mfa.TextGrid", "maus.TextGrid"))
    for path, tier, at in ((gold, "gold", 0.3), (mfa, "phones", 0.3), (maus, "MAU", 0.35)):
        grid(path, ("words", 0.5), (tier, at))
    options = ("-O", "ref.tier=gold", "-O", "hyp.tier=phones", "-O", "maus.tier=MAU", "-m", "region-F", "--json")
    answer = json.loads(caesura("evaluate", gold, mfa, maus, *options).stdout)
    assert [answer["systems"][name]["region-F"]["micro"] for name in ("mfa", "maus")] == [1.0, 0.5]
    sentence = "--option 'mau.tier=MAU' is for 'mau'; expected ref, hyp or a system: mfa, maus."
    assert sentence in refused("evaluate", gold, mfa, maus, "-O", "mau.tier=MAU")


def test_spans_in_time_can_be_read_as_boundaries(tmp_path) -> None:
    file = tmp_path / "talk.csv"
    rows = [("ann", 0, 2, "nod"), ("ann", 5, 7, "shake"), ("ben", 0, 2.2, "nod"), ("ben", 5, 7, "shake")]
    file.write_text("item,annotator,start,end,label\n" + "".join(f"talk,{c},{a},{b},{n}\n" for c, a, b, n in rows))
    for options in (("--tolerance", "20ms"), ("-m", "SfB:step=0.1")):
        assert "read intervals in time as boundaries with -O as=boundaries" in refused("agree", file, *options)
        assert caesura("agree", file, "--format", "times", *options).returncode == 0


ANN, BEN = [(0.31, 4.51, "hello there"), (7.0, 12.0, "well")], [(4.6, 7.6, "yes")]


def tiers_of_speakers(path: Path, **speakers: list[tuple[float, float, str]]) -> Path:
    """Write a TextGrid with a tier of utterances per speaker."""
    made = [("talk", "", Spans.from_rows(rows, time=True, length=13.0), name) for name, rows in speakers.items()]
    path.parent.mkdir(exist_ok=True)
    write(Corpus.from_annotations(made), path, lossy=True)
    return path


def test_tiers_and_columns_of_speakers_are_turns(tmp_path) -> None:
    gold = tiers_of_speakers(tmp_path / "gold" / "talk.TextGrid", ann=ANN, ben=BEN)
    found = tiers_of_speakers(
        tmp_path / "found" / "talk.TextGrid", S1=[(0, 4.5, "")], S2=[(4.5, 7.8, "x")], S3=[(8, 12.5, "x")]
    )
    alone = tiers_of_speakers(tmp_path / "alone.TextGrid", ann=ANN)
    turns = [(0.31, 4.51, "ann"), (4.6, 7.6, "ben"), (7.0, 12.0, "ann")]
    table = tmp_path / "gold.csv"
    table.write_text("start,end,speaker\n" + "".join(f"{a},{b},{who}\n" for a, b, who in turns))
    for path, expected in ((gold, turns), (table, turns), (alone, [turns[0], turns[2]])):
        (marks,) = (a.marks for a in read(path, **{"as": "turns"}))
        assert marks.rows == expected
    asked = "evaluate", gold, found, "-m", "diarization-error"
    assert "with -O as=turns if the tiers" in refused(*asked)
    rttm = tmp_path / "gold" / "talk.rttm"
    write(read(table, item="talk", **{"as": "turns"}), rttm, lossy=True)
    scores = [
        caesura("evaluate", ref, found, "-O", "hyp.as=turns", *more, "--quiet").stdout.splitlines()[2].split()
        for ref, more in ((gold, ["-O", "ref.as=turns"]), (rttm, ["-m", "diarization-error"]))
    ]
    assert scores[0] == scores[1]
    assert scores[0][0] == "diarization-error"


def test_the_diarization_error_is_named_before_other_faults(tmp_path) -> None:
    line = "SPEAKER {} 1 {} 2.0 <NA> <NA> {} <NA> <NA>\n"
    gold, found, uem = (tmp_path / name for name in ("gold.rttm", "found.rttm", "all.uem"))
    gold.write_text(line.format("a", 0, "ann"))
    found.write_text(line.format("a", 1, "S1") + line.format("extra", 1, "S1"))
    uem.write_text("a 1 0 9\n")
    for more in ((), ("--uem", uem)):
        assert "diarization-error" in refused("evaluate", gold, found, *more, "-m", "DER")
        assert "is speaker-purity" in refused("evaluate", gold, found, *more, "-m", "purity")
    assert "-m diarization-error:collar=…" in refused("evaluate", gold, found, "--collar", "0.25")
    folders = [tmp_path / "coders" / name for name in ("reference", "system")]
    for folder, path in zip(folders, (gold, found), strict=True):  # a folder of RTTM gets the scores of a single file
        folder.mkdir(parents=True)
        (folder / "a.rttm").write_text(path.read_text().splitlines()[0])
        assert "diarization-error" in caesura("evaluate", folder, folder).stdout
    report = tmp_path / "report.md"
    caesura("report", tmp_path / "coders", "-O", "pattern={coder}/{item}.rttm", "-r", "reference", "-o", report)
    assert "diarization-error" in report.read_text()
    compared = caesura("compare", gold, found, "-m", "diarization-error")  # as evaluate, it names what it leaves out
    assert "1 item (extra) was left out" in compared.stderr
    assert "diarization-error ↓  1.000" in compared.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("kappa", "a", "b"), "there is no command 'kappa'; see caesura agree --help."),
        (("compare", "a", "b", "--tier", "phones"), "--tier is an option of reading, -O tier=…"),
        (("evaluate", "a", "b", "--csv", "x.csv"), "write a table with --table FILE.csv"),
        (("evaluate", "a", "b", "--collar", "1"), "a parameter of metrics, -m diarization-error:collar=…"),
        (("agree", "a", "b"), "two files are compared by caesura compare"),
        (("evaluate", "sample:phones", "sample:phones", "-m", "MAE"), "is called onset-mean here"),
        (("aligners", "sample:phones", "sample:phones", "--tolerance", "20"), "write milliseconds as 20ms"),
    ],
)
def test_what_a_newcomer_types_is_answered_with_what_is_meant(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*words)


def test_a_file_is_no_command(tmp_path) -> None:
    path = grid(tmp_path / "gold.TextGrid", ("phones", 0.3))
    assert "a command comes first: caesura check" in refused(path, path)
    both = grid(tmp_path / "mfa.TextGrid", ("ann - words", 0.3), ("ann - phones", 0.3))
    gold = grid(path, ("words", 0.3), ("phones", 0.3))
    assert "caesura aligners finds the tiers of phones" in refused("compare", gold, both)
    done = caesura("aligners", gold, both, "--by", "phones")
    assert done.returncode == 2
    assert "grouped by phone, pair or class=FILE" in done.stderr


def test_points_beside_tiers_of_speakers_are_left_out(tmp_path) -> None:
    points = '"TextTier"\n"tones"\n0\n1\n1\n0.5\n"H*"\n'
    path = tmp_path / "talk.TextGrid"
    path.write_text(TIERS.format(2) + TIER.format("ann", 0.3, 0.3) + points)
    done = caesura("convert", path, tmp_path / "talk.csv", "-O", "as=turns", "--to", "csv-spans", "--lossy")
    assert "the point tier 'tones' was left out, because points are no spans" in done.stderr
    assert (tmp_path / "talk.csv").read_text().count(",ann,") == 3
