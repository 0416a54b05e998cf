"""Nested segments: level columns, spans, brackets, nested JSON."""

import json

import pytest

import caesura as cs
from shared_data import shared

SPANS = [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]


def test_levels_with_cr_line_ends_are_read(tmp_path):
    path = tmp_path / "ch1.csv"
    rows = ["par,level1,level2,level3", "1,0,1,0", "2,1,1,0", "3,0,0,0", "4,1,1,1"]
    path.write_bytes("\r".join(rows).encode())
    assert cs.read(path)["ch1", ""].spans == [(1, 2, 1), (3, 4, 1), (1, 1, 2), (2, 2, 2)]


def test_moonstone_sample_is_one_corpus():
    corpus = cs.read(shared("data/moonstone_hierarchies"), pattern="{item}/{item}-{coder}.csv")
    assert corpus.items == ("ch1", "ch2", "ch4", "ch5", "ch6")
    assert len(corpus) == 28
    assert str(corpus["ch1", "an2"]).endswith("[[1–2] [3]] [[[4] [5] [6]] [[7] [8] [9] [10]]] [[[11] [12]] [13]])")
    assert corpus["ch2", "an9"].depth == 4


def test_spans_get_levels_from_nesting_or_a_column(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("item,coder,first,last\ntalk,ann,1,10\ntalk,ann,1,4\ntalk,ann,5,10\ntalk,ann,5,7\ntalk,ben,2,3\n")
    corpus = cs.read(path)
    assert corpus["talk", "ann"].spans == SPANS
    assert corpus["talk", "ben"].length == 10
    path.write_text("first,last,level,coder,item\n1,4,2,ann,talk\n")
    assert cs.read(path, length=6)["talk", "ann"] == cs.Hierarchy(6, [(1, 4, 2)])


def test_brackets_become_nested_segments(tmp_path):
    path = tmp_path / "b.txt"
    path.write_text("[ [ a b ] c ]\n[d\n[e] f]\ng\n")
    assert cs.read(path)["b", ""] == cs.Hierarchy(7, [(1, 3, 1), (1, 2, 2), (4, 6, 1), (5, 5, 2)])
    assert cs.read(path)["b", ""].units == tuple("abcdefg")


def test_nested_json_is_read_and_written(tmp_path):
    path = tmp_path / "n.json"
    inner = {"first": 5, "last": 10, "segments": [{"first": 5, "last": 7}]}
    tree = [{"first": 1, "last": 10, "segments": [{"first": 1, "last": 4}, inner]}]
    path.write_text(json.dumps({"item": "talk", "coder": "ann", "length": 10, "segments": tree}))
    assert cs.read(path)["talk", "ann"].spans == SPANS
    path.write_text(json.dumps({"units": list("abc"), "segments": [{"first": 1, "last": 2}]}))
    assert cs.read(path)["n", ""].units == ("a", "b", "c")
    path.write_text(json.dumps([[["take", "the"], ["red", "line"]], "stop"]))
    assert cs.read(path)["n", ""].spans == [(1, 4, 1), (1, 2, 2), (3, 4, 2)]
    path.write_text(json.dumps({"talk": {"ann": {"length": 2, "segments": []}, "ben": [[1], 1]}}))
    assert cs.read(path, "nested-json")["talk", "ben"].spans == [(1, 1, 1)]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("l.csv", "par,level1\n1,0\n3,1\n", "line 3: par is 3, expected 2"),
        ("l.csv", "par,level1\n1,0\n2,x\n", "line 3: level1 is 'x', expected 1 where a segment ends"),
        ("l.csv", "par,level1\n1,0,0\n", "line 2: this line has 3 cells, the header 2"),
        ("l.csv", "par,level1\n", "the table has no row"),
        ("s.csv", "first,last\n1,4\n3,6\n", "segments (1, 4) and (3, 6) cross"),
        ("s.csv", "first,last\n4,1\n", "segment (4, 1) ends before it begins"),
        ("s.csv", "first,last\n0,1\n", "line 2: first is 0, expected 1 or more"),
        ("s.csv", "first,last\n1,two\n", "line 2: last is 'two', expected a whole number"),
        ("s.csv", "item,coder,first,last,length\na,x,1,2,9\na,y,1,2,8\n", "line 3: item 'a' has length 8 here and 9 above"),
        ("b.txt", "[ [ a ]\n", "the '[' before unit 1 is never closed"),
        ("b.txt", "[ [ a ] ]\n]\n", "a ']' after unit 1 closes nothing"),
        ("b.txt", "[ [ ] a ]\n", "the brackets after unit 0 hold no unit"),
        ("n.json", '{"length": 3, "segments": [{"first": 1, "last": "2"}]}', "'last' must be a whole number"),
        ("n.json", '{"length": 3, "segments": [{"first": 1, "last": 4}]}', "segment (1, 4) lies outside the text"),
        ("n.json", '{"length": 3, "segments": [[1, 2]]}', "a segment must be an object with"),
    ],
)  # fmt: skip
def test_invalid_hierarchies_are_refused(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(cs.FormatError) as caught:
        cs.read(path)
    assert says in str(caught.value)


def test_unclosed_option_closes_finer_segments(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("par,level1,level2,level3\n1,0,1,1\n2,1,0,0\n3,0,1,1\n4,1,1,1\n")
    with pytest.raises(cs.FormatError, match=r"level 2 ends after unit 1 but not after unit 2.* unclosed=close"):
        cs.read(path)
    closed = cs.read(path, unclosed="close")["a", ""]
    path.write_text("par,level1,level2,level3\n1,0,1,1\n2,1,1,1\n3,0,1,1\n4,1,1,1\n")
    assert closed == cs.read(path)["a", ""]
    path.write_text("par,level1,level2\n1,1,0\n2,0,1\n3,1,1\n")
    assert cs.read(path, unclosed="close", outermost="last")["a", ""].spans == [
        (1, 2, 1),
        (3, 3, 1),
        (1, 1, 2),
        (2, 2, 2),
    ]


RST = """<rst><header><relations><rel name="cause" type="rst"/><rel name="list" type="multinuc"/><rel name="both" type="rst"/>
<rel name="both" type="multinuc"/></relations><sigtypes/></header><body>
<segment id="7" parent="30" relname="cause">So it
 rained,</segment><segment id="2" parent="20" relname="list">they stayed,</segment><segment id="3" parent="4" relname="both">being</segment>
<segment id="4" parent="21" relname="span">dry,</segment><segment id="5" parent="22" relname="both">and read</segment><segment id="6">.</segment>
<group id="20" type="multinuc" parent="30" relname="span"/><group id="21" type="span" parent="22" relname="both"/>
<group id="22" type="multinuc" parent="20" relname="list"/><group id="30" type="span" parent="31" relname="span"/><group id="31" type="span"/>
<group id="99" type="span"/><secedges><secedge id="3-2" source="3" target="2" relname="cause"/></secedges></body></rst>"""


def test_rst_groups_cover_nuclei_and_their_satellites(tmp_path):
    path = tmp_path / "t.rs3"
    path.write_text(RST)
    tree = cs.read(path)["t", ""]
    assert tree.units == ("So it rained,", "they stayed,", "being", "dry,", "and read", ".")
    assert tree.spans == [(1, 5, 1), (2, 5, 2), (3, 5, 3), (3, 4, 4)]
    assert cs.read(path, marks="relations")["t", ""].rows == [
        (0, 1, "cause"), (1, 2, "list"), (2, 5, "list"), (2, 4, "both"), (2, 3, "both"), (4, 5, "both"),
    ]  # fmt: skip
    cuts = cs.read(path, marks="segments")["t", ""]
    assert (cuts.masses, cuts.units[:4]) == ([3, 2, 1, 1, 2, 1], ("So", "it", "rained,", "they"))
    with pytest.raises(cs.FormatError, match="counts words; leave unit=edu out"):
        cs.read(path, marks="segments", unit="edu")
    words = cs.read(path, unit="word")["t", ""]
    assert (words.length, (1, 9) in {row[:2] for row in words.spans}, (8, 9) in {r[:2] for r in words.spans}) == (
        10,
        True,
        True,
    )
    (tmp_path / "b").mkdir()
    cs.write(cs.read(path), tmp_path / "b" / "t.rs4")
    assert cs.read(tmp_path / "b" / "t.rs4") == cs.read(path)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('parent="20" relname="list">they', 'parent="77" relname="list">they', "line 4: '2' has the parent '77', which does not exist"),
        ('id="31" type="span"/>', 'id="31" type="span" parent="30" relname="span"/>', "is its own ancestor"),
        ('id="2"', 'id="7"', "two segments or groups have the id '7'"),
        ('parent="4" relname="both">being', 'parent="6" relname="cause">being', "covers units 2 to 5, but not all of them.*marks=segments"),
        (RST, "<rst><body/></rst>", "contains no segment"),
    ],
)  # fmt: skip
def test_broken_rst_trees_are_refused(tmp_path, old, new, why):
    path = tmp_path / "t.rs3"
    path.write_text(RST.replace(old, new))
    with pytest.raises(cs.FormatError, match=why):
        cs.read(path)


def test_rst_follows_the_encoding_option(tmp_path):
    path = tmp_path / "t.rs3"
    path.write_bytes(RST.replace("dry", "trocken für").encode("latin-1"))
    with pytest.raises(
        cs.FormatError, match=r"line 5: this is not UTF-8 text; name its encoding with .*-O encoding=latin-1"
    ):
        cs.read(path)
    assert cs.read(path, encoding="latin-1")["t", ""].units[3] == "trocken für,"
