"""Files as the original programs write them, with everything that a reader must skip."""

import json
import sys

import numpy as np
import pytest

import caesura as cs
from caesura.files import Source
from caesura.formats.catalog import detect

HEARST = {"items": {"stargazer": {"1": [2, 3, 3, 1, 3, 6, 3], "2": [2, 8, 2, 4, 2, 3]}}, "segmentation_type": "linear"}

CHOI = """\
==========
The jury said it did find that many of the laws are outmoded .
It recommended that legislators act .
==========
A veteran jazz pianist led the band .
==========
The team lost in overtime .
Nobody blamed the keeper .
The coach resigned .
==========
"""

WIKI = """\
========,1,preface.
Bradley is a city in Illinois.
It had 15,895 people in 2010.
========,1,History.
========,2,Early years, and later.
David Bradley built a factory.
***LIST***
========,2,Today.
The city grows.
========,1,Geography.
It lies on a river.
"""

DISRPT = """\
# newdoc id = wsj_0601
# sent_id = 1
# text = He can't say that it works.
1\tHe\the\tPRON\tPRP\tCase=Nom\t4\tnsubj\t_\tSeg=B-seg
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tca\tcan\tAUX\tMD\t_\t4\taux\t_\tSeg=O
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\tSeg=O
4\tsay\tsay\tVERB\tVB\t_\t0\troot\t_\tSeg=O
5\tthat\tthat\tSCONJ\tIN\t_\t7\tmark\t_\tSeg=B-seg
6\tit\tit\tPRON\tPRP\t_\t7\tnsubj\t_\tSeg=O
7\tworks\twork\tVERB\tVBZ\t_\t4\tccomp\t_\tSeg=O|SpaceAfter=No
8\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\tSeg=O

# sent_id = 2
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\tSeg=B-seg
1.1\tso\tso\tADV\tRB\t_\t_\t_\t_\tCopyOf=1

# newdoc id = wsj_0602
1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\tBeginSeg=Yes

"""


def write_file(folder, name, content):
    path = folder / name
    path.write_text(content, encoding="utf-8") if isinstance(content, str) else path.write_bytes(content)
    return path


def test_segeval_json_and_tsv_are_read(tmp_path):
    corpus = cs.read(write_file(tmp_path, "hearst1997.json", json.dumps(HEARST)))
    assert corpus["stargazer", "2"].masses == [2, 8, 2, 4, 2, 3]
    table = "coder\t1\t2\t3\t4\t5\t6\t7\n1\t2\t3\t3\t1\t3\t6\t3\n2\t2\t8\t2\t4\t2\t3\t\n"
    assert cs.read(write_file(tmp_path, "stargazer.tsv", table)) == corpus
    positions = "coder\t1\t2\t3\t4\nann\t1\t1\t2\t3\n"
    read = cs.read(write_file(tmp_path, "old.tsv", positions), "segeval-tsv", content="positions")
    assert read["old", "ann"].masses == [2, 1, 1]


def test_choi_separators_are_boundaries(tmp_path):
    marks = cs.read(write_file(tmp_path, "3-5.ref", CHOI))["3-5", ""]
    assert marks.masses == [2, 1, 3]
    assert marks.units[2] == "A veteran jazz pianist led the band ."
    with pytest.raises(cs.FormatError, match="line 4: two separators follow each other"):
        cs.read(write_file(tmp_path, "odd.txt", "==========\na\n==========\n==========\nb\n"))


def test_wiki727_headings_are_boundaries(tmp_path):
    path = write_file(tmp_path, "Bradley.txt", WIKI)
    marks = cs.read(path)["Bradley", ""]
    assert marks.masses == [2, 2, 1, 1]
    assert marks.names == ("preface", "Early years, and later", "Today", "Geography")
    nested = cs.read(path, nested=True)["Bradley", ""]
    assert nested.spans == [(1, 2, 1), (3, 5, 1), (6, 6, 1), (3, 4, 2), (5, 5, 2)]


def test_paragraphs_and_inline_are_read(tmp_path):
    path = write_file(tmp_path, "p.txt", "\none line\nand another\n\n\n \nthree words here\n")
    assert cs.read(path)["p", ""].masses == [2, 1]
    assert cs.read(path, unit="word")["p", ""].masses == [4, 3]
    bars = cs.read(write_file(tmp_path, "i.txt", "so twice | five miles\nof ground\n"))["i", ""]
    assert (bars.masses, bars.units[-1]) == ([2, 4], "ground")
    with pytest.raises(cs.FormatError, match="segment 2 holds no word"):
        cs.read(write_file(tmp_path, "odd.txt", "so | | twice\n"))


