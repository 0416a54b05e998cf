"""Write the small files that README and pages use; we made all of them. Run: python examples/make_data.py [FOLDER]"""

from __future__ import annotations

import csv
import itertools
import json
import shutil
import sys
import wave
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import caesura as cs

TALK = """\
We keep the bees on the roof above the bakery.
In spring each hive holds about ten thousand bees.
A queen lays her eggs in the warm middle of the hive.
The workers carry pollen from the lime trees by the river.
In June we take the first honey out of the hives.
A full frame of honey weighs as much as a small cat.
The bees need what is left to live through the winter.
Downstairs the oven is lit at three in the morning.
Flour, water and salt are all that goes into the dough.
The dough rests for a night in long wooden bowls.
A slow dough makes bread that keeps for a week.
The loaves are turned once, when the crust has colour.
By seven the shop smells of rye and the first customers stand in line.
What is not sold goes to the kitchen of the school.
The river rises when the snow melts in the hills.
A gauge under the bridge is read every hour.
When the water stands at four metres the road is closed.
In the year of the flood it stood at six metres, and boats came up the street.
The town built a wall of stone along the bank.
Since then the water has reached the wall twice and never passed it.
Children fish from the wall now, and catch nothing.
In the evening the radio station sends from the old mill.
Two people read the news, and one plays records.
The transmitter is older than both of them together.
On a clear night it is heard on the islands.
Letters come from listeners who ask for waltzes.
At midnight the station plays the sound of the mill wheel and goes silent.
"""
LETTER = """\
Dear Clara, thank you for the parcel.
The jam survived, the glass did not.
We ate it with a spoon out of the box.
The children ask when you will come.
There is a train on Friday at noon.
Bring the blue book if you can find it.
Paul says the roof is mended at last.
It cost more than the car.
Now the rain makes no sound at all, and I miss it.
"""
OTHER = """\
The museum opens at ten.
Its oldest room shows maps of the coast.
One map has a sea monster where the harbour is now.
The painter had never seen the sea.
Behind the museum lies the garden.
Roses grow along the south wall.
The gardener counts them every June.
There were four hundred last year.
"""
#: The sentences after which each coder ends a segment.
CODERS = {
    "talk": {"ann": [7, 14, 21], "ben": [7, 13, 21], "cleo": [4, 7, 14, 21, 24]},
    "letter": {"ann": [3, 6], "ben": [3, 6], "cleo": [3, 5]},
}
#: Start, end (in seconds) and label of the intonation units in the recording.
UNITS = {
    "ann": [
        (0.0, 0.62, "well"),
        (0.62, 1.41, "we lit the oven"),
        (1.41, 2.2, "at three"),
        (2.2, 3.0, "in the morning"),
    ],
    "ben": [(0.0, 0.6, "well"), (0.6, 1.43, "we lit the oven"), (1.43, 3.0, "at three in the morning")],
}
#: Phones of the same recording, by hand; two aligners are off by a few milliseconds.
PHONES = [
    ("w", 0.08),
    ("e", 0.21),
    ("l", 0.3),
    ("w", 0.62),
    ("i", 0.74),
    ("l", 0.83),
    ("i", 0.95),
    ("t", 1.02),
    ("sil", 1.4),
]
#: Words of read speech as phones with typical lengths in milliseconds, and the class of every phone.
WORDS = {
    "mill": [("m", 70), ("ih", 90), ("l", 80)],
    "oven": [("ah", 90), ("v", 60), ("ah", 60), ("n", 80)],
    "bees": [("b", 50), ("iy", 140), ("z", 110)],
    "night": [("n", 70), ("ay", 170), ("t", 70)],
    "roof": [("r", 70), ("uw", 140), ("f", 110)],
    "song": [("s", 120), ("ao", 130), ("ng", 90)],
}
VOWELS = {"ih", "ah", "iy", "ay", "uw", "ao"}


