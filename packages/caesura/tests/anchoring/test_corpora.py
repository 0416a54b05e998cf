"""Annotations of altered texts are moved to the texts of a reference, in Python and on the command line."""

from __future__ import annotations

import json
import shutil

import pytest

import caesura as cs
from caesura.anchoring import AnchorOptions, anchor_corpus
from caesura.anchoring.corpora import NOT_PLACED, UnitText
from caesura.errors import CaesuraError, LengthMismatch
from cli.command import caesura, refused

SOURCE = [
    "The",
    "president",
    "spoke",
    "first.",
    "Then",
    "the",
    "senate",
    "replied",
    "at",
    "length.",
    "Nobody",
    "agreed",
    "with",
    "them.",
    "It",
    "passed.",
]
COPY = [
    "The",
    "President",
    "spoke",
    "first",
    ".",
    "Then",
    "the",
    "Senate",
    "replied",
    "at",
    "lengths.",
    "Nobody",
    "agreed",
    "with",
    "them.",
    "It",
    "passed.",
]
ALTERED = "letters+space+invisible+case+compatible+quotes|maxalt:0.3|maxmov:0.05|edges:inner"


def corpus(marks, coder="llm") -> cs.Corpus:
    return cs.Corpus.from_annotations([("doc", coder, marks)])


def gold(**more) -> cs.Corpus:
    return corpus(cs.Segmentation.from_positions([4, 10, 14], length=16, units=SOURCE, **more), "gold")


def answer(positions=(5, 11, 15), units=COPY) -> cs.Corpus:
    return corpus(cs.Segmentation.from_positions(list(positions), length=len(units), units=units))


def test_boundaries_go_to_the_edges_of_units() -> None:
    found = anchor_corpus(gold(), answer())
    assert found.corpus["doc", "llm"].positions.tolist() == [4, 10, 14]
    assert found.corpus["doc", "llm"].units == tuple(SOURCE)
    counts = found.total
    assert (counts.marks, counts.placed, counts.exact, counts.snapped, counts.distance) == (3, 3, 3, 0, 1)
    assert found.signature == f"anchor:{ALTERED}"
    assert "anchored documents" in str(found)


def test_scores_carry_the_record() -> None:
    with pytest.raises(LengthMismatch, match="--anchor"):
        cs.compare(gold(), answer())
    comparison = cs.compare(gold(), answer(), ["B"], anchor=True)
    assert comparison["B"] == 1.0
    assert comparison.scores["B"].signature.endswith(f"|anchor:{ALTERED}")
    assert comparison.as_dict()["anchoring"]["placed"] == 3
    assert comparison.tables()[0].columns[-3:] == ("altered", "placed", "moved")
    evaluation = cs.evaluate(gold(), {"a": answer(), "b": gold()}, ["B"], anchor={"max_altered": 0.2})
    assert evaluation["a", "B"].signature.endswith("maxalt:0.2|maxmov:0.05|edges:inner")
    assert "anchor" not in evaluation["b", "B"].signature
    assert list(evaluation.as_dict()["anchoring"]) == ["a"]


def test_equal_texts_leave_no_trace() -> None:
    comparison = cs.compare(gold(), answer((4, 9), SOURCE), ["B"], anchor=True)
    assert "anchoring" not in comparison.as_dict()
    assert "anchor" not in comparison.scores["B"].signature