def test_disrpt_files_are_read(tmp_path):
    path = write_file(tmp_path, "eng.rst.conllu", DISRPT)
    corpus = cs.read(path)
    assert corpus.items == ("wsj_0601", "wsj_0602")
    marks = corpus["wsj_0601", ""]
    assert marks.units == ("He", "ca", "n't", "say", "that", "it", "works", ".", "Yes")
    assert marks.masses == [4, 4, 1]
    assert cs.read(path, segments="sentences")["wsj_0601", ""].masses == [8, 1]
    with pytest.raises(cs.FormatError, match="no token is marked"):
        cs.read(write_file(tmp_path, "ud.conllu", DISRPT.replace("Seg=B-seg", "_").replace("BeginSeg=Yes", "_")))
    with pytest.raises(cs.FormatError, match="this is not CoNLL-U"):
        cs.read(write_file(tmp_path, "bad.conllu", "x\tHe\t_\t_\t_\t_\t_\t_\t_\t_\n"), "conllu")


def test_gum_conllu_segments_begin_at_relations(tmp_path):
    gum = DISRPT.replace("Seg=B-seg", "Discourse=joint-list:1->2:3:_").replace("Seg=O|", "").replace("Seg=O", "_")
    assert cs.read(write_file(tmp_path, "gum.conllu", gum))["wsj_0601", ""].masses == [4, 4, 1]


def test_brat_is_read_and_written(tmp_path):
    write_file(tmp_path, "doc.txt", "The cat sat. It purred.\nThen it slept.\n")
    ann = "T1\tSetting 0 12\tThe cat sat.\nT2\tAction 13 38\tIt purred. Then it slept.\nR1\tNext Arg1:T1 Arg2:T2\n#1\tNote T1\thm\nA1\tX T1\n"
    path = write_file(tmp_path, "doc.ann", ann)
    marks = cs.read(path)["doc", ""]
    assert (marks.masses, marks.names) == ([3, 5], ("Setting", "Action"))
    typed = cs.read(path, marks="boundaries")["doc", ""]
    assert typed.marks == [(3, "Setting"), (8, "Action")]
    assert cs.read(path, unit="character", only="Action", marks="nested").kind == "nested"
    assert cs.read(tmp_path).items == ("doc",)  # the text beside it is no item of its own
    for line, says in (
        ("T1\tA 0 2\tTh\nT2\tB 3 3\t", "the span 3–3 (B) is empty"),
        ("T1\tA 0 99\tx", "line 1: the span 0 99 is outside the text of 39 characters"),
        ("T1\tA 0 3;4 99\tx", "line 1: the span 0 3;4 99 is outside the text of 39 characters"),
        ("T1 A 0 3", "line 1: expected T1, a tab"),
    ):
        with pytest.raises(cs.FormatError) as caught:
            cs.read(write_file(tmp_path, "doc.ann", line + "\n"))
        assert says in str(caught.value)
    write_file(tmp_path, "doc.ann", "T1\tA 0 2\tTh\n")
    assert cs.read(tmp_path / "doc.ann")["doc", ""].rows == [(0, 2, "A")]
    with pytest.raises(cs.FormatError, match="the span 0–2 begins or ends inside 'The'"):
        cs.read(tmp_path / "doc.ann", unit="word")
    with pytest.warns(UserWarning, match="the span 0–2 begins or ends inside 'The', so units are characters"):
        assert cs.read(tmp_path / "doc.ann", **{"as": "boundaries"})["doc", ""].masses == [2, 37]
    broken = write_file(tmp_path, "doc.ann", "T1\tA 0 3;8 11\tThe sat\nT2\tB 13 15\tIt\n")
    for pieces, rows in (("cover", [(0, 11, "A")]), ("apart", [(0, 3, "A"), (8, 11, "A")]), ("out", [])):
        with pytest.warns(UserWarning, match=r"line 1: 1 span in several pieces .*, this is the first"):
            assert cs.read(broken, pieces=pieces)["doc", ""].rows == [*rows, (13, 15, "B")]
    with pytest.raises(cs.FormatError, match=r"alone\.ann: its text, alone\.txt, is not beside it"):
        cs.read(write_file(tmp_path, "alone.ann", "T1\tA 0 3\tThe\n"))


