"""One evaluation in memory, in fragments on threads, resumed, and on a cluster gives identical numbers."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="streaming reads Parquet (extra parquet)")

from caesura.errors import CaesuraError, FormatError  # noqa: E402
from caesura.formats import write  # noqa: E402
from caesura.metrics import metric  # noqa: E402
from caesura.model import Corpus, Segmentation, Spans  # noqa: E402
from caesura.statistics import evaluate  # noqa: E402
from caesura.statistics.engine import evaluate_files, plan_run  # noqa: E402
from caesura.statistics.engine.fragment import _item_numbers  # noqa: E402
from caesura.statistics.engine.run import StreamedEvaluation  # noqa: E402
from caesura.statistics.evaluation import rows_frame  # noqa: E402
from cli.command import caesura, process  # noqa: E402

METRICS = ["F", "recall"]


def random_corpus(
    items: int, seed: int, coder: str = "c", skip: set[int] = frozenset(), shuffle: bool = False
) -> Corpus:
    random = np.random.default_rng(seed)
    annotations = []
    for i in range(items):
        cuts = np.flatnonzero(random.random(29) < 0.2) + 1
        if i not in skip:
            annotations.append((f"i{i:06d}", coder, Segmentation.from_positions(cuts.tolist(), length=30)))
    if shuffle:
        np.random.default_rng(0).shuffle(annotations)
    return Corpus.from_annotations(annotations)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, dict[str, Path]]:
    reference = tmp_path / "gold.parquet"
    write(random_corpus(500, 0), reference)
    systems = {name: tmp_path / f"{name}.parquet" for name in ("one", "two")}
    for seed, path in enumerate(systems.values(), 1):
        write(random_corpus(500, seed), path)
    return reference, systems


def spell_out(result: StreamedEvaluation) -> str:
    return repr(result.as_dict())


def test_fragments_equal_evaluation_in_memory(files) -> None:
    reference, systems = files
    streamed = evaluate_files(reference, systems, METRICS, items_per_fragment=37)
    whole = evaluate(random_corpus(500, 0), {"one": random_corpus(500, 1), "two": random_corpus(500, 2)}, METRICS)
    for system in systems:
        for name in METRICS:
            a, b = streamed[system, name], whole[system, name]
            assert a.micro == b.micro
            assert a.macro == pytest.approx(b.macro, abs=1e-12)
            assert a.interval == b.interval, "groups of one item each are the items themselves"
    assert streamed.items == 500


def test_results_do_not_depend_on_workers_and_fragments(files) -> None:
    runs = {spell_out(evaluate_files(*files, METRICS, workers=w, items_per_fragment=37)) for w in (1, 2, 5)}
    assert len(runs) == 1


def test_folders_of_files_are_read_in_order(files, tmp_path: Path) -> None:
    reference, systems = files
    folders = []
    for name, path in (("gold", reference), *systems.items()):
        (folder := tmp_path / f"{name}.d").mkdir()
        folders.append(folder)
        frame, step = polars.read_parquet(path), 90 if name == "gold" else 130
        about = polars.read_parquet_metadata(path)["caesura"]
        for number, start in enumerate(range(0, 500, step)):
            frame[start : start + step].write_parquet(folder / f"part-{number}.parquet", metadata={"caesura": about})
    gold, *others = folders
    whole = evaluate_files(reference, systems, METRICS, items_per_fragment=37)
    named = dict(zip(systems, others, strict=True))
    assert spell_out(evaluate_files(gold, named, METRICS, items_per_fragment=37)) == spell_out(whole)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"empty: this folder contains no \.parquet file"):
        evaluate_files(reference, {"one": tmp_path / "empty"}, METRICS)
    last = polars.read_parquet(gold / "part-5.parquet")
    last.write_parquet(gold / "part-5.parquet", metadata={"caesura": about.replace('"units"', '"time"')})
    with pytest.raises(FormatError, match=r"part-5\.parquet: kind is 'time', but part-0\.parquet has 'units'"):
        evaluate_files(gold, named, METRICS, items_per_fragment=37)


def test_rows_of_items_are_written_to_a_folder(files, tmp_path: Path) -> None:
    reference, systems = files
    folder, check = tmp_path / "rows", tmp_path / "check"
    options = {"items_per_fragment": 150, "rows": folder, "checkpoint": check}
    evaluate_files(reference, systems, METRICS, **options)
    names = [f"items-{first:012d}.parquet" for first in (0, 150, 300, 450)]
    assert sorted(path.name for path in folder.iterdir()) == names
    kept = polars.concat([polars.read_parquet(folder / name) for name in names])
    corpora = {name: random_corpus(500, seed) for seed, name in enumerate(systems, 1)}
    whole = rows_frame(evaluate(random_corpus(500, 0), corpora, METRICS))
    order = ["system", "metric", "item", "field"]
    assert kept.sort(order).equals(whole.sort(order))
    before = (folder / names[1]).read_bytes()
    for lost in (folder / names[1], check / "fragment-00000001.npz"):
        lost.unlink()
    evaluate_files(reference, systems, METRICS, **options)
    assert (folder / names[1]).read_bytes() == before
    with pytest.raises(FormatError, match=r"rows: the folder is not empty"):
        evaluate_files(reference, systems, METRICS, rows=folder)
    with pytest.raises(FormatError, match=r"rows\.csv: rows of a streamed run are written to a folder"):
        evaluate_files(reference, systems, METRICS, rows=tmp_path / "rows.csv")


def test_number_of_groups_is_bounded(files) -> None:
    reference, systems = files
    plan = plan_run(reference, list(systems.items()), [metric("F")], items_per_fragment=40, groups=100)
    assert plan.groups == 100
    assert len(plan.fragments) == 13


def test_checkpoint_resumes_its_run_and_rejects_others(files, tmp_path: Path) -> None:
    reference, systems = files
    fresh = spell_out(evaluate_files(reference, systems, METRICS, items_per_fragment=40))
    folder = tmp_path / "check"
    assert spell_out(evaluate_files(reference, systems, METRICS, items_per_fragment=40, checkpoint=folder)) == fresh
    for done in list(folder.glob("fragment-*.npz"))[::2]:
        done.unlink()
    assert spell_out(evaluate_files(reference, systems, METRICS, items_per_fragment=40, checkpoint=folder)) == fresh
    with pytest.raises(FormatError, match="other files, metrics or options"):
        evaluate_files(reference, systems, ["F"], items_per_fragment=40, checkpoint=folder)
    next(folder.glob("fragment-*.npz")).write_bytes(b"PK")
    with pytest.raises(FormatError, match="damaged; delete it"):
        evaluate_files(reference, systems, METRICS, items_per_fragment=40, checkpoint=folder)


def test_full_disk_keeps_finished_fragments(files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third fragment does not fit: one error, two complete fragments, and the run can be resumed."""
    reference, systems = files
    folder, forced = tmp_path / "check", os.fsync
    written = []

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 3:  # the plan and two fragments
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        forced(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FormatError, match=r"fragment-00000002\.npz: cannot write: No space left on device\."):
        evaluate_files(reference, systems, METRICS, items_per_fragment=40, checkpoint=folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "fragment-00000000.npz",
        "fragment-00000001.npz",
        "plan.json",
    ]
    monkeypatch.undo()
    resumed = evaluate_files(reference, systems, METRICS, items_per_fragment=40, checkpoint=folder)
    assert spell_out(resumed) == spell_out(evaluate_files(reference, systems, METRICS, items_per_fragment=40))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 KB, if the tests may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("only root may make a small disk (mount -t tmpfs)")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_command_reports_a_full_disk(files, small_disk: Path) -> None:
    reference, systems = files
    folder = small_disk / "check"
    command = ["evaluate", reference, systems["one"], "-m", "F", "--json"]
    failed = process(*command, "--checkpoint", folder)
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert (
        failed.stderr.strip() == f"caesura: {folder / 'fragment-00000000.npz'}: cannot write: No space left on device."
    )
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    resumed = caesura(*command, "--checkpoint", folder)
    assert resumed.returncode == 0
    assert (folder / "fragment-00000000.npz").exists()
    assert resumed.stdout == caesura(*command, "--engine", "local").stdout


