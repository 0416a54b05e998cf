"""Time imports, help and small jobs, compared with ``import numpy``.

Every measurement is the CPU time of a fresh interpreter minus that of an empty one. The best of several runs counts, because other work
on the machine can only add to it.

Run: python benchmarks/startup.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

RUNS = 15
SOURCE = Path(__file__).parents[1] / "packages/caesura/src"
CASES = {
    "python -c pass": "pass",
    "import numpy": "import numpy",
    "import caesura": "import caesura",
    "caesura.Segmentation used": "import caesura; caesura.Segmentation.from_masses([2, 3, 6])",
    "first boundary_similarity": "import caesura; caesura.boundary_similarity([2, 3, 6], [5, 6])",
    **{
        f"caesura {command}": f"import sys; sys.argv[1:] = {command.split()}; from caesura.cli.main import run; run()"
        for command in (
            "--version",
            "--help",
            "agree sample:stargazer",
            "compare sample:kubla",
            "unify sample:stargazer",
        )
    },
}


def once(code: str) -> float:
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, env=env, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    best = dict.fromkeys(CASES, float("inf"))
    for _ in range(RUNS):  # alternating, so that load on the machine affects all cases equally
        for name, code in CASES.items():
            best[name] = min(best[name], once(code))
    nothing = best.pop("python -c pass")
    numpy = best["import numpy"] - nothing
    print(f"{'':32}{'ms':>8}{'× import numpy':>18}")
    for name, seconds in best.items():
        print(f"{name:32}{1000 * (seconds - nothing):8.1f}{(seconds - nothing) / numpy:18.2f}")


if __name__ == "__main__":
    main()
