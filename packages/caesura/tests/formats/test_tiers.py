"""Tiers are scored one by one in every format and command, and computed times are not scored."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.model.pairs import computed_tiers, unpooled_tiers
from cli.command import caesura, refused

LIST = "the tiers words, phones are scored one by one and not pooled"


def grid(*tiers: tuple[str, list[float]], end: float = 2.0) -> str:
    """Return a short TextGrid of tiers, given their inner boundaries."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "0", f"{end}", "<exists>", str(len(tiers))]
    for name, cuts in tiers:
        edges = [0.0, *cuts, end]
        lines += ['"IntervalTier"', f'"{name}"', "0", f"{end}", str(len(edges) - 1)]
        for first, last in pairwise(edges):
            lines += [f"{first}", f"{last}", '"x"']
    return "\n".join(lines) + "\n"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.TextGrid", tmp_path / "system.TextGrid"
    gold.write_text(grid(("words", [1.0]), ("phones", [0.25, 0.5, 1.0])))
    system.write_text(grid(("words", [1.0]), ("phones", [0.25, 0.6, 1.2])))
    return gold, system


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
def test_tiers_stay_apart_in_other_formats(sides: tuple[Path, Path], tmp_path: Path, suffix: str) -> None:
    """Words and phones that were converted were pooled into one score."""
    if suffix == ".parquet":
        pytest.importorskip("polars")
    for side in sides:
        cs.write(cs.read(side), side.with_suffix(suffix))
    call = ["evaluate", *(side.with_suffix(suffix) for side in sides), "-m", "R"]
    done = caesura(*call, "--json", "--missing", "skip")
    assert LIST in done.stderr, done.stderr
    assert list(json.loads(done.stdout)["systems"]) == ["words", "phones"]
    one = caesura(*call, "--json", "-O", "tier=phones")
    assert list(json.loads(one.stdout)["systems"]) == ["system"], one.stderr
    assert "not pooled" not in one.stderr
    assert "there is no tier 'syllables'" in refused(*call, "-O", "tier=syllables")
    if suffix == ".parquet":
        assert "the tracks are tiers, which are not pooled" in refused(*call, "--engine", "local")


def test_python_does_not_pool_tiers(sides: tuple[Path, Path]) -> None:
    gold, system = map(cs.read, sides)
    coders = cs.Corpus.join(
        cs.Corpus.from_annotations((a._replace(item="x", coder=name) for a in corpus), provenance=corpus.provenance)
        for name, corpus in (("ann", gold), ("ben", system))
    )
    for call in (
        lambda: cs.compare(gold, system),
        lambda: cs.agree(coders),
        lambda: cs.fit_annotators(coders),
        lambda: cs.agree(pickle.loads(pickle.dumps(coders))),
    ):
        with pytest.raises(CaesuraError, match=r"select one with corpus.select\(tracks=\['words'\]\)"):
            call()
    assert unpooled_tiers(coders) == ("words", "phones")
    assert cs.agree(coders.select(tracks=["words"])).value == 1.0


def test_agree_takes_tiers_one_by_one(tmp_path: Path) -> None:
    """Two tiers of one name and tiers of one coder ended with an error."""
    for coder, cut, other in (("ann", 0.5, "own"), ("ben", 0.6, "mine")):
        (tmp_path / coder).mkdir()
        text = grid(("turn", [1.0]), ("turn", [cut]), (other, [0.1]))
        (tmp_path / coder / "x.TextGrid").write_text(text)
    done = caesura("agree", tmp_path, "-O", "pattern={coder}/{item}.TextGrid")
    assert done.returncode == 0, done.stderr
    assert "only one coder has the tiers own, mine, which are left out." in done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("tier")] == ["tier turn", "tier turn#2"]
    united = caesura("unify", tmp_path, "-O", "pattern={coder}/{item}.TextGrid")
    assert "tier turn#2: how well majority (full) represents each coder" in united.stdout


def test_a_column_of_tiers_and_unused_columns(tmp_path: Path) -> None:
    """The columns of readtextgrid; their tiers were mixed."""
    table = tmp_path / "tidy.csv"
    rows = ["x,words,0.0,1.0,hi,1", "x,words,1.0,2.0,ho,2", "x,phones,0.0,0.5,h,1", "x,phones,0.5,2.0,i,2"]
    table.write_text("\n".join(["file,tier_name,xmin,xmax,text,annotation_num", *rows]) + "\n")
    with pytest.warns(UserWarning, match="the column annotation_num has several values in one item and was not used"):
        corpus = cs.read(table)
    assert unpooled_tiers(corpus) == ("words", "phones")


