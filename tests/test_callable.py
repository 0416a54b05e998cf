"""``caesura.agreement`` is a package and a function, whatever was imported first."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALL = "assert callable(cs.agreement) and 'B' in cs.metric_names() and cs.agreement.coefficients and cs.metrics.catalog"


@pytest.mark.parametrize(
    "before",
    [
        "import caesura as cs",
        "import caesura.agreement.coefficients, caesura as cs",
        "import caesura.metrics.window, caesura as cs",
        "import caesura as cs; cs.agreement; cs.metrics; import caesura.agreement.flexible",
        "from caesura.agreement import agreement; import caesura as cs",
    ],
)
def test_either_way(before: str) -> None:
    subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {before}; {CALL}"], check=True)
