"""Exports round-trip, contain no spreadsheet formulas, and stay within their estimated memory."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura.errors import CaesuraError
from caesura.formats import read
from caesura.formats.catalog import all_formats
from caesura.model import Corpus, Hierarchy, Segmentation
from caesura_workbench.exports import export_file, export_folder
from caesura_workbench.settings import Limits

WORDS = ("so", "twice", "five", "miles", "of", "fertile", "ground")
POEM = Segmentation(7, [2, 5], units=WORDS)


def unzip(content: bytes, folder: Path) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        return archive.namelist()


# ---------------------------------------------------------------------- whole, and in order


@pytest.mark.parametrize(("format", "beside"), [("brat", ".txt"), ("cas", ".typesystem.xml")])
def test_export_includes_companion_file(tmp_path: Path, format: str, beside: str) -> None:
    if format == "cas":
        pytest.importorskip("cassis", reason="CAS is written by cassis")
    corpus = Corpus.from_annotations([("kubla", "ann", POEM)])
    name, content = export_file(corpus, "poems", format, lossy=False, limits=Limits())
    assert name == "kubla-ann.zip"
    files = unzip(content, tmp_path)
    assert f"kubla-ann{beside}" in files
    (main,) = [file for file in files if not file.endswith(beside)]
    again = read(tmp_path / main, format)
    assert again.annotation(0).marks.positions.tolist() == [2, 5]
    assert again.annotation(0).marks.units == WORDS


def test_zip_with_one_file_per_item_round_trips(tmp_path: Path) -> None:
    corpus = Corpus.from_annotations(
        [
            ("kubla", "ann", POEM),
            ("kubla", "ben", Segmentation(7, [3], units=WORDS)),
            ("dome", "ann", Segmentation(3, [1], units=("a", "b", "c"))),
        ]
    )
    patterns = {"brat": "{coder}/{item}.ann", "inline": "{coder}/{item}.txt"}
    for format, files in (
        ("caesura-json", ["kubla.json", "dome.json"]),
        ("brat", ["ann/kubla.ann", "ann/kubla.txt", "ben/kubla.ann", "ben/kubla.txt", "ann/dome.ann", "ann/dome.txt"]),
        ("inline", ["ann/kubla.txt", "ben/kubla.txt", "ann/dome.txt"]),
    ):
        name, content = export_folder([corpus], "poems", format, lossy=True, limits=Limits(), history=[{"id": 1}])
        assert name == "poems.zip"
        folder = tmp_path / format
        assert sorted(unzip(content, folder)) == sorted([*files, "provenance.json"])
        assert json.loads((folder / "provenance.json").read_text())["annotations"] == [{"id": 1}]
        (folder / "provenance.json").unlink()
        again = {
            (a.item, a.coder): a.marks.positions.tolist() for a in read(folder, format, pattern=patterns.get(format))
        }
        assert again == {("kubla", "ann"): [2, 5], ("kubla", "ben"): [3], ("dome", "ann"): [1]}, format


def test_invalid_file_names_are_replaced(tmp_path: Path) -> None:
    corpus = Corpus.from_annotations([(name, "a/b", POEM) for name in ("x/y", "x_y", "..", "X_Y")])
    _, content = export_folder([corpus], "p", "inline", lossy=True, limits=Limits())
    files = unzip(content, tmp_path)
    assert sorted(files) == ["a_b/X_Y_3.txt", "a_b/_.txt", "a_b/x_y.txt", "a_b/x_y_2.txt", "provenance.json"]
    about = json.loads((tmp_path / "provenance.json").read_text())
    assert about["names of files"] == {"x/y": "x_y", "a/b": "a_b", "..": "_"}


def test_each_file_of_a_zip_export_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_annotations([(f"poem {n}", "ann", POEM) for n in range(30)])
    reads: list[str] = []
    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: reads.append(path.name) or read_bytes(path))
    export_folder([corpus], "p", "inline", lossy=True, limits=Limits())
    assert sorted(reads) == sorted(f"poem {n}.txt" for n in range(30)), "not once more with every file after it"


def test_export_of_gold_coders_or_both(client: TestClient, project: int, tmp_path: Path) -> None:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    client.post(f"/api/items/{item}/annotations", json={"coder": "final"})
    extra = "item,coder,track,length,time\ntalk,x,,10,2\ntalk,y,,10,3\n"
    client.post(f"/api/projects/{project}/files", files=[("files", ("talk.csv", extra))])

    def exported(**query: Any) -> Any:
        return client.get(f"/api/projects/{project}/export", params=query)

    def coders_in(**query: Any) -> set[str]:
        return {a["coder"] for a in json.loads(exported(sort="units", **query).text)["annotations"]}

    assert coders_in() == {"ann", "ben", "eve", "final"}
    assert coders_in(role="gold") == {"final"}
    assert coders_in(role="coder") == {"ann", "ben", "eve"}
    assert coders_in(coder=["ann", "final"]) == {"ann", "final"}
    everything = exported(files="items")
    assert sorted(unzip(everything.content, tmp_path)) == ["kubla.json", "provenance.json", "schema.json", "talk.json"]
    gold = exported(files="items", role="gold")
    assert sorted(unzip(gold.content, tmp_path / "gold")) == ["kubla.json", "provenance.json", "schema.json"]
    assert read(tmp_path / "gold" / "kubla.json").coders == ("final",)
    nobody = exported(coder="nobody")
    assert nobody.json()["error"] == "no annotations match this export."


# ---------------------------------------------------------------------- what a reader is told


@pytest.mark.parametrize("format", [each.name for each in all_formats()])
def test_export_errors_do_not_reveal_server_paths(format: str) -> None:
    corpora = (
        Corpus.from_annotations([("i", "x", POEM), ("j", "y", POEM)]),
        Corpus.from_annotations([("i", "x", Segmentation.from_times([0.5], length=1.0))]),
        Corpus.from_annotations([("i", "x", Hierarchy.from_spans([(1, 4), (1, 2)], length=4))]),
    )
    for corpus in corpora:
        for lossy in (False, True):
            for export in (
                lambda c, **k: export_file(c, "p", format, **k),
                lambda c, **k: export_folder([c], "p", format, **k),
            ):
                said = ""
                try:
                    export(corpus, lossy=lossy, limits=Limits())
                except CaesuraError as fault:
                    said = str(fault)
                assert "/tmp" not in said
                assert "caesura-" not in said.replace("caesura-json", "")


FORMULAS = ("=1+1", "+SUM(1)", "-cmd", "@x")


def test_csv_export_escapes_formulas() -> None:
    equal, plus, minus, at = FORMULAS
    typed = Segmentation(3, [1, 2], [0, 1], [equal, plus], units=(minus, at, "x"))
    named = Segmentation(3, [1], units=(minus, at, "x"), names=[equal, plus])
    time = Segmentation.from_times([0.5], length=1.0, names=[equal, plus])
    tried = 0
    for each in all_formats():
        if not set(each.suffixes) & {".csv", ".tsv"}:
            continue
        for marks in (typed, named, time, Hierarchy.from_spans([(1, 2)], length=3, units=(minus, at, "x"))):
            corpus = Corpus.from_annotations([(minus, at, marks, plus)])
            try:
                name, content = export_file(corpus, "p", each.name, lossy=True, limits=Limits())
            except CaesuraError:
                continue
            if not name.endswith((".csv", ".tsv")):
                continue
            tried += 1
            rows = csv.reader(io.StringIO(content.decode()), delimiter="\t" if name.endswith(".tsv") else ",")
            cells = {cell for row in rows for cell in row}
            assert not cells & set(FORMULAS), (each.name, cells)
    assert tried >= 6
    _, content = export_file(
        Corpus.from_annotations([("i", "x", typed)]), "p", "csv-labels", lossy=True, limits=Limits()
    )
    assert {f"'{formula}" for formula in FORMULAS} <= set(content.decode().replace("\n", ",").split(","))


# ---------------------------------------------------------------------- what it may cost

SHORT = json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [5, 9_999_000], "y": [9, 9_998_996]}}})


def test_export_of_huge_declared_length_is_rejected(client: TestClient, project: int) -> None:
    assert len(SHORT) < 300
    taken = client.post(f"/api/projects/{project}/files", files=[("files", ("star.json", SHORT))])
    assert taken.status_code == 201, taken.text
    tracemalloc.start()
    try:
        answer = client.get(
            f"/api/projects/{project}/export", params={"format": "csv-labels", "coder": "x", "lossy": True}
        )
        assert answer.status_code == 400
        assert "would need about 5.0 GB of memory; the limit is 2 GB" in answer.json()["error"]
        compact = client.get(f"/api/projects/{project}/export", params={"format": "caesura-json", "coder": "x"})
        assert compact.status_code == 200
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_import_of_huge_declared_length_is_rejected(client: TestClient, project: int) -> None:
    huge = json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [5, 999_999_000]}}})
    answer = client.post(f"/api/projects/{project}/files", files=[("files", ("star.json", huge))])
    assert answer.status_code == 400
    assert "longer than the limit of 10,000,000 units" in answer.json()["error"]


def test_memory_estimate_is_an_upper_bound() -> None:
    length = 20_000
    corpus = Corpus.from_annotations([("i", "x", Segmentation(length, list(range(1, length, 3))))])
    tight = Limits(export_bytes=length * 500 + length // 3 * 400 - 500)
    with pytest.raises(CaesuraError, match="the limit is"):
        export_file(corpus, "p", "csv-labels", lossy=True, limits=tight)
    tracemalloc.start()
    export_file(corpus, "p", "csv-labels", lossy=True, limits=Limits())
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < tight.export_bytes * 1.5
