"""Imports of files, folders and zips: preview, coder names, undo."""

from __future__ import annotations

import io
import json
import stat
import warnings
import zipfile
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

from fastapi.testclient import TestClient

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>It was late.</w:t></w:r><w:r><w:tab/><w:t>Mr. Blake</w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del>"
    "<w:r><w:t> slept.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>Nobody came.</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"
)
OPEN = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    "<office:body><office:text><text:h>Night</text:h><text:p>It<text:s text:c='2'/>was <text:span>late</text:span>.<text:note>foot</text:note></text:p>"
    "<text:list><text:list-item><text:p>Nobody came.</text:p></text:list-item></text:list></office:text></office:body></office:document-content>"
)
#: The same with sections in sections, and a number of spaces that is no number.
DEEP = OPEN.replace("<text:list>", "<text:list>" * 3000).replace("</text:list>", "</text:list>" * 3000)
ODD_SPACES = OPEN.replace("text:c='2'", "text:c='two'")
GRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "ann"
        xmin = 0
        xmax = 2
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1
            text = "a"
        intervals [2]:
            xmin = 1
            xmax = 2
            text = "b"
    item [2]:
        class = "IntervalTier"
        name = "ben"
        xmin = 0
        xmax = 2
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "a"
        intervals [2]:
            xmin = 1.5
            xmax = 2
            text = "b"
"""


class Link(str):
    """The target of a symbolic link in a zip."""


def packed(files: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            if isinstance(content, Link):
                entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


@pytest.fixture
def empty(client: TestClient) -> int:
    return int(client.post("/api/projects", json={"name": "new"}).json()["id"])


def upload(client: TestClient, project: int, way: str, files: dict[str, str | bytes], **choices: Any) -> Any:
    sent = [("files", (name, content)) for name, content in files.items()]
    return client.post(f"/api/projects/{project}/{way}", files=sent, data=choices)


def coders(client: TestClient, project: int) -> dict[str, list[str]]:
    return {item["name"]: item["coders"] for item in client.get(f"/api/projects/{project}").json()["items"]}


@pytest.mark.parametrize(
    ("name", "content", "paragraphs"),
    [
        ("story.docx", packed({"word/document.xml": WORD}), ["It was late.\tMr. Blake slept.", "Nobody came."]),
        ("story.odt", packed({"content.xml": OPEN}), ["Night", "It  was late.", "Nobody came."]),
        ("story.odt", packed({"content.xml": ODD_SPACES}), ["Night", "It was late.", "Nobody came."]),
        ("story.txt", "Night\n\nIt was late.".encode("utf-16"), ["Night", "It was late."]),
        ("story.txt", b"Night\r\rIt was late.", ["Night", "It was late."]),
    ],
)
def test_word_processor_documents_are_imported(
    client: TestClient, empty: int, name: str, content: bytes, paragraphs: list[str]
) -> None:
    shown = upload(client, empty, "preview", {name: content}, unit="paragraph", language="en").json()
    assert [(row["item"], row["length"]) for row in shown["rows"]] == [("story", len(paragraphs))]
    assert client.get(f"/api/projects/{empty}").json()["items"] == [], "looking adds nothing"
    added = upload(client, empty, "files", {name: content}, unit="paragraph", language="en").json()
    item = client.get(f"/api/items/{added['made']['items'][0]}").json()
    assert item["units"] == paragraphs
    assert item["attributes"] == {"language": "en"}


def test_too_many_files_are_refused_with_advice(client: TestClient, empty: int) -> None:
    sent = [("files", (f"{n}.txt", b"a")) for n in range(1001)]
    answer = client.post(f"/api/projects/{empty}/files", files=sent, data={"unit": "word"})
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "more than 1,000 files in one request; upload a zip of them."},
    )


def test_documents_need_a_unit(client: TestClient, empty: int) -> None:
    document = {"story.docx": packed({"word/document.xml": WORD})}
    assert "choose a unit" in upload(client, empty, "files", document).json()["error"]


def test_texts_of_the_same_name_keep_their_folders(client: TestClient, empty: int) -> None:
    """Also two files of one path in a zip, of which a reader by name sees the last one twice."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the standard library warns of what is tried here
        for name, text in (("a/talk.txt", "one"), ("b/talk.txt", "two"), ("b/walk.txt", "four"), ("a/talk.txt", "3")):
            archive.writestr(name, text)
        archive.writestr("../up.txt", "five")
    files = {"texts.zip": made.getvalue()}
    expected = {"a/talk": ["one"], "b/talk": ["two"], "walk": ["four"], "up": ["five"]}
    fault = {
        "file": "a/talk.txt",
        "line": None,
        "error": "a/talk.txt: another of these files has the same name; rename one.",
    }
    shown = upload(client, empty, "preview", files, unit="word").json()
    assert ([row["item"] for row in shown["rows"]], shown["faults"]) == ([*expected], [fault])
    added = upload(client, empty, "files", files, unit="word").json()
    assert added["faults"] == [fault]
    items = [client.get(f"/api/items/{number}").json() for number in added["made"]["items"]]
    assert {item["name"]: item["units"] for item in items} == expected
    again = upload(client, empty, "preview", {"walk.txt": "six"}, unit="word").json()
    assert again["rows"] == []
    assert again["faults"][0]["error"] == "the item name 'walk' is taken in this project; choose another."
    assert (
        upload(client, empty, "files", {"walk.txt": "six"}, unit="word").json()["error"] == again["faults"][0]["error"]
    )


