"""Scripts as newcomers write them: lists, dicts, arrays, frames, folders. Each gives a score, or a sentence that lets its author go on."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError, MissingExtra

GOLD, OURS, THEIRS = [[2, 3, 6], [4, 4]], [[5, 6], [4, 4]], [[2, 9], [1, 7]]
ARRAYS = [np.array(masses) for masses in GOLD]
STRINGS = ["0100100000", "0001000"]
FLAGS = [[int(c) for c in string] for string in STRINGS]
BOOLS = [np.array(flags, bool) for flags in FLAGS]
NAMED = dict(zip("ab", GOLD, strict=True))
MARKS = [cs.Segmentation.from_masses(masses) for masses in GOLD]


@pytest.mark.parametrize(
    ("reference", "systems"),
    [
        (GOLD, OURS),
        (GOLD, {"ours": OURS, "theirs": THEIRS}),
        (tuple(GOLD), tuple(OURS)),
        (ARRAYS, [np.array(masses) for masses in OURS]),
        (ARRAYS, {"ours": OURS}),
        (STRINGS, {"ours": ["0000100000", "0001000"]}),
        (STRINGS, GOLD),
        (FLAGS, STRINGS),
        (BOOLS, FLAGS),
        (BOOLS, {"ours": FLAGS, "theirs": BOOLS}),
        (NAMED, dict(zip("ab", OURS, strict=True))),
        (NAMED, {"ours": dict(zip("ab", OURS, strict=True)), "theirs": NAMED}),
        ({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}}, {"a": {"sys": [5, 6]}, "b": {"sys": [4, 4]}}),
        (MARKS, OURS),
        (MARKS, {"ours": OURS}),
        (cs.Corpus.from_dict({"1": {"ann": [2, 3, 6]}, "2": {"ann": [4, 4]}}), {"ours": OURS}),
        (np.array([[0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 0], [1, 0, 0]])),
        (np.array([[0, 1, 0], [0, 0, 1]]), {"ours": np.array([[0, 1, 0], [1, 0, 0]])}),
        ((masses for masses in GOLD), iter(OURS)),
        (map(list, GOLD), {"ours": iter(OURS)}),
    ],
)
def test_plain_python_on_both_sides(reference: Any, systems: Any) -> None:
    result = cs.evaluate(reference, systems, metrics="WD", resamples=0)
    assert result.count == 2
    several = isinstance(systems, dict) and not {"a", "b"} & systems.keys()
    assert list(result.systems) == (list(systems) if several else ["hypothesis"])


@pytest.mark.parametrize(
    "one", [[2, 3, 6], "0100100000", np.array([2, 3, 6]), MARKS[0], [0, 1, 0, 0, 1, 0, 0, 0, 0, 0]]
)
def test_one_text_needs_no_list(one: Any) -> None:
    assert cs.evaluate(one, one, "F", resamples=0)["F"].micro == 1.0
    assert list(cs.evaluate(one, {"a": one, "b": [5, 6]}, "F", resamples=0).systems) == ["a", "b"]


@pytest.mark.parametrize(
    "annotations",
    [
        [[2, 3, 6], [5, 6]],
        {"ann": [2, 3, 6], "ben": [5, 6]},
        {"doc": {"ann": [2, 3, 6], "ben": [5, 6]}},
        {"ann": [[2, 3, 6]], "ben": [[5, 6]]},  # one list of texts per coder
        [["0100100000"], ["0000100000"]],
        {"ann": iter([[2, 3, 6]]), "ben": [[5, 6]]},
    ],
)
def test_agreement_of_plain_python(annotations: Any) -> None:
    assert cs.agree(annotations).value == cs.agree([[2, 3, 6], [5, 6]]).value


ROWS = [{"id": "a", "tokens": ["Ann", "saw", "Paris"], "ner_tags": ["B-PER", "O", "B-LOC"]}]


def test_rows_of_tokens_and_tags() -> None:
    assert cs.evaluate(ROWS, {"ours": ROWS}, "span-F", resamples=0)["span-F"].micro == 1.0
    with pytest.raises(CaesuraError, match=r"say it with cs.from_object\(rows, mean='ends'\)"):
        cs.evaluate([{"sentences": ["a", "b"], "labels": [0, 1]}], ROWS)


def test_paths_of_files(tmp_path: Path) -> None:
    for name, data in (("gold", NAMED), ("ours", NAMED)):
        cs.write(cs.Corpus.from_dict({item: {"x": masses} for item, masses in data.items()}), tmp_path / f"{name}.json")
    assert cs.evaluate(tmp_path / "gold.json", str(tmp_path / "ours.json"), "B", resamples=0)["B"].micro == 1.0
    assert cs.compare(tmp_path / "gold.json", str(tmp_path / "ours.json"), ["B"])["B"] == 1.0


def test_folders_of_texts(tmp_path: Path) -> None:
    for side, text in (("gold", "one two | three"), ("ours", "one | two three")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.txt").write_text(text)
    assert cs.evaluate(cs.read(tmp_path / "gold"), cs.read(tmp_path / "ours"), "F", resamples=0)["F"].micro == 0.0


class Frame:
    """A frame with the methods of pandas that we use; the real one is not needed to test them."""

    def __init__(self, **columns: list[Any]) -> None:
        self.data, self.columns = columns, list(columns)

    def itertuples(self) -> None: ...

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.data.values(), strict=True)]


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
def test_frames_of_pandas() -> None:
    positions = Frame(
        doc=["a", "a", "b"], annotator=["x"] * 3, position=[2, 5, 4], length=[11, 11, 8], genre=["poem", "poem", "news"]
    )
    corpus = cs.from_dataframe(positions)
    assert [marks.masses for *_, marks, _ in corpus] == GOLD  # type: ignore[union-attr]
    assert corpus.attributes["a"]["genre"] == "poem"
    said = Frame(who=["a", "b"], tmin=[0.5, 0.6], tmax=[1.5, 2.0], said=["x", "y"])
    with pytest.raises(CaesuraError, match=r"the frame: .* a ends at 1.5 s, b at 2 s; .* lengths='longest'"):
        cs.from_dataframe(said, coder="who", label="said")
    spans = cs.from_dataframe(said, coder="who", label="said", lengths="longest")
    assert (spans.kind, spans.coders) == ("time", ("a", "b")) or spans.timed
    units = cs.from_dataframe(Frame(item=["a"] * 3, label=["x", "x", "y"], word=["so", "it", "goes"]))
    assert units["a", ""].masses == [2, 1]  # type: ignore[union-attr]
    with pytest.raises(CaesuraError, match="no column 'speaker'; it has doc, annotator"):
        cs.from_dataframe(positions, coder="speaker")
    with pytest.raises(CaesuraError, match="expected a data frame"):
        cs.from_dataframe([1, 2])
    assert cs.evaluate(positions, positions, "B", resamples=0)["B"].micro == 1.0


@pytest.mark.filterwarnings("ignore::caesura.model.provenance.ReadingNote")
def test_real_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"doc": ["a", "a", "b"], "annotator": ["x"] * 3, "position": [2, 5, None], "length": [11, 11, 8]}
    )
    corpus = cs.from_dataframe(frame)  # a missing value makes integers floats
    assert corpus["b", "x"].masses == [8]  # type: ignore[union-attr]
    assert cs.from_dataframe(frame.set_index("doc")) == corpus
    assert cs.from_dataframe(frame.astype({"doc": "category"})) == corpus
    assert cs.from_dataframe(corpus.to_pandas()) == corpus
    assert cs.compare(frame, frame, ["B"])["B"] == 1.0
    column = pandas.Series({"a": [2, 3, 6], "b": [4, 4]})
    assert cs.evaluate(column, {"ours": NAMED}, "WD", resamples=0).items == ("a", "b")
    assert cs.evaluate(pandas.Series(STRINGS), pandas.Series(STRINGS), "WD", resamples=0)["WD"].micro == 0.0
    with pytest.raises(CaesuraError, match="the meaning of the columns sentence, ann is unclear"):
        cs.from_dataframe(pandas.DataFrame({"sentence": ["A"], "ann": [0]}))
    with pytest.raises(CaesuraError, match="row 1 of the frame: position is 'x'"):
        cs.from_dataframe(pandas.DataFrame({"item": ["a"], "position": ["x"], "length": [3]}))


def test_datasets_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_list(ROWS)
    assert cs.evaluate(data, {"ours": data}, "span-F", resamples=0)["span-F"].micro == 1.0
    assert cs.evaluate(datasets.Dataset.from_dict({"m": GOLD})["m"], GOLD, "WD", resamples=0).count == 2
    with pytest.raises(CaesuraError, match=r"with the splits train; choose one, as in data\['train'\]"):
        cs.evaluate(datasets.DatasetDict({"train": data}), data)


def test_frames_of_polars_there_and_back() -> None:
    pytest.importorskip("polars")
    corpora = [
        cs.Corpus.from_dict({"a": {"x": [2, 3, 6], "y": [11]}}),
        cs.Corpus.from_annotations([("a", "x", cs.Segmentation.from_times([0.5, 1.25], length=2.0))]),
        cs.Corpus.from_annotations([("a", "x", cs.Spans.from_rows([(0.5, 1.25, "p")], length=2.0, time=True))]),
    ]
    for corpus in corpora[:2]:
        assert cs.from_dataframe(corpus.to_polars()) == corpus
    assert cs.from_dataframe(corpora[2].to_polars(), format="csv-spans") == corpora[2]


def test_missing_libraries_are_named() -> None:
    try:
        import pandas  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match=r"needs pandas, which is not installed: pip install pandas\."):
            cs.Corpus.from_dict({"a": {"x": [2, 3]}}).to_pandas()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("windowdiff", "use cs.window_diff"),
        ("WindowDiff", "use cs.window_diff"),
        ("f1", r"use cs.metric\(.F.\)"),
        ("kappa", 'coefficient="kappa"'),
        ("gamma", 'coefficient="gamma"'),
        ("load", r"use cs.read\(path\)"),
        ("Segmentations", "use cs.Segmentation"),
    ],
)
def test_names_that_people_type_first(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=hint):
        getattr(cs, name)


@pytest.mark.parametrize(
    ("reference", "systems", "sentence"),
    [
        ([[2, 3]], [[2, 4]], "the reference has 5 units, the hypothesis 6"),
        (GOLD, [OURS, THEIRS], "several systems need names: {'a': …, 'b': …}"),
        (GOLD, {"ours": OURS[:1]}, "the system .ours. has 1 annotation, the reference 2 items"),
        (NAMED, {"c": [2, 3]}, "share no item"),
        ([2.5, 3.5], [2.5, 3.5], "use Segmentation.from_times"),
        ({2, 5}, {3, 4}, "has no order; give a list"),
        (None, GOLD, "must be a Corpus"),
        ([[0, 2]], [[1, 1]], "mass 0"),
    ],
)
def test_refusals_say_what_is_wrong(reference: Any, systems: Any, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence) as caught:
        cs.evaluate(reference, systems, "B", resamples=0)
    assert len(str(caught.value)) < 300


# ---------------------------------------------------------------------- strict tags


def strictly(tags: tuple[str, ...], last: str, single: str) -> list[tuple[int, int, str]]:
    """Spans by the patterns of seqeval's strict mode: a start, what is inside, and a pattern of ends that must hold."""
    spans, i = [], 0
    listed = [*tags, "O"]

    def split(tag: str) -> tuple[str, str]:
        return tag[0], tag[2:]

    while i < len(tags):
        prefix, label = split(listed[i])
        if prefix not in ("B", single):
            i += 1
            continue
        end = i + 1
        while end < len(listed):
            (before, own), (now, other) = split(listed[end - 1]), split(listed[end])
            if not (before in "BI" and now in ("I", last) and own == other):
                break
            end += 1
        if listed[end - 1][0] in (last, single):
            spans.append((i, end, label))
        i = end
    return spans


