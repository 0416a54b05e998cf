"""segeval's datasets: items, coders and masses in dictionaries; files, samples and summaries of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal

from caesura.compat.segeval.notations import BoundaryFormat
from caesura.errors import CaesuraError
from caesura.files import Source, atomic_write, load_json
from caesura.formats import segeval_json, segeval_tsv
from caesura.model import Corpus, Segmentation
from caesura.samples import flat, moonstone


class DataIOError(CaesuraError):
    """A file that holds no segmentations, or a coding that is there twice."""


class Field:
    """The keys of segeval's JSON."""

    segmentation_type = "segmentation_type"
    items = "items"


class Dataset(defaultdict[str, dict[str, Any]]):
    """Item -> coder -> segmentation, all in one format.

    >>> Dataset({"text": {"ann": [2, 3], "ben": [5]}}).coders == {"ann", "ben"}
    True
    """

    def __init__(
        self,
        item_coder_data: Mapping[str, dict[str, Any]] | None = None,
        properties: Mapping[str, Any] | None = None,
        boundary_types: Iterable[int] | None = None,
        boundary_format: str = BoundaryFormat.mass,
    ) -> None:
        super().__init__(dict, item_coder_data or {})
        self.properties = dict(properties or {})
        self.boundary_types = set(boundary_types or (1,))
        self.boundary_format = boundary_format

    @property
    def coders(self) -> set[str]:
        """Everybody who coded an item."""
        return {coder for coded in self.values() for coder in coded}

    def __iadd__(self, other: Mapping[str, Mapping[str, Any]]) -> Dataset:
        for item, coded in other.items():
            if twice := self[item].keys() & coded.keys():
                raise DataIOError(f"coder {min(twice)!r} has coded item {item!r} already.")
            self[item].update(coded)
        return self

    def __add__(self, other: Mapping[str, Mapping[str, Any]]) -> Dataset:
        both = self.copy()
        both += other
        return both

    def __deepcopy__(self, memo: dict[int, Any]) -> Dataset:
        return Dataset(deepcopy(dict(self), memo), deepcopy(self.properties), self.boundary_types, self.boundary_format)

    def copy(self) -> Dataset:
        """Copy everything."""
        return deepcopy(self)


def _dataset(corpus: Corpus, properties: Mapping[str, Any] | None = None) -> Dataset:
    dataset = Dataset(properties=properties)
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        dataset[item][coder] = tuple(marks.masses)
    return dataset


# ---------------------------------------------------------------------- files


def input_linear_mass_json(filepath: str | Path) -> Dataset:
    """Read segeval's JSON."""
    source = Source.open(Path(filepath))
    try:
        corpus = segeval_json.read(source)
        return _dataset(corpus, {key: value for key, value in load_json(source).items() if key != Field.items})
    except CaesuraError as fault:
        raise DataIOError(str(fault)) from None


def output_linear_mass_json(filepath: str | Path, dataset: Mapping[str, Mapping[str, Any]]) -> None:
    """Write segeval's JSON into a file, or as output.json into a folder."""
    path = Path(filepath)
    content = {Field.segmentation_type: "linear", **getattr(dataset, "properties", {}), Field.items: dataset}
    text = json.dumps(content, sort_keys=True, indent=4)
    atomic_write(path / "output.json" if path.is_dir() else path, text)


def input_linear_mass_tsv(filepath: str | Path, delimiter: str = "\t") -> Dataset:
    """Read a table of masses, one row per coder; the item is named after the file."""
    return _read_table(filepath, delimiter, "masses")


def input_linear_positions_tsv(filepath: str | Path, delimiter: str = "\t") -> Dataset:
    """Read a table that numbers the segment of every unit; segeval's older files, not one of the 40 names."""
    return _read_table(filepath, delimiter, "positions")


def _read_table(filepath: str | Path, delimiter: str, content: Literal["masses", "positions"]) -> Dataset:
    source = Source.open(Path(filepath))
    try:
        if delimiter != "\t":
            source = Source(source.path, data=source.raw.replace(delimiter.encode(), b"\t"))
        return _dataset(segeval_tsv.read(source, content=content))
    except CaesuraError as fault:
        raise DataIOError(str(fault)) from None


def load_nested_folders_dict(
    containing_dir: str | Path, filetype: str, dataset: Dataset | None = None, prepend_item: Iterable[str] = ()
) -> Dataset:
    """Read every file of a kind, "json" or "tsv", in a folder and those inside it; items are named folder,folder,item."""
    suffixes, read = {
        "json": ((".json", ".jsn"), input_linear_mass_json),
        "tsv": ((".tsv", ".csv"), input_linear_mass_tsv),
    }[filetype]
    dataset = Dataset() if dataset is None else dataset
    above = list(prepend_item)
    for path in sorted(Path(containing_dir).rglob("*")):
        if path.suffix.lower() in suffixes and path.is_file():
            folders = [*above, *path.parent.relative_to(containing_dir).parts]
            dataset += {",".join([*folders, item]): coded for item, coded in read(path).items()}
    return dataset


# ---------------------------------------------------------------------- samples


@cache
def sample(name: str) -> Dataset:
    """Make one of the six samples by its name."""
    if name in ("KAZANTSEVA2012_G2", "KAZANTSEVA2012_G5"):
        chapters = moonstone.chapters()
        wanted = [item for item in chapters.items if chapters.attributes[item]["group"] == name[-2:]]
        group = _dataset(chapters.select(items=wanted))
        return Dataset({item.replace("chapter ", "ch"): coders for item, coders in group.items()})
    if name == "HEARST_1997_STARGAZER":
        coded = _dataset(flat.stargazer())["stargazer"]
        return Dataset({"stargazer": {coder.removeprefix("coder "): masses for coder, masses in coded.items()}})
    if name == "HYPOTHESIS_STARGAZER":
        return Dataset({"stargazer": {"h1": (2, 6, 4, 2, 4, 3), "h2": (2, 1, 1, 1, 5, 8, 2, 1)}})
    if name == "COMPLETE_AGREEMENT":  # four chapters, each as one of their coders has it
        group = sample("KAZANTSEVA2012_G5")
        alike = [group["ch1"]["an4"], group["ch11"]["an1"], group["ch4"]["an4"], group["ch3"]["an1"]]
        names = ("an4", "an1", "an2", "an3")
        return Dataset({f"item{number}": dict.fromkeys(names, masses) for number, masses in enumerate(alike, 1)})
    if name == "LARGE_DISAGREEMENT":  # one segment against as many as there are units
        sizes = enumerate((12, 20, 5, 42), 1)
        return Dataset({f"item{number}": {"an5": (size,), "an6": (1,) * size} for number, size in sizes})
    raise AttributeError(f"module 'caesura.compat.segeval' has no attribute {name!r}")


# ---------------------------------------------------------------------- summaries


def summarize(pairs: Mapping[Any, Any]) -> tuple[Decimal, Decimal, Decimal, Decimal, int]:
    """Mean, standard deviation, variance and standard error of the values of all pairs, and how many there are.

    >>> summarize({"a": Decimal(1), "b": Decimal(0)})[:3]
    (Decimal('0.5'), Decimal('0.5'), Decimal('0.25'))
    """
    if not pairs:
        raise CaesuraError("there is nothing to summarise: no pair was compared.")
    number = len(pairs)
    mean = sum(pairs.values(), Decimal(0)) / number
    variance = sum(((value - mean) ** 2 for value in pairs.values()), Decimal(0)) / number
    deviation = variance.sqrt()
    return mean, deviation, variance, deviation / Decimal(number).sqrt(), number
