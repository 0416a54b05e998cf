"""Write the reference of the workbench's API while the site is built: a page per subject, from the description that the server gives at /openapi.json.

docs/workbench-api.md has ``<!-- operations -->`` where the list of all operations goes and ``<!-- statuses -->`` where the statuses go.
``python docs/api_pages.py items`` prints a page.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from generated_pages import add_to_navigation, add_to_site

OVERVIEW = "workbench-api.md"

#: The tags of the description, and the subject that each page is about.
SUBJECTS = {
    "session": "Session",
    "projects": "Projects",
    "items": "Items",
    "annotations": "Annotations",
    "names": "Names",
    "merges": "Merges",
    "lists": "Lists and changes",
    "schema": "Schema of a project",
    "campaign": "Assignments and progress",
    "people": "People and tokens",
    "files": "Files and jobs",
    "recordings": "Recordings",
    "statistics": "Agreement and disputes",
    "votes": "Votes of readers",
}


class Operation(NamedTuple):
    """One operation of the API."""

    method: str
    path: str
    about: dict[str, Any]

    @property
    def title(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def anchor(self) -> str:
        """The anchor on its page.

        >>> Operation("GET", "/api/items/{item}", {}).anchor
        'get-items-item'
        """
        return re.sub(r"[^a-z]+", "-", f"{self.method} {self.path.removeprefix('/api')}".lower()).strip("-")


@cache
def description() -> dict[str, Any]:
    """Return what the server gives at /openapi.json."""
    from caesura_workbench.app import create_app
    from caesura_workbench.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = create_app(Settings(database=f"{folder}/empty.sqlite")).openapi()
    return found


@cache
def operations(tag: str) -> list[Operation]:
    """Return the operations of a subject in the order of the description."""
    return [
        Operation(method.upper(), path, about)
        for path, methods in description()["paths"].items()
        for method, about in methods.items()
        if about["tags"][0] == tag
    ]


# ---------------------------------------------------------------------- hooks of mkdocs


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, below the overview."""
    pages = [{title: page_uri(tag)} for tag, title in SUBJECTS.items()]
    return add_to_navigation(config, OVERVIEW, pages)


def on_files(files: Any, *, config: Any) -> Any:
    """Add one generated page per subject."""
    return add_to_site(files, config, {page_uri(tag): page(tag) for tag in SUBJECTS})


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Fill in the overview."""
    if page.file.src_uri != OVERVIEW:
        return markdown
    return markdown.replace("<!-- operations -->", index()).replace("<!-- statuses -->", statuses())


# ---------------------------------------------------------------------- pages


def page_uri(tag: str) -> str:
    """Return the page of a subject.

    >>> page_uri("items")
    'workbench-api/items.md'
    """
    return f"workbench-api/{tag}.md"


def index() -> str:
    """Return a table per subject: every operation, linked, with the first sentence about it."""
    parts = []
    for tag, title in SUBJECTS.items():
        rows = [
            f"| [`{each.title}`]({page_uri(tag)}#{each.anchor}) | {_first_sentence(each)} |" for each in operations(tag)
        ]
        parts.append("\n".join([f"### {title}", "", "| operation | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _first_sentence(operation: Operation) -> str:
    return _words(re.split(r"(?<=\.)\s|\n\n", operation.about["description"])[0])


def statuses() -> str:
    """Return a table of the statuses that operations have in common."""
    found: dict[str, str] = {}
    for tag in SUBJECTS:
        for operation in operations(tag):
            for status, response in operation.about["responses"].items():
                if not status.startswith("2"):
                    found.setdefault(status, response["description"])
    rows = [f"| {status} | {_words(found[status])} |" for status in sorted(found)]
    return "\n".join(["| status | meaning |", "|---|---|", *rows])


def page(tag: str) -> str:
    """Return the page of a subject: its operations, then the schemas that they use."""
    parts = [
        f"# API: {SUBJECTS[tag][0].lower()}{SUBJECTS[tag][1:]}",
        f"Operations of the [workbench's API](../{OVERVIEW}) on this subject, from its description.",
    ]
    parts += [part for operation in operations(tag) for part in section(operation)]
    used = [name for name in sorted(_used(tag)) if fields(name)]
    if used:
        parts.append("## Schemas")
        parts += [
            part
            for name in used
            for part in (f"### {name}", _paragraphs(_schema(name).get("description", "")), fields(name))
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def section(operation: Operation) -> Iterator[str]:
    """Yield the heading of an operation, what it does, what it takes and what it returns."""
    yield f"## `{operation.title}` {{ #{operation.anchor} }}"
    yield _paragraphs(operation.about["description"])
    parameters = [each for each in operation.about.get("parameters", []) if each["in"] != "header"]
    if parameters:
        rows = [
            (f"`{each['name']}`", each["in"], _type(each["schema"]), _words(each.get("description", "")))
            for each in parameters
        ]
        yield _table(("parameter", "in", "type", "meaning"), rows)
    for kind, content in operation.about.get("requestBody", {}).get("content", {}).items():
        yield f"Body: {_type(content['schema'])}{_format(kind)}."
    for status, response in operation.about["responses"].items():
        if status.startswith("2"):
            contents = [f"{_type(each['schema'])}{_format(kind)}" for kind, each in response.get("content", {}).items()]
            yield f"Response {status}: {' or '.join(contents) or 'no content'}."


def _format(kind: str) -> str:
    """Name the media type in brackets, unless it is JSON."""
    return "" if kind == "application/json" else f" ({kind})"


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table; the last column is left out if all its cells are empty.

    >>> print(_table(("field", "meaning"), [("id", "")]))
    | field |
    |---|
    | id |
    """
    width = len(heads) - (not any(row[-1] for row in rows))
    first, *others = [f"| {' | '.join(row[:width])} |" for row in (heads, *rows)]
    return "\n".join([first, "|" + "---|" * width, *others])


