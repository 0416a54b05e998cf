"""``caesura vowels …``: download corpora with vowels, train restorers, restore vowels, and evaluate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

import click

from caesura.cli.command import Argument, Commands, Option, among, conflicts, not_among
from caesura.cli.command import missing as missing_option
from caesura.cli.options import Encoding, Json, Seed

if TYPE_CHECKING:
    from caesura_vowels import VowelCorpus, VowelRestorer

vowels = Commands("Restore the vowels of Hebrew and Arabic text.")

_SHOWN_FORMS = 20  # of the spellings that a model took over

Corpus = Annotated[
    str,
    Argument("hebrew-bible, quran, quran-tanzil, sample, or a text file with vowel marks."),
]
Language = Annotated[
    str | None, Option("--language", "-l", help="Language of a text file or of the sample: hebrew or arabic.")
]
Where = Annotated[Path | None, Option("--path", help="Archive or folder of the corpus; default: download it.")]
ModelName = Annotated[str, Option("--model", help="unigram, hmm, open, neural or best.")]
Epochs = Annotated[
    int | None,
    Option("--epochs", help="Passes over the text (best); default: 4, 8 or 16, as long as held-out lines improve."),
]
First = Annotated[
    list[Path] | None,
    Option(
        "--from",
        help="A model with a network, or 'ours' for the shipped one: a component of best (repeatable), or the start of training neural.",
    ),
]
Lexicon = Annotated[Path | None, Option("--lexicon", help="A file of pointed words to add to the lexicon.")]
Rare = Annotated[
    int,
    Option(
        "--rare", min=1, help="k in the paper (hmm): bigrams that occur fewer than k times estimate the unseen ones."
    ),
]
Discount = Annotated[
    str, Option("--discount", help="How bigrams are discounted (hmm): good-turing or simple-good-turing.")
]
Unseen = Annotated[str, Option("--unseen", help="What estimates unseen words (hmm): bigrams or unigrams.")]
Latin = Annotated[
    str | None,
    Option("--from-latin", help="The text is transliterated: buckwalter, michigan-claremont, tanzil or tanzil-plain."),
]
ScriptTable = Annotated[
    Path | None,
    Option("--script", help="A TOML table of the letters and marks of another script than Hebrew and Arabic."),
]
Missing = Annotated[str, Option("--missing", help="Marks to restore: all, or short (only fatha, damma and kasra).")]


@vowels.add
def corpus(
    name: Corpus,
    output: Annotated[Path | None, Option("--output", "-o", help="File to write; default: standard output.")] = None,
    path: Where = None,
    bare: Annotated[bool, Option("--bare", help="Remove the marks that a restorer would restore.")] = False,
    signs: Annotated[bool, Option("--keep-signs", help="Keep cantillation, pause signs and small letters.")] = False,
    language: Language = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Download a corpus and write it, one line per verse, with its licence notice.

    Example: caesura vowels corpus hebrew-bible -o bible.txt
    """
    from caesura.cli.io import as_json, working
    from caesura.files import atomic_write
    from caesura_vowels.scripts import script

    with working(f"loading {name}"):
        chosen = _corpus(name, path, language, keep_signs=signs, encoding=encoding)
    lines = [script(chosen.language).strip(line) for line in chosen.lines] if bare else list(chosen.lines)
    content = "\n".join(lines) + "\n"
    if output is not None:
        atomic_write(output, content)
        if chosen.notice:
            atomic_write(output.with_name(output.name + ".LICENCE"), chosen.notice + "\n")
    elif not json:
        _write(content)
    if chosen.notice:
        click.echo(chosen.notice, err=True)
    words = sum(len(script(chosen.language).word.findall(line)) for line in chosen.lines)
    if json:
        as_json(
            {
                "corpus": chosen.name,
                "language": chosen.language,
                "lines": len(chosen),
                "words": words,
                "notice": chosen.notice,
            }
        )
    elif output is not None:
        click.echo(f"{output}: {len(chosen)} lines, {words} words")


