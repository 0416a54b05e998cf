"""Make a model file from a general network: python training/general/assemble.py hebrew.onnx hebrew.packed -o hebrew.model.

A model file in place of the network makes the same model again, from the network in it. The network is combined with the lexicon and with letter n-grams of
its forms (see :mod:`form_weights`).

The lexicon has the forms that occur at least twice in the training texts, Hebrew ones also in full spelling, and modern ones with the initial dagesh of texts
for modern readers, and in Hebrew the words of ``modern-words.txt`` with their prefixes. Probabilities are calibrated on held-out lines
of all kinds; the held-out lines of a kind are the last of its text in the packed file.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from form_weights import learn_weights, read_samples
from modern_words import prefixed_forms, read_words
from rows import Mixer, read_packed
from scipy.optimize import minimize
from subset import leave_out

from caesura_vowels import VowelRestorer
from caesura_vowels.calibration import (
    Calibration,
    KindCounts,
    Predictions,
    calibration_error,
    log_odds,
    predict,
    read_held_out,
)
from caesura_vowels.kinds import TextKinds
from caesura_vowels.lexicon import Lexicon, hash_lines
from caesura_vowels.network import Network, networks_of
from caesura_vowels.neural import FormWeights, Neural, count_letters
from caesura_vowels.scripts import HEBREW, Script, script

_KIND_WORDS = 12_000
_MODERN = 2  # the kind that a text is taken for without evidence
_NAMES = {
    "hebrew": ("biblical", "medieval", "modern", "poetry"),
    "arabic": ("quranic", "classical", "modern", "hadith"),
}
NOTICE = {
    "hebrew": "Pointed texts of Project Ben-Yehuda (https://benyehuda.org, public domain, by its volunteers); Open Scriptures Hebrew Bible "
    "(https://github.com/openscriptures/morphhb, CC BY 4.0).",
    "arabic": "This model is licensed under CC BY-SA 4.0. It was trained on: Open Hadith JSON Dataset (github:JamilRayhan/open-hadith-json, CC BY-SA 4.0); "
    "Sunan al-Darimi and Muwatta Malik (github:gadingnst/hadith-api, MIT, (c) 2020 Sutan Nasution); Mozilla Common Voice (CC0 1.0); the Arabic Bible of "
    "Smith and Van Dyck, 1865 (public domain); the Qur'an from quran-text (https://github.com/quran-ws/quran-text, CC BY 4.0).",
}


class Packed:
    """Forms and lines of a packed file as text; ``without`` is the number of a kind whose training lines are left out."""

    def __init__(self, path: Path, without: int | None = None) -> None:
        self.data = read_packed(path)
        if without is not None:
            self.data = leave_out(self.data, without)
        self.meta = self.data["meta"]
        self.kinds = np.unique(self.data["kind"][self.data["repeat"] > 0]).tolist()  # those with training lines
        self.number = self.meta["forms"]
        self.start = np.cumsum(self.data["length"].astype(np.int64)) - self.data["length"]
        self.lines_of = np.concatenate(([0], self.data["ends"]))
        self.dotted = Mixer(self.data).dotted  # forms that modern pointing writes with a dagesh in the first letter

    def form(self, number: int, spelling: int, dotted: bool = False) -> str:
        """Return a form with its marks, ``dotted`` with the initial dagesh of modern pointing."""
        unit = spelling * self.number + number
        start, length = int(self.start[unit]), int(self.data["length"][unit])
        symbols, slots, out = self.meta["symbols"], self.meta["slots"], []
        for cell in range(start, start + length):
            marks = self.data["marks"][cell].tolist()
            if dotted and cell == start and self.dotted[number]:
                marks[1] = 1
            out.append(symbols[self.data["pool"][cell]])
            if marks[0] != 255:
                out += [slots[s][marks[s]] for s in range(len(slots))]
        return "".join(out)

    def line(self, number: int, gaps: list[str], spelling: int, dotted: bool = False) -> str:
        """Return a line as text, ``dotted`` with the initial dagesh of modern pointing."""
        low, high = self.lines_of[number], self.lines_of[number + 1]
        parts = [
            gaps[g] + self.form(t, spelling, dotted)
            for g, t in zip(self.data["before"][low:high].tolist(), self.data["tokens"][low:high].tolist(), strict=True)
        ]
        return "".join(parts) + gaps[int(self.data["tails"][number])]

    def gaps(self) -> list[str]:
        """Return the texts between words."""
        first = self.meta["variants"] * self.number
        spans = zip(
            self.start[first : first + self.meta["gaps"]].tolist(),
            self.data["length"][first : first + self.meta["gaps"]].tolist(),
            strict=True,
        )
        return ["".join(self.meta["symbols"][c] for c in self.data["pool"][a : a + n]) for a, n in spans]

    def complete_words(self, lines: Sequence[int]) -> np.ndarray:
        """Return which words of some lines have all their marks; others cannot tell whether a restored form is right."""
        spans = [range(int(self.lines_of[n]), int(self.lines_of[n + 1])) for n in lines]
        return np.array([not self.ignored(int(self.data["tokens"][at])) for span in spans for at in span], bool)

    def ignored(self, number: int) -> bool:
        """Return whether training ignores a letter of a form, or it has other signs than letters."""
        start, length = int(self.start[number]), int(self.data["length"][number])
        return bool((self.data["marks"][start : start + length, 0] == 255).any())


def make_lexicon(packed: Packed, table: Script, least: int) -> tuple[Lexicon, TextKinds]:
    """Collect the known forms and the words that tell kinds apart."""
    data, kinds = packed.data, len(packed.meta["kinds"])
    line = np.searchsorted(data["ends"], np.arange(len(data["tokens"])), side="right")
    trained = data["repeat"][line] > 0
    counts = np.zeros((packed.number, kinds), np.int64)
    for kind in range(kinds):
        here = trained & (data["kind"][line] == kind)
        counts[:, kind] = np.bincount(data["tokens"][here], minlength=packed.number)
    total = counts.sum(axis=1)
    forms: defaultdict[str, int] = defaultdict(int)
    by_kind: defaultdict[str, Any] = defaultdict(lambda: np.zeros(kinds, np.int64))
    for n in np.flatnonzero(total >= least).tolist():
        if packed.ignored(n):
            continue
        for spelling in (0, 1) if table.name == "hebrew" else (0,):
            form = packed.form(n, spelling)
            forms[table.canonical(form)] += int(total[n])
            by_kind[table.strip(form)] += counts[n]
            if packed.dotted[n] and counts[n, _MODERN]:
                forms[table.canonical(packed.form(n, spelling, dotted=True))] += int(counts[n, _MODERN])
    listed = listed_forms() if table.name == "hebrew" and _MODERN in packed.kinds else set()
    for form in listed:
        forms[form] = max(forms[form], least)
    bare: defaultdict[str, list[str]] = defaultdict(list)
    for form in forms:
        bare[table.strip(form)].append(form)
    names = sorted(bare)
    # Forms that are rare beside the usual one are mistakes of the texts more often than not.
    kept = []
    for word in names:
        ranked = sorted(bare[word], key=lambda form: (form not in listed, -forms[form], form))
        most = max(forms[form] for form in ranked)
        found = [form for form in ranked if form in listed or forms[form] >= 0.002 * most][:24]
        kept.append(sorted(found, key=lambda form: (-forms[form], form)))
    pointed = [form for each in kept for form in each]
    lexicon = Lexicon(
        tuple(names), tuple(pointed), np.cumsum([0, *map(len, kept)]), np.array([forms[f] for f in pointed], np.int64)
    )
    frequent = sorted(by_kind, key=lambda word: -int(by_kind[word].sum()))[:_KIND_WORDS]
    names, trained_kinds = [_NAMES[table.name][kind] for kind in packed.kinds], packed.kinds
    usual = trained_kinds.index(_MODERN if _MODERN in trained_kinds else int(counts.sum(axis=0).argmax()))
    kinds_ = TextKinds.count(names, usual, controls(packed), {word: by_kind[word][trained_kinds] for word in frequent})
    return lexicon, kinds_


def listed_forms() -> set[str]:
    """Return the words of ``modern-words.txt``, alone and with frequent prefixes; a model finds others by the rest of the word."""
    words = read_words()
    bare = {HEBREW.strip(word) for word in words}
    return {*map(HEBREW.canonical, words), *(form for word in words for form in prefixed_forms(word, bare, rare=False))}


def controls(packed: Packed) -> list[list[str]]:
    """Return the control symbols of every kind: full and uniform pointing, except for texts that have their own."""
    data = packed.data
    if packed.meta["language"] == "arabic":
        return [[f"<kind {n}>"] for n in packed.kinds]
    out = []
    for kind in packed.kinds:
        lines = (data["kind"] == kind) & (data["repeat"] > 0)
        usual = {name: int(np.bincount(data[name][lines]).argmax()) for name in ("uniform", "dagesh")}
        values = usual if kind == 0 else {"uniform": 2, "dagesh": 2}
        out.append([f"<kind {kind}>", f"<uniform {values['uniform']}>", f"<dagesh {values['dagesh']}>"])
    return out


def training_verses(packed: Packed) -> list[str]:
    """Return the verses of the Bible or the Qur'an that the network was trained on, so that it is not tested on them."""
    gaps, data = packed.gaps(), packed.data
    return [packed.line(n, gaps, 0) for n in np.flatnonzero((data["kind"] == 0) & (data["repeat"] > 0)).tolist()]


