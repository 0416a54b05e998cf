from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.report.aligners import aligner_page, compare_aligners
from caesura.statistics.interval_groups import interval_groups
from cli.command import caesura, refused


def recordings(seed: int, late: float, spread: float) -> cs.Corpus:
    """The same recordings for every call, with starts that are off by so many seconds."""
    truth, noise, made, attributes = np.random.default_rng(0), np.random.default_rng(seed), [], {}
    for number in range(8):
        names = ["sil", *truth.choice(["a", "t", "s"], 20).tolist(), "sil"]
        times = np.cumsum(truth.uniform(0.08, 0.2, 21)).round(4)
        item = f"r{number}"
        attributes[item] = {"speaker": f"s{number % 4}"}
        moved = np.sort(times + (noise.normal(late, spread, 21) if spread else 0)).clip(0.001, times[-1] + 0.2)
        made.append((item, "c", cs.Segmentation.from_times(moved, length=float(times[-1] + 0.3), names=names)))
    return cs.Corpus.from_annotations(made, attributes=attributes)


GOLD, NEAR, FAR = recordings(1, 0, 0), recordings(2, 0.002, 0.008), recordings(3, 0.01, 0.02)


def with_names(new: Callable[[str], str]) -> cs.Corpus:
    """The recordings of the near aligner with other names."""
    made = [
        (a.item, a.coder, cs.Segmentation(a.marks.length, a.marks.positions, names=list(map(new, a.marks.names))))
        for a in NEAR
    ]
    return cs.Corpus.from_annotations(made, attributes=NEAR.attributes)


def test_groups_add_up_to_the_whole() -> None:
    result = compare_aligners(GOLD, {"near": NEAR, "far": FAR})
    evaluation = result.evaluation
    assert evaluation.clusters is not None  # recordings have speakers, so they are the clusters
    assert len(evaluation.clusters) == 4
    near = result.groups[0]
    assert sum(row["n"] for row in near.records()) == evaluation["near", "onset-bias"].counts["reference"]
    total = sum(near.rows.values())
    assert float(near.metrics[1].score(total)) == pytest.approx(evaluation["near", "onset-median"].micro)
    np.testing.assert_allclose(result.shares["far"][[9, 19, 49]], [
        evaluation["far", f"onset-within-{limit}ms"].micro for limit in (10, 20, 50)
    ])  # fmt: skip
    assert next(row["phone"] for row in near.sorted_by("onset-bias").records()) in {"a", "t", "s", "sil"}
    assert result.tests.by_metric["onset-within-20ms"][0].difference > 0
    assert {len(picture.svg()) > 500 for picture in result.pictures()} == {True}
    assert "mfa" not in json.dumps(result.as_dict())


def test_pairs_classes_and_small_groups(tmp_path) -> None:
    counted = cs.evaluate(GOLD, {"near": NEAR}, ["onset-mean"]).counted["near"]
    pairs = interval_groups(counted, "pair", ["onset-mean"], least=1)
    assert "⊢ | sil" in pairs.rows
    assert sum(counts[0] for counts in pairs.rows.values()) == 8 * 22
    file = tmp_path / "classes.tsv"
    file.write_text("a\tvowel\nt\tstop\n", encoding="utf-8")
    classes = interval_groups(counted, f"class={file}", ["onset-mean"])
    assert set(classes.rows) == {"vowel", "stop", "other"}
    few = interval_groups(counted, "pair", ["onset-mean"], least=12)
    assert any("others below 12" in name for name in few.rows)
    assert sum(counts[0] for counts in few.rows.values()) == 8 * 22
    for by, sentence in (("class", "needs a file"), ("letter", "grouped by phone")):
        with pytest.raises(cs.CaesuraError, match=sentence):
            interval_groups(counted, by, ["onset-mean"])
    with pytest.raises(cs.CaesuraError, match="onset-mean and onset-sd:pairing=cost pair intervals differently"):
        interval_groups(counted, "phone", ["onset-mean", "onset-sd:pairing=cost"])
    with pytest.raises(cs.CaesuraError, match="R cannot be grouped by phone"):
        interval_groups(counted, "phone", ["R"])


