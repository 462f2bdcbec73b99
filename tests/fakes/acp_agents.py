"""Agents that speak the Agent Client Protocol: real small programs, well-behaved and not.

`GOOD` is written on the protocol's own SDK, so that the client is held against what others built.
"""

from __future__ import annotations

import sys

from caselore.repair.workers.profiles import Profile

GOOD = r"""
import asyncio, json, os, sys
from pathlib import Path
import acp
from acp.schema import (
    AgentCapabilities, Cost, LoadSessionResponse, PermissionOption, ResumeSessionResponse,
    SessionCapabilities, SessionResumeCapabilities, TextContentBlock, ToolCallLocation, ToolCallUpdate,
    UsageUpdate,
)

HOME, CAN = Path(sys.argv[1]), sys.argv[2]
DEEDS = json.loads(sys.argv[3])


def note(what, **more):
    with open(HOME / "seen.jsonl", "a") as file:
        file.write(json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n")


class Agent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        note("initialize", version=protocol_version, client=client_info.name)
        more = SessionCapabilities(resume=SessionResumeCapabilities()) if CAN == "resume" else None
        return acp.InitializeResponse(
            protocol_version=1,
            agent_capabilities=AgentCapabilities(
                load_session=CAN == "load", session_capabilities=more or SessionCapabilities()
            ),
        )

    async def new_session(self, cwd, mcp_servers=None, **_):
        name = f"s{os.getpid()}"
        (HOME / name).write_text("0")
        note("new", session=name, cwd=cwd)
        return acp.NewSessionResponse(session_id=name)

    async def load_session(self, cwd, session_id, mcp_servers=None, **_):
        note("load", session=session_id, cwd=cwd)
        if not (HOME / session_id).exists():
            raise acp.RequestError.resource_not_found(session_id)
        await self.say(session_id, '{"status": "gave_up", "summary": "said long ago"}')
        return LoadSessionResponse()

    async def resume_session(self, cwd, session_id, mcp_servers=None, **_):
        note("resume", session=session_id, cwd=cwd)
        if not (HOME / session_id).exists():
            raise acp.RequestError.resource_not_found(session_id)
        return ResumeSessionResponse()

    async def say(self, session, text):
        await self.client.session_update(session, acp.update_agent_message(TextContentBlock(type="text", text=text)))

    async def prompt(self, session_id, prompt, **_):
        text = "".join(one.text for one in prompt)
        note("prompt", session=session_id, text=text)
        for number, deed in enumerate(DEEDS):
            answer = await self.client.request_permission(
                session_id=session_id,
                tool_call=ToolCallUpdate(
                    tool_call_id=f"t{number}", kind=deed["kind"], title=deed.get("title", "a deed"),
                    locations=[ToolCallLocation(path=p) for p in deed.get("paths", [])],
                    raw_input=deed.get("input"),
                ),
                options=[
                    PermissionOption(option_id="always", name="Always", kind="allow_always"),
                    PermissionOption(option_id="once", name="Once", kind="allow_once"),
                    PermissionOption(option_id="no", name="No", kind="reject_once"),
                ],
            )
            note("answer", kind=deed["kind"], got=answer.model_dump(by_alias=True)["outcome"])
            await self.client.session_update(session_id, acp.start_tool_call(f"t{number}", "a deed"))
        cost = float((HOME / session_id).read_text()) + 0.25  # of the whole conversation
        (HOME / session_id).write_text(str(cost))
        await self.client.session_update(session_id, UsageUpdate(
            session_update="usage_update", size=1000, used=10, cost=Cost(amount=cost, currency="USD")))
        event = text.partition('"event_id": "')[2].partition('"')[0]
        said = {"event_id": event, "status": "pushed", "head_sha": "aaa1", "summary": "mended it"}
        for part in (json.dumps(said)[:20], json.dumps(said)[20:]):
            await self.say(session_id, part)
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id, **_):
        note("cancel", session=session_id)


asyncio.run(acp.run_agent(Agent(), use_unstable_protocol=True))
"""

