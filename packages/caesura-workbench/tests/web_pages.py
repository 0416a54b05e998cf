"""A workbench with every kind of item and people in every role, and a list of its pages; for pictures, accessibility checks and benchmarks."""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura import samples
from web_server import Server

PASSWORD = "open sesame, please"
STORY = "It was late. Mr. Blake slept. Nobody came. The moon stood still. A boat went by. Its lamp was out."
GUIDELINES = "# Where to cut\n\nCut where the **scene** changes.\n\n- not at commas\n- `|` is not typed"
SPANS = {
    "format": "caesura-corpus", "version": 1, "kind": "spans", "labels": ["person", "place", "town"],
    "texts": [{"item": "tour", "units": list("Ann met Ben Miller in Paris, near the Pont Neuf.")}],
    "annotations": [
        {"item": "tour", "coder": "ann", "length": 48, "spans": [[0, 3, "person"], [8, 18, "person"], [22, 27, "place"], [38, 47, "place"]]},
        {"item": "tour", "coder": "ben", "length": 48, "spans": [[0, 3, "person"], [8, 11, "person"], [22, 27, "town"]]},
    ],
}  # fmt: skip


@dataclass
class View:
    """One page as a person sees it: person, path, selector to wait for, and actions."""

    name: str
    who: str
    path: str
    ready: str
    act: Callable[[Any], None] | None = None
    alike: bool = False  # to another view, which is enough where there is little time


@dataclass
class PopulatedWorkbench:
    """The workbench, its views, and a session per person."""

    server: Server
    views: list[View]
    sessions: dict[str, str] = field(default_factory=dict)

    def open(self, browser: Any, who: str, **look: Any) -> Any:
        """Open a browser page as this person."""
        page = browser.new_context(base_url=self.server.address, **look).new_page()
        page.set_default_timeout(120_000)
        self.become(page, who)
        return page

    def become(self, page: Any, who: str) -> None:
        """Sign a page in as this person."""
        page.context.clear_cookies()
        if who in self.sessions:
            cookie = {"name": "caesura-session", "value": self.sessions[who], "url": self.server.address}
            page.context.add_cookies([cookie])

    def show(self, page: Any, view: View) -> None:
        """Open a view and wait until it is drawn."""
        page.goto(self.server.address + view.path)
        page.wait_for_selector(view.ready)
        if view.act is not None:
            view.act(page)


def populate(server: Server) -> PopulatedWorkbench:
    """Fill a workbench through its API and list its pages."""
    with server.client() as mira:
        made = mira.post("/api/projects", json={"name": "poems and recordings", "samples": True})
        assert made.status_code == 201, made.text
        poems = made.json()["id"]
        _upload(mira, poems, "tour.json", json.dumps(SPANS))
        sound = mira.post(f"/api/projects/{poems}/recordings", params={"name": "margin.wav"}, content=_speech())
        assert sound.status_code == 201, sound.text
        items = {item["name"]: item["id"] for item in mira.get(f"/api/projects/{poems}").json()["items"]}
        for item in items.values():
            start = {"coder": "gold"} if item != items["tour"] else {"coder": "gold", "method": "majority"}
            made = mira.post(f"/api/items/{item}/annotations", json=start)
            assert made.status_code == 201, made.text
            remark = {"text": "why here?", "position": 2, "author": "mira"}
            assert mira.post(f"/api/items/{item}/comments", json=remark).status_code == 201
        stories = mira.post("/api/projects", json={"name": "stories"}).json()["id"]
        texts = [
            mira.post(f"/api/projects/{stories}/text", json={"item": f"story {n}", "text": STORY, "unit": "sentence"})
            for n in (1, 2)
        ]
        mira.put(f"/api/projects/{stories}/guidelines", json={"text": GUIDELINES, "version": 0}).raise_for_status()
        mira.post("/api/people", json={"name": "mira", "password": PASSWORD}).raise_for_status()
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        sessions = {"mira": mira.cookies["caesura-session"]}
        for name, role in (("dora", "annotator"), ("emil", "annotator"), ("judith", "adjudicator"), ("rea", "reader")):
            person = mira.post("/api/people", json={"name": name}).json()
            mira.put(f"/api/projects/{stories}/members", json={"person": person["id"], "role": role}).raise_for_status()
            sessions[name] = _sign_in(server, person["link"])
        mira.post(f"/api/projects/{stories}/assignments", json={}).raise_for_status()
    story = texts[0].json()["item"]
    _annotate(server, sessions["emil"], story)
    return PopulatedWorkbench(server, _views(poems, stories, items, story), sessions)


