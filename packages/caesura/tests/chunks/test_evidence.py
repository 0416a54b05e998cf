"""Chunks against evidence: the scores of chunking_evaluation, of QMSum's meetings, and of sizes alone."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate, pairwise

import numpy as np
import pytest

import caesura as cs
from caesura.chunks import (
    BM25,
    EncoderRanking,
    boundary_clarity,
    chunk_cohesion,
    chunk_lengths,
    chunk_stickiness,
    evaluate_chunks,
    language_model_scores,
    whole_by_size,
)
from caesura.errors import CaesuraError
from cli.command import caesura, refused
from shared_data import oracle, oracle_json, shared

SENTENCES = r"[.!?]+[\"”’)]*\s+|\n\s*"


def fixed(text, length, overlap=0):
    return [(b, min(b + length, len(text))) for b in range(0, max(len(text) - overlap, 1), length - overlap)]


def by_break(text, pattern, limit, cut=True):
    """Pieces that end after the pattern, joined from the left within the limit; longer ones are cut, or kept."""
    cuts = sorted({0, *(m.end() for m in re.finditer(pattern, text)), len(text)})
    found, begin, last = [], 0, 0
    for at in cuts[1:]:
        if at - begin > limit and last > begin:
            found.append((begin, last))
            begin = last
        while cut and at - begin > limit:
            found.append((begin, begin + limit))
            begin += limit
        last = at
    return found + ([(begin, len(text))] if begin < len(text) else [])


def single(text, pattern):
    cuts = sorted({0, len(text), *(m.end() for m in re.finditer(pattern, text))})
    return list(pairwise(cuts))


CHUNKERS = {
    "fixed400": lambda t: fixed(t, 400),
    "fixed800": lambda t: fixed(t, 800),
    "fixed800_overlap400": lambda t: fixed(t, 800, 400),
    "fixed3200": lambda t: fixed(t, 3200),
    "paragraph800": lambda t: by_break(t, r"\n\s*", 800),
    "sentence400": lambda t: by_break(t, SENTENCES, 400),
    "sentence800": lambda t: by_break(t, SENTENCES, 800),
    "sentence1": lambda t: single(t, SENTENCES),
}


@pytest.fixture(scope="module")
def speech():
    text = oracle("chunks/state_of_the_union.md").read_bytes().decode()
    data = oracle_json("chunks/state_of_the_union.json")
    return text, data, [(q["query"], "speech", q["spans"]) for q in data["queries"]]


@pytest.mark.parametrize("name", CHUNKERS)
def test_scores_of_chunking_evaluation(speech, name) -> None:
    text, data, queries = speech
    chunks = {"x": {"speech": CHUNKERS[name](text)}}
    printed = data["results"][name]["bm25"]
    theirs = evaluate_chunks({"speech": text}, queries, chunks, touching=True, resamples=0)
    per_query = theirs["evidence-recall"].rows[:, [0, 1, 3, 6]]
    assert abs(per_query - np.array(printed["per_query"])).max() < 1e-6
    for score, value in zip(("recall", "precision", "IoU"), ("recall", "precision", "iou"), strict=True):
        assert theirs[f"evidence-{score}"].micro == pytest.approx(printed["chroma"][value], abs=1e-9)
    assert theirs["precision-omega"].micro == pytest.approx(printed["chroma"]["precision_omega"], abs=1e-9)
    ours = evaluate_chunks({"speech": text}, queries, chunks, repeated=False, resamples=0)
    for score, value in (
        ("precision-omega", "precision_omega_strict"), ("whole", "whole"), ("whole-by-size", "whole_by_size"),
        ("evidence-precision", "precision_once"), ("evidence-IoU", "iou_once"), ("whole-at-k", "whole_in_top"),
    ):  # fmt: skip
        assert ours[score].micro == pytest.approx(printed["ours"][value], abs=1e-9), score
    by_size, corrected = ours["whole-by-size"].micro, ours["whole-corrected"].micro
    assert ours["whole-gain"].micro / (1 - by_size) == pytest.approx(printed["ours"]["whole_corrected"], abs=1e-9)
    wanted = math.nan if by_size > 0.95 else printed["ours"]["whole_corrected"]  # the file has no nulls
    assert corrected == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert (ours["recall-ceiling"].micro, ours.covered["x"]) == (1.0, 1.0)
    assert (ours.lengths["x"].chunks, round(ours.lengths["x"].mean, 3)) == (printed["chunks"], printed["mean_length"])


class TfIdf:
    """scikit-learn's TfidfVectorizer and cosines, rounded to ten places; of equals the earlier. Any object with ``rank`` is a retriever."""

    signature = "tfidf"

    def rank(self, queries, chunks, depth):
        words = lambda text: re.findall(r"\b\w\w+\b", text.lower())  # noqa: E731
        number = {word: at for at, word in enumerate(sorted({w for chunk in chunks for w in words(chunk)}))}
        counts = [np.zeros((len(texts), len(number))) for texts in (chunks, queries)]
        for rows, texts in zip(counts, (chunks, queries), strict=True):
            for row, text in zip(rows, texts, strict=True):
                for word in words(text):
                    if word in number:
                        row[number[word]] += 1
        idf = np.log((1 + len(chunks)) / (1 + (counts[0] > 0).sum(axis=0))) + 1
        known, asked = (
            rows * idf / np.maximum(np.linalg.norm(rows * idf, axis=1, keepdims=True), 1e-300) for rows in counts
        )
        return np.argsort(-np.round(asked @ known.T, 10), axis=1, kind="stable")[:, :depth]


