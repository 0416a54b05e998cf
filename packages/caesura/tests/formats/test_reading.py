"""Folders, groups, attributes and interpretations: what a reader chooses, says and refuses (R1 and R6 of the rules for speech)."""

from __future__ import annotations

import json
import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.model.provenance import ReadingNote
from cli.command import caesura, refused
from shared_data import oracle_json, shared

CASES = oracle_json("reading_speech/cases.json")


def of_rule(*rules: str) -> pytest.MarkDecorator:
    """Parametrize a test by the oracle's cases of some rules."""
    return pytest.mark.parametrize("case", [c for c in CASES if c["rule"] in rules], ids=lambda c: c["name"])


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def options_of(case: dict[str, Any]) -> list[str]:
    return [word for key, value in case["do"].get("options", {}).items() for word in ("-O", f"{key}={value}")]


@of_rule("speakers")
@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
def test_folders_are_speakers(tmp_path: Path, case: dict[str, Any]) -> None:
    corpus = cs.read(put(tmp_path / "corpus", case["files"]), **case["do"]["options"])
    assert sorted(corpus.items) == case["expect"]["items"]
    assert len(corpus.coders) == case["expect"]["coders"]
    assert {item: known["speaker"] for item, known in corpus.attributes.items()} == case["expect"]["attribute_speaker"]
    sentence = refused("agree", tmp_path / "corpus", *options_of(case))
    assert all(part in sentence for part in case["expect"]["agree"]["says"])


SEGMENTS = {"ann": "one two | three", "ben": "one | two three"}


def test_two_folders_of_speakers_are_compared_by_path(tmp_path: Path) -> None:
    """Speakers were read as coders: R 0.664, and 4 items against alice and bob."""
    files = {
        f"{who}/u{i}.lab": f"0 {0.3 + i / 10} a\n{0.3 + i / 10} {1 + len(who) / 10} b\n"
        for who in ("alice", "bob")
        for i in (0, 1)
    }
    put(tmp_path / "gold", files), put(tmp_path / "sys", files)
    done = caesura("evaluate", tmp_path / "gold", tmp_path / "sys", "-m", "R", "--by", "speaker", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["count"] == 4
    assert result["systems"]["sys"]["R"]["micro"] == 1.0
    assert "the folders alice, bob were read as speakers" in done.stderr


def test_folders_whose_names_say_so_are_coders(tmp_path: Path) -> None:
    put(tmp_path, {"coder1/talk.txt": SEGMENTS["ann"], "coder2/talk.txt": SEGMENTS["ben"]})
    corpus = cs.read(tmp_path)
    assert (corpus.items, corpus.coders) == (("talk",), ("coder1", "coder2"))
    assert corpus.interpretation is not None
    assert corpus.interpretation.coders == "folders"


def test_placeholders_of_a_pattern_are_attributes(tmp_path: Path) -> None:
    put(tmp_path, {"poem/a.txt": "one | two", "poem/b.txt": "one | two three", "news/c.txt": "red | green"})
    corpus = cs.read(tmp_path, pattern="{genre}/{item}.txt")
    assert corpus.items == ("c", "a", "b")
    assert {item: known["genre"] for item, known in corpus.attributes.items()} == {
        "a": "poem",
        "b": "poem",
        "c": "news",
    }
    assert cs.evaluate(corpus, corpus, "F").by("genre").keys() == {"news", "poem"}
    put(tmp_path / "again", {"x/a.txt": "one | two", "y/a.txt": "one two | three"})
    assert cs.read(tmp_path / "again", pattern="{speaker}/{item}.txt").items == ("x/a", "y/a")
    put(tmp_path / "coders", {f"{coder}/{speaker}/a.txt": "one | two" for coder in ("ann", "ben") for speaker in "xy"})
    both = cs.read(tmp_path / "coders", pattern="{coder}/{speaker}/{item}.txt")
    assert (both.items, both.coders) == (("x/a", "y/a"), ("ann", "ben"))
    assert both.attributes["x/a"]["speaker"] == "x"


def test_attributes_come_from_a_table(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "texts/a.txt": "one | two",
            "texts/b.txt": "one | two three",
            "about.csv": "item,genre,year\na,poem,1816\nb,news,2020\n",
        },
    )
    corpus = cs.read(tmp_path / "texts", attributes=tmp_path / "about.csv")
    assert corpus.attributes["a"] == {"genre": "poem", "year": "1816"}
    assert (
        cs.read(tmp_path / "texts", attributes=str(tmp_path / "about.csv"))
        .interpretation.groups["genre"]
        .startswith("table")
    )  # type: ignore[union-attr]
    (tmp_path / "about.csv").write_text("item,genre\na,poem\n")
    with pytest.raises(CaesuraError, match="no row for the item 'b'"):
        cs.read(tmp_path / "texts", attributes=tmp_path / "about.csv")


