"""The registry: built-in entries in a table, plug-ins through real entry points and manifests of packages in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError, UnknownName
from caesura.registry import DISABLE_PLUGINS, MANIFEST, BrokenPlugin, Entry, Registry, _read_manifest

SIZES = {"title": "", "size": 0}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a distribution with these entry points, this source in ``__init__.py`` and, optionally, a manifest."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(DISABLE_PLUGINS, raising=False)

    def write(distribution: str, points: dict[str, str], source: str, manifest: str | None = None) -> None:
        module = distribution.replace("-", "_")
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text(source)
        if manifest is not None:
            (tmp_path / module / MANIFEST).write_text(manifest)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {where}\n" for name, where in points.items())
        (info / "entry_points.txt").write_text(f"[caesura.numbers]\n{lines}")
        monkeypatch.delitem(sys.modules, module, raising=False)
        _read_manifest.cache_clear()

    return write


def numbers(**more: Any) -> Registry[Any]:
    ours = {"pi": Entry("math:pi", title="circle", size=3), "e": "math:e", "maths": "math"}
    return Registry("number", ours, facts=SIZES, **more)


def test_built_in_entries_are_loaded_when_used() -> None:
    lazy = Registry("number", {"bad": "caesura.no_such_module:thing", "pi": "math:pi"})
    assert list(lazy) == ["bad", "pi"]
    assert len(lazy) == 2
    assert "bad" in lazy
    assert lazy["pi"] == 3.141592653589793
    with pytest.raises(ModuleNotFoundError):
        lazy["bad"]
    with pytest.raises(ModuleNotFoundError):  # a fault of a built-in entry is never skipped
        list(lazy.items())


def test_an_entry_may_be_a_module() -> None:
    import math

    assert numbers()["maths"] is math


def test_facts_are_known_before_loading_and_have_defaults() -> None:
    lazy = Registry("number", {"bad": Entry("caesura.no_such_module:thing", size=7)}, facts=SIZES)
    assert lazy.facts("bad") == {"title": "", "size": 7}
    assert dict(lazy.all_facts()) == {"bad": {"title": "", "size": 7}}


def test_importlib_metadata_is_not_imported() -> None:
    """Importing importlib.metadata takes as long as a small command."""
    call = "import sys; from caesura.formats.catalog import all_formats; list(all_formats()); print('importlib.metadata' in sys.modules)"
    paths = [path for path in sys.path if path and not Path(path).is_file()]
    done = subprocess.run(
        [sys.executable, "-c", call], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.stdout == "False\n"


def test_an_unknown_fact_in_the_table_is_an_error() -> None:
    with pytest.raises(TypeError, match="colour"):
        Registry("number", {"pi": Entry("math:pi", colour="red")}, facts=SIZES)


@pytest.mark.parametrize(("name", "nearest"), [("po", "pi"), ("Circel", "pi"), ("mathes", "maths")])
def test_a_wrong_name_suggests_the_nearest_name_or_title(name: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=f"there is no number '{name}'; did you mean '{nearest}'"):
        numbers()[name]
    with pytest.raises(UnknownName, match=f"did you mean '{nearest}'"):
        numbers().source(name)


def test_a_plug_in_without_a_manifest_declares_facts_as_attributes(install: Any) -> None:
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


def test_looking_up_a_built_in_name_does_not_search_for_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: str) -> None:
        raise AssertionError(f"entry points of {group} were read")

    monkeypatch.setattr("caesura.registry.third_party_entry_points", refuse)
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
def test_a_broken_plug_in_is_skipped_with_a_warning(install: Any, source: str, why: str) -> None:
    install("far-numbers", {"many": "far_numbers:Many"}, source)
    known = numbers()
    with pytest.raises(CaesuraError, match=f"the number 'many' of far-numbers cannot be loaded: .*{why}"):
        known["many"]
    with pytest.warns(BrokenPlugin, match="the number 'many' of far-numbers .*It is skipped"):
        assert [name for name, _ in known.items()] == ["pi", "e", "maths"]
    assert list(known) == ["pi", "e", "maths"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert [name for name, _ in known.all_facts()] == ["pi", "e", "maths"]


def test_a_plug_in_of_the_wrong_type_is_skipped_with_a_warning(install: Any) -> None:
    def accept(name: str, loaded: Any) -> Any:
        if name == "many" and not callable(loaded):
            raise CaesuraError(f"{loaded!r} cannot be called.")
        return loaded

    install("far-numbers", {"many": "far_numbers:MANY"}, "MANY = 12\n")
    known = numbers(accept=accept)
    with pytest.warns(BrokenPlugin, match="cannot be loaded: 12 cannot be called. It is skipped"):
        assert [name for name, _ in known.all_facts()] == ["pi", "e", "maths"]


def test_a_plug_in_cannot_replace_a_built_in_entry(install: Any) -> None:
    install("far-numbers", {"pi": "far_numbers:PI", "many": "far_numbers:PI"}, "PI = 4\n")
    known = numbers()
    with pytest.warns(BrokenPlugin, match="the number 'pi' of far-numbers has the same name as one of caesura"):
        assert list(known) == ["pi", "e", "maths", "many"]
    assert known["pi"] == 3.141592653589793
    assert known.source("pi") == "caesura"


def test_of_two_plug_ins_with_one_name_the_first_distribution_wins(install: Any) -> None:
    install("b-numbers", {"many": "b_numbers:MANY"}, "MANY = 2\n")
    install("a-numbers", {"many": "a_numbers:MANY"}, "MANY = 1\n")
    known = numbers()
    with pytest.warns(BrokenPlugin, match="'many' of b-numbers has the same name as one of a-numbers"):
        assert known["many"] == 1
    assert known.source("many") == "a-numbers"


MANIFEST_OF_MANY = '[numbers.many]\ntitle = "a lot"\nsize = 12\n'


def test_a_manifest_describes_entries_without_importing_the_package(install: Any) -> None:
    install("far-numbers", {"many": "far_numbers:Many"}, "raise RuntimeError\n", MANIFEST_OF_MANY)
    known = numbers()
    assert dict(known.all_facts())["many"] == {"title": "a lot", "size": 12}
    assert "far_numbers" not in sys.modules
    with pytest.raises(CaesuraError, match="the number 'many' of far-numbers cannot be loaded: RuntimeError"):
        known["many"]


def test_lists_of_a_manifest_become_the_type_of_the_default(install: Any) -> None:
    manifest = '[numbers.many]\nkinds = ["even", "odd"]\nrange = [1, 9]\n'
    install("far-numbers", {"many": "far_numbers:Many"}, "", manifest)
    known: Registry[Any] = Registry("number", {}, facts={"kinds": frozenset(), "range": ()})
    assert known.facts("many") == {"kinds": frozenset({"even", "odd"}), "range": (1, 9)}


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ("[numbers.many\n", "has a bad caesura.toml: "),
        ('[numbers.many]\ncolour = "red"\n', "declares 'colour' in its caesura.toml; expected title, size"),
    ],
)
def test_a_faulty_manifest_skips_the_entry_with_a_warning(install: Any, manifest: str, reason: str) -> None:
    install("far-numbers", {"many": "far_numbers:Many"}, "class Many: pass\n", manifest)
    with pytest.warns(BrokenPlugin, match=f"the number 'many' of far-numbers {reason}"):
        assert [name for name, _ in numbers().all_facts()] == ["pi", "e", "maths"]


def test_an_entry_that_the_manifest_does_not_mention_falls_back_to_attributes(install: Any) -> None:
    install("far-numbers", {"some": "far_numbers:Some"}, "class Some:\n    size = 3\n", MANIFEST_OF_MANY)
    assert numbers().facts("some") == {"title": "some", "size": 3}


def test_plug_ins_can_be_disabled(install: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install("far-numbers", {"many": "far_numbers:Many"}, "class Many: pass\n", MANIFEST_OF_MANY)
    monkeypatch.setenv(DISABLE_PLUGINS, "1")
    assert "many" not in numbers()
