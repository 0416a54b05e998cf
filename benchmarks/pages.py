"""Time every page of the workbench in Chromium: first paint, complete drawing, and the delay between a key and its effect.

    python benchmarks/pages.py [--rounds 5] [--words 20000]
    python benchmarks/pages.py --items 5000 --people 50      # a large project: also DOM nodes, and clicks

Server and browser share the machine; every round starts with an empty cache. benchmarks/browser.py measures recordings.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from sys import path
from typing import Any

path.insert(0, str(Path(__file__).parents[1] / "packages/caesura/tests"))
path.insert(0, str(Path(__file__).parents[1] / "packages/caesura-workbench/tests"))

from playwright.sync_api import sync_playwright

from chromium import launch
from web_pages import PopulatedWorkbench, View, populate
from web_server import Server
from workbench_scale import TOKEN, generate
from workbench_scale import Server as ScaleServer

#: Milliseconds from the start of the navigation until the main content is visible.
DRAWN = (
    "ready => { const there = document.querySelector(ready); return there?.checkVisibility() ? performance.now() : 0; }"
)

#: Milliseconds from a key or input to the frame after the first change inside an element.
CHANGE = """([place, event]) => { window.changed = new Promise((resolve) => {
  let start;
  addEventListener(event, (e) => { start ??= e.timeStamp; }, { capture: true });
  const seen = new MutationObserver(() => {
    if (start === undefined) return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
  });
  seen.observe(document.querySelector(place), { subtree: true, childList: true, attributes: true, characterData: true });
}); }"""


def press(key: str, start: str | None = None) -> Callable[[Any], None]:
    def act(page: Any) -> None:
        if start is not None:
            page.locator(start).first.focus()
        page.keyboard.press(key)

    return act


def click(selector: str) -> Callable[[Any], None]:
    return lambda page: page.locator(selector).first.click()


#: View -> (action, function, element that changes, event).
ACTIONS: dict[str, list[tuple[str, Callable[[Any], None], str, str]]] = {
    "project": [("show by person", click("[data-view=people]"), "#view-people", "click")],
    "people of a project": [("search", lambda page: page.locator("#find-person").fill("dora"), "#members", "input")],
    "project/export": [("another format", click("#formats .pick:nth-child(2)"), "#tree", "click")],
    "text": [
        ("set a boundary", press("Space", ".gap[data-at='5']"), "#text", "keydown"),
        ("undo it", press("u"), "#text", "keydown"),
        ("go to the next dispute", press("n"), "#voters", "keydown"),
        ("scores for another n_t", lambda page: page.locator("[name=n_t]").fill("3"), "#scores tbody", "input"),
    ],
    "typed text": [("set a boundary", press("Space", ".gap[data-at='3']"), "#text", "keydown")],
    "nested": [("add a segment", press("Space", ".line:nth-of-type(6)"), "#nest", "keydown")],
    "spans": [("add a span", press("1", "#spans"), "#spans", "keydown")],
    "blind, begun": [("set a boundary", press("Space", ".gap[data-at='2']"), "#text", "keydown")],
    "long text": [
        ("set a boundary", press("Space", ".gap[data-at='9']"), "#text", "keydown"),
        ("go to the next dispute", press("n"), "#voters", "keydown"),
    ],
}

#: Pages of a large project: name, whose, path, what must be visible, and clicks as above. The annotator is the fifth, for whom nothing is done.
LARGE: list[tuple[str, str, str, str, list[tuple[str, Callable[[Any], None], str, str]]]] = [
    ("first page", "manager", "/", "#projects .tasks .meter", []),
    ("all users", "manager", "/people", "#people tbody tr", [("search", lambda page: page.locator("#find-person").fill("49"), "#people", "input")]),
    ("progress, the grid", "manager", "/projects/1", "#progress tbody tr", [
        ("next 20 items", click("#later-items"), "#progress", "click"),
        ("another cell", press("ArrowDown", "[data-cell='2 2']"), "#progress", "keydown"),
        ("items begun", click("#states [data-state=begun]"), "#progress", "click"),
        ("by person", click("[data-view=people]"), "#view-people", "click"),
    ]),
    ("progress, the numbers", "manager", "/projects/1", "[data-fact=pace]", []),
    ("people", "manager", "/projects/1/people", "#members tbody tr", [("search", lambda page: page.locator("#find-person").fill("49"), "#members", "input")]),
    ("labels and units", "manager", "/projects/1/schema", "#kinds", []),
    ("import", "manager", "/projects/1/import", "#item-table tbody tr", []),
    ("export", "manager", "/projects/1/export", "#formats .pick", []),
    ("guidelines", "manager", "/projects/1/guidelines", "#guidelines", []),
    ("agreement, computed before", "manager", "/projects/1/agreement", "#matrix td", []),
    ("disputes, computed before", "manager", "/projects/1/disputes", "#places li", []),
    ("an item, 50 annotations", "manager", "/items/2500", "#editor:not([hidden]) .gap", [("a dispute", press("n"), "#voters", "keydown")]),
    ("an annotator’s item", "annotator", "/items/2500", "#editor[data-state=open] .gap", [
        ("set a boundary", press("Space", ".gap[data-at='9']"), "#text", "keydown"),
        ("filter the list", click("#items-filter [data-state=discuss]"), "#items-list", "click"),
    ]),
    ("an annotator’s inbox", "annotator", "/", "#editor[data-state=open] .gap", []),
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=0, help="measure a project of so many items instead")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--pages", default="", help="of a large project, only pages with this in their name")
    parser.add_argument("--database", type=Path, help="a database of workbench_scale.py; a copy of it is used")
    wanted = parser.parse_args()
    if wanted.items:
        with tempfile.TemporaryDirectory() as folder:
            measure_large(Path(folder) / "large.sqlite", wanted)
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            long_text = add_long_text(server, wanted.words)
            bench = populate(server)
            bench.views.append(
                View("long text", "mira", f"/items/{long_text}", "#editor[data-state=open] .gap.disputed")
            )
            browser = launch(playwright)
            measure(bench, browser, wanted.rounds)
            browser.close()
        finally:
            server.kill()


def add_long_text(server: Server, words: int) -> int:
    """Create a text with two coders, a boundary at every tenth word, and gold."""
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "long"}).json()["id"]
        for coder, off in (("ann", 0), ("ben", 1)):
            text = " ".join(f"w{n} |" if n % 10 == off else f"w{n}" for n in range(1, words)) + " end"
            added = {"item": "novel", "coder": coder, "text": text}
            client.post(f"/api/projects/{project}/text", json=added).raise_for_status()
        item = int(client.get(f"/api/projects/{project}").json()["items"][0]["id"])
        client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).raise_for_status()
        return item


def measure_large(database: Path, wanted: argparse.Namespace) -> None:
    """Measure the pages of a generated project: time until usable, elements, and clicks."""
    if wanted.database:
        shutil.copy(wanted.database, database)
    else:
        generate(database, wanted.items, wanted.people)
    server = ScaleServer(database)
    address = f"http://127.0.0.1:{server.port}"
    try:
        server.get("/api/projects/1/counts")  # read once; every further request is served from what is kept
        for computed in ("agreement", "disputes?order=gain"):
            server.get(f"/api/projects/1/{computed}")
        link = server.send("POST", "/api/people/5/link", {})["link"]
        with sync_playwright() as playwright:
            browser = launch(playwright)
            window = {"base_url": address, "viewport": {"width": 1440, "height": 900}}
            token = {"Authorization": f"Bearer {TOKEN}"}
            who = {
                "manager": browser.new_context(**window, extra_http_headers=token),
                "annotator": browser.new_context(**window),
            }
            page = who["annotator"].new_page()
            page.goto(link)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_selector("#editor[data-state=open] .gap")
            print(f"{wanted.items:,} items × {wanted.people} people; {heading(wanted.rounds)}\n")
            print(
                "| page | usable after | processor: page, server | elements | from a click to its change; processor: page, server |"
            )
            print("|---|---:|---:|---:|---|")
            for row in (each for each in LARGE if wanted.pages in each[0]):
                print(measure_page(row, who, server, wanted.rounds), flush=True)
            browser.close()
    finally:
        server.end()


def measure_page(row: Any, who: dict[str, Any], server: ScaleServer, rounds: int) -> str:
    """Measure one page of a large project and return its row of the table."""
    name, whose, path, ready, actions = row
    usable, loads, elements = [], [], 0
    changes: dict[str, list[float]] = {what: [] for what, *_ in actions}
    costs: dict[str, list[tuple[float, float]]] = {what: [] for what, *_ in actions}
    for _ in range(rounds):
        page = who[whose].new_page()
        processor = Processor(page, server)
        page.goto(path)
        usable.append(page.wait_for_function(DRAWN, arg=ready, polling=5).json_value())
        page.wait_for_load_state("networkidle")
        loads.append(processor.spent())
        elements = page.evaluate("document.querySelectorAll('*').length")
        for action in actions:
            processor.spent()
            act_on(page, [action], changes)
            costs[action[0]].append(processor.spent())
        page.close()
    acted = "; ".join(f"{what} {spell(took)}; {spell_pair(costs[what])}" for what, took in changes.items())
    return f"| {name} | {spell(usable)} | {spell_pair(loads)} | {elements:,} | {acted} |"


class Processor:
    """Processor time of the main thread of a page and of the server; it does not depend on what else the machine does."""

    def __init__(self, page: Any, server: ScaleServer) -> None:
        self._server, self._session = server, page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._before = self._now()

    def _now(self) -> tuple[float, float]:
        listed = self._session.send("Performance.getMetrics")["metrics"]
        page = next(each["value"] for each in listed if each["name"] == "TaskDuration")
        return 1000 * page, 1000 * self._server.processor_seconds()

    def spent(self) -> tuple[float, float]:
        """Return the milliseconds since the last call: of the page, and of the server."""
        before, self._before = self._before, self._now()
        # a new page may get a new process, whose time begins at 0
        page = self._before[0] - before[0] if self._before[0] >= before[0] else self._before[0]
        return page, self._before[1] - before[1]


def heading(rounds: int) -> str:
    load = os.getloadavg()[0]
    return f"{rounds} rounds, load average {load:.1f} on {os.cpu_count()} cores; milliseconds, best (median)"


def act_on(page: Any, actions: list[Any], changes: dict[str, list[float]]) -> None:
    for what, act, place, event in actions:
        page.evaluate(CHANGE, [place, event])
        act(page)
        changes[what].append(page.evaluate("window.changed"))
        page.wait_for_load_state("networkidle")


def measure(bench: PopulatedWorkbench, browser: Any, rounds: int) -> None:
    print(f"{heading(rounds)}\n")
    print("| page | first paint | all drawn | from a key to its change |\n|---|---|---|---|")
    for view in bench.views:
        paints, drawn, changes = [], [], {what: [] for what, *_ in ACTIONS.get(view.name, [])}
        for _ in range(rounds):
            page = bench.open(browser, view.who, viewport={"width": 1440, "height": 900})
            page.goto(bench.server.address + view.path)
            drawn.append(page.wait_for_function(DRAWN, arg=view.ready).json_value())
            page.wait_for_timeout(300)  # the paint entry is recorded slightly after the paint
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"))
            page.wait_for_load_state("networkidle")
            act_on(page, ACTIONS.get(view.name, []), changes)
            page.context.close()
        acted = "; ".join(f"{what} {spell(took)}" for what, took in changes.items())
        print(f"| {view.name} | {spell(paints)} | {spell(drawn)} | {acted} |", flush=True)


def spell_pair(costs: list[tuple[float, float]]) -> str:
    """Return the smallest times of the page and of the server."""
    return f"{min(page for page, _ in costs):.0f}, {min(server for _, server in costs):.0f}"


def spell(took: list[float]) -> str:
    return f"{min(took):.0f} ({statistics.median(took):.0f})"


if __name__ == "__main__":
    main()
