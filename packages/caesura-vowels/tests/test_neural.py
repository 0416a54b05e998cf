"""The neural model: what ships answers at once, obeys given marks, and does not depend on what stands beside a line."""

import itertools
import json
import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from caesura.errors import CaesuraError, MissingExtra
from caesura_vowels import VowelRestorer, ready
from caesura_vowels.lexicon import SpelledWords, read_lines
from caesura_vowels.models import Words
from caesura_vowels.nets.text import Tables, number_lines, pack_rows, split_into_pieces
from caesura_vowels.network import Network, _cut, marks_by_slot
from caesura_vowels.neural import Neural, make_network, spell_lines
from caesura_vowels.restorer import SHIPPED_MODELS
from caesura_vowels.samples import HEBREW as SAMPLE
from caesura_vowels.scripts import HEBREW, SCRIPTS
from caesura_vowels.storage import StoredArrays
from cli.command import caesura, refused

GENESIS = "בראשית ברא אלהים את השמים ואת הארץ"
FATIHA = "بسم الله الرحمن الرحيم"


@pytest.fixture(scope="module", params=["hebrew-biblical", "arabic-quranic"])
def small(request):
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    return ready(request.param, small=True)


def text_of(restorer):
    return GENESIS if restorer.language == "hebrew" else FATIHA


def test_shipped_models_are_small_and_name_their_sources():
    assert sum(file.stat().st_size for file in SHIPPED_MODELS.glob("*.model")) < 59.2e6  # with the code less than 60 MB
    notice = (SHIPPED_MODELS / "NOTICE.md").read_text(encoding="utf-8")
    for file in SHIPPED_MODELS.glob("*.model"):
        assert VowelRestorer.load(file).notice.split("(")[0].strip() in notice.replace("\n", " ")


def test_shipped_models_contain_no_paths():
    """The exporter notes the source file of every node; none of that is kept."""
    for file in SHIPPED_MODELS.glob("*.model"):
        content = file.read_bytes()
        assert b'File "' not in content
        assert b"stack_trace" not in content
        assert b"/home/" not in content
        assert b".py, line" not in content


def test_shipped_models_restore_well_known_verses():
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    known = {
        "hebrew": (GENESIS, "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ"),
        "arabic": (FATIHA, "بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ"),
    }
    for language, (bare, marked) in known.items():
        in_order = " ".join(SCRIPTS[language].canonical(word) for word in marked.split())
        assert ready({"hebrew": "hebrew-biblical", "arabic": "arabic-quranic"}[language]).restore(bare) == in_order


def test_only_marks_are_added(small):
    text = f"  {text_of(small)}, 12 abc —\n\n{text_of(small)}!\r\n"
    restored = small.restore(text)
    assert restored != text
    assert small.script.strip(restored) == text


def test_result_of_a_line_does_not_depend_on_other_lines(small):
    words = text_of(small).split()
    lines = [" ".join(words[i:] + words[:i]) for i in range(len(words))] * 40
    assert small.restore("\n".join(lines)).split("\n") == [small.restore(line) for line in lines[: len(words)]] * 40


def test_marks_in_the_text_decide(small):
    """Whatever the network would write, a vowel that is given stays, and every form offered has it."""
    letter, rest = text_of(small)[0], text_of(small)[1:]
    for mark in small.script.slots[-1 if small.language == "hebrew" else 1][:7]:
        given = letter + mark + rest
        assert mark in small.script.split(small.restore(given).split()[0])[0].marks
        assert all(mark in small.script.split(form)[0].marks for form, _ in small.restore_nbest(given)[0].alternatives)


def test_best_form_is_the_restored_one(small):
    words = small.restore_nbest(text_of(small), 8)
    assert " ".join(word.alternatives[0][0] for word in words) == small.restore(text_of(small))
    for word in words:
        shares = [share for _, share in word.alternatives]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-9
        assert len({form for form, _ in word.alternatives}) == len(shares)


def test_forms_match_exhaustive_products_of_letters(small):
    """The eight forms kept are the eight likeliest of all, found by trying every one."""
    word = text_of(small).split()[1][:3]
    given = Words([word], np.array([0, 1]), np.zeros(1, bool))
    _, logs = small.fitted.scores.choice_scores(given)
    rows = [[x for x in row if np.isfinite(x)] for row in logs]
    every = sorted((float(np.exp(sum(x))) for x in itertools.product(*rows)), reverse=True)
    ours = [share for _, share in small.fitted.alternatives(given)[0]]
    assert ours == pytest.approx(every[: len(ours)], rel=1e-9)


