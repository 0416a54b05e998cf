"""The wheels of the three packages in empty environments: alone, in pairs and together.

An environment holds the wheels under test and the distributions that they declare as dependencies, nothing else, so an undeclared
dependency or an import of a package that is not installed fails here.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from forking import ForkingProgram

ROOT = Path(__file__).parents[1]
PACKAGES = ("caesura", "caesura-vowels", "caesura-workbench")
COMBINATIONS = {
    "caesura alone": PACKAGES[:1],
    "without the workbench": PACKAGES[:2],
    "without the vowels": (PACKAGES[0], PACKAGES[2]),
    "all three": PACKAGES,
}

#: Kernels that other tests compiled: a cached kernel is found by the digest of its source, wherever that is installed.
COMPILED = ROOT / "packages/caesura/src/caesura/kernels/__pycache__"

#: Every command of the core on built-in data.
COMMANDS = {
    "demo": "demo",
    "compare": "compare sample:kubla --coders manual,'near miss'",
    "evaluate": "evaluate gold.json system.json -m B",
    "agree": "agree sample:stargazer",
    "unify": "unify sample:walk",
    "show": "show sample:scripts",
    "check": "check gold.json",
    "convert": "convert gold.json again.json",
    "segment": "segment sample:moonstone --segments 3",
    "optimise": "optimise --help",
    "plane": "plane --help",
    "list": "list metrics",
    "report": "report sample:kubla -o report.html",
    "reproduce": "reproduce rasanen2009",
    "bench": "bench --help",
    "anchor": "anchor source.txt copy.txt",
    "chunks": "chunks evaluate --help",
    "warm-up": "warm-up --help",
    "aligners": "aligners --help",
    "annotators": "annotators sample:stargazer --help",
    "plan": "plan --help",
    "judge": "judge rank --help",
    "sweep": "sweep --help",
}
GOLD, SYSTEM = [2, 5], [5]


@dataclass(frozen=True)
class Environment:
    """A virtual environment with some of the packages."""

    folder: Path
    packages: tuple[str, ...]

    @property
    def variables(self) -> dict[str, str]:
        inherited = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CAESURA_DISABLE"))
        }
        return {**inherited, "NUMBA_CACHE_DIR": str(COMPILED)}

    @cached_property
    def program(self) -> ForkingProgram:
        return ForkingProgram(self.folder / "bin" / "python", self.folder, self.variables)

    def start(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Start a program of this environment in a process of its own."""
        return subprocess.run(
            [self.folder / "bin" / program, *words],
            capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
            cwd=self.folder, env=self.variables,
        )  # fmt: skip


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
    ]
    subprocess.run([*build, *(ROOT / "packages" / name for name in PACKAGES)], check=True, capture_output=True)
    return {name: next(folder.glob(f"{name.replace('-', '_')}-*.whl")) for name in PACKAGES}


@pytest.fixture(scope="module", params=COMBINATIONS.values(), ids=COMBINATIONS.keys())
def environment(
    request: pytest.FixtureRequest, wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Environment]:
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for needed in declared_dependencies(request.param):
        link_files(needed, site)
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*install, *(wheels[name] for name in request.param)], check=True, capture_output=True)
    for name, data in (("gold.json", GOLD), ("system.json", SYSTEM)):
        write_corpus(folder / name, data)
    (folder / "source.txt").write_text("It was a bright cold day in April.\n", encoding="utf-8")
    (folder / "copy.txt").write_text("It was a bright, cold day in April\n", encoding="utf-8")
    made = Environment(folder, request.param)
    yield made
    made.program.close()


def declared_dependencies(packages: tuple[str, ...]) -> list[Distribution]:
    """The distributions that some packages need, directly and indirectly, without optional extras and without each other."""
    queue, closure = [(name, "") for name in packages], dict[tuple[str, str], Distribution]()
    while queue:
        name, extra = queue.pop()
        for line in distribution(name).requires or ():
            needed = Requirement(line)
            if needed.marker and not needed.marker.evaluate({"extra": extra}):
                continue
            for wanted in ("", *needed.extras):
                if needed.name not in PACKAGES and (needed.name, wanted) not in closure:
                    try:
                        closure[needed.name, wanted] = distribution(needed.name)
                    except PackageNotFoundError:
                        pytest.skip(f"{needed.name} is not installed here")
                    queue.append((needed.name, wanted))
    return list({each.name: each for each in closure.values()}.values())


def write_corpus(file: Path, positions: list[int]) -> None:
    annotation = {"item": "kubla", "coder": file.stem, "length": 11, "positions": positions}
    corpus = {"format": "caesura-corpus", "version": 1, "kind": "units", "typed": False, "annotations": [annotation]}
    file.write_text(json.dumps(corpus), encoding="utf-8")


def link_files(needed: Distribution, site: Path) -> None:
    """Make an installed distribution importable from another environment."""
    names = {file.parts[0] for file in needed.files or () if file.parts[0] not in ("..", "__pycache__")}
    for name in names:
        target = Path(str(needed.locate_file(name)))
        if target.exists() and not (site / name).exists():
            (site / name).symlink_to(target)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_core_runs(environment: Environment, command: str) -> None:
    done = environment.program(*shlex.split(COMMANDS[command]))
    assert (done.returncode, done.stderr) == (0, ""), command
    assert done.stdout or command in ("convert", "report")


def test_help_lists_exactly_the_commands_that_are_installed(environment: Environment) -> None:
    done = environment.start("caesura", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {
        line.split()[0]
        for line in done.stdout.partition("Commands:")[2].splitlines()
        if line.startswith("  ") and line[2] != " "
    }
    optional = {"vowels": "caesura-vowels", "serve": "caesura-workbench"}
    assert listed == {*COMMANDS, *(name for name, package in optional.items() if package in environment.packages)}


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [("vowels restore x", "caesura-vowels", "vowels"), ("serve", "caesura-workbench", "workbench")],
)
def test_a_missing_package_is_named_in_one_sentence(
    environment: Environment, command: str, package: str, extra: str
) -> None:
    if package in environment.packages:
        done = environment.program(command.split()[0], "--help")
        assert (done.returncode, done.stderr) == (0, "")
        return
    done = environment.program(*command.split())
    name = command.split()[0]
    expected = (
        f"caesura: the command '{name}' needs {package}, which is not installed: pip install 'caesura[{extra}]'.\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)


def test_the_namespace_of_the_vowels(environment: Environment) -> None:
    program = "import caesura as cs\nprint(cs.vowels.VowelRestorer(language='hebrew', model='unigram').fit(['סֵפֶר']).restore('ספר'))"
    done = environment.start("python", "-c", program)
    if "caesura-vowels" in environment.packages:
        assert done.stdout.strip() == "סֵפֶר", done.stderr
    else:
        assert (
            "caesura.vowels needs caesura-vowels, which is not installed: pip install 'caesura[vowels]'." in done.stderr
        )


def test_versions_are_equal() -> None:
    assert len({distribution(name).version for name in PACKAGES}) == 1
    for name in PACKAGES[1:]:
        assert f"caesura=={distribution(name).version}" in (distribution(name).requires or ())
