"""Runs of workers, each a folder: what was asked, whether it lives, how it ended, what it said.

Must not count, nor believe what a worker says of the forge.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from caselore.errors import Unavailable
from caselore.repair.workers import words
from caselore.repair.workers.box import Box, boxes
from caselore.repair.workers.process import born, end, write
from caselore.repair.workers.profiles import ACP, Profile, filled

_PATIENCE = 10  # seconds that a runner may take to say that it lives
_MILLION = 1_000_000
_PROMPT, _FRESH = "prompt.md", "fresh.md"
_BOXES = ".boxes"  # below the runs; no run itself
_SAFE = re.compile(r"[^A-Za-z0-9._-]")


class Said(NamedTuple):
    """What came of a run, in the worker's own words and numbers."""

    code: int
    why: str
    status: str
    session: str
    cost: float
    summary: str
    head: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run for one event."""

    folder: Path

    @property
    def event(self) -> dict[str, Any]:
        """Give the event that it is for."""
        return words.read(self.folder / "event.json") or {}

    @property
    def spec(self) -> dict[str, Any]:
        """Give what was started, and for whom."""
        return words.read(self.folder / "spec.json") or {}

    @property
    def begun(self) -> bool:
        """Tell whether it ever ran."""
        return (self.folder / "running.json").exists()

    @property
    def ended(self) -> dict[str, Any] | None:
        """Say how it ended; None while it runs, and where it was cut off."""
        return words.read(self.folder / "ended.json")

    @property
    def alive(self) -> bool:
        """Tell whether its runner lives."""
        about = words.read(self.folder / "running.json")
        return (
            about is not None and self.ended is None and born(about["pid"]) == about["born"] != ""
        )

    @property
    def collected(self) -> bool:
        """Tell whether what came of it was taken into the account."""
        return (self.folder / "collected").exists()

    def collect(self) -> None:
        """Mark it as taken into the account."""
        (self.folder / "collected").touch()

    def stop(self) -> None:
        """Ask the runner to end its worker; it writes how that went."""
        about = words.read(self.folder / "running.json")
        if about is not None and self.alive:
            end(about["pid"])

    def said(self, profile: Profile) -> Said:
        """Read what the worker said: the result file before the last JSON on its output.

        What an agent's protocol told goes before the agent's own prose.
        """
        ended = self.ended or {"code": 1, "why": "cut off"}
        result, told = words.heard(self.folder)
        session = self._conversation(ended) or words.field(told, profile.session)
        cost = result.get("cost_usd") or words.field(told, profile.cost)
        return Said(
            code=int(ended["code"]),
            why=str(ended.get("why", "")),
            status=str(result.get("status", "")),
            session=str(ended.get("session") or result.get("session_id") or session),
            cost=words.number(ended.get("cost", cost)),
            summary=str(result.get("summary") or words.field(told, profile.summary))[:2_000],
            head=str(result.get("head_sha") or ""),
        )

    @property
    def summary(self) -> str:
        """Give what its worker said that it did; empty where it said nothing."""
        result, _ = words.heard(self.folder)
        return str(result.get("summary") or "")[:2_000]

    def _conversation(self, ended: dict[str, Any]) -> str:
        """Give the conversation's name where it was known from the start."""
        spec = self.spec
        if ended.get("rung") == "fresh" and spec.get("fresh"):
            return str(spec["fresh"]["session"])
        return str(spec.get("session", ""))


