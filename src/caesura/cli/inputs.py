"""What commands read: files and folders, with the options of their format, and the built-in samples by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.model import Corpus

__all__ = ["key_values", "load"]

_SAMPLE = "sample:"


def load(
    path: Path | str, format: str | None = None, encoding: str | None = None, options: Sequence[str] | None = None
) -> Corpus:
    """Read a file or folder, or take a built-in sample: ``sample:kubla``."""
    from caesura.cli.output import working
    from caesura.formats import read

    if str(path).startswith(_SAMPLE):
        from caesura import samples

        return samples.load(str(path).removeprefix(_SAMPLE))
    given = key_values(options, "--option")
    if encoding is not None:
        given["encoding"] = encoding
    with working(f"reading {path}"):
        return read(path, format, **given)


def key_values(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Read ``KEY=VALUE`` options; values stay text, because whoever takes them knows their types."""
    from caesura.errors import CaesuraError

    found: dict[str, Any] = {}
    for pair in given or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise CaesuraError(f"{option} takes KEY=VALUE, not {pair!r}.")
        found[key.strip().replace("-", "_")] = value
    return found