def test_all_bad_files_are_named_at_once_or_left_out(tmp_path: Path) -> None:
    put(tmp_path, {"a.lab": "0 1 a\n1 2 b\n", "b.lab": "0 1 a\nx 2 b\n", "c.lab": "", "d.lab": "0 1 a\n0.5 2 b\n"})
    with pytest.raises(
        CaesuraError, match=r"3 of 4 files cannot be read: b\.lab, line 2: .*c\.lab: the file is empty.*keep_going"
    ) as caught:
        cs.read(tmp_path, "labels", **{"as": "boundaries"})
    assert "d.lab, line 2" in str(caught.value)
    with pytest.warns(UserWarning, match=r"without b\.lab, line 2.*; c\.lab: the file is empty; d\.lab, line 2"):
        corpus = cs.read(tmp_path, "labels", keep_going=True, **{"as": "boundaries"})
    assert corpus.items == ("a",)
    assert [note.item for note in corpus.notes if note.rule == "left out"] == ["b", "c", "d"]


def test_an_interpretation_can_be_stored_and_passed_back(tmp_path: Path) -> None:
    put(tmp_path, {"texts/a-ann.txt": SEGMENTS["ann"], "texts/a-ben.txt": SEGMENTS["ben"]})
    corpus = cs.read(tmp_path / "texts", "inline", pattern="{item}-{coder}.txt")
    assert corpus.interpretation is not None
    (tmp_path / "how.json").write_text(json.dumps(corpus.interpretation.as_dict()))
    for given in (corpus.interpretation, corpus.interpretation.as_dict(), tmp_path / "how.json"):
        again = cs.read(tmp_path / "texts", interpretation=given)
        assert again == corpus
        assert again.interpretation == corpus.interpretation
    with pytest.raises(CaesuraError, match="does not fit its interpretation: items"):
        cs.read(tmp_path / "texts", interpretation={**corpus.interpretation.as_dict(), "items": "file names"})
    with pytest.raises(CaesuraError, match="an interpretation is an object"):
        cs.read(tmp_path / "texts", interpretation={"format": "inline"})


# ---------------------------------------------------------------------- times: starts, small gaps, lengths


@of_rule("start")
def test_recordings_need_not_start_at_0(tmp_path: Path, case: dict[str, Any]) -> None:
    expected, file = case["expect"], put(tmp_path, case["files"]) / "x.TextGrid"
    corpus = cs.read(file, **case["do"]["options"])
    marks = corpus["x", ""]
    assert isinstance(marks, cs.Segmentation)
    assert (marks.start, marks.end, marks.positions.tolist()) == (
        expected["start"],
        expected["end"],
        expected["boundaries"],
    )
    (tmp_path / "copy").mkdir()
    cs.write(corpus, tmp_path / "copy" / "x.TextGrid")
    written = (tmp_path / "copy" / "x.TextGrid").read_text()
    assert f"xmin = {expected['start']!r} " in written
    assert f"xmax = {expected['end']!r} " in written
    assert cs.read(tmp_path / "copy" / "x.TextGrid", **case["do"]["options"]) == corpus
    for other in ("x.json", "x.jsonl", "x.parquet"):
        cs.write(corpus, tmp_path / other)
        assert cs.read(tmp_path / other) == corpus
    with pytest.raises(CaesuraError, match="start time"):
        cs.write(corpus, tmp_path / "x.lab")