@pytest.mark.parametrize(("scheme", "last", "single"), [("IOBES", "E", "S"), ("BILOU", "L", "U")])
def test_strict_tags_are_those_of_seqeval(scheme: Any, last: str, single: str) -> None:
    alphabet = ["O", "B-x", "I-x", f"{last}-x", f"{single}-x", f"{last}-y"]
    for size in range(1, 5):
        for tags in product(alphabet, repeat=size):
            assert cs.Spans.from_iob(tags, strict=True, scheme=scheme).rows == strictly(tags, last, single), tags
    assert cs.Spans.from_iob(["B-x", f"{last}-x", "B-x"], strict=True).rows == [(0, 2, "x")]
    seqeval = pytest.importorskip(
        "seqeval.scheme", reason="the patterns above are those of seqeval, which is not installed"
    )
    for tags in product(alphabet, repeat=3):
        entities = seqeval.Entities([list(tags)], getattr(seqeval, scheme)).entities[0]
        assert cs.Spans.from_iob(tags, strict=True, scheme=scheme).rows == [(e.start, e.end, e.tag) for e in entities]


def test_strict_tags_of_two_schemes_are_refused() -> None:
    with pytest.raises(CaesuraError, match="expected one scheme"):
        cs.Spans.from_iob(["S-x", "U-x"], strict=True)
