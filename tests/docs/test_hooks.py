"""The examples in the docstrings of docs/*.py, which pytest does not collect there."""

from __future__ import annotations

import doctest
import importlib.util
from pathlib import Path

import pytest

MODULES = sorted((Path(__file__).parents[2] / "docs").glob("*.py"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).failed == 0
