"""Read files and folders: interpretation (which format, what is an item, a coder, a tier, a group) and parsing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import Source, load_json
from caesura.formats.catalog import claiming_formats, detect, format_options, named_format
from caesura.formats.folders import NAMES, guess_pattern, pattern_of_tiers, read_folder, rename_parts
from caesura.model import Annotation, Corpus
from caesura.model.corpus import on_one_time_axis
from caesura.model.provenance import (
    Document,
    Interpretation,
    Note,
    Provenance,
    add_note,
    announce,
    check_same_meaning,
    collect_notes,
)
from caesura.model.time_axis import NO_SCORE_ATTRIBUTE, TimeAxisRules
from caesura.options import option_types, validate_options

#: Formats whose tracks are tiers, which need not be of one layer (words, phones), so that their scores are not pooled.
TIERED = frozenset({"textgrid", "praat-collection", "eaf", "exmaralda"})

#: Options of folders, and of all formats.
_LONGEST_NAME = 255  # bytes of a file's name on most file systems
_COMMON: dict[str, Any] = {"keep_going": bool, "attributes": Any, "start": str, "lengths": str, "slack": float}

#: Stems of files that describe a folder and hold no annotations.
_DESCRIPTIONS = frozenset({"readme", "license", "licence", "copying", "changelog", "authors", "citation", "provenance"})


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    interpretation: Interpretation | Mapping[str, Any] | str | PathLike[str] | None = None,
    **options: Any,
) -> Corpus:
    """Read a file or a folder as one corpus.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder whose files become one corpus.
    format : str, default None
        The name of a format; None: detected from the suffix and the content.
    interpretation : Interpretation, dict or path-like, default None
        How to understand the data: that of another corpus (``corpus.interpretation``), or a file that ``caesura check DATA -o FILE``
        wrote. Data that does not fit it any more is an error. Options that are given too replace its options.
    **options
        ``encoding`` (default: UTF-8, or UTF-16 and UTF-32 if there is a byte order mark); ``item``, ``coder`` and ``track``, to name what the file
        does not name; ``attributes``, a table with a column ``item`` and attributes of items in the other columns; for folders ``pattern``,
        how paths give items, coders and attributes, such as ``"{item}-{coder}.csv"`` or ``"{genre}/{item}.txt"``, and ``keep_going``,
        to leave out files that cannot be read; for recordings of one item that start or end at different times ``start`` ("shift" or
        "absolute"), ``lengths`` ("common" or "longest") and ``slack`` (seconds, default 0.1); and the options of the format.

    Returns
    -------
    Corpus
        ``corpus.interpretation`` tells how the data was understood, ``corpus.notes`` what was repaired, chosen or left out.

    Raises
    ------
    FormatError
        If the file does not follow its format; the message gives the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "kubla.txt")
    ...     _ = path.write_text("one two | three four five")
    ...     corpus = read(path, format="inline", coder="ann")
    >>> corpus["kubla", "ann"], corpus.interpretation.unit
    (Segmentation(5 units: 2|3), 'units')
    """
    if path == "":  # an unset variable, which pathlib would take for the current folder
        raise CaesuraError("the path to read is empty; expected the name of a file or folder.")
    where = Path(path)
    if len(where.name.encode(errors="surrogateescape")) > _LONGEST_NAME:
        raise CaesuraError(f"the path to read has {len(str(where))} characters; expected the name of a file or folder.")
    expected = None if interpretation is None else as_interpretation(interpretation)
    if expected is not None:
        format, options = format or expected.format, {**expected.options, **options}
    if format is not None:
        named_format(format)
    given = dict(options)
    common = {key: given.pop(key) for key in _COMMON if key in given}
    if common:
        common = validate_options("reading", common, _COMMON)
        options = {**options, **common}
    formats: list[str] = []
    with collect_notes() as notes:
        axis = {key: common[key] for key in ("start", "lengths", "slack") if key in common}
        rules = TimeAxisRules(**axis) if axis else None
        corpus = _read_path(where, format, given, rules, formats, keep_going=common.get("keep_going", False))
        if common.get("attributes") is not None:
            corpus = _with_attributes(corpus, Path(common["attributes"]))
    found = interpret(where, corpus, format or (formats[0] if len(set(formats)) == 1 else None), options)
    found = _with_choices(found, notes, len(formats))
    if expected is not None:
        if differing := expected.differences(found):
            raise FormatError(where, None, f"the data does not fit its interpretation: {'; '.join(differing)}.")
        found = replace(found, alternatives=found.alternatives or expected.alternatives)
    said = (*corpus.notes, *notes)
    check_same_meaning(said)
    announce(said, where)
    return corpus.with_provenance(Provenance(found, said, corpus.sources, tiers=not found.pooled))


def _with_choices(found: Interpretation, notes: Sequence[Note], files: int) -> Interpretation:
    """Add the options that make a reader's choices again, if it made the same choice in all files, and those for other readings."""
    choices = Counter((key, value) for note in notes for key, value in note.chosen.items())
    shared = {key: value for (key, value), count in choices.items() if count == files and found.format is not None}
    options = {**shared, **found.options}
    others = dict.fromkeys(other for note in notes for other in note.others)
    return replace(found, options=options, alternatives=tuple(others))