@pytest.mark.parametrize("name", CHUNKERS)
def test_scores_with_the_rankings_of_tf_idf(speech, name) -> None:
    text, data, queries = speech
    printed = data["results"][name]["tfidf"]
    chunks = {"x": {"speech": CHUNKERS[name](text)}}
    theirs = evaluate_chunks({"speech": text}, queries, chunks, retriever=TfIdf(), touching=True, resamples=0)
    for score, value in (
        ("evidence-recall", "recall"), ("evidence-precision", "precision"), ("evidence-IoU", "iou"),
        ("precision-omega", "precision_omega"),
    ):  # fmt: skip
        assert theirs[score].micro == pytest.approx(printed["chroma"][value], abs=1e-9)
    ours = evaluate_chunks({"speech": text}, queries, chunks, retriever=TfIdf(), repeated=False, resamples=0)
    for score, value in (
        ("evidence-precision", "precision_once"),
        ("evidence-IoU", "iou_once"),
        ("whole-at-k", "whole_in_top"),
    ):
        assert ours[score].micro == pytest.approx(printed["ours"][value], abs=1e-9), score


def test_rankings_are_those_of_the_oracle(speech) -> None:
    text, data, queries = speech
    for name in CHUNKERS:
        texts = [text[b:e] for b, e in CHUNKERS[name](text)]
        ranks = BM25().rank([q for q, *_ in queries], texts, 5)
        assert ranks.tolist() == data["results"][name]["bm25"]["top"]


def qmsum_meeting(name):
    """The text and the queries of a meeting: turns as lines, evidence as turns, the last one included."""
    if name == "IS1003a":
        told = oracle_json("chunks/qmsum_IS1003a.json")
        return told["text"], [(q["query"], "m", q["spans"]) for q in told["queries"]]
    told = json.loads(shared(f"data/segmentation/qmsum/{name}.json").read_text(encoding="utf-8"))
    lines = [f"{turn['speaker']}: {turn['content']}\n" for turn in told["meeting_transcripts"]]
    starts = [0, *accumulate(map(len, lines))]
    queries = [
        (q["query"], "m", [(starts[int(first)], starts[int(last) + 1]) for first, last in q["relevant_text_span"]])
        for q in told["specific_query_list"]
    ]
    return "".join(lines), queries


