"""Runs one worker for one event, detached from whoever asked: so a killed watcher loses nothing.

Started as `python -m caselore.repair.workers.runner FOLDER`; the folder holds what to run, and
takes what came of it. Must not read an event, count, or decide anything.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any


class Stopped(Exception):
    """Somebody asked this run to end."""


def main(arguments: Sequence[str]) -> int:
    """Run what the folder says in a process that nobody waits for, and write how it ended."""
    if os.fork():
        return 0
    os.setsid()
    folder = Path(arguments[0])
    spec = json.loads((folder / "spec.json").read_text("utf-8"))
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _alone(folder, spec)
    return 0  # another runner has this event: two watchers, or one that was killed and came back


def _alone(folder: Path, spec: dict[str, Any]) -> int:
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, _stop)
    write(folder / "running.json", {"pid": os.getpid(), "born": born(os.getpid())})
    began = time.monotonic()
    how = _run_all(folder, spec)
    write(folder / "ended.json", {**how, "seconds": round(time.monotonic() - began, 3)})
    return 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


def _run_all(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    how = _run(folder, spec, spec["argv"])
    if spec["after"] and how["code"] == 0:
        return _run(folder, spec, spec["after"])
    return how


def _run(folder: Path, spec: dict[str, Any], argv: list[str]) -> dict[str, Any]:
    with (
        open(folder / spec["stdin"], "rb") as given,
        open(folder / "stdout.log", "ab") as out,
        open(folder / "stderr.log", "ab") as err,
    ):
        try:
            process = subprocess.Popen(
                argv, cwd=spec["cwd"], stdin=given, stdout=out, stderr=err, start_new_session=True
            )
        except OSError as error:
            return {"code": 127, "why": f"could not be started: {error.strerror}: {argv[0]}"}
        return _wait(process, spec)


def _wait(process: subprocess.Popen[bytes], spec: dict[str, Any]) -> dict[str, Any]:
    try:
        code = process.wait(spec["timeout"])
    except subprocess.TimeoutExpired:
        end_group(process.pid, spec["grace"])
        return {"code": process.wait(), "why": f"out of time after {spec['timeout']} seconds"}
    except Stopped:
        end_group(process.pid, spec["grace"])
        return {"code": process.wait(), "why": "stopped"}
    end_group(process.pid, 0)  # what it left running in its group would go on writing
    return {"code": code, "why": ""}


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