@of_rule("starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sides_with_different_starts(tmp_path: Path, case: dict[str, Any]) -> None:
    put(tmp_path, case["files"])
    call = ["evaluate", tmp_path / "a", tmp_path / "b", *options_of(case), "-m", "R", "--json"]
    if case["expect"].get("refused"):
        sentence = refused(*call)
        assert all(part in sentence for part in case["expect"]["says"])
        return
    done = caesura(*call)
    assert done.returncode == 0, done.stderr
    sides = [cs.read(tmp_path / side, **case["do"]["options"]) for side in "ab"]
    pairs = cs.evaluate(*sides, "R", resamples=0).pairs
    scores = cs.region_scores(
        *(corpus.annotation(0).marks for corpus in (pairs.reference, pairs.hypothesis)), tolerance=0.02
    )
    if "hits_at_20ms" in case["expect"]:
        assert scores.hits == case["expect"]["hits_at_20ms"]
    if "common" in case["expect"]:
        marks = pairs.reference.annotation(0).marks
        assert [marks.start, marks.end] == case["expect"]["common"]  # type: ignore[union-attr]


@of_rule("tiny")
def test_small_gaps_and_overlaps_are_rounding(tmp_path: Path, case: dict[str, Any]) -> None:
    expected, file = case["expect"], put(tmp_path, case["files"]) / "x.TextGrid"
    if expected.get("refused"):
        with pytest.raises(CaesuraError) as caught:
            cs.read(file, **case["do"]["options"])
        assert all(part in str(caught.value) for part in expected["says"])
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        corpus = cs.read(file, **case["do"]["options"])
    marks = corpus["x", ""]
    assert isinstance(marks, cs.Segmentation)
    assert len(marks) == expected["segments"]
    if "boundaries_near" in expected:
        assert marks.positions.tolist() == pytest.approx(expected["boundaries_near"], abs=expected["tolerance"])
    if "unnamed_segment" in expected:
        assert marks.names is not None
        assert tuple(expected["unnamed_segment"]) == marks.spans[marks.names.index("")]
    assert bool(said) == bool(expected["says"]) == bool(corpus.notes)
    assert all(part in str(said[0].message) for part in expected["says"])
    (tmp_path / "copy").mkdir()  # the original times are written, not the snapped ones
    cs.write(cs.read(file), tmp_path / "copy" / "x.TextGrid")
    assert (tmp_path / "copy" / "x.TextGrid").read_bytes() == file.read_bytes()


@of_rule("lengths")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_files_of_different_length(tmp_path: Path, case: dict[str, Any]) -> None:
    put(tmp_path / "c", case["files"])
    if case["expect"].get("refused"):
        sentence = refused("agree", tmp_path / "c", *options_of(case))
        assert all(part in sentence for part in case["expect"]["says"])
        for rule in ("common", "longest"):
            assert caesura("agree", tmp_path / "c", *options_of(case), "-O", f"lengths={rule}").returncode == 0
    else:
        corpus = cs.read(tmp_path / "c", **case["do"]["options"])
        assert set(corpus.lengths.tolist()) == {case["expect"]["length"]}
        assert "longer by" in corpus.notes[0].text
        assert caesura("agree", tmp_path / "c", *options_of(case)).returncode == 0
    call = ["evaluate", tmp_path / "c" / "ann", tmp_path / "c" / "ben", "-m", "R"]
    done = caesura(*call)  # the same rule for two sides
    assert (done.returncode == 2) == bool(case["expect"].get("refused")), done.stderr


_MARKS = {
    "audacity.txt": "0.0\t1.0\ta\n1.0\t{0}\tb\n",
    "words.ctm": "x 1 0.0 1.0 a\nx 1 1.0 {1} b\n",
    "phones.lab": "0.0 1.0 a\n1.0 {0} b\n",
}


@pytest.mark.parametrize("name", [*_MARKS, "elan.eaf"])
def test_one_rule_for_last_marks_in_all_formats_and_commands(tmp_path: Path, name: str) -> None:
    """Files whose last marks differ were refused by agree, and compared by evaluate whatever the difference."""
    stem, _, suffix = name.partition(".")
    for coder, end, lasting in (("ann", "2.0", "1.0"), ("ben", "2.37", "1.37")):
        content = _MARKS.get(name, _MARKS["audacity.txt"]).format(end, lasting)
        put(tmp_path, {f"{stem}-{coder}.{suffix if name in _MARKS else 'txt'}": content})
        if name not in _MARKS:
            cs.write(cs.read(tmp_path / f"{stem}-{coder}.txt"), tmp_path / f"{stem}-{coder}.{suffix}")
    pattern = ("-O", f"pattern={{item}}-{{coder}}.{suffix}")
    sides = (tmp_path / f"{stem}-ann.{suffix}", tmp_path / f"{stem}-ben.{suffix}")
    for call in (
        ("agree", tmp_path, *pattern),
        ("unify", tmp_path, *pattern),
        ("evaluate", *sides),
        ("compare", *sides),
    ):
        sentence = refused(*call)
        assert "2 s" in sentence
        assert "2.37 s" in sentence
        assert "-O lengths=common" in sentence
        assert "-O lengths=longest" in sentence


def test_turns_have_no_length_in_any_command(tmp_path: Path) -> None:
    """RTTM says who speaks when, not how long a recording is: what only one side has is scored, and evaluate says how much."""
    for coder, lasting in (("ann", "1.0"), ("ben", "1.37")):
        put(tmp_path, {f"{coder}/s.rttm": f"SPEAKER s 1 1.0 {lasting} <NA> <NA> x <NA> <NA>\n"})
    sides = (tmp_path / "ann" / "s.rttm", tmp_path / "ben" / "s.rttm")
    for call in (("agree", tmp_path), ("unify", tmp_path)):
        assert caesura(*call, "-O", "pattern={coder}/{item}.rttm").returncode == 0
    assert caesura("compare", *sides).returncode == 0
    done = caesura("evaluate", *sides)
    assert "0.37 false alarm" in done.stdout
    assert "scored 1.37 s, from the first to the last turn of both sides" in done.stdout


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_shares_of_time_count_from_the_start(tmp_path: Path) -> None:
    """Half of a recording from 3 to 3.5 s agrees; with 3 s of nothing before it, .955 of the time agreed."""
    for side, labels in (("a", "xy"), ("b", "xx")):
        marks = cs.Segmentation.from_times([3.25], length=0.5, names=list(labels), start=3.0)
        (tmp_path / side).mkdir()
        cs.write(cs.Corpus.from_dict({"u": {"": marks}}), tmp_path / side / "u.TextGrid")
    scores = cs.evaluate(cs.read(tmp_path / "a"), cs.read(tmp_path / "b"), metrics="time-agreement")
    assert scores["time-agreement"].micro == pytest.approx(0.5)


# ---------------------------------------------------------------------- tiers, bad files, structure


@of_rule("tiers")
def test_tiers_are_not_pooled(tmp_path: Path, case: dict[str, Any]) -> None:
    put(tmp_path, case["files"])
    for command in ("evaluate", "compare"):
        done = caesura(command, tmp_path / "a", tmp_path / "b", *options_of(case), "-m", "R", "--json")
        assert done.returncode == 0, done.stderr
        assert all(part in done.stderr for part in case["expect"]["says"])
        result = json.loads(done.stdout)
        if command == "evaluate":
            several = len(case["expect"]["rows_for"]) > 1
            assert list(result["systems"]) == (case["expect"]["rows_for"] if several else ["b"])


@of_rule("bad")
def test_one_bad_file_among_many(tmp_path: Path, case: dict[str, Any]) -> None:
    put(tmp_path, case["files"])
    call = ["evaluate", "a", "b", *options_of(case), "-m", "R", "--json"]
    done = caesura(*call, cwd=tmp_path)
    assert done.returncode == 2
    assert all(part in done.stderr for part in ("--keep-going", *case["expect"]["says"]))
    done, expected = caesura(*call, "--keep-going", cwd=tmp_path), case["expect"]["with_keep_going"]
    assert done.returncode == expected["exit_status"], done.stderr
    assert all(part in done.stderr for part in expected["says"])
    result = json.loads(done.stdout)
    assert result["count"] == expected["recordings"]
    assert [each["item"] for each in result["left_out"]] == expected["left_out"]


def test_a_missing_tier_is_a_bad_file(tmp_path: Path) -> None:
    grid = next(c for c in CASES if c["name"] == "start03")["files"]["x.TextGrid"]
    put(tmp_path, {f"{side}/{i}.TextGrid": grid for side in "ab" for i in range(12)})
    put(tmp_path, {"b/3.TextGrid": grid.replace("phones", "words")})
    call = ["evaluate", tmp_path / "a", tmp_path / "b", "-O", "tier=phones", "-m", "R"]
    assert "there is no tier 'phones'" in refused(*call)
    assert "11 of 12 recordings are compared" in caesura(*call, "--keep-going").stderr


def tree(path: Path) -> Any:
    """An ELAN file as nested tuples; blanks between elements and the date do not count."""

    def plain(element: ET.Element) -> Any:
        about = sorted((key, value) for key, value in element.attrib.items() if key != "DATE")
        return element.tag, about, (element.text or "").strip(), [plain(child) for child in element]

    return plain(ET.parse(path).getroot())


@of_rule("elan")
def test_elan_files_come_back_intact(tmp_path: Path, case: dict[str, Any]) -> None:
    file, expected = put(tmp_path, case["files"]) / "talk.eaf", case["expect"]
    (tmp_path / "copy").mkdir()
    done = caesura("convert", file, tmp_path / "copy" / "talk.eaf")
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "copy" / "talk.eaf") == tree(file)
    for other in ("talk.TextGrid", "talk.json"):  # through another format, which holds it or refuses
        done = caesura("convert", file, tmp_path / other)
        assert (done.returncode == 0) == other.endswith("json"), done.stderr
        assert other.endswith("json") or "1 parent link" in done.stderr
    cs.write(cs.read(tmp_path / "talk.json"), tmp_path / "copy" / "again.eaf", lossy=True)
    assert tree(tmp_path / "copy" / "again.eaf") == tree(file)
    # two copies as two coders: one more tier
    put(tmp_path, {f"coders/{coder}/talk.eaf": case["files"]["talk.eaf"] for coder in ("coder1", "coder2")})
    tier = expected["tiers"][0]
    call = ["-O", "pattern={coder}/{item}.eaf", "-O", f"tier={tier}", "-O", "as=spans", "-o", tmp_path / "gold.eaf"]
    done = caesura("unify", tmp_path / "coders", *call)
    assert done.returncode == 0, done.stderr
    united = ET.parse(tmp_path / "gold.eaf").getroot()
    tiers = [each.get("TIER_ID") for each in united.findall("TIER")]
    assert [name for name in tiers if name != "gold"] == expected["tiers"]
    gold = next(each for each in united.findall("TIER") if each.get("TIER_ID") == "gold")
    assert (len(gold), gold.get("PARTICIPANT")) == (expected["alignable"], expected["participants"][tier])
    united.remove(gold)
    assert len(list(united.iter("REF_ANNOTATION"))) == expected["ref_annotations"]


