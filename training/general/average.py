"""Average the weights of networks that continue one network: python training/general/average.py hebrew.packed one/hebrew.0.pt two/hebrew.0.pt -o mean.

Prints the percentages of correct held-out words of every network and of their mean, and saves the mean. Needs PyTorch and NumPy alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rows import read_packed
from train import held_sets, join_parts, make_run  # makes the folder nets known

from nets.encoder import TrainingConfig  # isort: skip


def main() -> None:
    """Read the command line, score and average."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("networks", type=Path, nargs="+", help="first parts of networks with the same vocabulary")
    parser.add_argument("--shares", type=float, nargs="*", help="the share of each network in the mean; default equal")
    parser.add_argument("--mean-only", action="store_true", help="do not score the networks alone")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    shares = arguments.shares or [1 / len(arguments.networks)] * len(arguments.networks)
    data = read_packed(arguments.data)
    held = held_sets(data)
    wholes = [join_parts(path) for path in arguments.networks]
    run = make_run(data, TrainingConfig(**wholes[0]["plan"]), arguments.output, 1, [])
    states = [{name: weights.float().to(run.device) for name, weights in whole["state"].items()} for whole in wholes]
    if not arguments.mean_only:
        for path, state in zip(arguments.networks, states, strict=True):
            run.average = state
            print(path, json.dumps(run.evaluate(held)), flush=True)
    run.average = {
        name: sum(share * state[name] for share, state in zip(shares, states, strict=True)) for name in states[0]
    }
    result = run.evaluate(held)
    print("mean", shares, json.dumps(result), flush=True)
    run.save(result)


if __name__ == "__main__":
    main()
