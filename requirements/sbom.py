"""Write the bill of materials of the pinned requirements: name, version, licence and hashes of every package, without addresses.

The licences come from the metadata of the installed packages, so run it in the environment of ``make test``. A package that is pinned for other systems only is listed
without a licence. The output is CycloneDX 1.6; ``tests/test_licences.py`` compares it with the pins and refuses licences that we do not accept.

Run: python requirements/sbom.py > requirements/sbom.json
"""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: Licences that the metadata of a package does not give; read in its source distribution.
UNSTATED = {"axe-playwright-python": "MIT", "pympi-ling": "MIT"}
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)(.*?)(?=^[A-Za-z0-9]|\Z)", re.M | re.S)


def pins() -> dict[tuple[str, str], list[str]]:
    """Return the hashes by name and version of every pinned package."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in ("demo.txt", "dev.txt"):
        for name, version, rest in _PIN.findall((HERE / file).read_text()):
            found[name, version] = re.findall(r"sha256:([0-9a-f]{64})", rest)
    return found


def licence(name: str) -> str | None:
    """Return the licence of an installed package, None if the package is not installed."""
    try:
        about: PackageMetadata = metadata(name)
    except PackageNotFoundError:
        return None
    if "License-Expression" in about:
        return str(about["License-Expression"])
    classified = [
        line.split("::")[-1].strip() for line in about.get_all("Classifier", []) if line.startswith("License ::")
    ]
    listed = [each for each in classified if each != "OSI Approved"]
    stated = str(about.get("License", "")).split("\n")[0].strip()
    return " AND ".join(listed) or stated or UNSTATED.get(name)


def bill() -> dict[str, Any]:
    """Return the bill of materials."""
    components = []
    for (name, version), hashes in sorted(pins().items()):
        entry: dict[str, Any] = {
            "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
            "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
        }  # fmt: skip
        if (known := licence(name)) is not None:
            entry["licenses"] = [{"license": {"name": known}}]
        components.append(entry)
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}


if __name__ == "__main__":
    print(json.dumps(bill(), indent=1))
