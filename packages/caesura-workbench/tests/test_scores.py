"""One comparison: Python, the command line and the server give the same JSON for the same data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

import caesura as cs
from caesura.cli.main import program

UNITS = ["so", "twice", "five", "miles", "of", "fertile", "ground", "with", "walls", "and", "towers"]

CASES = {
    "masses": ([2, 3, 6], [5, 6]),
    "equal": ([2, 3, 6], [2, 3, 6]),
    "without boundaries": ([11], [11]),
    "types": (
        cs.Segmentation.from_positions([(2, "scene"), (5, "act")], length=11),
        cs.Segmentation.from_positions([(2, "act"), (6, "act")], length=11),
    ),
}


def corpora(reference: object, hypothesis: object) -> tuple[cs.Corpus, cs.Corpus]:
    sides = []
    for coder, marks in (("ann", reference), ("ben", hypothesis)):
        flat = marks if isinstance(marks, cs.Segmentation) else cs.Segmentation.from_masses(marks)
        with_text = cs.Segmentation(flat.length, flat.positions, flat.types, flat.labels, units=tuple(UNITS))
        sides.append(cs.Corpus.from_annotations([("kubla", coder, with_text)]))
    return sides[0], sides[1]


def from_command_line(files: list[Path], *words: str) -> dict:
    done = CliRunner().invoke(program, ["compare", *map(str, files), "--json", *words])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_python_command_line_and_server_give_equal_json(client: TestClient, tmp_path: Path, case: str) -> None:
    sides = corpora(*CASES[case])
    files = [tmp_path / "ann.json", tmp_path / "ben.json"]
    for side, file in zip(sides, files, strict=True):
        cs.write(side, file)
    project = client.post("/api/projects", json={"name": case}).json()["id"]
    for file in files:
        sent = client.post(f"/api/projects/{project}/files", files=[("files", (file.name, file.read_bytes()))])
        assert sent.status_code == 201, sent.text
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    ids = {a["coder"]: a["id"] for a in client.get(f"/api/items/{item}").json()["annotations"]}

    def from_server(**more: object) -> dict:
        wanted = {"annotations": [ids["ann"], ids["ben"]], **more}
        (only,) = client.post(f"/api/items/{item}/compare", json=wanted).json()["comparisons"]
        return only

    assert cs.compare(*sides).as_dict() == from_command_line(files) == from_server()
    chosen = ["B:n_t=3", "WD", "F"]
    words = [word for name in chosen for word in ("-m", name)]
    assert cs.compare(*sides, chosen).as_dict() == from_command_line(files, *words) == from_server(metrics=chosen)
    assert cs.compare(*sides).as_dict(["edits", "confusion"]) == from_command_line(files, "--edits", "--confusion")