#: How many held-out words of each kind calibrate, and how many are combined, in the order of texts.KINDS.
_CALIBRATED = 6000
_COMBINED = {"hebrew": (3500, 5000, 12_000, 5000), "arabic": (3000, 9000, 4000, 9000)}


def held_lines(packed: Packed, table: Script, kind: int, most: int, spelling: int | None) -> list[str]:
    """Return held-out lines of a kind; modern Hebrew in uniform pointing with initial dagesh. Without ``spelling``, every second one is in full spelling."""
    gaps, full = packed.gaps(), kind == _MODERN and table.name == "hebrew"
    return [
        packed.line(n, gaps, (i % 2 if spelling is None else spelling) if full else 0, dotted=full)
        for i, n in enumerate(held_numbers(packed, kind, most))
    ]


def held_numbers(packed: Packed, kind: int, most: int) -> list[int]:
    """Return the numbers of the held-out lines of a kind that have so many words together."""
    data = packed.data
    mine = np.flatnonzero((data["repeat"] == 0) & (data["kind"] == kind))
    mine = mine[(data["uniform"][mine] == 2) | (kind != _MODERN)]
    numbers: list[int] = mine[: int(np.searchsorted(np.cumsum(np.diff(packed.lines_of)[mine]), most))].tolist()
    return numbers


