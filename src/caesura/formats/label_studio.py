"""Label Studio's JSON export: tasks with a text, and for every annotator the labelled spans."""

from __future__ import annotations

import json
from typing import Any, Unpack

from caesura.files import Source, load_json
from caesura.formats.standoff import Marked, Span, StandoffOptions, Unit, join_units, read_standoff, spans_of
from caesura.model import Corpus


def sniff(head: str) -> bool:
    """Recognise tasks with results."""
    return '"annotations"' in head and '"result"' in head and '"data"' in head


def read(
    source: Source, *, unit: Unit | None = None, text: str | None = None, **standoff: Unpack[StandoffOptions]
) -> Corpus:
    """Read every annotator's spans of every task; cancelled annotations are passed over.

    Parameters
    ----------
    unit
        What a unit of the text is.
    text
        The field of ``data`` that holds the text (default: ``text``, or the only one there is).
    """
    tasks = load_json(source)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise source.fault(None, "expected a list of tasks.")
    texts = []
    for number, task in enumerate(tasks, 1):
        item, content = _task(source, task, number, text)
        for annotation in task.get("annotations") or []:
            if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
                raise source.fault(None, f"task {number}: an annotation has no list of results.")
            if annotation.get("was_cancelled"):
                continue
            spans = [s for result in annotation["result"] for s in _spans(source, result, number, len(content))]
            coder = _coder(annotation.get("completed_by"))
            texts.append(Marked(item, coder, content, spans, _faults(source, item, coder)))
    if not texts:
        raise source.fault(None, "no task is annotated.")
    return read_standoff(texts, unit=unit, **standoff)


def write(corpus: Corpus, *, unit: Unit | None = None) -> str:
    """Write one task per item, one annotation per coder; names are kept in ``data.item`` and ``completed_by.email``."""
    tasks: dict[str, dict[str, Any]] = {}
    for a in corpus:
        text, starts = join_units(a.marks, unit)
        task = tasks.setdefault(
            a.item, {"id": len(tasks) + 1, "data": {"text": text, "item": a.item}, "annotations": []}
        )
        task["annotations"].append(
            {
                "id": len(task["annotations"]) + 1,
                "completed_by": {"email": a.coder},
                "result": [_result(text, span, n) for n, span in enumerate(spans_of(a.marks, starts), 1)],
            }
        )
    return json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"


def _result(text: str, span: Span, number: int) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": f"s{number}", "type": "labels", "from_name": "label", "to_name": "text", "value": value}


def _task(source: Source, task: dict[str, Any], number: int, field: str | None) -> tuple[str, str]:
    data = task.get("data")
    if not isinstance(data, dict):
        raise source.fault(None, f'task {number} has no "data".')
    texts = {name: value for name, value in data.items() if isinstance(value, str)}
    name = field or ("text" if "text" in texts else next(iter(texts), "") if len(texts) == 1 else "")
    if name not in texts:
        has = f"it has {', '.join(texts)}: name one with text=" if texts else "its data holds no string"
        raise source.fault(None, f"task {number} has no text{f' {name!r}' if name else ''}; {has}.")
    return str(data.get("item", task.get("id", number))), texts[name]


def _spans(source: Source, result: Any, number: int, length: int) -> list[Span]:
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict) or not {"start", "end"} <= value.keys():
        return []
    start, end = value["start"], value["end"]
    labels = next((value[key] for key in ("labels", "hypertextlabels", "choices") if value.get(key)), ["segment"])
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise source.fault(
            None, f"task {number}: the span {start!r}–{end!r} lies outside the text of {length} characters."
        )
    return [(start, end, str(label)) for label in labels[:1]]


def _coder(who: Any) -> str:
    if isinstance(who, dict):
        return str(next((who[key] for key in ("email", "username", "id") if who.get(key) is not None), ""))
    return "" if who is None else str(who)


def _faults(source: Source, item: str, coder: str) -> Any:
    return lambda why: source.fault(None, f"item {item!r}, coder {coder!r}: {why}")
