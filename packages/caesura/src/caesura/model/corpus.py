"""A corpus: the annotations of many texts by many coders, stored as columns.

An annotation is one coder's marks on one *track* (one speaker) of one *item* (a text or recording). Coders need not have annotated
every item. All annotations of a track have its length. The columns have the layout of Arrow lists (``offsets`` and values), so that
compiled loops, Parquet files, threads and cluster workers share one layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, InvalidSegmentation, import_extra
from caesura.model.columns import (
    build_columns,
    check_columns,
    check_hierarchy,
    collect_texts,
    merge_labels,
    preview_names,
    resolve_texts,
)
from caesura.model.conversion import abbreviate, are_flags
from caesura.model.hierarchy import Hierarchy
from caesura.model.provenance import NO_PROVENANCE, Document, Interpretation, Note, Provenance, announce
from caesura.model.segmentation import Segmentation, SegmentationLike, as_segmentation
from caesura.model.spans import Spans, reading_order
from caesura.model.time_axis import TimeAxisRules
from caesura.text import describe_location, pluralize

#: The kind of annotation: boundaries between units, boundaries in time, nested segments of units, or spans of units or time.
Kind: TypeAlias = Literal["units", "time", "nested", "spans"]
#: One annotation of any kind.
Marks: TypeAlias = Segmentation | Hierarchy | Spans

#: Kind -> the metrics shown first if none is named: the main one and two others. The main metric must work for a reference and a
#: system, among coders, and for a gold standard, so it is symmetric, from 0 to 1 and always defined. For recordings that is A and
#: not R, which needs a reference and is undefined without boundaries; see docs/choosing.md.
MAIN_METRICS: dict[Kind, tuple[str, ...]] = {
    "units": ("B", "F", "WD"),
    "time": ("A", "region-F", "time-kappa"),
    "nested": ("nested-F", "nested-kappa", "nested-B"),
    "spans": ("span-F", "span-partial-F", "token-F"),
}

#: Kind -> the default metric.
DEFAULT_METRICS: dict[Kind, str] = {kind: names[0] for kind, names in MAIN_METRICS.items()}

#: Kind -> what messages call it: "annotations of …".
KIND_NOUNS: dict[Kind, str] = {"units": "units", "time": "recordings", "nested": "nested segments", "spans": "spans"}


class Annotation(NamedTuple):
    """One coder's annotation of one track of one item.

    Attributes
    ----------
    item : str
        The name of the text or recording.
    coder : str
        The name of the coder.
    marks : Segmentation, Hierarchy or Spans
        The annotation itself.
    track : str
        The name of the track (speaker), "" if there is only one.

    Examples
    --------
    >>> Annotation("kubla", "ann", Segmentation.from_masses([2, 3, 6]))
    Annotation(item='kubla', coder='ann', marks=Segmentation(11 units: 2|3|6), track='')
    """

    item: str
    coder: str
    marks: Marks
    track: str = ""


class Corpus:
    """Annotations of many items by many coders, all of one kind. A corpus is immutable.

    Build a corpus with :meth:`from_dict`, :meth:`from_annotations` or :func:`caesura.read`; the constructor takes the columns.
    ``corpus[item, coder]`` or ``corpus[item, coder, track]`` looks up an annotation, ``len`` counts annotations, and iteration
    yields :class:`Annotation` objects.

    Parameters
    ----------
    kind : {"units", "time", "nested", "spans"}
        The kind of annotation.
    items, tracks, coders : sequence of str
        The names, in order of appearance. A corpus without speakers has one track, "".
    item_of, track_of, coder_of : array of int
        The index of the item, track and coder of each annotation.
    lengths : array of int or float
        The length of the track of each annotation, in units or seconds.
    offsets : array of int
        The marks of annotation ``i`` are at ``offsets[i]:offsets[i+1]`` of the next three columns.
    positions : array of int or float
        Boundary positions; the first unit of nested segments; the start of spans.
    types : array of int, default None
        Boundary types; the level of nested segments; the label index of spans, -1 for none. None if no annotation is typed.
    ends : array of int or float, default None
        The last unit of nested segments; the end of spans, excluded. None for boundaries.
    labels : sequence of str, default None
        The names of boundary types or span labels, one ordinal scale for the corpus; None if types are integers.
    texts : mapping of (str, str) to sequence of str, default None
        The units of the text of each (item, track), if known.
    names : mapping of int to sequence of str, default None
        The segment names of annotations, by index, if known.
    attributes : mapping of str to mapping, default None
        Metadata of items, such as genre, speaker or date.
    starts : array of float, default None
        The time at which the track of each annotation begins; None if all begin at 0. Positions in the columns count from there, those of
        the annotations that a corpus returns are absolute.
    provenance : Provenance, default None
        The interpretation, the notes and the files from which the corpus was read; it does not count for equality.

    Raises
    ------
    InvalidSegmentation
        If the columns do not fit together, or an annotation is invalid.

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
        "offsets", "positions", "provenance", "starts", "texts", "track_of", "tracks", "types",
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
    starts: NDArray[np.float64] | None
    provenance: Provenance
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
        starts: Any = None,
        provenance: Provenance | None = None,
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
            "starts": None if starts is None or not np.any(starts) else _column(starts, np.float64),
            "provenance": provenance or NO_PROVENANCE,
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

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_annotations(
        cls,
        annotations: Iterable[Annotation | tuple[Any, ...]],
        *,
        labels: Sequence[str] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
        provenance: Provenance | None = None,
    ) -> Corpus:
        """Build a corpus from annotations; types are put on one ordinal scale.

        Parameters
        ----------
        annotations : iterable of Annotation or tuple
            Annotations, or tuples (item, coder, marks) or (item, coder, marks, track).
        labels : sequence of str, default None
            The names of the types in their order; None merges the scales of the annotations.
        attributes : mapping of str to mapping, default None
            Metadata of items.
        provenance : Provenance, default None
            Where the annotations come from.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> Corpus.from_annotations([("kubla", "ann", [2, 3, 6]), ("kubla", "ben", [5, 6])])
        Corpus(1 item × 2 coders, 2 annotations of units)
        """
        listed = resolve_texts([_annotation(a) for a in annotations])
        starts = [getattr(a.marks, "start", 0.0) for a in listed]
        if any(starts):
            listed = [a if isinstance(a.marks, Hierarchy) else a._replace(marks=a.marks.relative()) for a in listed]
        kinds: list[Kind] = list(dict.fromkeys(kind_of(a.marks) for a in listed)) or ["units"]
        if len(kinds) > 1:
            advice = "; read all files with as=spans or as=boundaries (-O)" if "spans" in kinds else ""
            raise InvalidSegmentation(
                f"a corpus holds one kind of annotation; found {' and '.join(sorted(kinds))}{advice}."
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
            texts=collect_texts(listed),
            names={
                i: a.marks.names
                for i, a in enumerate(listed)
                if isinstance(a.marks, (Segmentation, Hierarchy)) and a.marks.names is not None
            },
            attributes=attributes,
            starts=starts,
            provenance=provenance,
            _trusted=True,
            **build_columns(kinds[0], listed, labels),
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Mapping[str, SegmentationLike | Hierarchy | Spans]]) -> Corpus:
        """Build a corpus from nested dictionaries.

        Parameters
        ----------
        data : dict of str to dict of str to annotation
            ``{item: {coder: annotation}}``; an annotation may be a Segmentation, Hierarchy or Spans, masses, or a string or list of 0 and
            1, one for every potential boundary.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> Corpus.from_dict({"kubla": {"ann": [2, 3, 6], "ben": "0000100000"}})["kubla", "ben"]
        Segmentation(11 units: 5|6)
        """
        if not isinstance(data, Mapping) or not all(isinstance(coders, Mapping) for coders in data.values()):
            raise InvalidSegmentation("a corpus is built from {item: {coder: segmentation}}, a dict of dicts.")
        listed = [(str(item), str(coder), marks) for item, coders in data.items() for coder, marks in coders.items()]
        return cls.from_annotations(
            Annotation(item, coder, _as_marks(marks)) for item, coder, marks in _from_flags(listed)
        )

    @classmethod
    def join(cls, corpora: Iterable[Corpus], rules: TimeAxisRules | None = None) -> Corpus:
        """Join corpora of one kind.

        Parameters
        ----------
        corpora : iterable of Corpus
            The corpora.
        rules : TimeAxisRules, default None
            How recordings of one item are put on one time axis if their starts or ends differ; None: they must be equal.

        Returns
        -------
        Corpus

        Raises
        ------
        InvalidSegmentation
            If a coder has two annotations of one track.
        """
        listed = [require_corpus(corpus, "every member") for corpus in corpora]
        attributes: dict[str, dict[str, Any]] = {}
        for corpus in listed:
            for item, known in corpus.attributes.items():
                attributes.setdefault(item, {}).update(known)
        scales = [c.labels for c in listed if c.labels is not None]
        labels = None
        for scale in scales:
            labels = scale if labels is None else merge_labels(labels, scale)
        provenance = Provenance.join(corpus.provenance for corpus in listed)
        annotations: Iterable[Annotation] = (a for c in listed for a in c)
        if rules is not None and any(c.timed for c in listed):
            annotations, notes = on_one_time_axis(annotations, rules)
            provenance = replace(provenance, notes=(*provenance.notes, *notes))
        return cls.from_annotations(annotations, labels=labels, attributes=attributes, provenance=provenance)

    # ------------------------------------------------------------------ look-up and selection

    @property
    def typed(self) -> bool:
        """Whether boundaries have types, or spans labels; levels of nested segments do not count."""
        return self.types is not None and self.kind != "nested"

    @property
    def interpretation(self) -> Interpretation | None:
        """How the data was understood when it was read; None for a corpus made in Python."""
        return self.provenance.interpretation

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was repaired, chosen or left out when the data was read."""
        return self.provenance.notes

    @property
    def sources(self) -> Mapping[tuple[str, str], Document]:
        """The files of (item, coder), from which they can be written back intact."""
        return self.provenance.sources

    @property
    def timed(self) -> bool:
        """Whether positions are seconds (True) or units (False)."""
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
        """Return ``corpus[item, coder]`` or ``corpus[item, coder, track]``."""
        row = self._rows().get(self._key(key))
        if row is None:
            item, track, coder = self._key(key)
            raise CaesuraError(f"coder {coder!r} has no annotation of {describe_location(item, track)} in this corpus.")
        return self.annotation(row).marks

    def annotation(self, row: int) -> Annotation:
        """Return one annotation.

        Parameters
        ----------
        row : int
            The index of the annotation.

        Returns
        -------
        Annotation
        """
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
            marks = Hierarchy._trusted(int(self.lengths[row]), segments, units, self.names.get(row))
        else:
            length = float(self.lengths[row]) if self.kind == "time" else int(self.lengths[row])
            types = None if self.types is None else self.types[here]
            marks = Segmentation._trusted(length, self.positions[here], types, self.labels, units, self.names.get(row))
        if self.starts is not None and self.starts[row]:
            marks = marks.starting_at(float(self.starts[row]))  # type: ignore[union-attr]
        return Annotation(item, self.coders[self.coder_of[row]], marks, track)

    def coders_of(self, item: str, track: str | None = None) -> list[str]:
        """Return the coders of an item or track.

        Parameters
        ----------
        item : str
            The item.
        track : str, default None
            The track; None for any.

        Returns
        -------
        list of str
            The coders in the order of the corpus.
        """
        present = {a for (i, t, a) in self._rows() if i == item and (track is None or t == track)}
        return [coder for coder in self.coders if coder in present]

    def select(
        self,
        *,
        items: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        tracks: Iterable[str] | None = None,
    ) -> Corpus:
        """Select annotations by item, coder and track.

        Parameters
        ----------
        items, coders, tracks : iterable of str, default None
            The names to keep; None keeps every one.

        Returns
        -------
        Corpus
            The corpus itself if nothing is selected.

        Raises
        ------
        CaesuraError
            If the corpus has no such item, coder or track.

        Examples
        --------
        >>> corpus = Corpus.from_dict({"kubla": {"ann": [2, 3, 6], "ben": [5, 6]}})
        >>> corpus.select(coders=["ben"])
        Corpus(1 item × 1 coder, 1 annotation of units)
        """
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
                    raise CaesuraError(
                        f"this corpus has no {what} {sorted(missing)[0]!r}; it has {preview_names(known)}."
                    )
                keep &= np.isin(of, [i for i, name in enumerate(known) if name in chosen])
        return self.take(np.flatnonzero(keep))

    def take(self, rows: NDArray[np.int64] | Sequence[int]) -> Corpus:
        """Select annotations by index.

        Parameters
        ----------
        rows : sequence of int
            The indices to keep, in the new order.

        Returns
        -------
        Corpus
        """
        listed = [self.annotation(int(row)) for row in rows]
        kept = {a.item for a in listed}
        attributes = {item: known for item, known in self.attributes.items() if item in kept}
        provenance = self.provenance.select({(a.item, a.coder) for a in listed})
        return Corpus.from_annotations(listed, labels=self.labels, attributes=attributes, provenance=provenance)

    def relative(self) -> Corpus:
        """Return the same corpus with times that count from the start of every recording; the columns are shared.

        Returns
        -------
        Corpus
        """
        return self if self.starts is None else self._replace(starts=None, _index=None)

    def with_provenance(self, provenance: Provenance) -> Corpus:
        """Return the same corpus with another provenance; the columns are shared.

        Parameters
        ----------
        provenance : Provenance
            The interpretation, notes and sources.

        Returns
        -------
        Corpus
        """
        return self._replace(provenance=provenance)

    def with_attributes(self, attributes: Mapping[str, Mapping[str, Any]]) -> Corpus:
        """Return the same corpus with further attributes of items, which replace those of the same name.

        Parameters
        ----------
        attributes : mapping of str to mapping
            Item -> attribute -> value; items that the corpus does not have are ignored.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> corpus = Corpus.from_dict({"kubla": {"ann": [2, 3, 6]}}).with_attributes({"kubla": {"genre": "poem"}})
        >>> corpus.attributes["kubla"]["genre"]
        'poem'
        """
        own = self.attributes
        known = {item: {**own.get(item, {}), **attributes.get(item, {})} for item in self.items}
        frozen = {item: MappingProxyType(values) for item, values in known.items() if values}
        return self._replace(attributes=MappingProxyType(frozen))

    def with_names(
        self, items: Sequence[str], coders: Sequence[str], tracks: Sequence[str], provenance: Provenance
    ) -> Corpus | None:
        """Return the same corpus with other names of items, coders and tracks; the columns are shared.

        Parameters
        ----------
        items, coders, tracks : sequence of str
            The new names, in the order of the old ones.
        provenance : Provenance
            That of the renamed corpus.

        Returns
        -------
        Corpus or None
            None if two items, coders or tracks would have one name, so that annotations must be joined.
        """
        if any(len(set(names)) < len(names) for names in (items, coders, tracks)):
            return None
        item_of, track_of = (
            dict(zip(old, new, strict=True)) for old, new in ((self.items, items), (self.tracks, tracks))
        )
        return self._replace(
            items=tuple(items),
            coders=tuple(coders),
            tracks=tuple(tracks),
            texts=MappingProxyType({(item_of[i], track_of[t]): units for (i, t), units in self.texts.items()}),
            attributes=MappingProxyType({item_of.get(i, i): known for i, known in self.attributes.items()}),
            provenance=provenance,
            _index=None,
        )

    def _replace(self, **changes: Any) -> Corpus:
        """Return a copy that shares all columns but these, which are valid already."""
        copy = object.__new__(Corpus)
        for name in self.__slots__:
            object.__setattr__(copy, name, changes.get(name, getattr(self, name)))
        return copy

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all pairs of annotations of one track by different coders.

        Returns
        -------
        (array of int, array of int)
            The indices of the first and the second annotation of each pair, in the order of coders.
        """
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
            raise CaesuraError("a corpus is looked up by [item, coder] or [item, coder, track].")
        return key[0], key[2] if len(key) == 3 else self.tracks[0] if len(self.tracks) == 1 else "", key[1]

    # ------------------------------------------------------------------ tables

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over one row per boundary, span or nested segment, with the attributes of the item.

        An annotation without any has one row without positions.

        Examples
        --------
        >>> list(Corpus.from_dict({"kubla": {"ann": [2, 3]}}).rows())
        [{'item': 'kubla', 'coder': 'ann', 'track': '', 'length': 5, 'position': 2}]
        """
        nested, spans = self.kind == "nested", self.kind == "spans"
        marks = (
            ("first", "last", "level")
            if nested
            else ("start", "end", "label")
            if spans
            else ("time" if self.timed else "position",)
        )
        names = (*marks, *(("type",) if self.typed and not spans else ()))
        for a in self:
            base = {"item": a.item, "coder": a.coder, "track": a.track, "length": a.marks.length}
            own: Any = a.marks
            listed = (
                own.spans
                if nested
                else own.rows
                if spans
                else own.marks
                if own.typed
                else [(p,) for p in own.positions.tolist()]
            )
            for values in listed or [(None,) * len(names)]:
                yield base | dict(zip(names, values, strict=False)) | dict(self.attributes.get(a.item, {}))

    def to_pandas(self) -> Any:
        """Return the rows of :meth:`rows` as a pandas DataFrame; :func:`caesura.from_dataframe` reads it."""
        return import_extra("pandas", "", "a corpus as a pandas DataFrame").DataFrame(list(self.rows()))

    def to_polars(self) -> Any:
        """Return the rows of :meth:`rows` as a polars DataFrame; :func:`caesura.from_dataframe` reads it."""
        polars = import_extra("polars", "parquet", "a corpus as a polars DataFrame")
        return polars.DataFrame(list(self.rows()), infer_schema_length=None)

    # ------------------------------------------------------------------ equality and display

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Corpus is immutable; create a new one instead of setting {name!r}.")

    def __eq__(self, other: object) -> bool:
        """Compare marks, texts, names of segments and attributes; the order of annotations does not count."""
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
        parts = [pluralize(len(self.items), "item")]
        if self.tracks != ("",):
            parts.append(pluralize(len(self.tracks), "track"))
        parts.append(pluralize(len(self.coders), "coder"))
        return f"Corpus({' × '.join(parts)}, {pluralize(len(self), 'annotation')} of {KIND_NOUNS[self.kind]})"

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


def on_one_time_axis(annotations: Iterable[Annotation], rules: TimeAxisRules) -> tuple[list[Annotation], list[Note]]:
    """Give all annotations of one track one start and one end; return them with notes about what was changed."""
    listed = list(annotations)
    groups: dict[tuple[str, str], list[int]] = {}
    for i, a in enumerate(listed):
        if isinstance(a.marks, (Segmentation, Spans)) and a.marks.timed:
            groups.setdefault((a.item, a.track), []).append(i)
    notes: list[Note] = []
    for (item, track), members in groups.items():
        if len(members) < 2 and rules.start != "shift":
            continue
        names = [listed[i].coder or "a file" for i in members]

        def say(rule: str, text: str, item: str = item) -> None:
            notes.append(Note(rule, text, item))

        aligned = rules.align(describe_location(item, track), names, [listed[i].marks for i in members], say)
        for i, marks in zip(members, aligned, strict=True):
            listed[i] = listed[i]._replace(marks=marks)
    return listed, notes


def _column(values: Any, dtype: Any) -> NDArray[Any]:
    """Return a read-only array; an array that is writeable is viewed, so that its owner can still write to it."""
    column = np.ascontiguousarray(values, dtype=dtype)
    if column.flags.writeable:
        column = column.view()
        column.flags.writeable = False
    return column


def _restore(state: dict[str, Any]) -> Corpus:
    return Corpus(**state, _trusted=True)


def kind_of(marks: Marks) -> Kind:
    """Return the kind of an annotation."""
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


#: What functions accept as a corpus: the object, ``{item: {coder: marks}}``, or annotations without items or coders.
CorpusLike: TypeAlias = (
    Corpus
    | Mapping[str, Mapping[str, SegmentationLike | Hierarchy | Spans]]
    | Mapping[str, SegmentationLike | Hierarchy | Spans]
    | Sequence[SegmentationLike]
    | Sequence[Hierarchy]
    | Sequence[Spans]
)


class FrameLike(Protocol):
    """A data frame of pandas or polars, one of its columns, or a tensor."""

    def to_numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Return the values as an array."""