#: Turns of two speakers, by a person and by a system, and the words of a recording as Whisper writes them.
TURNS = {
    "gold": """\
SPEAKER call 1 0.00 4.20 <NA> <NA> ann <NA> <NA>
SPEAKER call 1 4.20 3.10 <NA> <NA> ben <NA> <NA>
SPEAKER call 1 7.00 5.00 <NA> <NA> ann <NA> <NA>
""",
    "system": """\
SPEAKER call 1 0.00 4.50 <NA> <NA> 1 <NA> <NA>
SPEAKER call 1 4.50 2.90 <NA> <NA> 2 <NA> <NA>
SPEAKER call 1 7.40 4.60 <NA> <NA> 1 <NA> <NA>
""",
}
WHISPER = """\
{"text": "So twice five miles", "segments": [
  {"id": 0, "start": 0.4, "end": 1.5, "text": " So twice", "words": [{"word": "So", "start": 0.4, "end": 0.7}, {"word": "twice", "start": 0.8, "end": 1.5}]},
  {"id": 1, "start": 1.9, "end": 2.3, "text": " five miles", "words": [{"word": "five", "start": 1.9, "end": 2.1}, {"word": "miles", "start": 2.1, "end": 2.3}]}]}
"""


def main(folder: Path) -> None:
    """Write everything into ``folder``."""
    write_texts(folder)
    write_systems(folder)
    write_transcripts(folder / "transcripts")
    write_recording(folder / "recording")
    put(folder / "recording" / "whisper.json", WHISPER)
    for name, turns in TURNS.items():
        put(folder / "diarization" / f"{name}.rttm", turns)
    write_meeting(folder / "diarization" / "label-studio.json")
    write_aligners(folder / "aligners")
    write_spans(folder / "spans")
    write_turns(folder / "spans" / "meeting.json")
    write_nested(folder / "nested")
    write_vowels(folder / "vowels")
    write_retrieval(folder / "retrieval")


def write_texts(folder: Path) -> None:
    """Write raw texts, three coders of two of them in one file, and the same in a folder per coder."""
    texts = {"talk": TALK.splitlines(), "letter": LETTER.splitlines()}
    for name, text in (("talk", TALK), ("letter", LETTER), ("other", OTHER)):
        put(folder / f"{name}.txt", text)
    annotations = []
    for item, coders in CODERS.items():
        for coder, positions in coders.items():
            marks = cs.Segmentation.from_positions(positions, length=len(texts[item]), units=texts[item])
            annotations.append((item, coder, marks))
            ends = [0, *positions, len(texts[item])]
            segments = [" ".join(texts[item][a:b]) for a, b in itertools.pairwise(ends)]
            put(folder / "by-coder" / coder / f"{item}.txt", " | ".join(segments) + "\n")
    cs.write(cs.Corpus.from_annotations(annotations), folder / "coders.json")


def write_systems(folder: Path) -> None:
    """Write a reference and three systems for twelve texts, as JSON and Parquet; each system is worse than the previous one."""
    random = np.random.default_rng(7)
    talk, topics = TALK.splitlines(), [LETTER.splitlines(), OTHER.splitlines()]
    topics += [talk[a:b] for a, b in itertools.pairwise([0, 7, 14, 21, len(talk)])]
    texts, gold = zip(*(draw_text(random, topics) for _ in range(12)), strict=True)
    attributes = {f"text {n + 1}": {"genre": "news" if n % 2 else "novel"} for n in range(12)}
    for system, wrong in (("gold", 0.0), ("ours", 0.15), ("theirs", 0.35), ("older", 0.6)):
        rows = []
        for number, (units, positions) in enumerate(zip(texts, gold, strict=True), 1):
            shift = np.where(random.random(len(positions)) < wrong, random.choice([-2, -1, 1, 2], len(positions)), 0)
            kept = random.random(len(positions)) >= wrong / 2
            placed = np.unique(np.clip((positions + shift)[kept], 1, len(units) - 1)).tolist()
            marks = cs.Segmentation.from_positions(placed, length=len(units), units=units)
            rows.append((f"text {number}", system, marks))
        corpus = cs.Corpus.from_annotations(rows, attributes=attributes)
        cs.write(corpus, folder / f"{system}.json")
        cs.write(corpus, folder / f"{system}.parquet")


def draw_text(random: np.random.Generator, topics: list[list[str]]) -> tuple[list[str], np.ndarray]:
    """Return a text of about 20 sentences, with three to six per topic, and the positions of topic changes."""
    units: list[str] = []
    positions, topic = [], -1
    while len(units) < 20:
        topic = int(random.choice([other for other in range(len(topics)) if other != topic]))
        positions.append(len(units))
        units += random.choice(topics[topic], random.integers(3, 7), replace=False).tolist()
    return units, np.array(positions[1:])


