"""Signatures and spellings do not change, because published numbers refer to them."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura.metrics import metric, metric_names
from caesura.metrics.catalog import FAMILIES

INF = float("inf")

#: What is asked for, its signature without the version, how it spells itself, whether it is symmetric, its range.
KNOWN = [
    ("precision", "precision", "precision", False, (0.0, 1.0)),
    ("recall", "recall", "recall", False, (0.0, 1.0)),
    ("F", "F|beta:1", "F", True, (0.0, 1.0)),
    ("F:beta=2", "F|beta:2", "F:beta=2", False, (0.0, 1.0)),
    ("B", "B|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0", "B", True, (0.0, 1.0)),
    ("B:n_t=3", "B|nt:3|match:published|wt:span|ws:ordinal|wt0:0|ws0:0", "B:n_t=3", True, (0.0, 1.0)),
    ("B:n_t=1", "B|nt:1|match:published|wt:span|ws:ordinal|wt0:0|ws0:0", "B:n_t=1", True, (0.0, 1.0)),
    ("B:n_t=5", "B|nt:5|match:published|wt:span|ws:ordinal|wt0:0|ws0:0", "B:n_t=5", True, (0.0, 1.0)),
    (
        "B:n_t=4,matching=optimal",
        "B|nt:4|match:optimal|wt:span|ws:ordinal|wt0:0|ws0:0",
        "B:n_t=4,matching=optimal",
        True,
        (0.0, 1.0),
    ),
    (
        "B:transposition=unit",
        "B|nt:2|match:published|wt:unit|ws:ordinal|wt0:0|ws0:0",
        "B:transposition=unit",
        True,
        (0.0, 1.0),
    ),
    (
        "B:transposition=printed,n_t=4",
        "B|nt:4|match:published|wt:printed|ws:ordinal|wt0:0|ws0:0",
        "B:n_t=4,transposition=printed",
        True,
        (0.0, 1.0),
    ),
    (
        "B:substitution=unit,w_t=0.1",
        "B|nt:2|match:published|wt:span|ws:unit|wt0:0.1|ws0:0",
        "B:substitution=unit,w_t=0.1",
        True,
        (0.0, 1.0),
    ),
    (
        "B:substitution=printed,w_s=0.2",
        "B|nt:2|match:published|wt:span|ws:printed|wt0:0|ws0:0.2",
        "B:substitution=printed,w_s=0.2",
        True,
        (0.0, 1.0),
    ),
    ("S", "S|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|weights:unit", "S", True, (0.0, 1.0)),
    (
        "S:weights=scaled",
        "S|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|weights:scaled",
        "S:weights=scaled",
        True,
        (0.0, 1.0),
    ),
    ("S:n_t=4", "S|nt:4|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|weights:unit", "S:n_t=4", True, (0.0, 1.0)),
    (
        "S:weights=scaled,n_t=3,matching=optimal",
        "S|nt:3|match:optimal|wt:span|ws:ordinal|wt0:0|ws0:0|weights:scaled",
        "S:n_t=3,matching=optimal,weights=scaled",
        True,
        (0.0, 1.0),
    ),
    (
        "B-precision",
        "B-precision|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0",
        "B-precision",
        False,
        (0.0, 1.0),
    ),
    ("B-recall", "B-recall|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0", "B-recall", False, (0.0, 1.0)),
    ("B-F", "B-F|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|beta:1", "B-F", True, (0.0, 1.0)),
    ("B-F:beta=2", "B-F|nt:2|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|beta:2", "B-F:beta=2", False, (0.0, 1.0)),
    ("B-F:n_t=3", "B-F|nt:3|match:published|wt:span|ws:ordinal|wt0:0|ws0:0|beta:1", "B-F:n_t=3", True, (0.0, 1.0)),
    ("PA", "PA", "PA", True, (0.0, 1.0)),
    ("WD", "WD|k:auto|round:even|min:2|weighted:False|edges:plain", "WD", False, (0.0, 1.0)),
    ("WD:k=3", "WD|k:3|round:even|min:2|weighted:False|edges:plain", "WD:k=3", True, (0.0, 1.0)),
    ("WD:weighted=true", "WD|k:auto|round:even|min:2|weighted:True|edges:plain", "WD:weighted=True", False, (0.0, INF)),
    ("WD:edges=padded", "WD|k:auto|round:even|min:2|weighted:False|edges:padded", "WD:edges=padded", False, (0.0, 1.0)),
    ("WD:k=nltk", "WD|k:nltk|round:even|min:2|weighted:False|edges:plain", "WD:k=nltk", False, (0.0, 1.0)),
    (
        "WD:weighted=true,edges=padded,round=up",
        "WD|k:auto|round:up|min:2|weighted:True|edges:padded",
        "WD:round=up,weighted=True,edges=padded",
        False,
        (0.0, INF),
    ),
    ("Pk", "Pk|k:auto|round:even|min:2", "Pk", False, (0.0, 1.0)),
    ("Pk:k=4", "Pk|k:4|round:even|min:2", "Pk:k=4", True, (0.0, 1.0)),
    (
        "Pk:k=nltk,minimum=1,round=ceil",
        "Pk|k:nltk|round:ceil|min:1",
        "Pk:k=nltk,round=ceil,minimum=1",
        False,
        (0.0, 1.0),
    ),
    ("Pk:round=up", "Pk|k:auto|round:up|min:2", "Pk:round=up", False, (0.0, 1.0)),
    ("Pk:round=down", "Pk|k:auto|round:down|min:2", "Pk:round=down", False, (0.0, 1.0)),
    ("tolerance-F", "tolerance-F|w:1", "tolerance-F", True, (0.0, 1.0)),
    ("tolerance-F:w=3", "tolerance-F|w:3", "tolerance-F:w=3", True, (0.0, 1.0)),
    ("tolerance-F:share=0.1", "tolerance-F|w:1|share:0.1", "tolerance-F:share=0.1", True, (0.0, 1.0)),
    ("tolerance-precision", "tolerance-precision|w:1", "tolerance-precision", False, (0.0, 1.0)),
    ("tolerance-recall", "tolerance-recall|w:1", "tolerance-recall", False, (0.0, 1.0)),
    ("density-ratio", "density-ratio", "density-ratio", False, (0.0, INF)),
    ("WinPR", "WinPR|k:auto|round:even|min:2|part:F|beta:1", "WinPR", False, (0.0, 1.0)),
    ("WinPR:part=recall", "WinPR|k:auto|round:even|min:2|part:recall|beta:1", "WinPR:part=recall", False, (0.0, 1.0)),
    (
        "WinPR:part=precision",
        "WinPR|k:auto|round:even|min:2|part:precision|beta:1",
        "WinPR:part=precision",
        False,
        (0.0, 1.0),
    ),
    ("WinPR:beta=2", "WinPR|k:auto|round:even|min:2|part:F|beta:2", "WinPR:beta=2", False, (0.0, 1.0)),
    ("WinPR:k=3", "WinPR|k:3|round:even|min:2|part:F|beta:1", "WinPR:k=3", True, (0.0, 1.0)),
    ("GHD", "GHD|ins:2|del:2|shift:1", "GHD", True, (0.0, INF)),
    (
        "GHD:insert=1,delete=3,shift=0.5",
        "GHD|ins:1|del:3|shift:0.5",
        "GHD:insert=1,delete=3,shift=0.5",
        False,
        (0.0, INF),
    ),
    (
        "A",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:undirected|align:mla|typed:False",
        "A",
        True,
        (0.0, 1.0),
    ),
    (
        "A:weight=dice",
        "A|c:intersect|g:dice|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:undirected|align:mla|typed:False",
        "A:weight=dice",
        True,
        (0.0, 1.0),
    ),
    (
        "A:ties=both",
        "A|c:intersect|g:jaccard|ties:both|t:0|pen:1|score:mean|base:2|edges:undirected|align:mla|typed:False",
        "A:ties=both",
        True,
        (0.0, 1.0),
    ),
    (
        "A:scorer=exponential,base=3",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:exponential|base:3|edges:undirected|align:mla|typed:False",
        "A:scorer=exponential,base=3",
        True,
        (0.0, 1.0),
    ),
    (
        "A:scorer=best",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:best|base:2|edges:undirected|align:mla|typed:False",
        "A:scorer=best",
        True,
        (0.0, 1.0),
    ),
    (
        "A:edges=directed",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:directed|align:mla|typed:False",
        "A:edges=directed",
        True,
        (0.0, 1.0),
    ),
    (
        "A:alignment=global",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:undirected|align:global|typed:False",
        "A:alignment=global",
        True,
        (0.0, 1.0),
    ),
    (
        "A:threshold=0.4,penalty=0.5",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0.4|pen:0.5|score:mean|base:2|edges:undirected|align:mla|typed:False",
        "A:threshold=0.4,penalty=0.5",
        True,
        (0.0, 1.0),
    ),
    (
        "A:typed=true",
        "A|c:intersect|g:jaccard|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:undirected|align:mla|typed:True",
        "A:typed=True",
        True,
        (0.0, 1.0),
    ),
    (
        "A:closeness=jaccard,weight=overlap",
        "A|c:jaccard|g:overlap|ties:leftmost|t:0|pen:1|score:mean|base:2|edges:undirected|align:mla|typed:False",
        "A:closeness=jaccard,weight=overlap",
        True,
        (0.0, 1.0),
    ),
    ("Sf", "Sf|sim:auto|c:auto|mv:cheaper|ties:most|forced:True|end:auto|labels:auto", "Sf", True, (0.0, 1.0)),
    ("SfB", "SfB|sim:auto|c:auto|mv:cheaper|ties:most|forced:True|end:auto|labels:auto", "SfB", True, (-1.0, 1.0)),
    (
        "Sf:moved=second",
        "Sf|sim:auto|c:auto|mv:second|ties:most|forced:True|end:auto|labels:auto",
        "Sf:moved=second",
        True,
        (0.0, 1.0),
    ),
    (
        "Sf:ties=fewest",
        "Sf|sim:auto|c:auto|mv:cheaper|ties:fewest|forced:True|end:auto|labels:auto",
        "Sf:ties=fewest",
        True,
        (0.0, 1.0),
    ),
    (
        "Sf:forced=false",
        "Sf|sim:auto|c:auto|mv:cheaper|ties:most|forced:False|end:auto|labels:auto",
        "Sf:forced=False",
        True,
        (0.0, 1.0),
    ),
    (
        "SfB:transposition=0.3",
        "SfB|sim:auto|c:0.3|mv:cheaper|ties:most|forced:True|end:auto|labels:auto",
        "SfB:transposition=0.3",
        True,
        (-1.0, 1.0),
    ),
    (
        "Sf:closing=true",
        "Sf|sim:auto|c:auto|mv:cheaper|ties:most|forced:True|end:True|labels:auto",
        "Sf:closing=True",
        True,
        (0.0, 1.0),
    ),
    ("R", "R|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07", "R", False, (-INF, 1.0)),
    (
        "R:tolerance=50ms",
        "R|tol:0.05|match:regions|tie:earlier|edges:out|res:1e-07",
        "R:tolerance=0.05",
        False,
        (-INF, 1.0),
    ),
    (
        "R:matching=optimal",
        "R|tol:0.02|match:optimal|tie:earlier|edges:out|res:1e-07",
        "R:matching=optimal",
        False,
        (-INF, 1.0),
    ),
    (
        "R:matching=lenient",
        "R|tol:0.02|match:lenient|tie:earlier|edges:out|res:1e-07",
        "R:matching=lenient",
        False,
        (-INF, 1.0),
    ),
    (
        "R:tie=later,edges=in",
        "R|tol:0.02|match:regions|tie:later|edges:in|res:1e-07",
        "R:tie=later,edges=in",
        False,
        (-INF, 1.0),
    ),
    ("hit-rate", "hit-rate|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07", "hit-rate", False, (0.0, 100.0)),
    (
        "over-segmentation",
        "over-segmentation|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07",
        "over-segmentation",
        False,
        (-100.0, INF),
    ),
    (
        "region-precision",
        "region-precision|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07",
        "region-precision",
        False,
        (0.0, 1.0),
    ),
    (
        "region-recall",
        "region-recall|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07",
        "region-recall",
        False,
        (0.0, 1.0),
    ),
    ("region-F", "region-F|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07", "region-F", False, (0.0, 1.0)),
    ("miss-rate", "miss-rate|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07", "miss-rate", False, (0.0, 100.0)),
    (
        "false-alarm-rate",
        "false-alarm-rate|tol:0.02|match:regions|tie:earlier|edges:out|res:1e-07",
        "false-alarm-rate",
        False,
        (0.0, 100.0),
    ),
    (
        "label-agreement",
        "label-agreement|tol:0.02|match:regions|tie:earlier|res:1e-07",
        "label-agreement",
        True,
        (0.0, 1.0),
    ),
    ("label-kappa", "label-kappa|tol:0.02|match:regions|tie:earlier|res:1e-07", "label-kappa", True, (-1.0, 1.0)),
    ("labelled-R", "labelled-R|tol:0.02|match:regions|tie:earlier|res:1e-07", "labelled-R", False, (-INF, 1.0)),
    (
        "time-agreement",
        "time-agreement|tol:0.02|match:regions|tie:earlier|res:1e-07",
        "time-agreement",
        True,
        (0.0, 1.0),
    ),
    ("time-kappa", "time-kappa|tol:0.02|match:regions|tie:earlier|res:1e-07", "time-kappa", True, (-1.0, 1.0)),
    (
        "region-F:tolerance=0.01",
        "region-F|tol:0.01|match:regions|tie:earlier|edges:out|res:1e-07",
        "region-F:tolerance=0.01",
        False,
        (0.0, 1.0),
    ),
    ("nested-precision", "nested-precision|emb:full|lc:0", "nested-precision", False, (0.0, 1.0)),
    ("nested-recall", "nested-recall|emb:full|lc:0", "nested-recall", False, (0.0, 1.0)),
    ("nested-F", "nested-F|emb:full|lc:0", "nested-F", True, (0.0, 1.0)),
    ("nested-F:embeddedness=flat", "nested-F|emb:flat|lc:0", "nested-F:embeddedness=flat", True, (0.0, 1.0)),
    ("nested-kappa", "nested-kappa|emb:full", "nested-kappa", True, (-1.0, 1.0)),
    ("nested-kappa:embeddedness=flat", "nested-kappa|emb:flat", "nested-kappa:embeddedness=flat", True, (-1.0, 1.0)),
    ("nested-B", "nested-B|nt:2|match:published", "nested-B", True, (0.0, 1.0)),
    ("nested-B:n_t=3", "nested-B|nt:3|match:published", "nested-B:n_t=3", True, (0.0, 1.0)),
    (
        "nested-B:n_t=3,matching=optimal",
        "nested-B|nt:3|match:optimal",
        "nested-B:n_t=3,matching=optimal",
        True,
        (0.0, 1.0),
    ),
    ("non-crossing", "non-crossing", "non-crossing", False, (0.0, 1.0)),
    ("span-precision", "span-precision|label:auto", "span-precision", False, (0.0, 1.0)),
    ("span-recall", "span-recall|label:auto", "span-recall", False, (0.0, 1.0)),
    ("span-F", "span-F|label:auto|beta:1", "span-F", True, (0.0, 1.0)),
    ("span-bounds-precision", "span-bounds-precision|label:auto", "span-bounds-precision", False, (0.0, 1.0)),
    ("span-bounds-recall", "span-bounds-recall|label:auto", "span-bounds-recall", False, (0.0, 1.0)),
    ("span-bounds-F", "span-bounds-F|label:auto|beta:1", "span-bounds-F", True, (0.0, 1.0)),
    (
        "span-partial-precision",
        "span-partial-precision|label:auto|credit:1",
        "span-partial-precision",
        False,
        (0.0, 1.0),
    ),
    ("span-partial-recall", "span-partial-recall|label:auto|credit:1", "span-partial-recall", False, (0.0, 1.0)),
    ("span-partial-F", "span-partial-F|label:auto|beta:1|credit:1", "span-partial-F", True, (0.0, 1.0)),
    ("span-type-precision", "span-type-precision|label:auto", "span-type-precision", False, (0.0, 1.0)),
    ("span-type-recall", "span-type-recall|label:auto", "span-type-recall", False, (0.0, 1.0)),
    ("span-type-F", "span-type-F|label:auto|beta:1", "span-type-F", True, (0.0, 1.0)),
    ("span-iou-precision", "span-iou-precision|label:auto|iou:0.5", "span-iou-precision", False, (0.0, 1.0)),
    ("span-iou-recall", "span-iou-recall|label:auto|iou:0.5", "span-iou-recall", False, (0.0, 1.0)),
    ("span-iou-F", "span-iou-F|label:auto|beta:1|iou:0.5", "span-iou-F", True, (0.0, 1.0)),
    ("token-precision", "token-precision|label:auto", "token-precision", False, (0.0, 1.0)),
    ("token-recall", "token-recall|label:auto", "token-recall", False, (0.0, 1.0)),
    ("token-F", "token-F|label:auto|beta:1", "token-F", True, (0.0, 1.0)),
    ("span-F:label=x,beta=2.0", "span-F|label:x|beta:2", "span-F:label=x,beta=2", False, (0.0, 1.0)),
    ("span-iou-F:iou=0.7", "span-iou-F|label:auto|beta:1|iou:0.7", "span-iou-F:iou=0.7", True, (0.0, 1.0)),
    *((name, name, name, False, (0.0, 1.0)) for name in ("purity", "coverage")),
    *((name, name, name, True, (0.0, 1.0)) for name in ("purity-coverage-F", "Rand")),
    ("adjusted-Rand", "adjusted-Rand", "adjusted-Rand", True, (-1.0, 1.0)),
    ("Hausdorff", "Hausdorff", "Hausdorff", True, (0.0, INF)),
    ("mean-error", "mean-error", "mean-error", False, (0.0, INF)),
    *(
        (
            f"displacement-{what}",
            f"displacement-{what}|pair:names|map:|reach:5|res:1e-07",
            f"displacement-{what}",
            True,
            (0.0, INF),
        )
        for what in ("mean", "median", "p90", "p95")
    ),
    (
        "displacement-bias",
        "displacement-bias|pair:names|map:|reach:5|res:1e-07",
        "displacement-bias",
        False,
        (-INF, INF),
    ),
    *(
        (name, f"{name}|pair:names|map:|reach:5|res:1e-07", name, False, (0.0, 1.0))
        for name in ("displacement-matched", "within-10ms", "within-20ms", "within-25ms", "within-50ms")
    ),
    (
        "displacement-median:pairing=nearest",
        "displacement-median|pair:nearest|map:|reach:5|res:1e-07",
        "displacement-median:pairing=nearest",
        False,
        (0.0, INF),
    ),
    *(
        (f"{edge}-{what}", f"{edge}-{what}|pair:names|map:|reach:5|edges:in", f"{edge}-{what}", symmetric, bounds)
        for edge in ("onset", "offset")
        for what, symmetric, bounds in (
            *((name, True, (0.0, INF)) for name in ("mean", "sd", "rmse", "median", "p90", "p95", "p99")),
            ("bias", False, (-INF, INF)),
            *((f"within-{limit}ms", False, (0.0, 1.0)) for limit in (5, 10, 15, 17, 20, 25, 50, 100)),
        )
    ),
    *(
        (name, f"{name}|pair:names|map:|reach:5|edges:in", name, symmetric, bounds)
        for name, symmetric, bounds in (
            ("duration-mean", True, (0.0, INF)),
            ("duration-bias", False, (-INF, INF)),
            ("interval-overlap", False, (0.0, 1.0)),
            ("interval-matched", False, (0.0, 1.0)),
        )
    ),
    *(
        (name, f"{name}|map:|sil:sil sp <eps> <p:> pau h#|like:edits", name, False, (0.0, INF))
        for name in ("phone-error", *(f"phone-error-{kind}" for kind in ("substitutions", "deletions", "insertions")))
    ),
    ("alignment-score", "alignment-score|map:|sil:sil sp <eps> <p:> pau h#", "alignment-score", False, (0.0, INF)),
    *(
        (name, f"{name}|collar:0|overlap:keep|like:nist|uem:|frame:auto", name, False, bounds)
        for name, bounds in (
            ("diarization-error", (0.0, INF)),
            ("diarization-miss", (0.0, INF)),
            ("diarization-false-alarm", (0.0, INF)),
            ("diarization-confusion", (0.0, 1.0)),
            ("jaccard-error", (0.0, 1.0)),
            ("speaker-purity", (0.0, 1.0)),
            ("speaker-coverage", (0.0, 1.0)),
            ("speaker-Bcubed-precision", (0.0, 1.0)),
            ("speaker-Bcubed-recall", (0.0, 1.0)),
        )
    ),
    *(
        (name, f"{name}|collar:0|overlap:keep|like:nist|uem:|frame:auto", name, True, (0.0, 1.0))
        for name in ("speaker-purity-coverage-F", "speaker-Bcubed-F")
    ),
    (
        "diarization-error:collar=250ms,like=pyannote",
        "diarization-error|collar:0.25|overlap:keep|like:pyannote|uem:|frame:auto",
        "diarization-error:collar=0.25,like=pyannote",
        False,
        (0.0, INF),
    ),
    *(
        (f"T-{what}", f"T-{what}|window:auto|transitive:False", f"T-{what}", False, (0.0, 1.0))
        for what in ("precision", "recall")
    ),
    ("T-measure", "T-measure|window:auto|transitive:False", "T-measure", True, (0.0, 1.0)),
    *((f"L-{what}", f"L-{what}", f"L-{what}", False, (0.0, 1.0)) for what in ("precision", "recall")),
    ("L-measure", "L-measure", "L-measure", True, (0.0, 1.0)),
    ("evHDS", "evHDS|compare:any|least:1", "evHDS", False, (0.0, 1.0)),
    *(
        (name, f"{name}|overlap:0.6|like:caesura|unmatched:in", name, True, (-INF, 1.0))
        for name in ("linked-kappa", "linked-kappa-max")
    ),
    (
        "linked-kappa:like=elan",
        "linked-kappa|overlap:0.6|like:elan|unmatched:in",
        "linked-kappa:like=elan",
        True,
        (-INF, 1.0),
    ),
    ("linked-agreement", "linked-agreement|overlap:0.6|unmatched:in", "linked-agreement", True, (0.0, 1.0)),
    ("linked-share", "linked-share|overlap:0.6", "linked-share", True, (0.0, 1.0)),
    ("overlap-ratio", "overlap-ratio|like:caesura", "overlap-ratio", True, (0.0, 1.0)),
    ("organisation", "organisation|chance:lengths|draws:1000|seed:0", "organisation", True, (-1.0, 1.0)),
    ("boundary-F", "boundary-F|tol:0.02|tie:earlier|edges:out|res:1e-07", "boundary-F", True, (0.0, 1.0)),
    (
        "SfB:step=0.1,tolerance=0.02",
        "SfB|sim:auto|c:auto|mv:cheaper|ties:most|forced:True|end:auto|labels:auto|step:0.1|tol:0.02",
        "SfB:step=0.1,tolerance=0.02",
        True,
        (-1.0, 1.0),
    ),
    ("NWin", "NWin|k:auto|round:even|min:2|edges:plain", "NWin", False, (0.0, INF)),
    (
        "Pr-error",
        "Pr-error|k:auto|round:even|min:2|edges:plain|miss_cost:0.5|false_alarm_cost:0.5",
        "Pr-error",
        False,
        (0.0, 1.0),
    ),
    ("k-kappa", "k-kappa|k:auto|round:even|min:2|edges:plain", "k-kappa", False, (-1.0, 1.0)),
    ("k-kappa:k=5", "k-kappa|k:5|round:even|min:2|edges:plain", "k-kappa:k=5", True, (-1.0, 1.0)),
    ("nested-A", "nested-A|score:mean|align:mla", "nested-A", True, (0.0, 1.0)),
]


@pytest.mark.parametrize(("asked", "signature", "spelled", "symmetric", "bounds"), KNOWN)
def test_signature_spelling_and_properties(
    asked: str, signature: str, spelled: str, symmetric: bool, bounds: tuple[float, float]
) -> None:
    measure = metric(asked)
    assert measure.signature == f"{signature}|v:{cs.__version__}"
    assert measure.spelled == spelled
    assert measure.symmetric is symmetric
    assert measure.bounds == bounds


def test_spelling_creates_same_metric() -> None:
    for asked, *_ in KNOWN:
        again = metric(metric(asked).spelled)
        assert again == metric(asked)
        assert hash(again) == hash(metric(asked))
        assert again.signature == metric(asked).signature


def test_every_metric_has_a_signature_test() -> None:
    assert {asked.partition(":")[0] for asked, *_ in KNOWN} >= {
        n for n in metric_names() if FAMILIES.source(n) == "caesura"
    }


def test_functions_in_parameters_are_named_in_signature() -> None:
    def halve(span: int, n_t: int) -> float:
        return 0.5

    assert "|wt:halve|" in metric("B", transposition=halve).signature
    assert "|c:halve|" in metric("A", closeness=halve).signature


def test_distinct_parameters_have_distinct_signatures() -> None:
    values = (0.025, 0.0251, 0.02500001, 0.02, 0.0200000001, 1 / 3)
    spelled = [metric(f"R:tolerance={value!r}").signature for value in values]
    assert len(set(spelled)) == len(values), spelled
    assert ":0.0251" in spelled[1]