@vowels.add
def train(
    name: Corpus,
    output: Annotated[Path, Option("--output", "-o", help="The model file to write.")],
    model: ModelName = "hmm",
    missing: Missing = "all",
    language: Language = None,
    path: Where = None,
    lexicon: Lexicon = None,
    rare: Rare = 3,
    discount: Discount = "good-turing",
    unseen: Unseen = "bigrams",
    epochs: Epochs = None,
    first: First = None,
    held: Annotated[
        Path | None,
        Option(
            "--held",
            help="A text with vowels to validate on, whose spelling of frequent words is followed; default: hold out lines.",
        ),
    ] = None,
    latin: Latin = None,
    table: ScriptTable = None,
    seed: Seed = 0,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Train a restorer on a text with vowels.

    Example: caesura vowels train hebrew-bible --model best -o hebrew.model
    """
    from time import perf_counter

    from caesura.cli.io import as_json
    from caesura.files import check_target
    from caesura_vowels import VowelRestorer

    check_target(output)
    chosen = _corpus(name, path, _script_name(table) or language, encoding=encoding, latin=latin)
    make: Any = VowelRestorer
    restorer = make(
        chosen.language, model, missing=missing, lexicon=_words_of(lexicon), rare=rare, discount=discount, unseen=unseen, epochs=epochs, seed=seed,
        network=_network_files(first, chosen.language),
    )  # fmt: skip
    restorer.notice = chosen.notice
    validation = () if held is None else _text_lines(held, chosen.language, encoding, latin)
    start = perf_counter()
    with _progress() as report:
        restorer.fit(chosen.lines, held=validation, progress=report)
    taken = perf_counter() - start
    restorer.save(output)
    size = output.stat().st_size
    if chosen.notice:
        click.echo(chosen.notice, err=True)
    if json:
        as_json(
            {
                "written": str(output), "model": model, "language": chosen.language, "seconds": taken, "bytes": size,
                "validation": restorer.validation, "rehearsed": restorer.validation,  # the deprecated name
                "conventions": restorer.conventions,
            }
        )  # fmt: skip
    else:
        click.echo(f"{output}: {restorer!r}, {taken:.1f} s, {size / 1e6:.1f} MB")
        if restorer.validation:
            click.echo(_describe_validation(**restorer.validation))
        if restorer.conventions:
            forms = list(restorer.conventions.values())
            rest = f" and {len(forms) - _SHOWN_FORMS} more" if len(forms) > _SHOWN_FORMS else ""
            click.echo(f"spellings taken from {held}: {', '.join(forms[:_SHOWN_FORMS])}{rest}")


@vowels.add
def restore(
    model: Annotated[
        Path | None, Argument("A model file written by `caesura vowels train`; with --language, the text.")
    ] = None,
    file: Annotated[Path | None, Argument("The text; default: standard input.")] = None,
    language: Annotated[
        str | None,
        Option("--language", "-l", help="Use a shipped model: hebrew, arabic, hebrew-biblical or arabic-quranic."),
    ] = None,
    small: Annotated[
        bool, Option("--small", help="With --language: the small model, faster and slightly less accurate.")
    ] = False,
    nbest: Annotated[int | None, Option("--nbest", "-n", help="List this many forms of every word.")] = None,
    existing: Annotated[
        str, Option("--existing", help="Marks in the text: keep them and fill in missing ones, or replace them.")
    ] = "keep",
    context: Annotated[
        Literal["paragraph", "line"],
        Option(
            "--context",
            help="What a general network reads together: the short lines of a paragraph, or each line alone.",
        ),
    ] = "paragraph",
    level: Annotated[
        Literal["all", "ambiguous", "stems"],
        Option("--level", help="Marks to write: all, those that tell readings apart, or all but Arabic case endings."),
    ] = "all",
    kind: Annotated[
        str | None,
        Option(
            "--kind",
            help="The kind of text that a general model assumes, such as modern or poetry; default: recognized.",
        ),
    ] = None,
    qamats_qatan: Annotated[
        bool,
        Option("--qamats-qatan", help="Mark a qamats that is certainly read o as qamats qatan (U+05C7); Hebrew only."),
    ] = False,
    tier: Annotated[
        str | None, Option("--tier", help="The only tier of a TextGrid or ELAN file to restore; default: all.")
    ] = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="File to write; required for Word, TextGrid and ELAN files.")
    ] = None,
    colour: Annotated[
        bool | None, Option("--colour/--no-colour", help="Colour doubtful words; default: in a terminal.")
    ] = None,
    latin: Latin = None,
    to_latin: Annotated[
        str | None,
        Option(
            "--to-latin", help="Write the restored words in Latin letters: buckwalter, michigan-claremont or phonetic."
        ),
    ] = None,
    page: Annotated[
        Path | None,
        Option("--page", help="Write an HTML page with doubtful letters marked and other forms of a word on hover."),
    ] = None,
    encoding: Annotated[
        str | None,
        Option("--encoding", help="Encoding of a text, such as cp1255; default UTF-8 or UTF-16. The result is UTF-8."),
    ] = None,
    json: Json = False,
) -> None:
    """Restore the vowels of a text; everything but the marks stays as it is.

    Example: echo 'בראשית ברא' | caesura vowels restore --language hebrew
    """
    from caesura.errors import CaesuraError
    from caesura.files import atomic_write, check_target
    from caesura_vowels import restored_text
    from caesura_vowels.transliteration import from_latin
    from caesura_vowels.transliteration import to_latin as transliterate

    if output is not None:
        check_target(output)
    changes = {"existing": existing, "context": context, "level": level, "kind": kind, "qamats_qatan": qamats_qatan}
    restorer, file = _restorer(model, file, language, small, changes)
    if nbest is not None and nbest < 1:
        raise CaesuraError(f"--nbest takes 1 or more, not {nbest}.")
    if latin is not None:
        _check_latin(latin, restorer)
    if to_latin is not None:
        transliterate("", to_latin, restorer.script)  # refuses what is not for this language
        if qamats_qatan and to_latin == "michigan-claremont":
            raise CaesuraError("michigan-claremont writes both kinds of qamats alike; remove --qamats-qatan.")
    if page is not None:
        _write_page(restorer, file, page, encoding)
        return
    if _is_document(file, tier, output, alone=json or nbest is not None or bool(colour), encoding=encoding):
        _write_document(restorer, file, output, tier)
        return
    coloured = (sys.stdout.isatty() and output is None) if colour is None else colour
    any_word, any_letter = False, False
    read: list[str] = []
    written: list[str] = []
    write = _write if output is None else written.append
    for part in _chunks(file, encoding, at_once=context == "line"):
        chunk = part if latin is None else from_latin(part, latin)
        if json:
            write("".join(restored_text.json_lines(restorer, chunk, nbest or 1)))
        elif nbest is not None:
            write("".join(restored_text.list_forms(restorer, chunk, nbest)))
        elif coloured:
            write("".join(restored_text.colour_doubtful_words(restorer, chunk)))
        else:
            restored = restorer.restore(chunk)
            write(restored if to_latin is None else transliterate(restored, to_latin, restorer.script))
        any_word = any_word or restorer.script.word.search(chunk) is not None
        any_letter = any_letter or any(map(str.isalpha, chunk))
        if output is not None:
            read.append(chunk)
    if any_letter and not any_word:
        raise _language_error(restorer)
    if output is not None:
        atomic_write(output, "".join(written))
        _tell_kind(restorer, output, "".join(read))


@vowels.add
def evaluate(
    name: Corpus,
    model: Annotated[
        str, Option("--model", help="unigram, hmm, open, neural or best; or a model file to test without training.")
    ] = "hmm",
    split: Annotated[str, Option("--split", help="random (lines) or blocks (contiguous).")] = "random",
    test: Annotated[float, Option("--test", help="Share of lines held out at random.")] = 0.1,
    folds: Annotated[int, Option("--folds", help="Number of blocks.")] = 10,
    block: Annotated[list[int] | None, Option("--block", min=1, help="Test only this block; repeatable.")] = None,
    missing: Missing = "all",
    language: Language = None,
    path: Where = None,
    lexicon: Lexicon = None,
    rare: Rare = 3,
    discount: Discount = "good-turing",
    unseen: Unseen = "bigrams",
    epochs: Epochs = None,
    first: First = None,
    latin: Latin = None,
    table: ScriptTable = None,
    seed: Annotated[list[int] | None, Option("--seed", min=0, help="Seed of the random split; repeatable.")] = None,
    restored: Annotated[
        list[Path] | None,
        Option("--restored", help="Score this restored text, line by line, instead of training a model; repeatable."),
    ] = None,
    anchor: Annotated[
        bool, Option("--anchor", help="With --restored: accept letters that differ from the reference and report them.")
    ] = False,
    max_altered: Annotated[
        float | None,
        Option("--max-altered", min=0, max=1, help="With --anchor: the largest altered share of a text; default 0.3."),
    ] = None,
    counting: Annotated[
        Literal["letters", "catt"],
        Option("--counting", help="With --restored: letters of the reference, or the tags that CATT's program counts."),
    ] = "letters",
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Strip the marks of held-out lines, restore them, and report accuracy per word, sound and letter.

    Example: caesura vowels evaluate hebrew-bible --model open --seed 0 --seed 1 --seed 2
    """
    if restored:
        _score_restored(Path(name), restored, json=json, anchor=anchor, counting=counting, max_altered=max_altered)
        return
    from caesura.cli.io import as_json, show_blocks, with_progress
    from caesura.errors import CaesuraError
    from caesura_vowels import VowelRestorer
    from caesura_vowels.study import (
        EvaluatedPart,
        VowelStudy,
        measure,
        measure_calibration,
        split_corpus,
        train_and_evaluate,
    )

    chosen = _corpus(name, path, _script_name(table) or language, encoding=encoding, latin=latin)
    results = []
    if Path(model).is_file():
        restorer = VowelRestorer.load(model)
        if restorer.language != chosen.language:
            raise CaesuraError(
                f"the model {model} is for {restorer.language.capitalize()}, the corpus {chosen.name!r} is {chosen.language.capitalize()}."
            )
        new = [line for line, seen in zip(chosen.lines, restorer.saw(chosen.lines), strict=True) if not seen]
        left_out = len(chosen.lines) - len(new)
        if not any(map(restorer.script.word.search, new)):
            raise CaesuraError(
                f"the model {model} was trained on all {left_out} lines of {chosen.name!r} that have words; test it on other lines."
            )
        what = f"{len(new)} lines; {left_out} that the model was trained on are left out" if left_out else "all lines"
        results.append(EvaluatedPart(what, measure(restorer, new), measure_calibration(restorer, new)))
    else:
        splits = split_corpus(chosen, split, seeds=seed or [0], folds=folds, blocks=block or (), test=test)
        parameters = {
            "lexicon": _words_of(lexicon), "rare": rare, "discount": discount, "unseen": unseen, "epochs": epochs,
            "network": _network_files(first, chosen.language),
        }  # fmt: skip
        for each in with_progress(splits, f"training and testing {model}"):
            restorer, measured = train_and_evaluate(chosen, each, model, missing=missing, parameters=parameters)
            held = [chosen.lines[i] for i in each.test]
            results.append(EvaluatedPart(each.name, measured, measure_calibration(restorer, held)))
    result = VowelStudy(f"{chosen.name}, {model}, {missing} marks missing", tuple(results))
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())


