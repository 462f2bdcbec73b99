"""A throw-away home, and the real program run in it as a process."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caselore.settings import without_agent_markers

PROGRAM = (sys.executable, "-m", "caselore")


@dataclass(frozen=True)
class Ran:
    """How one run of the program ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Read standard output as exactly one JSON value."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Read standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Home:
    """A throw-away home; `token` makes every run a certain caller's."""

    folder: Path
    token: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    patience: float = 120

    @property
    def environment(self) -> dict[str, str]:
        found = {**without_agent_markers(), "CASELORE_HOME": str(self.folder), **self.extra}
        for name in ("NO_COLOR", "PYTHONUNBUFFERED"):  # as a user's shell has neither
            found.pop(name, None)
        return {**found, "CASELORE_TOKEN": self.token} if self.token else found

    def run(self, *arguments: str, stdin: str | bytes = b"", **environment: str) -> Ran:
        """Run one command without a terminal."""
        ended = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**self.environment, **environment},
            cwd=self.folder.parent,
            timeout=self.patience,
            check=False,
        )
        return Ran(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def ok(self, *arguments: str, code: int = 0, **more: Any) -> Any:
        """Run one command with --json, insist on its exit code, give its document."""
        ran = self.run(*arguments, "--json", **more)
        assert ran.code == code, (arguments, ran)
        return ran.json

    def at_terminal(self, *arguments: str, **environment: str) -> Ran:
        """Run one command on a pseudo terminal, as a person at the keyboard does."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**self.environment, "TERM": "xterm", **environment},
            cwd=self.folder.parent,
            start_new_session=True,
        )
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux says so when the other side has closed
                break
            if not part:
                break
            shown += part
        os.close(master)
        return Ran(process.wait(timeout=60), shown.decode(), "")

    def token_for(self, role: str, name: str) -> str:
        """Make a token of a role."""
        text: str = self.ok("token", "create", "--role", role, "--name", name)["token"]
        return text

    def log(self, name: str, text: str | bytes) -> str:
        """Write a log beside the home and give its path."""
        path = self.folder.parent / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)


def copy(template: Home, folder: Path) -> Home:
    """Give a home of one test's own that starts where a shared one stands."""
    shutil.copytree(template.folder, folder / "home")
    return Home(folder / "home", template.token, dict(template.extra))
