"""Read and write files: formats are detected by suffix and content; related formats share a module."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.formats.reading import read as read
    from caesura.formats.writing import write as write

# what writes is not imported to read
__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={"reading": ["read"], "writing": ["write"]})
