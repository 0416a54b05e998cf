"""The scripts of the pages: types by JSDoc checked with tsc, lint, and node:test for pure modules; skipped where node or the tools are missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "scripts"
STATIC = Path(__file__).parents[1] / "src" / "caesura_workbench" / "static"
TOOLS = HERE / "node_modules" / ".bin"


def run(*words: str | Path) -> None:
    done = subprocess.run([*map(str, words)], cwd=HERE.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def tool(name: str) -> Path:
    """Return a tool that ``make scripts`` has installed."""
    if not (TOOLS / name).exists():
        pytest.skip(f"{name} is not installed (make scripts, which needs npm and a registry)")
    return TOOLS / name


def test_pure_modules() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    run(node, "--test", *sorted(HERE.glob("*.test.mjs")))


@pytest.mark.parametrize("which", ["tsconfig.json", "tsconfig.pure.json"])
def test_types(which: str) -> None:
    """All modules are checked; those of the second file have a type for every parameter, too."""
    run(tool("tsc"), "-p", HERE / which)


def test_lint() -> None:
    run(tool("biome"), "lint", f"--config-path={HERE}", *sorted(STATIC.glob("*.js")))


@pytest.mark.parametrize(
    "sheets",
    [
        "pages figures",
        "pages figures agreement",
        "editors text figures",
        "editors text adjudicate",
        "editors nested adjudicate",
        "editors recording",
    ],
)
def test_style_sheets_of_a_page_are_small(sheets: str) -> None:
    """The design's budget is 40 kB per page, before compression."""
    assert sum((STATIC / f"{name}.css").stat().st_size for name in ["style", *sheets.split()]) < 40_000


def test_every_script_parses() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    program = "for (const file of process.argv.slice(1)) new (require('vm').SourceTextModule)(require('fs').readFileSync(file, 'utf8'), { identifier: file })"
    run(node, "--experimental-vm-modules", "--no-warnings", "-e", program, *sorted(STATIC.glob("*.js")))
