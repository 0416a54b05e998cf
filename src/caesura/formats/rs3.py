"""Trees of Rhetorical Structure Theory as RSTTool and rstWeb keep them, .rs3 and .rs4: elementary discourse units are the units, what groups cover is nested.

A group covers its nuclei, each with the satellites that hang on it. Relations, signals and secondary edges are passed over, unless spans are asked
for (``marks=relations``); where coders cut a text into other units, ``unit=word`` makes them comparable, and ``marks=segments`` reads the cuts alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal, TypeAlias
from xml.sax.saxutils import escape

from caesura.files import Source, line_of
from caesura.formats.xml_files import parse_xml
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks

#: What is read of a tree: what its groups cover, its relations as labelled spans, or the cuts between its units.
What: TypeAlias = Literal["nested", "relations", "segments"]
#: What a unit is: an elementary discourse unit, or a word.
RstUnit: TypeAlias = Literal["edu", "word"]

_HEAD = """<rst>
  <header>
    <relations>
      <rel name="joint" type="multinuc" />
    </relations>
  </header>
  <body>
"""
_INNERMOST = 2**62  # deeper than any level
_TAIL = "  </body>\n</rst>\n"


@dataclass
class _Node:
    """A unit or a group: what it hangs on and how, which units it covers (counted from 0), and what hangs on it."""

    name: str
    parent: str
    relation: str
    multinuclear: bool
    own: set[int] = field(default_factory=set)
    nuclei: list[_Node] = field(default_factory=list)
    satellites: list[_Node] = field(default_factory=list)


def sniff(head: str) -> bool:
    """Recognise the root element."""
    return "<rst>" in head[:500] or "<rst " in head[:500]


def read(source: Source, *, marks: What = "nested", unit: RstUnit | None = None) -> Corpus:
    """Read one text by one coder.

    Parameters
    ----------
    marks
        ``nested``: what groups cover; ``relations``: a span per satellite and per member of a multinuclear relation, labelled by its
        relation; ``segments``: the cuts between units, on words.
    unit
        Whether the text is counted in elementary discourse units (default) or in words; with words the units are the innermost segments.
    """
    if marks == "segments" and unit == "edu":
        raise source.fault(None, "marks=segments reads the cuts between units on words; leave unit=edu out.")
    root = parse_xml(source, "rst", "RST")
    texts = [" ".join("".join(each.itertext()).split()) for each in root.iter("segment")]
    if not texts:
        raise source.fault(None, "the file holds no segment, which is what a unit is called here.")
    words = [text.split() for text in texts]
    if (marks == "segments" or unit == "word") and [] in words:
        raise source.fault(None, f"segment number {words.index([]) + 1} has no word; count in unit=edu.")
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
    """Write units as segments, and nested segments as groups of one relation, ``joint``: a hierarchy has no nuclei."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Hierarchy)
    units = marks.units or ()
    groups = [(first, -last, level) for first, last, level in marks.spans]
    singles = [(number, -number, _INNERMOST) for number in range(1, len(units) + 1)]
    lines: list[tuple[int, str]] = []
    around: list[tuple[int, int]] = []  # last unit and id of every group that is open
    for number, (first, last, level) in enumerate(sorted([*groups, *singles]), len(units) + 1):
        while around and around[-1][0] < first:
            around.pop()
        hangs = f' parent="{around[-1][1]}" relname="joint"' if around else ""
        if level == _INNERMOST:
            lines.append((first, f'    <segment id="{first}"{hangs}>{escape(units[first - 1])}</segment>\n'))
        else:
            lines.append((number, f'    <group id="{number}" type="multinuc"{hangs} />\n'))
            around.append((-last, number))
    yield _HEAD
    yield from (line for _, line in sorted(lines))
    yield _TAIL


def _corpus(source: Source, marks: Marks) -> Corpus:
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def _tree(source: Source, root: Any) -> list[_Node]:
    """Hang every node on its parent, as a nucleus or as a satellite."""
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
            raise source.fault(_line(source, name), f"two segments or groups have the id {name!r}.")
        multinuclear = element.get("type") == "multinuc"
        nodes[name] = _Node(name, element.get("parent", ""), element.get("relname", ""), multinuclear)
        if element.tag == "segment":
            nodes[name].own.add(unit)
            unit += 1
    for node in nodes.values():
        if not node.parent:
            continue
        if node.parent not in nodes:
            raise source.fault(_line(source, node.name), f"{node.name!r} hangs on {node.parent!r}, which is not there.")
        parent = nodes[node.parent]
        member = parent.multinuclear and "multinuc" in declared.get(node.relation, {"multinuc"})
        (parent.nuclei if node.relation == "span" or member else parent.satellites).append(node)
    _gather(source, nodes)
    return list(nodes.values())


def _gather(source: Source, nodes: dict[str, _Node]) -> None:
    """Let every group own the units of its nuclei and of their satellites, innermost first."""
    waiting = {name: len(node.nuclei) + len(node.satellites) for name, node in nodes.items()}
    ready = [nodes[name] for name, children in waiting.items() if not children]
    done = 0
    whole: dict[str, set[int]] = {}  # with satellites
    while ready:
        node = ready.pop()
        done += 1
        node.own |= {unit for nucleus in node.nuclei for unit in whole[nucleus.name]}
        whole[node.name] = node.own | {unit for satellite in node.satellites for unit in whole[satellite.name]}
        if node.parent:
            waiting[node.parent] -= 1
            if not waiting[node.parent]:
                ready.append(nodes[node.parent])
    if done < len(nodes):
        circle = next(name for name, children in waiting.items() if children)
        raise source.fault(_line(source, circle), f"{circle!r} hangs on itself, in a circle.")


def _unit_range(source: Source, node: _Node) -> tuple[int, int]:
    first, behind = min(node.own), max(node.own) + 1
    if behind - first != len(node.own):
        why = f"{node.name!r} covers units {first + 1} to {behind}, but not all of them, and a segment is in one piece; read the cuts alone with marks=segments."
        raise source.fault(_line(source, node.name), why)
    return first, behind


def _line(source: Source, name: str) -> int | None:
    return line_of(source, f'id="{name}"')
