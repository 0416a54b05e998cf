"""The letter encoder as an ONNX file, which is all that users need: written, computed in 8 bits, and read back to go on learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .encoder import load_network
from .text import Array, split_into_pieces
from .training_plan import Plan

_WORTH = 4096  # numbers of a table of weights below which it stays as it is
_LINES = 60  # that activations are measured on
_LONGEST = 384
_WEIGHT_STEPS = 63  # 7 bits: sums of two products stay within 16, which processors without instructions for 8 bits need
_LIKE = 0.1  # how far logits may move by rounding, as a share of the largest


def export_network(source: Path, target: Path, data: dict[str, Any]) -> float:
    """Write a trained network as ONNX; return how far its logits lie from PyTorch's on a line of its data.

    It is computed in 8 bits, unless that moves logits too far, as it may after a short training.
    """
    names, inputs, expected = write_onnx(source, target, next(sample_lines(data)))
    exact = target.read_bytes()
    quantise(target, list(sample_lines(data)))
    if compare_logits(target, names, inputs, expected) > _LIKE * float(np.abs(expected).max()):
        target.write_bytes(exact)
    forget_origin(target)
    return compare_logits(target, names, inputs, expected)


def sample_lines(data: dict[str, Any]) -> Iterator[dict[str, Array]]:
    """Some training lines as a network reads them, one at a time."""
    every = data["train"][:: max(1, len(data["train"]) // _LINES)].tolist()
    for line in every:
        edges = data["offsets"][line : line + 2]
        for start, stop in split_into_pieces(data["symbols"], edges, data["meta"]["space"], _LONGEST):
            letters = data["symbols"][None, start:stop].astype(np.int64)
            yield {
                "letters": letters,
                "lines": np.ones_like(letters),
                "word": data["words"][None, start:stop].astype(np.int64),
            }


def write_onnx(source: Path, target: Path, line: dict[str, Array]) -> tuple[list[str], list[Any], Any]:
    """Write a trained network as ONNX as it is; return the names of its inputs, a line twice over as inputs, and what PyTorch says to them."""
    import torch

    network, plan, _ = load_network(source)
    names = ["letters", "lines", "word"] if plan.words else ["letters", "lines"]
    inputs = [torch.from_numpy(np.repeat(line[name], 2, axis=0)) for name in names]
    row, place = torch.export.Dim("row"), torch.export.Dim("place")
    torch.onnx.export(
        network, tuple(inputs), target, input_names=names, output_names=["logits"], dynamo=True,
        dynamic_shapes=[{0: row, 1: place}] * len(names), external_data=False, verbose=False,
    )  # fmt: skip
    name_weights(target, plan)
    with torch.no_grad():
        return names, [x.numpy() for x in inputs], network(*inputs).numpy()


def name_weights(path: Path, plan: Plan) -> None:
    """Name the tables that the exporter turned around after the layers they belong to, so that they can be found again."""
    import onnx

    model = onnx.load(path)
    products = linear_products(model.graph)
    for product, name in zip(products, linear_names(plan), strict=True):
        old = product.input[1]
        for table in model.graph.initializer:
            if table.name == old:
                table.name = name
        product.input[1] = name
    onnx.save(model, path)


def linear_names(plan: Plan) -> list[str]:
    """The layers that multiply by a table, in the order in which a line passes them."""
    blocks = [f"blocks.{n}.{part}" for n in range(plan.layers) for part in ("query_key_value", "out", "up", "down")]
    return [f"{name}.weight" for name in [*(["word_in"] if plan.words else []), *blocks, "head"]]


def linear_products(graph: Any) -> list[Any]:
    """The products of a graph whose second factor is a table of weights, in their order."""
    tables = {table.name for table in graph.initializer if len(table.dims) == 2}
    return [node for node in graph.node if node.op_type == "MatMul" and node.input[1] in tables]


def compare_logits(path: Path, names: list[str], inputs: list[Any], expected: Any) -> float:
    """Return how far onnxruntime's logits lie from what is expected."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    return float(np.abs(session.run(None, dict(zip(names, inputs, strict=True)))[0] - expected).max())


