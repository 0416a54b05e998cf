"""Store files that were read: each completely or not at all, with what they add to the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError
from caesura_workbench import rows
from caesura_workbench.imports import ImportOptions, ParsedFile
from caesura_workbench.permissions import current_action, describe_action
from caesura_workbench.project_schema import LabelUse, ProjectSchema, check_new_labels
from caesura_workbench.rows import AddedRows, ItemRecord, StoreError
from caesura_workbench.schemas import Schemas, corpus_use
from caesura_workbench.store import Store


@dataclass(frozen=True)
class ImportRequest:
    """How files are to be stored: raw texts as items of this ``kind``, annotations in this ``role``; ``propose`` adds new labels, types and tiers to the schema.

    Without ``kind``, raw texts are annotated as the schema says.
    """

    options: ImportOptions
    kind: str | None = None
    role: str = "coder"
    propose: bool = True


def _no_step(done: int, total: int, text: str) -> None:
    return None


def import_files(
    store: Store,
    project: int,
    parts: list[ParsedFile],
    request: ImportRequest,
    step: Callable[[int, int, str], None] = _no_step,
) -> dict[str, Any]:
    """Add files to a project and return what was added and which files could not be; ``step`` is told the progress.

    Every file is a transaction of its own, so that edits go on meanwhile. If ``step`` raises an error, files before it stay imported.
    """
    schemas = Schemas(store, project)
    schema = schemas.current().schema
    kind = request.kind or schema.raw_kind()
    describe_action(_list_files(parts))
    errors: list[dict[str, Any]] = []
    added, texts = AddedRows([], []), 0
    imported: list[ParsedFile] = []
    try:
        for number, part in enumerate(parts):
            step(number, len(parts), f"{number:,} of {len(parts):,} files, {len(added.annotations):,} annotations")
            try:
                new = _add(store, project, schema, part, request, kind)
            except StoreError as error:
                before = f" Files imported before it: {len(imported):,}." if imported else ""
                raise StoreError(f"{part.file}: {error}{before}") from None
            except CaesuraError as error:
                errors.append({"file": part.file, "line": getattr(error, "line", None), "error": str(error)})
                continue
            current_action.set(None)  # the audit log has one line for all files, written with the first
            texts += part.corpus is None
            added = AddedRows(added.items + new.items, added.annotations + new.annotations)
            imported.append(part)
    finally:
        if request.propose and imported:
            schemas.accept(count_use(imported, kind), **schema_facts(request.options, imported))
    if errors and not (added.items or added.annotations):
        raise CaesuraError(" ".join(error["error"] for error in errors[:3]))
    return {
        "annotations": len(added.annotations),
        "texts": texts,
        "faults": errors,
        "made": added._asdict(),
        "notes": list_notes(parts),
    }


def _list_files(parts: list[ParsedFile]) -> str:
    names = list(dict.fromkeys(part.file for part in parts))
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more files" if len(names) > 3 else "")


def _add(
    store: Store, project: int, schema: ProjectSchema, part: ParsedFile, request: ImportRequest, kind: str
) -> AddedRows:
    if part.error is not None:
        raise part.error
    options = request.options
    if part.corpus is None:
        language = options.language or schema.language
        about = {"language": language} if language else {}
        given: dict[str, Any] = {"kind": kind, "attributes": about, "paragraphs": part.paragraphs}
        return AddedRows([store.add_text(project, part.item, part.units, **given)], [])
    if not request.propose:
        for annotation in part.corpus:
            marks = annotation.marks
            check_new_labels(schema, rows.item_kind(marks), annotation.track, None, marks)
    origin = ", ".join([f"file {part.file}", *([f"anchored ({part.anchored})"] if part.anchored else [])])
    return store.add_corpus(project, part.corpus, origin=origin, role=request.role, join=options.join)


def count_use(parts: list[ParsedFile], kind: str) -> LabelUse:
    """Count the labels, types and tiers that files use; raw texts are of this kind."""
    use = corpus_use(part.corpus for part in parts if part.corpus is not None)
    if any(part.corpus is None and part.error is None for part in parts):
        use.add_item(kind, "")
    return use


def schema_facts(options: ImportOptions, parts: list[ParsedFile]) -> dict[str, Any]:
    """Return what import options say about the schema of a project."""
    raw = any(part.corpus is None and part.error is None for part in parts)
    return {"unit": options.unit or (options.unmarked if raw else None), "language": options.language}


def refuse_other_texts(parts: list[ParsedFile], known: Iterable[ItemRecord]) -> list[ParsedFile]:
    """Give the files that an import would refuse, because an item of the project has another text or kind, their error."""
    there = {(item.name, item.track): item for item in known}
    checked = []
    for part in parts:
        firsts = {(each.item, each.track): each.marks for each in reversed(list(part.corpus or ()))}
        try:
            for key, marks in firsts.items():
                if key in there:
                    rows.merge_annotation(there[key], marks)
        except CaesuraError as error:
            checked.append(ParsedFile(part.file, error=error))
        else:
            checked.append(part)
    return checked


def list_notes(parts: list[ParsedFile]) -> list[dict[str, str]]:
    """Return the notes of readers on content that they skipped or changed."""
    return [{"file": part.file, "note": note} for part in parts for note in part.notes]
