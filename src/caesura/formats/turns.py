"""Turns in a table: CSV with the columns Turn, Speaker, Utterance, endnotes as tokens of the utterance.

The table segsimflex takes. Columns Item and Coder are understood too, and written where a corpus has several.
"""

from __future__ import annotations

from typing import Unpack

from caesura.files import Source
from caesura.formats.delimited import header_of, read_table, write_table
from caesura.formats.endnotes import Convention, EndnoteOptions, Speech, utterances
from caesura.model import Corpus


def sniff(head: str) -> bool:
    """Recognise the columns Speaker and Utterance."""
    return {"speaker", "utterance"} <= set(header_of(head))


def read(source: Source, **conventions: Unpack[EndnoteOptions]) -> Corpus:
    """Read one track per speaker; the options are those of transcripts."""
    convention = Convention.of(**conventions)
    texts: dict[tuple[str, str], Speech] = {}
    for row in read_table(source, needs=("speaker", "utterance")):
        key = row.get("item", source.stem), row.get("coder")
        speech = texts.setdefault(key, Speech(convention, source.path))
        speech.say(row["speaker"].strip(), row["utterance"], row.line)
    if not any(words for speech in texts.values() for words in speech.words.values()):
        raise source.fault(None, "no utterance holds a word.")
    return Corpus.from_annotations(a for key, speech in texts.items() for a in speech.annotations(*key))


def write(corpus: Corpus) -> str:
    """Write an utterance a row, speaker after speaker."""
    keys = dict.fromkeys((a.item, a.coder) for a in corpus)
    rows = [
        (item, coder, turn, speaker, words)
        for item, coder in keys
        for turn, (speaker, words) in enumerate(utterances(corpus, item, coder), 1)
    ]
    return write_table(("Item", "Coder", "Turn", "Speaker", "Utterance"), rows)
