"""Converting folders, and everything that can be wrong with the files people bring."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import pytest

import caesura as cs
from cli.command import SOURCE, caesura, refused

GOOD = {"segmentation_type": "linear", "items": {"a": {"ann": [2, 3, 6], "ben": [5, 6]}, "b": {"ann": [4, 4]}}}


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD))
    return path


def test_there_and_back(good, tmp_path):
    table = tmp_path / "table.csv"
    done = caesura("convert", good, table)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"wrote {table}: 3 annotations, 2 items, 2 coders"
    back = caesura("convert", table, tmp_path / "back.json", "--to", "segeval-json", "--json")
    assert json.loads(back.stdout)["annotations"] == 3
    assert cs.read(tmp_path / "back.json") == cs.read(good)


def test_a_folder_with_a_pattern_and_options(tmp_path):
    talks = tmp_path / "talks"
    talks.mkdir()
    (talks / "TM1-ann.txt").write_text("F: yes, no.\n")
    (talks / "TM1-ben.txt").write_text("F: yes no.\n")
    (talks / "README.md").write_text("not data")
    out = tmp_path / "talks.jsonl"
    done = caesura("convert", talks, out, "--pattern", "{item}-{coder}.txt", "--option", "attached=yes")
    assert done.returncode == 0, done.stderr
    corpus = cs.read(out)
    assert corpus["TM1", "ann", "F"].marks == [(1, ","), (2, ".")]
    assert corpus["TM1", "ben", "F"].marks == [(2, ".")]


def test_a_corpus_becomes_a_folder_and_comes_back(tmp_path):
    corpus = cs.Corpus.from_dict({i: {c: cs.Segmentation.parse("so | twice five") for c in "xy"} for i in ("a", "b")})
    cs.write(corpus, tmp_path / "all.json")
    folder = tmp_path / "texts"
    words = ["--to", "choi", "--write-pattern", "{coder}/{item}.txt"]
    done = caesura("convert", tmp_path / "all.json", folder, *words)
    assert done.returncode == 0, done.stderr
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.txt")) == [
        "x/a.txt",
        "x/b.txt",
        "y/a.txt",
        "y/b.txt",
    ]
    assert cs.read(folder, pattern="{coder}/{item}.txt") == corpus
    assert "exists already" in refused("convert", tmp_path / "all.json", folder, *words)


def test_files_of_a_folder_use_only_some_of_the_types(tmp_path):
    marks = {
        c: cs.Segmentation.from_labels_at(["", s, "."], units=["so", "it", "goes"]) for c, s in (("x", ","), ("y", ""))
    }
    corpus = cs.Corpus.from_dict({"talk": marks})
    cs.write(corpus, tmp_path / "talks", "transcript", pattern="{item}-{coder}.txt")
    again = cs.read(tmp_path / "talks", "transcript", pattern="{item}-{coder}.txt")
    assert again == corpus
    assert again.labels == corpus.labels == (",", ".")


def test_a_folder_is_written_whole_or_not_at_all(tmp_path):
    with_space = cs.Segmentation.from_masses([1, 1], units=["a ", "b"])
    corpus = cs.Corpus.from_dict({"a": {"x": cs.Segmentation.parse("so | twice")}, "b": {"x": with_space}})
    with pytest.raises(cs.FormatError, match=r"texts/b-x\.txt: .* would lose text as it is"):
        cs.write(corpus, tmp_path / "texts", "choi", pattern="{item}-{coder}.txt")
    assert list(tmp_path.iterdir()) == []


def test_loss_needs_lossy(good, tmp_path):
    out = tmp_path / "ann.tsv"
    assert "segeval's TSV of masses would lose all items but one" in refused(
        "convert", good, out, "--to", "segeval-tsv"
    )
    assert not out.exists()
    assert caesura("convert", good, out, "--to", "segeval-tsv", "--lossy").returncode == 0
    assert cs.read(out, "segeval-tsv", item="a") == cs.read(good).select(items=["a"])


def test_standoff_text_overwrites_no_other_file(tmp_path):
    text = tmp_path / "talk.txt"
    text.write_text("so twice | five\n")
    sentence = refused("convert", text, tmp_path / "talk.ann")
    assert "talk.txt exists beside it with other content" in sentence
    assert text.read_text() == "so twice | five\n"


NAMES = {
    "mass 0": ('{"segmentation_type": "linear", "items": {"a": {"x": [2, 0]}}}', "segment 2 has mass 0"),
    "mass -1": ('{"segmentation_type": "linear", "items": {"a": {"x": [2, -1]}}}', "segment 2 has mass -1"),
    "mass 1.5": ('{"segmentation_type": "linear", "items": {"a": {"x": [2, 1.5]}}}', "must be a whole number of units, not 1.5"),
    "mass huge": ('{"segmentation_type": "linear", "items": {"a": {"x": [4611686018427387904, 4611686018427387904]}}}', "more than 2**63 - 1 units"),
    "mass text": ('{"segmentation_type": "linear", "items": {"a": {"x": ["2"]}}}', "must be a whole number"),
    "mass null": ('{"segmentation_type": "linear", "items": {"a": {"x": null}}}', "item 'a', coder 'x': masses must be a list, not None."),
    "lengths": ('{"segmentation_type": "linear", "items": {"a": {"x": [2, 2], "y": [5]}}}', "all coders of a text share its length"),
    "coder twice": ('{"segmentation_type": "linear", "items": {"a": {"x": [2, 2], "x": [4]}}}', "the key 'x' occurs twice"),
    "truncated": ('{"segmentation_type": "linear",\n "items": {"a": {"x": [2, 2', "line 2: this is not JSON"),
    "cut early": ('{"segmentation_type":', "line 1: this is not JSON"),
    "schema": ('{"segmentation_type": "linear", "items": [1]}', 'expected an object with "items"'),
    "other": ('{"something": "else"}', "no known format fits this file"),
    "deep": ('{"segmentation_type": "linear", "items": ' + "[" * 100_000, "nested too deeply"),
    "empty": ("", "the file is empty"),
    "version": ('{"format": "caesura-corpus", "version": 9, "annotations": []}', '"version" is 9, this program reads version 1'),
    "kind": ('{"format": "caesura-corpus", "version": 1, "kind": "x", "annotations": []}', "\"kind\" is 'x', expected one of"),
    "no list": ('{"format": "caesura-corpus", "version": 1, "kind": "units", "annotations": {}}', 'expected "annotations": a list'),
}  # fmt: skip

TABLES = {
    "range": ("item,coder,length,position\na,x,9,12\n", "line 2: position 12 is outside the text: expected 1 to 8"),
    "closing": ("item,coder,length,position\na,x,9,9\n", "line 2: position 9 is outside the text: expected 1 to 8"),
    "zero": ("item,coder,length,position\na,x,9,0\n", "line 2: position is 0, expected 1 or more"),
    "fraction": ("item,coder,length,position\na,x,9,1.5\n", "line 2: position is '1.5', expected a whole number"),
    "unsorted": ("item,coder,position\na,x,5\na,x,3\n", "line 3: position 3 follows 5; the positions of an annotation must ascend"),
    "duplicated": ("item,coder,position\na,x,5\na,x,5\n", "line 3: position 5 is given twice"),
    "twice typed": ("item,coder,position,type\na,x,5,q\na,x,5,q\n", "line 3: position 5 is given twice with type 'q'"),
    "half typed": ("item,coder,position,type\na,x,5,q\na,x,6,\n", "line 3: this boundary has no type, those above do"),
    "lengths": ("item,coder,length,position\na,x,9,5\na,y,8,5\n", "line 3: item 'a' has length 8 here and 9 above"),
    "width": ("item,coder,position\na,x,5,7\n", "line 2: this line has 4 cells, the header 3"),
    "columns": ("item,item,position\na,x,5\n", "line 1: two columns are called 'item'"),
    "quote": ('item,coder,position\na,"x,5\n', "line 2: this line has 2 cells"),
    "no row": ("item,coder,position\n", "the table has no row"),
    "huge": ("item,coder,position\na,x,99999999999999999999\n", "expected a whole number of at most 18 plain digits"),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES)
def test_bad_json(tmp_path, case):
    _refused_like(tmp_path / "bad.json", *NAMES[case])


@pytest.mark.parametrize("case", TABLES)
def test_bad_tables(tmp_path, case):
    _refused_like(tmp_path / "bad.csv", *TABLES[case])


def _refused_like(path, text, says):
    path.write_text(text)
    with pytest.raises(cs.CaesuraError) as caught:
        cs.read(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "case", ["mass 0", "mass -1", "mass 1.5", "lengths", "coder twice", "truncated", "schema", "other", "deep", "empty"]
)
def test_bad_json_through_the_command_line(tmp_path, case):
    (tmp_path / "bad.json").write_text(NAMES[case][0])
    assert NAMES[case][1] in refused("convert", tmp_path / "bad.json", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("case", ["range", "unsorted", "duplicated", "lengths", "fraction"])
def test_bad_tables_through_the_command_line(tmp_path, case):
    (tmp_path / "bad.csv").write_text(TABLES[case][0])
    assert TABLES[case][1] in refused("convert", tmp_path / "bad.csv", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_a_missing_file_and_an_empty_folder(tmp_path):
    assert "gone.json: there is no such file." in refused("convert", tmp_path / "gone.json", tmp_path / "out.json")
    (tmp_path / "empty").mkdir()
    assert "the folder contains no file of a known format" in refused(
        "convert", tmp_path / "empty", tmp_path / "out.json"
    )
    sentence = refused("convert", tmp_path / "empty", tmp_path / "out.json", "--pattern", "{item}.txt")
    assert "contains no file that matches the pattern '{item}.txt'" in sentence
    sentence = refused("convert", tmp_path / "empty", tmp_path / "out.json", "--pattern", "{name}.txt")
    assert "contains {name}; did you mean {item}?" in sentence


def test_options_that_no_format_takes(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"items": {"talk": {"ann": [2, 3]}}, "segmentation_type": "linear"}')
    assert "use --format" in refused("show", path, "-O", "format=csv")
    assert "no format takes it" in refused("show", path, "-O", "path=b.json")
    assert "use --lossy" in refused("convert", path, tmp_path / "b.json", "-W", "lossy=yes")


def test_binary_files_and_unknown_encodings_are_refused(tmp_path):
    binary = tmp_path / "picture.json"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe")
    assert "this is a binary file, expected text" in refused("convert", binary, tmp_path / "o.csv")
    latin = tmp_path / "latin.txt"
    latin.write_bytes("A: señor .\n".encode("latin-1"))
    assert "line 1: this is not UTF-8 text; name its encoding" in refused(
        "convert", latin, tmp_path / "o.json", "-f", "transcript"
    )
    done = caesura("convert", latin, tmp_path / "o.json", "-f", "transcript", "--encoding", "latin-1")
    assert done.returncode == 0, done.stderr
    assert cs.read(tmp_path / "o.json").texts["latin", "A"] == ("señor",)
    assert "there is no text encoding 'klingon'" in refused(
        "convert", latin, tmp_path / "p.json", "--encoding", "klingon"
    )


@pytest.mark.parametrize("words", [["compare", "sample:kubla", "sample:kubla", "--svg"], ["show", "sample:kubla", "--svg"],
                                   ["plane", "sample:phones", "sample:phones", "-o"]])  # fmt: skip
def test_drawing_needs_svg_suffix(words, tmp_path):
    out = tmp_path / "picture.png"
    assert "drawings are written as SVG; name the file picture.svg." in refused(*words, out)
    assert not out.exists()


def test_binary_file_is_named_once(tmp_path):
    table = tmp_path / "matrix.csv"
    table.write_bytes(bytes(range(256)))
    sentence = refused("compare", "sample:kubla", "sample:kubla", "-m", f"Sf:similarity={table}")
    assert sentence.count(str(table)) == 1


def test_optimise_refuses_texts(tmp_path):
    assert "R needs boundaries in time; this file contains units." in refused(
        "optimise", "sample:kubla", "sample:kubla"
    )


def test_duplicate_mark_is_named_with_its_line(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("item,coder,length,time,type\ncall,ann,3.5,0.52,a\ncall,ann,3.5,0.52,a\n")
    with pytest.raises(cs.FormatError, match=r"line 3: time 0\.52 is given twice with type 'a'"):
        cs.read(table)
    table.write_text("item,coder,length,time\ncall,ann,3.5,0.52\ncall,ann,3.5,0.52\n")
    assert cs.read(table)["call", "ann"].positions.tolist() == [0.52, 0.52]
    row = cs.evaluate(cs.read(table), cs.read(table), ["R"])["R"].rows[0].tolist()
    assert row == [1.0, 1.0, 1.0, 2.0]  # once in a reference, every time in a hypothesis


def test_unknown_formats_and_options(good, tmp_path):
    sentence = refused("convert", good, tmp_path / "o.json", "--format", "segeval-jsom")
    assert "there is no format 'segeval-jsom'; did you mean 'segeval-json'?" in sentence
    assert "transcript" in sentence
    sentence = refused("convert", good, tmp_path / "o.xyz")
    assert "no format writes this suffix; name one with format= (--to): " in sentence
    assert "segeval-json" in sentence
    assert "inception" not in sentence  # which can only be read
    sentence = refused("convert", good, tmp_path / "o.json", "--option", "sep=;")
    assert sentence == "segeval's JSON of masses has no parameter 'sep'; it takes none."
    table = tmp_path / "t.csv"
    table.write_text("position\n3\n")
    sentence = refused("convert", table, tmp_path / "o.json", "--option", "length=long")
    assert sentence == "CSV of positions: length is 'long'; expected a whole number or none."
    text = tmp_path / "t.txt"
    text.write_text("a\n\nb\n")
    sentence = refused("convert", text, tmp_path / "o.json", "--option", "unit=page")
    assert sentence == "text in paragraphs: unit is 'page'; expected 'line' or 'word'."


def test_unwritable_outputs_are_refused(good, tmp_path):
    before = good.read_bytes()
    assert f"the folder '{tmp_path / 'no'}' does not exist" in refused("convert", good, tmp_path / "no" / "o.json")
    assert "expected the name of a file to write" in refused("convert", good, tmp_path, "--to", "caesura-json")
    assert "input and output are the same file" in refused("convert", good, good)
    (tmp_path / "link.json").symlink_to(good)
    assert "input and output are the same file" in refused("convert", tmp_path / "link.json", good)
    assert "would overwrite a file of the input folder" in refused("convert", tmp_path, good, "-f", "segeval-json")
    assert "device or a pipe" in refused("convert", good, "/dev/full", "--to", "caesura-json")
    assert good.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(good, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    assert "cannot write: Permission denied" in refused("convert", good, locked / "o.json")


def test_write_protected_folder_is_refused(good, tmp_path, monkeypatch):
    def deny(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", deny)
    with pytest.raises(cs.FormatError, match=r"o\.json: cannot write: Permission denied\."):
        cs.write(cs.read(good), tmp_path / "o.json")


def test_full_disk_keeps_old_file_and_no_temporary_files(good, tmp_path):
    """A limit on file size stands in for the disk: the write fails in the middle either way."""
    (tmp_path / "o.json").write_text("old")
    done = subprocess.run(
        [sys.executable, "-m", "caesura", "convert", str(good), str(tmp_path / "o.json")],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )  # fmt: skip
    assert done.returncode == 2
    assert "o.json: cannot write: File too large." in done.stderr
    assert (tmp_path / "o.json").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.json", "o.json"]


def test_a_file_of_200_mb_is_refused_or_streams(tmp_path):
    """Formats that are held whole say so before they read."""
    big = tmp_path / "big.json"
    with big.open("wb") as file:
        file.write(b'{"segmentation_type": "linear", "items": {"a": {"x": [1')
        for _ in range(200):
            file.write(b",1" * 2**19)
    assert "the file has 200 MB, this format reads up to 64 MB" in refused("convert", big, tmp_path / "o.csv")
    assert not (tmp_path / "o.csv").exists()


#: The program, and the most memory it held, which it reads itself: what a parent is told counts the parent's own as well.
MEASURED = """
import sys
from pathlib import Path
from caesura.cli.main import run
try:
    run()
finally:
    print(next(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
def test_a_table_of_200_mb_streams_within_bounds(tmp_path):
    big = tmp_path / "big.csv"
    name = "some text with a name that goes on and on " * 8
    rows = "".join(f"{name},coder {c},100000,{p}\n" for c in range(25) for p in range(1, 500))
    with big.open("w") as file:
        file.write("item,coder,length,position\n")
        while file.tell() < 200 * 2**20:
            file.write(rows.replace("some text", f"text {file.tell()}"))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "convert", str(big), str(tmp_path / "o.jsonl"), "--json"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["annotations"] >= 25
    assert int(done.stderr.splitlines()[-1]) < 1.5 * 2**20
