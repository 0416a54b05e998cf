"""Check every pair of options of a command: it is refused in one sentence with status 2, or each option changes the output.

The output is everything that a user can see: the exit status, both streams and the files written, and the arguments of
engines and servers that the test replaces. Tests of plug-ins use this module for their own commands.
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
import wave
from collections.abc import Collection
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import combinations, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import numpy as np

from caesura.agreement import flexible_chance as chance
from caesura.annotators.simulation import simulate_annotators
from caesura.cli.main import COMMANDS
from caesura.display.plain import to_plain
from caesura.formats import read, write
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.segmenters import segmenter
from caesura.statistics import evaluate as evaluate_corpora
from caesura.statistics.judgements import make_questions
from cli.command import caesura


@dataclass(frozen=True)
class Given:
    """How an option is given: its words, what it needs besides, and the arguments on which it has something to do."""

    words: str
    needs: str = ""
    on: str = ""


def given(words: str, needs: str = "", on: str = "") -> Given:
    return Given(words, needs, on)


JSON = given("--json")
READING = {
    "format": given("--format caesura-json", on="coders.csv|times.csv"),
    "option": given("--option pattern={item}-{coder}.txt", on="talks"),
}
FEW_DRAWS = " --draws 3 --metric WD"  # all metrics in 20 draws would take half a minute
METRIC = {"metric": given("--metric F")}
METRIC_PAIR = {"metric": given("--metric F --metric A")}
READING_QUESTIONS = {
    "format": given("--format caesura-json", on="out/questions.html coders.csv"),
    "option": given("--option pattern={item}-{coder}.txt", on="out/questions.html talks"),
}
DRAWING = {"draw": given("--draw segmentations"), "svg": given("--svg out/p.svg"), "width": given("--width 30")}
#: Pairs that need other data than ours to have an effect: levels of nested segments, numbers of segments that are learnt.
NEED_OTHER_DATA = {
    ("option", "level"),
    ("segments", "learn"),
    ("confusions", "mapping"),  # these maps leave no name that differs
    ("confusions", "option"),
    ("sort", "option"),
    ("missing", "option"),  # one recording
    ("sort", "least"),  # one group is left
    ("option", "anchor"),
    ("draw", "anchor"),
    ("resamples", "anchor"),
    ("rankings", "cluster"),
    ("cluster", "option"),
    ("oversize", "overlap"),  # units above the maximum leave no space for an overlap
    # of two limits the tighter one decides, and tight limits leave a segmenter no choice
    *combinations(("max_characters", "min_characters", "max_tokens", "min_tokens", "oversize"), 2),
    *product(("method", "model", "learn"), ("min_characters", "min_tokens", "oversize")),
}
#: Options that change how a result looks, or that need another option to have an effect; ignoring them changes no result.
COSMETIC = {"width", "seed", "level", "all_items", "stop"}
STORIES = "story.txt|tale.txt|saga.txt"
PARQUET = "gold.parquet near.parquet far.parquet"

#: Command -> its arguments, and how each of its options is given.
PLANS: dict[str, tuple[str, dict[str, Given]]] = {
    "compare": (
        "coders.json",
        {
            **METRIC,
            **DRAWING,
            **READING,
            "coders": given("--coders bené,evé-who-reads-every-line-twice"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "confusion": given("--confusion"),
            "edits": given("--edits"),
            "anchor": given("--anchor", on="told.json altered.json|told.csv altered.json"),
            "json": JSON,
        },
    ),
    "evaluate": (
        "gold.json near.json far.json",
        {
            **METRIC,
            "format": given("--format caesura-json", on="gold.csv near.json|times.csv times.csv|gold.csv fewer.json|gold.csv near.json far.json"),
            "option": given("--option pattern={item}-{coder}.txt", on="talks talks"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "missing": given("--missing skip", on="gold.json fewer.json"),
            "references": given("--references mean"),
            "bound": given("--bound c99", on="told.json near.json far.json|told.json fewer.json|told.csv near.json"),
            "chance": given("--chance 5"),
            "by": given("--by genre"),
            "cluster": given("--cluster genre"),
            "interval": given("--interval bca"),
            "test": given("--test bootstrap"),
            "table": given("--table markdown"),
            "rows": given("--rows out/rows.csv"),
            "engine": given("--engine dask:scheduler=tcp://nowhere:1", on=PARQUET),
            "fail_under": given("--fail-under F=0.999"),
            "baseline": given("--baseline before.json", on="gold.json near.json|told.json near.json"),
            "anchor": given("--anchor", on="told.json altered.json altered.json|told.json altered.json|told.csv altered.json"),
            "seed": given("--seed 7"),
            "json": JSON,
        },
    ),
    "aligners": (
        "phones.json heard.json",
        {
            "metric": given("--metric onset-p90"),
            "tolerance": given("--tolerance 5ms,15ms"),
            "by": given("--by pair"),
            "sort": given("--sort onset-median"),
            "least": given("--least 50"),
            "confusions": given("--confusions"),
            "draw": given("--draw error-histograms"),
            "report": given("--report out/aligners.html"),
            "table": given("--table out/aligners.csv"),
            "mapping": given("--mapping phones.tsv"),
            "cluster": given("--cluster none"),
            "missing": given("--missing skip", on="phones.json unheard.json"),
            "svg": given("--svg out/curves.svg"),
            "width": given("--width 30"),
            "format": given("--format caesura-json", on="phones.csv heard.json|phones.csv unheard.json"),
            "option": given("--option ref.tier=phones", on="r.TextGrid r.TextGrid"),
            "seed": given("--seed 7", needs="--cluster none"),
            "json": JSON,
        },
    ),
    "agree": (
        "plain.json",
        {
            **DRAWING,
            "draw": given("--draw strip"),
            "format": given("--format caesura-json", on="plain.csv|types.csv|times.csv"),
            "option": READING["option"],
            "metric": given("--metric S"),
            "explain": given("--explain"),
            "coefficient": given("--coefficient pi"),
            "density": given("--density segments"),
            "tolerance": given("--tolerance 50ms", on="times.json"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "coder": given("--coder anné --coder zoé --coder evé-who-reads-every-line-twice"),
            "resamples": given("--resamples 50"),
            "level": given("--level 0.5"),
            "fail_under": given("--fail-under pi=0.999"),
            "anchor": given("--anchor", needs="--option pattern={item}-{coder}.txt", on="apart"),
            "seed": given("--seed 7"),
            "table": given("--table markdown"),
            "json": JSON,
        },
    ),
    "anchor": (
        "told.json altered.json",
        {
            "out": given("--out out/moved.json"),
            "level": given("--level words"),
            "fold": given("--fold case"),
            "unit": given("--unit character", needs="--out out/moved.json", on="one.txt copied.json"),
            "report": given("--report"),
            "to": given("--to caesura-jsonl", needs="--out out/moved.data"),
            "write_option": given("--write-option separator=+", needs="--to inline --lossy --out out/moved.txt", on="one.txt copied.json"),
            "lossy": given("--lossy", needs="--to segeval-json --out out/moved.json"),
            "format": given("--format caesura-json", on="told.csv altered.json"),
            "option": given("--option anchor.max_altered=0.2"),
            "json": JSON,
        },
    ),
    "chunks evaluate": (
        "docs queries.jsonl fixed.jsonl halves.jsonl",
        {
            "k": given("--k 1"),
            "budget": given("--budget 20"),
            "retriever": given("--retriever none"),
            "rankings": given("--rankings rankings.json"),
            "once": given("--once", on="docs queries.jsonl lapped.jsonl fixed.jsonl"),
            "touching": given("--touching"),
            "bound": given("--bound uniform"),
            "cluster": given("--cluster document", needs="--budget 40"),
            "report": given("--report out/chunks.html"),
            "svg": given("--svg out/p.svg"),
            "fail_under": given("--fail-under whole=0.999"),
            "seed": given("--seed 7"),
            "json": JSON,
        },
    ),
    "annotators": (
        "judged.json --intervals none",
        {
            "candidate": given("--candidate zoé:min_items=3", on="judged.json"),
            "metric": given("--metric F", needs="--candidate zoé:min_items=3", on="judged.json"),
            "epsilon": given("--epsilon 0.9", needs="--candidate zoé:min_items=3", on="judged.json"),
            "n_t": given("--n-t 1"),
            "tolerance": given("--tolerance 200ms", on="recorded.json --intervals none"),
            "of": given("--of labels", on="labelled.json --intervals none"),
            "prior": given("--prior hits=9"),
            "starts": given("--starts 1"),
            "intervals": given("--intervals gibbs:sweeps=4", on="judged.json"),
            "gold": given("--gold"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "coder": given("--coder anné --coder bené --coder zoé"),
            "svg": given("--svg out/p.svg"),
            "width": given("--width 30"),
            "format": given("--format caesura-json", on="|".join(f"{name}.csv --intervals none" for name in ("judged", "recorded", "labelled"))),
            "option": READING["option"],
            "seed": given("--seed 7", on="judged.json --intervals gibbs:sweeps=4"),
            "json": JSON,
        },
    ),
    "plan": (
        "coders.json",
        {
            "half_width": given("--half-width 0.2"),
            "metric": given("--metric F"),
            "coefficient": given("--coefficient ac1"),
            "level": given("--level 0.5"),
            "no_simulation": given("--no-simulation"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "coder": given("--coder anné --coder bené --coder zoé"),
            "format": given("--format caesura-json", on="coders.csv"),
            "option": READING["option"],
            "seed": given("--seed 7"),
            "json": JSON,
        },
    ),
    "unify": (
        "plain.json",
        {
            "format": given("--format caesura-json", on="plain.csv|nested.csv|coders.csv|times.csv"),
            "option": READING["option"],
            "method": given("--method consensus"),
            "embeddedness": given("--embeddedness flat", on="nested.json"),
            "output": given("--output out/gold.json"),
            "compare_all": given("--all"),
            "metric": given("--metric F"),
            "level": given("--level 1", needs="--metric B", on="nested.json"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "coder": given("--coder anné --coder bené"),
            "conflicts": given("--conflicts"),
            "provenance": given("--provenance out/votes.json"),
            "draw": given("--draw segmentations"),
            "width": given("--width 30", needs="--draw segmentations"),
            "to": given("--to caesura-json", needs="--output out/gold.data"),
            "lossy": given("--lossy", needs="--output out/gold.tsv --to segeval-tsv", on="coders.json"),
            "json": JSON,
        },
    ),
    "show": (
        "tracks.json",
        {
            "format": given("--format caesura-json", on="tracks.csv"),
            "option": READING["option"],
            **DRAWING,
            "draw": given("--draw density"),
            "item": given("--item é2 --item é3 --item é4 --item é5 --item é6"),
            "coder": given("--coder anné --coder bené"),
            "track": given("--track B"),
            "draw_option": given("--draw-option zoom=density"),
            "all_items": given("--all"),
            "json": JSON,
        },
    ),
    "check": ("coders.json", {**READING, "output": given("--output out/reading.json"), "json": JSON}),
    "convert": (
        "plain.json out/there.jsonl",
        {
            "format": given("--format caesura-json", on="plain.csv out/there.jsonl"),
            "to": given("--to caesura-json"),
            "option": given("--option separator=/", on="one.txt out/there.jsonl"),
            "write_option": given("--write-option separator=+", needs="--to inline --lossy", on="one.txt out/there.txt"),
            "pattern": given("--pattern {item}-{coder}.txt", on="talks out/there.jsonl"),
            "write_pattern": given("--write-pattern {coder}/{item}.jsonl"),
            "lossy": given("--lossy", needs="--to segeval-json", on="coders.json out/there.jsonl"),
            "json": JSON,
        },
    ),
    "optimise": (
        "spoken.csv scored.csv",
        {
            "tolerance": given("--tolerance 150ms"),
            "by": given("--by r1"),
            "slope": given("--slope"),
            "output": given("--output out/best.csv"),
            "svg": given("--svg out/plane.svg"),
            "format": given("--format times", on="spoken.json scored.csv"),
            "option": given("--option ref.tier=phones", on="r.TextGrid found.csv"),
            "width": given("--width 30"),
            "json": JSON,
        },
    ),
    "sweep": (
        "coders.json" + FEW_DRAWS,
        {
            "method": given("--method uniform --method random"),
            **METRIC,
            "ratios": given("--ratios 0.5,1"),
            "draws": given("--draws 2"),
            "svg": given("--svg out/p.svg"),
            **{name: replace(each, on=f"{each.on.replace('|times.csv', '')}{FEW_DRAWS}") for name, each in READING.items()},
            "seed": given("--seed 7"),
            "width": given("--width 30"),
            "json": JSON,
        },
    ),
    "judge make": (
        "out/questions.html coders.json",
        {
            **METRIC_PAIR,
            "number": given("--number 2"),
            "title": given("--title Closer"),
            "seed": given("--seed 5"),
            **READING_QUESTIONS,
            "json": JSON,
        },
    ),
    "judge rank": (
        "questions.json votes-ann.json votes-ben.json",
        {**METRIC, "seed": given("--seed 5"), "json": JSON},
    ),
    "plane": (
        "spoken.csv found.csv",
        {
            "tolerance": given("--tolerance 150ms"),
            "matching": given("--matching optimal"),
            "zoom": given("--zoom on"),
            "output": given("--output out/plane.svg"),
            "format": given("--format times", on="spoken.json found.csv"),
            "option": given("--option ref.tier=phones", on="r.TextGrid found.csv"),
            "width": given("--width 30"),
            "json": JSON,
        },
    ),
    "report": (
        "plain.json",
        {
            "format": given("--format caesura-json", on="plain.csv|nested.csv|coders.csv|times.csv"),
            "option": READING["option"],
            "output": given("--output out/else.html"),
            "metric": given("--metric F"),
            "reference": given("--reference anné"),
            "draw": given("--draw density"),
            "title": given("--title Hello"),
            "item": given("--item é2 --item é3 --item é4"),
            "coder": given("--coder anné --coder bené"),
            "resamples": given("--resamples 50"),
            "level": given("--level 0.5"),
            "drawn": given("--drawn 1", needs="--output out/report.md"),
            "seed": given("--seed 7"),
            "json": JSON,
        },
    ),
    "reproduce": (
        "carbone2004",
        {
            "output": given("--output out/figures"),
            "page": given("--page"),
            "full": given("--full"),
            "metric": given("--metric F"),
            "max_length": given("--max-length 9"),
            "model": given("--model hmm"),
            "folds": given("--folds 3"),
            "seed": given("--seed 7"),
            "format": given("--format caesura-json", needs="story.json"),
            "option": given("--option encoding=latin-1", needs="story.json"),
            "json": JSON,
        },
    ),
    "segment": (
        "story.txt",
        {
            "output": given("--output out/cut.json"),
            "bound": given("--bound c99", needs="--reference story.json"),
            "method": given("--method texttiling"),
            "segments": given("--segments 6"),
            "unit": given("--unit line", on=STORIES),
            "levels": given("--levels 2", on=STORIES),
            "model": given("--model saved.model"),
            "learn": given("--learn learnt.json", on=STORIES),
            "save": given("--save out/kept.model"),
            "reference": given("--reference story.json"),
            "metric": given("--metric F", needs="--reference story.json"),
            "explain": given("--explain"),
            "max_characters": given("--max-characters 290"),
            "min_characters": given("--min-characters 230"),
            "max_tokens": given("--max-tokens 50"),
            "min_tokens": given("--min-tokens 45"),
            "oversize": given("--oversize keep", needs="--max-characters 45"),
            "overlap": given("--overlap 5", needs="--chunks out/chunks.jsonl"),
            "chunks": given("--chunks out/chunks.jsonl"),
            "style": given("--style chonkie", needs="--chunks out/chunks.jsonl"),
            "scores": given("--scores out/scores.csv", on="sound.wav"),
            "to": given("--to csv", needs="--output out/cut.data"),
            "format": given("--format caesura-json", on="story.csv|tale.csv|saga.csv"),
            "option": given("--option encoding=latin-1", on=STORIES),
            "json": JSON,
        },
    ),
    "demo": ("boundaries", {"listed": given("--list", on=" "), "width": given("--width 30"), "json": JSON}),
    "list": ("samples", {"json": JSON}),
    "warm-up": ("", {"json": JSON}),
    "bench": ("", {"size": given("--size 30"), "seed": given("--seed 7"), "json": JSON}),
}  # fmt: skip


def option_names(command: str) -> set[str]:
    return {str(each.name) for each in commands()[command].params if isinstance(each, click.Option) and not each.hidden}


def commands() -> dict[str, click.Command]:
    """Every command, those of a group under both names."""
    found = {}
    for name, command in COMMANDS.items():
        inside = command.commands.items() if isinstance(command, click.Group) else ()
        found |= {f"{name} {each}": one for each, one in inside} or {name: command}
    return found


# ---------------------------------------------------------------------- what the commands are given


def write_inputs(here: Path) -> None:
    """Write small inputs on which every option has an effect."""
    random = np.random.default_rng(3)
    items, coders = (
        ["é1", "é2", "é3", "é4", "é5", "é6", "é7"],
        ["anné", "bené", "evé-who-reads-every-line-twice", "zoé"],
    )
    genre = {item: {"genre": "prose" if i % 2 else "verse"} for i, item in enumerate(items)}

    def corpus(coders: list[str], types: str, chosen: list[str] = items) -> Corpus:
        made = []
        for i, item in enumerate(items):
            length = 12 + 3 * i
            for coder in coders:
                where = np.sort(random.choice(np.arange(1, length), 4, replace=False)).tolist()
                marks = [(p, types[int(random.integers(len(types)))]) for p in where] if types else where
                if item in chosen:
                    made.append(Annotation(item, coder, Segmentation.from_positions(marks, length=length)))
        return Corpus.from_annotations(made, attributes={item: genre[item] for item in chosen})

    def data(corpus: Corpus, *names: str) -> None:
        write(corpus, here / f"{names[0]}.json")
        for name in names[1:]:
            shutil.copy(here / f"{names[0]}.json", here / name)

    data(corpus(coders, "xy"), "coders", "coders.csv")
    data(corpus(coders, ""), "plain", "plain.csv")
    gold = corpus(["g", "h"], "xy")
    data(gold, "gold", "gold.csv")
    words = ("stone", "river", "cloud")
    told = [a._replace(marks=a.marks.with_units([words[i // 4 % 3] for i in range(a.marks.length)])) for a in gold]
    data(Corpus.from_annotations(told, attributes=gold.attributes), "told", "told.csv")
    altered = [
        Annotation(a.item, "s", a.marks.with_units([u.replace("river", "rivers") for u in a.marks.units or ()]))
        for a in told
        if a.coder == "g"
    ]
    data(Corpus.from_annotations(altered, attributes=gold.attributes), "altered")
    copied = Segmentation(5, [2], units=["àb", "two", "three", "fourr", "five"])
    data(Corpus.from_annotations([Annotation("copied", "s", copied)]), "copied")
    (here / "apart").mkdir()
    for item in "abcd":
        for coder, words in (
            ("x", "one two | three four"),
            ("y", "one | two threee four"),
            ("z", "one two | three fours"),
        ):
            (here / "apart" / f"{item}-{coder}.txt").write_text(words, encoding="utf-8")
    small = [
        Annotation(item, coder, Segmentation.from_positions(list(enumerate(types[i % 3 :] + types, 1)), length=9))
        for i, item in enumerate(items[:6])
        for coder, types in zip(coders, ("xyx", "xyy", "yyx", "yyy"), strict=True)
    ]
    data(Corpus.from_annotations(small), "types", "types.csv")
    for name in ("near", "far"):
        data(corpus(["s"], "xy"), name)
    data(corpus(["s"], "xy", items[:5]), "fewer")
    before = evaluate_corpora(gold, {"before": gold.select(coders=["g"])}, resamples=0).as_dict()
    (here / "before.json").write_text(json.dumps(to_plain(before)), encoding="utf-8")
    for name in ("gold", "near", "far"):
        if _polars():
            write(read(here / f"{name}.json"), here / f"{name}.parquet")
    times = [
        Annotation(item, coder, Segmentation.from_times(np.sort(random.random(5)).round(3).tolist(), length=1.0))
        for item in ("é1", "é2", "é3") for coder in ("ann", "ben")
    ]  # fmt: skip
    data(Corpus.from_annotations(times), "times", "times.csv")
    # times and labels of three annotators, from a generator of their own
    other = np.random.default_rng(8)
    labelled = [
        Annotation(item, coder, Segmentation.from_labels(list(other.choice(list("xyz"), 9))))
        for item in items for coder in coders
    ]  # fmt: skip
    data(Corpus.from_annotations(labelled), "labelled", "labelled.csv")
    judged = simulate_annotators(
        4, len(items), 60, spammers=0, seed=1
    ).corpus  # EM needs few steps on annotators who agree
    renamed = [Annotation(items[int(a.item[5:]) - 1], coders[int(a.coder[1:]) - 1], a.marks) for a in judged]
    data(Corpus.from_annotations(renamed), "judged", "judged.csv")
    timed = [a._replace(marks=Segmentation.from_times((a.marks.positions / 20).tolist(), length=3.0)) for a in renamed]
    data(Corpus.from_annotations(timed), "recorded", "recorded.csv")
    spans = dict(
        zip(
            coders,
            ([(1, 8), (1, 4), (5, 6)], [(1, 8), (1, 3), (5, 6)], [(1, 8), (2, 5), (6, 8)], [(4, 6)]),
            strict=True,
        )
    )
    nested = [Annotation(i, c, Hierarchy.from_spans(s, length=8)) for i in items for c, s in spans.items()]
    data(Corpus.from_annotations(nested), "nested", "nested.csv")
    tracks = [
        Annotation(item, coder, Segmentation.from_positions([int(random.integers(1, 20))], length=20), track)
        for item in items
        for track in "AB"
        for coder in coders
    ]
    data(Corpus.from_annotations(tracks), "tracks", "tracks.csv")
    (here / "alike.csv").write_text('"",x,y,∅\nx,1,0.5,0.25\ny,0.5,1,0\n∅,0.25,0,1\n', encoding="utf-8")
    (here / "talks").mkdir()
    for item in "abcdefg":
        for coder in coders:
            words = [
                "àb",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
            ]  # in Latin-1 àb is two words
            words.insert(int(random.integers(2, 10)), "|")
            (here / "talks" / f"{item}-{coder}.txt").write_text(" ".join(words), encoding="utf-8")
    (here / "one.txt").write_text("àb two | three / four | five", encoding="utf-8")
    spoken = "".join(
        f"r,{coder},{time},2\n" for coder, last in (("x", 1.1), ("y", 1.2)) for time in (0.3, 0.6, 0.62, last)
    )
    for name in ("spoken.csv", "spoken.json"):
        (here / name).write_text("item,coder,time,length\n" + spoken)
    tier = '"IntervalTier"\n"{}"\n0\n2\n4\n0\n{}\n"a"\n{}\n0.6\n"b"\n0.6\n0.62\n"c"\n0.62\n2\n"d"\n'
    grid = "".join(tier.format(name, at, at) for name, at in (("words", 0.5), ("phones", 0.3)))
    (here / "r.TextGrid").write_text(
        f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n2\n{grid}'
    )
    (here / "found.csv").write_text("item,time,length\nr,0.31,2\nr,0.611,2\nr,0.612,2\nr,1.5,2\n")
    (here / "scored.csv").write_text("item,time,score\nr,0.31,3\nr,0.7,2\nr,1.5,1\n")
    _write_chunks(here)
    turns = "SPEAKER {} 1 {} 2 <NA> <NA> {} <NA> <NA>\n"
    for name, voices in (("turns", "pq"), ("heard", "st")):
        lines = [
            turns.format(item, 3 * i + (name == "heard") * 0.5, voices[i % 2])
            for item in ("é1", "é2")
            for i in range(4)
        ]
        (here / f"{name}.rttm").write_text("".join(lines), encoding="utf-8")
    for name, names in (("phones", "ptkpt"), ("heard", "ptkbt")):
        sound = [
            Annotation(
                item,
                "c",
                Segmentation.from_times(
                    np.sort(0.15 * np.arange(1, 5) + random.normal(0, 0.02, 4)).round(4), length=0.9, names=list(names)
                ),
            )
            for item in items
        ]
        speakers = {item: {"speaker": f"s{i % 3}"} for i, item in enumerate(items)}
        data(Corpus.from_annotations(sound, attributes=speakers), name, *(["phones.csv"] if name == "phones" else []))
        if name == "heard":
            data(Corpus.from_annotations(sound[1:], attributes=speakers), "unheard")
    (here / "phones.tsv").write_text("b\tp\n", encoding="utf-8")
    (here / "all.uem").write_text("é1 1 0 7\né2 1 1 5\n", encoding="utf-8")
    _write_story(here)
    _write_sound(here / "sound.wav")


def _polars() -> bool:
    try:
        import polars  # noqa: F401
    except ImportError:
        return False
    return True


def _write_chunks(here: Path) -> None:
    """Two documents, queries with evidence, three ways of cutting, and rankings."""
    (here / "docs").mkdir()
    texts = {
        name: " ".join(f"The {w} of {name} is {i}. It lies {w}ward." for i, w in enumerate(words.split(), 1))
        for name, words in (("a", "river stone cloud"), ("b", "bread wine salt"))
    }
    for name, text in texts.items():
        (here / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")

    def lines(file: str, rows: list[Any]) -> None:
        (here / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    asked = [("river stone", "a", [[5, 35]]), ("the wine", "b", [[30, 50], [55, 65]]), ("bread", "b", [[0, 14]])]
    lines("queries.jsonl", [{"query": q, "document": d, "spans": s} for q, d, s in asked])
    for file, size, step in (("fixed.jsonl", 30, 30), ("halves.jsonl", 60, 60), ("lapped.jsonl", 30, 15)):
        lines(
            file,
            [
                {"page_content": text[at : at + size], "metadata": {"source": name, "start_index": at}}
                for name, text in texts.items()
                for at in range(0, len(text), step)
            ],
        )
    orders = {"fixed": [[0, 1, 2, 3, 4, 5]] * 3, "halves": [[1, 0, 2]] * 3}
    (here / "rankings.json").write_text(json.dumps(orders))
    _write_votes(here)


def _write_votes(here: Path) -> None:
    """Questions, and the votes of two readers who disagree on every third."""
    questions = make_questions(number=41)
    (here / "questions.json").write_text(json.dumps(questions.as_dict()))
    for reader, answer in (("ann", "first"), ("ben", "second")):
        votes = {q.name: answer if i % 7 else "same" for i, q in enumerate(questions.questions)}
        data = {"caesura": "votes", "questions": questions.code, "reader": reader, "votes": votes}
        (here / f"votes-{reader}.json").write_text(json.dumps(data))


def _write_story(folder: Path) -> None:
    """Texts in which every way of taking words gives other boundaries, their references, one to learn from, and a saved segmenter."""
    for seed, name in zip((14, 7, 15), ("story", "tale", "saga"), strict=True):
        sentences = _sentences(seed)
        lines = (" ".join(sentences[i : i + 2]) for i in range(0, len(sentences), 2))
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        _write_marks(folder / f"{name}.json", sentences, [4, 11, 19, 30])
        shutil.copy(folder / f"{name}.json", folder / f"{name}.csv")
    _write_marks(folder / "learnt.json", _sentences(5), list(range(2, 40, 2)))
    segmenter("c99", density=0.2).save(folder / "saved.model")


def _write_marks(file: Path, sentences: list[str], places: list[int]) -> None:
    marks = Segmentation.from_positions(places, length=len(sentences), units=sentences)
    write(Corpus.from_annotations([Annotation(file.stem, "gold", marks)]), file)


def _sentences(seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    stems = ["sail", "bàk", "train", "càll", "paint", "wàlk", "turn", "clos", "read", "màil", "plant", "end"]
    common = ["the", "and", "of", "was", "co-op", "very", "not"]
    sentences = []
    for number in range(40):
        near = [stems[(number // 5 + int(k)) % len(stems)] for k in random.integers(0, 5, 5)]
        words = [stem + str(random.choice(["s", "ing", "ed", "er", ""])) for stem in near]
        words += random.choice(common, 4).tolist()
        random.shuffle(words)
        sentences.append(" ".join(words).capitalize() + ".…"[number % 3 == 1])  # in Latin-1 … ends no sentence
    return sentences


def _write_sound(file: Path) -> None:
    """Two channels, each of noises that change at times of its own."""
    random, rate = np.random.default_rng(7), 8000
    sides = []
    for width in (700, 1100):
        steps = np.repeat(random.integers(1, 9, rate // width + 1), width)[:rate]
        noise = random.normal(size=rate + 9)
        sides.append([noise[at : at + 9 : int(step)].sum() for at, step in enumerate(steps)])
    samples = (3000 * np.array(sides).T).clip(-32000, 32000).astype("<i2")
    with wave.open(str(file), "wb") as target:
        target.setnchannels(2)
        target.setsampwidth(2)
        target.setframerate(rate)
        target.writeframes(samples.tobytes())


# ---------------------------------------------------------------------- what comes out


@dataclass
class Bench:
    """Runs commands in the folder it is in, and remembers what came out and what was handed to what is not started."""

    folder: Path
    seen: dict[tuple[str, ...], tuple[Any, ...]]
    handed: list[str]

    def run(self, command: str, *words: str) -> tuple[Any, ...]:
        """Return status, standard error and all the rest of what a run of these words gives."""
        line = tuple(" ".join((command, *words)).split())
        if line not in self.seen:
            self.seen[line] = self._run(line)
        return self.seen[line]

    def _run(self, words: tuple[str, ...]) -> tuple[Any, ...]:
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        self.handed.clear()
        done = caesura(*words)
        written = any(out.iterdir())
        files = {
            str(f.relative_to(out)): f.read_bytes() for f in sorted(out.rglob("*") if written else ()) if f.is_file()
        }
        if (default := self.folder / "report.html").exists():  # where `report` writes unless it is told
            files["report.html"] = default.read_bytes()
            default.unlink()
        if written:
            shutil.rmtree(out)
        return done.returncode, done.stderr, done.stdout, files, [*self.handed]


def cached_by_pickle(function: Any) -> Any:
    """Return the function with a cache: most options do not change its arguments."""
    answers: dict[bytes, Any] = {}

    def answer(*words: Any, **more: Any) -> Any:
        try:
            asked = pickle.dumps((words, more))
        except (AttributeError, pickle.PicklingError):  # an argument is a function
            return function(*words, **more)
        if asked not in answers:
            answers[asked] = function(*words, **more)
        return answers[asked]

    return answer


flexible_agreement = import_module(
    "caesura.agreement.flexible_agreement"
)  # the package has a function of the same name
_expected_cost = cached_by_pickle(partial(chance.expected_cost, max_states=1_000))  # few states are soon too many
_chance_similarity = cached_by_pickle(lambda *words, draws, **more: chance.chance_similarity(*words, draws=200, **more))


class recorded_calls:
    """Replaces functions that take long or need a cluster, and records their arguments."""

    def __init__(self, handed: list[str]) -> None:
        self.handed = handed
        self.patches: list[Any] = []

    def __enter__(self) -> None:
        from caesura.cli import bench, evaluate, reproduce
        from caesura.papers import Reproduction
        from caesura.report import aligners, measures
        from caesura.statistics import significance

        tested = significance.paired_test

        def test(*words: Any, samples: int, **more: Any) -> Any:
            self.handed.append(f"{samples} {more}")
            return tested(*words, samples=50, **more)

        streamed, counted = evaluate.evaluate_streamed, evaluate.evaluate_corpora

        def stream(*words: Any, engine: str, scheduler: str | None = None, **more: Any) -> Any:
            self.handed.append(f"{engine} {scheduler} {more}")
            return streamed(*words, engine="local", scheduler=None, resamples=50, **more)

        def count(*words: Any, **more: Any) -> Any:
            self.handed.append(f"{words[0].items} {more}")
            return counted(*words, resamples=50, **more)

        def paper(name: str, progress: Any, publish: Any, **more: Any) -> Reproduction:
            return Reproduction(name, repr(more))

        def race(sizes: Any, seed: int) -> list[Any]:
            self.handed.append(f"{sizes} {seed}")
            return []

        self.patches = [
            patch("time.perf_counter", lambda: 0.0),
            patch.object(aligners, "evaluate", partial(aligners.evaluate, resamples=50)),
            patch.object(evaluate, "evaluate_streamed", stream),
            patch.object(evaluate, "evaluate_corpora", count),
            patch.object(chance, "expected_cost", _expected_cost),
            patch.object(flexible_agreement, "chance_similarity", _chance_similarity),
            patch.object(significance, "paired_test", test),
            patch.object(
                measures, "_flexible", lambda *words, **more: {}
            ),  # exact chance, which no option of `report` touches
            patch.object(reproduce, "computed", paper),
            patch.object(reproduce, "save_figures", lambda result, target, suffixes=(): [target]),
            patch.object(bench, "run_benchmark", race),
        ]
        for each in self.patches:
            each.start()

    def __exit__(self, *fault: object) -> None:
        for each in self.patches:
            each.stop()


def assert_every_pair_is_honoured_or_refused(
    bench: Bench,
    command: str,
    arguments: str,
    options: dict[str, Given],
    excluded: Collection[tuple[str, str]] = (),
    including: str | None = None,
) -> None:
    """Try each option alone and each pair of options; with ``including``, only those with this option."""
    tried = [(f"{name} alone", [plan]) for name, plan in options.items() if including in (None, name)]
    for (one, first), (two, second) in combinations(options.items(), 2):
        if (one, two) not in excluded and not {one, two} & COSMETIC and including in (None, one, two):
            tried.append((f"{one} and {two}", [first, second]))
    with chdir(bench.folder):
        faults = {names: _fault(bench, command, arguments, plans) for names, plans in tried}
    wrong = [f"{names}: {fault}" for names, fault in faults.items() if fault]
    assert not wrong, "\n".join(wrong)


def _fault(bench: Bench, command: str, arguments: str, plans: list[Given]) -> str | None:
    """Say what is wrong with options given together; None where they are honoured somewhere, or refused as they should be."""
    if any(each.words.split()[0] in other.needs.split() for each in plans for other in plans):
        return None  # one of them is given already, where the other is tried alone
    bases = list(dict.fromkeys([*(on for plan in plans for on in plan.on.split("|") if on), arguments]))
    faults = []
    for base in bases[:1] if len(plans) == 1 else bases:
        fault = _fault_on(bench, command, [base, *(plan.needs for plan in plans)], [plan.words for plan in plans])
        if fault is None or (fault.startswith("refused") and " has no effect" in fault and len(plans) > 1):
            return None
        faults.append(fault)
    all_refused = len(plans) > 1 and all(fault.startswith("refused") for fault in faults)
    return None if all_refused else "; ".join(faults)


def _joined(base: list[str], words: list[str]) -> list[str]:
    """Return both, without options of the base that are among the words: no option is given twice."""
    parts = list(base)
    for each in words:
        parts = [re.sub(rf" {re.escape(each.split()[0])} \S+", "", part) for part in parts]
    return [*parts, *words]


def _fault_on(bench: Bench, command: str, base: list[str], words: list[str]) -> str | None:
    status, complaint, *_ = together = bench.run(command, *_joined(base, words))
    if status == 2:
        lines = complaint.splitlines()
        sentence = len(lines) == 1 and lines[0].startswith("caesura: ") and lines[0].endswith((".", "…"))
        return f"refused: {complaint.strip()}" if sentence else f"not refused in one sentence: {complaint}"
    if status not in (0, 1) or "Traceback" in complaint:
        return f"ends with {status}: {complaint[-300:]}"
    for number, each in enumerate(words):
        without = bench.run(command, *_joined(base, [*words[:number], *words[number + 1 :]]))
        if without == together:
            return f"{each} changes nothing on {base[0]!r}"
    return None