def combine(model: Neural, packed: Packed, table: Script, least: int) -> Neural:
    """Return a model with letter n-grams and the weights of everything; modern Hebrew lines in three spellings."""
    assert model.kinds is not None
    model.letters, model.weights = (
        count_letters(model.alphabet, model.lexicon, least),
        FormWeights(letters_known=1, letters_other=1),
    )
    samples = []
    for name, kind in zip(model.kinds.names, packed.kinds, strict=True):
        for spelling in (0, 1, 4) if kind == _MODERN and table.name == "hebrew" else (0,):
            lines = held_lines(packed, table, kind, _COMBINED[table.name][kind], spelling)
            samples += read_samples(model, lines, table, name)
    model.weights = learn_weights(samples)
    return model


class Calibrated(NamedTuple):
    """The held-out words of a kind: whether they are right and so on, and how many of the first change without embeddings of words."""

    words: Predictions
    changed: int
    compared: int

    def half(self, number: int) -> Calibrated:
        """Return every second word."""
        return self._replace(words=Predictions(*(part[number::2] for part in self.words)))


def calibrate(model: Neural, packed: Packed, table: Script) -> tuple[Calibration, dict[str, Any]]:
    """Calibrate on held-out lines of every kind."""
    assert model.kinds is not None
    found = []
    for name, kind in zip(model.kinds.names, packed.kinds, strict=True):
        lines = held_lines(packed, table, kind, _CALIBRATED, None)
        complete = packed.complete_words(held_numbers(packed, kind, _CALIBRATED))
        words, _ = read_held_out(model, lines, table, name)
        changed = model.count_changed(words, model.decode(words))
        judged = Predictions(*(part[complete] for part in predict(model, lines, table, name)))
        found.append(Calibrated(judged, *changed))
    probability, right, _ = (np.concatenate(part) for part in zip(*(each.words for each in found), strict=True))
    halves = [fit_kinds([each.half(number) for each in found]) for number in (0, 1)]
    crossed = [calibration_error(*_shares(halves[1 - n], [each.half(n) for each in found])) for n in (0, 1)]
    shares = {name: float(each.words.right.mean()) for name, each in zip(model.kinds.names, found, strict=True)}
    result = {
        "passes": 0, "words": len(right), "right": float(right.mean()), "error_before": calibration_error(probability, right),
        "error": round(sum(crossed) / 2, 12), "kinds": shares,
    }  # fmt: skip
    return fit_kinds(found), result


