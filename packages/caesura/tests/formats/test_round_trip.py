"""Every format of the registry keeps what it carries and refuses what it cannot carry."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.formats.catalog import FORMATS, all_formats, named_format
from caesura.formats.losses import FEATURES, features
from caesura.formats.writing import losses
from cases import covered
from formats.corpora import ENDNOTES, TAME, corpora, tidy_hierarchies

WRITABLE = [name for name in covered(FORMATS) if hasattr(FORMATS[name], "write")]
# Formats of recordings say times in samples or milliseconds, marked text holds letters of two scripts only: what these carry is tested
# where they are tested themselves.
OF_ENDNOTES = {"transcript", "turns", "rezonator"}


@pytest.fixture(autouse=True, scope="module")
def without_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield


def again(corpus, name, folder):
    """Write and read, with names in the path if the format does not store them."""
    chosen = named_format(name)
    first = corpus.annotation(0) if len(corpus) else None
    named = {of: getattr(first, of) for of in ("item", "coder") if f"{of}s" not in chosen.carries and first}
    path = Path(folder) / f"file{chosen.suffixes[0]}"
    cs.write(corpus, path, name)
    return cs.read(path, name, **named)


def without_names(chosen, corpus):
    """Rename what the format does not name after the folder and the file."""
    item, coder = "" if "items" not in chosen.carries else None, "" if "coders" not in chosen.carries else None
    return cs.Corpus.from_annotations(
        [a._replace(item=a.item if item is None else item, coder=a.coder if coder is None else coder) for a in corpus],
        labels=corpus.labels,
        attributes=corpus.attributes,
    )


@pytest.mark.parametrize(
    "name", [n for n in WRITABLE if n != "chat" and {"units", "nested", "spans"} & named_format(n).carries]
)
@settings(max_examples=20)
@given(data=st.data())
def test_carried_features_survive(name, data):
    chosen = named_format(name)
    kinds = [kind for kind in ("units", "time", "nested") if kind in chosen.carries] or ["spans"]
    has = {what for what in ("text",) if "textless" not in chosen.carries}
    has |= {"types"} if "untyped" not in chosen.carries else {"untyped"} if "types" not in chosen.carries else set()
    corpus = data.draw(
        corpora(kinds, TAME, frozenset(has), chosen.carries, ENDNOTES if name in OF_ENDNOTES else TAME), label="corpus"
    )
    if name in ("levels", "rs3") or (name == "brackets" and corpus.kind == "nested"):
        tidy = {(a.item, a.track): data.draw(tidy_hierarchies(a.marks.length, a.marks.units)) for a in corpus}
        if name == "brackets":
            tidy = {key: marks.renumbered() for key, marks in tidy.items()}
        if name == "rs3":  # what two groups cover is one segment
            once = {key: (sorted({row[:2] for row in marks.spans}), marks) for key, marks in tidy.items()}
            tidy = {k: cs.Hierarchy.from_spans(s, length=m.length, units=m.units) for k, (s, m) in once.items()}
        corpus = cs.Corpus.from_annotations([a._replace(marks=tidy[a.item, a.track]) for a in corpus])
    assume(len(corpus.positions) or not corpus.typed)
    corpus = without_names(chosen, corpus)
    assert losses(corpus, chosen) == []
    with tempfile.TemporaryDirectory() as folder:
        read = again(corpus, name, folder)
    assert read == corpus
    assert read.labels == corpus.labels
    assert read.typed == corpus.typed


@settings(max_examples=30)
@given(corpus=corpora(may=frozenset(FEATURES)))
def test_any_corpus_survives_or_is_refused(corpus):
    for name in WRITABLE:  # drawing a corpus takes longer than writing it
        note(f"format: {name}")
        chosen = named_format(name)
        with tempfile.TemporaryDirectory() as folder:
            if losses(corpus, chosen):
                with pytest.raises(cs.FormatError, match=r"would lose|cannot hold"):
                    again(corpus, name, folder)
                assert list(Path(folder).iterdir()) == []
            else:
                renamed = without_names(chosen, corpus)
                read = again(renamed, name, folder)
                assert read == renamed
                assert read.labels == renamed.labels or not len(renamed.positions)


@pytest.mark.filterwarnings("ignore:.* left out")
@settings(max_examples=12)
@given(corpus=corpora(may=frozenset(FEATURES), strings=TAME))
def test_lossy_writing_succeeds_or_is_refused(corpus):
    """A corpus that was written with losses can be read, and loses nothing the second time."""
    for name in WRITABLE:
        note(f"format: {name}")
        chosen = named_format(name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file{chosen.suffixes[0]}"
            try:
                cs.write(corpus, path, name, lossy=True)
            except cs.CaesuraError:
                assert list(Path(folder).iterdir()) == []
                continue
            read = cs.read(path, name)
        assert features(read) - {"type order"} <= chosen.carries


def test_every_feature_is_used_by_a_format():
    assert {what for f in all_formats() for what in f.carries} <= set(FEATURES)
    assert named_format("caesura-json").carries == set(FEATURES)


@pytest.mark.parametrize("name", ["caesura-json", "caesura-jsonl", "parquet"])
def test_empty_corpus_survives(name, tmp_path):
    corpus = cs.Corpus.from_annotations([])
    cs.write(corpus, tmp_path / "x", name)
    assert cs.read(tmp_path / "x", name) == corpus
