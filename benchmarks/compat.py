"""Test caesura.compat with segeval's own tests, NLTK's own examples and random calls of both; compare ruptures, pyannote.metrics and mir_eval.

Needs the packages of requirements/bench.txt; those that are not installed are skipped. The tests are those of the installed segeval,
with each public name replaced by ours; its private functions stay.

Run: python benchmarks/compat.py [--calls 28000]
"""

from __future__ import annotations

import argparse
import doctest
import importlib
import io
import math
import pkgutil
import sys
import unittest
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial, wraps
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import caesura as cs
import caesura.compat.nltk as our_nltk
import caesura.compat.segeval as ours

warnings.simplefilter("ignore")


# ---------------------------------------------------------------------- segeval's tests


def run_segeval_tests(strict: bool) -> unittest.TestResult:
    """Run the tests of the installed package with our functions in place of its public names."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "segeval"]:
        del sys.modules[name]  # an earlier run replaced names in it
    segeval = importlib.import_module("segeval")
    theirs = {name: getattr(segeval, name) for name in segeval.__all__}
    theirs["input_linear_positions_tsv"] = importlib.import_module("segeval.data.tsv").input_linear_positions_tsv
    replacements = {id(real): our_name(name, strict) for name, real in theirs.items()}
    for module, name in (("segeval.util", "SegmentationMetricError"), ("segeval.data", "DataIOError")):
        real = getattr(importlib.import_module(module), name)  # private functions raise segeval's own
        replacements[id(real)] = (real, getattr(ours, name))
    several = importlib.import_module("segeval.data.samples").MULTIPLE_BOUNDARY_TYPES
    replacements[id(several)] = ours.Dataset(several, boundary_types={1, 2}, boundary_format="sets")
    suite = unittest.TestSuite()
    for module in test_modules(segeval):
        for name, value in list(vars(module).items()):
            if id(value) in replacements:
                setattr(module, name, replacements[id(value)])
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    return unittest.TextTestRunner(io.StringIO(), resultclass=Recorded).run(suite)


def our_name(name: str, strict: bool) -> Any:
    """Return our object of this name; a function records that it was called, and is strict if requested."""
    own = getattr(ours, name)
    if not callable(own) or isinstance(own, type):
        return own

    @wraps(own)
    def call(*arguments: Any, **named: Any) -> Any:
        Recorded.called = True
        return own(*arguments, **named, **({"strict": True} if strict and hasattr(own, "__wrapped__") else {}))

    return call


class Recorded(unittest.TextTestResult):
    """Records which tests called one of our functions."""

    called = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.ours: list[str] = []

    def startTest(self, test: unittest.TestCase) -> None:
        Recorded.called = False
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        if Recorded.called:
            self.ours.append(test.id())
        super().stopTest(test)


def test_modules(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages([str(Path(str(package.__file__)).parent)], "segeval."):
        if module.name.endswith("test"):
            yield importlib.import_module(module.name)


def report_segeval_tests() -> None:
    for strict in (True, False):
        result = run_segeval_tests(strict)
        failed = {test.id(): text for test, text in (*result.failures, *result.errors)}
        assert isinstance(result, Recorded)
        kind = "strict=True" if strict else "our values"
        print(
            f"segeval's tests, {kind}: {result.testsRun - len(failed)} of {result.testsRun} pass; {len(result.ours)} of them call ours"
        )
        for name, text in sorted(failed.items()):
            print(f"  {name}: {text.strip().splitlines()[-1][:150]}")


# ---------------------------------------------------------------------- NLTK


def report_nltk(calls: int) -> None:
    theirs = importlib.import_module("nltk.metrics.segmentation")
    runner = doctest.DocTestRunner(verbose=False)
    parser = doctest.DocTestParser()
    names = {name: getattr(our_nltk, name) for name in our_nltk.__all__}
    page = Path(theirs.__file__).parents[1] / "test" / "metrics.doctest"
    section = page.read_text(encoding="utf-8").partition("Windowdiff")[2].partition("------")[0]
    texts = [section, *(str(getattr(theirs, name).__doc__) for name in names)]
    for number, text in enumerate(texts):
        examples = parser.get_doctest(text, dict(names), f"nltk {number}", None, None)
        runner.run(examples)
    tried = runner.summarize(verbose=False)
    print(f"NLTK's examples: {tried.attempted - tried.failed} of {tried.attempted}")
    print("random calls of NLTK's:", compare_with_nltk(theirs, calls))


def compare_with_nltk(theirs: Any, calls: int) -> dict[str, int]:
    """Count equal results, and those for which NLTK's own window is not usable."""
    random, tally = np.random.default_rng(17), dict.fromkeys(("equal", "NLTK's k is 0 or divides by 0", "different"), 0)
    for number in range(calls):
        n = int(random.integers(1, 60))
        ref, hyp = ("".join("01"[int(b)] for b in random.random(n) < random.random()) for _ in range(2))
        if number % 3 == 2:
            ref, hyp = list(ref), list(hyp)
        k, costs = int(random.integers(1, n + 1)), [float(c) for c in random.choice([0.5, 1.0, 1.5, 2.0, 3.0], 3)]
        name, given = [
            ("windowdiff", (k,)), ("windowdiff", (k, "1", True)), ("pk", (k,)), ("pk", ()), ("ghd", ()), ("ghd", tuple(costs)),
            ("windowdiff", (n + 1,)),
        ][number % 7]  # fmt: skip
        answers = [answer(getattr(module, name), ref, hyp, *given) for module in (theirs, our_nltk)]
        zero = name == "pk" and not given and ("1" not in ref or round(n / (2 * ref.count("1"))) == 0)
        tally["NLTK's k is 0 or divides by 0" if zero else "equal" if same(*answers) else "different"] += 1
    return tally


