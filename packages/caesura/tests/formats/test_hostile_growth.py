"""Reading a hostile file takes time in proportion to its size: doubling the file at most doubles the time, with a margin for noise.

Without that, sixty kilobytes of "[" in a CHAT file took 13 seconds.
"""

import json
import random
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

import caesura as cs
from caesura.files import Source
from caesura.formats.catalog import FORMATS, named_format
from cases import covered
from formats.mutants import good_files

SIZE = 30_000
#: Formats that are not text: their readers take bytes by offsets, and have their own tests of damaged files.
BINARY = {"parquet", "inception"}
TEXT_FORMATS = [name for name in covered(FORMATS) if name not in BINARY]

#: Repeated to make long runs: brackets and quotes that are never closed, separators, digits, pieces of headers and markup.
PIECES = [
    *('[', ']', '(', '<', '>', '{', '"', "'", "\\", '\\"', " ", "\t", "\n", " \n", "\n ", "\n\t", "=", "|", "0", "1.", "-", ".", ":"),
    *(",", ";", "_", "@", "*", "%", "#", "&", "&#", "!", "•", "•1_", "\x151_2 ", "<v ", "<v.", "<a>", "<!--", "a", "a ", "a\n", "a:"),
    *("1 ", "1\t", "1-", "-->", "-->\n", '"start":', '"chunks":[{', '"segments":', "*A:\tb\n", "a,b\n", "0.1\n", "a\tb\t", "\\001"),
]  # fmt: skip


