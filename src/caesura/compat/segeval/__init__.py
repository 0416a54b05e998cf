"""segeval 2.0.11 by its own 40 names: hypothesis first, masses by default, ``Decimal`` results made from our counts.

    import caesura.compat.segeval as segeval

    segeval.boundary_similarity([2, 3, 6], [2, 2, 7])

Where segeval is wrong (docs/migrate-from-segeval.md lists it all) these give our value and one warning of the class
:class:`SegevalDiffers`; ``strict=True`` does as segeval does.
"""

from __future__ import annotations

from typing import Any

from caesura.compat.segeval.calls import SegevalDiffers as SegevalDiffers
from caesura.compat.segeval.calls import SegmentationMetricError as SegmentationMetricError
from caesura.compat.segeval.confusion_matrix import Average, ConfusionMatrix, fmeasure, precision, recall
from caesura.compat.segeval.datasets import DataIOError as DataIOError
from caesura.compat.segeval.datasets import (
    Dataset,
    Field,
    input_linear_mass_json,
    input_linear_mass_tsv,
    load_nested_folders_dict,
    output_linear_mass_json,
    sample,
    summarize,
)
from caesura.compat.segeval.datasets import input_linear_positions_tsv as input_linear_positions_tsv
from caesura.compat.segeval.edit_lists import (
    boundary_confusion_matrix,
    boundary_edit_distance,
    boundary_similarity,
    boundary_statistics,
    segmentation_similarity,
    weight_a,
    weight_s,
    weight_s_scale,
    weight_t,
    weight_t_scale,
)
from caesura.compat.segeval.intercoder import (
    actual_agreement_linear,
    artstein_poesio_bias_linear,
    fleiss_kappa_linear,
    fleiss_pi_linear,
)
from caesura.compat.segeval.notations import (
    BoundaryFormat,
    boundary_string_from_masses,
    convert_masses_to_positions,
    convert_nltk_to_masses,
    convert_positions_to_masses,
)
from caesura.compat.segeval.sliding import compute_window_size, pk, window_diff

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
    """Make a sample when it is asked for."""
    return sample(name)
