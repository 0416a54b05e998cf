from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.model import Segmentation, as_segmentation

masses = st.lists(st.integers(1, 30), min_size=1, max_size=40)


@given(masses)
def test_every_view_round_trips(sizes: list[int]) -> None:
    segmentation = Segmentation.from_masses(sizes)
    assert segmentation.masses == sizes
    assert segmentation.length == sum(sizes)
    assert len(segmentation) == len(sizes)
    assert Segmentation.from_string(segmentation.string) == segmentation
    assert Segmentation.from_spans(segmentation.spans) == segmentation
    assert Segmentation.from_positions(segmentation.positions, length=segmentation.length) == segmentation
    labels = [i for i, mass in enumerate(sizes) for _ in range(mass)]
    assert Segmentation.from_labels(labels) == segmentation
    assert (
        as_segmentation(np.array(sizes))
        == as_segmentation(sizes)
        == as_segmentation(segmentation.string)
        == segmentation
    )
    assert hash(Segmentation.from_string(segmentation.string)) == hash(segmentation)
    assert pickle.loads(pickle.dumps(segmentation)) == segmentation


@given(st.lists(st.sampled_from(["", ",", ".", "?"]), max_size=30))
def test_labels_after_every_unit_round_trip(marks: list[str]) -> None:
    segmentation = Segmentation.from_labels_at(marks)
    assert segmentation.length == len(marks)
    assert segmentation.labels_at == marks
    assert pickle.loads(pickle.dumps(segmentation)) == segmentation


def test_typed_positions_of_the_documentation() -> None:
    segmentation = Segmentation.from_masses([2, 3, 6])
    assert repr(segmentation) == "Segmentation(11 units: 2|3|6)"
    assert segmentation == Segmentation.from_string("0100100000")
    assert segmentation.spans == [(1, 2), (3, 5), (6, 11)]


def test_text_and_names_are_shown_but_not_compared() -> None:
    spoken = Segmentation.parse("so twice | five miles")
    assert spoken.units == ("so", "twice", "five", "miles")
    assert spoken == Segmentation.from_masses([2, 2])
    named = Segmentation.from_labels(["a", "a", "b"])
    assert named.names == ("a", "b")
    assert named == Segmentation.from_masses([2, 1])


def test_types_are_names_or_integers() -> None:
    named = Segmentation.from_positions([(2, "scene"), (5, "act")], length=11, labels=["scene", "act"])
    assert named.types is not None
    assert named.types.tolist() == [0, 1]
    assert named.marks == [(2, "scene"), (5, "act")]
    assert Segmentation.from_positions([(2, 7)], length=4).marks == [(2, 7)]
    alphabetical = Segmentation.from_positions([(2, "scene"), (5, "act")], length=11)
    assert alphabetical.labels == ("act", "scene")
    assert alphabetical == named, "the scale is not part of the marks"


def test_two_types_at_one_position_are_two_entries() -> None:
    segmentation = Segmentation.from_positions([(2, 3), (2, 1)], length=4)
    assert segmentation.marks == [(2, 1), (2, 3)]
    assert segmentation.masses == [2, 2]


def test_only_typed_segmentations_have_a_closing_boundary() -> None:
    assert Segmentation.from_positions([(4, ".")], length=4).masses == [4]
    with pytest.raises(InvalidSegmentation, match="closing boundary"):
        Segmentation.from_positions([4], length=4)


def test_times_are_seconds() -> None:
    segmentation = Segmentation.from_times([0.0, 0.12, 0.12, 0.31, 0.5])
    assert segmentation.timed
    assert segmentation.length == 0.5
    assert segmentation.positions.tolist() == [0.0, 0.12, 0.12, 0.31, 0.5], "a mark made twice is two marks"
    assert segmentation.spans == [(0.0, 0.12), (0.12, 0.31), (0.31, 0.5)]
    with pytest.raises(InvalidSegmentation, match="seconds"):
        _ = segmentation.string


def test_segmentation_is_immutable() -> None:
    segmentation = Segmentation.from_masses([2, 2])
    with pytest.raises(AttributeError):
        segmentation.length = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        segmentation.positions[0] = 1


def test_empty_and_one_unit_texts() -> None:
    assert Segmentation.from_masses([]).masses == []
    assert Segmentation.from_masses([1]).string == ""
    assert repr(Segmentation.from_masses([1])) == "Segmentation(1 unit: 1)"
    assert repr(Segmentation.from_masses([1] * 100)).endswith("|…)")
    assert Segmentation.from_labels_at([]).length == 0


