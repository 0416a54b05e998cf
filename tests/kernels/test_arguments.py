"""Loops take few arguments, because sides and rules travel as named tuples (kernels/layout.py); whoever takes more has a reason here."""

from __future__ import annotations

import ast
from pathlib import Path

import caesura

MOST = 8
_PLACES = "inner helpers get where to start and stop in two columns as numbers; as tuples, those of flexible similarity ran a fifth slower"
_DOOR = "called once per pair from Python, where Numba takes longer to recognise a named tuple than the loop to run"
_ROOM = "a model, a passage and the room to work in, each array used in the innermost loop; called once per pass, never by users"
REASONS = {
    _PLACES: "flexible._gap flexible.track_cost",
    _DOOR: "fused.pair_flexible fused.pair_typed_flexible fused.pair_aligned_with fused.pair_regions",
    _ROOM: "chooser.train_choices fusion.word_endings fusion.pair_scores ngrams.log_spelling spelling.spell_out"
    " tagger.train_epoch tagger.tag_words tagger.score_words tagger_features.inner_features tagger_features.outer_features",
}


def test_kernels_take_few_arguments_or_say_why() -> None:
    source = Path(caesura.__file__).parent
    long = {
        f"{file.stem}.{node.name}"
        for folder in ("kernels", "vowels/kernels")
        for file in (source / folder).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and len(node.args.args) > MOST
    }
    assert long == {name for names in REASONS.values() for name in names.split()}
