"""Speaks the Agent Client Protocol, version 1, with one agent: a conversation and its turns.

https://agentclientprotocol.com. Must not serve files or terminals: the agent has its own hands,
and asks leave to use them. Must not believe the agent about anything but its own words.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from caselore.repair.workers.permission import Answer, answer
from caselore.repair.workers.wire import Broken, Late, Wire

VERSION = 1
HANDSHAKE = 120.0  # seconds until an agent must have a conversation open
FOUND, RESUMED, LOADED, FRESH = "live", "resumed", "loaded", "fresh"
_UNKNOWN = {"code": -32601, "message": "Method not found"}
_CLIENT = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one turn may take, and what it may do."""

    until: float
    """A time of the monotonic clock."""
    grace: float
    steps: int
    """Uses of tools."""
    cost: float
    """In the currency that the agent reports in."""
    allowed: tuple[str, ...]
    folder: str


@dataclass(slots=True)
class Turn:
    """What came of one prompt."""

    reason: str = ""
    """Why the agent ended it, in the protocol's words."""
    why: str = ""
    """Why we ended it; empty where we did not."""
    steps: int = 0
    cost: float = 0.0
    asked: list[tuple[str, Answer]] = field(default_factory=list)


class Refused(Exception):
    """The agent answered with an error; the words are its own."""