RUN = """
import sys
from caesura.statistics.engine import evaluate_files
import caesura.statistics.engine.fragment as f, time
count = f._count
def slowly(*given):
    time.sleep(0.2)
    return count(*given)
f._count = slowly
evaluate_files(sys.argv[1], {"one": sys.argv[2]}, ["F", "recall"], items_per_fragment=25, checkpoint=sys.argv[3], workers=1)
"""


@pytest.mark.slow
def test_killed_run_resumes_from_its_checkpoint(files, tmp_path: Path) -> None:
    reference, systems = files
    folder = tmp_path / "check"
    command = [sys.executable, "-c", RUN, str(reference), str(systems["one"]), str(folder)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(command, env=env)
    deadline = time.monotonic() + 60
    while len(list(folder.glob("fragment-*.npz"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = len(list(folder.glob("fragment-*.npz")))
    assert 3 <= done < 20, "killed in the middle"
    asked = (reference, {"one": systems["one"]}, METRICS)
    resumed = evaluate_files(*asked, items_per_fragment=25, checkpoint=folder, workers=1)
    assert spell_out(resumed) == spell_out(evaluate_files(*asked, items_per_fragment=25))


def test_unpaired_items_are_an_error_skipped_or_filled(tmp_path: Path) -> None:
    reference, system = tmp_path / "gold.parquet", tmp_path / "sys.parquet"
    write(random_corpus(100, 0), reference)
    write(random_corpus(100, 1, skip={0, 7, 55, 99}), system)
    with pytest.raises(CaesuraError, match="items are on one side only: i000000"):
        evaluate_files(reference, {"s": system}, METRICS, items_per_fragment=10)
    streamed = evaluate_files(reference, {"s": system}, METRICS, items_per_fragment=10, missing="skip")
    assert streamed.skipped == ("i000000", "i000007", "i000055", "i000099")
    whole = evaluate(random_corpus(100, 0), random_corpus(100, 1, skip={0, 7, 55, 99}), METRICS, missing="skip")
    assert streamed["s", "F"].micro == whole["F"].micro
    assert streamed["s", "F"].undefined == whole["F"].undefined == 0


def test_systems_are_compared_on_common_items(tmp_path: Path) -> None:
    lacking = {"one": {0, 7}, "two": {7, 55, *range(20, 40)}}
    write(random_corpus(100, 0), reference := tmp_path / "gold.parquet")
    corpora = {name: random_corpus(100, 1, skip=lacking[name]) for name in lacking}
    paths = {name: tmp_path / f"{name}.parquet" for name in lacking}
    for name, path in paths.items():
        write(corpora[name], path)
    streamed = evaluate_files(reference, paths, METRICS, items_per_fragment=10, missing="skip")
    whole = evaluate(random_corpus(100, 0), corpora, METRICS, missing="skip")
    assert streamed.items == len(whole.items) == 100 - len({*lacking["one"], *lacking["two"]})
    assert streamed.skipped == whole.skipped
    for name in lacking:
        assert streamed[name, "F"].micro == whole[name, "F"].micro
        assert streamed[name, "F"].macro == pytest.approx(whole[name, "F"].macro, abs=1e-12)
        assert streamed[name, "F"].interval == whole[name, "F"].interval, "what was left out is not drawn"
    assert streamed.tests("F") == whole.tests("F")
    assert streamed.sentences() == whole.sentences()
    worst = evaluate_files(reference, paths, METRICS, items_per_fragment=10, missing="empty")
    filled = evaluate(random_corpus(100, 0), corpora, METRICS, missing="empty")
    for name in lacking:
        assert worst[name, "F"].micro == filled[name, "F"].micro
        assert worst[name, "F"].macro == pytest.approx(filled[name, "F"].macro, abs=1e-12)
        assert worst[name, "F"].interval == filled[name, "F"].interval, "a filled item is an item of its own"
    assert worst.filled == filled.filled
    assert worst.skipped == filled.skipped == ()
    assert worst.sentences() == filled.sentences()


def test_items_that_only_a_system_has_are_items_of_their_own() -> None:
    numbers = _item_numbers(("a", "b"), ("x", "a", "y", "b"), np.array([10, 11]))
    assert numbers.tolist() == [12, 10, 13, 11]


def test_metrics_of_one_name_get_distinct_names(files) -> None:
    streamed = evaluate_files(*files, ["F", "F:beta=2.0"], resamples=10)
    assert list(streamed.measured) == ["F", "F:beta=2"]
    assert streamed["F"].micro != streamed["F:beta=2"].micro


def damage(path: Path, target: Path, column: str, compression: str = "zstd") -> None:
    """Write a file again in row groups of 50 and overwrite the third one's page of a column."""
    frame = polars.read_parquet(path)
    frame.write_parquet(target, row_group_size=50, compression=compression, statistics=False)
    raw = bytearray(target.read_bytes())
    frame[100:150].select(column).write_parquet(alone := BytesIO(), compression=compression, statistics=False)
    at = raw.index(alone.getvalue()[40:80])  # bytes that only this page has
    raw[at : at + 40] = b"\xff" * 40
    target.write_bytes(bytes(raw))


def test_corrupt_row_group_is_reported_and_skipped(files, tmp_path: Path) -> None:
    reference, systems = files
    broken = tmp_path / "broken.parquet"
    damage(systems["one"], broken, "positions")
    with pytest.raises(CaesuraError, match=r"broken\.parquet: rows 1 to 500 cannot be read: "):
        evaluate_files(reference, {"one": broken}, METRICS)
    kept = evaluate_files(reference, {"one": broken}, METRICS, keep_going=True)
    assert len(kept.faults) == 1, "neighbouring rows in one sentence"
    named = re.search(r"broken\.parquet: rows (\d+) to (\d+) cannot be read: ", kept.faults[0])
    first, last = map(int, named.groups())
    assert 85 < first <= 101 < 150 <= last < 166, "the row group, to a sixteenth of the items"
    assert kept.items == 500 - (last + 1 - first)
    rest = set(range(first - 1, last))
    whole = evaluate(random_corpus(500, 0, skip=rest), random_corpus(500, 1, skip=rest), METRICS)
    for name in METRICS:
        assert kept["one", name].micro == whole[name].micro
        assert kept["one", name].macro == pytest.approx(whole[name].macro, abs=1e-12)
        assert kept["one", name].undefined == 0


def test_fragment_with_faults_is_not_saved(files, tmp_path: Path) -> None:
    """A resumed run counts fragments with unreadable rows again, because they may be readable by then."""
    reference, systems = files
    whole, broken, folder = tmp_path / "whole.parquet", tmp_path / "broken.parquet", tmp_path / "check"
    polars.read_parquet(systems["one"]).write_parquet(whole, row_group_size=50, statistics=False)
    damage(systems["one"], broken, "positions")
    stamp = broken.stat()
    asked = {"items_per_fragment": 40, "keep_going": True, "checkpoint": folder}
    first = evaluate_files(reference, {"one": broken}, METRICS, **asked)
    assert first.faults
    assert len(list(folder.glob("fragment-*.npz"))) < 13
    again = evaluate_files(reference, {"one": broken}, METRICS, **asked)
    assert again.faults == first.faults, "a resumed run names what it could not read"
    assert spell_out(again) == spell_out(first)
    broken.write_bytes(whole.read_bytes())  # the disk is well again: the same file, size and time
    os.utime(broken, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    healed = evaluate_files(reference, {"one": broken}, METRICS, **asked)
    assert not healed.faults
    assert spell_out(healed) == spell_out(evaluate_files(reference, {"one": whole}, METRICS, items_per_fragment=40))


def test_changed_counts_invalidate_a_checkpoint(files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference, systems = files
    evaluate_files(reference, systems, ["F"], checkpoint=tmp_path / "check")
    monkeypatch.setattr(type(metric("F")), "fields", ("other", "counts", "now"))
    with pytest.raises(FormatError, match="other files, metrics or options"):
        evaluate_files(reference, systems, ["F"], checkpoint=tmp_path / "check")


def test_unreadable_item_names_are_an_error(files, tmp_path: Path) -> None:
    reference, systems = files
    broken = tmp_path / "broken.parquet"
    damage(systems["one"], broken, "item")
    for keep_going in (False, True):
        with pytest.raises(CaesuraError, match=r"broken\.parquet: the names of the items in rows 1 to 500 cannot be "):
            evaluate_files(reference, {"one": broken}, METRICS, keep_going=keep_going)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"engine": "spark"}, "engine is 'spark'; expected 'local' or 'dask'."),
        ({"missing": "ignore"}, "missing is 'ignore'; expected 'error', 'skip' or 'empty'."),
        ({"references": "all"}, "references is 'all'; expected 'pooled', 'mean' or 'best'."),
        ({"items_per_fragment": 0}, "items_per_fragment is 0"),
        ({"metrics": []}, "metrics is empty"),
        ({"systems": {}}, "there are no systems to evaluate"),
    ],
)
def test_invalid_arguments_are_rejected(files, given: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        evaluate_files(files[0], **{"systems": files[1], "metrics": METRICS, **given})


@pytest.mark.parametrize("content", [b"", b"PAR1 not really", b"{}"])
def test_files_that_are_not_parquet_are_rejected(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"x\.parquet"):
        evaluate_files(path, {"s": path}, METRICS)
    with pytest.raises(FormatError, match=r"missing\.parquet"):
        evaluate_files(tmp_path / "missing.parquet", {"s": path}, METRICS)


@pytest.mark.slow
def test_cluster_gives_identical_results_when_a_worker_dies(files, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the Dask engine needs the extra cluster")
    expected = spell_out(evaluate_files(*files, METRICS, items_per_fragment=10))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        killed = []

        def kill_one(done: int, total: int, boundaries: int) -> None:
            if done == 5:
                victim = next(iter(cluster.workers.values()))
                os.kill(victim.pid, signal.SIGKILL)
                killed.append(victim.pid)

        answer = spell_out(
            evaluate_files(
                *files,
                METRICS,
                items_per_fragment=10,
                engine="dask",
                scheduler=cluster.scheduler_address,
                progress=kill_one,
            )
        )
        spans = {}
        for coder, seed in (("gold", 1), ("one", 2)):
            random = np.random.default_rng(seed)
            starts = random.integers(0, 20, (40, 3))
            listed = [
                (f"i{i}", coder, Spans(30, row, row + 5, random.integers(0, 2, 3), "ab"))
                for i, row in enumerate(starts)
            ]
            spans[coder] = tmp_path / f"spans-{coder}.parquet"
            write(Corpus.from_annotations(listed), spans[coder])
        of_spans = (spans["gold"], {"one": spans["one"]}, ["span-F", "token-F"])
        there = spell_out(
            evaluate_files(*of_spans, items_per_fragment=10, engine="dask", scheduler=cluster.scheduler_address)
        )
    assert killed
    assert answer == expected
    assert there == spell_out(evaluate_files(*of_spans, items_per_fragment=10))


def test_unreachable_scheduler_is_reported(files, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the Dask engine needs the extra cluster")
    monkeypatch.setattr("caesura.statistics.engine.fragment._SCHEDULER_TIMEOUT", 1)
    with pytest.raises(CaesuraError, match=r"tcp://127\.0\.0\.1:1 did not respond"):
        evaluate_files(*files, METRICS, engine="dask", scheduler="tcp://127.0.0.1:1")
