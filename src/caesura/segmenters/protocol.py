"""What every segmenter is, ours and other people's."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from caesura.errors import CaesuraError
from caesura.model import Segmentation


@runtime_checkable
class Segmenter(Protocol):
    """Places boundaries; its parameters are keywords of its class, with their defaults.

    The class may say ``title`` (what it is, in a few words; else the first line of its docstring) and ``takes`` (``{"text"}``, which
    holds where nothing is said, ``{"sound"}`` or both), by which it is offered and chosen. A segmenter that knows more offers more: ``explain``, ``tree``, ``fit``, ``stream``, ``save``.
    """

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Place boundaries between units.

        Parameters
        ----------
        units
            The units of a text as strings, or a :class:`~caesura.segmenters.sound.Recording`.
        segments
            How many segments; by default the segmenter decides.
        """
        ...


def check_segments(segments: int | None, most: int, where: str) -> None:
    """Refuse a number of segments that cannot be had of ``most``.

    >>> check_segments(5, 3, "a text of 3 units")
    Traceback (most recent call last):
    caesura.errors.CaesuraError: 5 segments were asked of a text of 3 units; expected 1 to 3.
    """
    if segments is not None and (isinstance(segments, bool) or not 1 <= segments <= max(most, 1)):
        raise CaesuraError(f"{segments} segments were asked of {where}; expected 1 to {max(most, 1)}.")
