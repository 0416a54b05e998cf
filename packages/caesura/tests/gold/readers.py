"""Annotations that several tests unify."""

from caesura.samples.corpora import stargazer

#: Seven readers of the Stargazer text (Hearst 1997), as masses.
STARGAZER = [list(map(int, each.marks.masses)) for each in stargazer()]
