"""The letter encoder as a PyTorch module, and its export to a quantized ONNX file.

Users need the ONNX file only. Its weights can be read back to continue training. This package imports NumPy alone at the top and nothing
of Caesura, so that it runs by itself on a machine with a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .text import Array, split_into_pieces


@dataclass(frozen=True)
class TrainingConfig:
    """The size of a network and the settings of its training; stored with the network, so fields keep their names."""

    width: int = 256
    layers: int = 6
    heads: int = 8
    convolution: int = 5
    dropout: float = 0.3
    hide_words: float = 0.1  # share of words masked in the input
    hide_letters: float = 0.03  # share of letters masked besides
    smoothing: float = 0.02  # of labels
    rate: float = 1e-3
    decay: float = 0.05
    averaging: float = 0.998  # decay of the moving average of the weights
    rows: int = 24
    length: int = 384
    passes: int = 250
    seed: int = 0
    words: int = 64  # width of the word embedding; 0: none
    word_drop: float = 0.3  # share of words whose embedding is dropped
    teacher: str = ""  # a network.pt to distil from
    join: float = 0.0  # share of lines appended to the line before, for texts with longer lines than the training text
    activation: str = "gelu"  # or "relu", an eighth faster on a processor


def build_network(config: TrainingConfig, symbols: int, slots: list[int], words: int = 0) -> Any:
    """Build the encoder: embeddings, blocks of convolution, rotary attention and feed-forward, one head over all slots."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    width, heads = config.width, config.heads
    activate = F.relu if config.activation == "relu" else F.gelu

    def rotate(x: Any, cosine: Any, sine: Any) -> Any:
        half = x.shape[-1] // 2
        first, second = x[..., :half], x[..., half:]
        return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.before_convolution, self.before_attention, self.before_forward = (
                nn.LayerNorm(width) for _ in range(3)
            )
            self.convolution = nn.Conv1d(
                width, width, config.convolution, padding=config.convolution // 2, groups=width
            )
            self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.drop = nn.Dropout(config.dropout)

        def forward(self, state: Any, cosine: Any, sine: Any, same_line: Any, inside: Any) -> Any:
            rows, length, _ = state.shape
            local = self.before_convolution(state) * inside
            convolve = convolve_by_shifts if state.is_cuda else convolve_depthwise
            state = state + self.drop(convolve(local, self.convolution))
            parts = self.query_key_value(self.before_attention(state)).view(rows, length, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=same_line)
            state = state + self.drop(self.out(seen.transpose(1, 2).reshape(rows, length, width)))
            return state + self.drop(self.down(activate(self.up(self.before_forward(state)))))

    class Encoder(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(symbols, width)
            nn.init.normal_(self.embedding.weight, std=0.5)
            if config.words:
                self.word_embedding, self.word_in = (
                    nn.Embedding(words, config.words),
                    nn.Linear(config.words, width, bias=False),
                )
                nn.init.normal_(self.word_embedding.weight, std=0.3)
            self.blocks = nn.ModuleList(Block() for _ in range(config.layers))
            self.norm, self.head, self.drop = (
                nn.LayerNorm(width),
                nn.Linear(width, sum(slots)),
                nn.Dropout(config.dropout),
            )
            turns = 1.0 / (10000 ** (torch.arange(0, width // heads, 2).float() / (width // heads)))
            self.register_buffer("turns", turns, persistent=False)

        def forward(self, letters: Any, lines: Any, word: Any = None) -> Any:
            """Return the logits of all slots for every letter; ``lines`` numbers the lines of a row from 1, 0 is padding."""
            angles = torch.arange(letters.shape[1], device=letters.device).float()[:, None] * self.turns
            cosine, sine = angles.cos(), angles.sin()
            # Several lines share a row: a large negative bias (finite, also in 16 bits) keeps attention inside each line.
            same_line = torch.where(lines[:, None, :, None] == lines[:, None, None, :], 0.0, -30000.0).to(
                torch.bfloat16 if letters.is_cuda else torch.float32
            )
            inside = (lines > 0)[:, :, None]
            state = self.embedding(letters)
            if config.words:
                state = state + self.word_in(self.word_embedding(word))
            state = self.drop(state)
            if letters.is_cuda and torch.is_autocast_enabled("cuda"):
                # The residual stream in 16 bits too: training is at least a tenth faster.
                state = state.to(torch.bfloat16)
            for block in self.blocks:
                state = block(state, cosine.to(state.dtype), sine.to(state.dtype), same_line, inside)
            return self.head(self.norm(state))

    return Encoder()


def convolve_depthwise(state: Any, convolution: Any) -> Any:
    """Apply a depthwise convolution along the letters."""
    return convolution(state.transpose(1, 2)).transpose(1, 2)


def convolve_by_shifts(state: Any, convolution: Any) -> Any:
    """Compute the same convolution as a sum of shifted copies, which takes a sixth off a training step on a GPU."""
    from torch.nn import functional as F

    reach, length = convolution.padding[0], state.shape[1]
    weights, padded = convolution.weight[:, 0].to(state.dtype), F.pad(state, (0, 0, reach, reach))
    moved = (padded[:, i : i + length] * weights[:, i] for i in range(2 * reach + 1))
    return sum(moved, convolution.bias.to(state.dtype))


def load_network(path: Path) -> tuple[Any, TrainingConfig, dict[str, Any]]:
    """Load a trained network, in evaluation mode, with its configuration and the tables of its symbols, slots and words."""
    import torch

    stored = torch.load(path, map_location="cpu", weights_only=True)
    config, meta = TrainingConfig(**stored["plan"]), stored["meta"]
    network = build_network(config, len(meta["symbols"]), [len(s) for s in meta["slots"]], len(meta["words"]) + 1)
    network.load_state_dict({k: v.float() for k, v in stored["state"].items()})
    return network.eval(), config, meta


_MIN_TABLE_SIZE = 4096  # smaller tables of weights are not quantized
_CALIBRATION_LINES = 60  # activations are measured on this many lines
_MAX_CELLS = 384  # of a piece of a line
_WEIGHT_STEPS = 63  # 7 bits: sums of two products stay within 16 bits, as processors without 8-bit instructions require
_MAX_CHANGE = 0.1  # of logits by rounding, as a share of the largest logit


def export_network(source: Path, target: Path, data: dict[str, Any]) -> float:
    """Write a trained network as ONNX; return the largest difference of its logits from PyTorch's on a line of its data.

    The network is quantized to 8 bits, unless that changes logits too much, as it may after a short training.
    """
    names, inputs, expected = write_onnx(source, target, next(sample_lines(data)))
    exact = target.read_bytes()
    quantize(target, list(sample_lines(data)))
    if compare_logits(target, names, inputs, expected) > _MAX_CHANGE * float(np.abs(expected).max()):
        target.write_bytes(exact)
    strip_metadata(target)
    return compare_logits(target, names, inputs, expected)


def sample_lines(data: dict[str, Any]) -> Iterator[dict[str, Array]]:
    """Yield some training lines as inputs of the network."""
    every = data["train"][:: max(1, len(data["train"]) // _CALIBRATION_LINES)].tolist()
    for line in every:
        edges = data["offsets"][line : line + 2]
        for start, stop in split_into_pieces(data["symbols"], edges, data["meta"]["space"], _MAX_CELLS):
            letters = data["symbols"][None, start:stop].astype(np.int64)
            yield {
                "letters": letters,
                "lines": np.ones_like(letters),
                "word": data["words"][None, start:stop].astype(np.int64),
            }


def write_onnx(source: Path, target: Path, line: dict[str, Array]) -> tuple[list[str], list[Any], Any]:
    """Write a trained network as ONNX without quantization; return the names of its inputs, a batch of one line twice, and PyTorch's logits for it."""
    import torch

    network, config, _ = load_network(source)
    names = ["letters", "lines", "word"] if config.words else ["letters", "lines"]
    inputs = [torch.from_numpy(np.repeat(line[name], 2, axis=0)) for name in names]
    row, place = torch.export.Dim("row"), torch.export.Dim("place")
    torch.onnx.export(
        network, tuple(inputs), target, input_names=names, output_names=["logits"], dynamo=True,
        dynamic_shapes=[{0: row, 1: place}] * len(names), external_data=False, verbose=False,
    )  # fmt: skip
    name_weights(target, config)
    with torch.no_grad():
        return names, [x.numpy() for x in inputs], network(*inputs).numpy()


def name_weights(path: Path, config: TrainingConfig) -> None:
    """Name the tables that the exporter transposed after their layers, so that :func:`read_weights` finds them."""
    import onnx

    model = onnx.load(path)
    products = linear_products(model.graph)
    for product, name in zip(products, linear_names(config), strict=True):
        old = product.input[1]
        for table in model.graph.initializer:
            if table.name == old:
                table.name = name
        product.input[1] = name
    onnx.save(model, path)


def linear_names(config: TrainingConfig) -> list[str]:
    """Return the names of the linear layers in the order in which they are applied."""
    blocks = [f"blocks.{n}.{part}" for n in range(config.layers) for part in ("query_key_value", "out", "up", "down")]
    return [f"{name}.weight" for name in [*(["word_in"] if config.words else []), *blocks, "head"]]


def linear_products(graph: Any) -> list[Any]:
    """Return the products of a graph whose second factor is a table of weights, in their order."""
    tables = {table.name for table in graph.initializer if len(table.dims) == 2}
    return [node for node in graph.node if node.op_type == "MatMul" and node.input[1] in tables]


def compare_logits(path: Path, names: list[str], inputs: list[Any], expected: Any) -> float:
    """Return the largest difference between onnxruntime's logits and the expected ones."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    return float(np.abs(session.run(None, dict(zip(names, inputs, strict=True)))[0] - expected).max())


def quantize(path: Path, lines: Sequence[dict[str, Array]]) -> None:
    """Compute the large products in integers: weights have a scale per column, each activation has one scale.

    The range of activations is measured once, on ``lines``, and stored: with a scale per batch the result of a line would depend on the
    other lines of its batch.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(path)
    graph = model.graph
    tables = {table.name: table for table in graph.initializer}
    products = [node for node in linear_products(graph) if np.prod(tables[node.input[1]].dims) >= _MIN_TABLE_SIZE]
    lookups = [node for node in graph.node if node.op_type == "Gather" and "embedding" in node.input[0]]
    new = []

    def add_table(name: str, values: Array) -> None:
        graph.initializer.append(numpy_helper.from_array(values, name))

    def quantize_table(name: str, axis: int, most: int) -> None:
        weights = numpy_helper.to_array(tables[name])
        scale = np.abs(weights).max(axis=1 - axis, keepdims=True).astype(np.float32) / most + np.float32(1e-12)
        graph.initializer.remove(tables[name])
        add_table(f"{name}.steps", np.round(weights / scale).astype(np.int8))
        add_table(f"{name}.scale", scale if axis == 0 else scale[0])

    for name, (low, high) in measure_ranges(path, [node.input[0] for node in products], lines).items():
        step = max((high - low) / 255, 1e-9)
        add_table(f"{name}.scale", np.array(step, np.float32))
        add_table(f"{name}.zero", np.array(round(-low / step), np.uint8))
        scale = [f"{name}.scale", f"{name}.zero"]
        new.append(helper.make_node("QuantizeLinear", [name, *scale], [f"{name}.steps"]))
        new.append(helper.make_node("DequantizeLinear", [f"{name}.steps", *scale], [f"{name}.rounded"]))
    for node in products:
        table = node.input[1]
        quantize_table(table, axis=1, most=_WEIGHT_STEPS)
        add_table(f"{table}.zero", np.zeros(tables[table].dims[1], np.int8))
        parts = [f"{table}.{part}" for part in ("steps", "scale", "zero")]
        new.append(helper.make_node("DequantizeLinear", parts, [table], axis=1))
        node.input[0] = f"{node.input[0]}.rounded"
    for node in lookups:  # dequantize the rows looked up, not the whole table
        table, places = node.input
        quantize_table(table, axis=0, most=127)
        graph.node.remove(node)
        new += [
            helper.make_node("Gather", [f"{table}.steps", places], [f"{table}.row"]),
            helper.make_node("Cast", [f"{table}.row"], [f"{table}.float"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{table}.scale", places], [f"{table}.step"]),
            helper.make_node("Mul", [f"{table}.float", f"{table}.step"], list(node.output)),
        ]
    sort_nodes(graph, new)
    onnx.save(model, path)


def measure_ranges(
    path: Path, names: Sequence[str], lines: Sequence[dict[str, Array]]
) -> dict[str, tuple[float, float]]:
    """Return the range of some activations of a network, extended to include 0."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    wanted = list(dict.fromkeys(names))
    model = onnx.load(path)
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in wanted)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    inputs = [x.name for x in session.get_inputs()]
    ranges = dict.fromkeys(wanted, (0.0, 0.0))
    for line in lines:
        for name, values in zip(wanted, session.run(wanted, {x: line[x] for x in inputs}), strict=True):
            low, high = ranges[name]
            ranges[name] = min(low, float(values.min())), max(high, float(values.max()))
    return ranges


def sort_nodes(graph: Any, new: Sequence[Any]) -> None:
    """Add nodes to a graph in topological order."""
    computed = {"", *(x.name for x in graph.input), *(table.name for table in graph.initializer)}
    waiting = [*new, *graph.node]
    del graph.node[:]
    while waiting:
        runnable = [node for node in waiting if computed.issuperset(node.input)]
        graph.node.extend(runnable)
        computed.update(name for node in runnable for name in node.output)
        waiting = [node for node in waiting if not computed.issuperset(node.output)]


def strip_metadata(path: Path) -> None:
    """Remove the notes of the exporter, which name files of the machine that trained."""
    import onnx

    model = onnx.load(path)
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.doc_string = ""
        del part.metadata_props[:]
    del graph.value_info[:]
    onnx.save(model, path)


def architecture(weights: dict[str, Array]) -> dict[str, Any]:
    """Return the fields of :class:`TrainingConfig` that describe the size of a network with these weights."""
    width, _, convolution = weights["blocks.0.convolution.weight"].shape
    return {
        "width": width,
        "layers": sum(name.endswith(".out.weight") for name in weights),
        "heads": width // (2 * len(weights["turns"])),
        "convolution": convolution,
        "words": weights["word_embedding.weight"].shape[1] if "word_embedding.weight" in weights else 0,
    }


def read_weights(stored: bytes) -> dict[str, Any]:
    """Return the weights of an exported network under PyTorch's names, in 32 bits."""
    import onnx
    from onnx import numpy_helper

    tables = {t.name: numpy_helper.to_array(t) for t in onnx.load_from_string(stored).graph.initializer}
    for name in [name.removesuffix(".steps") for name in tables if name.endswith(".weight.steps")]:
        scale = tables[f"{name}.scale"]
        tables[name] = tables[f"{name}.steps"] * scale
    return {
        name: values.T if values.ndim == 2 and "embedding" not in name else values
        for name, values in tables.items()
        if name.endswith((".weight", ".bias", "turns"))
    }
