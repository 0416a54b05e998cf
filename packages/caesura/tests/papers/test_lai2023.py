"""The reproduction of Lai, Li & Zhang 2023: worked example, the authors' values, any folder of transcripts, and bad folders."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from caesura import samples
from caesura.cli.main import program
from caesura.errors import CaesuraError, LengthMismatch
from caesura.formats import read, write
from caesura.metrics.operations import flexible_operations
from caesura.metrics.similarity import as_similarity
from caesura.model import Corpus, Segmentation
from caesura.model.provenance import ReadingNote
from caesura.papers import Line, Reproduction, lai2023, reproduce
from caesura.papers.lai2023 import CUSTOM
from caesura.papers.lai2023_search import algorithm_1, authors_search, two_steps
from cli.command import caesura
from shared_data import oracle, oracle_json, shared

FIRST = "ANNA: so you came , did you ?\nBEN: as you see .\nANNA: well -- sit down .\n"
SECOND = "ANNA: so you came , did you .\nBEN: as , you see .\nANNA: well , sit down .\n"


def folder(tmp_path, first: str = FIRST, second: str = SECOND, layout: str = "{coder}/{item}.txt"):
    for coder, text in (("first", first), ("second", second)):
        path = tmp_path / layout.format(coder=coder, item="talk")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("lai2023")


def lines(reproduction: Reproduction, title: str) -> dict[str, Line]:
    section = next(s for s in reproduction.sections if s.title.startswith(title) and s.lines)
    return {line.what: line for line in section.lines}


def test_worked_examples(paper) -> None:
    assert [line.status for line in lines(paper, "Figure 1").values()] == ["equal", "equal"]
    assert [(line.printed, line.computed) for line in lines(paper, "Figure 2").values()][:3] == [
        (3.5, 3.5),
        (4.5, 4.5),
        (5.0, 5.0),
    ]
    example = lines(paper, "Section 3.2")
    assert example["places where both annotators have a boundary"].agrees
    assert example["cost"].computed == 3
    assert example["edits plus correct boundaries"].computed == 4


def test_figure_4_of_the_six_public_texts(paper) -> None:
    figure = lines(paper, "Figure 4")
    assert len(figure) == 28
    for what, line in figure.items():
        if what.startswith("036"):
            assert line.status == "not public"
        elif what.startswith("004") and what.endswith("(I)"):
            assert line.status == "authors' error"
        else:
            assert line.computed == pytest.approx(line.printed, abs=0.00095), what
            assert line.status in ("equal", "explained")
    assert [round(figure[f"004: {n}(I)"].computed, 4) for n in ("S_f", "S_f^B")] == [0.9256, 0.6355]
    first = next(s for s in paper.sections if s.title == "Figure 4: similarity").rows[0]
    assert first[1:5] == pytest.approx((0.8997, 0.5623, 0.9494, 0.7792), abs=5e-5)


def test_figure_5_needs_the_types_of_the_last_speaker(paper) -> None:
    figure = lines(paper, "Figure 5")
    assert figure.pop("the other 24 values").status == "not public"
    ours = {what[:3]: line.computed for what, line in figure.items()}
    assert ours["016"] == pytest.approx(0.5931, abs=5e-5)
    assert ours["025"] == pytest.approx(0.6123, abs=5e-5)
    for line in figure.values():
        assert float(line.remark.split(": ")[-1]) == pytest.approx(line.printed, abs=0.001)


def test_figure_6_has_the_authors_substitutions(paper) -> None:
    figure = lines(paper, "Figure 6")
    counts = [line for what, line in figure.items() if what.startswith("substitutions")]
    assert [line.printed for line in counts] == [721, 138, 121, 71, 23, 2]
    assert all(line.agrees for line in counts)
    for claim in ("continuations have the most deletions", "transpositions are rarer than deletions"):
        assert figure[claim].status == "equal"
    assert (
        "54.0 and 31.7 %"
        in figure["truncations are most often continuations, sometimes falls, for the other annotator"].remark
    )


def test_every_operation_counts_for_both_types(tmp_path) -> None:
    fates = reproduce("lai2023", path=folder(tmp_path)).data["fates"]
    assert fates["?"] == {".": 1}
    assert fates["."] == {"match": 2, "?": 1}
    assert fates["--"] == {",": 1}
    assert fates[","] == {"match": 1, "--": 1, "del": 1}


def test_searches_of_the_paper_never_find_less_than_the_least_cost() -> None:
    random, above = np.random.default_rng(3), 0
    for _ in range(300):
        first, second = ([("", "p", "q")[i] for i in random.choice(3, 7, p=(0.6, 0.2, 0.2))] for _ in range(2))
        marks = [Segmentation.from_labels_at(labels, labels=["p", "q"]) for labels in (first, second)]
        least = flexible_operations(marks[0], marks[1]).cost
        printed = algorithm_1(first, second)
        assert min(printed, two_steps(first, second)) >= least - 1e-9
        above += printed > least + 1e-9
    assert above > 0, "the printed algorithm misses the least cost now and then"
    with pytest.raises(LengthMismatch, match="2 and 1 places"):
        algorithm_1(["p", ""], ["p"])
    with pytest.raises(CaesuraError, match=r"a Segmentation has it as \.labels_at"):
        algorithm_1(*marks)  # type: ignore[arg-type]
    with pytest.raises(CaesuraError, match="the type 'q' is not in the similarity matrix, which has p"):
        authors_search(["p", "q"], ["q", "p"], {"labels": ["p"], "matrix": [[1, 0], [0, 1]]})


def test_matrix_of_the_paper_has_a_name() -> None:
    assert as_similarity("lai2023") == CUSTOM
    assert CUSTOM.moves.tolist() == [0.5, 0.5, 0.375, 0.375, 0.0]


@pytest.mark.slow
def test_values_of_the_authors_are_compared() -> None:
    reproduction = reproduce("lai2023", path=oracle("flexible/nccu.json"))
    data = oracle_json("flexible/nccu.json")
    table = next(t for t in reproduction.sections if t.title.startswith("nccu_t001"))
    assert [line.agrees for line in table.lines][:6] == [True] * 6
    assert [line.printed for line in table.lines][:2] == pytest.approx(
        [data["texts"][0]["segsimflex"]["identity"][k] for k in ("S_f", "S_f_B")]
    )
    for line in table.lines[6:]:
        assert abs(line.printed - line.computed) < 0.01
    other = next(t for t in reproduction.sections if t.title.startswith("nccu_t009"))
    differing = [line for line in other.lines[:6] if not line.agrees]
    assert all("their search" in line.remark for line in differing)


@pytest.mark.parametrize("layout", ["{coder}/{item}.txt", "{item}/{coder}.txt", "{item}-{coder}.txt"])
def test_folder_of_transcripts_is_read(tmp_path, layout: str) -> None:
    reproduction = reproduce("lai2023", path=folder(tmp_path, layout=layout))
    figure4 = reproduction.sections[0]
    assert figure4.rows[0][0] == "talk"
    # ANNA: ? for ., -- for ,: 2 over 8 tokens; BEN: a comma too many: 1 over 3
    assert figure4.rows[0][1] == pytest.approx(1 - 3 / 11)


def test_types_outside_the_matrix_use_only_identity(tmp_path) -> None:
    path = tmp_path / "talk.json"
    from caesura import Corpus, Segmentation, write

    marks = [Segmentation.from_labels_at(["", "x", "", "y"]), Segmentation.from_labels_at(["", "x", "", "x"])]
    write(Corpus.from_annotations([("t", "a", marks[0]), ("t", "b", marks[1])]), path)
    reproduction = reproduce("lai2023", path=path)
    assert reproduction.sections[0].columns == ["text", "S_f(I)", "S_f^B(I)"]
    assert "only M = I" in reproduction.findings[-1]


def test_figures_are_saved(paper, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers import save_figures

    files = save_figures(paper, tmp_path, ("svg",))
    assert [f.stem for f in files] == ["lai2023-figure-4", "lai2023-figure-5", "lai2023-figure-6"]


def test_command_line_prints_the_paper(tmp_path) -> None:
    result = CliRunner().invoke(program, ["reproduce", "lai2023", str(folder(tmp_path)), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["data"]["fates"]["?"] == {".": 1}


def test_different_spelling_is_reported_and_different_lengths_leave_a_text_out(tmp_path) -> None:
    found = reproduce("lai2023", path=folder(tmp_path / "a", second=SECOND.replace("came", "went"))).findings
    assert any("token 3 of speaker 'ANNA' is 'came' for 'first' but 'went' for 'second'" in each for each in found)
    with pytest.raises(CaesuraError, match="talk: left out, because speaker 'ANNA' has 8 tokens for 'first' and 9"):
        reproduce("lai2023", path=folder(tmp_path / "b", second=SECOND.replace("came", "came in")))


ROWS = "Turn,Speaker,Utterance\n1,M:,one two .\n2,M:,. .three four\n3,F:,five ?\n"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_without_endnote_are_unclassified_and_a_leading_endnote_is_a_word(tmp_path) -> None:
    for coder in ("ann", "ben"):
        path = tmp_path / coder / "TM900.csv"
        path.parent.mkdir()
        path.write_text(ROWS, encoding="utf-8")
    with pytest.warns(ReadingNote) as noted:
        reproduction = reproduce("lai2023", path=tmp_path)
    said = " ".join(str(each.message) for each in noted)
    assert "1 row without an endnote, first in line 3 got the endnote ';'" in said
    assert "read as words" in said
    assert said.count("likewise in 1 other file") == 2
    assert reproduction.data["fates"][";"] == {"match": 1}
    result = CliRunner().invoke(program, ["reproduce", "lai2023", str(tmp_path), "--json", "-O", "unmarked=none"])
    assert result.exit_code == 0, result.output
    assert ";" not in json.loads(result.stdout)["data"]["fates"]
    assert not caesura("reproduce", "lai2023", tmp_path, "--quiet").stderr


def test_one_unreadable_text_does_not_stop_the_others(tmp_path) -> None:
    folder(tmp_path)
    for coder in ("first", "second"):
        (tmp_path / coder / "bad.csv").write_text("Turn,Speaker,Utterance\n1,M:,one . ?\n", encoding="utf-8")
    reproduction = reproduce("lai2023", path=tmp_path)
    assert [row[0] for row in reproduction.sections[0].rows] == ["talk"]
    assert any(finding.startswith("Left out bad: ") and "two endnotes" in finding for finding in reproduction.findings)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_of_the_authors_tables_is_compared_with_its_own_values_only(tmp_path) -> None:
    folder = shared("data/papers/lai2023")
    for coder in ("ann", "ben"):
        (tmp_path / coder).mkdir()
        (tmp_path / coder / "TM001.csv").write_bytes((folder / coder / "TM001.csv").read_bytes())
    figure = lines(reproduce("lai2023", path=tmp_path), "Figure 4")
    assert [(what, line.status) for what, line in figure.items() if what.startswith("001")] == [
        (f"001: {name}", "equal") for name in ("S_f(I)", "S_f^B(I)", "S_f(M)", "S_f^B(M)")
    ]
    assert {what[:3] for what in figure} == {"001", "036"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_authors_tables_give_the_built_in_sample() -> None:
    path = shared("data/papers/lai2023")
    for coder in ("ann", "ben"):
        read_again = {a.track: a.marks for a in read(path / coder / "TM016.csv")}
        sample = {a.track: a.marks for a in samples.load("nccu") if (a.item, a.coder) == ("016", coder)}
        assert sample == read_again


def test_folder_without_pairs_raises_an_error(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "talk.txt").write_text(FIRST, encoding="utf-8")
    with pytest.raises(CaesuraError, match="no text has two annotators"):
        reproduce("lai2023", path=tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "talk.txt").write_text(SECOND, encoding="utf-8")
    with pytest.raises(CaesuraError, match=r"no text can be compared\. Left out talk: .* has no parameter 'foo'"):
        reproduce("lai2023", path=tmp_path, option={"foo": "1"})


def test_texts_that_a_machine_segmented(tmp_path) -> None:
    """A sparse text with one error and a dense one with one: S_f and S_f^B order them differently."""
    sparse = [["A;", "one two three four five six ."], ["A;", "seven eight ,"], ["B;", "yes"]]
    dense = [["A;", "one ."], ["A;", "two ."], ["A;", "three ,"], ["A;", "four ."]]
    machine = [
        ["s", [["A;", "one two three four five six seven eight ,"], ["B;", "yes"]]],
        ["d", [*dense[:2], ["A;", "three four ."]]],
    ]
    file = tmp_path / "texts.json"
    file.write_text(json.dumps([machine, [["s", sparse], ["d", dense]]]))
    found = reproduce("lai2023", path=file)
    assert found.data["items"] == ["s", "d"]
    assert found.data["density"] == pytest.approx([3 / 9, 1.0])
    assert found.data["S_f"] == pytest.approx([1 - 1 / 9, 1 - 1 / 4])
    assert found.data["S_f^B"] == pytest.approx([1 - 1 / 3, 1 - 1 / 4])
    file.write_text("[[[1]]]")
    with pytest.raises(CaesuraError, match="expected"):
        reproduce("lai2023", path=file)


def test_numbers_that_the_page_says_of_the_santa_barbara_corpus() -> None:
    """They were measured with a file that must not be copied; a change of the program must not make them wrong in silence."""
    found = reproduce("lai2023", path=shared("data/papers/lai2023/santa_barbara.json.xz"))
    (said,) = lai2023._DIFFICULTY
    stats = pytest.importorskip("scipy.stats")
    density, sf, sfb = (stats.rankdata(found.data[name]) for name in ("density", "S_f", "S_f^B"))
    for pair, words in (
        ((density, sf), "{:.2f} with S_f and"),
        ((density, sfb), "{:.2f} with S_f^B"),
        ((sf, sfb), "{:.2f} between S_f and S_f^B"),
    ):
        assert words.format(np.corrcoef(*pair)[0, 1]) in said
    assert f"{len(found.data['items'])} texts" in said


def test_search_of_the_authors_program_gives_their_figure_4(paper) -> None:
    """Every value that was drawn, except for text 004 with I, which has the values of 009."""
    for pair in lai2023._pairs(samples.load("nccu")):
        for at, short in enumerate(("I", "M swapped")):
            theirs = lai2023.similarity_by_their_search(pair, lai2023._MATRICES[short])
            drawn = lai2023.FIGURE_4[pair.number][2 * at : 2 * at + 2]
            if (pair.number, short) != ("004", "I"):
                assert list(theirs.values()) == pytest.approx(drawn, abs=lai2023._DRAWN), (pair.number, short)
    remarks = {what: line.remark for what, line in lines(paper, "Figure 4").items() if line.status == "explained"}
    assert len(remarks) == 6
    assert remarks["009: S_f^B(I)"] == "their search: 0.5148"


def test_authors_numbers_are_explained_only_if_their_search_gives_them(tmp_path) -> None:
    """Their search and the last speaker explain their numbers for their texts, not for another reading or another text of that name."""
    corpus = samples.load("nccu")
    renamed = {"001": "049", "025": "036"}
    rows = [a._replace(item=renamed[a.item]) for a in corpus if a.item in renamed]  # other texts under these names
    file = tmp_path / "own.json"
    write(Corpus.from_annotations(rows), file)
    found = reproduce("lai2023", path=file)
    for what, line in lines(found, "Figure 4").items():
        assert line.status == "not explained", what
    copy = [a._replace(item="036") for a in corpus if a.item == "009"]  # what the authors' package has under this name
    write(Corpus.from_annotations([*copy, *(a for a in corpus if a.item == "009")]), file)
    found = reproduce("lai2023", path=file)
    statuses = {what: line.status for what, line in lines(found, "Figure 4").items()}
    assert {statuses[what] for what in statuses if what.startswith("036")} == {"not public"}
    assert statuses["009: S_f(I)"] == "equal"
    write(Corpus.from_annotations([a._replace(item="016") for a in corpus if a.item == "001"]), file)
    assert lines(reproduce("lai2023", path=file), "Figure 5")["016: κ of S_f(I)"].status == "not explained"


def test_search_of_the_authors_program_counts_edits_once_but_for_the_last_place() -> None:
    assert authors_search(["p", ""], ["", "p"]) == (0.5, 1)
    assert authors_search(["", "p"], ["q", ""]) == (1.5, 2)
    assert authors_search(["p", "", "", "r"], ["", "q", "", ""]) == (2.5, 2)
    random = np.random.default_rng(5)
    for _ in range(300):
        first, second = ([("", "p", "q")[i] for i in random.choice(3, 7, p=(0.6, 0.2, 0.2))] for _ in range(2))
        marks = [Segmentation.from_labels_at(labels, labels=["p", "q"]) for labels in (first, second)]
        assert authors_search(first, second).cost >= flexible_operations(marks[0], marks[1]).cost - 1e-9


def test_sections_4_2_to_4_4(paper) -> None:
    assert all(line.status == "equal" for line in lines(paper, "Section 4.2").values())
    claims = lines(paper, "Section 4.3")
    assert [line.status for line in claims.values()] == ["equal"] * 7
    assert claims["κ is lower than the similarity"].remark == "24 of 24 comparisons"
    either = next(section for section in paper.sections if section.title.startswith("Section 4.4"))
    number, places, marked, expected, _ = either.rows[0]
    pair = next(pair for pair in lai2023._pairs(samples.load("nccu")) if pair.number == number)
    ones, others = ([side[name] for name in pair.first] for side in (pair.first, pair.second))
    shares = [sum(len(marks.positions) for marks in side) / places for side in (ones, others)]
    assert marked == sum(len({*a.positions.tolist(), *b.positions.tolist()}) for a, b in zip(ones, others, strict=True))
    assert expected == pytest.approx(places * (shares[0] + shares[1] - shares[0] * shares[1]))


def test_prevalence_and_bias_of_endnotes() -> None:
    section = next(s for s in reproduce("lai2023").sections if s.title.startswith("Section 3.3: prevalence"))
    rows = {row[0]: row[1:] for row in section.rows}
    assert set(rows) == {"?", ".", ",", "--", ";"}
    assert rows["."][0] == pytest.approx(-0.801, abs=0.002)  # as caesura agree sample:nccu --coefficient conger says
    assert all(abs(bias) < 0.02 for _, bias in rows.values())
