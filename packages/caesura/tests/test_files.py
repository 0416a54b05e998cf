"""Files are written completely or not at all; errors in reading give the file and the line."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.errors import FormatError
from caesura.files import (
    MAX_BYTES,
    Source,
    UnsafeXML,
    atomic_write,
    atomic_write_all,
    check_target,
    load_json,
    parse_elements,
)


def test_text_bytes_and_pieces_are_written(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a", "señor\n")
    atomic_write(tmp_path / "b", b"\x00\xff")
    atomic_write(tmp_path / "c", (f"{i}\n" for i in range(3)))
    assert [(tmp_path / name).read_bytes() for name in "abc"] == ["señor\n".encode(), b"\x00\xff", b"0\n1\n2\n"]


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise KeyboardInterrupt

    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        atomic_write(tmp_path / "a", pieces())
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_related_files_are_replaced_together(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        assert not (tmp_path / "a").exists(), "the first file is in place before the second is complete"
        yield "two"

    atomic_write_all({tmp_path / "a": "one", tmp_path / "b": pieces()})
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    with pytest.raises(FormatError, match="does not exist"):
        atomic_write_all({tmp_path / "c": "one", tmp_path / "none" / "d": "two"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_full_disk_raises_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FormatError, match="cannot write: No space left on device"):
        atomic_write(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_file_mode_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    mask = os.umask(0o027)
    try:
        atomic_write(tmp_path / "a", "new")
        atomic_write(tmp_path / "b", "new")
    finally:
        os.umask(mask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o640, 0o640]


def test_impossible_targets_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, why in (("none/a", "does not exist"), (".", "this is a folder"), ("pipe", "a device or a pipe")):
        with pytest.raises(FormatError, match=why):
            check_target(tmp_path / path)
    for path, why in (("none", "no such file"), (".", "this is a folder"), ("pipe", "a device or a pipe")):
        with pytest.raises(FormatError, match=why):
            Source.open(tmp_path / path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_and_line_ends_are_handled(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a").write_bytes("šķ\r\nold\rnew\n".encode(encoding))
    source = Source.open(tmp_path / "a")
    assert source.text == "šķ\nold\nnew\n"
    assert source.raw_text == "šķ\r\nold\rnew\n"
    assert list(source.lines)[:2] == [(1, "šķ"), (2, "old")]
    with source.stream() as stream:
        assert stream.read() == "šķ\r\nold\rnew\n"


def test_head_may_end_within_a_character(tmp_path: Path) -> None:
    for shift in range(4):
        (tmp_path / "a").write_text("x" * shift + "𐎀" * 20_000, encoding="utf-8")
        assert Source.open(tmp_path / "a").head().startswith("x" * shift + "𐎀𐎀")
    (tmp_path / "a").write_bytes(b"\xff\x00" * 100)
    assert Source.open(tmp_path / "a").head() == ""


def test_the_format_of_a_binary_file_is_detected_without_guessing_its_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guess(*args: object) -> None:
        raise AssertionError("this takes longer than reading a small Parquet file")

    monkeypatch.setattr(Source, "_binary_error", guess)
    (tmp_path / "a").write_bytes(bytes(range(256)) * 300)
    assert Source.open(tmp_path / "a").head() == ""
    (tmp_path / "b").write_bytes("text".encode("utf-16"))
    assert Source.open(tmp_path / "b").head() == "text"
    (tmp_path / "c").write_bytes(b"ends like a string in C\0")
    assert Source.open(tmp_path / "c").head() == "ends like a string in C"


def test_undecodable_bytes_are_reported_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo \xe9\n")
    with pytest.raises(FormatError, match="line 2: this is not UTF-8 text"):
        _ = Source.open(tmp_path / "a").text
    assert Source.open(tmp_path / "a", encoding="latin-1").text == "one\ntwo é\n"
    with pytest.raises(FormatError, match="no text encoding 'klingon'"):
        Source.open(tmp_path / "a", encoding="klingon")
    (tmp_path / "a").write_bytes(b"one\n\x00\n")
    with pytest.raises(FormatError, match="binary file"):
        _ = Source.open(tmp_path / "a").text


def test_too_large_files_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(FormatError, match="the file has 64 MB, this format reads up to 64 MB"):
        _ = Source.open(tmp_path / "a").raw


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"a":\n 1', "line 2: this is not JSON"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "the key 'b' occurs twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_untrustworthy_json_is_refused(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "a").write_text(content)
    with pytest.raises(FormatError, match=why):
        load_json(Source.open(tmp_path / "a"))


WRITER = """
import sys, time
from pathlib import Path
import caesura as cs
from caesura.files import atomic_write
from caesura.formats.folders import write_folder

def pieces():
    yield "begun"
    print("writing", flush=True)
    time.sleep(60)
    yield "done"

where = Path(sys.argv[1])
if sys.argv[2] == "file":
    atomic_write(where / "a", pieces())
else:
    corpus = cs.Corpus.from_dict({"talk": {"ann": [1, 2]}})
    write_folder(corpus, where / "new", "{item}", lambda part, file: atomic_write(file, pieces()))
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_sigterm_while_writing_removes_temporary_files(tmp_path: Path, what: str) -> None:
    (tmp_path / "a").write_text("old")
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), what], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == 2, "there is something to tidy"
        writer.send_signal(signal.SIGTERM)
        assert writer.wait(20) == -signal.SIGTERM, "it ends as it was asked to"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_old_name_of_source_error_is_deprecated(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match=r"use Source\.error"):
        error = Source(tmp_path / "a").fault(3, "wrong.")
    assert str(error).endswith("a, line 3: wrong.")


#: One document of every kind that defusedxml refuses.
HOSTILE_XML = {
    "nested entities": '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><x>&c;</x>',
    "one long entity many times": f'<!DOCTYPE x [<!ENTITY a "{"a" * 1000}">]><x>{"&a;" * 1000}</x>',
    "entities in a circle": '<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]><x>&a;</x>',
    "an entity of another server": '<!DOCTYPE x [<!ENTITY a SYSTEM "http://127.0.0.1/a.xml">]><x>&a;</x>',
    "an entity of a local file": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>',
    "a parameter entity": '<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]><x/>',
    "an unparsed entity": '<!DOCTYPE x [<!NOTATION g SYSTEM "v"><!ENTITY a SYSTEM "p.gif" NDATA g>]><x/>',
    "a declared entity that nothing uses": '<!DOCTYPE x [<!ENTITY a "b">]><x/>',
}


@pytest.mark.parametrize("name", HOSTILE_XML)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused_as_by_defusedxml(name: str, encoding: str) -> None:
    for doctype in (True, False):
        with pytest.raises(UnsafeXML):
            parse_elements(HOSTILE_XML[name].encode(encoding), doctype=doctype)


def test_a_document_type_is_refused_only_if_none_is_allowed() -> None:
    outside = '<!DOCTYPE x PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://127.0.0.1/x.dtd"><x/>'
    assert parse_elements(outside).tag == "x"  # as in Transcriber's files; the address is not visited
    with pytest.raises(UnsafeXML):
        parse_elements(outside, doctype=False)
    assert parse_elements("<x><y>&lt;&#65;</y></x>", doctype=False)[0].text == "<A"