def write_transcripts(folder: Path) -> None:
    """Write plain transcripts with two annotators' marks at the ends of intonation units, and one visit in CHAT."""
    put(folder / "first-ann.txt", "JOHN: Hello , how are you ?\nMARY: Fine — no , well .\nJOHN: Good to hear .\n")
    put(folder / "first-ben.txt", "JOHN: Hello how are you .\nMARY: Fine — no well .\nJOHN: Good , to hear .\n")
    put(folder / "second-ann.txt", "MARY: And the oven ? is it lit .\nJOHN: Since three , yes .\n")
    put(folder / "second-ben.txt", "MARY: And the oven , is it lit ?\nJOHN: Since three yes .\n")
    # The similarity of marks; the last row and column mean no mark.
    rows = [
        ["?", 1, 0.5, 0.5, 0.25, 0],
        [".", 0.5, 1, 0.5, 0.25, 0],
        [",", 0.5, 0.5, 1, 0.5, 0.25],
        ["--", 0.25, 0.25, 0.5, 1, 0],
        ["", 0, 0, 0.25, 0, 1],
    ]
    with (folder.parent / "similarity.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["", *(name for name, *_ in rows)], *rows])
    visit = (
        "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tCHI Anna Target_Child, MOT Mother\n"
        "@ID:\teng|bakery|CHI|3;02.||||Target_Child|||\n@ID:\teng|bakery|MOT|||||Mother|||\n"
        "*MOT:\twhat do you see ? \x150_1200\x15\n*CHI:\ta bee . \x151300_2100\x15\n"
        "*CHI:\tit is on the bread ! \x152300_3900\x15\n*MOT:\tso it is . \x154000_4800\x15\n@End\n"
    )
    put(folder.parent / "chat" / "visit.cha", visit)


def write_recording(folder: Path) -> None:
    """Write a synthesized recording, its phones by hand and by two aligners, and two annotators' units as tiers of an ELAN file."""
    folder.mkdir(parents=True, exist_ok=True)
    write_sound(folder / "talk.wav")
    random = np.random.default_rng(3)
    names = [name for name, _ in PHONES]
    starts = np.array([start for _, start in PHONES][1:])
    for system, spread in (("gold", 0.0), ("aligner", 0.008), ("other", 0.03)):
        times = np.round(starts + random.normal(0, spread, len(starts)) if spread else starts, 3)
        marks = cs.Segmentation.from_times(np.sort(times).tolist(), length=1.6, names=names)
        corpus = cs.Corpus.from_annotations([(system, system, marks, "phones")])
        put_corpus(corpus, folder / f"{system}.TextGrid")
        if system == "other":
            short = cs.Segmentation.from_times([time for time in np.sort(times).tolist() if time < 1.2], length=1.2)
            put_corpus(cs.Corpus.from_annotations([("short", "short", short, "phones")]), folder / "short.TextGrid")
        for name, late in (("talk", 0.0), ("news", 0.004)):
            times = np.round(np.sort(times) + late, 3)
            marks = cs.Segmentation.from_times(times.tolist(), length=1.6, names=names)
            corpus = cs.Corpus.from_annotations([(name, name, marks, "phones")])
            if system != "other":
                put_corpus(corpus, folder / {"gold": "hand", "aligner": "machine"}[system] / f"{name}.TextGrid")
    rows = []
    for coder, units in UNITS.items():
        marks = cs.Segmentation.from_times(
            [end for _, end, _ in units[:-1]], length=3.0, names=[name for *_, name in units]
        )
        rows.append(("talk", "talk", marks, f"{coder}_IU"))
    put_corpus(cs.Corpus.from_annotations(rows), folder / "talk.eaf")


def write_aligners(folder: Path) -> None:
    """Write phones of six speakers, two recordings each: by hand, and by two aligners, of which the second is late and less exact."""
    random = np.random.default_rng(11)
    for speaker, pace in (("ada", 1.0), ("bram", 1.2), ("cleo", 0.9), ("dov", 1.1), ("esra", 1.0), ("finn", 0.8)):
        for item in ("news", "story"):
            spoken = [phone for word in random.permutation(list(WORDS)) for phone in WORDS[word]]
            names = ["sil", *(name for name, _ in spoken), "sil"]
            lengths = [0.2, *(pace * ms / 1000 * random.uniform(0.8, 1.25) for _, ms in spoken)]
            ends = np.round(np.cumsum(lengths), 3)
            for coder, late, spread in (("hand", 0.0, 0.0), ("first", 0.002, 0.009), ("second", 0.007, 0.016)):
                times = np.sort(np.round(ends + late + random.normal(0, spread, len(ends)), 3)) if spread else ends
                marks = cs.Segmentation.from_times(times.tolist(), length=round(float(ends[-1]) + 0.3, 3), names=names)
                path = folder / coder / speaker / f"{item}.TextGrid"
                put_corpus(cs.Corpus.from_annotations([(item, item, marks, "phones")]), path)
    kinds = {name: "vowel" if name in VOWELS else "consonant" for word in WORDS.values() for name, _ in word}
    put(folder / "classes.tsv", "".join(f"{name}\t{kind}\n" for name, kind in {**kinds, "sil": "silence"}.items()))


def write_sound(path: Path) -> None:
    """Return three seconds of tones and noise that change with the phones, 16 bits at 16 kHz."""
    rate, random = 16_000, np.random.default_rng(5)
    time = np.arange(3 * rate) / rate
    sound = np.zeros(len(time))
    edges = [start for _, start in PHONES] + [3.0]
    for number, (start, stop) in enumerate(itertools.pairwise(edges)):
        inside = (time >= start) & (time < stop)
        if PHONES[number][0] == "sil":
            continue
        pitch = 180 + 140 * (number * 5 % 7)
        tone = sum(np.sin(2 * np.pi * pitch * overtone * time[inside]) / overtone for overtone in (1, 2, 3))
        sound[inside] = 0.2 * tone + (0.25 if PHONES[number][0] == "t" else 0.01) * random.normal(size=inside.sum())
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", "not compressed"))
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


def write_spans(folder: Path) -> None:
    """Write the names in the letter: CSV of two annotators, brat standoff per annotator, a Label Studio export."""
    text = LETTER
    names = {
        "ann": [
            ("Clara", "person"),
            ("The children", "person"),
            ("Friday at noon", "time"),
            ("Paul", "person"),
            ("the car", "thing"),
        ],
        "ben": [
            ("Dear Clara", "person"),
            ("The children", "person"),
            ("Friday", "time"),
            ("Paul", "person"),
            ("the blue book", "thing"),
        ],
    }
    spans = {
        coder: [(text.index(words), text.index(words) + len(words), label, words) for words, label in marked]
        for coder, marked in names.items()
    }
    lines = ["annotator,label,start,end"]
    lines += [f"{coder},{label},{start},{end}" for coder, rows in spans.items() for start, end, label, _ in rows]
    put(folder / "coders.csv", "\n".join(lines) + "\n")
    for coder, name in (("ann", "gold"), ("ben", "ours")):
        marks = cs.Spans.from_rows([row[:3] for row in spans[coder]], length=len(text))
        cs.write(cs.Corpus.from_annotations([("letter", name, marks)]), folder / f"{name}.json")
    for coder, rows in spans.items():
        put(folder / "brat" / coder / "letter.txt", text)
        marks = [f"T{n}\t{label} {start} {end}\t{words}" for n, (start, end, label, words) in enumerate(rows, 1)]
        put(folder / "brat" / coder / "letter.ann", "\n".join(marks) + "\n")
    task = {"id": 1, "data": {"text": text}, "annotations": []}
    for number, (coder, rows) in enumerate(spans.items(), 1):
        result = [
            {
                "id": f"{coder}{n}",
                "from_name": "label",
                "to_name": "text",
                "type": "labels",
                "value": {"start": start, "end": end, "text": words, "labels": [label]},
            }
            for n, (start, end, label, words) in enumerate(rows, 1)
        ]
        task["annotations"].append({"id": number, "completed_by": {"email": f"{coder}@example.org"}, "result": result})
    put(folder / "label-studio.json", json.dumps([task], indent=1) + "\n")


def write_turns(file: Path) -> None:
    """Write the turns of a meeting, and those of a system that names speakers itself: it misses Ben's second turn."""
    turns = {
        "reference": [(0.4, 4.1, "Ann"), (4.3, 6.0, "Ben"), (5.6, 9.2, "Ann"), (9.8, 13.5, "Cleo"), (13.7, 15.2, "Ben"), (15.4, 19.6, "Cleo")],
        "system": [(0.5, 4.2, 1), (4.5, 5.7, 2), (5.7, 9.6, 1), (9.9, 13.5, 3), (13.5, 15.5, 3), (15.5, 18.9, 3)],
    }  # fmt: skip
    rows = []
    for coder, spans in turns.items():
        named = [(start, end, f"speaker {who}" if isinstance(who, int) else who) for start, end, who in spans]
        rows.append(("meeting", coder, cs.Spans.from_rows(named, length=19.6, time=True)))
    cs.write(cs.Corpus.from_annotations(rows), file)


def write_meeting(file: Path) -> None:
    """Write the turns of two speakers as Label Studio exports regions of sound."""
    result = [
        {
            "id": f"r{number}",
            "from_name": "label",
            "to_name": "audio",
            "type": "labels",
            "original_length": 12.0,
            "value": {"start": start, "end": end, "channel": 0, "labels": [speaker]},
        }
        for number, (speaker, start, end) in enumerate([("ann", 0.0, 4.2), ("ben", 4.2, 7.3), ("ann", 7.0, 12.0)], 1)
    ]
    task = {"id": 1, "data": {"audio": "call.wav"}, "annotations": [{"id": 1, "result": result}]}
    put(file, json.dumps([task], indent=1) + "\n")


def write_retrieval(folder: Path) -> None:
    """Write two texts, queries with the places of their answers, and the chunks of two chunkers."""
    documents = {"letter": LETTER, "talk": TALK}
    answers = [
        ("what broke in the parcel", "letter", "The jam survived, the glass did not."),
        ("when does the train leave", "letter", "There is a train on Friday at noon."),
        ("what did the repair of the roof cost", "letter", "Paul says the roof is mended at last.\nIt cost more than the car."),
        ("how heavy is a frame of honey", "talk", "A full frame of honey weighs as much as a small cat."),
        ("at which level of the river is the road closed", "talk", "When the water stands at four metres the road is closed."),
        ("where does the radio station send from", "talk", "In the evening the radio station sends from the old mill."),
    ]  # fmt: skip
    for name, text in documents.items():
        put(folder / "documents" / f"{name}.txt", text)
    queries = []
    for query, name, answer in answers:
        begin = documents[name].index(answer)
        queries.append({"query": query, "document": name, "spans": [[begin, begin + len(answer)]]})
    chunkers = {
        "fixed": {name: [(at, min(at + 150, len(text))) for at in range(0, len(text), 150)] for name, text in documents.items()},
        "sentences": {name: whole_lines(text, 150) for name, text in documents.items()},
    }  # fmt: skip
    put_rows(folder / "queries.jsonl", queries)
    for chunker, chunks in chunkers.items():
        rows = [
            {"page_content": documents[name][begin:end], "metadata": {"source": name, "start_index": begin}}
            for name, spans in chunks.items()
            for begin, end in spans
        ]
        put_rows(folder / f"{chunker}.jsonl", rows)


def whole_lines(text: str, longest: int) -> list[tuple[int, int]]:
    """Return the spans of chunks of whole lines, each of at most ``longest`` characters."""
    spans = [(0, 0)]
    for line in text.splitlines(keepends=True):
        begin, end = spans[-1]
        if end + len(line) - begin > longest:
            spans.append((end, end + len(line)))
        else:
            spans[-1] = (begin, end + len(line))
    return spans


def write_nested(folder: Path) -> None:
    """Write three annotators' nested segments of one text, in one file and as one CSV of levels each."""
    coders = {
        "ann": [(1, 14, 1), (1, 7, 2), (8, 14, 2), (15, 27, 1), (15, 21, 2), (22, 27, 2)],
        "ben": [(1, 14, 1), (1, 7, 2), (8, 14, 2), (15, 21, 1), (22, 27, 1)],
        "cleo": [(1, 14, 1), (1, 4, 2), (5, 14, 2), (15, 27, 1), (15, 21, 2), (22, 27, 2)],
    }
    rows = [("talk", coder, cs.Hierarchy(27, segments, units=TALK.splitlines())) for coder, segments in coders.items()]
    shutil.rmtree(folder, ignore_errors=True)  # cs.write refuses an existing folder
    folder.mkdir(parents=True)
    corpus = cs.Corpus.from_annotations(rows)
    cs.write(corpus, folder / "coders.json")
    cs.write(corpus, folder / "chapters", "levels", pattern="{item}/{item}-{coder}.csv")


def write_vowels(folder: Path) -> None:
    """Write a well-known line of Hebrew and one of Arabic, without vowels; subtitles in two encodings, a TextGrid, a Word file, a model's answer."""
    put(folder / "letter.txt", "בראשית ברא אלהים את השמים ואת הארץ\n")
    put(folder / "gold.txt", "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ\n")
    put(folder / "restored.txt", "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֶת הַשָּׁמַיִם וְאֵת הָאָרֶץ\n")
    put(folder / "arabic.txt", "الحمد لله رب العالمين\n")
    put(folder / "reference.txt", "ذَهَبَ الْوَلَدُ إِلَى الْمَدْرَسَةِ\nكَتَبَتِ الْبِنْتُ رِسَالَةً إِلَى أُمِّهَا\nقَرَأَ الرَّجُلُ الْكِتَابَ فِي الْبَيْتِ\n")
    put(folder / "model.txt", "ذَهَبَ الْوَلَدُ إِلَى الْمَدْرَسَةَ\nكَتَبَتْ الْبِنْتُ رِسَالَةً الَى أُمِّهَا\nقَرَأَ الرَّجُلُ كِتَابَ فِي الْبَيْتِ\n")
    write_text = {"film.srt": SUBTITLES, "talk.TextGrid": _grid()}
    for name, text in write_text.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "old.srt").write_bytes(SUBTITLES.encode("cp1255"))
    with zipfile.ZipFile(folder / "letter.docx", "w") as archive:
        for name, xml in WORD_FILE.items():
            entry = zipfile.ZipInfo(name, (2026, 11, 18, 0, 0, 0))
            archive.writestr(
                entry, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + xml, zipfile.ZIP_STORED
            )


