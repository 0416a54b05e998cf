"""What the guard and the entrance share: cookies and tokens, headers on every answer, refusals, and who guesses wrong."""

from __future__ import annotations

import hmac
import math
from collections.abc import Mapping
from hashlib import sha256

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from caesura.web.guesses import Guesses
from caesura.web.settings import Settings

COOKIE = "caesura-token"
SESSION_COOKIE = "caesura-session"
CSRF_HEADER = "X-CSRF-Token"


#: On every answer.
SECURITY_HEADERS = {
    # drawings bring their colours as inline styles; scripts only ever come from /static
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def csrf_token(settings: Settings, session: str = "") -> str:
    """The token our pages carry: derived from the secret of the session, so that every workbench on one store knows it; without a session from one that
    changes with every start of the server.
    """
    return hmac.new((session or settings.csrf_secret).encode(), b"caesura csrf", sha256).hexdigest()


def cookie_value(token: str) -> str:
    """What a browser keeps: enough to be let in again, and not the token itself."""
    return hmac.new(token.encode(), b"caesura cookie", sha256).hexdigest()


_WRONG = "this is not the token of this workbench."


def judge_guess(guesses: Guesses, client: str, right: bool, wrong: str = _WRONG) -> Response | None:
    """Let a token that is right pass, refuse a wrong one, and neither where too many wrong ones came before."""
    wait = guesses.seconds_to_wait(client)
    if wait > 0:
        return refuse_for_now(wait, "too many wrong tokens")
    guesses.note(client, right)
    return None if right else refuse(401, wrong)


def refuse_for_now(wait: float, why: str, otherwise: str = "") -> Response:
    """An answer that says how many seconds to wait."""
    seconds = math.ceil(wait)
    return refuse(429, f"{why}; wait {seconds} s and try again{otherwise}.", {"Retry-After": str(seconds)})


def client_of(scope: Scope) -> str:
    """The address a request came from."""
    return str((scope.get("client") or ("",))[0])


def refuse(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that says no, and why."""
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
