"""Options that several commands share, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from caesura.cli.catalogues import SAMPLES, Names
from caesura.cli.command import Argument, Option


def writable(path: Path) -> Path:
    """Refuse an output that cannot be written before anything is read, counted or written."""
    from caesura.files import check_target

    check_target(path)
    return path


def drawable(path: Path) -> Path:
    """Refuse a name that says the drawing is anything but SVG, which no program would open as what it is called."""
    if path.suffix.lower() not in ("", ".svg"):
        from caesura.errors import FormatError

        raise FormatError(path, None, f"drawings are written as SVG; name the file {path.with_suffix('.svg').name}.")
    return writable(path)


Input: TypeAlias = Annotated[Path, Argument("A file or folder of annotations, or sample:NAME.", offer=SAMPLES)]
Format: TypeAlias = Annotated[
    str | None,
    Option(
        "--format", "-f", help="Format of the input; found by suffix and content if not given.", offer=Names("formats")
    ),
]
ToFormat: TypeAlias = Annotated[
    str | None, Option("--to", "-t", help="Format of the output, if its suffix does not say.", offer=Names("formats"))
]
Encoding: TypeAlias = Annotated[
    str | None, Option("--encoding", help="Encoding of text files, such as latin-1; default UTF-8 or UTF-16.")
]
Json: TypeAlias = Annotated[bool, Option("--json", help="Print JSON for machines.")]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--metric",
        "-m",
        help="A metric, with parameters behind a colon: B:n_t=3. Repeat for several.",
        offer=Names("metrics"),
    ),
]
Bounds: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--bound",
        help="Measure this segmenter beside the systems, as many segments as the coders have: dcm, c99 … Repeatable.",
        offer=Names("segmenters"),
    ),
]
Seed: TypeAlias = Annotated[int, Option("--seed", min=0, help="Seed of everything random.")]
Items: TypeAlias = Annotated[list[str] | None, Option("--item", "-i", help="Only this item; repeatable.")]
Coders: TypeAlias = Annotated[list[str] | None, Option("--coder", "-c", help="Only this coder; repeatable.")]
FormatOptions: TypeAlias = Annotated[
    list[str] | None, Option("--option", "-O", help="An option of the input's format, KEY=VALUE; repeatable.")
]
Draw: TypeAlias = Annotated[
    list[str] | None,
    Option("--draw", "-d", help="Which drawing, by name; repeatable. Default: what fits.", offer=Names("drawings")),
]
Lossy: TypeAlias = Annotated[bool, Option("--lossy", help="Write even where the format cannot carry everything.")]
NearMiss: TypeAlias = Annotated[int | None, Option("--n-t", help="Positions that a near miss may span.")]
WindowSize: TypeAlias = Annotated[int | None, Option("--k", help="Window size of Pk, WindowDiff and WinPR.")]
Tolerance: TypeAlias = Annotated[str, Option("--tolerance", help="Time around a boundary, such as 20ms.")]
Tolerances: TypeAlias = Annotated[
    str | None, Option("--tolerance", help="Time around a boundary, or several: 20ms,10ms.")
]
Matching: TypeAlias = Annotated[
    str | None,
    Option(
        "--matching", help="Boundary edits: published or optimal (of least cost); in time: regions, optimal or lenient."
    ),
]
SvgFile: TypeAlias = Annotated[
    Path | None, Option("--svg", check=drawable, help="Write the drawing into this file as SVG.")
]
Width: TypeAlias = Annotated[
    int | None, Option("--width", "-w", min=20, max=1000, help="Columns to draw in; default: the terminal's.")
]
Similarity: TypeAlias = Annotated[
    Path | None,
    Option(
        "--similarity", help="Table of how alike boundary types are, for Sf and SfB; the last row and column: none."
    ),
]
Transposition: TypeAlias = Annotated[
    float | None,
    Option(
        "--transposition", help="Cost of moving a boundary by one position, for Sf and SfB; default half its deletion."
    ),
]
Marks: TypeAlias = Annotated[
    str | None, Option("--marks", help="The texts carry vowel marks: hebrew or arabic. Words and letters are measured.")
]
FailUnder: TypeAlias = Annotated[
    list[str] | None, Option("--fail-under", help="Exit with 1 where a score is worse: B=0.6; repeatable.")
]
