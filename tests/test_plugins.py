"""Another package adds one of everything, in at most 30 lines each; broken plug-ins are skipped with a warning."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from forking import ForkingProgram

ROOT = Path(__file__).parents[1]
SOURCES = sorted(map(str, ROOT.glob("packages/*/src")))
TOYS = ROOT / "tests/toy_package"
HARNESS_FOLDER = ROOT / "packages/caesura/tests"
PROJECT = tomllib.loads((TOYS / "pyproject.toml").read_text("utf-8"))["project"]
#: Group without "caesura." -> name -> location.
POINTS = {group.removeprefix("caesura."): points for group, points in PROJECT["entry-points"].items()}
#: The harness over everything registered -> which toy it takes in.
HARNESSES = {
    "metrics/test_harness.py": "toy-same",
    "formats/test_round_trip.py": "toy-dots",
    "formats/test_damage.py": "toy-dots",
    "segmenters/test_catalog.py": "toy-refrain",
    "segmenters/text/test_odd_input.py": "toy-refrain",
    "drawings/test_harness.py": "toy-bars",
    "papers/test_catalog.py": "toy2026",
}


@dataclass(frozen=True)
class Installation:
    """A folder with packages in it, and the program run so that it finds them."""

    folder: Path

    def install(self, distribution: str, points: dict[str, dict[str, str]]) -> None:
        info = self.folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        groups = (
            f"[caesura.{group}]\n" + "".join(f"{name} = {where}\n" for name, where in named.items())
            for group, named in points.items()
        )
        (info / "entry_points.txt").write_text("\n".join(groups))

    @property
    def options(self) -> dict[str, Any]:
        """How Python is started here."""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((*SOURCES, str(self.folder))), "COLUMNS": "200"}
        return {"env": env, "cwd": self.folder, "text": True, "encoding": "utf-8"}

    def python(self, *words: object) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, *map(str, words)]
        return subprocess.run(program, capture_output=True, timeout=240, check=False, **self.options)

    @cached_property
    def program(self) -> ForkingProgram:
        return ForkingProgram(sys.executable, self.folder, self.options["env"])

    def __call__(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.program(*words)


@pytest.fixture(scope="module")
def caesura(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("plugins"))
    shutil.copytree(TOYS / "src", installation.folder, dirs_exist_ok=True)
    installation.install(PROJECT["name"], POINTS)
    (installation.folder / "a.toy").write_text("one\ntwo\n...\nthree\nfour\n")
    (installation.folder / "b.toy").write_text("one\n...\ntwo\nthree\nfour\n")
    yield installation
    installation.program.close()


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("broken"))
    (installation.folder / "bad_toys.py").write_text("import no_such_library\n")
    bad = {group: {f"bad-{group}": "bad_toys:Nothing"} for group in POINTS}
    bad["metrics"]["B"] = "bad_toys:Nothing"  # ours has this name
    installation.install("bad-box", bad)
    yield installation
    installation.program.close()


def output(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_plug_in_is_one_short_file() -> None:
    files = {file.stem: file for file in (TOYS / "src/toy_box").glob("*.py")}
    assert files.keys() == {"__init__", *(group[:-1] for group in POINTS)}
    assert {
        name: len(file.read_text().splitlines())
        for name, file in files.items()
        if len(file.read_text().splitlines()) > 30
    } == {}


@pytest.mark.parametrize(
    "words", [["--help"], *(["list", group] for group in POINTS if group != "commands")], ids=" ".join
)
def test_listing_does_not_import_the_package(caesura: Installation, words: list[str]) -> None:
    call = f"""
import sys
from caesura.cli.main import run
sys.argv = ["caesura", *{words!r}]
try:
    run()
finally:
    imported = [name for name in sys.modules if name.partition(".")[0] in ("toy_box", "caesura_vowels", "caesura_workbench")]
    print("imported:", imported)
