"""The page on which readers answer questions: one HTML file that needs no network and gives the votes as a file."""

from __future__ import annotations

import base64
import json
from hashlib import sha256

from caesura.display.svg import plain_text
from caesura.report.page import static_text
from caesura.statistics.judgements import Questions


def judgement_page(questions: Questions) -> str:
    """Write the page: gold and two segmentations without names, three buttons, and a file with the votes at the end.

    The page does not contain where the segmentations come from. Answers stay in the browser's storage until they are saved.

    Parameters
    ----------
    questions : Questions
        The questions.

    Returns
    -------
    str

    Examples
    --------
    >>> from caesura.statistics.judgements import make_questions
    >>> page = judgement_page(make_questions(number=3))
    >>> page.startswith("<!doctype html>"), "copy 1" in page
    (True, False)
    """
    shown = {
        "code": questions.code,
        "questions": [
            {
                "name": q.name,
                "sides": [q.gold.masses, q.first.masses, q.second.masses],
                "units": None if q.units is None else list(q.units),
            }
            for q in questions.questions
        ],
    }
    script = static_text("judgements.js")
    allowed = base64.b64encode(sha256(script.encode()).digest()).decode()
    # "<" must not end the element early, whatever a text contains
    data = json.dumps(shown, ensure_ascii=False).replace("<", "\\u003c")
    title = plain_text(questions.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title} · Caesura</title><style>{static_text('judgements.css')}</style></head><body>\n"
        f"<header><h1>{title}</h1><p>Three segmentations of one text: <em>gold</em>, 1 and 2. Which of the two is closer to gold? There is no right answer. Keys: 1, 2, 0 for the same, ← for the question before.</p>"
        '<p><label>Your name or initials <input id="reader" autocomplete="off" maxlength="60"></label></p></header>\n'
        '<main><p id="progress" aria-live="polite"></p><div id="bars"></div>'
        '<div id="answers"><button data-answer="first">1 is closer</button><button data-answer="second">2 is closer</button>'
        '<button data-answer="same">the same</button></div>'
        '<p><button id="back">← before</button> <button id="save">Save the votes</button> <span id="said" role="status"></span></p>'
        '<div id="text"></div></main>\n'
        f'<script type="application/json" id="questions">{data}</script><script>{script}</script></body></html>\n'
    )
