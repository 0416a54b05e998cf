"""A tiny encoder as an ONNX file, written field by field, so that tests need no library to make models."""

from __future__ import annotations

import numpy as np


def _varint(number: int) -> bytes:
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _part(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, values: np.ndarray) -> bytes:
    kind = 7 if values.dtype == np.int64 else 1
    return (
        b"".join(_number(1, size) for size in values.shape)
        + _number(2, kind)
        + _part(8, name)
        + _part(9, values.tobytes())
    )


def _ints(name: str, values: list[int]) -> bytes:
    return _part(5, _part(1, name) + b"".join(_number(8, value) for value in values) + _number(20, 7))


def _node(kind: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    return _part(
        1, b"".join(_part(1, name) for name in inputs) + _part(2, output) + _part(4, kind) + b"".join(attributes)
    )


def _value(name: str, dimensions: list[int | str]) -> bytes:
    sizes = b"".join(_part(1, _part(2, d) if isinstance(d, str) else _number(1, d)) for d in dimensions)
    return _part(1, name) + _part(2, _part(1, _number(1, 1) + _part(2, sizes)))


def encoder(*, hop: int = 320, size: int = 400, bands: int = 16, rate: int = 16_000) -> bytes:
    """Return a model that measures the energy at some frequencies: (1, samples) -> (1, frames, 2 · bands)."""
    time = np.arange(size) / rate
    hertz = np.linspace(200, 4000, bands)[:, None]
    waves = np.concatenate((np.cos(2 * np.pi * hertz * time), np.sin(2 * np.pi * hertz * time))) * np.hanning(size)
    graph = (
        _node("Unsqueeze", ["audio", "axes"], "channel")
        + _node("Conv", ["channel", "waves"], "filtered", _ints("strides", [hop]))
        + _node("Mul", ["filtered", "filtered"], "energy")
        + _node("Transpose", ["energy"], "frames", _ints("perm", [0, 2, 1]))
        + _part(2, "encoder")
        + _part(5, _tensor("axes", np.array([1], np.int64)))
        + _part(5, _tensor("waves", waves[:, None, :].astype(np.float32)))
        + _part(11, _value("audio", [1, "samples"]))
        + _part(12, _value("frames", [1, "frames", 2 * bands]))
    )
    return _number(1, 8) + _part(7, graph) + _part(8, _number(2, 13))
