"""Two annotators and a deadline: look, agree, unify, export. Run: python examples/two_annotators.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

import caesura as cs
from caesura import samples

corpus = samples.load("stargazer")
print(corpus)

found = cs.agree(corpus, metric="B", coefficient="pi")
print(f"Fleiss' multi-π by B: {found.value:.4f} (observed {found.observed:.4f}, by chance {found.expected:.4f})")

coders = {coder: corpus[corpus.items[0], coder] for coder in corpus.coders}
gold = cs.unify(coders, method="majority")
print("majority:", gold)

with tempfile.TemporaryDirectory() as folder:
    target = Path(folder) / "gold.json"
    cs.write(cs.Corpus.from_dict({"stargazer": {"gold": gold}}), target)
    print("written and read back:", cs.read(target)["stargazer", "gold"])
