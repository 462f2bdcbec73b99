"""Takes what a caller hands in, a path, bytes, a file or rows, in the one form that is needed.

Must not read further than it is asked to.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from caselore.errors import BadInput, WrongUse
from caselore.settings import nearest

if TYPE_CHECKING:
    from caselore.memory.records import Filters

Log = str | os.PathLike[str] | bytes | BinaryIO


@contextmanager
def opened(log: Log) -> Iterator[tuple[BinaryIO, str]]:
    """Give a binary file and its name, whatever was handed in."""
    if isinstance(log, bytes):
        yield io.BytesIO(log), "log"
    elif isinstance(log, (str, os.PathLike)):
        with Path(log).open("rb") as file:
            yield file, os.fspath(log)
    else:
        yield log, str(getattr(log, "name", "log"))


def named(name: str) -> str:
    """Give a file's name as it is kept and shown: sound Unicode without secrets."""
    from caselore.guards import secrets  # noqa: PLC0415

    return secrets.redact(os.fsencode(name).decode("utf-8", "replace")).text


@contextmanager
def spooled(file: BinaryIO) -> Iterator[BinaryIO]:
    """Give a file that can be read twice, from where it stands."""
    if file.seekable():
        yield file
        return
    with tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(file, spool, 1024 * 1024)
        spool.seek(0)
        yield spool


def clean(words: str) -> str:
    """Give what a person says as it is kept."""
    from caselore.incidents import service  # noqa: PLC0415

    return service.clean(words)


def numbered(rows: Iterable[Mapping[str, Any] | tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Number rows from 1; pairs keep the number that they bring."""
    for number, row in enumerate(rows, start=1):
        yield row if isinstance(row, tuple) else (number, row)


def time_of(at: datetime | str | None) -> datetime | None:
    """Read a point in time, also from ISO 8601; without a zone it is UTC. Raises: BadInput."""
    if at is None:
        return None
    try:
        found = datetime.fromisoformat(at) if isinstance(at, str) else at
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, AttributeError):
        raise BadInput(f"{clean(str(at))} is no date and time.") from None


def filters_of(kind: type[Filters], given: Mapping[str, Any]) -> Filters:
    """Read filters from a mapping. Raises: WrongUse for a name that is none."""
    known = tuple(field.name for field in fields(kind))
    for name in given:
        if name not in known:
            raise WrongUse(f"There is no filter {name!r}.", hint=nearest(name, known))
    return kind(**given)
