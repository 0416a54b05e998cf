"""Time whole programs in new processes, with an empty and with a filled cache of compiled kernels, compared with other packages.

A program imports one package, reads its documents and scores them in a loop, one call per document. The documents are texts of 100 units
with about 10 segments (for R, recordings of 100 seconds with 10 boundaries; for γ, one text by three annotators with 12 spans each, with the default number of random
texts and with the 30 of pygamma-agreement; ours always computes the values without each annotator as well, pygamma-agreement never). The
CPU time of the whole process counts, start and imports included. Ours runs on a copy of the package without compiled kernels ("fresh"), and
again after ``caesura warm-up`` has filled the cache ("warm"). Other packages are measured if they are installed; ``--peers`` names another
interpreter that has them.

``--single`` measures single jobs instead, each in a new process with nothing cached: coefficients and gold of spans, segmenters, ``unify``.

Run: python benchmarks/fresh_container.py [--peers PYTHON] [--sizes 10,100,1000] [--only B,WD] [--runs 2]
     python benchmarks/fresh_container.py --single [--peers PYTHON] [--only γ,segment] [--runs 2]
"""

from __future__ import annotations

import argparse
import marshal
import os
import random
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

PACKAGE = Path(__file__).parents[1] / "packages/caesura/src/caesura"
NUMPY = 0.15  # seconds that importing NumPy takes, which segeval does without
MOST_TUPLES = 100_000  # of one span per annotator: pygamma-agreement lists all of them
LONGEST = 90.0  # seconds: a program that is expected to take longer is not run
LOAD = "import marshal, sys\nitems = marshal.load(open(sys.argv[1], 'rb'))\n"

#: By score: our program, and those of other packages.
OURS = {
    "B": "from caesura import boundary_similarity\nfor a, b in items: boundary_similarity(a, b)",
    "WD": "from caesura import window_diff\nfor a, b in items: window_diff(a, b)",
    "Pk": "from caesura import pk\nfor a, b in items: pk(a, b)",
    "A": "from caesura import alignment_similarity\nfor a, b in items: alignment_similarity(a, b)",
    "R": "from caesura import region_scores\nfor a, b in items: region_scores(a, b).r_value",
    "γ": """from caesura import Corpus, Spans
from caesura.agreement import gamma
labels = [f"label {k}" for k in range(4)]
for text in items:
    gamma(Corpus.from_dict({"text": {f"c{k}": Spans(200, *zip(*rows), labels) for k, rows in enumerate(text)}}))""",
}
OURS["γ30"] = OURS["γ"].replace("enumerate(text)}}))", "enumerate(text)}}), samples=30)")
PEERS = {
    "B": {"segeval": "import segeval\nfor a, b in items: segeval.boundary_similarity(a, b)"},
    "WD": {
        "segeval": "import segeval\nfor a, b in items: segeval.window_diff(a, b)",
        "nltk": "from nltk.metrics import windowdiff\nfor a, b in items: windowdiff(a, b, 5)",
    },
    "Pk": {
        "segeval": "import segeval\nfor a, b in items: segeval.pk(a, b)",
        "nltk": "from nltk.metrics import pk\nfor a, b in items: pk(a, b, 5)",
    },
    "R": {
        "mir_eval": """import mir_eval, numpy as np
for a, b in items:
    mir_eval.segment.detection(*(np.column_stack(([0, *x], [*x, 100])) for x in (a, b)), window=0.5)"""
    },
    "γ": {
        "pygamma_agreement": """import logging, numpy as np
logging.disable(logging.CRITICAL)
from pyannote.core import Segment
from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
np.random.seed(1)
for text in items:
    continuum = Continuum()
    for k, rows in enumerate(text):
        for start, end, label in rows: continuum.add(f"c{k}", Segment(start, end), f"label {label}")
    continuum.compute_gamma(CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1))"""
    },
}
PEERS["γ30"] = PEERS["γ"]

