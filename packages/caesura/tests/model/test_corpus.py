from __future__ import annotations

import pickle

import numpy as np
import pytest

from caesura.errors import CaesuraError, InvalidSegmentation, LengthMismatch
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.model.columns import merge_labels


def masses(*sizes: int) -> Segmentation:
    return Segmentation.from_masses(sizes)


def test_coders_may_annotate_different_items() -> None:
    corpus = Corpus.from_dict({"a": {"x": [2, 3], "y": [5]}, "b": {"y": [1, 1]}})
    assert repr(corpus) == "Corpus(2 items × 2 coders, 3 annotations of units)"
    assert corpus["b", "y"].masses == [1, 1]
    assert ("b", "x") not in corpus
    assert corpus.coders_of("a") == ["x", "y"]
    with pytest.raises(CaesuraError, match="coder 'x' has no annotation of item 'b'"):
        corpus["b", "x"]


def test_tracks_belong_to_one_item() -> None:
    corpus = Corpus.from_annotations(
        Annotation("talk", coder, masses(2, n), track) for coder in "xy" for track, n in (("JOHN", 3), ("MARY", 8))
    )
    assert corpus["talk", "x", "MARY"].length == 10
    first, second = corpus.pairs()
    assert [(corpus.annotation(i).track, corpus.annotation(j).coder) for i, j in zip(first, second, strict=True)] == [
        ("JOHN", "y"),
        ("MARY", "y"),
    ]


def test_types_share_one_scale() -> None:
    first = Segmentation.from_labels_at(["", "."])
    second = Segmentation.from_labels_at([",", "?"])
    corpus = Corpus.from_annotations([("i", "x", first), ("i", "y", second)])
    assert corpus.labels == (",", ".", "?")
    assert corpus["i", "y"] == second
    assert corpus["i", "x"].types.tolist() == [1]


def test_corpus_is_hashable_picklable_and_immutable() -> None:
    corpus = Corpus.from_annotations(
        [("i", "x", Segmentation.parse("a b | c")), ("j", "x", masses(2))], attributes={"i": {"genre": "tale"}}
    )
    again = pickle.loads(pickle.dumps(corpus))
    assert again == corpus
    assert hash(again) == hash(corpus)
    assert corpus == Corpus.join([corpus.select(items=["j"]), corpus.select(items=["i"])])
    assert corpus != Corpus.from_annotations([("i", "x", masses(2, 1)), ("j", "x", masses(2))])
    assert "genre" in str(dict(corpus.attributes["i"]))
    with pytest.raises(AttributeError):
        corpus.items = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        corpus.positions[0] = 3


def test_nested_and_timed_corpora() -> None:
    nested = Corpus.from_dict({"i": {"x": Hierarchy.from_spans([(1, 4), (1, 2)], length=4)}})
    assert nested.kind == "nested"
    assert nested["i", "x"].spans == [(1, 4, 1), (1, 2, 2)]
    timed = Corpus.from_annotations([("u", "x", Segmentation.from_times([0.1], length=0.5))])
    assert timed.kind == "time"
    assert timed["u", "x"].length == 0.5
    with pytest.raises(InvalidSegmentation, match="one kind"):
        Corpus.join([nested, timed])


def test_empty_corpus() -> None:
    assert len(Corpus.from_annotations([])) == 0
    assert Corpus.from_annotations([]).pairs()[0].tolist() == []


def one_text_of_three_units(positions: list[int], item: int = 0) -> Corpus:
    """By one coder, straight from columns."""
    return Corpus(
        kind="units", items=["i"], coders=["x"], item_of=[item], coder_of=[0], lengths=[3], offsets=[0, len(positions)],
        positions=positions,
    )  # fmt: skip


BAD = [
    (lambda: Corpus.from_dict({"i": {"x": [2, 3], "y": [2, 2]}}), LengthMismatch, "item 'i', coder 'y': 4 units, but"),
    (lambda: Corpus.from_annotations([("i", "x", masses(2))] * 2), InvalidSegmentation, "annotated twice"),
    (
        lambda: Corpus.from_annotations([("i", c, Segmentation.parse(t)) for c, t in (("x", "a b"), ("y", "a c"))]),
        LengthMismatch,
        "token 2 is 'b' for coder 'x' but 'c' for coder 'y'",
    ),
    (
        lambda: Corpus.from_annotations([("i", "x", masses(1, 1)), ("i", "y", Segmentation.from_labels_at([",", ""]))]),
        InvalidSegmentation,
        "coder 'x' gave no types",
    ),
    (
        lambda: one_text_of_three_units([2, 1]),
        InvalidSegmentation,
        "item 'i', coder 'x': positions must ascend, but 1 follows 2",
    ),
    (
        lambda: one_text_of_three_units([3]),
        InvalidSegmentation,
        "position 3 lies outside",
    ),
    (
        lambda: one_text_of_three_units([], item=1),
        InvalidSegmentation,
        "item number 1, but there are 1",
    ),
    (lambda: Corpus.from_dict({"i": {"x": [2]}}).select(coders=["z"]), CaesuraError, "no coder 'z'; it has 'x'"),
    (lambda: merge_labels(["b", "a"], ["a", "b"]), InvalidSegmentation, "give one order with labels="),
]


@pytest.mark.parametrize(("make", "kind", "sentence"), BAD)
def test_invalid_corpus_raises_an_error(make, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        make()


def test_columns_have_the_layout_of_arrow_lists() -> None:
    corpus = Corpus.from_dict({"a": {"x": [2, 3, 1]}, "b": {"x": [4]}, "c": {"x": [1, 1]}})
    assert corpus.offsets.tolist() == [0, 2, 2, 3]
    assert corpus.positions.tolist() == [2, 5, 1]
    assert corpus.positions.dtype == np.int64


@pytest.mark.parametrize(
    "make",
    [
        lambda: Corpus.from_dict(None),
        lambda: Corpus.from_dict({"a": [2, 3]}),
        lambda: Corpus.from_annotations([("a", "x")]),
        lambda: Corpus.from_annotations([5]),
        lambda: Corpus.join([5]),
        lambda: Corpus.join(Corpus.from_dict({"a": {"x": [2, 3]}})),
    ],
)
def test_arguments_of_the_wrong_type_raise_an_error(make) -> None:
    with pytest.raises(CaesuraError, match=r"\.$"):
        make()


def test_annotations_may_be_masses() -> None:
    assert Corpus.from_annotations([("a", "x", [2, 3])]) == Corpus.from_dict({"a": {"x": [2, 3]}})
