"""Every pair of options of the core's commands is honoured or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.cli.main import COMMANDS
from cli.option_pairs import (
    NEED_OTHER_DATA,
    PLANS,
    Bench,
    assert_every_pair_is_honoured_or_refused,
    commands,
    option_names,
    recorded_calls,
    write_inputs,
)

OURS = [name for name in commands() if COMMANDS.source(name.partition(" ")[0]) == "caesura"]


@pytest.mark.parametrize("command", OURS)
def test_plan_lists_every_option(command: str) -> None:
    assert command in PLANS, "add the command to PLANS"
    assert set(PLANS[command][1]) == option_names(command), "add the option to PLANS"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder: Path = tmp_path_factory.mktemp("pairs")
    write_inputs(folder)
    return Bench(folder, {}, [])


@pytest.mark.parametrize("command", PLANS)
def test_every_pair_of_options_is_honoured_or_refused(bench: Bench, command: str, monkeypatch) -> None:
    # no option of the report is for the model of annotators alone, and fitting it for every pair would take half a minute
    monkeypatch.setattr("caesura.report.annotators_section._MOST_MARKS", 0)
    with recorded_calls(bench.handed):
        assert_every_pair_is_honoured_or_refused(bench, command, *PLANS[command], excluded=NEED_OTHER_DATA)
