"""Find metrics, formats, segmenters, drawings, papers and commands by name, and load them when they are used.

Built-in entries are listed in one table per kind. Other packages add theirs through entry points::

    [project.entry-points."caesura.metrics"]
    mine = "my_package.my_module:MyFamily"

and describe them in ``my_package/caesura.toml``, so that they can be listed and chosen without being imported::

    [metrics.mine]
    title = "my metric"
    kinds = ["units"]
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from caesura.errors import CaesuraError, MissingExtra, UnknownName

T = TypeVar("T")

#: The name of the file, beside a package's ``__init__.py``, that describes its entries.
MANIFEST = "caesura.toml"

#: Set this environment variable to ignore all other packages' entries.
DISABLE_PLUGINS = "CAESURA_DISABLE_PLUGINS"

#: Names that our own optional packages bring: (kind, name) -> (distribution, extra, description). They are only used to tell users what to install.
_OPTIONAL_PACKAGES = {
    ("namespace", "vowels"): ("caesura-vowels", "vowels", "the module caesura.vowels"),
    ("command", "vowels"): ("caesura-vowels", "vowels", "the command 'vowels'"),
    ("command", "serve"): ("caesura-workbench", "workbench", "the command 'serve'"),
    ("format", "marked-text"): ("caesura-vowels", "vowels", "the format 'marked-text'"),
    ("drawing", "restorations"): ("caesura-vowels", "vowels", "the drawing 'restorations'"),
    ("paper", "gal2002"): ("caesura-vowels", "vowels", "the paper 'gal2002'"),
    ("tour", "vowels"): ("caesura-vowels", "vowels", "the section 'vowels'"),
}


class BrokenPlugin(UserWarning):
    """An installed package registers something that cannot be used; it is skipped."""


@dataclass(frozen=True)
class PluginEntry:
    """An entry point of an installed package.

    Parameters
    ----------
    name : str
        The name under which it is registered.
    location : str
        ``"module:attribute"``, or ``"module"``.
    distribution : str
        The name of the package that registers it.
    """

    name: str
    location: str
    distribution: str

    def load(self) -> Any:
        """Import the object."""
        return load_object(self.location)

    def manifest_facts(self, section: str) -> dict[str, Any] | None:
        """Return what the manifest says about this entry, or None if there is no manifest or it does not mention the entry."""
        top_level = self.location.partition(":")[0].partition(".")[0]
        return _read_manifest(top_level).get(section, {}).get(self.name)


class Entry:
    """The location of an object, and facts about it that are known before it is loaded.

    Parameters
    ----------
    location : str
        ``"module:attribute"``, or ``"module"`` where the module itself is the object.
    **facts
        Facts by which it is chosen, such as a title, suffixes or kinds of annotation.
    """

    def __init__(self, location: str, **facts: Any) -> None:
        self.location, self.facts = location, facts

    def load(self) -> Any:
        """Import the object."""
        return load_object(self.location)


def load_object(location: str) -> Any:
    """Import ``"module:attribute"`` or ``"module"``."""
    module, _, attribute = location.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


class Registry(Generic[T]):
    """Names, the location of each object, and facts about it.

    Parameters
    ----------
    kind : str
        What is registered, in the singular: "metric", "drawing". The group of entry points is ``caesura.<kind>s``.
    built_in : mapping of str to str or Entry
        Built-in entries: "module:attribute", or an :class:`Entry` where there are facts.
    facts : mapping of str to Any, default None
        The facts that every entry has, with their defaults. Built-in entries state theirs in the table, plug-ins in their
        manifest or, failing that, as attributes of the object; its title is then the first line of the docstring, or its name.
    accept : callable, default None
        Called with a name and the object loaded under it. Returns the object, or raises a :class:`CaesuraError` that says
        what was expected.
    describe : callable, default None
        Called with a name and the object loaded under it. Returns the facts of a plug-in that has no manifest, where they
        are not simply attributes of the object.

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
        built_in: Mapping[str, str | Entry],
        *,
        facts: Mapping[str, Any] | None = None,
        accept: Callable[[str, Any], T] | None = None,
        describe: Callable[[str, T], dict[str, Any]] | None = None,
    ) -> None:
        self.kind, self.group = kind, f"caesura.{kind}s"
        self._built_in = {name: Entry(e) if isinstance(e, str) else e for name, e in built_in.items()}
        self._defaults, self._accept, self._describe = dict(facts or {}), accept, describe
        self._loaded: dict[str, T] = {}
        self._facts: dict[str, dict[str, Any]] = {}
        self._broken: set[str] = set()
        for name, entry in self._built_in.items():
            if unknown := entry.facts.keys() - self._defaults.keys():
                raise TypeError(f"the {kind} {name!r} has unknown facts: {', '.join(sorted(unknown))}")

    def __iter__(self) -> Iterator[str]:
        """Iterate over names, built-in ones first, without loading anything; plug-ins known to be broken are skipped."""
        yield from self._built_in
        yield from (name for name in self._plugins if name not in self._broken)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._plugins

    def __getitem__(self, name: str) -> T:
        """Load the object registered under a name; an unknown name raises an error that suggests the nearest one."""
        if not isinstance(name, str):
            raise self._unknown(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def items(self) -> Iterator[tuple[str, T]]:
        """Load everything, one by one; a plug-in that fails is skipped with a warning."""
        for name in self:
            if self.can_load(name):
                yield name, self[name]

    def facts(self, name: str) -> dict[str, Any]:
        """Return the facts about a name; a plug-in is loaded only if its manifest does not describe it.

        Parameters
        ----------
        name : str
            A registered name.

        Returns
        -------
        dict
        """
        if name in self._built_in:
            return self._defaults | self._built_in[name].facts
        if name not in self._facts:
            self._facts[name] = self._plugin_facts(name)
        return self._facts[name]

    def names(self) -> Iterator[str]:
        """Iterate over names, built-in ones first; a plug-in that cannot be used is skipped with a warning."""
        return (name for name in self if name in self._built_in or self._can_describe(name))

    def all_facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Iterate over pairs of a name and its facts."""
        return ((name, self.facts(name)) for name in self.names())

    def source(self, name: str) -> str:
        """Return the name of the package that registers a name.

        Parameters
        ----------
        name : str
            A registered name.

        Returns
        -------
        str
        """
        if name in self._built_in:
            return "caesura"
        if name not in self._plugins:
            raise self._unknown(name)
        return self._plugins[name].distribution

    @cached_property
    def _plugins(self) -> dict[str, PluginEntry]:
        """Other packages' entries by name. A name that is taken is skipped with a warning."""
        plugins: dict[str, PluginEntry] = {}
        for entry in sorted(third_party_entry_points(self.group), key=lambda e: (e.name, e.distribution)):
            if entry.name in self._built_in or entry.name in plugins:
                taken_by = "caesura" if entry.name in self._built_in else plugins[entry.name].distribution
                self._warn(
                    f"the {self.kind} {entry.name!r} of {entry.distribution} has the same name as one of {taken_by}."
                )
            else:
                plugins[entry.name] = entry
        return plugins

    def _plugin_facts(self, name: str) -> dict[str, Any]:
        if name not in self._plugins:
            raise self._unknown(name)
        entry = self._plugins[name]
        try:
            declared = entry.manifest_facts(f"{self.kind}s")
        except (OSError, ValueError) as error:
            raise CaesuraError(
                f"the {self.kind} {name!r} of {entry.distribution} has a bad {MANIFEST}: {error}."
            ) from error
        if declared is not None:
            if unknown := declared.keys() - self._defaults.keys():
                known = ", ".join(self._defaults)
                raise CaesuraError(
                    f"the {self.kind} {name!r} of {entry.distribution} declares {sorted(unknown)[0]!r} in its {MANIFEST}; expected {known}."
                )
            facts = self._defaults | {
                fact: _as_type_of(self._defaults[fact], value) for fact, value in declared.items()
            }
        else:
            loaded = self[name]
            facts = {fact: getattr(loaded, fact, default) for fact, default in self._defaults.items()}
            if self._describe is not None:
                facts |= self._describe(name, loaded)
            if not facts.get("title"):
                facts["title"] = (loaded.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        if "title" in self._defaults:
            facts["title"] = facts["title"] or name
        return {fact: facts[fact] for fact in self._defaults}

    def _can_describe(self, name: str) -> bool:
        return self._try(name, self.facts)

    def can_load(self, name: str) -> bool:
        """Load the object registered under a name; if a plug-in fails, warn and return False.

        Parameters
        ----------
        name : str
            A registered name.

        Returns
        -------
        bool
        """
        return self._try(name, self.__getitem__)

    def _try(self, name: str, look_up: Callable[[str], Any]) -> bool:
        """Whether a look-up succeeds; a plug-in that fails is remembered and skipped with a warning."""
        try:
            look_up(name)
        except CaesuraError as error:
            if name in self._built_in:
                raise
            self._broken.add(name)
            self._warn(str(error))
            return False
        return True

    def _load(self, name: str) -> T:
        if name in self._built_in:
            return self._check(name, self._built_in[name].load())
        if name not in self._plugins:
            raise self._unknown(name)
        try:
            return self._check(name, self._plugins[name].load())
        except MissingExtra:  # says what to install
            raise
        except (Exception, SystemExit) as error:  # importing another package's module may fail in any way
            reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
            raise CaesuraError(
                f"the {self.kind} {name!r} of {self.source(name)} cannot be loaded: {reason}."
            ) from error

    def _check(self, name: str, loaded: Any) -> T:
        accepted: T = loaded if self._accept is None else self._accept(name, loaded)
        return accepted

    def _unknown(self, name: object) -> CaesuraError:
        if (self.kind, name) in _OPTIONAL_PACKAGES:
            return MissingExtra(*_OPTIONAL_PACKAGES[self.kind, str(name)])
        titles = {e.facts["title"]: n for n, e in self._built_in.items() if "title" in e.facts}
        return UnknownName(self.kind, str(name), list(self), titles)

    def _warn(self, sentence: str) -> None:
        warnings.warn(f"{sentence} It is skipped.", BrokenPlugin, stacklevel=4)


#: Modules that other packages add to ours: ``caesura.vowels`` is the namespace "vowels".
NAMESPACES: Registry[Any] = Registry("namespace", {})


def third_party_entry_points(group: str) -> list[PluginEntry]:
    """Return the entry points of a group that installed packages declare.

    Parameters
    ----------
    group : str
        Such as ``"caesura.metrics"``.
    """
    if os.environ.get(DISABLE_PLUGINS):
        return []
    return [entry for found, entry in _installed_entry_points(tuple(sys.path)) if found == group]


@cache
def _installed_entry_points(search_path: tuple[str, ...]) -> list[tuple[str, PluginEntry]]:
    """All entry points of our groups as (group, entry).

    Reading the files ourselves takes about 1 ms; importing importlib.metadata alone takes 50. Only archives on the
    search path, into which we cannot look, are left to importlib.
    """
    found: dict[tuple[str, str, str], PluginEntry] = {}  # a package may be on the search path twice
    for folder in search_path:
        if os.path.isfile(folder):
            return _entry_points_by_importlib()
        for info in _metadata_folders(folder):
            try:
                with open(f"{info}/entry_points.txt", "rb") as file:
                    content = file.read()
            except OSError:
                continue
            if b"[caesura." in content:
                distribution = _distribution_name(info)
                for group, name, location in _parse_entry_points(content.decode("utf-8")):
                    found.setdefault((group, name, distribution), PluginEntry(name, location, distribution))
    return [(group, entry) for (group, _, _), entry in found.items()]


def _metadata_folders(folder: str) -> list[str]:
    """List the metadata folders of the distributions installed in a folder; ``os`` lists them several times faster than pathlib."""
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder or ".") if name.endswith(("dist-info", "egg-info"))]
    except OSError:
        return []


