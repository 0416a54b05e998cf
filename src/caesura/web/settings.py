"""How a workbench is set up: where it listens, where it keeps its data, how much it accepts."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from caesura.errors import CaesuraError


@dataclass(frozen=True)
class Limits:
    """What one request may bring, and how long it may take: beyond this it is refused in a sentence."""

    upload_bytes: int = 20 * 1024 * 1024
    files: int = 200
    boundaries: int = 2_000_000
    text_length: int = 2_000_000
    header_seconds: float = 10.0
    body_seconds: float = 30.0  # and a second for every
    body_rate: int = 4096  # bytes that arrived


@dataclass(frozen=True)
class Settings:
    """Address, store, token and limits.

    A workbench listens on this machine only. On any other address every request must carry the token, because whoever reaches
    the port can read and change the data.
    """

    host: str = "127.0.0.1"
    port: int = 8642
    database: str = "caesura.sqlite"
    token: str | None = None
    limits: Limits = field(default_factory=Limits)
    csrf_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def __post_init__(self) -> None:
        if not self.local and not self.token:
            raise CaesuraError(
                f"listening on {self.host} lets others on the network in; give a token with --token (at least 16 characters)."
            )
        if self.token is not None and len(self.token) < 16:
            raise CaesuraError("the token is too short; give at least 16 characters.")
        if not 0 < self.port < 65536:
            raise CaesuraError(f"the port is {self.port}, expected 1 to 65535.")

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str]:
        """Names under which a browser may address us; a page of another name must not reach in (DNS rebinding)."""
        own = {"localhost", "127.0.0.1", "[::1]", self.host, f"[{self.host}]"}
        return frozenset(own | {f"{name}:{self.port}" for name in own})

    @property
    def database_url(self) -> str:
        """The store's address: a path means SQLite."""
        return self.database if "://" in self.database else f"sqlite:///{Path(self.database).expanduser()}"

    @property
    def database_shown(self) -> str:
        """The store as a terminal may show it, without the password of an address.

        >>> Settings(database="postgresql+psycopg://me:secret@db/x").database_shown
        'postgresql+psycopg://me:***@db/x'
        """
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self.database)
