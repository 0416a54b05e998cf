"""How sure each letter of a restored word is, and which other forms are worth offering: what every picture of a restoration shows.

A letter is as sure as the calibrated probabilities of the word's forms that give it the same marks, together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.vowels import RestoredWord, VowelRestorer
    from caesura.vowels.scripts import Script

#: Probability of being right below which a word or a letter is doubtful, and more likely wrong than right.
DOUBTFUL, WRONG = 0.8, 0.5
#: Forms of a word that are asked for; one less likely than ``OFFERED`` is not offered.
FORMS, OFFERED = 6, 0.01


def letter_shares(word: RestoredWord, script: Script) -> list[tuple[str, float]]:
    """Every letter of a word's best form with its marks, and the probability that these are right.

    >>> from caesura.vowels import RestoredWord
    >>> from caesura.vowels.scripts import HEBREW
    >>> [round(share, 2) for _, share in letter_shares(RestoredWord(0, "אב", (("אָב", 0.7), ("אַב", 0.2), ("אָבּ", 0.1))), HEBREW)]
    [0.8, 0.9]
    """
    forms = [([x.marks for x in script.split(form)], share) for form, share in word.alternatives]
    best = forms[0][0]
    sums = [sum(share for marks, share in forms if marks[n] == best[n]) for n in range(len(best))]
    letters = [x.raw for x in script.split(word.alternatives[0][0])]
    return list(zip(letters, sums, strict=True))


def offered_forms(word: RestoredWord) -> list[tuple[str, float]]:
    """The forms of a word that are likely enough to be offered, best first."""
    return [(form, share) for form, share in word.alternatives if share >= OFFERED]


def restored_words(restorer: VowelRestorer, text: str) -> list[tuple[RestoredWord, dict[str, Any]]]:
    """Every word of a text that has marks to get, and as plain data how sure it is, how sure each of its letters is, and its forms."""
    restored = []
    for word in restorer.restore_nbest(text, FORMS):
        if word.alternatives[0][0] != word.word:
            letters, forms = letter_shares(word, restorer.script), offered_forms(word)
            restored.append(
                (
                    word,
                    {
                        "probabilities": round(word.probability, 4),
                        "letters": [[letter, round(share, 4)] for letter, share in letters],
                        "forms": [[form, round(share, 4)] for form, share in forms],
                    },
                )
            )
    return restored
