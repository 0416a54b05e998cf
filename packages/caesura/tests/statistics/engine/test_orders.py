"""Streamed evaluation pairs items by name in any order, with the same numbers and errors as in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="streaming reads Parquet (extra parquet)")

from caesura.errors import CaesuraError  # noqa: E402
from caesura.formats import read, write  # noqa: E402
from caesura.metrics import metric  # noqa: E402
from caesura.model import Corpus, Segmentation  # noqa: E402
from caesura.statistics import evaluate  # noqa: E402
from caesura.statistics.engine import evaluate_files, plan_run  # noqa: E402
from cases import cases  # noqa: E402

METRICS = ["B", "WD", "F"]


def annotations(random: np.random.Generator, items: int, coders: int, tracks: int) -> list[tuple]:
    return [
        (f"i{i}", f"c{c}", Segmentation.from_positions((np.flatnonzero(random.random(19) < 0.2) + 1).tolist(), length=20), t)
        for i in range(items)
        for c in range(coders)
        for t in [f"t{t}" for t in range(tracks)] or [""]
    ]  # fmt: skip


def arrange(rows: list[tuple], order: str, random: np.random.Generator) -> list[tuple]:
    """The same rows in another order; "shuffled" separates the rows of an item."""
    if order == "sorted":
        return sorted(rows, key=lambda row: row[0])
    if order == "reversed":
        return rows[::-1]
    return [rows[i] for i in random.permutation(len(rows))]


def outcome(run) -> dict | str:
    try:
        result = run()
    except CaesuraError:
        return "refused"
    return {
        "items": result.count,
        "skipped": sorted(result.skipped),
        "filled": sorted(result.filled),
        "scores": {
            (system, name): (pytest.approx(m.micro, abs=1e-12), pytest.approx(m.macro, abs=1e-12, nan_ok=True), m.undefined)
            for system, measured in result.systems.items()
            for name, m in measured.items()
        },
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(cases(10, 20)))
def test_any_order_of_items_equals_evaluation_in_memory(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    coders, tracks = int(random.integers(1, 4)), int(random.integers(0, 3))
    systems = ["one", "two"][: random.integers(1, 3)]
    orders = {name: str(random.choice(["sorted", "reversed", "shuffled"])) for name in ("gold", *systems)}
    lacking = float(random.choice([0, 0, 0.1, 0.9]))
    corpora = {}
    for name, order in orders.items():
        rows = annotations(random, 40, coders if name == "gold" else 1, tracks)
        gone = {row[0] for row in rows if random.random() < lacking / len(rows) * 40} - {"i7"}
        torn = {(row[0], row[3]) for row in rows if random.random() < lacking / 9} - {("i7", row[3]) for row in rows}
        kept = [row for row in rows if row[0] not in gone and (row[0], row[3]) not in torn]
        corpora[name] = Corpus.from_annotations(arrange(kept, order, random))
        write(corpora[name], tmp_path / f"{name}.parquet")
    references = str(random.choice(["pooled", "mean", "best"]))
    gold = tmp_path / "gold.parquet"
    for missing in ("error", "skip", "empty"):
        how = {"missing": missing, "references": references, "resamples": 50}
        memory = outcome(
            lambda how=how: evaluate(corpora["gold"], {name: corpora[name] for name in systems}, METRICS, **how)
        )
        for step in (7, 1000):
            paths = {name: tmp_path / f"{name}.parquet" for name in systems}
            streamed = outcome(
                lambda paths=paths, how=how, step=step: evaluate_files(gold, paths, METRICS, items_per_fragment=step, **how)
            )  # fmt: skip
            assert streamed == memory, (missing, step, orders)


def test_interval_equals_evaluation_in_memory(tmp_path: Path) -> None:
    """Items keep their number in the reference, so the same items are drawn."""
    random = np.random.default_rng(0)
    gold, system = (annotations(random, 200, 1, 0) for _ in range(2))
    write(reference := Corpus.from_annotations(arrange(gold, "shuffled", random)), tmp_path / "gold.parquet")
    write(hypothesis := Corpus.from_annotations(arrange(system, "shuffled", random)), tmp_path / "sys.parquet")
    streamed = evaluate_files(
        tmp_path / "gold.parquet", {"s": tmp_path / "sys.parquet"}, METRICS, items_per_fragment=30
    )
    whole = evaluate(reference, hypothesis, METRICS)
    assert [streamed["s", name].interval for name in METRICS] == [whole[name].interval for name in METRICS]


def test_files_in_the_same_order_are_not_partitioned(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = arrange(annotations(random, 50, 1, 0), "shuffled", random)
    gold, same, other = (tmp_path / f"{name}.parquet" for name in ("gold", "same", "other"))
    for path, each in ((gold, rows), (same, rows), (other, rows[::-1])):
        write(Corpus.from_annotations(each), path)
    plan = plan_run(gold, [("s", same)], [metric("F")], items_per_fragment=9, scratch=tmp_path)
    assert plan.partitions is None
    assert not list(tmp_path.glob("*.arrow"))
    with pytest.raises(CaesuraError, match="different orders; sort every file"):
        plan_run(gold, [("s", other)], [metric("F")], items_per_fragment=9)


def test_reversed_items_are_paired_and_partitions_deleted(tmp_path: Path) -> None:
    rows = annotations(np.random.default_rng(0), 100, 1, 0)
    gold, system, check = tmp_path / "gold.parquet", tmp_path / "sys.parquet", tmp_path / "check"
    write(Corpus.from_annotations(rows), gold)
    write(Corpus.from_annotations(rows[::-1]), system)
    how = {"missing": "empty", "items_per_fragment": 10, "checkpoint": check, "rows": tmp_path / "rows"}
    evaluation = evaluate_files(gold, {"s": system}, ["B"], **how)
    assert (evaluation["s", "B"].micro, evaluation.items, evaluation.filled) == (1.0, 100, ())
    assert {path.name.partition("-")[0] for path in check.iterdir()} == {"plan.json", "fragment"}
    assert sorted(polars.scan_parquet(tmp_path / "rows").collect()["item"].unique()) == sorted({row[0] for row in rows})
    for done in sorted(check.glob("fragment-*"))[::2]:
        done.unlink()
    assert evaluate_files(gold, {"s": system}, ["B"], **how).as_dict() == evaluation.as_dict(), "resumed"


def test_scattered_rows_of_one_item_are_combined(tmp_path: Path) -> None:
    """Both files have all rows of one coder, then all of the next: the same order, but scattered rows of an item."""
    rows = sorted(annotations(np.random.default_rng(0), 30, 2, 0), key=lambda row: row[1])
    gold, system = tmp_path / "gold.parquet", tmp_path / "sys.parquet"
    write(Corpus.from_annotations(rows), gold)
    write(Corpus.from_annotations(rows), system)
    streamed = evaluate_files(gold, {"s": system}, ["F"], items_per_fragment=7)
    assert streamed.items == 30
    assert streamed["s", "F"].micro == evaluate(read(gold), read(system), ["F"])["F"].micro != 1


@pytest.mark.parametrize("whose", ["gold", "sys"])
@pytest.mark.parametrize("dtype", ["Int64", "Categorical"])
def test_item_columns_of_other_types_are_read(whose: str, dtype: str, tmp_path: Path) -> None:
    """Item names are text, even if a file stores numbers."""
    random = np.random.default_rng(0)
    paths = {name: tmp_path / f"{name}.parquet" for name in ("gold", "sys")}
    for name, path in paths.items():
        write(Corpus.from_annotations([(row[0][1:], *row[1:]) for row in annotations(random, 30, 1, 0)]), path)
        if name == whose:
            about = polars.read_parquet_metadata(path)["caesura"]
            frame = polars.read_parquet(path).with_columns(polars.col("item").cast(getattr(polars, dtype)))
            frame.sort("item").write_parquet(path, metadata={"caesura": about})
    streamed = evaluate_files(paths["gold"], {"s": paths["sys"]}, METRICS, items_per_fragment=7)
    whole = evaluate(read(paths["gold"]), read(paths["sys"]), METRICS)
    assert (streamed.items, streamed["s", "F"].micro) == (30, whole["F"].micro)
