"""Rezonator projects (.rez): JSON whose node map holds units, their entries, and the tokens these point to.

A unit is an intonation unit by one participant; its last token is an endnote, or its last token's tag ``endNote`` holds one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from caesura.files import Source, load_json
from caesura.formats.endnotes import Convention, EndnoteOptions, Speech, utterances
from caesura.model import Corpus

#: Where a token's words and a unit's speaker may stand, the usual tag first.
_TEXT_TAGS = ("text", "Utterance", "word", "Word", "transcript")
_SPEAKER_TAGS = ("participant", "Participant", "Speaker", "speaker")


def sniff(head: str) -> bool:
    """Recognise the root of a Rezonator project."""
    return head.lstrip().startswith("{") and '"ROOT"' in head[:200]


def read(source: Source, *, text: str | None = None, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read a track a participant.

    Parameters
    ----------
    text
        The tag of a token that holds its words (default: ``text``, ``Utterance``, ``word`` or ``transcript``, whichever is there).
    endnotes, aliases, attached, unmarked
        As in transcripts.
    """
    nodes = _nodes(source)
    speech = Speech(Convention.of(**conventions), source.path)
    units = sorted((n for n in nodes.values() if n.get("type") == "unit"), key=_order)
    for unit in units:
        tokens = _tokens(source, nodes, unit)
        spoken: list[str] = []
        for token in tokens:
            tags = token.get("tagMap") or {}
            spoken += speech.convention.tokens(_tag(source, tags, (text,) if text else _TEXT_TAGS))
            if sign := str(tags.get("endNote") or "").strip():
                spoken.append(sign)
        speech.add(_speaker(unit), spoken, None)
    if not any(speech.words.values()):
        raise source.fault(None, "the project holds no unit with words.")
    return Corpus.from_annotations(speech.annotations(source.stem, ""))


def write(corpus: Corpus) -> str:
    """Write the node map of a project: a document, its units, entries and tokens."""
    first = corpus.annotation(0)
    nodes: dict[str, Any] = {"doc": {"type": "doc", "unitList": []}}
    for u, (speaker, words) in enumerate(utterances(corpus, first.item, first.coder), 1):
        unit = f"unit{u}"
        entries = []
        for t, word in enumerate(words.split(), 1):
            token, entry = f"token{u}_{t}", f"entry{u}_{t}"
            tags = {"text": word, "endNote": ""}
            nodes[token] = {"type": "token", "unit": unit, "doc": "doc", "tokenOrder": t, "tagMap": tags}
            nodes[entry] = {"type": "entry", "unit": unit, "token": token}
            entries.append(entry)
        tags = {"unitSeq": str(u), "participant": speaker}
        nodes[unit] = {"type": "unit", "doc": "doc", "unitSeq": u, "entryList": entries, "tagMap": tags}
        nodes["doc"]["unitList"].append(unit)
    return json.dumps({"ROOT": [{"docNode": "doc", "nodeMap": nodes}]}, ensure_ascii=False, indent=1) + "\n"


def _nodes(source: Source) -> dict[str, dict[str, Any]]:
    data = load_json(source)
    root = data.get("ROOT") if isinstance(data, dict) else None
    nodes = root[0].get("nodeMap") if isinstance(root, list) and root and isinstance(root[0], dict) else None
    if not isinstance(nodes, dict):
        raise source.fault(None, 'expected a Rezonator project: {"ROOT": [{"nodeMap": …}]}.')
    return {name: node for name, node in nodes.items() if isinstance(node, dict)}


def _tokens(source: Source, nodes: dict[str, dict[str, Any]], unit: dict[str, Any]) -> list[dict[str, Any]]:
    tokens = []
    for name in unit.get("entryList") or unit.get("tokenList") or []:
        entry = nodes.get(str(name))
        token = nodes.get(str(entry.get("token"))) if entry is not None and entry.get("type") == "entry" else entry
        if token is None:
            raise source.fault(None, f"a unit names the entry {name!r}, which leads to no token.")
        tokens.append(token)
    return tokens


def _tag(source: Source, tags: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        if name in tags:
            return str(tags[name])
    known = ", ".join(sorted(map(str, tags))) or "none"
    raise source.fault(None, f"a token has no tag {names[0]!r}; name one with text= ({known}).")


def _speaker(unit: dict[str, Any]) -> str:
    tags = unit.get("tagMap") or {}
    named = next((str(tags[name]) for name in _SPEAKER_TAGS if tags.get(name)), str(unit.get("participantID") or ""))
    return named.strip().rstrip(":").strip()


def _order(unit: dict[str, Any]) -> float:
    try:
        return float(unit.get("unitSeq") or 0)
    except (TypeError, ValueError, OverflowError):
        return 0.0
