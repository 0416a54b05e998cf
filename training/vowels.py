"""Train the letter networks behind ``model="neural"``: a letter encoder over the whole line, one head per slot of marks.

Three steps, each a command of this file, so that only the middle one needs a GPU and none but the first needs Caesura:

    python training/vowels.py prepare hebrew-bible --seed 0 -o data.npz      # lines -> numbers, split into training and test
    python training/vowels.py train data.npz -o run/ --words 64               # PyTorch, on CUDA or on the CPU; can be resumed
    python training/vowels.py export run/network.pt -o network.onnx          # for onnxruntime, which is all that users need

A letter has *slots* (Hebrew: dot, doubling, vowel; Arabic: doubling, vowel, dagger alef), each a small choice of its own. Lines are packed into
rows of one fixed shape and kept apart by an attention mask, so that a whole training step is one CUDA graph.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import time
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

PAD, HIDDEN = 0, 1  # numbers of the two symbols that no text has
GAP = 4  # pads between the lines of a row: wider than half a convolution, so that no line sees another


@dataclass(frozen=True)
class Plan:
    """Everything that a run depends on besides its data."""

    width: int = 256
    layers: int = 6
    heads: int = 8
    convolution: int = 5
    dropout: float = 0.3
    hide_words: float = 0.1
    hide_letters: float = 0.03
    smoothing: float = 0.02
    rate: float = 1e-3
    decay: float = 0.05
    averaging: float = 0.998
    rows: int = 24
    length: int = 384
    passes: int = 250
    seed: int = 0
    words: int = 64
    word_drop: float = 0.3


# ---------------------------------------------------------------------- lines as numbers

#: Names of the marks that have a slot of their own; all others share the slot of vowels, whose place is None.
SLOTS: dict[str, tuple[set[str] | None, ...]] = {
    "hebrew": ({"shin dot", "sin dot"}, {"dagesh"}, None),
    "arabic": ({"shadda"}, None, {"dagger alef"}),
}


def part_marks(marks: str, names: Any, slots: tuple[set[str] | None, ...]) -> list[str]:
    """Part the marks on one letter into its slots."""
    own = [slot for slot in slots if slot is not None]
    shared = "".join(m for m in marks if not any(names[m] in slot for slot in own))
    return [shared if slot is None else "".join(m for m in marks if names[m] in slot) for slot in slots]


def spell_gap(gap: str) -> str:
    """Spell what stands between words for the network: one blank for all, one digit, one Latin letter."""
    letters = (" " if c.isspace() else "0" if c.isdigit() else "a" if c.isascii() and c.isalpha() else c for c in gap)
    return re.sub(" +", " ", "".join(letters))


def spell_line(line: str, script: Any) -> list[tuple[str, list[str] | None]]:
    """Spell a line as symbols, each letter with the marks of its slots, everything else with None."""
    cells: list[tuple[str, list[str] | None]] = []
    for index, part in enumerate(script.word_or_gap.split(line)):
        if index % 2 == 0:
            cells += [(c, None) for c in spell_gap(part)]
        else:
            cells += [(x.read, part_marks(x.marks, script.targets, SLOTS[script.name])) for x in script.split(part)]
    return cells


def prepare(arguments: argparse.Namespace) -> None:
    """Number the lines of a corpus; symbols, values of slots and known words are those of the training lines alone."""
    from caesura.vowels.corpora import load_corpus, split_random
    from caesura.vowels.scripts import script

    named = not Path(arguments.corpus).exists()
    corpus = load_corpus(arguments.corpus) if named else load_corpus("text", arguments.corpus)
    train, test = split_random(len(corpus), test=arguments.test, seed=arguments.seed)
    lines = [spell_line(line, script(corpus.language)) for line in corpus.lines]
    seen = [cell for line in train for cell in lines[line]]
    gaps = sorted(c for c, number in Counter(c for c, marks in seen if marks is None).items() if number >= 5)
    letters = sorted({c for c, marks in seen if marks is not None})
    symbols = ["<pad>", "<hidden>", "<other>", *gaps, *letters]
    number = {c: i for i, c in enumerate(symbols)}
    slots = [["", *sorted({m[i] for _, m in seen if m is not None} - {""})] for i in range(3)]
    values = [{value: i for i, value in enumerate(slot)} for slot in slots]
    cells = [cell for line in lines for cell in line]
    data: dict[str, Any] = {
        "symbols": np.array([number.get(c, 2) for c, _ in cells], np.uint8),
        # A combination never seen in training has a number of its own that no network gives: it counts as wrong.
        "marks": np.array([[0, 0, 0] if m is None else [v.get(x, 255) for v, x in zip(values, m, strict=True)] for _, m in cells], np.uint8),
        "offsets": np.cumsum([0, *map(len, lines)]),
        "train": np.array(train),
        "test": np.array(test),
    }  # fmt: skip
    first_letter = 3 + len(gaps)
    data["words"], data["unseen"], known = number_words(data, first_letter)
    meta = {
        "language": corpus.language,
        "symbols": symbols,
        "first_letter": first_letter,
        "slots": slots,
        "words": known,
    }
    meta |= {"space": number[" "], "notice": corpus.notice}
    np.savez_compressed(arguments.output, **data, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8))
    print(
        f"{arguments.output}: {len(train)} + {len(test)} lines, {len(symbols)} symbols, slots {[len(s) for s in slots]}"
    )


def number_words(data: dict[str, Any], first_letter: int) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Number, at each of their letters, the bare words that training lines have twice or more (0: none), and mark unseen ones."""
    symbols, offsets = data["symbols"], data["offsets"]
    first, last = word_edges(symbols >= first_letter, offsets)
    line = np.searchsorted(offsets, first, side="right") - 1
    training = np.zeros(len(offsets) - 1, bool)
    training[data["train"]] = True
    keys = [symbols[a:b].tobytes() for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    counts = Counter(key for key, inside in zip(keys, training[line].tolist(), strict=True) if inside)
    known = sorted(key for key, times in counts.items() if times > 1)
    number = {key: i for i, key in enumerate(known, 1)}
    words, unseen = np.zeros(len(symbols), np.uint16), np.zeros(len(symbols), bool)
    for key, a, b in zip(keys, first.tolist(), last.tolist(), strict=True):
        words[a:b], unseen[a:b] = number.get(key, 0), key not in counts
    return words, unseen, [list(key) for key in known]


def word_edges(letter: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where words, which are runs of letters inside a line, begin and end."""
    begins = np.zeros(len(letter) + 1, bool)
    begins[offsets] = True
    first = letter & (~np.concatenate(([False], letter[:-1])) | begins[:-1])
    last = letter & (~np.concatenate((letter[1:], [False])) | begins[1:])
    return np.flatnonzero(first), np.flatnonzero(last) + 1


def split_into_pieces(symbols: np.ndarray, offsets: np.ndarray, space: int, longest: int) -> list[tuple[int, int]]:
    """Cut lines longer than a row at their last space inside it."""
    pieces = []
    for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        while stop - start > longest:
            spaces = np.flatnonzero(symbols[start : start + longest] == space)
            cut = start + (int(spaces[-1]) + 1 if len(spaces) else longest)
            pieces.append((start, cut))
            start = cut
        if stop > start:
            pieces.append((start, stop))
    return pieces


def pack_rows(pieces: list[tuple[int, int]], order: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Lay pieces one after the other into rows of one length: for every cell its place in the text (-1: none) and its line's number."""
    places, lines = [], []
    place, line = np.full(length, -1, np.int64), np.zeros(length, np.int64)
    at = number = 0
    for index in order.tolist():
        start, stop = pieces[index]
        if at + stop - start > length:
            places.append(place)
            lines.append(line)
            place, line = np.full(length, -1, np.int64), np.zeros(length, np.int64)
            at = number = 0
        number += 1
        place[at : at + stop - start] = np.arange(start, stop)
        line[at : at + stop - start] = number
        at += stop - start + GAP
    return np.stack([*places, place]), np.stack([*lines, line])


# ---------------------------------------------------------------------- the network


def build_network(plan: Plan, symbols: int, slots: list[int], words: int = 0) -> Any:
    """Make the encoder: embeddings, blocks of convolution, rotary attention and feed-forward, one head over all slots."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    width, heads = plan.width, plan.heads

    def rotate(x: Any, cosine: Any, sine: Any) -> Any:
        half = x.shape[-1] // 2
        first, second = x[..., :half], x[..., half:]
        return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before_convolution, self.before_attention, self.before_forward = (
                nn.LayerNorm(width) for _ in range(3)
            )
            self.convolution = nn.Conv1d(width, width, plan.convolution, padding=plan.convolution // 2, groups=width)
            self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.drop = nn.Dropout(plan.dropout)

        def forward(self, state: Any, cosine: Any, sine: Any, same_line: Any, inside: Any) -> Any:
            rows, length, _ = state.shape
            local = (self.before_convolution(state) * inside).transpose(1, 2)
            state = state + self.drop(self.convolution(local).transpose(1, 2))
            parts = self.query_key_value(self.before_attention(state)).view(rows, length, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=same_line)
            state = state + self.drop(self.out(seen.transpose(1, 2).reshape(rows, length, width)))
            return state + self.drop(self.down(F.gelu(self.up(self.before_forward(state)))))

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(symbols, width)
            nn.init.normal_(self.embedding.weight, std=0.5)
            if plan.words:
                self.word_embedding, self.word_in = (
                    nn.Embedding(words, plan.words),
                    nn.Linear(plan.words, width, bias=False),
                )
                nn.init.normal_(self.word_embedding.weight, std=0.3)
            self.blocks = nn.ModuleList(Block() for _ in range(plan.layers))
            self.norm, self.head, self.drop = (
                nn.LayerNorm(width),
                nn.Linear(width, sum(slots)),
                nn.Dropout(plan.dropout),
            )
            turns = 1.0 / (10000 ** (torch.arange(0, width // heads, 2).float() / (width // heads)))
            self.register_buffer("turns", turns, persistent=False)

        def forward(self, letters: Any, lines: Any, word: Any = None) -> Any:
            """Logits of all slots, of every letter; ``lines`` numbers the lines of a row from 1, 0 is padding."""
            angles = torch.arange(letters.shape[1], device=letters.device).float()[:, None] * self.turns
            cosine, sine = angles.cos(), angles.sin()
            same_line = torch.where(lines[:, None, :, None] == lines[:, None, None, :], 0.0, -30000.0).to(
                torch.bfloat16 if letters.is_cuda else torch.float32
            )
            inside = (lines > 0)[:, :, None]
            state = self.embedding(letters)
            if plan.words:
                state = state + self.word_in(self.word_embedding(word))
            state = self.drop(state)
            for block in self.blocks:
                state = block(state, cosine.to(state.dtype), sine.to(state.dtype), same_line, inside)
            return self.head(self.norm(state))

    return Encoder()


# ---------------------------------------------------------------------- training


class Run:
    """One training: data on the device, a step as one CUDA graph, the average of the weights that is kept."""

    def __init__(self, data: dict[str, Any], plan: Plan, steps: int, checkpoint: Path) -> None:
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        self.torch, self.plan, self.device, self.checkpoint = torch, plan, device, checkpoint
        torch.manual_seed(plan.seed)
        torch.set_float32_matmul_precision("high")
        self.random = np.random.default_rng(plan.seed)
        self.slots = [len(values) for values in data["meta"]["slots"]]
        self.space, self.first_letter = data["meta"]["space"], data["meta"]["first_letter"]
        self.symbols, self.marks = data["symbols"], data["marks"]
        self.words = len(data["meta"]["words"]) + 1
        self.network = build_network(plan, len(data["meta"]["symbols"]), self.slots, self.words).to(device)
        self.forward = torch.compile(self.network) if device == "cuda" else self.network
        self.average = {k: v.detach().clone() for k, v in self.network.state_dict().items()}
        decayed = [p for p in self.network.parameters() if p.ndim > 1]
        others = [p for p in self.network.parameters() if p.ndim <= 1]
        self.rate = torch.tensor(0.0, device=device)
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": plan.decay}, {"params": others, "weight_decay": 0.0}],
            lr=self.rate if device == "cuda" else plan.rate, betas=(0.9, 0.98), capturable=device == "cuda", fused=device == "cuda",
        )  # fmt: skip
        self.steps, self.step = steps, 0
        shape = (plan.rows, plan.length)
        self.letters = torch.zeros(shape, dtype=torch.long, device=device)
        self.lines = torch.zeros(shape, dtype=torch.long, device=device)
        self.goal = torch.zeros((*shape, len(self.slots)), dtype=torch.long, device=device)
        self.share_kept = torch.tensor(plan.averaging, device=device)
        self.loss = torch.zeros((), device=device)
        self.graph: Any = None
        self.word = torch.zeros(shape, dtype=torch.long, device=device)
        self.all_words = (
            torch.from_numpy(np.append(data["words"], 0).astype(np.int64)).to(device) if plan.words else None
        )
        self.all_letters = torch.from_numpy(np.append(self.symbols, PAD).astype(np.int64)).to(device)
        if checkpoint.exists():
            self.resume()
        self.all_marks = torch.from_numpy(
            np.concatenate((self.marks, np.zeros((1, len(self.slots)), self.marks.dtype))).astype(np.int64)
        ).to(device)

    def keep(self) -> None:
        """Write down where the run stands, so that it can go on after whatever stops it."""
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average,
        }
        self.torch.save(
            {**state, "step": self.step, "random": self.random.bit_generator.state}, self.checkpoint.with_suffix(".new")
        )
        self.checkpoint.with_suffix(".new").replace(self.checkpoint)

    def resume(self) -> None:
        """Go on from the last checkpoint."""
        stored = self.torch.load(self.checkpoint, map_location=self.device, weights_only=False)
        self.network.load_state_dict(stored["network"])
        self.optimiser.load_state_dict(stored["optimiser"])
        self.average, self.step = stored["average"], stored["step"]
        self.random.bit_generator.state = stored["random"]

    def hide(self, letters: Any, word: Any) -> Any:
        """Hide whole words, and single letters besides, so that the network learns to read around what it does not know."""
        torch, plan = self.torch, self.plan
        words = torch.cumsum((letters < self.first_letter).long(), 1)
        chance = torch.rand(letters.shape, device=letters.device)
        draw = torch.gather(chance, 1, words.clamp_max(letters.shape[1] - 1))
        whole = draw < plan.hide_words
        hidden = (whole | (torch.rand(letters.shape, device=letters.device) < plan.hide_letters)) & (
            letters >= self.first_letter
        )
        return torch.where(hidden, HIDDEN, letters), torch.where(whole | (draw > 1 - plan.word_drop), 0, word)

    def one_step(self) -> None:
        """Forward, backward, update, average: the part that is recorded."""
        torch, plan = self.torch, self.plan
        from torch.nn import functional as F

        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda", cache_enabled=False):
            letters, word = self.hide(self.letters, self.word)
            logits = self.forward(letters, self.lines, word)
        loss = torch.zeros((), device=self.device)
        counted = (self.letters >= self.first_letter).flatten().float()
        for number, part in enumerate(logits.float().split(self.slots, -1)):
            each = F.cross_entropy(
                part.flatten(0, 1), self.goal[..., number].flatten(), reduction="none", label_smoothing=plan.smoothing
            )
            loss = loss + (each * counted).sum() / counted.sum().clamp_min(1.0)
        self.optimiser.zero_grad(set_to_none=False)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        with torch.no_grad():
            kept = list(self.average.values())
            new = list(self.network.state_dict().values())
            torch._foreach_mul_(kept, self.share_kept)
            torch._foreach_add_(kept, torch._foreach_mul(new, 1 - self.share_kept))
            self.loss.copy_(loss.detach())

    def record(self) -> None:
        """Record a step as a CUDA graph, after some on the side that warm everything up."""
        torch = self.torch
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.one_step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.one_step()

    def feed(self, places: np.ndarray, lines: np.ndarray) -> None:
        """Put the next rows where the graph reads them."""
        torch = self.torch
        where = torch.from_numpy(np.where(places < 0, len(self.symbols), places)).to(self.device, non_blocking=True)
        self.letters.copy_(self.all_letters[where])
        self.goal.copy_(self.all_marks[where])
        if self.all_words is not None:
            self.word.copy_(self.all_words[where])
        self.lines.copy_(torch.from_numpy(lines).to(self.device, non_blocking=True))

    def advance(self) -> None:
        """Take one step at the rate that its place in the run gives: warm up, then half a cosine."""
        share = self.step / self.steps
        rate = (
            self.plan.rate
            * min(1.0, (self.step + 1) / 300)
            * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, share))))
        )
        self.share_kept.fill_(min(self.plan.averaging, (1 + self.step) / (10 + self.step)))
        if self.device == "cuda":
            self.rate.fill_(rate)
            if self.graph is None:
                self.record()
            self.graph.replay()
        else:
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            self.one_step()
        self.step += 1

    def train(self, pieces: list[tuple[int, int]], say: Any) -> None:
        """Pass over the text again and again until all steps are taken."""
        self.network.train()
        start = time.time()
        while self.step < self.steps:
            places, lines = pack_rows(pieces, self.random.permutation(len(pieces)), self.plan.length)
            order = self.random.permutation(len(places))
            for first in range(0, len(order) - self.plan.rows + 1, self.plan.rows):
                rows = order[first : first + self.plan.rows]
                self.feed(places[rows], lines[rows])
                self.advance()
                if self.step % 500 == 0:
                    say(f"step {self.step} of {self.steps}, loss {self.loss.item():.4f}, {time.time() - start:.0f} s")
                    self.keep()
                if self.step >= self.steps:
                    break

    def predict(self, pieces: list[tuple[int, int]]) -> np.ndarray:
        """Log probabilities of every slot's values, for every place of these pieces, by the averaged network."""
        torch, plan = self.torch, self.plan
        network = build_network(plan, len(self.network.embedding.weight), self.slots, self.words).to(self.device)
        network.load_state_dict(self.average)
        network.eval()
        out = np.zeros((len(self.symbols), sum(self.slots)), np.float16)
        places, lines = pack_rows(pieces, np.arange(len(pieces)), plan.length)
        with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            for first in range(0, len(places), plan.rows):
                rows = slice(first, first + plan.rows)
                where = torch.from_numpy(np.where(places[rows] < 0, len(self.symbols), places[rows])).to(self.device)
                word = None if self.all_words is None else self.all_words[where]
                logits = network(self.all_letters[where], torch.from_numpy(lines[rows]).to(self.device), word).float()
                log = torch.cat([part.log_softmax(-1) for part in logits.split(self.slots, -1)], -1).cpu().numpy()
                inside = places[rows] >= 0
                out[places[rows][inside]] = log[inside]
        return out


def load_data(path: Path) -> dict[str, Any]:
    """Read what ``prepare`` wrote."""
    stored = np.load(path)
    return {**{k: stored[k] for k in stored.files if k != "meta"}, "meta": json.loads(bytes(stored["meta"]))}


def score(data: dict[str, Any], log: np.ndarray, lines: np.ndarray) -> dict[str, float]:
    """Words with all marks right, unseen ones among them, and letters that are wrong, in percent, on these lines."""
    meta, symbols, offsets = data["meta"], data["symbols"], data["offsets"]
    edges = np.cumsum([0, *(len(values) for values in meta["slots"])])
    guess = np.stack([log[:, a:b].argmax(1) for a, b in itertools.pairwise(edges)], 1)
    letter = symbols >= meta["first_letter"]
    wrong = letter & (guess != data["marks"]).any(1)
    first, last = word_edges(letter, offsets)
    chosen = np.isin(np.searchsorted(offsets, first, side="right") - 1, lines)
    first, last = first[chosen], last[chosen]
    wrong_letters = np.concatenate(([0], np.cumsum(wrong)))
    right = wrong_letters[last] == wrong_letters[first]
    unseen = data["unseen"][first]
    errors, letters = (wrong_letters[last] - wrong_letters[first]).sum(), (last - first).sum()
    strange = {"unseen": 100 * float(right[unseen].mean())} if unseen.any() else {}
    return {"words": 100 * float(right.mean()), **strange, "DER": 100 * float(errors / letters), "of": len(first)}


def train(arguments: argparse.Namespace) -> None:
    """Train one network and say how it does on the test lines; a run that was stopped goes on where its last checkpoint stands."""
    import torch

    data = load_data(arguments.data)
    given = {f.name: getattr(arguments, f.name) for f in fields(Plan) if getattr(arguments, f.name) is not None}
    plan = Plan(**given)
    arguments.output.mkdir(parents=True, exist_ok=True)

    def say(text: str) -> None:
        print(f"{arguments.output.name}: {text}", flush=True)
        with (arguments.output / "log.txt").open("a", encoding="utf-8") as log:
            log.write(text + "\n")

    def pieces_of(lines: np.ndarray) -> list[tuple[int, int]]:
        return [
            piece
            for line in lines.tolist()
            for piece in split_into_pieces(
                data["symbols"], data["offsets"][line : line + 2], data["meta"]["space"], plan.length
            )
        ]

    pieces = pieces_of(data["train"])
    cells = sum(stop - start + GAP for start, stop in pieces)
    run = Run(
        data, plan, max(10, round(plan.passes * cells / (plan.rows * plan.length))), arguments.output / "checkpoint.pt"
    )
    weights = sum(p.numel() for p in run.network.parameters())
    say(
        f"{run.device}, {weights / 1e6:.2f} M weights, {len(data['train'])} lines, step {run.step} of {run.steps}, {plan}"
    )
    run.train(pieces, say)
    result = score(data, run.predict(pieces_of(data["test"])), data["test"])
    say(f"result {json.dumps(result)}")
    kept = {k: v.half().cpu() for k, v in run.average.items()}
    torch.save(
        {"plan": asdict(plan), "meta": data["meta"], "state": kept, "result": result}, arguments.output / "network.pt"
    )


def export(arguments: argparse.Namespace) -> None:
    """Write a trained network as ONNX, and see to it that onnxruntime gives what PyTorch gives."""
    import onnxruntime
    import torch

    stored = torch.load(arguments.network, map_location="cpu", weights_only=True)
    plan, meta = Plan(**stored["plan"]), stored["meta"]
    network = build_network(plan, len(meta["symbols"]), [len(s) for s in meta["slots"]], len(meta["words"]) + 1)
    network.load_state_dict({k: v.float() for k, v in stored["state"].items()})
    network.eval()
    letters = torch.randint(3, len(meta["symbols"]), (2, 40))
    inputs = {"letters": letters, "lines": torch.ones_like(letters), "word": torch.zeros_like(letters)}
    names = list(inputs) if plan.words else ["letters", "lines"]
    row, place = torch.export.Dim("row"), torch.export.Dim("place")
    torch.onnx.export(
        network, tuple(inputs[n] for n in names), arguments.output, input_names=names, output_names=["logits"], dynamo=True,
        dynamic_shapes=[{0: row, 1: place}] * len(names), external_data=False,
    )  # fmt: skip
    session = onnxruntime.InferenceSession(str(arguments.output))
    theirs = session.run(None, {n: inputs[n].numpy() for n in names})[0]
    with torch.no_grad():
        apart = float(np.abs(theirs - network(*(inputs[n] for n in names)).numpy()).max())
    if apart > 1e-3:
        raise SystemExit(f"onnxruntime's logits lie {apart:.2g} from PyTorch's; expected less than 0.001.")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB, logits within {apart:.1g} of PyTorch's")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare", help="number the lines of a corpus, or of a text with its vowels")
    one.add_argument("corpus", help="hebrew-bible, quran, … or a file")
    one.add_argument("--test", type=float, default=0.1, help="share of lines held out at random")
    one.add_argument("--seed", type=int, default=0)
    one.set_defaults(do=prepare)
    two = commands.add_parser("train", help="train a network")
    two.add_argument("data", type=Path)
    for field in fields(Plan):
        two.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), help=f"default {field.default}")
    two.set_defaults(do=train)
    three = commands.add_parser("export", help="write a network as ONNX")
    three.add_argument("network", type=Path)
    three.set_defaults(do=export)
    for command in (one, two, three):
        command.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
