"""Put changed spans of characters back into brat, doccano and Label Studio files; everything else that they hold stays as it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from caesura.errors import CaesuraError, FormatError
from caesura.files import Source, load_json, parse_integer
from caesura.formats.editing import changed_marks, encode_like, indent_of, match_spans, note_deleted
from caesura.formats.standoff import (
    LABEL_KEYS,
    CharacterSpan,
    UnitOffsets,
    brat_span,
    coder_of_annotation,
    doccano_spans,
    item_of_task,
    label_studio_spans,
    regions,
    spans_of,
    text_of_task,
)
from caesura.model import Corpus
from caesura.model.corpus import Marks

_UNITS = ("character", "word", "line")


class SpanEdits(NamedTuple):
    """New spans, the old span of each that has one (by index), and the old ones that are deleted."""

    spans: list[CharacterSpan]
    old_of: dict[int, int]
    deleted: set[int]


def span_edits(
    text: str, old: Sequence[CharacterSpan], before: Marks | None, after: Marks, tokens: UnitOffsets | None = None
) -> SpanEdits | None:
    """Compare the spans of a text with other marks; None if the marks have other units.

    Parameters
    ----------
    text : str
        The text.
    old : sequence of (int, int, str)
        The spans of the file; those that were not read (``only=``) are neither changed nor deleted.
    before, after : Marks
        What was read from the file, None if nothing, and what it shall hold.
    tokens : UnitOffsets, default None
        The tokens that the file gives.
    """
    units = after.units or ()
    choices = [*([tokens] if tokens is not None else []), *(UnitOffsets(text, unit) for unit in _UNITS)]  # type: ignore[arg-type]
    offsets = next((each for each in choices if tuple(each.units) == tuple(units)), None)
    if offsets is None or (before is not None and tuple(before.units or ()) != tuple(units)):
        return None
    new = spans_of(after, offsets.starts)
    read = Counter(spans_of(before, offsets.starts)) if before is not None else Counter()
    placed: list[tuple[int, CharacterSpan]] = []  # old spans that were read, from the first to the last unit
    for i, (start, end, label) in enumerate(old):
        try:
            covered = offsets.units_covered(start, end, lambda why: FormatError(None, None, why))
        except CaesuraError:
            covered = None
        if covered is not None:
            span = offsets.starts[covered[0] - 1], offsets.ends[covered[1] - 1], label
            if read[span]:
                read[span] -= 1
                placed.append((i, span))
    if sum(read.values()):  # several spans were read as one, or the like
        return None
    matched = match_spans([span for _, span in placed], new)
    kept = {j: placed[i][0] for j, i in matched.items()}
    # an unchanged span keeps its own ends, such as white space after its last word
    own = dict(placed)
    spans = [old[kept[j]] if j in kept and own[kept[j]] == span else span for j, span in enumerate(new)]
    return SpanEdits(spans, kept, {i for i, _ in placed} - set(kept.values()))


# ---------------------------------------------------------------------- brat


def merge_brat(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a brat file with other spans; relations, events, attributes and notes of the others stay, those of deleted spans go."""
    if len(corpus) != 1 or len(original) != 1:
        return None
    text = source.sibling(".txt").raw_text
    lines = source.text.split("\n")
    numbers = [i for i, line in enumerate(lines) if line.startswith("T")]
    old = []
    for i in numbers:
        label, pieces = brat_span(source, i + 1, lines[i], len(text))
        old.append((pieces[0][0], pieces[-1][1], label))
    edits = span_edits(text, old, original.annotation(0).marks, corpus.annotation(0).marks)
    if edits is None:
        return None
    written: list[str | None] = [*lines]
    used = [parse_integer(line.split("\t")[0][1:]) or 0 for line in lines if line.startswith("T")]
    last, added = max(used, default=0), []
    for j, (start, end, label) in enumerate(edits.spans):
        covered = " ".join(text[start:end].split())
        if j not in edits.old_of:
            last += 1
            added.append(f"T{last}\t{label} {start} {end}\t{covered}")
        elif old[edits.old_of[j]] != (start, end, label):
            at = numbers[edits.old_of[j]]
            written[at] = f"{lines[at].split(chr(9))[0]}\t{label} {start} {end}\t{covered}"
    _delete_from_brat(written, [numbers[i] for i in edits.deleted])
    after = max((i for i in numbers if written[i] is not None), default=numbers[-1] if numbers else -1) + 1
    whole = [*written[:after], *added, *written[after:]]
    return encode_like(source, "\n".join(line for line in whole if line is not None))


def _delete_from_brat(lines: list[str | None], deleted: Sequence[int]) -> None:
    """Delete lines, and all that refer to them."""
    gone = {str(lines[i]).split("\t")[0] for i in deleted}
    for i in deleted:
        lines[i] = None
    number, found = 0, bool(gone)
    while found:
        found = False
        for i, line in enumerate(lines):
            if line is None or line.startswith("T") or not line.strip():
                continue
            name, _, rest = line.partition("\t")
            if gone & set(re.split(r"[\s:]+", rest.partition("\t")[0])):
                lines[i], number, found = None, number + 1, True
                gone |= {name} if name not in ("*",) else set()
    note_deleted(number, "line")


