"""The command lines of coding agents, as small programs of the same names and manners.

Each knows its conversations by the folder in which they were begun, as the real ones do, and says
in its own form what it did.
"""

from __future__ import annotations

import sys

TOOLS = ("claude", "codex", "gemini", "opencode", "aider", "openhands")
SCRIPT = r"""#!%(python)s
import json, os, sys
from pathlib import Path
HOME, TOOL, ARGV = Path(%(home)r), os.path.basename(sys.argv[0]), sys.argv[1:]


def after(name):
    return ARGV[ARGV.index(name) + 1] if name in ARGV else ""


known = HOME / "known.json"
sessions = json.loads(known.read_text()) if known.exists() else []
again = {"claude": after("--resume"), "codex": ARGV[3] if ARGV[:2] == ["exec", "resume"] else "",
         "gemini": after("--resume"), "opencode": after("-s"), "openhands": after("--resume")}.get(TOOL, "")
prompt = {"claude": lambda: sys.stdin.read(), "codex": lambda: sys.stdin.read(), "gemini": lambda: after("-p"),
          "opencode": lambda: ARGV[-1], "openhands": lambda: after("-t"),
          "aider": lambda: Path(after("--message-file")).read_text()}[TOOL]()
with open(HOME / "seen.jsonl", "a") as file:
    file.write(json.dumps({"tool": TOOL, "argv": ARGV, "cwd": os.getcwd(), "prompt": prompt, "again": again}) + "\n")
if again and [again, os.getcwd()] not in sessions:
    print("No conversation found with session ID:", again, file=sys.stderr)
    sys.exit(1)
name = again or after("--session-id") or f"{TOOL}-{len(sessions) + 1}"
known.write_text(json.dumps([*sessions, [name, os.getcwd()]]))
said = 'I mended it.\n{"event_id": "x", "status": "pushed", "head_sha": "aaa1", "summary": "mended by %%s"}' %% TOOL
out = {
    "claude": [{"type": "result", "is_error": False, "result": said, "session_id": name, "total_cost_usd": 0.25}],
    "codex": [{"type": "thread.started", "thread_id": name},
              {"type": "item.completed", "item": {"type": "command_execution", "status": "completed"}},
              {"type": "item.completed", "item": {"type": "agent_message", "text": said}},
              {"type": "turn.completed", "usage": {"input_tokens": 9}}],
    "gemini": [{"session_id": name, "response": said, "stats": {}}],
    "opencode": [{"type": "step_start", "sessionID": name, "part": {"type": "step-start"}},
                 {"type": "tool_use", "sessionID": name, "part": {"state": {"status": "completed"}}},
                 {"type": "text", "sessionID": name, "part": {"type": "text", "text": said}}],
    "openhands": [{"kind": "MessageEvent", "conversation_id": name, "message": said}],
}.get(TOOL)
for one in out or ():
    print(json.dumps(one))
if out is None:
    print(said)
"""


def install(folder):
    """Put the programs into a folder's `bin`; give the path of it."""
    bin = folder / "bin"
    bin.mkdir(parents=True)
    for tool in TOOLS:
        (bin / tool).write_text(SCRIPT % {"python": sys.executable, "home": str(folder)})
        (bin / tool).chmod(0o755)
    (bin / "git").write_text(f'#!/bin/sh\necho "$@" >> {folder}/pushed\n')
    (bin / "git").chmod(0o755)
    return bin