@pytest.mark.parametrize("name", ["IS1003a", "ES2011b", "IS1003b"])
def test_meetings_of_qmsum(name) -> None:
    printed = next(m for m in oracle_json("chunks/qmsum_test.json") if m["meeting"] == name)
    text, queries = qmsum_meeting(name)
    assert (len(text), len(queries)) == (printed["characters"], printed["queries"])
    chunkers = {
        "fixed1000": fixed(text, 1000),
        "fixed1000_overlap500": fixed(text, 1000, 500),
        "fixed4000": fixed(text, 4000),
        "turns1000": by_break(text, r"\n", 1000, cut=False),
        "turns4000": by_break(text, r"\n", 4000, cut=False),
    }
    assert set(chunkers) == set(printed["results"])
    for chunker, chunks in chunkers.items():
        assert len(chunks) == printed["results"][chunker]["chunks"]
        found = evaluate_chunks({"m": text}, queries, {"x": chunks}, resamples=0)
        for score, value in (
            ("evidence-recall", "recall"), ("evidence-precision", "precision"), ("evidence-IoU", "iou"),
            ("precision-omega", "precision_omega_strict"), ("whole", "whole"), ("whole-by-size", "whole_by_size"),
            ("recall-at-budget", "recall_at_5000"),
        ):  # fmt: skip
            assert found[score].micro == pytest.approx(printed["results"][chunker][value], abs=1e-9), (chunker, score)


def test_what_sizes_give_alone() -> None:
    for case in oracle_json("chunks/by_size.json"):
        assert whole_by_size(case["length"], case["chunks"], case["span"]) == pytest.approx(case["share"], abs=1e-9)


def test_cohesion_and_language_model_scores() -> None:
    for case in oracle_json("chunks/cohesion.json"):
        found = chunk_cohesion(np.array(case["vectors"]), case["sizes"])
        for name in ("cohesion", "bleeding", "by_size"):
            wanted = np.nan if case[name] is None else case[name]
            assert getattr(found, name) == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    for case in oracle_json("chunks/language_model.json"):
        known = case["mean_nll_alone"], case["mean_nll_of_column_given_row"]
        assert boundary_clarity(known) == pytest.approx(case["clarity"], abs=1e-9)
        assert chunk_stickiness(known) == pytest.approx(case["stickiness"], abs=1e-9)
        assert chunk_stickiness(known, near=2) == pytest.approx(case["stickiness_near2"], abs=1e-9)
        both = language_model_scores(known, near=2)
        assert both.stickiness == chunk_stickiness(known, near=2) <= both.largest_stickiness == np.log2(len(known[0]))
        assert list(both.clarity) == boundary_clarity(known)
    scorer = lambda text, context: (len(text) * (0.5 if context else 1.0), len(text))  # noqa: E731
    assert boundary_clarity(["ab", "cd"], scorer) == pytest.approx([np.exp(-0.5)])
    assert boundary_clarity(["ab", "cd"], scorer, log=True) == pytest.approx([0.5])
    assert chunk_cohesion(["a b", "b a", "c d"], [2, 1]).cohesion == pytest.approx(1.0)
    assert chunk_lengths([10, 30], maximum=20).above == 0.5
    assert chunk_lengths([]).chunks == 0


def test_scores_of_a_language_model_say_how_they_were_computed() -> None:
    asked = []

    def scorer(text, context):
        asked.append((text, context))
        return len(text) * (0.1 if context else 1.0), 1

    found = language_model_scores(["ab", "cd", "ef"], scorer, near=1, log=True)
    assert found.clarity == (0.1, 0.1)
    assert len(asked) == len(set(asked)) == 3 + 4, "each pair of neighbours once, in both directions"
    assert found.signatures[0].startswith("boundary-clarity|log:1|")
    assert found.signatures[1].startswith("stickiness|threshold:0.8|near:1|")
    assert "log2 of the chunks" in str(found)
    assert "1.585" in str(found)
    assert json.loads(json.dumps(found.as_dict()))["largest_stickiness"] == np.log2(3)
    alone = language_model_scores(["ab"], scorer)
    assert (np.isnan(alone.mean_clarity), alone.stickiness, alone.largest_stickiness) == (True, 0.0, 0.0)