TEXTS = {"ann": "so twice | five miles of fertile ground", "ben": "so twice five | miles of fertile ground"}


@pytest.mark.parametrize(
    ("names", "choices"),
    [
        ("{item}-{coder}.txt", {"coder_from": "name"}),
        ("all/{coder}_{item}.txt", {"coder_from": "name", "pattern": "{coder}_{item}"}),
        ("round 1/{coder}/{item}.txt", {"coder_from": "folder"}),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_coders_are_read_from_names_and_folders(
    client: TestClient, empty: int, names: str, choices: dict[str, str], zipped: bool
) -> None:
    files: dict[str, Any] = {
        names.format(item=item, coder=coder): text for item in ("kubla", "khan") for coder, text in TEXTS.items()
    }
    brought = {"poems.zip": packed({**files, "__MACOSX/x": "", ".DS_Store": ""})} if zipped else files
    answer = upload(client, empty, "files", brought, format="inline", **choices)
    assert answer.status_code == 201, answer.text
    assert coders(client, empty) == {"kubla": ["ann", "ben"], "khan": ["ann", "ben"]}, answer.text


def test_coders_are_read_from_tiers(client: TestClient, empty: int) -> None:
    shown = upload(client, empty, "preview", {"talk.TextGrid": GRID}, coder_from="tier").json()
    assert {(row["item"], row["coder"], row["marks"]) for row in shown["rows"]} == {
        ("talk", "ann", 1),
        ("talk", "ben", 1),
    }
    upload(client, empty, "files", {"talk.TextGrid": GRID}, coder_from="tier")
    assert coders(client, empty) == {"talk": ["ann", "ben"]}


def test_import_can_be_undone(client: TestClient, empty: int, project: int) -> None:
    ann = upload(client, empty, "files", {"kubla.txt": TEXTS["ann"]}, coder="ann", format="inline").json()["made"]
    ben = upload(client, empty, "files", {"kubla.txt": TEXTS["ben"]}, coder="ben", format="inline").json()["made"]
    assert (len(ann["items"]), ben["items"]) == (1, [])
    assert client.post(f"/api/projects/{empty}/take-back", json=ben).status_code == 204
    assert coders(client, empty) == {"kubla": ["ann"]}
    assert client.post(f"/api/projects/{empty}/take-back", json=ann).status_code == 204
    assert coders(client, empty) == {}
    assert client.post(f"/api/items/{ann['items'][0]}/restore").status_code == 204
    foreign = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    client.post(f"/api/projects/{empty}/take-back", json={"items": [foreign]})
    assert coders(client, project) == {"kubla": ["ann", "ben", "eve"]}, "only of the project that is named"


def test_file_names_without_coder_are_rejected(client: TestClient, empty: int) -> None:
    answer = upload(client, empty, "files", {"a.txt": "a | b"}, coder_from="name", format="inline")
    assert "no coder can be read" in answer.json()["error"]
    answer = upload(client, empty, "files", {"a.txt": "a | b"}, coder_from="folder", format="inline")
    assert "not in a folder" in answer.json()["error"]
    assert upload(client, empty, "files", {"a.txt": "a"}, unit="word", language="<script>").status_code == 422


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><w:document xmlns:w="x">&b;</w:document>'


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bomb.docx", packed({"word/document.xml": b"<a>" + b" " * 3_000_000}), "more than"),
        ("bomb.zip", packed({f"{n}.txt": b" " * 1_500_000 for n in range(3)}), "more than"),
        ("entities.docx", packed({"word/document.xml": ENTITIES}), "declares entities"),
        ("empty.odt", packed({"mimetype": "x"}), "content.xml is missing"),
        ("torn.docx", packed({"word/document.xml": WORD})[:60], "cannot be unpacked"),
        ("torn.zip", packed({"a.txt": "a"})[:40], "cannot be unpacked"),
        ("many.zip", packed({f"{n}.txt": "a" for n in range(30)}), "30 files; the limit is 20"),
        ("empty.zip", packed({}), "this zip is empty"),
        ("nested.zip", packed({"inner.zip": packed({"a.txt": "a"})}), "this is an archive; unpack it"),
        ("link.zip", packed({"a.txt": "a", "passwords.txt": Link("/etc/passwd")}), "passwords.txt is a link"),
        ("deep.odt", packed({"content.xml": DEEP}), "nested too deeply"),
        ("latin.txt", "Käse".encode("latin-1"), "latin.txt, line 1: this is not UTF-8 text; save it as UTF-8"),
        ("binary.txt", b"a\0b", "binary file"),
    ],
)
def test_bad_archives_are_rejected(
    client: TestClient, empty: int, name: str, content: bytes, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    settings = client.app.state.settings
    limits = replace(settings.limits, unpacked_bytes=2_000_000, unpacked_files=20)
    monkeypatch.setattr(
        client.app.state, "settings", replace(settings, limits=limits, csrf_secret=settings.csrf_secret)
    )
    answer = upload(client, empty, "files", {name: content}, unit="word")
    assert answer.status_code == 400, answer.text
    assert sentence in answer.json()["error"]


@pytest.mark.parametrize(("wish", "kind"), [("spans", "spans in time"), ("boundaries", "time")])
def test_read_as_selects_spans_or_boundaries(client: TestClient, empty: int, wish: str, kind: str) -> None:
    assert f'<option value="{wish}">' in client.get(f"/projects/{empty}/import").text
    made = upload(client, empty, "files", {"talk.TextGrid": GRID}, read_as=wish).json()["made"]
    assert {client.get(f"/api/items/{item}").json()["kind"] for item in made["items"]} == {kind}


# ---------------------------------------------------------------------- what readers say, and what came twice


def test_reader_warnings_are_returned_as_notes(client: TestClient, project: int) -> None:
    brat = [("a.txt", "Ann met Ben."), ("a.ann", "T1\tperson 0 3;8 11\tAnn Ben\nT2\tperson 8 11\tBen\n")]
    files = [("files", each) for each in brat]
    seen = client.post(f"/api/projects/{project}/preview", files=files, data={"coder": "ann"}).json()
    (note,) = seen["notes"]
    assert note["file"] == "a.ann"
    assert note["note"].startswith("a.ann, line 1:"), "named as its owner knows it"
    assert client.post(f"/api/projects/{project}/files", files=files, data={"coder": "ann"}).json()["notes"] == [note]


def test_items_with_same_text_are_combined(client: TestClient, project: int) -> None:
    words = client.get(f"/api/items/{client.get(f'/api/projects/{project}').json()['items'][0]['id']}").json()["units"]

    def corpus(item: str, coder: str, units: list[str]) -> bytes:
        data = {"format": "caesura-corpus", "version": 1, "kind": "units", "texts": [{"item": item, "units": units}]}
        marks = [{"item": item, "coder": coder, "length": len(units), "positions": [2]}]
        return json.dumps({**data, "annotations": marks}).encode()

    files = [
        ("files", ("one.json", corpus("kubla khan", "zoe", words))),
        ("files", ("two.json", corpus("new", "zoe", ["a", "b", "c"]))),
        ("files", ("three.json", corpus("new too", "yan", ["a", "b", "c"]))),
        ("files", ("four.json", corpus("kubla", "yan", words))),
    ]
    rows = client.post(f"/api/projects/{project}/preview", files=files).json()["rows"]
    assert [row["same_as"] for row in rows] == ["kubla", None, "new", None]
    answer = client.post(f"/api/projects/{project}/files", files=files, data={"join": "true"}).json()
    assert (answer["annotations"], answer["faults"]) == (4, [])
    there = {each["name"]: each["coders"] for each in client.get(f"/api/projects/{project}").json()["items"]}
    assert there == {"kubla": ["ann", "ben", "eve", "zoe", "yan"], "new": ["zoe", "yan"]}
    client.post(f"/api/projects/{project}/take-back", json=answer["made"])
    there = {each["name"]: each["coders"] for each in client.get(f"/api/projects/{project}").json()["items"]}
    assert there == {"kubla": ["ann", "ben", "eve"]}
    apart = client.post(f"/api/projects/{project}/files", files=files[1:3]).json()
    assert len(apart["made"]["items"]) == 2, "unless one says so, each stays its own"


# ---------------------------------------------------------------------- altered texts


def altered_file(item: str, coder: str, words: list[str], positions: list[int]) -> bytes:
    data = {"format": "caesura-corpus", "version": 1, "kind": "units", "texts": [{"item": item, "units": words}]}
    marks = [{"item": item, "coder": coder, "length": len(words), "positions": positions}]
    return json.dumps({**data, "annotations": marks}).encode()


@pytest.fixture
def words(client: TestClient, project: int) -> list[str]:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return list(client.get(f"/api/items/{item}").json()["units"])


def marks_of(client: TestClient, project: int, coder: str) -> Any:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    annotations = client.get(f"/api/items/{item}").json()["annotations"]
    return next(each for each in annotations if each["coder"] == coder)


def test_marks_of_altered_texts_are_moved_to_the_project(client: TestClient, project: int, words: list[str]) -> None:
    altered = [words[0].upper() + "x", *words[1:6], "really", *words[6:]]  # one word changed, one inserted
    files: dict[str, str | bytes] = {"gpt.json": altered_file("kubla", "gpt", altered, [3, 10])}
    refused = upload(client, project, "files", files)
    assert refused.status_code == 400
    assert "import it with “Texts may differ” (anchor)" in refused.text
    seen = upload(client, project, "preview", files).json()
    assert seen["rows"] == []
    assert "import it with “Texts may differ” (anchor)" in seen["faults"][0]["error"], "before anything is added"
    seen = upload(client, project, "preview", files, anchor="true").json()
    (row,) = seen["rows"]
    assert (row["length"], row["marks"]) == (len(words), 2)
    assert "2 of 2 marks placed" in seen["notes"][0]["note"]
    added = upload(client, project, "files", files, anchor="true").json()
    assert (added["annotations"], added["faults"], added["notes"]) == (1, [], seen["notes"])
    gpt = marks_of(client, project, "gpt")
    assert gpt["marks"]["positions"] == [3, 9], "after the same words"
    assert "2 of 2 marks placed" in gpt["origin"]


def test_other_texts_are_refused_by_limit(client: TestClient, project: int, words: list[str]) -> None:
    other: dict[str, str | bytes] = {
        "o.json": altered_file("kubla", "gpt", ["unrelated", "words"] * (len(words) // 2), [3])
    }
    refused = upload(client, project, "files", other, anchor="true")
    assert refused.status_code == 400
    assert "more than 30 %" in refused.text
    slightly: dict[str, str | bytes] = {"s.json": altered_file("kubla", "gpt", [*words[:-1], "otherwise"], [3])}
    strict = upload(client, project, "preview", slightly, anchor="true", max_altered="0").json()
    assert "more than 0 %" in strict["faults"][0]["error"]


def test_first_file_of_a_new_item_is_the_text_of_the_others(client: TestClient, empty: int) -> None:
    first, second = ["a", "quiet", "night", "was", "over"], ["a", "quiet", "knight", "was", "over"]
    files: dict[str, str | bytes] = {
        "1.json": altered_file("night", "ann", first, [2]),
        "2.json": altered_file("night", "ben", second, [3]),
    }
    added = upload(client, empty, "files", files, anchor="true").json()
    assert (added["annotations"], added["faults"]) == (2, [])
    assert [note["note"] for note in added["notes"]] == [
        "item 'night' is new in this project, so that there is no text to anchor it to.",
        "night: 5.26% of the text was altered; 1 of 1 mark placed.",
        "5.3% of the text of item 'night' was altered.",
    ]


def test_pasted_text_is_anchored(client: TestClient, project: int, words: list[str]) -> None:
    pasted = {"item": "kubla", "coder": "gpt", "text": " ".join([*words[:4], "|", "well", *words[4:]])}
    assert client.post(f"/api/projects/{project}/text", json=pasted).status_code == 400
    answer = client.post(f"/api/projects/{project}/text", json={**pasted, "anchor": True})
    assert answer.status_code == 201, answer.text
    assert "1 of 1 mark placed" in answer.json()["notes"][0]["note"]
    assert marks_of(client, project, "gpt")["marks"]["positions"] == [4]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"max_altered": "0.2"}, "no effect without anchor"),
        ({"anchor": "true", "unit": "word"}, "raw texts have no marks"),
        ({"anchor": "true", "max_altered": "3"}, "less than or equal to 1"),
    ],
)
def test_options_of_anchoring_are_checked(
    client: TestClient, project: int, choices: dict[str, str], message: str
) -> None:
    answer = upload(client, project, "preview", {"a.json": altered_file("kubla", "x", ["a", "b"], [1])}, **choices)
    assert answer.status_code in (400, 422)
    assert message in answer.text


