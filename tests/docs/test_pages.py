"""The Python blocks of README and documentation run and give the values shown; commands accept the options shown."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import pkgutil
import re
import runpy
import shlex
import tokenize
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import numpy as np
import pytest
import yaml

import caesura as cs
from caesura.cli.io import split_reading_options
from caesura.cli.main import program
from test_commands import sandbox

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, *languages: str) -> list[str]:
    pattern = rf"^```(?:{'|'.join(languages)})[^\n]*\n(.*?)^```"
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# ---------------------------------------------------------------------- Python


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_python_blocks_give_the_values_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sandbox(page, tmp_path))
    scope: dict[str, Any] = {"pairs": [([2, 3, 6], [2, 2, 7])]}
    shown = outputs(page)
    for block in blocks(page, "python"):
        with redirect_stdout(StringIO()) as printed:
            run_block(block, page, scope)
        if block in shown:
            assert printed.getvalue().rstrip().endswith(shown[block]), f"{name(page)} prints\n{printed.getvalue()}"


def outputs(page: Path) -> dict[str, str]:
    """Return the block of text that follows a block of Python without a word between them: what it prints."""
    pattern = r"^```python[^\n]*\n((?:(?!^```).)*)^```\n\n```text\n(.*?)^```"
    return {
        code: text.rstrip() for code, text in re.findall(pattern, page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    }


def run_block(block: str, page: Path, scope: dict[str, Any]) -> None:
    """Run the statements of a block, and compare their values with the comments behind them."""
    for statement, comment in statements(block):
        missing = isinstance(statement, ast.ImportFrom) and not importlib.util.find_spec(
            str(statement.module).partition(".")[0]
        )
        if missing:
            break  # another package is not installed: skip the rest of the block
        code = ast.unparse(statement)
        if isinstance(statement, ast.Expr):
            value = eval(code, scope)
            assert agrees(value, comment), f"{code} gives {value!r}, {name(page)} says {comment}"
        else:
            exec(compile(ast.Module([statement], []), name(page), "exec"), scope)


def statements(block: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield every statement of a block with the comment at its end."""
    tokens = tokenize.generate_tokens(StringIO(block).readline)
    comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
    for statement in ast.parse(block).body:
        yield statement, comments.get(statement.end_lineno or 0, "")


def agrees(value: Any, comment: str) -> bool:
    """Whether a comment that begins with values has these; "0.46…" means any number that begins so."""
    if comment.startswith("'"):
        return unicodedata.normalize("NFC", comment).startswith(unicodedata.normalize("NFC", repr(value)))
    values = re.match(r"[-\d.…,\s\[\]()]*", comment)[0]
    rest = comment[len(values) :]
    expected = re.findall(r"-?\d+(?:\.\d+)?…?", values)
    if not expected or (rest and rest[0] != ":" and not values.rstrip().endswith(",")):
        return True  # a sentence, perhaps one that begins with a number
    given = list(numbers(value))
    return len(given) == len(expected) and all(map(close, given, expected))


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | tuple | np.ndarray):
        for member in value:
            yield from numbers(member)


def close(value: float, number: str) -> bool:
    digits = len(number.rstrip("…").partition(".")[2])
    return abs(value - float(number.rstrip("…"))) <= (1 if number.endswith("…") else 0.5000001) * 10**-digits


def test_wrong_values_are_detected() -> None:
    assert agrees(0.75, "0.75: one match")
    assert agrees((0.46442, 0.53), "0.4644…, 0.5300…")
    assert agrees([[1.5, 1.0], [0.0, 7.5]], "[[1.5, 1.0], [0.0, 7.5]]")
    assert not agrees(0.76, "0.75: one match")
    assert not agrees((0.4644, 0.54), "0.4644…, 0.5300…")
    assert not agrees("a", "'b'")


# ---------------------------------------------------------------------- the shell


def commands(page: Path) -> list[str]:
    lines = [line.removeprefix("$ ") for block in blocks(page, "sh", "console", "bash") for line in block.splitlines()]
    return [part for line in lines for part in line.split(" | ") if part.startswith("caesura ")]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name)
