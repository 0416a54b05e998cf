"""Train the letter networks of ``model="neural"``: a letter encoder over the whole line, one head per slot of marks.

Four steps, each a command of this file; the second runs on a machine that has PyTorch and NumPy alone:

    python training/vowels.py prepare hebrew-bible --seed 0 -o data.npz      # lines -> numbers, split into training, held-out and test lines
    python training/vowels.py train data.npz -o run/ --words 64              # PyTorch, on CUDA or on the CPU; can be resumed
    python training/vowels.py export run/network.pt data.npz -o network.onnx # for onnxruntime, which is all that users need
    python training/vowels.py assemble network.onnx data.npz hebrew-bible -o hebrew.model

A letter has *slots* (Hebrew: dot, doubling, vowel; Arabic: doubling, vowel, dagger alef), each a small choice of its own. Lines are packed into
rows of one fixed shape and separated by an attention mask, so that a whole training step is one CUDA graph.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

# The subpackage nets by itself: the machine with the GPU may have no Caesura.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "caesura-vowels" / "src" / "caesura_vowels"))
from nets.encoder import TrainingConfig
from nets.text import number_lines


def prepare(arguments: argparse.Namespace) -> None:
    """Encode the lines of a corpus as numbers; the vocabulary is that of the training lines alone."""
    from caesura_vowels.lexicon import read_lines
    from caesura_vowels.neural import spell_lines
    from caesura_vowels.scripts import script

    texts, *parts = read_texts(arguments)
    table = script(texts.language)
    lexicon, lines = read_lines(texts.lines, table)
    cells = spell_lines(table, lexicon, lines)
    data = number_lines(cells, *(np.array(part, np.int64) for part in parts), len(table.slots))
    meta = {**data.pop("meta"), "language": texts.language, "notice": texts.notice}
    np.savez_compressed(arguments.output, **data, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8))
    print(f"{arguments.output}: {' + '.join(str(len(part)) for part in parts)} lines, {len(meta['symbols'])} symbols")


def read_texts(arguments: argparse.Namespace) -> tuple[Any, list[int], list[int], list[int]]:
    """Read the corpus and split its lines into training, held-out and test lines; held-out lines serve model selection and calibration."""
    from caesura_vowels.corpora import load_corpus, split_blocks, split_random

    corpus = load_text(arguments.corpus)
    if arguments.block is not None:
        train, test = list(split_blocks(len(corpus)))[arguments.block - 1]
    elif arguments.test_lines is None:
        train, test = split_random(len(corpus), test=arguments.test, seed=arguments.seed)
    else:
        more = [load_corpus("text", file).lines for file in (arguments.held_lines, arguments.test_lines)]
        cuts = np.cumsum([0, len(corpus), *map(len, more)]).tolist()
        corpus = replace(corpus, lines=(*corpus.lines, *more[0], *more[1]))
        return corpus, *(list(range(a, b)) for a, b in itertools.pairwise(cuts))
    training, held = split_random(len(train), test=arguments.held, seed=arguments.seed)
    return corpus, [train[i] for i in training], [train[i] for i in held], list(test)


def load_text(name: str) -> Any:
    """Load a corpus by name, or the text in a file."""
    from caesura_vowels.corpora import load_corpus

    return load_corpus("text", name) if Path(name).exists() else load_corpus(name)


def train(arguments: argparse.Namespace) -> None:
    """Train one network and write its log."""
    from nets.encoder import load_network
    from nets.text import Tables
    from nets.training import train_network

    data = read_data(arguments.data)
    given = {
        f.name: getattr(arguments, f.name) for f in fields(TrainingConfig) if getattr(arguments, f.name) is not None
    }
    arguments.output.mkdir(parents=True, exist_ok=True)

    def log(text: str) -> None:
        print(f"{arguments.output.name}: {text}", flush=True)
        with (arguments.output / "log.txt").open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    config, start = TrainingConfig(**given), None
    if arguments.start is not None:
        network, old, meta = load_network(arguments.start)
        words = ["".join(meta["symbols"][n] for n in word) for word in meta["words"]]
        tables = Tables(meta["symbols"], meta["first_letter"], meta["slots"], words)
        start = tables, {name: weights.numpy() for name, weights in network.state_dict().items()}
        config = replace(
            config, **{name: getattr(old, name) for name in ("width", "layers", "heads", "convolution", "words")}
        )
    train_network(data, config, arguments.output, log, start)


def read_data(path: Path) -> dict[str, Any]:
    """Read a file written by ``prepare``."""
    stored = np.load(path)
    return {k: json.loads(bytes(stored[k])) if k == "meta" else stored[k] for k in stored.files}


def export(arguments: argparse.Namespace) -> None:
    """Write a trained network as quantized ONNX."""
    from nets.encoder import export_network

    difference = export_network(arguments.network, arguments.output, read_data(arguments.data))
    print(
        f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB, logits within {difference:.1g} of PyTorch's"
    )


def assemble(arguments: argparse.Namespace) -> None:
    """Make a model file from a network, its data and its corpus, calibrated on the held-out lines."""
    from caesura_vowels import VowelRestorer
    from caesura_vowels.calibration import validate_on_held_out
    from caesura_vowels.lexicon import hash_lines, read_lines
    from caesura_vowels.neural import Neural, make_network

    data = read_data(arguments.data)
    corpus = load_text(arguments.corpus)
    lines = corpus.lines if arguments.held_lines is None else corpus.lines + load_text(arguments.held_lines).lines
    restorer = VowelRestorer(corpus.language, "neural", seed=arguments.seed)
    training, held = ([lines[i] for i in data[part].tolist()] for part in ("train", "held"))
    lexicon, _ = read_lines([*training, *held], restorer.script)
    network = make_network(data["meta"], arguments.network.read_bytes())
    network = replace(network, seen=hash_lines(training, restorer.script))
    model = Neural(restorer.script, lexicon, network)
    # Calibrate with the words of the training lines alone, so that some held-out words are unseen.
    trained = Neural(restorer.script, read_lines(training, restorer.script)[0], network)
    validation = validate_on_held_out(iter([(0, trained)]), held, restorer.script, arguments.seed)
    restorer._calibration, restorer.validation = validation.calibration, validation.as_dict()
    restorer._fitted, restorer.notice, restorer.made_for = model, corpus.notice, arguments.made_for
    restorer.save(arguments.output)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB, {restorer.validation}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare", help="number the lines of a corpus, or of a text with vowels")
    one.add_argument("corpus", help="hebrew-bible, quran, … or a file")
    one.add_argument("--test", type=float, default=0.1, help="share of lines held out at random")
    one.add_argument("--held", type=float, default=0.02, help="share of the others held out for calibration")
    one.add_argument("--held-lines", type=Path, help="a file of lines for calibration, with --test-lines")
    one.add_argument("--test-lines", type=Path, help="a file of lines to test on, instead of a random share")
    one.add_argument("--block", type=int, choices=range(1, 11), help="the contiguous tenth to test on, instead")
    one.add_argument("--seed", type=int, default=0)
    one.set_defaults(do=prepare)
    two = commands.add_parser("train", help="train a network")
    two.add_argument("data", type=Path)
    for field in fields(TrainingConfig):
        two.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), help=f"default {field.default}")
    two.add_argument("--start", type=Path, help="a network.pt to continue from; its size is kept")
    two.set_defaults(do=train)
    three = commands.add_parser("export", help="write a network as ONNX")
    three.add_argument("network", type=Path)
    three.add_argument("data", type=Path, help="its training data, used to measure the range of activations")
    three.set_defaults(do=export)
    four = commands.add_parser("assemble", help="make a model file from a network")
    four.add_argument("network", type=Path)
    four.add_argument("data", type=Path)
    four.add_argument("corpus")
    four.add_argument("--held-lines", help="the file of held-out lines, if `prepare` was given one")
    four.add_argument(
        "--made-for", default="", help="the kind of text the model is for; named in a warning about other text"
    )
    four.add_argument("--seed", type=int, default=0)
    four.set_defaults(do=assemble)
    for command in (one, two, three, four):
        command.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
