"""The models that come with the package: for biblical Hebrew and for the Arabic of the Qur'an, each also as a small network.

What they were trained on, and whom to name, stands in their files and in ``shipped_models/NOTICE.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caesura.errors import UnknownName
from caesura.vowels.restorer import VowelRestorer

FOLDER = Path(__file__).parent / "shipped_models"
LANGUAGES = ("hebrew", "arabic")


def ready(language: str, *, small: bool = False, **changes: Any) -> VowelRestorer:
    """Load the restorer that comes with the package; ``small`` is about three times as fast and half a point worse.

    ``changes`` replace parameters that matter after training, such as ``existing``. Needs onnxruntime: ``pip install 'caesura[neural]'``.
    """
    if language not in LANGUAGES:
        raise UnknownName("language", language, list(LANGUAGES))
    return VowelRestorer.load(FOLDER / f"{language}{'-small' if small else ''}.model", **changes)