def test_label_studio_is_read_and_written(tmp_path):
    def result(start, end, label):
        return {"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "value": {"start": start, "end": end, "text": "", "labels": [label]}}  # fmt: skip

    tasks = [
        {
            "id": 7,
            "data": {"text": "one two three four", "url": "somewhere"},
            "annotations": [
                {"id": 1, "completed_by": 3, "result": [result(8, 18, "B"), result(0, 7, "A")], "was_cancelled": False},
                {"id": 2, "completed_by": {"id": 4, "email": "ben@example.org"}, "result": [result(0, 18, "A")]},
                {"id": 3, "completed_by": 5, "result": [], "was_cancelled": True},
            ],
            "predictions": [],
        },
        {"id": 8, "data": {"text": "not yet done"}, "annotations": []},
    ]
    corpus = cs.read(write_file(tmp_path, "export.json", json.dumps(tasks)))
    assert corpus.items == ("7",)
    assert corpus.coders == ("3", "ben@example.org")
    assert (corpus["7", "3"].masses, corpus["7", "3"].names) == ([2, 2], ("A", "B"))
    tasks[0]["annotations"][0]["result"][0]["value"]["end"] = 99
    with pytest.raises(cs.FormatError, match="task 1: the span 8–99 is outside the text of 18 characters"):
        cs.read(write_file(tmp_path, "bad.json", json.dumps(tasks)))


def test_doccano_is_read_and_written(tmp_path):
    lines = [
        {"id": 1, "text": "one two three", "label": [[0, 7, "A"], [8, 13, "B"]], "Comments": []},
        {
            "id": 2,
            "text": "four",
            "entities": [{"id": 9, "label": "A", "start_offset": 0, "end_offset": 4}],
            "relations": [],
        },
    ]
    corpus = cs.read(
        write_file(tmp_path, "admin.jsonl", "".join(json.dumps(line) + "\n" for line in lines)), coder="admin"
    )
    assert corpus["1", "admin"].masses == [2, 1]
    assert corpus["2", "admin"].names == ("A",)
    with pytest.raises(cs.FormatError, match=r"line 1: expected \[first, last, label\] inside the text"):
        cs.read(write_file(tmp_path, "bad.jsonl", '{"text": "one", "label": [[0, 9, "A"]]}\n'))


def test_cas_is_read_and_written(tmp_path):
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    token = types.create_type("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token")
    sentence = types.create_type("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence")
    topic = types.create_type("webanno.custom.Topic")
    types.create_feature(topic, "value", "uima.cas.String")
    cas = cassis.Cas(types)
    cas.sofa_string = "One🙂 two. Three."
    cas.add_all([token(begin=b, end=e) for b, e in ((0, 4), (5, 8), (8, 9), (10, 15), (15, 16))])
    cas.add_all([sentence(begin=0, end=9), sentence(begin=10, end=16), topic(begin=0, end=16, value="all")])
    cas.to_xmi(tmp_path / "ann.xmi")
    types.to_xml(tmp_path / "TypeSystem.xml")
    marks = cs.read(tmp_path / "ann.xmi")["ann", ""]
    assert marks.units == ("One🙂", "two", ".", "Three", ".")
    assert marks.masses == [3, 2]
    assert cs.read(tmp_path / "ann.xmi", layer="webanno.custom.Topic")["ann", ""].names == ("all",)
    with pytest.raises(cs.FormatError, match=r"there is no layer 'x\.Y'; found de\.tudarmstadt"):
        cs.read(tmp_path / "ann.xmi", layer="x.Y")
    (tmp_path / "alone").mkdir()
    alone = tmp_path / "alone" / "ann.xmi"
    alone.write_bytes((tmp_path / "ann.xmi").read_bytes())
    with pytest.raises(cs.FormatError, match=r"its type system is missing.*typesystem="):
        cs.read(alone)
    assert cs.read(alone, typesystem=str(tmp_path / "TypeSystem.xml"))["ann", ""] == marks
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    with pytest.raises(cs.FormatError, match="not safe to read"):
        cs.read(write_file(tmp_path, "bomb.xmi", bomb))
    with pytest.raises(cs.FormatError, match="line 1: this is not XML"):
        cs.read(write_file(tmp_path, "cut.xmi", "<x><y>"))


def test_parquet_of_other_programs_is_read(tmp_path):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"item": ["a", "a"], "coder": ["x", "y"], "length": [9, 9], "positions": [[2, 5], []]})
    table.write_parquet(tmp_path / "t.parquet")
    corpus = cs.read(tmp_path / "t.parquet")
    assert corpus["a", "x"].masses == [2, 3, 4]
    assert corpus["a", "y"].masses == [9]
    typed = table.with_columns(types=polars.Series([["act", "scene"], []]))
    typed.write_parquet(tmp_path / "t.parquet")
    assert cs.read(tmp_path / "t.parquet")["a", "x"].marks == [(2, "act"), (5, "scene")]
    seconds = table.with_columns(
        length=polars.lit(9.5), positions=polars.Series([[2.5], []], dtype=polars.List(polars.Float64))
    )
    seconds.write_parquet(tmp_path / "t.parquet")
    assert cs.read(tmp_path / "t.parquet")["a", "x"] == cs.Segmentation.from_times([2.5], length=9.5)
    for odd, says in (
        (table.drop("length"), "there is no column 'length'"),
        (table.with_columns(positions=polars.Series([[2, None], []])), "column 'positions' has a missing value"),
        (table.with_columns(positions=polars.Series([[2], None])), "row 2: column 'positions' has a missing value"),
        (table.with_columns(positions=polars.Series([[5, 2], []])), "positions must ascend, but 2 follows 5"),
        (table.with_columns(positions=polars.Series([[5, 20], []])), "item 'a', coder 'x': position 20 lies outside"),
        (table.with_columns(coder=polars.lit("x")), "item 'a', coder 'x': annotated twice"),
        (table.with_columns(length=polars.Series([9, 8])), "all coders of a text share its length"),
        (table.with_columns(positions=polars.Series([1, 2])), "column 'positions' is Int64, expected lists"),
    ):
        odd.write_parquet(tmp_path / "odd.parquet")
        with pytest.raises(cs.CaesuraError) as caught:
            cs.read(tmp_path / "odd.parquet")
        assert says in str(caught.value)
    with pytest.raises(cs.FormatError, match="this is not Parquet"):
        cs.read(write_file(tmp_path, "no.parquet", b"PAR1 but not really"))


