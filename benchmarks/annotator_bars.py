"""Every bar that the specification of the annotator model sets, on corpora drawn as it draws them.

python benchmarks/annotator_bars.py gold        # F and B of gold standards, calibration, recovery, self-assessment; w = 1 and 2
python benchmarks/annotator_bars.py spans       # labelled spans: exact F beside votes
python benchmarks/annotator_bars.py recordings  # boundaries in time: F at 50 ms and the mean error
python benchmarks/annotator_bars.py coverage    # 90 % intervals, parameters drawn from three distributions

The texts are those of the specification's own simulation (seeds 2000 to 2011): the same random numbers are drawn in the same order. A line ends
in "missed" where a bar is not met.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

import caesura as cs
from annotators import compare, estimation_errors
from caesura.annotators.simulation import SimulatedAnnotator, Simulation
from caesura.annotators.territory import base_displacement
from caesura.gold.linear import group_marks

GAPS, ITEMS, SEGMENT = 200, 20, 10


def bar(what: str, value: float, limit: float, *, least: bool = True) -> None:
    """Print one number beside its bar."""
    met = value >= limit if least else value <= limit
    print(f"   {what:<62} {value:7.3f}  {'≥' if least else '≤'} {limit:<6g} {'met' if met else 'MISSED'}", flush=True)


# ---------------------------------------------------------------------- texts


def draw_texts(people: int, reach: int, seed: int) -> Simulation:
    """Draw 20 texts of 200 gaps: segments negative binomial with mean 10, displacements that ignore neighbours, the last annotator a spammer."""
    rng = np.random.default_rng(seed)
    hit, false_alarm, exact = (
        rng.uniform(0.5, 0.95, people),
        rng.uniform(0.002, 0.03, people),
        rng.uniform(0.4, 0.95, people),
    )
    hit[-1], false_alarm[-1] = 0, 1 / SEGMENT
    steps = np.arange(-reach, reach + 1)
    tail = np.where(steps != 0, 0.5 ** np.abs(steps), 0)
    moved = np.where(steps == 0, exact[:, None], (1 - exact[:, None]) * tail / tail.sum())
    truths = [_true_gaps(rng) for _ in range(ITEMS)]
    rows = [cs.Annotation(f"text {n}", "truth", _segmentation(places)) for n, places in enumerate(truths)]
    truth = cs.Corpus.from_annotations(rows)
    rows = []
    for number, places in enumerate(truths):
        for j in range(people):
            marks = set()
            for place in places:
                if rng.random() < hit[j]:
                    at = place + rng.choice(steps, p=moved[j])
                    if 0 <= at < GAPS:
                        marks.add(int(at))
            marks |= set(np.flatnonzero(rng.random(GAPS) < false_alarm[j]).tolist())
            rows.append(cs.Annotation(f"text {number}", f"c{j + 1}", _segmentation(sorted(marks))))
    known = {
        f"c{j + 1}": SimulatedAnnotator(float(hit[j]), float(false_alarm[j]), tuple(moved[j].tolist()))
        for j in range(people)
    }
    return Simulation(cs.Corpus.from_annotations(rows), truth, known)


def _true_gaps(rng: np.random.Generator) -> list[int]:
    places, at = [], 0
    while True:
        at += 1 + rng.poisson(rng.gamma(2.0, (SEGMENT - 1) / 2.0))
        if at > GAPS:
            return places
        places.append(int(at) - 1)


def _segmentation(gaps: list[int]) -> cs.Segmentation:
    return cs.Segmentation.from_positions([gap + 1 for gap in gaps], length=GAPS + 1)


def gold(corpora: int = 12) -> None:
    """The tables of section 7 of the specification, and its bars."""
    for reach in (1, 2):
        for people in (3, 5, 10):
            rows, errors = [], []
            for seed in range(2000, 2000 + corpora):
                simulation = draw_texts(people, reach, seed)
                scores, model = compare(simulation, reach + 1)
                rows.append(list(scores.values()))
                errors.append(estimation_errors(model, simulation, scores["territory"][0]))
            means = dict(zip(scores, np.mean(rows, axis=0).tolist(), strict=True))
            shown = ", ".join(f"{method} {f:.3f} / {b:.3f}" for method, (f, b) in means.items())
            print(f"w = {reach}, {people} annotators, exact F / B: {shown}")
            _gold_bars(reach, people, means, np.mean(errors, axis=0).tolist())


def _gold_bars(reach: int, people: int, means: dict[str, list[float]], errors: list[float]) -> None:
    hit, false_alarm, displacement, spammer, calibrated, assessed = errors
    f, b = means["territory"]
    print(
        f"   errors: h {hit:.3f}, f {false_alarm:.4f}, δ {displacement:.3f}; spammer's h {spammer:.3f}; calibration {calibrated:.3f}; self-assessed F {assessed:+.3f}"
    )
    if people == 3:
        bar("best set − probabilities above one half, B", b - means["territory, post > ½"][1], 0.03)
        return
    if people == 5 and reach == 1:
        bar("B − majority", b - means["majority"][1], 0.40)
        bar("B − Dawid & Skene", b - means["Dawid & Skene"][1], 0.10)
        bar("B − tolerant vote, threshold chosen by the truth", b - means["tolerant, best threshold"][1], 0.10)
    if people == 10 and reach == 1:
        bar("B", b, 0.93)
        bar("exact F", f, 0.92)
    bar("calibration error", calibrated, 0.04, least=False)
    bar("self-assessed exact F, absolute mean error", abs(assessed), 0.04, least=False)
    if reach == 1:
        bar("mean error of h", hit, 0.04, least=False)
        bar("mean error of f", false_alarm, 0.004, least=False)
        bar("total variation of δ", displacement, 0.12, least=False)
        bar("spammer's h", spammer, 0.12, least=False)


# ---------------------------------------------------------------------- spans


class LabelledSpan(NamedTuple):
    """A drawn span of one annotator."""

    coder: int
    start: int
    end: int
    label: int


LABELS, LENGTH = 3, 6000


def draw_spans(people: int, seed: int) -> tuple[list[tuple[int, int, int]], list[LabelledSpan], np.ndarray]:
    """Draw true spans, the annotators' spans and their hit rates; the last annotator is a spammer."""
    rng = np.random.default_rng(seed)
    hit, false_alarm = rng.uniform(0.5, 0.95, people), rng.uniform(0.001, 0.006, people)
    exact, accuracy = rng.uniform(0.4, 0.95, people), rng.uniform(0.6, 0.98, people)
    hit[-1], false_alarm[-1], accuracy[-1] = 0, 0.025, 1 / LABELS
    truth, at = [], 0
    while True:
        start = at + 2 + rng.poisson(20)
        end = start + 4 + rng.poisson(8)
        if end > LENGTH - 5:
            break
        truth.append((int(start), int(end), int(rng.integers(LABELS))))
        at = end

    def step(j: int) -> int:
        return 0 if rng.random() < exact[j] else int(rng.choice([-2, -1, 1, 2]))

    spans = []
    for j in range(people):
        for start, end, label in truth:
            if rng.random() < hit[j]:
                begin, stop = start + step(j), end + step(j)
                given = label if rng.random() < accuracy[j] else int(rng.integers(LABELS))
                spans.append(LabelledSpan(j, begin, stop, given))
        extra = np.flatnonzero(rng.random(LENGTH - 40) < false_alarm[j]).tolist()
        spans += [LabelledSpan(j, at, at + 4 + int(rng.poisson(8)), int(rng.integers(LABELS))) for at in extra]
    return truth, spans, hit


