"""Write the index of the how-to pages and their navigation while the site is built, from the headings of the files in docs/how-to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from generated_pages import add_to_navigation

FOLDER = Path(__file__).parent / "how-to"
INDEX = "how-to/index.md"
DATA = Path(__file__).parents[1] / "examples" / "data"
MARKER = "<!-- how-to pages -->"


#: Subject -> the pages about it, in the order in which they are listed.
SUBJECTS = {
    "Compare": ("compare-two-files", "compare-two-textgrids", "compare-different-tokens", "compare-recordings-of-different-length", "compare-nested-segments", "list-every-error", "give-credit-for-near-misses", "give-credit-for-partial-matches", "get-the-numbers-of-segeval", "get-the-windowdiff-of-nltk"),
    "Choose a metric": ("choose-the-window", "choose-a-tolerance", "find-metrics-that-reward-few-boundaries", "compare-with-chance", "compare-at-equal-density"),
    "Measure agreement": ("measure-agreement-of-three-annotators", "measure-agreement-on-spans", "agreement-per-label", "agree-on-sets-of-labels", "agreement-per-document", "choose-annotators-and-documents", "interval-of-kappa", "explain-a-low-kappa"),
    "Annotators and gold standards": ("merge-annotations-into-gold", "compare-annotators-with-gold", "rate-annotators", "test-whether-a-model-may-annotate", "plan-the-number-of-items"),
    "Evaluate systems": ("evaluate-topic-segmentation", "test-the-difference-between-systems", "score-by-genre", "score-per-label", "score-a-forced-aligner", "score-diarization", "fail-a-build-in-ci", "evaluate-large-corpora", "evaluate-with-dask"),
    "Segment texts and score chunks": ("segment-a-text", "use-another-segmenter", "limit-the-chunk-size", "score-chunks-for-retrieval", "compare-chunkers", "score-chunks-without-gold", "find-quotations-in-a-text"),
    "Restore vowels": ("restore-vowels", "find-uncertain-vowels", "score-restored-vowels"),
    "Read and convert files": ("check-files-before-a-run", "read-a-dataframe", "read-elan-tiers-as-annotators", "read-overlapping-intervals", "convert-elan-to-praat", "convert-whisper-to-textgrid", "convert-label-studio-to-rttm"),
    "Publish": ("draw-annotations", "make-a-latex-table", "write-a-report", "reproduce-a-paper", "cite-a-metric"),
    "Use the workbench": ("annotate-on-a-phone", "assign-texts-to-annotators", "keep-annotators-blind", "export-gold", "back-up-the-workbench", "reset-a-password"),
    "Extend": ("write-a-plugin",),
}  # fmt: skip


def questions() -> dict[str, dict[str, str]]:
    """Return the question that each page answers, by subject and by the name of the file.

    A page that :data:`SUBJECTS` does not list is an error, so that a new page gets a subject.

    >>> questions()["Use the workbench"]["export-gold.md"]
    'How do I export gold annotations?'
    """
    listed = [f"{name}.md" for names in SUBJECTS.values() for name in names]
    if difference := {page.name for page in FOLDER.glob("*.md")} - {"index.md"} ^ set(listed):
        raise ValueError(f"docs/how-to and SUBJECTS in docs/how_to.py differ in {', '.join(sorted(difference))}")
    return {
        subject: {f"{name}.md": title((FOLDER / f"{name}.md").read_text(encoding="utf-8")) for name in names}
        for subject, names in SUBJECTS.items()
    }


def title(markdown: str) -> str:
    """Return the first heading of a page.

    >>> title("---\\ntags: [a]\\n---\\n\\n# Why?\\n\\nBecause.")
    'Why?'
    """
    return next(line.removeprefix("# ") for line in markdown.splitlines() if line.startswith("# "))


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, by subject, below the index."""
    subjects = [
        {subject: [{question: f"how-to/{name}"} for name, question in pages.items()]}
        for subject, pages in questions().items()
    ]
    return add_to_navigation(config, INDEX, subjects, "All questions")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Write the list of questions into the index, and say where the files of an example are."""
    uri = page.file.src_uri
    if uri.startswith("how-to/") and uri != INDEX and uses_example_files(markdown):
        return f"{markdown.rstrip()} The files are in [examples.zip](../install.md#example-files).\n"
    if uri != INDEX:
        return markdown
    return markdown.replace(MARKER, "\n\n".join(_section(subject, pages) for subject, pages in questions().items()))


def _section(subject: str, pages: dict[str, str]) -> str:
    lines = [f"- [{question}]({name})" for name, question in pages.items()]
    return "\n".join([f"## {subject}", "", *lines])


def uses_example_files(markdown: str) -> bool:
    """Whether the commands or programs of a page name a file or folder of examples/data.

    >>> uses_example_files("$ caesura agree coders.json"), uses_example_files("$ caesura serve --database project.sqlite")
    (True, False)
    """
    commands = re.findall(r"^\$ (caesura .*)$", markdown, re.MULTILINE)
    words = {word for line in commands for word in re.split(r"[\s=]+", line)}
    words |= set(re.findall(r'"([\w/-]+\.\w+)"', markdown))
    return any((DATA / word).exists() for word in words if word)