class DatasetLike(Protocol):
    """A dataset of Hugging Face."""

    @property
    def column_names(self) -> Any:
        """The names of the columns."""


#: What ``evaluate``, ``compare`` and ``agree`` take besides: one annotation, paths, data frames, datasets, rows and iterators.
DataLike: TypeAlias = (
    CorpusLike
    | SegmentationLike
    | Hierarchy
    | Spans
    | PathLike[str]
    | FrameLike
    | DatasetLike
    | Sequence[Mapping[str, Any]]
    | Iterator[Any]
)


def as_corpus(given: object, what: str, locate: Callable[[str], tuple[str, str]]) -> Corpus:
    """Convert a corpus, a dict as in :meth:`Corpus.from_dict`, or a dict or list of annotations to a corpus.

    ``locate`` returns the (item, coder) for the name, or the number in the list, of an annotation.
    """
    if isinstance(given, Mapping) and given and all(isinstance(corpus, Corpus) for corpus in given.values()):
        return _join_named(given, locate)
    if isinstance(given, Mapping) and given and all(isinstance(coders, Mapping) for coders in given.values()):
        nested = _corpus_on_one_time_axis(
            (str(item), str(coder), marks) for item, coders in given.items() for coder, marks in coders.items()
        )
        _note_two_readings(nested)
        return nested
    if _is_single(given):  # one annotation of one text
        given = [given]
    named = given.items() if isinstance(given, Mapping) else enumerate(given, 1) if _is_listed(given) else ()
    alone = [(str(name), marks) for name, marks in named]
    plain = not all(isinstance(marks, (Segmentation, Hierarchy, Spans)) for _, marks in alone)
    if len(alone) > 1 and all(isinstance(marks, str) and marks in ("0", "1") for _, marks in alone):
        text = "".join(str(marks) for _, marks in alone)
        raise CaesuraError(
            f"{abbreviate(repr(given))} could be one text or {len(alone)}; give {abbreviate(repr(text))} for one text."
        )
    if plain and _are_pairs([marks for _, marks in alone]):
        raise CaesuraError(
            f"{abbreviate(repr(given))} could be starts and ends, or masses; give starts and ends to Spans.from_rows, and masses as lists."
        )
    if alone and all(is_annotation_like(marks) for _, marks in alone):
        return _corpus_on_one_time_axis((*locate(name), marks) for name, marks in alone)
    return require_corpus(given, what)


