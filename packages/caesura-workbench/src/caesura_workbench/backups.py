"""Backups: one archive with everything that a workbench stores, made while the server runs, and restored into an empty database.

The archive is a zip of ``manifest.json``, one file of JSON lines per table, and the files of recordings. Rows are read in one transaction, so that they
belong together. Sessions and counts of wrong passwords are left out: everybody signs in again. An archive of SQLite can be restored into PostgreSQL, and
the other way round.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import sqlalchemy as sa

from caesura.errors import CaesuraError, FormatError
from caesura_workbench._version import __version__
from caesura_workbench.migrations import MIGRATIONS
from caesura_workbench.schema import metadata, project_schemas, projects, schema_version, sessions, tries
from caesura_workbench.schemas import propose_from_data
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store

_KIND = "caesura workbench backup"
_LEFT_OUT = {sessions.name, tries.name, schema_version.name}
_TABLES = [table for table in metadata.sorted_tables if table.name not in _LEFT_OUT]
_ROWS_AT_ONCE = 1000
_MAX_LINE = 200 * 2**20  # bytes of one row; the longest texts take some megabytes


def back_up(settings: Settings, target: Path) -> dict[str, int]:
    """Write everything that a workbench stores into one archive; return the numbers of rows by table, and of recordings.

    Raises
    ------
    CaesuraError
        If the database cannot be read or the archive exists.
    """
    if target.exists():
        raise FormatError(target, None, "the file exists; choose another name.")
    store = Store(settings.database_url, connections=1)
    temporary = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}")
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    try:
        # people's password hashes are in it: nobody else may read the file
        with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                with store.engine.connect().execution_options(**_snapshot(store)) as db:
                    if store.engine.dialect.name == "sqlite":
                        db.exec_driver_sql("BEGIN")  # one snapshot for all tables
                    for table in _TABLES:
                        name = f"tables/{table.name}.jsonl"
                        with archive.open(name, "w", force_zip64=True) as stream:
                            counts[table.name], digests[name] = _write_rows(db, table, stream)
                counts["recording files"] = 0
                for path in _files(settings.sound_folder):
                    name = f"recordings/{path.relative_to(settings.sound_folder).as_posix()}"
                    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as stream:
                        digests[name] = _copy(source, stream)
                    counts["recording files"] += 1
                about = {
                    "kind": _KIND,
                    "version": __version__,
                    "schema": len(MIGRATIONS),
                    "counts": counts,
                    "sha256": digests,
                }
                archive.writestr("manifest.json", json.dumps(about, indent=1))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as fault:
        raise FormatError(target, None, f"cannot write: {fault.strerror or fault}.") from None
    finally:
        temporary.unlink(missing_ok=True)
        store.close()
    return counts


def restore(settings: Settings, source: Path) -> dict[str, int]:
    """Restore an archive into an empty database and an empty folder of recordings; all of it or nothing.

    Raises
    ------
    FormatError
        If the archive is damaged, or was made by a later version.
    CaesuraError
        If the database or the folder is not empty.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            about = _manifest(source, archive)
            _verify(source, archive, about)
            store = Store(settings.database_url, connections=1)
            try:
                _check_empty(store, settings)
                _unpack_recordings(archive, settings.sound_folder)
                with store.writing() as db:
                    for table in _TABLES:
                        _insert_rows(source, archive, db, table)
                    _set_sequences(db)
                    _add_missing_schemas(db)
            finally:
                store.close()
    except OSError as fault:
        raise FormatError(source, None, f"cannot restore: {fault.strerror or fault}.") from None
    except zipfile.BadZipFile:
        raise FormatError(source, None, "this is not a backup, or it is damaged.") from None
    counts: dict[str, int] = about["counts"]
    return counts


def _snapshot(store: Store) -> dict[str, str]:
    return {} if store.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}