def fields(name: str) -> str:
    """Return the table of a schema's fields, or an empty string if it has none of its own."""
    schema = _schema(name)
    if kinds := schema.get("oneOf") or schema.get("anyOf"):
        return f"One of {', '.join(_type(each) for each in kinds)}."
    needed = schema.get("required", [])
    rows = [
        (f"`{field}`" + ("" if field in needed else " (optional)"), _type(about), _words(about.get("description", "")))
        for field, about in schema.get("properties", {}).items()
    ]
    return _table(("field", "type", "meaning"), rows) if rows else ""


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = description()["components"]["schemas"][name]
    return found


def _used(tag: str) -> set[str]:
    """Return the names of all schemas that the operations of a subject use, also inside others."""
    waiting = [
        name
        for operation in operations(tag)
        for name in _references({k: v for k, v in operation.about.items() if k in ("requestBody", "parameters")})
    ]
    waiting += [
        name
        for operation in operations(tag)
        for status, response in operation.about["responses"].items()
        if status.startswith("2")
        for name in _references(response)
    ]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(_schema(name))
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            elif key != "discriminator":
                yield from _references(value)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def _type(schema: dict[str, Any]) -> str:
    """Describe a type in words, with its limits and default.

    >>> _type({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'integer from 1, or null'
    >>> _type({"type": "array", "items": {"type": "string"}})
    'list of string'
    """
    default = schema.get("default")
    after = f", default `{default}`" if default not in (None, "", [], {}) else ""
    return _bare_type(schema) + after


def _bare_type(schema: dict[str, Any]) -> str:
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if fields(name) else "object"
    if kinds := schema.get("anyOf") or schema.get("oneOf"):
        named = list(dict.fromkeys("null" if each.get("type") == "null" else _type(each) for each in kinds))
        return f"{named[0]}, or {named[1]}" if len(named) == 2 else ", ".join(named)
    if values := schema.get("enum"):
        return ", ".join(f"`{value}`" for value in values)
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "any value")
    if schema.get("format") == "binary":
        return "bytes"
    if kind == "array":
        return f"list of {_type(schema['items'])}" if schema.get("items") else "list"
    return f"{kind}{_limits(schema)}"


def _limits(schema: dict[str, Any]) -> str:
    """Describe a range that is narrower than that of an id.

    >>> _limits({"minimum": 1, "maximum": 50}), _limits({"maximum": 2147483647, "minimum": 1})
    (' from 1 to 50', ' from 1')
    """
    least, most = schema.get("minimum"), schema.get("maximum")
    start = f" from {least:g}" if least is not None else ""
    return start + (f" to {most:g}" if most is not None and most < 2**31 - 1 else "")


def _paragraphs(docstring: str) -> str:
    """Return a docstring as Markdown.

    >>> _paragraphs("Add files to\\na project.\\n\\nWith ``unit``, they are texts.")
    'Add files to a project.\\n\\nWith `unit`, they are texts.'
    """
    return "\n\n".join(_words(paragraph) for paragraph in docstring.split("\n\n"))


def _words(text: str) -> str:
    """Make a docstring fit for Markdown and for a cell of a table."""
    return " ".join(text.replace("``", "`").replace("|", "\\|").split())


if __name__ == "__main__":
    print(page(sys.argv[1]))