CORPUS = """from caesura import Corpus, Spans
labels = [f"label {k}" for k in range(4)]
corpus = Corpus.from_dict({"text": {f"c{k}": Spans(15 * len(rows) + 40, *zip(*rows), labels) for k, rows in enumerate(items)}})
"""
CONTINUUM = PEERS["γ"]["pygamma_agreement"].replace("for text in items:", "for text in [items]:")
SEGMENTERS = ("dcm", "u00", "c99", "texttiling", "mincut", "aps")
#: Single jobs: our program, another package's if it has the same, the annotators and the spans of each.
SINGLE: dict[str, tuple[str, str | None, int, int]] = {
    **{
        f"{title} with 30 samples, {coders} × {spans} spans": (
            f"{CORPUS}from caesura.agreement import gamma\ngamma(corpus, {name!r}, samples=30)", CONTINUUM + part, coders, spans,
        )
        for title, name, part in (("γ", "gamma", ""), ("γ-cat", "gamma-cat", ".gamma_cat"))
        for coders, spans in ((2, 100), (3, 12), (3, 40), (5, 10), (5, 30), (5, 100))
    },
    "α_U and uα, 5 × 100 spans": (f"{CORPUS}from caesura.agreement import alpha_u, u_alpha\nalpha_u(corpus); u_alpha(corpus)", None, 5, 100),
    "gold of spans by majority, 5 × 100 spans": (f"{CORPUS}from caesura import unify\nunify(corpus, 'majority')", None, 5, 100),
    "unify, 3 annotators of 10 segments": ("from caesura import unify\nunify([[10] * 10, [9, 11] * 5, [10, 10, 12, 8] * 2 + [20]], 'majority')", None, 0, 0),
    **{
        f"segment 100 sentences, {name}": (f"from caesura import segment\nassert len(segment(items, {name!r}, segments=5).masses) == 5", None, 0, 100)
        for name in SEGMENTERS
    },
}  # fmt: skip


def documents(score: str, number: int, package: str) -> list[Any]:
    """Return the documents of a program, in the form that the package takes."""
    draw = random.Random(number)

    def near(places: list[int]) -> list[int]:
        return sorted({min(99, max(1, place + draw.choice((0, 0, 0, -1, 1, 3)))) for place in places})

    def masses(places: list[int]) -> list[int]:
        return [b - a for a, b in zip([0, *places], [*places, 100], strict=True)]

    def flags(places: list[int]) -> str:
        return "".join("01"[unit in places] for unit in range(1, 100))

    if score in ("γ", "γ30"):
        return [similar_spans(draw, 3, 12) for _ in range(number)]
    pairs = [(places, near(places)) for places in (sorted(draw.sample(range(1, 100), 9)) for _ in range(number))]
    if score == "R":
        return [([float(p) for p in a], [p + 0.3 for p in b]) for a, b in pairs]
    form = flags if package == "nltk" else masses
    return [(form(a), form(b)) for a, b in pairs]


def similar_spans(draw: random.Random, coders: int, spans: int) -> list[list[tuple[int, int, int]]]:
    """Return (start, end, label) of the spans of annotators who move and rename the same ones."""
    begins = list(accumulate(draw.randint(12, 16) for _ in range(spans)))
    return [
        [(b + draw.randint(-1, 1), b + draw.randint(6, 9), draw.randint(0, 3)) for b in begins] for _ in range(coders)
    ]