def test_types_names_and_closing_boundaries_travel_along() -> None:
    marks = cs.Segmentation.from_positions([(5, ","), (11, "."), (17, "?")], length=17, units=COPY)
    typed = corpus(cs.Segmentation.from_positions([(4, ","), (16, ".")], length=16, units=SOURCE), "gold")
    found = anchor_corpus(typed, corpus(marks)).corpus["doc", "llm"]
    assert found.positions.tolist() == [4, 10, 16]
    assert [found.labels[code] for code in found.types] == [",", ".", "?"]
    named = cs.Segmentation(17, [5, 6], units=COPY, names=["one", "two", "three"])
    assert anchor_corpus(gold(), corpus(named)).corpus["doc", "llm"].names == ("one", "two", "three")
    merged = cs.Segmentation(17, [4, 5], units=COPY, names=["one", "two", "three"])
    moved = anchor_corpus(gold(), corpus(merged))
    assert moved.corpus["doc", "llm"].names == ("one", "three")
    assert moved.total.merged == 1
    typed_here = cs.Segmentation.from_positions([(4, ","), (5, "."), (17, "?")], length=17, units=COPY)
    united = anchor_corpus(typed, corpus(typed_here))
    here = united.corpus["doc", "llm"]
    assert [(p, here.labels[c]) for p, c in zip(here.positions, here.types, strict=True)] == [
        (4, ","),
        (4, "."),
        (16, "?"),
    ]
    assert united.total.merged == 1, "two boundaries on one place are one with both types"


def test_spans_and_hierarchies() -> None:
    spans = cs.Spans.from_rows([(1, 2, "role"), (7, 8, "role")], length=17, units=COPY)
    found = anchor_corpus(gold(), corpus(spans)).corpus["doc", "llm"]
    assert found.rows == [(1, 2, "role"), (6, 7, "role")]
    tree = cs.Hierarchy.from_spans([(1, 17), (1, 11), (1, 5), (6, 11), (12, 17)], length=17, units=COPY)
    nested = anchor_corpus(gold(), corpus(tree)).corpus["doc", "llm"].spans
    assert sorted(nested) == sorted([(1, 16, 1), (1, 10, 2), (1, 4, 3), (5, 10, 3), (11, 16, 2)])


REWRITTEN = [*SOURCE[:4], *["111111", "222222", "333333", "444444", "555555", "666666"], *SOURCE[10:]]


def test_marks_without_a_place_count_as_wrong_unless_left_out() -> None:
    loose = {"max_altered": 0.9, "min_placed": 0.0}
    wrong = cs.evaluate(gold(), answer((4, 7, 10), REWRITTEN), ["precision"], anchor=loose)
    assert wrong["precision"].micro == pytest.approx(2 / 3)
    assert any("left out" in sentence for sentence in wrong.warnings())
    compared = cs.compare(gold(), answer((4, 7, 10), REWRITTEN), ["precision"], anchor=loose)
    assert compared["precision"] == pytest.approx(2 / 3)
    said = "precision is 1.000 instead of 0.667 if marks that could not be placed are left out (unplaced='out')."
    assert said in compared.warnings()
    assert "1 mark of 3 could not be placed in the source; it counts as wrong." in compared.warnings()
    out = cs.evaluate(gold(), answer((4, 7, 10), REWRITTEN), ["precision"], anchor={**loose, "unplaced": "out"})
    assert out["precision"].micro == 1.0
    assert out["precision"].signature.endswith("unplaced:out")
    kept = anchor_corpus(gold(), answer((7,), REWRITTEN), {**loose, "keep_inside": True})
    assert kept.total.inside == kept.total.placed == 1
    spans = corpus(cs.Spans.from_rows([(0, 2, "a"), (16, 18, "b")], length=18, units=[*SOURCE, "zzzzzzz", "qqqqqqq"]))
    reference = corpus(cs.Spans.from_rows([(0, 2, "a")], length=16, units=SOURCE), "gold")
    moved = anchor_corpus(reference, spans, loose)
    assert [row[2] for row in moved.corpus["doc", "llm"].rows] == ["a", NOT_PLACED]
    assert cs.compare(reference, spans, ["span-precision"], anchor=loose)["span-precision"] == 0.5


