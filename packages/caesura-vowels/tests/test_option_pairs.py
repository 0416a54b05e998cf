"""Every pair of options of ``caesura vowels …``, and of marked text with the options of the core, is honoured or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from caesura_vowels import VowelRestorer, corpora
from caesura_vowels import study as vowel_study
from caesura_vowels.samples import HEBREW
from cli.option_pairs import (
    JSON,
    NEED_OTHER_DATA,
    PLANS,
    Bench,
    Given,
    assert_every_pair_is_honoured_or_refused,
    cached_by_pickle,
    commands,
    given,
    option_names,
    recorded_calls,
    write_inputs,
)

#: Commands with their arguments, and how each of their options is given.
VOWEL_PLANS: dict[str, tuple[str, dict[str, Given]]] = {
    "vowels corpus": (
        "sample --language hebrew",
        {
            "output": given("--output out/bible.txt"),
            "path": given("--path here.zip", on="quran"),
            "bare": given("--bare"),
            "signs": given("--keep-signs", on="quran"),
            "language": given("--language arabic", on="sample"),
            "encoding": given("--encoding cp1255", on="heb/old.txt"),
            "json": JSON,
        },
    ),
    "vowels train": (
        "sample --output out/a.model",
        {
            "output": given("--output out/other.model"),
            "model": given("--model best"),
            "missing": given("--missing short", on="sample --output out/a.model --language arabic"),
            "language": given("--language arabic"),
            "path": given("--path here.zip", on="quran --output out/a.model"),
            "lexicon": given("--lexicon heb/b.txt"),
            "rare": given("--rare 2"),
            "discount": given("--discount simple-good-turing"),
            "unseen": given("--unseen unigrams"),
            "latin": given("--from-latin michigan-claremont", on="latin.txt --output out/a.model"),
            "table": given("--script syriac.toml", on="syriac.txt --output out/a.model"),
            "epochs": given("--epochs 3", needs="--model best"),
            "first": given("--from ours", needs="--model best"),
            "held": given("--held heb/b.txt"),
            "seed": given("--seed 7", needs="--model best"),
            "encoding": given("--encoding cp1255", on="heb/old.txt --output out/a.model"),
            "json": JSON,
        },
    ),
    "vowels restore": (
        "hebrew.model bare.txt",
        {
            "nbest": given("--nbest 2"),
            "existing": given(
                "--existing replace", on="hebrew.model heb/b.txt|heb/b.txt|partly.txt|hebrew.model partly.txt"
            ),
            "language": given("--language hebrew", on="bare.txt"),
            "small": given("--small", needs="--language hebrew", on="bare.txt|partly.txt"),
            "context": given("--context line", needs="--language hebrew", on="verse.txt"),
            "kind": given("--kind biblical", needs="--language hebrew", on="verse.txt"),
            "level": given("--level ambiguous", on="hebrew.model bare.txt|bare.txt|verse.txt"),
            "qamats_qatan": given(
                "--qamats-qatan",
                on="hebrew.model bare.txt|bare.txt|verse.txt|hebrew.model bare-latin.txt|bare-latin.txt",
            ),
            "tier": given("--tier words", needs="--output out/b.TextGrid", on="hebrew.model a.TextGrid|a.TextGrid"),
            "output": given("--output out/b.txt"),
            "colour": given("--colour"),
            "page": given("--page out/page.html"),
            "latin": given("--from-latin michigan-claremont", on="hebrew.model bare-latin.txt|bare-latin.txt"),
            "to_latin": given("--to-latin phonetic"),
            "encoding": given("--encoding cp1255", on="hebrew.model old.txt|old.txt"),
            "json": JSON,
        },
    ),
    "vowels score": (
        "hmm.model bare.txt",
        {
            "latin": given("--from-latin michigan-claremont", on="hmm.model bare-latin.txt"),
            "draw": given("--draw out/path.svg"),
            "json": JSON,
        },
    ),
    "vowels evaluate": (
        "sample",
        {
            "model": given("--model best"),
            "split": given("--split blocks"),
            "test": given("--test 0.3"),
            "folds": given("--folds 3", needs="--split blocks"),
            "block": given("--block 2", needs="--split blocks"),
            "missing": given("--missing short", on="sample --language arabic"),
            "language": given("--language arabic"),
            "path": given("--path here.zip", on="quran"),
            "lexicon": given("--lexicon heb/b.txt"),
            "rare": given("--rare 2"),
            "discount": given("--discount simple-good-turing"),
            "unseen": given("--unseen unigrams"),
            "latin": given("--from-latin michigan-claremont", on="latin.txt"),
            "table": given("--script syriac.toml", on="syriac.txt"),
            "epochs": given("--epochs 3", needs="--model best"),
            "first": given("--from ours", needs="--model best"),
            "seed": given("--seed 7"),
            "restored": given("--restored restored.txt", on="marked.txt"),
            "anchor": given("--anchor", needs="--restored altered.txt", on="marked.txt"),
            "max_altered": given("--max-altered 0.9", needs="--anchor --restored altered.txt", on="marked.txt"),
            "counting": given("--counting catt", needs="--restored restored.txt", on="marked.txt"),
            "encoding": given("--encoding cp1255", on="heb/old.txt"),
            "json": JSON,
        },
    ),
    "vowels benchmark": (
        "nakdimon field",
        {
            "model": given("--model hmm"),
            "epochs": given("--epochs 3", needs="--model best"),
            "first": given("--from ours", needs="--model best"),
            "seed": given("--seed 7"),
            "json": JSON,
        },
    ),
}

#: A corpus has its language, and --language only refuses another.
SAME_LANGUAGE = {("path", "language"), ("signs", "language"), ("language", "path"), ("missing", "language")}


def test_plan_lists_every_option() -> None:
    listed = {name for name in commands() if name.startswith("vowels ")}
    assert set(VOWEL_PLANS) == listed
    for command, (_, options) in VOWEL_PLANS.items():
        assert set(options) == option_names(command), command


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    here = tmp_path_factory.mktemp("pairs")
    write_inputs(here)
    _write_pointed(here / "heb")
    _write_test_set(here / "field")
    VowelRestorer("hebrew", "unigram").fit([*HEBREW, "חָכְמָה", "חָכְמָה חֲכָמָה"]).save(here / "hebrew.model")
    VowelRestorer("hebrew", "hmm").fit(HEBREW).save(here / "hmm.model")
    (here / "latin.txt").write_text("D.FWID RFB\nD.FWID B.F)\n" * 4, encoding="utf-8")
    (here / "bare-latin.txt").write_text("SUPR YPH SPR XKMH\n", encoding="utf-8")
    marks = 'pthaha = "\u0730"\nzqapha = "\u0733"\n'
    (here / "syriac.toml").write_text(
        f'name = "west-syriac"\nletters = "\u0710-\u072c"\n[marks]\n{marks}', encoding="utf-8"
    )
    (here / "syriac.txt").write_text("ܡܰܠܟܳܐ ܛܳܒܳܐ\nܡܰܠܟܳܐ ܪܰܒܳܐ\n" * 4, encoding="utf-8")
    (here / "bare.txt").write_text("ספר יפה ספר הספר חכמה\nתסמינים של אנמיה ממארת\n", encoding="utf-8")
    verse = "אבא\nספר\nלי סיפור על קלמנופ זזבדנט גרכשתן חכמה\n"
    old = f"{verse}\nספר יפה סֻפר הספר\nSUPR YPH SPR XKMH\n"
    (here / "old.txt").write_text(old, encoding="cp1255")
    for name, line in (("marked", "قَالَ نَعَمْ"), ("restored", "قَالَ نَعَمُ"), ("altered", "قَالَ نَعَامْ")):
        (here / f"{name}.txt").write_text(line + "\n", encoding="utf-8")
    (here / "verse.txt").write_text(verse, encoding="utf-8")
    tiers = {"words": ["אבא", "ספר חכמה", "לי סיפור על קלמנופ זזבדנט גרכשתן", "סֻפר"], "others": ["ספר יפה חכמה"]}
    grid = [x for name, labels in tiers.items() for x in ("IntervalTier", name, *labels)]
    (here / "a.TextGrid").write_text("\n".join(f'"{x}"' for x in ("ooTextFile", "TextGrid", *grid)), encoding="utf-8")
    (here / "partly.txt").write_text("ספר יפה סֻפר הספר חכמה על קלמנופ זזבדנט גרכשתן\n", encoding="utf-8")
    return Bench(here, {}, [])


def _write_test_set(here: Path) -> None:
    """Write a benchmark of vowels: some lines to train on, and documents that share a few of them."""
    documents = {f"tests/new/expected/wiki/{n}.txt": HEBREW[n : n + 2] for n in range(14, 22)}
    for name, lines in {"hebrew_diacritized/modern/a/1.txt": HEBREW[:16], **documents}.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("\n".join(lines), encoding="utf-8")


def _write_pointed(folder: Path) -> None:
    text = "שָׁלוֹם רַב\nבֹּקֶר טוֹב\nשָׁלוֹם לְךָ\n"
    folder.mkdir()
    (folder / "a.txt").write_text(text, encoding="utf-8")
    (folder / "old.txt").write_text(text * 4, encoding="cp1255")
    (folder / "b.txt").write_text(text.replace("שָׁלוֹם", "שִׁלוֹם"), encoding="utf-8")
    (folder / "altered.txt").write_text(text.replace("טוֹב", "טוֹבה"), encoding="utf-8")  # one letter more


_load = cached_by_pickle(VowelRestorer.load)  # loading networks takes long


@pytest.fixture
def _replaced(bench: Bench) -> Iterator[None]:
    """Replace training and downloads by short stand-ins that record their arguments."""
    trained, fitted = vowel_study.train_and_evaluate, VowelRestorer.fit

    def study(corpus: Any, part: Any, model: str, *, missing: str, parameters: dict[str, Any]) -> Any:
        bench.handed.append(f"{corpus} {part} {model} {missing} {parameters}")
        return trained(corpus, part, "unigram", missing=missing)

    def fit(restorer: Any, lines: Any, held: Any = (), progress: Any = None) -> Any:
        if progress is None:  # called by `evaluate`
            return fitted(restorer, lines)
        bench.handed.append(f"{restorer.get_params()} {list(lines)} {list(held)}")
        return fitted(restorer.set_params(model="unigram", network=()), lines)

    def fetch(where: Path | None, signs: bool, language: str | None) -> Any:
        bench.handed.append(f"{where} {signs}")
        return corpora.load_corpus("sample", language="arabic")

    with (
        recorded_calls(bench.handed),
        patch.object(vowel_study, "train_and_evaluate", study),
        patch.object(VowelRestorer, "fit", fit),
        patch.object(VowelRestorer, "load", _load),
        patch.object(VowelRestorer, "save", lambda restorer, path: Path(path).write_text("a model")),
        patch.dict(corpora.CORPORA, quran=fetch),
    ):
        yield


@pytest.mark.parametrize("command", VOWEL_PLANS)
@pytest.mark.usefixtures("_replaced")
def test_every_pair_of_options_is_honoured_or_refused(bench: Bench, command: str) -> None:
    assert_every_pair_is_honoured_or_refused(bench, command, *VOWEL_PLANS[command], excluded=SAME_LANGUAGE)


@pytest.mark.parametrize("command", ["compare", "evaluate"])
@pytest.mark.usefixtures("_replaced")
def test_marked_text_with_each_option_of_the_core_is_honoured_or_refused(bench: Bench, command: str) -> None:
    arguments, options = PLANS[command]
    options = {name: plan for name, plan in options.items() if name != "format"}  # the format is given
    options["marks"] = given("--format marked-text --option marks=hebrew", on="heb/a.txt heb/b.txt")
    options["anchor"] = given(
        "--anchor", on="heb/a.txt heb/altered.txt"
    )  # of texts with the same letters it changes nothing
    assert_every_pair_is_honoured_or_refused(
        bench, command, arguments, options, excluded=NEED_OTHER_DATA, including="marks"
    )
