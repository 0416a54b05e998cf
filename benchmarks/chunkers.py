"""Compare chunkers on the meetings of QMSum: the table and the picture of the tutorial "Which chunker for my documents?".

Run: python benchmarks/chunkers.py FOLDER [PICTURE.svg], with the JSON files of QMSum's meetings in FOLDER
"""

from __future__ import annotations

import json
import sys
from itertools import accumulate
from pathlib import Path
from typing import Any

from caesura import chunk
from caesura.chunks import evaluate_chunks

_LIMIT = 1000  # characters of a chunk of turns


def fixed(text: str, length: int, overlap: int = 0) -> list[tuple[int, int]]:
    """Cut every ``length`` characters."""
    return [(b, min(b + length, len(text))) for b in range(0, max(len(text) - overlap, 1), length - overlap)]


def read_meetings(folder: Path) -> tuple[dict[str, str], list[Any]]:
    """Return a text per meeting, with a line per turn, and the specific queries with their turns as evidence."""
    documents, queries = {}, []
    for file in sorted(folder.glob("*.json")):
        meeting = json.loads(file.read_text(encoding="utf-8"))
        lines = [f"{turn['speaker']}: {turn['content']}\n" for turn in meeting["meeting_transcripts"]]
        starts = [0, *accumulate(map(len, lines))]
        documents[file.stem] = "".join(lines)
        for asked in meeting["specific_query_list"]:
            spans = [(starts[int(first)], starts[int(last) + 1]) for first, last in asked["relevant_text_span"]]
            queries.append((asked["query"], file.stem, spans))
    return documents, queries


def main(folder: Path, picture: Path | None = None) -> None:
    """Print the scores, and write the picture."""
    documents, queries = read_meetings(folder)
    chunkers: dict[str, Any] = {
        "fixed 1000": {name: fixed(text, 1000) for name, text in documents.items()},
        "fixed 1000, overlap": {name: fixed(text, 1000, 500) for name, text in documents.items()},
        "fixed 4000": {name: fixed(text, 4000) for name, text in documents.items()},
    }
    for method in ("uniform", "dcm", "vectors"):
        chunkers[f"turns, {method}"] = {
            name: chunk(text, method, unit="line", max_characters=_LIMIT).spans for name, text in documents.items()
        }
    found = evaluate_chunks(documents, queries, chunkers, bounds=["uniform"])
    print(f"{len(documents)} meetings, {sum(map(len, documents.values())):,} characters")
    print(found)
    if picture is not None:
        picture.write_text(found.plot().svg(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(Path, sys.argv[2:3]))
