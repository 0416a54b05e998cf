"""The texts of the interface, found in templates and scripts."""

from __future__ import annotations

import re
from pathlib import Path

import caesura_workbench

_HERE = Path(caesura_workbench.__file__).parent
_STRING = r'"((?:[^"\\]|\\.)*)"'
_TEMPLATE = re.compile(rf"\b_\({_STRING}")
_SCRIPT = re.compile(rf"\bt\({_STRING}")
_PLURAL = re.compile(rf"\btn\(\s*[^\"]*?{_STRING},\s*{_STRING}")


def texts() -> tuple[set[str], set[str]]:
    """Return the texts that are translated, and those with a plural, by their English plural."""
    single: set[str] = set()
    plural: set[str] = set()
    for path in sorted((_HERE / "templates").glob("*.html")):
        single |= set(_TEMPLATE.findall(path.read_text(encoding="utf-8")))
    for path in sorted((_HERE / "static").glob("*.js")):
        content = path.read_text(encoding="utf-8")
        single |= {_unescape(each) for each in _SCRIPT.findall(content)}
        plural |= {_unescape(other) for _, other in _PLURAL.findall(content)}
    pages = (_HERE / "pages.py").read_text(encoding="utf-8")
    single |= set(re.findall(rf"\d+: {_STRING}", pages)) | {"Something went wrong"}
    return single - {""}, plural


def _unescape(text: str) -> str:
    return text.replace('\\"', '"')


_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_SILENT = re.compile(r"<(kbd|code|style|script)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(?:title|aria-label|placeholder|alt|content|label)="([^"]*)"')


def shown_in_templates() -> list[tuple[str, str]]:
    """Return the words that templates show without looking them up: between tags, and in attributes that are read or shown."""
    found = []
    for path in sorted((_HERE / "templates").glob("*.html")):
        content = _SILENT.sub("", _JINJA.sub("\0", path.read_text(encoding="utf-8")))
        for part in [*re.split(r"<[^>]*>", content), *_ATTRIBUTE.findall(content)]:
            words = [word.strip(" ·\n") for word in part.split("\0")]
            found += [(path.name, word) for word in words if re.search(r"[^\W\d_]{2,}", word)]
    return [(name, word) for name, word in found if "=" not in word or word.startswith("width=")]
