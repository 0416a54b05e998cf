"""Transcripts with endnotes, tables of turns and Rezonator projects."""

import json

import pytest

import caesura as cs

TALK = """\
JOHN: Hello , how are you ?
MARY: fine —
JOHN: good
  to hear .
MARY: thanks -- really .
"""

TURNS = """\
Turn,Speaker,Utterance
1,JOHN,"Hello , how are you ?"
2,MARY,fine --
3,JOHN,good to hear .
4,MARY,thanks --
5,MARY,really .
"""


def rez(*units: tuple[str, list[tuple[str, str]]], field: str = "text") -> str:
    """Return a project as the program saves it: unordered nodes, endnotes as tokens or as tags."""
    nodes: dict[str, object] = {}
    for u, (speaker, tokens) in enumerate(units, 1):
        for t, (word, endnote) in enumerate(tokens, 1):
            nodes[f"T{u}{t}"] = {
                "type": "token",
                "tokenOrder": t,
                "unit": f"U{u}",
                "tagMap": {"kind": "", field: word, "endNote": endnote},
            }
            nodes[f"E{u}{t}"] = {"type": "entry", "unit": f"U{u}", "token": f"T{u}{t}"}
        nodes[f"U{u}"] = {
            "type": "unit",
            "unitSeq": u,
            "participantID": "7",
            "entryList": [f"E{u}{t}" for t in range(1, len(tokens) + 1)],
            "tagMap": {"participant": speaker, "unitSeq": str(u)},
        }
    shuffled = dict(sorted(nodes.items(), key=lambda node: hash(node[0]) % 7))
    return json.dumps({"ROOT": [{"docNode": "D", "version": "Version 1.3.2", "nodeMap": shuffled}]}, indent="\t")


def spoken(corpus, speaker, item="talk", coder=""):
    marks = corpus[item, coder, speaker]
    return " ".join(marks.units), marks.marks


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text(TALK, encoding="utf-8")
    return path


def test_transcript_has_a_track_per_speaker(talk):
    corpus = cs.read(talk)
    assert corpus.tracks == ("JOHN", "MARY")
    assert spoken(corpus, "JOHN") == ("Hello how are you good to hear", [(1, ","), (4, "?"), (7, ".")])
    assert spoken(corpus, "MARY") == ("fine thanks really", [(1, "--"), (2, "--"), (3, ".")])


def test_turns_table_equals_the_transcript(talk, tmp_path):
    table = tmp_path / "t" / "talk.csv"
    table.parent.mkdir()
    table.write_text(TURNS, encoding="utf-8")
    assert cs.read(table) == cs.read(talk)


@pytest.mark.parametrize("field", ["text", "Utterance"])
def test_rezonator_project_equals_the_transcript(talk, tmp_path, field):
    project = tmp_path / "talk.rez"
    project.write_text(
        rez(
            ("JOHN:", [("Hello", ""), (",", "")]),
            ("JOHN:", [("how", ""), ("are", ""), ("you", "?")]),
            ("MARY:", [("fine", "—")]),
            ("JOHN:", [("good", ""), ("to", ""), ("hear", ""), (".", "")]),
            ("MARY:", [("thanks", "--")]),
            ("MARY:", [("really", ".")]),
            field=field,
        )
    )
    assert cs.read(project) == cs.read(talk)


def test_rezonator_speaker_may_be_the_participant_number(tmp_path):
    project = tmp_path / "talk.rez"
    project.write_text(rez(("", [("ja", ".")])))
    assert cs.read(project).tracks == ("7",)


