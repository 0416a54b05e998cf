"""Quotations and chunks are found in a source."""

from __future__ import annotations

import re

import numpy as np
import pytest

import caesura as cs
from caesura.anchoring import place_chunks, quotes
from caesura.errors import CaesuraError
from shared_data import oracle, oracle_json


def test_quotations_of_the_oracle() -> None:
    for case in oracle_json("anchor/quotes.json"):
        found = quotes._search(case["source"], case["quote"], 1.0)
        if not found:
            assert case["distance"] >= len(case["quote"])
            continue
        assert {d for *_, d in found} == {case["distance"]}
        assert all([b, e] in case["best"] or len(case["best"]) == 60 for b, e, _ in found)
        assert (len(found) > 1) == (case["disjoint"] > 1), case
        spans = [(b, e) for b, e, _ in found]
        if not case["exact"] and not any(
            quotes._occurrences(*(quotes._skeleton(case[n])[0] for n in ("source", "quote")))
        ):
            assert cs.find_quote(case["source"], case["quote"], max_error=1.0, ties="all") == spans
        if case["exact"]:
            listed = cs.find_quote(case["source"], case["quote"], ties="all")
            assert [begin for begin, _ in listed] == case["exact"]


def test_one_of_several_occurrences() -> None:
    text = "The cat sat. The cat ran. A cat!"
    assert cs.find_quote(text, "The cat", occurrence=2) == (13, 20)
    assert cs.find_quote(text, "The cat", occurrence=-1) == (13, 20)
    assert cs.find_quote(text, "The cat", near=14) == (13, 20)
    assert cs.find_quote(text, "The cat", after=" ran") == (13, 20)
    assert cs.find_quote(text, "cat", before="A ") == (28, 31)
    assert cs.find_quote(text, "The cat", ties="first") == (0, 7)
    assert cs.find_quote(text, "The cat", ties="all") == [(0, 7), (13, 20)]
    assert cs.find_quote(text, "THE  CAT ran") == (13, 24)
    assert cs.find_quote(text, "the kat ran") == (13, 24)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cs.find_quote("a cat, a cat", "cat"), "fits 2 places equally well .2–5, 9–12.; give occurrence="),
        (lambda: cs.find_quote("a cat", "cat", occurrence=2), "occurrence is 2, but 'cat' occurs 1 time"),
        (lambda: cs.find_quote("a cat", "cat", occurrence=0), "occurrence is 0"),
        (lambda: cs.find_quote("a cat", ""), "the quotation is empty"),
        (lambda: cs.find_quote("a cat", "elephant"), "is not in the source with at most 20% edits"),
        (lambda: cs.find_quote("a cat", "cat", max_error=2), "max_error is 2"),
        (lambda: cs.find_quote("a cat", "cat", ties="some"), "ties is 'some'"),
        (lambda: cs.find_quote("a cat", 3), "the quotation is int"),
        (lambda: cs.find_quotes("a cat", ["a", "dog"]), "quotation 2, 'dog', is not in the source"),
        (lambda: cs.find_quotes("no yes no", ["no"]), "quotation 1, 'no' fits 2 places"),
        (lambda: cs.find_quotes("one two", ["two", "one"], ordered=True), "not in the order of the source"),
        (lambda: cs.find_quotes("one two", "two"), "the quotations are one string; expected a list"),
        (lambda: place_chunks("one two", "two"), "the chunks are one string; expected a list"),
        (lambda: place_chunks("one two", ["one", 2]), "chunk 2 is int; expected a string"),
        (lambda: place_chunks("one two", None), "the chunks are None; expected a list"),
        (lambda: place_chunks("one two", ["ore"], max_error=float("nan")), "max_error is nan"),
        (lambda: cs.find_quotes("one two", None), "the quotations are None; expected a list"),
        (lambda: cs.find_quote("cat, cat", "cat", before=5), "before is int; expected a string"),
        (lambda: cs.find_quote("cat, cat", "cat", near=-1), "near is -1; expected a whole number"),
        (lambda: cs.find_quote("cat, cat", "cat", occurrence=2, near=0), "occurrence selects one place by itself"),
        (lambda: cs.find_quote("cat, cat", "cat", occurrence=2, ties="all"), "occurrence selects one place by itself"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()


def test_many_repeated_quotations_in_order_take_time_in_proportion() -> None:
    text = "no " * 1000
    found = cs.find_quotes(text, ["no"] * 100, ordered=True, ties="first")
    assert [each.start for each in found] == list(range(0, 300, 3))


def test_quotations_in_order() -> None:
    text = "no, yes, no, yes, no"
    found = cs.find_quotes(text, ["no", "yes", "no", "yes", "no"], ordered=True)
    assert [each.span for each in found] == [(0, 2), (4, 7), (9, 11), (13, 16), (18, 20)]
    with pytest.raises(CaesuraError, match="quotation 1"):
        cs.find_quotes(text, ["no", "yes"], ordered=True, ties="error")
    assert cs.find_quotes(text, ["no", "maybe"], ties="first", missing="skip")[1] is None
    assert cs.find_quotes("The cat", ["the cat"])[0] == (0, 7, 1, "letters")


@pytest.mark.parametrize("name", ["fixed400", "fixed800_overlap400", "sentence800", "sentence1", "paragraph800"])
def test_chunks_are_placed(name) -> None:
    text = oracle("chunks/state_of_the_union.md").read_bytes().decode()
    spans = [tuple(span) for span in oracle_json("chunks/place_state_of_the_union.json")[name]]
    for alter in (str, lambda s: re.sub(r"\s+", " ", s), lambda s: re.sub(r"\s+", "", s).lower()):
        placed = place_chunks(text, [alter(text[b:e]) for b, e in spans])
        assert placed.spans == spans
        assert placed.altered == 0


def test_chunks_with_edits_and_without_a_place() -> None:
    text = "A first part here. Another part there. And the last one."
    placed = place_chunks(text, ["A forst part here.", "", "something else entirely", "and the last one."])
    assert placed.spans == [(0, 18), None, None, (39, 56)]
    assert placed.missing == [1, 2]
    assert placed.distance == 1
    random = np.random.default_rng(0)
    long = "".join(random.choice(list("abcdefghij klmn"), 40_000))
    piece = long[20_000:21_000].replace("a", "b", 5)
    assert place_chunks(long, [piece]).spans == [(20_000, 21_000)]


def test_long_altered_chunks_are_found_by_their_passages() -> None:
    random = np.random.default_rng(1)
    long = "".join(random.choice(list("abcdefghij klmn"), 60_000))
    chunks = [long[at : at + 900] for at in range(0, 60_000, 800)]
    altered = [f"{each[:300]}zz{each[310:]}" for each in chunks]
    placed = place_chunks(long, [*altered, "z" * 900])
    found = [long[slice(*span)].strip() for span in placed.spans[:-1]]
    assert found == [each.strip() for each in chunks]
    assert placed.missing == [len(chunks)]
    assert place_chunks("ab" * 10_000, ["ab" * 600 + "z"]).missing == [0], "no passage occurs once"


def test_too_many_places_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(quotes, "_MAX_PLACES", 1000)
    with pytest.raises(CaesuraError, match="the chunks occur at more than 1,000 places in all"):
        place_chunks("no " * 400, ["no"] * 3)
    with pytest.raises(CaesuraError, match="the quotations occur at more than 1,000 places"):
        cs.find_quotes("no " * 400, ["no"] * 3, ordered=True)
