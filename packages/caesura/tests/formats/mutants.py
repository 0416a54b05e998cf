"""Reproducible damaged files: small valid files of every format, changed by a seeded generator.

``python tests/formats/mutants.py`` renews the table in docs/formats.md.
"""

from __future__ import annotations

import functools
import io
import random
import re
import signal
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import caesura as cs
from caesura.formats.catalog import FORMATS, named_format

#: How many mutants of each format the table in the documentation counts.
TABLE = 300
HUGE = (
    "9" * 5000,
    "1" + "0" * 400,
    "1e999",
    "-1e999",
    "99999999999999999999",
    "1_000",
    "٣",
    "NaN",
    "Infinity",
    "-1",
    "0",
    "1.5",
    "1" + "0" * 9,
)

UNITS = cs.Segmentation.from_masses([2, 1, 2], units=["so", "twice", "five", "miles", "round"])
TYPED = cs.Segmentation.from_labels_at(["", ",", "", "?", "."], units=["so", "twice", "five", "miles", "round"])
NAMED = cs.Segmentation(5, [2, 3], units=UNITS.units, names=["a", "b", "c"])
NESTED = cs.Hierarchy.from_brackets("[[so twice] [five]] miles round")
TIDY = cs.Hierarchy.from_brackets("[[so twice] [five]] [miles round]")
SPANS = cs.Spans.from_rows([(0, 2, "a"), (1, 4, "b"), (3, 5, None)], length=6)
TIMED = cs.Segmentation.from_times([0.5, 1.25], length=2.0, names=["a", "b", "c"])

COLLECTION = """File type = "ooTextFile"
Object class = "Collection"

size = 2
item []:
    item [1]:
        class = "PitchTier"
        name = "talk"
        xmin = 0
        xmax = 2
        points: size = 1
        points [1]:
            number = 0.5
            value = 120
    item [2]:
        class = "TextGrid"
        name = "talk"
        xmin = 0
        xmax = 2
        tiers? <exists>
        size = 1
        item []:
            item [1]:
                class = "IntervalTier"
                name = "words"
                xmin = 0
                xmax = 2
                intervals: size = 2
                intervals [1]:
                    xmin = 0
                    xmax = 0.5
                    text = "so"
                intervals [2]:
                    xmin = 0.5
                    xmax = 2
                    text = "far"
"""

