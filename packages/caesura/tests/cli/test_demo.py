"""``caesura demo``: the tour visits every family, whatever the terminal."""

from __future__ import annotations

import json
import shlex

import pytest

from caesura.report.tour import STOPS, stop_as_dict
from cli.command import caesura, refused


@pytest.mark.parametrize("stop", STOPS)
def test_every_stop_shows_text_and_a_drawing(stop: str) -> None:
    plain = stop_as_dict(stop, STOPS[stop]())["shown"]
    assert isinstance(plain[0], str)
    assert any(isinstance(part, dict) and (part.get("drawn") or part.get("rows")) for part in plain)
    json.dumps(plain)


@pytest.mark.parametrize("stop", STOPS)
def test_the_command_of_every_stop_works(stop: str) -> None:
    program, *words = shlex.split(STOPS.facts(stop)["command"])
    assert program == "caesura"
    done = caesura(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_whole_tour_from_a_pipe() -> None:
    done = caesura("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    for number, facts in enumerate(map(STOPS.facts, STOPS), 1):
        assert f"{number}/{len(STOPS)}  {facts['title']}" in done.stdout
        assert f"$ {facts['command']}" in done.stdout
    assert "near miss               0.750" in done.stdout


def test_stops_by_name_and_as_data() -> None:
    data = json.loads(caesura("demo", "boundaries", "--json").stdout)
    assert [each["name"] for each in data] == ["boundaries"]
    table = next(part for part in data[0]["shown"] if isinstance(part, dict) and "columns" in part)
    assert table["rows"][1][:2] == ["near miss", 0.75]
    assert "agreement" in caesura("demo", "--list").stdout
    assert [each["name"] for each in json.loads(caesura("demo", "--list", "--json").stdout)] == list(STOPS)
    assert "there is no stop 'boundary'; did you mean 'boundaries'" in refused("demo", "boundary")


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.cli import demo

    monkeypatch.setattr(
        demo, "EXTRAS", {"neural": ("no_such_module", "vowels by networks"), "web": ("json", "the workbench")}
    )
    end = caesura("demo", "scripts").stdout.splitlines()[-1]
    assert end == "Not installed, available as extras: caesura[neural] for vowels by networks."
