"""Time the workbench in a browser: how soon an item is visible, and the frame rate while scrolling and zooming.

    python benchmarks/browser.py [--hours 2] [--boundaries 5000] [--words 100000] [--runs 3]

The items are a synthesized recording with three coders and gold, and a text with as many boundaries. Chromium renders in software, at desktop and phone sizes. *Seen* is
the time from the start of the navigation until the visible boundaries (or waveform and spectrogram) are painted, *frames* counts those of three seconds of constant
movement, and *late* those of more than 25 ms. *Work* is the processor time of the page's main thread, which does not depend on other load: up to 16.7 ms
per frame allow 60 frames per second.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from sys import path
from typing import Any

import numpy as np

path.insert(0, str(Path(__file__).parents[1] / "packages/caesura/tests"))
path.insert(0, str(Path(__file__).parents[1] / "packages/caesura-workbench/tests"))

import caesura as cs
from chromium import launch
from web_server import Server

RATE = 16_000
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
#: The time of a performance mark, set after the frame that painted the content.
SEEN = "name => performance.getEntriesByName(name)[0]?.startTime"
#: Milliseconds of every frame; `act(n)` runs before each.
FRAMES = """([act, seconds]) => new Promise((done) => {
  const move = eval(act), took = [], begun = performance.now();
  let before = begun, n = 0;
  const tick = (now) => {
    took.push(now - before);
    before = now;
    if (now - begun > 1000 * seconds) return done(took.slice(2));
    move(n++);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})"""
TIMELINE = "document.getElementById('timeline')"
MOVES = {
    "time": {
        "scrolling, seconds in view": f"(n) => {{ {TIMELINE}.scrollLeft += 12; }}",
        "scrolling, minutes in view": f"(n) => {{ {TIMELINE}.scrollLeft += 12; }}",
        "zooming": "(n) => document.getElementById(Math.floor(n / 6) % 2 ? 'out' : 'in').click()",
    },
    "units": {"scrolling": "(n) => { document.getElementById('text').scrollTop += 12; }"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--boundaries", type=int, default=5_000)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            items = {"time": bring_recording(server, wanted, Path(folder)), "units": bring_text(server, wanted)}
            measure(server, items, wanted.runs)
        finally:
            server.kill()


def bring_recording(server: Server, wanted: argparse.Namespace, folder: Path) -> int:
    """Synthesize a voice-like recording with the boundaries and names of three coders."""
    seconds, chance = wanted.hours * 3600, np.random.default_rng(21)
    cuts = np.sort(chance.uniform(0.1, seconds - 0.1, wanted.boundaries))
    coded = []
    for coder in ("ann", "ben", "eve"):
        own = np.unique(np.round(cuts + chance.normal(0, 0.012, len(cuts)), 4))
        names = ["aeiou"[n % 5] for n in range(len(own) + 1)]
        coded.append(cs.Annotation("talk", coder, cs.Segmentation(seconds, own, names=names)))
    cs.write(cs.Corpus.from_annotations(coded), folder / "talk.json")
    synthesise(folder / "talk.wav", seconds, chance)
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "speech"}).json()["id"]
        begun, content = time.perf_counter(), (folder / "talk.wav").read_bytes()
        where = f"/api/projects/{project}"
        brought = client.post(f"{where}/recordings", params={"name": "talk.wav"}, content=content, timeout=600)
        brought.raise_for_status()
        print(
            f"{wanted.hours:g} hours of sound, {len(content) / 1e6:.0f} MB: {time.perf_counter() - begun:.1f} s to bring"
        )
        files = [("files", ("talk.json", (folder / "talk.json").read_bytes()))]
        client.post(f"{where}/files", files=files).raise_for_status()
        item = int(brought.json()["items"][0])
        client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).raise_for_status()
    return item


def synthesise(file: Path, seconds: float, chance: np.random.Generator) -> None:
    """Synthesize a pulsed hum of varying pitch with some noise."""
    import soundfile

    with soundfile.SoundFile(file, "w", RATE, 1) as sound:
        for begin in range(0, int(seconds * RATE), 2**20):
            at = np.arange(begin, min(begin + 2**20, int(seconds * RATE))) / RATE
            hum = np.sin(2 * np.pi * 120 * at + 40 * np.sin(at)) * np.abs(np.sin(3 * at))
            sound.write(0.4 * hum + chance.normal(0, 0.01, len(at)))


def bring_text(server: Server, wanted: argparse.Namespace) -> int:
    chance = np.random.default_rng(21)
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "novel"}).json()["id"]
        for coder in ("ann", "ben", "eve"):
            cuts = set(chance.choice(wanted.words - 1, wanted.boundaries, replace=False).tolist())
            words = " ".join(f"word{n % 977}" + (" |" if n in cuts else "") for n in range(wanted.words))
            client.post(
                f"/api/projects/{project}/text", json={"item": "novel", "coder": coder, "text": words}
            ).raise_for_status()
        item = int(client.get(f"/api/projects/{project}").json()["items"][0]["id"])
        client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).raise_for_status()
    return item


def measure(server: Server, items: dict[str, int], runs: int) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        for screen, look in SCREENS.items():
            for kind, item in items.items():
                seen: dict[str, list[float]] = {}
                for run in range(runs):
                    context = browser.new_context(base_url=server.address, **look)
                    page = context.new_page()
                    page.set_default_timeout(120_000)
                    meter = Meter(page)
                    page.goto(f"/items/{item}")
                    for mark in ["editor", "sound"] if kind == "time" else ["editor"]:
                        seen.setdefault(mark, []).append(page.wait_for_function(SEEN, arg=mark).json_value())
                        seen.setdefault(f"work until {mark}", []).append(meter.read())
                    page.wait_for_selector("#scores tbody tr", state="attached")
                    if run == runs - 1:
                        print(
                            f"{screen}, {kind}: "
                            + "; ".join(f"{what} {list_times(took)} ms" for what, took in seen.items())
                        )
                        measure_frames(page, meter, screen, kind)
                    context.close()
        browser.close()


class Meter:
    """The processor time of a page's main thread."""

    def __init__(self, page: Any) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read(self) -> float:
        """Return the milliseconds so far."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def measure_frames(page: Any, meter: Meter, screen: str, kind: str) -> None:
    page.wait_for_timeout(1000)
    for what, act in MOVES[kind].items():
        if "seconds in view" in what:
            page.evaluate(
                "() => { document.getElementById('whole').click(); for (let n = 0; n < 9; n++) document.getElementById('in').click(); }"
            )
        if "minutes in view" in what:
            page.evaluate("() => { for (let n = 0; n < 5; n++) document.getElementById('out').click(); }")
        page.wait_for_timeout(500)
        before = meter.read()
        took = page.evaluate(FRAMES, [act, 3])
        work = (meter.read() - before) / len(took)
        late = sum(frame > 25 for frame in took)
        print(
            f"{screen}, {kind}, {what}: {1000 * len(took) / sum(took):.0f} frames a second, half within {statistics.median(took):.1f} ms,"
            f" {late} of {len(took)} late, work {work:.1f} ms a frame"
        )


def list_times(took: list[float]) -> str:
    return " / ".join(f"{each:.0f}" for each in sorted(took))


if __name__ == "__main__":
    main()
