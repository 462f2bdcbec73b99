"""Starts writers that may be killed, each as a fork of one process that has imported all: a kill costs little.

What a writer says goes into a file of its own, so that it is known outside even if it is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@dataclass(frozen=True)
class Child:
    """A writer at work."""

    pid: int
    told: Path

    def said(self) -> list[list[str]]:
        """Give the lines that it said whole."""
        text = self.told.read_text()
        return [line.split() for line in text[: text.rfind("\n") + 1].splitlines()]

    def until_ready(self, lines: int = 0, patience: float = 120) -> None:
        """Wait until it has opened the store and said so many lines more."""
        deadline = time.monotonic() + patience
        while len(self.said()) < 1 + lines:
            assert self.alive(), self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.005)

    def alive(self) -> bool:
        with suppress(ProcessLookupError):
            os.kill(self.pid, 0)
            return True
        return False

    def end(self, by: int, patience: float = 60) -> list[list[str]]:
        """Send a signal, wait until it is gone, and give what it had said."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, by)
        deadline = time.monotonic() + patience
        while self.alive():
            assert time.monotonic() < deadline, "it does not end"
            time.sleep(0.005)
        return self.said()


class Nursery:
    """The process that forks writers."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._number = folder, 0
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def writer(self, place, name: str, folder=None, most: int = 100_000) -> Child:
        self._number += 1
        told = self._folder / f"said-{self._number}"
        told.touch()
        words = [str(place), name, most, *([str(folder)] if folder else [])]
        self._process.stdin.write(json.dumps([str(told), words]) + "\n")
        self._process.stdin.flush()
        return Child(int(self._process.stdout.readline()), told)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


def _run(told: str, words: list) -> None:
    from fakes import writer

    file = os.open(told, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = 1
    try:
        code = writer.main(*words)
    finally:
        sys.stdout.flush()
        os._exit(code)


def main() -> None:
    from fakes import writer  # noqa: F401 - imported once, for all

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        told, words = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _run(told, words)
        print(pid, flush=True)


if __name__ == "__main__":
    main()
