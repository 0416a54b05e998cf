"""Convert results to plain data, which :mod:`json` can write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any


def to_plain(value: Any) -> Any:
    """Convert a value to dicts, lists, strings, numbers and None.

    Parameters
    ----------
    value : Any
        Results, dataclasses, named tuples, mappings, sequences, NumPy arrays and scalars, nested in any way. An object
        converts itself if it has a method ``as_dict`` or ``as_plain``.

    Returns
    -------
    Any
        The same data. NaN and infinity become None, because JSON has neither; keys become strings, and a tuple of names
        becomes "first – second".

    Examples
    --------
    >>> import numpy as np
    >>> to_plain({("ann", "ben"): np.array([0.5, np.nan]), "n": np.int64(2)})
    {'ann – ben': [0.5, None], 'n': 2}
    """
    kind = type(value)  # exact types first: most values are, and JSON of large results is converted often
    if kind is float:
        return value if isfinite(value) else None
    if kind is str or kind is int or kind is bool:
        return value
    if kind is dict:
        return {key if type(key) is str else _plain_key(key): to_plain(each) for key, each in value.items()}
    if kind is list or kind is tuple:
        return [to_plain(each) for each in value]
    if isinstance(value, str):
        return str.__str__(value)  # cells of tables are subclasses of str and float
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    for convert in ("as_dict", "as_plain", "_asdict", "tolist"):
        if hasattr(value, convert):
            return to_plain(getattr(value, convert)())
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_plain_key(key): to_plain(each) for key, each in value.items()}
    return [to_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _plain_key(key: Any) -> str:
    return " – ".join(map(str, key)) if isinstance(key, tuple) else str(key)