def _note_two_readings(corpus: Corpus) -> None:
    """Note that the keys of a dict of dicts could be coders and texts as well as texts and coders, if all texts have one length."""
    items, coders = corpus.items, corpus.coders
    if min(len(items), len(coders)) < 2 or len(corpus) != len(items) * len(coders) or len(set(corpus.lengths)) > 1:
        return
    outer, inner = (", ".join(names[:3]) + (" …" if names[3:] else "") for names in (items, coders))
    text = f"the outer keys {outer} were read as texts, the inner keys {inner} as coders; nest {{text: {{coder: …}}}} if it is the other way."
    announce([Note("nesting", text, count=len(items))], "the data")


def _corpus_on_one_time_axis(annotations: Iterable[tuple[str, str, Any]]) -> Corpus:
    """Build a corpus of annotations that were made in Python; recordings that end up to 0.1 s apart are as long as the longest."""
    read = (_annotation(each) for each in _from_flags(list(annotations)))
    listed, notes = on_one_time_axis(read, TimeAxisRules())
    announce(notes, "the data")
    return Corpus.from_annotations(listed)


def _is_single(given: object) -> bool:
    """Tell whether a value is one annotation and not a list of them: marks, a string of 0 and 1, or a flat list of numbers."""
    if isinstance(given, (Segmentation, Hierarchy, Spans)):
        return True
    if isinstance(given, str):
        return bool(given) and not given.strip("01")
    if isinstance(given, np.ndarray):
        whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and bool(((given >= 1) & (given % 1 == 0)).all()))
        return given.ndim == 1 and whole
    return (
        isinstance(given, (list, tuple))
        and bool(given)
        and all(
            isinstance(x, (int, np.integer, np.bool_)) or (isinstance(x, float) and x.is_integer() and x) for x in given
        )
    )


