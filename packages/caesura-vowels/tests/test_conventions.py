"""Spelling conventions of validation lines: learnt by `fit`, kept in the file, followed unless the text contradicts them."""

import json

import pytest

from caesura.errors import FormatError
from caesura_vowels import VowelRestorer
from caesura_vowels.conventions import learn_spelling_conventions
from caesura_vowels.scripts import HEBREW
from caesura_vowels.storage import load_model, save_model
from cli.command import caesura, refused

TRAIN = ["דָוִד רָב אֵת שָׂרָה", "רָב דָוִד אֵת רָב"] * 40
HELD = ["דָוִד רָב אֶת שָׂרָה"] * 12


@pytest.fixture(scope="module", params=["hmm", "open"])
def restorer(request):
    return VowelRestorer("hebrew", request.param, order=2).fit(TRAIN, held=HELD)


def test_only_frequent_uniform_forms_that_the_training_lines_lack_are_conventions():
    assert learn_spelling_conventions(TRAIN, HELD, HEBREW) == {"את": "אֶת"}
    assert learn_spelling_conventions(TRAIN, HELD[:9], HEBREW) == {}  # fewer than ten occurrences
    assert learn_spelling_conventions(TRAIN, [*HELD, *TRAIN[:3]], HEBREW) == {}  # less than 85 % in one form
    assert learn_spelling_conventions([*TRAIN, *HELD], HELD, HEBREW) == {}  # the training lines have the form


def test_restored_text_has_the_forms_of_the_validation_lines(restorer):
    assert restorer.conventions == {"את": "אֶת"}
    assert restorer.restore("דוד את רב") == "דָוִד אֶת רָב"
    forms = restorer.restore_nbest("דוד את רב", 5)[1].alternatives
    assert forms[0][0] == "אֶת"
    assert len({form for form, _ in forms}) == len(forms)
    assert 0.5 < sum(share for _, share in forms) <= 1 + 1e-9


def test_marks_in_the_text_outweigh_a_convention(restorer):
    assert restorer.restore("דוד אֵת רב") == "דָוִד אֵת רָב"
    assert restorer.set_params(existing="replace").restore("דוד אֵת רב") == "דָוִד אֶת רָב"
    restorer.set_params(existing="keep")


def test_conventions_are_kept_in_the_file_and_checked(restorer, tmp_path):
    restorer.save(tmp_path / "m")
    assert VowelRestorer.load(tmp_path / "m").restore("דוד את רב") == "דָוִד אֶת רָב"
    header, arrays = load_model(tmp_path / "m")
    header = {name: value for name, value in header.items() if name not in ("arrays", "bytes", "sha256")}
    save_model(tmp_path / "bad", {**header, "conventions": {"את": "רָב"}}, {name: arrays[name] for name in arrays})
    with pytest.raises(FormatError, match="conventions has forms with other letters than their words"):
        VowelRestorer.load(tmp_path / "bad")
    save_model(tmp_path / "old", {**header, "conventions": {}}, {name: arrays[name] for name in arrays})
    assert "אֵת" in VowelRestorer.load(tmp_path / "old").restore("דוד את רב")
    assert VowelRestorer("hebrew", "unigram", held_out=0).fit(TRAIN).conventions == {}


def test_command_takes_validation_lines(tmp_path):
    text, held, model = tmp_path / "text.txt", tmp_path / "held.txt", tmp_path / "m"
    text.write_text("\n".join(TRAIN), encoding="utf-8")
    held.write_text("\n".join(HELD), encoding="utf-8")
    done = caesura("vowels", "train", text, "-l", "hebrew", "--held", held, "-o", model)
    assert done.stdout.splitlines()[-1] == f"spellings taken from {held}: אֶת"
    done = caesura("vowels", "train", text, "-l", "hebrew", "--held", held, "-o", model, "--json")
    assert json.loads(done.stdout)["conventions"] == {"את": "אֶת"}
    assert "nowhere.txt" in refused(
        "vowels", "train", text, "-l", "hebrew", "--held", tmp_path / "nowhere.txt", "-o", model
    )
