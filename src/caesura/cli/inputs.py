"""What commands read: files and folders, with the options of their format, and the built-in samples by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from caesura.model import Corpus

_SAMPLE = "sample:"

#: What is no option of a format though reading or writing takes it, and the option of the command that says it.
_ELSEWHERE = {
    "--option": {"format": "--format", "path": None},
    "--write-option": {
        "format": "--to",
        "pattern": "--write-pattern",
        "lossy": "--lossy",
        "path": None,
        "corpus": None,
    },
}


@dataclass(frozen=True)
class Reading:
    """How the files of a command are read: all in one way, but for options of one side (``ref.tier=words``)."""

    format: str | None = None
    encoding: str | None = None
    options: Sequence[str] | None = None
    metrics: list[str] | None = None

    @classmethod
    def of(cls, format: str | None, encoding: str | None, options: Sequence[str] | None, marks: str | None) -> Reading:
        """Read texts with vowel marks where their script was named, which are measured by metrics of their own."""
        if marks is None:
            return cls(format, encoding, options)
        metrics = ["word-accuracy", "group-accuracy", "DER", "Sf-marks"]
        return cls("marked-text", encoding, [*(options or ()), f"marks={marks}"], metrics)

    def corpus(self, path: Path | str, side: str | None = None) -> Corpus:
        """Read a file or folder, or take a built-in sample: ``sample:kubla``."""
        if is_sample(path):
            from caesura import samples

            return samples.load(str(path).removeprefix(_SAMPLE))
        from caesura.cli.output import panics_unheard, working
        from caesura.formats import read

        with panics_unheard(), working(f"reading {path}"):
            return read(path, self.format, **self._settings(side))

    def refuse_one_coder_per_text(self, corpus: Corpus, path: Path) -> None:
        """Refuse files in which no text has two coders, though names of files or tiers tell of several: with the option to give."""
        if hint := self._pattern_hint(corpus, path):
            raise CaesuraError(hint)

    def suggest_pattern(self, corpus: Corpus, path: Path) -> Corpus:
        """Mention on the side what others refuse, in commands that can go on with one coder per text."""
        if hint := self._pattern_hint(corpus, path):
            print(f"caesura: {hint}", file=sys.stderr)
        return corpus

    def _settings(self, side: str | None = None) -> dict[str, Any]:
        options = self.options if side is None else of_side(self.options, side)
        return key_values(options, "--option") | ({} if self.encoding is None else {"encoding": self.encoding})

    def _pattern_hint(self, corpus: Corpus, path: Path) -> str | None:
        settings = self._settings()
        if "pattern" in settings or not len(corpus) or len(corpus.pairs()[0]) or is_sample(path):
            return None
        from caesura.formats.catalog import likely_pattern, likely_tiers

        if pattern := likely_pattern(path, self.format, **settings):
            return (
                f"{path}: no text has two coders as this folder was read; if its files are named by item and coder, "
                f"read it with -O 'pattern={pattern}'."
            )
        if settings.keys() & {"tier", "coder", "track"} or not (
            tiers := likely_tiers(path, corpus.tracks, self.format)
        ):
            return None
        listed = ", ".join(corpus.tracks[:4]) + (" …" if len(corpus.tracks) > 4 else "")
        return (
            f"{path}: its tiers ({listed}) were read as the work of one coder; "
            f"if each tier is a coder's, read them with -O 'coder={tiers}'."
        )


def is_sample(path: Path | str) -> bool:
    """Whether a path names a built-in sample."""
    return str(path).startswith(_SAMPLE)


def tolerances(text: str) -> list[float]:
    """Read one tolerance, or several with commas between."""
    from caesura.metrics.time_grid import seconds

    widths = [seconds(part) for part in text.split(",") if part.strip()]
    if not widths:
        raise CaesuraError(f"--tolerance takes times such as 20ms or 0.02, with commas between; found {text!r}.")
    return list(dict.fromkeys(widths))


def key_values(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Read ``KEY=VALUE`` options; values stay text, because whoever takes them knows their types."""
    values: dict[str, Any] = {}
    for pair in given or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise CaesuraError(f"{option} takes KEY=VALUE, not {pair!r}.")
        if (name := key.strip().replace("-", "_")) in (elsewhere := _ELSEWHERE.get(option, {})):
            way_out = f"say it with {elsewhere[name]}" if elsewhere[name] else "no format takes it"
            raise CaesuraError(f"{option} {pair!r} is no option of a format; {way_out}.")
        if values.setdefault(key.strip().replace("-", "_"), value) != value:
            raise CaesuraError(f"{option} gives {key.strip()!r} twice, as {value!r} and as something else.")
    return values


def asked_for(**options: Any) -> dict[str, Any]:
    """Keep the options that the user gave; the others have the defaults of what they belong to.

    >>> asked_for(n_t=3, k=None)
    {'n_t': 3}
    """
    return {name: value for name, value in options.items() if value is not None}


def of_side(options: Sequence[str] | None, side: str) -> list[str]:
    """Choose the options of one side: ``ref.tier=words`` is the reference's alone, ``hyp.…`` the hypothesis's, others go to both.

    >>> of_side(["ref.tier=words", "hyp.tier=2", "silence=out"], "hyp")
    ['tier=2', 'silence=out']
    """
    chosen = []
    for option in options or ():
        head, dot, rest = option.partition(".")
        if dot and head in ("ref", "hyp"):
            chosen += [rest] if head == side else []
        else:
            chosen.append(option)
    return chosen


def named_alike(reference: Corpus, its_path: Path | str, hypothesis: Corpus, path: Path | str) -> Corpus:
    """Give the hypothesis the reference's item where both took the one they have from their files' names.

    ``gold.TextGrid`` and ``system.TextGrid`` are two files of one recording; two that name their items must name the same.
    """
    from caesura.formats.folders import rename_parts

    taken = (Path(its_path).stem,), (Path(path).stem,)
    if (reference.items, hypothesis.items) == taken and reference.items != hypothesis.items:
        return rename_parts(hypothesis, {"item": reference.items[0]})
    return hypothesis


def named_after_files(corpora: Sequence[Corpus], paths: Sequence[Path]) -> list[Corpus]:
    """Call the coder of each corpus by its file where no file names its coder."""
    from caesura.formats.folders import rename_parts

    if any(corpus.coders != ("",) for corpus in corpora) or any(map(is_sample, paths)):
        return list(corpora)
    return [rename_parts(corpus, {"coder": name}) for corpus, name in zip(corpora, names_of(paths), strict=True)]


def names_of(paths: Sequence[Path]) -> list[str]:
    """Name systems after their files, with the folder where two files share a name.

    >>> names_of([Path("a/x.json"), Path("b/x.json"), Path("y.json")])
    ['a/x', 'b/x', 'y']
    >>> names_of([Path("x.json"), Path("x.csv")])
    ['x (1)', 'x (2)']
    >>> names_of([Path("ours.v1.json"), Path("ours.v2.json")])
    ['ours.v1', 'ours.v2']
    """
    short = [path.name.split(".")[0] for path in paths]
    stems = [s if short.count(s) == 1 else path.stem for s, path in zip(short, paths, strict=True)]
    shared = [p.parent.name and stems.count(s) > 1 for s, p in zip(stems, paths, strict=True)]
    named = [f"{p.parent.name}/{s}" if alike else s for s, p, alike in zip(stems, paths, shared, strict=True)]
    return [name if named.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(named, 1)]
