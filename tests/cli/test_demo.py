"""``caesura demo``: the tour visits every family, whatever the terminal."""

from __future__ import annotations

import json

import pytest

from caesura.report.tour import STOPS
from cli.command import caesura, refused


@pytest.mark.parametrize("stop", STOPS, ids=lambda s: s.name)
def test_every_stop_shows_words_and_a_picture(stop) -> None:
    shown = stop.visit()
    plain = stop.as_dict(shown)["shown"]
    assert isinstance(plain[0], str)
    assert any(isinstance(part, dict) and (part.get("drawn") or part.get("rows")) for part in plain)
    json.dumps(plain)


@pytest.mark.parametrize("stop", STOPS, ids=lambda s: s.name)
def test_the_command_of_every_stop_works(stop) -> None:
    import shlex

    program, *words = shlex.split(stop.command)
    assert program == "caesura"
    done = caesura(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_whole_tour_from_a_pipe() -> None:
    done = caesura("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    for number, stop in enumerate(STOPS, 1):
        assert f"{number}/{len(STOPS)}  {stop.title}" in done.stdout
        assert f"$ {stop.command}" in done.stdout
    assert "near miss               0.750" in done.stdout


def test_stops_by_name_and_as_data() -> None:
    data = json.loads(caesura("demo", "boundaries", "--json").stdout)
    assert [each["name"] for each in data] == ["boundaries"]
    table = next(part for part in data[0]["shown"] if isinstance(part, dict) and "columns" in part)
    assert table["rows"][1][:2] == ["near miss", 0.75]
    assert "agreement" in caesura("demo", "--list").stdout
    assert [each["name"] for each in json.loads(caesura("demo", "--list", "--json").stdout)] == [s.name for s in STOPS]
    assert "there is no stop 'boundary'; did you mean 'boundaries'" in refused("demo", "boundary")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.cli import demo

    monkeypatch.setattr(
        demo, "EXTRAS", {"neural": ("no_such_module", "vowels by networks"), "web": ("json", "the workbench")}
    )
    end = caesura("demo", "scripts").stdout.splitlines()[-1]
    assert end == "Not installed here, if you want it: caesura[neural] for vowels by networks."