def _upload(client: Any, project: int, name: str, content: str) -> None:
    answer = client.post(f"/api/projects/{project}/files", files=[("files", (name, content))])
    assert answer.status_code == 201, answer.text


def _speech(rate: int = 8000) -> bytes:
    """Return a tone with the length of the sample recording."""
    (length,) = set(samples.load("phones").lengths.tolist())
    time = np.arange(round(length * rate)) / rate
    sound = np.sin(2 * np.pi * 220 * time) * np.sin(2 * np.pi * 3 * time) ** 2
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes((12_000 * sound).astype("<i2").tobytes())
    return file.getvalue()


def _sign_in(server: Server, link: str) -> str:
    with server.visitor() as person:
        csrf = person.get("/login").text.split('name="csrf" content="')[1].split('"')[0]
        secret = {"link": link.split("#")[1]}
        person.post("/login", data=secret, headers={"X-CSRF-Token": csrf}).raise_for_status()
        return str(person.cookies["caesura-session"])


def _annotate(server: Server, session: str, item: int) -> None:
    with server.visitor() as person:
        person.cookies.set("caesura-session", session)
        person.headers["X-CSRF-Token"] = person.get("/api/session").json()["csrf"]
        made = person.post(f"/api/items/{item}/annotations", json={"empty": True}).json()
        change = {"version": made["version"], "operation": {"kind": "add", "position": 3}}
        person.patch(f"/api/annotations/{made['id']}", json=change).raise_for_status()


def _views(poems: int, stories: int, items: dict[str, int], story: int) -> list[View]:
    pages = {
        "": "#progress tbody tr", "/import": "#upload", "/schema": "#kinds", "/agreement": "#matrix td", "/disputes": "#places li",
        "/guidelines": "#guidelines", "/export": "#download button",
    }  # fmt: skip
    compared = "#editor[data-state=open]"
    return [
        View("login", "nobody", "/login", "#login"),
        View("personal link", "nobody", "/enter", "#login"),
        View("home", "mira", "/", "#projects tbody tr"),
        View("people", "mira", "/people", "#people tbody tr"),
        View("account", "mira", "/account", "#password"),
        *(
            View(f"project{page}", "mira", f"/projects/{poems}{page}", ready, alike=page == "/guidelines")
            for page, ready in pages.items()
        ),
        View("progress", "mira", f"/projects/{stories}", "#progress .state"),
        View("people of a project", "mira", f"/projects/{stories}/people", "#members tbody tr"),
        View("guidelines", "mira", f"/projects/{stories}/guidelines", "#prose strong"),
        View("preview", "mira", f"/projects/{poems}/import", "#upload", _choose_files),
        View("text", "mira", f"/items/{items['chapter 1']}", compared, _open_all),
        View("typed text", "mira", f"/items/{items['keys']}", compared, _open_all, alike=True),
        View("hebrew", "mira", f"/items/{items['hebrew']}?at=3", compared, _open_all),
        View("nested", "mira", f"/items/{items['walk']}", compared, _open_all),
        View("spans", "mira", f"/items/{items['tour']}", compared, _open_all),
        View("recording", "mira", f"/items/{items['margin']}", compared, _open_all),
        View("inbox", "dora", "/", "#editor[data-state=open] .gap"),
        View("blind, before", "dora", f"/items/{story}", "#editor[data-state=open] .gap"),
        View("blind, begun", "emil", f"/items/{story}", "#editor[data-state=open] .gap.on"),
        View("progress of a judge", "judith", f"/projects/{stories}", "#progress .state", alike=True),
        View("not released", "rea", f"/projects/{stories}", "#prose strong"),
        View("report", "mira", f"/projects/{poems}/report?sort=units", "main section"),
        View("nothing there", "mira", "/items/99999", "body"),
    ]


def _choose_files(page: Any) -> None:
    bad = {"name": "bad.json", "mimeType": "application/json", "buffer": b'{"segmentation_type": "linear",\n "items": '}
    good = json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [2, 3], "y": [5]}}}).encode()
    files = [bad, {"name": "good.json", "mimeType": "application/json", "buffer": good}]
    page.locator("#upload [name=files]").set_input_files(files)
    page.wait_for_selector("#preview tbody tr")


def _open_all(page: Any) -> None:
    """Open all details and go to a disputed place."""
    page.wait_for_selector("#editor[data-state=open]")
    page.evaluate("for (const folded of document.querySelectorAll('.insp details:not([hidden])')) folded.open = true")
    page.locator("#next").click()