def test_parquet_without_polars_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(cs.MissingExtra, match=r"Parquet needs polars.*pip install 'caesura\[parquet\]'"):
        cs.read(write_file(tmp_path, "x.parquet", b"PAR1"))


def test_csv_without_lengths_infers_them(tmp_path):
    path = write_file(tmp_path, "t.csv", "Item;Annotator;Position\na;x;2\na;y;7\nb;x;\n")
    corpus = cs.read(path)
    assert corpus["a", "x"].length == corpus["a", "y"].length == 8
    assert cs.read(path, length=20)["a", "x"].length == 20
    typed = cs.read(
        write_file(tmp_path, "u.csv", "item,coder,position,type\na,x,2,scene\na,x,9,act\n"), labels="scene,act"
    )
    assert typed["a", "x"].length == 9
    assert typed.labels == ("scene", "act")
    numbered = cs.read(write_file(tmp_path, "v.csv", "item,coder,position,type\na,x,2,3\na,x,9,10\n"))
    assert numbered["a", "x"].marks == [(2, 3), (9, 10)]


def test_csv_labels_are_segments_or_boundaries(tmp_path):
    path = write_file(tmp_path, "t.csv", "item,coder,unit,label\na,x,so,intro\na,x,it,intro\na,x,goes,plot\n")
    marks = cs.read(path)["a", "x"]
    assert (marks.masses, marks.names, marks.units) == ([2, 1], ("intro", "plot"), ("so", "it", "goes"))
    path = write_file(tmp_path, "u.csv", 'item,coder,token,boundary\na,x,so,\na,x,it,","\na,x,goes,.\n')
    assert cs.read(path)["a", "x"].marks == [(2, ","), (3, ".")]
    path = write_file(tmp_path, "v.csv", "coder,boundary\nx,1\nx,0\ny,0\ny,1\n")
    assert cs.read(path)["v", "x"].masses == [1, 1]
    assert cs.read(path)["v", "y"].masses == [2]


@pytest.mark.parametrize(
    "encoded",
    [
        "A: né , oui .\r\nB: non .\r\n".encode("utf-8-sig"),
        "A: né , oui .\rB: non .\r".encode(),
        "A: né , oui .\nB: non .".encode("utf-16"),
        b"\xff\xfe" + "A: né , oui .\nB: non .\n".encode("utf-16-le"),
        b"\xfe\xff" + "A: né , oui .\nB: non .\n".encode("utf-16-be"),
    ],
)  # fmt: skip
def test_encodings_and_line_ends_are_handled(tmp_path, encoded):
    corpus = cs.read(write_file(tmp_path, "t.txt", encoded))
    assert corpus.texts["t", "A"] == ("né", "oui")
    assert corpus.texts["t", "B"] == ("non",)


@pytest.mark.parametrize("form", ["é", "e\u0301"])
def test_unicode_normal_forms_are_kept(tmp_path, form):
    corpus = cs.read(write_file(tmp_path, "t.txt", f"A: {form} .\n"))
    cs.write(corpus, tmp_path / "o.json")
    assert cs.read(tmp_path / "o.json").texts["t", "A"] == (form,)


