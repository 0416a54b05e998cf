"""The schema of a project: what is marked, in which units, with which labels, types and tiers, and when suggestions are shown.

Every project has one. A new project's schema is open: any label, type and tier may be used. Versions are counted from 1 and kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from caesura.errors import CaesuraError
from caesura.model import Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.text import pluralize
from caesura_workbench.characters import check_name
from caesura_workbench.requests import RequestBody, Unit

#: What annotators mark; the kinds of items that belong to each are in `KINDS_OF_ITEMS`.
SchemaKind = Literal["boundaries", "spans", "nested", "recording"]
KINDS_OF_ITEMS: dict[str, SchemaKind] = {
    "units": "boundaries",
    "spans": "spans",
    "nested": "nested",
    "time": "recording",
    "spans in time": "recording",
}
Holds = Literal["boundaries", "names", "spans"]

#: Colours of labels are numbered; the design has ten.
COLOURS = 10
_DIGITS = "1234567890"
_MAX_LABELS = 200

_MAX_NAME = 200
LabelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_NAME)]


class Label(RequestBody):
    """A label of spans, a type of boundaries, or a name of segments.

    ``number`` is its colour, without one the first that no other label of the list has, and ``key`` the key that sets it; both stay as they are when
    other labels come or go. A ``retired`` label is valid where it is used, but no longer offered. ``was`` is the former name of a label that is
    renamed; it is never stored.
    """

    name: LabelName
    number: Annotated[int, Field(ge=1, le=COLOURS)] = 1
    key: Annotated[str, StringConstraints(max_length=1)] = ""
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    retired: bool = False
    was: LabelName | None = None


class Tier(RequestBody):
    """A track of recordings: what it holds, its labels, and the tier whose segments its own divide.

    With ``open``, labels beyond those listed may be used.
    """

    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_MAX_NAME)]
    holds: Holds = "names"
    parent: str | None = None
    labels: Annotated[list[Label], Field(max_length=_MAX_LABELS)] = []
    open: bool = True
    was: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_MAX_NAME)] | None = None


class SuggestionPolicy(RequestBody):
    """When annotators see suggestions, whose, and how sure these must be.

    ``by`` is "segmenter:NAME", "system:NAME", "restorer:NAME", or "" where the annotator chooses. ``at_least`` applies to suggestions that have a probability.
    """

    policy: Literal["none", "after-first-pass", "from-start"] = "from-start"
    by: Annotated[str, StringConstraints(max_length=520)] = ""
    at_least: Annotated[float, Field(ge=0, le=1)] = 0.0
    all_at_once: bool = True

    @field_validator("by")
    @classmethod
    def _check_source(cls, by: str) -> str:
        sort, colon, name = by.partition(":")
        if by and not (sort in ("segmenter", "system", "restorer") and colon and name):
            raise ValueError("expected segmenter:NAME, system:NAME, restorer:NAME or nothing")
        return by


class ProjectSchema(RequestBody):
    """What annotators of a project mark, and with what."""

    kinds: Annotated[list[SchemaKind], Field(max_length=4)] = []
    unit: Unit | None = None
    language: Annotated[str, StringConstraints(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", max_length=35)] = ""
    types: Annotated[list[Label], Field(max_length=_MAX_LABELS)] = []
    open_types: bool = True
    labels: Annotated[list[Label], Field(max_length=_MAX_LABELS)] = []
    open_labels: bool = True
    tiers: Annotated[list[Tier], Field(max_length=_MAX_LABELS)] = []
    suggestions: SuggestionPolicy = SuggestionPolicy()

    @model_validator(mode="after")
    def _check(self) -> ProjectSchema:
        if len(set(self.kinds)) < len(self.kinds):
            raise ValueError("a kind is listed twice")
        for where, listed in self.label_lists().items():
            _number(listed)
            _check_labels(where, listed)
        _check_tiers(self.tiers)
        return self

    def label_lists(self) -> dict[str, list[Label]]:
        """Return all lists of labels by where they are: "types", "labels" and "tier NAME"."""
        return {
            "types": self.types,
            "labels": self.labels,
            **{f"tier {tier.name}": tier.labels for tier in self.tiers},
        }

    def tier(self, track: str) -> Tier | None:
        """Return the tier of a track, or None if the schema does not have it."""
        return next((tier for tier in self.tiers if tier.name == track), None)

    def for_item(self, kind: str, track: str) -> ItemLabels:
        """Return the labels and types that apply to items of this kind and track."""
        if kind == "units":
            return ItemLabels(types=self.types, open_types=self.open_types)
        if kind == "spans":
            return ItemLabels(labels=self.labels, open_labels=self.open_labels)
        tier = self.tier(track)
        if kind == "nested" or tier is None:
            return ItemLabels()
        if tier.holds == "boundaries":
            return ItemLabels(types=tier.labels, open_types=tier.open)
        return ItemLabels(labels=tier.labels, open_labels=tier.open)

    def raw_kind(self) -> str:
        """Return the kind of new items from raw texts: what the project marks first of what can be marked in texts, and without any, boundaries."""
        marked = [kind for kind in self.kinds if kind != "recording"]
        return next(item for item, kind in KINDS_OF_ITEMS.items() if kind == (marked or ["boundaries"])[0])

    def stored(self) -> str:
        """Return the schema as it is stored: without former names."""
        return json.dumps(
            self.model_dump(exclude={"types": _WAS, "labels": _WAS, "tiers": _TIER_WAS}), ensure_ascii=False
        )


_WAS: Any = {"__all__": {"was"}}
_TIER_WAS: Any = {"__all__": {"was": True, "labels": _WAS}}


@dataclass(frozen=True)
class ItemLabels:
    """The labels and types that apply to an item."""

    types: list[Label] = field(default_factory=list)
    open_types: bool = True
    labels: list[Label] = field(default_factory=list)
    open_labels: bool = True


def _first_free(numbers: set[int], length: int) -> int:
    return next((n for n in range(1, COLOURS + 1) if n not in numbers), length % COLOURS + 1)


def _number(listed: list[Label]) -> None:
    """Give labels that came without a number one, in place."""
    taken = {label.number for label in listed if "number" in label.model_fields_set}
    for i, label in enumerate(listed):
        if "number" not in label.model_fields_set:
            listed[i] = label.model_copy(update={"number": _first_free(taken, i)})
            taken.add(listed[i].number)


def _check_labels(where: str, listed: list[Label]) -> None:
    for what, values in (
        ("name", [label.name for label in listed]),
        ("key", [label.key.lower() for label in listed if label.key and not label.retired]),
        ("former name", [label.was for label in listed if label.was is not None]),
    ):
        twice = [value for value, many in Counter(values).items() if many > 1]
        if twice:
            raise ValueError(f"{where}: the {what} {twice[0]!r} is given twice")
    for label in listed:
        if label.key and not (label.key.isalnum() and label.key.isprintable()):
            raise ValueError(f"{where}: the key of {label.name!r} must be a digit or a letter, not {label.key!r}")


def _check_tiers(tiers: list[Tier]) -> None:
    names = [tier.name for tier in tiers]
    if len(set(names)) < len(names):
        raise ValueError(f"the tier {next(name for name in names if names.count(name) > 1)!r} is given twice")
    parents = {tier.name: tier.parent for tier in tiers}
    for tier in tiers:
        if tier.parent is not None and tier.parent not in parents:
            raise ValueError(f"tier {tier.name!r} lies in {tier.parent!r}, which is no tier")
        seen, above = {tier.name}, tier.parent
        while above is not None:
            if above in seen:
                raise ValueError(f"tier {tier.name!r} would lie in itself")
            seen.add(above)
            above = parents[above]


@lru_cache(maxsize=64)
def parse_schema(stored: str) -> ProjectSchema:
    """Parse a stored schema; cached, so it must not be changed."""
    return ProjectSchema.model_validate_json(stored)


# ---------------------------------------------------------------------- checking annotations


def check_new_labels(schema: ProjectSchema, kind: str, track: str, before: Marks | None, after: Marks) -> None:
    """Raise an error if marks have labels, types or names that the schema does not have and that were not there before."""
    allowed = schema.for_item(kind, track)
    for what, listed, is_open, used in (
        ("type", allowed.types, allowed.open_types, used_types),
        ("label", allowed.labels, allowed.open_labels, used_labels),
    ):
        if is_open:
            continue
        new = used(after).keys() - (set() if before is None else used(before).keys())
        unknown = sorted(new - {label.name for label in listed} - {""})
        if unknown:
            offered = [label.name for label in listed if not label.retired]
            fitting = f"use one of {', '.join(offered)}" if offered else "it has none"
            raise CaesuraError(f"the schema of this project has no {what} {unknown[0]!r}; {fitting}.")


def used_types(marks: Marks) -> Counter[str]:
    """Count the types of boundaries; integer types by their digits."""
    if not isinstance(marks, Segmentation) or not marks.typed:
        return Counter()
    return Counter(str(kind) for _, kind in marks.marks)


def used_labels(marks: Marks) -> Counter[str]:
    """Count the labels of spans, or the names of the segments of a recording."""
    if isinstance(marks, Spans):
        return Counter(name for name in marks.names if name is not None)
    if isinstance(marks, Segmentation) and marks.timed and marks.names is not None:
        return Counter(name for name in marks.names if name)
    return Counter()


def with_schema_types(schema: ProjectSchema, kind: str, track: str, marks: Marks) -> Marks:
    """Return an annotation without boundaries as a typed one where the schema has types; others are unchanged."""
    types = schema.for_item(kind, track).types if kind in ("units", "time") else []
    if not types or not isinstance(marks, Segmentation) or marks.typed or len(marks.positions):
        return marks
    return Segmentation(marks.length, [], [], [label.name for label in types], marks.units, marks.names)


# ---------------------------------------------------------------------- proposing a schema


@dataclass
class LabelUse:
    """What annotations use: labels, types and tiers, in the order in which they were found."""

    kinds: dict[SchemaKind, None] = field(default_factory=dict)
    types: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    tiers: dict[str, Holds] = field(default_factory=dict)
    tier_labels: dict[str, Counter[str]] = field(default_factory=dict)
    annotations: int = 0
    tier_annotations: Counter[str] = field(default_factory=Counter)

    def add_item(self, kind: str, track: str) -> None:
        """Count an item without annotations."""
        self.kinds.setdefault(KINDS_OF_ITEMS[kind])
        if KINDS_OF_ITEMS[kind] == "recording":
            self.tiers.setdefault(track, "spans" if kind == "spans in time" else "boundaries")
            self.tier_labels.setdefault(track, Counter())

    def add(self, kind: str, track: str, packed: Mapping[str, Any]) -> None:
        """Count one annotation, given as it is stored (see `caesura_workbench.rows.pack_marks`)."""
        self.add_item(kind, track)
        self.annotations += 1
        types, labels = _packed_types(packed), _packed_labels(kind, packed)
        if KINDS_OF_ITEMS[kind] == "recording":
            self.tier_annotations[track] += 1
            if kind == "time" and "names" in packed and not types:
                self.tiers[track] = "names"
            self.tier_labels[track].update(types if self.tiers[track] == "boundaries" else labels)
        else:
            self.types.update(types)
            self.labels.update(labels)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "annotations": self.annotations,
            "types": dict(self.types),
            "labels": dict(self.labels),
            "tiers": {
                name: {"annotations": self.tier_annotations[name], "labels": dict(counts)}
                for name, counts in self.tier_labels.items()
            },
        }

    @classmethod
    def total(cls, parts: Iterable[LabelUse]) -> LabelUse:
        """Return the counts of several groups of annotations."""
        total = cls()
        for part in parts:
            total.join(part)
        return total

    def join(self, other: LabelUse) -> None:
        """Add the counts of other annotations."""
        self.kinds.update(other.kinds)
        self.tiers.update({name: holds for name, holds in other.tiers.items() if self.tiers.get(name) != "names"})
        self.annotations += other.annotations
        for mine, theirs in (
            (self.types, other.types),
            (self.labels, other.labels),
            (self.tier_annotations, other.tier_annotations),
        ):
            mine.update(theirs)
        for name, counts in other.tier_labels.items():
            self.tier_labels.setdefault(name, Counter()).update(counts)


def _packed_types(packed: Mapping[str, Any]) -> Counter[str]:
    types, labels = packed.get("types"), packed.get("labels")
    if types is None:
        return Counter()
    used = Counter(str(labels[code] if labels else code) for code in types)
    # labels of an annotation that has none of them yet are its types, too
    return Counter({**dict.fromkeys(map(str, labels or ()), 0), **used})


def _packed_labels(kind: str, packed: Mapping[str, Any]) -> Counter[str]:
    if kind.startswith("spans"):
        used = Counter(row[2] for row in packed["spans"] if row[2] is not None)
        return Counter({**dict.fromkeys(packed.get("labels") or (), 0), **used})
    return Counter(name for name in packed.get("names") or () if name) if kind == "time" else Counter()


#: A recording's tier with more different names than this has free names, such as the words that are spoken.
_MAX_NAMES = 50


def propose(schema: ProjectSchema, use: LabelUse, *, unit: Unit | None = None, language: str = "") -> ProjectSchema:
    """Return the schema with everything that annotations use and that it lacks; what it has stays as it is."""
    tiers = [
        tier.model_copy(
            update={"labels": extend_labels(tier.labels, _names_if_few(use.tier_labels.get(tier.name, Counter())))}
        )
        for tier in schema.tiers
    ]
    known = {tier.name for tier in tiers}
    for name, holds in use.tiers.items():
        if name not in known and _can_be_listed(name):
            tiers.append(Tier(name=name, holds=holds, labels=extend_labels([], _names_if_few(use.tier_labels[name]))))
    return schema.model_copy(
        update={
            "kinds": list(dict.fromkeys((*schema.kinds, *use.kinds))),
            "unit": schema.unit or unit,
            "language": schema.language or language,
            "types": extend_labels(schema.types, use.types),
            "labels": extend_labels(schema.labels, _names_if_few(use.labels, _MAX_LABELS)),
            "tiers": tiers[:_MAX_LABELS],
        }
    )


def _names_if_few(used: Counter[str], most: int = _MAX_NAMES) -> Iterable[str]:
    return used if len(used) <= most else ()


def _can_be_listed(name: str) -> bool:
    """Whether a schema can list a name; annotations may use others where the schema is open."""
    return len(name) <= _MAX_NAME and name == name.strip()


def extend_labels(labels: list[Label], used: Iterable[str]) -> list[Label]:
    """Return labels with new ones appended, each with the next free number and key."""
    extended = list(labels)
    names = {label.name for label in labels}
    for name in dict.fromkeys(used):
        if name in names or not name or not _can_be_listed(name) or len(extended) >= _MAX_LABELS:
            continue
        numbers, keys = {label.number for label in extended}, {label.key for label in extended}
        number = _first_free(numbers, len(extended))
        key = next((digit for digit in _DIGITS if digit not in keys), "")
        extended.append(Label(name=name, number=number, key=key))
    return extended


# ---------------------------------------------------------------------- changes between versions


@dataclass(frozen=True)
class SchemaChange:
    """One difference between two versions, with the number of marks that it concerns."""

    kind: Literal["added", "removed", "renamed", "retired", "changed"]
    list: str
    name: str
    was: str | None
    count: int
    text: str


_MARKS = {"types": "mark", "labels": "span"}


def compare_schemas(before: ProjectSchema, after: ProjectSchema, use: LabelUse) -> tuple[list[SchemaChange], list[str]]:
    """Return what changes from one schema to the next, in numbers, and the reasons why it cannot be saved."""
    changes: list[SchemaChange] = []
    problems: list[str] = []
    former_tiers = {tier.was or tier.name: tier.name for tier in after.tiers}
    lists = [
        ("types", before.types, after.types, use.types),
        ("labels", before.labels, after.labels, use.labels),
        *(
            (f"tier {new}", old.labels if old else [], tier.labels, use.tier_labels.get(was, Counter()))
            for was, new in former_tiers.items()
            for old, tier in ((before.tier(was), after.tier(new)),)
            if tier is not None
        ),
    ]
    for where, old_labels, new_labels, counts in lists:
        _compare_labels(where, old_labels, new_labels, counts, changes, problems)
    _compare_tiers(before, after, use, former_tiers, changes, problems)
    changes += [
        SchemaChange("changed", name, name, None, 0, _describe_setting(name, after))
        for name in ("kinds", "unit", "language", "open_types", "open_labels", "suggestions")
        if getattr(before, name) != getattr(after, name)
    ]
    if before.unit is not None and after.unit != before.unit and use.annotations:
        problems.append(f"the unit is fixed once an annotation is begun, and {use.annotations:,} are.")
    return changes, [*problems, *_unusable_names(changes)]


def _unusable_names(changes: Iterable[SchemaChange]) -> Iterator[str]:
    """Yield why new names cannot be used; former ones and those of imported files stay valid."""
    for change in changes:
        if change.kind in ("added", "renamed"):
            try:
                check_name(change.name)
            except ValueError as error:
                yield f"{change.name!r}: {error}."


def _compare_labels(
    where: str,
    before: list[Label],
    after: list[Label],
    counts: Counter[str],
    changes: list[SchemaChange],
    problems: list[str],
) -> None:
    marks = _MARKS.get(where, "mark")
    old = {label.name: label for label in before}
    kept = {label.was if label.was is not None else label.name for label in after}
    for label in after:
        was = label.was if label.was is not None else label.name
        many = counts[was]
        if was not in old and was != label.name and was not in counts:
            problems.append(f"there is no {was!r} to rename among the {where}.")
        elif was != label.name:
            if label.name in old and label.name not in {each.was for each in after} and counts[label.name]:
                problems.append(f"{label.name!r} is used already; {was!r} cannot get the same name.")
            text = f"“{was}” is now {label.name} in {pluralize(many, marks)}."
            changes.append(SchemaChange("renamed", where, label.name, was, many, text))
        elif was not in old:
            changes.append(SchemaChange("added", where, label.name, None, many, f"{label.name} is new."))
        elif label.retired and not old[was].retired:
            text = f"{label.name} is no longer offered; {pluralize(many, marks)} with it stay."
            changes.append(SchemaChange("retired", where, label.name, None, many, text))
        elif label != old[was]:
            changes.append(SchemaChange("changed", where, label.name, None, many, f"{label.name} is changed."))
    for name in old:
        if name not in kept:
            if counts[name]:
                problems.append(f"{name!r} is used in {pluralize(counts[name], marks)}; rename or retire it instead.")
            changes.append(SchemaChange("removed", where, name, None, counts[name], f"{name} is removed."))


def _compare_tiers(
    before: ProjectSchema,
    after: ProjectSchema,
    use: LabelUse,
    former: dict[str, str],
    changes: list[SchemaChange],
    problems: list[str],
) -> None:
    old = {tier.name: tier for tier in before.tiers}
    for was, name in former.items():
        many = use.tier_annotations[was]
        if was != name:
            if was not in old and was not in use.tiers:
                problems.append(f"there is no tier {was!r} to rename.")
            text = f"The tier “{was}” is now {name} in {pluralize(many, 'annotation')}."
            changes.append(SchemaChange("renamed", "tiers", name, was, many, text))
        elif was not in old:
            changes.append(SchemaChange("added", "tiers", name, None, many, f"The tier {name} is new."))
        else:
            mine, theirs = (
                tier.model_dump(exclude={"labels", "was"}) for tier in (old[was], after.tier(name) or old[was])
            )
            if mine != theirs:
                changes.append(SchemaChange("changed", "tiers", name, None, many, f"The tier {name} is changed."))
            if mine["holds"] != theirs["holds"] and many:
                problems.append(
                    f"tier {name!r} holds {mine['holds']} in {pluralize(many, 'annotation')}; make another tier for {theirs['holds']}."
                )
    for name in old.keys() - former.keys():
        many = use.tier_annotations[name]
        if many:
            problems.append(f"the tier {name!r} has {pluralize(many, 'annotation')} and cannot be removed.")
        changes.append(SchemaChange("removed", "tiers", name, None, many, f"The tier {name} is removed."))


def _describe_setting(name: str, schema: ProjectSchema) -> str:
    described: dict[str, Callable[[], str]] = {
        "kinds": lambda: f"What is marked: {', '.join(schema.kinds) or 'anything'}.",
        "unit": lambda: f"The unit is {schema.unit or 'not fixed'}.",
        "language": lambda: f"The language is {schema.language or 'not given'}.",
        "open_types": lambda: f"Annotators may {'' if schema.open_types else 'not '}add types.",
        "open_labels": lambda: f"Annotators may {'' if schema.open_labels else 'not '}add labels.",
        "suggestions": lambda: f"Suggestions: {_POLICIES[schema.suggestions.policy]}.",
    }
    return described[name]()


_POLICIES = {"none": "none", "after-first-pass": "after a first pass", "from-start": "from the start"}


# ---------------------------------------------------------------------- renaming labels in annotations


@dataclass(frozen=True)
class Renames:
    """Former and new names of labels, by list, and of tiers."""

    types: dict[str, str]
    labels: dict[str, str]
    tiers: dict[str, str]
    tier_labels: dict[str, dict[str, str]]  # by the former name of the tier

    @classmethod
    def of(cls, schema: ProjectSchema) -> Renames:
        """Return the renames that a schema asks for."""
        return cls(
            _new_names(schema.types),
            _new_names(schema.labels),
            {tier.was: tier.name for tier in schema.tiers if tier.was is not None and tier.was != tier.name},
            {tier.name if tier.was is None else tier.was: _new_names(tier.labels) for tier in schema.tiers},
        )

    def labels_and_types(self) -> set[str]:
        """Return all former names of labels and types."""
        return {was for names in (self.types, self.labels, *self.tier_labels.values()) for was in names}

    def for_item(self, kind: str, track: str) -> dict[str, str]:
        """Return the renames of labels and types that apply to items of this kind and track."""
        return {"units": self.types, "spans": self.labels, "nested": {}}.get(kind, self.tier_labels.get(track, {}))


def _new_names(labels: list[Label]) -> dict[str, str]:
    return {label.was: label.name for label in labels if label.was is not None and label.was != label.name}


def rename_in_marks(packed: str, names: Mapping[str, str]) -> str:
    """Return stored marks with labels, types and names replaced."""
    data = json.loads(packed)
    if "spans" in data:
        data["spans"] = [[start, end, names.get(label, label)] for start, end, label in data["spans"]]
    if data.get("labels"):
        data["labels"] = [names.get(label, label) for label in data["labels"]]
    if "names" in data:
        data["names"] = [names.get(name, name) for name in data["names"]]
    return json.dumps(data, ensure_ascii=False)


def rename_in_key(key: str, names: Mapping[str, str]) -> str:
    """Return the key of a settled dispute with labels replaced: a place, and the labels that annotators gave it in order.

    >>> rename_in_key("3–5 Org Person", {"Org": "Organisation"})
    '3–5 Organisation Person'
    """
    where, space, rest = key.partition(" ")
    if not space or where == "name":
        return key
    # longest first, so that a name that begins with another one is found whole
    known = sorted(names, key=len, reverse=True)
    pattern = "|".join(f"(?<![^ ]){re.escape(name)}(?![^ ])" for name in known)
    if not pattern or not re.search(pattern, rest):
        return key
    replaced = re.sub(pattern, lambda found: names[found.group()], rest)
    parts = replaced.split(" ")
    return " ".join([where, *(sorted(parts) if not any(" " in name for name in (*names, *names.values())) else parts)])
