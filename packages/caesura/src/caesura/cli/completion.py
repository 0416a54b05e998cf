"""Shell completion: its script, its installation, and words with colons in Bash."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import BashComplete, add_completion_class, get_completion_class

from caesura.errors import CaesuraError, UnknownName

_VARIABLE = "_CAESURA_COMPLETE"

#: Shell -> the file that enables completion.
_FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/caesura.fish"}


def show_completion(shell: str, program: click.Command) -> None:
    """Print the completion script of a shell."""
    click.echo(_script(_shell_name(shell), program))


def install_completion(shell: str, program: click.Command) -> None:
    """Add the script to the shell's start-up file, once."""
    shell = _shell_name(shell)
    file = Path(_FILES[shell]).expanduser()
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if _VARIABLE not in before:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before + _script(shell, program) + "\n", encoding="utf-8")
    click.echo(f"installed in {file}; open a new {shell} to use it.")


def _shell_name(shell: str) -> str:
    """Return the name of the shell, by default the current one."""
    name = shell or Path(os.environ.get("SHELL", "")).name
    if not name:
        raise CaesuraError(f"name the shell: {', '.join(_FILES)}.")
    if name not in _FILES:
        raise UnknownName("shell", name, list(_FILES))
    return name


def _script(shell: str, program: click.Command) -> str:
    completion = get_completion_class(shell)
    assert completion is not None
    complete = completion(program, {}, "caesura", _VARIABLE)
    return complete.source_template % complete.source_vars()


class _Bash(BashComplete):
    """Bash splits words at colons: ``sample:ku`` arrives as three words, and the completion replaces the last one."""

    _cut = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Join words that were split at colons."""
        args, start = super().get_completion_args()
        words: list[str] = []
        for word in [*args, start]:
            if words and (word == ":" or words[-1].endswith(":")):
                words[-1] += word
            else:
                words.append(word)
        *args, start = words
        self._cut = start[: start.rfind(":") + 1]
        return args, start

    def format_completion(self, item: click.shell_completion.CompletionItem) -> str:
        """Remove the part of the word that Bash does not replace."""
        return f"{item.type},{str(item.value).removeprefix(self._cut)}"


add_completion_class(_Bash)
