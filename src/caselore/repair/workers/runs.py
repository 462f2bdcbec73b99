"""Runs of workers, each a folder: what was asked, whether it lives, how it ended, what it said.

Must not count, nor believe what a worker says of the forge.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from caselore.errors import Unavailable
from caselore.repair.workers.profiles import CHOSEN, Profile, filled
from caselore.repair.workers.runner import born, write

CUT = 256 * 1024  # bytes at the end of an output in which a result is looked for
TEMPORARY = 75  # a worker's way to say "try again" (EX_TEMPFAIL)
_PATIENCE = 10  # seconds that a runner may take to say that it lives
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
        return _read(self.folder / "event.json") or {}

    @property
    def spec(self) -> dict[str, Any]:
        """Give what was started, and for whom."""
        return _read(self.folder / "spec.json") or {}

    @property
    def begun(self) -> bool:
        """Tell whether it ever ran."""
        return (self.folder / "running.json").exists()

    @property
    def ended(self) -> dict[str, Any] | None:
        """Say how it ended; None while it runs, and where it was cut off."""
        return _read(self.folder / "ended.json")

    @property
    def alive(self) -> bool:
        """Tell whether its runner lives."""
        about = _read(self.folder / "running.json")
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
        about = _read(self.folder / "running.json")
        if about is not None and self.alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(about["pid"], signal.SIGTERM)

    def said(self, profile: Profile) -> Said:
        """Read what the worker said: the result file before the last JSON on its output."""
        ended = self.ended or {"code": 1, "why": "cut off"}
        told = _output(self.folder / "stdout.log")
        result = _read(self.folder / "result.json") or _result(told, profile)
        session = self.spec.get("session") or _field(told, profile.session)
        return Said(
            code=int(ended["code"]),
            why=str(ended.get("why", "")),
            status=str(result.get("status", "")),
            session=str(result.get("session_id") or session),
            cost=_number(result.get("cost_usd") or _field(told, profile.cost)),
            summary=str(result.get("summary") or _field(told, profile.summary))[:2_000],
            head=str(result.get("head_sha") or ""),
        )


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
    ) -> Run:
        """Start a worker for an event, detached; where there is a conversation, in it."""
        run = self.of(event["id"])
        run.folder.mkdir(parents=True, exist_ok=True)
        for old in ("ended.json", "running.json", "result.json"):
            (run.folder / old).unlink(missing_ok=True)
        write(run.folder / "event.json", dict(event))
        (run.folder / "prompt.md").write_text(prompt, encoding="utf-8")
        resumed = bool(session) and profile.resumes
        named = session if resumed else _new_session(profile, event["id"], tries)
        values = self._values(run, event, prompt, named, folder)
        template = profile.resume if resumed else profile.start
        spec = {
            "profile": profile.name,
            "protocol": profile.protocol,
            "change": change,
            "argv": filled(template, values),
            "after": filled(profile.after, values),
            "stdin": "prompt.md" if profile.prompt == "stdin" else "event.json",
            "cwd": folder or None,
            "session": named if profile.session in (CHOSEN, "") or resumed else "",
            "resumed": resumed,
            "timeout": profile.timeout,
            "grace": profile.grace,
            "fence": fence,
            "tries": tries,
        }
        write(run.folder / "spec.json", spec)
        _launch(run, {**environment, **_told(run, event, fence, profile)})
        return run

    @staticmethod
    def _values(
        run: Run, event: Mapping[str, Any], prompt: str, session: str, folder: str
    ) -> dict[str, str]:
        return {
            "prompt": prompt,
            "prompt_file": str(run.folder / "prompt.md"),
            "event_file": str(run.folder / "event.json"),
            "result_file": str(run.folder / "result.json"),
            "session": session,
            "folder": folder or ".",
            "attempt": str(event["attempt"]),
            "max": str(event["max"]),
        }


def _new_session(profile: Profile, event: str, tries: int) -> str:
    """Name a new conversation; one that begins again must not take a name that is used."""
    return str(uuid5(NAMESPACE_URL, f"{event}#{tries}")) if profile.session == CHOSEN else ""


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
    deadline = time.monotonic() + _PATIENCE
    while not run.begun and time.monotonic() < deadline:
        time.sleep(0.01)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _output(path: Path) -> list[dict[str, Any]]:
    """Give the JSON objects of an output's end, in order; other lines are no word to us."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - CUT))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return _objects(text)


def _objects(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _result(told: list[dict[str, Any]], profile: Profile) -> dict[str, Any]:
    """Find the object that says how it went, also inside the text of an answer."""
    for one in reversed(told):
        if "status" in one:
            return dict(one)
        text = one.get(profile.summary)
        inner = [two for two in _objects(text) if "status" in two] if isinstance(text, str) else []
        if inner:
            return dict(inner[-1])
    return {}


def _field(told: list[dict[str, Any]], name: str) -> Any:
    return next((one[name] for one in reversed(told) if name and one.get(name)), "")


def _number(value: Any) -> float:
    try:
        found = float(value or 0)
    except (TypeError, ValueError):
        return 0.0
    return found if 0 <= found < 1e9 else 0.0
