"""Options are parsed and validated by the signature of the function or class that takes them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.options import (
    describe_type,
    matches_type,
    option_types,
    parse_mapping,
    parse_options,
    parse_value,
    validate_options,
)


class _Shared(TypedDict, total=False):
    edges: bool
    as_: Literal["spans", "boundaries"]


def _read(source: object, *, tier: str | int | None = None, length: float = 1.0, **shared: Unpack[_Shared]) -> None:
    """Stand in for a reader."""


@dataclass
class _Segmenter:
    penalty: float | str | None = None
    stopwords: Collection[str] | None = None
    width: int | Literal["unit"] = 20


def test_option_types_lists_keyword_only_parameters_and_typed_dictionaries() -> None:
    assert list(option_types(_read)) == ["tier", "length", "edges", "as"]
    assert list(option_types(_Segmenter)) == ["penalty", "stopwords", "width"]
    assert option_types(lambda *, free=1: None) == {"free": Any}


@pytest.mark.parametrize(
    ("text", "hint", "value"),
    [
        ("3", int, 3),
        ("3", float, 3.0),
        ("inf", float, float("inf")),
        ("nan", float, "nan"),
        ("3", str | int | None, "3"),
        ("0.5", float | str | None, 0.5),
        ("none", float | str | None, None),
        ("none", str | None, "none"),
        ("auto", float | str, "auto"),
        ("unit", int | Literal["unit"], "unit"),
        ("No", bool, False),
        ("1", bool | None, True),
        ("no", str, "no"),
        ("[1, 2]", Any, [1, 2]),
        ("yes", Any, True),
        ("1", Any, 1),
    ],
)
def test_parse_value_follows_the_annotation(text: str, hint: Any, value: Any) -> None:
    parsed = parse_value(text, hint)
    assert parsed == value
    assert type(parsed) is type(value)


def test_validate_options_returns_keyword_arguments() -> None:
    given = {"tier": "2", "length": "5", "edges": "yes", "as": "spans"}
    expected = {"tier": "2", "length": 5.0, "edges": True, "as_": "spans"}
    assert validate_options("toy", given, option_types(_read)) == expected


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"width": "wide"}, "toy: width is 'wide'; expected a whole number or 'unit'."),
        ({"width": True}, "toy: width is True; expected a whole number or 'unit'."),
        ({"stopwords": "the"}, "toy: stopwords is 'the'; expected a Python collection or none."),
        ({"widht": 3}, "toy has no parameter 'widht'; it takes penalty, stopwords, width."),
    ],
)
def test_validate_options_names_the_value_and_what_was_expected(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        validate_options("toy", given, option_types(_Segmenter))
    assert str(caught.value) == sentence


def test_parse_options_needs_key_and_value() -> None:
    assert parse_options("") == {}
    assert parse_options(" n_t = 3 ,label=3", {"label": str | None}) == {"n_t": 3, "label": "3"}
    with pytest.raises(CaesuraError, match="written key=value, not 'beta'"):
        parse_options("beta")
    with pytest.raises(CaesuraError, match="expected OLD=NEW, found '='"):
        parse_mapping("a=b =")


def test_numpy_scalars_match_plain_types() -> None:
    assert matches_type(np.int64(3), int)
    assert matches_type(np.float32(3), float | None)
    assert matches_type(np.bool_(True), bool)
    assert not matches_type(np.bool_(True), int)


def test_describe_type_lists_every_alternative() -> None:
    assert describe_type(bool | None) == "true or false or none"
    assert describe_type(str | Callable[[str], str]) == "text or a Python callable"
