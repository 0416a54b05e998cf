"""The report: what it says is what was measured, every name is harmless, and one file is all there is."""

from __future__ import annotations

import base64
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from caesura import samples
from caesura.agreement import agree
from caesura.chunks import evaluate_chunks
from caesura.display.scene import Picture
from caesura.display.table import Table, format_cell
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation
from caesura.report.chunk_report import chunk_page
from caesura.report.content import make_report
from caesura.report.page import html_page, markdown_report
from caesura.statistics import evaluate

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = '<script>alert("x")</script>'


class Reader(HTMLParser):
    """Checks that elements close in order, and keeps tags, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def parse(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def tables(report) -> dict[str, Table]:
    return {b.caption: b for section in report.sections for b in section.blocks if isinstance(b, Table)}


def many(documents: int, coders: int, units: int, *, seed: int = 0) -> Corpus:
    """Coders who keep most of a common segmentation of a text of words, move some boundaries and add a few."""
    rng = np.random.default_rng(seed)
    words = np.array(["in", "xanadu", "did", "kubla", "khan", "a", "stately", "pleasure", "dome", "decree"])
    annotations = []
    for number in range(documents):
        common = np.flatnonzero(rng.random(units - 1) < 0.05) + 1
        text = tuple(map(str, rng.choice(words, units)))
        for coder in range(coders):
            kept = common[rng.random(len(common)) < 0.8]
            moved = np.clip(kept + rng.integers(-1, 2, len(kept)), 1, units - 1)
            marks = Segmentation(units, np.unique(moved), None, None, text)
            annotations.append(Annotation(f"document {number + 1}", f"coder {coder + 1}", marks))
    return Corpus.from_annotations(annotations)


# ---------------------------------------------------------------------- what it says


def test_report_numbers_equal_agreement_and_metrics() -> None:
    corpus = samples.load("stargazer")
    by_title = tables(make_report(corpus, "stargazer"))
    shown = {row[0]: row[1] for row in by_title["Agreement of all coders"].rows}
    assert shown["Fleiss' multi-π"] == agree(corpus).value
    assert shown["Davies & Fleiss' multi-κ"] == agree(corpus, coefficient="kappa").value
    scores = {row[0]: row[1] for row in by_title["Scores"].rows}
    first, second = corpus.pairs()
    pairs = [(corpus.annotation(a).marks, corpus.annotation(b).marks) for a, b in zip(first, second, strict=True)]
    for name in ("B", "F", "WD"):
        measure = metric(name)
        rows = sum(measure.row(a, b) + measure.row(b, a) for a, b in pairs)
        assert scores[name] == pytest.approx(float(measure.score(rows)))


def test_report_against_reference_equals_evaluate() -> None:
    corpus = samples.load("kubla")
    report = make_report(corpus, "kubla", ["B", "B:n_t=3", "WD"], reference="manual")
    rows = {(row[0], row[1]): row[2] for row in tables(report)["Scores"].rows}
    gold, near = corpus.select(coders=["manual"]), corpus.select(coders=["near miss"])
    expected = evaluate(gold, near, ["B", "B:n_t=3", "WD"])
    assert {name for _, name in rows} == {"B", "B:n_t=3", "WD"}
    for name in ("B", "B:n_t=3", "WD"):
        assert rows["near miss", name] == expected[name].micro
    assert ("manual", "B") not in rows


def test_documents_are_sorted_worst_first() -> None:
    corpus = Corpus.from_dict({
        "alike": {"a": [4, 4, 4], "b": [4, 4, 4]}, "apart": {"a": [1, 10, 1], "b": [6, 6]}, "alone": {"a": [3, 9]},
    })  # fmt: skip
    for name in ("B", "WD"):
        report = make_report(corpus, "x", [name])
        assert [d.name for d in report.documents] == ["apart", "alike", "alone"]
        listed = tables(report)["Documents, lowest agreement first"]
        assert [row[0].words for row in listed.rows] == ["apart", "alike", "alone"]
        assert np.isnan(listed.rows[2][-1])
    words = " ".join(b for b in report.sections[0].blocks if isinstance(b, str))
    assert "1 document has only one coder" in words


def test_left_out_metrics_have_a_reason() -> None:
    """Names of segments of texts are not compared unasked, or are not there; that has nothing to do with instants."""

    def reasons(**names: list[str]) -> dict[str, str]:
        sides = {"ann": Segmentation(11, [2, 5], **names), "bob": Segmentation(11, [2, 9], **names)}
        report = make_report(Corpus.from_dict({"kubla": sides}), resamples=10)
        tables = (block for section in report.sections for block in section.blocks if isinstance(block, Table))
        (left_out,) = (table for table in tables if table.caption == "Left out")
        return {name: str(why) for names, why in left_out.rows for name in str(names).split(", ")}

    assert "titles" in reasons(names=["a", "b", "c"])["label-kappa"]
    assert "no names" in reasons()["label-kappa"]
    assert "instant" not in "".join(reasons().values())


def test_one_coder_is_drawn_without_scores() -> None:
    nested = Corpus.from_annotations([Annotation("d", "ann", Hierarchy(6, [(1, 6, 1), (1, 3, 2)]))])
    spoken = Corpus.from_annotations([Annotation("d", "ann", Segmentation(2.5, [0.5, 1.25]))])
    for corpus in (nested, spoken, Corpus.from_dict({"d": {"ann": [2, 3]}})):
        report = make_report(corpus, "one")
        page, text = html_page(report), markdown_report(report)
        assert "There is one coder, so there is nothing to compare" in page
        assert "nothing to compare" in text
        assert page.count("<svg ") == 1 + 1, "the logo, and the document"
        assert "Scores" not in tables(report)


def test_coders_who_share_no_text_are_not_compared() -> None:
    report = make_report(Corpus.from_dict({"a": {"x": [2, 3]}, "b": {"y": [2, 3]}}), "apart")
    assert "No text was annotated by two coders" in html_page(report)
    assert len(report.documents) == 2


@pytest.mark.parametrize("name", samples.names())
def test_every_sample_makes_a_whole_page(name: str) -> None:
    corpus = samples.load(name)
    report = make_report(corpus, name)
    reader = parse(html_page(report))
    judged = ["annotators"] if len(corpus.coders) > 2 else []
    assert [a["id"] for tag, a in reader.tags if tag == "section"] == [
        "summary", "agreement", "scores", "coders", *judged, "documents", "comparisons", "meaning", "parameters", "citing",
    ]  # fmt: skip
    ids = [a["id"] for _, a in reader.tags if a.get("id")]
    assert len(ids) == len(set(ids))
    links = {a["href"].removeprefix("#") for tag, a in reader.tags if tag == "a"}
    assert links <= set(ids)
    assert any(isinstance(b, Picture) for section in report.sections for b in section.blocks)  # the matrix
    assert any(tag == "details" and not a.get("id") for tag, a in reader.tags), "signatures are folded"
    signatures = tables(report)["Signatures"]
    assert all("|v:" in str(row[1]) for row in signatures.rows)
    assert tables(report)["Papers"].rows


def test_tracks_and_types_are_shown() -> None:
    report = make_report(samples.load("dialogue"), "dialogue")
    assert "on 2 tracks" in report.documents[0].facts
    types = tables(report)["Boundary types"]
    corpus = samples.load("dialogue")
    assert sum(n for row in types.rows for n in row[1:]) == len(corpus.positions)


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (html_page(make_report(many(4, 3, 60), "x", seed=3)) for _ in range(2))
    assert first == second


# ---------------------------------------------------------------------- one file, small


def test_page_loads_nothing_and_runs_only_its_script() -> None:
    page = html_page(make_report(samples.load("kubla"), "kubla"))
    reader = parse(page)
    for _, attributes in reader.tags:
        assert "src" not in attributes
        assert not any(key.startswith("on") for key in attributes)
    assert "url(" not in page
    assert "@import" not in page
    policy = next(a["content"] for tag, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    from hashlib import sha256

    assert base64.b64encode(sha256(script[1].encode()).digest()).decode() in policy


def test_a_hundred_documents_stay_under_three_megabytes() -> None:
    page = html_page(make_report(many(100, 5, 1000), "many", ["B"], resamples=50))
    assert len(page.encode()) < 3_000_000
    reader = parse(page)
    packed = [a["data-packed"] for _, a in reader.tags if "data-packed" in a]
    assert len(packed) == 100
    first = zlib.decompress(base64.b64decode(packed[0] or "")).decode()
    parse(first)
    assert first.count("<svg ") == 1
    assert "coder by coder" in first


def test_large_reports_show_densities(monkeypatch) -> None:
    monkeypatch.setattr("caesura.report.page._PLAIN", 0)
    monkeypatch.setattr("caesura.report.page._PACKED", 1)
    reader = parse(html_page(make_report(many(3, 3, 300), "few", ["B"], resamples=50)))
    packed = [a["data-packed"] or "" for _, a in reader.tags if "data-packed" in a]
    drawn = [zlib.decompress(base64.b64decode(p)).decode() for p in packed]
    assert [", density" in inside for inside in drawn] == [False, True, True]


def test_small_reports_need_no_script_to_draw() -> None:
    page = html_page(make_report(many(3, 3, 40), "few"))
    assert "data-packed=" not in page
    # three documents, matrix and strip; the annotators' plane and displacements, and two drawings of the gold standard per document
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" class="caesura"') == 3 + 2 + 2 + 3 * 2


def test_three_annotators_are_judged_and_two_or_a_reference_are_not() -> None:
    corpus = samples.load("stargazer")
    report = make_report(corpus, "x")
    (section,) = (s for s in report.sections if s.anchor == "annotators")
    table = tables(report)["Annotators"]
    assert [row[0] for row in table.rows] == list(corpus.coders)
    assert all("[" in format_cell(row[3]) for row in table.rows), "hit rates have intervals"
    assert sum(isinstance(b, Picture) for b in section.blocks) == 3
    for other in (make_report(corpus.select(coders=corpus.coders[:2])), make_report(corpus, reference="coder 1")):
        assert "annotators" not in [s.anchor for s in other.sections]


def test_annotators_who_cannot_be_modelled_are_said_to_be(monkeypatch) -> None:
    short = Corpus.from_dict({"d": {coder: [1, 1] for coder in "abc"}})
    (section,) = (s for s in make_report(short, "x").sections if s.anchor == "annotators")
    assert str(section.blocks[0]).startswith("These annotators cannot be modelled: n_t is 2")
    monkeypatch.setattr("caesura.report.annotators_section._MOST_MARKS", 3)
    (section,) = (s for s in make_report(samples.load("kubla"), "x").sections if s.anchor == "annotators")
    assert "caesura annotators models all of them" in str(section.blocks[0])


# ---------------------------------------------------------------------- names from anywhere


@pytest.fixture
def hostile() -> Corpus:
    units = (EVIL, "\u202eabc", "x" * 200_000, '"><img src=x onerror=alert(1)>', "```")
    names = (EVIL, "b\"'&`|\n# c", "c" * 50_000, "c" * 50_001, "\u202ed")
    return Corpus.from_annotations(
        Annotation(item, coder, Segmentation(5, [1 + i % 4], None, None, units))
        for item in (EVIL + "\u202e", "](javascript:alert(1))", "=1+1")
        for i, coder in enumerate(names)
    )


def test_hostile_names_are_escaped_in_html(hostile) -> None:
    page = html_page(make_report(hostile, EVIL))
    reader = parse(page)
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert "img" not in [tag for tag, _ in reader.tags]
    assert not any(key.startswith("on") for _, attributes in reader.tags for key in attributes)
    assert "alert" in "".join(reader.words)
    assert not set("\u202a\u202b\u202d\u202e\x00") & set(page)
    assert len(page) < 400_000


def test_hostile_names_are_escaped_in_markdown(hostile) -> None:
    text = markdown_report(make_report(hostile, EVIL))
    inside = False
    for line in text.splitlines():
        if re.match("`{3,}", line):
            inside = not inside
        elif not inside:
            assert "<script" not in line
            assert "<img" not in line
            assert not re.search(r"(?<!\\)\]\(", line)
    assert not inside
    assert "\n# c" not in text
    assert "\u202e" not in text
    assert len(text) < 400_000


@pytest.mark.parametrize("renderer", ["markdown_it", "markdown"])
def test_markdown_keeps_no_raw_html(hostile, renderer: str) -> None:
    library = pytest.importorskip(renderer, reason="what a page makes of Markdown is seen by rendering it")
    text = markdown_report(make_report(hostile, EVIL))
    if renderer == "markdown_it":
        page = library.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    else:
        page = library.markdown(text, extensions=["tables", "fenced_code"])
    tags = set(re.findall(r"<(\w+)", page))
    known = {"h1", "h2", "h3", "p", "strong", "em", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"}
    assert tags <= {*known, "br"}  # notes below a table are lines of one paragraph
    assert "<br" not in text


def test_shortened_names_are_distinct(hostile) -> None:
    coders = [row[0] for row in tables(make_report(hostile, "x"))["Coders"].rows]
    assert len(coders) == len(set(coders)) == 5


# ---------------------------------------------------------------------- refused in a sentence


def test_impossible_reports_are_refused() -> None:
    corpus = Corpus.from_dict({"a": {"x": [2, 3], "y": [5]}, "b": {"z": [4]}})
    for given, why in (
        ({"reference": "nobody"}, "no coder 'nobody'"),
        ({"reference": "z"}, "shares no text with another coder"),
        ({"metrics": ["R"]}, "R compares time"),
        ({"metrics": ["nonsense"]}, "nonsense"),
        ({"level": 1.5}, "between 0 and 1"),
    ):
        with pytest.raises(CaesuraError, match=why):
            make_report(corpus, "x", **given)
    with pytest.raises(CaesuraError, match="contains no annotation"):
        make_report(Corpus.from_annotations([]), "x")


# ---------------------------------------------------------------------- in a browser


def test_page_sorts_opens_and_draws_in_a_browser(browser, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text(html_page(make_report(many(40, 3, 700), "forty", ["B"], resamples=50)), encoding="utf-8")
    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(target.as_uri())
    table = page.locator("#documents table")
    table.get_by_role("button", name="sort by document").click()
    assert table.locator("tbody th").all_inner_texts()[:3] == ["document 1", "document 2", "document 3"]
    table.get_by_role("button", name="sort by B", exact=True).click()
    table.get_by_role("button", name="sort by B", exact=True).click()
    assert table.locator("thead th").last.get_attribute("aria-sort") == "descending"
    scores = [float(words) for words in table.locator("tbody td:last-child").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    assert page.locator("#comparisons svg").count() == 0
    table.locator("a").first.click()
    page.wait_for_selector("#comparisons details[open] svg")
    assert page.locator("#comparisons svg").count() == 1
    page.locator("#open-all").click()
    page.wait_for_function("document.querySelectorAll('#comparisons details[open] svg').length === 40")
    assert faults == []
    page.close()


def test_captions_of_wide_tables_fit_on_a_phone(browser, tmp_path: Path) -> None:
    """The table scrolls, its caption does not."""
    text = "Ships sail on the sea. Bread is baked in ovens. " * 5
    found = evaluate_chunks(
        {"d": text}, [("bread", "d", [(24, 48)])] * 2, {"x": [(0, 100), (100, len(text))]}, resamples=0
    )
    target = tmp_path / "chunks.html"
    target.write_text(chunk_page(found), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.goto(target.as_uri())
    assert page.evaluate("document.querySelector('.scroll').scrollWidth > 390"), "a wide table"
    ends = "[...document.querySelectorAll('caption')].map((each) => each.getBoundingClientRect().right)"
    assert max(page.evaluate(ends)) <= 390
    page.evaluate("document.querySelector('.scroll').scrollLeft = 200")
    assert page.evaluate("document.querySelector('caption').getBoundingClientRect().left") >= 0
    page.close()


def test_flexible_similarity_is_corrected_by_every_model_of_chance() -> None:
    from caesura.agreement import flexible_agreement

    pair = {"x": ["", ",", "", ".", "", "", ",", "", "", "."], "y": ["", ",", "", ".", "", ",", "", "", "", ","]}
    corpus = Corpus.from_annotations(
        [("i", coder, Segmentation.from_labels_at(marks)) for coder, marks in pair.items()]
    )
    report = make_report(corpus, "typed")
    listed = {row[0]: row for row in tables(report)["Flexible similarity beyond chance"].rows}
    assert list(listed) == ["kappa", "pi", "bennett", "bennett-boundaries"]
    for model, row in listed.items():
        agreement = flexible_agreement(corpus, chance=model)
        assert row[1:4] == (agreement.value, agreement.observed, agreement.expected)
        assert agreement.signature in html_page(report).replace("&amp;", "&")
    assert round(listed["kappa"][1], 3) == 0.669, "the paper's example"
    three = make_report(samples.load("stargazer"), "star")
    assert "Flexible similarity beyond chance, mean of 21 pairs of coders" in tables(three)
    recordings = Corpus.from_annotations([("i", c, Segmentation.from_times([0.5], length=1.0)) for c in "xy"])
    assert not any("Flexible" in caption for caption in tables(make_report(recordings, "time")))


def test_markdown_draws_every_document_by_default() -> None:
    corpus = Corpus.from_dict({f"d{i}": {"x": [2, 3], "y": [3, 2]} for i in range(30)})
    report = make_report(corpus, "thirty")
    assert markdown_report(report).count("\n### ") == 30
    few = markdown_report(report, drawn=5)
    assert few.count("\n### ") == 5
    assert "5 of 30 documents are drawn" in few