def test_commands_accept_the_options_shown(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(line.partition(" < ")[0], comments=True)[1:]
        command: click.Command = program
        context = click.Context(command)
        while isinstance(command, click.Group):
            inner = command.get_command(context, words[0])
            assert inner is not None, f"{name(page)}: {line}"
            command, words = inner, words[1:]
            context = click.Context(command, parent=context)
        if getattr(command, "reads_data", False):
            words, _ = split_reading_options(words)
        try:
            command.make_parser(context).parse_args(list(words))
        except click.UsageError as error:
            pytest.fail(f"{name(page)}: {line}: {error.format_message()}")


# ---------------------------------------------------------------------- data


PARSERS: dict[str, Callable[[str], object]] = {
    "json": lambda text: [json.loads(part) for part in (text.splitlines() if text.count("\n{") else [text])],
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "xml": ElementTree.fromstring,
}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, *PARSERS)], ids=name)
def test_blocks_of_data_are_valid(page: Path) -> None:
    for language, parse in PARSERS.items():
        for block in blocks(page, language):
            parse(block)


# ---------------------------------------------------------------------- the reference

REFERENCE = runpy.run_path(str(ROOT / "docs" / "reference_pages.py"))


def test_reference_has_a_page_for_every_public_object() -> None:
    pages = [path for paths in REFERENCE["SUBJECTS"].values() for path in paths]
    assert len(pages) == len({REFERENCE["page_uri"](path).lower() for path in pages})  # some file systems ignore case
    documented = {id(pkgutil.resolve_name(path)) for path in pages}
    assert [each for each in cs.__all__ if each != "__version__" and id(getattr(cs, each)) not in documented] == []
    assert [each for each in cs.vowels.__all__ if id(getattr(cs.vowels, each)) not in documented] == []


def test_reference_index_links_every_page_and_keeps_old_anchors() -> None:
    index = REFERENCE["index"]()
    for path in ("caesura.Segmentation", "caesura.segmenters.segmenter", "caesura_vowels.ready"):
        assert f'<a id="{path}"></a>[`{path}`]({path}.md)' in index
        assert REFERENCE["page"](path) == f"::: {path}\n    options: {{ heading_level: 1 }}\n"


def test_sides_are_named_reference_and_hypothesis() -> None:
    """Except in agreement, where the paper's two annotators are equals."""
    functions = {name: each for name in cs.__all__ if inspect.isfunction(each := getattr(cs, name))}
    sides = {name: list(inspect.signature(each).parameters)[:2] for name, each in functions.items()}
    short = {name for name, first in sides.items() if set(first) & {"ref", "hyp", "ref_times", "hyp_times", "a", "b"}}
    assert short == {"flexible_agreement"}
    assert sides["align"] == sides["compare"] == sides["boundary_similarity"] == ["reference", "hypothesis"]


def test_front_page_begins_with_the_workbench() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    first = re.findall(r"\]\((pictures/[\w.-]+)#only-(light|dark)\)", page)
    assert first == [("pictures/workbench.png", "light"), ("pictures/workbench-dark.png", "dark")]
    assert page.index("#only-dark") < page.index('<div class="cards"')
    for file, _ in first:
        assert (ROOT / "docs" / file).read_bytes().startswith(b"\x89PNG")


def test_examples_in_docstrings_become_code_blocks() -> None:
    to_markdown = runpy.run_path(str(ROOT / "docs" / "docstrings.py"))["to_markdown"]
    text = "See :func:`~caesura.pk`.\n\n>>> 1 + 1\n2\n\nMore.\n\nExamples\n--------\n>>> 3\n3"
    shown = "See `pk`.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.\n\nExamples\n--------\n>>> 3\n3"
    assert to_markdown(text) == shown


def test_environment_variables_are_listed() -> None:
    """The variables that the programs read are in docs/command-line.md, and no others."""
    sources = [file.read_text(encoding="utf-8") for file in ROOT.glob("packages/*/src/**/*.py")]
    read = {variable for source in sources for variable in re.findall(r'"(CAESURA_[A-Z_]+)"', source)}
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert read == set(re.findall(r"^\| `(CAESURA_[A-Z_]+)` \|", page, re.MULTILINE))
