"""Segmentation similarity as a module of Hugging Face's evaluate: segment sizes, or strings of 0 and 1, in; Caesura's scores out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

import caesura as cs


class SegmentationSimilarity(evaluate.Metric):  # type: ignore[misc]
    """How alike segmentations are: B, WindowDiff, Pk, A and every other metric that Caesura has for texts."""

    def _info(self) -> Any:
        sides = ("references", "predictions")
        return evaluate.MetricInfo(
            description=str(self.__doc__),
            citation="Fournier, C. (2013). Evaluating Text Segmentation using Boundary Edit Distance. ACL 2013.",
            inputs_description="references and predictions: for each text the sizes of its segments, in order, or a string with 1 where a boundary is; metrics: names as in `caesura list metrics`.",
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
        """Score all texts together: counts are added up over texts, then divided."""
        sides = [
            cs.Corpus.from_annotations((f"text {n}", side, text) for n, text in enumerate(texts))
            for side, texts in (("references", references), ("predictions", predictions))
        ]
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        scores = cs.evaluate(sides[0], {"predictions": sides[1]}, names).as_dict()["systems"]["predictions"]
        return {name: score["micro"] for name, score in scores.items()}
