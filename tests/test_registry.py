"""The one registry: ours in a table, strangers' through real entry points of a package in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.registry import BrokenPlugin, Entry, Registry

SIZES = {"title": "", "size": 0}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a distribution: what its entry points are, and the source of its one module."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(distribution: str, points: dict[str, str], source: str) -> None:
        module = distribution.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {where}\n" for name, where in points.items())
        (info / "entry_points.txt").write_text(f"[caesura.numbers]\n{lines}")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return write


def numbers(**more: Any) -> Registry[Any]:
    ours = {"pi": Entry("math:pi", title="circle", size=3), "e": "math:e", "maths": "math"}
    return Registry("number", ours, facts=SIZES, **more)


def test_ours_are_loaded_when_asked_for() -> None:
    lazy = Registry("number", {"bad": "caesura.no_such_module:thing", "pi": "math:pi"})
    assert list(lazy) == ["bad", "pi"]
    assert len(lazy) == 2
    assert "bad" in lazy
    assert lazy["pi"] == 3.141592653589793
    with pytest.raises(ModuleNotFoundError):
        lazy["bad"]
    with pytest.raises(ModuleNotFoundError):  # what is wrong with ours is never passed over
        list(lazy.items())


def test_a_whole_module_is_a_thing_too() -> None:
    import math

    assert numbers()["maths"] is math


def test_facts_are_known_before_loading_and_have_defaults() -> None:
    lazy = Registry("number", {"bad": Entry("caesura.no_such_module:thing", size=7)}, facts=SIZES)
    assert lazy.facts("bad") == {"title": "", "size": 7}
    assert dict(lazy.all_facts()) == {"bad": {"title": "", "size": 7}}


def test_where_nobody_registers_anything_the_library_for_that_is_not_loaded() -> None:
    """Importing importlib.metadata takes as long as a small command."""
    call = "import sys; from caesura.formats.catalog import all_formats; list(all_formats()); print('importlib.metadata' in sys.modules)"
    paths = [path for path in sys.path if path and not Path(path).is_file()]
    done = subprocess.run(
        [sys.executable, "-c", call], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.stdout == "False\n"


def test_a_fact_that_nothing_has_is_a_mistake_in_our_table() -> None:
    with pytest.raises(TypeError, match="colour"):
        Registry("number", {"pi": Entry("math:pi", colour="red")}, facts=SIZES)


@pytest.mark.parametrize(("name", "nearest"), [("po", "pi"), ("Circel", "pi"), ("mathes", "maths")])
def test_a_wrong_name_suggests_the_nearest_name_or_title(name: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=f"there is no number '{name}'; did you mean '{nearest}'"):
        numbers()[name]
    with pytest.raises(UnknownName, match=f"did you mean '{nearest}'"):
        numbers().source(name)


def test_titles_can_be_looked_up_by_whoever_knows_them() -> None:
    with pytest.raises(UnknownName, match="did you mean 'e'"):
        numbers(titles=lambda: {"growth": "e"})["grouth"]


def test_a_strangers_thing_comes_with_its_facts_and_its_source(install: Any) -> None:
    points = {name: f"far_numbers:{name}" for name in ("many", "much", "some")}
    classes = '"""More than few.\n\n    Indeed.\n    """\n    size = 12', '"""A heap."""\n    title = "a lot"', "pass"
    install("far-numbers", points, "\n".join(f"class {n}:\n    {c}" for n, c in zip(points, classes, strict=True)))
    known = numbers()
    assert list(known) == ["pi", "e", "maths", "many", "much", "some"]
    assert known["many"].size == 12
    assert known.facts("many") == {"title": "More than few", "size": 12}  # the docstring's first line
    assert known.facts("much") == {"title": "a lot", "size": 0}
    assert known.facts("some") == {"title": "some", "size": 0}
    assert known.source("many") == "far-numbers"
    assert known.source("pi") == "caesura"
    assert [name for name, _ in known.items()] == list(known)


def test_asking_for_ours_does_not_look_for_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: str) -> None:
        raise AssertionError(f"entry points of {group} were read")

    monkeypatch.setattr("caesura.registry.find_strangers", refuse)
    known = numbers()
    assert known["e"] > 2
    assert "e" in known
    assert known.facts("pi")["size"] == 3
    assert known.source("pi") == "caesura"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_library\n", "No module named 'no_such_library'"),
        ("1 / 0\n", "division by zero"),
        ("raise SystemExit(3)\n", "3"),
        ("raise RuntimeError\n", "RuntimeError"),
        ("def f(:\n", "invalid syntax"),
        ("", "has no attribute 'Many'"),
    ],
)
def test_a_broken_plug_in_is_named_and_skipped(install: Any, source: str, why: str) -> None:
    install("far-numbers", {"many": "far_numbers:Many"}, source)
    known = numbers()
    with pytest.raises(CaesuraError, match=f"the number 'many' of far-numbers cannot be loaded: .*{why}"):
        known["many"]
    with pytest.warns(BrokenPlugin, match="the number 'many' of far-numbers .*It is left out"):
        assert [name for name, _ in known.items()] == ["pi", "e", "maths"]
    assert list(known) == ["pi", "e", "maths"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once is enough
        assert [name for name, _ in known.all_facts()] == ["pi", "e", "maths"]


def test_a_plug_in_of_the_wrong_sort_is_named_and_skipped(install: Any) -> None:
    def accept(name: str, loaded: Any) -> Any:
        if name == "many" and not callable(loaded):
            raise CaesuraError(f"{loaded!r} cannot be called.")
        return loaded

    install("far-numbers", {"many": "far_numbers:MANY"}, "MANY = 12\n")
    known = numbers(accept=accept)
    with pytest.warns(BrokenPlugin, match="cannot be loaded: 12 cannot be called. It is left out"):
        assert [name for name, _ in known.all_facts()] == ["pi", "e", "maths"]


def test_ours_keeps_its_name_and_says_so(install: Any) -> None:
    install("far-numbers", {"pi": "far_numbers:PI", "many": "far_numbers:PI"}, "PI = 4\n")
    known = numbers()
    with pytest.warns(BrokenPlugin, match="the number 'pi' of far-numbers has the name of one of caesura"):
        assert list(known) == ["pi", "e", "maths", "many"]
    assert known["pi"] == 3.141592653589793
    assert known.source("pi") == "caesura"


def test_of_two_strangers_the_first_keeps_its_name(install: Any) -> None:
    install("b-numbers", {"many": "b_numbers:MANY"}, "MANY = 2\n")
    install("a-numbers", {"many": "a_numbers:MANY"}, "MANY = 1\n")
    known = numbers()
    with pytest.warns(BrokenPlugin, match="'many' of b-numbers has the name of one of a-numbers"):
        assert known["many"] == 1
    assert known.source("many") == "a-numbers"