def answer(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return the result of a function, or the type of its exception."""
    try:
        return function(*given, **named)
    except Exception:  # other packages may raise anything
        return "raises"


def same(value: Any, other: Any) -> bool:
    """Whether two results are equal, decimals to 24 digits."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(same(value[key], other[key]) for key in value)
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, (Decimal, int, float)) and isinstance(other, (Decimal, int, float)):
        exact = isinstance(value, Decimal) or isinstance(other, Decimal)
        return (
            abs(Decimal(value) - Decimal(other)) <= Decimal("1e-24")
            if exact
            else math.isclose(value, other, rel_tol=1e-12)
        )
    return bool(value == other)


# ---------------------------------------------------------------------- ruptures, pyannote.metrics, mir_eval


def report_neighbours(calls: int) -> None:
    """Compare with our metrics on random boundaries: the largest difference, and how recall differs from greedy matching."""
    import mir_eval
    import pyannote.metrics.segmentation as pyannote
    from pyannote.core import Annotation, Segment
    from ruptures import metrics as ruptures

    random, apart, recalls = np.random.default_rng(5), {}, {"below": 0, "equal": 0, "above": 0}
    for _ in range(calls):
        n = int(random.integers(3, 200))
        ref, hyp = (np.flatnonzero(random.random(n - 1) < random.uniform(0.01, 0.3)) + 1 for _ in range(2))
        if not (len(ref) and len(hyp)):
            continue
        units = [cs.Segmentation.from_positions(side, length=n) for side in (ref, hyp)]
        times = [cs.Segmentation.from_times(side / 8, length=n / 8) for side in (ref, hyp)]
        edges = [np.concatenate(([0], side, [n])) / 8 for side in (ref, hyp)]
        turns = [
            Annotation.from_records((Segment(*pair), k, k) for k, pair in enumerate(pairwise(e.tolist())))
            for e in edges
        ]
        bkps = [[*side.tolist(), n] for side in (ref, hyp)]
        margin = int(random.integers(2, 12))
        detected = mir_eval.segment.detection(
            *(np.stack((e[:-1], e[1:]), 1) for e in edges), window=margin / 8, trim=True
        )
        within = cs.region_scores(ref / 8, hyp / 8, tolerance=margin / 8, matching="optimal")
        for name, mine, theirs in (
            ("Rand", cs.metric("Rand")(*units), ruptures.randindex(*bkps)),
            ("Hausdorff", cs.metric("Hausdorff")(*units), ruptures.hausdorff(*bkps)),
            ("mean-error", cs.metric("mean-error")(*units), ruptures.meantime(*bkps)),
            ("purity", cs.metric("purity")(*times), pyannote.SegmentationPurity(tolerance=0)(*turns)),
            ("coverage", cs.metric("coverage")(*times), pyannote.SegmentationCoverage(tolerance=0)(*turns)),
            ("purity-coverage-F", cs.metric("purity-coverage-F")(*times), pyannote.SegmentationPurityCoverageFMeasure(tolerance=0)(*turns)),
            ("mir_eval's F", within.f, detected[2]),
        ):  # fmt: skip
            apart[name] = max(apart.get(name, 0.0), abs(mine - theirs))
        for greedy, tolerance in (
            (pyannote.SegmentationRecall(tolerance=margin / 8)(*turns), margin / 8),
            (ruptures.precision_recall(*bkps, margin=margin)[1], (margin - 1) / 8),
        ):
            mine = cs.region_scores(ref / 8, hyp / 8, tolerance=tolerance, matching="optimal").recall
            recalls["below" if mine < greedy - 1e-12 else "above" if mine > greedy + 1e-12 else "equal"] += 1
    print("largest differences:", {name: float(f"{value:.1g}") for name, value in apart.items()})
    print("our recall compared with greedy matching:", recalls)