def test_cohesion_of_word_counts_is_that_of_their_vectors() -> None:
    random = np.random.default_rng(0)
    units = [" ".join(random.choice([f"w{i}" for i in range(30)], random.integers(0, 9))) for _ in range(40)]
    words = sorted({word for unit in units for word in unit.split()})
    counts = np.array([[unit.split().count(word) for word in words] for unit in units])
    vectors = counts * (np.log((1 + len(units)) / (1 + (counts > 0).sum(axis=0))) + 1)
    for sizes in ([1] * 40, [40], [7, 1, 12, 20], [1, 39]):
        assert chunk_cohesion(units, sizes) == pytest.approx(chunk_cohesion(vectors, sizes), abs=1e-12, nan_ok=True)
    assert np.isnan(chunk_cohesion([], [])).all()
    assert chunk_cohesion(["", "."], [2]).cohesion == 0.0, "zero vectors"
    alone = chunk_cohesion(
        [f"w{i}" for i in range(50_000)], [10] * 5_000
    )  # 20 GB with a row of all words for every unit
    assert alone.cohesion == 0.0


def test_one_query() -> None:
    scores = cs.chunk_scores([(0, 400), (400, 800)], [(350, 450)], length=800, ranking=[1, 0], k=1, budget=420)
    assert (scores.recall, scores.precision, scores.iou) == (0.5, 0.125, 50 / 450)
    assert scores.recall_at_budget == 0.5
    assert (scores.precision_omega, scores.whole, scores.needed, scores.stored) == (0.125, 0.0, 2, 1.0)
    assert scores.whole_gain == -scores.whole_by_size
    alone = cs.chunk_scores([(0, 4)], [(4, 8)])
    assert (alone.recall, alone.precision_omega, alone.ceiling, alone.whole_by_size) == (None, 0.0, 0.0, None)
    none = cs.chunk_scores([], [(4, 8)], length=10, ranking=[])
    assert (none.recall, none.precision, none.precision_omega) == (0.0, None, None)
    twice = cs.chunk_scores([(0, 10), (5, 15)], [(6, 9)], length=15, ranking=[0, 1])
    assert twice.precision == 3 / 20
    assert cs.chunk_scores([(0, 10), (5, 15)], [(6, 9)], ranking=[0, 1], repeated=False).precision == 3 / 15
    words = cs.chunk_scores([(0, 7)], [(4, 6)], ranking=[0], unit="tokens", tokens=[(0, 3), (4, 7), (8, 9)])
    assert (words.recall, words.precision, words.stored) == (1.0, 0.5, 2 / 3)