def fit_kinds(found: Sequence[Calibrated]) -> Calibration:
    """Fit the curves on the words of all kinds, as if there were as many of each, and then the offsets of each kind."""
    least = min(len(each.words.right) for each in found)
    drawn = [np.arange(least) * len(each.words.right) // least for each in found]
    parts = zip(
        *(Predictions(*(p[at] for p in each.words)) for each, at in zip(found, drawn, strict=True)), strict=True
    )
    pooled = Calibration.fit(*map(np.concatenate, parts), falls=False)
    rows = []
    for each in found:
        probability, right, known = each.words
        odds = log_odds(pooled(probability, known))
        offsets = [_offset(odds[which], right[which]) for which in (known, ~known)]
        rows.append((*offsets, each.changed / each.compared))
    return replace(pooled, kinds=np.array(rows))


def _offset(odds: np.ndarray, right: np.ndarray) -> float:
    """Return what is added to log odds so that they fit best; a few words change little (the prior of an offset has a deviation of 0.3)."""

    def loss(offset: np.ndarray) -> float:
        return float(np.logaddexp(0, np.where(right, -1, 1) * (odds + offset[0])).sum() + offset[0] ** 2 / 0.18)

    return float(minimize(loss, [0.0]).x[0])


def _shares(calibration: Calibration, found: Sequence[Calibrated]) -> tuple[np.ndarray, np.ndarray]:
    """Return the calibrated probabilities of the words of all kinds, and whether they are right."""
    shares = [calibration(x.words.probability, x.words.known, KindCounts(kind)) for kind, x in enumerate(found)]
    return np.concatenate(shares), np.concatenate([each.words.right for each in found])


def read_network(path: Path) -> Network:
    """Read an exported network with its tables, or that of a model file."""
    if path.suffix == ".model":
        return networks_of(VowelRestorer.load(path).fitted)[0]
    meta = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    words = tuple("".join(meta["symbols"][n] for n in word) for word in meta["words"])
    slots = tuple(map(tuple, meta["slots"]))
    return Network(tuple(meta["symbols"]), meta["first_letter"], slots, words, path.read_bytes())


def make_restorer(network: Path, packed: Packed, least: int) -> VowelRestorer:
    """Return a restorer with a network: collect its lexicon, learn how they are combined, and calibrate; ``least`` is how often a form occurs at least."""
    table = script(packed.meta["language"])
    lexicon, kinds = make_lexicon(packed, table, least)
    print(f"{len(lexicon)} forms of {len(lexicon.bare)} words; {kinds.controls}")
    trained = replace(read_network(network), seen=hash_lines(training_verses(packed), table))
    model = combine(Neural(table, lexicon, trained, kinds), packed, table, max(3, least))
    restorer = VowelRestorer(table.name, "neural")
    restorer._calibration, restorer.validation = calibrate(model, packed, table)
    restorer._fitted, restorer.notice = model, NOTICE[table.name]
    return restorer


def main() -> None:
    """Read the command line and assemble."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--made-for", default="")
    parser.add_argument("--min-count", type=int, default=2, help="how often a form of the lexicon occurs at least")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    restorer = make_restorer(arguments.network, Packed(arguments.data), arguments.min_count)
    restorer.made_for = arguments.made_for
    restorer.save(arguments.output)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB, {restorer.validation}")


if __name__ == "__main__":
    main()
