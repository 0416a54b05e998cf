"""A paper: one number."""

from caesura import boundary_similarity
from caesura.papers import Line, Reproduction, Section


def reproduce(k: int = 2) -> Reproduction:
    """Toy & Toy 2026, One number."""
    line = Line("B of a near miss", 0.5, boundary_similarity([2, 2], [1, 3], n_t=k))
    return Reproduction("toy2026", "Toy & Toy 2026, One number", [Section("Table 1", [line])])
