"""Trees of Rhetorical Structure Theory, as RSTTool and rstWeb write them (.rs3, .rs4).

Elementary discourse units are the units, groups are nested segments. A group covers its nuclei and the satellites attached to each of them.
Relations, signals and secondary edges are skipped, unless ``marks=relations`` reads relations as spans. If coders cut a text into different
units, ``unit=word`` makes them comparable, and ``marks=segments`` reads only the boundaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal, TypeAlias
from xml.sax.saxutils import escape

from caesura.files import Source, find_line, parse_xml
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

#: TreeMarks is read of a tree: its groups as nested segments, its relations as labelled spans, or the boundaries between its units.
TreeMarks: TypeAlias = Literal["nested", "relations", "segments"]
#: The units: elementary discourse units or words.
RstUnit: TypeAlias = Literal["edu", "word"]

_HEAD = """<rst>
  <header>
    <relations>
      <rel name="joint" type="multinuc" />
    </relations>
  </header>
  <body>
"""
_INNERMOST = 2**62  # sorts after any level
_TAIL = "  </body>\n</rst>\n"


#: The first and last unit that a node covers, and how many units; None if it covers none. In a tree the parts of a node share no unit,
#: so that these numbers are enough; sets of units would take quadratic time and memory in a deep tree.
_Cover: TypeAlias = tuple[int, int, int] | None


@dataclass
class _Node:
    """A unit or a group: its parent and relation, the units that it covers (counted from 0), its nuclei and satellites."""

    name: str
    parent: str
    relation: str
    multinuclear: bool
    own: _Cover = None
    whole: _Cover = None  # with its satellites
    nuclei: list[_Node] = field(default_factory=list)
    satellites: list[_Node] = field(default_factory=list)


def sniff(head: str) -> bool:
    """Recognise the root element."""
    return "<rst>" in head[:500] or "<rst " in head[:500]


def read(source: Source, *, marks: TreeMarks = "nested", unit: RstUnit | None = None) -> Corpus:
    """Read one text by one coder.

    Parameters
    ----------
    marks : {'nested', 'relations', 'segments'}, default 'nested'
        ``nested``: groups; ``relations``: a span per satellite and per member of a multinuclear relation, labelled by its relation;
        ``segments``: the boundaries between units, counted in words.
    unit : {'edu', 'word'}, default None
        Whether positions count elementary discourse units or words; None: units. With words, units are the innermost segments.
    """
    if marks == "segments" and unit == "edu":
        raise source.error(None, "marks=segments counts words; leave unit=edu out.")
    root = parse_xml(source, "rst", "RST")
    texts = [" ".join("".join(each.itertext()).split()) for each in root.iter("segment")]
    if not texts:
        raise source.error(None, "the file contains no segment element; these are the units.")
    words = [text.split() for text in texts]
    if (marks == "segments" or unit == "word") and [] in words:
        raise source.error(None, f"segment number {words.index([]) + 1} has no word; use unit=edu.")
    ends = [0, *accumulate(map(len, words))]
    if marks == "segments":
        units = [word for some in words for word in some]
        return _corpus(source, Segmentation(len(units), ends[1:-1], units=units))
    places = ends if unit == "word" else list(range(len(texts) + 1))
    units = [word for some in words for word in some] if unit == "word" else texts
    nodes = [node for node in _tree(source, root) if node.own]
    spans = [(node, *_unit_range(source, node)) for node in nodes]
    if marks == "relations":
        related = [(places[a], places[b], node.relation) for node, a, b in spans if node.relation not in ("", "span")]
        return _corpus(source, Spans.from_rows(related, length=len(units), units=units))
    groups = {(places[a] + 1, places[b]) for node, a, b in spans if unit == "word" or node.nuclei}
    return _corpus(source, Hierarchy.from_spans(sorted(groups), length=len(units), units=units))


def write(corpus: Corpus) -> Iterator[str]:
    """Write nested segments as groups with the relation ``joint``, because a hierarchy does not store nuclei."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Hierarchy)
    units = marks.units or ()
    groups = [(first, -last, level) for first, last, level in marks.spans]
    singles = [(number, -number, _INNERMOST) for number in range(1, len(units) + 1)]
    lines: list[tuple[int, str]] = []
    open_groups: list[tuple[int, int]] = []  # last unit and id; negated last units sort outer groups first
    for number, (first, last, level) in enumerate(sorted([*groups, *singles]), len(units) + 1):
        while open_groups and open_groups[-1][0] < first:
            open_groups.pop()
        parent = f' parent="{open_groups[-1][1]}" relname="joint"' if open_groups else ""
        if level == _INNERMOST:
            lines.append((first, f'    <segment id="{first}"{parent}>{escape(units[first - 1])}</segment>\n'))
        else:
            lines.append((number, f'    <group id="{number}" type="multinuc"{parent} />\n'))
            open_groups.append((-last, number))
    yield _HEAD
    yield from (line for _, line in sorted(lines))
    yield _TAIL


