"""The search of the built site finds the right page among the first three, by the theme's own ranking.

``make docs`` builds the site and runs these tests; without a site that is newer than its pages, they are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "site" / "search" / "search_index.json"
FIRST = 3

#: Typical questions, and the pages that answer them.
QUESTIONS = {
    "how to install": ["install"],
    "kappa": ["families/agreement", "how-to/explain-a-low-kappa", "how-to/interval-of-kappa"],
    "significance test": ["how-to/test-the-difference-between-systems", "evaluation"],
    "backup": ["how-to/back-up-the-workbench"],
    "license": ["licence"],
    "compare two TextGrids": ["how-to/compare-two-textgrids"],
    "Praat": ["how-to/compare-two-textgrids", "tutorials/two-annotators", "formats/textgrid"],
    "ELAN tiers": ["how-to/read-elan-tiers-as-annotators", "formats/eaf"],
    "inter-rater agreement": ["families/agreement", "how-to/measure-agreement-of-three-annotators"],
    "what is a good kappa": ["what-is-a-good-value"],
    "LLM annotator": ["tutorials/may-an-llm-annotate", "how-to/test-whether-a-model-may-annotate"],
    "chunk size": ["how-to/limit-the-chunk-size", "chunks"],
    "WindowDiff": ["families/boundary", "how-to/get-the-windowdiff-of-nltk"],
    "boundary similarity": ["families/boundary", "reference/caesura.boundary_similarity"],
    "nikud": ["how-to/restore-vowels", "tutorials/vowels", "families/vowels"],
    "tashkeel": ["how-to/restore-vowels", "tutorials/vowels", "families/vowels"],
    "CI": ["tutorials/systems-in-ci", "how-to/fail-a-build-in-ci"],
    "million documents": ["tutorials/million-documents", "how-to/evaluate-large-corpora"],
    "Dask": ["how-to/evaluate-with-dask"],
    "password": ["how-to/reset-a-password"],
    "phone": ["how-to/annotate-on-a-phone"],
    "export gold": ["how-to/export-gold"],
    "plugin": ["how-to/write-a-plugin"],
    "cite": ["cite"],
    # synonyms
    "κ": ["families/agreement", "how-to/explain-a-low-kappa", "how-to/interval-of-kappa"],
    "γ": ["families/unitizing", "how-to/measure-agreement-on-spans"],
    "IAA": ["families/agreement", "how-to/measure-agreement-of-three-annotators"],
    "interrater reliability": ["families/agreement", "how-to/measure-agreement-of-three-annotators"],
    "diacritization": ["how-to/restore-vowels", "tutorials/vowels", "families/vowels"],
    "RAG": ["how-to/score-chunks-for-retrieval", "chunks", "tutorials/which-chunker"],
    "DER": ["families/diarization", "how-to/score-diarization"],
    "diarization error rate": ["families/diarization", "how-to/score-diarization"],
    "partial match": ["how-to/give-credit-for-partial-matches", "families/spans"],
    "Whisper": ["how-to/convert-whisper-to-textgrid", "formats/whisper"],
    "tokenization": ["how-to/compare-different-tokens", "faq"],
    "MFA": ["tutorials/which-aligner", "families/aligners", "how-to/score-a-forced-aligner"],
    # asked by a reader who had not seen the pages
    "docker": ["install", "workbench-server", "integrations"],
    "csv": ["formats/csv", "formats/csv-labels", "formats/csv-spans"],
    "pandas": ["how-to/read-a-dataframe"],
    "huggingface": ["integrations"],
    "label studio": ["formats/label-studio", "formats/label-studio-sound", "how-to/convert-label-studio-to-rttm"],
    "krippendorff alpha": ["families/agreement", "families/unitizing", "how-to/agree-on-sets-of-labels"],
    "confidence interval": ["how-to/interval-of-kappa", "evaluation"],
    "NER": ["families/spans", "how-to/give-credit-for-partial-matches", "how-to/measure-agreement-on-spans"],
    "F1 score": ["families/spans", "families/boundary", "how-to/score-per-label"],
    "topic segmentation": ["how-to/segment-a-text", "how-to/evaluate-topic-segmentation", "choosing-a-segmenter"],
    "sentence segmentation": ["choosing-a-segmenter", "how-to/use-another-segmenter"],
    "forced alignment": ["tutorials/which-aligner", "families/aligners", "how-to/score-a-forced-aligner"],
    "overlapping speech": ["families/diarization", "how-to/score-diarization"],
    "keyboard shortcuts": ["workbench-editors"],
    "REST API": ["workbench-api"],
    "python version": ["install"],
    "postgres": ["workbench-server"],
    "adjudication": ["workbench-editors", "tutorials/campaign"],
    "crowdsourcing": ["families/annotators", "how-to/rate-annotators"],
    "sample size": ["how-to/plan-the-number-of-items", "tutorials/how-many-annotators"],
    "p-value": ["how-to/test-the-difference-between-systems"],
    "latex table": ["how-to/make-a-latex-table"],
    "blind annotation": ["how-to/keep-annotators-blind", "workbench-people"],
    "assign texts": ["how-to/assign-texts-to-annotators", "workbench-people"],
    "environment variables": ["command-line"],
    "offline": ["faq"],
    "R package": ["r"],
    "contribute": ["contributing"],
    "jupyter notebook": ["integrations", "drawings", "index", ""],
    "LangChain": ["formats/chunks", "chunks", "how-to/use-another-segmenter", "how-to/compare-chunkers"],
    "gold standard": ["families/gold", "how-to/merge-annotations-into-gold", "how-to/export-gold"],
    "majority vote": ["how-to/merge-annotations-into-gold", "families/gold"],
    "speed": ["benchmarks"],
    "Gwet AC1": ["how-to/explain-a-low-kappa", "families/agreement", "how-to/agreement-per-label"],
    "nested segments": ["families/hierarchies", "workbench-editors", "how-to/compare-nested-segments"],
    "upgrade": ["changelog", "install"],
}


@cache
def found() -> dict[str, list[str]]:
    """Return the pages that the search finds for each question, best first."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("the search of the site runs in node, which is not installed")
    (worker,) = (ROOT / "site" / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    command = [node, Path(__file__).with_name("search.js"), worker, INDEX, *QUESTIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    return {query: [page.strip("/") for page in pages] for query, pages in json.loads(done.stdout).items()}


def built() -> bool:
    """Whether there is a site that is newer than all pages."""
    pages = [ROOT / "mkdocs.yml", *(ROOT / "docs").rglob("*.md")]
    return INDEX.exists() and INDEX.stat().st_mtime > max(page.stat().st_mtime for page in pages)


@pytest.mark.skipif(not built(), reason="the site is not built: make docs builds it and runs this test")
def test_search_finds_the_right_pages() -> None:
    pages = found()
    wrong = {question: pages[question][:FIRST] for question in QUESTIONS if not answered(question, pages)}
    assert wrong == {}


def answered(question: str, pages: dict[str, list[str]]) -> bool:
    """Whether one of the first pages answers a question."""
    return bool(set(pages[question][:FIRST]) & set(QUESTIONS[question]))


def test_no_page_has_a_boost() -> None:
    boosted = [
        page.name for page in (ROOT / "docs").rglob("*.md") if "boost:" in page.read_text("utf-8").split("\n# ")[0]
    ]
    assert boosted == []
