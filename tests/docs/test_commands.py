"""The commands of README and pages run on the files in ``examples/data`` and print the output shown.

``python tests/docs/test_commands.py [PAGES]`` writes the output of commands into the pages: below every command of a ``console`` block that
shows some already. A line with only … stands for omitted lines. If a command writes a picture that the page shows, it is updated too.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from prepared import prepared

from cli.command import caesura

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: The folder of examples/data in which the commands of a page run, if it is not examples/data itself.
FOLDERS = {
    "docs/families/speech.md": "recording",
    "docs/families/spans.md": "spans",
    "docs/families/unitizing.md": "spans",
    "docs/families/gold.md": "nested",
    "docs/families/vowels.md": "vowels",
    "docs/tutorials/two-annotators.md": "recording",
    "docs/tutorials/which-aligner.md": "aligners",
    "docs/tutorials/vowels.md": "vowels",
}
#: The beginnings of commands that are not run here, and why.
NOT_RUN = {
    "reproduce ": "tests/papers reproduce every paper",
    "vowels train mine.txt --model neural": "needs PyTorch",
}


class Command(NamedTuple):
    """A command of a page, and its output there."""

    page: Path
    line: str
    output: list[str]


def commands(page: Path) -> Iterator[Command]:
    """Yield the commands of a page in order; lines without a dollar sign are the output of the command above."""
    for language, block in re.findall(
        r"^```(console|bash|shell|sh)[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        command: Command | None = None
        for line in block.splitlines():
            if language == "console" and not line.startswith("$ "):
                if command:
                    command.output.append(line)
                continue
            if command:
                yield command
            command = Command(page, line.removeprefix("$ "), [])
        if command:
            yield command


def reason_not_to_run(line: str) -> str | None:
    words = line.rpartition("caesura ")[2]
    return next((why for start, why in NOT_RUN.items() if words.startswith(start)), None)


def run(command: Command, root: Path) -> str | None:
    """Run one shell line in ``root`` and return its output; None if it is not a command of ours."""
    line = command.line.partition("  #")[0].strip()
    if line.startswith("cd "):
        os.chdir(root / line[3:] if line[3:].startswith("examples") else line[3:])
        return None
    if line.startswith("python -c "):
        return run_python(line)
    environment, line = split_environment(line)
    if line.startswith("caesura-workbench "):
        return administer(line)
    if line.startswith("caesura serve"):
        return start_server(line, environment)
    if not re.search(r"(^|\| )caesura ", line) or reason_not_to_run(line):
        return None
    given, _, line = line.rpartition("| ")
    line, _, target = line.partition(" > ")
    line, _, source = line.partition(" < ")
    text = Path(source.strip()).read_text("utf-8") if source else " ".join(shlex.split(given)[1:]) + "\n"
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")):
        done = caesura(*shlex.split(line)[1:], COLUMNS="80", **environment)
    refused = bool(command.output) and command.output[0].startswith("caesura: ")
    assert done.returncode == 2 * refused, f"{command.page.name}: {command.line}\n{done.stderr}{done.stdout[-500:]}"
    if refused:
        return done.stderr
    if target:
        Path(target.strip()).write_text(done.stdout, "utf-8")
    return done.stdout


def split_environment(line: str) -> tuple[dict[str, str], str]:
    """Split "NAME=VALUE command" into variables and the command, and replace "$(cat FILE)" by the content of a file."""
    line = re.sub(r"\$\(cat ([\w.-]+)\)", lambda match: Path(match[1]).read_text("utf-8").strip(), line)
    variables = re.match(r"((?:[A-Z_]+=\S+ )*)(.*)", line)
    assert variables is not None
    return dict(each.split("=", 1) for each in variables[1].split()), variables[2]


def run_python(line: str) -> None:
    """Run ``python -c PROGRAM [> FILE]``."""
    line, _, target = line.partition(" > ")
    output = subprocess.run([sys.executable, *shlex.split(line)[1:]], capture_output=True, text=True, check=True).stdout
    if target:
        Path(target.strip()).write_text(output, "utf-8")


def administer(line: str) -> str:
    """Run ``caesura-workbench …``; the database to back up is created if no command above has done so."""
    from caesura_workbench.__main__ import program
    from caesura_workbench.app import create_app
    from caesura_workbench.settings import Settings

    words = shlex.split(line)[1:]
    if words[0] == "backup":
        create_app(Settings(database=words[words.index("--database") + 1]))
    return CliRunner().invoke(program, words, catch_exceptions=False).output


def start_server(line: str, environment: dict[str, str]) -> str:
    """Start the workbench up to the point at which it would wait for requests, and return what it prints."""
    with patch("uvicorn.run") as started, patch("caesura_workbench.serve._check_port"):
        done = caesura(*shlex.split(line)[1:], COLUMNS="80", **environment)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert started.called
    return done.stdout


def sandbox(page: Path, folder: Path) -> Path:
    """Copy the examples, and return the folder in which the commands of a page run."""
    for file in example_files():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    return folder / "examples" / "data" / FOLDERS.get(page.relative_to(ROOT).as_posix(), ".")


@cache
def example_files() -> list[Path]:
    """Return the tracked files below examples, so that files from following a tutorial are left out; without git, all files."""
    git = shutil.which("git")
    listed = (
        git and subprocess.run([git, "ls-files", "-z", "examples"], cwd=ROOT, capture_output=True, text=True).stdout
    )
    if listed:
        return [Path(name) for name in listed.split("\0") if name and (ROOT / name).exists()]
    files = (file for file in (ROOT / "examples").rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return [file.relative_to(ROOT) for file in files]


def test_nearly_all_commands_run() -> None:
    """What does not run here has a reason in NOT_RUN, and every reason there is needed."""
    reasons = [reason_not_to_run(command.line) for page in PAGES for command in commands(page)]
    assert {reason for reason in reasons if reason} == set(NOT_RUN.values())
    assert sum(reason is not None and not reason.startswith("tests/") for reason in reasons) <= 2


def as_shown(output: str) -> list[str]:
    return [line.rstrip() for line in output.rstrip().splitlines()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", [p for p in PAGES if any(commands(p))], ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_the_output_shown(page: Path, tmp_path: Path) -> None:
    with chdir(sandbox(page, tmp_path)), prepared(page.relative_to(ROOT).as_posix()):
        for command in commands(page):
            output = run(command, tmp_path)
            if output is not None and command.output:
                shown = "\n".join(command.output).rstrip()
                pattern = "\n".join(r"(?:.*\n)*?.*" if each == "…" else re.escape(each) for each in shown.split("\n"))
                actual = "\n".join(as_shown(output))
                assert re.fullmatch(pattern, actual), f"{page.name}: {command.line} prints\n{actual}"
        for picture in pictures(page):
            assert picture.read_bytes() == (page.parent / picture.name).read_bytes(), f"{page.name}: {picture.name}"


def pictures(page: Path) -> list[Path]:
    """Return the pictures that commands wrote and that the page shows."""
    shown = re.findall(r"!\[[^\]]*\]\(([\w-]+\.svg)\)", page.read_text("utf-8"))
    return [Path(name) for name in shown if Path(name).exists()]


def test_example_files_are_up_to_date(tmp_path: Path) -> None:
    import runpy

    import caesura as cs

    runpy.run_path(str(ROOT / "examples" / "make_data.py"))["main"](tmp_path)
    kept = ROOT / "examples" / "data"
    data = [ROOT / file for file in example_files() if "data" in file.parts]
    names = sorted(str(file.relative_to(kept)) for file in data)
    assert names == sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    for name in names:
        if name.endswith(".parquet"):  # its bytes depend on the version of polars
            assert cs.read(kept / name) == cs.read(tmp_path / name), name
        else:
            assert (kept / name).read_bytes() == (tmp_path / name).read_bytes(), name


def test_notebooks_are_up_to_date(tmp_path: Path) -> None:
    import runpy

    runpy.run_path(str(ROOT / "examples" / "make_notebooks.py"))["main"](tmp_path)
    for kept in (ROOT / "examples" / "notebooks").iterdir():
        assert kept.read_bytes() == (tmp_path / kept.name).read_bytes(), f"run examples/make_notebooks.py: {kept.name}"
    assert len(list(tmp_path.iterdir())) == 4


def write_outputs(page: Path, folder: Path) -> None:
    """Write the output of the commands into the page."""
    text = page.read_text("utf-8")
    with chdir(sandbox(page, folder)), prepared(page.relative_to(ROOT).as_posix()):
        for command in commands(page):
            output = run(command, folder)
            if output is None or not command.output or "…" in command.output:
                continue
            old = "\n".join([f"$ {command.line}", *command.output])
            assert text.count(old) == 1, (page, command.line)
            space = [""] if command.output[-1] == "" else []
            text = text.replace(old, "\n".join([f"$ {command.line}", *as_shown(output), *space]))
        for picture in pictures(page):
            shutil.copy(picture, page.parent)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    import tempfile

    for each in map(Path.resolve, map(Path, sys.argv[1:])) if sys.argv[1:] else PAGES:
        with tempfile.TemporaryDirectory() as place:
            write_outputs(each, Path(place))
