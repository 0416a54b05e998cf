"""Small files in place of what readers of some pages have themselves, so that the commands of these pages run: texts with vowels, models, exports, votes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import caesura as cs
from caesura_vowels import corpora, ready, samples
from caesura_vowels.transliteration import to_latin
from cli.command import caesura
from formats.mutants import inception_project
from segmenters.onnx_models import encoder

#: Verses of one word each, often enough to train on, in Syriac letters and marks.
PSALM = ["ܡܰܠܟܳܐ ܛܳܒܳܐ", "ܡܰܠܟܳܐ ܪܰܒܳܐ", "ܟܬܳܒܳܐ ܛܳܒܳܐ", "ܡܶܠܟܳܐ ܕܡܰܠܟܳܐ"] * 6


def texts_with_vowels() -> None:
    """Corpora, the models that training them takes long for, and a text of each kind that the page on vowels names."""
    for name in ("corpus", "edition", "mine"):
        write(f"{name}.txt", samples.HEBREW)
    write("names.txt", samples.HEBREW[:2])
    ready("hebrew-biblical", small=True).save("network.model")
    write("bible.mc", [to_latin(line, "michigan-claremont") for line in samples.HEBREW])
    write("quran-transliteration.txt", ["bismi allahi", "malki yawmi", "alhamdu lillahi"] * 8)
    for system in ("open", "hmm"):
        shutil.copy("restored.txt", f"{system}.txt")
    write("psalms.txt", PSALM)
    write("new.txt", ["ܡܠܟܐ ܛܒܐ"])
    page = Path(__file__).parents[2] / "docs" / "families" / "vowels.md"
    write("syriac.toml", [page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]])


def project_of_inception() -> None:
    """An export with two annotators and curated documents."""
    Path("project.zip").write_bytes(inception_project())


def recordings_and_encoder() -> None:
    """Two recordings of each of two speakers with their phones, and an encoder that measures energy."""
    phones = cs.Segmentation.from_times([0.4, 0.9, 1.3, 2.1], length=3.0, names=["sil", "a", "t", "o", "sil"])
    for speaker in ("ann", "ben"):
        for item in ("one", "two"):
            Path("wavs", speaker).mkdir(parents=True, exist_ok=True)
            Path("gold", speaker).mkdir(parents=True, exist_ok=True)
            shutil.copy("recording/talk.wav", f"wavs/{speaker}/{item}.wav")
            corpus = cs.Corpus.from_annotations([(item, "gold", phones, "phones")])
            cs.write(corpus, f"gold/{speaker}/{item}.TextGrid", lossy=True)
    Path("hubert.onnx").write_bytes(encoder().replace(b"frames", b"layer9"))


def votes() -> None:
    """Two readers' answers to the questions that the page makes, as its page and as a table save them."""
    run("judge", "make", "questions.html", "gold.json", "ours.json", "theirs.json")
    questions = json.loads(Path("questions.json").read_text("utf-8"))
    answers = {question["name"]: "first" for question in questions["questions"]}
    for reader in ("ann", "ben"):
        saved = {"caesura": "votes", "questions": questions["code"], "reader": reader, "votes": answers}
        Path(f"votes-{reader}.json").write_text(json.dumps(saved), encoding="utf-8")
    write("votes.csv", ["reader,question,vote", *(f"ann,{name},{answer}" for name, answer in answers.items())])


#: Page -> what puts the files into the folder in which its commands run.
PREPARED: dict[str, Callable[[], None]] = {
    "docs/families/vowels.md": texts_with_vowels,
    "docs/formats/inception.md": project_of_inception,
    "docs/tutorials/unsupervised-phones.md": recordings_and_encoder,
    "docs/which-metric-misbehaves.md": votes,
    "docs/workbench-people.md": votes,
}


@contextmanager
def prepared(page: str) -> Iterator[None]:
    """Make the files of a page; within the context, the names of large corpora mean the small ones that ship."""
    PREPARED.get(page, lambda: None)()
    small = {
        "hebrew-bible": lambda *_: corpora.load_corpus("sample", language="hebrew"),
        "quran": lambda *_: corpora.load_corpus("sample", language="arabic"),
    }
    with patch.dict(corpora.CORPORA, small):
        yield


def write(name: str, lines: list[str] | tuple[str, ...]) -> None:
    """Write lines as a text file."""
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(*words: str) -> None:
    """Run a command of ours."""
    done = caesura(*words)
    assert done.returncode == 0, done.stderr