SUBTITLES = """1
00:00:01,000 --> 00:00:03,000
הילד קרא
ספר יפה.

2
00:00:04,000 --> 00:00:06,000
- מה שלומך?
"""

#: The smallest Word file: one paragraph with a bold word.
WORD_FILE = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:pPr><w:bidi/></w:pPr>'
    '<w:r><w:rPr><w:rtl/></w:rPr><w:t xml:space="preserve">הילד קרא </w:t></w:r><w:r><w:rPr><w:b/><w:rtl/></w:rPr><w:t>ספר</w:t></w:r>'
    '<w:r><w:rPr><w:rtl/></w:rPr><w:t xml:space="preserve"> יפה.</w:t></w:r></w:p></w:body></w:document>',
}


def _grid() -> str:
    """Return a TextGrid with a tier of words and one of speakers."""
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0",
        "xmax = 2",
        "tiers? <exists>",
        "size = 2",
        "item []:",
    ]
    for n, (name, labels) in enumerate({"words": ["הילד", "קרא", "ספר", "יפה"], "speaker": ["דנה"]}.items(), 1):
        lines += [
            f"    item [{n}]:",
            '        class = "IntervalTier"',
            f'        name = "{name}"',
            "        xmin = 0",
            "        xmax = 2",
        ]
        lines.append(f"        intervals: size = {len(labels)}")
        for i, label in enumerate(labels):
            times = (f"            xmin = {2 * i / len(labels):g}", f"            xmax = {2 * (i + 1) / len(labels):g}")
            lines += [f"        intervals [{i + 1}]:", *times, f'            text = "{label}"']
    return "\n".join(lines) + "\n"


def put_corpus(corpus: cs.Corpus, path: Path) -> None:
    """Write a corpus whose coder or item is in the file name, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cs.write(corpus, path, lossy=True)


def put_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSON lines."""
    put(path, "".join(json.dumps(row) + "\n" for row in rows))


def put(path: Path, text: str) -> None:
    """Write a text, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
