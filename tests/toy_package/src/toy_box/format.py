"""A format: a text of lines, a line of dots between segments."""

from caesura.files import Source
from caesura.model import Annotation, Corpus, Segmentation


def sniff(head: str) -> bool:
    return "\n...\n" in head


def read(source: Source) -> Corpus:
    segments = [part.splitlines() for part in source.text.strip().split("\n...\n")]
    units = [line for segment in segments for line in segment]
    marks = Segmentation.from_masses([len(segment) for segment in segments], units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus) -> str:
    marks = corpus.annotation(0).marks
    lines = list(marks.units or ())
    for position in reversed(marks.positions.tolist()):
        lines.insert(position, "...")
    return "\n".join(lines) + "\n"