def _write_rows(db: sa.Connection, table: sa.Table, stream: Any) -> tuple[int, str]:
    digest, number = sha256(), 0
    for row in db.execution_options(yield_per=_ROWS_AT_ONCE).execute(sa.select(table).order_by(*table.primary_key)):
        line = json.dumps(dict(row._mapping), ensure_ascii=False).encode() + b"\n"
        stream.write(line)
        digest.update(line)
        number += 1
    return number, digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder; hidden ones are being written."""
    if folder.is_dir():
        yield from (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.startswith("."))


def _copy(source: BinaryIO, target: Any) -> str:
    digest = sha256()
    while block := source.read(1 << 20):
        digest.update(block)
        target.write(block)
    return digest.hexdigest()


def _manifest(source: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        about = json.loads(archive.read("manifest.json"))
        valid = about["kind"] == _KIND and isinstance(about["counts"], dict) and isinstance(about["sha256"], dict)
    except (KeyError, ValueError, TypeError, RecursionError):
        valid = False
    if not valid:
        raise FormatError(source, None, "this is not a backup made by `caesura-workbench backup`.")
    if not isinstance(about["schema"], int) or about["schema"] > len(MIGRATIONS):
        raise FormatError(
            source, None, f"this backup was made by a later version ({about.get('version')}); update Caesura."
        )
    return dict(about)


def _verify(source: Path, archive: zipfile.ZipFile, about: dict[str, Any]) -> None:
    """Compare every file with its checksum before anything is written."""
    named = {name for name in archive.namelist() if name != "manifest.json"}
    if named != set(about["sha256"]):
        raise FormatError(source, None, "this backup is damaged: it does not have the files that it lists.")
    for name, digest in about["sha256"].items():
        total = sha256()
        with archive.open(name) as stream:
            while block := stream.read(1 << 20):
                total.update(block)
        if total.hexdigest() != digest:
            raise FormatError(source, None, f"this backup is damaged: the checksum of {name} is wrong.")


def _check_empty(store: Store, settings: Settings) -> None:
    with store.reading() as db:
        for table in _TABLES:
            if db.scalar(sa.select(sa.func.count()).select_from(table)):
                raise CaesuraError(f"the database {settings.database_shown} is not empty; restore into a new one.")
    if next(_files(settings.sound_folder), None) is not None:
        raise CaesuraError(
            f"the folder {settings.sound_folder} is not empty; restore into a new one with --recordings."
        )


def _unpack_recordings(archive: zipfile.ZipFile, folder: Path) -> None:
    for info in archive.infolist():
        place = PurePosixPath(info.filename)
        if place.parts[0] != "recordings" or info.is_dir():
            continue
        if ".." in place.parts or place.is_absolute() or "\\" in info.filename:
            raise CaesuraError(f"the backup has a file outside its folder: {info.filename!r}.")
        target = folder.joinpath(*place.parts[1:])
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(info) as stream, target.open("xb") as file:
            shutil.copyfileobj(stream, file)


def _insert_rows(source: Path, archive: zipfile.ZipFile, db: sa.Connection, table: sa.Table) -> None:
    name = f"tables/{table.name}.jsonl"
    if name not in archive.namelist():  # a table of a later version
        return
    known = {column.name for column in table.columns}
    rows: list[dict[str, Any]] = []
    with archive.open(name) as stream:
        while line := stream.readline(_MAX_LINE):
            try:
                row = json.loads(line)
                rows.append({column: value for column, value in row.items() if column in known})
            except (ValueError, AttributeError, RecursionError):
                raise FormatError(
                    source, None, f"this backup is damaged: {name} has a row that cannot be read."
                ) from None
            if len(rows) == _ROWS_AT_ONCE:
                db.execute(table.insert(), rows)
                rows = []
    if rows:
        db.execute(table.insert(), rows)


def _add_missing_schemas(db: sa.Connection) -> None:
    """Give projects of an earlier version, which had none, the schema that their annotations use."""
    known = sa.select(project_schemas.c.project)
    for project in list(db.scalars(sa.select(projects.c.id).where(projects.c.id.not_in(known)))):
        propose_from_data(db, project)


def _set_sequences(db: sa.Connection) -> None:
    """Let PostgreSQL number new rows after the restored ones; SQLite does so by itself."""
    if db.dialect.name != "postgresql":
        return
    for table in _TABLES:
        column = table.autoincrement_column
        if column is not None:
            db.exec_driver_sql(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', '{column.name}'), "
                f"COALESCE((SELECT MAX({column.name}) FROM {table.name}), 0) + 1, false)"
            )
