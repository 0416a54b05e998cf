"""The programs of the tutorial on pipelines run against a real server; two annotators work meanwhile."""

from __future__ import annotations

import ast
import re
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura_workbench.client import Workbench
from test_client import PASSWORD, Script, accounts  # noqa: F401  (a fixture)
from test_commands import sandbox
from web_server import Server

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "pipeline.md"


def test_tutorial_on_pipelines_runs(accounts: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(sandbox(PAGE, tmp_path))
    manager = Script(accounts.address, name="mira", password=PASSWORD)
    token = manager.post("/api/me/tokens", {"name": "pipeline", "scopes": ["read", "manage"]})["token"]
    bench = Workbench(accounts.address, token)
    printed: list[tuple[Any, ...]] = []
    scope: dict[str, Any] = {"print": lambda *words: printed.append(words), "last_seen": 0}
    first, second = re.findall(r"^```py\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for statement in ast.parse(first.replace('Workbench("http://127.0.0.1:8642", token="caesura_…")', "bench")).body:
        code = ast.unparse(statement)
        scope.setdefault("bench", bench)
        if "wait_until_done" in code:
            links = [str(link) for _, link in printed]
            threading.Thread(target=partial(annotate, accounts.address, links, scope["project"])).start()
        exec(code, scope)
    assert [name for name, _ in printed[:2]] == ["Ada", "Ben"]
    assert cs.read("interviews.json").coders == ("Ada", "Ben")
    printed.clear()
    exec(second.replace("wait=25", "wait=0"), scope)
    assert {words[0] for words in printed} == {"Ada", "Ben"}


def annotate(address: str, links: list[str], project: Any) -> None:
    """Mark one boundary in every text of everybody, and finish."""
    for link in links:
        person = Script(address, link=link.partition("#")[2])
        for item in project.items():
            made = person.post(f"/api/items/{item['id']}/annotations", {"empty": True})
            change = {"version": 1, "operation": {"kind": "add", "position": 3, "type": "Topic"}}
            person.send("PATCH", f"/api/annotations/{made['id']}", change)
            person.send("PUT", f"/api/items/{item['id']}/status", {"status": "done"})