def test_changed_annotations_of_an_elan_file_keep_their_dependents(tmp_path: Path) -> None:
    case = next(c for c in CASES if c["name"] == "elan00")
    file = put(tmp_path, case["files"]) / "talk.eaf"
    corpus = cs.read(file)
    track = case["expect"]["tiers"][0]
    marks = corpus["talk", "", track]
    assert isinstance(marks, cs.Spans)
    first, *rest = marks.rows
    moved = [(first[0] + 0.01, first[1], first[2]), *rest[:-1]]  # one moved, the last deleted
    new = [
        a if a.track != track else a._replace(marks=cs.Spans.from_rows(moved, length=marks.length, time=True))
        for a in corpus
    ]
    changed = cs.Corpus.from_annotations(new, provenance=corpus.provenance)
    (tmp_path / "copy").mkdir()
    with pytest.warns(UserWarning, match="depends? on deleted ones"):
        cs.write(changed, tmp_path / "copy" / "talk.eaf")
    root = ET.parse(tmp_path / "copy" / "talk.eaf").getroot()
    assert len(list(root.iter("ALIGNABLE_ANNOTATION"))) == case["expect"]["alignable"] - 1
    assert len(list(root.iter("REF_ANNOTATION"))) == case["expect"]["ref_annotations"] - 1
    again = cs.read(tmp_path / "copy" / "talk.eaf")["talk", "", track]
    assert [round(row[0], 6) for row in again.rows] == [round(row[0], 6) for row in moved]  # type: ignore[union-attr]