def sentences(draw: random.Random, number: int) -> list[str]:
    """Return sentences of 8 to 25 words on five topics, one after another; half of the words belong to the topic."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [["".join(draw.choices(letters, k=draw.randint(4, 9))) for _ in range(60)] for _ in range(6)]
    return [
        " ".join(draw.choice(words[draw.choice((0, 1 + 5 * n // number))]) for _ in range(draw.randint(8, 25))) + "."
        for n in range(number)
    ]


def cpu_seconds(python: str, code: str, file: Path, environment: dict[str, str]) -> float:
    """Return the CPU time of a program in a new process."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [python, "-W", "ignore", "-c", LOAD + code, str(file)],
        env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Containers:
    """A copy of the package, whose caches can be emptied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(PACKAGE, folder / "caesura", ignore=shutil.ignore_patterns("*.nbc", "*.tmp"))
        caches = {name: str(folder / name) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR")}
        for each in caches.values():
            Path(each).mkdir()
        others = {name: value for name, value in os.environ.items() if name != "CAESURA_JIT"}
        self.environment = {**others, **caches, "PYTHONPATH": str(folder), "CAESURA_DISABLE_PLUGINS": "1"}
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / "caesura")], check=False)

    def clear(self) -> None:
        """Remove all compiled kernels."""
        for file in self.folder.rglob("*.nbc"):
            file.unlink()

    def fill(self) -> None:
        """Compile everything once, as ``caesura warm-up`` does."""
        code = "from caesura.cli.main import run; import sys; sys.argv[1:] = ['warm-up']; run()"
        subprocess.run([sys.executable, "-c", code], env=self.environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--sizes", default="10,100,1000,10000,100000")
    parser.add_argument("--only", default="", metavar="NAMES")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--single", action="store_true")
    asked = parser.parse_args()
    if asked.single:
        measure_single_jobs(asked)
        return
    asked.only = asked.only or ",".join(OURS)
    sizes, scores = [int(size) for size in asked.sizes.split(",")], asked.only.split(",")
    best: dict[tuple[str, str, int], float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        containers, data = Containers(folder), folder / "items"

        def measure(score: str, which: str, number: int, code: str, python: str, environment: dict[str, str]) -> None:
            smaller = best.get((score, which, number // 10), 0.0), best.get((score, which, number // 100), 0.0)
            if (
                smaller[0] == float("inf")
                or smaller[0] + 10 * max(0.0, smaller[0] - smaller[1]) * bool(smaller[1]) > LONGEST
            ):
                best[score, which, number] = float("inf")
                return
            data.write_bytes(marshal.dumps(documents(score, number, which)))
            for _ in range(asked.runs if number < 10_000 else 1):
                if which == "fresh":
                    containers.clear()
                took = cpu_seconds(python, code, data, environment)
                best[score, which, number] = min(took, best.get((score, which, number), took))

        for score in scores:
            for number in sizes:
                measure(score, "fresh", number, OURS[score], sys.executable, containers.environment)
                for package, code in PEERS.get(score, {}).items():
                    if asked.peers != sys.executable or find_spec(package):
                        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
                        measure(score, package, number, code, asked.peers, plain)
        containers.clear()
        containers.fill()
        for score in scores:
            for number in sizes:
                measure(score, "warm", number, OURS[score], sys.executable, containers.environment)
    print("| CPU s of the whole process | fresh | warm | others | slower than another |\n|---|---:|---:|---|---|")
    for score in scores:
        for number in sizes:
            others = {p: best[score, p, number] for p in PEERS.get(score, {}) if (score, p, number) in best}
            told = ", ".join(f"{package} {_format_seconds(took)}" for package, took in others.items())
            ours = [best[score, which, number] for which in ("fresh", "warm")]
            slower = ", ".join(p for p, took in others.items() if max(ours) > took + NUMPY)
            print(
                f"| {score}, {number:,} documents | {_format_seconds(ours[0])} | {_format_seconds(ours[1])} | {told} | {slower} |",
                flush=True,
            )


def measure_single_jobs(asked: argparse.Namespace) -> None:
    """Print the time of every single job in a new process with nothing cached, beside the other package's."""
    print("| CPU s of the whole process | nothing cached | pygamma-agreement |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        containers, data = Containers(Path(name)), Path(name) / "items"
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        for title, (code, peer, coders, spans) in SINGLE.items():
            if asked.only and not any(part in title for part in asked.only.split(",")):
                continue
            draw = random.Random(spans)
            data.write_bytes(marshal.dumps(similar_spans(draw, coders, spans) if coders else sentences(draw, spans)))
            ours, others = [], []
            for _ in range(asked.runs):
                containers.clear()
                ours.append(cpu_seconds(sys.executable, code, data, containers.environment))
                if (
                    peer
                    and spans**coders <= MOST_TUPLES
                    and (asked.peers != sys.executable or find_spec("pygamma_agreement"))
                ):
                    others.append(cpu_seconds(asked.peers, peer, data, plain))
            theirs = _format_seconds(min(others)) if others else "not run" if peer else ""
            print(f"| {title} | {_format_seconds(min(ours))} | {theirs} |", flush=True)


def _format_seconds(seconds: float) -> str:
    return f"> {LONGEST:.0f}" if seconds == float("inf") else f"{seconds:.2f}"


if __name__ == "__main__":
    main()
