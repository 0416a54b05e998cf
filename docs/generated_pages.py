"""What hooks that write pages have in common: pages are added to the files of the site and to its navigation, below their overview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def add_to_site(files: Any, config: Any, pages: Mapping[str, str]) -> Any:
    """Add generated files, by their addresses."""
    from mkdocs.structure.files import File

    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


def add_to_navigation(config: Any, overview: str, pages: Sequence[dict[str, Any]], title: str = "Overview") -> Any:
    """Replace the entry of an overview by a section: the overview under this title, and the pages.

    >>> config = {"nav": [{"Start": "index.md"}, {"More": [{"Commands": "commands.md"}]}]}
    >>> add_to_navigation(config, "commands.md", [{"agree": "commands/agree.md"}])["nav"][1]
    {'More': [{'Commands': [{'Overview': 'commands.md'}, {'agree': 'commands/agree.md'}]}]}
    """

    def extended(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: replaced(value) for name, value in entry.items()} for entry in entries]

    def replaced(value: Any) -> Any:
        if value == overview:
            return [{title: overview}, *pages]
        return extended(value) if isinstance(value, list) else value

    config["nav"] = extended(config["nav"])
    return config
