"""Pair the annotations of a reference with those of every other coder, for drawings that show systems against a reference."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.errors import CaesuraError
from caesura.model import Corpus


def pair_with_reference(corpus: Corpus, reference: str = "") -> Iterator[tuple[str, Corpus, Corpus]]:
    """Yield every other coder with the annotations of the reference and of the coder, for the items that both have.

    Parameters
    ----------
    corpus : Corpus
        Annotations of two or more coders.
    reference : str, default ""
        The coder who is the reference; "" is the first one.

    Raises
    ------
    CaesuraError
        If the corpus has no such coder, or if a coder shares no item with the reference.

    Examples
    --------
    >>> corpus = Corpus.from_dict({"kubla": {"ann": [2, 3, 6], "ben": [5, 6]}})
    >>> [(coder, len(ours), len(theirs)) for coder, ours, theirs in pair_with_reference(corpus, "ben")]
    [('ann', 1, 1)]
    """
    first = reference or corpus.coders[0]
    theirs = corpus.select(coders=[first])
    for coder in corpus.coders:
        if coder == first:
            continue
        other = corpus.select(coders=[coder])
        both = [item for item in theirs.items if item in other.items]
        if not both:
            raise CaesuraError(f"coder {coder!r} shares no item with {first!r}, which is the reference here.")
        yield coder, theirs.select(items=both), other.select(items=both)
