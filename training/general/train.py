"""Train a general network: python train.py hebrew.packed -o run --seconds 540 --width 384 --heads 6.

Needs PyTorch and NumPy alone, beside the folder ``nets`` of caesura_vowels. Other processes make the rows (see :mod:`rows`), varied anew in every pass;
the learning rate follows half a cosine until the given time. The averaged weights are saved every minute, in parts of at most 15 MB.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
import zlib
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE.parents[1] / "packages" / "caesura-vowels" / "src" / "caesura_vowels", _HERE):
    sys.path.insert(0, str(_folder))  # on the machine with the GPU, nets lies beside this file
from rows import LENGTH, Mixer, Rows, read_packed  # noqa: E402
from subset import leave_out, take  # noqa: E402

_PARTS = 12  # of a pass
_PART_BYTES = 15_000_000


def read_texts(path: Path, without: str | None) -> dict[str, Any]:
    """Read packed texts, without the training lines of a kind if one is named."""
    data = read_packed(path)
    return data if without is None else leave_out(data, data["meta"]["kinds"].index(without))


def feed(path: Path, part: tuple[int, float, str | None], worker: int, workers: int, seed: int, queue: Any) -> None:
    """Put the parts of all passes that are this worker's into the queue, for ever."""
    uniform, others, without = part
    mixer = Mixer(take(read_texts(path, without), uniform, others))
    job = worker
    while True:
        queue.put(mixer.rows(1000 * seed + job // _PARTS, job % _PARTS, _PARTS))
        job += workers


def make_run(data: dict[str, Any], config: Any, folder: Path, seconds: float, teachers: list[Any]) -> Any:
    """Create a training run of fixed duration on weighted cells, with the mean of some teachers."""
    import torch
    from nets.training import TrainingRun
    from torch.nn import functional as F

    class GeneralRun(TrainingRun):
        """A run whose learning rate depends on the time, and whose cells have weights."""

        def __init__(self) -> None:
            slots = len(data["meta"]["slots"])
            empty = {
                "meta": data["meta"],
                "symbols": np.zeros(1, np.uint8),
                "marks": np.zeros((1, slots), np.uint8),
                "words": np.zeros(1),
            }
            super().__init__(empty, config, 1, folder / "none")
            self.weights = torch.zeros((config.rows, config.length), device=self.device)
            self.teachers = [torch.compile(t.to(self.device)) if self.device == "cuda" else t for t in teachers]
            self.begin = time.time()

        def train_step(self) -> None:
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda", cache_enabled=False):
                letters, word = self.mask_input(self.letters, self.word)
                logits = self.forward(letters, self.lines, word)
                with torch.no_grad():
                    answers = [teacher(self.letters, self.lines, self.word) for teacher in self.teachers]
            loss = torch.zeros((), device=self.device)
            weights = (self.weights * (self.goal[..., 0] != 255)).flatten()
            total = weights.sum().clamp_min(1.0)
            taught = [answer.float().split(self.slots, -1) for answer in answers]
            for number, part in enumerate(logits.float().split(self.slots, -1)):
                part, goal = part.flatten(0, 1), self.goal[..., number].flatten()
                each = F.cross_entropy(
                    part, torch.where(goal == 255, 0, goal), reduction="none", label_smoothing=config.smoothing
                )
                if taught:
                    soft = sum((t[number].flatten(0, 1) / 2).softmax(-1) for t in taught) / len(taught)
                    each = (each + 4 * F.cross_entropy(part / 2, soft, reduction="none")) / 2
                loss = loss + (each * weights).sum() / total
            self.optimiser.zero_grad(set_to_none=False)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimiser.step()
            with torch.no_grad():
                kept, new = list(self.average.values()), list(self.network.state_dict().values())
                torch._foreach_mul_(kept, self.share_kept)
                torch._foreach_add_(kept, torch._foreach_mul(new, 1 - self.share_kept))
                self.loss.copy_(loss.detach())

        def step_on(self, batch: list[Any]) -> None:
            letters, lines, marks, words, weights = batch
            self.letters.copy_(letters)
            self.lines.copy_(lines)
            self.goal.copy_(marks)
            self.word.copy_(words)
            self.weights.copy_(weights)
            share = min(1.0, (time.time() - self.begin) / seconds)
            rate = config.rate * min(1.0, (self.step + 1) / 500) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share)))
            self.share_kept.fill_(min(config.averaging, (1 + self.step) / (10 + self.step)))
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

        def words_right(self, rows: Rows, network: Any) -> tuple[float, float]:
            """Return the percentage of words with all marks right, and of words without an embedding."""
            wrong_letters, letters = [], []
            for first in range(0, len(rows.letters), config.rows):
                part = [
                    torch.from_numpy(x[first : first + config.rows].astype(np.int64)).to(self.device) for x in rows[:4]
                ]
                with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
                    logits = network(part[0], part[1], part[3]).float()
                guess = torch.stack([x.argmax(-1) for x in logits.split(self.slots, -1)], -1)
                wrong_letters.append(((guess != part[2]) & (part[2] != 255)).any(-1).cpu().numpy())
                letters.append((part[0] >= self.first_letter).cpu().numpy())
            wrong, letter = np.concatenate(wrong_letters), np.concatenate(letters)
            start = letter & ~np.pad(letter, ((0, 0), (1, 0)))[:, :-1]
            number = np.cumsum(start.ravel())
            bad = np.bincount(number, (wrong & letter).ravel())[1:] > 0
            rare = np.bincount(number, (letter & (rows.words > 0)).ravel())[1:] == 0
            return 100 * (1 - float(bad.mean())), 100 * (1 - float(bad[rare].mean()))

        def evaluate(self, held: dict[str, Rows]) -> dict[str, list[float]]:
            from nets.encoder import build_network

            network = build_network(config, len(self.network.embedding.weight), self.slots, self.words).to(self.device)
            network.load_state_dict(self.average)
            network.eval()
            return {name: [round(x, 2) for x in self.words_right(rows, network)] for name, rows in held.items()}

        def save(self, result: dict[str, list[float]]) -> None:
            """Save the averaged weights in parts."""
            meta = numbered_words(data["meta"])
            kept = {k: v.half().cpu() for k, v in self.average.items()}
            parts: list[dict[str, Any]] = [{}]
            size = 0
            for name, weights in kept.items():
                bytes_ = 2 * weights.numel()
                if size + bytes_ > _PART_BYTES:
                    parts.append({})
                    size = 0
                parts[-1][name] = weights
                size += bytes_
            for n, part in enumerate(parts):
                stored: dict[str, Any] = {"state": part}
                if n == 0:
                    stored |= {
                        "plan": asdict(config),
                        "meta": meta,
                        "result": result,
                        "step": self.step,
                    }
                target = folder / f"{folder.name}.{n}.pt"
                torch.save(stored, target.with_suffix(".new"))
                target.with_suffix(".new").replace(target)

    return GeneralRun()


