"""A file that says what labels are called: one ``from<TAB>to`` a line, as people keep for phone sets.

A label that the file does not name keeps its name. Empty lines and those that begin with ``#`` and a blank say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError
from caesura.files import Source


class LabelMap(str):
    """The name of such a file with the start of a digest of what it says, ``phones.tsv#1f0c…``, and what it says.

    So a signature names the very table, and one that was written down is refused where the file has changed since.
    """

    table: Mapping[str, str]

    @classmethod
    def of(cls, given: Any) -> LabelMap:
        """Read a file by its name, with or without the digest; a dictionary does as well, and nothing maps nothing."""
        if isinstance(given, LabelMap):
            return given
        if isinstance(given, Mapping):
            return cls._of_table("given", {str(label): str(name) for label, name in given.items()})
        if given in (None, ""):
            return cls._of_table("", {})
        path, _, digest = str(given).partition("#")
        labels = cls._of_table(path, _read(Source.open(Path(path))))
        if digest and labels != given:
            raise CaesuraError(
                f"{path} is not the table of labels that was meant: {given} is wanted, this is {labels}."
            )
        return labels

    @classmethod
    def _of_table(cls, path: str, table: Mapping[str, str]) -> LabelMap:
        content = "\n".join(f"{label}\t{name}" for label, name in sorted(table.items()))
        labels = cls(f"{path}#{sha256(content.encode()).hexdigest()[:8]}" if table else "")
        labels.table = table
        return labels

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (str(self), dict(self.table))


def _rebuild(name: str, table: dict[str, str]) -> LabelMap:
    labels = LabelMap(name)
    labels.table = table
    return labels


def _read(source: Source) -> dict[str, str]:
    table: dict[str, str] = {}
    for number, line in source.lines:
        if not line.strip() or line.startswith("# "):
            continue
        label, tab, name = line.partition("\t")
        if not tab or "\t" in name:
            raise source.fault(number, f"a line is {line[:40]!r}, expected a label, a tab and what it is called.")
        if table.setdefault(label, name.strip()) != name.strip():
            raise source.fault(
                number, f"the label {label!r} is called {table[label]!r} above and {name.strip()!r} here."
            )
    if not table:
        raise source.fault(None, "there is no label in it, expected lines of a label, a tab and what it is called.")
    return table
