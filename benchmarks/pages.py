"""Time every page of the workbench in Chromium: first paint, complete drawing, and the delay between a key and its effect.

    python benchmarks/pages.py [--rounds 5] [--words 20000]

Server and browser share the machine; every round starts with an empty cache. benchmarks/browser.py measures recordings.
"""

from __future__ import annotations

import argparse
import os
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


#: View -> (action, function, element that changes, event).
ACTIONS: dict[str, list[tuple[str, Callable[[Any], None], str, str]]] = {
    "project, items": [("the next tab", press("ArrowRight", "#tab-items"), "#add", "keydown")],
    "text": [
        ("set a boundary", press("Space", ".gap[data-at='5']"), "#text", "keydown"),
        ("undo it", press("u"), "#text", "keydown"),
        ("go to the next dispute", press("n"), "#voters", "keydown"),
        ("scores for another n_t", lambda page: page.locator("[name=n_t]").fill("3"), "#scores tbody", "input"),
    ],
    "typed text": [("set a boundary", press("Space", ".gap[data-at='3']"), "#text", "keydown")],
    "nested": [("add a segment", press("Space", ".line:nth-of-type(6)"), "#nest", "keydown")],
    "spans": [("add a span", press("1", "#spans"), "#spans", "keydown")],
    "long text": [
        ("set a boundary", press("Space", ".gap[data-at='9']"), "#text", "keydown"),
        ("go to the next dispute", press("n"), "#voters", "keydown"),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--words", type=int, default=20_000)
    wanted = parser.parse_args()
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


def measure(bench: PopulatedWorkbench, browser: Any, rounds: int) -> None:
    print(
        f"{rounds} rounds, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds, best (median)\n"
    )
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
            for what, act, place, event in ACTIONS.get(view.name, []):
                page.evaluate(CHANGE, [place, event])
                act(page)
                changes[what].append(page.evaluate("window.changed"))
                page.wait_for_load_state("networkidle")
            page.context.close()
        acted = "; ".join(f"{what} {spell(took)}" for what, took in changes.items())
        print(f"| {view.name} | {spell(paints)} | {spell(drawn)} | {acted} |", flush=True)


def spell(took: list[float]) -> str:
    return f"{min(took):.0f} ({statistics.median(took):.0f})"


if __name__ == "__main__":
    main()
