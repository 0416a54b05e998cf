"""Languages of the interface: texts of templates and scripts, translated by one file per language.

English texts are the keys. ``locales/LANGUAGE.json`` maps each of them to its translation; a new file adds a language. A text with a number has one
translation per plural form: ``{"one": "…", "other": "…"}``, under the English plural.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.requests import Request

LOCALES = Path(__file__).parent / "locales"
COOKIE = "caesura-language"
#: Code -> the language's own name, in the order in which they are offered.
NAMES = {"en": "English", "de": "Deutsch", "he": "עברית"}
_RIGHT_TO_LEFT = {"ar", "fa", "he", "ur"}


@dataclass(frozen=True)
class Language:
    """One language of the interface."""

    code: str
    texts: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def direction(self) -> str:
        """The writing direction, as HTML names it."""
        return "rtl" if self.code in _RIGHT_TO_LEFT else "ltr"

    def translate(self, text: str, **values: object) -> str:
        """Return a text in this language, or in English where it is not translated, with ``{name}`` replaced by the values."""
        found = self.texts.get(text, text)
        translated = found["other"] if isinstance(found, dict) else found
        for name, value in values.items():
            translated = translated.replace(f"{{{name}}}", str(value))
        return str(translated)

    @property
    def script(self) -> str:
        """The script that gives the texts to the other scripts of a page."""
        return f"globalThis.caesuraTexts = {json.dumps(self.texts, ensure_ascii=False)};\n"

    @property
    def digest(self) -> str:
        """Changes with the texts, so that browsers may keep the script."""
        return sha256(self.script.encode()).hexdigest()[:12]


@lru_cache
def language(code: str) -> Language:
    """Return a language by its code."""
    path = LOCALES / f"{code}.json"
    return Language(code, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})


def language_of(request: Request) -> Language:
    """Return the language for a request: the one that was chosen, else the first that the browser asks for, else English."""
    chosen = request.cookies.get(COOKIE, "")
    if chosen in NAMES:
        return language(chosen)
    asked: list[tuple[float, int, str]] = []
    for part in request.headers.get("accept-language", "").split(",")[:20]:
        code, _, quality = part.strip().partition(";q=")
        try:
            asked.append((-float(quality or 1), len(asked), code.split("-")[0].lower()))
        except ValueError:
            continue
    for *_, code in sorted(asked):
        if code in NAMES:
            return language(code)
    return language("en")
