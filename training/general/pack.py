"""Pack texts as numbers for a machine that has PyTorch and NumPy alone.

A text is a sequence of words, each with the gap before it. Every pointed word is stored once, with its letters in several spellings: as written, in full
spelling (Hebrew, drawn twice), in a mixture of both, and with matres by chance; in Arabic with and without hamzas on alef. :mod:`rows` varies spellings
and gaps while training.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rows import write_packed
from texts import KINDS, Text

from caesura_vowels.full_spelling import Mater, matres
from caesura_vowels.network import marks_by_slot, spell_gap
from caesura_vowels.scripts import Script

IGNORED = 255  # marks of a letter that training ignores
MAX_WORDS = 48_000  # words with an embedding
VARIANTS = {"hebrew": 5, "arabic": 3}  # spellings of a form
CONTROLS = {"kind": 4, "uniform": 3, "dagesh": 3}  # how many values each control symbol has
_SIGNS = {"\u05f3": "'", "\u05f4": '"'}
_JOINERS = ("\u05be", "-")
_QUOTES = '\u201c\u201d\u201e"\u05f4\u00ab\u00bb'
#: Gaps that are put between words at random: Hebrew, Arabic.
_EXTRA_GAPS = {
    "hebrew": [" ", ", ", ". ", "; ", ": ", " - ", " – ", "? ", "! ", "… ", " (", ") ", ' "', '" ', " “", "” ", " 0 ", " 00 ", " 0000 ",
               " aaaa ", "/", " / ", "-", "\u05be", "' ", "), ", '", ', ".", "?", "!", ":", '."', " [", "] ", "*", " * ", "— ", " 0. ", ",", "0) "],
    "arabic": [" ", "، ", ". ", "؛ ", ": ", " - ", " – ", "؟ ", "! ", "... ", " (", ") ", ' "', '" ', " «", "» ", " 0 ", " 00 ", " 0000 ",
               " aaaa ", "/", " / ", "-", " ، ", ", ", " : ", " . ", ".", "؟", "!", ":", '."', " [", "] ", "*", " * ", "— ", " 0. ", "،", " { ", " } "],
}  # fmt: skip


def pack(texts: Sequence[Text], script: Script, path: Path) -> dict[str, Any]:
    """Write the packed texts; return the meta data."""
    spelled: dict[str, int] = {}
    pointed: list[str] = []
    tokens: list[int] = []
    gaps: dict[str, int] = {gap: n for n, gap in enumerate(["", *_EXTRA_GAPS[script.name]])}
    before: list[int] = []
    tails: list[int] = []
    line_of: list[int] = []
    rows: list[tuple[int, int, int]] = []  # kind, repeat (0: held out), text
    kinds = KINDS[script.name]
    for number, text in enumerate(texts):
        for repeat, lines in ((text.repeat, text.lines), (0, text.held)):
            for line in lines:
                parts = script.word_or_gap.split(line)
                if len(parts) < 3:
                    continue
                for gap, word in zip(parts[::2], parts[1::2], strict=False):
                    known = spelled.get(word)
                    if known is None:
                        form = script.canonical(word)
                        known = spelled.get("=" + form)
                        if known is None:
                            known = spelled["=" + form] = len(pointed)
                            pointed.append(form)
                        spelled[word] = known
                    tokens.append(known)
                    before.append(gaps.setdefault(_gap(gap), len(gaps)))
                    line_of.append(len(rows))
                tails.append(gaps.setdefault(_gap(parts[-1]), len(gaps)))
                rows.append((kinds.index(text.kind), repeat, number))
    print(f"{len(tokens)} words, {len(pointed)} forms, {len(gaps)} gaps, {len(rows)} lines", flush=True)
    table = np.array(rows, np.int64)
    data: dict[str, Any] = {
        "tokens": np.array(tokens, np.int32),
        "before": np.array(before, np.int32),
        "tails": np.array(tails, np.int32),
        "ends": np.cumsum(np.bincount(np.array(line_of), minlength=len(rows))).astype(np.int64),
        "kind": table[:, 0].astype(np.uint8),
        "repeat": table[:, 1].astype(np.uint8),
    }
    data["uniform"], data["dagesh"] = judge_pointing(script, pointed, data, table[:, 2])
    listed = np.array([text.listed for text in texts])[table[:, 2]]
    data["uniform"][listed] = data["dagesh"][listed] = 2
    of_line = np.searchsorted(data["ends"], np.arange(len(tokens)), side="right")
    forms = spell_forms(script, pointed, data, set(data["tokens"][listed[of_line]].tolist()))
    gap_list = list(gaps)
    symbols, first_letter = number_symbols(script, forms, gap_list, data)
    number = {symbol: n for n, symbol in enumerate(symbols)}
    pool, marks, length, slots = lay_out(script, forms, gap_list, number)
    data |= {"pool": pool, "marks": marks, "length": length}
    data["word"], words = number_words(forms, data)
    data["gap_styles"] = gap_styles(gap_list, gaps)
    meta = {
        "symbols": symbols, "first_letter": first_letter, "slots": slots, "words": words, "space": number[" "],
        "language": script.name, "kinds": kinds, "forms": len(pointed), "gaps": len(gap_list), "extra": _EXTRA_GAPS[script.name],
        "controls": CONTROLS, "variants": VARIANTS[script.name], "texts": [f"{text.kind} x{text.repeat}" for text in texts],
    }  # fmt: skip
    write_packed(path, data, meta)
    return meta


def _gap(gap: str) -> str:
    """Return a gap as the network reads it, at most twelve characters of it."""
    return spell_gap(gap)[:12]


def judge_pointing(
    script: Script, pointed: Sequence[str], data: dict[str, Any], text: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Judge blocks of 60 lines by their pointing.

    The first result is how often frequent words have their usual form (thirds of the text), the second, in Hebrew, how often begadkefat letters at
    the beginning of words have a dagesh (in nearly all words, in most, in fewer).

    Usual forms are those of the blocks that write the initial dagesh, which is what texts for modern readers do.
    """
    tokens, ends = data["tokens"], data["ends"]
    lines = np.arange(len(ends))
    change = np.concatenate(([True], (text[1:] != text[:-1]) | (data["repeat"][1:] != data["repeat"][:-1])))
    first = np.maximum.accumulate(np.where(change, lines, 0))
    block_of_line = np.cumsum((lines - first) % 60 == 0) - 1
    block = block_of_line[np.searchsorted(ends, np.arange(len(tokens)), side="right")]
    blocks = int(block_of_line[-1]) + 1
    if script.name == "arabic":
        zero = np.zeros(len(ends), np.uint8)
        return zero + 2, zero + 2
    begins = np.array([form[0] in "בכפגדת" and len(form) > 1 for form in pointed])
    dotted = np.array(["\u05bc" in form[1:3] for form in pointed])
    asked, given = begins[tokens], (begins & dotted)[tokens]
    share = np.bincount(block, given, blocks) / np.maximum(np.bincount(block, asked, blocks), 1)
    dagesh = np.where(share > 0.97, 2, np.where(share > 0.85, 1, 0)).astype(np.uint8)
    bare = [script.strip(form) for form in pointed]
    number = {word: n for n, word in enumerate(dict.fromkeys(bare))}
    bare_of = np.array([number[word] for word in bare])
    good = (dagesh[block] == 2) & (data["kind"][np.searchsorted(ends, np.arange(len(tokens)), side="right")] == 2)
    counts = np.bincount(tokens[good], minlength=len(pointed))
    total = np.bincount(bare_of, counts, len(number))
    best = np.zeros(len(number))
    np.maximum.at(best, bare_of, counts)
    usual = (counts == best[bare_of]) & (counts > 0)
    judged = (total >= 40) & (best >= 0.6 * total)
    asked, given = judged[bare_of][tokens], (judged[bare_of] & usual)[tokens]
    agreement = np.bincount(block, given, blocks) / np.maximum(np.bincount(block, asked, blocks), 1)
    modern = np.unique(block[data["kind"][np.searchsorted(ends, np.arange(len(tokens)), side="right")] == 2])
    low, high = np.quantile(agreement[modern], [1 / 3, 2 / 3])
    uniform = np.digitize(agreement, [low, high]).astype(np.uint8)
    print(
        f"agreement with usual forms: thirds at {low:.3f} and {high:.3f}; initial dagesh {np.bincount(dagesh)} blocks"
    )
    return uniform[block_of_line], dagesh[block_of_line]


