"""The table of models, each loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from caesura.annotators.vowels.models import Model
from caesura.errors import UnknownName

__all__ = ["MODELS", "model_class"]

#: Name -> where the class lives.
MODELS: dict[str, str] = {
    "unigram": "caesura.annotators.vowels.models:Unigram",
    "hmm": "caesura.annotators.vowels.models:Hmm",
    "open": "caesura.annotators.vowels.open:Open",
    "best": "caesura.annotators.vowels.best:Best",
}


def model_class(name: str) -> type[Model]:
    """Look a model up."""
    if name not in MODELS:
        raise UnknownName("model", str(name), list(MODELS))
    module, _, attribute = MODELS[name].partition(":")
    return cast("type[Model]", getattr(import_module(module), attribute))
