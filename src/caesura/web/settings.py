"""How a workbench is set up: where it listens, where it keeps its data, how much it accepts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from caesura.errors import CaesuraError


@dataclass(frozen=True)
class Limits:
    """What one request may bring, and how long it may take: beyond this it is refused in a sentence."""

    upload_bytes: int = 20 * 1024 * 1024
    unpacked_bytes: int = 200 * 1024 * 1024  # of a zip, or of a word processor's file
    files: int = 200
    boundaries: int = 2_000_000
    text_length: int = 2_000_000
    length: int = 10_000_000  # units, or seconds, that a file may declare
    export_bytes: int = 2_000_000_000  # of memory, as estimated before
    header_seconds: float = 10.0
    body_seconds: float = 30.0  # and a second for every
    body_rate: int = 4096  # bytes that arrived
    sound_bytes: int = 1024 * 1024 * 1024  # of one recording, which goes to the disk as it arrives
    sound_seconds: float = 300.0  # for one recording to be decoded


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
    recordings: str | None = None
    csrf_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def __post_init__(self) -> None:
        if not self.local and not self.token:
            raise CaesuraError(
                f"listening on {self.host} lets others on the network in; give a token of at least 16 characters, with --token or in CAESURA_TOKEN."
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
    def sound_folder(self) -> Path:
        """Where recordings are kept: in the folder that was named, beside the file of the store, or in the working folder where the store is a server's."""
        if self.recordings is not None:
            return Path(self.recordings).expanduser()
        scheme, is_address, rest = self.database.partition("://")
        if is_address and not scheme.startswith("sqlite"):
            return Path("caesura-recordings")
        path = Path(rest.removeprefix("/") if is_address else self.database).expanduser()
        return path.with_name(f"{path.name}.recordings")

    @property
    def database_shown(self) -> str:
        """The store as a terminal may show it."""
        return shown_address(self.database)


def shown_address(address: str) -> str:
    """Name a store in a sentence: a file by its path, a server without anything that might be its password, however it is written.

    >>> shown_address("sqlite:///a.sqlite"), shown_address("postgresql://me:a@b@db:5432/x?password=c")
    ('a.sqlite', 'postgresql://…@db:5432/x')
    >>> shown_address("me:secret@db/x"), shown_address("/data/a@b.sqlite")
    ('…@db/x', '/data/a@b.sqlite')
    """
    scheme, is_address, rest = address.partition("://")
    if not is_address or scheme.startswith("sqlite"):
        path = rest.removeprefix("/") if is_address else address
        before, _, place = path.rpartition("@")
        return f"…@{place}" if ":" in before else path
    before, _, place = rest.partition("?")[0].rpartition("@")
    return f"{scheme}://…@{place}" if before else f"{scheme}://…"