#: A letter with its marks per slot (None: ignored in training), or a sign.
Cell = tuple[str, Sequence[str] | None]


def spell_forms(
    script: Script, pointed: Sequence[str], data: dict[str, Any], full: set[int]
) -> list[list[list[tuple[str, Any]]]]:
    """Return the cells of every form in all spellings; the numbers in ``full`` are forms in full spelling already."""
    counts = np.bincount(data["tokens"], minlength=len(pointed))
    known = Counter()
    for form, times in zip(pointed, counts.tolist(), strict=True):
        known[script.strip(form)] += times
    random = np.random.default_rng(0)
    line = np.searchsorted(data["ends"], np.arange(len(data["tokens"])), side="right")
    recited = {pointed[n] for n in np.unique(data["tokens"][data["kind"][line] == 0]).tolist()}
    knows = lambda word: known[word] >= 3  # noqa: E731
    forms = []
    for number, form in enumerate(pointed):
        letters = [(x.read, x.marks) for x in script.split(form)]
        quranic = form in recited
        bare = script.name == "arabic" and not quranic and len(letters) > 1 and not any(marks for _, marks in letters)
        cells: list[list[tuple[str, Any]]] = []
        for n, (read, marks) in enumerate(letters):
            ignored = bare or (script.name == "arabic" and not quranic and _is_left_out(letters, n))
            cells.append([(read[:1], None if ignored else marks_by_slot(marks, script))])
            cells[-1] += [(_SIGNS[sign], ()) for sign in read[1:] if sign in _SIGNS]
        plain = [cell for letter in cells for cell in letter]
        if number in full:
            forms.append([plain] * VARIANTS[script.name])
        elif script.name == "hebrew":
            drawn = (_insert(letters, cells, knows, random, share) for share in (1.0, 0.5, 1.0))
            forms.append([plain, *drawn, _insert(letters, cells, knows, random, 0.7, _chance_matres)])
        else:
            forms.append([plain, *(_drop_hamza(plain, random, share) for share in (1.0, 0.5))])
    return forms


