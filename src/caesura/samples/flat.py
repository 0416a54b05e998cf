"""Plain boundaries: a poem, an article, and lines that run from right to left."""

from __future__ import annotations

from caesura.model import Annotation, Corpus, Segmentation

_KUBLA = """\
In Xanadu did Kubla Khan
A stately pleasure-dome decree:
Where Alph, the sacred river, ran
Through caverns measureless to man
Down to a sunless sea.
So twice five miles of fertile ground
With walls and towers were girdled round:
And here were gardens bright with sinuous rills,
Where blossomed many an incense-bearing tree;
And here were forests ancient as the hills,
Enfolding sunny spots of greenery."""

_KUBLA_MASSES = {
    "manual": [2, 3, 6],
    "false negative": [5, 6],
    "near miss": [2, 2, 7],
    "false positive": [2, 3, 3, 3],
    "cluster": [1, 1, 3, 1, 5],
}

_STARGAZER_MASSES = (
    [2, 3, 3, 1, 3, 6, 3],
    [2, 8, 2, 4, 2, 3],
    [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1],
    [2, 1, 4, 1, 1, 3, 1, 4, 3, 1],
    [3, 2, 4, 3, 5, 4],
    [2, 3, 4, 2, 2, 5, 3],
    [2, 3, 2, 2, 3, 1, 3, 2, 3],
)

_SCRIPTS = {
    "hebrew": (
        "שָׁלוֹם לָכֶם , | בּוֹאוּ וּשְׁבוּ אֶל הַשֻּׁלְחָן . | הַקָּפֶה עוֹד חַם | וְהַלֶּחֶם טָרִי | וְיֵשׁ מָקוֹם לְכֻלָּם .",
        "שָׁלוֹם לָכֶם , | בּוֹאוּ וּשְׁבוּ | אֶל הַשֻּׁלְחָן . הַקָּפֶה עוֹד חַם | וְהַלֶּחֶם טָרִי וְיֵשׁ מָקוֹם לְכֻלָּם .",
    ),
    "arabic": (
        "خرجتُ من البيت في الصباح | ومشيتُ إلى البحر | وجلستُ هناك حتى المساء | ثم عدتُ .",
        "خرجتُ من البيت | في الصباح ومشيتُ إلى البحر | وجلستُ هناك حتى المساء | ثم عدتُ .",
    ),
}


def kubla() -> Corpus:
    """Return the poem's excerpt, its lines the units, with the segmentations of Fournier (2013), figures 4 to 8."""
    lines = _KUBLA.splitlines()
    return Corpus.from_annotations(
        (
            Annotation("kubla", coder, Segmentation.from_masses(masses, units=lines))
            for coder, masses in _KUBLA_MASSES.items()
        ),
        attributes={"kubla": {"title": "Kubla Khan", "author": "S. T. Coleridge", "units": "lines"}},
    )


def stargazer() -> Corpus:
    """Return the seven codings of the Stargazers article (Hearst 1997), its paragraphs the units."""
    return Corpus.from_annotations(
        (
            Annotation("stargazer", f"coder {number}", Segmentation.from_masses(masses))
            for number, masses in enumerate(_STARGAZER_MASSES, 1)
        ),
        attributes={"stargazer": {"title": "Stargazers look for life", "units": "paragraphs"}},
    )


def scripts() -> Corpus:
    """Return lines that run from right to left, with combining marks, by two coders."""
    return Corpus.from_annotations(
        Annotation(item, coder, Segmentation.parse(text))
        for item, texts in _SCRIPTS.items()
        for coder, text in zip(("first", "second"), texts, strict=True)
    )
