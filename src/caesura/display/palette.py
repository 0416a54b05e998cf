"""Colours by role, for both media: what a thing means decides how it looks, and no drawing ever names a colour.

Each role is a CSS custom property with a light and a dark value, so that a picture follows the reader's system, and a style
of the terminal's own sixteen colours. Hues are those of Okabe and Ito (2008), told apart by people with any kind of colour
vision; drawings never rely on colour alone.
"""

from __future__ import annotations

#: Role -> (light, dark).
PALETTE: dict[str, tuple[str, str]] = {
    "ink": ("#1b1f24", "#e6e8eb"),
    "faint": ("#6a7178", "#9aa2aa"),
    "grid": ("#d5d9dd", "#3a4048"),
    "paper": ("#ffffff", "#14171a"),
    "band": ("#eef1f4", "#20252b"),
    "match": ("#0072b2", "#56b4e9"),  # both have it
    "near": ("#b87800", "#f0c24b"),  # a near miss: transposed, moved
    "miss": ("#c24a00", "#ff9560"),  # one side only
    "substitution": ("#a3497f", "#e79fc6"),  # same place, another type
    "reference": ("#00785a", "#35c99b"),
    "hypothesis": ("#5b4bb0", "#a99cf0"),
    "series0": ("#0072b2", "#56b4e9"),
    "series1": ("#c24a00", "#ff9560"),
    "series2": ("#00785a", "#35c99b"),
    "series3": ("#a3497f", "#e79fc6"),
    "series4": ("#b87800", "#f0c24b"),
    "series5": ("#3b8fc4", "#9fd3f2"),
    "series6": ("#6a7178", "#9aa2aa"),
}

#: Roles for coders, systems and other names in a row, in the order to use them.
SERIES: tuple[str, ...] = tuple(name for name in PALETTE if name.startswith("series"))

#: Role -> Rich style. The 16 basic colours keep to the user's theme.
STYLES: dict[str, str] = {
    "ink": "",
    "faint": "dim",
    "grid": "dim",
    "strong": "bold",
    "match": "bold blue",
    "near": "yellow",
    "miss": "red",
    "substitution": "magenta",
    "reference": "green",
    "hypothesis": "cyan",
    "series0": "blue",
    "series1": "red",
    "series2": "green",
    "series3": "magenta",
    "series4": "yellow",
    "series5": "cyan",
    "series6": "dim",
}


def _style() -> str:
    def block(side: int) -> str:
        return "".join(f"--cs-{role}:{pair[side]};" for role, pair in PALETTE.items())

    fills = "".join(f".caesura .f-{r}{{fill:var(--cs-{r})}}.caesura .s-{r}{{stroke:var(--cs-{r})}}" for r in PALETTE)
    return f"svg.caesura{{{block(0)}}}@media (prefers-color-scheme:dark){{svg.caesura{{{block(1)}}}}}{fills}"


#: The style sheet of every picture. A page that shows many may put it once and build with ``style=False``; a page with its
#: own switch between light and dark sets the properties ``--cs-…`` itself.
STYLE: str = _style()

#: What pictures need besides in which something is told of what is pointed at or tapped.
ASKED = (
    ".caesura .told{opacity:0;pointer-events:none}.caesura .ask:hover .told,.caesura .ask:focus .told{opacity:1}"
    ".caesura .ask{cursor:help}.caesura .ask:focus{outline:none}.caesura .ask:focus>rect{stroke:var(--cs-match);stroke-width:2}"
)
