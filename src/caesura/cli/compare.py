"""``caesura compare REF HYP``: what every metric says, with intervals."""

from __future__ import annotations

from caesura.cli.options import Encoding, Format, Input, Json, Metrics, Seed

__all__ = ["compare"]


def compare(
    reference: Input,
    hypothesis: Input,
    metric: Metrics = None,
    format: Format = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare a hypothesis with a reference.

    Example: caesura compare gold.json system.json --metric F
    """
    from caesura.cli.output import as_json, number, table
    from caesura.formats import read
    from caesura.statistics import evaluate

    options = {} if encoding is None else {"encoding": encoding}
    result = evaluate(read(reference, format, **options), read(hypothesis, format, **options), metric, seed=seed)
    if json:
        as_json(result.as_dict())
        return
    table(
        f"{len(result.items)} item{'s' * (len(result.items) != 1)}",
        ["metric", "pooled", "mean of items", "95 % interval"],
        (
            (
                name,
                m.micro,
                m.macro,
                "–" if m.interval is None else f"{number(m.interval.low)} … {number(m.interval.high)}",
            )
            for name, m in result.measured.items()
        ),
    )