def elan(path: Path, *words: str, owners: tuple[str, str] = ("", "")) -> Path:
    """Write two annotations, of which the first is divided into words, in two tiers."""
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{1000 * (n // 2)}"/>' for n in range(1, 5))
    parents = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" TIME_SLOT_REF1="ts{2 * n - 1}" TIME_SLOT_REF2="ts{2 * n}">'
        f"<ANNOTATION_VALUE>u{n}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for n in (1, 2)
    )
    before, parts = "", ""
    for n, word in enumerate(words, 3):
        parts += (
            f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a{n}" ANNOTATION_REF="a1"{before}>'
            f"<ANNOTATION_VALUE>{word}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        )
        before = f' PREVIOUS_ANNOTATION="a{n}"'
    first, second = (f' ANNOTATOR="{name}"' if name else "" for name in owners)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>{slots}</TIME_ORDER>'
        f'<TIER TIER_ID="utterances" LINGUISTIC_TYPE_REF="u"{first}>{parents}</TIER>'
        f'<TIER TIER_ID="words" PARENT_REF="utterances" LINGUISTIC_TYPE_REF="w"{second}>{parts}</TIER>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="u"/><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="w" CONSTRAINTS="Symbolic_Subdivision"/>'
        "</ANNOTATION_DOCUMENT>"
    )
    return path


def test_computed_times_of_elan_are_not_scored(tmp_path: Path) -> None:
    gold, system = (elan(tmp_path / side / "x.eaf", "a", "b", "c") for side in ("gold", "system"))
    with pytest.warns(UserWarning, match="3 annotations of the tier 'words' have no time;"):
        corpus = cs.read(gold)
    assert computed_tiers(corpus) == {"words"}
    done = caesura("evaluate", gold, system, "-m", "span-F", "--json")
    assert list(json.loads(done.stdout)["systems"]) == ["utterances"], done.stderr
    both = caesura("evaluate", gold, system, "-m", "span-F", "-O", "computed=in", "--json")
    assert list(json.loads(both.stdout)["systems"]) == ["utterances", "words"]
    for command in ("evaluate", "compare"):
        assert "computed='in'" in refused(command, gold, system, "-O", "tier=words")
    single = elan(tmp_path / "single.eaf", "a")  # one dependent annotation has the time of its parent
    assert computed_tiers(cs.read(single)) == set()


def test_annotators_of_elan_are_coders_on_request(tmp_path: Path) -> None:
    """The word annotator became the name of the only coder."""
    named = cs.read(elan(tmp_path / "two.eaf", "a", owners=("ann", "ben")), coder="annotator")
    assert (named.coders, named.tracks) == (("ann", "ben"), ("",))
    assert cs.read(tmp_path / "two.eaf", coder="cleo").coders == ("cleo",)
    lacking = elan(tmp_path / "one.eaf", "a", owners=("ann", ""))
    with pytest.raises(CaesuraError, match="the tiers words name no annotator"):
        cs.read(lacking, coder="annotator")


def test_bounds_of_textgrids(tmp_path: Path) -> None:
    path = tmp_path / "x.TextGrid"
    text = grid(("phones", [1.0]))
    path.write_text(text.replace('"TextGrid"\n0\n2.0', '"TextGrid"\n0\n1.9'))
    with pytest.warns(
        UserWarning, match=r"the tier 'phones' ends at 2 s, after the file \(1.9 s\); the later end is used"
    ):
        assert cs.read(path)["x", ""].length == 2.0  # type: ignore[union-attr]
    path.write_text(text.replace('"TextGrid"\n0\n2.0', '"TextGrid"\n3\n2.0'))
    with pytest.raises(CaesuraError, match="begins at 3 s and ends at 2 s"):
        cs.read(path)
    long = tmp_path / "long.TextGrid"
    cs.write(cs.Corpus.from_annotations([("x", "", cs.Segmentation.from_times([1.0], length=2.0))]), long, lossy=True)
    long.write_text(long.read_text().replace("xmax = 1.0", "xmax = nan"))
    with pytest.raises(CaesuraError, match=r"line 1\d: tier .*: a time is nan, expected seconds"):
        cs.read(long)
