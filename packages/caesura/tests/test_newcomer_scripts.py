"""Short scripts, written as somebody would who has read nothing but the README; each prints a score or ends in one helpful sentence."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.model.provenance import ReadingNote

GRID = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n1\n"IntervalTier"\n"phones"\n0\n1\n2\n0\n{0}\n"a"\n{0}\n1\n"b"\n'

#: Script -> what it prints, or (after "!") the sentence with which it ends.
SCRIPTS = {
    # lists
    "print(cs.evaluate([2, 3, 5], [2, 2, 6], metrics='WD')['WD'].micro)": "0.25",
    "print(cs.evaluate([[2, 3, 5], [4, 6]], [[2, 3, 5], [5, 5]], metrics=['B', 'Pk']).count)": "2",
    "print(cs.evaluate('0100100', '0100100', 'F')['F'].value)": "1.0",
    "print(cs.evaluate([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], 'recall')['recall'].micro)": "0.5",
    "import numpy as np\nprint(cs.compare(np.array([True, False, False]), np.array([True, False, False]))['F'])": "1.0",
    # dicts
    "r = cs.evaluate({'x': [2, 3], 'y': [4, 4]}, {'ours': {'x': [2, 3], 'y': [8]}, 'random': {'x': [5], 'y': [8]}}, 'F')\n"
    "print(r['ours', 'F'].micro, r['random', 'F'].micro)": "0.6666666666666666 0.0",
    "print(round(cs.agree({'x': {'ann': [2, 3, 5], 'ben': [2, 2, 6]}}).value, 3))": "0.737",
    "print(cs.unify({'x': {'a': [2, 3, 5], 'b': [2, 2, 6], 'c': [2, 3, 5]}}).masses)": "[2, 3, 5]",
    "print(cs.unify({'a': [2, 3, 5], 'b': [2, 3, 5]}).masses)": "[2, 3, 5]",
    # frames (of polars; those of pandas are in test_first_scripts)
    "import polars as pl\nf = pl.DataFrame({'doc': ['t'] * 2, 'annotator': ['a', 'b'], 'position': [2, 3]})\n"
    "print(cs.from_dataframe(f, length=6).coders)": "('a', 'b')",
    "import polars as pl\nf = pl.DataFrame({'item': ['t'] * 2, 'coder': ['a'] * 2, 'start': [0, 5], 'end': [5, 9], 'label': ['x', 'y']})\n"
    "print(cs.from_dataframe(f, time=True).timed)": "True",
    "import polars as pl\ncs.from_dataframe(pl.DataFrame({'a': [1], 'b': [2]}))": "!the meaning of the columns a, b is unclear",
    # files and folders
    "print(round(cs.evaluate('gold/', 'mfa/', 'R')['R'].micro, 3))": "1.0",
    "print(cs.evaluate(cs.read('gold'), {'mfa': cs.read('mfa')}, ['onset-mean'])['onset-mean'].macro)": "10.0",
    "print(cs.evaluate('gold/alice/u1.TextGrid', 'mfa/alice/u1.TextGrid', 'region-F:tolerance=5ms')['region-F'].micro)": "0.0",
    "cs.write(cs.read('gold/alice/u1.TextGrid'), 'copy.TextGrid')\nprint(open('copy.TextGrid').read() == open('gold/alice/u1.TextGrid').read())": "True",
    # what goes wrong
    "cs.evaluate([0.5, 1.2], [0.5, 1.3])": "!use Segmentation.from_times for boundaries in seconds",
    "cs.evaluate([(0, 1.5, 'a'), (1.5, 3, 'b')], [(0, 1.4, 'a'), (1.4, 3, 'b')])": "!use Spans.from_rows for a list of (start, end, label)",
    "cs.evaluate([('intro', 0, 10.5), ('verse', 10.5, 30.0)], [('intro', 0, 11.0), ('verse', 11.0, 30.0)])": "!use Spans.from_rows for a list of (start, end, label)",
    "cs.evaluate([['a b.', 'c d.'], ['e f.']], [['a b.'], ['c d.', 'e f.']], 'B')": "!for segments of sentences give their number in each segment",
    "class Dataset(list): column_names, features = ['labels'], None\ndata = Dataset([{'labels': [0, 1, 0]}])\ncs.evaluate(data, data)": "!if labels is all you have, give that column alone: data['labels']",
    "cs.agree('gold')": "!give pattern=, such as '{coder}/{item}.TextGrid'",
    "cs.agree('coders')": "!give pattern=, such as '{item}_{coder}.txt'",
    "import warnings\nwarnings.simplefilter('error')\ncs.agree({'ann': {'x': [2, 3], 'y': [5]}, 'ben': {'x': [2, 3], 'y': [1, 4]}})": "!nest {text: {coder: …}} if it is the other way",
    "cs.evaluate([['O', 'B-PER']], [['O', 'O']])": "!use Spans.from_iob for a list of tags",
    "cs.evaluate([], [])": "!the reference is empty.",
    "print(cs.windowdiff('0100', '0010', 2))": "!use cs.window_diff(reference, hypothesis)",
    "cs.evaluate([2, 3], [3, 2], 'windowdiff')": "!windowdiff of NLTK is called WD here",
    "import json\nprint(cs.evaluate(rows := [json.loads(line) for line in open('ner.jsonl')], rows, 'span-F')['span-F'].micro)": "1.0",
    "cs.evaluate('ner.jsonl', 'ner.jsonl')": "!in Python, cs.evaluate takes rows of tokens and tags: [json.loads(line) for line in open(path)]",
    "cs.read('mistake.TextGrid')": "!mistake.TextGrid: there is no such file.",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    for side, at in (("gold", 0.5), ("mfa", 0.52)):
        for speaker in ("alice", "bob"):
            (folder / side / speaker).mkdir(parents=True)
            (folder / side / speaker / "u1.TextGrid").write_text(GRID.format(at))
    (folder / "ner.jsonl").write_text('{"id": 1, "tokens": ["Al", "ran"], "ner_tags": ["B-PER", "O"]}\n')
    (folder / "coders").mkdir()
    for coder in ("ann", "ben"):
        (folder / "coders" / f"t1_{coder}.txt").write_text("so twice | five miles\n")
    return folder


@pytest.mark.parametrize(("script", "expected"), SCRIPTS.items(), ids=range(len(SCRIPTS)))
def test_script(script: str, expected: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    program = compile(f"import caesura as cs\n{script}", "script.py", "exec")
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        if expected.startswith("!"):
            with pytest.raises((CaesuraError, AttributeError, ReadingNote)) as caught:
                exec(program, {})
            assert expected[1:] in str(caught.value)
            assert len(str(caught.value)) < 250
            return
        exec(program, {})
    assert printed.getvalue().strip() == expected