def test_command(tmp_path) -> None:
    for name, corpus in (("gold", GOLD), ("near", NEAR), ("far", FAR)):
        cs.write(corpus, tmp_path / f"{name}.json")
    files = [tmp_path / f"{name}.json" for name in ("gold", "near", "far")]
    shown = caesura("aligners", *files).stdout
    assert "by phone (near)" in shown
    assert "intervals and tests are over 4 speakers" in shown
    data = json.loads(caesura("aligners", *files, "--json", "--cluster", "none", "--by", "pair").stdout)
    assert data["groups"][0]["by"] == "pair"
    assert "clusters" not in data
    grouped = caesura("evaluate", *files, "-m", "onset-median", "--by", "phone").stdout
    assert "by phone (far)" in grouped
    assert "speaker = s0" in caesura("evaluate", *files, "-m", "onset-median", "--by", "speaker").stdout
    assert "not on units" in refused("aligners", "sample:kubla", "sample:kubla")


def test_drawings_by_class_are_in_the_report_and_files(tmp_path) -> None:
    for name, corpus in (("gold", GOLD), ("near", NEAR), ("far", FAR)):
        cs.write(corpus, tmp_path / f"{name}.json")
    (tmp_path / "classes.tsv").write_text("a\tvowel\nt\tstop\nt\tconsonant\ns\tconsonant\n", encoding="utf-8")
    files = [tmp_path / f"{name}.json" for name in ("gold", "near", "far")]
    by = f"class={tmp_path / 'classes.tsv'}"
    table, page, svg = tmp_path / "groups.csv", tmp_path / "page.html", tmp_path / "all.svg"
    shown = caesura(
        "aligners", *files, "--by", by, "--table", table, "--report", page, "--svg", svg, "-m", "onset-median"
    )
    assert "onset-p90" not in shown.stdout  # groups have the metrics that were named
    rows = [line.split(",") for line in table.read_text().splitlines()]
    assert rows[0] == ["system", "class", "n", "unpaired", "onset-median"]
    sizes = {(row[0], row[1]): int(row[2]) for row in rows[1:]}
    assert sizes["near", "consonant"] > sizes["near", "stop"] > 0  # t is in two classes
    text = page.read_text()
    for heading in ("Scores", "Differences", "Errors by class", "vowel, n = ", "quartiles and bias"):
        assert heading in text
    assert "consonant, n = " in svg.read_text()
    assert "quartiles" in caesura("aligners", *files, "-d", "error-quartiles").stdout
    assert "there is no drawing of aligners 'foo'" in refused("aligners", *files, "-d", "foo")
    assert ".csv, .md, .tex or .json" in refused("aligners", *files, "--table", tmp_path / "x.txt")


def test_recordings_can_be_grouped_and_names_that_differ_listed() -> None:
    renamed = with_names(lambda name: "<p>" if name == "sil" else name)
    result = compare_aligners(GOLD, {"near": renamed}, by="speaker", confusions=True)
    assert sorted(row["speaker"] for row in result.by_recording.records()) == ["s0", "s1", "s2", "s3"]
    assert all((row["n"], row["unpaired"]) == (44, 4) for row in result.by_recording.records())
    assert result.confusions["near"]["sil", ""] == 16
    assert any("only the reference has 1 name: sil (16)" in words for words in result.evaluation.warnings())
    mapped = compare_aligners(GOLD, {"near": renamed}, mapping={"hyp:<p>": "sil"}, confusions=True)
    assert not mapped.confusions["near"]
    assert not any("only the reference" in words for words in mapped.evaluation.warnings())
    nothing = compare_aligners(GOLD, {"near": renamed}, mapping={"hyp:a": "1", "hyp:t": "2", "hyp:s": "3"})
    assert any("no name of the hypothesis occurs" in words for words in nothing.evaluation.warnings())
    assert "confusions" in result.as_dict()


def test_curves_have_intervals_and_an_area() -> None:
    result = compare_aligners(GOLD, {"near": NEAR, "far": FAR})
    low, high = result.intervals["far"]
    assert ((low <= result.shares["far"]) & (result.shares["far"] <= high)).all()
    assert result.evaluation["far", "onset-within-20ms"].interval == pytest.approx((low[19], high[19]))
    errors = result.errors["all"]["far"]
    assert result.as_dict()["area_above_curve_ms"]["far"] == pytest.approx(np.minimum(np.abs(errors.onset), 100).mean())
    # the same area by the trapezoidal rule over a fine grid of tolerances
    grid = np.linspace(0, 100, 100_001)
    shares = np.searchsorted(np.sort(np.abs(errors.onset)), grid, "right") / errors.intervals
    assert np.trapezoid(1 - shares, grid) == pytest.approx(errors.area_above_curve(100), abs=0.01)
    np.testing.assert_allclose(errors.quartiles, np.quantile(errors.onset, [0.25, 0.5, 0.75]))