# What an agent does in place of its turn, by hand: the protocol's own SDK would not let it.
ODD = r"""
import json, os, subprocess, sys, time
from pathlib import Path
HOW, HOME = sys.argv[1], Path(sys.argv[2])


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**told):
    say(method="session/update", params={"sessionId": "s-1", "update": told})


def text(words):
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": words})


def hear():
    line = sys.stdin.readline()
    if not line:
        raise SystemExit
    message = json.loads(line)
    with open(HOME / "heard.jsonl", "a") as file:
        file.write(line)
    return message


def child():
    made = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    (HOME / "child").write_text(str(made.pid))


def turn(id):
    if HOW == "hangs":
        child()
        time.sleep(300)
    if HOW == "obeys a cancel":
        child()
        while hear().get("method") != "session/cancel":
            pass
        text('{"status": "gave_up", "summary": "was cancelled"}')
        say(id=id, result={"stopReason": "cancelled"})
    if HOW == "floods":
        while True:
            text("x" * 100_000)
    if HOW == "one endless line":
        while True:
            sys.stdout.write("y" * 1_000_000)
            sys.stdout.flush()
    if HOW == "talks to itself":
        while True:
            sys.stderr.write("z" * 100_000)
            sys.stderr.flush()
    if HOW == "dies":
        text("half a wo")
        os._exit(9)
    if HOW == "garbage":
        for number in range(3_000):
            print("\x1b[31m{not json", number, flush=True)
    if HOW == "prose between":
        print("Welcome to the agent!\n[]\nnull\n7", flush=True)
        text('{"status": "needs_human", "summary": "no idea"}')
        say(id=999, result={"stopReason": "end_turn"})
        say(id=id, result={"stopReason": "end_turn"})
    if HOW == "uses too many tools":
        for number in range(500):
            update(sessionUpdate="tool_call", toolCallId=f"t{number}", title="read")
        while hear().get("method") != "session/cancel":
            pass
        say(id=id, result={"stopReason": "cancelled"})
    if HOW == "costs too much":
        for amount in (1, 0.5, 90):
            update(sessionUpdate="usage_update", cost={"amount": amount, "currency": "USD"})
        while hear().get("method") != "session/cancel":
            pass
        say(id=id, result={"stopReason": "cancelled"})
    if HOW == "wants files":
        for number, method in enumerate(("fs/read_text_file", "terminal/create", "session/prompt", "x/y")):
            say(id=f"mine{number}", method=method, params={"path": "/etc/passwd", "command": "id"})
            hear()
        say(method="session/update", params={"sessionId": "another", "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": '{"status": "pushed"}'}}})
        for odd in (None, [], "x", {"update": 3}, {"sessionId": "s-1", "update": {"sessionUpdate": 7}}):
            say(method="session/update", params=odd)
        say(id=id, result={"stopReason": "end_turn"})
    if HOW == "refuses":
        say(id=id, result={"stopReason": "refusal"})
    if HOW == "fails its turn":
        say(id=id, error={"code": -32603, "message": "the model is overloaded"})
    if HOW == "ends without a reason":
        say(id=id, result=None)


while True:
    message = hear()
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        if HOW == "never greets":
            time.sleep(300)
        if HOW == "another version":
            say(id=id, result={"protocolVersion": 2})
        else:
            say(id=id, result={"protocolVersion": 1, "agentCapabilities": {"loadSession": True, "sessionCapabilities": []}})
    elif method == "session/new":
        if HOW == "wants a login":
            say(id=id, error={"code": -32000, "message": "Authentication required"})
        elif HOW == "names no conversation":
            say(id=id, result={})
        else:
            say(id=id, result={"sessionId": "s-1"})
    elif method == "session/load":
        say(id=id, error={"code": -32002, "message": "Resource not found"})
    elif method == "session/prompt":
        turn(id)
"""


def good(folder, can="", deeds="[]", **more):
    """Give the profile of a well-behaved agent that keeps its conversations in a folder."""
    return _acp(GOOD, folder, str(folder), can, deeds, **more)


def odd(folder, how, **more):
    """Give the profile of an agent that misbehaves in one way."""
    return _acp(ODD, folder, how, str(folder), **more)


def _acp(script, folder, *arguments, **more):
    file = folder / "agent.py"  # braces in an argument would be placeholders
    file.write_text(script)
    more.setdefault("timeout", 60)
    more.setdefault("grace", 1)
    start = (sys.executable, str(file), *arguments)
    return Profile("coder", start, protocol="acp", **more)
