"""Checks of an ONNX file before onnxruntime gets it, without the library onnx, which users of a model do not need.

onnxruntime checks shapes and indices itself. What it accepts, but no network of ours has: numbers that are not finite (an 8-bit product makes finite
nonsense of NaN), tensors in other files, and loops and branches, which may run without end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

# Numbers of fields in onnx.proto.
_GRAPH, _FUNCTIONS = 7, 25  # of a model
_NODE, _INITIALIZER = 1, 5  # of a graph
_ATTRIBUTE = 5  # of a node
_TENSOR, _SUBGRAPH, _SUBGRAPHS = 5, 6, 11  # of an attribute
_DATA_TYPE, _FLOAT_DATA, _RAW_DATA, _DOUBLE_DATA, _EXTERNAL, _LOCATION = 2, 4, 9, 10, 13, 14  # of a tensor
_FLOATS = {1: np.float32, 10: np.float16, 11: np.float64}  # by the number of the data type


def check_onnx(stored: bytes) -> None:
    """Refuse an ONNX file with numbers that are not finite, other files, loops or branches.

    Raises
    ------
    ValueError
        With a sentence that says what was found.
    """
    found = False
    for number, model_value in _fields(memoryview(stored)):
        if number == _FUNCTIONS:
            raise ValueError("it has functions")
        if number == _GRAPH and isinstance(model_value, memoryview):
            found = True
            for kind, part in _fields(model_value):
                if kind == _NODE and isinstance(part, memoryview):
                    _check_node(part)
                elif kind == _INITIALIZER and isinstance(part, memoryview):
                    _check_tensor(part)
    if not found:
        raise ValueError("it has no graph")


def _check_node(node: memoryview) -> None:
    for number, attribute in _fields(node):
        if number != _ATTRIBUTE or not isinstance(attribute, memoryview):
            continue
        for kind, value in _fields(attribute):
            if kind in (_SUBGRAPH, _SUBGRAPHS):
                raise ValueError("it has a loop or a branch")
            if kind == _TENSOR and isinstance(value, memoryview):
                _check_tensor(value)


def _check_tensor(tensor: memoryview) -> None:
    fields = list(_fields(tensor))
    kind = next((value for number, value in fields if number == _DATA_TYPE), 0)
    for number, value in fields:
        if number == _EXTERNAL or (number == _LOCATION and value):
            raise ValueError("it reads tensors from another file")
        dtype = {_FLOAT_DATA: np.float32, _DOUBLE_DATA: np.float64, _RAW_DATA: _FLOATS.get(int(kind))}.get(number)
        if dtype is None or not isinstance(value, memoryview):
            continue
        if len(value) % np.dtype(dtype).itemsize or not np.isfinite(np.frombuffer(value, dtype)).all():
            raise ValueError("it has NaN or infinity among its weights")


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and value of every field of a Protocol Buffers message."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        value: int | memoryview
        if kind == 0:
            value, at = _varint(message, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = message[at : at + size], at + size
        elif kind == 2:
            size, at = _varint(message, at)
            value, at = message[at : at + size], at + size
        else:
            raise ValueError("it is not an ONNX file")
        if at > len(message):
            raise ValueError("it is cut off")
        yield tag >> 3, value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("it is cut off")
