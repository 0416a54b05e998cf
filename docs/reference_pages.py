"""Write the reference while the site is built: one page per public object, an index by subject, and the navigation.

docs/reference/index.md has ``<!-- objects -->`` where the index goes. The pages themselves are not kept in the repository.
"""

from __future__ import annotations

import inspect
import pkgutil
from typing import Any

from mkdocs.structure.files import Files

from generated_pages import add_to_navigation, add_to_site

INDEX = "reference/index.md"

#: Pages of the reference that are not about one object of Python.
LOOKUP = [
    {"Command line": "command-line.md"},
    {"Formats": "formats.md"},
    {"Every metric by name": "metrics.md"},
    {"API of the workbench": "workbench-api.md"},
]

#: The public objects by subject: every page of the reference, in the order of the navigation.
SUBJECTS: dict[str, list[str]] = {
    "Annotations": [
        "caesura.Segmentation",
        "caesura.Hierarchy",
        "caesura.Spans",
        "caesura.Annotation",
        "caesura.Corpus",
    ],
    "Reading, writing, showing": [
        "caesura.read",
        "caesura.write",
        "caesura.from_dataframe",
        "caesura.from_object",
        "caesura.show",
        "caesura.samples",
    ],
    "Comparison": ["caesura.compare", "caesura.Comparison", "caesura.align"],
    "Evaluation": [
        "caesura.evaluate",
        "caesura.Evaluation",
        "caesura.statistics.evaluation.Results",
        "caesura.Accumulator",
        "caesura.make_scorer",
    ],
    "Altered texts": [
        "caesura.anchor",
        "caesura.Anchoring",
        "caesura.find_quote",
        "caesura.find_quotes",
        "caesura.place_chunks",
        "caesura.anchor_corpus",
        "caesura.anchoring.AnchorOptions",
    ],
    "Chunks": [
        "caesura.chunk",
        "caesura.chunk_scores",
        "caesura.ChunkScores",
        "caesura.evaluate_chunks",
        "caesura.ChunkEvaluation",
        "caesura.segmenters.text.locate_chunks",
        "caesura.chunks.read_chunks",
        "caesura.chunks.write_chunks",
        "caesura.chunks.BM25",
        "caesura.chunks.EncoderRanking",
        "caesura.chunks.whole_by_size",
        "caesura.chunks.chunk_lengths",
        "caesura.chunks.chunk_cohesion",
        "caesura.chunks.language_model_scores",
        "caesura.chunks.boundary_clarity",
        "caesura.chunks.chunk_stickiness",
    ],
    "Metrics by name": ["caesura.metric", "caesura.metric_names", "caesura.metrics.Metric"],
    "Boundaries and windows": [
        "caesura.boundary_similarity",
        "caesura.segmentation_similarity",
        "caesura.boundary_edits",
        "caesura.Edit",
        "caesura.boundary_confusion",
        "caesura.Confusion",
        "caesura.window_diff",
        "caesura.pk",
        "caesura.win_pr",
        "caesura.window_size",
        "caesura.generalized_hamming",
        "caesura.alignment_similarity",
        "caesura.density_sweep",
        "caesura.DensitySweep",
    ],
    "Flexible similarity": [
        "caesura.flexible_similarity",
        "caesura.flexible_operations",
        "caesura.Operations",
        "caesura.Similarity",
        "caesura.similarity_from_confusion",
    ],
    "Speech and spans": [
        "caesura.region_scores",
        "caesura.RegionScores",
        "caesura.span_scores",
        "caesura.SpanScores",
    ],
    "Agreement": [
        "caesura.agree",
        "caesura.Agreement",
        "caesura.flexible_agreement",
        "caesura.agreement.gamma",
        "caesura.agreement.alpha_u",
        "caesura.agreement.u_alpha",
    ],
    "Gold standards": ["caesura.unify", "caesura.unify_corpus"],
    "Annotators": [
        "caesura.fit_annotators",
        "caesura.AnnotatorModel",
        "caesura.alternative_annotator",
        "caesura.AlternativeAnnotatorTest",
        "caesura.plan",
        "caesura.Plan",
    ],
    "Segmenters": [
        "caesura.segment",
        "caesura.segmenters",
        "caesura.segmenters.segmenter",
        "caesura.segmenters.segmenter_names",
        "caesura.segmenters.Segmenter",
        "caesura.segmenters.text.base.TextSegmenter",
        "caesura.segmenters.text.explanation.Explanation",
    ],
    "Vowels": [
        "caesura_vowels",
        "caesura_vowels.VowelRestorer",
        "caesura_vowels.RestoredWord",
        "caesura_vowels.restored_words",
        "caesura_vowels.ready",
        "caesura_vowels.VowelCorpus",
        "caesura_vowels.load_corpus",
        "caesura_vowels.split_random",
        "caesura_vowels.split_blocks",
        "caesura_vowels.score_restored",
        "caesura_vowels.RestoredScores",
        "caesura_vowels.accuracy.MarkAccuracy",
        "caesura_vowels.accuracy.MarkSimilarity",
        "caesura_vowels.accuracy.mark_similarity",
    ],
    "Workbench": ["caesura_workbench.serve.serve"],
    "Reproduction of papers": ["caesura.reproduce"],
    "Names of other packages": ["caesura.compat.segeval", "caesura.compat.nltk"],
    "Writing plug-ins": [
        "caesura.metrics.Family",
        "caesura.metrics.Score",
        "caesura.metrics.Batch",
        "caesura.registry.Registry",
    ],
    "Errors": [
        "caesura.CaesuraError",
        "caesura.FormatError",
        "caesura.InvalidSegmentation",
        "caesura.LengthMismatch",
        "caesura.MissingExtra",
        "caesura.UndefinedScore",
        "caesura.UnknownName",
    ],
}

