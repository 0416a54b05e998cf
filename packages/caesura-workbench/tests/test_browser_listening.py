"""The third campaign in a browser: two people mark a recording while they listen, names are adjudicated, and all tiers are exported."""

from __future__ import annotations

import io
import wave
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromium import picture
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytest.importorskip("soundfile", reason="recordings are read by the extra speech")
pytestmark = pytest.mark.slow

RATE = 8000
LAG = 0.1  # seconds
TIERS = [
    {"name": "Phrases", "holds": "names", "parent": None, "labels": [], "open": True},
    {"name": "Words", "holds": "names", "parent": "Phrases", "labels": [], "open": True},
]


def three_tones() -> bytes:
    """Return three seconds of sound in which the tone changes at 1 s and 2 s."""
    time = np.arange(3 * RATE) / RATE
    tone = np.where(time < 1, 220, np.where(time < 2, 440, 880))
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes((9000 * np.sin(2 * np.pi * tone * time)).astype("<i2").tobytes())
    return file.getvalue()


def heard(page: Any, at_least: float) -> None:
    page.wait_for_function("t => Number(document.getElementById('heard').dataset.seconds) >= t", arg=at_least)


def saved(client: Any, annotation: int) -> dict[str, Any]:
    marks: dict[str, Any] = client.get(f"/api/annotations/{annotation}").json()["marks"]
    return marks


def listen_and_mark(page: Any, client: Any, item: int, annotation: int, names: list[str]) -> None:
    """Play the recording, press space after every change of the tone, and name the three segments."""
    page.goto(f"/items/{item}")
    page.wait_for_selector("#player:not([hidden])")
    page.locator("#editing").select_option(str(annotation))
    page.wait_for_selector("#editor[data-state=open]")
    page.locator("#lag").fill(str(round(1000 * LAG)))
    page.locator("#lag").press("Tab")
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    page.keyboard.press("m")
    page.wait_for_selector("#listen[aria-pressed=true]")
    for number, change in enumerate((1.0, 2.0), 1):
        heard(page, change + LAG)
        page.keyboard.press("Space")
        page.wait_for_selector(f"#marks:has-text('{number} marked')")
    page.wait_for_selector("#listen[aria-pressed=false]")  # the end of the recording
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("Escape")
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+ArrowLeft")  # into the first segment
    page.keyboard.press("e")
    for number, name in enumerate(names, 1):
        page.wait_for_selector(f".inplace[aria-label='Name of segment {number}']")
        page.keyboard.type(name)
        page.keyboard.press("Tab" if number < len(names) else "Enter")
    page.wait_for_function("n => document.getElementById('segment-message').textContent.includes(n)", arg=names[-1])
    for _ in range(100):
        if saved(client, annotation).get("names") == names:
            return
        page.wait_for_timeout(50)
    raise AssertionError(saved(client, annotation))