"""
    assert output(caesura.python("-c", call)).splitlines()[-1] == "imported: []"


@pytest.mark.parametrize("group", [group for group in POINTS if group != "commands"])
def test_the_program_lists_it_with_its_source(caesura: Installation, group: str) -> None:
    known = {each["name"]: each for each in json.loads(output(caesura("list", group, "--json")))}
    (name,) = POINTS[group]
    assert known[name]["source"] == "toy-box"
    assert known[name]["title"]
    assert any(each["source"] == "caesura" for each in known.values())


def test_the_metric_measures_and_joins_the_others(caesura: Installation) -> None:
    assert "toy-same" in output(caesura("compare", "a.toy", "b.toy", "-m", "toy-same", "-m", "B"))
    assert "toy-same" in output(caesura("compare", "a.toy", "b.toy"))  # without being named
    call = "import caesura as cs; print(cs.metric('toy-same')([2, 2], [1, 3]), cs.metric('toy-same')([2, 2], [4]))"
    assert output(caesura.python("-c", call)) == "1.0 0.0\n"


def test_the_format_is_read_and_written(caesura: Installation, tmp_path: Path) -> None:
    output(caesura("convert", "a.toy", tmp_path / "a.json"))
    output(caesura("convert", tmp_path / "a.json", tmp_path / "a.toy"))
    assert (tmp_path / "a.toy").read_text() == "one\ntwo\n...\nthree\nfour\n"
    refused = caesura("convert", "sample:walk", tmp_path / "b.toy")
    assert refused.returncode == 2
    assert "text with lines of dots would lose" in refused.stderr


def test_the_segmenter_segments(caesura: Installation) -> None:
    call = "import caesura as cs; print(cs.segment(['so', 'it', 'so'], 'toy-refrain', {}).masses)"
    assert output(caesura.python("-c", call.format("segments=None"))) == "[2, 1]\n"
    assert output(caesura.python("-c", call.format("letter='i'"))) == "[1, 2]\n"
    (caesura.folder / "song.txt").write_text("so far\nit goes\nso long\n")
    shown = json.loads(output(caesura("segment", "song.txt", "--method", "toy-refrain", "--unit", "line", "--json")))
    assert shown == {"song": {"length": 3, "boundaries": [2]}}
    refused = caesura.python("-c", call.format("size=3"))
    assert "toy-refrain has no parameter 'size'; it takes letter" in refused.stderr


def test_the_drawing_draws(caesura: Installation, tmp_path: Path) -> None:
    assert "toy bars" in output(caesura("show", "sample:kubla", "--draw", "toy-bars"))
    output(caesura("show", "sample:kubla", "--draw", "toy-bars", "--svg", tmp_path / "a.svg"))
    assert "toy bars" in (tmp_path / "a.svg").read_text()


def test_the_paper_is_reproduced(caesura: Installation) -> None:
    shown = output(caesura("reproduce", "toy2026"))
    assert "Toy & Toy 2026" in shown
    assert "B of a near miss" in shown


def test_the_command_runs_and_refuses(caesura: Installation) -> None:
    assert "Say hello." in output(caesura("--help"))
    assert output(caesura("greet", "world", "--loud")) == "hello WORLD\n"
    refused = caesura("greet", "")
    assert (refused.returncode, refused.stderr) == (2, "caesura: nobody is there to greet.\n")


def test_the_report_and_the_workbench_know_it(caesura: Installation) -> None:
    pytest.importorskip("fastapi")
    output(caesura("report", "sample:kubla", "-m", "toy-same", "--draw", "toy-bars", "-o", "report.html"))
    report = (caesura.folder / "report.html").read_text(encoding="utf-8")
    assert "toy-same" in report
    assert "toy bars" in report
    call = """
from fastapi.testclient import TestClient
from caesura_workbench.app import create_app
from caesura_workbench.settings import Settings
with TestClient(create_app(Settings(database="toys.sqlite")), base_url="http://127.0.0.1:8642") as client:
    known = client.get("/api/session").json()
    print("toy-same" in known["metrics"], "toy-dots" in [each["name"] for each in known["formats"]])
    client.headers["X-CSRF-Token"] = known["csrf"]
    project = client.post("/api/projects", json={"name": "toys"}).json()["id"]
    upload = {"files": ("song.toy", "one\\ntwo\\n...\\nonly\\nthree\\n")}
    read = client.post(f"/api/projects/{project}/files", files=upload, data={"coder": "ann"}).json()["made"]
    (item,), (first,) = read["items"], read["annotations"]
    made = client.post(f"/api/items/{item}/annotations", json={"segmenter": "toy-refrain"}).json()
    print(made["origin"], made["marks"]["positions"])
    wanted = {"annotations": [first, made["id"]], "metrics": ["toy-same"], "drawings": ["toy-bars"]}
    shown = client.post(f"/api/items/{item}/compare", json=wanted).json()
    print(shown["comparisons"][0]["metrics"]["toy-same"]["micro"], shown["pictures"][0]["title"])
"""
    lines = output(caesura.python("-c", call)).splitlines()
    assert lines[-3:] == ["True True", "segmented by toy-refrain [2]", "1.0 toy bars"]


def test_the_harnesses_cover_it(caesura: Installation) -> None:
    words = ["-m", "pytest", "-vv", "-n", "0", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml"]
    done = caesura.python(*words, *(HARNESS_FOLDER / file for file in HARNESSES), "-k", " or ".join(HARNESSES.values()))
    assert done.returncode == 0, done.stdout + done.stderr
    for file, name in HARNESSES.items():
        assert re.search(rf"{file}::\w+\[.*{name}.*\] PASSED", done.stdout), (file, done.stdout)


@pytest.mark.parametrize("group", [group for group in POINTS if group != "commands"])
def test_a_broken_plug_in_is_skipped_with_a_warning(broken: Installation, group: str) -> None:
    done = broken("list", group, "--json")
    assert f"bad-{group}" not in output(done)
    assert (
        f"the {group[:-1]} 'bad-{group}' of bad-box cannot be loaded: No module named 'no_such_library'" in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_the_program_works_beside_broken_plug_ins(broken: Installation) -> None:
    done = broken("--help")
    assert "compare" in output(done)
    assert "bad-commands" not in done.stdout
    assert "the command 'bad-commands' of bad-box cannot be loaded" in done.stderr
    done = broken("compare", "sample:kubla", "--coders", "manual,near miss")
    assert "\nB " in output(done)
    assert "the metric 'B' of bad-box has the same name as one of caesura" in done.stderr
    asked = broken("compare", "sample:kubla", "--coders", "manual,near miss", "-m", "bad-metrics")
    assert asked.returncode == 2
    assert "the metric 'bad-metrics' of bad-box cannot be loaded" in asked.stderr