def test_check_shows_and_stores_how_data_is_understood(tmp_path: Path) -> None:
    files = {
        f"talks/{who}/u{i}.lab": f"0 {0.3 + i / 10} a\n{0.3 + i / 10} 1 b\n" for who in ("alice", "bob") for i in (0, 1)
    }
    put(tmp_path, files)
    done = caesura("check", "talks", "-o", "how.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for part in (
        "format labels, time in seconds",
        "4 items: paths below the folder",
        "groups: speaker (first folder)",
        "wrote how.json",
    ):
        assert part in done.stdout
    data = json.loads(caesura("check", "talks", "--json", "--quiet", cwd=tmp_path).stdout)["files"][0]
    assert data["interpretation"] == json.loads((tmp_path / "how.json").read_text())["interpretation"]
    assert data["notes"][0]["rule"] == "folders"
    done = caesura("show", "talks", "--as", "how.json", "--explain-input", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "talks: format labels, time in seconds" in done.stderr
    assert "read as speakers" not in done.stderr
    put(tmp_path, {"talks/new.lab": "zero one\n"})
    assert "--keep-going" in refused("show", tmp_path / "talks", "--as", tmp_path / "how.json")


# ---------------------------------------------------------------------- formats of other tools


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
@pytest.mark.parametrize(
    ("name", "content", "format", "expected"),
    [
        (
            "a.conll",
            "Ann NNP B-per\nsaw VBD O\n\nNew NNP B-loc\nYork NNP I-loc\n",
            "conll-bio",
            [(0, 1, "per"), (2, 4, "loc")],
        ),
        (
            "a.txt",
            "-DOCSTART- O\n\nAnn S-per\nof O\nNew B-loc\nYork E-loc\n",
            "conll-bio",
            [(0, 1, "per"), (2, 4, "loc")],
        ),
        (
            "a.tsv",
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n#Text=Ann saw New York\n1-1\t0-3\tAnn\tper\n1-2\t4-7\tsaw\t_\n"
            "1-3\t8-11\tNew\tloc[1]\n1-4\t12-16\tYork\tloc[1]\n",
            "webanno",
            [(0, 1, "per"), (2, 4, "loc")],
        ),
        (
            "a.jsonl",
            '{"text": "Ann saw", "tokens": [{"text": "Ann", "start": 0, "end": 3}, {"text": "saw", "start": 4, "end": 7}], '
            '"spans": [{"start": 0, "end": 3, "label": "per"}], "answer": "accept"}\n{"text": "no", "answer": "reject"}\n',
            "prodigy",
            [(0, 1, "per")],
        ),
        (
            "b.jsonl",
            '{"text":"Ann saw","spans":[{"start":0,"end":3,"label":"per"}]}\n',
            "prodigy",
            [(0, 3, "per")],
        ),
        (
            "a.json",
            '{"topic_list": [{"topic": "hi", "relevant_text_span": [["0", "1"]]}], '
            '"meeting_transcripts": [{"speaker": "A", "content": "x"}, {"speaker": "B", "content": "y"}, {"speaker": "A", "content": "z"}]}',
            "qmsum",
            [(0, 2, "hi")],
        ),
    ],
)
def test_spans_of_other_tools(tmp_path: Path, name: str, content: str, format: str, expected: list[Any]) -> None:
    (tmp_path / name).write_text(content)
    corpus = cs.read(tmp_path / name)
    assert corpus.interpretation is not None
    assert corpus.interpretation.format == format
    assert corpus.annotation(0).marks.rows == expected  # type: ignore[union-attr]


def test_sentences_with_labels(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"sentences": ["a", "b", "c"], "labels": [1, 0, 1]}\n{"sentences": ["a", "b"], "labels": [1, 1]}\n'
    )
    with pytest.warns(UserWarning, match="assumed to start a segment"):
        assert [a.marks.masses for a in cs.read(file)] == [[2, 1], [1, 1]]  # type: ignore[union-attr]
    assert [a.marks.masses for a in cs.read(file, mean="ends")] == [[1, 2], [1, 1]]  # type: ignore[union-attr]
    choi = tmp_path / "dialogue.txt"  # as in DialSeg711
    choi.write_text("hello\nhow are you\n================\nbye\n================\n")
    assert cs.read(choi).annotation(0).marks.masses == [2, 1]  # type: ignore[union-attr]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_subtitles_in_wide_encodings(tmp_path: Path, encoding: str) -> None:
    text = "1\n00:00:00,000 --> 00:00:01,000\nčau\n\n2\n00:00:01,000 --> 00:00:02,000\nahoj\n"
    (tmp_path / "a.srt").write_bytes(text.encode(encoding))
    assert cs.read(tmp_path / "a.srt").names[0] == ("čau", "ahoj")