def test_texts_without_marks_beside_annotations(client: TestClient, empty: int) -> None:
    files = {
        "a/raw.txt": "One. Two.\n\nThree.",
        "marked.txt": "one | two",
        "notes.md": "# Night\n\nIt was late. So it goes.",
    }
    packed_files = {"all.zip": packed(files)}
    asked = upload(client, empty, "preview", packed_files).json()
    assert {row["file"] for row in asked["rows"]} == {"marked.txt"}
    assert [fault["error"] for fault in asked["faults"]] == [
        f"{name}: it has no marks; to import it as a raw text, choose a unit; if its paragraphs are somebody's segments, choose annotations."
        for name in ("raw.txt", "notes.md")
    ]
    raw = upload(client, empty, "preview", packed_files, unmarked="sentence").json()
    assert not raw["faults"]
    assert {(row["item"], row["coder"], row["length"]) for row in raw["rows"]} == {
        ("raw", None, 3), ("notes", None, 3), ("marked", "coder", 2),
    }  # fmt: skip
    annotated = upload(client, empty, "preview", {"raw.txt": files["a/raw.txt"]}, unmarked="annotations").json()
    assert [(row["coder"], row["marks"]) for row in annotated["rows"]] == [("coder", 1)]
    named = upload(client, empty, "preview", {"raw.txt": files["a/raw.txt"]}, coder="ann").json()
    assert [(row["coder"], row["marks"]) for row in named["rows"]] == [("ann", 1)], (
        "somebody said whose segments they are"
    )
    added = upload(client, empty, "files", packed_files, unmarked="sentence").json()
    assert (added["texts"], added["annotations"]) == (2, 1)
    assert client.get(f"/api/projects/{empty}/schema").json()["schema"]["unit"] == "sentence"