TRANSCRIBER = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="ann" audio_filename="talk"><Speakers><Speaker id="s1" name="Ann Lee"/><Speaker id="s2" name="Ben"/></Speakers>
<Episode><Section type="report" startTime="0" endTime="4.5">
<Turn speaker="s1" startTime="0" endTime="2.5">
<Sync time="0"/>
so <Event desc="b" type="noise"/> far
<Sync time="1.25"/>
so good
</Turn>
<Turn startTime="2.5" endTime="3"><Sync time="2.5"/></Turn>
<Turn speaker="s1 s2" startTime="3" endTime="4.5">
<Sync time="3"/>
<Who nb="1"/>yes
<Who nb="2"/>no
</Turn></Section></Episode></Trans>
"""


def inception_project() -> bytes:
    """Return a project as INCEpTION exports it: an archive with an archive per document and annotator, one of them curated, one as JSON."""
    import cassis

    types = cassis.TypeSystem()
    token = types.create_type("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token")
    topic = types.create_type("webanno.custom.Topic")
    types.create_feature(topic, "value", "uima.cas.String")
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as project:
        project.writestr("exportedproject.json", "{}")
        project.writestr("source/a.txt", "so far so good")
        for path, user, ends in (
            ("annotation/a.txt/INITIAL_CAS.zip", "INITIAL_CAS", ()),
            ("annotation/a.txt/ann.zip", "ann", (6,)),
            ("annotation/a.txt/webanno17export.zip", "ben", (9,)),
            ("annotation/b.txt/ann.json", "ann", (2, 14)),
            ("curation/a.txt/CURATION_USER.zip", "CURATION_USER", (6, 14)),
        ):
            cas = cassis.Cas(types)
            cas.sofa_string = "so far so good"
            cas.add_all([token(begin=b, end=e) for b, e in ((0, 2), (3, 6), (7, 9), (10, 14))])
            cas.add_all([topic(begin=0 if end < 10 else 10, end=end, value="x") for end in ends])
            if path.endswith(".json"):
                project.writestr(path, cas.to_json())
                continue
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as archive:
                archive.writestr(f"{user}.xmi", cas.to_xmi())
                archive.writestr("TypeSystem.xml", types.to_xml())
            project.writestr(path, inner.getvalue())
    return whole.getvalue()


#: Files of formats that cannot be written, or functions that make them. Tests of plug-ins add theirs.
READ_ONLY: dict[str, str | Callable[[], bytes]] = {
    "inception": inception_project,
    "prodigy": '{"text": "so it", "tokens": [{"text": "so", "start": 0, "end": 2}, {"text": "it", "start": 3, "end": 5}], '
    '"spans": [{"start": 0, "end": 2, "label": "a"}], "answer": "accept"}\n',
    "sentences-jsonl": '{"id": "a", "sentences": ["so", "it", "goes"], "labels": [0, 1, 0]}\n',
    "qmsum": '{"topic_list": [{"topic": "a", "relevant_text_span": [["0", "1"]]}], '
    '"meeting_transcripts": [{"speaker": "A", "content": "so"}, {"speaker": "B", "content": "it"}]}\n',
    "webanno": "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n#Text=so it goes\n1-1\t0-2\tso\ta\n1-2\t3-5\tit\tb[1]\n"
    "1-3\t6-10\tgoes\tb[1]\n",
    "conll-bio": "so B-a\nit I-a\n\ngoes O\non B-b\n",
}


@functools.cache
def good_files(name: str) -> dict[str, bytes]:
    """Return a valid file of a format with its companions."""
    chosen = named_format(name)
    if name in READ_ONLY:
        content = READ_ONLY[name]
        return {f"talk{chosen.suffixes[0]}": content.encode() if isinstance(content, str) else content()}
    for marks in (TYPED, NAMED, UNITS, NESTED, TIDY, TIMED, SPANS):
        corpus = cs.Corpus.from_dict({"talk": {"ann": marks}})
        with tempfile.TemporaryDirectory() as folder:
            try:
                cs.write(corpus, Path(folder) / f"talk{chosen.suffixes[0]}", name, lossy=True)
            except cs.CaesuraError:
                continue
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    raise AssertionError(name)


def mutants(name: str, count: int) -> Iterator[dict[str, bytes]]:
    """Iterate over damaged files of a format with their companions; a larger count begins with the same files."""
    choose = random.Random(name)
    main = f"talk{named_format(name).suffixes[0]}"
    for _ in range(count):
        files = dict(good_files(name))
        damaged = choose.choice(sorted(files)) if choose.random() < 0.2 else main
        for _ in range(choose.choice((1, 1, 2, 3))):
            files[damaged] = choose.choice(DAMAGES)(files[damaged], choose)
        yield files


def outcome(name: str, files: dict[str, bytes], folder: Path) -> str:
    """Read a damaged file and return "read" or "refused"; any other error is raised."""
    for file, content in files.items():
        (folder / file).write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = cs.read(folder / f"talk{named_format(name).suffixes[0]}", name)
        except cs.CaesuraError as fault:
            return "refused" if str(fault).isprintable() else f"refused without a clean sentence: {fault}"
        assert all(repr(a.marks) for a in corpus)
        return "read"


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise TimeoutError if a reader hangs."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"still reading after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def table() -> str:
    """Return the table for the documentation."""
    lines = ["| format | mutants | read | refused with an error | anything else |", "|---|--:|--:|--:|--:|"]
    for name in FORMATS:
        if FORMATS.source(name) == "caesura":
            with tempfile.TemporaryDirectory() as folder:
                counts = Counter(outcome(name, files, Path(folder)) for files in mutants(name, TABLE))
            lines.append(f"| `{name}` | {TABLE} | {counts['read']} | {counts['refused']} | 0 |")
    return "\n".join(lines)


# ---------------------------------------------------------------------- what can happen to a file


def _flip_bit(content: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(content) or 1)
    return content[:at] + bytes(byte ^ 1 << choose.randrange(8) for byte in content[at : at + 1]) + content[at + 1 :]


def _truncate(content: bytes, choose: random.Random) -> bytes:
    return content[: choose.randrange(1, max(2, len(content)))]


def _double_line(content: bytes, choose: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    at = choose.randrange(len(lines) or 1)
    return b"".join([*lines[: at + 1], *lines[at:]])


def _drop_line(content: bytes, choose: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    at = choose.randrange(len(lines) or 1)
    return b"".join([*lines[:at], *lines[at + 1 :]]) or b"\n"


def _change_number(content: bytes, choose: random.Random) -> bytes:
    numbers = list(re.finditer(rb"\d+(\.\d+)?", content))
    if not numbers:
        return _insert(content, choose)
    chosen = choose.choice(numbers)
    return content[: chosen.start()] + choose.choice(HUGE).encode() + content[chosen.end() :]


def _insert(content: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(content) + 1)
    what = choose.choice(
        [b"\x00", b"\xff", b'"', b"\n", b"\r", b"\t", b",", b"[", b"]", b"{", b"<", b"&", b"null", b"===="]
    )
    return content[:at] + what + content[at:]


DAMAGES = (
    _flip_bit,
    _flip_bit,
    _truncate,
    _double_line,
    _drop_line,
    _change_number,
    _change_number,
    _change_number,
    _insert,
)


if __name__ == "__main__":
    page = Path(__file__).parents[4] / "docs" / "formats.md"
    text = page.read_text(encoding="utf-8")
    old = re.search(r"\| format \| mutants \|.*?\n\n", text, re.DOTALL)
    assert old is not None
    page.write_text(text.replace(old[0], table() + "\n\n"), encoding="utf-8")
