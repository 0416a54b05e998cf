"""How results draw annotations without importing the drawings, which belong to a higher layer.

``caesura/__init__.py`` sets the function that loads :mod:`caesura.drawings.catalog`. This module is imported with the package,
so it imports nothing itself, not even :mod:`typing`, which takes 8 ms.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from caesura.display.scene import Picture

    class Drawer(Protocol):
        """Draws annotations by the name of a drawing, or by the drawing that suits them."""

        def draw(self, name: str, corpus: Any, **options: Any) -> Picture:
            """Draw a corpus."""

        def draw_against(
            self, reference: Any, hypothesis: Any, names: Sequence[str] | None = None, **options: Any
        ) -> Sequence[Picture]:
            """Draw two annotations of one item, one below the other."""


_load: Callable[[], Drawer] | None = None


def set_drawer(load: Callable[[], Drawer]) -> None:
    """Set the function that loads the drawer when it is first needed."""
    global _load
    _load = load


def drawer() -> Drawer:
    """Load the drawer."""
    assert _load is not None, "caesura/__init__.py sets it"
    return _load()
