"""A client of the workbench for programs: create projects, upload files, assign items, wait until they are done, and export.

>>> from caesura_workbench.client import Workbench
>>> bench = Workbench("http://127.0.0.1:8642", "caesura_…")  # doctest: +SKIP
>>> project = bench.create_project("Interviews")  # doctest: +SKIP
>>> project.upload(["talk1.txt", "talk2.txt"], unit="sentence")  # doctest: +SKIP
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from os.path import commonpath
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from caesura.errors import CaesuraError
from caesura.files import atomic_write
from caesura.text import pluralize

_FILES_AT_ONCE = 500
_BYTES_AT_ONCE = 15 * 2**20  # below the server's limit for one request
#: Statuses of a server, or of the proxy before it, that is restarted or has too much to do; 0: it cannot be reached.
_PASSING = (0, 429, 502, 503, 504)
#: Seconds for which loops that wait for changes keep asking such a server.
_PATIENCE = 600.0


class WorkbenchError(CaesuraError):
    """The server refused a request; ``status`` is its HTTP status."""

    def __init__(self, message: str, status: int = 0) -> None:
        self.status = status
        super().__init__(message)


class Workbench:
    """A workbench server.

    Parameters
    ----------
    url : str
        Its address, such as ``"http://127.0.0.1:8642"``.
    token : str, default None
        A token of a person (page *Account*), or the server's own; None for a server on this machine without accounts.
    timeout : float, default 120.0
        Seconds to wait for an answer.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 120.0) -> None:
        self.url, self._token, self._timeout = url.rstrip("/"), token, timeout

    def projects(self) -> list[Project]:
        """Return the projects that the owner of the token sees."""
        return [Project(self, row["id"], row["name"]) for row in self.request("GET", "/api/projects")]

    def project(self, name: str) -> Project:
        """Return the project of this name.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        Project

        Raises
        ------
        WorkbenchError
            If there is none.
        """
        known = {each.name: each for each in self.projects()}
        if name not in known:
            raise WorkbenchError(f"there is no project {name!r}; there are: {', '.join(known) or 'none'}.", 404)
        return known[name]

    def create_project(self, name: str, schema: Mapping[str, Any] | None = None) -> Project:
        """Create a project.

        Parameters
        ----------
        name : str
            Its name.
        schema : mapping, default None
            What is marked and with which labels; see `Project.schema`. None leaves it open.
        """
        made = self.request("POST", "/api/projects", {"name": name})
        project = Project(self, made["id"], made["name"])
        if schema is not None:
            try:
                project.set_schema(schema)
            except WorkbenchError:
                self.request("DELETE", f"/api/projects/{project.id}", forever=True)
                raise
        return project

    def request(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Send a request and return the answer as Python data, or as bytes if it is not JSON.

        Parameters
        ----------
        method, path : str
            As in the description of the API, ``/openapi.json``.
        body : Any, default None
            Sent as JSON.
        **query
            Parameters of the address; None leaves one out.
        """
        data = None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"Content-Type": "application/json"}
        return self._send(method, path, data, kind, query)

    def upload(self, path: str, files: Iterable[tuple[str, bytes]], fields: Mapping[str, Any]) -> Any:
        """Send files as a form and return the answer.

        Parameters
        ----------
        path : str
            The address, as in the description of the API.
        files : iterable of (str, bytes)
            Names and contents of the files.
        fields : mapping of str to Any
            The other fields of the form; None leaves one out.

        Returns
        -------
        Any
            The answer as Python data, or as bytes if it is not JSON.
        """
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{_field(value)}\r\n'.encode()
            for name, value in fields.items()
            if value is not None
        ]
        for name, content in files:
            safe = name.replace('"', "%22").replace("\r", "").replace("\n", "")
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{safe}"\r\n\r\n'
            parts += [head.encode(), content, b"\r\n"]
        data = b"".join([*parts, f"--{boundary}--\r\n".encode()])
        return self._send("POST", path, data, {"Content-Type": f"multipart/form-data; boundary={boundary}"}, {})

    def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], query: Mapping[str, Any]
    ) -> Any:
        given = {name: _field(value) for name, value in query.items() if value is not None}
        address = f"{self.url}{quote(path)}" + (f"?{urlencode(given, doseq=True)}" if given else "")
        if self._token is not None:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        elif method != "GET":
            # asked for each time, because a server without accounts changes it when it starts
            headers = {**headers, "X-CSRF-Token": self.request("GET", "/api/session")["csrf"]}
        try:
            request = urllib.request.Request(address, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                content = answer.read()
                is_json = answer.headers.get_content_type() == "application/json" and "attachment" not in (
                    answer.headers.get("Content-Disposition") or ""
                )
        except urllib.error.HTTPError as error:
            raise WorkbenchError(_message(error), error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: no address
            raise WorkbenchError(f"cannot reach {self.url}: {getattr(error, 'reason', error)}.") from None
        if not content:
            return None
        return json.loads(content) if is_json else content


def _field(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered with status {error.code}."


@dataclass(frozen=True)
class Project:
    """A project of a workbench."""

    bench: Workbench
    id: int
    name: str

    def _request(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        return self.bench.request(method, f"/api/projects/{self.id}{path}", body, **query)

    def schema(self) -> dict[str, Any]:
        """Return the present version of the schema: ``version`` and ``schema``."""
        return dict(self._request("GET", "/schema"))

    def set_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Change parts of the schema, such as ``{"labels": [{"name": "Person", "key": "1"}], "open_labels": False}``."""
        known = self.schema()
        body = {"version": known["version"], "schema": {**known["schema"], **schema}}
        return dict(self._request("PUT", "/schema", body))

    def upload(
        self, files: Iterable[str | PathLike[str]], *, wait: float = 600.0, **fields: Any
    ) -> list[dict[str, Any]]:
        """Import files, in parts that the server accepts, and return the result of every part.

        A warning names files that could not be imported, which are also the ``faults`` of the results; if that are all files of a part, it is an error.

        Parameters
        ----------
        files : iterable of paths
            Texts, annotations or zips.
        wait : float, default 600.0
            Seconds to wait for each part.
        **fields
            As in the API: ``unit="sentence"`` for raw texts (``kind="spans"`` or ``"nested"`` where they are to be annotated otherwise than the
            schema says), ``unmarked="sentence"`` for raw texts beside annotations, ``format=``, ``coder=``, ``coder_from=`` and so on.
        """
        address = f"/api/projects/{self.id}/jobs/import"
        results = [
            self.wait_for(self.bench.upload(address, part, fields), wait)["result"]
            for part in _in_parts([Path(file) for file in files])
        ]
        faults = [fault["error"] for result in results for fault in result["faults"]]
        if faults:
            more = f" And {len(faults) - 3:,} more." if len(faults) > 3 else ""
            said = f"{pluralize(len(faults), 'file')} could not be imported: {' '.join(faults[:3])}{more}"
            warnings.warn(said, stacklevel=2)
        return results

    def add_person(self, name: str, role: str = "annotator") -> dict[str, Any]:
        """Add somebody to the project; return their id and, for a new account, the personal link to send them."""
        added = dict(self._request("POST", "/people", {"name": name, "role": role}))
        return added if added["link"] is None else {**added, "link": f"{self.bench.url}{added['link']}"}

    def assign(self, per_item: int | None = None) -> int:
        """Assign every item to all annotators, or to ``per_item`` of them; return the number of items."""
        return int(self._request("POST", "/assignments", {"per_item": per_item})["items"])

    def items(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield all items; ``q``, ``state`` and ``person`` select some."""
        after = None
        while True:
            part = self._request("GET", "/items", limit=200, after=after, **query)
            yield from part["items"]
            after = part["next"]
            if after is None:
                return

    def counts(self) -> dict[str, Any]:
        """Return the numbers of items, annotations and tasks in each state."""
        return dict(self._request("GET", "/counts"))

    def changes(self, after: int = 0, wait: float = 0.0) -> Iterator[dict[str, Any]]:
        """Yield the changes after one that was seen, oldest first.

        Parameters
        ----------
        after : int, default 0
            The ``id`` of the last change that was seen.
        wait : float, default 0.0
            Above 0: go on without end, with requests that wait up to so many seconds for a change, also while the server is restarted.
        """
        ask = self._ask_again if wait else self._request
        while True:
            # the answer must come before the time that requests have
            part = ask("GET", "/changes", after=after, wait=min(wait, 25.0, self.bench._timeout / 2))
            yield from part["changes"]
            after = part["last"]
            if not part["changes"] and not wait:
                return

    def _ask_again(self, method: str, path: str, **query: Any) -> Any:
        """Send a request, for some minutes also to a server that cannot answer at present."""
        until, pause = time.monotonic() + _PATIENCE, 0.5
        while True:
            try:
                return self._request(method, path, **query)
            except WorkbenchError as error:
                if error.status not in _PASSING or time.monotonic() > until:
                    raise
            time.sleep(pause)
            pause = min(10.0, pause * 2)

    def wait_until_done(self, timeout: float = 3600.0) -> dict[str, Any]:
        """Wait until every assigned item is done, and return the counts; a server that is restarted meanwhile is asked again.

        Raises
        ------
        WorkbenchError
            If nothing is assigned, or if it takes longer than ``timeout`` seconds.
        """
        until = time.monotonic() + timeout
        while True:
            counts = dict(self._ask_again("GET", "/counts"))
            tasks = counts["tasks"]
            todo = tasks["open"] + tasks["begun"] + tasks["discuss"]
            if not todo and not tasks["done"]:
                raise WorkbenchError(f"nothing is assigned in the project {self.name!r}; call assign() first.")
            if not todo:
                return counts
            left = until - time.monotonic()
            if left <= 0:
                raise WorkbenchError(f"{todo} of the assigned items are not done after {timeout:g} s.")
            self._ask_again("GET", "/changes", after=counts["last"], wait=min(left, 25.0, self.bench._timeout / 2))

    def agreement(self, **query: Any) -> dict[str, Any]:
        """Return the agreement among the annotators; ``metric``, ``sort`` and ``coefficient`` as in the API."""
        return dict(self._request("GET", "/agreement", **query))

    def export(
        self, path: str | PathLike[str], format: str = "caesura-json", *, wait: float = 600.0, **fields: Any
    ) -> Path:
        """Write an export to a file and return its path.

        Parameters
        ----------
        path : path
            The file.
        format : str, default "caesura-json"
            See `formats`.
        wait : float, default 600.0
            Seconds to wait.
        **fields
            ``lossy``, ``coder``, ``role``, ``sort``, ``files`` ("one", "items" or "tiers").
        """
        job = self._request("POST", "/jobs/export", {"format": format, **fields})
        done = self.wait_for(job, wait)
        target = Path(path)
        atomic_write(target, self.bench._send("GET", done["file"], None, {}, {}))
        return target

    def formats(self, **query: Any) -> list[dict[str, Any]]:
        """Return the formats that can hold the annotations, with what each loses."""
        return list(self._request("GET", "/export/formats", **query))

    def wait_for(self, job: Mapping[str, Any], timeout: float = 600.0) -> dict[str, Any]:
        """Wait for a job in the background and return it.

        Raises
        ------
        WorkbenchError
            If it fails, is cancelled, or takes longer than ``timeout`` seconds.
        """
        until, pause = time.monotonic() + timeout, 0.05
        while True:
            now = dict(self.bench.request("GET", f"/api/jobs/{job['id']}"))
            if now["state"] == "done":
                return now
            if now["state"] in ("failed", "cancelled"):
                raise WorkbenchError(now["error"] or f"the {now['what']} was {now['state']}.")
            if time.monotonic() > until:
                raise WorkbenchError(
                    f"the {now['what']} takes longer than {timeout:g} s; it goes on as job {now['id']}."
                )
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)


def _in_parts(paths: list[Path]) -> Iterator[list[tuple[str, bytes]]]:
    """Divide files into parts that fit into one request; files of the same name are sent with the folders that they are in."""
    many = Counter(path.name for path in paths)
    folder = commonpath([path.absolute().parent for path in paths]) if paths else ""
    part: list[tuple[str, bytes]] = []
    size = 0
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise WorkbenchError(f"{path}: {error.strerror or error}.") from None
        if part and (len(part) >= _FILES_AT_ONCE or size + len(content) > _BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append((path.name if many[path.name] == 1 else path.absolute().relative_to(folder).as_posix(), content))
        size += len(content)
    if part:
        yield part
