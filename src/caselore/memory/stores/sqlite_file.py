"""Opens, migrates and checks one SQLite file, and turns its errors into ours.

Must not know what the tables mean.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caselore.errors import (
    CaseloreError,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    Unavailable,
)
from caselore.memory.stores.named_sql import migrations

APPLICATION_ID = 0x63_6C_6F_72  # "clor", so that another program's database is told apart
PAUSE = 0.02  # seconds between two tries to switch a new file to write-ahead logging


def connect(path: Path, busy: float) -> sqlite3.Connection:
    """Open a file that is known to be ours, durable and patient. Raises Unavailable.

    Where the folder cannot be written it is opened for reading alone.
    """
    with mapped(path):
        if path.exists() and not os.access(path.parent, os.W_OK):
            return _for_reading(path, busy)
        link = sqlite3.connect(path, timeout=busy, isolation_level=None, check_same_thread=False)
        try:
            link.execute("PRAGMA synchronous = FULL")
            link.execute("PRAGMA secure_delete = ON")
            link.execute("PRAGMA foreign_keys = ON")
            link.execute("PRAGMA cache_size = -16000")
        except sqlite3.Error:
            link.close()
            raise
        return link


def _for_reading(path: Path, busy: float) -> sqlite3.Connection:
    """Open a file in a folder where nothing can be written, not even a lock.

    With a write-ahead log beside it others may write, and SQLite must find their index of it.
    """
    log = path.with_name(path.name + "-wal")
    still = not (log.exists() and log.stat().st_size)
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    return sqlite3.connect(
        address, uri=True, timeout=busy, isolation_level=None, check_same_thread=False
    )


def prepare(path: Path, busy: float) -> sqlite3.Connection:
    """Open the file, made if there is none and brought to this version. Raises Unavailable."""
    _make_folder(path)
    _refuse_remains(path)
    if not path.exists():
        _make(path, busy)
    link = connect(path, busy)
    try:
        with mapped(path):
            _recognise(link, path)
            old = _version(link) < len(migrations("sqlite"))
            if old and not os.access(path.parent, os.W_OK):
                raise StoreReadOnly(
                    f"{path} is of an older version and cannot be brought to this one here",
                    hint="Open it once as a user who may write its folder.",
                )
            if old:
                write_ahead(link, busy)
                _migrate(link)
    except BaseException:
        link.close()
        raise
    return link


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnly(f"{path.parent}: {error.strerror or error}") from error


def _refuse_remains(path: Path) -> None:
    """Raise StoreDamaged where a store was and its file is gone or empty: none begins anew."""
    log = path.with_name(path.name + "-wal")
    left = log.is_file() and log.stat().st_size > 0  # asked first: a new store is there before it
    size = path.stat().st_size if path.is_file() else None
    if size or (size is None and not left):
        return
    if left:
        what = "is gone" if size is None else "is empty"
        words = f"{path} {what}, but its write-ahead log {log.name} is still there"
        raise StoreDamaged(words, hint=_REMAINS)
    raise StoreDamaged(f"{path} is empty, as after a full disk or a broken copy", hint=_REMAINS)


_REMAINS = (
    "Restore caselore.db from a copy; only if nothing is to be kept, remove what is left of it "
    "and run the command again for a new memory."
)


def _make(path: Path, busy: float) -> None:
    """Write a new store aside and name it when it is whole, so that none is ever empty."""
    draft = path.with_name(f"{path.name}-new-{os.getpid()}-{threading.get_ident()}")
    try:
        link = connect(draft, busy)
        try:
            with mapped(path):
                write_ahead(link, busy)
                _migrate(link)
                # Closing would fold the log in as well, but says nothing where the disk is full.
                link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            link.close()
        _name(draft, path)
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)


def _name(draft: Path, path: Path) -> None:
    """Give a file its name unless another process was first."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)


def _version(link: sqlite3.Connection) -> int:
    return int(link.execute("PRAGMA user_version").fetchone()[0])


def _recognise(link: sqlite3.Connection, path: Path) -> None:
    version, known = _version(link), len(migrations("sqlite"))
    owner = link.execute("PRAGMA application_id").fetchone()[0]
    empty = version == 0 and not schema(link)
    if owner != APPLICATION_ID and not empty:
        raise StoreDamaged(f"{path} is a database of another program; it was left as it is")
    if version > known:
        raise StoreTooNew(
            f"{path} has version {version}; this caselore knows {known}. It was left as it is."
        )


def write_ahead(link: sqlite3.Connection, busy: float) -> None:
    """Switch to write-ahead logging; SQLite's own patience does not cover this step."""
    deadline = time.monotonic() + busy
    while True:
        try:
            link.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(PAUSE)


def _migrate(link: sqlite3.Connection) -> None:
    link.execute("BEGIN IMMEDIATE")
    try:
        version = _version(link)
        for script in migrations("sqlite")[version:]:
            for statement in statements(script):
                link.execute(statement)
        if version < len(migrations("sqlite")):
            link.execute(f"PRAGMA user_version = {len(migrations('sqlite'))}")
            link.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        link.execute("COMMIT")
    finally:
        if link.in_transaction:
            link.execute("ROLLBACK")


def statements(script: str) -> Iterator[str]:
    """Split a script where SQLite says that a statement is complete."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def schema(link: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Give every object of a database with the text that made it."""
    return set(link.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"))


def expected_schema() -> set[tuple[str, str, str]]:
    """Give the objects that this version's migrations make."""
    link = sqlite3.connect(":memory:")
    try:
        for script in migrations("sqlite"):
            link.executescript(script)
        return schema(link)
    finally:
        link.close()


_BY_CODE: dict[int, type[Unavailable]] = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_READONLY: StoreReadOnly,
    sqlite3.SQLITE_CANTOPEN: StoreReadOnly,
    sqlite3.SQLITE_PERM: StoreReadOnly,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
}
_NO_ROOM = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE,
     sqlite3.SQLITE_IOERR_FSYNC}
)  # fmt: skip


def translate(error: sqlite3.Error, path: Path) -> CaseloreError:
    """Give our error for one of SQLite's, with the file's name and SQLite's own words."""
    if str(error).startswith("Could not decode"):  # the rest of it would show what is stored
        return StoreDamaged(f"{path}: {StoreDamaged.__doc__} (a stored text is no valid UTF-8)")
    code = getattr(error, "sqlite_errorcode", 0)
    kind = StoreFull if code in _NO_ROOM else _BY_CODE.get(code & 0xFF, Unavailable)
    words = (kind.__doc__ or "").strip()
    return kind(f"{path}: {words} (SQLite says: {error})")


@contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Let SQLite's errors leave as ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except UnicodeDecodeError as error:  # a damaged page: stored text is always sound UTF-8
        raise StoreDamaged(f"{path}: {StoreDamaged.__doc__} ({error})") from error
