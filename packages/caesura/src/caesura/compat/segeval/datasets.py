"""segeval's datasets, which are dictionaries of items and coders: files, samples and summaries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal

from caesura.compat.segeval.calls import BoundaryFormat
from caesura.errors import CaesuraError
from caesura.files import Source, atomic_write, load_json
from caesura.formats.segeval import read_json, read_tsv
from caesura.model import Corpus, Segmentation
from caesura.samples import corpora, moonstone


class DataIOError(CaesuraError):
    """A file without segmentations, or a coder who has coded an item twice."""


class Field:
    """The keys of segeval's JSON."""

    segmentation_type = "segmentation_type"
    items = "items"


class Dataset(defaultdict[str, dict[str, Any]]):
    """Item -> coder -> segmentation, all in one format.

    Parameters
    ----------
    item_coder_data : mapping, default None
        Item -> coder -> segmentation.
    properties : mapping, default None
        Keys of the JSON file other than the items.
    boundary_types : iterable of int, default None
        The types of boundaries; by default only 1.
    boundary_format : str, default BoundaryFormat.mass
        How the segmentations are written.

    Examples
    --------
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
        """All coders of any item."""
        return {coder for coded in self.values() for coder in coded}

    def __iadd__(self, other: Mapping[str, Mapping[str, Any]]) -> Dataset:
        for item, coded in other.items():
            if duplicates := self[item].keys() & coded.keys():
                raise DataIOError(f"coder {min(duplicates)!r} has already coded item {item!r}.")
            self[item].update(coded)
        return self

    def __add__(self, other: Mapping[str, Mapping[str, Any]]) -> Dataset:
        total = self.copy()
        total += other
        return total

    def __deepcopy__(self, memo: dict[int, Any]) -> Dataset:
        return Dataset(deepcopy(dict(self), memo), deepcopy(self.properties), self.boundary_types, self.boundary_format)

    def copy(self) -> Dataset:
        """Return a deep copy."""
        return deepcopy(self)


def _dataset(corpus: Corpus, properties: Mapping[str, Any] | None = None) -> Dataset:
    dataset = Dataset(properties=properties)
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        dataset[item][coder] = tuple(marks.masses)
    return dataset


# ---------------------------------------------------------------------- files


def input_linear_mass_json(filepath: str | Path) -> Dataset:
    """Read segeval's JSON.

    Parameters
    ----------
    filepath : str or Path
        The file.

    Returns
    -------
    Dataset
        Its items, with the other keys as properties.
    """
    source = Source.open(Path(filepath))
    try:
        corpus = read_json(source)
        return _dataset(corpus, {key: value for key, value in load_json(source).items() if key != Field.items})
    except CaesuraError as error:
        raise DataIOError(str(error)) from None


def output_linear_mass_json(filepath: str | Path, dataset: Mapping[str, Mapping[str, Any]]) -> None:
    """Write segeval's JSON.

    Parameters
    ----------
    filepath : str or Path
        A file, or a folder into which ``output.json`` is written.
    dataset : Dataset or mapping
        Item -> coder -> segmentation.
    """
    path = Path(filepath)
    content = {Field.segmentation_type: "linear", **getattr(dataset, "properties", {}), Field.items: dataset}
    text = json.dumps(content, sort_keys=True, indent=4)
    atomic_write(path / "output.json" if path.is_dir() else path, text)


def input_linear_mass_tsv(filepath: str | Path, delimiter: str = "\t") -> Dataset:
    """Read a table of masses, one row per coder; the item is named after the file.

    Parameters
    ----------
    filepath : str or Path
        The file.
    delimiter : str, default tab
        The character between two cells.

    Returns
    -------
    Dataset
        One item.
    """
    return _read_table(filepath, delimiter, "masses")


def input_linear_positions_tsv(filepath: str | Path, delimiter: str = "\t") -> Dataset:
    """Read a table with the segment number of every unit, segeval's older file format.

    Parameters
    ----------
    filepath : str or Path
        The file.
    delimiter : str, default tab
        The character between two cells.

    Returns
    -------
    Dataset
        One item.
    """
    return _read_table(filepath, delimiter, "positions")


def _read_table(filepath: str | Path, delimiter: str, content: Literal["masses", "positions"]) -> Dataset:
    source = Source.open(Path(filepath))
    try:
        if delimiter != "\t":
            source = Source(source.path, data=source.raw.replace(delimiter.encode(), b"\t"))
        return _dataset(read_tsv(source, content=content))
    except CaesuraError as error:
        raise DataIOError(str(error)) from None


def load_nested_folders_dict(
    containing_dir: str | Path, filetype: str, dataset: Dataset | None = None, prepend_item: Iterable[str] = ()
) -> Dataset:
    """Read all files of one type in a folder and its subfolders; items are named ``folder,folder,item``.

    Parameters
    ----------
    containing_dir : str or Path
        The folder.
    filetype : {"json", "tsv"}
        The type of files to read.
    dataset : Dataset, default None
        The dataset to add to; by default a new one.
    prepend_item : iterable of str, default ()
        Folders to put before the names of items.

    Returns
    -------
    Dataset
        All items.
    """
    suffixes, read = {
        "json": ((".json", ".jsn"), input_linear_mass_json),
        "tsv": ((".tsv", ".csv"), input_linear_mass_tsv),
    }[filetype]
    dataset, prefix = Dataset() if dataset is None else dataset, list(prepend_item)
    for path in sorted(Path(containing_dir).rglob("*")):
        if path.suffix.lower() in suffixes and path.is_file():
            folders = [*prefix, *path.parent.relative_to(containing_dir).parts]
            dataset += {",".join([*folders, item]): coded for item, coded in read(path).items()}
    return dataset


# ---------------------------------------------------------------------- samples


@cache
def load_sample(name: str) -> Dataset:
    """Return one of the six samples by its name.

    Parameters
    ----------
    name : str
        Its name in segeval, such as "HEARST_1997_STARGAZER".

    Returns
    -------
    Dataset
    """
    if name in ("KAZANTSEVA2012_G2", "KAZANTSEVA2012_G5"):
        chapters = moonstone.chapters()
        items = [item for item in chapters.items if chapters.attributes[item]["group"] == name[-2:]]
        group = _dataset(chapters.select(items=items))
        return Dataset({item.replace("chapter ", "ch"): coders for item, coders in group.items()})
    if name == "HEARST_1997_STARGAZER":
        coded = _dataset(corpora.stargazer())["stargazer"]
        return Dataset({"stargazer": {coder.removeprefix("coder "): masses for coder, masses in coded.items()}})
    if name == "HYPOTHESIS_STARGAZER":
        return Dataset({"stargazer": {"h1": (2, 6, 4, 2, 4, 3), "h2": (2, 1, 1, 1, 5, 8, 2, 1)}})
    if name == "COMPLETE_AGREEMENT":  # four chapters, each with one coder's segmentation for all coders
        group = load_sample("KAZANTSEVA2012_G5")
        shared = [group["ch1"]["an4"], group["ch11"]["an1"], group["ch4"]["an4"], group["ch3"]["an1"]]
        names = ("an4", "an1", "an2", "an3")
        return Dataset({f"item{number}": dict.fromkeys(names, masses) for number, masses in enumerate(shared, 1)})
    if name == "LARGE_DISAGREEMENT":  # one segment, and one segment per unit
        sizes = enumerate((12, 20, 5, 42), 1)
        return Dataset({f"item{number}": {"an5": (size,), "an6": (1,) * size} for number, size in sizes})
    raise AttributeError(f"module 'caesura.compat.segeval' has no attribute {name!r}")


# ---------------------------------------------------------------------- summaries


def summarize(pairs: Mapping[Any, Any]) -> tuple[Decimal, Decimal, Decimal, Decimal, int]:
    """Summarize the values of all pairs.

    Parameters
    ----------
    pairs : mapping of str to Decimal
        One value per pair of coders, as the metrics return for a dataset.

    Returns
    -------
    tuple
        Mean, standard deviation, variance, standard error, and the number of pairs.

    Examples
    --------
    >>> summarize({"a": Decimal(1), "b": Decimal(0)})[:3]
    (Decimal('0.5'), Decimal('0.5'), Decimal('0.25'))
    """
    if not pairs:
        raise CaesuraError("nothing to summarize: no pairs were compared.")
    number = len(pairs)
    mean = sum(pairs.values(), Decimal(0)) / number
    variance = sum(((value - mean) ** 2 for value in pairs.values()), Decimal(0)) / number
    deviation = variance.sqrt()
    return mean, deviation, variance, deviation / Decimal(number).sqrt(), number