def _is_left_out(letters: Sequence[tuple[str, str]], n: int) -> bool:
    """Return whether a mark was left out: of a first or last consonant, or of a lam before alef with hamza, which some sources lose."""
    letter, marks = letters[n]
    if marks or letter[0] in "\u0627\u0648\u064a\u0649\u0622":
        return False
    edge = len(letters) > 1 and n in (0, len(letters) - 1)
    lam = letter == "\u0644" and n + 1 < len(letters) and letters[n + 1][0][0] in "\u0623\u0625" and n > 0
    return edge or (lam and letters[n - 1][0] != "\u0627")


def _insert(
    letters: Any, cells: Any, knows: Any, random: Any, share: float, more: Any = lambda word: []
) -> list[tuple[str, Any]]:
    """Return the cells with some matres: ``share`` times as often as writers put them, and ``more`` besides."""
    word = [(read[:1], marks) for read, marks in letters]
    if any(len(read) > 1 for read, _ in letters):
        return [cell for letter in cells for cell in letter]
    drawn = [m for m in matres(word, knows) if random.random() < m.probability * share]
    drawn += [m for m in more(word) if random.random() < m.probability]
    chosen = list({m.at: m for m in reversed(drawn)}.values())
    out = []
    for n in range(len(cells) + 1):
        out += [(m.letter, ("", "", "")) for m in chosen if m.at == n]
        out += cells[n] if n < len(cells) else []
    return out


def _chance_matres(word: Any) -> list[Mater]:
    """Return matres beyond the rules, because writers of names and loan words follow none: after hiriq, tsere, segol, and a doubled yod or vav."""
    found = []
    for i, ((letter, marks), (following, _)) in enumerate(pairwise(word)):
        if following == "י" or letter == "י":
            continue
        for vowel, probability in (("\u05b4", 0.4), ("\u05b5", 0.2), ("\u05b6", 0.05)):
            if vowel in marks:
                found.append(Mater(i + 1, "י", probability))
        if (
            letter == "ו"
            and i > 0
            and following != "ו"
            and any(v in marks for v in "\u05b0\u05b4\u05b5\u05b6\u05b7\u05b8")
        ):
            found.append(Mater(i + 1, "ו", 0.3))
    return found


def _drop_hamza(plain: Any, random: Any, share: float) -> list[tuple[str, Any]]:
    return [("\u0627" if c in "\u0623\u0625" and random.random() < share else c, m) for c, m in plain]


