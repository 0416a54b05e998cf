"""The drawing of restored text: the same in report and workbench, doubtful letters marked, other forms told when asked."""

import re
from pathlib import Path

import pytest

import caesura as cs
from caesura.drawings.catalog import applicable, draw
from caesura.model import Corpus, Segmentation, Spans
from caesura_vowels import RestoredWord, VowelRestorer
from caesura_vowels.restorations import Restorations
from caesura_vowels.restored_text import letter_probabilities, offered_forms
from caesura_vowels.scripts import HEBREW
from cli.command import caesura, refused

pytest.importorskip("onnxruntime")

WORDS = ["בראשית", "ברא", "אלהים", "את", "השמים", "ואת", "הארץ"]


class Doubtful:
    """A restorer that is sure of one word and doubts two, one of them in its second letter."""

    script = HEBREW
    language = "hebrew"


SAID = (
    RestoredWord(0, "אב", (("אָב", 0.95), ("אַב", 0.05))),
    RestoredWord(3, "בן", (("בֵּן", 0.6), ("בֶּן", 0.395), ("בַּן", 0.005))),
    RestoredWord(7, "גד", (("גָּד", 0.4), ("גַּד", 0.3), ("גֵּד", 0.3))),
)


def test_doubtful_letters_are_marked_with_other_forms() -> None:
    picture = Restorations("x <y>", Doubtful(), SAID, "אב בן, גד")  # type: ignore[arg-type]
    drawn = picture.svg(60)
    assert re.findall(r'<tspan[^>]*class="f-(\w+)"[^>]*>([^<]*)<', drawn) == [("near", "בֵּ"), ("miss", "גָּ")]
    assert re.findall(r'aria-label="([^"]*%)"', drawn) == ["בֵּן 60% · בֶּן 40%", "גָּד 40% · גַּד 30% · גֵּד 30%"]
    assert drawn.count('class="ask"') == drawn.count('class="told"') == 2
    assert ".ask:focus .told" in drawn, "a tap shows the other forms, without a script"
    assert "3 words, 2 of them doubtful: בֵּן 60%; גָּד 40%" in drawn
    assert "אָב" in picture.terminal(60, bidi="terminal").plain
    assert ",</text>" in drawn, "punctuation stays"


def test_letter_probability_sums_forms_that_agree() -> None:
    assert [round(share, 3) for _, share in letter_probabilities(SAID[1], HEBREW)] == [0.6, 1.0]
    assert [form for form, _ in offered_forms(SAID[1])] == ["בֵּן", "בֶּן"]


@pytest.mark.parametrize("kind", ["units", "spans"])
def test_drawing_uses_the_shipped_model(kind: str) -> None:
    marks = (
        Segmentation.from_positions([3], length=len(WORDS), units=WORDS)
        if kind == "units"
        else Spans.from_rows([(0, 2, "x")], length=len(WORDS), units=WORDS)
    )
    corpus = Corpus.from_annotations([("genesis", "ann", marks)])
    assert "restorations" in [d.name for d in applicable(corpus)]
    drawn = draw("restorations", corpus, small=True)
    assert isinstance(drawn, Restorations)
    assert "הָאָרֶץ" in drawn.terminal(80, bidi="terminal").plain
    latin = Segmentation.from_positions([1], length=2, units=["in", "principio"])
    assert "restorations" not in [d.name for d in applicable(Corpus.from_annotations([("v", "ann", latin)]))]


def test_report_draws_restorations_on_request(tmp_path: Path) -> None:
    path = tmp_path / "genesis.json"
    coded = {coder: Segmentation.from_positions([k], length=7, units=WORDS) for coder, k in (("ann", 3), ("ben", 2))}
    cs.write(Corpus.from_dict({"genesis": coded}), path)
    done = caesura("report", path, "-o", tmp_path / "r.html", "--draw", "restorations", "--resamples", "10")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "genesis, vowels restored" in page
    assert ".ask:focus .told" in page
    assert "does not draw text in this script" in refused(
        "report", "sample:kubla", "-o", tmp_path / "k.html", "-d", "restorations"
    )


def test_drawing_shows_the_restored_text() -> None:
    restorer = VowelRestorer("hebrew", "hmm").fit(["דָוִד רָב", "דָוִד בָא"])
    words = tuple(restorer.restore_nbest("דוד בא", 3))
    assert "דָוִד" in Restorations("", restorer, words, "דוד בא").svg(40)
