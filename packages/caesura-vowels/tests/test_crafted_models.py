"""Model files that were made to do harm: valid checksums, but wrong numbers, types and shapes. Each is refused with one sentence, or works."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.errors import CaesuraError, FormatError
from caesura_vowels import VowelRestorer, ready
from caesura_vowels.kernels.ngrams import SEED
from caesura_vowels.lexicon import MAX_FORMS, Lexicon, read_lines
from caesura_vowels.models import Hmm
from caesura_vowels.nets.onnx_file import _fields, check_onnx
from caesura_vowels.neural import Neural
from caesura_vowels.samples import HEBREW as SAMPLE
from caesura_vowels.scripts import HEBREW
from caesura_vowels.storage import StoredArrays, decode_strings, encode_strings, load_model, save_model
from caesura_vowels.taggers import Tagger, _check_choices

#: Mutated files per kind of model; many more with CAESURA_EXHAUSTIVE.
CASES = 1500 if os.environ.get("CAESURA_EXHAUSTIVE") else 35
TEXT = "בראשית ברא אלהים את השמים ואת הארץ זזז\nויאמר אלהים יהי אור קלמנופ"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A file with a model of each kind; the tagger's tables are replaced by short ones, because writing 32 MB a hundred times takes too long."""
    folder = tmp_path_factory.mktemp("models")
    for kind in ("unigram", "hmm", "open", "best"):
        VowelRestorer("hebrew", kind, held_out=0, epochs=1).fit(SAMPLE).save(folder / f"{kind}.model")
    random = np.random.default_rng(1)
    short = {"chooser_weights": random.integers(-127, 128, size=512).astype(np.int8)}
    for way in ("forward", "backward"):
        short[f"{way}_weights"] = random.normal(size=1024 + 64).astype(np.float16)
        short[f"{way}_kept"] = np.full(128, 255, np.uint8)
    crafted(folder / "best.model", lambda arrays: arrays.update(short), folder / "best.model")
    return folder


def use(path: Path) -> None:
    """Load a model and do everything with it; whatever happens, it is a sentence."""
    restorer = VowelRestorer.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        restored = restorer.restore(TEXT)
        assert restorer.script.strip(restored) == TEXT
        restorer.restore(TEXT.replace("ת", "תַ"))
        assert restorer.restore_nbest(TEXT, 3)


