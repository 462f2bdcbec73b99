"""Lets one process at a time change a folder; the system frees the lock when a process dies.

Must not be held while anything but that folder is waited for.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.05  # seconds between two tries


def _try(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - there only

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - not there on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def locked(path: Path, wait: float) -> Iterator[bool]:
    """Hold the lock for the block, or say that another one holds it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + wait
        held = _try(descriptor)
        while not held and time.monotonic() < deadline:
            time.sleep(PAUSE)
            held = _try(descriptor)
        yield held
    finally:
        os.close(descriptor)  # closing frees the lock
