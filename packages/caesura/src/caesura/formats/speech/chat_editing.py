"""Put changed marks back into CHAT transcripts: headers, codes, dependent tiers and lines that did not change stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from caesura.files import Source
from caesura.formats.editing import Row, encode_like, match_spans, require_linear
from caesura.formats.speech.chat import BULLET, TERMINATORS, UNMARKED, ChatLevel, Utterance, words_with_places
from caesura.formats.speech.intervals import segments
from caesura.model import Corpus, Segmentation

_SPEAKER = re.compile(r"\*([^\s:]+):")
_AFTER_TERMINATOR = re.compile(r"(?:[\x15•][^\x15•]*[\x15•]|\[\+[^\]]*\])\s*$")


@dataclass
class _Block:
    """An utterance: its lines as they are written, and the lines of its dependent tiers; other lines have no speaker."""

    lines: list[str]
    speaker: str = ""
    tiers: list[str] = field(default_factory=list)

    @property
    def utterance(self) -> Utterance:
        return Utterance(self.speaker, self.content, 0)

    @property
    def content(self) -> str:
        """The text after the speaker, in one line."""
        joined = " ".join([self.lines[0], *(line.strip() for line in self.lines[1:])])
        return _SPEAKER.sub("", joined, count=1).strip()

    def replace(self, content: str, speaker: str | None = None) -> _Block:
        """Return an utterance with other content; the dependent tiers stay."""
        who = self.speaker if speaker is None else speaker
        return _Block([f"*{who}:\t{content.strip()}"], who, self.tiers)


def merge(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a transcript with the marks of a corpus; None if that is not possible, such as for other words."""
    if set(original.tracks) - set(corpus.tracks) or len(corpus.coders) > 1 or len(corpus.items) > 1:
        return None
    blocks = list(_blocks(source))
    if corpus.kind in ("time", "spans"):
        merged: list[_Block] | None = _merge_times(blocks, original, corpus)
    elif corpus.typed or original.typed:
        merged = _merge_words(blocks, original, corpus)
    else:
        merged = _merge_turns(blocks, original, corpus)
    if merged is None:
        return None
    ending = "\r\n" if "\r\n" in source.raw_text else "\n"
    return encode_like(source, ending.join(line for block in merged for line in [*block.lines, *block.tiers]))


def structure(source: Source, *, level: ChatLevel = "words") -> dict[str, int]:
    """Count what words or turns do not hold: time bullets and, in words, codes and events; headers and dependent tiers are attributes."""
    counts = {"time bullet": 0, "code": 0, "event": 0}
    for block in _blocks(source):
        if block.speaker and level != "time":
            content = block.content
            counts["time bullet"] += len(BULLET.findall(content))
            if level == "words":
                counts["code"] += len(re.findall(r"\[[^\]]*\]", content))
                counts["event"] += len(re.findall(r"(?<!\S)&=\S", content))
    return counts


def _blocks(source: Source) -> Iterator[_Block]:
    """Split a transcript into utterances with their tiers, and other lines."""
    current: _Block | None = None
    for line in source.text.split("\n"):
        speaker = _SPEAKER.match(line)
        if speaker:
            if current is not None:
                yield current
            current = _Block([line], speaker[1])
        elif current is not None and line[:1] in ("\t", " ") and line.strip():
            (current.tiers or current.lines).append(line)
        elif current is not None and line.startswith("%"):
            current.tiers.append(line)
        else:
            if current is not None:
                yield current
                current = None
            yield _Block([line])
    if current is not None:
        yield current


# ---------------------------------------------------------------------- words


def _merge_words(blocks: list[_Block], original: Corpus, corpus: Corpus) -> list[_Block] | None:
    """Split, join and end utterances as the boundaries of the words of every speaker say."""
    ends: dict[str, dict[int, str]] = {}
    before = {a.track: a.marks for a in original}
    for a in corpus:
        old = before.get(a.track)
        if not isinstance(a.marks, Segmentation) or old is None or old.units != a.marks.units:
            return None
        ends[a.track] = {int(at): str(kind) for at, kind in a.marks.marks}
    counted = dict.fromkeys(ends, 0)
    merged: list[_Block] = []
    waiting: dict[str, int] = {}  # the utterance of a speaker that has no end yet
    for block in blocks:
        pieces = _pieces(block, counted, ends) if block.speaker in ends and block.utterance.words else [(block, True)]
        for piece, ended in pieces:
            speaker = piece.speaker
            if speaker in waiting and speaker in ends and piece.utterance.words:
                first = merged[waiting[speaker]]
                joined = first.replace(f"{first.content} {piece.content}")
                joined.tiers = [*first.tiers, *piece.tiers]
                at = waiting.pop(speaker)
                merged[at] = _with_one_line_per_tier(joined)
            else:
                at = len(merged)
                merged.append(piece)
            if not ended:
                waiting[speaker] = at
    return merged


def _pieces(block: _Block, counted: dict[str, int], ends: dict[str, dict[int, str]]) -> list[tuple[_Block, bool]]:
    """Split an utterance at the new boundaries; each piece with whether an utterance ends there. Tiers stay with the last piece."""
    words, own, start = words_with_places(block.content), ends[block.speaker], counted[block.speaker]
    counted[block.speaker] = start + len(words)
    here = {k: own[start + k] for k in range(1, len(words) + 1) if start + k in own}
    old = {k: end for k, (_, end, _) in enumerate(words, 1) if end}
    if here == old:
        return [(block, True)]
    content = _without_ends(block.content, words, [k for k in old if k not in here and k < len(words)])
    words = words_with_places(content)
    pieces: list[tuple[_Block, bool]] = []
    at = 0
    for k in sorted({*here, len(words)}):
        cut = words[k][2] if k < len(words) else len(content)  # where the next word begins
        text = _end_with(content[at:cut].strip(), here.get(k))
        pieces.append((_Block([f"*{block.speaker}:\t{text}"], block.speaker), k in here))
        at = cut
    pieces[-1][0].tiers = block.tiers
    return pieces


