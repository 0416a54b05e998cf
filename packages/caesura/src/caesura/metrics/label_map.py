"""Maps of names, such as from one phone set to another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.metrics.batch import Batch, Side
from caesura.model.spans import NO_LABEL

#: Which side of a comparison a line of the map applies to.
MapSide: TypeAlias = Literal["ref", "hyp"]

_SIDES: tuple[MapSide, ...] = ("ref", "hyp")
#: A row of a map: the name as written, its new names or None if intervals with this name are left out, and whether it may be any of them.
_Row: TypeAlias = tuple[str, list[str] | None, bool]
_CLOSED = "closed"
_MOST_CLASSES = 5  # in a sentence
#: Lines that say what does not tell names apart.
_IGNORED = {"ignore case": "case", "ignore stress": "stress"}
_STRESS = re.compile(r"(?<=[^\W\d_])[012]$")  # of vowels in ARPABET: AH0, IY1
_DROPPED = ("",)  # the targets of a name that is left out
_DROP_LINE = re.compile(r"(?P<side>ref:|hyp:)?\s*drop +(?P<name>\S.*)")
_ANY_LINE = re.compile(r"(?P<side>ref:|hyp:)?\s*any +(?P<name>.*)")
_YAML_HEAD = re.compile(r"""["']?(?P<name>[^"':]+|:)["']?\s*:\s*""")
_YAML_ENTRY = re.compile(r"\s*- +(?P<target>\S.*?)\s*")
_YAML_LINE = re.compile(r"""\s*["']?(?P<name>[^"':]+|:)["']?\s*:\s*(?P<targets>\S.*?)\s*""")


class LabelMap(str):
    """A map of names, read from a file or given as a dictionary; as a string, the file name and a digest: ``phones.tsv#1f0c…``.

    A file has lines ``from<TAB>to``, or is MFA's YAML (``.yaml``) of lines ``N: [en, n]``:

    - several names may become one;
    - a name with several targets (in YAML, in a dictionary of lists, or in lines that repeat it after the word ``any``, a blank) stays
      itself as well: names are the same if they have a target in common;
    - ``ref:`` or ``hyp:`` before a line applies it to one side only;
    - a left side with blanks, ``t ʃ``, stands for neighbouring intervals, which are joined before intervals are compared;
    - a line ``drop NAME`` (in a dictionary, None as the target) leaves out intervals with this name; their time has no name then;
    - chains, a to b and b to c on both sides, are refused unless a line ``closed`` (YAML: ``closed: true``; in a dictionary,
      ``"closed": True``) says that they are meant: a then becomes c. Where the second line applies to one side only, every name is
      replaced once, as in a map from one phone set to another: ``hyp:n<TAB>N`` and ``hyp:N<TAB>NG``;
    - a line ``ignore case`` makes names the same that only capital letters tell apart, a line ``ignore stress`` those that only the digit
      of stressed vowels in ARPABET tells apart (AH0, AH1); in a dictionary ``"ignore case": True``, in YAML ``ignore case: true``.

    Coefficients need classes that do not overlap: for κ, all names that are connected by several targets are one class.

    Names that are not in the map stay as they are. Empty lines, and lines that begin with ``#`` and a space, are ignored. The digest
    makes signatures exact: if the file has changed since, a recorded signature is rejected.
    """

    rules: Mapping[tuple[MapSide, str], tuple[str, ...]]
    ignores: frozenset[str]

    @classmethod
    def of(cls, given: Any, *, only: MapSide | None = None) -> LabelMap:
        """Read a file, given with or without the digest, or take a dictionary; None or "" is an empty map.

        With ``only``, lines without a side apply to that side.
        """
        if isinstance(given, LabelMap):
            return given
        if isinstance(given, Mapping):
            rows: list[_Row] = []
            for name, targets in given.items():
                if isinstance(targets, bool):
                    if name != _CLOSED and name not in _IGNORED:
                        raise CaesuraError(f"the map gives {name!r} the new name {targets}; expected a string.")
                elif targets is None:
                    rows.append((str(name), None, False))
                else:
                    several = not isinstance(targets, str)
                    rows.append((str(name), [str(each) for each in targets] if several else [targets], several))
            ignores = frozenset(what for line, what in _IGNORED.items() if given.get(line) is True)
            return cls._of_rows("given", rows, closed=given.get(_CLOSED) is True, ignores=ignores, only=only)
        if given in (None, ""):
            return cls._of_rows("", [])
        path, _, digest = str(given).partition("#")
        rows, closed, ignores = _read(Source.open(Path(path)), only)
        labels = cls._of_rows(path, rows, closed=closed, ignores=ignores, only=only)
        if digest and labels != given:
            raise CaesuraError(f"{path} has changed: expected {given}, found {labels}.")
        return labels

    @classmethod
    def _of_rows(
        cls,
        path: str,
        rows: Sequence[_Row],
        *,
        closed: bool = False,
        ignores: frozenset[str] = frozenset(),
        only: MapSide | None = None,
    ) -> LabelMap:
        rules: dict[tuple[MapSide, str], tuple[str, ...]] = {}
        for written, targets, several in rows:
            if targets is not None and (not targets or not all(targets)):
                raise CaesuraError(
                    f"the map {path} gives {written!r} no new name; to leave out such intervals, write a line 'drop {written}'."
                )
            head, _, rest = written.partition(":")
            written_for = tuple(side for side in _SIDES if rest and side == head)
            sides = written_for or ((only,) if only else _SIDES)
            name = simplify((rest if written_for else written).strip(), ignores)
            new = () if targets is None else tuple(simplify(target, ignores) for target in targets)
            for each in sides:
                own = _DROPPED if targets is None else (name, *new) if several else new
                known = rules.get((each, name), ())
                if known and known != own and _DROPPED in (known, own):
                    raise CaesuraError(f"the map {path} both leaves out {name!r} and gives it another name.")
                if known and not several and known != own:
                    raise CaesuraError(
                        f"the label {name!r} is mapped to {known[0]!r} above and to {own[0]!r} here: {path}; for several names write 'any {name}'."
                    )
                rules[each, name] = tuple(dict.fromkeys((*known, *own)))
        if closed:
            rules = {(side, name): _last_targets(path, rules, side, name, ()) for side, name in rules}
        else:
            _reject_chains(path, rules)
        plain = all(
            len(targets) == 1 and rules.get((_SIDES[side == "ref"], name)) == targets
            for (side, name), targets in rules.items()
        )
        if plain:  # the digest of maps as they were before sides and several targets
            content = "\n".join(
                f"{name}\t{targets[0]}" for (side, name), targets in sorted(rules.items()) if side == "ref"
            )
        else:
            content = repr(sorted(rules.items()))
        content += "".join(f"\nignore {what}" for what in sorted(ignores))
        labels = cls(f"{path}#{sha256(content.encode()).hexdigest()[:8]}" if rules or ignores else "")
        labels.rules, labels.ignores = rules, ignores
        return labels

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (str(self), dict(self.rules), self.ignores)

    def _new_names(self, name: str, side: MapSide) -> tuple[str, ...]:
        name = simplify(name, self.ignores)
        return self.rules.get((side, name), (name,))

    def name(self, name: str, side: MapSide) -> str:
        """Return the new name; the last target, if there are several."""
        return self._new_names(name, side)[-1]

    def targets(self, name: str, side: MapSide) -> frozenset[str]:
        """Return everything that a name may stand for."""
        return frozenset(self._new_names(name, side))

    def same(self, ref: Sequence[str], hyp: Sequence[str]) -> NDArray[np.bool_]:
        """Return a table of which names of the reference and of the hypothesis are the same."""
        ours, theirs = ([self.targets(name, side) for name in names] for side, names in (("ref", ref), ("hyp", hyp)))  # type: ignore[arg-type]
        return np.array([[not a.isdisjoint(b) for b in theirs] for a in ours], bool).reshape(len(ref), len(hyp))

    def drops(self, name: str, side: MapSide) -> bool:
        """Whether intervals with this name are left out."""
        return self._new_names(name, side) == _DROPPED

    @property
    def is_relation(self) -> bool:
        """Whether a name may stand for several others, so that names which are the same need not form classes."""
        return any(len(targets) > 1 for targets in self.rules.values())

    def class_of(self, name: str, side: MapSide) -> str:
        """Return the class of a name: its new name or, if names may stand for several others, one name for all that are connected.

        Coefficients such as κ need classes that do not overlap.

        Examples
        --------
        >>> labels = LabelMap.of({"N": ["en", "n"], "T": "t"})
        >>> labels.class_of("en", "hyp") == labels.class_of("n", "ref"), labels.class_of("T", "ref")
        (True, 't')
        """
        target = self._new_names(name, side)[0]
        return self._classes.get(target, target)

    @property
    def _classes(self) -> dict[str, str]:
        """The class of every target of a relation: the first name of its connected component, in alphabetical order."""
        known: dict[str, str] | None = self.__dict__.get("_known_classes")
        if known is None:
            component: dict[str, set[str]] = {}
            for targets in self.rules.values():
                joined = set(targets).union(*(component.get(target, set()) for target in targets))
                component |= dict.fromkeys(joined, joined)
            known = {target: min(joined) for target, joined in component.items() if len(joined) > 1}
            self.__dict__["_known_classes"] = known
        return known

    def describe_classes(self) -> str | None:
        """Return a sentence with the names that are one class for coefficients, if there are any."""
        joined: dict[str, list[str]] = {}
        for target, first in sorted(self._classes.items()):
            joined.setdefault(first, []).append(target)
        if not joined:
            return None
        listed = "; ".join(", ".join(names) for names in list(joined.values())[:_MOST_CLASSES])
        more = " …" if len(joined) > _MOST_CLASSES else ""
        return f"coefficients need classes that do not overlap, so names that the map {self} connects are one class: {listed}{more}."

    def joins(self, side: MapSide) -> dict[tuple[str, ...], str]:
        """Return the rows of neighbouring names, without what the map ignores, that become one."""
        return {
            tuple(name.split()): targets[0]
            for (each, name), targets in self.rules.items()
            if each == side and " " in name
        }


def with_mapped_labels(batch: Batch, mapping: LabelMap) -> Batch:
    """Convert the labels of spans to their classes; spans whose label is left out are removed."""
    if not mapping or batch.labels is None:
        return batch
    classes = {side: [mapping.class_of(name, side) for name in batch.labels] for side in _SIDES}
    labels = tuple(sorted({*classes["ref"], *classes["hyp"]}))
    code = {name: number for number, name in enumerate(labels)}
    sides = {}
    for which, side in (("ref", batch.reference), ("hyp", batch.hypothesis)):
        table = np.array([*(code[each] for each in classes[which]), NO_LABEL])  # type: ignore[index]
        dropped = np.array([*(mapping.drops(name, which) for name in batch.labels), False])  # type: ignore[arg-type]
        kept = _without_types(side, dropped) if dropped.any() else side
        sides[which] = kept if kept.types is None else replace(kept, types=table[kept.types])
    return replace(batch, reference=sides["ref"], hypothesis=sides["hyp"], labels=labels)


def _without_types(side: Side, dropped: NDArray[np.bool_]) -> Side:
    """Remove the spans of these label codes."""
    if side.types is None or side.ends is None:
        return side
    index, pair = side.unpack()
    stays = ~dropped[side.types[index]]
    index, pair = index[stays], pair[stays]
    packed = Side.pack(side.positions[index], pair, len(side.starts), side.types[index])
    return replace(packed, ends=side.ends[index])


def simplify(name: str, ignores: Iterable[str]) -> str:
    """Return a name without what does not tell names apart: ``"case"``, and the digits of ``"stress"`` in ARPABET.

    Examples
    --------
    >>> simplify("AH0", ["case", "stress"]), simplify("AH0", ["case"]), simplify("5", ["stress"])
    ('ah', 'ah0', '5')
    """
    if "stress" in ignores:
        name = _STRESS.sub("", name)
    return name.casefold() if "case" in ignores else name


def _rebuild(name: str, rules: dict[Any, Any], ignores: frozenset[str]) -> LabelMap:
    labels = LabelMap(name)
    labels.rules, labels.ignores = rules, ignores
    return labels


def _reject_chains(path: str, rules: Mapping[tuple[MapSide, str], tuple[str, ...]]) -> None:
    """Refuse lines that lead on to another line of both sides; a line of one side renames the names of that side once."""
    for (side, name), targets in rules.items():
        for target in targets:
            after = rules.get((side, target))
            if after and target != name and target not in after and all((each, target) in rules for each in _SIDES):
                further = f"on to {after[0]!r}" if after != _DROPPED else "is left out there"
                raise CaesuraError(
                    f"the map {path} leads from {name!r} to {target!r} and {further}; if the names on the left are those of the system, begin "
                    f"the lines with 'hyp:'; else write the last name directly, or add a line {_CLOSED!r}."
                )


def _last_targets(
    path: str, rules: Mapping[tuple[MapSide, str], tuple[str, ...]], side: MapSide, name: str, before: tuple[str, ...]
) -> tuple[str, ...]:
    """Follow a chain of new names to its end."""
    if name in before:
        raise CaesuraError(f"the map {path} leads in a circle: {' → '.join((*before[before.index(name) :], name))}.")
    found: list[str] = []
    for target in rules[side, name]:
        ends = target == name or target not in {each for own, each in rules if own == side}
        found += [target] if ends else _last_targets(path, rules, side, target, (*before, name))
    return tuple(dict.fromkeys(found))


def _read(source: Source, only: MapSide | None) -> tuple[list[_Row], bool, frozenset[str]]:
    """Return the rows of a file, whether its chains are meant, and what does not tell names apart."""
    yaml = source.path.suffix in (".yaml", ".yml")
    rows: list[_Row] = []
    marks = {f"{line}: true" if yaml else line: line for line in (_CLOSED, *_IGNORED)}
    found = {marks[line.strip()] for _, line in source.lines if line.strip() in marks}
    closed, ignores = _CLOSED in found, frozenset(what for line, what in _IGNORED.items() if line in found)
    for number, line in source.lines:
        if not line.strip() or line.startswith(("# ", "---")) or line.strip() in marks:
            continue
        if yaml and (head := _YAML_HEAD.fullmatch(line)) is not None:  # a list of lines follows
            rows.append((head["name"].strip(), [], True))
            continue
        entry = _YAML_ENTRY.fullmatch(line) if yaml and rows else None
        if entry is not None and (targets := rows[-1][1]) is not None:
            targets.append(entry["target"].strip("\"'"))
            continue
        if yaml:
            written_as = _YAML_LINE.fullmatch(line)
            if written_as is None:
                raise source.error(number, f"a line is {line[:40]!r}, expected name: [other, names].")
            listed = written_as["targets"].strip("[]").split(",")
            rows.append((written_as["name"].strip(), [each.strip().strip("\"'") for each in listed], True))
            continue
        label, tab, name = line.partition("\t")
        if not tab and (dropped := _DROP_LINE.fullmatch(line.strip())) is not None:
            rows.append(((dropped["side"] or "") + dropped["name"], None, False))
        elif not tab or "\t" in name:
            raise source.error(number, f"a line is {line[:40]!r}, expected a label, a tab and its new name.")
        else:
            several = _ANY_LINE.fullmatch(label)
            written = label if several is None else (several["side"] or "") + several["name"]
            rows.append((written, [name.strip()], several is not None))
        try:
            LabelMap._of_rows(source.path.name, rows, closed=closed, ignores=ignores, only=only)
        except CaesuraError as fault:
            raise source.error(number, str(fault)) from None
    if not rows and not ignores:
        raise source.error(None, "the file has no labels, expected lines of a label, a tab and its new name.")
    return rows, closed, ignores
