"""Imports, exports and reports in the background; formats that fit; tiers of one file; files in large numbers."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura_workbench import importing
from caesura_workbench.app import create_app
from caesura_workbench.background import BackgroundJob, BackgroundJobs
from caesura_workbench.jobs import JobLimits, JobPool, report_progress
from caesura_workbench.rows import StoreError
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from web_people import bench, use_fast_passwords


def finished(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        now = client.get(f"/api/jobs/{job['id']}").json()
        if now["state"] not in ("waiting", "running"):
            return dict(now)
        time.sleep(0.02)
    raise AssertionError("the job does not end")


def text_files(number: int) -> list[tuple[str, tuple[str, bytes]]]:
    return [("files", (f"t{n}.txt", f"One {n} two. Three four.".encode())) for n in range(number)]


def test_import_in_the_background(client: TestClient, project: int) -> None:
    started = client.post(
        f"/api/projects/{project}/jobs/import", files=text_files(205), data={"unit": "word", "kind": "units"}
    )
    assert started.status_code == 202, started.text
    job = finished(client, started.json())
    assert (job["state"], job["result"]["texts"], job["error"]) == ("done", 205, None), job
    assert job["progress"]["total"] == 205
    assert client.get(f"/api/projects/{project}/counts").json()["items"] == 206
    assert [each["id"] for each in client.get("/api/jobs").json()] == [job["id"]]
    assert client.delete(f"/api/jobs/{job['id']}").status_code == 204
    assert client.get(f"/api/jobs/{job['id']}").status_code == 404


def test_imports_are_one_line_of_the_audit_log(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    with bench(settings, {}) as made:
        mira, address = made["mira"], f"/api/projects/{made.project}"
        files = [*text_files(5)[::-1], ("files", ("bad.txt", b"\0"))]
        job = finished(mira, mira.post(f"{address}/jobs/import", files=files, data={"unit": "word"}).json())
        assert (job["state"], job["result"]["texts"]) == ("done", 5), job
        more = [("files", ("late.txt", b"One two."))]
        assert mira.post(f"{address}/files", files=more, data={"unit": "word"}).status_code == 201
        listed = [each for each in mira.get("/api/audit").json() if "files" in each["what"]]
        assert [(each["name"], each["what"], each["project"]) for each in listed] == [
            ("mira", "add files: late.txt", made.project),
            ("mira", "add files: t4.txt, t3.txt, t2.txt and 3 more files", made.project),
        ]


def test_cancelled_import_keeps_whole_files_only(
    client: TestClient, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, going = importing._add, threading.Event()

    def slow(*arguments: Any) -> Any:
        going.set()
        time.sleep(0.02)
        return add(*arguments)

    monkeypatch.setattr(importing, "_add", slow)
    started = client.post(f"/api/projects/{project}/jobs/import", files=text_files(200), data={"unit": "word"}).json()
    assert going.wait(10)
    assert client.delete(f"/api/jobs/{started['id']}").status_code == 204
    job = finished(client, started)
    assert (job["state"], job["error"]) == ("cancelled", "the job was cancelled.")
    counted = client.get(f"/api/projects/{project}/counts").json()["items"]
    assert 1 < counted < 201


def test_export_and_report_in_the_background(client: TestClient, project: int) -> None:
    at_once = client.get(f"/api/projects/{project}/export").content
    job = finished(client, client.post(f"/api/projects/{project}/jobs/export", json={}).json())
    assert (job["state"], job["result"]["bytes"]) == ("done", len(at_once))
    made = client.get(job["file"])
    assert made.content == at_once
    assert 'filename="poems.json"' in made.headers["content-disposition"]
    report = finished(client, client.post(f"/api/projects/{project}/jobs/report", json={}).json())
    page = client.get(report["file"])
    assert page.headers["content-type"].startswith("text/html")
    assert "kubla" in page.text
    failed = finished(client, client.post(f"/api/projects/{project}/jobs/export", json={"format": "nothing"}).json())
    assert failed["state"] == "failed"
    assert "nothing" in failed["error"]
    assert client.get(f"/api/jobs/{failed['id']}/file").status_code == 404


def test_report_against_an_annotator_has_the_errors_of_all_recordings(client: TestClient) -> None:
    times = "item,coder,length,start,end,label\n" + "".join(
        f"r{n},{coder},0.4,{start},{end},{name}\n"
        for n in range(2)
        for coder, late in (("hand", 0.0), ("mfa", 0.01))
        for start, end, name in ((0, 0.1 + late, "s"), (0.1 + late, 0.3, "a"), (0.3, 0.4, "t"))
    )
    project = client.post("/api/projects", json={"name": "aligners"}).json()["id"]
    file = {"files": [("files", ("all.csv", times.encode()))], "data": {"format": "times"}}
    assert client.post(f"/api/projects/{project}/files", **file).json()["annotations"] == 4
    job = client.post(f"/api/projects/{project}/jobs/report", json={"reference": "hand"}).json()
    page = client.get(finished(client, job)["file"]).text
    assert "Errors of starts" in page
    assert "onset errors by phone" in page
    pairs = client.post(f"/api/projects/{project}/jobs/report", json={}).json()
    assert "Errors of starts" not in client.get(finished(client, pairs)["file"]).text
    unknown = finished(client, client.post(f"/api/projects/{project}/jobs/report", json={"reference": "eve"}).json())
    assert "has no coder 'eve'" in unknown["error"]


def _count(many: int) -> int:
    for n in range(many):
        report_progress(n, many, f"{n} of {many}")
        time.sleep(0.01)
    return many


def _wait() -> None:
    time.sleep(60)


def test_worker_reports_progress_and_is_cancelled() -> None:
    pool = JobPool(JobLimits(workers=1, seconds=30))
    jobs = BackgroundJobs(pool)
    seen = set()
    job = jobs.start("ann", "count", 1, lambda job: {"counted": job.run(_count, 100)})
    while job.ended is None:
        if job.progress is not None:
            seen.add(job.progress.done)
        time.sleep(0.005)
    assert (job.state, job.result) == ("done", {"counted": 100})
    assert len(seen) > 3
    slow = jobs.start("ann", "wait", 1, lambda job: {"never": job.run(_wait)})
    while slow.state == "waiting":
        time.sleep(0.01)
    assert jobs.get("ben", slow.number) is None, "jobs of others are not seen"
    assert not jobs.cancel("ben", slow.number)
    assert jobs.cancel("ann", slow.number)
    while slow.ended is None:
        time.sleep(0.01)
    assert slow.state == "cancelled"
    jobs.close()
    pool.close()


def test_import_that_the_database_ends_says_what_is_stored(
    client: TestClient, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = Store.add_text

    def add(store: Store, project: int, name: str, *args: Any, **given: Any) -> int:
        if name == "b":
            raise StoreError("database error, nothing was changed: database or disk is full.")
        return insert(store, project, name, *args, **given)

    monkeypatch.setattr(Store, "add_text", add)
    sent = [("files", (f"{name}.txt", b"One. Two.")) for name in "abc"]
    job = client.post(f"/api/projects/{project}/jobs/import", files=sent, data={"unit": "sentence"}).json()
    assert finished(client, job)["error"] == (
        "b.txt: database error, nothing was changed: database or disk is full. Files imported before it: 1."
    )


def test_unexpected_errors_are_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The answer sends the reader to the server's terminal, so the error must be there; a thread of a pool shows none by itself."""

    def fail(job: BackgroundJob) -> dict[str, Any]:
        raise RuntimeError("the inside")

    jobs = BackgroundJobs(JobPool())
    job = jobs.start("ann", "import", 1, fail)
    assert job.finished.wait(10)
    assert (job.state, "the inside" in str(job.error)) == ("failed", False)
    assert "RuntimeError: the inside" in caplog.text
    jobs.close()


