"""Write a corpus: atomically, and without silent losses."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from caesura.errors import CaesuraError, FormatError
from caesura.files import Content, Source, atomic_write, atomic_write_all
from caesura.formats.catalog import FORMATS, Format, claiming_formats, format_options, named_format
from caesura.formats.editing import changed_marks, editor_of, is_same
from caesura.formats.folders import rename_parts, write_folder
from caesura.formats.losses import DROPPABLE, FEATURES, FLATTENED, differences, features, has_no_label, reduce_corpus
from caesura.formats.reading import join_annotations, read_source
from caesura.model import Corpus, Spans
from caesura.model.corpus import Marks, require_corpus
from caesura.model.provenance import Document, collect_notes
from caesura.options import option_types
from caesura.text import pluralize
from caesura.validation import validate_choice

#: Reader options that ``write`` accepts too, because they decide what is read back from the file.
_READER_OPTIONS = ("as", "tier")

_ANYWAY = "write it anyway with lossy=True (--lossy)"


def write(
    corpus: Corpus,
    path: str | PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    pattern: str | None = None,
    **options: Any,
) -> None:
    """Write a corpus to a file, or to a folder with one file per item and coder.

    Files are replaced only when they are complete. Losses are an error unless ``lossy`` is true.

    Parameters
    ----------
    corpus : Corpus
        The corpus to write.
    path : str or path-like
        The file to write, or with ``pattern`` the new folder.
    format : str, default None
        The name of a format; None: the first format with this suffix that can hold the corpus.
    lossy : bool, default False
        Whether to drop everything that the format cannot hold.
    pattern : str, default None
        File names below the folder, such as ``"{coder}/{item}.txt"``; None: write one file.
    **options
        Options of the format. ``as`` and ``tier``, if the format can be read in several ways, say how the file will be read back.

    Raises
    ------
    FormatError
        If the format cannot hold all of the corpus; the message lists what would be lost.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from caesura.model import Annotation, Segmentation
    >>> corpus = Corpus.from_annotations([Annotation("kubla", "ann", Segmentation.from_masses([2, 3]))])
    >>> with TemporaryDirectory() as folder:
    ...     write(corpus, Path(folder, "kubla.csv"))
    ...     print(Path(folder, "kubla.csv").read_text().splitlines()[1])
    kubla,ann,,5,2
    """
    require_corpus(corpus, "the corpus to write")
    where = Path(path)
    if pattern is not None:

        def write_part(part: Corpus, file: Path) -> None:
            chosen = named_format(format) if format is not None else _format_by_suffix(file, part)
            stored = "attributes" in chosen.carries
            part = part if stored else _without_attributes_of_path(part, pattern)
            write(part, file, chosen.name, lossy=lossy, **options)

        write_folder(corpus, where, pattern, write_part)
        return
    chosen = named_format(format) if format is not None else _format_by_suffix(where, corpus, sole_source(corpus))
    module = chosen.load()
    writes = hasattr(module, "write")
    given = format_options(module.write, _writer_options(module, options), chosen.title) if writes else options
    document = sole_source(corpus)
    if document is not None and not given.items() <= document.options.items():  # another form than that of the source
        document = None
    kept = document is not None and document.format == chosen.name and document.complete
    if document is not None and kept and (intact := _intact(corpus, document, chosen)) is not None:
        if not lossy and (nameless := _names_lost(corpus, chosen, where)):
            raise FormatError(where, None, f"{chosen.title} would lose {' and '.join(nameless)}; {_ANYWAY}.")
        _write_files(where, intact)
        return
    if not writes:
        back = " anew; only a file of this format can be changed" if hasattr(module, "read") else ""
        raise FormatError(where, None, f"{chosen.title} can be read but not written{back}.")
    structure = [] if chosen.name == "caesura-json" else _structure(corpus)  # which keeps the sources
    if lossy:
        if (obstacle := _obstacle(corpus, chosen, options)) is not None:
            raise FormatError(where, None, f"{chosen.title} cannot hold {obstacle}, even with lossy.")
        whole, corpus = corpus, reduce_corpus(corpus, chosen.carries)
        if dropped := len(whole.items) - len(corpus.items):  # users who accept other losses may not expect this one
            warnings.warn(
                f"{where} holds only {corpus.items[0]!r}; {pluralize(dropped, 'item')} {'was' if dropped == 1 else 'were'} left out.",
                stacklevel=2,
            )
    elif lost := [*losses(corpus, chosen, **options), *_names_lost(corpus, chosen, where), *structure]:
        advice = _advice(corpus, chosen, where, lost, options)
        if "lossy" in advice and (obstacle := _obstacle(corpus, chosen, options)) is not None:
            raise FormatError(where, None, f"{chosen.title} cannot hold {obstacle}; {_other_formats(corpus, where)}.")
        raise FormatError(where, None, f"{chosen.title} would lose {' and '.join(lost)}; {advice}.")
    _write_files(where, _contents(module, corpus, given))


def _without_attributes_of_path(part: Corpus, pattern: str) -> Corpus:
    """Drop the attributes that the path of a file gives again when the folder is read."""
    kept = {
        item: {
            name: value
            for name, value in known.items()
            if f"{{{name}}}" not in pattern
            and not (name in ("group", "speaker") and pattern.startswith("{item}") and value == item.partition("/")[0])
        }
        for item, known in part.attributes.items()
    }
    return Corpus.from_annotations(part, labels=part.labels, attributes=kept, provenance=part.provenance)


def folder_pattern(corpus: Corpus, format: str) -> str:
    """Return the names of the files of a new folder: one per item, in a folder per coder if there are several."""
    suffix = {"textgrid": ".TextGrid"}.get(format, named_format(format).suffixes[0])
    return ("{coder}/" if len(corpus.coders) > 1 else "") + "{item}" + suffix


def _write_files(where: Path, contents: Mapping[str, Content]) -> None:
    """Write a file and its companions, all or none."""
    files = {}
    for name, content in contents.items():  # "" is the file itself, ".txt" another suffix, anything else a name
        companion = where.with_suffix(name) if name.startswith(".") else where.parent / name
        files[companion if name else where] = content
    for file, content in files.items():
        if file != where and file.exists() and file.read_bytes() != _bytes(content):
            raise FormatError(
                where, None, f"{file.name} exists beside it with other content; choose another file name."
            )
    atomic_write_all(files)


# ---------------------------------------------------------------------- files that are written back


def sole_source(corpus: Corpus) -> Document | None:
    """Return the file from which all of a corpus was read, or None."""
    documents = list({id(each): each for each in corpus.sources.values()}.values())
    if len(documents) != 1:  # nearly all large corpora, whose annotations need not be looked at
        return None
    return documents[0] if corpus.sources.keys() == {(item, coder) for item, coder, _ in _keys(corpus)} else None


def _intact(corpus: Corpus, document: Document, chosen: Format) -> dict[str, Content] | None:
    """Return the content of a file that holds this corpus and everything else that its source holds; None if that is not possible.

    An unchanged corpus is written as its source. A format with a function ``merge`` puts changed marks into the source.
    """
    source = source_of(document)
    with collect_notes():
        original = _renamed_alike(read_source(source, document.format, document.options), corpus, chosen)
    if original.kind == corpus.kind and _same_keys(original, corpus) and not differences(corpus, original):
        return {"": _as_utf8(document), **document.companions}
    editor = editor_of(chosen.name, chosen.load())
    merge = getattr(editor, "merge", None)
    if merge is None or original.kind != corpus.kind:
        return None
    taken = {name: value for name, value in document.options.items() if name in option_types(merge)}
    merged: Content | None = merge(source, original, corpus, **taken)
    if merged is None:
        return None
    contents = {"": merged, **document.companions}
    # what was merged is kept only if it reads back as the corpus
    written = source_of(replace(document, data=_bytes(merged)))
    try:
        with collect_notes(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # issued when the source was read
            reread = _renamed_alike(read_source(written, document.format, document.options), corpus, chosen)
    except CaesuraError:
        return None
    follow = getattr(editor, "DEPENDENTS_FOLLOW", False)
    wanted = (
        (changed_marks(original, corpus) or {}) if follow else {(a.item, a.coder, a.track): a.marks for a in corpus}
    )
    others = {(a.item, a.coder, a.track) for a in reread} - wanted.keys()
    loose = _lengths(original) == _lengths(corpus) and _ends_with_last_span(original) and _ends_with_last_span(reread)
    return contents if _holds(reread, wanted, any_length=loose) and (follow or not others) else None


def _lengths(corpus: Corpus) -> dict[str, float]:
    return {a.item: a.marks.length for a in corpus}


def _ends_with_last_span(corpus: Corpus) -> bool:
    """Tell whether recordings of spans end where the last span ends: captions, RTTM and others do not store a length."""
    if corpus.kind != "spans" or not corpus.timed:
        return False
    last: dict[str, float] = {}
    for a in corpus:
        ends = a.marks.ends if isinstance(a.marks, Spans) else ()
        last[a.item] = max([last.get(a.item, 0.0), *ends])
    return all(isinstance(a.marks, Spans) and float(a.marks.end) == last[a.item] for a in corpus)


def _holds(corpus: Corpus, wanted: Mapping[tuple[str, str, str], Marks], *, any_length: bool = False) -> bool:
    """Tell whether a corpus has these annotations; one without any mark may be missing, because files do not name who marked nothing.

    ``any_length`` ignores the lengths of recordings of spans, which are not stored.
    """
    found = {(a.item, a.coder, a.track): a.marks for a in corpus}
    if any_length:
        found = {key: _as_long_as(marks, wanted.get(key)) for key, marks in found.items()}
    return all(
        is_same(found[key], marks) and found[key].units == marks.units
        if key in found
        else isinstance(marks, Spans) and not len(marks)
        for key, marks in wanted.items()
    )


def _as_long_as(marks: Marks, other: Marks | None) -> Marks:
    """Return spans with the length of others, if they fit into it."""
    if not isinstance(marks, Spans) or not isinstance(other, Spans) or not len(marks) or other.end < marks.ends.max():
        return marks
    return Spans(other.length, marks.starts, marks.ends, marks.types, marks.labels, marks.units, other.start)


def source_of(document: Document) -> Source:
    """Return the source to read a document from memory."""
    return Source(Path(document.name), document.encoding, document.data, document.companions or None)


def _as_utf8(document: Document) -> bytes:
    """Return the content; text in an encoding that a reader cannot detect becomes UTF-8."""
    if document.encoding is None or document.data.lstrip().startswith(b"<?xml"):
        return document.data
    return document.data.decode(document.encoding).encode("utf-8")


def write_into_source(
    corpus: Corpus,
    gold: Corpus,
    path: Path,
    format: str | None = None,
    name: str = "gold",
    *,
    dependents: Literal["leave", "copy"] = "leave",
) -> str | None:
    """Write a gold standard into the file from which the annotations were read, as a new file; None if that is not possible.

    In a file with tiers the gold standard is a new tier, in one with several annotators a new annotator; in other files it replaces the
    marks of their annotator. If the coders have files of their own, that of the first coder is used.

    Parameters
    ----------
    corpus : Corpus
        The annotations of all coders.
    gold : Corpus
        The gold standard.
    path : Path
        The file to write.
    format : str, default None
        The format to write; None: by the suffix.
    name : str, default "gold"
        The name of the new tier or annotator.
    dependents : {"leave", "copy"}, default "leave"
        Whether annotations of ELAN that depend on the coders' are copied to the gold standard: every gold annotation gets those of the
        coder's annotation that it shares most time with.

    Returns
    -------
    str or None
        A sentence about what was written.
    """
    validate_choice("dependents", dependents, ("leave", "copy"))
    coders = [a.coder for a in corpus]
    known = {
        a.item: corpus.sources[a.item, a.coder]
        for a in corpus
        if a.coder == coders[0] and (a.item, a.coder) in corpus.sources
    }
    documents = list({id(each): each for each in known.values()}.values())
    if len(documents) != 1 or set(known) != set(gold.items):
        return None
    document = documents[0]
    chosen = named_format(document.format)
    if (format or _format_by_suffix(path, gold, document).name) != chosen.name:
        return None
    editor = editor_of(chosen.name, chosen.load())
    if hasattr(editor, "add_tiers") and len(gold.items) == 1:
        several = len(gold.tracks) > 1
        like = str(document.options.get("tier", ""))
        first = corpus.annotation(0)
        tiers = {
            (f"{name} {a.track}" if several else name): (a.track or like.replace("{coder}", first.coder), a.marks)
            for a in gold
        }
        given: tuple[Any, ...] = ()
        if dependents == "copy":
            if not getattr(editor, "DEPENDENTS_FOLLOW", False):
                raise FormatError(path, None, f"{chosen.title} has no dependent annotations to copy.")
            names = dict(zip((a.track for a in gold), tiers, strict=True))
            givers: dict[str, list[Any]] = {}
            for a in corpus:
                if (file := corpus.sources.get((a.item, a.coder))) is not None and file.format == chosen.name:
                    givers.setdefault(names.get(a.track, name), []).append((source_of(file), a.marks))
            given = (givers,)
        atomic_write(path, editor.add_tiers(source_of(document), tiers, *given))
        return f"{path} is {document.name} with the new {'tiers' if several else 'tier'} {', '.join(tiers)}."
    with_coders = "coders" in chosen.carries
    units = {(a.item, a.track): a.marks.units for a in corpus}
    placed = [
        a._replace(coder=name if with_coders else coders[0], marks=a.marks.with_units(units.get((a.item, a.track))))
        for a in gold
    ]
    others = (
        [a for a in corpus if corpus.sources.get((a.item, a.coder)) is document and a.coder != name]
        if with_coders
        else []
    )
    target = Corpus.from_annotations([*others, *placed], labels=corpus.labels)
    intact = _intact(target, document, chosen)
    if intact is None:
        return None
    _write_files(path, intact)
    how = (
        f"with the new annotator {name}"
        if with_coders
        else f"with the gold standard in place of the marks{f' of {coders[0]}' if coders[0] else ''}"
    )
    return f"{path} is {document.name} {how}."


def _renamed_alike(original: Corpus, corpus: Corpus, chosen: Format) -> Corpus:
    """Give the only item or coder of a file that does not store its name the name that it has in the corpus."""
    first = corpus.annotation(0)._asdict()
    named = {
        of: str(first[of])
        for of in ("item", "coder")
        if len(getattr(original, f"{of}s")) == 1 == len(getattr(corpus, f"{of}s"))
        and (f"{of}s" not in chosen.carries or getattr(original, f"{of}s") == ("",))
    }
    renamed = rename_parts(original, named)
    # attributes that folders, patterns and tables gave are not in the file
    return renamed.with_attributes(corpus.attributes)


def _same_keys(first: Corpus, second: Corpus) -> bool:
    return _keys(first) == _keys(second)


def _keys(corpus: Corpus) -> set[tuple[str, str, str]]:
    """Return item, coder and track of every annotation, without building the annotations."""
    columns = zip(corpus.item_of.tolist(), corpus.coder_of.tolist(), corpus.track_of.tolist(), strict=True)
    return {(corpus.items[item], corpus.coders[coder], corpus.tracks[track]) for item, coder, track in columns}


def _structure(corpus: Corpus) -> list[str]:
    """Describe what the source of a corpus holds beyond the corpus, which writing it anew would lose."""
    document = sole_source(corpus)
    if document is None or not document.complete:
        return []
    describe = getattr(editor_of(document.format, named_format(document.format).load()), "structure", None)
    if describe is None:
        return []
    taken = {name: value for name, value in document.options.items() if name in option_types(describe)}
    counted: dict[str, int] = describe(source_of(document), **taken)
    parts = [pluralize(number, what) for what, number in counted.items() if number]
    return [f"{', '.join(parts)} of {named_format(document.format).title}"] if parts else []


def losses(corpus: Corpus, chosen: Format, **options: Any) -> list[str]:
    """Describe what would be lost if this corpus were written in this format.

    Parameters
    ----------
    corpus : Corpus
        The corpus to write.
    chosen : Format
        The format.
    **options
        As for :func:`write`.

    Returns
    -------
    list of str
        Descriptions such as "boundary types"; empty if nothing is lost.
    """
    lost = [FEATURES[f] for f in FEATURES if f in features(corpus) - chosen.carries]
    if lost or chosen.exact:
        own: Callable[[Corpus], list[str]] = getattr(chosen.load(), "losses", lambda _: [])
        return [*lost, *own(corpus)]
    try:
        return differences(corpus, _read_back(corpus, chosen, options))
    except (CaesuraError, UnicodeError) as error:
        return [f"something ({_reason(error)})"]


def _read_back(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> Corpus:
    """Write in memory and read the result."""
    module = chosen.load()
    reading = {name: value for name, value in options.items() if name in option_types(module.read)}
    given = format_options(module.write, _writer_options(module, options), chosen.title)
    contents = _contents(module, corpus, given)
    data = {name: _bytes(content) for name, content in contents.items()}
    source = Source(Path("memory"), None, data.pop(""), data)
    if not source.data:
        raise FormatError(None, None, "nothing would be left.")
    names = corpus.annotation(0)._asdict()
    unnamed = {of: str(names[of]) for of in ("item", "coder") if f"{of}s" not in chosen.carries}
    read = module.read(source, **format_options(module.read, reading, chosen.title))
    return rename_parts(join_annotations(read), unnamed)


def _writer_options(module: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the options that only say how the file will be read back: they change what is lost, not what is written."""
    known = option_types(module.read) if hasattr(module, "read") else {}
    reading = {name for name in _READER_OPTIONS if name in known and name not in option_types(module.write)}
    return {name: value for name, value in options.items() if name not in reading}