def join_spans(spans: list[LabelledSpan], least: float = 0.3) -> list[list[LabelledSpan]]:
    """Join spans greedily from left to right with the open cluster of the largest mean Jaccard index, as the specification's vote does."""
    clusters: list[list[LabelledSpan]] = []
    for span in sorted(spans, key=lambda each: (each.start, each.end, each.coder)):
        best, chosen = least, None
        for cluster in clusters[-8:]:
            if any(other.coder == span.coder for other in cluster):
                continue
            value = np.mean(
                [
                    max(0, min(o.end, span.end) - max(o.start, span.start))
                    / (max(o.end, span.end) - min(o.start, span.start))
                    for o in cluster
                ]
            )
            if value >= best:
                best, chosen = value, cluster
        if chosen is None:
            clusters.append([span])
        else:
            chosen.append(span)
    return clusters


def exact_f(found: set[tuple[int, int, int]], truth: list[tuple[int, int, int]]) -> float:
    return 2 * len(found & set(truth)) / max(1, len(found) + len(truth))


def spans(corpora: int = 6) -> None:
    """Exact F of both ends and the label."""
    for people, gain in ((3, None), (5, 0.09), (10, 0.11)):
        rows, errors = [], []
        for seed in range(corpora):
            truth, drawn, hit = draw_spans(people, seed)
            votes: dict[tuple[int, int, int], set[int]] = {}
            for span in drawn:
                votes.setdefault((span.start, span.end, span.label), set()).add(span.coder)
            medians = {
                (
                    int(np.median([s.start for s in c])),
                    int(np.median([s.end for s in c])),
                    int(np.bincount([s.label for s in c]).argmax()),
                )
                for c in join_spans(drawn)
                if 2 * len(c) > people
            }
            coded = {
                f"c{j + 1}": cs.Spans.from_rows(
                    sorted({(s.start, s.end, "xyz"[s.label]) for s in drawn if s.coder == j}), length=LENGTH
                )
                for j in range(people)
            }
            model = cs.fit_annotators({"t": coded}, intervals=None)
            found = {(int(m.position), int(m.end), "xyz".index(m.type)) for m in model.marks_of("t")}
            majority = {key for key, who in votes.items() if 2 * len(who) > people}
            rows.append([exact_f(each, truth) for each in (majority, medians, found)])
            errors.append(np.mean([abs(model.annotators[f"c{j + 1}"].hit_rate - hit[j]) for j in range(people)]))
        majority_f, median_f, model_f = np.mean(rows, axis=0)
        print(
            f"{people} annotators, exact F: majority {majority_f:.3f}, cluster majority {median_f:.3f}, model {model_f:.3f}; error of h {np.mean(errors):.3f}"
        )
        if gain is not None:
            bar("model − cluster majority", model_f - median_f, gain)


