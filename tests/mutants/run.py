"""Change the code, one place at a time, and see whether the tests notice: ``make mutants``.

Two sets of changes. ``changes.toml`` lists faults that were found to be possible in this project, each with the tests that must fail. ``--random N``
adds N changes per package that are drawn by a seed: comparisons, signs, constants and conditions, each with the test file of the module that it is in.

The repository is copied, so that nothing is changed in place. Options: ``--only TEXT`` (changes whose file or name contains the text), ``--random N``,
``--seed S``. The exit status is 1 if a change of the list is not noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SECONDS = 300  # for the tests of one change
_SKIPPED = {
    ".venv",
    ".git",
    "site",
    "artifacts",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".import_linter_cache",
    ".hypothesis",
}


@dataclass(frozen=True)
class Change:
    """One changed place: what it breaks, and the tests that should fail."""

    name: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package that is changed."""
        return Path(self.file).parts[1]


def listed_changes() -> list[Change]:
    """Return the changes of the list."""
    rows = tomllib.loads((Path(__file__).parent / "changes.toml").read_text(encoding="utf-8"))["change"]
    return [Change(row["name"], row["file"], row["find"], row["replace"], tuple(row["tests"])) for row in rows]


# ---------------------------------------------------------------------- drawn changes

_COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
_SIGNS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}


def drawn_changes(number: int, seed: int) -> list[Change]:
    """Return random changes of every package, in modules that have a test file of the same name."""
    changes = []
    for package in sorted((ROOT / "packages").iterdir()):
        places: list[Change] = []
        tests = {path.stem.removeprefix("test_"): path for path in sorted((package / "tests").rglob("test_*.py"))}
        for path in sorted((package / "src").rglob("*.py")):
            if path.stem in tests:
                places += _places(path, tests[path.stem])
        changes += random.Random(f"{seed} {package.name}").sample(places, min(number, len(places)))
    return changes


def _places(path: Path, test: Path) -> list[Change]:
    """Return every possible change of a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    file, tests = str(path.relative_to(ROOT)), (str(test.relative_to(ROOT)),)
    found = []
    for node in ast.walk(ast.parse(source)):
        new = _changed(node)
        if new is None or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1].encode()
        old = line[node.col_offset : node.end_col_offset].decode()
        changed = (line[: node.col_offset] + new.encode() + line[node.end_col_offset :]).decode()
        at = "".join(lines[: node.lineno - 1])
        found.append(Change(f"line {node.lineno}: {old} → {new}", file, at + line.decode(), at + changed, tests))
    return found


def _changed(node: ast.AST) -> str | None:
    """Return the changed source of a node, or None."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        return f"{ast.unparse(node.left)} {_COMPARISONS[type(node.ops[0])]} {ast.unparse(node.comparators[0])}"
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS and not isinstance(node.left, ast.Constant):
        return f"({ast.unparse(node.left)} {_SIGNS[type(node.op)]} {ast.unparse(node.right)})"
    if isinstance(node, ast.BoolOp):
        joint = " or " if isinstance(node.op, ast.And) else " and "
        return f"({joint.join(map(ast.unparse, node.values))})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"bool({ast.unparse(node.operand)})"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value > 0:
        return str(node.value + 1)
    return None


# ---------------------------------------------------------------------- running


def copy_repository(target: Path) -> None:
    """Copy the working tree with the caches of compiled kernels."""
    shutil.copytree(ROOT, target, ignore=lambda _, names: [name for name in names if name in _SKIPPED], symlinks=True)


def is_noticed(change: Change, copy: Path) -> bool:
    """Apply a change to the copy, run its tests, and take the change back."""
    path = copy / change.file
    source = path.read_text(encoding="utf-8")
    if source.count(change.find) != 1:
        sys.exit(
            f"{change.file}: expected once: {change.find!r}, found {source.count(change.find)} times ({change.name})."
        )
    path.write_text(source.replace(change.find, change.replace), encoding="utf-8")
    sources = [str(each / "src") for each in sorted((copy / "packages").iterdir())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", *change.tests]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=_SECONDS, check=False)
        if done.returncode not in (
            0,
            1,
        ):  # a fault of collection or usage notices nothing, unless it comes from the change
            return b"ERROR" in done.stdout and b"no tests ran" not in done.stdout
        return done.returncode == 1
    except subprocess.TimeoutExpired:
        return True  # an endless loop is noticed by CI
    finally:
        path.write_text(source, encoding="utf-8")


def main() -> None:
    """Run all changes and print a score per package."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    listed = [each for each in listed_changes() if given.only in each.file + each.name]
    drawn = [each for each in drawn_changes(given.random, given.seed) if given.only in each.file + each.name]
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        copy_repository(copy := Path(folder) / "caesura")
        for title, changes in (("listed", listed), ("drawn", drawn)):
            score: defaultdict[str, list[bool]] = defaultdict(list)
            for change in changes:
                noticed = is_noticed(change, copy)
                score[change.package].append(noticed)
                missed = missed or (title == "listed" and not noticed)
                print(f"{'noticed' if noticed else 'MISSED '}  {change.file}: {change.name}", flush=True)
            for package, results in score.items():
                print(f"{title} changes, {package}: {sum(results)} of {len(results)} noticed", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