def main() -> None:
    """Read the command line and train."""
    from nets.encoder import TrainingConfig

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument(
        "--start", type=Path, help="a network to continue from: its first part, or a model file that has it"
    )
    parser.add_argument(
        "--uniform", type=int, default=0, help="modern lines: how uniform their pointing is at least, 0 to 2"
    )
    parser.add_argument("--others", type=float, default=1.0, help="the share of the texts of other kinds")
    parser.add_argument("--without", metavar="KIND", help="leave out the training lines of a kind of text, poetry, say")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], help="first parts of networks to learn from")
    for field in fields(TrainingConfig):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default))
    arguments = parser.parse_args()
    begin = time.time()
    arguments.output.mkdir(parents=True, exist_ok=True)
    given = {
        f.name: getattr(arguments, f.name) for f in fields(TrainingConfig) if getattr(arguments, f.name) is not None
    }
    config = replace(
        TrainingConfig(), **{"length": LENGTH, "activation": "relu", "averaging": 0.999, "rows": 192, **given}
    )
    queue: Any = multiprocessing.Queue(arguments.workers)
    for worker in range(arguments.workers):
        part = (arguments.uniform, arguments.others, arguments.without)
        job = (arguments.data, part, worker, arguments.workers, config.seed, queue)
        multiprocessing.Process(target=feed, args=job, daemon=True).start()
    data = read_texts(arguments.data, arguments.without)
    held = held_sets(data)

    def log(text: str) -> None:
        print(f"{arguments.output.name} {time.time() - begin:.0f} s: {text}", flush=True)

    import torch

    run = make_run(data, config, arguments.output, arguments.seconds, [load_parts(path) for path in arguments.teachers])
    run.begin = begin
    if arguments.start is not None and arguments.start.suffix == ".model":
        run.initialize_from(read_model(arguments.start), {"meta": numbered_words(data["meta"])})
    elif arguments.start is not None:
        state = join_parts(arguments.start)["state"]
        run.network.load_state_dict({k: v.float() for k, v in state.items()})
        run.average = {k: v.detach().clone() for k, v in run.network.state_dict().items()}
    log(f"{run.device}, {sum(p.numel() for p in run.network.parameters()) / 1e6:.2f} M weights, {config}")
    run.network.train()
    saved, parts, cells, waited = time.time(), 0, 0, 0.0
    random = np.random.default_rng(config.seed)
    while time.time() - begin < arguments.seconds:
        at = time.time()
        rows = queue.get()
        waited += time.time() - at
        order = torch.from_numpy(random.permutation(len(rows.letters)))
        arrays = [
            torch.from_numpy(x if x.dtype == np.uint8 else x.astype(np.int32))[order].to(run.device) for x in rows
        ]
        arrays[4] = arrays[4].float() / 100
        parts += 1
        for first in range(0, len(order) - config.rows + 1, config.rows):
            run.step_on([x[first : first + config.rows] for x in arrays])
            cells += config.rows * config.length
            if run.step % 50 == 0 and time.time() - begin > arguments.seconds:
                break
        if parts == 1 or time.time() - saved > 60:
            loss = run.loss.item()
            log(
                f"pass {parts / _PARTS:.2f}, step {run.step}, loss {loss:.4f}, {cells / (time.time() - begin) / 1e6:.2f} M cells/s, waited {waited:.0f} s"
            )
            if parts > 1:
                run.save({})
                saved = time.time()
    result = run.evaluate(held)
    run.save(result)
    log(
        f"pass {parts / _PARTS:.2f}, step {run.step}, {cells / 1e6:.0f} M cells, waited {waited:.0f} s, result {json.dumps(result)}"
    )
    sys.stdout.flush()
    for child in multiprocessing.active_children():
        child.kill()