#: Modules whose page shows these members; the members of all other modules have pages of their own.
MODULE_MEMBERS = {
    "caesura.samples": ["load", "names"],
    "caesura.compat.nltk": ["windowdiff", "pk", "ghd"],
}


def on_config(config: Any) -> Any:
    """Add the pages to the navigation, below the entry that has the index."""
    sections = [{subject: [{title(path): page_uri(path)} for path in paths]} for subject, paths in SUBJECTS.items()]
    return add_to_navigation(config, INDEX, [*LOOKUP, *sections])


def on_files(files: Files, *, config: Any) -> Files:
    """Add one generated page per object."""
    return add_to_site(files, config, {page_uri(path): page(path) for paths in SUBJECTS.values() for path in paths})


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Write the index into its page."""
    return markdown.replace("<!-- objects -->", index()) if page.file.src_uri == INDEX else markdown


def page_uri(path: str) -> str:
    """Return the page of an object.

    >>> page_uri("caesura.pk")
    'reference/caesura.pk.md'
    """
    return f"reference/{file_stem(path)}.md"


def file_stem(path: str) -> str:
    """Return the name of a page. Some file systems ignore case, so a class that differs only in case from a function gets a suffix.

    >>> file_stem("caesura.segmenters.segmenter"), file_stem("caesura.segmenters.Segmenter")
    ('caesura.segmenters.segmenter', 'caesura.segmenters.Segmenter-class')
    """
    same = [other for paths in SUBJECTS.values() for other in paths if other.lower() == path.lower()]
    return f"{path}-class" if len(same) > 1 and inspect.isclass(pkgutil.resolve_name(path)) else path


def page(path: str) -> str:
    """Return the Markdown of an object's page; mkdocstrings replaces it by the signature and the docstring."""
    is_module = inspect.ismodule(pkgutil.resolve_name(path))
    members = f", members: [{', '.join(MODULE_MEMBERS.get(path, []))}]" if is_module else ""
    return f"::: {path}\n    options: {{ heading_level: 1{members} }}\n"


def title(path: str) -> str:
    """Return the short name that the navigation shows.

    >>> title("caesura.metrics.Metric"), title("caesura.compat.segeval")
    ('Metric', 'compat.segeval')
    """
    if inspect.ismodule(pkgutil.resolve_name(path)):
        return path.removeprefix("caesura.")
    return path.rpartition(".")[2]


def index() -> str:
    """Return a table per subject: each object, linked, with the first sentence of its docstring."""
    parts = []
    for subject, paths in SUBJECTS.items():
        rows = [f"| {link(path)} | {summary(path)} |" for path in paths]
        parts.append("\n".join([f"## {subject}", "", "| object | summary |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def link(path: str) -> str:
    """Link an object. The anchor is the one that the object had when the reference was a single page, so old links still find it."""
    return f'<a id="{path}"></a>[`{path}`]({file_stem(path)}.md)'


def summary(path: str) -> str:
    """Return the first line of a docstring, safe in a table.

    >>> summary("caesura.metric_names").endswith(".")
    True
    """
    first = (inspect.getdoc(pkgutil.resolve_name(path)) or "").partition("\n\n")[0]
    return " ".join(first.split()).replace("|", "\\|")
