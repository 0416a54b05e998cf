"""One way to find what can be extended: ours by name in a table, other people's through entry points, loaded when asked for.

A package adds a metric, a format, a segmenter, a drawing, a paper or a command with, in its ``pyproject.toml``::

    [project.entry-points."caesura.metrics"]
    mine = "my_package.my_module:MyFamily"
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from caesura.errors import CaesuraError, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class BrokenPlugin(UserWarning):
    """Somebody's package registered something that cannot be used; everything else goes on without it."""


class Entry:
    """Where something lives, and what is known of it before it is loaded.

    Parameters
    ----------
    where
        ``"module:attribute"``, or ``"module"`` where the module itself is the thing.
    facts
        What it is chosen by: a title, suffixes, kinds of annotation.
    """

    def __init__(self, where: str, **facts: Any) -> None:
        self.where, self.facts = where, facts

    def load(self) -> Any:
        """Import it."""
        module, _, attribute = self.where.partition(":")
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded


class Registry(Generic[T]):
    """Names, where each lives, and what is known of it.

    Parameters
    ----------
    kind
        What is registered, in the singular: "metric", "drawing". The entry points' group is ``caesura.<kind>s``.
    ours
        Name -> "module:attribute", or an :class:`Entry` where there are facts.
    facts
        Name -> default of the facts that every entry has. Ours are in the table, a stranger's are attributes of its object; where
        that has no ``title``, the first line of its docstring is it, else its name.
    accept
        Looks at what was loaded under a name and returns it, or raises a :class:`CaesuraError` that says what it should be.
    titles
        Gives title -> name, what things are called in words, for the complaint about an unknown name; by default
        from the fact ``title``.

    Examples
    --------
    >>> numbers = Registry("number", {"pi": "math:pi", "e": Entry("math:e", famous=False)}, facts={"famous": True})
    >>> list(numbers), round(numbers["pi"], 2), numbers.source("pi")
    (['pi', 'e'], 3.14, 'caesura')
    >>> [name for name, facts in numbers.all_facts() if facts["famous"]]
    ['pi']
    >>> numbers["pie"]
    Traceback (most recent call last):
    caesura.errors.UnknownName: there is no number 'pie'; did you mean 'pi'? Known: e, pi.
    """

    def __init__(
        self,
        kind: str,
        ours: Mapping[str, str | Entry],
        *,
        facts: Mapping[str, Any] | None = None,
        accept: Callable[[str, Any], T] | None = None,
        titles: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self.kind, self.group = kind, f"caesura.{kind}s"
        self._ours = {name: Entry(e) if isinstance(e, str) else e for name, e in ours.items()}
        self._defaults, self._accept, self._titles = dict(facts or {}), accept, titles
        self._loaded: dict[str, T] = {}
        self._broken: set[str] = set()
        for name, entry in self._ours.items():
            if unknown := entry.facts.keys() - self._defaults.keys():
                raise TypeError(f"the {kind} {name!r} has facts that no {kind} has: {', '.join(sorted(unknown))}")

    def __iter__(self) -> Iterator[str]:
        """Names, ours first; nothing is loaded, plug-ins known to be broken are left out."""
        yield from self._ours
        yield from (name for name in self._theirs if name not in self._broken)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._theirs

    def __getitem__(self, name: str) -> T:
        """Load what a name stands for; a wrong name suggests the nearest, a broken plug-in says whose it is and why."""
        if not isinstance(name, str):
            raise self._unknown(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def items(self) -> Iterator[tuple[str, T]]:
        """Load everything, one by one; a plug-in that fails is named in a warning and skipped."""
        for name in self:
            if self._works(name):
                yield name, self[name]

    def facts(self, name: str) -> dict[str, Any]:
        """Say what is known of a name; only a stranger's object is loaded for that."""
        if name in self._ours:
            return self._defaults | self._ours[name].facts
        loaded = self[name]
        facts = {fact: getattr(loaded, fact, default) for fact, default in self._defaults.items()}
        if "title" in facts:
            facts["title"] = facts["title"] or (loaded.__doc__ or "").strip().partition("\n")[0].rstrip(".") or name
        return facts

    def names(self) -> Iterator[str]:
        """Give every name, ours first: who stops there never looks for strangers. A plug-in that fails is named in a warning and skipped."""
        return (name for name in self if name in self._ours or self._works(name))

    def all_facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give every one of :meth:`names` and its facts."""
        return ((name, self.facts(name)) for name in self.names())

    def source(self, name: str) -> str:
        """Say which distribution brought a name."""
        if name in self._ours:
            return "caesura"
        if name not in self._theirs:
            raise self._unknown(name)
        return _distribution(self._theirs[name])

    @cached_property
    def _theirs(self) -> dict[str, EntryPoint]:
        """Other people's entry points; of two with one name ours stays, else the first, and the other is named."""
        points: dict[str, EntryPoint] = {}
        for point in sorted(find_strangers(self.group), key=lambda p: (p.name, _distribution(p))):
            if point.name in self._ours or point.name in points:
                taken = "caesura" if point.name in self._ours else _distribution(points[point.name])
                self._warn(f"the {self.kind} {point.name!r} of {_distribution(point)} has the name of one of {taken}.")
            else:
                points[point.name] = point
        return points

    def _works(self, name: str) -> bool:
        """Load a name; where a stranger's fails, warn and remember."""
        try:
            self[name]
        except CaesuraError as error:
            if name in self._ours:
                raise
            self._broken.add(name)
            self._warn(str(error))
            return False
        return True

    def _load(self, name: str) -> T:
        if name in self._ours:
            return self._check(name, self._ours[name].load())
        if name not in self._theirs:
            raise self._unknown(name)
        try:
            return self._check(name, self._theirs[name].load())
        except (Exception, SystemExit) as error:  # anything at all may be wrong with a stranger's module
            why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
            raise CaesuraError(f"the {self.kind} {name!r} of {self.source(name)} cannot be loaded: {why}.") from error

    def _check(self, name: str, loaded: Any) -> T:
        accepted: T = loaded if self._accept is None else self._accept(name, loaded)
        return accepted

    def _unknown(self, name: object) -> UnknownName:
        titles = (
            self._titles()
            if self._titles
            else {e.facts["title"]: n for n, e in self._ours.items() if "title" in e.facts}
        )
        return UnknownName(self.kind, str(name), list(self), titles)

    def _warn(self, sentence: str) -> None:
        warnings.warn(f"{sentence} It is left out.", BrokenPlugin, stacklevel=4)


def find_strangers(group: str) -> Iterable[EntryPoint]:
    """Find the entry points of a group that installed packages have."""
    if not _somebody_registers():
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _somebody_registers() -> bool:
    """Whether any installed package names a group of ours: looking takes 2 ms, importing importlib.metadata 50."""
    for folder in map(Path, sys.path):
        if folder.is_file():
            return True  # an archive; importlib looks inside
        if any(b"[caesura." in file.read_bytes() for file in folder.glob("*.*-info/entry_points.txt")):
            return True
    return False


def _distribution(point: EntryPoint) -> str:
    return str(point.dist.name) if point.dist is not None else point.value