def test_nested_segments_in_rewritten_text_are_counted_and_said() -> None:
    tree = cs.Hierarchy.from_spans([(1, 16), (1, 7), (8, 16)], length=16, units=REWRITTEN)
    reference = corpus(cs.Hierarchy.from_spans([(1, 16), (1, 4), (5, 16)], length=16, units=SOURCE), "gold")
    found = anchor_corpus(reference, corpus(tree), {"max_altered": 0.9, "min_placed": 0.0})
    assert (found.total.marks, found.total.placed, found.total.inside) == (1, 0, 1)
    assert len(found.corpus["doc", "llm"].spans) == 3
    assert "nested segments keep the nearest place there" in " ".join(found.warnings())
    with pytest.raises(CaesuraError, match="0 of 1 mark could be placed"):
        anchor_corpus(reference, corpus(tree), {"max_altered": 0.9})


def test_documents_are_refused_one_by_one() -> None:
    other = [
        "Completely",
        "different",
        "words",
        "about",
        "weather",
        "and",
        "boats",
        "in",
        "some",
        "harbour",
        "far",
        "away",
        "from",
        "here",
    ]
    reference = cs.Corpus.from_annotations([*gold(), ("two", "gold", cs.Segmentation(2, [1], units=["a", "b"]))])
    system = cs.Corpus.from_annotations(
        [("doc", "x", cs.Segmentation(14, [3], units=other)), ("two", "x", cs.Segmentation(2, [1], units=["a", "b"]))]
    )
    with pytest.raises(
        CaesuraError,
        match=r"item 'doc': \d+.\d% of the text was altered, more than 30 %.*--max-altered.*--skip-refused",
    ):
        cs.evaluate(reference, system, ["B"], anchor=True)
    rest = cs.evaluate(reference, system, ["B"], anchor={"skip_refused": True})
    assert rest.items == ("two",)
    assert any("1 document refused" in sentence for sentence in rest.warnings())
    with pytest.raises(CaesuraError, match="less than 90%"):
        cs.evaluate(gold(), answer((7,), REWRITTEN), ["B"], anchor={"max_altered": 0.9})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: AnchorOptions("lines"), "there is no level 'lines'"),
        (lambda: AnchorOptions(max_altered=3), "max_altered is 3"),
        (lambda: AnchorOptions(unplaced="right"), "unplaced is 'right'"),
        (lambda: cs.compare(gold(), answer(), anchor={"colour": 1}), "no parameter 'colour'"),
        (lambda: cs.compare(gold(), answer(), anchor=3.5), "anchor is 3.5"),
        (lambda: cs.compare([2, 3], [2, 3], anchor=True), "the reference has no texts"),
        (lambda: cs.compare(gold(), cs.Corpus.from_dict({"doc": {"x": [2, 3]}}), anchor=True), "5 units and no text"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()


def test_the_nearest_edge_of_a_unit() -> None:
    text = UnitText(["abcd", "efgh"])
    assert text.text == "abcd efgh"
    assert [text.nearest(at) for at in (0, 1, 2, 3, 4, 5, 7, 9)] == [
        (0, 0), (0, 1), (0, 2), (1, 1), (1, 0), (1, 0), (1, 2), (2, 0)
    ]  # fmt: skip


# ---------------------------------------------------------------------- command line


@pytest.fixture
def files(tmp_path):
    cs.write(gold(), tmp_path / "gold.json")
    cs.write(answer(), tmp_path / "llm.json")
    (tmp_path / "source.txt").write_text(" ".join(SOURCE))
    (tmp_path / "other.txt").write_text("An egg is boiled for four minutes and eaten with salt.")
    return tmp_path


def test_commands_accept_altered_texts(files) -> None:
    pair = files / "gold.json", files / "llm.json"
    assert "--anchor" in refused("compare", *pair)
    compared = json.loads(caesura("compare", *pair, "-m", "B", "--anchor", "--json").stdout)
    assert compared["metrics"]["B"]["micro"] == 1.0
    assert compared["anchoring"]["distance"] == 1
    shown = caesura(
        "evaluate", *pair, "-m", "B", "--anchor", "-O", "anchor.level=words", "-O", "anchor.fold=case+space"
    )
    assert "anchor:words+space+case|maxalt:0.6" in shown.stdout
    agreed = json.loads(caesura("agree", files, "--anchor", "--coefficient", "percentage", "--json").stdout)
    assert agreed["percentage"]["value"] == 1.0
    assert agreed["anchoring"]["placed"] == 3
    assert "--anchor" in refused("agree", files)


def test_two_coders_of_one_folder_are_compared(files) -> None:
    """Either of them may be the reference, to whose text the other one is moved."""
    (files / "coders").mkdir()
    for name in ("gold", "llm"):
        shutil.copy(files / f"{name}.json", files / "coders")
    folder = files / "coders", "-m", "B", "--json", "--anchor"
    sizes = {name: len("".join(units)) for name, units in (("gold", SOURCE), ("llm", COPY))}
    for given, first in (((), "gold"), (("--coders", "gold,llm"), "gold"), (("--coders", "llm,gold"), "llm")):
        data = json.loads(caesura("compare", *folder, *given).stdout)
        assert (data["metrics"]["B"]["micro"], data["anchoring"]["placed"]) == (1.0, 3)
        assert data["anchoring"]["source_units"] == sizes[first]
    assert "--anchor" in refused("compare", files / "coders", "-m", "B")
    assert "'nobody'" in refused("compare", files / "coders", "--coders", "gold,nobody", "--anchor")


def test_every_table_says_what_was_anchored(files) -> None:
    """Also if the text of the first system is that of the reference."""
    shutil.copy(files / "gold.json", files / "same.json")
    three = files / "gold.json", files / "same.json", files / "llm.json", "-m", "B", "--anchor"
    shown = caesura("evaluate", *three, "--table", "markdown").stdout
    assert "| llm | 1.000 | 0.0120 | 1.0000 |" in shown
    assert "| same | 1.000 | – | – |" in shown
    for style in ("markdown", "csv", "latex"):
        assert "|anchor:letters" in caesura("evaluate", *three, "--table", style).stdout
    assert "|anchor:letters" in caesura("evaluate", *three).stdout
    rows = caesura("evaluate", *three, "--table", "csv").stdout.splitlines()
    assert [rows[0].split(",")[-2:], rows[1].split(",")[-2:], rows[2].split(",")[-1]] == [
        ["altered", "placed"], ["", ""], "1.0"
    ]  # fmt: skip
    assert "anchor" not in caesura("evaluate", *three[:2], "-m", "B", "--table", "csv").stdout


def test_chance_and_groups_are_those_of_the_moved_annotations(files) -> None:
    pair = files / "gold.json", files / "llm.json", "-m", "B", "--anchor"
    assert "chance, drawn" in caesura("evaluate", *pair, "--chance", "5").stdout
    assert "by item" in caesura("evaluate", *pair, "--by", "item").stdout


def test_the_command_anchor_writes_the_moved_annotations(files) -> None:
    out = files / "moved.json"
    done = caesura("anchor", files / "source.txt", files / "llm.json", "-o", out, "--report")
    assert done.returncode == 0, done.stderr
    assert "altered passages" in done.stdout
    assert cs.read(out)["doc", "llm"].positions.tolist() == [4, 10, 14]
    data = json.loads(caesura("anchor", files / "gold.json", files / "llm.json", "--json", "--report").stdout)
    assert data["placed"] == 3
    assert data["passages"]
    (files / "copy.txt").write_text("the President  spoke")
    texts = files / "source.txt", files / "copy.txt"
    assert json.loads(caesura("anchor", *texts, "--max-altered", "1", "--json").stdout)["deletions"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("compare", "gold.json", "llm.json", "--max-altered", "0.2"), "--max-altered has no effect without --anchor"),
        (("compare", "gold.json", "llm.json", "-O", "anchor.level=words"), "has no effect without --anchor"),
        (("compare", "gold.json", "llm.json", "--anchor", "-O", "anchor.colour=red"), "colour"),
        (("evaluate", "gold.json", "llm.json", "--anchor", "--max-altered", "0.001"), "1.2% of the text was altered"),
        (("anchor", "gold.json", "llm.json", "--unit", "word"), "--unit has no effect"),
        (("anchor", "missing.txt", "llm.json"), "missing.txt"),
        (("anchor", "source.txt", "other.txt"), "other.txt: 7"),
        (("anchor", "source.txt", "other.txt"), "% of the text was altered, more than 30 %; the first passage is 'The"),
    ],
)
def test_commands_refuse_in_one_sentence(files, arguments, sentence) -> None:
    given = [files / each if each.endswith((".json", ".txt")) else each for each in arguments]
    assert sentence in refused(*given)