def as_interpretation(given: object) -> Interpretation:
    """Return an interpretation, given one, its plain data, or a JSON file that holds it.

    Parameters
    ----------
    given : Interpretation, dict, str or path-like
        The interpretation.
    """
    if isinstance(given, Interpretation):
        return given
    if isinstance(given, Mapping):
        return Interpretation.from_dict(given)
    if not isinstance(given, (str, PathLike)):
        raise CaesuraError(
            f"an interpretation is an Interpretation, a dict or a JSON file, not {type(given).__name__}."
        )
    source = Source.open(Path(given))
    data = load_json(source)
    try:
        return Interpretation.from_dict(data.get("interpretation", data) if isinstance(data, dict) else data)
    except (CaesuraError, TypeError) as error:
        raise source.error(None, str(error)) from None


def _read_path(
    where: Path,
    format: str | None,
    options: dict[str, Any],
    rules: TimeAxisRules | None,
    formats: list[str] | None = None,
    *,
    keep_going: bool = False,
) -> Corpus:
    """Read a file or folder; the format of every file is added to ``formats``."""
    found = [] if formats is None else formats

    def read_one(file: Path, name: str | None, **given: Any) -> Corpus:
        source = Source.open(file, encoding=given.get("encoding"))
        chosen = format or name or detect(source).name
        found.append(chosen)
        return read_source(source, chosen, given, rules)

    if where.is_dir():
        return read_folder(
            where,
            read_one,
            lambda file: _format_in_folder(file, format, options.get("encoding"), options.get("pattern") is not None),
            rules=rules or TimeAxisRules(),
            keep_going=keep_going,
            **options,
        )
    if "pattern" in options and not where.exists():
        raise FormatError(where, None, "there is no such folder.")
    if "pattern" in options:
        raise FormatError(where, None, "pattern= (--pattern) is for folders, and this is a file.")
    return read_one(where, None, **options)


