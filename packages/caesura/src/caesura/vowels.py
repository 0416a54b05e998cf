"""``caesura.vowels``: the package caesura-vowels under a short name."""

import sys

from caesura.registry import NAMESPACES

sys.modules[__name__] = NAMESPACES["vowels"]


def __getattr__(name: str) -> object:  # for type checkers only: the module was replaced above
    raise AttributeError(name)
