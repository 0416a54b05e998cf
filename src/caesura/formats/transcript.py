"""Transcripts with endnotes: ``JOHN: Hello , how are you ?``, one turn per line.

A line without a speaker goes on with the turn before. Tokens stand between spaces; endnotes are tokens of their own.
"""

from __future__ import annotations

import re
from typing import Unpack

from caesura.files import Source
from caesura.formats.endnotes import Convention, EndnoteOptions, Speech, utterances
from caesura.model import Corpus

_CHAT = re.compile(r"^@(?:UTF8|Begin)[ \t]*$", re.MULTILINE)
_TURN = re.compile(r"\s*([^\s:][^:]{0,40}?)\s*:(?:\s+(.*)|$)")


def sniff(head: str) -> bool:
    """Recognise lines that mostly name a speaker, some of which end with an endnote; CHAT too, to say what it is."""
    if _CHAT.search(head):
        return True
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    turns = [turn for line in lines if (turn := _TURN.fullmatch(line))]
    ended = sum(bool(re.search(r"(?:[?.,;]|--|—)\s*$", line)) for line in lines)
    return bool(lines) and len(turns) * 2 >= len(lines) and ended > 0


def read(source: Source, *, speakers: bool = True, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read one text by one annotator; one track per speaker.

    Parameters
    ----------
    endnotes
        The tokens that are boundary types, separated by spaces.
    aliases
        What stands for an endnote, as ``OLD=NEW``: ``—=--`` reads an em-dash as a truncation.
    attached
        Whether endnotes hang on the word before (``are you?``) and are to be taken off.
    unmarked
        The type of a line's end that carries no endnote; by default it is no boundary.
    speakers
        Whether lines name who speaks; else all is one track and a colon a part of the text.
    """
    if chat := _CHAT.search(source.text):
        raise source.fault(
            source.text.count("\n", 0, chat.start()) + 1,
            f"this is a CHAT transcript ({chat[0].strip()}); read it with format=chat (--format chat).",
        )
    speech = Speech(Convention.of(**conventions), source.path)
    speaker = ""
    for number, line in source.lines:
        turn = _TURN.fullmatch(line) if speakers else None
        if turn is not None:
            speaker = turn[1]
        words = (turn[2] or "") if turn is not None else line
        if words.strip() or turn is not None:
            speech.say(speaker, words, number)
    if not any(speech.words.values()):
        raise source.fault(None, "the transcript holds no word.")
    return Corpus.from_annotations(speech.annotations(source.stem, ""))


def write(corpus: Corpus) -> str:
    """Write speaker after speaker, one line per endnote (a corpus does not know in which order they took turns)."""
    first = corpus.annotation(0)
    return "".join(
        f"{speaker}: {words}\n" if speaker else f"{words}\n"
        for speaker, words in utterances(corpus, first.item, first.coder)
    )
