"""segeval under its own names: its values with strict=True, bugs included; otherwise ours, with one warning."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
import caesura.compat.segeval as segeval
from shared_data import oracle_json

ORACLE = oracle_json("compat/segeval.json")


@pytest.fixture(autouse=True)
def _no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", segeval.SegevalDiffers)
        yield


def equal(ours: Any, theirs: str) -> bool:
    return abs(Decimal(ours) - Decimal(theirs)) < Decimal("1e-24")


def masses(string: list[list[int]]) -> tuple[int, ...]:
    return segeval.convert_nltk_to_masses("".join("1" if kinds else "0" for kinds in string))


def test_strict_returns_segevals_values() -> None:
    assert len(segeval.__all__) == 40
    for case in ORACLE["pairs"]:
        sides = [[frozenset(kinds) for kinds in case[side]] for side in "ab"]
        given = {"n_t": case["n_t"], "boundary_format": segeval.BoundaryFormat.sets, "strict": True}
        for name in ("boundary_similarity", "segmentation_similarity"):
            assert equal(getattr(segeval, name)(*sides, **given), case[name])
        seen = segeval.boundary_statistics(*sides, **given)
        for name in ("additions", "substitutions", "transpositions"):
            assert sorted(map(list, seen[name])) == sorted(case[name])
        assert equal(seen["count_edits"], case["count_edits"])
        assert seen["pbs"] == case["pbs"]
        matrix = segeval.boundary_confusion_matrix(*sides, **given)
        cells = [[str(p), str(a), str(v)] for p, row in matrix.items() for a, v in row.items() if v]
        assert sorted(cells) == sorted(case["matrix"])
        for name in ("precision", "recall", "fmeasure"):
            assert equal(getattr(segeval, name)(matrix, strict=True), case[name])
        assert equal(segeval.fmeasure(matrix, version=segeval.Average.macro, strict=True), case["macro"])
        plain = [masses(case[side]) for side in "ab"]
        if all(kinds <= {1} for side in sides for kinds in side):  # masses take a faster path
            for name in ("boundary_similarity", "segmentation_similarity"):
                assert equal(getattr(segeval, name)(*plain, n_t=case["n_t"]), case[name])
        assert equal(segeval.pk(*plain, strict=True), case["pk"])
        assert equal(segeval.window_diff(*plain, window_size=2), case["window_diff"])
        assert equal(segeval.window_diff(*plain, lamprier_et_al_2007_fix=True, strict=True), case["padded"])


def test_agreement_of_datasets_equals_segevals() -> None:
    for case in ORACLE["datasets"]:
        data = segeval.Dataset(case["data"])
        for name in (
            "actual_agreement_linear", "fleiss_pi_linear", "fleiss_kappa_linear", "artstein_poesio_bias_linear",
        ):  # fmt: skip
            assert equal(getattr(segeval, name)(data), case[name])
        for name in ("pk", "boundary_similarity"):
            summary = segeval.summarize(getattr(segeval, name)(data))
            assert all(map(equal, summary, case[name]))
        corpus = cs.Corpus.from_dict(case["data"])
        ours = cs.agree(corpus, coefficient="pi", density="mean").value
        assert ours == pytest.approx(float(segeval.fleiss_pi_linear(data)))


def test_segevals_bugs_are_fixed_with_one_warning() -> None:
    hyp, ref = [2, 3, 6], [2, 2, 3, 4]
    with pytest.warns(segeval.SegevalDiffers, match="rows are the hypothesis's predictions") as warned:
        matrix = segeval.boundary_confusion_matrix(hyp, ref)
    assert len(warned) == 1
    with pytest.warns(segeval.SegevalDiffers, match="is not a class"):
        assert float(segeval.precision(matrix)) == cs.boundary_confusion(ref, hyp).precision()
    assert float(segeval.recall(matrix, classification=1)) == cs.boundary_confusion(ref, hyp).recall()
    assert matrix[None][1] == 1
    assert matrix[1][1] == Decimal("1.5")
    with pytest.warns(segeval.SegevalDiffers, match="segeval raises"):
        assert segeval.boundary_similarity([5], [5]) == 1
    with pytest.raises(ValueError, match="empty sequence"):
        segeval.boundary_similarity([5], [5], strict=True)
    a, b = [{1}, {2}, set()], [{1}, set(), set()]
    with pytest.warns(segeval.SegevalDiffers, match="number of types twice"):
        assert segeval.segmentation_similarity(a, b, boundary_format="sets") == Decimal(5) / 6
    with pytest.warns(segeval.SegevalDiffers, match="padded windows"):
        padded = segeval.window_diff(hyp, ref, lamprier_et_al_2007_fix=True)
    assert float(padded) == cs.window_diff(ref, hyp, edges="padded")
    with pytest.warns(segeval.SegevalDiffers, match="a near miss adds 1 - weight"):
        assert segeval.boundary_confusion_matrix([2, 5], [3, 4], n_t=3)[1][1] == 1 - Decimal(1) / 3
    with pytest.warns(segeval.SegevalDiffers, match="boundary_types= is ignored"):
        segeval.boundary_similarity(hyp, ref, boundary_types={1, 2})
    with pytest.warns(segeval.SegevalDiffers, match="boundary_types= is ignored"):
        segeval.fleiss_pi_linear({"i": {"a": hyp, "b": ref}}, boundary_types={1, 2})
    typed = {"i": {"a": [{1}, {2}], "b": [{1}, {2}]}, "j": {"a": [{1}, set()], "b": [set(), set()]}}
    with pytest.warns(segeval.SegevalDiffers, match="chance counts all types") as warned:
        segeval.fleiss_kappa_linear(segeval.Dataset(typed, boundary_format="sets"))
    assert len(warned) == 1


def test_invalid_arguments_are_refused() -> None:
    for call in (
        lambda: segeval.pk([2, 3], [2, 4]),
        lambda: segeval.boundary_similarity([2, 3], [2, 4]),
        lambda: segeval.boundary_similarity([2, 3], [2, 3], boundary_format=None),
        lambda: segeval.pk([{1}], [{1}], boundary_format="sets"),
        lambda: segeval.pk([2, 3]),
        lambda: segeval.boundary_similarity([2, 0, 3], [2, 3]),
        lambda: segeval.boundary_similarity([{"a"}], [{"b"}], boundary_format="sets"),
        lambda: segeval.pk([2], [2]),  # no window fits
        lambda: segeval.fleiss_pi_linear({"i": {"a": [2], "b": [2]}, "j": {"a": [2]}}),
        lambda: segeval.compute_window_size("0100"),
        lambda: segeval.precision(segeval.ConfusionMatrix(), version="none"),
    ):
        with pytest.raises(segeval.SegmentationMetricError):
            call()
    with pytest.raises(TypeError, match="window"):
        segeval.boundary_similarity([2, 3], [2, 3], window=2)
    assert segeval.pk([2], [2], strict=True) == 0
    assert segeval.boundary_similarity([2, 3, 0], [2, 3]) == 1  # an empty segment at the end has no boundary


def test_long_segmentations_are_compared_by_value() -> None:
    many = json.loads(json.dumps([2] * 400))
    assert segeval.pk(many, [2] * 400) == segeval.window_diff(many, [2] * 400, window_size=300) == 0


def test_files_and_samples_are_read_and_written(tmp_path: Path) -> None:
    data = segeval.HEARST_1997_STARGAZER
    segeval.output_linear_mass_json(tmp_path, data)
    again = segeval.input_linear_mass_json(tmp_path / "output.json")
    assert again == data
    assert again.properties == {"segmentation_type": "linear"}
    assert segeval.actual_agreement_linear(again) == segeval.actual_agreement_linear(data)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "text.csv").write_text("coder,1,2\na,2,3\nb,5\n", encoding="utf-8")
    table = segeval.input_linear_mass_tsv(tmp_path / "deep" / "text.csv", delimiter=",")
    assert table == {"text": {"a": (2, 3), "b": (5,)}}
    assert segeval.load_nested_folders_dict(tmp_path, "json").keys() == {"stargazer"}
    (tmp_path / "deep" / "text.tsv").write_text("coder\t1\na\t5\n", encoding="utf-8")
    (tmp_path / "deep" / "text.csv").unlink()
    assert segeval.load_nested_folders_dict(tmp_path, "tsv") == {"deep,text": {"a": (5,)}}
    (tmp_path / "bad.json").write_text('{"items": {}}', encoding="utf-8")
    with pytest.raises(segeval.DataIOError, match="segmentation_type"):
        segeval.input_linear_mass_json(tmp_path / "bad.json")
    with pytest.raises(segeval.DataIOError, match="has already coded item"):
        data + data
    assert segeval.compute_window_size(segeval.KAZANTSEVA2012_G5) == 3
    assert segeval.actual_agreement_linear(segeval.KAZANTSEVA2012_G2).quantize(Decimal("1e-8")) == Decimal("0.42017738")


def test_segevals_own_tests_pass() -> None:
    pytest.importorskip("segeval", reason="segeval is not installed: requirements/bench.txt has it")
    script = Path(__file__).parents[4] / "benchmarks" / "compat.py"
    spec = importlib.util.spec_from_file_location("benchmark_compat", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for strict, least in ((True, 216), (False, 205)):
        result = module.run_segeval_tests(strict)
        assert result.testsRun - len(result.failures) - len(result.errors) >= least
