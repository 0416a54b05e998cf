"""Typed boundaries: two people talk, two annotators say how each stretch of speech ends.

Endnotes: ``?`` rising, ``.`` falling, ``,`` continuing, ``--`` truncated; nothing where the speaker simply goes on.
"""

from __future__ import annotations

from caesura.model import Annotation, Corpus, Segmentation

#: The endnotes in the order of the scale.
LABELS: tuple[str, ...] = ("?", ".", ",", "--")

_TURNS = (  # speaker, how the first annotator heard it, how the second did
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
    """Return one conversation: one track per speaker, one annotation per annotator."""
    streams: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for speaker, *heard in _TURNS:
        for annotator, turn in zip(("first", "second"), heard, strict=True):
            words, marks = streams.setdefault((annotator, speaker), ([], []))
            for token in turn.split():
                if token in LABELS:
                    marks[-1] = token
                else:
                    words.append(token)
                    marks.append("")
    return Corpus.from_annotations(
        (
            Annotation("keys", annotator, Segmentation.from_labels_at(marks, labels=LABELS, units=words), speaker)
            for (annotator, speaker), (words, marks) in streams.items()
        ),
        labels=LABELS,
        attributes={"keys": {"title": "The keys"}},
    )
