"""Write the site as plain Markdown, with everything that hooks generate filled in, so that any generator can build it.

``python docs/stage.py FOLDER`` writes FOLDER/docs and FOLDER/mkdocs.yml; ``zensical build -f FOLDER/mkdocs.yml`` builds them.
docs/style.md says which generators were tried in this way.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace

import yaml
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]


def stage(folder: Path, only: Collection[str] | None = None) -> list[str]:
    """Write pages, pictures and settings into a folder.

    Parameters
    ----------
    folder : Path
        Where to write; ``docs`` in it is replaced.
    only : collection of str, default None
        The pages to write, such as "cite.md"; all of them by default.

    Returns
    -------
    list of str
        The addresses of the pages.
    """
    target = folder / "docs"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target, ignore=shutil.ignore_patterns("*.py", "*.toml", "theme", "__pycache__"))
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Settings)
    hooks = [runpy.run_path(str(ROOT / name)) for name in settings.pop("hooks")]
    plugins = SimpleNamespace(_current_plugin="stage")
    config = SimpleNamespace(site_dir=str(folder / "site"), use_directory_urls=True, plugins=plugins)
    files: list[File] = []
    for hook in hooks:
        settings = hook.get("on_config", lambda config: config)(settings)
        hook.get("on_files", lambda files, config: files)(files, config=config)
    for file in files:
        (target / file.src_uri).parent.mkdir(parents=True, exist_ok=True)
        (target / file.src_uri).write_bytes(file.content_bytes)
    pages = [
        page for page in sorted(target.rglob("*.md")) if only is None or page.relative_to(target).as_posix() in only
    ]
    for page in pages:
        markdown = page.read_text(encoding="utf-8")
        named = SimpleNamespace(file=SimpleNamespace(src_uri=page.relative_to(target).as_posix()))
        for hook in hooks:
            markdown = hook.get("on_page_markdown", lambda markdown, page: markdown)(markdown, page=named)
        page.write_text(markdown, encoding="utf-8")
    settings |= {"docs_dir": "docs", "exclude_docs": ""}
    settings["theme"]["custom_dir"] = os.path.relpath(ROOT / "docs" / "theme", folder)
    python = next(each["mkdocstrings"] for each in settings["plugins"] if "mkdocstrings" in each)["handlers"]["python"]
    python["paths"] = [os.path.relpath(ROOT / path, folder) for path in python["paths"]]
    python["options"]["extensions"] = [str(ROOT / path) for path in python["options"]["extensions"]]
    snippets = next(each for each in settings["markdown_extensions"] if "pymdownx.snippets" in each)
    snippets["pymdownx.snippets"]["base_path"] = [str(ROOT)]
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return [page.relative_to(target).as_posix() for page in pages]


class Settings(yaml.SafeLoader):
    """Read mkdocs.yml with the defaults of its variables."""


Settings.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node)[1])


if __name__ == "__main__":
    print(f"{len(stage(Path(sys.argv[1])))} pages")
