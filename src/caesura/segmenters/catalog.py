"""Segmenters by name: ``segmenter("spectral", threshold=0.4).segment(recording)``, and ``segment`` for doing it at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.registry import Entry, Registry
from caesura.segmenters.protocol import Segmenter

#: What a segmenter can be given.
Medium = Literal["text", "sound"]

_TEXT: frozenset[Medium] = frozenset({"text"})
_SOUND: frozenset[Medium] = frozenset({"sound"})


def _accept(name: str, loaded: Any) -> Callable[..., Segmenter]:
    if not (callable(loaded) and callable(getattr(loaded, "segment", None))):
        raise CaesuraError(f"{loaded!r} is no class with a method segment(units, segments=None).")
    return loaded  # type: ignore[no-any-return]


#: Name -> class. The first that takes a medium is its default.
SEGMENTERS: Registry[Callable[..., Segmenter]] = Registry(
    "segmenter",
    {
        **{
            name: Entry(f"caesura.segmenters.text.{where}", title=title, takes=_TEXT)
            for name, where, title in (
                ("dcm", "dcm:DCM", "Bayesian lexical cohesion (BayesSeg)"),
                ("u00", "u00:U00", "shortest description (Utiyama & Isahara)"),
                ("c99", "c99:C99", "divisive clustering of ranked similarities (Choi)"),
                ("texttiling", "texttiling:TextTiling", "valleys of block similarity (Hearst)"),
                ("mincut", "mincut:MinCut", "minimum normalised cut (Malioutov & Barzilay)"),
                ("aps", "aps:APS", "segments around exemplars (affinity propagation)"),
                ("vectors", "vectors:Vectors", "exact segmentation of sentence vectors"),
                ("supervised", "supervised:Supervised", "learnt from segmented texts"),
                ("random", "blind:Random", "boundaries by chance"),
                ("human", "blind:Human", "boundaries of a coder"),
            )
        },
        "spectral": Entry(
            "caesura.segmenters.sound.spectral:SpectralChange",
            title="peaks of spectral change",
            takes=_SOUND,
        ),
        "uniform": Entry(
            "caesura.segmenters.uniform:Uniform",
            title="segments of equal length",
            takes=_TEXT | _SOUND,
        ),
    },
    facts={"title": "", "takes": _TEXT},
    accept=_accept,
)


def segmenter_names(medium: Medium | None = None) -> list[str]:
    """Names of all segmenters, or of those for one medium, ours first.

    >>> segmenter_names("sound")
    ['spectral', 'uniform']
    """
    return [name for name, facts in SEGMENTERS.all_facts() if medium is None or medium in facts["takes"]]


def segmenter(name: str, /, **parameters: Any) -> Segmenter:
    """Make a segmenter by name.

    >>> segmenter("uniform", interval=0.2).segment(0.9)
    Segmentation(0.9 s: 0.2|0.4|0.6|0.8)
    """
    make = SEGMENTERS[name]
    known = list(inspect.signature(make).parameters)
    if wrong := next((key for key in parameters if key not in known), None):
        raise CaesuraError(f"{name} has no parameter {wrong!r}; it takes {', '.join(known) or 'none'}.")
    hints = get_type_hints(make) if inspect.isclass(make) else {}
    for key, value in parameters.items():
        if key in hints and not _fits(value, hints[key]):
            raise CaesuraError(f"{name}: {key} is {value!r}; expected {_spell(hints[key])}.")
    return make(**parameters)


def segment(
    units: Sequence[str] | str | PathLike[str] | Corpus | Any,
    method: str | None = None,
    segments: int | None = None,
    *,
    unit: Any = "sentence",
    **parameters: Any,
) -> Segmentation | Corpus:
    """Place boundaries by machine.

    Parameters
    ----------
    units
        A list of strings, one per unit; a text with offsets (:func:`~caesura.segmenters.text.units.split_units`); a corpus whose texts are known,
        which gives a corpus; a :class:`~caesura.segmenters.sound.Recording`; or the path of a text or a WAV file.
    method
        The name of a segmenter (:func:`segmenter_names`); by default the first for what is given.
    segments
        How many segments; by default the segmenter decides.
    unit
        How the text of a path is cut: sentence, paragraph, line or turn.
    parameters
        What the segmenter takes.

    Examples
    --------
    >>> segment(["one", "two", "three", "four", "five"], "uniform", segments=2)
    Segmentation(5 units: 3|2)
    """
    given = _read_path(units, unit)
    medium: Medium = "sound" if hasattr(given, "duration") else "text"
    chosen = check_medium(method or next(iter(segmenter_names(medium))), medium)
    chosen_segmenter = segmenter(chosen, **parameters)
    if isinstance(given, Corpus):
        return segment_corpus(given, chosen_segmenter, chosen, segments)
    return chosen_segmenter.segment(given, segments)


def check_medium(name: str, medium: Medium) -> str:
    """Refuse a segmenter of the other medium; return its name."""
    takes = SEGMENTERS.facts(name)["takes"]
    if medium not in takes:
        raise CaesuraError(f"{name} segments {' or '.join(sorted(takes))}, not {medium}.")
    return name


def segment_corpus(corpus: Corpus, by: Segmenter, name: str, segments: int | None = None) -> Corpus:
    """Segment every text of a corpus; ``name`` becomes the coder."""
    if not corpus.texts:
        raise CaesuraError("this corpus carries no texts; segmenters need the units of each.")
    return Corpus.from_annotations(
        Annotation(item, name, by.segment(units, segments), track) for (item, track), units in corpus.texts.items()
    )


#: Plain types with their words; what is no plain type is left to the segmenter.
_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a word"),
    type(None): ((type(None),), "none"),
}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value may be given for a parameter of this type."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, list | tuple)
    if hint not in _PLAIN:
        return not isinstance(value, str | int | float)
    return isinstance(value, _PLAIN[hint][0]) and (hint is bool or not isinstance(value, bool))


def _spell(hint: Any) -> str:
    """Say in words what a type takes."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_spell, get_args(hint))))
    if get_origin(hint) is Literal:
        return " or ".join(map(repr, get_args(hint)))
    return _PLAIN[hint][1] if hint in _PLAIN else "what only Python can give"


def _read_path(units: Any, unit: Any) -> Any:
    """Read what a path leads to; everything else stays as it is."""
    if not isinstance(units, str | PathLike):
        return units
    if Path(units).suffix.lower() == ".wav":
        from caesura.segmenters.sound import read_wav

        return read_wav(units)
    from caesura.segmenters.text.units import read_text

    return read_text(units, unit)