class Runs:
    """All runs below one folder."""

    def __init__(self, folder: Path) -> None:
        """Keep runs below a folder."""
        self._folder = folder

    def of(self, event: str) -> Run:
        """Give the run for an event."""
        return Run(self._folder / _SAFE.sub("_", event)[:100])

    def open(self) -> Iterator[Run]:
        """Give the runs that were prepared and not yet taken into the account."""
        if self._folder.is_dir():
            for one in sorted(self._folder.iterdir()):
                run = Run(one)
                if (one / "spec.json").exists() and not run.collected:
                    yield run

    def staying(self) -> Iterator[Box]:
        """Give the boxes of changes whose agent stays after its turn."""
        return boxes(self._folder / _BOXES)

    def start(
        self,
        profile: Profile,
        event: Mapping[str, Any],
        prompt: str,
        *,
        change: str,
        folder: str,
        session: str,
        environment: Mapping[str, str],
        fence: int,
        tries: int = 1,
        handoff: str = "",
    ) -> Run:
        """Let a worker begin with an event: where it stays, else in its conversation, else anew.

        `handoff` is what a new conversation is told of what was before it.
        """
        run = self.of(event["id"])
        run.folder.mkdir(parents=True, exist_ok=True)
        for old in ("ended.json", "running.json", "result.json", "stdout.log"):
            (run.folder / old).unlink(missing_ok=True)
        write(run.folder / "event.json", dict(event))
        fresh = f"{handoff}\n\n{prompt}" if handoff else prompt
        resumed = bool(session) and profile.resumes
        (run.folder / "prompt.md").write_text(prompt if resumed else fresh, encoding="utf-8")
        (run.folder / "fresh.md").write_text(fresh, encoding="utf-8")
        spec = self._spec(run, profile, event, folder, session if resumed else "", tries)
        box = Box(self._folder / _BOXES / change)
        known = {"change": change, "fence": fence, "box": str(box.folder)}
        write(run.folder / "spec.json", {**spec, **known})
        if not (resumed and _fits(box, spec) and box.hand(run.folder) and _begins(run)):
            box.dismiss()
            _launch(run, {**environment, **_told(run, event, fence, profile)})
        return run

    def _spec(
        self,
        run: Run,
        profile: Profile,
        event: Mapping[str, Any],
        folder: str,
        session: str,
        tries: int,
    ) -> dict[str, Any]:
        """Say what is started: first in a conversation, if there is one, then without it."""
        new = str(uuid5(NAMESPACE_URL, f"{event['id']}#{tries}")) if profile.named else ""
        values = _values(run, event, profile, folder)
        anew = {
            "argv": filled(profile.start, {**values(_FRESH), "session": new}),
            "stdin": _stdin(profile, _FRESH),
            "session": new,
        }
        first = anew
        if session and profile.protocol != ACP:
            again = filled(profile.resume, {**values(_PROMPT), "session": session})
            first = {**anew, "argv": again, "stdin": _stdin(profile, _PROMPT), "session": session}
        return {
            **first,
            "profile": profile.name,
            "protocol": profile.protocol,
            "session": session or new,
            "resumed": bool(session),
            "fresh": anew if session else None,
            "after": filled(profile.after, {**values(_PROMPT), "session": session or new}),
            "cwd": folder or os.getcwd(),
            "timeout": profile.timeout,
            "grace": profile.grace,
            "linger": profile.linger,
            "steps": profile.steps,
            "cost": profile.cost_limit / _MILLION,
            "output": profile.output,
            "allow": list(profile.allow),
            "tries": tries,
        }


def forget(folder: Path, ids: Collection[str]) -> None:
    """Remove the folders of ended runs that tell of what was erased."""
    found = [Run(one) for one in folder.iterdir()] if folder.is_dir() else []
    for run in found:
        if run.folder.name == _BOXES or run.alive:
            continue
        told = "".join(_text(one) for one in run.folder.iterdir() if one.is_file())
        if any(id in told for id in ids):
            shutil.rmtree(run.folder, ignore_errors=True)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def _stdin(profile: Profile, prompt: str) -> str:
    return prompt if profile.prompt == "stdin" else "event.json"


def _values(
    run: Run, event: Mapping[str, Any], profile: Profile, folder: str
) -> Callable[[str], dict[str, str]]:
    """Give what placeholders stand for, with the prompt of one of the run's files."""

    def values(prompt: str) -> dict[str, str]:
        return {
            "prompt": (run.folder / prompt).read_text("utf-8"),
            "prompt_file": str(run.folder / prompt),
            "event_file": str(run.folder / "event.json"),
            "result_file": str(run.folder / "result.json"),
            "folder": folder or ".",
            "attempt": str(event["attempt"]),
            "max": str(event["max"]),
            "steps": str(profile.steps),
            "cost": f"{profile.cost_limit / _MILLION:g}",
        }

    return values


def _fits(box: Box, spec: Mapping[str, Any]) -> bool:
    """Tell whether the agent that stays is the one that is wanted, in its folder and words."""
    there = box.there() or {}
    wanted = {"profile": spec["profile"], "conversation": spec["session"], "cwd": spec["cwd"]}
    return bool(there) and all(there.get(name) == value for name, value in wanted.items())


def _told(run: Run, event: Mapping[str, Any], fence: int, profile: Profile) -> dict[str, str]:
    return {
        "AI_AGENT": profile.name,  # whatever it starts is known as an agent's
        "CASELORE_EVENT_ID": str(event["id"]),
        "CASELORE_EVENT_FILE": str(run.folder / "event.json"),
        "CASELORE_RESULT_FILE": str(run.folder / "result.json"),
        "CASELORE_CHANGE": str(event["change"]),
        "CASELORE_ATTEMPT": str(event["attempt"]),
        "CASELORE_MAX": str(event["max"]),
        "CASELORE_FENCE": str(fence),
    }


def _launch(run: Run, environment: Mapping[str, str]) -> None:
    """Start the runner in a process group of its own, and wait until it says that it lives."""
    module = "caselore.repair.workers.runner"
    with open(run.folder / "runner.log", "ab") as log:
        launched = subprocess.run(
            [sys.executable, "-m", module, str(run.folder)],
            env=dict(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
        )  # fmt: skip
    if launched.returncode:
        raise Unavailable(
            f"The worker's runner could not be started; {run.folder / 'runner.log'} says why."
        )
    _begins(run)


def _begins(run: Run) -> bool:
    """Wait until a run says that it lives; tell whether it did."""
    deadline = time.monotonic() + _PATIENCE
    while not run.begun and time.monotonic() < deadline:
        time.sleep(0.01)
    return run.begun