@pytest.mark.parametrize("size", [32000, 32768, 40000])
def test_character_cut_by_the_sniffer_is_no_error(tmp_path, size):
    text = "A: ja .\nB: ja .\nC: " + "é" * size + " .\n"
    text = text if len(text.encode()[:65536].decode(errors="ignore").encode()) < 65536 else text.replace("ja", "jaa", 1)
    assert detect(Source.open(write_file(tmp_path, "t.txt", text))).name == "transcript"


def test_sniffing_distinguishes_text_formats(tmp_path):
    for name, text in (
        ("choi", CHOI),
        ("wiki727", WIKI),
        ("transcript", "A: ja , .\n"),
        ("brackets", "[[a b] c]"),
        ("inline", "a | b"),
        ("paragraphs", "a\n\nb"),
    ):
        assert detect(Source.open(write_file(tmp_path, "t.txt", text))).name == name
    for name, text in (
        ("csv", "item,coder,position\n"),
        ("csv-labels", "coder\tlabel\n"),
        ("turns", "Turn;Speaker;Utterance\n"),
        ("levels", "par,level1,level2\n"),
        ("spans", "first,last,coder,item\n"),
        ("segeval-tsv", "coder\t1\t2\nann\t3\t4\n"),
    ):
        assert detect(Source.open(write_file(tmp_path, "t.csv", text))).name == name


def test_json_positions_must_be_numbers(tmp_path):
    head = {"format": "caesura-corpus", "version": 1, "kind": "units", "typed": True, "labels": ["p", "q"]}
    entry = {"item": "a", "coder": "x", "length": 9, "positions": [2, 2, 5], "types": ["q", "p", "p"]}

    def read(**changes):
        lines = [json.dumps(head), json.dumps(entry | changes)]
        return cs.read(write_file(tmp_path, "t.jsonl", "\n\n".join(lines) + "\n"))

    assert read()["a", "x"].marks == [(2, "p"), (2, "q"), (5, "p")]
    for changes, says in (
        ({"positions": [True, 2, 5]}, "line 3: item 'a', coder 'x': positions must be whole numbers, found True"),
        ({"positions": [1.5, 2, 5]}, "positions must be whole numbers, found 1.5"),
        ({"positions": ["1", 2, 5]}, "positions must be whole numbers, found '1'"),
        ({"positions": [2, 5]}, "2 boundaries need as many types, found 3"),
        ({"types": ["q", "p", "z"]}, "type 'z' is not among the labels"),
        ({"length": 9.5}, "the length must be a whole number of units, found 9.5"),
        ({"length": -1, "positions": [], "types": []}, "the length is -1, expected 0 or more"),
        ({"item": 3}, "line 3: this line: item, coder and track must be strings"),
        ({"positions": 3}, "must be lists"),
        ({"positions": [5, 2, 2]}, "positions must ascend"),
        ({"positions": [2, 5, 10**30]}, "below 2"),
        ({"names": ["one"]}, "1 segment names were given for 3 segments"),
    ):
        with pytest.raises(cs.FormatError) as caught:
            read(**changes)
        assert says in str(caught.value)
    with pytest.raises(cs.FormatError, match="line 2: this is not JSON"):
        cs.read(write_file(tmp_path, "t.jsonl", json.dumps(head) + '\n{"item": '))


def test_corpus_validates_all_columns():
    columns = {
        "kind": "units",
        "items": ["a"],
        "coders": ["x"],
        "item_of": [0],
        "coder_of": [0],
        "lengths": [9],
        "offsets": [0, 1],
    }
    assert cs.Corpus(**columns, positions=[3], types=[1], labels=["p", "q"])["a", "x"].marks == [(3, "q")]
    for changes, says in (
        ({"types": [2], "labels": ["p", "q"]}, "a type code lies outside the 2 labels"),
        ({"types": [0, 1]}, "2 types were given for 1 boundaries"),
        ({"lengths": [-1]}, "the length is -1"),
        ({"texts": {("a", ""): ["so"]}}, "the text has 1 units"),
        ({"names": {0: ["p"]}}, "1 segment names were given for 2 segments"),
        ({"names": {4: ["p"]}}, "there are segment names for annotation 4"),
        ({"kind": "time", "lengths": [np.nan]}, "the length is nan"),
    ):
        with pytest.raises(cs.InvalidSegmentation, match=says):
            cs.Corpus(**(columns | {"positions": [3]} | changes))