def test_the_report_of_coders_has_a_section_on_onsets() -> None:
    from caesura.report.content import make_report

    both = cs.Corpus.from_annotations(
        [a._replace(coder=name) for name, c in (("gold", GOLD), ("near", NEAR)) for a in c]
    )
    titles = [section.title for section in make_report(both, reference="gold", resamples=10).sections]
    assert "Errors of starts" in titles
    assert "Errors of starts" not in [section.title for section in make_report(both, resamples=10).sections]


def test_files_of_the_same_name_are_named_after_folders(tmp_path) -> None:
    for name, corpus in (("gold", GOLD), ("mfa-3.2", NEAR), ("mfa-3.3", FAR)):
        (tmp_path / name / "s0").mkdir(parents=True)
        cs.write(corpus.select(items=["r0"]), tmp_path / name / "s0" / "r0.TextGrid", lossy=True)
    gold, *files = (tmp_path / name / "s0" / "r0.TextGrid" for name in ("gold", "mfa-3.2", "mfa-3.3"))
    assert "mfa-3.2/r0, mfa-3.3/r0 against gold/r0" in caesura("aligners", gold, *files, "--quiet").stdout


def test_drawings_of_one_short_recording_keep_their_phones() -> None:
    from caesura.drawings.aligners import draw_error_quartiles

    both = [(item, name, cs.Segmentation.from_times([0.1, 0.2, end], length=0.5, names=["sil", "a", "t", "sil"])) for item, name, end in (("r", "gold", 0.3), ("r", "near", 0.31))]  # fmt: skip
    drawn = draw_error_quartiles(cs.Corpus.from_annotations(both)).terminal(80).plain
    assert all(f"\n{phone} " in drawn for phone in ("a", "t", "sil"))
    assert "others below" not in drawn


def test_every_aligner_may_have_its_own_map() -> None:
    back = {"@": "a", "S": "s"}
    systems = {"upper": with_names(str.upper), "sampa": with_names({"a": "@", "s": "S", "t": "t", "sil": "sil"}.get)}
    result = compare_aligners(GOLD, systems, mapping={"ignore case": True}, own_maps={"sampa": back})
    plain = compare_aligners(GOLD, {"near": NEAR}).evaluation["onset-bias"]
    for name in systems:
        assert result.evaluation[name, "interval-matched"].micro == 1.0
        assert result.evaluation[name, "onset-bias"].micro == plain.micro
    assert "own-map:given#" in result.evaluation["sampa", "onset-bias"].signature
    assert "own-map" not in result.evaluation["upper", "onset-bias"].signature
    assert any("names of 'sampa' were mapped by given#" in note for note in result.tables()[-1].notes)
    assert "were mapped by given#" in aligner_page(result)
    hint = " ".join(compare_aligners(GOLD, {"upper": systems["upper"]}).evaluation.warnings())
    assert "the line 'ignore case' makes" in hint
    with pytest.raises(CaesuraError, match="names with several targets"):
        compare_aligners(GOLD, systems, own_maps={"sampa": {"@": ["a", "e"]}})
    with pytest.raises(CaesuraError, match="no aligner 'mfa'"):
        compare_aligners(GOLD, systems, own_maps={"mfa": back})


@pytest.mark.parametrize(
    ("new", "advice"),
    [
        (
            {"sil": "sp"},
            "with the lines 'drop sil' and 'drop sp' leaves them out, one with 'sp', a tab and 'sil' compares",
        ),
        ({"sil": ""}, "with the line 'drop sil' leaves them out (-m"),
        ({"a": "A0"}, "with the lines 'ignore case' and 'ignore stress' makes 4 names the same"),
    ],
)
def test_names_that_differ_get_lines_for_a_map(new: dict[str, str], advice: str) -> None:
    warnings = compare_aligners(GOLD, {"near": with_names(lambda name: new.get(name, name))}).evaluation.warnings()
    assert any(advice in sentence for sentence in warnings), warnings


def test_recordings_that_an_aligner_lacks() -> None:
    some = NEAR.select(items=NEAR.items[1:])
    with pytest.raises(CaesuraError, match=r"r0 \(the hypothesis lacks it\)"):
        compare_aligners(GOLD, {"some": some, "near": NEAR})
    left_out = compare_aligners(GOLD, {"some": some, "near": NEAR}, missing="skip").evaluation
    assert left_out["some", "onset-within-20ms"].micro == left_out["near", "onset-within-20ms"].micro
    counted = compare_aligners(GOLD, {"some": some, "near": NEAR}, missing="empty").evaluation
    assert counted["some", "interval-matched"].micro == pytest.approx(7 / 8)
    assert counted["some", "phone-error"].micro == pytest.approx(1 / 8)


