"""Opens what a command is given: logs, lines, dates, durations.

Must not judge content.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO

from caselore.errors import BadInput, Unavailable, WrongUse
from caselore.faces import terminal

_UNITS = {"h": 1, "d": 24, "w": 24 * 7}
_SOON = 0.5  # seconds after which a person is told what is waited for
_PATIENCE = 5.0  # seconds that a named pipe is waited for
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
    with _opened(path) as file:
        if file.seekable():
            yield file
            return
        with tempfile.TemporaryFile() as spool:  # a named pipe, as of <(command)
            yield _spooled(file, spool)


def _opened(path: str) -> BinaryIO:
    """Open a file; a named pipe is waited for, but not for ever."""
    # What a shell gives for <(command) is open at its other end already, or was.
    if path.startswith(("/dev/", "/proc/")) or not _is_pipe(path):
        return open(path, "rb")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        first = _first_bytes(pipe, path)
        os.set_blocking(pipe, True)
    except BaseException:
        os.close(pipe)
        raise
    return _Begun(first, os.fdopen(pipe, "rb"))  # type: ignore[return-value]


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):  # opening it says what is wrong
        return False


def _first_bytes(pipe: int, path: str) -> bytes:
    """Wait until somebody writes to a pipe. Raises: Unavailable where nobody does."""
    began, told = time.monotonic(), not sys.stderr.isatty()
    while (waited := time.monotonic() - began) < _PATIENCE:
        try:
            first = os.read(pipe, 65536)
        except BlockingIOError:  # a writer is there, with nothing to say yet
            return b""
        if first:
            return first
        if waited > _SOON and not told:
            told = True
            terminal.say(f"caselore: waiting for what writes to {terminal.one_line(path)}")
        time.sleep(0.02)
    raise Unavailable(
        f"Nobody writes to the named pipe {path}; {_PATIENCE:.0f} seconds were waited.",
        hint="Start what writes to it first, or give the log on standard input: COMMAND | …  -",
    )


class _Begun:
    """A pipe of which the first bytes are read already."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest = first, rest

    def __enter__(self) -> _Begun:
        return self

    def __exit__(self, *_: object) -> None:
        self._rest.close()

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        first, self._first = self._first, b""
        return first or self._rest.read(size)


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


def model(name: str | None, never: bool) -> str | None:
    """Give the model of --model and --no-model; None for the settings' own."""
    if name and never:
        raise WrongUse("--model and --no-model exclude each other.", hint="Give one of them.")
    return "none" if never else name
