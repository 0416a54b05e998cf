"""Training one network: a step is one CUDA graph where there is a GPU, and the average of the weights is what is kept."""

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

from .encoder import build_network, load_network
from .text import GAP, HIDDEN, PAD, Array, Tables, pack_rows, split_into_pieces, word_edges
from .training_plan import Plan

#: The tables and the weights of a network to go on from.
Start = tuple[Tables, dict[str, Array]]


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
        self.teacher = load_network(Path(plan.teacher))[0].to(device) if plan.teacher else None
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
            torch.from_numpy(np.append(data["words"], [0, 0]).astype(np.int64)).to(device) if plan.words else None
        )
        self.all_letters = torch.from_numpy(np.append(self.symbols, [PAD, self.space]).astype(np.int64)).to(device)
        if checkpoint.exists():
            self.resume()
        self.all_marks = torch.from_numpy(
            np.concatenate((self.marks, np.zeros((2, len(self.slots)), self.marks.dtype))).astype(np.int64)
        ).to(device)

    def begin_with(self, start: Start, data: dict[str, Any]) -> None:
        """Take over the weights of another network; what it has no number for begins as it would anyway."""
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
            if name not in state:  # how fast positions turn follows from the measures
                continue
            new, known = rows.get(name, (range(len(given)), range(len(given))))
            number = {key: n for n, key in enumerate(known)}
            there = [n for n, key in enumerate(new) if key in number]
            taken = given[[number[new[n]] for n in there]].astype(np.float32)
            state[name][there] = self.torch.from_numpy(taken).to(self.device)
        self.network.load_state_dict(state)
        self.average = {k: v.detach().clone() for k, v in self.network.state_dict().items()}

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
            with torch.no_grad():
                taught = None if self.teacher is None else self.teacher(self.letters, self.lines, self.word)
        loss = torch.zeros((), device=self.device)
        counted = (self.letters >= self.first_letter).flatten().float()
        parts = logits.float().split(self.slots, -1)
        lessons = [None] * len(parts) if taught is None else taught.float().split(self.slots, -1)
        for number, (part, lesson) in enumerate(zip(parts, lessons, strict=True)):
            part, goal = part.flatten(0, 1), self.goal[..., number].flatten()
            each = F.cross_entropy(part, goal, reduction="none", label_smoothing=plan.smoothing)
            if lesson is not None:  # half of what is learnt is how sure the teacher is, softened
                each = (
                    each + 4 * F.cross_entropy(part / 2, (lesson.flatten(0, 1) / 2).softmax(-1), reduction="none")
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

    def feed(self, places: Array, lines: Array) -> None:
        """Put the next rows where the graph reads them."""
        torch = self.torch
        # Behind the text stand what is no letter: a pad (-1), and the space between lines that were joined (-2).
        where = np.where(places < 0, len(self.symbols) - 1 - places, places)
        where = torch.from_numpy(where).to(self.device, non_blocking=True)
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
        start, often = time.time(), max(1, min(500, self.steps // 20))
        while self.step < self.steps:
            order = self.random.permutation(len(pieces))
            joined = self.random.random(len(pieces)) < self.plan.join if self.plan.join else None
            places, lines = pack_rows(pieces, order, self.plan.length, joined)
            order = self.random.permutation(len(places))
            for first in range(0, len(order) - self.plan.rows + 1, self.plan.rows):
                rows = order[first : first + self.plan.rows]
                self.feed(places[rows], lines[rows])
                self.advance()
                if self.step % often == 0:
                    say(f"step {self.step} of {self.steps}, loss {self.loss.item():.4f}, {time.time() - start:.0f} s")
                    self.keep()
                if self.step >= self.steps:
                    break

    def predict(self, pieces: list[tuple[int, int]]) -> Array:
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


def score(data: dict[str, Any], log: Array, lines: Array) -> dict[str, float]:
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


def train_network(
    data: dict[str, Any], plan: Plan, folder: Path, say: Callable[[str], None], start: Start | None = None
) -> Path:
    """Train one network, keep it in ``folder`` and say how it does; a run that was stopped goes on where its last checkpoint stands.

    ``start`` are the tables and weights of a network to go on from, whose measures ``plan`` has.
    """
    import torch

    def pieces_of(lines: Array) -> list[tuple[int, int]]:
        space = data["meta"]["space"]
        edges = [data["offsets"][line : line + 2] for line in lines.tolist()]
        return [piece for edge in edges for piece in split_into_pieces(data["symbols"], edge, space, plan.length)]

    folder.mkdir(parents=True, exist_ok=True)
    pieces = pieces_of(data["train"])
    cells = sum(stop - start + GAP for start, stop in pieces)
    plan = replace(plan, rows=min(plan.rows, len(pack_rows(pieces, np.arange(len(pieces)), plan.length)[0])))
    steps = max(10, round(plan.passes * cells / (plan.rows * plan.length)))
    run = Run(data, plan, steps, folder / "checkpoint.pt")
    if start is not None and not run.step:
        run.begin_with(start, data)
    weights = sum(p.numel() for p in run.network.parameters())
    say(f"{run.device}, {weights / 1e6:.2f} M weights, {len(data['train'])} lines, step {run.step} of {steps}, {plan}")
    run.train(pieces, say)
    parts = [part for part in ("held", "test") if len(data[part])]
    result = {part: score(data, run.predict(pieces_of(data[part])), data[part]) for part in parts}
    say(f"result {json.dumps(result)}")
    kept = {k: v.half().cpu() for k, v in run.average.items()}
    torch.save({"plan": asdict(plan), "meta": data["meta"], "state": kept, "result": result}, folder / "network.pt")
    return folder / "network.pt"