def test_remarks_around_the_text_are_no_errors() -> None:
    """A model writes a sentence before and after the text: the boundaries beside them are at its start and end."""
    units = ["Sure, here is the text", "divided into its topics:", *SOURCE, "Bye!"]
    compared = cs.compare(gold(), answer((1, 2, 6, 12, 16, 18), units), ["B"], anchor={"max_altered": 0.5})
    assert compared["B"] == 1.0
    total = compared.anchored.total
    assert (total.marks, total.lost, total.at_ends, total.placed_share) == (6, 3, 3, 1.0)
    assert "3 boundaries fall on the start or end of a text and are left out." in str(compared)


# ---------------------------------------------------------------------- agreement


def spans_of(units, text="senate"):
    at = [unit.lower() for unit in units].index(text)
    return cs.Spans.from_rows([(at, at + 1, "body")], length=len(units), units=units)


def nested_of(units):
    end = units.index("Then")
    return cs.Hierarchy.from_spans([(1, len(units)), (1, end), (end + 1, len(units))], length=len(units), units=units)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (gold()["doc", "gold"], answer()["doc", "llm"]),
        (spans_of(SOURCE), spans_of(COPY)),
        (nested_of(SOURCE), nested_of(COPY)),
    ],
    ids=["boundaries", "spans", "nested"],
)
def test_coders_of_altered_texts_agree(ours, theirs) -> None:
    coders = {"doc": {"a": ours, "b": theirs}}
    with pytest.raises(LengthMismatch, match="agree: anchor=True, --anchor; otherwise: caesura anchor"):
        cs.agree(coders)
    found = cs.agree(coders, anchor=True)
    assert found.observed == (0.0 if found.formula == "disorder" else 1.0)
    assert found.signature.endswith(f"|anchor:{ALTERED}|unplaced:out")
    assert found.details["anchoring"]["placed"] == found.details["anchoring"]["marks"] > 0
    from caesura.agreement import agreements

    listed = agreements(coders, "B" if ours is gold()["doc", "gold"] else None, anchor="words")
    assert all("|anchor:words" in each.signature for each in listed.values())
    assert "anchor" not in cs.agree({"doc": {"a": ours, "b": ours}}, anchor=True).signature


def test_refused_coders_are_left_out_and_named(files) -> None:
    cs.write(answer(positions=(3,), units=[unit[::-1] * 2 for unit in SOURCE]), files / "zed.json")
    rename = "-O", "pattern={coder}.json"
    assert "--skip-refused" in refused("agree", files, *rename, "--anchor")
    shown = json.loads(caesura("agree", files, *rename, "--anchor", "--skip-refused", "--json").stdout)
    assert set(shown["pi"]["details"]["coders"]) == {"gold", "llm"}
    assert ["zed" in name for name in shown["anchoring"]["refused"]] == [True]
    assert "|anchor:letters" in shown["pi"]["signature"]


def test_spans_of_other_words_are_refused_where_the_number_of_words_is_equal() -> None:
    other = [*SOURCE[:6], "Senates", *SOURCE[7:]]
    pair = corpus(spans_of(SOURCE), "gold"), corpus(spans_of(other, "senates"))
    with pytest.raises(LengthMismatch, match="token 7 is 'senate' in the reference and 'Senates'"):
        cs.compare(*pair)
    assert cs.compare(*pair, ["span-F"], anchor=True)["span-F"] == 1.0