def _names_lost(corpus: Corpus, chosen: Format, where: Path) -> list[str]:
    """Names that the format does not store and the path does not contain."""
    if not len(corpus):
        return []
    first, known = corpus.annotation(0), corpus.interpretation
    path = "/".join(where.absolute().parts[-2 - first.item.count("/") :])
    # names that nobody gave: of the folder, and of a file that is written under another name
    unnamed = known is not None and {
        "coder": known.coders == "one, named after the folder",
        "item": known.items == "file names",
    }
    return [
        f"the name of the {of} ({name!r}; put it into the file's name)"
        for of, name in (("item", first.item), ("coder", first.coder))
        if f"{of}s" not in chosen.carries and name and not _is_whole_part(name, path) and not (unnamed and unnamed[of])
    ]


def _is_whole_part(name: str, path: str) -> bool:
    """Tell whether a name stands in a path with separators or ends around it: ``ann`` is in ``ann/x`` and ``x-ann``, not in ``annotations``."""
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", path) is not None


def _advice(corpus: Corpus, chosen: Format, where: Path, lost: list[str], options: Mapping[str, Any]) -> str:
    """Advise to write spans as such, or a folder if a file holds one item and there are several, else to accept the losses."""
    if len(corpus.items) == 1 or "items" in chosen.carries:
        can_read_spans = corpus.kind == "spans" and "as" not in options and "as" in option_types(chosen.load().read)
        if not can_read_spans or losses(corpus, chosen, **{**options, "as": "spans"}):
            return _ANYWAY
        keep = "keep spans with as='spans' (--write-option as=spans)"
        return keep if lost == [FEATURES["spans"]] else f"{keep}, and {_ANYWAY}"
    pattern = "{item}-{coder}" + where.suffix
    return (
        f"a file holds one of these {len(corpus.items)} items: write a file that holds all, such as {where.stem}.json, "
        f"and convert it to a folder with caesura convert {where.stem}.json FOLDER --write-pattern '{pattern}'; "
        "lossy=True (--lossy) keeps only the first item"
    )


