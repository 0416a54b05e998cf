"""A client of the workbench: create a project, add two coders, compare and adjudicate.

Start the server first (``caesura serve``), then: python examples/workbench_client.py [ADDRESS]
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.request import Request, urlopen

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8642"


def call(method: str, path: str, body: Any = None, csrf: str = "") -> Any:
    """Send one request with a JSON body and return the JSON response."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "X-CSRF-Token": csrf}
    with urlopen(Request(ADDRESS + path, data, headers, method=method)) as response:
        return json.load(response)


csrf = call("GET", "/api/session")["csrf"]
name = f"example {len(call('GET', '/api/projects')) + 1}"
project = call("POST", "/api/projects", {"name": name}, csrf)["id"]
for coder, text in (
    ("ann", "so twice | five miles of fertile ground"),
    ("ben", "so twice five | miles of fertile ground"),
):
    call("POST", f"/api/projects/{project}/text", {"item": "kubla", "coder": coder, "text": text}, csrf)

item = call("GET", f"/api/projects/{project}")["items"][0]["id"]
coded = [a["id"] for a in call("GET", f"/api/items/{item}")["annotations"]]
answer = call("POST", f"/api/items/{item}/compare", {"annotations": coded, "metrics": ["B", "WD", "A"]}, csrf)
for metric, score in answer["comparisons"][0]["metrics"].items():
    print(f"{metric:4} {score['micro']:.4f}   {score['signature']}")

gold = call("POST", f"/api/items/{item}/annotations", {"coder": "gold", "copy_of": coded[0]}, csrf)
change = {"version": gold["version"], "operation": {"kind": "move", "position": 2, "to": 3}}
print("moved:", call("PATCH", f"/api/annotations/{gold['id']}", change, csrf)["marks"]["positions"])
print(f"open in the browser: {ADDRESS}/items/{item}")
