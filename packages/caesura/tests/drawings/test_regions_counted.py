"""What a drawing of regions shows is what the metrics count, ties included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.display.scene import Marker, Tick
from caesura.drawings.catalog import draw, pair_corpus
from caesura.drawings.timelines import RegionTimeline
from caesura.metrics.region_match import region_match
from caesura.metrics.regions import region_scores
from caesura.model import Segmentation

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")

#: Times on a coarse grid: most hypotheses stand exactly half-way between two boundaries, or exactly at a region's edge.
TIMES = st.lists(st.integers(1, 199), unique=True, max_size=25).map(
    lambda hundredths: [t / 100 for t in sorted(hundredths)]
)


@settings(max_examples=150, deadline=None)
@given(TIMES, TIMES, st.sampled_from([0.01, 0.02, 0.05]), st.sampled_from(["regions", "optimal", "lenient"]))
def test_markers_equal_counted_hits_deletions_and_insertions(
    reference: list[float], hypothesis: list[float], tolerance: float, matching: str
) -> None:
    sides = [Segmentation.from_times(times, length=2.0) for times in (reference, hypothesis)]
    picture = draw("regions", pair_corpus(*sides), tolerance=tolerance, matching=matching)
    assert isinstance(picture, RegionTimeline)
    items = [item for block in picture.scene(2000, fine=True).blocks for item in block]
    signs = [item.words for item in items if isinstance(item, Marker)]
    counts = region_scores(*sides, tolerance, matching=matching)
    assert signs.count("●") == counts.hits
    assert signs.count("×") == counts.deletions
    assert signs.count("+") == counts.insertions
    assert sum(isinstance(item, Tick) for item in items) == counts.n_ref + counts.n_hyp


@settings(max_examples=150, deadline=None)
@given(TIMES, TIMES, st.sampled_from(["earlier", "later"]))
def test_matched_pairs_are_counted_for_every_tie_rule(
    reference: list[float], hypothesis: list[float], tie: str
) -> None:
    match = region_match(reference, hypothesis, 0.02, tie=tie)
    counts = region_scores(reference, hypothesis, 0.02, tie=tie)
    assert int((~match.deleted).sum()) == counts.hits
    assert int(match.inserted.sum()) == counts.insertions


@pytest.mark.parametrize(("tie", "hits"), [("earlier", [True, False]), ("later", [False, True])])
def test_tie_rules(tie: str, hits: list[bool]) -> None:
    match = region_match([0.10, 0.12], [0.11], 0.02, tie=tie)
    assert (~match.deleted).tolist() == hits
