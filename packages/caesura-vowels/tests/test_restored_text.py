"""A restored text as a page: what is doubtful is marked, by the letter, and nothing of the text becomes markup."""

import re

import pytest

from caesura_vowels import RestoredWord, VowelRestorer
from caesura_vowels.restored_text import letter_probabilities, restored_page
from caesura_vowels.samples import HEBREW as SAMPLE
from caesura_vowels.scripts import HEBREW
from cli.command import caesura


@pytest.fixture(scope="module")
def restorer() -> VowelRestorer:
    return VowelRestorer("hebrew", "open").fit(SAMPLE)


def test_letter_probability_sums_forms_with_equal_marks(restorer) -> None:
    for word in restorer.restore_nbest("הילד ספר אלדרב", 20):
        shares = letter_probabilities(word, HEBREW)
        assert all(share >= word.probability - 1e-12 for _, share in shares)
        assert all(share <= 1 + 1e-9 for _, share in shares)
    sure = RestoredWord(0, "אב", (("אָב", 0.6), ("אָבּ", 0.4)))
    assert [round(share, 9) for _, share in letter_probabilities(sure, HEBREW)] == [1.0, 0.6]
    # Half of what is left for other forms counts, unless the model does not know the word.
    others = RestoredWord(0, "אב", (("אָב", 0.6), ("אָבּ", 0.2)))
    assert [round(share, 9) for _, share in letter_probabilities(others, HEBREW)] == [0.9, 0.7]
    assert letter_probabilities(RestoredWord(0, "אב", (("אב", 0.0),)), HEBREW) == [("א", 0.0), ("ב", 0.0)]


def test_page_marks_doubtful_letters_and_keeps_the_text(restorer) -> None:
    text = "הילד ספר <b>&\nאלדרב, טוב"
    page = restored_page(restorer, text, "<i>")
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    main = page.split("<main")[1].split(">", 1)[1].split("</main>")[0]
    plain = re.sub(r'<span class="o">(<span>[^<]*</span>)*</span>', "", main)
    shown = re.sub("<[^>]*>", "", plain.replace("</p>\n", "\n").replace("<p>", ""))
    assert HEBREW.strip(shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).strip("\n") == text
    doubtful = [w for w in restorer.restore_nbest(text, 6) if min(s for _, s in letter_probabilities(w, HEBREW)) < 0.8]
    assert page.count('class="w"') == len(doubtful) > 0
    assert all(form in page for word in doubtful for form, share in word.alternatives if share >= 0.01)


def test_command_writes_the_page(restorer, tmp_path) -> None:
    restorer.save(tmp_path / "m")
    (tmp_path / "text.txt").write_text("הילד ספר\n", encoding="utf-8")
    done = caesura("vowels", "restore", tmp_path / "m", tmp_path / "text.txt", "--page", tmp_path / "p.html")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'p.html'}: 2 words\n")
    again = VowelRestorer.load(tmp_path / "m")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == restored_page(again, "הילד ספר\n", "text.txt")
