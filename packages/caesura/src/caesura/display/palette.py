"""Colours by role: drawings name what a shape means, and this module maps it to colours for SVG and the terminal.

In SVG each role is a CSS custom property with a light and a dark value, so that pictures follow the theme of the system; in
terminals it is a style of the 16 basic colours. The hues are those of Okabe and Ito (2008), which people with any kind of
colour vision can distinguish. Drawings never rely on colour alone.
"""

from __future__ import annotations

#: Role -> (light, dark).
PALETTE: dict[str, tuple[str, str]] = {
    "ink": ("#1b1f24", "#e6e8eb"),
    "faint": ("#6a7178", "#9aa2aa"),
    "grid": ("#d5d9dd", "#3a4048"),
    "paper": ("#ffffff", "#14171a"),
    "band": ("#eef1f4", "#20252b"),
    "match": ("#0072b2", "#56b4e9"),  # on both sides
    "near": ("#b87800", "#f0c24b"),  # a near miss or a moved boundary
    "miss": ("#c24a00", "#ff9560"),  # on one side only
    "substitution": ("#a3497f", "#e79fc6"),  # same position, different type
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

#: Roles for coders and systems, in order of use.
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


#: The style sheet of every picture. A page with many pictures can include it once and build them with ``style=False``; a page
#: with its own theme switch sets the properties ``--cs-…`` itself.
STYLE: str = _style()

#: Additional rules for pictures with :meth:`~caesura.display.svg.Svg.hover_hint`.
HINT_STYLE = (
    ".caesura .told{opacity:0;pointer-events:none}.caesura .ask:hover .told,.caesura .ask:focus .told{opacity:1}"
    ".caesura .ask{cursor:help}.caesura .ask:focus{outline:none}.caesura .ask:focus>rect{stroke:var(--cs-match);stroke-width:2}"
)
