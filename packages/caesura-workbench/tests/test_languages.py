"""The languages of the interface: every text is translated, with the same placeholders, and pages follow the browser or the choice."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from caesura_workbench.languages import LOCALES, NAMES, language
from interface_texts import shown_in_templates, texts

TRANSLATED = [code for code in NAMES if code != "en"]


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_is_translated_with_its_placeholders(code: str) -> None:
    single, plural = texts()
    translated = language(code).texts
    missing = sorted((single | plural) - set(translated))
    assert not missing, f"add to locales/{code}.json"
    for text, found in translated.items():
        for form in found.values() if isinstance(found, dict) else [found]:
            assert form.strip() == form or text.startswith((" ", ";")), text
            extra = set(re.findall(r"\{\w+\}", form)) - set(re.findall(r"\{\w+\}", text))
            assert not extra, (text, form)
    assert all(isinstance(translated[text], dict) for text in plural - single)


@pytest.mark.parametrize("code", TRANSLATED)
def test_files_are_sorted(code: str) -> None:
    listed = list(json.loads((LOCALES / f"{code}.json").read_text(encoding="utf-8")))
    assert listed == sorted(listed)


def test_page_follows_the_browser_and_then_the_choice(client: TestClient) -> None:
    page = client.get("/", headers={"Accept-Language": "fr, he;q=0.9, de;q=0.5"}).text
    assert '<html lang="he" dir="rtl">' in page
    assert "פרויקטים" in page
    script = re.search(r"/texts/he-\w+\.js", page)
    assert script is not None
    assert "פרויקטים" in client.get(script[0]).text
    client.get("/language/de")
    page = client.get("/", headers={"Accept-Language": "he"}).text
    assert '<html lang="de" dir="ltr">' in page
    assert "Projekte" in page


def test_unknown_language_changes_nothing(client: TestClient) -> None:
    assert client.get("/language/xx", follow_redirects=False).headers.get("set-cookie") is None
    assert '<html lang="en"' in client.get("/", headers={"Accept-Language": "xx;q=a"}).text


#: What is the same in every language: names of programs and files, units, keys, and examples.
UNTRANSLATED = re.compile(
    r"Caesura|ms|5 kHz|provenance\.json|suggestions\.csv|questions\.json|votes\.csv|notebook|\(delete\)|; \{item\}-\{coder\}|so twice .*|en, de, he, ar …|light dark|width=.*"
)


def test_templates_contain_no_text_of_their_own() -> None:
    """Every word that a template shows comes from the translated texts."""
    assert shown_in_templates(), "otherwise the patterns find nothing"
    assert not [(name, text) for name, text in shown_in_templates() if not UNTRANSLATED.fullmatch(text)]


@pytest.mark.parametrize("code", TRANSLATED)
def test_languages_have_the_same_texts(code: str) -> None:
    single, plural = texts()
    assert set(language(code).texts) == single | plural, "each text of the interface, and nothing else"
