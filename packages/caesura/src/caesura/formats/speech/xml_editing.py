"""Put changed spans back into Transcriber and EXMARaLDA files: headers, speakers, sections, events and comments stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import groupby
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias
from xml.etree import ElementTree

from caesura.errors import FormatError
from caesura.files import Source, parse_integer
from caesura.formats.editing import Row, changed_marks, match_spans, parse_tree, require_linear, serialize_like
from caesura.formats.speech.intervals import TICK, chosen_tiers, segments
from caesura.formats.speech.xml_transcripts import timeline
from caesura.model import Corpus, Segmentation, Spans

# ---------------------------------------------------------------------- exmaralda


def merge_exmaralda(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a transcription with the marks of a corpus; None if the corpus lacks tiers of the file, which would be deleted."""
    changed = changed_marks(original, corpus)
    if changed is None or len(corpus.coders) > 1:
        return None
    editor = _TimelineEditor(source)
    tiers = [each for each in editor.root.iter("tier") if each.find("event") is not None]
    names = [each.get("display-name") or each.get("id", "") for each in tiers]
    place = {each.track or each.coder: tiers[each.position] for each in chosen_tiers(source, names, None)}
    for (_, _, track), marks in changed.items():
        rows = list(segments(require_linear(marks)))
        if track in place:
            editor.set_tier(place[track], rows)
        else:
            editor.add_tier(track, None, rows)
    return serialize_like(source, editor.root)


def add_exmaralda_tiers(source: Source, tiers: Mapping[str, tuple[str, Segmentation | Spans]]) -> bytes:
    """Return a transcription with new tiers, each with the speaker and category of another one."""
    editor = _TimelineEditor(source)
    for name, (like, marks) in tiers.items():
        known = [(each.get("display-name") or each.get("id", ""), each) for each in editor.root.iter("tier")]
        if any(taken == name for taken, _ in known):
            raise FormatError(None, None, f"the file already has a tier {name!r}; choose another name.")
        editor.add_tier(name, next((each for taken, each in known if taken == like), None), list(segments(marks)))
    return serialize_like(source, editor.root)


def structure_exmaralda(source: Source) -> dict[str, int]:
    """Count what a transcription holds beyond times and texts."""
    root = parse_tree(source)
    return {
        "speaker": len(root.findall(".//speakertable/speaker")),
        "annotation tier": len(root.findall(".//tier[@type='a']")),
        "recording": sum(bool(each.get("url")) for each in root.iter("referenced-file")),
    }


class _TimelineEditor:
    """A transcription and the points of its timeline."""

    def __init__(self, source: Source) -> None:
        self.root = parse_tree(source)
        self.line = next(self.root.iter("common-timeline"))
        self.times = timeline(source, self.root)
        self.last = max((parse_integer(name.lstrip("T")) or 0 for name in self.times), default=0)

    def point(self, time: float) -> str:
        """Return the id of the point at a time; a new point is inserted in order."""
        for name, known in self.times.items():
            if abs(known - time) < TICK:
                return name
        self.last += 1
        name = f"T{self.last}"
        points = [each for each in self.line if each.tag == "tli"]
        for each in points:  # a new point would move those whose times are interpolated
            if not each.get("time") and each.get("id") in self.times:
                each.set("time", repr(self.times[each.get("id", "")]))
                each.set("type", "intp")
        later = next((each for each in points if self.times.get(each.get("id", ""), -1.0) > time), None)
        at = list(self.line).index(later) if later is not None else len(self.line)
        self.line.insert(at, _element("tli", id=name, time=repr(time)))
        self.times[name] = time
        return name

    def add_tier(self, name: str, like: Any, rows: Sequence[Row]) -> None:
        """Add a tier after the last one, with the speaker and category of another."""
        tiers = list(self.root.iter("tier"))
        taken = {each.get("id") for each in tiers}
        number = next(n for n in range(len(tiers) + 1) if f"TIE{n}" not in taken)
        kept = {key: like.get(key) for key in ("speaker", "category") if like is not None and like.get(key)}
        tier = _element("tier", **{"category": "v", **kept}, id=f"TIE{number}", type="a")
        tier.set("display-name", name)
        body = next(self.root.iter("basic-body"))
        body.insert(list(body).index(tiers[-1]) + 1 if tiers else len(body), tier)
        self.set_tier(tier, rows)

    def set_tier(self, tier: Any, rows: Sequence[Row]) -> None:
        """Replace the events of a tier."""
        lasting = [each for each in tier.iter("event") if self._times(each)[0] != self._times(each)[1]]
        old = [(*self._times(each), "".join(each.itertext()).strip()) for each in lasting]
        matched = match_spans(old, rows)
        for i in set(range(len(old))) - set(matched.values()):
            tier.remove(lasting[i])
        for j, (start, end, label) in enumerate(rows):
            if j not in matched and not label:
                continue  # a gap between events
            event = lasting[matched[j]] if j in matched else ElementTree.SubElement(tier, "event")
            if j not in matched:
                event.tail = "\n"
            if j not in matched or old[matched[j]][:2] != (start, end):
                event.set("start", self.point(start))
                event.set("end", self.point(end))
            if j not in matched or old[matched[j]][2] != label:
                for child in list(event):
                    event.remove(child)
                event.text = label
        events = sorted((each for each in tier if each.tag == "event"), key=lambda each: self._times(each))
        places = [i for i, each in enumerate(tier) if each.tag == "event"]
        for place, event in zip(places, events, strict=True):
            tier[place] = event

    def _times(self, event: Any) -> tuple[float, float]:
        return self.times[event.get("start", "")], self.times[event.get("end", "")]


