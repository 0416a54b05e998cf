"""A result shows itself from its tables and pictures, everywhere alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rich.console import Console
from rich.text import Text

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Table


class _Dot(Picture):
    title = "dot"

    def terminal(self, width: int = 80, *, bidi: Any = "auto") -> Text:
        return Text("●")

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        return "<svg>dot</svg>"


@dataclass(frozen=True, repr=False)
class _Found(Result):
    value: float

    def tables(self) -> Sequence[Table]:
        return [Table("score", ("metric", "value"), (("B", self.value),))]

    def pictures(self) -> Sequence[Picture]:
        return [_Dot()]

    def as_dict(self) -> dict[str, Any]:
        return {"value": self.value}


def test_repr_shows_tables_and_drawings():
    assert repr(_Found(0.25)) == str(_Found(0.25)) == "score\nmetric  value\nB       0.250\n\n●"


def test_rich_prints_the_same():
    page = StringIO()
    Console(file=page, width=60, color_system=None).print(_Found(0.25))
    assert page.getvalue() == str(_Found(0.25)) + "\n"


def test_notebooks_get_the_table_and_the_picture():
    page = _Found(0.25)._repr_html_()
    assert page.index("<table") < page.index("<svg>dot</svg>")


def test_ipython_prints_the_same_text():
    class Printer:
        words = ""

        def text(self, words: str) -> None:
            self.words += words

    printer = Printer()
    _Found(0.5)._repr_pretty_(printer, cycle=False)
    assert printer.words == str(_Found(0.5))
