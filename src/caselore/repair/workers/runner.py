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

from caselore.repair.workers import words
from caselore.repair.workers.process import Stopped, born, end_group, write

TEMPORARY = 75  # a worker's way to say "try again" (EX_TEMPFAIL)
SOON = 60.0  # seconds: what cannot take a conversation up again says so at once
_LOOK = 1.0  # seconds between two looks at how much was written
_OUT, _ERR = "stdout.log", "stderr.log"


def main(arguments: Sequence[str]) -> int:
    """Run what the folder says in a process that nobody waits for, and write how it ended."""
    if os.fork():
        return 0
    os.setsid()
    folder = Path(arguments[0])
    with suppress(Stopped):
        spec = hold(folder)
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, _stop)
        if spec["protocol"] == "acp":
            from caselore.repair.workers.dialogue import serve  # noqa: PLC0415 - most need it not

            serve(folder, spec, hold)
        else:
            began = time.monotonic()
            how = _run_all(folder, spec)
            write(folder / "ended.json", {**how, "seconds": round(time.monotonic() - began, 3)})
    return 0


def hold(folder: Path) -> dict[str, Any]:
    """Take a run for this process as long as it lives, say so, and give what it is.

    Raises: Stopped where another runner has it: two watchers, or one that was killed and came
    back.
    """
    spec: dict[str, Any] = json.loads((folder / "spec.json").read_text("utf-8"))
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Stopped from None
    write(folder / "running.json", {"pid": os.getpid(), "born": born(os.getpid())})
    return spec


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


def _run_all(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    """Run a worker, then what follows a success; where its conversation is lost, a new one."""
    how = _run(folder, spec, spec["argv"], spec["stdin"])
    how["rung"] = "resumed" if spec["resumed"] else "fresh"
    other = spec["fresh"]
    if other and _lost(folder, spec, how):
        how = {**_run(folder, spec, other["argv"], other["stdin"]), "rung": "fresh"}
    if spec["after"] and how["code"] == 0:
        return {**how, **_run(folder, spec, spec["after"], spec["stdin"])}
    return how


def _lost(folder: Path, spec: dict[str, Any], how: dict[str, Any]) -> bool:
    """Tell whether a conversation could not be taken up again: it failed soon, without a word."""
    failed = how["code"] not in (0, TEMPORARY, 127) and not how["why"]
    said, _ = words.heard(folder)
    return failed and how["took"] < SOON and "status" not in said


def _run(folder: Path, spec: dict[str, Any], argv: list[str], stdin: str) -> dict[str, Any]:
    began = time.monotonic()
    with (
        open(folder / stdin, "rb") as given,
        open(folder / _OUT, "ab") as out,
        open(folder / _ERR, "ab") as err,
    ):
        try:
            process = subprocess.Popen(
                argv, cwd=spec["cwd"], stdin=given, stdout=out, stderr=err, start_new_session=True
            )
        except OSError as error:
            why = f"could not be started: {error.strerror}: {argv[0]}"
            return {"code": 127, "why": why, "took": 0.0}
        why = _why_ended(process, folder, spec)
    end_group(process.pid, spec["grace"] if why else 0)
    # what it left running in its group would go on writing: that is ended, too
    return {"code": process.wait(), "why": why, "took": time.monotonic() - began}


def _why_ended(process: subprocess.Popen[bytes], folder: Path, spec: dict[str, Any]) -> str:
    """Wait for the end of a process; give why it must be ended, empty where it ended itself."""
    deadline = time.monotonic() + spec["timeout"]
    try:
        while (left := deadline - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(_LOOK, left))
                return ""
            if sum((folder / one).stat().st_size for one in (_OUT, _ERR)) > spec["output"]:
                return f"it wrote more than {spec['output']} bytes"
    except Stopped:
        return "stopped"
    return f"out of time after {spec['timeout']} seconds"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