def structure_brat(source: Source) -> dict[str, int]:
    """Count relations, events, attributes and notes."""
    first = Counter(line[:1] for line in source.text.split("\n"))
    kinds = {"relation": "R*", "event": "E", "attribute": "AM", "normalization": "N", "note": "#"}
    return {word: sum(first[letter] for letter in letters) for word, letters in kinds.items()}


# ---------------------------------------------------------------------- doccano


def merge_doccano(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return doccano's JSON lines with other spans; other fields of the texts stay, relations of deleted spans go."""
    changed = changed_marks(original, corpus)
    if changed is None or len(corpus.coders) > 1 or set(corpus.items) != set(original.items):
        return None
    before = {a.item: a.marks for a in original}
    after = {item: marks for (item, _, _), marks in changed.items()}
    lines = source.text.split("\n")
    for number, line in enumerate(lines, 1):
        entry = json.loads(line) if line.strip() else {}
        item = str(entry.get("item", entry.get("id", number)))
        if not entry or item not in after:
            continue
        old = list(doccano_spans(source, number, entry))
        edits = span_edits(entry["text"], old, before[item], after[item])
        if edits is None:
            return None
        key = next(key for key in LABEL_KEYS if key in entry)
        listed = entry[key] if isinstance(entry[key], list) else [entry[key]]
        gone = {part.get("id") for i, part in enumerate(listed) if i in edits.deleted and isinstance(part, dict)}
        as_dicts = any(isinstance(part, dict) for part in listed)
        unread = set(range(len(listed))) - set(edits.old_of.values()) - edits.deleted
        entry[key] = [listed[i] for i in sorted(unread)]
        for j, (start, end, label) in enumerate(edits.spans):
            former = listed[edits.old_of[j]] if j in edits.old_of else {"id": _next_id(listed)} if as_dicts else None
            if isinstance(former, dict):
                entry[key].append({**former, "label": label, "start_offset": start, "end_offset": end})
            else:
                entry[key].append([start, end, label])
        if isinstance(entry.get("relations"), list) and gone:
            kept = [r for r in entry["relations"] if not {r.get("from_id"), r.get("to_id")} & gone]
            note_deleted(len(entry["relations"]) - len(kept), "relation")
            entry["relations"] = kept
        lines[number - 1] = json.dumps(entry, ensure_ascii=line.isascii() and "\\u" in line)
    return encode_like(source, "\n".join(lines))


def _next_id(listed: Sequence[Any]) -> int:
    ids = [part.get("id") for part in listed if isinstance(part, dict)]
    return max((each for each in ids if isinstance(each, int)), default=0) + 1


def structure_doccano(source: Source) -> dict[str, int]:
    """Count relations and comments."""
    counted: Counter[str] = Counter()
    for line in filter(str.strip, source.text.split("\n")):
        entry = json.loads(line)
        for key, word in (("relations", "relation"), ("Comments", "comment"), ("comments", "comment")):
            counted[word] += len(entry[key]) if isinstance(entry.get(key), list) else 0
    return counted


# ---------------------------------------------------------------------- label-studio


def merge_label_studio(source: Source, original: Corpus, corpus: Corpus, *, text: str | None = None) -> bytes | None:
    """Return Label Studio's tasks with other spans; other results, predictions and fields stay, relations of deleted spans go."""
    return _merge_tasks(source, original, corpus, lambda task, number: text_of_task(source, task, number, text))


def merge_label_studio_sound(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return Label Studio's tasks with other regions, as :func:`merge_label_studio`."""
    return _merge_tasks(source, original, corpus, lambda task, number: (item_of_task(source, task, number), None))


def _merge_tasks(
    source: Source, original: Corpus, corpus: Corpus, read: Callable[[Any, int], tuple[str, str | None]]
) -> bytes | None:
    """Edit the tasks; ``read`` returns the item and the text of a task, None for a recording."""
    changed = changed_marks(original, corpus)
    if changed is None or set(corpus.items) != set(original.items):
        return None
    before = {(a.item, a.coder): a.marks for a in original}
    tasks: Any = load_json(source)
    for number, task in enumerate(tasks, 1):
        item, content = read(task, number)
        left = {coder: marks for (own, coder, _), marks in changed.items() if own == item}
        for annotation in task.get("annotations") or []:
            coder = coder_of_annotation(annotation.get("completed_by"))
            if annotation.get("was_cancelled") or coder not in left:
                continue
            marks = left.pop(coder)
            results = _edited_results(source, annotation["result"], number, content, before.get((item, coder)), marks)
            if results is None:
                return None
            annotation["result"] = results
        for coder, marks in left.items():  # of a coder who has none of this task
            listed = task.setdefault("annotations", [])
            like: Sequence[Any] = next((each["result"] for each in listed if each.get("result")), [])
            results = _edited_results(source, [], number, content, None, marks, like)
            if results is None:
                return None
            used = [each.get("id") for each in listed if isinstance(each.get("id"), int)]
            listed.append({"id": max(used, default=0) + 1, "completed_by": {"email": coder}, "result": results})
    whole = source.text
    ascii_only = whole.isascii() and "\\u" in whole
    written = json.dumps(tasks, ensure_ascii=ascii_only, indent=indent_of(whole))
    return encode_like(source, written + "\n" * whole.endswith("\n"))


def _edited_results(
    source: Source,
    results: list[Any],
    number: int,
    content: str | None,
    before: Marks | None,
    after: Marks,
    like: Sequence[Any] = (),
) -> list[Any] | None:
    """Return the results of an annotation with other spans."""
    length = None if content is None else len(content)
    chosen = {id(each) for each in (regions(results) if content is None else results)}
    spans = [label_studio_spans(source, each, number, length) if id(each) in chosen else [] for each in results]
    places = [i for i, found in enumerate(spans) if found]
    old = [spans[i][0] for i in places]
    edits = _edits_in_time(old, before, after) if content is None else span_edits(content, old, before, after)
    if edits is None:
        return None
    gone = {results[places[i]].get("id") for i in edits.deleted}
    kept_results: list[Any] = []
    for i, result in enumerate(results):
        ends = {result.get(key) for key in ("id", "from_id", "to_id")} if isinstance(result, dict) else set()
        if not (i in places and places.index(i) in edits.deleted) and not ends & gone - {None}:
            kept_results.append(result)
    note_deleted(len(results) - len(kept_results) - len(gone), "relation")
    model = next((r for r in (*results, *like) if label_studio_spans(source, r, number, None)), None)
    for j, (start, end, label) in enumerate(edits.spans):
        result = (
            results[places[edits.old_of[j]]]
            if j in edits.old_of
            else _new_result(model, content is None, len(kept_results))
        )
        value = result["value"]
        key = next((k for k in ("labels", "hypertextlabels", "choices") if k in value), "labels")
        if j not in edits.old_of or old[edits.old_of[j]] != (start, end, label):
            value |= {"start": start, "end": end}
            if label != "segment" or key in value:
                value[key] = [label, *(value.get(key) or [])[1:]] if j in edits.old_of else [label]
            if content is not None:
                value["text"] = content[int(start) : int(end)]
            else:  # transcriptions and choices of the region
                own = result.get("id")
                for each in results if j in edits.old_of and own is not None else ():
                    if isinstance(each, dict) and each.get("id") == own and isinstance(each.get("value"), dict):
                        each["value"] |= {"start": start, "end": end}
        if j not in edits.old_of:
            kept_results.append(result)
    return kept_results


def _edits_in_time(old: Sequence[Any], before: Marks | None, after: Marks) -> SpanEdits | None:
    """Compare regions of a recording with other spans."""
    from caesura.formats.editing import require_linear
    from caesura.formats.speech.intervals import segments

    new = [(start, end, label or "segment") for start, end, label in segments(require_linear(after))]
    known = 0 if before is None else len(list(segments(require_linear(before))))
    if known != len(old):
        return None
    matched = match_spans(old, new)
    return SpanEdits(new, matched, set(range(len(old))) - set(matched.values()))  # type: ignore[arg-type]


def _new_result(model: Any, seconds: bool, number: int) -> dict[str, Any]:
    """Return an empty result like another one, or as Label Studio's templates name it."""
    if model is not None:
        value = {k: v for k, v in model["value"].items() if k in ("channel", "original_length")}
        kept = {k: v for k, v in model.items() if k in ("type", "from_name", "to_name", "original_length")}
        return {"id": f"new{number + 1}", **kept, "value": value}
    to = "audio" if seconds else "text"
    return {"id": f"new{number + 1}", "type": "labels", "from_name": "label", "to_name": to, "value": {}}


def structure_label_studio(source: Source) -> dict[str, int]:
    """Count relations, results without a label, and predictions."""
    counted: Counter[str] = Counter()
    for task in load_json(source):
        counted["prediction"] += len(task.get("predictions") or [])
        for annotation in task.get("annotations") or []:
            for result in annotation.get("result") or []:
                if isinstance(result, dict):
                    value = result.get("value")
                    spanned = isinstance(value, dict) and "labels" in value
                    counted["relation"] += result.get("type") == "relation"
                    counted["result without a label"] += result.get("type") != "relation" and not spanned
    return counted


BRAT = SimpleNamespace(merge=merge_brat, structure=structure_brat)
DOCCANO = SimpleNamespace(merge=merge_doccano, structure=structure_doccano)
LABEL_STUDIO = SimpleNamespace(merge=merge_label_studio, structure=structure_label_studio)
LABEL_STUDIO_SOUND = SimpleNamespace(merge=merge_label_studio_sound, structure=structure_label_studio)