def test_recordings_of_one_name_keep_their_folders(client: TestClient, empty: int) -> None:
    """The folders of MFA and TIMIT are speakers: two sentences are no annotations of one text."""
    files = {f"{speaker}/s1.TextGrid": GRID for speaker in ("alice", "bob")}
    answer = upload(client, empty, "files", {"corpus.zip": packed(files)}, coder="ann").json()
    assert answer["faults"] == []
    assert "called 'alice/s1'; if folders are coders, read the coders from them" in answer["notes"][0]["note"]
    assert coders(client, empty) == {"alice/s1": ["ann"], "bob/s1": ["ann"]}
    upload(client, empty, "files", {"corpus.zip": packed(files)}, coder_from="folder")
    assert coders(client, empty)["s1"] == ["alice", "bob"]


def test_recordings_that_do_not_start_at_0(client: TestClient, empty: int) -> None:
    """They were stored with times after their end, and could not be read again."""
    grid = GRID.replace("xmin = 1", "xmin = 4").replace("xmax = 1", "xmax = 4").replace("xmin = 0", "xmin = 3")
    grid = grid.replace("xmax = 2", "xmax = 5").replace("size = 2\nitem", "size = 1\nitem")
    late = grid[: grid.index("    item [2]")]
    assert upload(client, empty, "files", {"late.TextGrid": late}, coder="ann").status_code == 201
    item = client.get(f"/api/projects/{empty}/items").json()["items"][0]
    shown = client.get(f"/api/items/{item['id']}").json()
    assert (item["length"], shown["annotations"][0]["marks"]["positions"]) == (2, [1])  # as the sound is played
    written = client.get(f"/api/projects/{empty}/export", params={"format": "textgrid", "lossy": True}).text
    assert "xmin = 3" in written
    assert "xmin = 4" in written
    refused = upload(client, empty, "files", {"late.TextGrid": late.replace("= 3", "= 2")}, coder="ben")
    assert "starts at 3 s in this project, but the new annotation at 2 s" in refused.text


def test_recordings_of_one_second_are_no_texts_without_marks(client: TestClient, empty: int) -> None:
    assert upload(client, empty, "preview", {"s.txt": "0\t0.5\ta\n0.5\t1\tb\n"}, coder="ann").json()["faults"] == []