def scored(chunks, text="abc", evidence=((0, 1),), **options):
    return evaluate_chunks({"d": text}, [("q", "d", evidence)], {"x": chunks}, resamples=0, **options)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cs.chunk_scores([(4, 4)], [(0, 1)]), r"chunk 1 is \(4, 4\); expected 0 ≤ begin < end"),
        (lambda: cs.chunk_scores([(0, 4)], []), "the query has no evidence"),
        (
            lambda: cs.chunk_scores([(0, 4)], [(0, 9)], length=5),
            "evidence 1 ends at 9, after the end of the document at 5",
        ),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], k=0), "k is 0"),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], budget=0), "budget is 0"),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], ranking=[1]), "the ranking names chunk 1"),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], ranking=[0, 0]), "twice"),
        (lambda: cs.chunk_scores([(0, 4)], ["x"]), "evidence 1 is 'x'"),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], unit="tokens"), "needs the spans of the tokens"),
        (lambda: cs.chunk_scores([(0, math.inf)], [(0, 1)]), r"chunk 1 is \(0, inf\)"),
        (lambda: cs.chunk_scores(5, [(0, 1)]), "chunk is 5"),
        (lambda: cs.chunk_scores([(0, 4)], [(2, 3)], unit="tokens", tokens=[(0, 2)]), r"evidence 1, \(2, 3\), has no"),
        (lambda: cs.chunk_scores([(0, 4)], [(0, 1)], unit="tokens", tokens=[(2, 4), (0, 2)]), "token 2 begins before"),
        (lambda: scored([(math.nan, 3)]), r"'x', document 'd': chunk 1 is \(nan, 3\)"),
        (lambda: scored([(0.5, 3)]), r"chunk 1 is \(0.5, 3\)"),
        (
            lambda: scored([{"text": "ab", "start_index": 2, "end_index": 0}]),
            r"chunk 1 is \(2, 0\); expected begin < end",
        ),
        (lambda: scored("abc"), "the chunks are one string"),
        (lambda: scored(None), "the chunks are None"),
        (lambda: scored([(0, 3)], evidence=5), r"query 1 \('q'\): evidence is 5"),
        (lambda: scored([(0, 3)], evidence=[(0, math.inf)]), r"evidence 1 is \(0, inf\)"),
        (lambda: scored([(0, 3)], evidence=[{"start_index": 0}]), "evidence 1 is {'start_index': 0}"),
        (lambda: scored([(0, 3)], text=b"abc"), "document 'd' is bytes"),
        (lambda: scored([(0, 3)], rankings={}), "there are no rankings of 'x'"),
        (lambda: scored([(0, 3)], rankings={"x": 5}), "the rankings are int"),
        (lambda: scored([(0, 3)], rankings={"x": []}), "expected a ranking of each of 1 query; found 0"),
        (lambda: scored([(0, 3)], rankings={"x": [[0]]}, bounds=["uniform"]), "which given rankings do not rank"),
        (lambda: scored([(0, 3)], rankings={"x": [[0, 0]]}), "query 1: the ranking names a chunk twice"),
        (lambda: scored([(0, 3)], retriever=lambda asked, chunks: None), "the rankings are NoneType"),
        (lambda: scored([(0, 3)], retriever=EncoderRanking(lambda texts: ["a"])), "the encoder returned"),
        (lambda: scored([(0, 3)], tokenizer=lambda text: []), r"query 1 \('q'\): evidence 1, \(0, 1\), has no token"),
        (lambda: scored([(0, 3)], tokenizer=lambda text: [(0, 9)]), "document 'd': token 1 ends at 9"),
        (lambda: whole_by_size(0, [], 3), "length is 0"),
        (lambda: chunk_cohesion(np.array([[np.nan], [1.0]]), [2]), "finite numbers"),
        (lambda: chunk_cohesion(["a", "b"], [1.5, 0.5]), "the size of a chunk is 1.5"),
        (lambda: chunk_cohesion(["a", 5], [2]), "unit 2 is int; expected a string"),
        (lambda: chunk_cohesion(np.eye(2), [2], len), "encode has no effect on vectors"),
        (lambda: scored([(0, 5)], text="a b a", evidence=["a"]), "the evidence 'a' is at 2 places; quote more"),
        (lambda: boundary_clarity(["a", "b"], lambda text, context: 5), "the scorer returned 5"),
        (lambda: chunk_stickiness(["a", "b"], lambda text, context: (1, 1), near=0), "near is 0"),
        (lambda: language_model_scores(([1.0], [[0.0]]), threshold=3), "threshold is 3"),
        (lambda: language_model_scores(["a", "b"]), "needs a language model"),
        (lambda: evaluate_chunks({"d": "abc"}, [("q", "e", [(0, 1)])], {"x": [(0, 3)]}), "there is no document 'e'"),
        (lambda: evaluate_chunks({"d": "abc"}, [("q", "d", [(0, 9)])], {"x": [(0, 3)]}), "query 1 .*ends at 9"),
        (lambda: evaluate_chunks({"d": "abc"}, [("q", "d", [])], {"x": [(0, 3)]}), "has no evidence"),
        (lambda: evaluate_chunks({"d": "abc"}, [("q", "d", [(0, 1)])], {"x": {"e": []}}), "document 'e'"),
        (lambda: evaluate_chunks({"d": "abc"}, [("q", "d", [(0, 1)])], {"x": [(0, 9)]}), "chunk 1 ends at 9"),
        (
            lambda: evaluate_chunks({"d": "abc"}, [("q", "d", [(0, 1)])], {"x": [(0, 3)]}, retriever="dense"),
            "retriever",
        ),
        (lambda: evaluate_chunks({"d": "abc"}, [], {"x": [(0, 3)]}), "there are no queries"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()


def test_chunker_without_chunks_retrieves_nothing() -> None:
    found = evaluate_chunks({"d": "abc"}, [("q", "d", [(0, 1)])], {"x": [], "y": [(0, 3)]})
    assert found["x", "evidence-recall"].micro == 0
    assert np.isnan(found["x", "evidence-precision"].micro)
    assert "x" in str(found), "in the table, and not in the drawing"


def test_rankings_that_end_too_early_are_said() -> None:
    """Scores are those of the chunks that are ranked, and a budget that is not filled is not fair to small chunks."""
    chunks = [(at, at + 10) for at in range(0, 100, 10)]
    how = {"text": "x" * 100, "evidence": [(50, 60)], "k": 3, "budget": 45}
    notes = scored(chunks, rankings={"x": [[1, 2]]}, **how).warnings()
    assert any(note.startswith("the rankings of 'x' have fewer than 3 chunks for 1 query") for note in notes)
    assert any("end before 45 characters are filled for 1 query" in note for note in notes)
    for enough in ([1, 2, 3, 4, 5], list(range(10))):
        assert not any("rankings" in note for note in scored(chunks, rankings={"x": [enough]}, **how).warnings())
    assert not any("rankings" in note for note in scored(chunks, **how).warnings()), "BM25 ranks as many as are needed"
    first = lambda asked, known: [[0]] * len(asked)  # noqa: E731
    assert any("end before" in note for note in scored(chunks, retriever=first, **how).warnings())


def test_bounds_without_a_ranking_compare_whole_evidence() -> None:
    found = scored([(0, 5), (5, 10)], text="x" * 10, evidence=[(4, 6)], retriever=None, bounds=["uniform"])
    assert "whole: differences to chunks of the same lengths" in str(found)


def test_comparison_of_chunkers() -> None:
    text = "Ships sail on the sea. " * 3 + "Bread is baked in ovens. " * 3 + "Wine is drunk at night. " * 3
    queries = [
        ("bread ovens", "d", [(69, 93)]),
        ("wine night", "d", [(144, 167)]),
        ("sea", "d", ["Ships sail on the sea. Ships"]),
    ]
    chunkers = {
        "small": fixed(text, 20),
        "large": fixed(text, 70),
        "strings": [text[:69], "bread is baked", text[144:]],
    }
    found = evaluate_chunks(
        {"d": text}, queries[:2], chunkers, k=2, budget=60, bounds=["sizes", "uniform"], shuffles=3, resamples=50
    )
    assert list(found.systems) == ["small", "large", "strings"]
    assert set(found.bounds) == {f"{b} of {c}" for b in ("sizes", "uniform") for c in chunkers}
    for gain in found.gains:
        own, bound = found[gain.chunker, "recall-at-budget"], found.bounds[f"{gain.bound} of {gain.chunker}"]
        assert gain.value == bound["recall-at-budget"].micro
        assert gain.difference == own.micro - gain.value
        assert gain.interval.low <= gain.difference <= gain.interval.high
        assert (gain.band is None) == (gain.bound == "uniform")
        assert gain.band is None or gain.band.low <= gain.value <= gain.band.high
        same = gain.interval.low <= 0 <= gain.interval.high
        words = "random order" if gain.bound == "sizes" else "equal size"
        notes = [note for note in found.warnings() if words in note]
        assert len(notes) <= 1, "a sentence for all chunkers"
        assert same == any(repr(gain.chunker) in note for note in notes)
    assert len(found.as_dict()["gains"]) == 6
    assert "recall-at-budget|unit:char|budget:60|retriever:bm25(1.5,0.75)" in found["recall-at-budget"].signature
    assert "1 chunk of 'strings'" in " ".join(found.warnings()) or "3 chunks" in " ".join(found.warnings())
    assert "2 queries: the intervals are rough." in found.warnings()
    assert json.dumps(found.as_dict(), default=float)
    assert found.plot().svg().startswith("<svg")
    encode = lambda texts: np.array([[t.count("e"), t.count("i"), 1.0] for t in texts])  # noqa: E731
    for retriever in (EncoderRanking(encode), lambda asked, chunks: [list(range(len(chunks)))] * len(asked)):
        assert evaluate_chunks({"d": text}, queries[:2], chunkers, retriever=retriever, resamples=0).count == 2
    by_document = evaluate_chunks(
        {"d": text, "e": text}, queries[:2], {"x": {"d": fixed(text, 20)}}, cluster="document"
    )
    assert len(by_document["whole"].rows) == 1
    tokens = evaluate_chunks(
        {"d": text}, queries[:2], chunkers, tokenizer=lambda t: [m.span() for m in re.finditer(r"\S+", t)], resamples=0
    )
    assert "unit:token" in tokens["whole"].signature


# ---------------------------------------------------------------------- command line


@pytest.fixture
def files(tmp_path):
    (tmp_path / "docs").mkdir()
    text = "Ships sail on the sea.\r\nBread is baked in ovens. Wine is drunk at night."
    (tmp_path / "docs" / "d.txt").write_bytes(text.encode())
    (tmp_path / "queries.jsonl").write_text('{"query": "bread", "document": "d", "spans": [[24, 48]]}\n')
    (tmp_path / "queries.csv").write_text("query,document,spans\nbread,d,24-48\n")
    chunks = [
        {"page_content": text[b:e], "metadata": {"source": "docs/d.txt", "start_index": b}}
        for b, e in fixed(text, 30, 6)
    ]
    (tmp_path / "ours.jsonl").write_text("".join(json.dumps(c) + "\n" for c in chunks))
    (tmp_path / "theirs.json").write_text(
        json.dumps(["Ships sail on the sea. Bread is baked in ovens.", "Wine is drunk"])
    )
    return tmp_path


def test_the_command_compares_chunkers(files) -> None:
    common = files / "docs", files / "queries.jsonl", files / "ours.jsonl", files / "theirs.json"
    data = json.loads(caesura("chunks", "evaluate", *common, "--json").stdout)
    assert data["systems"]["theirs"]["whole"]["micro"] == 1.0
    assert data["lengths"]["ours"]["chunks"] == 3
    assert any("found by their text" in sentence for sentence in data["warnings"])
    page = files / "page.html"
    done = caesura("chunks", "evaluate", files / "docs", files / "queries.csv", *common[2:], "--report", page)
    assert done.returncode == 0, done.stderr
    assert "<summary>signatures" in page.read_text()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"query": "x", "document": "d", "spans": [[24, 480]]}', "ends at 480"),
        ('{"query": "x", "document": "e", "spans": [[2, 4]]}', "there is no document 'e'"),
        ('{"query": "x", "document": "d"}', 'query 1 needs "query" and "spans"'),
        ("{", "the line is not JSON"),
        ('{"query": "x", "document": "d", "spans": []}', "query 1 ('x') has no evidence"),
        ('{"query": "x", "document": "d", "spans": 5}', "query 1 ('x'): evidence is 5"),
        ('{"query": "x", "document": "d", "spans": [[0, Infinity]]}', "evidence 1 is [0, inf]"),
    ],
)
def test_the_command_refuses_bad_queries(files, content, sentence) -> None:
    (files / "bad.jsonl").write_text(content + "\n")
    assert sentence in refused("chunks", "evaluate", files / "docs", files / "bad.jsonl", files / "ours.jsonl")


