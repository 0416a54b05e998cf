"""The experiments of Räsänen, Laine & Altosaar (2009), on drawn recordings and on a tree like TIMIT's."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.papers import reproduce
from caesura.papers.rasanen2009 import synthetic


@pytest.fixture(scope="module")
def reproduction():
    return reproduce("rasanen2009")


def test_printed_values_are_reproduced(reproduction) -> None:
    lines = {line.what: line for section in reproduction.sections for line in section.lines}
    other = {line.what: line.status for line in lines.values() if line.status not in ("equal", "")}
    assert other == {
        "phones per second": "explained",
        "timeline within ± 20 ms, %": "not public",
        "neighbours closer than 40 ms, %": "not public",
        "hit rates and over-segmentation of [1], [2] and [6]": "not public",
    }
    assert lines["timeline within ± 35 ms, %"].computed == pytest.approx(68.5, abs=0.5)
    assert lines["neighbours closer than 40 ms, %"].remark.endswith("and have 21.89")
    assert lines["timeline within ± 20 ms, %"].remark.endswith("and have 44.9")


def test_simulation_and_closed_form_agree(reproduction) -> None:
    np.testing.assert_allclose(reproduction.data["simulated"], reproduction.data["closed_form"], atol=0.4)
    assert reproduction.data["closed_form"] == sorted(reproduction.data["closed_form"])


def test_coverage_grows_with_width(reproduction) -> None:
    assert reproduction.data["coverage"] == sorted(reproduction.data["coverage"])


def test_r_penalizes_over_segmentation_and_f_does_not(reproduction) -> None:
    figure = next(section for section in reproduction.sections if section.title.startswith("Figure 6"))
    rows = {float(row[0]): (float(row[2]), float(row[3])) for row in figure.rows}
    assert rows[100.0][0] > rows[0.0][0], "F rewards random boundaries"
    assert rows[100.0][1] < 0 < rows[0.0][1] < rows[-20.0][1], "R does not"


def test_same_seed_gives_the_same_numbers(reproduction) -> None:
    again = reproduce("rasanen2009", seed=0)
    assert again.data["simulated"] == reproduction.data["simulated"]
    assert reproduce("rasanen2009", seed=1).data["simulated"] != reproduction.data["simulated"]


def test_figures_are_saved(reproduction, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers import save_figures

    files = save_figures(reproduction, tmp_path, ("png",))
    assert [f.stem for f in files] == [
        "rasanen2009-figure-1",
        "rasanen2009-figure-2",
        "rasanen2009-figure-4-slope",
        "rasanen2009-figure-3",
        "rasanen2009-figure-4",
        "rasanen2009-figure-5",
        "rasanen2009-figure-6-f",
        "rasanen2009-figure-6-r",
    ]
    assert all(f.stat().st_size > 5_000 for f in files)


def _timeline(reproduction):
    return next(s for s in reproduction.sections if s.title.startswith("Search regions"))


def timit(folder, dialects: bool = True) -> None:
    random = np.random.default_rng(0)
    for speaker in ("FCJF0", "MDAB0"):
        place = folder / "TEST" / ("DR1" if dialects else "all") / speaker
        place.mkdir(parents=True)
        for sentence in ("SA1", "SX7"):
            ends = np.cumsum(random.integers(200, 3000, 40))
            lines = [f"{a} {b} p{i % 7}" for i, (a, b) in enumerate(zip([0, *ends[:-1]], ends, strict=True))]
            (place / f"{sentence}.PHN").write_text("\n".join(lines) + "\n")
            (place / f"{sentence}.WRD").write_text(f"0 {ends[-1]} word\n")
            (place / f"{sentence}.TXT").write_text(f"0 {ends[-1]} A sentence.\n")


def test_timit_folder_is_compared_with_the_printed_values(tmp_path) -> None:
    timit(tmp_path)
    reproduction = reproduce("rasanen2009", path=tmp_path)
    assert reproduction.data["recordings"] == 4
    assert reproduction.data["boundaries"] == 4 * 39
    printed = [line.printed for line in _timeline(reproduction).lines]
    assert printed == [45.0, 68.0, 21.9, "about 1/3", 10.0]


def test_other_corpora_are_not_compared_with_timit(tmp_path) -> None:
    timit(tmp_path, dialects=False)
    reproduction = reproduce("rasanen2009", path=tmp_path)
    assert [line.printed for line in _timeline(reproduction).lines] == [None] * 5


def test_unsuitable_data_raises_an_error(tmp_path) -> None:
    (tmp_path / "a.json").write_text('{"segmentation_type": "linear", "items": {"a": {"b": [2, 3]}}}')
    with pytest.raises(CaesuraError, match="need boundaries in time"):
        reproduce("rasanen2009", path=tmp_path / "a.json")
    (tmp_path / "b.phn").write_text("0 16000 h#\n")
    with pytest.raises(CaesuraError, match="two boundaries or more; found 0"):
        reproduce("rasanen2009", path=tmp_path / "b.phn")


def test_drawn_recordings_have_the_fitted_rate() -> None:
    known = Recordings.of(synthetic(10, 100, seed=3))
    assert known.gaps.mean() == pytest.approx(2.4334865 * 0.0337176, rel=0.02)


@pytest.mark.parametrize("place", ["TEST-DR1-FCJF0/SA1.PHN", "dr1-fcjf0/sa1.phn", "TEST_DR1_FCJF0_SA1.PHN"])
def test_other_spellings_of_timit_are_recognized(tmp_path, place) -> None:
    file = tmp_path / "timit" / place
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{800 * i} {800 * i + 800} p\n" for i in range(9)))
    lines = _timeline(reproduce("rasanen2009", path=tmp_path / "timit")).lines
    assert [line.printed for line in lines][:3] == [45.0, 68.0, 21.9]


def test_figures_1_and_2_count_the_ambiguous_boundary_once(reproduction) -> None:
    section = next(s for s in reproduction.sections if s.title.startswith("Figures 1 and 2"))
    rows = {row[0]: row[1:4] for row in section.rows}
    assert rows["regions shrunk to mid-points (2.3)"] == (2, 1, 1)
    assert rows["anything within ± 20 ms, boundaries used again"] == (3, 1, 0)


def test_measures_of_table_1(reproduction) -> None:
    """Two hits, three reference boundaries, four found."""
    values = [float(row[2]) for row in reproduction.sections[0].rows]
    assert values == pytest.approx([200 / 3, 100 / 3, 2 / 4, 2 / 3, 4 / 7])


def test_slope_of_the_simulated_segmenter_ends_where_its_knowledge_ends(reproduction) -> None:
    section = next(s for s in reproduction.sections if s.title.startswith("Section 3: where the slope"))
    p_values = [float(row[-1]) for row in section.rows]
    assert all(p < 0.001 for p in p_values[:5])
    assert min(p_values[-3:]) > 0.01


def test_operating_points_by_r1_and_r(reproduction) -> None:
    section = next(s for s in reproduction.sections if s.title.startswith("Section 4: operating points"))
    rows = {row[0]: dict(zip(section.columns, row, strict=True)) for row in section.rows}
    assert float(rows["r1"]["r1"]) < float(rows["R"]["r1"])
    assert float(rows["R"]["R"]) >= max(float(row["R"]) for row in rows.values())
    assert float(rows["F"]["F"]) >= max(float(row["F"]) for row in rows.values())
    # r1 is the distance to (OS 0, HR 100)
    for row in rows.values():
        distance = np.hypot(100 - float(row["hit rate, %"]), float(row["over-segmentation, %"]))
        assert float(row["r1"]) == pytest.approx(distance, abs=0.01)
