"""A folder read as one corpus: a file a coder, or a folder a coder, told apart by a pattern of names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from caesura.errors import FormatError
from caesura.model import Annotation, Corpus

__all__ = ["read_folder"]


def read_folder(folder: Path, read: Callable[..., Corpus], *, pattern: str | None = None, **options: Any) -> Corpus:
    """Read every file below ``folder`` and join them.

    Parameters
    ----------
    pattern
        How a path below the folder gives item and coder, in braces: ``"{item}-{coder}.csv"``, ``"{coder}/{item}.txt"``. Only
        matching files are read. Default: every file, with the names it holds; where it holds none, the file's name is
        the item and the folder's the coder.
    """
    matching = None if pattern is None else _compiled(pattern)
    corpora = []
    for file in sorted(p for p in folder.rglob("*") if p.is_file() and not _hidden(p.relative_to(folder))):
        named: dict[str, str] = {}
        if matching is not None:
            found = matching.fullmatch(file.relative_to(folder).as_posix())
            if found is None:
                continue
            named = found.groupdict()
        corpora.append(_renamed(read(file, **options), named))
    if not corpora:
        what = "holds no file" if pattern is None else f"holds no file that fits the pattern {pattern!r}"
        raise FormatError(folder, None, f"the folder {what}.")
    return Corpus.join(corpora)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", pattern)
    wrong = [p for p in parts if p.startswith("{") and p not in ("{item}", "{coder}", "{track}")]
    if wrong:
        raise FormatError(
            None,
            None,
            f"the pattern {pattern!r} names {wrong[0]}; expected {{item}}, {{coder}} or {{track}}.",
        )
    return re.compile(
        "".join(f"(?P<{p[1:-1]}>[^/]+?)" if p.startswith("{") else re.escape(p).replace(r"\*", ".*") for p in parts)
    )


def _renamed(corpus: Corpus, named: dict[str, str]) -> Corpus:
    if not named:
        return corpus
    for what, known in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks)):
        if what in named and len(known) > 1:
            raise FormatError(
                None,
                None,
                f"the pattern names the {what}, but one file holds {len(known)} of them: {known[:3]}.",
            )
    return Corpus.from_annotations(
        [
            Annotation(named.get("item", a.item), named.get("coder", a.coder), a.marks, named.get("track", a.track))
            for a in corpus
        ],
        labels=corpus.labels,
        attributes={named.get("item", item): known for item, known in corpus.attributes.items()},
    )
