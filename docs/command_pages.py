"""Write a page per command while the site is built, from the help that the command prints; ``python docs/command_pages.py evaluate`` prints one.

docs/command-line.md is the overview. Its table links each command to its page and to the pages that explain it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import click

from caesura.cli.main import program as caesura
from caesura_workbench.__main__ import program as workbench
from generated_pages import add_to_navigation, add_to_site

OVERVIEW = "command-line.md"
PAGE = Path(__file__).with_name(OVERVIEW)
EXAMPLE = re.compile(r"^(?P<about>(?:Example|For [\w ]+)): (?P<line>caesura.*)$")


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, below the overview (a hook of mkdocs)."""
    return add_to_navigation(config, OVERVIEW, [{name: page_uri(name)} for name in commands()])


def on_files(files: Any, *, config: Any) -> Any:
    """Add one generated page per command (a hook of mkdocs)."""
    return add_to_site(files, config, {page_uri(name): page(name) for name in commands()})


@cache
def commands() -> dict[str, tuple[str, click.Command]]:
    """Return every command, by its name, with the words that call it.

    >>> commands()["judge make"][0], commands()["backup"][0]
    ('caesura judge make', 'caesura-workbench backup')
    """
    found: dict[str, tuple[str, click.Command]] = {}
    for start, group in (("caesura", caesura), ("caesura-workbench", workbench)):
        for name, command in _inside(group):
            found[name] = f"{start} {name}", command
    return found


def _inside(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _inside(command, f"{prefix}{name} ")
        elif command is not None:
            yield f"{prefix}{name}", command


def page_uri(name: str) -> str:
    """Return the page of a command.

    >>> page_uri("judge make")
    'command-line/judge-make.md'
    """
    return f"command-line/{name.replace(' ', '-')}.md"


def page(name: str) -> str:
    """Return the Markdown of a command's page: what it does, examples, arguments and options."""
    words, command = commands()[name]
    context = click.Context(command, info_name=words)
    about, examples = described(command.help or "")
    parts = [f"# {words}", *about]
    if examples:
        parts.append("```sh\n" + "\n".join(examples) + "\n```")
    parts.append(f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```")
    recorder = Recorder()
    command.format_options(context, recorder)  # type: ignore[arg-type]
    parts += [table(title, rows) for title, rows in recorder.sections]
    if links := further(words):
        parts.append(f"See also: {links}.")
    return "\n\n".join(parts) + "\n"


def described(text: str) -> tuple[list[str], list[str]]:
    """Split the help of a command into paragraphs and examples.

    >>> described("Draw.\\n\\nExample: caesura show a\\n--all\\n\\nFor speech: caesura show b")
    (['Draw.'], ['caesura show a --all', 'caesura show b  # for speech'])
    """
    about, examples = [], []
    for paragraph in text.split("\n\n"):
        line = " ".join(paragraph.split())
        if match := EXAMPLE.match(line):
            comment = "" if match["about"] == "Example" else f"  # {match['about'][0].lower()}{match['about'][1:]}"
            examples.append(match["line"] + comment)
        else:
            about.append(line)
    return about, examples


class Recorder:
    """Takes the place of click's formatter and keeps the rows of every section."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, list[tuple[str, str]]]] = []

    @contextmanager
    def section(self, title: str) -> Iterator[None]:
        """Begin a section."""
        self.sections.append((title, []))
        yield

    def write_dl(self, rows: list[tuple[str, str]]) -> None:
        """Keep the rows of the section."""
        self.sections[-1][1].extend(rows)


def table(title: str, rows: list[tuple[str, str]]) -> str:
    """Return a section: one row per argument or option, with its default in a column of its own.

    >>> print(table("Options", [("--seed INTEGER", "Seed.  [default: 0; x>=0]")]))
    ## Options
    <BLANKLINE>
    | option | default | meaning |
    |---|---|---|
    | `--seed INTEGER` | `0` | Seed. (x>=0) |
    """
    split = [(name, *_facts(text)) for name, text in rows]
    with_default = any(default for _, default, _ in split)
    kind = "argument" if title == "Arguments" else "option"
    lines = [f"## {title}", "", f"| {kind} | default | meaning |" if with_default else f"| {kind} | meaning |"]
    lines.append("|---|---|---|" if with_default else "|---|---|")
    for name, default, meaning in split:
        shown = f"`{default}`" if default else ""
        cells = [f"`{name}`", *([shown] if with_default else []), meaning]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines)


def _facts(text: str) -> tuple[str, str]:
    """Split "Seed.  [default: 0; x>=0]" into the default and the rest."""
    help, _, facts = text.partition("  [")
    listed = facts.rstrip("]").split("; ") if facts else []
    default = next((each.removeprefix("default: ") for each in listed if each.startswith("default: ")), "")
    other = "; ".join(each for each in listed if not each.startswith("default: "))
    return default, f"{help.strip()} ({other})" if other else help.strip()


def further(words: str) -> str:
    """Return the links of the overview's row of a command, as seen from its page.

    >>> further("caesura report")
    '[HTML or Markdown](../report.md)'
    """
    group = " ".join(words.split()[:2])
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if re.match(rf"\| \[?`{re.escape(group)}\b", line)]
    links = re.findall(r"\[([^\]`]+)\]\(([^)]+)\)", rows[0] if rows else "")
    return ", ".join(f"[{text}](../{OVERVIEW if target.startswith('#') else ''}{target})" for text, target in links)


if __name__ == "__main__":
    print(page(" ".join(sys.argv[1:])))