def _entry_points_by_importlib() -> list[tuple[str, PluginEntry]]:
    from importlib.metadata import distributions

    return [
        (point.group, PluginEntry(point.name, point.value, installed.name))
        for installed in distributions()
        for point in installed.entry_points
        if point.group.startswith("caesura.")
    ]


def _parse_entry_points(text: str) -> Iterator[tuple[str, str, str]]:
    """Parse the groups of ours in an ``entry_points.txt``: (group, name, location)."""
    group = ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif "=" in line and group.startswith("caesura.") and not line.startswith(("#", ";")):
            name, _, location = line.partition("=")
            yield group, name.strip(), location.partition("[")[0].strip()


def _distribution_name(info: str) -> str:
    """Return the name of a distribution, from its metadata (the name of the folder has no hyphens)."""
    for file in ("METADATA", "PKG-INFO"):
        try:
            with open(f"{info}/{file}", encoding="utf-8", errors="replace") as lines:
                return next(line.partition(":")[2].strip() for line in lines if line.startswith("Name:"))
        except (OSError, StopIteration):
            continue
    return os.path.basename(info).partition("-")[0]


@cache
def _read_manifest(package: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Read the manifest of an installed package, without importing the package; empty if it has none."""
    from importlib.util import find_spec

    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / MANIFEST
        if file.is_file():
            import tomllib

            return tomllib.loads(file.read_text(encoding="utf-8"))
    return {}


def _as_type_of(default: Any, value: Any) -> Any:
    """Convert a value of a manifest to the type that the fact has elsewhere: TOML has lists, facts have tuples and sets."""
    return type(default)(value) if isinstance(value, list) and isinstance(default, frozenset | tuple) else value
