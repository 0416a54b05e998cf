"""Operations on marks: segments keep names, hierarchies keep levels, and segments never cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

from caesura.errors import CaesuraError
from caesura.model import Annotation, Hierarchy, Segmentation
from caesura_workbench.disagreement import votes
from caesura_workbench.operations import apply_operation, settled_keys

PHONES = Segmentation.from_times([0.1, 0.25, 0.4], length=0.6, names=["sil", "h", "e", "lo"])
ROUTE = Hierarchy.from_spans([(1, 10), (1, 3), (4, 10), (4, 6)], length=10)


@pytest.mark.parametrize(
    ("operation", "positions", "names"),
    [
        ({"kind": "add", "position": 0.3}, [0.1, 0.25, 0.3, 0.4], ["sil", "h", "e", "e", "lo"]),
        ({"kind": "delete", "position": 0.25}, [0.1, 0.4], ["sil", "h", "lo"]),
        ({"kind": "move", "position": 0.25, "to": 0.33}, [0.1, 0.33, 0.4], ["sil", "h", "e", "lo"]),
        ({"kind": "move", "position": 0.25, "to": 0.12}, [0.1, 0.12, 0.4], ["sil", "h", "e", "lo"]),
        ({"kind": "rename", "segment": 4, "name": "low"}, [0.1, 0.25, 0.4], ["sil", "h", "e", "low"]),
    ],
)
def test_segments_keep_names_when_boundaries_change(operation: dict, positions: list[float], names: list[str]) -> None:
    made = apply_operation(PHONES, operation)
    assert isinstance(made, Segmentation)
    assert made.positions.tolist() == positions
    assert list(made.names or ()) == names


@pytest.mark.parametrize(
    ("operation", "spans"),
    [
        ({"kind": "add", "first": 5, "last": 6}, [(1, 10, 1), (1, 3, 2), (4, 10, 2), (4, 6, 3), (5, 6, 4)]),
        ({"kind": "delete", "first": 4, "last": 10}, [(1, 10, 1), (1, 3, 2), (4, 6, 2)]),
        ({"kind": "delete", "first": 4, "last": 10, "level": 2}, [(1, 10, 1), (1, 3, 2), (4, 6, 2)]),
        (
            {"kind": "move", "first": 4, "last": 6, "to_first": 5, "to_last": 9},
            [(1, 10, 1), (1, 3, 2), (4, 10, 2), (5, 9, 3)],
        ),
        ({"kind": "relevel", "first": 4, "last": 10, "to_level": 4}, [(1, 10, 1), (1, 3, 2), (4, 10, 4), (4, 6, 5)]),
        ({"kind": "replace", "segments": [[2, 3], [1, 4]]}, [(1, 4, 1), (2, 3, 2)]),
    ],
)
def test_operations_on_nested_segments(operation: dict, spans: list[tuple[int, int, int]]) -> None:
    made = apply_operation(ROUTE, operation)
    assert isinstance(made, Hierarchy)
    assert made.spans == spans


def test_explicit_levels_are_kept() -> None:
    given_levels = Hierarchy.from_spans([(1, 10, 2), (4, 6, 5)], length=10)
    assert apply_operation(given_levels, {"kind": "add", "first": 8, "last": 9}).spans == [
        (1, 10, 2),
        (8, 9, 3),
        (4, 6, 5),
    ]
    assert apply_operation(given_levels, {"kind": "add", "first": 3, "last": 7}).spans == [
        (1, 10, 2),
        (3, 7, 3),
        (4, 6, 5),
    ]
    deeper = apply_operation(given_levels, {"kind": "add", "first": 3, "last": 7, "level": 5})
    assert deeper.spans == [(1, 10, 2), (3, 7, 5), (4, 6, 6)], "what is inside goes below"
    assert apply_operation(given_levels, {"kind": "delete", "first": 1, "last": 10}).spans == [(4, 6, 5)]


BAD = [
    (ROUTE, {"kind": "add", "first": 3, "last": 5}, r"segments \(1, 3\) and \(3, 5\) cross"),
    (ROUTE, {"kind": "add", "first": 4, "last": 6}, r"segment \(4, 6\) already exists"),
    (ROUTE, {"kind": "add", "first": 4, "last": 11}, "lies outside the text"),
    (ROUTE, {"kind": "add", "first": 6, "last": 4}, "ends before it begins"),
    (ROUTE, {"kind": "add", "first": 4.5, "last": 6}, "'first' must be an integer, not 4.5"),
    (ROUTE, {"kind": "add", "first": "4", "last": 6}, "needs a number as 'first'"),
    (ROUTE, {"kind": "delete", "first": 2, "last": 3}, r"no segment \(2, 3\)"),
    (ROUTE, {"kind": "move", "first": 4, "last": 6, "to_first": 3, "to_last": 6}, "cross"),
    (ROUTE, {"kind": "move", "first": 4, "last": 6, "to_first": 1, "to_last": 3}, "already exists"),
    (ROUTE, {"kind": "relevel", "first": 4, "last": 6, "to_level": 2}, "an inner segment has the higher level"),
    (ROUTE, {"kind": "relevel", "first": 4, "last": 6, "to_level": 3}, "already at level 3"),
    (ROUTE, {"kind": "replace", "segments": 3}, "needs a list of segments"),
    (ROUTE, {"kind": "retype", "first": 1, "last": 3}, "no operation 'retype'"),
    (PHONES, {"kind": "add", "position": 0.1}, "already a boundary at 0.1 s"),
    (PHONES, {"kind": "add", "position": 0.7}, "outside"),
    (PHONES, {"kind": "rename", "segment": 5, "name": "x"}, "a segment from 1 to 4"),
    (PHONES, {"kind": "rename", "segment": 1}, "needs a name"),
    (Segmentation.from_masses([2, 3]), {"kind": "rename", "segment": 1, "name": "x"}, "have no names"),
]


@pytest.mark.parametrize(("marks", "operation", "sentence"), BAD)
def test_invalid_operations_raise_clear_errors(marks: Hierarchy, operation: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        apply_operation(marks, operation)


@given(
    st.lists(st.integers(1, 99), unique=True, max_size=12),
    st.lists(st.integers(1, 99), unique=True, max_size=12),
    st.integers(0, 20),
)
def test_votes_on_recordings_use_tolerance(one: list[int], two: list[int], reach: int) -> None:
    """Every mark belongs to one place, no place is wider than the tolerance, and places are sorted."""
    coded = [
        Annotation("i", coder, Segmentation.from_times([t / 100 for t in sorted(times)], length=1.0))
        for coder, times in (("one", one), ("two", two))
    ]
    places = votes(coded, tolerance=reach / 100)
    positions = [place.position for place in places]
    assert positions == sorted(set(positions))
    for coder, times in (("one", one), ("two", two)):
        for t in times:
            assert any(coder in p.voters and abs(p.position - t / 100) <= reach / 100 + 1e-9 for p in places)
    if reach == 0:
        assert len(places) == len({*one, *two})


def test_one_change_settles_one_place_or_several() -> None:
    assert settled_keys({"kind": "add"}) == []
    assert settled_keys({"kind": "put", "settles": "24"}) == ["24"]
    assert settled_keys({"kind": "put", "settles": ["24", "name 0–1.5"]}) == ["24", "name 0–1.5"]
    for wrong in (7, [7], "", None, ["x" * 5001]):
        with pytest.raises(CaesuraError, match="'settles' must be the key of a disputed place"):
            settled_keys({"kind": "put", "settles": wrong})


def test_votes_on_nested_segments() -> None:
    other = Hierarchy.from_spans([(1, 10), (1, 4)], length=10)
    found = votes([Annotation("i", "ann", ROUTE), Annotation("i", "ben", other)])
    assert {(p.first, p.position): p.voters for p in found} == {
        (1, 10): ("ann", "ben"), (1, 3): ("ann",), (4, 10): ("ann",), (4, 6): ("ann",), (1, 4): ("ben",),
    }  # fmt: skip
