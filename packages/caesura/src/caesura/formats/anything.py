"""Convert what users have at hand to corpora or plain lists; the modules that do so are imported only when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from os import PathLike
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.model import Corpus, Hierarchy, Segmentation, Spans
from caesura.model.conversion import abbreviate

_MARKS = (Corpus, Segmentation, Hierarchy, Spans)
_NUMBERS = (int, float, np.number, np.bool_)


def from_anything(given: Any) -> Any:
    """Convert what users have at hand to a corpus or to plain lists.

    Parameters
    ----------
    given : Any
        The path of a file or folder; a data frame, or one of its columns; an object of another package, or rows of a dataset, see
        :func:`~caesura.formats.objects.from_object`; an array with a row per text; or an iterator.

    Returns
    -------
    Any
        A corpus, a list or a dict; marks, corpora, lists, dicts and strings of 0 and 1 are returned as they are.

    Examples
    --------
    >>> from_anything(iter([[2, 3], [4]]))
    [[2, 3], [4]]
    """
    given = _without_columns(given)
    if isinstance(given, str):
        given = given.strip()
    if isinstance(given, PathLike) or (isinstance(given, str) and given.strip("01")):
        from caesura.formats.reading import read

        return read(given)
    if isinstance(given, np.ndarray):
        if given.ndim > 2:
            raise CaesuraError(f"expected an array with a row per text, not one with {given.ndim} dimensions.")
        if given.dtype.kind == "f" and (given == 0).any() and ((given == 0) | (given == 1)).all():
            given = given.astype(np.int64)  # marks of potential boundaries, as networks return them
        return list(given) if given.ndim > 1 or given.dtype.kind == "O" else given
    if _is_plain(given):
        return given
    from caesura.formats.frames import Records, from_dataframe, from_series, is_frame, is_series
    from caesura.formats.objects import from_object, is_object

    rows = (
        list(given) if hasattr(given, "column_names") and hasattr(given, "features") else given
    )  # Hugging Face's datasets
    if isinstance(rows, (list, tuple)) and rows and all(map(_is_table_row, rows)):
        return from_dataframe(Records(rows))
    if is_object(given):
        return from_object(given)
    if isinstance(given, (list, tuple, Mapping)):
        return given
    if isinstance(given, Set):
        raise CaesuraError(
            f"a set such as {abbreviate(repr(given))} has no order; give a list, or positions by Segmentation.from_positions."
        )
    if is_frame(given):
        return from_dataframe(given)
    if is_series(given):
        return from_series(given)
    return list(given) if isinstance(given, Iterable) else given


def _without_columns(given: Any) -> Any:
    """Return lists and dicts of columns of data frames, or of tensors, with plain lists in their place."""
    if isinstance(given, (list, tuple)):
        first = given[0] if given else None
        return [_as_list(each) for each in given] if _is_column(first) and all(map(_is_column, given)) else given
    if type(given) is dict and any(_is_column(value) or type(value) is dict for value in given.values()):
        return {key: _as_list(value) if _is_column(value) else _without_columns(value) for key, value in given.items()}
    if _is_column(given) and not hasattr(given, "to_frame"):  # a tensor
        return np.asarray(given)
    return given


def _as_list(column: Any) -> Any:
    return column.to_list() if hasattr(column, "to_list") else column.tolist()


def _is_column(given: object) -> bool:
    """Tell whether something is a column of pandas, or a tensor: an array of another package with at least one dimension."""
    if isinstance(given, (*_MARKS, *_NUMBERS, np.ndarray, str, list, tuple, dict)) or given is None:
        return False
    if hasattr(given, "columns") or hasattr(given, "column_names"):  # a frame, a dataset
        return False
    return (hasattr(given, "tolist") or hasattr(given, "to_list")) and hasattr(given, "shape") and len(given.shape) > 0


def _is_table_row(given: object) -> bool:
    """Tell whether a dict is a row of a table: a boundary, a unit or a span, and no text with its annotation."""
    return (
        isinstance(given, Mapping)
        and (
            bool({"position", "boundary"} & given.keys())
            or {"start", "end"} <= given.keys()
            or ("label" in given and bool({"item", "unit", "token", "word", "sentence", "text"} & given.keys()))
        )
        and not any(isinstance(value, (list, tuple, dict)) for value in given.values())
    )


def _is_plain(given: object) -> bool:
    """Tell whether nothing has to be converted: marks, numbers, strings, and lists or dicts of these."""
    if isinstance(given, (*_MARKS, *_NUMBERS, str, bytes)) or given is None:
        return True
    if isinstance(given, (list, tuple)):
        return not given or isinstance(given[0], (*_MARKS, *_NUMBERS, list, tuple, str, np.ndarray))
    if isinstance(given, Mapping) and type(given) is dict:
        first = next(iter(given.values()), None)
        columns = any(
            name in given for name in ("tokens", "words", "sentences", "units", "utterances", "text", "segments")
        )
        return not columns and (first is None or isinstance(first, (*_MARKS, list, tuple, str, np.ndarray, Mapping)))
    return False
