"""segeval 2.0.11 under its own 40 names: hypothesis first, masses by default, ``Decimal`` results.

    import caesura.compat.segeval as segeval

    segeval.boundary_similarity([2, 3, 6], [2, 2, 7])

Where segeval has a bug (docs/migrate-from-segeval.md lists them), these functions return the correct value and warn
once with :class:`SegevalDiffers`; ``strict=True`` returns segeval's value.
"""

from __future__ import annotations

from typing import Any

from caesura.compat.segeval.agreement import (
    actual_agreement_linear,
    artstein_poesio_bias_linear,
    fleiss_kappa_linear,
    fleiss_pi_linear,
)
from caesura.compat.segeval.calls import (
    BoundaryFormat,
    boundary_string_from_masses,
    convert_masses_to_positions,
    convert_nltk_to_masses,
    convert_positions_to_masses,
)
from caesura.compat.segeval.calls import SegevalDiffers as SegevalDiffers
from caesura.compat.segeval.calls import SegmentationMetricError as SegmentationMetricError
from caesura.compat.segeval.datasets import DataIOError as DataIOError
from caesura.compat.segeval.datasets import (
    Dataset,
    Field,
    input_linear_mass_json,
    input_linear_mass_tsv,
    load_nested_folders_dict,
    load_sample,
    output_linear_mass_json,
    summarize,
)
from caesura.compat.segeval.datasets import input_linear_positions_tsv as input_linear_positions_tsv
from caesura.compat.segeval.metrics import (
    Average,
    ConfusionMatrix,
    boundary_confusion_matrix,
    boundary_edit_distance,
    boundary_similarity,
    boundary_statistics,
    compute_window_size,
    fmeasure,
    pk,
    precision,
    recall,
    segmentation_similarity,
    weight_a,
    weight_s,
    weight_s_scale,
    weight_t,
    weight_t_scale,
    window_diff,
)

__all__ = [
    "COMPLETE_AGREEMENT", "HEARST_1997_STARGAZER", "HYPOTHESIS_STARGAZER", "KAZANTSEVA2012_G2", "KAZANTSEVA2012_G5",
    "LARGE_DISAGREEMENT", "Average", "BoundaryFormat", "ConfusionMatrix", "Dataset", "Field",
    "actual_agreement_linear", "artstein_poesio_bias_linear",
    "boundary_confusion_matrix", "boundary_edit_distance", "boundary_similarity", "boundary_statistics",
    "boundary_string_from_masses", "compute_window_size", "convert_masses_to_positions", "convert_nltk_to_masses",
    "convert_positions_to_masses", "fleiss_kappa_linear", "fleiss_pi_linear", "fmeasure", "input_linear_mass_json",
    "input_linear_mass_tsv", "load_nested_folders_dict", "output_linear_mass_json", "pk", "precision", "recall",
    "segmentation_similarity", "summarize", "weight_a", "weight_s", "weight_s_scale", "weight_t", "weight_t_scale", "window_diff",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load one of segeval's samples."""
    return load_sample(name)