def _element(tag: str, **attributes: str) -> Any:
    element = ElementTree.Element(tag, attributes)
    element.tail = "\n"
    return element


# ---------------------------------------------------------------------- transcriber


class _Spoken(NamedTuple):
    """The words of one speaker between two points: start, end and text, the elements among the words, and the turn."""

    row: Row
    speaker: str
    nodes: tuple[Any, ...]  # (element or None, text after it)
    turn: Any

    @property
    def words(self) -> str:
        return self.row[2]


#: A span to write, its speaker, and what it was before.
_Placed: TypeAlias = tuple[Row, str, _Spoken | None]


@dataclass
class _TurnEditor:
    """A Transcriber file and what its turns hold."""

    root: Any
    spoken: list[_Spoken] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.speakers = {each.get("id", ""): each.get("name", "") for each in self.root.iter("Speaker")}
        for turn in self.root.iter("Turn"):
            self.spoken += self._read(turn)

    def _read(self, turn: Any) -> list[_Spoken]:
        """Return the parts of a turn, as the reader splits it at synchronization points."""
        names = [self.speakers.get(each, each) for each in turn.get("speaker", "").split()] or [""]
        parts: list[tuple[float, dict[int, list[tuple[Any, str]]]]] = [
            (float(turn.get("startTime")), {0: [(None, turn.text or "")]})
        ]
        who = 0
        for child in turn:
            kept: Any = None
            if child.tag == "Sync":
                parts.append((float(child.get("time")), {}))
            elif child.tag == "Who":
                number = parse_integer(child.get("nb", "")) or 1
                who = number - 1 if 0 < number <= len(names) else 0
            else:
                kept = deepcopy(child)
                kept.tail = None
            parts[-1][1].setdefault(who, []).append((kept, child.tail or ""))
        ends = [*(start for start, _ in parts[1:]), float(turn.get("endTime"))]
        return [
            _Spoken((start, end, " ".join(" ".join(text for _, text in nodes).split())), names[who], tuple(nodes), turn)
            for (start, spoken), end in zip(parts, ends, strict=True)
            for who, nodes in spoken.items()
        ]

    def set_rows(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Replace what is spoken, by speaker; turns that did not change stay as they are."""
        old = [each for each in self.spoken if each.words and each.row[0] < each.row[1]]
        placed: list[_Placed] = []
        changed: list[Row] = []
        dirty: dict[int, Any] = {}
        for speaker in dict.fromkeys([*(each.speaker for each in old), *rows]):
            own = [each for each in old if each.speaker == speaker]
            matched = match_spans([each.row for each in own], rows.get(speaker, ()))
            for i in set(range(len(own))) - set(matched.values()):
                dirty[id(own[i].turn)] = own[i].turn
            for j, row in enumerate(rows.get(speaker, ())):
                before = own[matched[j]] if j in matched else None
                placed.append((row, speaker, before))
                if before is None or before.row != row:
                    changed.append(row)
                    if before is not None:
                        dirty[id(before.turn)] = before.turn
        for turn in self.root.iter("Turn"):
            start, end = float(turn.get("startTime")), float(turn.get("endTime"))
            if any(min(end, row[1]) - max(start, row[0]) > TICK for row in changed):
                dirty[id(turn)] = turn
        again = [each for each in placed if each[2] is None or id(each[2].turn) in dirty]
        again += [  # pauses, noises and comments where nobody speaks
            (each.row, each.speaker, each)
            for each in self.spoken
            if not each.words and id(each.turn) in dirty and each.row[1] - each.row[0] > TICK
            and not any(min(each.row[1], row[1]) - max(each.row[0], row[0]) > TICK for row, _, _ in placed)
        ]  # fmt: skip
        sections = list(self.root.iter("Section"))
        for section in sections:
            for turn in [each for each in section if id(each) in dirty]:
                section.remove(turn)
        starts = [float(section.get("startTime", 0)) for section in sections]
        for parts in _turns_of_parts(again):
            at = max((i for i, start in enumerate(starts) if start <= parts[0][0][0][0] + TICK), default=0)
            _insert(sections[at], self._turn(parts))
        for section in sections:
            _fill(section)

    def _turn(self, parts: list[list[_Placed]]) -> Any:
        """Return a turn with the attributes and elements of the former one, given what is spoken from point to point."""
        spoken = parts[0]
        former = next((each.turn for _, _, each in spoken if each is not None), None)
        kept = {} if former is None else {k: v for k, v in former.attrib.items() if k != "speaker"}
        named = " ".join(self._id(speaker) for _, speaker, _ in spoken if speaker)
        turn = _element("Turn", **({"speaker": named} if named else {}), **kept)
        turn.set("startTime", repr(parts[0][0][0][0]))
        turn.set("endTime", repr(parts[-1][0][0][1]))
        turn.text = "\n"
        for part in parts:
            last = ElementTree.SubElement(turn, "Sync", time=repr(part[0][0][0]))
            last.tail = "\n"
            for number, (row, _, before) in enumerate(part, 1):
                if len(part) > 1:
                    last = ElementTree.SubElement(turn, "Who", nb=str(number))
                    last.tail = "\n"
                _append_words(turn, last, row[2], before)
        return turn

    def _id(self, speaker: str) -> str:
        """Return the id of a speaker, who is added if necessary."""
        for own, name in self.speakers.items():
            if name == speaker or (not name and own == speaker):
                return str(own)
        own = next(f"spk{i}" for i in range(1, 10**6) if f"spk{i}" not in self.speakers)
        table = self.root.find("Speakers")
        if table is None:
            table = ElementTree.Element("Speakers")
            self.root.insert(0, table)
        table.append(_element("Speaker", id=own, name=speaker))
        self.speakers[own] = speaker
        return own


def _turns_of_parts(spoken: list[_Placed]) -> list[list[list[_Placed]]]:
    """Group what is spoken at the same time, and such groups that were one turn and have the same speakers, with the pauses between."""
    turns: list[list[list[_Placed]]] = []
    for _, group in groupby(sorted(spoken, key=lambda each: each[0][:2]), key=lambda each: each[0][:2]):
        part = list(group)
        last = turns[-1][-1] if turns else None
        if (
            last is not None
            and [each[1] for each in last] == [each[1] for each in part]
            and None not in {last[0][2], part[0][2]}
            and last[0][2].turn is part[0][2].turn  # type: ignore[union-attr]
            and last[0][0][1] - part[0][0][0] < TICK
        ):
            if part[0][0][0] - last[0][0][1] > TICK:
                turns[-1].append([((last[0][0][1], part[0][0][0], ""), part[0][1], None)])
            turns[-1].append(part)
        else:
            turns.append([part])
    return turns


def _append_words(turn: Any, last: Any, words: str, before: _Spoken | None) -> None:
    """Append words to a turn after its last element, with the elements that were among them."""
    same = before is not None and before.words == words
    if not same:
        last.tail = f"\n{words}\n" if words else "\n"
    for element, text in before.nodes if before is not None else ():
        if element is not None:
            last = deepcopy(element)
            turn.append(last)
            last.tail = text if same else "\n"
        elif same:
            last.tail = (last.tail or "") + text


def _insert(section: Any, turn: Any) -> None:
    """Insert a turn in order of time; turns that overlap with other times cannot be written."""
    start, end = float(turn.get("startTime")), float(turn.get("endTime"))
    at = 0
    for i, other in enumerate(section):
        if other.tag != "Turn":
            continue
        if min(end, float(other.get("endTime"))) - max(start, float(other.get("startTime"))) > TICK:
            raise FormatError(
                None,
                None,
                f"the span {start:g}–{end:g} overlaps another; in Transcriber overlapping spans have equal times.",
            )
        at = i + 1 if float(other.get("startTime")) < start else at
    section.insert(at, turn)
    if end > float(section.get("endTime", end)):
        section.set("endTime", repr(end))


def _fill(section: Any) -> None:
    """Fill gaps between turns with turns in which nobody speaks, as Transcriber expects."""
    at = float(section.get("startTime", 0))
    ends = [*(each for each in section if each.tag == "Turn"), None]
    for turn in ends:
        start = float(turn.get("startTime")) if turn is not None else float(section.get("endTime", at))
        if start - at > TICK:
            silent = _element("Turn", startTime=repr(at), endTime=repr(start))
            ElementTree.SubElement(silent, "Sync", time=repr(at))
            section.insert(list(section).index(turn) if turn is not None else len(section), silent)
        at = float(turn.get("endTime")) if turn is not None else at


def merge_transcriber(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a Transcriber file with the marks of a corpus; None if the corpus lacks a speaker, whose turns would be deleted."""
    if changed_marks(original, corpus) is None or len(corpus.coders) > 1:
        return None
    editor = _TurnEditor(parse_tree(source))
    editor.set_rows({a.track: [row for row in segments(require_linear(a.marks)) if row[2]] for a in corpus})
    return serialize_like(source, editor.root)


def structure_transcriber(source: Source) -> dict[str, int]:
    """Count what a Transcriber file holds beyond times and texts."""
    root = parse_tree(source)
    counted = {"topic": "Topic", "event": "Event", "comment": "Comment", "background": "Background"}
    sections = [each for each in root.iter("Section") if each.get("topic") or each.get("type", "report") != "report"]
    return {word: len(list(root.iter(tag))) for word, tag in counted.items()} | {"section": len(sections)}


TRANSCRIBER = SimpleNamespace(merge=merge_transcriber, structure=structure_transcriber)
EXMARALDA = SimpleNamespace(merge=merge_exmaralda, add_tiers=add_exmaralda_tiers, structure=structure_exmaralda)