def held_sets(data: dict[str, Any]) -> dict[str, Rows]:
    """Return held-out lines of every kind in several spellings, and modern ones without control symbols."""
    mixer, kinds = Mixer(data), data["meta"]["kinds"]
    spellings = (0, 1, 4) if data["meta"]["language"] == "hebrew" else (0, 1)
    held = {f"{kind}/{v}": mixer.held_rows(n, v, True) for n, kind in enumerate(kinds) for v in spellings}
    return held | {f"{kinds[2]}/{v}/no control": mixer.held_rows(2, v, False) for v in (0, 1)}


def numbered_words(meta: dict[str, Any]) -> dict[str, Any]:
    """Return the tables with words as numbers of symbols, as networks store them."""
    number = {c: n for n, c in enumerate(meta["symbols"])}
    return {**meta, "words": [[number[c] for c in word] for word in meta["words"]]}


def read_model(path: Path) -> Any:
    """Read the vocabulary and the weights of the network in a model file, without Caesura (see caesura_vowels.storage for the format)."""
    from nets.encoder import read_weights
    from nets.text import Tables

    with path.open("rb") as stream:
        stream.readline()
        table, payload = json.loads(stream.readline())["arrays"], stream.read()

    def content(name: str) -> bytes:
        kind, shape, start = table[name]
        data = payload[start : start + int(np.prod(shape)) * np.dtype(kind).itemsize]
        return zlib.decompress(data) if data[:1] == b"x" else data

    def strings(name: str) -> tuple[str, ...]:
        return tuple(content(name).decode().split("\n"))

    slots = [strings(f"network_slot_{n}") for n in range(sum(name.startswith("network_slot_") for name in table))]
    first_letter = int(np.frombuffer(content("network_letters"), table["network_letters"][0])[0])
    tables = Tables(strings("network_symbols"), first_letter, slots, strings("network_words"))
    return tables, read_weights(content("network"))


def load_parts(first: Path) -> Any:
    """Load a network saved in parts, in evaluation mode."""
    from nets.encoder import TrainingConfig, build_network

    whole = join_parts(first)
    meta = whole["meta"]
    slots = [len(slot) for slot in meta["slots"]]
    network = build_network(TrainingConfig(**whole["plan"]), len(meta["symbols"]), slots, len(meta["words"]) + 1)
    network.load_state_dict({k: v.float() for k, v in whole["state"].items()})
    return network.eval()


def join_parts(first: Path) -> dict[str, Any]:
    """Read a network saved in parts."""
    import torch

    whole: dict[str, Any] = torch.load(first, map_location="cpu", weights_only=True)
    stem = first.name.removesuffix(".0.pt")
    n = 1
    while (part := first.with_name(f"{stem}.{n}.pt")).exists():
        whole["state"].update(torch.load(part, map_location="cpu", weights_only=True)["state"])
        n += 1
    return whole


if __name__ == "__main__":
    main()
