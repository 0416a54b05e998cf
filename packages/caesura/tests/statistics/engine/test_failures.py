"""Failures of a long run are reported in one sentence and leave the checkpoint usable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="streaming reads Parquet (extra parquet)")

from caesura.errors import CaesuraError, FormatError  # noqa: E402
from caesura.formats import write  # noqa: E402
from caesura.model import Corpus, Segmentation  # noqa: E402
from caesura.statistics.engine import evaluate_files  # noqa: E402


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, dict[str, Path]]:
    random = np.random.default_rng(0)
    paths = [tmp_path / "gold.parquet", tmp_path / "sys.parquet"]
    for path in paths:
        rows = []
        for i in range(200):
            cuts = (np.flatnonzero(random.random(29) < 0.2) + 1).tolist()
            rows.append((f"i{i:04d}", "c", Segmentation.from_positions(cuts, length=30)))
        write(Corpus.from_annotations(rows), path)
    return paths[0], {"s": paths[1]}


def test_resumed_run_writes_all_rows_to_a_new_folder(files, tmp_path: Path) -> None:
    how = {"items_per_fragment": 10, "checkpoint": tmp_path / "check"}
    evaluate_files(*files, ["F"], rows=tmp_path / "first", **how)
    for done in sorted((tmp_path / "check").glob("fragment-*"))[12:]:
        done.unlink()
    evaluate_files(*files, ["F"], rows=tmp_path / "second", **how)
    first, second = (polars.scan_parquet(tmp_path / name).collect() for name in ("first", "second"))
    assert len(list((tmp_path / "second").iterdir())) == 20
    assert first.equals(second)
    evaluate_files(*files, ["F", "recall"], rows=tmp_path / "other", items_per_fragment=10)
    with pytest.raises(FormatError, match="these rows belong to another run"):
        evaluate_files(*files, ["F"], rows=tmp_path / "other", **how)
    with pytest.raises(FormatError, match="these rows belong to another run"):  # nothing of it is finished yet
        evaluate_files(*files, ["F"], rows=tmp_path / "other", items_per_fragment=10, checkpoint=tmp_path / "new")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 foreign", b"\x93NUMPY"])
def test_damaged_fragment_is_reported(files, tmp_path: Path, content: bytes) -> None:
    how = {"items_per_fragment": 50, "checkpoint": tmp_path / "check"}
    evaluate_files(*files, ["F"], **how)
    (tmp_path / "check" / "fragment-00000002.npz").write_bytes(content)
    with pytest.raises(FormatError, match=r"fragment-00000002\.npz: this fragment is damaged; delete it"):
        evaluate_files(*files, ["F"], **how)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda kept: kept["sums"].__setitem__((0, -1), 75_005.0), r"it has 75\d+ items, where the plan has 50"),
        (lambda kept: kept["sums"].__setitem__((slice(None), -1), 0.5), "not whole numbers"),
        (lambda kept: kept["sums"].__setitem__((0, -1), -1.0), "not whole numbers"),
        (lambda kept: kept["sums"].__setitem__((0, 0), np.nan), "it has NaN"),
        (lambda kept: kept["sums"].__setitem__((0, -2), 900.0), "items have a score by F"),
        (lambda kept: kept.update(sums=kept["sums"][:, :-1]), "counts of another fragment"),
        (lambda kept: kept.update(sums=kept["sums"].astype(np.float32)), "counts of another fragment"),
        (lambda kept: kept.update(boundaries=np.int64(-5)), "not whole numbers"),
        (lambda kept: kept.update(alone=np.frombuffer(b"[" * 100_000, np.uint8)), "this fragment is damaged"),
        (lambda kept: kept.update(uncounted=np.frombuffer(b'["abc"]', np.uint8)), "this fragment is damaged"),
        (lambda kept: kept.pop("number"), "this fragment is damaged"),
    ],
)
def test_fragment_that_contradicts_the_plan_is_refused(files, tmp_path: Path, change, sentence: str) -> None:
    """The archive is written anew, so that its checksums are right."""
    how = {"items_per_fragment": 50, "checkpoint": tmp_path / "check"}
    evaluate_files(*files, ["F"], **how)
    path = tmp_path / "check" / "fragment-00000002.npz"
    with np.load(path) as stored:
        kept = {name: stored[name].copy() for name in stored.files}
    change(kept)
    np.savez(path, **kept)
    with pytest.raises(FormatError, match=sentence):
        evaluate_files(*files, ["F"], **how)


def test_file_that_was_written_again_with_the_same_size_is_another_run(files, tmp_path: Path) -> None:
    reference, systems = files
    how = {"items_per_fragment": 50, "checkpoint": tmp_path / "check"}
    evaluate_files(reference, systems, ["F"], **how)
    before = systems["s"].stat().st_mtime_ns
    os.utime(systems["s"], ns=(before + 1_000_000, before + 1_000_000))
    with pytest.raises(FormatError, match="this checkpoint belongs to a run with other files"):
        evaluate_files(reference, systems, ["F"], **how)


def test_renamed_fragment_is_reported(files, tmp_path: Path) -> None:
    check = tmp_path / "check"
    how = {"items_per_fragment": 50, "checkpoint": check}
    evaluate_files(*files, ["F"], **how)
    first, other = check / "fragment-00000001.npz", check / "fragment-00000002.npz"
    kept = other.read_bytes()
    other.write_bytes(first.read_bytes())
    with pytest.raises(FormatError, match=r"fragment-00000002\.npz: this file has the counts of another fragment"):
        evaluate_files(*files, ["F"], **how)
    other.write_bytes(kept)
    first.rename(check / "fragment-x.npz")
    with pytest.raises(FormatError, match=r"fragment-x\.npz: this is not a fragment of this run"):
        evaluate_files(*files, ["F"], **how)


def test_partial_files_of_a_killed_run_are_deleted(files, tmp_path: Path) -> None:
    (check := tmp_path / "check").mkdir()
    (check / ".plan.json.0a1b2c3d").write_text("{")
    (check / ".caesura-partitions-x").mkdir()
    evaluate_files(*files, ["F"], checkpoint=check)
    assert sorted(path.name for path in check.iterdir()) == ["fragment-00000000.npz", "plan.json"]


@pytest.mark.parametrize("column", ["item", "length", "positions"])
def test_keep_going_drops_only_items_with_null_rows(files, column: str, tmp_path: Path) -> None:
    reference, systems = files
    frame = polars.read_parquet(systems["s"])
    values = frame[column].to_list()
    values[17] = None
    about = polars.read_parquet_metadata(systems["s"])["caesura"]
    broken = frame.with_columns(polars.Series(column, values, dtype=frame[column].dtype))
    broken.write_parquet(path := tmp_path / "broken.parquet", metadata={"caesura": about})
    with pytest.raises(CaesuraError, match=f"row 18: column '{column}' has a missing value"):
        evaluate_files(reference, {"s": path}, ["F"], missing="skip")
    kept = evaluate_files(reference, {"s": path}, ["F"], missing="skip", keep_going=True)
    assert kept.items == 199
    assert len(kept.faults) == 1
    assert "row 18" in kept.faults[0]


def start(*command: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_missing_workers_and_lost_scheduler_are_reported(files, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("distributed", reason="the Dask engine needs the extra cluster")
    monkeypatch.setattr("caesura.statistics.engine.fragment._WORKER_TIMEOUT", 1)
    note = tmp_path / "scheduler.json"
    scheduler = start("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(note))
    worker = None
    try:
        deadline = time.monotonic() + 60
        while not note.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)
        address = json.loads(note.read_text())["address"]
        heard: list[str] = []
        how = {"engine": "dask", "scheduler": address, "items_per_fragment": 1, "checkpoint": tmp_path / "check"}
        with pytest.raises(CaesuraError, match="had no workers for 1 s"):
            evaluate_files(*files, ["F"], report=heard.append, **how)
        assert heard == [f"the scheduler {address} has no workers; waiting up to 1 s."]
        command = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
        monkeypatch.setattr("caesura.statistics.engine.fragment._WORKER_TIMEOUT", 60)
        worker = start(*command)

        def kill_the_last_worker(done: int, total: int, boundaries: int) -> None:
            if done == 10:
                monkeypatch.setattr("caesura.statistics.engine.fragment._WORKER_TIMEOUT", 1)
                worker.kill()

        with pytest.raises(CaesuraError, match=r"had no workers for 1 s; .* resumes the run"):
            evaluate_files(*files, ["F"], progress=kill_the_last_worker, report=heard.append, **how)
        assert len(heard) == 2 + (
            heard[1] == heard[0].replace("1 s", "60 s")
        )  # while the worker started, and when it was gone
        assert len(list((tmp_path / "check").rglob("*.npz"))) >= 10, "what was counted is kept"
        monkeypatch.setattr("caesura.statistics.engine.fragment._WORKER_TIMEOUT", 60)
        worker = start(*command)

        def kill(done: int, total: int, boundaries: int) -> None:
            if done == 20:
                scheduler.kill()

        with pytest.raises(CaesuraError, match="was lost"):
            evaluate_files(*files, ["F"], progress=kill, **how)
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait()
    resumed = evaluate_files(*files, ["F"], items_per_fragment=1, checkpoint=tmp_path / "check")
    assert resumed.as_dict() == evaluate_files(*files, ["F"], items_per_fragment=1).as_dict()
