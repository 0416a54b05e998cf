"""Numbers as files write them: plain digits and nothing that Python alone would read as some other number.

``int`` and ``float`` take ``1_000``, Arabic and other digits, ``nan`` and ``infinity``; a damaged file would pass with another value.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")


@lru_cache(maxsize=10_000)  # tables say the same numbers again and again
def as_whole(text: str) -> int | None:
    """Read a whole number that fits 64 bits; None where the text is anything else.

    >>> as_whole(" 12 "), as_whole("1_000"), as_whole("٣"), as_whole("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text.strip()) else None


def as_decimal(text: str) -> Decimal | None:
    """Read a number exactly as it is written, with a decimal point and an exponent if need be; None where it is anything else.

    >>> as_decimal("0.30"), as_decimal("1e-3"), as_decimal("nan"), as_decimal("1_000"), as_decimal("1e999")
    (Decimal('0.30'), Decimal('0.001'), None, None, None)
    """
    if not _DECIMAL.fullmatch(text.strip()):
        return None
    number = Decimal(text.strip())
    return number if abs(number) < Decimal("1e300") else None