def mutate(header, arrays, random):
    """Change one array or one entry of the header."""
    header, arrays = json.loads(json.dumps(header)), {name: array.copy() for name, array in arrays.items()}
    name = random.choice(sorted(arrays))
    array = arrays[name]
    way = random.integers(10)
    flat = array.reshape(-1)
    if way < 4 and flat.size:  # numbers, mostly of extreme size
        at = random.integers(flat.size, size=random.integers(1, 4))
        if array.dtype.kind == "f":
            flat[at] = random.choice([np.nan, np.inf, -np.inf, 6e4, -6e4, 0.0])
        else:
            span = np.iinfo(array.dtype)
            flat[at] = random.choice(np.array([span.min, span.max, 0, 1, span.max // 2], array.dtype))
    elif way == 4 and flat.size:  # small steps, which stay in range but break an order
        flat[random.integers(flat.size)] += np.array(1, array.dtype)
    elif way == 5:
        arrays[name] = array[: random.integers(array.shape[0] + 1)]
    elif way == 6:
        arrays[name] = np.concatenate([array, array])
    elif way == 7:
        with np.errstate(invalid="ignore"):
            arrays[name] = array.astype(random.choice([np.int8, np.float32, np.int64, np.uint64, np.bool_]))
    elif way == 8:
        arrays[name] = (array[None], array[::-1], array[:0])[random.integers(3)]
    else:
        values = [None, -1, 10**12, "x", [], {}, 0.5, "best", "arabic", "neural", True]
        key = random.choice(sorted(header["parameters"]))
        header["parameters"][key] = values[random.integers(len(values))]
    if random.random() < 0.1:
        arrays.pop(name)
    return header, arrays


@pytest.mark.parametrize("kind", ["unigram", "hmm", "open", "best"])
def test_changed_numbers_types_and_shapes_never_do_harm(models, kind, tmp_path):
    header, arrays = read(models / f"{kind}.model")
    target = tmp_path / "crafted.model"
    refused = []
    for seed in range(CASES):
        save_model(target, *mutate(header, arrays, np.random.default_rng([seed, len(kind)])))
        try:
            use(target)
        except CaesuraError as fault:
            refused.append(str(fault))
    assert len(refused) > CASES // 3
    assert max(map(len, refused)) < 600


def read(path):
    """The header, without what is computed when a file is written, and the arrays."""
    header, arrays = load_model(path)
    return {key: value for key, value in header.items() if key not in ("arrays", "bytes", "sha256")}, dict(arrays)


def crafted(path, change, target):
    """Write a model with other arrays and a valid checksum."""
    header, arrays = read(path)
    change(arrays)
    save_model(target, header, arrays)
    return target


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        ("unigram", lambda a: a.update(lexicon_first=a["lexicon_first"][::-1]), "does not divide"),
        ("unigram", lambda a: a.update(lexicon_first=a["lexicon_first"].astype(float)), "has the type float64"),
        ("unigram", lambda a: a.update(lexicon_counts=a["lexicon_counts"][1:]), "has the shape"),
        ("unigram", lambda a: a.update(lexicon_counts=-a["lexicon_counts"]), "expected 0 or more"),
        ("unigram", lambda a: a.update(lexicon_bare=a["lexicon_pointed"]), "lexicon_first has the shape"),
        ("unigram", lambda a: a.update(lexicon_bare=encode_strings(["א"] * 3)), "has an entry twice"),
        ("unigram", lambda a: a.pop("lexicon_first"), "lexicon_first"),
        ("hmm", lambda a: a.update(second=a["second"] + 10**6), "has values from"),
        ("hmm", lambda a: a.update(first=a["first"][::-1].copy()), "not sorted"),
        ("hmm", lambda a: a.update(log_seen=a["log_seen"] * np.float32(np.nan)), "or NaN"),
        ("hmm", lambda a: a.update(log_word=a["log_word"][1:]), "has the shape"),
        ("open", lambda a: a.update(letter_marks=a["letter_marks"] + 1000), "has values from"),
        ("open", lambda a: a.update(word_order=np.array([900])), "expected 2 to 3"),
        ("open", lambda a: a.update(letter_keys=a["letter_keys"][::-1].copy()), "not sorted"),
        ("open", lambda a: a.update(letter_keys=np.where(a["letter_keys"] == SEED, SEED + np.uint64(1), a["letter_keys"])), "lack the empty"),
        ("open", lambda a: a.update(letter_logs=a["letter_logs"][:-1]), "has the shape"),
        ("best", lambda a: a.update(forward_weights=a["forward_weights"][:-1]), "a power of two and 64 more"),
        ("best", lambda a: a.update(backward_kept=a["backward_kept"][1:]), "has the shape"),
        ("best", lambda a: a.update(chooser_weights=a["chooser_weights"][1:]), "expected a power of two"),
        ("best", lambda a: a.update(chooser_looks=a["chooser_looks"][1:]), "has the shape"),
        ("best", lambda a: a.update(chooser_step=np.array([np.nan])), "or NaN"),
    ],
)  # fmt: skip
def test_sentence_names_the_array(models, kind, change, sentence, tmp_path):
    with pytest.raises(FormatError, match=sentence):
        VowelRestorer.load(crafted(models / f"{kind}.model", change, tmp_path / "x.model"))


def test_letter_ngrams_without_the_start_of_a_word_are_refused(models, tmp_path):

    def only_empty(arrays):
        kept = arrays["letter_keys"] == SEED
        for name in ("letter_keys", "letter_logs", "letter_weights"):
            arrays[name] = arrays[name][kept]

    with pytest.raises(CaesuraError, match="start of a word"):
        VowelRestorer.load(crafted(models / "open.model", only_empty, tmp_path / "x.model")).restore(TEXT)


def test_calibration_must_rise():
    curve = np.array([[0.0, 1.0], [0.2, 0.9]])
    from caesura_vowels.calibration import Calibration

    assert Calibration.from_arrays(StoredArrays({"calibration_known": curve, "calibration_unseen": curve})) is not None
    for wrong in (curve[:, ::-1], curve * np.nan, curve + 5, curve[:1], curve.astype(int)):
        with pytest.raises(ValueError, match="calibration_known"):
            Calibration.from_arrays(StoredArrays({"calibration_known": wrong, "calibration_unseen": curve}))


def test_lists_of_words_have_a_limit(monkeypatch):
    stored = encode_strings(["א" * 1000] * 1000)
    assert len(decode_strings(stored)) == 1000
    monkeypatch.setattr("caesura_vowels.storage._MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="more than 10000 bytes"):
        decode_strings(stored)


@pytest.mark.parametrize(
    "row",
    [
        ["<i4", [10], 32],
        ["<i4", [-1], 0],
        ["<i4", [10**15], 0],
        ["<i4", [2], -64],
        ["<i4", ["2"], 0],
        ["O", [1], 0],
        [">i4", [1], 0],
    ],
)
def test_table_of_arrays_is_checked(row, tmp_path):
    payload = bytes(128)
    header = {"arrays": {"x": row}, "bytes": 128, "sha256": hashlib.sha256(payload).hexdigest(), "parameters": {}}
    path = tmp_path / "x.model"
    path.write_bytes(b"caesura vowel model 5\n" + json.dumps(header).encode() + b"\n" + payload)
    with pytest.raises(FormatError, match="its arrays cannot be read"):
        load_model(path)


def test_deeply_nested_header_is_refused(tmp_path):
    path = tmp_path / "x.model"
    path.write_bytes(b"caesura vowel model 5\n" + b"[" * 200_000 + b"\n")
    with pytest.raises(FormatError, match="checksum"):
        load_model(path)


def test_file_cannot_name_other_files(models, tmp_path):
    header, arrays = read(models / "unigram.model")
    header["parameters"]["network"] = "/etc/passwd"
    save_model(tmp_path / "x.model", header, arrays)
    with pytest.raises(FormatError, match="parameter network"):
        VowelRestorer.load(tmp_path / "x.model")


def test_bigrams_with_equal_hashes_are_told_apart(monkeypatch):
    """All pairs of words get the same hash: nothing is written outside the forms of a word, and results are those without bigrams."""
    lexicon, lines = read_lines(SAMPLE, HEBREW)
    model = Hmm.fit(HEBREW, lexicon, lines, {"rare": 3}, lambda what, share: None)
    grams = model._bigrams
    model._bigrams = grams._replace(places=np.where(grams.places >= 0, 0, grams.places).astype(grams.places.dtype))
    restorer = VowelRestorer("hebrew", "hmm")
    restorer._fitted = model
    text = "\n".join(HEBREW.strip(line) for line in SAMPLE)
    assert HEBREW.strip(restorer.restore(text)) == text
    assert restorer.restore_nbest(text)


def test_word_with_too_many_forms_is_refused():
    marks = list(HEBREW.slots[2])
    forms = {"א" + a + "ב" + b + "ג" + c for a in marks for b in marks for c in marks}
    assert len(forms) > MAX_FORMS
    with pytest.raises(CaesuraError, match="different forms in the training text"):
        read_lines(sorted(forms), HEBREW)


def test_letter_with_too_many_choices_is_refused(models):
    restorer = VowelRestorer.load(models / "best.model")
    alphabet = restorer.fitted.alphabet
    _check_choices(alphabet)
    wide = replace(alphabet, first=np.array([0, 100]), letters=("א",))
    with pytest.raises(CaesuraError, match="has 100 combinations of marks"):
        _check_choices(wide)
    with pytest.raises(CaesuraError, match="at most 64"):
        Tagger.from_arrays(StoredArrays({}), "forward", wide)


def test_lexicon_with_other_letters_is_refused():
    stored = {
        "lexicon_bare": encode_strings(["אב"]),
        "lexicon_pointed": encode_strings(["אָג"]),
        "lexicon_first": np.array([0, 1]),
        "lexicon_counts": np.array([1]),
    }
    with pytest.raises(ValueError, match="other letters"):
        Lexicon.from_arrays(HEBREW, StoredArrays(stored))


# ---------------------------------------------------------------------- networks


def field(number: int, content: bytes | int) -> bytes:
    """One field of a Protocol Buffers message."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    size = len(content)
    length = b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    tag = number << 3 | 2
    return (bytes([tag]) if tag < 128 else bytes([tag & 127 | 128, tag >> 7])) + length + bytes([size]) + content


def onnx(tensor: bytes = b"", attribute: bytes = b"") -> bytes:
    return field(7, field(1, field(5, attribute)) + field(5, tensor))


@pytest.mark.parametrize(
    ("stored", "sentence"),
    [
        (onnx(field(2, 1) + field(9, np.array([1, np.nan], np.float32).tobytes())), "NaN"),
        (onnx(field(2, 10) + field(9, np.array([1, np.inf], np.float16).tobytes())), "NaN"),
        (onnx(field(2, 1) + field(4, np.array([-np.inf], np.float32).tobytes())), "NaN"),
        (onnx(field(2, 1) + field(13, b"x")), "another file"),
        (onnx(field(2, 1) + field(14, 1)), "another file"),
        (onnx(attribute=field(6, b"")), "a loop"),
        (onnx(attribute=field(5, field(2, 1) + field(9, np.array([np.nan], np.float32).tobytes()))), "NaN"),
        (onnx() + field(25, b""), "functions"),
        (onnx()[:-1], "cut off"),
        (b"\x0f", "not an ONNX file"),
        (b"", "no graph"),
    ],
)
def test_networks_with_unusual_parts_are_refused(stored, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_onnx(stored)


def test_usual_network_is_accepted():
    check_onnx(onnx(field(2, 1) + field(9, np.ones(300, np.float32).tobytes()) + field(8, b"name")))


def test_nan_before_an_8_bit_product_is_noticed():
    """The product would turn NaN into finite numbers; the weights are checked instead."""
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = ready("hebrew-biblical", small=True)
    fitted = restorer.fitted
    graph = next(value for number, value in _fields(memoryview(fitted.network.stored)) if number == 7)
    tensors = [dict(_fields(value)) for number, value in _fields(graph) if number == 5]
    weights = max((bytes(each[9]) for each in tensors if each[2] == 1), key=len)  # the longest tensor of 32-bit floats
    stored = fitted.network.stored.replace(weights, weights[:-4] + np.array([np.nan], np.float32).tobytes())
    broken = Neural(restorer.script, fitted.lexicon, replace(fitted.network, stored=stored))
    restorer._fitted = broken
    with pytest.raises(CaesuraError, match="cannot be loaded: it has NaN"):
        restorer.restore(TEXT)