# ---------------------------------------------------------------------- readings that gave wrong numbers in silence


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
def test_a_table_with_starts_and_ends_is_no_table_of_units(tmp_path: Path) -> None:
    """It was read as one label per unit, with agreement 1.000."""
    file = tmp_path / "t.csv"
    file.write_text("item,coder,start,end,label\nx,a,0,50,x\nx,a,50,100,y\nx,b,0,82,x\nx,b,82,100,y\n")
    corpus = cs.read(file)
    assert (corpus.kind, corpus.timed) == ("spans", False)
    assert corpus["x", "a"].rows == [(0, 50, "x"), (50, 100, "y")]  # type: ignore[union-attr]
    assert round(float(cs.agree(corpus, coefficient="gamma")), 2) == 0.78
    assert "-O time=yes" in corpus.notes[0].text
    assert cs.read(file, time=True).timed
    with pytest.raises(CaesuraError, match="this table has starts and ends"):
        cs.read(file, "csv-labels")


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
@pytest.mark.parametrize(
    ("gold", "system", "masses"),
    [
        ([[2, 3, 5], [4, 6]], [[2, 2, 6], [5, 5]], [[2, 3, 5], [4, 6]]),
        (["0100", "0010"], ["0010", "0010"], [[2, 3], [3, 2]]),
        ([[0, 1, 0, 0], [0, 0, 1, 0]], [[0, 1, 1, 0], [0, 0, 0, 0]], [[2, 3], [3, 2]]),
        ({"a": [2, 3, 5], "b": [4, 6]}, {"a": [5, 5], "b": [4, 6]}, [[2, 3, 5], [4, 6]]),
    ],
)
def test_lists_of_masses_are_items(tmp_path: Path, gold: Any, system: Any, masses: list[list[int]]) -> None:
    """They were read as nested segments of one item, with nested-F 1.000."""
    for name, data in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    corpus = cs.read(tmp_path / "gold.json")
    assert [each.marks.masses for each in corpus] == masses  # type: ignore[union-attr]
    done = caesura("evaluate", tmp_path / "gold.json", tmp_path / "system.json", "-m", "B", "--json")
    assert json.loads(done.stdout)["count"] == 2
    assert json.loads(done.stdout)["systems"]["system"]["B"]["micro"] < 1
    if isinstance(gold, list):
        marks = "strings" if isinstance(gold[0], str) else "marks"
        said = f"{marks} of 0 and 1 of items 1 to 2" if gold[0][0] in ("0", 0) else "--format nested-json"
        assert said in corpus.notes[0].text
    if gold == [[2, 3, 5], [4, 6]]:
        assert cs.read(tmp_path / "gold.json", "nested-json").kind == "nested"


def test_labels_of_0_and_1_are_boundaries_and_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("item,label\nx,0\nx,1\nx,0\nx,0\n")
    with pytest.warns(UserWarning, match="1 is assumed to end a segment; if it starts one, add -O mean=starts"):
        corpus = cs.read(file)
    assert corpus["x", ""].masses == [2, 2]  # type: ignore[union-attr]
    assert cs.read(file, mean="starts")["x", ""].masses == [1, 3]  # type: ignore[union-attr]
    assert cs.read(file, mean="segments")["x", ""].masses == [1, 1, 2]  # type: ignore[union-attr]
    file.write_text("item,label\nx,1\nx,0\nx,1\nx,0\ny,1\ny,0\n")
    with pytest.warns(UserWarning, match="1 is assumed to start a segment"):
        assert cs.read(file)["x", ""].masses == [2, 2]  # type: ignore[union-attr]


def test_names_are_whole_parts_of_a_path(tmp_path: Path) -> None:
    """ "ann" was thought to be in annotations/talk.TextGrid, and lost."""
    corpus = cs.Corpus.from_annotations(
        [("talk", "ann", cs.Segmentation.from_times([0.5], length=2.0, names=["a", "b"]))]
    )
    for folder in ("annotations", "ann"):
        (tmp_path / folder).mkdir()
    with pytest.raises(CaesuraError, match="the name of the coder"):
        cs.write(corpus, tmp_path / "annotations" / "talk.TextGrid")
    for good in ("ann/talk.TextGrid", "annotations/talk-ann.TextGrid", "annotations/ann_talk.TextGrid"):
        cs.write(corpus, tmp_path / good)


