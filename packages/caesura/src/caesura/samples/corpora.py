"""The built-in corpora: boundaries, typed boundaries, nested segments and boundaries in time."""

from __future__ import annotations

from caesura.model import Annotation, Corpus, Hierarchy, Segmentation

# ---------------------------------------------------------------------- boundaries

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
    """Return the excerpt of the poem in lines, with the segmentations of Fournier (2013), figures 4 to 8."""
    lines = _KUBLA.splitlines()
    return Corpus.from_annotations(
        (
            Annotation("kubla", coder, Segmentation.from_masses(masses, units=lines))
            for coder, masses in _KUBLA_MASSES.items()
        ),
        attributes={"kubla": {"title": "Kubla Khan", "author": "S. T. Coleridge", "units": "lines"}},
    )


def stargazer() -> Corpus:
    """Return seven coders' segmentations of the Stargazers article (Hearst 1997) in paragraphs."""
    return Corpus.from_annotations(
        (
            Annotation("stargazer", f"coder {number}", Segmentation.from_masses(masses))
            for number, masses in enumerate(_STARGAZER_MASSES, 1)
        ),
        attributes={"stargazer": {"title": "Stargazers look for life", "units": "paragraphs"}},
    )


def scripts() -> Corpus:
    """Return lines of Hebrew and Arabic with combining marks, by two coders."""
    return Corpus.from_annotations(
        Annotation(item, coder, Segmentation.parse(text))
        for item, texts in _SCRIPTS.items()
        for coder, text in zip(("first", "second"), texts, strict=True)
    )


# ---------------------------------------------------------------------- typed boundaries

#: Endnotes in the order of the scale: rising, falling, continuing, truncated; none if the speaker goes on.
ENDNOTES: tuple[str, ...] = ("?", ".", ",", "--")

_TURNS = (  # speaker, and the transcripts of the first and the second annotator
    ("ANNA", "have you got the keys ?", "have you got the keys ?"),
    ("BEN", "no , I thought you had them .", "no . I thought you had them ."),
    ("ANNA", "I gave them to you , on the stairs --", "I gave them to you on the stairs ,"),
    ("BEN", "that was the letter , not the keys .", "that was the letter , not the keys ."),
    ("ANNA", "oh , then they are still in the door .", "oh . then they are still in the door ?"),
    ("BEN", "inside , or outside ?", "inside or outside ?"),
    ("ANNA", "well -- outside , I hope .", "well , outside , I hope ."),
    ("BEN", "I 'll run up , you wait here .", "I 'll run up . you wait , here ."),
    ("ANNA", "take the lift , it 's faster .", "take the lift , it 's faster ."),
    ("BEN", "the lift , since when does it work ?", "the lift ? since when does it work ?"),
    ("ANNA", "since Monday , they repaired it .", "since Monday , they repaired it ."),
    ("BEN", "all right -- back in a minute .", "all right , back in a minute ."),
)


def dialogue() -> Corpus:
    """Return a conversation of two speakers, one track each, with the endnotes of two annotators."""
    tracks: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for speaker, *transcripts in _TURNS:
        for annotator, turn in zip(("first", "second"), transcripts, strict=True):
            words, marks = tracks.setdefault((annotator, speaker), ([], []))
            for token in turn.split():
                if token in ENDNOTES:
                    marks[-1] = token
                else:
                    words.append(token)
                    marks.append("")
    return Corpus.from_annotations(
        (
            Annotation("keys", annotator, Segmentation.from_labels_at(marks, labels=ENDNOTES, units=words), speaker)
            for (annotator, speaker), (words, marks) in tracks.items()
        ),
        labels=ENDNOTES,
        attributes={"keys": {"title": "The keys"}},
    )


# ---------------------------------------------------------------------- nested segments

_WALK = """\
So you want to go from the station to the old harbour.
It is twenty minutes on foot.
First you leave the station by the back door.
Not the front door, where the taxis are.
You will see a church with a green roof.
Keep it on your left.
Then you come to a bridge.
The bridge is narrow, so mind the bicycles.
In the middle of it you get the best view.
You can see both towers from there.
After the bridge it is simple.
You follow the water until the street ends.
There is a café on the corner.
They make good soup.
And behind the café you are at the harbour.
That is all."""

_WALK_SPANS = {
    "ada": [(1, 16), (1, 2), (3, 6), (3, 4), (5, 6), (7, 10), (9, 10), (11, 15), (13, 14), (16, 16)],
    "bram": [(1, 16), (1, 2), (3, 10), (3, 6), (5, 6), (7, 10), (9, 10), (11, 16), (13, 14)],
    "cleo": [(1, 16), (1, 2), (3, 6), (3, 4), (7, 10), (8, 8), (9, 10), (11, 15), (13, 15), (16, 16)],
}


def walk() -> Corpus:
    """Return directions through a town in sixteen utterances, with nested segments by three coders."""
    utterances = _WALK.splitlines()
    return Corpus.from_annotations(
        (
            Annotation("walk", coder, Hierarchy.from_spans(spans, length=len(utterances), units=utterances))
            for coder, spans in _WALK_SPANS.items()
        ),
        attributes={"walk": {"title": "To the old harbour", "units": "utterances"}},
    )


# ---------------------------------------------------------------------- boundaries in time

_DURATION = 1.52

# "the marks are in the margin" in ARPABET, and the end of each phone in seconds
_PHONES = ["sil", "DH", "AH", "M", "AA", "R", "K", "S", "AA", "R", "IH", "N", "DH", "AH", "M", "AA", "R", "JH", "IH", "N", "sil"]  # fmt: skip
_PHONE_ENDS = {
    "ann": (
        0.110, 0.141, 0.192, 0.263, 0.371, 0.418, 0.482, 0.571, 0.648, 0.702, 0.749,
        0.811, 0.846, 0.894, 0.967, 1.078, 1.131, 1.218, 1.271, 1.392,
    ),
    "ben": (
        0.114, 0.149, 0.190, 0.259, 0.380, 0.411, 0.486, 0.566, 0.655, 0.690, 0.753,
        0.807, 0.850, 0.899, 0.962, 1.084, 1.122, 1.224, 1.268, 1.401,
    ),
}  # fmt: skip
# The aligner misses the boundary between AA and R twice and adds one in the final silence.
_ALIGNER = (
    0.105, 0.155, 0.200, 0.270, 0.410, 0.480, 0.575, 0.695, 0.745,
    0.815, 0.845, 0.890, 0.985, 1.075, 1.140, 1.215, 1.280, 1.365, 1.460,
)  # fmt: skip


def phones() -> Corpus:
    """Return one spoken sentence with phone boundaries by two people and an aligner."""
    annotations = [
        Annotation("margin", coder, Segmentation.from_times(times, length=_DURATION, names=_PHONES))
        for coder, times in _PHONE_ENDS.items()
    ]
    annotations.append(Annotation("margin", "aligner", Segmentation.from_times(_ALIGNER, length=_DURATION)))
    return Corpus.from_annotations(annotations, attributes={"margin": {"title": "The marks are in the margin"}})
