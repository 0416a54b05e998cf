"""The pinned packages have licences that we accept, and the bill of materials lists all of them."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "requirements"
SBOM = runpy.run_path(str(FOLDER / "sbom.py"))

ACCEPTED = re.compile(
    r"\b(MIT|MIT-0|MIT-CMU|ISC|0BSD|BSD|BSD-[23]-Clause|Apache|Apache-2\.0|PSF-2\.0|Python Software Foundation|"
    r"MPL|MPL-2\.0|Mozilla Public|Zlib|CC0-1\.0|Unlicense|CC-BY-4\.0)\b"
)
#: Tests and an optional extra load it as a library of its own, as its licence allows.
EXCEPTIONS = {"psycopg": "LGPL-3.0-only", "psycopg-binary": "LGPL-3.0-only"}


@pytest.mark.parametrize("name", sorted({name for name, _ in SBOM["pins"]()}))
def test_licences_are_accepted(name: str) -> None:
    known = SBOM["licence"](name)
    if known is None:
        pytest.skip(f"{name} is pinned for other systems")
    if name in EXCEPTIONS:
        assert known == EXCEPTIONS[name]
    else:
        assert ACCEPTED.search(known), f"{name}: {known!r} is not an accepted licence"
        assert not re.search(r"\bA?GPL|GNU", known), f"{name}: {known!r}"


def test_the_bill_of_materials_lists_every_pin() -> None:
    stored = json.loads((FOLDER / "sbom.json").read_text())
    assert {(each["name"], each["version"]) for each in stored["components"]} == set(SBOM["pins"]()), "run make sbom"
    assert all(each["hashes"] for each in stored["components"])
    assert "://" not in (FOLDER / "sbom.json").read_text()
