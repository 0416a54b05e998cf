"""The splitters of LangChain, LlamaIndex and chonkie themselves: as functions, as objects with offsets, and through files with their overlap."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from caesura.chunks import evaluate_chunks
from caesura.chunks.files import read_chunks
from caesura.errors import CaesuraError
from caesura.segmenters import segment
from caesura.segmenters.text import FunctionSegmenter, chunk, locate_chunks

SPEECH = Path(__file__).parents[1] / "oracles" / "chunks" / "state_of_the_union.md"


@pytest.fixture(scope="module")
def text() -> str:
    with SPEECH.open(encoding="utf-8", newline="") as file:
        return file.read()


def written(path: Path, entries: list[Any]) -> list[Any]:
    """Write entries as JSON lines, and read the chunks of the only document back."""
    path.write_text("\n".join(json.dumps(each) for each in entries), encoding="utf-8")
    (chunks,) = read_chunks(path).values()
    return chunks


def check_evaluation(text: str, chunks: list[Any], spans: list[tuple[int, int]]) -> None:
    """Chunks of a file are scored at the offsets that the library gave."""
    evidence = (1500, 1600)
    result = evaluate_chunks(
        {"speech": text}, [{"query": "Ukraine", "document": "speech", "spans": [evidence]}], {"x": {"speech": chunks}}
    )
    whole = any(begin <= evidence[0] and evidence[1] <= end for begin, end in spans)
    assert result.systems["x"]["whole"].micro == whole
    assert result.stored["x"] == pytest.approx(sum(e - b for b, e in spans) / len(text))


def test_langchain(text: str, tmp_path: Path) -> None:
    splitters = pytest.importorskip("langchain_text_splitters", reason="langchain-text-splitters is not installed")
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=800, chunk_overlap=200, add_start_index=True)
    documents = splitter.create_documents([text], metadatas=[{"source": "speech"}])
    spans = [(d.metadata["start_index"], d.metadata["start_index"] + len(d.page_content)) for d in documents]
    assert any(begin < end for (_, end), (begin, _) in pairwise(spans)), "they overlap"
    assert FunctionSegmenter(splitter.split_text).spans(text) == spans, "strings are found where they came from"
    assert FunctionSegmenter(lambda source: splitter.create_documents([source])).spans(text) == spans
    chunks = written(tmp_path / "langchain.jsonl", [each.model_dump() for each in documents])
    assert locate_chunks(text, chunks).spans == spans
    check_evaluation(text, chunks, spans)
    limited = chunk(text, splitter.split_text, max_characters=600)
    assert "".join(limited.texts) == text
    assert max(map(len, limited.texts)) <= 600


def test_llamaindex(text: str, tmp_path: Path) -> None:
    core = pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=200, chunk_overlap=40, tokenizer=str.split)
    nodes = splitter.get_nodes_from_documents([core.Document(text=text)])
    spans = [(node.start_char_idx, node.end_char_idx) for node in nodes]
    assert all(text[begin:end] == node.text for (begin, end), node in zip(spans, nodes, strict=True))
    assert FunctionSegmenter(splitter.split_text).spans(text) == spans
    by_objects = FunctionSegmenter(lambda source: splitter.get_nodes_from_documents([core.Document(text=source)]))
    assert by_objects.spans(text) == spans
    chunks = written(tmp_path / "llamaindex.jsonl", [json.loads(node.model_dump_json()) for node in nodes])
    assert locate_chunks(text, chunks).spans == spans
    check_evaluation(text, chunks, spans)


@pytest.mark.parametrize("name", ["RecursiveChunker", "SentenceChunker", "TokenChunker"])
def test_chonkie(name: str, text: str, tmp_path: Path) -> None:
    chonkie = pytest.importorskip("chonkie", reason="chonkie is not installed")
    overlap = {} if name == "RecursiveChunker" else {"chunk_overlap": 100}
    chunker = getattr(chonkie, name)(tokenizer="character", chunk_size=800, **overlap)
    found = chunker(text)
    spans = [(each.start_index, each.end_index) for each in found]
    assert FunctionSegmenter(chunker).spans(text) == spans
    assert FunctionSegmenter(lambda source: [each.text for each in chunker(source)]).spans(text) == spans
    chunks = written(tmp_path / "chonkie.jsonl", [each.to_dict() for each in found])
    assert locate_chunks(text, chunks).spans == spans
    assert [each["token_count"] for each in chunks] == [each.token_count for each in found], (
        "what a library adds is kept"
    )
    check_evaluation(text, chunks, spans)


def test_function_begins_chunks_within_units_and_leaves_blank_lines_empty() -> None:
    """SaT splits at line breaks by default (``split_on_input_newlines``), so that blank lines are empty strings."""
    source = "One ship, two\nships.\n\n\nBread. More bread."
    found = chunk(source, lambda text: [line for part in text.split(",") for line in part.split("\n")])
    assert found.texts == ["One ship,", " two\n", "ships.\n\n\n", "Bread. More bread."]
    assert [each.span for each in chunk(source, lambda text: [text[:5], text[5:]])] == [(0, 5), (5, len(source))]
    with pytest.raises(CaesuraError, match="one string per unit"):
        segment(source, lambda text: [text])


@pytest.fixture(scope="module")
def sat(text: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """SaT as wtpsplit runs it, with a model of random weights: those that its authors trained are on a hub."""
    wtpsplit = pytest.importorskip("wtpsplit", reason="wtpsplit (SaT) is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast
    from wtpsplit.configs import SubwordXLMConfig
    from wtpsplit.models import SubwordXLMForTokenClassification

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(
        text.splitlines(), trainers.UnigramTrainer(vocab_size=500, special_tokens=special, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token", "mask_token"), special, strict=True))
    folder = tmp_path_factory.mktemp("sat")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder / "tokenizer")
    torch.manual_seed(0)
    config = SubwordXLMConfig(
        vocab_size=500, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, num_labels=1,
        max_position_embeddings=514, type_vocab_size=1, pad_token_id=1, lookahead=None,
    )  # fmt: skip
    SubwordXLMForTokenClassification(config).save_pretrained(folder / "model")
    return wtpsplit.SaT(str(folder / "model"), tokenizer_name_or_path=str(folder / "tokenizer"))


def test_sat_of_wtpsplit(text: str, sat: Any) -> None:
    part = text[:3000]
    threshold = sorted(sat.predict_proba(part))[-60]
    for options in ({}, {"strip_whitespace": True}, {"max_length": 150}):
        split = partial(sat.split, threshold=threshold, **options)
        pieces = [each for each in split(part) if each]
        assert [part[b:e] for b, e in FunctionSegmenter(split).spans(part)] == pieces
        limited = chunk(part, split, max_characters=200)
        assert "".join(limited.texts) == part, "line breaks, at which SaT splits, are in no piece, and nothing is lost"
        assert max(map(len, limited.texts)) <= 200
    with pytest.raises(CaesuraError, match="chunk 1 is \\["):
        FunctionSegmenter(lambda source: list(sat.split(source, do_paragraph_segmentation=True))).spans(part)