def _obstacle(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> str | None:
    """Describe why a format cannot hold a corpus even if everything is dropped that can be; None if it can."""
    lost = features(corpus) - chosen.carries
    if flattened := {kind for kind, flat in FLATTENED.items() if kind in lost and {flat, "untyped"} <= chosen.carries}:
        lost -= flattened | {"unnamed spans"}
    fixed = {name for name in lost if name not in DROPPABLE or name in FLATTENED}
    if "unnamed spans" in lost and has_no_label(corpus):
        fixed.add("unnamed spans")
    if fixed:
        return " and ".join(FEATURES[name] for name in FEATURES if name in fixed)
    if chosen.exact or not len(corpus):
        return None
    reduced = reduce_corpus(corpus, chosen.carries)
    try:
        _read_back(reduced, chosen, options)
    except (CaesuraError, UnicodeError) as error:
        if any(re.search(r"[\r\n]", name) for name in _all_names(reduced)):
            return "names with line ends"
        return f"this: {_reason(error)}"
    return None


def _all_names(corpus: Corpus) -> Iterator[str]:
    """Iterate over the names of segments and spans, and of boundary types."""
    yield from corpus.labels or ()
    for names in corpus.names.values():
        yield from names


def _reason(error: Exception) -> str:
    """Return the reason of an error without the name of the file, which is in memory."""
    return (error.why if isinstance(error, FormatError) else str(error)).rstrip(".")


def _other_formats(corpus: Corpus, where: Path) -> str:
    """Advise to write a format that holds all of a corpus, with the same suffix if there is one."""
    needed = features(corpus)
    able = [
        chosen
        for chosen in map(named_format, FORMATS)
        if needed <= chosen.carries and chosen.suffixes and hasattr(chosen.load(), "write")
    ]
    if same := next((chosen.name for chosen in able if chosen.claims(where)), None):
        return f"write format={same!r} (--to {same}) instead"
    suffixes = dict.fromkeys(chosen.suffixes[0] for chosen in able)
    *others, last = list(suffixes)[:4]  # Caesura's JSON holds everything
    return f"write {', '.join(others)} or {last} instead"


def _contents(module: Any, corpus: Corpus, options: Mapping[str, Any]) -> dict[str, Content]:
    try:
        content = module.write(corpus, **options)
    except CaesuraError:
        raise
    except ValueError as error:  # from a library that cannot write some character
        raise FormatError(None, None, f"it cannot write this corpus: {str(error).rstrip('.')}.") from None
    return dict(content) if isinstance(content, Mapping) else {"": content}


def _bytes(content: Content) -> bytes:
    whole = content if isinstance(content, (str, bytes)) else "".join(content)
    return whole.encode("utf-8", "strict") if isinstance(whole, str) else whole


def _format_by_suffix(path: Path, corpus: Corpus, document: Document | None = None) -> Format:
    """Choose the first writable format with this suffix that can hold the corpus, else that of its source, else one that loses least."""
    needed, writable = features(corpus), []
    for each in claiming_formats(path):
        if hasattr(each.load(), "write"):
            if needed <= each.carries:
                return each
            writable.append(each)
    if document is not None and named_format(document.format).claims(path):
        return named_format(document.format)
    if not writable:
        known = ", ".join(sorted(name for name, module in FORMATS.items() if hasattr(module, "write")))
        raise FormatError(path, None, f"no format writes this suffix; name one with format= (--to): {known}.")
    return min(writable, key=lambda each: (bool(needed - each.carries - DROPPABLE), len(needed - each.carries)))
