"""Segmenters by name: ``segmenter("spectral", threshold=0.4).segment(recording)``, and ``segment`` for doing it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import TextIOBase
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, overload, runtime_checkable

from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.options import option_types, validate_options
from caesura.registry import Entry, Registry

if TYPE_CHECKING:
    from caesura.segmenters.sound import Sound
    from caesura.segmenters.text.units import Text

#: Suffixes of sound files, of all encodings that libsndfile reads (PCM, floats, µ-law, A-law, ADPCM …).
SOUND_SUFFIXES = (
    ".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff", ".aifc", ".au", ".snd", ".caf", ".w64", ".rf64", ".sph", ".nist",
    ".mp2", ".wavex", ".voc", ".avr", ".pvf", ".paf", ".sds", ".svx", ".8svx", ".iff", ".ircam", ".sf", ".wve", ".xi", ".htk", ".sd2", ".mpc2k",
)  # fmt: skip
#: Suffixes of files that may hold sound, but usually other data: they are sound if they are named, not in a folder.
RARE_SOUND_SUFFIXES = (".mat", ".mat4", ".mat5")

#: The media that segmenters take.
Medium = Literal["text", "sound"]

_TEXT: frozenset[Medium] = frozenset({"text"})
_SOUND: frozenset[Medium] = frozenset({"sound"})


@runtime_checkable
class Segmenter(Protocol):
    """The protocol of segmenters, built in or from other packages; parameters are keywords of the class, with defaults.

    The class may have ``title`` (a few words; otherwise the first line of its docstring) and ``takes`` (``{"text"}`` by default,
    ``{"sound"}`` or both). A segmenter may also have ``explain``, ``tree``, ``fit``, ``stream`` and ``save``.
    """

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Place boundaries between units.

        Parameters
        ----------
        units : sequence of str or Recording
            The units of a text, or a :class:`~caesura.segmenters.sound.Recording`.
        segments : int, default None
            The number of segments; None lets the segmenter decide.

        Returns
        -------
        Segmentation
        """
        ...


def validate_segment_count(segments: int | None, most: int, where: str) -> None:
    """Raise an error if a number of segments is not possible.

    Parameters
    ----------
    segments : int or None
        The number that was asked for; None is always valid.
    most : int
        The largest number possible.
    where : str
        A description of the text or recording, for the error.

    Examples
    --------
    >>> validate_segment_count(5, 3, "a text of 3 units")
    Traceback (most recent call last):
    caesura.errors.CaesuraError: segments is 5 for a text of 3 units; expected 1 to 3.
    """
    if segments is not None and (isinstance(segments, bool) or not 1 <= segments <= max(most, 1)):
        raise CaesuraError(f"segments is {segments} for {where}; expected 1 to {max(most, 1)}.")


def as_units(units: Any) -> tuple[str, ...]:
    """Return the units of a sequence of strings, a text with offsets, or a segmentation that carries its text."""
    given = getattr(units, "units", units)
    if given is None:
        raise CaesuraError("the segmentation has no text; give the units as strings.")
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise CaesuraError(
            "units must be a list of strings; split one string with caesura.segmenters.text.split_units first."
        )
    listed = given if isinstance(given, tuple) else tuple(given)
    if wrong := next((i for i, unit in enumerate(listed, 1) if not isinstance(unit, str)), None):
        raise CaesuraError(f"unit {wrong} is {listed[wrong - 1]!r}; expected a string.")
    return listed


def _accept(name: str, loaded: Any) -> Callable[..., Segmenter]:
    if not (callable(loaded) and callable(getattr(loaded, "segment", None))):
        raise CaesuraError(f"{loaded!r} is not a class with a method segment(units, segments=None).")
    return loaded  # type: ignore[no-any-return]


#: Name -> class. The first that takes a medium is its default.
SEGMENTERS: Registry[Callable[..., Segmenter]] = Registry(
    "segmenter",
    {
        name: Entry(f"caesura.segmenters.{target}", title=title, takes=takes)
        for name, target, title, takes in (
            ("dcm", "text.cohesion:DCM", "Bayesian lexical cohesion (BayesSeg)", _TEXT),
            ("u00", "text.cohesion:U00", "shortest description (Utiyama & Isahara)", _TEXT),
            ("c99", "text.similarity:C99", "divisive clustering of ranked similarities (Choi)", _TEXT),
            ("texttiling", "text.similarity:TextTiling", "valleys of block similarity (Hearst)", _TEXT),
            ("mincut", "text.similarity:MinCut", "minimum normalised cut (Malioutov & Barzilay)", _TEXT),
            ("aps", "text.similarity:APS", "segments around exemplars (affinity propagation)", _TEXT),
            ("vectors", "text.vectors:Vectors", "exact segmentation of sentence vectors", _TEXT),
            ("supervised", "text.supervised:Supervised", "learned from segmented texts", _TEXT),
            ("human", "text.baselines:Human", "boundaries of a coder", _TEXT),
            ("spectral", "sound:SpectralChange", "peaks of spectral change", _SOUND),
            ("random", "text.baselines:Random", "random boundaries", _TEXT | _SOUND),
            ("uniform", "text.baselines:Uniform", "segments of equal length", _TEXT | _SOUND),
        )
    },
    facts={"title": "", "takes": _TEXT},
    accept=_accept,
)


