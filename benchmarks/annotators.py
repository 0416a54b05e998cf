"""Models of annotators: speed of the territory chain, and simulations in which the truth is known.

python benchmarks/annotators.py speed        # E step and fit of 100,000 units by 20 annotators
python benchmarks/annotators.py quality      # gold standards of several methods against the truth
python benchmarks/annotators.py failures     # copying annotators, a shared bias, hard items
python benchmarks/annotators.py coverage     # coverage of 90 % intervals
python benchmarks/annotators.py plans        # the standard error of B, predicted from pilots of several sizes
python benchmarks/annotators.py real FOLDER  # Stargazer, Kubla Khan, Moonstone: predict the annotator who was left out
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

import caesura as cs
from caesura.annotators.planning import gold_quality
from caesura.annotators.simulation import SimulatedAnnotator, Simulation, draw_like, simulate_annotators
from caesura.annotators.territory import Chain, MarkedItem, Prior, fit, start
from caesura.gold.linear import group_marks


def speed(reach: int = 1) -> None:
    """One E step, a fit from three starts, and the peak memory of the process."""
    rng = np.random.default_rng(0)
    units, annotators = 100_000, 20
    truth = np.flatnonzero(rng.random(units - 1) < 0.1)
    hits = rng.uniform(0.5, 0.95, annotators)
    marks = tuple(
        tuple(
            (int(g), 0)
            for g in np.union1d(truth[rng.random(len(truth)) < h], np.flatnonzero(rng.random(units - 1) < 0.01))
        )
        for h in hits
    )
    chain = Chain([MarkedItem(units - 1, marks)], annotators, reach)
    chain.expect(start(chain))
    began = time.process_time()
    for _ in range(3):
        chain.expect(start(chain))
    step = (time.process_time() - began) / 3
    began = time.process_time()
    solved = fit(chain, Prior())
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"w = {reach}: E step {step:.2f} s, fit {seconds:.1f} s ({len(solved.objectives)} steps), peak {memory:.0f} MB"
    )


def majority(corpus: cs.Corpus) -> dict[tuple[str, str], cs.Segmentation]:
    return cs.unify_corpus(corpus, "majority")


def tolerant(corpus: cs.Corpus, needed: int, reach: int) -> dict[tuple[str, str], cs.Segmentation]:
    """Join marks at most ``reach`` apart, and keep places with enough voters."""
    found = {}
    for item in corpus.items:
        marks = [(float(p), coder) for coder in corpus.coders for p in corpus[item, coder].positions.tolist()]
        places = [int(at) for at, voters in group_marks(marks, reach) if len(set(voters)) >= needed]
        found[item, ""] = cs.Segmentation.from_positions(
            sorted(set(places)), length=corpus[item, corpus.coders[0]].length
        )
    return found


def without_moves(corpus: cs.Corpus) -> dict[tuple[str, str], cs.Segmentation]:
    """Dawid & Skene with the same prior: gaps with a posterior above one half."""
    model = cs.fit_annotators(corpus, n_t=1, intervals=None)
    return {
        (item, ""): cs.Segmentation.from_positions(
            (np.flatnonzero(model.posterior(item) > 0.5) + 1).tolist(), length=model.gold[item].length
        )
        for item in corpus.items
    }


def compare(simulation: Simulation, n_t: int = 2) -> tuple[dict[str, tuple[float, float]], cs.AnnotatorModel]:
    """Exact F and B of every method."""
    corpus, truth, people = simulation.corpus, simulation.truth, len(simulation.corpus.coders)
    model = cs.fit_annotators(corpus, n_t=n_t, intervals=None)
    above = {
        (item, ""): cs.Segmentation.from_positions(
            (np.flatnonzero(model.posterior(item) > 0.5) + 1).tolist(), length=model.gold[item].length
        )
        for item in corpus.items
    }
    votes = [gold_quality(tolerant(corpus, needed, n_t - 1), truth) for needed in range(1, people + 1)]
    return {
        "majority": gold_quality(majority(corpus), truth),
        "tolerant majority": votes[people // 2],
        "tolerant, best threshold": max(votes, key=lambda pair: pair[1]),
        "Dawid & Skene": gold_quality(without_moves(corpus), truth),
        "territory, post > ½": gold_quality(above, truth),
        "territory": gold_quality(model.golds, truth),
    }, model


def calibration(model: cs.AnnotatorModel, truth: cs.Corpus) -> float:
    """Expected calibration error in ten bins, of gaps with a posterior above 0.01."""
    post, true = [], []
    for item in truth.items:
        own = model.posterior(item)
        inside = np.zeros(len(own))
        inside[truth[item, "truth"].positions - 1] = 1
        post.append(own)
        true.append(inside)
    p, y = np.concatenate(post), np.concatenate(true)
    p, y = p[p > 0.01], y[p > 0.01]
    bins = np.minimum((p * 10).astype(int), 9)
    return sum(
        abs(p[bins == b].mean() - y[bins == b].mean()) * (bins == b).mean() for b in range(10) if (bins == b).any()
    )


def estimation_errors(model: cs.AnnotatorModel, simulation: Simulation, f: float) -> tuple[float, ...]:
    """Mean errors of h, f and δ, the estimated h of the last annotator, the calibration error, and by how much F is overestimated."""
    known = [(model.annotators[name], own) for name, own in simulation.annotators.items()]
    return (
        np.mean([abs(p.hit_rate - own.hit_rate) for p, own in known]),
        np.mean([abs(p.false_alarm_rate - own.false_alarm_rate) for p, own in known]),
        np.mean([np.abs(p.displacement.values - own.displacement).sum() / 2 for p, own in known]),
        known[-1][0].hit_rate,
        calibration(model, simulation.truth),
        model.expected_f - f,
    )


def quality(seeds: int = 12) -> None:
    for n_t in (2, 3):
        for people in (3, 5, 10):
            rows, errors = [], []
            for seed in range(seeds):
                simulation = simulate_annotators(people, n_t=n_t, seed=seed)
                scores, model = compare(simulation, n_t)
                rows.append(list(scores.values()))
                errors.append(estimation_errors(model, simulation, scores["territory"][0]))
            print(
                f"w = {n_t - 1}, {people} annotators: "
                + ", ".join(f"{m} {f:.3f} / {b:.3f}" for m, (f, b) in zip(scores, np.mean(rows, axis=0), strict=True))
            )
            print(
                "   errors of h {:.3f}, f {:.4f}, δ {:.3f}; spammer's h {:.3f}; calibration {:.3f}; self-assessment {:+.3f}".format(
                    *np.mean(errors, axis=0)
                ),
                flush=True,
            )


def failures(seeds: int = 12) -> None:
    """When does each method fail?"""
    cases = {
        "five independent annotators, one spammer": {},
        "two of five copy from the first": {"copiers": 2},
        "a third of the boundaries late for all": {"late": 0.33},
        "hit rates a third on half of the items": {"hard": 0.5},
        "two of five are spammers": {"spammers": 2},
        "three annotators, one spammer": {"annotators": 3},
    }
    for name, options in cases.items():
        rows, more = [], []
        for seed in range(seeds):
            simulation = simulate_annotators(seed=100 + seed, **options)
            scores, model = compare(simulation)
            rows.append([b for _, b in scores.values()])
            more.append(
                (
                    calibration(model, simulation.truth),
                    model.expected_f - scores["territory"][0],
                    sum(d.flagged for d in model.dependences),
                )
            )
        shown = ", ".join(f"{m} {b:.2f}" for m, b in zip(scores, np.mean(rows, axis=0), strict=True))
        print(
            f"{name}: {shown}; calibration {np.mean(more, axis=0)[0]:.3f}, self-assessed F too high by {np.mean(more, axis=0)[1]:+.3f}, flagged pairs {np.mean(more, axis=0)[2]:.1f}",
            flush=True,
        )


def coverage(corpora: int = 25, annotators: int = 5) -> None:
    """Data from the model: how many of the true h, f and δ(0) are inside their 90 % intervals?"""
    inside = []
    for seed in range(corpora):
        rng = np.random.default_rng([seed, 5])
        people = [
            SimulatedAnnotator(h, f, ((1 - d) / 2, d, (1 - d) / 2))
            for h, f, d in zip(
                rng.uniform(0.5, 0.95, annotators),
                rng.uniform(0.002, 0.03, annotators),
                rng.uniform(0.4, 0.95, annotators),
                strict=True,
            )
        ]
        corpus, _ = draw_like(rng, [200] * 10, 0.1, people)
        model = cs.fit_annotators(corpus)
        for number, own in enumerate(people):
            p = model.annotators[f"c{number + 1}"]
            low, high = p.displacement.interval
            inside.append([
                p.hit_rate.interval[0] <= own.hit_rate <= p.hit_rate.interval[1],
                p.false_alarm_rate.interval[0] <= own.false_alarm_rate <= p.false_alarm_rate.interval[1],
                low[1] <= own.displacement[1] <= high[1],
            ])  # fmt: skip
    print(
        "{} annotators, {} of each: coverage of h {:.2f}, f {:.2f}, δ(0) {:.2f}".format(
            annotators, len(inside), *np.mean(inside, axis=0)
        )
    )


def plans(pilots: int = 40) -> None:
    """The standard error of B with 40 items, and what pilots of 5, 10 and 20 items predict."""
    rng = np.random.default_rng(9)
    people = [SimulatedAnnotator(h, 0.01, (0.1, 0.8, 0.1)) for h in (0.9, 0.8, 0.7, 0.6)]

    def corpus(items: int) -> cs.Corpus:
        return draw_like(rng, [200] * items, 0.1, people)[0]

    true = np.std([cs.agree(corpus(40), "B", "percentage").value for _ in range(pilots * 3)], ddof=1)
    print(f"standard error of B with 40 items: {true:.4f}")
    for size in (5, 10, 20):
        found = [
            cs.plan(corpus(size), "B", coefficient="percentage", simulate=False).item_sd / np.sqrt(40)
            for _ in range(pilots)
        ]
        low, high = np.quantile(found, [0.05, 0.95])
        print(
            f"   predicted from {size} items: mean {np.mean(found):.4f}, 5 to 95 % {low:.4f} to {high:.4f}", flush=True
        )


def real(folder: str) -> None:
    """Leave one annotator out: B of the gold standard of the others, by majority and by the model, and the log loss of their marks."""
    chapters = Path(folder)
    corpora = {"Stargazer": cs.samples.load("stargazer"), "Kubla Khan": cs.samples.load("kubla")}
    if chapters.exists():
        corpora["Moonstone, 5 chapters nested"] = (
            cs.read(chapters, pattern="{item}/*-{coder}.csv") if any(chapters.glob("*/*.csv")) else cs.read(chapters)
        )
    for name, corpus in corpora.items():
        predict(name, corpus)


def predict(name: str, corpus: cs.Corpus) -> None:
    """Score both gold standards against the annotator who was left out, and their probabilities by log loss."""
    flat = cs.Corpus.from_annotations(
        [(a.item, a.coder, a.marks.boundaries() if isinstance(a.marks, cs.Hierarchy) else a.marks) for a in corpus]
    )
    scores, losses = [], []
    for coder in flat.coders:
        others = flat.select(coders=[c for c in flat.coders if c != coder])
        theirs = flat.select(coders=[coder])
        truth = cs.Corpus.from_annotations([(a.item, "truth", a.marks) for a in theirs])
        others = others.select(items=[i for i in truth.items if i in others.items])
        model = cs.fit_annotators(others, intervals=None)
        scores.append((gold_quality(majority(others), truth)[1], gold_quality(model.golds, truth)[1]))
        shares, post, marked = [], [], []
        typical = float(np.nanmedian([p.hit_rate for p in model.annotators.values()]))
        noise = float(np.nanmedian([p.false_alarm_rate for p in model.annotators.values()]))
        for item in others.items:
            own = np.zeros(int(truth[item, "truth"].length) - 1)
            own[truth[item, "truth"].positions - 1] = 1
            coded = [others[item, c] for c in others.coders_of(item)]
            votes = sum(np.isin(np.arange(1, len(own) + 1), marks.positions) for marks in coded)
            shares.append((votes + 0.5) / (len(coded) + 1))
            moved = np.convolve(
                model.posterior(item),
                np.median([p.displacement.values for p in model.annotators.values()], axis=0),
                "same",
            )
            post.append(np.clip(1 - (1 - typical * moved) * (1 - noise), 1e-3, 1 - 1e-3))
            marked.append(own)
        y = np.concatenate(marked)
        losses.append(
            [-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) for p in (np.concatenate(shares), np.concatenate(post))]
        )
    vote, fitted = np.mean(scores, axis=0)
    print(f"{name} ({len(flat.items)} items, {len(flat.coders)} annotators): B with the annotator left out, majority {vote:.3f}, model {fitted:.3f}; "
          "log loss per gap, vote shares {:.3f}, model {:.3f}".format(*np.mean(losses, axis=0)), flush=True)  # fmt: skip


if __name__ == "__main__":
    what, *arguments = sys.argv[1:] or ["speed"]
    {"speed": speed, "quality": quality, "failures": failures, "coverage": coverage, "plans": plans, "real": real}[
        what
    ](*arguments)