def test_fail_under_measures_the_distance_from_the_best_value(tmp_path: Path) -> None:
    for name, times in (("gold", [1, 2, 3, 4]), ("system", [1.1])):
        (tmp_path / f"{name}.csv").write_text("item,length,time\n" + "".join(f"x,5.0,{t:.1f}\n" for t in times))
    call = ["evaluate", tmp_path / "gold.csv", tmp_path / "system.csv", "-m", "over-segmentation"]
    done = caesura(*call, "--fail-under", "over-segmentation=5")
    assert done.returncode == 1
    assert "over-segmentation is -75.000, more than 5 from 0." in done.stderr
    assert caesura(*call, "--fail-under", "over-segmentation=80").returncode == 0
    bias = ["-m", "displacement-bias:pairing=nearest", "--fail-under", "displacement-bias=5"]
    assert caesura(*call[:3], *bias).returncode == 1


def test_nothing_compared_is_undefined() -> None:
    empty = cs.Segmentation.from_times([], length=2.0, names=["a"])
    for name in ("within-20ms", "displacement-matched"):
        assert str(cs.metric(name)(empty, empty)) == "nan"


def test_an_item_left_out_counts_as_unmarked_under_that_name() -> None:
    """ "worst" raised macro B where the reference has no boundary either."""
    gold, system = {"a": [2, 3], "b": [5]}, {"a": [1, 4]}
    with pytest.raises(CaesuraError, match="'error', 'skip' or 'empty'"):
        cs.evaluate(gold, system, "B", missing="worst")  # type: ignore[arg-type]
    assert cs.evaluate(gold, system, "B", missing="empty").filled == ("b",)