def _are_pairs(listed: Sequence[Any]) -> bool:
    """Tell whether tuples look like the starts and ends of spans that follow each other."""
    return (
        len(listed) > 1
        and all(isinstance(each, tuple) and len(each) == 2 and all(isinstance(n, int) for n in each) for each in listed)
        and all(start < end for start, end in listed)
        and all(before[1] <= after[0] for before, after in pairwise(listed))
    )


def _join_named(given: Mapping[Any, Corpus], locate: Callable[[str], tuple[str, str]]) -> Corpus:
    """Join corpora under the names of coders; one that has several coders keeps them."""
    names = {name: locate(str(name))[1] for name in given}
    return Corpus.from_annotations(
        a._replace(coder=names[name] if len(corpus.coders) == 1 else a.coder)
        for name, corpus in given.items()
        for a in corpus
    )


def _from_flags(annotations: list[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
    """Replace lists of 0 and 1, one per potential boundary; if any of the lists has a 0, those of ones only are no masses either."""
    if not are_flags(marks for *_, marks in annotations):
        return annotations
    kept = (Segmentation, Hierarchy, Spans, str)
    return [
        (item, coder, marks if isinstance(marks, kept) else Segmentation.from_marks([int(mark) for mark in marks]))
        for item, coder, marks in annotations
    ]


def is_annotation_like(given: object) -> bool:
    """Tell whether a value may be one annotation: a segmentation, hierarchy, spans, masses or a string."""
    return isinstance(given, (Segmentation, Hierarchy, Spans, str, np.ndarray)) or _is_listed(given)


def is_list_of_annotations(given: object) -> bool:
    """Tell whether a list holds annotations and not masses."""
    return (
        isinstance(given, (list, tuple))
        and bool(given)
        and all(isinstance(each, (list, tuple, str, np.ndarray, Segmentation, Hierarchy, Spans)) for each in given)
    )


def _is_listed(given: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 1)


def require_corpus(given: object, what: str) -> Corpus:
    """Return a corpus, or raise an error for anything else."""
    if not isinstance(given, Corpus):
        if isinstance(given, (list, tuple, dict, np.ndarray)) and not len(given):
            raise CaesuraError(f"{what} is empty.")
        numbers = given.tolist() if isinstance(given, np.ndarray) else given
        if isinstance(numbers, (list, tuple)) and all(isinstance(each, (int, float)) for each in numbers):
            as_segmentation(numbers)  # raises an error that names what was probably meant
        if (
            isinstance(numbers, (list, tuple))
            and None in numbers
            and all(isinstance(n, (int, float)) or n is None for n in numbers)
        ):
            raise CaesuraError(
                f"{what} contains None at position {numbers.index(None) + 1}; give a number for every place."
            )
        listed = list(given.items() if isinstance(given, Mapping) else enumerate(given, 1) if _is_listed(given) else ())
        lacking = [str(name) for name, marks in listed if marks is None]
        if lacking and all(marks is None or is_annotation_like(marks) for _, marks in listed):
            raise CaesuraError(f"{what}: item {lacking[0]!r} is None; leave it out, and say missing='skip' or 'empty'.")
        raise CaesuraError(
            f"{what} must be a Corpus, as cs.read and Corpus.from_dict return, not {abbreviate(repr(given))}."
        )
    return given


def _annotation(given: Annotation | tuple[Any, ...]) -> Annotation:
    if not isinstance(given, tuple) or not 3 <= len(given) <= len(Annotation._fields):
        raise InvalidSegmentation(
            f"an annotation must be (item, coder, marks) or (item, coder, marks, track), not {given!r}."
        )
    annotation = given if type(given) is Annotation else Annotation(*given)
    marks = _as_marks(annotation.marks)
    return annotation if marks is annotation.marks else annotation._replace(marks=marks)