def quantise(path: Path, lines: Sequence[dict[str, Array]]) -> None:
    """Let the large products be computed in whole numbers: weights with a scale per column, activations with one scale each.

    How far activations go is measured once, on ``lines``, and kept: a scale found anew for every batch would make what a line gives depend on
    the lines beside it.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(path)
    graph = model.graph
    tables = {table.name: table for table in graph.initializer}
    products = [node for node in linear_products(graph) if np.prod(tables[node.input[1]].dims) >= _WORTH]
    lookups = [node for node in graph.node if node.op_type == "Gather" and "embedding" in node.input[0]]
    new = []

    def keep_weights(name: str, values: Array) -> None:
        graph.initializer.append(numpy_helper.from_array(values, name))

    def put_in_steps(name: str, axis: int, most: int) -> None:
        weights = numpy_helper.to_array(tables[name])
        scale = np.abs(weights).max(axis=1 - axis, keepdims=True).astype(np.float32) / most + np.float32(1e-12)
        graph.initializer.remove(tables[name])
        keep_weights(f"{name}.steps", np.round(weights / scale).astype(np.int8))
        keep_weights(f"{name}.scale", scale if axis == 0 else scale[0])

    for name, (low, high) in measure_ranges(path, [node.input[0] for node in products], lines).items():
        step = max((high - low) / 255, 1e-9)
        keep_weights(f"{name}.scale", np.array(step, np.float32))
        keep_weights(f"{name}.zero", np.array(round(-low / step), np.uint8))
        scale = [f"{name}.scale", f"{name}.zero"]
        new.append(helper.make_node("QuantizeLinear", [name, *scale], [f"{name}.steps"]))
        new.append(helper.make_node("DequantizeLinear", [f"{name}.steps", *scale], [f"{name}.rounded"]))
    for node in products:
        table = node.input[1]
        put_in_steps(table, axis=1, most=_WEIGHT_STEPS)
        keep_weights(f"{table}.zero", np.zeros(tables[table].dims[1], np.int8))
        parts = [f"{table}.{part}" for part in ("steps", "scale", "zero")]
        new.append(helper.make_node("DequantizeLinear", parts, [table], axis=1))
        node.input[0] = f"{node.input[0]}.rounded"
    for node in lookups:  # the rows that are looked up are multiplied out, not the whole table
        table, places = node.input
        put_in_steps(table, axis=0, most=127)
        graph.node.remove(node)
        new += [
            helper.make_node("Gather", [f"{table}.steps", places], [f"{table}.row"]),
            helper.make_node("Cast", [f"{table}.row"], [f"{table}.float"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{table}.scale", places], [f"{table}.step"]),
            helper.make_node("Mul", [f"{table}.float", f"{table}.step"], list(node.output)),
        ]
    put_in_order(graph, new)
    onnx.save(model, path)


def measure_ranges(
    path: Path, names: Sequence[str], lines: Sequence[dict[str, Array]]
) -> dict[str, tuple[float, float]]:
    """The least and the largest number that flows through some places of a network, and 0 between them."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    asked = list(dict.fromkeys(names))
    model = onnx.load(path)
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in asked)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    inputs = [x.name for x in session.get_inputs()]
    ranges = dict.fromkeys(asked, (0.0, 0.0))
    for line in lines:
        for name, values in zip(asked, session.run(asked, {x: line[x] for x in inputs}), strict=True):
            low, high = ranges[name]
            ranges[name] = min(low, float(values.min())), max(high, float(values.max()))
    return ranges


def put_in_order(graph: Any, new: Sequence[Any]) -> None:
    """Put nodes into a graph, each behind those whose results it takes."""
    ready = {"", *(x.name for x in graph.input), *(table.name for table in graph.initializer)}
    waiting = [*new, *graph.node]
    del graph.node[:]
    while waiting:
        able = [node for node in waiting if ready.issuperset(node.input)]
        graph.node.extend(able)
        ready.update(name for node in able for name in node.output)
        waiting = [node for node in waiting if not ready.issuperset(node.output)]


def forget_origin(path: Path) -> None:
    """Take out what the exporter notes beside every node: the folders and lines of the program on the machine that trained."""
    import onnx

    model = onnx.load(path)
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.doc_string = ""
        del part.metadata_props[:]
    del graph.value_info[:]
    onnx.save(model, path)


def measures(weights: dict[str, Array]) -> dict[str, Any]:
    """What a plan says of the size of a network with these weights."""
    width, _, convolution = weights["blocks.0.convolution.weight"].shape
    return {
        "width": width,
        "layers": sum(name.endswith(".out.weight") for name in weights),
        "heads": width // (2 * len(weights["turns"])),
        "convolution": convolution,
        "words": weights["word_embedding.weight"].shape[1] if "word_embedding.weight" in weights else 0,
    }


def read_back(stored: bytes) -> dict[str, Any]:
    """The weights of an exported network as PyTorch names them, in 32 bits again."""
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