def read_source(source: Source, format: str, options: Mapping[str, Any], rules: TimeAxisRules | None = None) -> Corpus:
    """Read a source in a known format, and keep its content so that it can be written back.

    Parameters
    ----------
    source : Source
        The file.
    format : str
        The name of its format.
    options : mapping of str to Any
        The options of :func:`read`, except those of folders.
    rules : TimeAxisRules, default None
        How coders of one file are put on one time axis; None: ends up to 0.1 s apart are made equal.
    """
    given = {key: value for key, value in options.items() if key != "encoding"}
    path, chosen = source.path, named_format(format)
    module = chosen.load()
    if not hasattr(module, "read"):
        raise FormatError(path, None, f"{chosen.title} can be written but not read.")
    if "{coder}" in str(given.get("coder")):  # a pattern of tier names: the tiers are the coders of one file
        if "tier" not in option_types(module.read):
            raise FormatError(path, None, f"coder= is a pattern of tier names, and {chosen.title} has no tiers.")
        if given.get("tier") is not None:
            raise FormatError(
                path, None, "coder= is a pattern of tier names, and tier= names tiers too; give only one."
            )
        given["tier"] = given.pop("coder")
    own = option_types(module.read)
    names = {name: str(given.pop(name)) for name in NAMES if given.get(name) is not None}
    if "coder" in own and names.get("coder") == "annotator":  # a field of the file and no name
        given["coder"] = names.pop("coder")
    turns = given.get("as") == "turns"
    if turns and "tier" in own and given.get("tier") is None:  # the only tier of a file is a speaker, too
        given["tier"] = "*"
    tier = None
    if "tier" in given and "tracks" in chosen.carries and "tier" not in own:
        tier = given.pop("tier")
    settings = format_options(module.read, given, chosen.title) if given else {}
    try:
        corpus = join_annotations(module.read(source, **settings), rules)
    except LengthMismatch as error:
        raise LengthMismatch(f"{path}: {error}") from None
    except InvalidSegmentation as error:
        raise FormatError(path, None, str(error)) from None
    except UnicodeDecodeError as error:
        raise source.encoding_error(None, error.encoding) from None
    if format in _WITH_ATTRIBUTES:
        from caesura.formats.columns import NAME_ALIASES, common_names, parse_header  # not needed for other formats

        corpus = _with_column_attributes(corpus, source, format)
        if "track" in common_names(parse_header(source.head()), NAME_ALIASES) and len(corpus.tracks) > 1:
            corpus = corpus.with_provenance(replace(corpus.provenance, tiers=True))
    if tier is not None:
        corpus, given = _select_tracks(corpus, source, tier), {**given, "tier": tier}
    if turns:
        from caesura.formats.speech.intervals import turns_of_tiers

        corpus = turns_of_tiers(corpus)
    elif chosen.keeps_source:
        corpus = _with_source(corpus, source, format, given)
    return rename_parts(corpus, names) if names else corpus


def join_annotations(read: Corpus | Iterable[Annotation], rules: TimeAxisRules | None = None) -> Corpus:
    """Return what a reader read as a corpus: annotations of coders, which may start or end at different times, get one time axis."""
    if isinstance(read, Corpus):
        return read
    annotations, notes = on_one_time_axis(read, rules or TimeAxisRules())
    for note in notes:
        add_note(note.rule, note.text, item=note.item, count=note.count)
    return Corpus.from_annotations(annotations)


def _select_tracks(corpus: Corpus, source: Source, tier: str | int) -> Corpus:
    """Select tracks of a format that has no tiers of its own, by name, position or pattern."""
    from caesura.formats.speech.intervals import chosen_tiers

    chosen = {corpus.tracks[index]: (coder, track) for index, coder, track in chosen_tiers(source, corpus.tracks, tier)}
    part = corpus.select(tracks=chosen)
    return Corpus.from_annotations(
        (a._replace(coder=chosen[a.track][0] or a.coder, track=chosen[a.track][1]) for a in part),
        labels=part.labels,
        attributes=part.attributes,
        provenance=replace(part.provenance, tiers=False),
    )


#: Tables whose other columns, if they have one value per item, are attributes of items.
_WITH_ATTRIBUTES = frozenset({"csv", "csv-labels", "csv-spans", "times"})
_TABLE_COLUMNS = frozenset(
    [
        "item",
        "document",
        "doc",
        "coder",
        "annotator",
        "track",
        "speaker",
        "position",
        "type",
        "length",
        "unit",
        "token",
        "word",
        "text",
        "sentence",
        "label",
        "labels",
        "segment",
        "boundary",
        "start",
        "begin",
        "end",
        "stop",
        "time",
        "score",
        "category",
        "annotation",
        "level",
        "tag",
        "ner_tag",
    ]
)


