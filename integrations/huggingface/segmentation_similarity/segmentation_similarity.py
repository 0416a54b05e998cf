"""Segmentation similarity as a module of Hugging Face's evaluate: lists of segment sizes in, Caesura's scores out."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import caesura as cs


class SegmentationSimilarity(evaluate.Metric):  # type: ignore[misc]
    """How alike segmentations are: B, WindowDiff, Pk, A and every other metric that Caesura has for texts."""

    def _info(self) -> Any:
        masses = datasets.Sequence(datasets.Value("int64"))
        return evaluate.MetricInfo(
            description=str(self.__doc__),
            citation="Fournier, C. (2013). Evaluating Text Segmentation using Boundary Edit Distance. ACL 2013.",
            inputs_description="references and predictions: for each text the sizes of its segments, in order; metrics: names as in `caesura list metrics`.",
            features=datasets.Features({"references": masses, "predictions": masses}),
        )

    def _compute(
        self, references: list[list[int]], predictions: list[list[int]], metrics: tuple[str, ...] = ("B",)
    ) -> dict[str, float]:
        """Score all texts together: counts are added up over texts, then divided."""
        sides = [
            cs.Corpus.from_annotations((f"text {n}", side, list(sizes)) for n, sizes in enumerate(texts))
            for side, texts in (("references", references), ("predictions", predictions))
        ]
        scores = cs.evaluate(sides[0], {"predictions": sides[1]}, list(metrics)).as_dict()["systems"]["predictions"]
        return {name: score["micro"] for name, score in scores.items()}