def elapsed(read):
    """Return the processor time of a reader that may refuse the file, but must not fail in another way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        with suppress(cs.CaesuraError):
            read()
        return time.process_time() - start


def check_growth(read_size, what):
    """Compare the time at two sizes; measure up to three times, because a single measurement may be disturbed."""
    single, double = elapsed(lambda: read_size(SIZE)), elapsed(lambda: read_size(2 * SIZE))
    for _ in range(2):
        if double <= 3 * single + 0.05:
            break
        single, double = (
            min(single, elapsed(lambda: read_size(SIZE))),
            min(double, elapsed(lambda: read_size(2 * SIZE))),
        )
    assert double <= 3 * single + 0.05, f"{what}: {single:.3f} s, twice the size {double:.3f} s"


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_time_of_long_runs_grows_linearly(name, tmp_path):
    module, files, main = named_format(name).load(), good_files(name), f"talk{named_format(name).suffixes[0]}"
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    good = files[main].decode()
    choose = random.Random(name)
    for piece in choose.sample(PIECES, 8):
        at = choose.choice([0, len(good), choose.randrange(len(good)), good.find("\n") + 1])

        def text(size, piece=piece, at=at):
            return good[:at] + piece * (size // len(piece)) + good[at:]

        def read(size, text=text):
            (tmp_path / main).write_bytes(text(size).encode())
            module.read(Source.open(tmp_path / main))

        check_growth(read, f"{piece!r} at {at}")
        if hasattr(module, "sniff"):
            check_growth(lambda size, text=text: module.sniff(text(size)), f"recognising {piece!r} at {at}")


def elan_chain(size, *, backwards=False):
    """Return tiers that each depend on the tier before (or after) them."""
    tiers = [
        '<TIER TIER_ID="T0"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a0" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">'
        "<ANNOTATION_VALUE>x</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
    ]
    tiers += [
        f'<TIER TIER_ID="T{i}" PARENT_REF="T{i - 1}"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a{i}" '
        f'ANNOTATION_REF="a{i - 1}"><ANNOTATION_VALUE>x</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>'
        for i in range(1, size // 200)
    ]
    slots = '<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="900"/>'
    listed = "".join(tiers[::-1] if backwards else tiers)
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{listed}</ANNOTATION_DOCUMENT>"


def rst_chain(size):
    """Return groups inside one another, each with a unit of its own."""
    count = size // 100
    units = "".join(f'<segment id="s{i}" parent="g{i}" relname="joint">w</segment>' for i in range(count))
    groups = "".join(f'<group id="g{i}" type="multinuc" parent="g{i - 1}" relname="joint"/>' for i in range(1, count))
    return f'<rst><body>{units}<group id="g0" type="multinuc"/>{groups}</body></rst>'


CHAT, VTT = "@UTF8\n@Begin\n", "WEBVTT\n\n00:00.000 --> 00:01.000\n"
EXMARALDA = '<common-timeline><tli id="a" time="0"/><tli id="b" time="1"/></common-timeline>'
STRUCTURES = {
    "chat: unclosed codes": ("chat", lambda n: f"{CHAT}*A:\t{'[' * n} .\n@End\n"),
    "chat: unclosed bullet": ("chat", lambda n: f"{CHAT}*A:\ta \x15{'1_2 ' * (n // 4)}\n@End\n"),
    "chat: continuation lines": ("chat", lambda n: f"{CHAT}*A:\ta\n" + "\tb\n" * (n // 3)),
    "chat: kinds of tiers": ("chat", lambda n: CHAT + "".join(f"*A:\tb .\n%t{i}:\tx\n" for i in range(n // 18))),
    "webvtt: unclosed tags": ("webvtt", lambda n: VTT + "<" * n),
    "webvtt: unclosed voices": ("webvtt", lambda n: VTT + "<v " * (n // 3)),
    "webvtt: classes of voices": ("webvtt", lambda n: VTT + "<v." * (n // 3) + ">"),
    "webvtt: spaces in a voice": ("webvtt", lambda n: f"{VTT}<v{' ' * n}"),
    "webvtt: a long number": ("webvtt", lambda n: f"{VTT}&#{'9' * n};"),
    "srt: blocks without times": ("srt", lambda n: "1\n00:00:00,000 --> 00:00:01,000\na\n\n" + "b\n\n" * (n // 3)),
    "transcriber: events": (
        "transcriber",
        lambda n: f'<Trans><Turn startTime="0" endTime="3">{"a<Event/>" * (n // 9)}</Turn></Trans>',
    ),
    "exmaralda: tiers in tiers": (
        "exmaralda",
        lambda n: (
            f"<basic-transcription>{EXMARALDA}"
            + '<tier id="x"><event start="a" end="b">q</event>' * (n // 57)
            + "</tier>" * (n // 57)
            + "</basic-transcription>"
        ),
    ),
    "eaf: tiers below tiers": ("eaf", elan_chain),
    "eaf: tiers above tiers": ("eaf", lambda n: elan_chain(n, backwards=True)),
    "rs3: groups in groups": ("rs3", rst_chain),
    "rs3: segments in segments": (
        "rs3",
        lambda n: f"<rst><body>{'<segment>a' * (n // 20)}{'</segment>' * (n // 20)}</body></rst>",
    ),
    "caesura-json: a repeated key": (
        "caesura-json",
        lambda n: "{" + ",".join(f'"k{i}":1' for i in range(n // 9)) + f',"k{n // 9 - 1}":2}}',
    ),
    "csv: a repeated column": ("csv", lambda n: ",".join(f"k{i}" for i in range(n // 6)) + f",k{n // 6 - 1}\n"),
    "csv: many types at one position": (
        "csv",
        lambda n: "item,coder,position,type\n" + "".join(f"a,b,1,t{i}\n" for i in range(n // 12)),
    ),
    "doccano: a long blank line": (
        "doccano",
        lambda n: json.dumps({"text": "a" + "\n" + " " * n, "label": [[0, 1, "x"]]}) + "\n",
    ),
    "chunks: many chunks": ("chunks", lambda n: '{"page_content":"a"}\n' * (n // 20)),
    "brackets: deep": ("brackets", lambda n: "[a " * (n // 4) + "]" * (n // 4)),
}


@pytest.mark.parametrize("what", STRUCTURES)
def test_time_of_hostile_structures_grows_linearly(what):
    name, make = STRUCTURES[what]
    path, module = Path(f"talk{named_format(name).suffixes[0]}"), named_format(name).load()
    options = {"unit": "line"} if what == "doccano: a long blank line" else {}
    check_growth(lambda size: module.read(Source(path, None, make(size).encode(), {}), **options), what)


def test_whisper_words_without_times_are_joined_in_linear_time():
    def read(size):
        words = [{"word": "a", "start": 0, "end": 1}, *([{"word": "b"}] * (size // 15))]
        content = json.dumps({"segments": [{"start": 0, "end": 1, "text": "a", "words": words}]})
        return named_format("whisper").load().read(Source(Path("talk.json"), None, content.encode()), level="words")

    check_growth(read, "whisper")
    assert next(iter(read(45))).marks.names == ("a b b b",)


def test_codes_and_bullets_of_chat_are_removed_as_before():
    content = f"{CHAT}*A:\tone [= x [y] two] <three four> [ five < six \x15a 1_2 3_4 b\x15\n@End\n"
    corpus = named_format("chat").load().read(Source(Path("talk.cha"), None, content.encode()))
    assert next(iter(corpus)).marks.units == ("one", "two]", "three", "four", "[", "five", "six")


def test_voices_of_webvtt_are_split_as_before():
    content = f"{VTT}<v.loud  Ann Lee>so <i>far</i></v> <v Ben>so 1 < 2\n"
    corpus = named_format("webvtt").load().read(Source(Path("talk.vtt"), None, content.encode()))
    assert {a.track: a.marks for a in corpus}.keys() == {"Ann Lee", "Ben"}
    assert {
        a.track: [name for *_, name in a.marks.rows] if isinstance(a.marks, cs.Spans) else list(a.marks.names)
        for a in corpus
    } == {"Ann Lee": ["so far"], "Ben": ["so 1 < 2"]}


def test_circular_tiers_of_elan_are_refused():
    content = elan_chain(400_000, backwards=True)
    with pytest.raises(cs.FormatError, match="circle"):
        named_format("eaf").load().read(Source(Path("talk.eaf"), None, content.encode()))