def test_folder_in_folder_out(tmp_path: Path) -> None:
    grid = next(c for c in CASES if c["name"] == "start03")["files"]["x.TextGrid"]
    put(tmp_path, {f"in/{who}/{i}.TextGrid": grid for who in ("alice", "bob") for i in (1, 2)})
    done = caesura("convert", tmp_path / "in", tmp_path / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    files = sorted(file.relative_to(tmp_path / "out").as_posix() for file in (tmp_path / "out").rglob("*.*"))
    assert files == ["alice/1.TextGrid", "alice/2.TextGrid", "bob/1.TextGrid", "bob/2.TextGrid"]
    assert (tmp_path / "out" / files[0]).read_text() == grid


def test_items_are_matched_by_base_names_if_no_path_matches(tmp_path: Path) -> None:
    put(tmp_path, {"gold/alice/u1.lab": "0.0 1.0 a\n1.0 2.0 b\n", "gold/bob/u2.lab": "0.0 1.0 a\n1.0 2.0 b\n"})
    put(tmp_path, {"sys/u1.lab": "0.0 1.0 a\n1.0 2.0 b\n", "sys/u2.lab": "0.0 1.0 a\n1.0 2.0 b\n"})
    done = caesura("evaluate", tmp_path / "gold", tmp_path / "sys", "-m", "R", "--json")
    assert json.loads(done.stdout)["count"] == 2
    assert "matched by the last part of their paths: alice/u1 and u1" in done.stderr


def test_master_label_files_with_rounding_and_without_a_header(tmp_path: Path) -> None:
    """An overlap of 0.3 µs was refused with two equal times."""
    put(tmp_path, {"a.mlf": '"*/s1.lab"\n0 10000000 a\n9999997 20000000 b\n.\n'})
    corpus = cs.read(tmp_path / "a.mlf")
    assert corpus.items == ("s1",)
    assert corpus.positions.tolist() == pytest.approx([1.0], abs=1e-6)
    put(tmp_path, {"b.mlf": '#!MLF!#\n"*/s1.lab"\n0 19658600000 a\n19658000000 19700000000 b\n.\n'})
    with pytest.raises(
        CaesuraError, match=r"starts at 1965\.8 s, before the previous one ends \(1965\.86 s\), an overlap of 60 ms"
    ):
        cs.read(tmp_path / "b.mlf")


@pytest.mark.parametrize(
    "kind",
    ["textgrid", "eaf", "rttm", "ctm", "cha", "trs", "exb", "collection", "vtt", "srt", "conllu", "doccano", "ls"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_real_files_come_back_as_they_were(tmp_path: Path, kind: str) -> None:
    read = 0
    for file in sorted(shared(f"data/real_files/{kind}").iterdir()):
        try:
            corpus = cs.read(file)
        except CaesuraError:
            continue  # damaged, or without the text that it needs; test_real_files checks those
        assert corpus.interpretation is not None
        cs.write(corpus, tmp_path / file.name, corpus.interpretation.format)
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name
        read += 1
    assert read


# ---------------------------------------------------------------------- two readings


@pytest.mark.parametrize(
    ("name", "content", "readings"),
    [
        ("x.txt", "3\n5\n9\n", ("--format times", "--format paragraphs")),
        ("x.txt", "So twice | five miles\nof ground\n\nwith walls\n", ("--format inline", "--format paragraphs")),
        ("x.lab", "0 5 sil\n5 30 a\n", ("3 µs", "--format htk", "30 s", "--format labels", "--format timit")),
    ],
)
def test_a_file_with_two_readings_is_refused_with_both(tmp_path, name, content, readings):
    (tmp_path / name).write_text(content)
    with pytest.raises(cs.FormatError) as caught:
        cs.read(tmp_path / name)
    assert all(reading in str(caught.value) for reading in readings)
    assert len(str(caught.value)) < 300
    for word in re.findall(r"--format (\w+)", str(caught.value)):
        assert len(cs.read(tmp_path / name, word)) == 1  # what it says to type works


def test_one_ambiguous_file_of_a_folder_is_not_skipped(tmp_path):
    (tmp_path / "a.lab").write_text("0.0 0.5 x\n0.5 1.5 y\n")
    (tmp_path / "b.lab").write_text("0 5 x\n5 30 y\n")
    with pytest.raises(cs.FormatError, match=r"b.lab: the recording would last 3 µs .*--keep-going"):
        cs.read(tmp_path)
    assert cs.read(tmp_path, "labels").items == ("a", "b")


def test_bars_at_blank_lines_have_one_reading(tmp_path):
    (tmp_path / "x.txt").write_text("So twice five |\n\nmiles | \n\nof ground\n")
    assert cs.read(tmp_path / "x.txt")["x", ""].masses == [3, 1, 2]
    (tmp_path / "z.lab").write_text("0 5000000 sil\n5000000 12000000 a\n")
    assert cs.read(tmp_path / "z.lab")["z", ""].length == 1.2


def test_sides_that_mean_different_things_by_1_are_refused(tmp_path):
    (tmp_path / "gold.csv").write_text("item,label\na,1\na,0\na,0\na,1\n")
    (tmp_path / "ours.csv").write_text("item,label\na,0\na,0\na,0\na,1\n")
    with pytest.warns(ReadingNote):
        gold, ours = cs.read(tmp_path / "gold.csv"), cs.read(tmp_path / "ours.csv")
    for function in (cs.evaluate, cs.compare):
        with pytest.raises(
            cs.CaesuraError, match=r"1 would start a segment in .*gold.csv and end one in .*ours.csv; add"
        ):
            function(gold, ours)
    (tmp_path / "both").mkdir()
    for name in ("gold", "ours"):
        (tmp_path / f"{name}.csv").rename(tmp_path / "both" / f"{name}.csv")
    with pytest.raises(cs.CaesuraError, match="add -O mean=starts or -O mean=ends"):
        cs.read(tmp_path / "both", pattern="{coder}.csv")
    assert cs.read(tmp_path / "both", pattern="{coder}.csv", mean="starts")["a", "gold"].masses == [3, 1]


def test_tags_in_tables_are_spans(tmp_path):
    (tmp_path / "x.csv").write_text("token,tag\nAnn,B-PER\nLee,I-PER\nsaw,O\nParis,B-LOC\n")
    with pytest.warns(ReadingNote, match="labels such as B-LOC were read as tags of spans"):
        marks = cs.read(tmp_path / "x.csv")["x", ""]
    assert marks.rows == [(0, 2, "PER"), (3, 4, "LOC")]
    assert marks.units == ("Ann", "Lee", "saw", "Paris")
    assert cs.read(tmp_path / "x.csv", mean="segments")["x", ""].masses == [1, 1, 1, 1]


def test_a_guessed_length_is_said(tmp_path):
    (tmp_path / "x.csv").write_text("item,position\na,2\na,5\n")
    with pytest.warns(ReadingNote, match=r"item 'a' is assumed to end one unit after its last boundary \(6 units\)"):
        assert cs.read(tmp_path / "x.csv")["a", ""].length == 6
    assert cs.read(tmp_path / "x.csv", length=9)["a", ""].masses == [2, 3, 4]


def test_files_of_the_same_content_are_noted(tmp_path: Path) -> None:
    for name in "abc":
        text = f"talk 1 0.0 0.5 {'x' if name == 'c' else 'y'}\ntalk 1 0.5 0.5 z\n"
        (tmp_path / f"{name}.ctm").write_text(text.replace("talk", name if name == "c" else "talk"))
    (tmp_path / "b.ctm").rename(tmp_path / "sub.ctm")
    with pytest.warns(UserWarning, match=r"a\.ctm, sub\.ctm have the same content; all were read\."):
        cs.read(tmp_path, pattern="{item}.ctm")


def test_labels_that_look_alike_are_noted() -> None:
    ours = cs.Segmentation.from_times([0.5], length=1.0, names=["a\u0301", "b"])
    theirs = cs.Segmentation.from_times([0.5], length=1.0, names=["\u00e1", "b "])
    result = cs.evaluate(ours, theirs, "label-agreement", resamples=0)
    (sentence,) = (each for each in result.warnings() if "count as different labels" in each)
    assert "differ only in Unicode form" in sentence
    assert sentence.endswith("(1 other label likewise).")
    assert any("count as different labels" in each for each in cs.compare(ours, theirs).warnings())
    assert not cs.evaluate(ours, ours, "label-agreement", resamples=0).warnings()