def test_only_formats_that_fit_are_offered_with_their_losses(client: TestClient, project: int) -> None:
    listed = client.get(f"/api/projects/{project}/export/formats").json()
    known = {each["name"]: each for each in listed}
    assert (known["caesura-json"]["text"], known["caesura-json"]["loses"]) == ("keeps everything", [])
    assert listed[0]["loses"] == []
    assert "textgrid" not in known, "a TextGrid cannot hold boundaries of a text"
    lossy = [each for each in listed if each["loses"]]
    assert all(each["text"].startswith("loses ") for each in lossy)
    for each in listed:
        wanted = {"format": each["name"], "files": each["files"][0], "lossy": bool(each["loses"])}
        answer = client.get(f"/api/projects/{project}/export", params=wanted)
        assert answer.status_code == 200, (each["name"], answer.text)


@pytest.mark.parametrize("sort", [None, "typed units", "nested", "time"])
def test_every_offered_format_can_be_written(client: TestClient, sort: str | None) -> None:
    """Formats that hold the kind of annotation, but not these: CHAT has no utterance that ends with a comma, and text with vowel marks needs Hebrew letters."""
    project = client.post("/api/projects", json={"name": "samples", "samples": True}).json()["id"]
    chosen = {} if sort is None else {"sort": sort}
    listed = client.get(f"/api/projects/{project}/export/formats", params=chosen).json()
    assert len(listed) > (2 if sort is None else 15)
    for each in listed:
        assert each["files"]
        for files in each["files"]:
            wanted = {"format": each["name"], "files": files, "lossy": bool(each["loses_in"][files]), **chosen}
            answer = client.get(f"/api/projects/{project}/export", params=wanted)
            assert answer.status_code == 200, (each["name"], files, answer.text)


def recordings(store: Store, project: int) -> None:
    named = Segmentation.from_times([0.5, 1.25], length=2.0, names=["a", "b", "c"])
    other = Segmentation.from_times([0.6], length=2.0, names=["a", "b"])
    pauses = Spans.from_rows([(0.1, 0.3, "breath"), (1.0, 1.1, "noise")], length=2.0)
    listed = [
        Annotation("talk", "ada", named, "words"),
        Annotation("talk", "ben", other, "words"),
    ]
    store.add_corpus(project, Corpus.from_annotations(listed), origin="test")
    store.add_corpus(project, Corpus.from_annotations([Annotation("talk", "ada", pauses, "pauses")]), origin="test")
    words = next(item for item in store.items(project) if item.track == "words")
    store.add_annotation(words.id, "gold", named, origin="test", role="gold")