def number_symbols(script: Script, forms: Any, gaps: Sequence[str], data: dict[str, Any]) -> tuple[list[str], int]:
    """Assign numbers to control symbols, the frequent characters between words, and letters."""
    used = np.bincount(data["before"], minlength=len(gaps)) + np.bincount(data["tails"], minlength=len(gaps))
    counts: Counter[str] = Counter()
    for gap, times in zip(gaps, used.tolist(), strict=True):
        for c in gap:
            counts[c] += times
    for gap in _EXTRA_GAPS[script.name]:
        for c in gap:
            counts[c] += 1000
    kept = sorted(c for c, times in counts.items() if times >= 60 and not re.match("[\ue000-\uf8ff]", c))
    letters = sorted({c for variants in forms for cells in variants for c, marks in cells if marks != ()})
    controls = [f"<{name} {n}>" for name, values in CONTROLS.items() for n in range(values)]
    signs = sorted({"'", '"'} - set(kept)) if script.name == "hebrew" else []
    symbols = ["<pad>", "<hidden>", "<other>", *controls, *kept, *signs, *letters]
    return symbols, len(symbols) - len(letters)


def lay_out(script: Script, forms: Any, gaps: Sequence[str], number: dict[str, int]) -> Any:
    """Lay out the cells of all spellings, then of all gaps, then of all combinations of control symbols in one array."""
    slots = len(script.slots)
    seen = [{m[i] for variants in forms for c, m in variants[0] if m} - {""} for i in range(slots)]
    values = [["", *sorted(each)] for each in seen]
    numbers = [{value: n for n, value in enumerate(slot)} for slot in values]
    pool: list[int] = []
    marks: list[list[int]] = []
    length: list[int] = []
    ignored = [IGNORED] * slots
    cache: dict[Any, list[int]] = {}
    for v in range(VARIANTS[script.name]):
        for variants in forms:
            length.append(len(variants[v]))
            for c, m in variants[v]:
                pool.append(number[c])
                if not m:
                    marks.append(ignored)
                else:
                    key = tuple(m)
                    if key not in cache:
                        cache[key] = [table[x] for table, x in zip(numbers, m, strict=True)]
                    marks.append(cache[key])
    space = number[" "]
    for gap in gaps:
        cells: list[int] = []
        for c in gap:
            n = number.get(c, space)
            if not (n == space and cells and cells[-1] == space):
                cells.append(n)
        length.append(len(cells))
        pool += cells
        marks += [ignored] * len(cells)
    for kind in range(-1, CONTROLS["kind"]):
        for uniform in range(-1, CONTROLS["uniform"]):
            for dagesh in range(-1, CONTROLS["dagesh"]):
                given = {"kind": kind, "uniform": uniform, "dagesh": dagesh}
                cells = [number[f"<{name} {n}>"] for name, n in given.items() if n >= 0]
                length.append(len(cells))
                pool += cells
                marks += [ignored] * len(cells)
    return (
        np.array(pool, np.uint8),
        np.array(marks, np.uint8),
        np.array(length, np.uint8),
        values,
    )


def number_words(forms: Any, data: dict[str, Any]) -> tuple[np.ndarray, list[str]]:
    """Give the most frequent spellings a number from 1 on; return the number of every spelling of every form."""
    repeat = data["repeat"][np.searchsorted(data["ends"], np.arange(len(data["tokens"])), side="right")]
    counts = np.bincount(data["tokens"], repeat, len(forms))
    words = [["".join(c for c, _ in v) if all(m != () for _, m in v) else "" for v in variants] for variants in forms]
    weight: Counter[str] = Counter()
    for variants, times in zip(words, counts.tolist(), strict=True):
        for word, share in zip(variants, (0.4, 0.3, 0.1, 0.2), strict=False):
            weight[word] += times * share
    del weight[""]
    known = sorted(word for word, times in weight.most_common(MAX_WORDS) if times >= 2)
    number = {word: n for n, word in enumerate(known, 1)}
    return np.array([[number.get(v, 0) for v in spelled] for spelled in zip(*words, strict=True)], np.uint16), known


def gap_styles(gaps: Sequence[str], number: dict[str, int]) -> np.ndarray:
    """Return for every gap: itself with plain quotes, without quotes, with a space before it, 1 where it is a joiner, 1 where it is a space."""

    def find(gap: str) -> int:
        return number.get(gap, number.get(gap.strip(), number[" "]))

    rows = []
    for gap in gaps:
        plain = re.sub(f"[{_QUOTES}]", '"', gap)
        none = re.sub(" +", " ", re.sub(f"[{_QUOTES}]", "", gap))
        spaced = re.sub(" +", " ", " " + gap)
        joiner = gap in _JOINERS
        rows.append((find(plain), find(none) if none else number[""], find(spaced), int(joiner), int(gap == " ")))
    return np.array(rows, np.int32)