def test_what_was_changed_or_chosen_is_said(files) -> None:
    (files / "other.jsonl").write_text('{"text": "Bread is bakad in ovens.", "document": "e"}\n')
    common = files / "docs", files / "queries.jsonl", files / "other.jsonl"
    warnings = " ".join(json.loads(caesura("chunks", "evaluate", *common, "--json").stdout)["warnings"])
    assert "name the document 'e'; they are scored on 'd', the only one" in warnings
    assert "found by their text; 5.00% of their letters are altered" in warnings


def test_documents_of_one_name_are_refused(files) -> None:
    common = files / "queries.jsonl", files / "ours.jsonl"
    (files / "docs" / "d.md").write_text("another text")
    assert "2 files are named 'd'" in refused("chunks", "evaluate", files / "docs", *common)
    twice = files / "documents.jsonl"
    twice.write_text('{"id": "d", "text": "abc"}\n{"id": "d", "text": "xyz"}\n')
    assert "line 2: the document 'd' occurs twice" in refused("chunks", "evaluate", twice, *common)
    (files / "two.jsonl").write_text('{"id": "d", "text": "abc"}\n{"id": "e", "text": "xyz"}\n')
    (files / "none.jsonl").write_text('{"query": "x", "spans": [[0, 1]]}\n')
    done = refused("chunks", "evaluate", files / "two.jsonl", files / "none.jsonl", files / "ours.jsonl")
    assert "query 1 ('x') names no document" in done