# ---------------------------------------------------------------------- recordings


def recordings(corpora: int = 12, people: int = 5, tolerance: float = 0.05) -> None:
    """Four recordings of 120 s, a boundary per second; answers are 5 to 20 ms off (one standard deviation), the last annotator is a spammer."""
    rows = []
    for seed in range(corpora):
        rng = np.random.default_rng([seed, 77])
        hit, false_alarm, spread = (
            rng.uniform(0.5, 0.95, people),
            rng.uniform(0.02, 0.3, people),
            rng.uniform(0.005, 0.02, people),
        )
        hit[-1], false_alarm[-1] = 0.0, 1.0
        drawn, truths = [], {}
        for number in range(4):
            truth = np.cumsum(0.2 + rng.gamma(2.0, 0.4, 300))
            truths[f"r{number}"] = truth = truth[truth < 119.9]
            for j in range(people):
                seen = truth[rng.random(len(truth)) < hit[j]]
                extra = rng.uniform(0, 120, rng.poisson(120 * false_alarm[j]))
                times = np.unique(
                    np.clip(np.concatenate((seen + rng.normal(0, spread[j], len(seen)), extra)), 0.001, 119.999).round(
                        3
                    )
                )
                drawn.append((f"r{number}", f"c{j + 1}", cs.Segmentation.from_times(times.tolist(), length=120.0)))
        corpus = cs.Corpus.from_annotations(drawn)
        model = cs.fit_annotators(corpus, tolerance=tolerance, intervals=None)
        votes = []
        for item in truths:
            marks = [(float(p), coder) for coder in corpus.coders for p in corpus[item, coder].positions.tolist()]
            votes.append([(at, len(set(who))) for at, who in group_marks(marks, tolerance)])
        scored = [
            time_scores(
                [np.array([at for at, n in item if n >= needed]) for item in votes], list(truths.values()), tolerance
            )
            for needed in range(1, people + 1)
        ]
        own = time_scores(
            [np.asarray(model.golds[item, ""].positions) for item in truths], list(truths.values()), tolerance
        )
        rows.append([*scored[people // 2], *max(scored), *own])
    values = np.mean(rows, axis=0)
    print(
        "F at 50 ms / mean error in ms: tolerant majority {:.3f} / {:.1f}, best threshold by the truth {:.3f} / {:.1f}, model {:.3f} / {:.1f}".format(
            *values
        )
    )
    bar("F − tolerant vote with the best threshold", values[4] - values[2], 0.0)
    bar("mean error − that of the tolerant vote, ms", values[5] - values[3], 0.0, least=False)


def time_scores(found: list[np.ndarray], truth: list[np.ndarray], tolerance: float) -> tuple[float, float]:
    """Return F with one-to-one hits within the tolerance, and the mean error of hits in ms."""
    hits, errors = 0, []
    for ours, theirs in zip(found, truth, strict=True):
        i = j = 0
        while i < len(ours) and j < len(theirs):
            if abs(ours[i] - theirs[j]) <= tolerance:
                errors.append(1000 * abs(ours[i] - theirs[j]))
                i, j, hits = i + 1, j + 1, hits + 1
            elif ours[i] < theirs[j]:
                i += 1
            else:
                j += 1
    total = sum(map(len, found)) + sum(map(len, truth))
    return 2 * hits / max(total, 1), float(np.mean(errors)) if errors else 0.0


# ---------------------------------------------------------------------- intervals


def coverage(corpora: int = 25, people: int = 5) -> None:
    """Data from the model, 10 texts: shares of true h, f and δ(0) inside their 90 % intervals, for three distributions of the true rates."""
    for name in _DISTRIBUTIONS:
        inside = []
        for seed in range(corpora):
            rng = np.random.default_rng([seed, 5])
            annotators = [_annotator(rng, name) for _ in range(people)]
            model = cs.fit_annotators(draw_from_model(rng, annotators))
            for number, own in enumerate(annotators):
                p = model.annotators[f"c{number + 1}"]
                low, high = p.displacement.interval
                inside.append([
                    p.hit_rate.interval[0] <= own.hit_rate <= p.hit_rate.interval[1],
                    p.false_alarm_rate.interval[0] <= own.false_alarm_rate <= p.false_alarm_rate.interval[1],
                    low[1] <= own.displacement[1] <= high[1],
                ])  # fmt: skip
        print(f"{_DISTRIBUTIONS[name]}, {len(inside)} of each")
        for what, value in zip(("h", "f", "δ(0)"), np.mean(inside, axis=0).tolist(), strict=True):
            bar(f"coverage of {what}", value, 0.84)


def draw_from_model(
    rng: np.random.Generator, annotators: list[SimulatedAnnotator], items: int = 10, rate: float = 0.1
) -> cs.Corpus:
    """Draw texts from the model itself: answers stay inside the territory of their boundary."""
    rows = []
    for item in range(items):
        places = np.flatnonzero(rng.random(GAPS) < rate)
        middle = rng.random(len(places)) < 0.5  # whether the gap half way to the next boundary belongs to this one
        for number, own in enumerate(annotators):
            marks = set(np.flatnonzero(rng.random(GAPS) < own.false_alarm_rate).tolist())
            for n, place in enumerate(places.tolist()):
                if rng.random() < own.hit_rate:
                    before = place - places[n - 1] if n else GAPS
                    after = places[n + 1] - place if n + 1 < len(places) else GAPS
                    left = min(1, place, (before - 1) // 2 + (before % 2 == 0 and not middle[n - 1]))
                    right = min(1, GAPS - 1 - place, (after - 1) // 2 + (after % 2 == 0 and bool(middle[n])))
                    mass = np.array(own.displacement)[1 - left : 2 + right]
                    marks.add(place + int(rng.choice(np.arange(-left, right + 1), p=mass / mass.sum())))
            rows.append(cs.Annotation(f"text {item}", f"c{number + 1}", _segmentation(sorted(marks))))
    return cs.Corpus.from_annotations(rows)


_DISTRIBUTIONS = {
    "prior": "δ drawn from the prior",
    "wide": "δ(0) drawn from 0.4 to 0.95, far wider than the prior",
    "fixed": "δ(0) = 0.8 for all",
}


def _annotator(rng: np.random.Generator, name: str) -> SimulatedAnnotator:
    """Draw the true rates of an annotator whose marks move by at most one unit."""
    hit, false_alarm = rng.uniform(0.5, 0.95), rng.uniform(0.002, 0.03)
    if name == "prior":
        moved = rng.dirichlet(20 * base_displacement(1) + 1)
    else:
        exact = 0.8 if name == "fixed" else rng.uniform(0.4, 0.95)
        moved = np.array([(1 - exact) / 2, exact, (1 - exact) / 2])
    return SimulatedAnnotator(float(hit), float(false_alarm), tuple(moved.tolist()))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:] or ["gold"]
    {"gold": gold, "spans": spans, "recordings": recordings, "coverage": coverage}[what](*map(int, arguments))
