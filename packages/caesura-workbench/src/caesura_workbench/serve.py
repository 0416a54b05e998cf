"""The command ``caesura serve``."""

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
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from caesura_workbench.settings import Settings


def serve(
    host: Annotated[
        str, Option("--host", help="Address to listen on; any but this machine's own needs --token.")
    ] = "127.0.0.1",
    port: Annotated[int, Option("--port", "-p", help="Port to listen on.")] = 8642,
    database: Annotated[str, Option("--database", help="SQLite file or PostgreSQL URL.")] = "caesura.sqlite",
    recordings: Annotated[
        str | None,
        Option(
            "--recordings",
            help="Folder for recordings, shared by all servers on one database. By default beside the database.",
        ),
    ] = None,
    token: Annotated[
        str | None, Option("--token", envvar="CAESURA_TOKEN", help="Token that every request must carry.")
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        Option("--trusted-proxy", help="Address of a TLS proxy whose X-Forwarded headers are believed. Repeatable."),
    ] = None,
    workers: Annotated[
        int,
        Option("--workers", min=1, max=64, help="Worker processes for segmenters, comparisons, imports and exports."),
    ] = 2,
    job_seconds: Annotated[float, Option("--job-seconds", min=1, help="Time limit of one job in a worker.")] = 120.0,
    job_memory: Annotated[
        float, Option("--job-memory", min=0.25, help="Memory limit of one job in a worker, in gigabytes.")
    ] = 2.0,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Only print the address; do not open the browser.")
    ] = False,
) -> None:
    """Open the workbench in the browser: compare, agree, adjudicate.

    Example: caesura serve --database project.sqlite
    """
    from caesura_workbench.jobs import JobLimits
    from caesura_workbench.settings import Settings

    limits = JobLimits(workers, job_seconds, int(job_memory * 2**30))
    settings = Settings(
        host=host,
        port=port,
        database=database,
        recordings=recordings,
        token=token,
        jobs=limits,
        trusted_proxies=tuple(trusted_proxy or ()),
    )
    start(settings, browse=not no_browser)


def start(settings: Settings, *, browse: bool) -> None:
    """Run the server until it is stopped."""
    import uvicorn

    from caesura_workbench.app import create_app
    from caesura_workbench.connections import bounded_protocol, connection_limits

    _check_port(settings.host, settings.port)
    app = create_app(settings)
    gc.freeze()  # exclude loaded modules from garbage collection, which would take a tenth of the server's time
    max_connections = connection_limits().browsers
    address = f"http://{settings.host}:{settings.port}/"
    click.echo(f"Workbench running at {address} (database: {settings.database_shown}). Press Ctrl-C to stop.")
    if browse and _has_display():
        Thread(target=_open_when_up, args=(settings.host, settings.port, address), daemon=True).start()
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(settings.limits, max_connections),
        backlog=max(8, min(100, max_connections // 2)),  # asyncio accepts this many at once before any can be rejected
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,  # pages that wait for changes are not waited for
    )


def _has_display() -> bool:
    """Whether a graphical browser can be opened; one for terminals would take over the server's terminal."""
    windows = sys.platform in ("win32", "darwin") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    return sys.stdout.isatty() and windows


def _open_when_up(host: str, port: int, address: str) -> None:
    """Open the browser as soon as the server accepts connections."""
    import webbrowser

    for _ in range(100):
        try:
            with socket.create_connection((host, port), timeout=1):
                webbrowser.open(address)
                return
        except OSError:
            sleep(0.1)


def _check_port(host: str, port: int) -> None:
    """Raise an error if the port is in use, before the address is printed."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        raise CaesuraError(
            f"cannot listen on {host}:{port}: {error.strerror or error}; choose another address with --host and --port."
        ) from None
