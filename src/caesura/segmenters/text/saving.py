"""Segmenters as JSON: the method and every parameter, learnt ones included."""

from __future__ import annotations

import json
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.files import Source, atomic_write, load_json

_KIND = "caesura segmenter"


def save(segmenter: Any, path: str | PathLike[str]) -> None:
    """Write a segmenter; one that holds a function of yours cannot be written."""
    from caesura._version import __version__

    parameters = {}
    for field in fields(segmenter):
        value = getattr(segmenter, field.name)
        if callable(value):
            raise CaesuraError(
                f"{field.name} is a function, which cannot be written; give it again after loading, or leave it out."
            )
        if value != field.default or isinstance(value, np.ndarray):
            parameters[field.name] = _plain(value)
    data = {"kind": _KIND, "version": __version__, "method": segmenter.name, "parameters": parameters}
    atomic_write(Path(path), json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def load(path: str | PathLike[str]) -> Any:
    """Read a segmenter that was saved."""
    from caesura.segmenters.catalog import segmenter

    source = Source.open(Path(path))
    data = load_json(source)
    if not isinstance(data, dict) or data.get("kind") != _KIND or not isinstance(data.get("parameters"), dict):
        raise source.fault(None, "this is no saved segmenter.")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in data["parameters"].items()}
    return segmenter(str(data.get("method")), **given)


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return dict(value) if hasattr(value, "items") else value