def test_html_escapes_the_text() -> None:
    assert "<script>" not in Segmentation.parse("<script>alert(1)</script> | b")._repr_html_()


BAD = [
    (lambda: Segmentation.from_masses([2, 0, 3]), "segment 2 has mass 0"),
    (lambda: Segmentation.from_masses([2, -1]), "segment 2 has mass -1"),
    (lambda: Segmentation.from_masses([2, 1.5]), "whole number of units, not 1.5"),
    (lambda: Segmentation.from_masses([2.0, float("nan")]), "whole number of units, not nan"),
    (lambda: Segmentation.from_masses(["2", "3"]), "whole number of units, not '2'"),
    (lambda: Segmentation.from_masses([[2, 3]]), "flat list"),
    (lambda: Segmentation.from_masses([True, False]), "whole number of units, not True"),
    (lambda: Segmentation.from_positions([0], length=4), "position 0 lies outside a text of 4 units"),
    (lambda: Segmentation.from_positions([5], length=4), "position 5 lies outside"),
    (lambda: Segmentation.from_positions([3, 1], length=4), "must ascend, but 1 follows 3"),
    (lambda: Segmentation.from_positions([1, 1], length=4), "position 1 is given twice"),
    (lambda: Segmentation.from_positions([(1, "a"), (1, "a")], length=4), "position 1 is given twice"),
    (lambda: Segmentation.from_positions([1.5], length=4), "position 1.5 is not a whole number"),
    (lambda: Segmentation.from_positions([(1, "a")], length=4, labels=["b"]), "type 'a' at position 1"),
    (lambda: Segmentation.from_positions([(1, "a"), (2, 3)], length=4), "all names or all integers"),
    (lambda: Segmentation.from_positions([(1, "a"), 2], length=4), r"a typed boundary must be \(position, type\)"),
    (lambda: Segmentation.from_positions([1], length=-4), "the length is -4"),
    (lambda: Segmentation.from_positions([1], length=True), "must be a number"),
    (lambda: Segmentation.from_times([float("nan")], length=1.0), "every position must be finite"),
    (lambda: Segmentation.from_times([-0.1], length=1.0), "position -0.1 lies outside"),
    (lambda: Segmentation.from_times([0.5, 0.2], length=1.0), "must ascend"),
    (lambda: Segmentation.from_times([0.5], length=float("inf")), "the length is inf"),
    (lambda: Segmentation.from_spans([(1, 2), (4, 5)]), "must begin at unit 3"),
    (lambda: Segmentation.from_spans([(1, 2), (2, 5)]), "must begin at unit 3"),
    (lambda: Segmentation.parse("a || b"), "segment 2 holds no word"),
    (lambda: as_segmentation("so twice"), "has characters other than 0 and 1"),
    (lambda: Segmentation(3, [1], units=["a"]), "the text has 1 units"),
    (lambda: Segmentation(3, [1], names=["a"]), "1 segment names were given for 2 segments"),
    (lambda: Segmentation(3, [1], types=[1, 2]), "2 types were given for 1 boundaries"),
    (lambda: Segmentation(3, [1], types=[2], labels=["a"]), "outside the 1 labels"),
    (lambda: Segmentation.from_positions([(1, "a")], length=3, labels=["a", "a"]), "hold a name twice"),
    (lambda: as_segmentation(None), "masses must be a list, not None"),
    (lambda: as_segmentation(b"0100"), "masses must be a list, not b'0100'"),
    (lambda: as_segmentation({2: 3}), "masses must be a list, not {2: 3}"),
    (lambda: as_segmentation({2, 3}), "has no order"),
    (lambda: as_segmentation([2, None, 6]), "not None"),
    (lambda: as_segmentation(np.array([2, "x"], dtype=object)), "not 'x'"),
    (lambda: as_segmentation([2**70]), "expected at most 4611686018427387904 units"),
    (lambda: as_segmentation(np.ma.array([2, 3], mask=[0, 1])), "not None"),
    (lambda: Segmentation.from_string(b"0100"), "expected a string of potential boundaries"),
    (lambda: Segmentation.from_positions(None, length=3), "positions must be a list, not None"),
    (lambda: Segmentation.from_positions([True, 2], length=3), "positions must be numbers"),
    (lambda: Segmentation.from_positions([2], length=2**70), "expected at most 4611686018427387904 units"),
    (lambda: Segmentation.from_positions([2**63], length=3), "exceeds 4611686018427387904"),
    (lambda: Segmentation(3, [1], types=[[1]]), "types must be integer codes"),
    (lambda: Segmentation(3, [1], types=5), "types must be a list, not 5"),
    (lambda: Segmentation(3, [1], types=[-(2**62)]), "a type must be an integer from"),
    (lambda: Segmentation.from_labels(None), "segment labels must be a list"),
    (lambda: Segmentation.from_labels([float("nan")] * 2), "unit 1 has the segment label nan"),
    (lambda: Segmentation.from_labels(np.ones((2, 2))), "unit 1 has the segment label array"),
    (lambda: Segmentation.from_spans([(1, 2, 3)]), "a span is"),
    (lambda: Segmentation.from_times(["x"]), "positions must be numbers, not .'x'."),
    (lambda: Segmentation.from_times([0.1], length="x"), "the length must be a number"),
    (lambda: Segmentation.from_times([0.1, 0.2], types=["a"]), "1 types were given for 2 boundaries"),
    (lambda: Segmentation.parse("a", separator=""), "text and separator must be strings"),
]