def _with_column_attributes(corpus: Corpus, source: Source, format: str) -> Corpus:
    """Add columns that the format does not use, such as genre, as attributes of items."""
    from caesura.formats.columns import (
        INTERVAL_ALIASES,
        LABEL_ALIASES,
        NAME_ALIASES,
        TIME_ALIASES,
        common_names,
        parse_header,
    )

    aliases = {**NAME_ALIASES, **INTERVAL_ALIASES, **TIME_ALIASES, **LABEL_ALIASES}
    header = common_names(parse_header(source.head()), aliases)
    used = (
        _TABLE_COLUMNS - {"speaker"} if format in ("times", "csv-spans") and "track" not in header else _TABLE_COLUMNS
    )
    if "start" in header and "end" not in header:
        used |= {"duration"}
    extra = [name for name in header if name not in used and name]
    if not extra or not header or any(name.replace(".", "").isdigit() for name in header):
        return corpus
    only = corpus.items[0] if len(corpus.items) == 1 else ""  # the item of a table without such a column
    from caesura.formats.tables import read_table  # not needed for other formats

    values: dict[str, dict[str, str]] = {}
    varying: set[str] = set()
    for row in read_table(source, aliases=aliases):
        known = values.setdefault(row.get("item") or only, {})
        for name in extra:
            if known.setdefault(name, row[name]) != row[name]:
                varying.add(name)
    unused = [name for name in extra if name in varying and not (name == "speaker" and corpus.tracks != ("",))]
    if unused:
        add_note(
            "unused",
            f"{source.path}: the {'columns' if unused[1:] else 'column'} {', '.join(unused)} "
            f"{'have' if unused[1:] else 'has'} several values in one item and {'were' if unused[1:] else 'was'} not used; "
            "a column of annotators is called coder.",
            count=len(unused),
            example=unused[0],
        )
    return corpus.with_attributes(
        {item: {name: value for name, value in known.items() if name not in varying} for item, known in values.items()}
    )


def _with_source(corpus: Corpus, source: Source, format: str, options: Mapping[str, Any]) -> Corpus:
    """Keep the content of a file as the source of every item and coder that was read from it."""
    companions = {suffix: each.raw for suffix, each in source.siblings.items()}
    document = Document(format, source.path.name, source.raw, companions, source.encoding, dict(options))
    keys = set(zip(corpus.item_of.tolist(), corpus.coder_of.tolist(), strict=True))
    sources = {(corpus.items[item], corpus.coders[coder]): document for item, coder in keys}
    return corpus.with_provenance(replace(corpus.provenance, sources=sources))


# ---------------------------------------------------------------------- interpretation


def interpret(where: Path, corpus: Corpus, format: str | None, options: Mapping[str, Any]) -> Interpretation:
    """Describe how a corpus was understood.

    Parameters
    ----------
    where : Path
        The file or folder.
    corpus : Corpus
        What was read.
    format : str or None
        The format, if it was named.
    options : mapping of str to Any
        The options of reading.
    """
    pattern, tier = str(options.get("pattern", "")), options.get("tier")
    formats = {document.format for document in corpus.sources.values()}
    chosen = format
    by_file = corpus.items == (where.stem,) if where.is_file() else _named_by_files(where, corpus)
    items = (
        f"pattern {pattern!r}" if "{item}" in pattern
        else "option item=" if "item" in options
        else ("paths below the folder" if any("/" in item for item in corpus.items) else "file names") if by_file
        else "names in the file" if where.is_file() else "names in the files"
    )  # fmt: skip
    tier_pattern = str(options.get("coder", tier if tier is not None else ""))
    coders = (
        f"pattern {pattern!r}" if "{coder}" in pattern
        else f"tier names {tier_pattern!r}" if "{coder}" in tier_pattern
        else "option coder=" if "coder" in options
        else "none" if corpus.coders in ((), ("",))
        else "one, named after the folder" if where.is_dir() and corpus.coders == (where.resolve().name,)
        else "folders" if where.is_dir() and all((where / coder).is_dir() for coder in corpus.coders)
        else "names in the file" if where.is_file() else "names in the files"
    )  # fmt: skip
    tiered = corpus.provenance.tiers or chosen in TIERED or bool(formats & TIERED)
    several = len(corpus.tracks) > 1
    return Interpretation(
        chosen,
        corpus.kind,
        "seconds" if corpus.timed else "units",
        items,
        coders,
        "none" if corpus.tracks in ((), ("",)) else "tiers" if tiered else "names in the data",
        pooled=not (several and tiered and tier in (None, "*") and "{coder}" not in tier_pattern),
        groups=_groups(corpus, pattern, options),
        options={key: str(v) if isinstance(v, PathLike) else v for key, v in options.items() if key != "keep_going"},
    )