def _without_ends(content: str, words: list[tuple[str, str, int]], deleted: list[int]) -> str:
    """Delete the terminators after some words within an utterance."""
    for k in reversed(deleted):
        start, stop = words[k - 1][2], words[k][2]
        found = list(re.finditer(rf"\s+{re.escape(words[k - 1][1])}(?=\s)", content[start:stop]))
        for each in found[-1:]:
            content = content[: start + each.start()] + content[start + each.end() :]
    return content


def _end_with(text: str, terminator: str | None) -> str:
    """Return an utterance with this terminator, before its postcodes (``[+ …]``) and its time bullet if it has any."""
    after = ""
    while found := _AFTER_TERMINATOR.search(text):
        text, after = text[: found.start()].rstrip(), f" {found[0].strip()}{after}"
    for each in TERMINATORS:
        if text.endswith(each):
            text = text.removesuffix(each).rstrip()
            break
    ending = "" if terminator in (None, UNMARKED) else f" {terminator}"
    return f"{text}{ending}{after}"


def _with_one_line_per_tier(block: _Block) -> _Block:
    """Join the tiers of one name."""
    tiers: dict[str, list[str]] = {}
    name = ""
    for line in block.tiers:
        if line.startswith("%"):
            name, _, text = line.partition(":")
            tiers.setdefault(name, []).append(text.strip())
        else:
            tiers[name].append(line.strip())
    block.tiers = [f"{name}:\t{' '.join(texts)}" for name, texts in tiers.items()]
    return block


# ---------------------------------------------------------------------- turns


def _merge_turns(blocks: list[_Block], original: Corpus, corpus: Corpus) -> list[_Block] | None:
    """Give utterances the speakers of their turns."""
    marks, before = corpus.annotation(0).marks, original.annotation(0).marks
    if not isinstance(marks, Segmentation) or marks.names is None or marks.units != before.units:
        return None
    speakers = [
        name
        for (first, last), name in zip(marks.spans, marks.names, strict=True)
        for _ in range(int(first), int(last) + 1)
    ]
    utterances = [i for i, block in enumerate(blocks) if block.speaker]
    if len(utterances) != len(speakers):
        return None
    merged = list(blocks)
    for i, speaker in zip(utterances, speakers, strict=True):
        if speaker != merged[i].speaker:
            lines = [_SPEAKER.sub(f"*{speaker}:", merged[i].lines[0], count=1), *merged[i].lines[1:]]
            merged[i] = _Block(lines, speaker, merged[i].tiers)
    return merged


# ---------------------------------------------------------------------- times


def _merge_times(blocks: list[_Block], original: Corpus, corpus: Corpus) -> list[_Block] | None:
    """Move time bullets, and replace, add and delete the utterances before them."""
    known = {a.track for a in original}
    merged: list[_Block | None] = list(blocks)
    added: list[tuple[float, str, Row]] = []
    for a in corpus:
        new = [row for row in segments(require_linear(a.marks)) if row[2] or corpus.kind == "spans"]
        places = [
            (i, number, (cue.start, cue.end, cue.text))
            for i, block in enumerate(blocks)
            if block.speaker == a.track or (not a.track and block.speaker and "" in known)
            for number, cue in enumerate(block.utterance.cues)
            if cue.start != cue.end
        ]
        matched = match_spans([row for _, _, row in places], new)
        edits: dict[int, dict[int, Row | None]] = {}
        for k, (i, number, _) in enumerate(places):
            if k not in matched.values():
                edits.setdefault(i, {})[number] = None
        for j, row in enumerate(new):
            if j not in matched:
                added.append((row[0], a.track, row))
            elif places[matched[j]][2] != row:
                i, number, _ = places[matched[j]]
                edits.setdefault(i, {})[number] = row
        for i, changes in edits.items():
            merged[i] = _with_bullets(blocks[i], changes)
    for start, speaker, (begin, end, text) in sorted(added):
        content = f"{text} \x15{round(begin * 1000)}_{round(end * 1000)}\x15".strip()
        later = (i for i, block in enumerate(merged) if block and block.speaker and _starts_after(block, start))
        last = next((i for i, block in enumerate(merged) if block and block.lines[0].startswith("@End")), len(merged))
        merged.insert(next(later, last), _Block([f"*{speaker}:\t{content}"], speaker))
    return [block for block in merged if block is not None]


def _starts_after(block: _Block, time: float) -> bool:
    cue = next(block.utterance.cues, None)
    return cue is not None and cue.start > time


def _with_bullets(block: _Block, changes: dict[int, Row | None]) -> _Block | None:
    """Return an utterance with other texts and times; None if nothing is left of it."""
    parts, at, content = [], 0, block.content
    for number, bullet in enumerate(BULLET.finditer(content)):
        text = content[at : bullet.start()].strip()
        at = bullet.end()
        if number not in changes:
            parts.append(f"{text} {bullet[0]}")
        elif (row := changes[number]) is not None:
            text = text if " ".join(text.split()) == row[2] else row[2]
            parts.append(f"{text} \x15{round(row[0] * 1000)}_{round(row[1] * 1000)}\x15")
    parts.append(content[at:].strip())
    left = " ".join(part for part in parts if part).strip()
    return block.replace(left) if left else None
