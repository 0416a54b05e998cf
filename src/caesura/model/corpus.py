"""A corpus: the annotations of many texts by many coders, stored as columns.

An annotation is one coder's marks on one *track* (one speaker's stream) of one *item* (a text or recording). Not every
coder did every item. All coders of a track share its length. The columns have the layout of Arrow lists (``offsets`` and
values), so compiled loops, Parquet files, threads and cluster workers all see one shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.model.columns import check_columns, check_hierarchy, columns_of, list_some, merged_labels, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.marks import short
from caesura.model.segmentation import Segmentation, SegmentationLike, as_segmentation
from caesura.model.spans import Spans, reading_order
from caesura.words import number_of, place

#: What the marks of a corpus are: boundaries between units, boundaries in time, nested segments of units, or spans of units or of time.
Kind: TypeAlias = Literal["units", "time", "nested", "spans"]
#: One coder's marks on one text, of any kind.
Marks: TypeAlias = Segmentation | Hierarchy | Spans

_NOUNS: dict[Kind, str] = {"units": "units", "time": "recordings", "nested": "nested segments", "spans": "spans"}


class Annotation(NamedTuple):
    """One coder's marks on one track of one item."""

    item: str
    coder: str
    marks: Marks
    track: str = ""


class Corpus:
    """Annotations of many items by many coders.

    Attributes
    ----------
    kind
        "units", "time", "nested" or "spans"; one corpus holds one kind.
    items, tracks, coders
        The names, in order of appearance. A corpus without speakers has the one track "".
    item_of, track_of, coder_of
        For each annotation, the index of its item, track and coder in those names.
    lengths
        For each annotation, the length of its track in units or seconds.
    offsets, positions, types, ends
        The marks: those of annotation ``i`` are at ``offsets[i]:offsets[i+1]``. ``types`` is None where no annotation is
        typed. Nested segments have their first unit in ``positions``, their last in ``ends``, their level in ``types``;
        spans their start, their end (excluded) and the code of their label, -1 for none.
    labels
        The names of boundary types or spans, one ordinal scale for the whole corpus, or None (types are integers).
    texts
        For (item, track), the units of the text, where known.
    names
        For an annotation's index, the names of its segments, where known.
    attributes
        For an item, what is known about it: genre, speaker, date.

    Examples
    --------
    >>> corpus = Corpus.from_dict({"kubla": {"ann": [2, 3, 6], "ben": [5, 6]}, "dream": {"ann": [4, 4]}})
    >>> corpus
    Corpus(2 items × 2 coders, 3 annotations of units)
    >>> corpus["kubla", "ben"]
    Segmentation(11 units: 5|6)
    """

    __slots__ = (
        "_index", "attributes", "coder_of", "coders", "ends", "item_of", "items", "kind", "labels", "lengths", "names",
        "offsets", "positions", "texts", "track_of", "tracks", "types",
    )  # fmt: skip

    kind: Kind
    items: tuple[str, ...]
    tracks: tuple[str, ...]
    coders: tuple[str, ...]
    item_of: NDArray[np.int64]
    track_of: NDArray[np.int64]
    coder_of: NDArray[np.int64]
    lengths: NDArray[Any]
    offsets: NDArray[np.int64]
    positions: NDArray[Any]
    types: NDArray[np.int64] | None
    ends: NDArray[Any] | None
    labels: tuple[str, ...] | None
    texts: Mapping[tuple[str, str], tuple[str, ...]]
    names: Mapping[int, tuple[str, ...]]
    attributes: Mapping[str, Mapping[str, Any]]
    _index: dict[tuple[str, str, str], int] | None

    def __init__(
        self,
        *,
        kind: Kind,
        items: Sequence[str],
        coders: Sequence[str],
        tracks: Sequence[str] = ("",),
        item_of: Any,
        coder_of: Any,
        track_of: Any = None,
        lengths: Any,
        offsets: Any,
        positions: Any,
        types: Any = None,
        ends: Any = None,
        labels: Sequence[str] | None = None,
        texts: Mapping[tuple[str, str], Sequence[str]] | None = None,
        names: Mapping[int, Sequence[str]] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
        _trusted: bool = False,
    ) -> None:
        seconds = kind == "time" or (kind == "spans" and np.asarray(lengths).dtype.kind == "f")
        number = np.float64 if seconds else np.int64
        rows = len(item_of)
        known = {item: MappingProxyType(dict(values)) for item, values in (attributes or {}).items() if values}
        for name, value in {
            "kind": kind,
            "items": tuple(items),
            "coders": tuple(coders),
            "tracks": tuple(tracks),
            "item_of": _column(item_of, np.int64),
            "coder_of": _column(coder_of, np.int64),
            "track_of": _column(np.zeros(rows, np.int64) if track_of is None else track_of, np.int64),
            "lengths": _column(lengths, number),
            "offsets": _column(offsets, np.int64),
            "positions": _column(positions, number),
            "types": None if types is None else _column(types, np.int64),
            "ends": None if ends is None else _column(ends, number),
            "labels": None if labels is None else tuple(labels),
            "texts": MappingProxyType({key: tuple(units) for key, units in (texts or {}).items()}),
            "names": MappingProxyType({int(row): tuple(values) for row, values in (names or {}).items()}),
            "attributes": MappingProxyType(known),
            "_index": None,
        }.items():
            object.__setattr__(self, name, value)
        check_columns(self)
        if kind == "nested" and not _trusted:
            for row in range(rows):
                check_hierarchy(self, row)
        if self.ends is not None and kind == "spans" and not _trusted:
            order = reading_order(
                self.positions, self.ends, self.types, np.repeat(np.arange(rows), np.diff(self.offsets))
            )
            for name in ("positions", "ends", *(("types",) if types is not None else ())):
                object.__setattr__(self, name, _column(getattr(self, name)[order], getattr(self, name).dtype))

    # ------------------------------------------------------------------ made from what people have

    @classmethod
    def from_annotations(
        cls,
        annotations: Iterable[Annotation | tuple[Any, ...]],
        *,
        labels: Sequence[str] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Corpus:
        """Build from annotations one by one; types are placed on one ordinal scale for all of them."""
        listed = [_annotation(a) for a in annotations]
        kinds: list[Kind] = list(dict.fromkeys(kind_of(a.marks) for a in listed)) or ["units"]
        if len(kinds) > 1:
            way_out = "; read all files alike, with as=spans or as=boundaries (-O)" if "spans" in kinds else ""
            raise InvalidSegmentation(
                f"a corpus holds one kind of annotation; found {' and '.join(sorted(kinds))}{way_out}."
            )
        items, tracks, coders = (list(dict.fromkeys(column)) for column in (
            [a.item for a in listed], [a.track for a in listed], [a.coder for a in listed]))  # fmt: skip
        return cls(
            kind=kinds[0],
            items=items,
            tracks=tracks or [""],
            coders=coders,
            item_of=_codes([a.item for a in listed], items),
            track_of=_codes([a.track for a in listed], tracks),
            coder_of=_codes([a.coder for a in listed], coders),
            lengths=[a.marks.length for a in listed],
            texts=texts_of(listed),
            names={
                i: a.marks.names
                for i, a in enumerate(listed)
                if isinstance(a.marks, Segmentation) and a.marks.names is not None
            },
            attributes=attributes,
            _trusted=True,
            **columns_of(kinds[0], listed, labels),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Mapping[str, SegmentationLike | Hierarchy | Spans]]) -> Corpus:
        """Build from ``{item: {coder: segmentation}}``; masses and strings are taken as segmentations."""
        if not isinstance(data, Mapping) or not all(isinstance(coders, Mapping) for coders in data.values()):
            raise InvalidSegmentation("a corpus is made from {item: {coder: segmentation}}, a dict of dicts.")
        return cls.from_annotations(
            Annotation(str(item), str(coder), _as_marks(marks))
            for item, coders in data.items()
            for coder, marks in coders.items()
        )

    @classmethod
    def join(cls, corpora: Iterable[Corpus]) -> Corpus:
        """Put several corpora into one; the same coder on the same track twice is refused."""
        listed = [expected_corpus(corpus, "every one to join") for corpus in corpora]
        attributes: dict[str, dict[str, Any]] = {}
        for corpus in listed:
            for item, known in corpus.attributes.items():
                attributes.setdefault(item, {}).update(known)
        scales = [c.labels for c in listed if c.labels is not None]
        labels = None
        for scale in scales:
            labels = scale if labels is None else merged_labels(labels, scale)
        return cls.from_annotations((a for c in listed for a in c), labels=labels, attributes=attributes)

    # ------------------------------------------------------------------ looked up

    @property
    def typed(self) -> bool:
        """Whether boundaries carry types, or spans labels (levels of nested segments do not count)."""
        return self.types is not None and self.kind != "nested"

    @property
    def timed(self) -> bool:
        """Whether positions are seconds rather than units."""
        return self.kind == "time" or (self.kind == "spans" and self.lengths.dtype.kind == "f")

    def __len__(self) -> int:
        """Return the number of annotations."""
        return len(self.item_of)

    def __iter__(self) -> Iterator[Annotation]:
        for i in range(len(self)):
            yield self.annotation(i)

    def __contains__(self, key: object) -> bool:
        return self._key(key) in self._rows()

    def __getitem__(self, key: tuple[str, ...]) -> Marks:
        """Look up ``corpus[item, coder]`` or ``corpus[item, coder, track]``."""
        row = self._rows().get(self._key(key))
        if row is None:
            item, track, coder = self._key(key)
            raise CaesuraError(f"coder {coder!r} has no annotation of {place(item, track)} in this corpus.")
        return self.annotation(row).marks

    def annotation(self, row: int) -> Annotation:
        """Return annotation number ``row``, counted from 0."""
        item, track = self.items[self.item_of[row]], self.tracks[self.track_of[row]]
        here = slice(self.offsets[row], self.offsets[row + 1])
        units = self.texts.get((item, track))
        marks: Marks
        if self.ends is not None and self.kind == "spans":
            size = float(self.lengths[row]) if self.timed else int(self.lengths[row])
            codes = None if self.types is None else self.types[here]
            marks = Spans._trusted(size, self.positions[here], self.ends[here], codes, self.labels, units)
        elif self.ends is not None and self.types is not None:
            segments = np.stack((self.positions[here], self.ends[here], self.types[here]), axis=1)
            marks = Hierarchy._trusted(int(self.lengths[row]), segments, units)
        else:
            length = float(self.lengths[row]) if self.kind == "time" else int(self.lengths[row])
            types = None if self.types is None else self.types[here]
            marks = Segmentation._trusted(length, self.positions[here], types, self.labels, units, self.names.get(row))
        return Annotation(item, self.coders[self.coder_of[row]], marks, track)

    def coders_of(self, item: str, track: str | None = None) -> list[str]:
        """Name the coders who annotated this item (or this track of it), in the corpus' order."""
        present = {a for (i, t, a) in self._rows() if i == item and (track is None or t == track)}
        return [coder for coder in self.coders if coder in present]

    def select(
        self,
        *,
        items: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        tracks: Iterable[str] | None = None,
    ) -> Corpus:
        """Keep only these items, coders and tracks; without a choice, the corpus itself."""
        if items is coders is tracks is None:
            return self
        keep = np.ones(len(self), bool)
        for wanted, known, of, what in (
            (items, self.items, self.item_of, "item"),
            (coders, self.coders, self.coder_of, "coder"),
            (tracks, self.tracks, self.track_of, "track"),
        ):
            if wanted is not None:
                chosen = set(wanted)
                if missing := chosen - set(known):
                    raise CaesuraError(f"this corpus has no {what} {sorted(missing)[0]!r}; it has {list_some(known)}.")
                keep &= np.isin(of, [i for i, name in enumerate(known) if name in chosen])
        return self.take(np.flatnonzero(keep))

    def take(self, rows: NDArray[np.int64] | Sequence[int]) -> Corpus:
        """Keep only these annotations, in this order."""
        listed = [self.annotation(int(row)) for row in rows]
        kept = {a.item for a in listed}
        attributes = {item: known for item, known in self.attributes.items() if item in kept}
        return Corpus.from_annotations(listed, labels=self.labels, attributes=attributes)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of every two annotations of one track by different coders, first and second, in coder order."""
        from caesura.model.pairs import Pairs

        pairs = Pairs.among_coders(self)
        return pairs.left, pairs.right

    def _rows(self) -> dict[tuple[str, str, str], int]:
        if self._index is None:
            named = zip(self.item_of.tolist(), self.track_of.tolist(), self.coder_of.tolist(), strict=True)
            index = {(self.items[i], self.tracks[t], self.coders[c]): row for row, (i, t, c) in enumerate(named)}
            object.__setattr__(self, "_index", index)
        assert self._index is not None
        return self._index

    def _key(self, key: Any) -> tuple[str, str, str]:
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise CaesuraError("look a corpus up by [item, coder] or [item, coder, track].")
        return key[0], key[2] if len(key) == 3 else self.tracks[0] if len(self.tracks) == 1 else "", key[1]

    # ------------------------------------------------------------------ a value like any other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Corpus does not change; make a new one instead of setting {name!r}.")

    def __eq__(self, other: object) -> bool:
        """Compare everything but the order of annotations: marks, texts, names of segments, attributes."""
        if not isinstance(other, Corpus):
            return NotImplemented
        if self.kind != other.kind or len(self) != len(other) or self.attributes != other.attributes:
            return False
        mine, theirs = self._rows(), other._rows()
        return mine.keys() == theirs.keys() and all(
            _alike(self.annotation(mine[key]).marks, other.annotation(theirs[key]).marks) for key in mine
        )

    def __hash__(self) -> int:
        return hash((self.kind, frozenset(self._rows()), len(self.positions)))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: getattr(self, name) for name in self.__slots__ if name != "_index"}
        state["texts"], state["names"] = dict(self.texts), dict(self.names)
        state["attributes"] = {item: dict(known) for item, known in self.attributes.items()}
        return _restore, (state,)

    def __repr__(self) -> str:
        parts = [number_of(len(self.items), "item")]
        if self.tracks != ("",):
            parts.append(number_of(len(self.tracks), "track"))
        parts.append(number_of(len(self.coders), "coder"))
        return f"Corpus({' × '.join(parts)}, {number_of(len(self), 'annotation')} of {_NOUNS[self.kind]})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(a.item)}</td><td>{escape(a.track)}</td><td>{escape(a.coder)}</td>"
            f"<td style='min-width:24em'>{a.marks._repr_html_()}</td></tr>"
            for a in (self.annotation(i) for i in range(min(len(self), 40)))
        )
        more = f"<p>… and {len(self) - 40} more annotations.</p>" if len(self) > 40 else ""
        head = "<tr><th>item</th><th>track</th><th>coder</th><th>segments</th></tr>"
        return f"<p>{escape(repr(self))}</p><table>{head}{rows}</table>{more}"


def _column(values: Any, dtype: Any) -> NDArray[Any]:
    """See values as an array that nobody writes to; what somebody else may still write to stays theirs."""
    column = np.ascontiguousarray(values, dtype=dtype)
    if column.flags.writeable:
        column = column.view()
        column.flags.writeable = False
    return column


def _restore(state: dict[str, Any]) -> Corpus:
    return Corpus(**state, _trusted=True)


def kind_of(marks: Marks) -> Kind:
    """Return the kind of a corpus that holds such marks."""
    if isinstance(marks, Segmentation):
        return "time" if marks.timed else "units"
    return "spans" if isinstance(marks, Spans) else "nested"


def _as_marks(given: object) -> Marks:
    return given if isinstance(given, (Segmentation, Hierarchy, Spans)) else as_segmentation(given)  # type: ignore[arg-type]


def _alike(first: Marks, second: Marks) -> bool:
    same_names = getattr(first, "names", None) == getattr(second, "names", None)
    return first == second and first.units == second.units and same_names


def _codes(names: list[str], known: list[str]) -> list[int]:
    code = {name: i for i, name in enumerate(known)}
    return [code[name] for name in names]


#: What functions accept where they want a corpus: the thing itself, ``{item: {coder: marks}}``, or marks without items or coders.
CorpusLike: TypeAlias = (
    Corpus
    | Mapping[str, Mapping[str, SegmentationLike | Hierarchy | Spans]]
    | Mapping[str, SegmentationLike | Hierarchy | Spans]
    | Sequence[SegmentationLike]
    | Sequence[Hierarchy]
    | Sequence[Spans]
)


def as_corpus(given: object, what: str, place: Callable[[str], tuple[str, str]]) -> Corpus:
    """Return ``given`` as a Corpus: itself, a dict as :meth:`Corpus.from_dict` takes it, or marks alone, by name or in a list.

    Of marks alone ``place`` says which (item, coder) a name, or a number in the list, stands for.
    """
    if isinstance(given, Mapping) and given and all(isinstance(coders, Mapping) for coders in given.values()):
        return Corpus.from_dict(given)
    named = given.items() if isinstance(given, Mapping) else enumerate(given, 1) if _is_listed(given) else ()
    alone = [(str(name), marks) for name, marks in named]
    if alone and all(is_marks(marks) for _, marks in alone):
        return Corpus.from_annotations((*place(name), marks) for name, marks in alone)
    return expected_corpus(given, what)


def is_marks(given: object) -> bool:
    """Whether a thing may be one annotation: a segmentation, a hierarchy, spans, masses or a string."""
    return isinstance(given, (Segmentation, Hierarchy, Spans, str, np.ndarray)) or _is_listed(given)


def _is_listed(given: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 1)


def expected_corpus(given: object, what: str) -> Corpus:
    """Refuse anything but a corpus where one is expected."""
    if not isinstance(given, Corpus):
        raise CaesuraError(
            f"{what} must be a Corpus, as cs.read and Corpus.from_dict make it, not {short(repr(given))}."
        )
    return given


def _annotation(given: Annotation | tuple[Any, ...]) -> Annotation:
    if not isinstance(given, tuple) or not 3 <= len(given) <= len(Annotation._fields):
        raise InvalidSegmentation(
            f"an annotation is (item, coder, marks) or (item, coder, marks, track), not {given!r}."
        )
    annotation = Annotation(*given)
    return annotation._replace(marks=_as_marks(annotation.marks))
