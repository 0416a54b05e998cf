"""Train a letter network. On a GPU a step is one CUDA graph. The network that is kept has the moving average of the weights."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from .encoder import TrainingConfig, build_network, load_network
from .text import GAP, MASK, PAD, Array, Tables, pack_rows, split_into_pieces, word_edges

#: The vocabulary and the weights of a network to continue from.
InitialWeights = tuple[Tables, dict[str, Array]]


class TrainingRun:
    """One training: data on the device, a step as one CUDA graph, and the moving average of the weights."""

    def __init__(self, data: dict[str, Any], config: TrainingConfig, steps: int, checkpoint: Path) -> None:
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        self.torch, self.config, self.device, self.checkpoint = torch, config, device, checkpoint
        torch.manual_seed(config.seed)
        torch.set_float32_matmul_precision("high")
        self.random = np.random.default_rng(config.seed)
        self.slots = [len(values) for values in data["meta"]["slots"]]
        self.space, self.first_letter = data["meta"]["space"], data["meta"]["first_letter"]
        self.symbols, self.marks = data["symbols"], data["marks"]
        self.words = len(data["meta"]["words"]) + 1
        self.network = build_network(config, len(data["meta"]["symbols"]), self.slots, self.words).to(device)
        self.forward = torch.compile(self.network) if device == "cuda" else self.network
        self.teacher = load_network(Path(config.teacher))[0].to(device) if config.teacher else None
        self.average = {k: v.detach().clone() for k, v in self.network.state_dict().items()}
        decayed = [p for p in self.network.parameters() if p.ndim > 1]
        others = [p for p in self.network.parameters() if p.ndim <= 1]
        self.rate = torch.tensor(0.0, device=device)
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": config.decay}, {"params": others, "weight_decay": 0.0}],
            lr=self.rate if device == "cuda" else config.rate, betas=(0.9, 0.98), capturable=device == "cuda", fused=device == "cuda",
        )  # fmt: skip
        self.steps, self.step = steps, 0
        shape = (config.rows, config.length)
        self.letters = torch.zeros(shape, dtype=torch.long, device=device)
        self.lines = torch.zeros(shape, dtype=torch.long, device=device)
        self.goal = torch.zeros((*shape, len(self.slots)), dtype=torch.long, device=device)
        self.share_kept = torch.tensor(config.averaging, device=device)
        self.loss = torch.zeros((), device=device)
        self.graph: Any = None
        self.word = torch.zeros(shape, dtype=torch.long, device=device)
        self.all_words = (
            torch.from_numpy(np.append(data["words"], [0, 0]).astype(np.int64)).to(device) if config.words else None
        )
        self.all_letters = torch.from_numpy(np.append(self.symbols, [PAD, self.space]).astype(np.int64)).to(device)
        if checkpoint.exists():
            self.resume()
        self.all_marks = torch.from_numpy(
            np.concatenate((self.marks, np.zeros((2, len(self.slots)), self.marks.dtype))).astype(np.int64)
        ).to(device)

    def initialize_from(self, start: InitialWeights, data: dict[str, Any]) -> None:
        """Copy the weights of another network; symbols, words and values that it does not have keep their random weights."""
        meta, (old, weights) = data["meta"], start
        spelled = ["".join(meta["symbols"][n] for n in word) for word in meta["words"]]
        values = [(n, value) for n, slot in enumerate(meta["slots"]) for value in slot]
        old_values = [(n, value) for n, slot in enumerate(old.slots) for value in slot]
        rows = {
            "embedding.weight": (meta["symbols"], old.symbols),
            "word_embedding.weight": (["", *spelled], ["", *old.words]),
            "head.weight": (values, old_values),
            "head.bias": (values, old_values),
        }
        state = self.network.state_dict()
        for name, given in weights.items():
            if name not in state:  # rotary frequencies follow from the width
                continue
            new, known = rows.get(name, (range(len(given)), range(len(given))))
            number = {key: n for n, key in enumerate(known)}
            there = [n for n, key in enumerate(new) if key in number]
            taken = given[[number[new[n]] for n in there]].astype(np.float32)
            state[name][there] = self.torch.from_numpy(taken).to(self.device)
        self.network.load_state_dict(state)
        self.average = {k: v.detach().clone() for k, v in self.network.state_dict().items()}

    def save_checkpoint(self) -> None:
        """Save the state of the run, from which :meth:`resume` continues."""
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
        """Continue from the last checkpoint."""
        stored = self.torch.load(self.checkpoint, map_location=self.device, weights_only=False)
        self.network.load_state_dict(stored["network"])
        self.optimiser.load_state_dict(stored["optimiser"])
        self.average, self.step = stored["average"], stored["step"]
        self.random.bit_generator.state = stored["random"]

    def mask_input(self, letters: Any, word: Any) -> Any:
        """Mask whole words and single letters, so that the network learns to use the context of unknown words."""
        torch, config = self.torch, self.config
        words = torch.cumsum((letters < self.first_letter).long(), 1)
        chance = torch.rand(letters.shape, device=letters.device)
        draw = torch.gather(chance, 1, words.clamp_max(letters.shape[1] - 1))
        whole = draw < config.hide_words
        hidden = (whole | (torch.rand(letters.shape, device=letters.device) < config.hide_letters)) & (
            letters >= self.first_letter
        )
        return torch.where(hidden, MASK, letters), torch.where(whole | (draw > 1 - config.word_drop), 0, word)

    def train_step(self) -> None:
        """Run forward, backward, update and average: the part that the CUDA graph records."""
        torch, config = self.torch, self.config
        from torch.nn import functional as F

        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda", cache_enabled=False):
            letters, word = self.mask_input(self.letters, self.word)
            logits = self.forward(letters, self.lines, word)
            with torch.no_grad():
                teacher_logits = None if self.teacher is None else self.teacher(self.letters, self.lines, self.word)
        loss = torch.zeros((), device=self.device)
        counted = (self.letters >= self.first_letter).flatten().float()
        parts = logits.float().split(self.slots, -1)
        teacher_parts = [None] * len(parts) if teacher_logits is None else teacher_logits.float().split(self.slots, -1)
        for number, (part, teacher_part) in enumerate(zip(parts, teacher_parts, strict=True)):
            part, goal = part.flatten(0, 1), self.goal[..., number].flatten()
            each = F.cross_entropy(part, goal, reduction="none", label_smoothing=config.smoothing)
            if teacher_part is not None:  # distillation at temperature 2 is half of the loss; 4 = 2² restores its scale
                each = (
                    each + 4 * F.cross_entropy(part / 2, (teacher_part.flatten(0, 1) / 2).softmax(-1), reduction="none")
                ) / 2
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

    def record_graph(self) -> None:
        """Record a step as a CUDA graph, after three warm-up steps on another stream."""
        torch = self.torch
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.train_step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.train_step()

    def load_rows(self, places: Array, lines: Array) -> None:
        """Copy the next rows to the tensors that the graph reads."""
        torch = self.torch
        # Two cells follow the text: a pad (position -1), and the space between joined lines (position -2).
        where = np.where(places < 0, len(self.symbols) - 1 - places, places)
        where = torch.from_numpy(where).to(self.device, non_blocking=True)
        self.letters.copy_(self.all_letters[where])
        self.goal.copy_(self.all_marks[where])
        if self.all_words is not None:
            self.word.copy_(self.all_words[where])
        self.lines.copy_(torch.from_numpy(lines).to(self.device, non_blocking=True))

    def take_step(self) -> None:
        """Take one step; the learning rate warms up over 300 steps and then follows half a cosine down to 1 %."""
        share = self.step / self.steps
        rate = (
            self.config.rate
            * min(1.0, (self.step + 1) / 300)
            * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, share))))
        )
        self.share_kept.fill_(min(self.config.averaging, (1 + self.step) / (10 + self.step)))
        if self.device == "cuda":
            self.rate.fill_(rate)
            if self.graph is None:
                self.record_graph()
            self.graph.replay()
        else:
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            self.train_step()
        self.step += 1

    def train(self, pieces: list[tuple[int, int]], log: Any) -> None:
        """Pass over the text until all steps are taken."""
        self.network.train()
        start, log_interval = time.time(), max(1, min(500, self.steps // 20))
        while self.step < self.steps:
            order = self.random.permutation(len(pieces))
            joined = self.random.random(len(pieces)) < self.config.join if self.config.join else None
            places, lines = pack_rows(pieces, order, self.config.length, joined)
            order = self.random.permutation(len(places))
            for first in range(0, len(order) - self.config.rows + 1, self.config.rows):
                rows = order[first : first + self.config.rows]
                self.load_rows(places[rows], lines[rows])
                self.take_step()
                if self.step % log_interval == 0:
                    log(f"step {self.step} of {self.steps}, loss {self.loss.item():.4f}, {time.time() - start:.0f} s")
                    self.save_checkpoint()
                if self.step >= self.steps:
                    break

    def predict(self, pieces: list[tuple[int, int]]) -> Array:
        """Return the averaged network's log probabilities of every slot's values at every position of these pieces."""
        torch, config = self.torch, self.config
        network = build_network(config, len(self.network.embedding.weight), self.slots, self.words).to(self.device)
        network.load_state_dict(self.average)
        network.eval()
        out = np.zeros((len(self.symbols), sum(self.slots)), np.float16)
        places, lines = pack_rows(pieces, np.arange(len(pieces)), config.length)
        with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            for first in range(0, len(places), config.rows):
                rows = slice(first, first + config.rows)
                where = torch.from_numpy(np.where(places[rows] < 0, len(self.symbols), places[rows])).to(self.device)
                word = None if self.all_words is None else self.all_words[where]
                logits = network(self.all_letters[where], torch.from_numpy(lines[rows]).to(self.device), word).float()
                log_p = torch.cat([part.log_softmax(-1) for part in logits.split(self.slots, -1)], -1).cpu().numpy()
                inside = places[rows] >= 0
                out[places[rows][inside]] = log_p[inside]
        return out


def score(data: dict[str, Any], log_p: Array, lines: Array) -> dict[str, float]:
    """Return the percentage of correct words, of correct unseen words, and of wrong letters (DER) on these lines."""
    meta, symbols, offsets = data["meta"], data["symbols"], data["offsets"]
    edges = np.cumsum([0, *(len(values) for values in meta["slots"])])
    guess = np.stack([log_p[:, a:b].argmax(1) for a, b in itertools.pairwise(edges)], 1)
    letter = symbols >= meta["first_letter"]
    wrong = letter & (guess != data["marks"]).any(1)
    first, last = word_edges(letter, offsets)
    chosen = np.isin(np.searchsorted(offsets, first, side="right") - 1, lines)
    first, last = first[chosen], last[chosen]
    wrong_letters = np.concatenate(([0], np.cumsum(wrong)))
    right = wrong_letters[last] == wrong_letters[first]
    unseen = data["unseen"][first]
    errors, letters = (wrong_letters[last] - wrong_letters[first]).sum(), (last - first).sum()
    of_unseen = {"unseen": 100 * float(right[unseen].mean())} if unseen.any() else {}
    return {"words": 100 * float(right.mean()), **of_unseen, "DER": 100 * float(errors / letters), "of": len(first)}


def train_network(
    data: dict[str, Any],
    config: TrainingConfig,
    folder: Path,
    log: Callable[[str], None],
    start: InitialWeights | None = None,
) -> Path:
    """Train one network and save it in ``folder``; a run that was interrupted continues from its last checkpoint.

    ``log`` is called with lines about progress and the result. ``start`` is the vocabulary and the weights of a network to continue
    from, of the size that ``config`` gives.
    """
    import torch

    def pieces_of(lines: Array) -> list[tuple[int, int]]:
        space = data["meta"]["space"]
        edges = [data["offsets"][line : line + 2] for line in lines.tolist()]
        return [piece for edge in edges for piece in split_into_pieces(data["symbols"], edge, space, config.length)]

    folder.mkdir(parents=True, exist_ok=True)
    pieces = pieces_of(data["train"])
    cells = sum(stop - start + GAP for start, stop in pieces)
    config = replace(config, rows=min(config.rows, len(pack_rows(pieces, np.arange(len(pieces)), config.length)[0])))
    steps = max(10, round(config.passes * cells / (config.rows * config.length)))
    run = TrainingRun(data, config, steps, folder / "checkpoint.pt")
    if start is not None and not run.step:
        run.initialize_from(start, data)
    weights = sum(p.numel() for p in run.network.parameters())
    log(
        f"{run.device}, {weights / 1e6:.2f} M weights, {len(data['train'])} lines, step {run.step} of {steps}, {config}"
    )
    run.train(pieces, log)
    parts = [part for part in ("held", "test") if len(data[part])]
    result = {part: score(data, run.predict(pieces_of(data[part])), data[part]) for part in parts}
    log(f"result {json.dumps(result)}")
    kept = {k: v.half().cpu() for k, v in run.average.items()}
    torch.save({"plan": asdict(config), "meta": data["meta"], "state": kept, "result": result}, folder / "network.pt")
    return folder / "network.pt"
