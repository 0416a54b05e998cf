"""Make a model that ships, from the texts to the model file: python training/general/reproduce.py hebrew FOLDER --tests FILE… -o run.

Runs the programs of this folder one after another, with the settings of README.md, and stops at the first that fails; finished steps are skipped, so
that an interrupted run continues. `--print` prints the commands only. `--trial` trains tiny networks for a minute each, to see that every step runs, on a CPU too.
The small networks learn from the large ones, which are made first. `hebrew-without-poetry` and so on make networks that were trained without a kind of text, for
fit_kinds.py; these are not assembled.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from texts import KINDS

_HERE = Path(__file__).resolve().parent

#: The trainings of each network in turn: a name, and the options of train.py. A training starts from the one before, or learns from a large network.
_LARGE_HEBREW = "--width 384 --layers 6 --heads 6 --words 64"
TRAININGS = {
    "hebrew": [
        ("first", f"--seconds 575 {_LARGE_HEBREW} --dropout .1 --hide-words .04 --hide-letters .015 --word-drop .2 --rate 1.1e-3"),
        ("more", f"--seconds 565 --seed 5 {_LARGE_HEBREW} --dropout .1 --hide-words .03 --hide-letters .01 --word-drop .15 --rate 6e-4 --averaging .9995"),
        ("next", f"--seconds 480 --seed 12 {_LARGE_HEBREW} --dropout .12 --hide-words .06 --hide-letters .03 --word-drop .45 --rate 5e-4 --averaging .9995"),
        ("words", f"--seconds 480 --seed 21 {_LARGE_HEBREW} --dropout .12 --hide-words .06 --hide-letters .03 --word-drop .45 --rate 5e-4 --averaging .9995"),
    ],
    "arabic": [
        ("first", "--seconds 430 --width 320 --layers 6 --heads 5 --dropout .2 --hide-words .08 --hide-letters .03 --words 64 --word-drop .25 --rate 1e-3 --rows 96"),
    ],
    "hebrew-small": [("small", "--seconds 400 --width 192 --layers 4 --heads 6 --words 32 --rate 2e-3")],
    "arabic-small": [("small", "--seconds 300 --width 160 --layers 4 --heads 5 --words 32 --rate 2e-3")],
}  # fmt: skip
_WITHOUT_A_KIND = {
    "": "--seconds 470 --layers 6 --words 32",
    "-small": "--seconds 400 --layers 4 --words 32 --rate 2e-3",
}
_WIDTHS = {
    "hebrew": {"": "--width 256 --heads 4 --rate 1.1e-3 --dropout .1", "-small": "--width 192 --heads 6 --dropout .1"},
    "arabic": {"": "--width 256 --heads 4 --rate 1e-3 --dropout .2", "-small": "--width 160 --heads 5 --dropout .15"},
}
_MASKS = {
    "hebrew": "--hide-words .04 --hide-letters .015 --word-drop .2",
    "arabic": "--hide-words .08 --hide-letters .03 --word-drop .25 --rows 96",
}
TRAININGS |= {
    f"{language}-without-{kind}{size}": [
        (f"without-{kind}{size}", f"{options} {_WIDTHS[language][size]} {_MASKS[language]} --without {kind}")
    ]
    for language, kinds in KINDS.items()
    for kind in kinds
    for size, options in _WITHOUT_A_KIND.items()
}
#: The large network that a small one learns from.
_TEACHER = {"hebrew-small": "more", "arabic-small": "first"}
_MIN_COUNT = {"hebrew-small": 4, "arabic-small": 4}


#: The options of every training with --trial, in place of its own.
_TRIAL = "--seconds 60 --width 32 --layers 1 --heads 1 --words 8 --rows 16 --workers 1"


def steps(
    model: str, folder: Path, tests: list[Path], output: Path, trial: bool = False
) -> list[tuple[Path, list[str]]]:
    """Return the commands that make a model, each with the file that it writes."""
    language, _, without = model.removesuffix("-small").partition("-without-")
    packed = output / f"{language}.packed"
    done = [(packed, ["prepare.py", language, str(folder), "--tests", *map(str, tests), "-o", str(packed)])]
    start: Path | None = None
    teacher = _TEACHER.get(model)
    names = TRAININGS[model]
    if teacher is not None:
        large = TRAININGS[language]
        names = [*large[: 1 + [name for name, _ in large].index(teacher)], *names]
    for name, options in names:
        here = output / language / name
        command = ["train.py", str(packed), "-o", str(here), *(_TRIAL if trial else options).split()]
        command += ["--without", without] if trial and without else []
        if start is not None:
            command += ["--teachers" if name == "small" else "--start", str(start)]
        start = here / f"{name}.0.pt"
        done.append((start, command))
    assert start is not None
    onnx, target = output / f"{model}.onnx", output / f"{model}.model"
    done.append((onnx, ["export.py", str(start), str(packed), "-o", str(onnx)]))
    if without:
        return done
    count = ["--min-count", str(_MIN_COUNT[model])] if model in _MIN_COUNT else []
    done.append((target, ["assemble.py", str(onnx), str(packed), *count, "-o", str(target)]))
    return done


def main() -> None:
    """Read the command line and run the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(TRAININGS), metavar="model", help=", ".join(sorted(TRAININGS)))
    parser.add_argument("folder", type=Path, help="the folder of the texts")
    parser.add_argument("--tests", type=Path, nargs="*", default=[], help="test sets, whose lines are left out")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder of all results")
    parser.add_argument("--print", action="store_true", help="print the commands only")
    parser.add_argument("--trial", action="store_true", help="train tiny networks, to try every step")
    arguments = parser.parse_args()
    given = (arguments.model, arguments.folder, arguments.tests, arguments.output, arguments.trial)
    for target, (program, *options) in steps(*given):
        print(shlex.join(["python", f"training/general/{program}", *options]), flush=True)
        finished = target.with_name(
            target.name + ".done"
        )  # training writes its network every minute, before it is finished
        if arguments.print or finished.exists():
            continue
        arguments.output.mkdir(parents=True, exist_ok=True)
        if code := subprocess.run([sys.executable, str(_HERE / program), *options], check=False).returncode:
            raise SystemExit(f"{program} failed with status {code}; run the same command again to continue from here.")
        if not target.exists():
            raise SystemExit(f"{program} did not write {target}.")
        finished.touch()


if __name__ == "__main__":
    main()