def test_masses_may_be_lists_arrays_and_series() -> None:
    forms = [
        np.array([2, 3, 6], dtype=object),
        np.array([2, 9, 3, 9, 6, 9])[::2],
        np.array([2, 3, 6], ">u2"),
        [2.0, 3, 6],
    ]
    for masses in (*forms, iter([2, 3, 6]), np.ma.array([2, 3, 6])):
        assert as_segmentation(masses) == Segmentation.from_masses([2, 3, 6])


@pytest.mark.parametrize(("make", "sentence"), BAD)
def test_invalid_input_raises_an_error(make, sentence: str) -> None:
    with pytest.raises(InvalidSegmentation, match=sentence) as caught:
        make()
    assert isinstance(caught.value, CaesuraError)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (2.5, "not 2.5"),
        ("x", "whole number of units"),
        (0, "segment 101 has mass 0"),
        ([1, 2], "flat list"),
        (10**30, "expected at most 4611686018427387904 units"),
        (None, "whole number of units"),
    ],
)
def test_long_lists_of_masses_are_validated(last: object, words: str) -> None:
    assert Segmentation.from_masses([2] * 100 + [3.0]) == Segmentation.from_masses([2] * 100 + [3])
    with pytest.raises(InvalidSegmentation, match=words):
        Segmentation.from_masses([2] * 100 + [last])


def test_from_marks_reads_marks_of_potential_boundaries() -> None:
    assert Segmentation.from_marks([0, 1, 0], boundary=1) == Segmentation.from_masses([2, 2])
    assert Segmentation.from_marks([1, 1, 1]).masses == [1, 1, 1, 1], (
        "four units, not the three of the masses [1, 1, 1]"
    )
    assert Segmentation.from_marks([False, True], boundary=True).masses == [2, 1]
    assert Segmentation.from_marks(["O", "B", "O"], boundary="B").masses == [2, 2]
    assert Segmentation.from_marks(np.array([0, 1, 0])).masses == [2, 2]
    assert Segmentation.from_marks([]).masses == [1]
    with pytest.raises(InvalidSegmentation, match="found 0 and 2"):
        Segmentation.from_marks([0, 1, 2])


def test_marks_are_no_masses() -> None:
    assert as_segmentation([0, 1, 0]).masses == as_segmentation([False, True, False]).masses == [2, 2]
    assert as_segmentation([1, 1, 1]).masses == [1, 1, 1]
    with pytest.raises(InvalidSegmentation, match=r"segment 1 has mass 0.*Segmentation\.from_marks"):
        Segmentation.from_masses([0, 1, 0])
    with pytest.raises(InvalidSegmentation, match=r"segment 2 has mass 0; every segment has one unit or more\.$"):
        as_segmentation([3, 0, 2])


def test_places_is_a_deprecated_name_of_distinct_positions() -> None:
    with pytest.warns(DeprecationWarning, match="use distinct_positions"):
        assert Segmentation.from_masses([2, 3]).places.tolist() == [2]