def unzipped(content: bytes, folder: Path) -> dict[str, Path]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        return {name: folder / name for name in archive.namelist()}


@pytest.mark.parametrize("sort", [None, "time"])
def test_coders_and_gold_are_tiers_of_one_textgrid(client: TestClient, tmp_path: Path, sort: str | None) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    project = client.post("/api/projects", json={"name": "talks"}).json()["id"]
    recordings(client.app.state.store, project)  # type: ignore[attr-defined]
    wanted = {"format": "textgrid", "files": "tiers", **({"sort": sort} if sort else {})}
    answer = client.get(f"/api/projects/{project}/export", params=wanted)
    assert answer.status_code == 200, answer.text
    path = unzipped(answer.content, tmp_path)["talk.textgrid"]
    tiers = textgrid.openTextgrid(str(path), includeEmptyIntervals=False)
    expected = {"words@ada", "words@ben", "words@gold"} | (set() if sort else {"pauses@ada"})
    assert set(tiers.tierNames) == expected
    assert [tuple(entry) for entry in tiers.getTier("words@ben").entries] == [(0.0, 0.6, "a"), (0.6, 2.0, "b")]
    if sort is None:
        assert [tuple(entry) for entry in tiers.getTier("pauses@ada").entries] == [
            (0.1, 0.3, "breath"),
            (1.0, 1.1, "noise"),
        ]


@pytest.mark.parametrize("sort", [None, "time"])
def test_coders_and_gold_are_tiers_of_one_eaf(client: TestClient, tmp_path: Path, sort: str | None) -> None:
    elan = pytest.importorskip("pympi.Elan")
    project = client.post("/api/projects", json={"name": "talks"}).json()["id"]
    recordings(client.app.state.store, project)  # type: ignore[attr-defined]
    wanted = {"format": "eaf", "files": "tiers", **({"sort": sort} if sort else {})}
    answer = client.get(f"/api/projects/{project}/export", params=wanted)
    assert answer.status_code == 200, answer.text
    document = elan.Eaf(str(unzipped(answer.content, tmp_path)["talk.eaf"]))
    assert {"words@ada", "words@ben", "words@gold"} <= set(document.get_tier_names())
    assert sorted(document.get_annotation_data_for_tier("words@gold"))[:2] == [(0, 500, "a"), (500, 1250, "b")]
    if sort is None:
        assert sorted(document.get_annotation_data_for_tier("pauses@ada")) == [
            (100, 300, "breath"),
            (1000, 1100, "noise"),
        ]


def test_tiers_need_a_format_with_tiers_and_recordings(client: TestClient, project: int) -> None:
    wrong = client.get(f"/api/projects/{project}/export?files=tiers&format=csv")
    assert wrong.json()["error"].startswith("csv has no tiers; use textgrid or eaf")
    texts = client.get(f"/api/projects/{project}/export?files=tiers&format=eaf")
    assert texts.json()["error"] == "tiers are for recordings; choose a sort of annotation in time."


def test_text_of_many_coders_is_counted_once_for_json(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "x.sqlite"))
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        project = client.post("/api/projects", json={"name": "p"}).json()["id"]
        units = tuple(f"word{n}" for n in range(5000))
        coded = [Annotation("long", f"c{n}", Segmentation(5000, [n + 1], units=units)) for n in range(1000)]
        client.app.state.store.add_corpus(project, Corpus.from_annotations(coded), origin="test")  # type: ignore[attr-defined]
        answer = client.get(f"/api/projects/{project}/export")
        assert answer.status_code == 200, answer.text  # 5 million units if each coder's text were counted: 2.5 GB
        assert len(answer.content) < 2_000_000


def test_bulk_insert_equals_the_annotations_and_reports_collisions(client: TestClient, tmp_path: Path) -> None:
    store: Store = client.app.state.store  # type: ignore[attr-defined]
    project = store.add_project("p")
    units = ("a", "b", "c", "d")
    coded = [
        Annotation(f"i{n}", coder, Segmentation(4, [1 + n % 3], units=units)) for n in range(700) for coder in "xy"
    ]
    corpus = Corpus.from_annotations(coded)
    added = store.add_corpus(project, corpus, origin="test")
    assert (len(added.items), len(added.annotations)) == (700, 1400)
    assert store.corpus(project) == corpus
    state = store.annotations(added.items[0])[0]
    assert (state.version, state.can_undo, state.brought) == (1, False, True)
    answer = client.get(f"/api/annotations/{added.annotations[5]}/history").json()
    assert [step["operation"]["kind"] for step in answer] == ["import"]
    with pytest.raises(Exception, match="coder 'y' already has an annotation of item 'i3'"):
        store.add_corpus(project, Corpus.from_annotations([*coded[7:8]]), origin="again")
    assert len(store.items(project)) == 700
