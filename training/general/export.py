"""Write a general network as quantized ONNX: python training/general/export.py run/hebrew.0.pt hebrew.packed -o hebrew.onnx.

The range of activations is measured on rows of one pass, varied as in training.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from train import join_parts  # first: it finds the folder nets

from nets.encoder import export_network  # isort: skip
from rows import Mixer, read_packed


def main() -> None:
    """Read the command line and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    rows = Mixer(read_packed(arguments.data)).rows(7, 0, 400)
    pieces = [
        (rows.letters[r][at], rows.words[r][at])
        for r in range(len(rows.letters))
        for n in range(1, int(rows.lines[r].max()) + 1)
        for at in [rows.lines[r] == n]
    ][:400]
    sizes = [len(letters) for letters, _ in pieces]
    whole = join_parts(arguments.network)
    data = {
        "meta": whole["meta"], "train": np.arange(len(pieces)), "offsets": np.cumsum([0, *sizes]),
        "symbols": np.concatenate([letters for letters, _ in pieces]), "words": np.concatenate([words for _, words in pieces]),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        joined = Path(folder) / "network.pt"
        torch.save({name: whole[name] for name in ("plan", "meta", "state")}, joined)
        difference = export_network(joined, arguments.output, data)
    arguments.output.with_suffix(".json").write_text(json.dumps(whole["meta"]), encoding="utf-8")
    print(
        f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB, logits within {difference:.2g} of PyTorch's"
    )


if __name__ == "__main__":
    main()
