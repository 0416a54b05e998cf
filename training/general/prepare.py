"""Pack the texts of a general network: python training/general/prepare.py hebrew FOLDER -o hebrew.packed --tests FILE….

FOLDER has the texts of the table in README.md. Lines of the files named by --tests (and the test verses of the Bible and the Qur'an) are left out.
"""

from __future__ import annotations

import argparse
import tarfile
from pathlib import Path

from pack import pack
from texts import arabic_texts, hebrew_texts

from caesura_vowels.scripts import script


def read_tests(paths: list[Path]) -> list[str]:
    """Return the lines of texts, compressed texts, and of the test documents in an archive."""
    import lzma

    lines: list[str] = []
    for path in paths:
        if path.name.endswith(".tar.xz"):
            with tarfile.open(path) as archive:
                for member in archive:
                    if member.isfile() and "tests/new/expected/" in member.name:
                        lines += archive.extractfile(member).read().decode("utf-8", "ignore").splitlines()  # type: ignore[union-attr]
        elif path.suffix == ".xz":
            lines += lzma.decompress(path.read_bytes()).decode().splitlines()
        else:
            lines += path.read_text(encoding="utf-8").splitlines()
    return lines


def main() -> None:
    """Read the command line and pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=("hebrew", "arabic"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tests", type=Path, nargs="*", default=[])
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    read = hebrew_texts if arguments.language == "hebrew" else arabic_texts
    texts = read(arguments.folder, read_tests(arguments.tests))
    for text in texts:
        print(f"{text.kind}: {len(text.lines)} lines, {len(text.held)} held out", flush=True)
    pack(texts, script(arguments.language), arguments.output)


if __name__ == "__main__":
    main()