def test_other_kinds_of_text_cause_a_warning():
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = ready("hebrew-biblical", small=True)
    with pytest.warns(
        UserWarning, match="of the words of this text are unknown to the model, which was made for the Hebrew"
    ):
        restorer.restore(" ".join(["טלוויזיה", "מחשבים", "אינטרנט"] * 10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        restorer.restore(" ".join([GENESIS] * 5))


@pytest.mark.filterwarnings("ignore:.*new to the model")
def test_long_lines_and_words_are_restored(small):
    word = text_of(small).split()[0]
    for text in (" ".join([word] * 1000), word[0] * 6_000):  # more than ten pieces, each a batch
        assert small.script.strip(small.restore(text)) == text


def test_number_of_threads_does_not_change_the_result(small, monkeypatch):
    text = "\n".join(" ".join(text_of(small).split()[n % 3 :]) for n in range(80))  # more than one batch
    answers = []
    for cores in (1, 4):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        answers.append((small.restore(text), small.restore_nbest(text, 3)))
    assert answers[0] == answers[1]


def test_pieces_of_long_lines_overlap_and_cover_the_line():
    random = np.random.default_rng(3)
    for length, spaces in ((384, 0.2), (385, 0.2), (2000, 0.2), (2000, 0.0), (1, 0.0)):
        line = np.where(random.random(length) < spaces, 3, 9).tolist()
        pieces = list(_cut([9, 9, *line, 9], 2, 2 + length, 3))
        kept = [(piece.low, piece.high) for piece in pieces]
        assert [low for low, _ in kept] == [2, *(high for _, high in kept[:-1])]
        assert kept[-1][1] == length + 2
        for piece in pieces:
            assert piece.stop - piece.start <= 384
            assert piece.start == 2 or piece.low - piece.start >= 48
            assert piece.stop == length + 2 or piece.stop - piece.high >= 48


def test_a_general_network_reads_short_lines_of_a_paragraph_together():
    general = Network(("<pad>", "<hidden>", "<other>", "<kind 0>", " ", "א"), 5, (), (), b"")
    gaps = ["", "\n", "\r\n", "\n\n", "\n12\n", "\n"]  # between six words, one per line
    words = Words(["א"] * 5, np.arange(6), np.zeros(5, bool), gaps=gaps)
    text = SpelledWords(np.zeros(5, np.int64), np.zeros(5, np.int64), np.zeros(5, np.int64), np.arange(6))

    def read(network, context="paragraph", lines=words):
        lines.context = context
        cells = network._lay_out(lines, text, ["א"])
        return ["".join(network.symbols[n] for n in cells.symbols[p.start : p.stop]) for p in cells.pieces]

    assert read(general) == ["א א א", "א", "א"]  # an empty line or another line ends a paragraph
    assert read(general, "line") == ["א"] * 5
    assert read(replace(general, symbols=("<pad>", "<hidden>", "<other>", "x", " ", "א"))) == ["א"] * 5
    long = Words(["א" * 100] * 3, np.arange(4), np.zeros(3, bool), gaps=["", "\n", "\n", "\n"])
    text = SpelledWords(
        np.zeros(300, np.int64), np.zeros(300, np.int64), np.zeros(300, np.int64), np.arange(0, 301, 100)
    )
    assert [len(piece) for piece in read(general, lines=long)] == [100] * 3  # together they would be too long


def test_letter_with_a_sign_is_read_as_two_symbols():
    words = Words(["\u05d0\u05d5\u05f4\u05dd"], np.array([0, 1]), np.zeros(1, bool))  # alef, vav with gershayim, mem
    text = SpelledWords(np.arange(3), np.zeros(3, np.int64), np.zeros(3, np.int64), np.array([0, 3]))
    letters = ["\u05d0", "\u05d5\u05f4", "\u05dd"]
    apart = Network(("<pad>", "<hidden>", "<other>", " ", '"', "\u05d0", "\u05d5", "\u05dd"), 5, (), (), b"")
    cells = apart._lay_out(words, text, letters)
    assert "".join(apart.symbols[n] for n in cells.symbols) == ' \u05d0\u05d5"\u05dd '
    assert cells.rows.tolist() == [-1, 0, 1, -1, 2, -1]
    without = replace(apart, symbols=tuple(s for s in apart.symbols if s != '"'))
    assert "<other>" not in [without.symbols[n] for n in without._lay_out(words, text, letters).symbols]
    together = replace(apart, symbols=(*apart.symbols, "\u05d5\u05f4"))
    assert "\u05d5\u05f4" in [together.symbols[n] for n in together._lay_out(words, text, letters).symbols]


def test_damaged_or_unsuitable_network_is_refused(small):
    fitted = small.fitted
    for stored, words in ((b"not a network", "cannot be loaded"), (fitted.network.stored[:1000], "cannot be loaded")):
        broken = Neural(small.script, fitted.lexicon, replace(fitted.network, stored=stored))
        with pytest.raises(CaesuraError, match=words):
            broken.decode(_words(text_of(small)))
    other = Neural(small.script, fitted.lexicon, replace(fitted.network, slots=(("", "x"),) * 3))
    with pytest.raises(CaesuraError, match="is of another kind"):
        other.decode(_words(text_of(small)))
    with pytest.raises(CaesuraError, match="is of another kind"):
        Neural(small.script, fitted.lexicon, replace(fitted.network, slots=(("", "x"),)))


def test_network_that_returns_nan_is_refused(small):
    network = replace(small.fitted.network)
    columns = sum(map(len, network.slots))
    silent = SimpleNamespace(run=lambda _, given: [np.full((*given["letters"].shape, columns), np.nan, np.float32)])
    network.__dict__.update(session=silent, _inputs=["letters", "lines"])
    with pytest.raises(CaesuraError, match="returns NaN"):
        Neural(small.script, small.fitted.lexicon, network).decode(_words(text_of(small)))


def test_empty_slot_is_kept(small):
    network = replace(small.fitted.network, slots=(*small.fitted.network.slots, ("",)))
    assert Network.from_arrays(StoredArrays(network.arrays())).slots == network.slots


def test_the_middle_of_a_long_gap_is_not_read():
    """Five million Latin letters after one word took minutes."""
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    general = ready("hebrew", small=True)
    assert len(general.fitted.network._gap_numbers("x" * 1000)) == 96
    some, many = (general.restore(f"בראשית {'x' * n} ברא") for n in (200, 20_000))
    assert some.replace("x", "") == many.replace("x", "") != "בראשית  ברא"


def _words(text):
    words = text.split()
    return Words(words, np.array([0, len(words)]), np.zeros(len(words), bool))


def test_missing_onnxruntime_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'caesura\[neural\]'"):
        ready("hebrew-biblical", small=True).restore(GENESIS)


def test_missing_pytorch_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(MissingExtra, match=r"pip install 'caesura\[train\]'"):
        VowelRestorer("hebrew", "neural").fit(SAMPLE)


def test_command_line_matches_python(tmp_path):
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    text = tmp_path / "text.txt"
    text.write_text(GENESIS + "\n", encoding="utf-8")
    done = caesura("vowels", "restore", "--language", "hebrew", "--small", text)
    assert (done.returncode, done.stdout) == (0, ready("hebrew", small=True).restore(GENESIS + "\n"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--small", "x.model"), "add --language"),
        ((), "no model is given"),
        (("--language", "hebrew", "x.model", "text.txt"), "uses the shipped model"),
        (("--language", "klingon"), "klingon"),
    ],
)
def test_incompatible_options_are_refused(arguments, sentence):
    assert sentence in refused("vowels", "restore", *arguments)


# ---------------------------------------------------------------------- text as numbers, and a training


def test_marks_are_split_by_slot_without_loss():
    for script in SCRIPTS.values():
        for marks in script.targets:
            assert "".join(marks_by_slot(marks, script)) == marks
    assert marks_by_slot("ׁ" + "ּ" + "ָ", HEBREW) == ["ׁ", "ּ", "ָ"]


def test_numbered_lines_can_be_decoded():
    lexicon, lines = read_lines(SAMPLE, HEBREW)
    cells = spell_lines(HEBREW, lexicon, lines)
    written = ["".join(c + ("" if m is None else "".join(m)) for c, m in line) for line in cells]
    assert written == [" ".join(HEBREW.canonical(w) for w in line.split()) for line in SAMPLE]
    none = np.zeros(0, np.int64)
    data = number_lines(cells, np.arange(len(cells)), none, none, 3)
    symbols = data["meta"]["symbols"]
    assert "".join(symbols[n] for n in data["symbols"]) == "".join(c for line in cells for c, _ in line)


def test_rows_contain_every_letter_once():
    symbols = np.array([5, 4, 4, 5, 4, 4, 4, 5, 4])
    pieces = split_into_pieces(symbols, np.array([0, 9]), 5, 4)
    assert pieces == [(0, 4), (4, 8), (8, 9)]
    places, lines = pack_rows(pieces, np.arange(3), 10)
    assert sorted(places[places >= 0].tolist()) == list(range(9))
    assert ((places >= 0) == (lines > 0)).all()
    places, lines = pack_rows(pieces, np.arange(3), 12, np.array([False, True, False]))
    assert places[0].tolist() == [
        0,
        1,
        2,
        3,
        -2,
        4,
        5,
        6,
        7,
        -1,
        -1,
        -1,
    ]  # the second goes on the first, behind a space
    assert lines[0].tolist() == [1] * 9 + [0] * 3
    assert (places[1].tolist(), lines[1].tolist()) == ([8] + [-1] * 11, [1] + [0] * 11)


def test_pytorch_and_onnx_give_the_same_marks(tmp_path):
    """Train on the sample, export, and compare every letter's choice."""
    for library in ("torch", "onnxscript", "onnxruntime"):
        pytest.importorskip(library, reason="the extra 'train' is not installed")
    from caesura_vowels.nets import encoder, training

    lexicon, lines = read_lines(SAMPLE, HEBREW)
    cells = spell_lines(HEBREW, lexicon, lines)
    none = np.zeros(0, np.int64)
    data = number_lines(cells, np.arange(len(cells)), none, np.arange(len(cells)), 3)
    config = encoder.TrainingConfig(
        width=32,
        layers=1,
        heads=4,
        words=8,
        dropout=0.0,
        rows=4,
        length=128,
        passes=400,
        rate=5e-3,
        hide_words=0.0,
        hide_letters=0.0,
    )
    log: list[str] = []
    trained = training.train_network(data, config, tmp_path, log.append)
    target = tmp_path / "network.onnx"
    assert encoder.compare_logits(target, *encoder.write_onnx(trained, target, next(encoder.sample_lines(data)))) < 1e-4
    network = make_network(data["meta"], (tmp_path / "network.onnx").read_bytes())
    model = Neural(HEBREW, lexicon, network)
    restorer = VowelRestorer("hebrew", "neural")
    restorer._fitted = model
    restorer.save(tmp_path / "tiny.model")
    again = VowelRestorer.load(tmp_path / "tiny.model")
    bare = [HEBREW.strip(line) for line in SAMPLE]
    onnx = [again.restore(line) for line in bare]
    torch_network, _, meta = encoder.load_network(trained)
    assert [_torch_restore(torch_network, meta, model, line) for line in bare] == onnx
    assert onnx != bare
    states, convolution = torch_network.embedding.weight[None], torch_network.blocks[0].convolution
    shifted, plain = (f(states, convolution) for f in (encoder.convolve_by_shifts, encoder.convolve_depthwise))
    assert (shifted - plain).abs().max() < 1e-5 < plain.abs().max()  # one on a GPU, the other where it is exported
    encoder.export_network(trained, target, data)  # in 8 bits
    rounded = Neural(HEBREW, lexicon, make_network(data["meta"], target.read_bytes()))
    again._fitted = rounded
    assert [again.restore(line) for line in bare] == onnx
    weights = encoder.read_weights(target.read_bytes())
    assert encoder.architecture(weights) == {"width": 32, "layers": 1, "heads": 4, "convolution": 5, "words": 8}
    started = training.TrainingRun(data, config, 10, tmp_path / "none.pt")
    old = Tables(network.symbols, network.first_letter, network.slots, network.words)
    started.initialize_from((old, weights), data)
    for name, values in torch_network.state_dict().items():
        assert np.abs(started.network.state_dict()[name].numpy() - values.numpy()).max() < 0.05, name


def _torch_restore(network, meta, model, line):
    import torch

    number = {c: n for n, c in enumerate(meta["symbols"])}
    known = {"".join(meta["symbols"][n] for n in word): i for i, word in enumerate(meta["words"], 1)}
    letters = [number.get(c, 2) for c in line]
    word = [n for i, w in enumerate(line.split()) for n in [*([0] if i else []), *[known.get(w, 0)] * len(w)]]
    with torch.no_grad():
        rows = torch.tensor([letters])
        logits = network(rows, torch.ones_like(rows), torch.tensor([word]))[0].numpy()
    model = Neural(model.script, model.lexicon, model.network)
    inside = np.array([c != " " for c in line])
    edges = np.cumsum([0, *map(len, model.network.slots)])
    logs = [
        logits[:, a:b] - np.logaddexp.reduce(logits[:, a:b], axis=1, keepdims=True)
        for a, b in itertools.pairwise(edges)
    ]
    object.__setattr__(model.network, "log_probabilities", lambda *_: np.concatenate(logs, axis=1)[inside])
    try:
        return " ".join(model.decode(_words(line)))
    finally:
        object.__delattr__(model.network, "log_probabilities")


def test_general_hebrew_models_know_modern_words_with_prefixes():
    """Words that texts of a century ago lack: communications, project, chief executive, computer."""
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = ready("hebrew", small=True)
    lexicon = restorer.fitted.lexicon
    assert {"התקשורת", "בפרויקט", "המנכ״ל"} <= set(lexicon.number)
    assert HEBREW.canonical("הַמַּחְשֵׁב") in lexicon.candidates("המחשב")
    assert HEBREW.canonical(restorer.restore("התקשורת")) == HEBREW.canonical("הַתִּקְשֹׁורֶת")


def test_general_models_restore_modern_text_and_recognize_its_kind():
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    restorer = ready("hebrew", small=True)
    assert restorer.restore("הילדים משחקים") == "".join(
        HEBREW.canonical(x) if HEBREW.word.fullmatch(x) else x for x in HEBREW.word_or_gap.split("הַיְלָדִים מְשַׂחֲקִים")
    )
    assert restorer.recognize("מה שלומך היום") == "modern"
    assert ready("hebrew", small=True, kind="poetry").recognize("מה שלומך היום") == "poetry"
    with pytest.raises(CaesuraError, match="kind of text"):
        ready("hebrew", small=True, kind="legal")
    with pytest.raises(CaesuraError, match="knows no kinds"):
        ready("hebrew-biblical", small=True, kind="modern")


def test_command_names_the_kind_of_text(tmp_path):
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    text, out = tmp_path / "text.txt", tmp_path / "out.txt"
    text.write_text("מה שלומך היום\n", encoding="utf-8")
    arguments = ("vowels", "restore", "--language", "hebrew", "--small", text)
    assert caesura(*arguments, "-o", out).stderr.endswith("out.txt: modern text (recognized; --kind sets it)\n")
    assert caesura(*arguments, "-o", out, "--kind", "poetry").stderr.endswith("out.txt: poetry text\n")
    assert json.loads(caesura(*arguments, "--json").stdout)["kind"] == "modern"
    assert json.loads(caesura(*arguments, "--json", "--kind", "biblical").stdout)["kind"] == "biblical"
    assert "kind of text" in refused(*arguments, "--kind", "legal")
    assert "knows no kinds" in refused(*arguments[:3], "hebrew-biblical", text, "--kind", "modern")


def test_words_with_other_matres_prefer_the_known_forms_of_their_spelling():
    """A form of a known spelling is taken if it is at least a tenth as likely as the network's best form, prefixes included."""
    lexicon, _ = read_lines(["מִלָּה טוֹבָה", "מַלָּח רַע", "וּמִי", "גַּל"], HEBREW)
    network = replace(ready("hebrew", small=True).fitted.network)
    kinds = SimpleNamespace(names=("modern",), controls=((),), recognize=lambda words: 0)
    model = Neural(HEBREW, lexicon, network, kinds)
    for word, form in (("מילה", "מִילָּה"), ("ומילה", "וּמִילָּה")):
        letters = HEBREW.split(HEBREW.canonical(form))
        choices = model.alphabet.spell([HEBREW.canonical(form)]).choices
        widths = model.alphabet.widths[model.alphabet.spell([word]).letters]
        logs = np.where(np.arange(widths.max()) < widths[:, None], -30.0, -np.inf)
        logs[np.arange(len(letters)), choices] = 0.0
        at = len(word) - 2  # lamed has a dagesh with qamats in the known form; the network prefers its bare form
        for share, expected in ((0.11, form), (0.09, None)):
            rival = (choices[at] + 1) % widths[at]
            logs[at, choices[at]], logs[at, rival] = np.log(share / (1 + share)), np.log(1 / (1 + share))
            model.scores = SimpleNamespace(
                choice_scores=lambda words, controls, logs=logs: (model.alphabet.spell(words.words), logs)
            )
            (best,) = model.decode(_words(word))
            assert (best == HEBREW.canonical(form)) == (expected is not None)
            (forms,) = model.alternatives(_words(word))
            assert forms[0][0] == best
            assert sum(x for _, x in forms) <= 1 + 1e-9