def test_other_tolerances_and_the_order_of_groups(tmp_path) -> None:
    aligners = {"near": NEAR, "far": FAR}
    result = compare_aligners(GOLD, aligners, by="pair", tolerances=["5ms", 0.015], least=8, sort="onset-bias")
    names = list(result.evaluation.measured)
    assert [name for name in names if "within" in name] == ["onset-within-5ms", "onset-within-15ms"]
    assert "onset-median" in names
    assert list(result.tests.by_metric) == ["onset-median", "onset-within-5ms", "onset-within-15ms"]
    records = result.groups[0].records()
    assert "below 8" in records[-1]["pair"]  # the small groups are last in any order
    biases = [abs(row["onset-bias"]) for row in records[:-1]]
    assert biases == sorted(biases, reverse=True)
    with pytest.raises(CaesuraError, match="limit is a whole number of ms"):
        compare_aligners(GOLD, {"near": NEAR}, tolerances=["12.5ms"])
    other = tmp_path / "other.tsv"
    other.write_text("AA1\tvowel\n")
    with pytest.raises(CaesuraError, match=r"no name of the reference .* is in this file of classes"):
        compare_aligners(GOLD, {"near": NEAR}, by=f"class={other}")


def test_tables_and_drawings_by_speaker_and_item() -> None:
    aligners = {"near": NEAR, "far": FAR}
    result = compare_aligners(GOLD, aligners, by="speaker", sort="bias", metrics=["onset-bias", "phone-error"])
    rows = result.by_recording.records()
    worst = [
        max(abs(row["onset-bias"]) for row in rows if row["speaker"] == who) for who in result.errors if who != "all"
    ]
    assert worst == sorted(worst, reverse=True)
    near = next(row for row in rows if row["system"] == "near" and row["speaker"] == "s2")
    alone = compare_aligners(
        *(
            c.select(items=["r2", "r6"]) if isinstance(c, cs.Corpus) else {"near": NEAR.select(items=["r2", "r6"])}
            for c in (GOLD, {})
        )
    )
    assert (
        near["onset-bias"]
        == pytest.approx(alone.evaluation["onset-bias"].micro)
        == result.errors["s2"]["near"].onset.mean()
    )
    (picture,) = result.drawing("error-quartiles")
    assert picture.title == "onset errors by speaker, ms: quartiles and bias"
    assert "s2 near" in picture.terminal(80).plain
    assert "Errors by speaker" in aligner_page(result)
    few = compare_aligners(GOLD, aligners, by="item", least=50)
    assert {row["item"] for row in few.by_recording.records()} == {"8 others below 50"}
    assert any(
        "R is not computed by phone" in note for note in compare_aligners(GOLD, aligners, ["R"]).tables()[-1].notes
    )


def test_groups_are_sorted_by_the_end_of_a_name() -> None:
    near = compare_aligners(GOLD, {"near": NEAR}).groups[0]
    assert list(near.sorted_by("median").rows) == list(near.sorted_by("onset-median").rows)
    with pytest.raises(CaesuraError, match=r"sorted by n or one of onset-bias, .*, not 'colour'"):
        near.sorted_by("colour")


def test_phone_tiers_may_be_named_after_the_speaker_of_each_file(tmp_path) -> None:
    def write(folder: str, names: dict[str, str]) -> str:
        for item, track in names.items():
            made = [("", "", NEAR[item, "c"], track), ("", "", cs.Segmentation.from_times([], length=9), "x - words")]
            (tmp_path / folder).mkdir(exist_ok=True)
            cs.write(cs.Corpus.from_annotations(made), tmp_path / folder / f"{item}.TextGrid", lossy=True)
        return str(tmp_path / folder)

    gold = write("gold", {"r0": "phones", "r1": "phones"})
    mfa = write("mfa", {"r0": "ann - phones", "r1": "ben - phones"})
    done = caesura("aligners", gold, mfa, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "tier 'ann - phones', 'ben - phones' … (one per file)" in done.stderr
    assert "interval-matched    1.000" in done.stdout


def test_groups_as_data_frames(monkeypatch) -> None:
    import sys
    from types import SimpleNamespace

    groups = compare_aligners(GOLD, {"near": NEAR}).groups[0]
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not installed
    with pytest.raises(CaesuraError, match="pip install pandas"):
        groups.to_pandas()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    assert groups.to_pandas() == groups.records()
