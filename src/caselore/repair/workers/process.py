"""Processes of workers: whether one lives, how it is ended, and files that are whole or not there.

Must not start anything.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any


class Stopped(Exception):
    """Somebody asked this run to end."""


def end_group(group: int, grace: float) -> None:
    """End a process group that this run started: asked first, then not."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            if not born(group):
                break
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)


def end(pid: int) -> None:
    """Ask one process to end."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)


def born(pid: int) -> str:
    """Give when a process began, so that another one with its number is told apart.

    Empty where it is gone, or dead and only not yet waited for.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return "" if Path("/proc/self/stat").exists() else _asked(pid)
    return "" if fields[0] == "Z" else fields[19]


def _asked(pid: int) -> str:
    """Tell of a process where there is no /proc; its number is all that is known."""
    with suppress(OSError):
        os.kill(pid, 0)
        return str(pid)
    return ""


def write(path: Path, value: dict[str, Any]) -> None:
    """Write a file that is whole or not there."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