@pytest.mark.parametrize(
    ("text", "options", "marks"),
    [
        ("A: well / then .\n", {}, [(3, ".")]),
        ("A: well / then //\n", {"endnotes": "/ //"}, [(1, "/"), (2, "//")]),
        ("A: well / then //\n", {"endnotes": ["//"]}, [(3, "//")]),
        ("A: well / then //\n", {"endnotes": "/", "aliases": "//=/"}, [(1, "/"), (2, "/")]),
        ("A: well — then –\n", {"aliases": {"–": "?", "—": "--"}}, [(1, "--"), (2, "?")]),
        ("A: well — then .\n", {"aliases": ""}, [(3, ".")]),
        ("A: well .\nA: then\n", {"unmarked": ";"}, [(1, "."), (2, ";")]),
    ],
)
def test_endnotes_and_aliases_are_options(tmp_path, text, options, marks):
    path = tmp_path / "talk.txt"
    path.write_text(text, encoding="utf-8")
    assert cs.read(path, "transcript", **options)["talk", "", "A"].marks == marks


def test_attached_endnotes_are_split_from_words(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text("A: Well, then -- is it so?\n")
    corpus = cs.read(path, attached=True)
    assert spoken(corpus, "A") == ("Well then is it so", [(1, ","), (2, "--"), (5, "?")])


def test_colon_is_text_without_speakers(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text("so : it goes .\n")
    assert cs.read(path, "transcript", speakers=False)["talk", ""].units == ("so", ":", "it", "goes")


def test_two_annotators_must_have_the_same_tokens(tmp_path):
    (tmp_path / "talk_ann.txt").write_text("JOHN: Hello , how are you ?\n")
    (tmp_path / "talk_ben.txt").write_text("JOHN: Hello , how is you ?\n")
    with pytest.raises(
        cs.LengthMismatch, match=r"track 'JOHN'.*token 3 is 'are' for coder 'ann' but 'is' for coder 'ben'"
    ):
        cs.read(tmp_path, pattern="{item}_{coder}.txt")
    (tmp_path / "talk_ben.txt").write_text("JOHN: Hello , how are you . now ?\n")
    with pytest.raises(cs.LengthMismatch, match="coder 'ann' has 4 tokens, coder 'ben' 5"):
        cs.read(tmp_path, pattern="{item}_{coder}.txt")


def test_folder_of_transcripts_is_one_corpus(tmp_path):
    for coder, sign in (("ann", ","), ("ben", ".")):
        (tmp_path / f"TM001-{coder}.txt").write_text(f"F: yes {sign} no .\nM: well --\n")
    corpus = cs.read(tmp_path, pattern="{item}-{coder}.txt")
    assert corpus.items == ("TM001",)
    assert corpus.coders == ("ann", "ben")
    assert corpus["TM001", "ben", "F"].marks == [(1, "."), (2, ".")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A: , yes .\n", "line 1: the endnote ',' precedes the first word of speaker 'A'"),
        ("A: yes .\nB: no ? .\n", "line 2: token 1 of speaker 'B', 'no', has two endnotes, '?' and '.'"),
        ("A: yes .\nA: .\n", "line 2: token 1 of speaker 'A', 'yes', has two endnotes, '.' and '.'"),
        ("A:\nB:\n", "the transcript contains no words"),
    ],
)
def test_invalid_transcripts_are_refused_with_their_line(tmp_path, text, says):
    path = tmp_path / "talk.txt"
    path.write_text(text)
    with pytest.raises(cs.FormatError) as caught:
        cs.read(path, "transcript")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"ROOT": []}, "expected a Rezonator project"),
        ({"ROOT": [{"nodeMap": {"u": {"type": "unit", "entryList": ["gone"]}}}]}, "has no token"),
        ({"ROOT": [{"nodeMap": {}}]}, "contains no unit with words"),
        (
            {
                "ROOT": [
                    {
                        "nodeMap": {
                            "u": {"type": "unit", "tokenList": ["t"]},
                            "t": {"type": "token", "tagMap": {"x": "a"}},
                        }
                    }
                ]
            },
            "has no tag 'text'; choose one with text= (x)",
        ),
    ],
)
def test_invalid_rezonator_projects_are_refused(tmp_path, data, says):
    path = tmp_path / "talk.rez"
    path.write_text(json.dumps(data))
    with pytest.raises(cs.FormatError) as caught:
        cs.read(path)
    assert says in str(caught.value)
