"""Nested segments: a walk through a town, described in sixteen utterances and outlined by three coders."""

from __future__ import annotations

from caesura.model import Annotation, Corpus, Hierarchy

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

_SPANS = {
    "ada": [(1, 16), (1, 2), (3, 6), (3, 4), (5, 6), (7, 10), (9, 10), (11, 15), (13, 14), (16, 16)],
    "bram": [(1, 16), (1, 2), (3, 10), (3, 6), (5, 6), (7, 10), (9, 10), (11, 16), (13, 14)],
    "cleo": [(1, 16), (1, 2), (3, 6), (3, 4), (7, 10), (8, 8), (9, 10), (11, 15), (13, 15), (16, 16)],
}


def walk() -> Corpus:
    """Return three coders' outlines of the directions."""
    utterances = _WALK.splitlines()
    return Corpus.from_annotations(
        (
            Annotation("walk", coder, Hierarchy.from_spans(spans, length=len(utterances), units=utterances))
            for coder, spans in _SPANS.items()
        ),
        attributes={"walk": {"title": "To the old harbour", "units": "utterances"}},
    )
