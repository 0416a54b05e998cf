"""A corpus put together column by column, for formats that hold a million annotations."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.model import Corpus, Hierarchy, Spans
from caesura.model.corpus import Kind


class Columns:
    """Annotations as they come in, kept as flat arrays until the corpus is made."""

    def __init__(
        self, kind: Kind, *, typed: bool, labels: Sequence[str] | None = None, seconds: bool | None = None
    ) -> None:
        self.kind, self.typed = kind, typed
        self.seconds = kind == "time" if seconds is None else seconds
        number = "d" if self.seconds else "q"
        self.labels = None if labels is None else {name: i for i, name in enumerate(labels)}
        self.codes: dict[str, dict[str, int]] = {"item": {}, "track": {}, "coder": {}}
        self.of: dict[str, array[int]] = {name: array("q") for name in self.codes}
        self.lengths: array[Any] = array(number)
        self.offsets = array("q", [0])
        self.positions: array[Any] = array(number)
        self.types = array("q")
        self.ends: array[Any] = array(number)
        self.names: dict[int, Sequence[str]] = {}

    def add(self, item: str, coder: str, track: str, length: Any, names: Sequence[str] | None = None) -> None:
        """Begin an annotation; its marks come next."""
        for name, value in (("item", item), ("track", track), ("coder", coder)):
            codes = self.codes[name]
            self.of[name].append(codes.setdefault(value, len(codes)))
        self.lengths.append(_number(length, self.seconds))
        if names is not None:
            self.names[len(self.lengths) - 1] = names

    def marks(self, positions: list[Any], types: list[Any] | None) -> None:
        """Give the marks of the annotation begun last."""
        if not {type(p) for p in positions} <= ({int, float} if self.kind == "time" else {int}):
            what = "numbers" if self.kind == "time" else "whole numbers"
            odd = next(p for p in positions if type(p) not in ((int, float) if self.kind == "time" else (int,)))
            raise InvalidSegmentation(f"positions must be {what}, found {odd!r}.")
        if self.typed:
            if types is None or len(types) != len(positions):
                raise InvalidSegmentation(
                    f"{len(positions)} boundaries need as many types, found {'none' if types is None else len(types)}."
                )
            codes = self._type_codes(types)
            if any(a >= b and p == q for a, b, p, q in zip(codes, codes[1:], positions, positions[1:], strict=False)):
                order = sorted(range(len(positions)), key=lambda i: (positions[i], codes[i]))
                if positions == sorted(positions):
                    codes = [codes[i] for i in order]
            self.types.extend(codes)
        self.positions.extend(positions)
        self.offsets.append(len(self.positions))

    def segments(self, length: Any, segments: list[Any]) -> None:
        """Give the nested segments of the annotation begun last."""
        rows = Hierarchy.from_spans([tuple(segment) for segment in segments], length=length).segments
        self.positions.extend(rows[:, 0].tolist())
        self.ends.extend(rows[:, 1].tolist())
        self.types.extend(rows[:, 2].tolist())
        self.offsets.append(len(self.positions))

    def spans(self, length: Any, spans: list[Any]) -> None:
        """Give the spans of the annotation begun last: start, end and label, or None."""
        scale = list(self.labels) if self.labels is not None else None
        found = Spans.from_rows(spans, length=length, time=self.seconds, labels=scale)
        if found.typed and not self.typed:
            raise InvalidSegmentation("spans carry labels that the header does not list.")
        self.positions.extend(found.starts.tolist())
        self.ends.extend(found.ends.tolist())
        self.types.extend(found.types.tolist() if found.types is not None else [])
        self.offsets.append(len(self.positions))

    def corpus(
        self,
        texts: Mapping[tuple[str, str], Sequence[str]] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Corpus:
        """Make the corpus; every check of the model happens here, on whole columns."""
        nested, ended = self.kind == "nested", self.kind in ("nested", "spans")
        return Corpus(
            kind=self.kind,
            items=tuple(self.codes["item"]),
            tracks=tuple(self.codes["track"]) or ("",),
            coders=tuple(self.codes["coder"]),
            item_of=_array(self.of["item"]),
            track_of=_array(self.of["track"]),
            coder_of=_array(self.of["coder"]),
            lengths=_array(self.lengths),
            offsets=_array(self.offsets),
            positions=_array(self.positions),
            types=_array(self.types) if self.typed or nested else None,
            ends=_array(self.ends) if ended else None,
            labels=None if self.labels is None or not self.typed else tuple(self.labels),
            texts=texts,
            names=self.names,
            attributes=attributes,
        )

    def _type_codes(self, types: list[Any]) -> list[int]:
        if self.labels is None:
            if not all(type(t) is int for t in types):
                raise InvalidSegmentation(
                    f"types without labels are integers, found {next(t for t in types if type(t) is not int)!r}."
                )
            return types
        try:
            return [self.labels[t] for t in types]
        except (KeyError, TypeError):
            odd = next(t for t in types if not isinstance(t, str) or t not in self.labels)
            raise InvalidSegmentation(f"type {odd!r} is not among the labels.") from None


def _array(values: array[Any]) -> np.ndarray[Any, Any]:
    return (
        np.frombuffer(values, dtype=np.float64 if values.typecode == "d" else np.int64)
        if len(values)
        else np.array([], dtype=np.float64 if values.typecode == "d" else np.int64)
    )


def _number(value: Any, seconds: bool) -> Any:
    good: Callable[[Any], bool] = (lambda v: type(v) in (int, float)) if seconds else (lambda v: type(v) is int)
    if not good(value):
        what = "seconds" if seconds else "a whole number of units"
        raise InvalidSegmentation(f"the length must be {what}, found {value!r}.")
    if not seconds and not -(2**63) <= value < 2**63:
        raise CaesuraError(f"the length {value} is beyond all texts.")
    return value
