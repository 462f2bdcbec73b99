"""Runs an agent that speaks the Agent Client Protocol: one turn for an event, and perhaps more.

The order in which a conversation is found: the agent is still there; it takes up the one that it
was told; it begins anew with what is handed over. Must not read an event, count, or decide
anything.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from caselore.repair.workers.acp import FOUND, FRESH, HANDSHAKE, Agent, Bounds, Turn
from caselore.repair.workers.box import Box
from caselore.repair.workers.process import Stopped, born, end_group, write
from caselore.repair.workers.wire import Broken, Late, Wire

GOOD = "end_turn"
_PAUSE = 0.1  # seconds between two looks for the next event
Hold = Callable[[Path], dict[str, Any]]


def serve(folder: Path, spec: dict[str, Any], hold: Hold) -> None:
    """Have the turn of a run, and of those that are handed over while the agent stays."""
    with open(folder / "stderr.log", "ab") as aside:
        try:
            process = _started(spec)
        except OSError as error:
            why = f"could not be started: {error.strerror}: {spec['argv'][0]}"
            write(folder / "ended.json", {"code": 127, "why": why, "seconds": 0.0})
            return
        try:
            Dialogue(process, spec, aside).serve(folder, spec, hold)
        finally:
            end_group(process.pid, 0)
            process.wait()


def _started(spec: dict[str, Any]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        spec["argv"],
        cwd=spec["cwd"],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
    )


class Dialogue:
    """One agent's process, and the turns it has."""

    def __init__(self, process: subprocess.Popen[bytes], spec: dict[str, Any], aside: BinaryIO):
        """Speak with a process that was just started."""
        self._process, self._box = process, Box(Path(spec["box"]))
        self._agent = Agent(Wire(process, spec["output"], aside), self._say)
        self._folder = Path()

    def serve(self, folder: Path, spec: dict[str, Any], hold: Hold) -> None:
        """Have the first turn; then stay as long as the profile says, unless something broke."""
        how = self._turn(folder, spec, lambda until: self._open(spec, until))
        while self._finish(folder, spec, how):
            handed = self._wait(spec)
            if handed is None:
                return
            folder, spec = handed, hold(handed)
            how = self._turn(folder, spec, lambda _: FOUND)

    def _open(self, spec: dict[str, Any], until: float) -> str:
        known = spec["session"] if spec["resumed"] else ""
        self._agent.greet(until)
        rung = self._agent.open(known, spec["cwd"], until)
        if rung != FRESH:
            self._agent.meter = max(self._agent.meter, self._box.meter(known))
        return rung

    def _turn(
        self, folder: Path, spec: dict[str, Any], found: Callable[[float], str]
    ) -> dict[str, Any]:
        """Find the conversation and have one turn; gives how that ended."""
        began, self._folder = time.monotonic(), folder
        rung, turn = "", Turn()
        self._agent.wire.anew()
        try:
            rung = found(began + min(HANDSHAKE, spec["timeout"]))
            text = (folder / _text(spec, rung)).read_text("utf-8")
            turn = self._agent.prompt(text, _bounds(spec, began))
        except Late:
            turn.why = "out of time: it opened no conversation"
        except Broken as error:
            turn.why = str(error)
        except Stopped:
            turn.why = "stopped"
            if rung:
                self._cancel(turn, spec["grace"])
        return {**self._how(turn, rung), "seconds": round(time.monotonic() - began, 3)}

    def _cancel(self, turn: Turn, grace: float) -> None:
        try:
            self._agent.cancel(turn, grace)
        except (Broken, Stopped):
            return

    def _how(self, turn: Turn, rung: str) -> dict[str, Any]:
        good = turn.reason == GOOD and not turn.why
        why = "" if good else turn.why or f"it ended its turn: {turn.reason or 'without a reason'}"
        asked = [
            {"title": title, "allowed": one.allowed, "why": one.why} for title, one in turn.asked
        ]
        return {
            "code": 0 if good else 1,
            "why": why,
            "rung": rung,
            "session": self._agent.conversation if rung else "",
            "cost": round(turn.cost, 6),
            "steps": turn.steps,
            "reason": turn.reason,
            "asked": asked,
        }

    def _finish(self, folder: Path, spec: dict[str, Any], how: dict[str, Any]) -> bool:
        """Write how a turn ended; tell whether the agent stays. One that goes is gone by then."""
        if how["session"]:
            self._box.keep(how["session"], self._agent.meter)
        stays: bool = how["code"] == 0 and spec["linger"] > 0
        if stays:
            about = {"pid": os.getpid(), "born": born(os.getpid()), "cwd": spec["cwd"]}
            names = {"profile": spec["profile"], "conversation": how["session"]}
            self._box.stay({**about, **names})
        else:
            self._end(spec["grace"])
        write(folder / "ended.json", how)
        return stays

    def _end(self, grace: float) -> None:
        """Let the agent put its conversation away, then end all that it started."""
        self._box.leave()
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired, Stopped):
            self._process.wait(grace)
        end_group(self._process.pid, grace)

    def _wait(self, spec: dict[str, Any]) -> Path | None:
        """Wait for the next event as long as the profile says; None where none came."""
        deadline = time.monotonic() + spec["linger"]
        try:
            while time.monotonic() < deadline:
                handed = self._box.take()
                if handed is not None:
                    return handed
                self._agent.wire.quiet()
                time.sleep(_PAUSE)
        except (Broken, Stopped):
            pass
        finally:
            self._box.leave()
        self._end(spec["grace"])
        return None

    def _say(self, text: str) -> None:
        with open(self._folder / "stdout.log", "a", encoding="utf-8") as file:
            file.write(text)


def _text(spec: dict[str, Any], rung: str) -> str:
    """Name the file to send: a new conversation is told what was tried before."""
    return spec["fresh"]["stdin"] if rung == FRESH and spec["fresh"] else "prompt.md"


def _bounds(spec: dict[str, Any], began: float) -> Bounds:
    return Bounds(
        until=began + spec["timeout"],
        grace=spec["grace"],
        steps=spec["steps"],
        cost=spec["cost"],
        allowed=tuple(spec["allow"]),
        folder=spec["cwd"],
    )
