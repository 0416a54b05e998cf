"""A module for Hugging Face's evaluate: score segmentations with Caesura's metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

import caesura as cs


class SegmentationSimilarity(evaluate.Metric):  # type: ignore[misc]
    """Similarity of segmentations: B, WindowDiff, Pk, A and the other text metrics of Caesura."""

    def _info(self) -> Any:
        sides = ("references", "predictions")
        return evaluate.MetricInfo(
            description=str(self.__doc__),
            citation="Fournier, C. (2013). Evaluating Text Segmentation using Boundary Edit Distance. ACL 2013.",
            inputs_description="references and predictions: for each text the lengths of its segments, or a string with a 1 for each boundary; metrics: names from `caesura list metrics`.",
            features=[
                datasets.Features(dict.fromkeys(sides, datasets.Sequence(datasets.Value("int64")))),
                datasets.Features(dict.fromkeys(sides, datasets.Value("string"))),
            ],
        )

    def _compute(
        self,
        references: Sequence[list[int] | str],
        predictions: Sequence[list[int] | str],
        metrics: str | Sequence[str] = "B",
    ) -> dict[str, float]:
        """Score all texts together: counts are summed over texts, then divided."""
        sides = [
            cs.Corpus.from_annotations((f"text {n}", side, text) for n, text in enumerate(texts))
            for side, texts in (("references", references), ("predictions", predictions))
        ]
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        scores = cs.evaluate(sides[0], {"predictions": sides[1]}, names).as_dict()["systems"]["predictions"]
        return {name: score["micro"] for name, score in scores.items()}
