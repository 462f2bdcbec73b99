"""Takes what a caller hands in, a path, bytes, a file or rows, in the one form that is needed.

Must not read further than it is asked to.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

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


def numbered(rows: Iterable[Mapping[str, Any] | tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Number rows from 1; pairs keep the number that they bring."""
    for number, row in enumerate(rows, start=1):
        yield row if isinstance(row, tuple) else (number, row)
