"""Positions that are read from the pages of Parquet files are those that polars reads; all else is left to polars."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

polars = pytest.importorskip("polars", reason="reading Parquet needs polars (extra parquet)")
pytest.importorskip("zstandard", reason="pages are decompressed with zstandard (extra parquet)")

from caesura.errors import CaesuraError  # noqa: E402
from caesura.formats import parquet, parquet_pages  # noqa: E402
from caesura.kernels.list_levels import find_lists  # noqa: E402
from caesura.statistics.engine import evaluate_files  # noqa: E402

ROWS = 3_000


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pages, "_MIN_VALUES", 0)
    parquet_pages._open_lists.cache_clear()


def table(seed: int = 0, empty: float = 0.1, dtype=polars.Int64):
    random = np.random.default_rng(seed)
    lists = [
        []
        if random.random() < empty
        else sorted(random.choice(np.arange(1, 60), random.integers(1, 30), False).tolist())
        for _ in range(ROWS)
    ]
    return polars.DataFrame(
        {
            "item": [f"i{i:05d}" for i in range(ROWS)],
            "coder": ["c"] * ROWS,
            "length": [60] * ROWS,
            "positions": polars.Series(lists, dtype=polars.List(dtype)),
        }
    )


def by_polars(path: Path, start: int, stop: int) -> tuple[list[int], list[int]]:
    lists = polars.read_parquet(path)["positions"].to_list()[start:stop]
    return np.cumsum([0, *map(len, lists)]).tolist(), [p for each in lists for p in each]


@pytest.mark.parametrize("empty", [0.0, 0.1, 0.95, 1.0])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"compression": "uncompressed"},
        {"row_group_size": 700},
        {"data_page_size": 2_000},
        {"row_group_size": 900, "data_page_size": 500, "compression": "uncompressed"},
    ],
    ids=str,
)
def test_lists_are_those_of_polars(tmp_path: Path, how: dict[str, object], empty: float) -> None:
    path = tmp_path / "x.parquet"
    table(1, empty).write_parquet(path, **how)
    column = parquet_pages.open_lists(path, "positions")
    assert column is not None
    for start, stop in ((0, ROWS), (0, 1), (ROWS - 1, ROWS), (650, 1450), (1450, 1460), (100, 700), (899, 901)):
        lists = column.read(start, stop)
        if lists is None:  # a page of empty lists only is refused
            assert empty == 1.0
            continue
        assert (lists.offsets.tolist(), lists.values.tolist()) == by_polars(path, start, stop)


def test_values_of_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table(dtype=polars.Int32).write_parquet(path)
    lists = parquet_pages.open_lists(path, "positions").read(10, 2_000)
    assert lists.values.dtype == np.int64
    assert (lists.offsets.tolist(), lists.values.tolist()) == by_polars(path, 10, 2_000)


REFUSED = {
    "missing list": lambda t: t.with_columns(positions=polars.when(polars.arange(0, ROWS) != 77).then("positions")),
    "missing value": lambda t: t.with_columns(
        positions=polars.when(polars.arange(0, ROWS) == 77).then(polars.lit([1, None, 3])).otherwise("positions")
    ),
    "floats": lambda t: t.with_columns(polars.col("positions").cast(polars.List(polars.Float64))),
    "unsigned": lambda t: t.with_columns(polars.col("positions").cast(polars.List(polars.UInt64))),
    "other lists": lambda t: t.with_columns(types=polars.col("positions")),
    "no lists": lambda t: t.with_columns(positions=polars.lit(1)),
    "lists of lists": lambda t: t.with_columns(positions=polars.concat_list("positions").implode().over("item")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_columns_are_left_to_polars(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.parquet"
    REFUSED[name](table()).write_parquet(path)
    column = parquet_pages.open_lists(path, "positions")
    assert column is None or column.read(0, ROWS) is None


@pytest.mark.parametrize("how", [{"compression": "snappy"}, {"compression": "gzip"}], ids=str)
def test_other_compressions_are_left_to_polars(tmp_path: Path, how: dict[str, object]) -> None:
    path = tmp_path / "x.parquet"
    table().write_parquet(path, **how)
    assert parquet_pages.open_lists(path, "positions") is None
    assert [len(corpus) for corpus in parquet.read_sides([(str(path), (0, 10))])] == [10]


def test_small_files_are_left_to_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pages, "_MIN_VALUES", 10**6)
    path = tmp_path / "x.parquet"
    table().write_parquet(path)
    assert parquet_pages.open_lists(path, "positions") is None


def test_a_changed_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    for seed in range(2):
        table(seed).write_parquet(path)
        assert parquet_pages.open_lists(path, "positions").read(0, ROWS).values.tolist() == by_polars(path, 0, ROWS)[1]


@pytest.mark.parametrize("compression", ["uncompressed", "zstd"])
def test_damaged_pages_are_left_to_polars(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "x.parquet"
    table().write_parquet(path, compression=compression, data_page_size=5_000)
    content, random = path.read_bytes(), np.random.default_rng(0)
    for number in range(150):
        at = int(random.integers(4, len(content) - 8))
        size = int(random.integers(1, 12))
        damaged = tmp_path / f"{number}.parquet"
        damaged.write_bytes(content[:at] + random.bytes(size) + content[at + size :])
        column = parquet_pages.open_lists(damaged, "positions")
        lists = None if column is None else column.read(0, ROWS)
        if lists is not None:  # a value that was changed: nothing but a checksum could tell
            assert len(lists.offsets) == ROWS + 1
            assert lists.offsets[-1] == len(lists.values)
            assert (np.diff(lists.offsets) >= 0).all()


def test_evaluation_is_the_same_with_polars_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in ("gold", "system")]
    for seed, path in enumerate(paths):
        table(seed).write_parquet(path, row_group_size=700)

    def results() -> list[object]:
        result = evaluate_files(paths[0], {"s": paths[1]}, ["B", "WD", "A", "F"], items_per_fragment=450, resamples=20)
        return [(m.micro, m.macro, m.interval, m.rows.tobytes()) for m in result.systems["s"].values()]

    opened: list[object] = []
    read = parquet_pages.ListColumn.read
    monkeypatch.setattr(parquet_pages.ListColumn, "read", lambda self, *rows: opened.append(rows) or read(self, *rows))
    direct = results()
    assert len(opened) == 2 * -(-ROWS // 450)
    monkeypatch.setattr(parquet, "_read_positions", lambda *args: None)
    assert results() == direct


def test_errors_of_positions_are_those_of_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    wrong = table().with_columns(
        positions=polars.when(polars.arange(0, ROWS) == 77).then(polars.lit([9, 3])).otherwise("positions")
    )
    wrong.write_parquet(path)
    messages = []
    for _ in range(2):
        with pytest.raises(CaesuraError) as fault:
            parquet.read_sides([(str(path), (50, 100))])
        messages.append(str(fault.value))
        monkeypatch.setattr(parquet, "_read_positions", lambda *args: None)
    assert messages[0] == messages[1]
    assert "rows 51 to 100" in messages[0]


# ---------------------------------------------------------------------- levels


def levels(*runs: tuple[str, int, int] | tuple[str, list[int]], width: int = 1) -> np.ndarray:
    """Encode runs: ("repeat", level, times), or ("packed", levels)."""
    out = bytearray()
    for run in runs:
        header = 2 * run[2] if run[0] == "repeat" else 2 * (len(run[1]) // 8) + 1
        while header > 127:
            out.append(header & 127 | 128)
            header >>= 7
        out.append(header)
        if run[0] == "repeat":
            out.append(run[1])
        else:
            packed = sum(level << (width * i) for i, level in enumerate(run[1]))
            out += packed.to_bytes(len(run[1]) * width // 8, "little")
    return np.frombuffer(bytes(out), np.uint8)


def found(repetition: np.ndarray, definition: np.ndarray, count: int, full: int, empty: int) -> tuple[object, ...]:
    starts = np.zeros(count + 1, np.int64)
    lists, values, before = find_lists(repetition, definition, count, full, empty, starts)
    return starts[: max(lists, 0)].tolist(), values, before


def test_a_list_may_continue_on_the_next_page() -> None:
    repetition = levels(("packed", [1, 1, 0, 1, 0, 0, 1, 1]))
    assert found(repetition, levels(("repeat", 3, 8), width=2), 8, 3, 1) == ([2, 4, 5], 8, 2)
    assert found(levels(("repeat", 1, 8)), levels(("repeat", 3, 8), width=2), 8, 3, 1) == ([], 8, 8)


def test_levels_of_both_kinds_in_runs_that_end_at_different_places() -> None:
    repetition = levels(("repeat", 0, 3), ("packed", [0, 1, 1, 0, 0, 1, 0, 0]), ("repeat", 0, 2))
    definition = levels(("repeat", 3, 2), ("packed", [1, 3, 3, 3, 1, 3, 3, 1]), ("repeat", 1, 3), width=2)
    assert found(repetition, definition, 13, 3, 1) == ([0, 1, 2, 2, 5, 5, 7, 7, 7, 7], 7, 0)


def test_long_runs_and_required_values() -> None:
    count = 300
    assert found(levels(("repeat", 0, count)), levels(("repeat", 1, count)), count, 1, 0) == (
        list(range(count)),
        count,
        0,
    )
    assert found(levels(("repeat", 0, count)), levels(("repeat", 0, count)), count, 1, 0) == ([0] * count, 0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_long_packed_runs_cut_by_short_ones_of_the_other_kind(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(8, 60)) * 8
    again = (random.random(count) < (0.95, 0.5, 1.0, 0.99)[seed % 4]).astype(int).tolist()
    runs = [
        ("repeat", 3, int(size)) for size in random.integers(1, 90, count)
    ]  # values only, in runs that begin anywhere
    starts = [i for i, level in enumerate(again) if level == 0]
    expected = starts, count, starts[0] if starts else count
    assert found(levels(("packed", again)), levels(*runs, width=2), count, 3, 1) == expected


@pytest.mark.parametrize(
    ("repetition", "definition"),
    [
        (levels(("repeat", 0, 8)), levels(("packed", [3, 3, 2, 3, 3, 3, 3, 3]), width=2)),  # a missing value
        (levels(("repeat", 0, 8)), levels(("packed", [3, 3, 0, 3, 3, 3, 3, 3]), width=2)),  # a missing list
        (levels(("packed", [0, 1, 0, 0, 0, 0, 0, 0])), levels(("packed", [3, 1, 3, 3, 3, 3, 3, 3]), width=2)),  # continued, empty
        (levels(("repeat", 2, 8)), levels(("repeat", 3, 8))),  # an unknown level
        (levels(("repeat", 0, 7)), levels(("repeat", 3, 8))),  # too few levels
        (levels(("repeat", 0, 8)), levels(("packed", [3] * 8), width=2)[:-1]),
        (levels(), levels(("repeat", 3, 8))),
        (levels(("repeat", 0, 0)), levels(("repeat", 3, 8))),  # a run of nothing
        (np.full(9, 255, np.uint8), levels(("repeat", 3, 8))),  # an endless number
        (levels(("repeat", 0, 8)), np.array([254, 255, 255, 255, 15], np.uint8)),
    ],
)  # fmt: skip
def test_missing_and_damaged_levels_are_refused(repetition: np.ndarray, definition: np.ndarray) -> None:
    assert found(repetition, definition, 8, 3, 1) == ([], -1, -1)