def test_recording_marked_by_listening_to_gold_in_all_tiers(page: Any, server: Server, tmp_path: Path) -> None:
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "tones"}).json()["id"]
        before = client.get(f"/api/projects/{project}/schema").json()
        changed = {"version": before["version"], "schema": {**before["schema"], "kinds": ["recording"], "tiers": TIERS}}
        answer = client.put(f"/api/projects/{project}/schema", json=changed)
        assert answer.status_code == 200, answer.text
        added = client.post(f"/api/projects/{project}/recordings", params={"name": "t.wav"}, content=three_tones())
        assert added.status_code == 201, added.text
        tracks = {item["track"]: item["id"] for item in client.get(f"/api/projects/{project}").json()["items"]}
        assert set(tracks) == {"Phrases", "Words"}
        people = {}
        for name in ("dora", "emil"):
            for track, item in tracks.items():
                body = {"coder": name, "role": "coder", "empty": True}
                people[name, track] = client.post(f"/api/items/{item}/annotations", json=body).json()["id"]
        listen_and_mark(page, client, tracks["Phrases"], people["dora", "Phrases"], ["low", "middle", "high"])
        listen_and_mark(page, client, tracks["Phrases"], people["emil", "Phrases"], ["low", "mid", "high"])
        for name in ("dora", "emil"):
            times = saved(client, people[name, "Phrases"])["positions"]
            assert times == pytest.approx([1.0, 2.0], abs=0.25), "at what was heard, less the lag"
            for position in (1.0, 2.0):  # both agree on the words
                state = client.get(f"/api/annotations/{people[name, 'Words']}").json()
                operation = {"kind": "add", "position": position}
                body = {"version": state["version"], "operation": operation}
                client.patch(f"/api/annotations/{state['id']}", json=body).raise_for_status()
        golds = {
            track: client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "union"}).json()
            for track, item in tracks.items()
        }
        assert all("id" in made for made in golds.values()), golds
        settle(page, client, tracks["Phrases"], golds["Phrases"]["id"])
        marks = saved(client, golds["Phrases"]["id"])
        dora, emil = (saved(client, people[name, "Phrases"]) for name in ("dora", "emil"))
        assert marks["positions"] == pytest.approx(dora["positions"], abs=0.02), (
            "those within the tolerance are not disputed"
        )
        assert marks["names"] == dora["names"] != emil["names"], "with the boundaries come the names of whose they are"
        for format in ("textgrid", "eaf"):
            asked = {"format": format, "files": "tiers"}
            answer = client.get(f"/api/projects/{project}/export", params=asked)
            assert answer.status_code == 200, answer.text
            check_tiers(answer, format, tmp_path, marks)


def settle(page: Any, client: Any, item: int, gold: int) -> None:
    """Take dora's choice in every dispute."""
    page.goto(f"/items/{item}")
    page.wait_for_selector("#player:not([hidden])")
    page.locator("#editing").select_option(str(gold))
    page.wait_for_selector("#editor[data-state=open]")
    page.locator("#timeline").focus()
    for _ in range(8):
        if (
            page.locator("#disputes-count").text_content().endswith("settled")
            and ": 0 open" in page.locator("#disputes-count").text_content()
        ):
            break
        page.keyboard.press("n")
        page.wait_for_selector("#dispute:not([hidden])")
        picture(page, "listening-dispute")
        texts = page.locator("#choices .choice small").all_inner_texts()
        before = client.get(f"/api/annotations/{gold}").json()["version"]
        page.keyboard.press("abcdef"[next(i for i, who in enumerate(texts) if "dora" in who)])
        page.wait_for_function(
            "v => document.getElementById('saved').textContent.length > 0 && !document.getElementById('saved').textContent.includes('saving')",
            arg=before,
        )
        page.wait_for_timeout(150)
    assert ": 0 open" in page.locator("#disputes-count").text_content()


def check_tiers(answer: Any, format: str, folder: Path, gold: dict[str, Any]) -> None:
    """Read the exported file with praatio or pympi, and find all tiers of both people and of gold."""
    path = folder / f"tones.{'TextGrid' if format == 'textgrid' else 'eaf'}"
    content = answer.content
    if content[:2] == b"PK":
        archive = zipfile.ZipFile(io.BytesIO(content))
        name = next(each for each in archive.namelist() if each.lower().endswith((".textgrid", ".eaf")))
        content = archive.read(name)
    path.write_bytes(content)
    wanted = {f"{track}@{who}" for track in ("Phrases", "Words") for who in ("dora", "emil", "gold")}
    if format == "textgrid":
        praatio = pytest.importorskip("praatio.textgrid", reason="TextGrids are read back by praatio")
        grid = praatio.openTextgrid(str(path), includeEmptyIntervals=True)
        assert set(grid.tierNames) == wanted
        entries = grid.getTier("Phrases@gold").entries
        assert [entry.label for entry in entries] == gold["names"]
        assert [entry.end for entry in entries][:-1] == pytest.approx(gold["positions"], abs=1e-6)
    else:
        pympi = pytest.importorskip("pympi", reason="EAF files are read back by pympi")
        eaf = pympi.Elan.Eaf(str(path))
        assert wanted <= set(eaf.get_tier_names())
        rows = sorted(eaf.get_annotation_data_for_tier("Phrases@gold"))
        assert [row[2] for row in rows] == gold["names"]
        assert [row[1] / 1000 for row in rows][:-1] == pytest.approx(gold["positions"], abs=1e-3)
