"""Docstrings of the public API document every parameter of the signature, with type and description, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import griffe
import pytest
from prose import RULES

import caesura as cs
import caesura_vowels
from reference_pages import SUBJECTS

ROOT = Path(__file__).parents[2]
SOURCES = sorted(map(str, ROOT.glob("packages/*/src")))
PARAMETERS = (griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.other_parameters)
ATTRIBUTES = (griffe.DocstringSectionKind.attributes,)  # classes of results may list these instead
#: ``*args`` and ``**kwargs`` need no entry and no type.
VARIADIC = (griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword)
#: Objects with a page in the reference that no package exports, except for commands, whose options explain themselves.
ON_PAGES = sorted({path for paths in SUBJECTS.values() for path in paths} - {"caesura_workbench.serve.serve"})


@cache
def package(name: str) -> griffe.Object:
    """Load a package statically, with the imports of its stub resolved."""
    loader = griffe.GriffeLoader(search_paths=SOURCES, docstring_parser=griffe.Parser.numpy)
    loaded = loader.load(name)
    if name != "caesura":
        loader.load("caesura")  # base classes
    loader.resolve_aliases(external=True)
    assert isinstance(loaded, griffe.Object)
    return loaded


def public_objects() -> Iterator[tuple[str, griffe.Object]]:
    """Yield the functions and classes that packages export or the reference describes, and the methods of these classes, by their path."""
    exported = [f"caesura.{name}" for name in cs.__all__] + [
        f"caesura_vowels.{name}" for name in caesura_vowels.__all__
    ]
    for path in dict.fromkeys([*exported, *ON_PAGES, "caesura_workbench.client.Workbench"]):
        found = object_at(path)
        if found is None or not (found.is_function or found.is_class):
            continue
        yield path, found
        if found.is_class:
            yield from methods(path, found)


def object_at(path: str) -> griffe.Object | griffe.Alias | None:
    """Return the object of a path; None for modules that griffe did not load."""
    name, *members = path.split(".")
    found: griffe.Object | griffe.Alias | None = package(name)
    for member in members:
        found = None if found is None else found.all_members.get(member)
    return found


def methods(path: str, found: griffe.Object | griffe.Alias) -> Iterator[tuple[str, griffe.Object]]:
    """Yield the public methods that a class defines itself."""
    for name, member in found.members.items():
        if member.is_function and not name.startswith("_"):
            yield f"{path}.{name}", member


PUBLIC = dict(public_objects())


def signature_parameters(found: griffe.Object) -> list[griffe.Parameter]:
    """Return the parameters that a caller gives: those of a function, or of the constructor of a class."""
    parameters = list(found.parameters)
    bound = "staticmethod" not in found.labels and (
        found.is_class or (found.parent is not None and found.parent.is_class)
    )
    if bound and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    return [each for each in parameters if not each.name.startswith("_")]


def documented_parameters(found: griffe.Object, *kinds: griffe.DocstringSectionKind) -> dict[str, Any]:
    """Return the entries of these sections by name.

    The docstring is parsed without its object: otherwise griffe takes missing types from the signature.
    """
    assert found.docstring is not None
    sections = griffe.Docstring(found.docstring.value).parse(griffe.Parser.numpy)
    entries = [entry for section in sections if section.kind in kinds for entry in section.value]
    # griffe splits "low, high : float" in Parameters but not in Attributes.
    return {name.strip().lstrip("*"): entry for entry in entries for name in entry.name.split(",")}


def problems(found: griffe.Object) -> list[str]:
    """List what a docstring lacks."""
    if found.docstring is None:
        return ["no docstring"]
    documented = documented_parameters(found, *PARAMETERS, *(ATTRIBUTES if found.is_class else ()))
    parameters = signature_parameters(found)
    faults = []
    for parameter in parameters:
        entry = documented.get(parameter.name)
        if entry is None:
            if parameter.kind not in VARIADIC:
                faults.append(f"{parameter.name}: not documented")
        elif not str(entry.description).strip():
            faults.append(f"{parameter.name}: no description")
        elif parameter.kind not in VARIADIC and not str(entry.annotation or "").strip():
            faults.append(f"{parameter.name}: no type")
    names = {parameter.name for parameter in parameters}
    if not any(parameter.kind is griffe.ParameterKind.var_keyword for parameter in parameters):
        faults += [
            f"{name}: not in the signature" for name in documented_parameters(found, *PARAMETERS) if name not in names
        ]
    return faults


@pytest.mark.parametrize("path", PUBLIC)
def test_parameters_are_documented(path: str) -> None:
    assert problems(PUBLIC[path]) == [], path


@pytest.mark.parametrize("path", PUBLIC)
def test_docstrings_are_plain(path: str) -> None:
    """The phrases that pages avoid; "at once" is clear where it means one pass."""
    docstring = PUBLIC[path].docstring
    words = re.sub(r"``[^`]*``|:\w+:`[^`]*`", "", docstring.value if docstring else "")
    found = [
        (match[0], better) for pattern, better in RULES.items() for match in re.finditer(pattern, words, re.IGNORECASE)
    ]
    assert [each for each in found if each[0].lower() != "at once"] == [], path