def segmenter_names(medium: Medium | None = None) -> list[str]:
    """Return the names of all segmenters, built-in ones first.

    Parameters
    ----------
    medium : {"text", "sound"}, default None
        Only segmenters for this medium; None for all.

    Returns
    -------
    list of str

    Examples
    --------
    >>> segmenter_names("sound")
    ['spectral', 'random', 'uniform']
    """
    return [name for name, facts in SEGMENTERS.all_facts() if medium is None or medium in facts["takes"]]


def segmenter(name: str, /, **parameters: Any) -> Segmenter:
    """Create a segmenter by name.

    Parameters
    ----------
    name : str
        One of :func:`segmenter_names`.
    **parameters
        The parameters of its class.

    Returns
    -------
    Segmenter

    Examples
    --------
    >>> segmenter("uniform", interval=0.2).segment(0.9)
    Segmentation(0.9 s: 0.2|0.4|0.6|0.8)
    """
    make = SEGMENTERS[name]
    return make(**validate_options(name, parameters, option_types(make)))


@overload
def segment(
    units: Corpus, method: str | Callable[[str], Iterable[Any]] | None = ..., segments: int | None = ..., *, unit: Any = ..., **parameters: Any
) -> Corpus: ...  # fmt: skip
@overload
def segment(
    units: Sequence[str] | str | PathLike[str] | BinaryIO | Text | Sound, method: str | Callable[[str], Iterable[Any]] | None = ...,
    segments: int | None = ..., *, unit: Any = ..., **parameters: Any,
) -> Segmentation: ...  # fmt: skip
def segment(
    units: Sequence[str] | str | PathLike[str] | BinaryIO | Corpus | Text | Sound,
    method: str | Callable[[str], Iterable[Any]] | None = None,
    segments: int | None = None,
    *,
    unit: Any = "sentence",
    **parameters: Any,
) -> Segmentation | Corpus:
    """Segment a text, a recording or a corpus.

    Parameters
    ----------
    units : sequence of str, Text, Corpus, Recording, path or binary file
        One string per unit; a text with offsets (:func:`~caesura.segmenters.text.units.split_units`); a corpus that has its texts; a
        :class:`~caesura.segmenters.sound.Recording`; the path of a text or sound file; or sound in a binary file that is open.
    method : str or callable, default None
        The name of a segmenter (:func:`segmenter_names`); a function from a text to chunks, such as the splitters of LangChain or
        wtpsplit's ``SaT.split``; None takes the first for the medium.
    segments : int, default None
        The number of segments; None lets the segmenter decide.
    unit : str or callable, default "sentence"
        The unit of a text file: ``"sentence"``, ``"paragraph"``, ``"line"``, ``"turn"``, or a function.
    **parameters
        The parameters of the segmenter.

    Returns
    -------
    Segmentation or Corpus
        A corpus if a corpus was given.

    Examples
    --------
    >>> segment(["one", "two", "three", "four", "five"], "uniform", segments=2)
    Segmentation(5 units: 3|2)
    """
    given = _read_path(units, unit)
    if callable(method):
        from caesura.segmenters.text.chunking import FunctionSegmenter

        if parameters:
            raise CaesuraError(f"a function takes no parameters of segmenters, such as {min(parameters)}.")
        model = FunctionSegmenter(method)
        return (
            segment_corpus(given, model, model.name, segments)
            if isinstance(given, Corpus)
            else model.segment(given, segments)
        )
    medium: Medium = "sound" if hasattr(given, "duration") else "text"
    name = check_medium(method or segmenter_names(medium)[0], medium)
    chosen = segmenter(name, **parameters)
    if isinstance(given, Corpus):
        return segment_corpus(given, chosen, name, segments)
    return chosen.segment(given, segments)


def check_medium(name: str, medium: Medium) -> str:
    """Return the name of a segmenter, or raise an error if it is for the other medium."""
    takes = SEGMENTERS.facts(name)["takes"]
    if medium not in takes:
        raise CaesuraError(f"{name} segments {' or '.join(sorted(takes))}, not {medium}.")
    return name


def segment_corpus(corpus: Corpus, model: Segmenter, name: str, segments: int | None = None) -> Corpus:
    """Segment every text of a corpus; the coder is called ``name``."""
    if not corpus.texts:
        raise CaesuraError("this corpus has no texts to segment.")
    return Corpus.from_annotations(
        Annotation(item, name, model.segment(units, segments), track) for (item, track), units in corpus.texts.items()
    )


_LONGEST_NAME = 1000  # of a file with its folders


def _read_path(units: Any, unit: Any) -> Any:
    """Read the file if a path is given."""
    if hasattr(units, "read") and not isinstance(units, TextIOBase) and hasattr(units, "seekable"):
        from caesura.segmenters.sound import open_sound

        return open_sound(units)
    if not isinstance(units, str | PathLike):
        return units
    if isinstance(units, str) and ("\n" in units or len(units) > _LONGEST_NAME):
        raise CaesuraError(
            f"the text is one string of {len(units)} characters; expected one string per unit, or the path of a file. caesura.chunk takes a whole text."
        )
    if Path(units).suffix.lower() in SOUND_SUFFIXES + RARE_SOUND_SUFFIXES:
        from caesura.segmenters.sound import open_sound

        return open_sound(units)
    from caesura.segmenters.text.units import read_text

    return read_text(units, unit)
