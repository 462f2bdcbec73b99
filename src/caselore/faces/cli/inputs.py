"""Opens what a command is given: logs, lines, dates, durations.

Must not judge content.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO

from caselore.errors import BadInput

_UNITS = {"h": 1, "d": 24, "w": 24 * 7}
_LONGEST_LINE = 16 * 1024 * 1024


@contextmanager
def log_file(path: str) -> Iterator[BinaryIO]:
    """Open a log for reading and seeking; - is standard input, kept in an unnamed file meanwhile.

    Raises: OSError when the file cannot be opened.
    """
    if path == "-":
        with tempfile.TemporaryFile() as spool:
            yield _spooled(sys.stdin.buffer, spool)
        return
    with open(path, "rb") as file:
        if file.seekable():
            yield file
            return
        with tempfile.TemporaryFile() as spool:  # a named pipe, as of <(command)
            yield _spooled(file, spool)


def _spooled(source: BinaryIO, spool: Any) -> BinaryIO:
    shutil.copyfileobj(source, spool, 1024 * 1024)
    spool.seek(0)
    checked: BinaryIO = spool
    return checked


def lines(file: BinaryIO, moved: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield a file's lines; of one that is far too long only the beginning.

    `moved` is told the offset after each line.
    """
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            _skip_rest(file)
        yield line
        if moved is not None:
            moved(file.tell())


def _skip_rest(file: BinaryIO) -> None:
    while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
        pass


def _quoted(text: str) -> str:
    from caselore.guards.names import quoted  # noqa: PLC0415 - only where something is wrong

    return quoted(text)


def moment(text: str | None, option: str) -> datetime | None:
    """Read a day or time, UTC where it names no zone.

    Raises: BadInput for anything else.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        hint = "Write a day or time such as 2026-11-01 or 2026-11-01T10:00:00Z."
        raise BadInput(f"{option}: {_quoted(text)} is no date.", hint=hint) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def expiry(text: str | None, now: datetime) -> datetime | None:
    """Read a moment, or a duration from now such as 12h, 90d or 8w.

    Raises: BadInput for anything else, and for a moment that is past.
    """
    if text is None:
        return None
    if text[-1:] in _UNITS and text[:-1].isdecimal():
        try:
            return now + timedelta(hours=int(text[:-1]) * _UNITS[text[-1]])
        except (OverflowError, ValueError):
            raise BadInput(
                f"--expires: {_quoted(text)} is too far away.", hint="Give less."
            ) from None
    found = moment(text, "--expires")
    if found is not None and found <= now:
        raise BadInput(f"--expires: {_quoted(text)} is past.", hint="Give a day to come, or 90d.")
    return found