def _named_by_files(folder: Path, corpus: Corpus) -> bool:
    below = {item.rpartition("/")[2] for item in corpus.items}
    stems = {document.name.rpartition(".")[0] for document in corpus.sources.values()}
    return below <= (stems or {file.stem for file in folder.rglob("*")})


def _groups(corpus: Corpus, pattern: str, options: Mapping[str, Any]) -> dict[str, str]:
    keys = dict.fromkeys(key for known in corpus.attributes.values() for key in known if key != NO_SCORE_ATTRIBUTE)
    first = {item: item.partition("/")[0] for item in corpus.items} if keys else {}
    groups = {}
    for key in keys:
        values = {item: known.get(key) for item, known in corpus.attributes.items()}
        by_folder = (
            key in ("speaker", "group")
            and any("/" in item for item in first)
            and all(values.get(i) == f for i, f in first.items())
        )
        groups[key] = (
            f"pattern {pattern!r}" if f"{{{key}}}" in pattern
            else "first folder" if by_folder
            else f"table {options['attributes']}" if "attributes" in options
            else "the files"
        )  # fmt: skip
    return groups


def _with_attributes(corpus: Corpus, path: Path) -> Corpus:
    """Add attributes of items from a table with a column ``item``."""
    from caesura.formats.tables import read_table

    attributes: dict[str, dict[str, str]] = {}
    source = Source.open(path)
    for row in read_table(source, needs=("item",)):
        attributes[row["item"]] = {name: row[name] for name in row.columns if name != "item"}
    if unknown := [item for item in corpus.items if item not in attributes]:
        raise source.error(
            None,
            f"there is no row for the item {unknown[0]!r}{f' and {len(unknown) - 1} others' if len(unknown) > 1 else ''}.",
        )
    return corpus.with_attributes(attributes)


# ---------------------------------------------------------------------- guesses for error messages


def likely_pattern(folder: str | PathLike[str], format: str | None = None, **options: Any) -> str | None:
    """Guess the ``pattern`` that gives an item of a folder two coders.

    Parameters
    ----------
    folder : str or path-like
        The folder.
    format : str, default None
        The format of its files; None: detected for each file.
    **options
        Options of :func:`read`.

    Returns
    -------
    str or None
        None if the file names suggest no pattern, or this is not a folder.

    Examples
    --------
    >>> likely_pattern("no folder") is None
    True
    """
    where = Path(folder)
    if not where.is_dir():
        return None

    def read_with(pattern: str) -> Corpus:
        with collect_notes():  # a guess announces nothing
            return _read_path(where, format, {**options, "pattern": pattern}, None)

    return guess_pattern(where, read_with, _file_filter(format))


def likely_tiers(path: str | PathLike[str], tracks: Sequence[str], format: str | None = None) -> str | None:
    """Guess the pattern of tier names if every tier of a file belongs to a coder.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder of which the first file is used.
    tracks : sequence of str
        The names of its tiers.
    format : str, default None
        The format; None: detected.

    Returns
    -------
    str or None
        Such as "{coder}_IU"; None if the format has no tiers.
    """
    where = Path(path)
    files = sorted(filter(_file_filter(format), where.rglob("*"))) if where.is_dir() else [where]
    if len(tracks) < 2 or not files:
        return None
    chosen = named_format(format) if format is not None else detect(Source.open(files[0]))
    return pattern_of_tiers(tracks) if "tier" in option_types(chosen.load().read) else None


def _format_in_folder(file: Path, format: str | None, encoding: str | None, matched: bool) -> str | FormatError | None:
    """Return the format of a file in a folder, the error if none fits, or None if the file is not to be read."""
    if not matched and not _file_filter(format)(file):
        return None
    if format is not None:
        return format
    try:
        return detect(Source.open(file, encoding=encoding)).name
    except FormatError as error:
        return error


def _file_filter(format: str | None) -> Callable[[Path], bool]:
    """Return a function that tells which files of a folder are read."""
    return _is_annotation if format is None else named_format(format).claims


def _is_annotation(path: Path) -> bool:
    """Tell annotations from README files and from the texts of brat's standoff files."""
    claimed = any(True for _ in claiming_formats(path))
    companion = path.suffix == ".txt" and path.with_suffix(".ann").exists()
    return claimed and not companion and path.stem.lower() not in _DESCRIPTIONS
