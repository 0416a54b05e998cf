"""Configuration of a workbench: address, database, token and limits."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path

from caesura.errors import CaesuraError
from caesura_workbench.jobs import JobLimits


@dataclass(frozen=True)
class Limits:
    """Limits on the size and duration of one request; requests beyond them are rejected with an error message."""

    upload_bytes: int = 20 * 1024 * 1024
    unpacked_bytes: int = 200 * 1024 * 1024  # of a zip, or of a word processor document
    files: int = 1000  # in one request; the server reads no more
    unpacked_files: int = 20_000  # of all zips in one request
    boundaries: int = 2_000_000
    text_length: int = 2_000_000
    length: int = 10_000_000  # units or seconds that a file may declare
    export_bytes: int = 2_000_000_000  # estimated memory
    header_seconds: float = 10.0
    body_seconds: float = 30.0  # plus one second per body_rate bytes received
    body_rate: int = 4096
    sound_bytes: int = 1024 * 1024 * 1024  # of one recording; streamed to disk
    sound_seconds: float = 300.0  # to decode one recording


@dataclass(frozen=True)
class Settings:
    """Address, database, token and limits of a server.

    By default the server listens on this machine only. On any other address every request must carry the token, because anybody who reaches the port could
    read and change the data.
    """

    host: str = "127.0.0.1"
    port: int = 8642
    database: str = "caesura.sqlite"
    token: str | None = None
    limits: Limits = field(default_factory=Limits)
    recordings: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    jobs: JobLimits = JobLimits(workers=0)
    csrf_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def __post_init__(self) -> None:
        networks = self.proxy_networks
        if (not self.local or networks) and not self.token:
            raise CaesuraError(
                f"{'a proxy' if networks else f'listening on {self.host}'} opens the workbench to the network; set a token of at least 16 characters with --token or CAESURA_TOKEN."
            )
        if self.token is not None and len(self.token) < 16:
            raise CaesuraError("the token is too short; use at least 16 characters.")
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

    @cached_property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The addresses whose X-Forwarded-For and X-Forwarded-Proto are believed."""
        try:
            return tuple(ip_network(each) for each in self.trusted_proxies)
        except ValueError as fault:
            raise CaesuraError(
                f"--trusted-proxy: {fault}; expected an address such as 127.0.0.1 or 10.0.0.0/8."
            ) from None

    @property
    def hosts(self) -> frozenset[str]:
        """Host names under which browsers may address the server; others are rejected (DNS rebinding)."""
        own = {"localhost", "127.0.0.1", "[::1]", self.host, f"[{self.host}]"}
        return frozenset(own | {f"{name}:{self.port}" for name in own})

    @property
    def database_url(self) -> str:
        """The database as a SQLAlchemy URL; a path means SQLite."""
        return self.database if "://" in self.database else f"sqlite:///{Path(self.database).expanduser()}"

    @property
    def sound_folder(self) -> Path:
        """The folder of recordings: as configured, beside the SQLite file, or in the working directory."""
        if self.recordings is not None:
            return Path(self.recordings).expanduser()
        scheme, is_address, rest = self.database.partition("://")
        if is_address and not scheme.startswith("sqlite"):
            return Path("caesura-recordings")
        path = Path(rest.removeprefix("/") if is_address else self.database).expanduser()
        return path.with_name(f"{path.name}.recordings")

    @property
    def database_shown(self) -> str:
        """The database as it may be shown in a terminal."""
        return shown_address(self.database)


def shown_address(address: str) -> str:
    """Return a database address without anything that might be a password.

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