def structure(source: Source, *, marks: TreeMarks = "nested") -> dict[str, int]:
    """Count relations, which only ``marks=relations`` reads, except ``joint`` and ``span``."""
    names = [each.get("relname", "") for each in parse_xml(source, "rst", "RST").iter() if isinstance(each.tag, str)]
    return {} if marks == "relations" else {"relation": sum(name not in ("", "joint", "span") for name in names)}


def _corpus(source: Source, marks: Marks) -> Corpus:
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def _tree(source: Source, root: Any) -> list[_Node]:
    """Return all nodes, each attached to its parent as a nucleus or as a satellite."""
    declared: dict[str, set[str]] = {}
    for each in root.iter("rel"):
        declared.setdefault(each.get("name", ""), set()).add(each.get("type", ""))
    nodes: dict[str, _Node] = {}
    unit = 0
    for element in root.iter():
        if element.tag not in ("segment", "group"):
            continue
        name = element.get("id", "")
        if name in nodes:
            raise source.error(_line(source, name), f"two segments or groups have the id {name!r}.")
        multinuclear = element.get("type") == "multinuc"
        nodes[name] = _Node(name, element.get("parent", ""), element.get("relname", ""), multinuclear)
        if element.tag == "segment":
            nodes[name].own = (unit, unit, 1)
            unit += 1
    for node in nodes.values():
        if not node.parent:
            continue
        if node.parent not in nodes:
            raise source.error(
                _line(source, node.name), f"{node.name!r} has the parent {node.parent!r}, which does not exist."
            )
        parent = nodes[node.parent]
        member = parent.multinuclear and "multinuc" in declared.get(node.relation, {"multinuc"})
        (parent.nuclei if node.relation == "span" or member else parent.satellites).append(node)
    _collect_units(source, nodes)
    return list(nodes.values())


def _collect_units(source: Source, nodes: dict[str, _Node]) -> None:
    """Add to every group the units of its nuclei and of their satellites, innermost groups first."""
    pending = {name: len(node.nuclei) + len(node.satellites) for name, node in nodes.items()}  # children not done yet
    ready = [nodes[name] for name, children in pending.items() if not children]
    done = 0
    while ready:
        node = ready.pop()
        done += 1
        node.own = _join_covers([node.own, *(nucleus.whole for nucleus in node.nuclei)])
        node.whole = _join_covers([node.own, *(satellite.whole for satellite in node.satellites)])
        if node.parent:
            pending[node.parent] -= 1
            if not pending[node.parent]:
                ready.append(nodes[node.parent])
    if done < len(nodes):
        cyclic = next(name for name, children in pending.items() if children)
        raise source.error(_line(source, cyclic), f"{cyclic!r} is its own ancestor.")


def _join_covers(covers: list[_Cover]) -> _Cover:
    known = [cover for cover in covers if cover is not None]
    if not known:
        return None
    firsts, lasts, counts = zip(*known, strict=True)
    return min(firsts), max(lasts), sum(counts)


def _unit_range(source: Source, node: _Node) -> tuple[int, int]:
    assert node.own is not None
    first, end = node.own[0], node.own[1] + 1
    if end - first != node.own[2]:
        why = f"{node.name!r} covers units {first + 1} to {end}, but not all of them, and a segment cannot have gaps; read only the boundaries with marks=segments."
        raise source.error(_line(source, node.name), why)
    return first, end


def _line(source: Source, name: str) -> int | None:
    return find_line(source, f'id="{name}"')
