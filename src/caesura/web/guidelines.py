"""Guidelines of a project: Markdown, every version kept, rendered without any HTML of the writer's own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from markdown_it import MarkdownIt

from caesura.errors import CaesuraError
from caesura.web import rows
from caesura.web.schema_people import guidelines
from caesura.web.store import Store


class Stale(CaesuraError):
    """Somebody wrote a newer version first."""


class Guidelines:
    """The guidelines of one project; versions are counted from 1, and 0 is that there are none."""

    def __init__(self, store: Store, project: int) -> None:
        self._store, self._project = store, project

    def read(self, version: int | None = None) -> dict[str, Any]:
        """A version, the last by default, as Markdown and as HTML, with who wrote which version when."""
        query = sa.select(guidelines).where(guidelines.c.project == self._project).order_by(guidelines.c.id)
        with self._store.reading() as db:
            written = list(db.execute(query))
        number = len(written) if version is None else version
        if number > len(written):
            raise rows.NotFound(f"there is no version {number} of the guidelines.")
        text = written[number - 1].text if number else ""
        return {
            "version": number,
            "text": text,
            "html": render_markdown(text),
            "versions": [{"version": n, "author": w.author, "time": w.time} for n, w in enumerate(written, 1)],
        }

    def write(self, text: str, version: int, author: str = "") -> None:
        """A new version, on top of the one that the writer saw."""
        counted = sa.select(sa.func.count()).where(guidelines.c.project == self._project)
        with self._store.writing() as db:
            last = db.scalar(counted)
            if last != version:
                raise Stale(f"somebody wrote version {last} of the guidelines meanwhile; look at it first.")
            values = {"project": self._project, "text": text, "time": rows.now()}
            db.execute(guidelines.insert().values(author=self._store.viewer.sign(author), **values))


@lru_cache(maxsize=64)
def render_markdown(text: str) -> str:
    """Markdown as HTML: tags are shown, not obeyed; links lead to the web, by mail or within the page, and nowhere else.

    >>> render_markdown("*a* <b onclick=x>")
    '<p><em>a</em> &lt;b onclick=x&gt;</p>\\n'
    >>> "<a" in render_markdown("[x](javascript:alert(1))")
    False
    """
    return str(_MARKDOWN.render(text))


_MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})