@dataclass(slots=True)
class Agent:
    """One agent at the other end of a wire."""

    wire: Wire
    words: Callable[[str], None]
    """Takes what the agent says in its turn, as it comes."""
    abilities: Mapping[str, Any] = field(default_factory=dict)
    conversation: str = ""
    spent: float = 0.0
    """What the conversation cost since this agent was started."""
    meter: float = 0.0
    """What the agent itself last said that it cost in all."""
    turn: int = 0
    """The id of the prompt that it is at."""
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    # Opening

    def greet(self, until: float) -> None:
        """Agree on a version. Raises: Broken, Late."""
        about = {"name": "caselore", "title": "caselore", "version": "1"}
        given = {"protocolVersion": VERSION, "clientCapabilities": _CLIENT, "clientInfo": about}
        try:
            told = self._call("initialize", given, until)
        except Refused as error:
            raise Broken(f"it does not greet: {error}") from error
        if told.get("protocolVersion") != VERSION:
            raise Broken(f"it speaks another version: {str(told.get('protocolVersion'))[:20]}")
        found = told.get("agentCapabilities")
        self.abilities = found if isinstance(found, dict) else {}

    def open(self, known: str, folder: str, until: float) -> str:
        """Take up a known conversation where the agent can, else begin one; says which it was.

        Raises: Broken, Late.
        """
        rung = self._again(known, folder, until) if known else ""
        if rung:
            self.conversation = known
            return rung
        try:
            told = self._call("session/new", {"cwd": folder, "mcpServers": []}, until)
        except Refused as error:
            raise Broken(f"it begins no conversation: {error}") from error
        self.conversation = str(told.get("sessionId") or "")
        if not self.conversation:
            raise Broken("it begins a conversation without a name")
        return FRESH

    def _again(self, known: str, folder: str, until: float) -> str:
        """Try the ways in which an agent takes up a conversation, the cheaper one first."""
        more = self.abilities.get("sessionCapabilities")
        ways = []
        if isinstance(more, dict) and more.get("resume") is not None:
            ways.append(("session/resume", RESUMED))
        if self.abilities.get("loadSession") is True:
            ways.append(("session/load", LOADED))
        self.conversation = known  # a load tells the conversation anew, with what it cost
        for method, rung in ways:
            given = {"sessionId": known, "cwd": folder, "mcpServers": []}
            try:
                self._call(method, given, until)
            except Refused:
                continue
            return rung
        return ""

    def _call(self, method: str, given: dict[str, Any], until: float) -> dict[str, Any]:
        """Ask and wait; what is said meanwhile belongs to no turn of ours."""
        id = next(self._ids)
        self.wire.send({"id": id, "method": method, "params": given}, until)
        while True:
            message = self.wire.receive(until)
            if _answers(message, id):
                return _told(message)
            self._meanwhile(message, None, None, until)

    # A turn

    def prompt(self, text: str, bounds: Bounds) -> Turn:
        """Have one turn; what passes its bounds is cancelled. Raises: Broken."""
        turn, before = Turn(), self.spent
        self.turn = id = next(self._ids)
        given = {"sessionId": self.conversation, "prompt": [{"type": "text", "text": text}]}
        try:
            self.wire.send({"id": id, "method": "session/prompt", "params": given}, bounds.until)
            while not turn.why:
                message = self.wire.receive(bounds.until)
                if _answers(message, id):
                    return _ended(turn, message)
                self._meanwhile(message, turn, bounds, bounds.until)
                turn.cost = max(0.0, self.spent - before)
                turn.why = _over(turn, bounds)
        except Late:
            turn.why = "out of time"
        return self.cancel(turn, bounds.grace)

    def cancel(self, turn: Turn, grace: float) -> Turn:
        """Ask the agent to end its turn, and hear it out for a while. Raises: Broken."""
        until, id = time.monotonic() + grace, self.turn
        try:
            about = {"sessionId": self.conversation}
            self.wire.send({"method": "session/cancel", "params": about}, until)
            while not _answers(message := self.wire.receive(until), id):
                self._meanwhile(message, turn, None, until)
        except Late:
            turn.reason = ""
            return turn
        return _ended(turn, message)

    def _meanwhile(
        self, message: dict[str, Any], turn: Turn | None, bounds: Bounds | None, until: float
    ) -> None:
        """Take in what the agent says or asks: in a turn or not, within bounds or at its end."""
        method, id = message.get("method"), message.get("id")
        about = message.get("params")
        given = about if isinstance(about, dict) else {}
        if method == "session/update":
            self._update(given, turn)
        elif method == "session/request_permission" and id is not None:
            self._permit(id, given, turn, bounds, until)
        elif isinstance(method, str) and id is not None:
            self.wire.send({"id": id, "error": _UNKNOWN}, until)

    def _permit(
        self,
        id: Any,
        asked: dict[str, Any],
        turn: Turn | None,
        bounds: Bounds | None,
        until: float,
    ) -> None:
        outcome: dict[str, str] = {"outcome": "cancelled"}
        if turn is not None and bounds is not None:
            chosen = answer(asked, bounds.allowed, bounds.folder)
            deed = asked.get("toolCall")
            title = deed.get("title") if isinstance(deed, dict) else ""
            turn.asked.append((str(title or "")[:300], chosen))
            if chosen.option:
                outcome = {"outcome": "selected", "optionId": chosen.option}
        self.wire.send({"id": id, "result": {"outcome": outcome}}, until)

    def _update(self, given: dict[str, Any], turn: Turn | None) -> None:
        told = given.get("update")
        if given.get("sessionId") != self.conversation or not isinstance(told, dict):
            return
        kind, content = told.get("sessionUpdate"), told.get("content")
        if kind == "usage_update":
            self._spend(told.get("cost"))
        elif turn is None:
            return  # a conversation that is told anew says nothing in this turn
        elif kind == "tool_call":
            turn.steps += 1
        elif kind == "agent_message_chunk" and isinstance(content, dict):
            text = content.get("text")
            self.words(text if isinstance(text, str) else "")

    def _spend(self, cost: Any) -> None:
        """Take in what the agent says that the conversation cost in all.

        A lower figure than before is that of an agent which began to count anew.
        """
        amount = cost.get("amount") if isinstance(cost, dict) else None
        if not isinstance(amount, int | float) or not 0 <= amount < 1e9:
            return
        self.spent += amount - self.meter if amount >= self.meter else amount
        self.meter = float(amount)


def _answers(message: dict[str, Any], id: int) -> bool:
    return message.get("id") == id and "method" not in message


def _told(message: dict[str, Any]) -> dict[str, Any]:
    """Give a sound result. Raises: Refused."""
    error, result = message.get("error"), message.get("result")
    if error is not None:
        words = error.get("message") if isinstance(error, dict) else error
        raise Refused(str(words or "an error without words")[:300])
    return result if isinstance(result, dict) else {}


def _ended(turn: Turn, message: dict[str, Any]) -> Turn:
    try:
        turn.reason = str(_told(message).get("stopReason") or "")[:40]
    except Refused as error:
        turn.reason, turn.why = "error", turn.why or f"its turn failed: {error}"
    return turn


def _over(turn: Turn, bounds: Bounds) -> str:
    if turn.steps > bounds.steps:
        return f"more than {bounds.steps} steps"
    if turn.cost > bounds.cost:
        return f"it cost more than {bounds.cost:g}"
    return ""
