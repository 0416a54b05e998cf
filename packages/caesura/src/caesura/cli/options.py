"""Options that several commands share, and the names that shell completion offers for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from caesura.cli.command import Argument, OldOption, OldOptions, Option
from caesura.errors import FormatError

# ---------------------------------------------------------------------- completion


@dataclass(frozen=True)
class Names:
    """The names of a catalogue of ``caesura list``, for completion; it is imported when the shell asks.

    Parameters
    ----------
    catalogue : str
        "metrics", "formats", "segmenters", "samples", "papers" or "drawings".
    prefix : str, default ""
        Text before each name.
    files : bool, default False
        Whether the shell completes file names too.
    """

    catalogue: str
    prefix: str = ""
    files: bool = False

    def __call__(self) -> list[str]:
        """Return the names."""
        from caesura.cli.list import CATALOGUES

        return [self.prefix + each.name for each in CATALOGUES[self.catalogue]()]


@dataclass(frozen=True)
class Keys:
    """The keys of dictionaries, each given as "module:attribute", for completion; they are imported when the shell asks."""

    tables: tuple[str, ...]

    def __call__(self) -> list[str]:
        """Return the keys of one table after the other."""
        from caesura.registry import load_object

        return [name for where in self.tables for name in load_object(where)]


#: A built-in sample, or any file.
SAMPLES = Names("samples", "sample:", files=True)


# ---------------------------------------------------------------------- checks


def writable(path: Path) -> Path:
    """Refuse an output file that cannot be written, before any input is read."""
    from caesura.files import check_target

    check_target(path)
    return path


def drawable(path: Path) -> Path:
    """Refuse an output file for a drawing whose suffix is not .svg, or that cannot be written."""
    if path.suffix.lower() not in ("", ".svg"):
        raise FormatError(path, None, f"drawings are written as SVG; name the file {path.with_suffix('.svg').name}.")
    return writable(path)


# ---------------------------------------------------------------------- shared options

Input: TypeAlias = Annotated[Path, Argument("A file or folder of annotations, or sample:NAME.", offer=SAMPLES)]
Format: TypeAlias = Annotated[
    str | None,
    Option("--format", "-f", help="Format of the input; detected by default.", offer=Names("formats")),
]
FormatOptions: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--option",
        "-O",
        help="Option of the input format, KEY=VALUE, such as tier=words or encoding=latin-1; ref.KEY and hyp.KEY are for one side, NAME.KEY "
        "is for one of several systems, anchor.KEY is for --anchor. Repeatable.",
    ),
]
ToFormat: TypeAlias = Annotated[
    str | None,
    Option("--to", "-t", help="Format of the output; by default chosen by its suffix.", offer=Names("formats")),
]
Lossy: TypeAlias = Annotated[bool, Option("--lossy", help="Write even if the format cannot hold everything.")]
Encoding: TypeAlias = Annotated[
    str | None, Option("--encoding", help="Encoding of text files, such as latin-1; default UTF-8 or UTF-16.")
]
Json: TypeAlias = Annotated[bool, Option("--json", help="Print JSON.")]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--metric",
        "-m",
        help="Metric, with parameters after a colon: B:n_t=3. Without a name (:n_t=3), the parameters go to the default metrics "
        "that take them. Repeatable.",
        offer=Names("metrics"),
    ),
]
Missing: TypeAlias = Annotated[
    Literal["error", "skip", "empty"],
    Option(
        "--missing",
        help="Items on one side only: error, skip (also items that a metric cannot count) or empty (count them as unmarked).",
    ),
]
Seed: TypeAlias = Annotated[int, Option("--seed", min=0, help="Seed of the random numbers.")]
Items: TypeAlias = Annotated[list[str] | None, Option("--item", "-i", help="Only this item; repeatable.")]
Coders: TypeAlias = Annotated[list[str] | None, Option("--coder", "-c", help="Only this coder; repeatable.")]
Draw: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--draw",
        "-d",
        help="Drawing by name; repeatable. Default: the one for this kind of data.",
        offer=Names("drawings"),
    ),
]
SvgFile: TypeAlias = Annotated[Path | None, Option("--svg", check=drawable, help="Write the drawing to this SVG file.")]
Width: TypeAlias = Annotated[
    int | None,
    Option("--width", "-w", min=20, max=1000, help="Width of the drawing in columns; default: the terminal's."),
]
Tolerance: TypeAlias = Annotated[
    str, Option("--tolerance", help="Largest distance of a hit in time, such as 20ms; inf for no limit.")
]
Anchor: TypeAlias = Annotated[
    bool,
    Option(
        "--anchor",
        help="Accept texts that differ from the reference: move their annotations to its text and report what was altered. Limits: "
        "--max-altered 0.3, --skip-refused; parameters: -O anchor.KEY=VALUE, such as anchor.level=words.",
    ),
]
MaxAltered: TypeAlias = Annotated[
    float | None,
    Option("--max-altered", min=0, max=1, hidden=True, help="The largest altered share of a text; default 0.3."),
]
SkipRefused: TypeAlias = Annotated[
    bool, Option("--skip-refused", hidden=True, help="Leave out documents that differ too much.")
]
FailUnder: TypeAlias = Annotated[
    list[str] | None, Option("--fail-under", help="Exit with 1 if a score is worse: B=0.6. Repeatable.")
]

# ---------------------------------------------------------------------- deprecated options, for one version

_METRIC_OPTIONS = {
    "n_t": OldOption(int | None, "-m B:n_t=3"),
    "k": OldOption(int | None, "-m WD:k=5"),
    "tolerance": OldOption(str | None, "-m R:tolerance=20ms"),
    "matching": OldOption(str | None, "-m B:matching=optimal"),
    "similarity": OldOption(Path | None, "-m Sf:similarity=FILE"),
    "transposition": OldOption(float | None, "-m Sf:transposition=0.5"),
}
_ENCODING = OldOption(str | None, "-O encoding=latin-1")
_MARKS = OldOption(str | None, "-f marked-text -O marks=hebrew")

#: Options that were replaced by parameters of metrics and by options of formats.
OldMetricOptions: TypeAlias = Annotated[dict[str, Any] | None, OldOptions(**_METRIC_OPTIONS)]
OldReadingOptions: TypeAlias = Annotated[dict[str, Any] | None, OldOptions(encoding=_ENCODING, marks=_MARKS)]
OldEncoding: TypeAlias = Annotated[dict[str, Any] | None, OldOptions(encoding=_ENCODING)]
