"""Caesura: compare, agree on, unify and place the marks that people and machines put into text and speech.

The names below are loaded when they are first used, so ``import caesura`` costs next to nothing;
``__init__.pyi`` beside this file lists them and where they live.
"""

from importlib import import_module as _import_module

import lazy_loader as _lazy

from caesura._version import __version__ as __version__
from caesura.display.drawer import set_drawer as _set_drawer

_set_drawer(lambda: _import_module("caesura.drawings.catalog"))

_load, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)

#: What people type first -> what to type instead.
_OTHER_NAMES = {
    **dict.fromkeys(("windowdiff", "window_difference", "wd"), "cs.window_diff(reference, hypothesis)"),
    **dict.fromkeys(("p_k", "beeferman"), "cs.pk(reference, hypothesis)"),
    **dict.fromkeys(
        ("f1", "f1_score", "f_score", "fscore", "f_measure", "fmeasure", "boundary_f1"),
        'cs.metric("F")(reference, hypothesis)',
    ),
    **dict.fromkeys(
        ("kappa", "cohen_kappa", "cohens_kappa", "cohen_kappa_score"),
        'cs.agree(corpus, coefficient="kappa")',
    ),
    **dict.fromkeys(("fleiss_kappa", "fleiss"), 'cs.agree(corpus, coefficient="pi"), or "fleiss" for labels of units'),
    **dict.fromkeys(("pi", "scott_pi", "scotts_pi", "fleiss_pi"), 'cs.agree(corpus, coefficient="pi")'),
    **dict.fromkeys(("alpha", "krippendorff", "krippendorff_alpha"), 'cs.agree(corpus, coefficient="alpha")'),
    **dict.fromkeys(("gamma", "compute_gamma"), 'cs.agree(corpus, coefficient="gamma")'),
    **dict.fromkeys(("agreement", "iaa"), "cs.agree(corpus)"),
    **dict.fromkeys(("load", "load_file", "read_file", "open", "from_file", "from_csv", "from_json"), "cs.read(path)"),
    **dict.fromkeys(("save", "dump", "to_file", "to_json", "to_csv", "to_textgrid"), "cs.write(corpus, path)"),
    **dict.fromkeys(("from_textgrid", "from_eaf", "from_elan", "from_rttm", "from_praat"), "cs.read(path)"),
    **dict.fromkeys(
        ("accuracy", "accuracy_score"), "cs.evaluate(reference, hypothesis), which prints all scores that fit"
    ),
    **dict.fromkeys(("score", "eval", "test", "compute"), "cs.evaluate(reference, hypothesis)"),
    **dict.fromkeys(("from_pandas", "from_polars", "from_frame", "from_df", "dataframe"), "cs.from_dataframe(frame)"),
    **dict.fromkeys(("to_pandas", "to_polars", "to_dataframe"), "corpus.to_pandas() or corpus.to_polars()"),
    **dict.fromkeys(("from_list", "from_lists"), "cs.evaluate(lists, lists), or cs.Segmentation.from_masses(masses)"),
    **dict.fromkeys(("edit_distance", "boundary_edit_distance"), "cs.boundary_edits(reference, hypothesis)"),
    "texttiling": 'cs.segment(texts, "texttiling")',
    "c99": 'cs.segment(texts, "c99")',
    "parse": "cs.Segmentation.parse(text)",
    **dict.fromkeys(("der", "DER", "diarization_error_rate"), 'cs.metric("diarization-error")(reference, hypothesis)'),
    **dict.fromkeys(("jer", "JER"), 'cs.metric("jaccard-error")(reference, hypothesis)'),
    **dict.fromkeys(("r_value", "rvalue"), "cs.region_scores(reference, hypothesis).r_value"),
    **dict.fromkeys(("plot", "draw", "visualize", "visualise"), "cs.show(corpus)"),
    **dict.fromkeys(("merge", "consensus", "majority"), "cs.unify(annotations)"),
    **dict.fromkeys(("b", "bs", "boundary_sim"), "cs.boundary_similarity(reference, hypothesis)"),
    **dict.fromkeys(("s", "segmentation_sim"), "cs.segmentation_similarity(reference, hypothesis)"),
    **dict.fromkeys(("textgrid", "elan", "eaf", "rttm", "chat"), "cs.read(path)"),
    **dict.fromkeys(
        ("segeval", "nltk"), "cs.evaluate(reference, hypothesis), or from caesura.compat import segeval, nltk"
    ),
}


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        hint = _OTHER_NAMES.get(name.lower())
        if hint is None and name.startswith(("read_", "load_", "write_", "save_")):
            hint = "cs.read(path)" if name.startswith(("read_", "load_")) else "cs.write(corpus, path)"
        if hint is None:
            spelled = {known.lower(): known for known in __all__}
            hint = f"cs.{spelled[name.lower()]}" if name.lower() in spelled else _metric_hint(name)
        if hint is None:
            from difflib import get_close_matches

            close = get_close_matches(name.lower(), spelled, 1, 0.8)
            hint = f"cs.{spelled[close[0]]}" if close else None
        if hint is None:
            raise
        raise AttributeError(f"caesura has no {name!r}; use {hint}.", name=name) from None


def _metric_hint(name: str) -> str | None:
    """Return how to compute a metric of this name, whatever its capitals; None if there is no such metric."""
    from caesura.metrics.catalog import FAMILIES

    spelled = {known.lower(): known for known in FAMILIES}
    known = spelled.get(name.lower().replace("_", "-"))
    return None if known is None else f'cs.metric("{known}")(reference, hypothesis)'
