"""Send generated requests to every operation of the API and compare the answers with its description.

    python packages/caesura-workbench/tests/fuzz_api.py [--examples 30] [--as mira] [--postgres]

Schemathesis draws valid and invalid requests from ``/openapi.json``. Of every answer it is checked that it is no server error, that its status, type, headers and
content are described, and that invalid requests are refused. Prints the numbers of operations, requests and failures, and each kind of failure once. The status is 1
if there are failures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "caesura" / "tests")]

from caesura_workbench.settings import Limits, Settings
from postgres_server import postgres_url
from web_people import PASSWORD, SampleWorkbench, bench, sign_in, use_fast_passwords

#: Operations that wait, or that start jobs which nobody fetches; fewer requests of each are enough.
_FEW = ("/jobs/", "/changes")


@dataclass
class Found:
    """What a run found: failures by operation and check, with the message of the first."""

    operations: int = 0
    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: dict[tuple[str, str], str] = field(default_factory=dict)


class Known:
    """Ids of what there is, for the paths of requests; whatever an operation deleted is made again."""

    def __init__(self, campaign: SampleWorkbench, client: Any) -> None:
        self._mira, self._client, self._turn = campaign["mira"], client, 0
        self._campaign = campaign
        self.ids: dict[str, list[int]] = {}

    def refresh(self) -> None:
        """Look what there is now."""
        client, mira = self._client, self._mira
        listed = client.get("/api/projects").json()
        if not any(row["items"] > 4 for row in listed) and client is mira:
            made = mira.post("/api/projects", json={"name": f"samples {uuid4()}", "samples": True}).json()
            listed = [made, *listed]
        projects = [row["id"] for row in listed][:3]
        items = [item for project in projects for item in self._items(project)]
        pages = [client.get(f"/api/items/{item['id']}").json() for item in items[:8]]
        annotations = [each["id"] for page in pages for each in page.get("annotations", ())]
        self.ids = {
            "project": projects,
            "item": [item["id"] for item in items],
            "annotation": annotations,
            "person": [n for name, n in self._campaign.numbers.items() if name != "mira"],
            "job": [row["id"] for row in client.get("/api/jobs").json()],
            "token": [row["id"] for row in client.get("/api/me/tokens").json()],
            "revision": [row["id"] for row in client.get(f"/api/annotations/{annotations[0]}/history").json()]
            if annotations
            else [],
            "merge": [row["id"] for p in projects for row in self._merges(p)],
        }

    def _items(self, project: int) -> list[dict[str, Any]]:
        answer = self._client.get(f"/api/projects/{project}/items")
        return answer.json()["items"][:8] if answer.status_code == 200 else []

    def _merges(self, project: int) -> list[dict[str, Any]]:
        answer = self._client.get(f"/api/projects/{project}/merges")
        return answer.json() if answer.status_code == 200 else []

    def put_into(self, case: Any, *, negative: bool) -> None:
        """Replace ids in the path and the body of a request that is not to have invalid ones there."""
        from schemathesis.core.parameters import ParameterLocation

        self._turn += 1
        part = case.meta.components.get(ParameterLocation.PATH)
        if not (negative and part is not None and part.mode.is_negative):
            for name in case.path_parameters or ():
                sort = {"projects": "project", "items": "item", "annotations": "annotation"}
                known = self.ids.get(sort.get(str(case.path_parameters.get("sort")), "") if name == "number" else name)
                if known:
                    case.path_parameters[name] = known[self._turn % len(known)]
        if negative or not isinstance(case.body, dict):
            return
        number = (case.path_parameters or {}).get("annotation")
        if "operation" in case.body or set(case.body) <= {"version", "request", "author"}:
            state = self._client.get(f"/api/annotations/{number}").json() if number else {}
            case.body["version"] = state.get("version", case.body.get("version"))
        if isinstance(case.body.get("annotations"), list) and "item" in (case.path_parameters or {}):
            page = self._client.get(f"/api/items/{case.path_parameters['item']}").json()
            own = [each["id"] for each in page.get("annotations", ())][:3]
            case.body["annotations"] = own if len(own) > 1 else case.body["annotations"]
        if "person" in case.body and self.ids["person"]:
            case.body["person"] = self.ids["person"][0]


class Fuzzer:
    """Sends generated requests as one person and collects what it finds."""

    def __init__(self, campaign: SampleWorkbench, name: str, examples: int, *, negative: bool) -> None:
        self._client, self._name, self._examples, self._negative = campaign[name], name, examples, negative
        self._known = Known(campaign, self._client)
        self._checks = _checks(negative)
        self.found = Found()

    def headers(self) -> dict[str, str]:
        """Return the headers of a signed-in person; one who made themselves a new link has to sign in again."""
        client = self._client
        if client.get("/api/me").status_code == 401:
            client.cookies.clear()
            assert sign_in(client, name=self._name, password=PASSWORD) == 204
        return {
            "Host": client.base_url.netloc.decode(),
            "Cookie": f"caesura-session={client.cookies['caesura-session']}",
            "X-CSRF-Token": client.headers["X-CSRF-Token"],
        }

    def try_operation(self, operation: Any) -> None:
        """Send valid and invalid requests to one operation."""
        from schemathesis import GenerationMode

        self.found.operations += 1
        if self.found.operations == 1 or operation.method == "delete":
            self._known.refresh()
        for mode in (GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if self._negative else [])):
            self._try_mode(operation, mode, self.headers())

    def _try_mode(self, operation: Any, mode: Any, headers: dict[str, str]) -> None:
        from hypothesis import HealthCheck, given
        from hypothesis import settings as limits
        from hypothesis.errors import Unsatisfiable

        @given(case=operation.as_strategy(generation_mode=mode))
        @limits(
            max_examples=min(3, self._examples) if any(part in operation.path for part in _FEW) else self._examples,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        def try_one(case: Any) -> None:
            self._known.put_into(case, negative=mode.is_negative)
            self._check(case, case.call(headers=headers))

        with suppress(Unsatisfiable):  # such as an invalid request for an operation without parameters
            try_one()

    def _check(self, case: Any, answer: Any) -> None:
        from schemathesis.core.failures import Failure, FailureGroup

        found = self.found
        found.requests += 1
        found.statuses[answer.status_code] += 1
        try:
            case.validate_response(answer, checks=self._checks)
        except (Failure, FailureGroup) as error:
            for each in getattr(error, "exceptions", [error]):
                key = (f"{case.method} {case.path}", type(each).__name__)
                found.failures[key] += 1
                told = f"{each.title}: {str(each.message)[:300]}; {answer.status_code} {answer.text[:200]}"
                found.messages.setdefault(key, told)


def fuzz(campaign: SampleWorkbench, name: str, examples: int, *, negative: bool = True) -> Found:
    """Send ``examples`` valid requests, and as many invalid ones, to every operation as one person."""
    schemathesis = pytest.importorskip("schemathesis", reason="fuzzing the API needs schemathesis")
    fuzzer = Fuzzer(campaign, name, examples, negative=negative)
    schema = schemathesis.openapi.from_asgi("/openapi.json", campaign.app, headers=fuzzer.headers())
    operations = [each.ok() for each in schema.get_all_operations()]
    for operation in sorted(operations, key=lambda each: each.method == "delete"):  # what deletes comes last
        fuzzer.try_operation(operation)
    return fuzzer.found


def _checks(negative: bool) -> list[Any]:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    described = [
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    ]
    return [not_a_server_error, *described, *([checks.negative_data_rejection] if negative else [])]


@contextmanager
def sample_bench(folder: Path, database: str = "") -> Iterator[SampleWorkbench]:
    """Create a workbench with a manager, an annotator who has begun, and a short password hash; in SQLite, or in an empty database."""
    with pytest.MonkeyPatch.context() as patch:
        use_fast_passwords(patch)
        settings = Settings(database=database or str(folder / "bench.sqlite"), limits=Limits(upload_bytes=5_000_000))
        with bench(settings, {"ann": "annotator"}) as campaign:
            campaign["mira"].post(f"/api/projects/{campaign.project}/assignments", json={})
            campaign["ann"].post(f"/api/items/{campaign.items[0]}/annotations", json={"empty": True})
            yield campaign


def main() -> int:
    """Fuzz as manager and as annotator, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--examples", type=int, default=30)
    parser.add_argument("--as", dest="people", action="append")
    parser.add_argument(
        "--postgres", action="store_true", help="the database is PostgreSQL's, of CAESURA_POSTGRES or started here"
    )
    given = parser.parse_args()
    failures = 0
    for name in given.people or ("mira", "ann"):
        with (
            tempfile.TemporaryDirectory() as folder,
            postgres_url() if given.postgres else nullcontext("") as database,
            sample_bench(Path(folder), database) as campaign,
        ):
            found = fuzz(campaign, name, given.examples)
        print(
            f"{name}: {found.operations} operations, {found.requests:,} requests, {sum(found.failures.values()):,} failures "
            f"of {len(found.failures)} kinds; statuses {dict(sorted(found.statuses.items()))}"
        )
        for key, many in found.failures.most_common():
            print(f"  {many:5} {key[0]}: {key[1]}: {found.messages[key]}")
        failures += len(found.failures)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
