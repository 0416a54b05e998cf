"""Annotations that several tests unify."""

#: Seven readers of the Stargazer text (Hearst 1997), as masses.
STARGAZER = [
    [2, 3, 3, 1, 3, 6, 3],
    [2, 8, 2, 4, 2, 3],
    [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1],
    [2, 1, 4, 1, 1, 3, 1, 4, 3, 1],
    [3, 2, 4, 3, 5, 4],
    [2, 3, 4, 2, 2, 5, 3],
    [2, 3, 2, 2, 3, 1, 3, 2, 3],
]
