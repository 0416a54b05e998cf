"""The program itself: light to start, helpful everywhere, quiet in pipes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import numpy as np
import pytest

from caesura._version import __version__
from caesura.cli.main import COMMANDS
from cli.command import SOURCE, caesura, process, refused

HEAVY = {"numba", "polars", "scipy", "matplotlib", "pandas", "llvmlite"}


def loaded_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and name the packages it loads."""
    script = f"{code}\nimport sys, json\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_caesura_is_light() -> None:
    loaded = loaded_by("import caesura; caesura.Segmentation; caesura.__version__")
    assert not loaded & (HEAVY | {"rich", "click", "wcwidth"})


def test_import_alone_does_not_even_load_numpy() -> None:
    assert "numpy" not in loaded_by("import caesura")


#: Asks for help again and again, each time in a process that has loaded nothing but the program, and NumPy where it may be loaded.
HELPING = """
import io, json, os, sys
from caesura.cli.main import run
for words in json.loads(sys.argv[1]):
    if not words.startswith("-"):
        import numpy
    if (child := os.fork()) == 0:
        kept, sys.stdout, sys.argv = sys.stdout, io.StringIO(), ["caesura", *words.split()]
        try:
            run()
        except SystemExit as end:
            assert not end.code, end.code
        print(json.dumps([words, sorted({name.split(".")[0] for name in sys.modules})]), file=kept, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
HELPS = ["--help", "--version", *(f"{name} --help" for name in COMMANDS)]


@cache
def loaded_by_helps() -> dict[str, list[str]]:
    """Ask for every help and name the packages that each loads."""
    program, env = [sys.executable, "-c", HELPING, json.dumps(HELPS)], {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(program, capture_output=True, text=True, env=env, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("words", HELPS)
def test_help_is_light(words: str) -> None:
    light = HEAVY if words.split()[0] in COMMANDS else HEAVY | {"numpy", "rich"}
    assert not light.intersection(loaded_by_helps()[words])


def test_version() -> None:
    first, second = caesura("--version").stdout.splitlines()
    assert first == f"caesura {__version__}"
    assert second.startswith("Python 3.")
    assert f"numpy {np.__version__}" in second.split(", ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_and_json(command: str) -> None:
    done = caesura(command, "--help")
    assert not re.search(r"--\S+ _", done.stdout), "a private name is shown"
    assert done.returncode == 0
    if not isinstance(group := COMMANDS[command], click.Group):
        assert f"Example: caesura {command}" in " ".join(done.stdout.split())
        if command != "serve":  # it answers in JSON itself, request by request
            assert "--json" in done.stdout
        return
    for name in group.commands:
        page = " ".join(caesura(command, name, "--help").stdout.split())
        assert "Example: " in page
        assert f"caesura {command} {name}" in page.partition("Example: ")[2]
        assert "--json" in page


def test_help_lists_first_line_of_every_command() -> None:
    shown = " ".join(caesura("--help").stdout.split())
    for name, facts in COMMANDS.all_facts():
        assert COMMANDS[name].help.partition("\n")[0] == facts["help"]
        assert f"{name} {facts['help']}" in shown


def test_command_line_page_lists_every_command() -> None:
    page = (Path(__file__).parents[4] / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[?`caesura ([\w-]+)", page, re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert set(listed) - {"vowels", "serve"} == {name for name in COMMANDS if COMMANDS.source(name) == "caesura"}


def test_bad_usage_exits_with_2() -> None:
    for words, sentence in (
        ("--shew", "no such option '--shew'"),
        ("show", "missing argument"),
        ("show sample:kubla --width wide", "invalid value for '--width'"),
        ("show sample:kubla --wide", "no such option '--wide'"),
    ):
        assert refused(*words.split()).startswith(sentence)
        assert refused(*words.split()).endswith(" --help.")
    assert refused("shew").startswith("there is no command 'shew'; did you mean 'show'?")
    assert "Usage" in caesura().stdout + caesura().stderr  # nothing asked: help


def test_options_with_one_value_are_not_given_twice() -> None:
    sentence = refused("agree", "sample:kubla", "-m", "B", "--metric", "WD")
    assert sentence == "--metric is given 2 times; caesura agree takes it once."
    assert caesura("agree", "sample:kubla", "--json", "--json").returncode == 0


def test_options_of_other_programs_are_answered() -> None:
    assert "the reference comes first, then the systems" in refused("evaluate", "-r", "ref.rttm", "-s", "sys.rttm")
    assert "given by --uem FILE" in refused("evaluate", "ref.rttm", "sys.rttm", "-u", "all.uem")
    assert "draw with --svg FILE.svg" in refused("aligners", "gold", "mfa", "--plot")
    assert "see caesura evaluate" in refused("diarize", "ref.rttm")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_exist(shell: str) -> None:
    done = caesura("--show-completion", shell)
    assert done.returncode == 0, done.stderr
    assert "caesura" in done.stdout.lower() or "python" in done.stdout.lower()


def test_completion_offers_commands() -> None:
    done = caesura(_CAESURA_COMPLETE="bash_complete", COMP_WORDS="caesura sh", COMP_CWORD="1")
    assert done.stdout.split() == ["plain,show"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("caesura compare x -m Win", "WinPR"),
        ("caesura show x -f label", "label-studio"),
        ("caesura show x -d nested-b", "nested-bars"),
        ("caesura segment x --method unif", "uniform"),
        ("caesura reproduce fourn", "fournier2013"),
        ("caesura list seg", "segmenters"),
        ("caesura evaluate a b --test fri", "friedman"),
        ("caesura show sample:kub", "sample:kubla"),
    ],
)
def test_completion_offers_values(line: str, offered: str) -> None:
    words = line.split()
    done = caesura(_CAESURA_COMPLETE="zsh_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert offered in done.stdout.split("\n")
    if ":" in line:  # which Bash takes for the end of a word
        parted, (prefix, rest) = words[:-1], words[-1].split(":")
        line = " ".join([*parted, prefix, ":", rest])
        done = caesura(_CAESURA_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(parted) + 2))
        assert f"plain,{offered.partition(':')[2]}" in done.stdout.split("\n")


def test_bash_shows_samples_and_completes_files(tmp_path) -> None:
    """Through the script that Bash reads, in which a file among the answers forgets those before it."""
    program = tmp_path / "caesura"
    script = caesura("--show-completion", "bash").stdout
    for words, shown in (
        (["show", "sample", ":", "st"], "stargazer"),
        (["show", "sa"], "sample:kubla"),
        (["show", "s"], ""),
    ):
        number = str(len(words))
        asked = {"COMP_WORDS": "\n".join(["caesura", *words]), "COMP_CWORD": number}
        answer = caesura(_CAESURA_COMPLETE="bash_complete", **asked).stdout
        program.write_text(f"#!/bin/sh\ncat <<'EOF'\n{answer}EOF\n")
        program.chmod(0o755)
        typed = f"COMP_WORDS=(caesura {' '.join(words)}) COMP_CWORD={number}"
        commands = f'{script}\ncompopt() {{ files="$2"; }}\n{typed}\n_caesura_completion {program}\necho "$files ${{COMPREPLY[*]}}"'
        done = subprocess.run(["bash", "-c", commands], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"default {shown}"), done
        assert bool(done.stdout.split()[1:]) == bool(shown)


def test_completion_offers_all_names() -> None:
    """Metrics, formats, drawings, segmenters, methods and coefficients in every command, and samples wherever it reads annotations."""
    named = {"--metric", "--format", "--to", "--draw", "--bound", "--method", "--coefficient"}
    read = {"path", "paths", "reference", "hypothesis", "systems", "candidates", "source"}
    silent = [
        f"{name} {parameter.opts[0]}"
        for name, command in COMMANDS.items()
        for parameter in command.params
        if (named & set(parameter.opts) or (isinstance(parameter, click.Argument) and parameter.name in read))
        and parameter._custom_shell_complete is None
    ]
    assert silent == ["reproduce path"], "(which takes files of its own)"
    context = click.Context(COMMANDS["unify"])
    (method,) = (parameter for parameter in COMMANDS["unify"].params if parameter.name == "method")
    assert "majority" in [item.value for item in method.shell_complete(context, "maj")]


def test_completion_is_installed_once(tmp_path) -> None:
    for _ in range(2):
        assert ".bashrc" in caesura("--install-completion", "bash", HOME=str(tmp_path)).stdout
    assert (tmp_path / ".bashrc").read_text().count("complete -o nosort") == 1
    assert "there is no shell 'cmd'" in refused("--install-completion", "cmd", HOME=str(tmp_path))


def in_a_terminal(*words: str, **environment: str) -> str:
    """Run the program on a pseudo-terminal and return everything it wrote there."""
    leader, follower = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    if "NO_COLOR" not in environment:
        env.pop("NO_COLOR", None)
    running = subprocess.Popen(
        [sys.executable, "-m", "caesura", *words], stdout=follower, stderr=follower, stdin=follower, env=env
    )
    os.close(follower)
    written = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end closed
            break
        if not piece:
            break
        written += piece
    os.close(leader)
    assert running.wait(60) == 0, written
    return written.decode("utf-8")


def test_colours_only_in_terminals() -> None:
    colour = re.compile("\x1b\\[[0-9;]*3[0-7]m")
    assert colour.search(in_a_terminal("show", "sample:stargazer"))
    assert not colour.search(in_a_terminal("show", "sample:stargazer", NO_COLOR="1"))
    assert "\x1b" not in caesura("show", "sample:stargazer").stdout


def test_slow_work_shows_status_in_terminals_only() -> None:
    code = (
        "import sys, time\nfrom caesura.cli.io import working, with_progress\n"
        "with working('counting'):\n    time.sleep(1.4)\n"
        "for _ in with_progress([1, 2, 3], 'going through'):\n    time.sleep(0.6)\n"
        "with working('quick'):\n    pass\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm"}
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert piped.stderr == ""
    leader, follower = pty.openpty()
    running = subprocess.Popen([sys.executable, "-c", code], stderr=follower, stdout=subprocess.DEVNULL, env=env)
    os.close(follower)
    written = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        written += piece
    running.wait(30)
    os.close(leader)
    shown = written.decode("utf-8")
    assert "counting …" in shown
    assert "going through" in shown
    assert "quick" not in shown


def write_coders(folder: Path, name: str) -> Path:
    items = {name: {"x": [2, 2], "y": [4]}, "é": {"x": [2, 2], "y": [2, 2]}}
    (folder / "names.json").write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    return folder / "names.json"


@pytest.mark.parametrize("command", ["show", "agree", "unify", "compare"])
def test_unencodable_names_are_escaped(tmp_path, command: str) -> None:
    for name in ("\ud800", "a\n\x1b[31m"):
        file = write_coders(tmp_path, name)
        done = caesura(command, file)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\x1b" not in done.stdout
        assert json.dumps(name)[1:-1] in json.dumps(json.loads(caesura(command, file, "--json").stdout))


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}])
def test_names_between_colons_are_not_emoji(tmp_path, environment: dict[str, str]) -> None:
    done = caesura("unify", write_coders(tmp_path, ":cat:"), **environment)
    assert ":cat:" in done.stdout
    assert ("\x1b[1m" in done.stdout) == bool(environment)


def test_ascii_terminal_gets_escapes(tmp_path) -> None:
    file = write_coders(tmp_path, "a")
    done = process("agree", file, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "multi" in done.stdout or "\\u03c0" in done.stdout
    escaped = process("agree", file, "--json", PYTHONIOENCODING="ascii")
    assert set(json.loads(escaped.stdout)["pi"]["details"]["per_item"]) == {"a", "é"}


@pytest.mark.parametrize(
    "words", ["agree sample:stargazer", "show sample:walk", "compare sample:kubla --coders manual,cluster --json"]
)
@pytest.mark.parametrize("end", ["| true; exit ${PIPESTATUS[0]}", ">&-"])
def test_closed_streams_are_no_failure(words: str, end: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m caesura {words} {end}"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("agree {f} --seed -1", "--seed"),
        ("evaluate {f} {f} --seed -1", "--seed"),
        ("reproduce carbone2004 --seed -1", "--seed"),
        ("compare {f} -m F:beta=nan", "beta is 'nan'; expected a number above 0"),
        ("compare {f} --coders x,x", "names 'x' twice"),
        ("evaluate {f} {f} --test nosuch", "--test"),
        ("evaluate {f} {f} --fail-under Q=3", "no score 'Q'"),
        ("agree {f} --fail-under Q=3", "no coefficient 'Q'"),
        ("agree {f} --fail-under pi=nan", "METRIC=NUMBER"),
        ("agree {f} --svg {d}/none/x.svg", "does not exist"),
        ("compare {f} --svg {d}", "this is a folder"),
        ("unify {f} --draw nested-bars -o {d}/gold.json --provenance {d}/votes.json", "shows nested"),
        ("unify {f} -o {d}/gold.json --provenance {d}/none/votes.json", "does not exist"),
        ("optimise sample:phones {d}/scored.csv -o {d}/none/best.csv", "does not exist"),
        ("segment {d}/talk.wav -o {d}/talk.TextGrid --scores {d}/none/x.csv", "does not exist"),
        ("reproduce carbone2004 -o {f}", "this is a file"),
    ],
)
def test_errors_come_before_any_output(tmp_path, words: str, sentence: str) -> None:
    file = write_coders(tmp_path, "a")
    (tmp_path / "scored.csv").write_text("time,score\n0.5,1\n")
    (tmp_path / "talk.wav").write_bytes(b"RIFF")
    before = sorted(tmp_path.iterdir())
    done = caesura(*words.format(f=file, d=tmp_path).split())
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_true_is_not_a_mass(tmp_path) -> None:
    (tmp_path / "odd.json").write_text('{"segmentation_type": "linear", "items": {"a": {"x": [true, 2], "y": [3]}}}')
    assert "not true or false" in refused("show", tmp_path / "odd.json")


#: Commands with more options, and why: the limits of chunks keep the names that other splitters have, and would be one option that is hard to type.
MANY_OPTIONS = {"segment": 25}


def test_commands_have_at_most_20_visible_options() -> None:
    for name, command in COMMANDS.items():
        if COMMANDS.source(name) == "caesura":
            options = [each for each in command.params if isinstance(each, click.Option)]
            visible = [each.name for each in options if not each.hidden]
            assert len(visible) <= MANY_OPTIONS.get(name, 20), (name, visible)


def test_deprecated_options_still_work_with_a_note() -> None:
    old = caesura("compare", "sample:kubla", "--coders", "manual,near miss", "--n-t", "3", "--json")
    new = caesura("compare", "sample:kubla", "--coders", "manual,near miss", "-m", ":n_t=3", "--json")
    assert old.stdout == new.stdout
    assert old.stderr == "caesura: --n-t is deprecated; use -m B:n_t=3.\n"
    assert new.stderr == ""
    assert "--n-t" not in caesura("compare", "--help").stdout


def test_common_conflicts_hold_for_every_command() -> None:
    for command in ("show", "report", "agree", "unify", "compare", "check"):
        assert "has no effect" in refused(command, "sample:kubla", "-f", "csv")
    assert "--draw has no effect with --json" in refused("agree", "sample:kubla", "--draw", "strip", "--json")
    assert "--lossy has no effect without --output" in refused("unify", "sample:kubla", "--lossy")
