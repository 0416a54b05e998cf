"""The package as a plug-in: its manifest says what its classes say, and its parts pass the checks of the core."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import click
import numpy as np
import pytest

import caesura as cs
import caesura_vowels
import plain_and_compiled
from caesura.cli.main import COMMANDS
from caesura.drawings.catalog import DRAWINGS, drawing
from caesura.errors import CaesuraError, UnknownName
from caesura.formats.catalog import FORMATS, named_format
from caesura.metrics import metric
from caesura.metrics.catalog import FAMILIES
from caesura.papers import PAPERS, citation, reproduce
from caesura.report.tour import STOPS
from caesura.warm_up import WARM_UPS
from caesura_vowels import kernels
from caesura_vowels.accuracy import MarkAccuracy, MarkSimilarity
from caesura_vowels.field_scores import _FIELDS, FadelErrors, NakdimonAccuracy, _Field
from formats import mutants
from metrics import test_harness as harness

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")

MANIFEST = tomllib.loads((Path(caesura_vowels.__file__).parent / "caesura.toml").read_text(encoding="utf-8"))
REGISTRIES = {
    "commands": COMMANDS, "metrics": FAMILIES, "formats": FORMATS, "drawings": DRAWINGS, "papers": PAPERS, "tours": STOPS,
}  # fmt: skip
METRICS = list(MANIFEST["metrics"])

MARKS = ("word", "unseen word", "patah", "qamats", "hiriq")
harness.LABELS_BY_FAMILY |= {
    MarkAccuracy: lambda family: MARKS,
    MarkSimilarity: lambda family: MARKS,
    FadelErrors: lambda family: tuple(_FIELDS[family.field][3]),
    NakdimonAccuracy: lambda family: tuple(_FIELDS[family.field][3]),
}
mutants.READ_ONLY["marked-text"] = "שָׁלוֹם עֲלֵיכֶם\nבֹּקֶר טוֹב\n"


@pytest.fixture(params=METRICS)
def measure(request: pytest.FixtureRequest) -> cs.metrics.Metric:
    return metric(request.param)


# The tests of the core that take a metric are collected here too, with the fixture above: these metrics keep the same promises.
globals().update(
    {
        name: test
        for name, test in vars(harness).items()
        if name.startswith("test_") and "measure" in inspect.signature(test).parameters
    }
)
batches, countable = harness.batches, harness.countable


# ---------------------------------------------------------------------- the manifest


@pytest.mark.parametrize("section", REGISTRIES)
def test_manifest_describes_every_entry_point(section: str) -> None:
    ours = {
        point.name for point in entry_points(group=f"caesura.{section}") if point.value.startswith("caesura_vowels")
    }
    assert set(MANIFEST[section]) == ours
    for name in ours:
        assert REGISTRIES[section].source(name) == "caesura-vowels"


@pytest.mark.parametrize("name", METRICS)
def test_manifest_says_what_the_metric_says(name: str) -> None:
    facts, family = FAMILIES.facts(name), FAMILIES[name]
    assert facts["title"] == family.scores[name].title
    assert facts["kinds"] == family.kinds
    assert facts["required_types"] == family.required_types


def test_manifest_says_what_the_format_says() -> None:
    module, facts = FORMATS["marked-text"], FORMATS.facts("marked-text")
    for fact, value in facts.items():
        if hasattr(module, fact):
            assert value == getattr(module, fact), fact
    assert named_format("marked-text").suffixes == (".marked",)


def test_manifest_says_what_the_command_says() -> None:
    command = COMMANDS["vowels"]
    assert isinstance(command, click.Group)
    assert COMMANDS.facts("vowels")["help"] == (command.help or "").partition("\n")[0]


def test_manifest_says_what_the_drawing_draws() -> None:
    assert drawing("restorations").title == MANIFEST["drawings"]["restorations"]["title"]


def test_manifest_cites_the_paper_in_full() -> None:
    assert "2002" in citation("gal2002")
    assert PAPERS.facts("gal2002")["title"] == citation("gal2002")


def test_listing_entries_does_not_import_the_package() -> None:
    code = (
        "import sys; from caesura.cli.main import COMMANDS; from caesura.metrics.catalog import FAMILIES; "
        "list(COMMANDS.all_facts()), list(FAMILIES.all_facts()); print([m for m in sys.modules if 'caesura_vowels' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------- metrics

KNOWN = [
    ("word-accuracy", "word-accuracy", "word-accuracy", False),
    ("group-accuracy", "group-accuracy", "group-accuracy", False),
    ("seen-accuracy", "seen-accuracy", "seen-accuracy", False),
    ("unseen-accuracy", "unseen-accuracy", "unseen-accuracy", False),
    ("DER", "DER", "DER", True),
    ("Sf-marks", "Sf-marks|alike:0.5", "Sf-marks", True),
    ("Sf-marks:alike=0.2", "Sf-marks|alike:0.2", "Sf-marks:alike=0.2", True),
    ("DER-fadel", "DER-fadel|ending:True|bare:True", "DER-fadel", True),
    ("WER-fadel:ending=False", "WER-fadel|ending:False|bare:True", "WER-fadel:ending=False", False),
    *((name, name, name, False) for name in ("DEC", "CHA", "WOR", "VOC")),
]


@pytest.mark.parametrize(("given", "signature", "spelled", "symmetric"), KNOWN)
def test_signature_spelling_and_traits(given: str, signature: str, spelled: str, symmetric: bool) -> None:
    measure = metric(given)
    assert measure.signature == f"{signature}|v:{cs.__version__}"
    assert measure.spelled == spelled
    assert measure.symmetric is symmetric
    assert measure.bounds == (0.0, 1.0)
    assert metric(measure.spelled) == measure
    assert hash(metric(measure.spelled)) == hash(measure)


def test_every_metric_has_a_known_signature() -> None:
    assert {given.partition(":")[0] for given, *_ in KNOWN} == set(METRICS)


@pytest.mark.parametrize("name", [name for name in METRICS if not issubclass(FAMILIES[name], _Field)])
def test_metric_counts_are_the_same_plain_and_compiled(name: str) -> None:
    measure = metric(name)
    plain_and_compiled.compare_again()
    for batch in batches(measure):
        measure.rows(batch.take(np.flatnonzero(countable(measure, batch))[:15]))
    assert plain_and_compiled.compared.total()


@pytest.mark.slow
def test_plain_python_gives_the_same_numbers(tmp_path: Path) -> None:
    harness.assert_same_numbers_in_plain_python(__file__, METRICS, tmp_path)


# ---------------------------------------------------------------------- format and paper


def test_damaged_marked_text_is_reported_in_a_sentence(tmp_path: Path) -> None:
    outcomes = {mutants.outcome("marked-text", files, tmp_path) for files in mutants.mutants("marked-text", 25)}
    assert outcomes == {"read", "refused"}


def test_paper_refuses_unknown_options_and_names() -> None:
    with pytest.raises(CaesuraError, match="gal2002 takes no --no-such-thing; its options: "):
        reproduce("gal2002", no_such_thing=3)
    with pytest.raises(UnknownName, match="did you mean 'gal2002'"):
        reproduce("gal2020")


def test_paper_is_documented() -> None:
    root = Path(__file__).parents[3]
    assert "papers/gal2002.md" in (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert "caesura reproduce gal2002" in (root / "docs" / "papers" / "gal2002.md").read_text(encoding="utf-8")


def test_warm_up_compiles_every_kernel() -> None:
    WARM_UPS["vowels"]()
    known = {each for each in plain_and_compiled.kernels_of(kernels) if not each.is_helper}
    assert len(known) > 20
    assert {each.function.__name__ for each in known if "compiled" not in each._versions} == set()
