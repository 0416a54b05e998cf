"""Scores of the vowel models that ship, on test sets that none of them was trained on.

    python benchmarks/vowels_shipped.py nakdimon FOLDER      # the 102 documents of modern Hebrew: hebrew-modern.tar.xz
    python benchmarks/vowels_shipped.py tashkeela FOLDER     # Fadel's test lines: tashkeela-test.txt
    python benchmarks/vowels_shipped.py text FILE --language arabic   # any text with marks, packed or not: Wild2Max, WikiNews, CATT
    python benchmarks/vowels_shipped.py hebrew-bible         # test verses of seed 0
    python benchmarks/vowels_shipped.py quran

Prints the words right, the scores of the field, the calibration errors of words and letters with the mean probability of words, and words per second of CPU time.
"""

from __future__ import annotations

import argparse
import lzma
import time
import warnings
from pathlib import Path

import numpy as np

from caesura_vowels import RestoredWord, VowelRestorer, load_corpus, ready, split_random
from caesura_vowels.benchmark import LEAKED, TEST_SETS, score_field
from caesura_vowels.calibration import calibration_error
from caesura_vowels.restored_text import FORMS, letter_probabilities
from caesura_vowels.scripts import Script


def read_test_set(name: str, path: Path | None) -> list[tuple[str, str]]:
    """Return the named texts of a test set."""
    if name in ("hebrew-bible", "quran"):
        corpus = load_corpus(name)
        lines = [corpus.lines[i] for i in split_random(len(corpus), test=0.1, seed=0)[1]]
        return [("verses", "\n\n".join(lines))]
    if path is None:
        raise SystemExit(f"{name} needs the folder or file of its texts.")
    if name == "nakdimon":
        return [(item, text) for item, text in TEST_SETS[name].read(path).test if item not in LEAKED]
    where = path / "tashkeela-test.txt" if name == "tashkeela" else path
    text = lzma.decompress(where.read_bytes()).decode() if where.suffix == ".xz" else where.read_text(encoding="utf-8")
    return [(str(n), line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]


def main() -> None:
    """Read the command line, restore and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test_set", choices=(*TEST_SETS, "text", "hebrew-bible", "quran"))
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--language", choices=("hebrew", "arabic"), default="arabic", help="of a text")
    parser.add_argument("--model", help="the name of a model that ships, or a model file; default: the language's own")
    arguments = parser.parse_args()
    languages = {name: test_set.language for name, test_set in TEST_SETS.items()}
    languages |= {"hebrew-bible": "hebrew", "quran": "arabic", "text": arguments.language}
    language = languages[arguments.test_set]
    chosen = arguments.model or language
    restorer = VowelRestorer.load(chosen) if Path(chosen).is_file() else ready(chosen)
    gold = read_test_set(arguments.test_set, arguments.path)
    script = restorer.script
    warnings.simplefilter("ignore")
    restorer.restore(script.strip(gold[0][1][:400]))
    # Lines are independent texts; documents are restored as a whole.
    separator = "\n\n"
    documents = arguments.test_set in ("nakdimon", "hebrew-bible", "quran")
    texts = [text for _, text in gold] if documents else [separator.join(text for _, text in gold)]
    begin = time.process_time()
    done = [restorer.restore(script.strip(text)) for text in texts]
    seconds = time.process_time() - begin
    right: list[bool] = []
    probability: list[float] = []
    letters: list[tuple[float, bool]] = []
    for before, after in zip(texts, done, strict=True):
        pairs = zip(script.word.findall(before), script.word.findall(after), strict=True)
        right += [plain(script.canonical(a)) == plain(script.canonical(b)) for a, b in pairs]
        words = restorer.restore_nbest(script.strip(before), FORMS)
        probability += [word.probability for word in words]
        letters += [
            pair
            for a, word in zip(script.word.findall(before), words, strict=True)
            for pair in judged_letters(a, word, script)
        ]
    shares, hits = np.array(probability), np.array(right)
    print(f"{len(hits)} words, {100 * hits.mean():.2f} % right, {len(hits) / seconds:.0f} words per second")
    of_letters = calibration_error(*map(np.array, zip(*letters, strict=True)))
    print(
        f"calibration error {calibration_error(shares, hits):.3f}, of letters {of_letters:.3f}; mean probability {shares.mean():.3f}"
    )
    if arguments.test_set not in ("hebrew-bible", "quran"):
        test_set = TEST_SETS["nakdimon" if language == "hebrew" else "tashkeela"]
        ours = done if documents else done[0].split(separator)
        restored = [(item, text) for (item, _), text in zip(gold, ours, strict=True)]
        for name, (score, (low, high)) in score_field(test_set, gold, restored).items():
            print(f"{name} {score:.2f} ({low:.2f} to {high:.2f})")


def judged_letters(gold: str, word: RestoredWord, script: Script) -> list[tuple[float, bool]]:
    """Return the probability of every letter of a restored word, and whether its marks are right."""
    best, other = (
        [x.marks for x in script.split(plain(script.canonical(form)))] for form in (word.alternatives[0][0], gold)
    )
    letters = letter_probabilities(word, script)
    return [(min(1.0, share), a == b) for (_, share), a, b in zip(letters, best, other, strict=True)]


def plain(form: str) -> str:
    """Return a form with qamats qatan as qamats."""
    return form.replace("\u05c7", "\u05b8")


if __name__ == "__main__":
    main()