def _score_restored(
    reference: Path, restored: list[Path], *, json: bool, anchor: bool, counting: str, max_altered: float | None
) -> None:
    """Score restored texts against a text with marks."""
    from caesura.cli.io import as_json, names_of, show_blocks
    from caesura_vowels.altered import read_lines, score_restored

    systems = {name: read_lines(path) for name, path in zip(names_of(restored), restored, strict=True)}
    result = score_restored(read_lines(reference), systems, counting=counting, anchor=anchor, max_altered=max_altered)
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())


def _describe_validation(passes: int, words: int, right: float, error_before: float, error: float) -> str:
    """Describe the results on held-out lines in one sentence."""
    after = f", after {passes} passes" if passes else ""
    return (
        f"{words:,} held-out words: {right:.1%} right{after}; calibration error {error:.3f} "
        f"({error_before:.3f} before calibration)"
    )


@vowels.add
def benchmark(
    name: Annotated[str, Argument("tashkeela or nakdimon.")],
    folder: Annotated[Path, Argument("The folder with its files.")],
    model: ModelName = "best",
    epochs: Epochs = None,
    first: First = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Train on the training files of a benchmark, restore its test files, and compare with published scores.

    Example: caesura vowels benchmark nakdimon data/vowels --model open
    """
    from caesura.cli.io import as_json, show_blocks
    from caesura_vowels.benchmark import TEST_SETS
    from caesura_vowels.benchmark import benchmark as run

    with _progress() as report:
        network = _network_files(first, TEST_SETS[name].language if name in TEST_SETS else "")
        result = run(name, folder, model, seed=seed, epochs=epochs, network=network, progress=report)
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())


@vowels.add
def score(
    model: Annotated[
        Path, Argument("A model file of the bigram model, written by `caesura vowels train --model hmm`.")
    ],
    file: Annotated[Path | None, Argument("The text; default: standard input.")] = None,
    latin: Latin = None,
    draw: Annotated[
        Path | None,
        Option("--draw", help="Draw the best path of the first line with words to this file (.svg, .png or .pdf)."),
    ] = None,
    json: Json = False,
) -> None:
    """Show how probable every line is under the bigram model, over all pointed forms and with the best ones.

    Example: echo 'בראשית ברא אלהים' | caesura vowels score hebrew.model --draw path.svg
    """
    from caesura.cli.io import as_json, show_blocks
    from caesura.errors import CaesuraError
    from caesura.files import check_target
    from caesura_vowels import VowelRestorer
    from caesura_vowels.line_scores import LineScores, save_path_drawing
    from caesura_vowels.transliteration import from_latin

    if draw is not None:
        check_target(draw)
    restorer = VowelRestorer.load(model)
    if latin is not None:
        _check_latin(latin, restorer)
    text = "".join(part if latin is None else from_latin(part, latin) for part in _chunks(file))
    result = LineScores.of(restorer, text)
    if not result.lines:
        raise CaesuraError(f"the text has no {restorer.language.capitalize()} letters.")
    if draw is not None:
        save_path_drawing(restorer, result.lines[0].text, draw)
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())


# ---------------------------------------------------------------------- incompatible options


def _is_file(_: str, value: Any) -> str | None:
    """Return a description of the value if it is a file."""
    return f" with {value}" if Path(str(value)).is_file() else None


def _is_not_a_file(_: str, value: Any) -> str | None:
    """Return a description of the value if it is the name of a corpus; a file that does not exist is reported when it is read."""
    from caesura_vowels.corpora import CORPORA

    return f" with {value}" if str(value) in CORPORA and not Path(str(value)).is_file() else None


_OF_CORPORA = (
    *conflicts("path", "name", "the sample is built in", among("sample")),
    *conflicts("path", "name", "a text file has its own path", _is_file),
    *conflicts("encoding", "name", "only text files have an encoding", _is_not_a_file),
)
_OF_TEXTS = (
    *conflicts("latin table", "name", "it is for text files", _is_not_a_file),
    *conflicts("table", "language latin", "the table says the language"),
)
_OF_HMM = (*conflicts("rare discount unseen", "model", "only the model hmm has such bigrams", not_among("hmm")),)
_OF_BEST = "only the model best has passes"
_OF_NETWORKS = "only the models best and neural use networks"

corpus.conflicts = (  # type: ignore[attr-defined]
    *_OF_CORPORA,
    *conflicts("signs", "name", "a text file is not changed", _is_file),
    *conflicts("signs", "name", "the sample has no such signs", among("sample")),
    *conflicts("bare", "json", "the JSON contains no text", unless="output"),
)
train.conflicts = (  # type: ignore[attr-defined]
    *_OF_CORPORA,
    *_OF_TEXTS,
    *_OF_HMM,
    *conflicts("epochs", "model", _OF_BEST, not_among("best")),
    *conflicts("first", "model", _OF_NETWORKS, not_among("best", "neural")),
)
restore.conflicts = (  # type: ignore[attr-defined]
    *conflicts("colour", "json nbest", "only plain text is coloured"),
    *conflicts("page", "json nbest colour output tier level latin to_latin", "the page has its own format"),
    *conflicts("to_latin", "json nbest colour tier", "only plain text is written in Latin letters"),
    *conflicts("latin", "tier", "a file with tiers is written as a whole"),
    *conflicts("level", "json nbest colour", "they show whole forms"),
    *conflicts("tier", "json nbest colour", "a file with tiers is written as a whole"),
    *conflicts("output", "colour", "only a terminal has colours"),
    *conflicts("tier", "output", "a file with tiers is written to a file", missing_option),
)
evaluate.conflicts = (  # type: ignore[attr-defined]
    *conflicts("anchor counting", "restored", "it is for restored texts", missing_option),
    *conflicts("max_altered", "anchor", "texts that differ are refused", missing_option),
    *conflicts(
        "model split test folds block missing path lexicon rare discount unseen epochs first seed",
        "restored",
        "no model is trained",
    ),
    *conflicts("language encoding latin table", "restored", "the texts are compared as they are, in UTF-8 or UTF-16"),
    *_OF_CORPORA,
    *_OF_TEXTS,
    *conflicts(
        "split test folds block missing lexicon rare discount unseen epochs first seed",
        "model",
        "a model file is tested on all lines without training",
        _is_file,
    ),
    *_OF_HMM,
    *conflicts("epochs", "model", _OF_BEST, not_among("best")),
    *conflicts("first", "model", _OF_NETWORKS, not_among("best", "neural")),
    *conflicts("test seed", "split", "blocks are not random", among("blocks")),
    *conflicts("folds", "split", "it needs --split blocks", not_among("blocks")),
    *conflicts("block", "split", "it needs --split blocks", not_among("blocks")),
)
benchmark.conflicts = (  # type: ignore[attr-defined]
    *conflicts("epochs", "model", _OF_BEST, not_among("best")),
    *conflicts("first", "model", _OF_NETWORKS, not_among("best", "neural")),
)


# ---------------------------------------------------------------------- reading and writing


def _corpus(
    name: str,
    path: Path | None,
    language: str | None,
    *,
    keep_signs: bool = False,
    encoding: str | None = None,
    latin: str | None = None,
) -> VowelCorpus:
    from caesura_vowels import load_corpus
    from caesura_vowels.corpora import CORPORA

    if name in CORPORA and name != "text":
        return load_corpus(name, path, keep_signs=keep_signs, language=language)
    if not Path(name).exists():
        from caesura.errors import FormatError

        if Path(name).suffix or Path(name).name != name:
            raise FormatError(name, None, "there is no such file.")
        return load_corpus(name, path)  # reports the known names
    return load_corpus("text", name, language=language, encoding=encoding, latin=latin)


def _text_lines(path: Path, language: str, encoding: str | None, latin: str | None) -> Sequence[str]:
    """Return the lines of a text with vowels."""
    from caesura_vowels import load_corpus

    return load_corpus("text", path, language=language, encoding=encoding, latin=latin).lines


def _words_of(lexicon: Path | None) -> list[str]:
    """Return the words of a file."""
    from caesura.files import Source

    return [] if lexicon is None else [word for _, line in Source.open(lexicon).lines for word in line.split()]


def _script_name(table: Path | None) -> str | None:
    """Register the script of a table and return its name."""
    import tomllib

    from caesura.errors import FormatError
    from caesura.files import Source
    from caesura_vowels.scripts import register_script

    if table is None:
        return None
    try:
        return register_script(tomllib.loads(Source.open(table).text)).name
    except tomllib.TOMLDecodeError as fault:
        raise FormatError(table, None, f"this is not TOML: {fault}.") from None


def _check_latin(latin: str, restorer: VowelRestorer) -> None:
    """Refuse a transliteration of another language than that of the model."""
    from caesura.errors import CaesuraError
    from caesura_vowels.transliteration import language_of

    if (found := language_of(latin)) != restorer.language:
        raise CaesuraError(
            f"the transliteration {latin!r} is {found.capitalize()}, the model is for {restorer.language.capitalize()}."
        )


def _network_files(first: list[Path] | None, language: str) -> list[Path]:
    """Return the files to take networks from; 'ours' is the shipped model of the Bible or the Qur'an, others are named as for ``ready``."""
    from caesura_vowels.restorer import SHIPPED_MODELS, SHIPPED_NAMES

    ours = {"arabic": "arabic-quranic"}.get(language, "hebrew-biblical")
    named = {"ours": ours, **{name: name for name in SHIPPED_NAMES}}
    return [SHIPPED_MODELS / f"{named[str(file)]}.model" if str(file) in named else file for file in first or ()]


def _restorer(
    model: Path | None, file: Path | None, language: str | None, small: bool, changes: dict[str, Any]
) -> tuple[VowelRestorer, Path | None]:
    """Load the model of a file, or a shipped model, in which case the only path is the text."""
    from caesura.errors import CaesuraError
    from caesura_vowels import VowelRestorer, ready
    from caesura_vowels.restorer import SHIPPED_NAMES
    from caesura_vowels.storage import is_model

    if language is not None:
        if file is not None:
            raise CaesuraError(f"--language {language} uses the shipped model; remove the model file {model}.")
        return ready(language, small=small, **changes), model
    if small:
        raise CaesuraError("--small is for the shipped models; add --language.")
    if model is None:
        raise CaesuraError("no model is given; give a model file, or --language hebrew or arabic for a shipped model.")
    if str(model) in SHIPPED_NAMES and not model.exists():
        raise CaesuraError(f"there is no file {model}; for the shipped model, give --language {model}.")
    if file is None and model.is_file() and not is_model(model):
        raise CaesuraError(
            f"{model} is not a vowel model; if it is the text, add --language hebrew or arabic for a shipped model."
        )
    return VowelRestorer.load(model, **changes), file


def _is_document(file: Path | None, tier: str | None, output: Path | None, alone: bool, encoding: str | None) -> bool:
    """Return whether the text is a Word, TextGrid or ELAN file, which are written as a whole."""
    from caesura.errors import CaesuraError
    from caesura_vowels.documents import SUFFIXES, TIER_SUFFIXES

    suffix = "" if file is None else file.suffix.lower()
    if tier is not None and suffix not in TIER_SUFFIXES:
        raise CaesuraError(f"--tier is for TextGrid and ELAN files; {file or 'standard input'} is none.")
    if suffix not in SUFFIXES:
        return False
    if alone or output is None:
        raise CaesuraError(f"{file} is written as a whole; give --output FILE, without --json, --nbest or --colour.")
    if encoding is not None:
        raise CaesuraError(f"--encoding is for text files; {file} says its own encoding.")
    return True


def _language_error(restorer: VowelRestorer) -> Exception:
    """Return the error about a text with letters, but none of the model's language."""
    from caesura.errors import CaesuraError

    language = restorer.language.capitalize()
    return CaesuraError(f"this model is for {language}, but the text has no {language} letters; it was not changed.")


def _check_language(restorer: VowelRestorer, text: str) -> None:
    """Refuse a whole text with letters, but none of the model's language."""
    if any(map(str.isalpha, text)) and not restorer.script.word.search(text):
        raise _language_error(restorer)


def _tell_kind(restorer: VowelRestorer, output: Path, text: str) -> None:
    """Say what kind of text the model took a text for, if it knows kinds and the text has words."""
    if restorer.script.word.search(text) and (recognized := restorer.recognize(text)) is not None:
        chosen = "" if restorer.kind is not None else " (recognized; --kind sets it)"
        click.echo(f"{output}: {recognized} text{chosen}", err=True)


def _write_document(restorer: VowelRestorer, file: Path | None, output: Path | None, tier: str | None) -> None:
    """Write a document with its vowels."""
    from caesura.files import atomic_write
    from caesura_vowels.documents import document_text, restore_document

    assert file is not None
    assert output is not None
    text = document_text(file, tier)
    _check_language(restorer, text)
    atomic_write(output, restore_document(restorer, file, tier))
    _tell_kind(restorer, output, text)


_WIDE = ("utf-16", "utf-32")  # a line feed has several bytes, so that a text is decoded as a whole


def _chunks(file: Path | None, encoding: str | None = None, at_once: bool = False) -> Iterator[str]:
    """Yield whole lines, as soon as they arrive from a terminal or if ``at_once``; otherwise many together, so that the result does not depend on timing."""
    import codecs

    from caesura.errors import FormatError

    if file is not None and file.is_dir():
        raise FormatError(file, None, "this is a folder, expected a file.")
    if file is not None and not file.exists():
        raise FormatError(file, None, "there is no such file.")
    name = "standard input" if file is None else str(file)
    try:
        source: BinaryIO = sys.stdin.buffer if file is None else file.open("rb")
        bytes(4).decode(encoding or "utf-8")  # refuses what is not for text, such as hex
        chosen = codecs.lookup(encoding or "utf-8").name
    except OSError as fault:
        raise FormatError(name, None, f"cannot read: {fault.strerror}.") from None
    except (LookupError, UnicodeError):
        raise FormatError(name, None, f"there is no text encoding {encoding!r}; try cp1255 or cp1256.") from None
    read: Any = getattr(source, "read1", source.read) if at_once or source.isatty() else source.read
    rest, line = b"", 1
    while True:
        more = read(1 << 18)
        if line == 1 and not rest and encoding is None and more.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            chosen = "utf-16"
        if chosen.startswith(_WIDE):
            more += source.read()
            lines = more
        else:
            lines, newline, rest = (rest + more).rpartition(b"\n") if more else (rest, b"", b"")
            lines += newline
        decoded, failed = _decode_lines(lines, chosen)
        if decoded:
            yield decoded
        if failed and encoding is None and b"\0" in lines:
            raise FormatError(name, None, "this is a binary file; expected text, or a .docx, .TextGrid or .eaf file.")
        if failed:
            expected = f"{chosen.upper()} text" + (
                "; name its encoding, such as --encoding cp1255 or cp1256" if encoding is None else ""
            )
            raise FormatError(name, line + decoded.count("\n"), f"this is not {expected}.")
        line += decoded.count("\n")
        if not more:
            return


def _write_page(restorer: VowelRestorer, file: Path | None, page: Path, encoding: str | None) -> None:
    """Write a whole text as an HTML page."""
    from caesura.files import atomic_write, check_target
    from caesura_vowels.restored_text import restored_page

    check_target(page)
    text = "".join(_chunks(file, encoding))
    _check_language(restorer, text)
    atomic_write(page, restored_page(restorer, text, "restored text" if file is None else file.name))
    click.echo(f"{page}: {len(restorer.script.word.findall(text))} words")


def _decode_lines(raw: bytes, encoding: str) -> tuple[str, bool]:
    """Decode whole lines; if one is not in the encoding, return the lines before it and True."""
    try:
        return raw.decode(encoding), False
    except UnicodeDecodeError as fault:
        whole = 0 if encoding.startswith(_WIDE) else raw.rfind(b"\n", 0, fault.start) + 1
        return raw[:whole].decode(encoding), True


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


class _progress:
    """Shows the progress of training on standard error if it is a terminal."""

    def __enter__(self) -> Any:
        self.shown = sys.stderr.isatty()
        return self._report

    def _report(self, what: str, share: float) -> None:
        if self.shown:
            click.echo(f"\r\x1b[K{what} {share:4.0%}", nl=False, err=True)

    def __exit__(self, *fault: object) -> None:
        if self.shown:
            click.echo("\r\x1b[K", nl=False, err=True)
