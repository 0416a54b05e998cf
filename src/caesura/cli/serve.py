"""``caesura serve``: the workbench in the browser."""

from __future__ import annotations

import gc
import os
import socket
import sys
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Annotated

import click

from caesura.cli.command import Option
from caesura.errors import CaesuraError, MissingExtra

if TYPE_CHECKING:
    from caesura.web.settings import Settings


def serve(
    host: Annotated[
        str, Option("--host", help="Address to listen on; other than this machine needs --token.")
    ] = "127.0.0.1",
    port: Annotated[int, Option("--port", "-p", help="Port to listen on.")] = 8642,
    database: Annotated[
        str, Option("--database", help="SQLite file, or a PostgreSQL address as SQLAlchemy writes it.")
    ] = "caesura.sqlite",
    recordings: Annotated[
        str | None,
        Option(
            "--recordings",
            help="Folder for recordings; workbenches on one database share it. By default beside the database.",
        ),
    ] = None,
    token: Annotated[
        str | None, Option("--token", envvar="CAESURA_TOKEN", help="Token that every request must carry.")
    ] = None,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Only print the address; do not open the browser.")
    ] = False,
) -> None:
    """Open the workbench in the browser: compare, agree, adjudicate.

    Example: caesura serve --database project.sqlite
    """
    try:
        from caesura.web.settings import Settings
    except ImportError as fault:
        raise MissingExtra(fault.name or "fastapi", "web", "the workbench") from None
    settings = Settings(host=host, port=port, database=database, recordings=recordings, token=token)
    start(settings, browse=not no_browser)


def start(settings: Settings, *, browse: bool) -> None:
    """Serve until somebody stops it."""
    try:
        import uvicorn

        from caesura.web.app import create_app
        from caesura.web.connections import bounded_protocol, room_for
    except ImportError as fault:
        raise MissingExtra(fault.name or "fastapi", "web", "the workbench") from None
    _refuse_a_taken_port(settings.host, settings.port)
    app = create_app(settings)
    gc.freeze()  # what is loaded by now stays: looking for rubbish in it takes a tenth of the server's time
    seats = room_for().browsers
    address = f"http://{settings.host}:{settings.port}/"
    click.echo(f"The workbench is at {address} and keeps its data in {settings.database_shown}. Stop it with Ctrl-C.")
    if browse and _has_a_screen():
        Thread(target=_open_when_up, args=(settings.host, settings.port, address), daemon=True).start()
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(settings.limits, seats),
        backlog=max(8, min(100, seats // 2)),  # asyncio takes so many at once, before any can be turned away
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )


def _has_a_screen() -> bool:
    """Whether somebody sits at a terminal with a screen; a browser for terminals would take the terminal from the server."""
    windows = sys.platform in ("win32", "darwin") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    return sys.stdout.isatty() and windows


def _open_when_up(host: str, port: int, address: str) -> None:
    """Open the browser as soon as somebody answers at the address."""
    import webbrowser

    for _ in range(100):
        try:
            with socket.create_connection((host, port), timeout=1):
                webbrowser.open(address)
                return
        except OSError:
            sleep(0.1)


def _refuse_a_taken_port(host: str, port: int) -> None:
    """Say that somebody else is there before saying that the workbench is."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as fault:
        raise CaesuraError(
            f"the workbench cannot be at {host}:{port}: {fault.strerror or fault}; choose another with --host and --port."
        ) from None
