"""Scripted workers: small real programs that do one thing to an event.

Must not know the loop: they see what any worker sees.
"""

from __future__ import annotations

import sys

from caselore.repair.workers.profiles import Profile

SAYS = """
import json, os, sys
event = json.load(open(os.environ["CASELORE_EVENT_FILE"]))
prompt = sys.stdin.read()
print("looking at it ...")
print(json.dumps({"event_id": event["id"], "status": %(status)r, "session_id": "s-1",
                  "cost_usd": 0.25, "head_sha": %(head)r, "summary": "read %%d letters" %% len(prompt)}))
"""
SLEEPS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
open(os.environ["CASELORE_RESULT_FILE"] + ".child", "w").write(str(child.pid))
time.sleep(300)
"""
CRASHES = "import sys; sys.exit(3)"
LATER = "import sys; sys.exit(75)"
SHOWS = """
import json, os
print(json.dumps({"status": "no_change", "summary": json.dumps(dict(os.environ))}))
"""


def says(status="pushed", head=""):
    return SAYS % {"status": status, "head": head}


def python(script, **more):
    """Give the profile of a worker that is this Python program."""
    more.setdefault("timeout", 60)
    more.setdefault("grace", 1)
    return Profile("coder", (sys.executable, "-c", script), **more)
