"""Carries JSON-RPC lines to and from a program's pipes, within bounds of time and size.

Must not know what is said, nor wait for longer than it is told.
"""

from __future__ import annotations

import json
import os
import select
import time
from subprocess import Popen
from typing import IO, Any, BinaryIO

LINE = 16 * 1024 * 1024  # bytes of one message
ASIDE = 1024 * 1024  # bytes of standard error that are kept
JUNK = 1_000  # lines that are no message, before nobody listens any more
_CHUNK = 65_536


class Broken(Exception):
    """Nobody can be spoken with any more; the words say why."""


class Late(Exception):
    """The time that one was told to wait is over."""


def _file(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


class Wire:
    """The pipes of one program that speaks JSON-RPC, a message a line."""

    def __init__(self, process: Popen[bytes], most: int, aside: BinaryIO) -> None:
        """Take over a program's pipes; `most` bytes may come from it in all.

        `aside` gets the beginning of what it writes to standard error.
        """
        self._in, self._out, self._err = map(
            _file, (process.stdin, process.stdout, process.stderr)
        )
        self._most, self._heard, self._junk = most, 0, 0
        self._aside, self._listens = aside, [self._out, self._err]
        self._kept, self._looked = bytearray(), 0

    def anew(self) -> None:
        """Begin to measure anew how much comes."""
        self._heard = self._junk = 0

    def send(self, message: dict[str, Any], until: float) -> None:
        """Send a message by a time of the monotonic clock. Raises: Broken, Late."""
        data = memoryview(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        while data:
            if not select.select([], [self._in], [], self._left(until))[1]:
                raise Late
            try:
                data = data[os.write(self._in, data[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Broken("the agent ended without a word") from error

    def receive(self, until: float) -> dict[str, Any]:
        """Give the next message. Raises: Broken, Late."""
        while True:
            end = self._kept.find(b"\n", self._looked)
            if end < 0:
                self._looked = len(self._kept)
                self._more(until)
                continue
            line = bytes(self._kept[:end])
            del self._kept[: end + 1]
            self._looked = 0
            message = self._parsed(line)
            if message is not None:
                return message

    def quiet(self) -> bool:
        """Tell whether the program is there and says nothing. Raises: Broken."""
        if not select.select([self._out], [], [], 0)[0]:
            return True
        self._more(time.monotonic())
        return False

    def _more(self, until: float) -> None:
        ready = select.select(self._listens, [], [], self._left(until))[0]
        if not ready:
            raise Late
        if self._err in ready:
            self._put_aside(os.read(self._err, _CHUNK))
        if self._out not in ready:
            return
        data = os.read(self._out, _CHUNK)
        if not data:
            raise Broken("the agent ended without a word")
        self._heard += len(data)
        self._kept += data
        if self._heard > self._most:
            raise Broken(f"it said more than {self._most} bytes")
        if len(self._kept) > LINE + _CHUNK:
            raise Broken(f"it sent a line of more than {LINE} bytes")

    def _put_aside(self, data: bytes) -> None:
        if not data:
            self._listens.remove(self._err)
        elif self._aside.tell() < ASIDE:
            self._aside.write(data)
            self._aside.flush()

    def _parsed(self, line: bytes) -> dict[str, Any] | None:
        """Read a line; a few that are no message are passed over: some agents greet in prose."""
        try:
            found = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        self._junk += 1
        if self._junk > JUNK:
            raise Broken("it does not speak the protocol")
        return None

    @staticmethod
    def _left(until: float) -> float:
        return max(0.0, until - time.monotonic())
