"""Words right in text that is written in other ways than a model's training text: words per line, punctuation, maqaf.

    python benchmarks/vowels_robustness.py hebrew --verses 400
    python benchmarks/vowels_robustness.py arabic --verses 300

The test verses of the Hebrew Bible or the Qur'an (seed 0) are cut into lines of so many words, with signs put between words. `hmm`, trained on the training
verses, is the peer.
"""

from __future__ import annotations

import argparse
import warnings

from caesura_vowels import VowelRestorer, load_corpus, ready, split_random

_SIGNS = {"none": "", "a comma after every word": ",", "a full stop after every line": "."}


def vary(verses: list[str], words: int | None, sign: str, joiner: str, comma: str) -> str:
    """Write verses anew: so many words per line (None: whole verses), with signs and another joiner."""
    lines = []
    for verse in verses:
        parts = verse.replace("\u05be", " \u05be").split(" ")
        for start in range(0, len(parts), words or len(parts)):
            some = parts[start : start + (words or len(parts))]
            some[0] = some[0].lstrip("\u05be")
            line = f"{comma if sign == ',' else ''} ".join(some) + (comma if sign == "," else sign)
            lines.append(line.replace(" \u05be", joiner))
    return "\n".join(lines)


def words_right(restorer: VowelRestorer, text: str) -> float:
    """Return the percentage of words with all marks right."""
    script = restorer.script
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        restored = restorer.restore(script.strip(text))
    pairs = list(zip(script.word.findall(text), script.word.findall(restored), strict=True))
    return 100 * sum(script.canonical(a) == script.canonical(b) for a, b in pairs) / len(pairs)


def main() -> None:
    """Print one row per way of writing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=("hebrew", "arabic"))
    parser.add_argument("--verses", type=int, default=400)
    arguments = parser.parse_args()
    hebrew = arguments.language == "hebrew"
    corpus = load_corpus("hebrew-bible" if hebrew else "quran")
    train, test = split_random(len(corpus), test=0.1, seed=0)
    verses = [corpus.lines[i] for i in test[:: max(1, len(test) // arguments.verses)]][: arguments.verses]
    names = ("hebrew", "hebrew-biblical") if hebrew else ("arabic", "arabic-quranic")
    models = {name: ready(name) for name in names}
    models["hmm"] = VowelRestorer(arguments.language, "hmm", held_out=0).fit([corpus.lines[i] for i in train])
    joiners = {"maqaf": "\u05be", "a space for maqaf": " ", "a hyphen for maqaf": "-"} if hebrew else {"": " "}
    print(f"| words per line | signs | maqaf | {' | '.join(models)} |\n|---|---|---|{'---|' * len(models)}")
    for words in (None, 8, 3, 1):
        for sign_name, sign in _SIGNS.items():
            for joiner_name, joiner in joiners.items():
                text = vary(verses, words, sign, joiner, "," if hebrew else "،")
                scores = [f"{words_right(model, text):.1f}" for model in models.values()]
                print(f"| {words or 'verse'} | {sign_name} | {joiner_name} | {' | '.join(scores)} |", flush=True)


if __name__ == "__main__":
    main()
