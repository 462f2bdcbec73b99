"""Opens what a command is given: logs, JSON lines, dates, durations.

Must not judge content: a line that is no JSON is passed on with the reason.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO, NoReturn

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


def json_lines(file: BinaryIO, refuse: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects; call refuse(line, reason) for every other line."""
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            _skip_rest(file)
            refuse(number, f"longer than {_LONGEST_LINE // 1024 // 1024} MiB")
        elif line.strip(b"\xef\xbb\xbf \t\r\n"):
            row = _row(number, line, refuse)
            if row is not None:
                yield number, row


def _skip_rest(file: BinaryIO) -> None:
    while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
        pass


def _row(number: int, line: bytes, refuse: Any) -> dict[str, Any] | None:
    try:
        row = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        refuse(number, "not UTF-8")
    except RecursionError:
        refuse(number, "nested too deeply")
    except json.JSONDecodeError as error:
        refuse(number, f"not JSON: {error.msg} at column {error.colno}")
    except ValueError as error:
        refuse(number, f"not JSON: {error}")
    else:
        if isinstance(row, dict):
            return row
        refuse(number, "not a JSON object")
    return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


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
        raise BadInput(f"{option}: {text!r} is no date.", hint=hint) from None
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
            raise BadInput(f"--expires: {text!r} is too far away.", hint="Give less.") from None
    found = moment(text, "--expires")
    if found is not None and found <= now:
        raise BadInput(f"--expires: {text} is past.", hint="Give a day to come, or 90d.")
    return found