# ---------------------------------------------------------------------- segeval's values


def report_segeval_calls(calls: int) -> None:
    theirs = importlib.import_module("segeval")
    random, tally = np.random.default_rng(18), {}
    for number in range(calls):
        name, given, named = drawn_call(random, number)
        real = answer(getattr(theirs, name), *given(theirs), **named)
        mine = answer(partial(getattr(ours, name), strict=True), *given(ours), **named)
        seen = tally.setdefault(name, [0, 0])
        seen[not same(real, mine)] += 1
    print("random calls of segeval's, strict=True, (equal, different):", tally)


def drawn_call(
    random: np.random.Generator, number: int
) -> tuple[str, Callable[[Any], tuple[Any, ...]], dict[str, Any]]:
    """Choose a random function and arguments."""
    n = int(random.integers(2, 40))
    strings = [drawn_sets(random, n - 1, 1 + number % 3) for _ in range(2)]
    masses = [to_masses(string) for string in strings]
    n_t = {"n_t": int(random.integers(2, 5))}
    pair, sets = (lambda module: tuple(masses)), (lambda module: tuple(strings))
    typed = n_t | {"boundary_format": "sets"}
    data = {f"i{i}": {c: to_masses(drawn_sets(random, n - 1, 1)) for c in "abc"} for i in range(3)}
    return [
        ("boundary_similarity", pair, n_t), ("segmentation_similarity", pair, n_t | {"one_minus": True}),
        ("boundary_similarity", sets, typed), ("segmentation_similarity", sets, typed),
        ("boundary_statistics", sets, typed), ("boundary_confusion_matrix", sets, typed),
        ("pk", pair, {}), ("window_diff", pair, {}), ("window_diff", pair, {"lamprier_et_al_2007_fix": True}),
        ("pk", lambda module: (module.Dataset(data),), {}), ("boundary_similarity", lambda module: (module.Dataset(data),), n_t),
        ("actual_agreement_linear", lambda module: (data,), n_t), ("fleiss_pi_linear", lambda module: (data,), {}),
        ("fleiss_kappa_linear", lambda module: (data,), {}), ("artstein_poesio_bias_linear", lambda module: (data,), {}),
        ("precision", lambda module: (module.boundary_confusion_matrix(*masses, **strictly(module)),), {}),
        ("recall", lambda module: (module.boundary_confusion_matrix(*strings, boundary_format="sets", **strictly(module)),), {}),
        ("fmeasure", lambda module: (module.boundary_confusion_matrix(*strings, boundary_format="sets", **strictly(module)),), {}),
    ][number % 18]  # fmt: skip


def strictly(module: Any) -> dict[str, bool]:
    return {"strict": True} if module is ours else {}


def drawn_sets(random: np.random.Generator, places: int, types: int) -> list[frozenset[int]]:
    density = random.random() * 0.6 + 0.05
    string = [frozenset(int(t) + 1 for t in np.flatnonzero(random.random(types) < density)) for _ in range(places)]
    string[int(random.integers(places))] |= {1}  # segeval raises if neither side has a boundary
    return string


def to_masses(string: list[frozenset[int]]) -> list[int]:
    ends = [place + 1 for place, kinds in enumerate(string) if kinds]
    return np.diff([0, *ends, len(string) + 1]).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=28_000)
    calls = parser.parse_args().calls
    for package, report in (
        ("segeval", report_segeval_tests),
        ("segeval", partial(report_segeval_calls, calls // 10)),
        ("nltk", partial(report_nltk, calls)),
        ("pyannote.metrics", partial(report_neighbours, calls // 14)),
    ):
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            print(f"{package} is not installed: pip install -r requirements/bench.txt")
            continue
        print(f"{package} {version}")
        report()


if __name__ == "__main__":
    main()
