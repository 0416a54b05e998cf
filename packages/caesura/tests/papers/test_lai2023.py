"""The reproduction of Lai, Li & Zhang 2023: worked example, the authors' values, any folder of transcripts, and bad folders."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from caesura.cli.main import program
from caesura.errors import CaesuraError, LengthMismatch
from caesura.papers import reproduce
from shared_data import oracle, oracle_json

FIRST = "ANNA: so you came , did you ?\nBEN: as you see .\nANNA: well -- sit down .\n"
SECOND = "ANNA: so you came , did you .\nBEN: as , you see .\nANNA: well , sit down .\n"


def folder(tmp_path, first: str = FIRST, second: str = SECOND, layout: str = "{coder}/{item}.txt"):
    for coder, text in (("first", first), ("second", second)):
        path = tmp_path / layout.format(coder=coder, item="talk")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_figure_2_and_the_built_in_dialogue() -> None:
    reproduction = reproduce("lai2023")
    assert [(line.printed, line.computed, line.agrees) for line in reproduction.sections[0].lines][:2] == [
        (3.5, 3.5, True),
        (5.0, 5.0, True),
    ]
    titles = [table.title for table in reproduction.sections]
    assert [t.split(":")[0] for t in titles] == ["Figure 2", "Figure 4", "Figure 5", "Figure 6"]
    assert len(reproduction.figures) == 3


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
    figure4 = reproduction.sections[1]
    assert figure4.rows[0][0] == "talk"
    # ANNA: ? for ., -- for ,: 2 over 8 tokens; BEN: a comma too many: 1 over 3
    assert figure4.rows[0][1] == pytest.approx(1 - 3 / 11)


def test_types_outside_the_matrix_use_only_identity(tmp_path) -> None:
    path = tmp_path / "talk.json"
    from caesura import Corpus, Segmentation, write

    marks = [Segmentation.from_labels_at(["", "x", "", "y"]), Segmentation.from_labels_at(["", "x", "", "x"])]
    write(Corpus.from_annotations([("t", "a", marks[0]), ("t", "b", marks[1])]), path)
    reproduction = reproduce("lai2023", path=path)
    assert reproduction.sections[1].columns == ["text", "S_f(I)", "S_f^B(I)"]
    assert "only M = I" in reproduction.findings[-1]


def test_figures_are_saved(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers import save_figures

    files = save_figures(reproduce("lai2023"), tmp_path, ("svg",))
    assert [f.stem for f in files] == ["lai2023_figure4_similarity", "lai2023_figure5_kappa", "lai2023_figure6_fates"]


def test_command_line_prints_the_paper(tmp_path) -> None:
    result = CliRunner().invoke(program, ["reproduce", "lai2023", str(folder(tmp_path)), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["data"]["fates"]["?"] == {".": 1}


def test_different_tokens_raise_an_error(tmp_path) -> None:
    with pytest.raises((LengthMismatch, CaesuraError), match="token 3 is 'came' for coder 'first' but 'went'"):
        reproduce("lai2023", path=folder(tmp_path, second=SECOND.replace("came", "went")))


def test_folder_without_pairs_raises_an_error(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "talk.txt").write_text(FIRST, encoding="utf-8")
    with pytest.raises(CaesuraError, match="no text has two annotators"):
        reproduce("lai2023", path=tmp_path)
