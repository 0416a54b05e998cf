"""Caesura: compare, agree on, unify and place the marks that people and machines put into text and speech.

The names below are loaded when they are first used, so ``import caesura`` costs next to nothing;
``__init__.pyi`` beside this file lists them and where they live.
"""

from importlib import import_module as _import_module

import lazy_loader as _lazy

from caesura._version import __version__ as __version__
from caesura.display.drawer import set_drawer as _set_drawer

_set_drawer(lambda: _import_module("caesura.drawings.catalog"))

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
