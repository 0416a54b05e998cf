"""What commands read: files and folders, with the options of their format, and the built-in samples by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.model import Corpus

__all__ = ["asked_for", "key_values", "load", "named_alike", "of_side", "refuse_one_coder_a_text", "suggest_pattern"]

_SAMPLE = "sample:"


def load(
    path: Path | str, format: str | None = None, encoding: str | None = None, options: Sequence[str] | None = None
) -> Corpus:
    """Read a file or folder, or take a built-in sample: ``sample:kubla``."""
    from caesura.cli.output import panics_unheard, working
    from caesura.formats import read

    if str(path).startswith(_SAMPLE):
        from caesura import samples

        return samples.load(str(path).removeprefix(_SAMPLE))
    given = key_values(options, "--option")
    if encoding is not None:
        given["encoding"] = encoding
    with panics_unheard(), working(f"reading {path}"):
        return read(path, format, **given)


def refuse_one_coder_a_text(
    corpus: Corpus, path: Path, format: str | None, encoding: str | None, options: Sequence[str] | None
) -> None:
    """Refuse a folder in which no text has two coders, though the names of its files tell of several: with the option to give."""
    from caesura.errors import CaesuraError

    if hint := _pattern_hint(corpus, path, format, encoding, options):
        raise CaesuraError(hint)


def suggest_pattern(
    corpus: Corpus, path: Path, format: str | None, encoding: str | None, options: Sequence[str] | None
) -> Corpus:
    """Say on the side what others refuse, in commands that can go on with one coder a text."""
    if hint := _pattern_hint(corpus, path, format, encoding, options):
        print(f"caesura: {hint}", file=sys.stderr)
    return corpus


def _pattern_hint(
    corpus: Corpus, path: Path, format: str | None, encoding: str | None, options: Sequence[str] | None
) -> str | None:
    from caesura.formats.reading import likely_pattern

    given = key_values(options, "--option")
    if "pattern" in given or not len(corpus) or len(corpus.pairs()[0]) or not path.is_dir():
        return None
    pattern = likely_pattern(path, format, **given, **({} if encoding is None else {"encoding": encoding}))
    if pattern is None:
        return None
    return (
        f"{path}: no text has two coders as this folder was read; if its files are named by item and coder, "
        f"read it with -O 'pattern={pattern}'."
    )


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


def asked_for(**options: Any) -> dict[str, Any]:
    """Keep the options that the user gave; the others have the defaults of what they belong to.

    >>> asked_for(n_t=3, k=None)
    {'n_t': 3}
    """
    return {name: value for name, value in options.items() if value is not None}


def of_side(options: Sequence[str] | None, side: str) -> list[str]:
    """Choose the options of one side: ``ref.tier=words`` is the reference's alone, ``hyp.…`` the hypothesis's, others go to both.

    >>> of_side(["ref.tier=words", "hyp.tier=2", "silence=out"], "hyp")
    ['tier=2', 'silence=out']
    """
    chosen = []
    for option in options or ():
        head, dot, rest = option.partition(".")
        if dot and head in ("ref", "hyp"):
            chosen += [rest] if head == side else []
        else:
            chosen.append(option)
    return chosen


def named_alike(reference: Corpus, its_path: Path | str, hypothesis: Corpus, path: Path | str) -> Corpus:
    """Give the hypothesis the reference's item where both took the one they have from their files' names.

    ``gold.TextGrid`` and ``system.TextGrid`` are two files of one recording; two that name their items must name the same.
    """
    from caesura.formats.folders import rename_parts

    taken = (Path(its_path).stem,), (Path(path).stem,)
    if (reference.items, hypothesis.items) == taken and reference.items != hypothesis.items:
        return rename_parts(hypothesis, {"item": reference.items[0]})
    return hypothesis
